//! The text form of a program: one operation a line.
//!
//! ```text
//! program power-secret, for moduli of up to 1024 bits
//! limits  products [-1, 35] P, weights of operands up to 1125899906842624
//! input   x0: 1024 bits
//! scalar  e0 exponent: 1024 bits, secret
//! digits  d0: e0 in 256 windows of 4 bits
//! table   t0: 16 entries
//! uses    3 registers
//! 0     r0 := enter x0[0]                        1 x 2^bits
//! 1     r1 := montgomery square                  [0, 1] P
//! 2     r0 := r0 * r1                            [-1, 35] P
//! 3     r2 := 1                                  [0, 1] P
//! 4     r1 := r1 * r2                            [-1, 35] P
//! 5     t0[0] := r1
//! ...
//! ```

use core::fmt;

use crate::{Program, Span, StreamInfo};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, bits, .. } = self;
        writeln!(f, "program {name}, for moduli of up to {bits} bits")?;
        let limits = &self.limits;
        writeln!(
            f,
            "limits  products {}, weights of operands up to {}",
            limits.product, limits.operands
        )?;
        if let Some(folded) = limits.folded {
            writeln!(f, "folds   into {folded}")?;
        }
        for (k, bits) in self.inputs.iter().enumerate() {
            writeln!(f, "input   x{k}: {bits} bits")?;
        }
        for (k, form) in self.own_constants.iter().enumerate() {
            writeln!(f, "own     k{k}: Montgomery factor to the power {form}")?;
        }
        for (k, words) in self.common.iter().enumerate() {
            write!(f, "common  c{k}: 0x")?;
            let mut digits = words.iter().rev().skip_while(|&&word| word == 0);
            match digits.next() {
                Some(first) => write!(f, "{first:x}")?,
                None => write!(f, "0")?,
            }
            for word in digits {
                write!(
                    f,
                    "{word:0width$x}",
                    width = crypto_bigint::Word::BITS as usize / 4
                )?;
            }
            writeln!(f)?;
        }
        for (k, scalar) in self.scalars.iter().enumerate() {
            let secrecy = if scalar.secret { "secret" } else { "public" };
            writeln!(
                f,
                "scalar  e{k} {}: {} bits, {secrecy}",
                scalar.name, scalar.bits
            )?;
        }
        for (k, stream) in self.streams.iter().enumerate() {
            let StreamInfo {
                scalar,
                length,
                recoding,
                ..
            } = stream;
            writeln!(f, "digits  d{k}: e{scalar} in {length} {recoding}")?;
        }
        for (k, entries) in self.tables.iter().enumerate() {
            writeln!(f, "table   t{k}: {entries} entries")?;
        }
        writeln!(f, "uses    {} registers", self.registers)?;
        let mut spans = self.spans.iter().peekable();
        for (index, step) in self.steps.iter().enumerate() {
            if let Some(span) = spans.next_if(|span| span.steps.start == index) {
                writeln!(f, "{span}")?;
            }
            let operation = step.operation.to_string();
            match &step.magnitude {
                Some(magnitude) => writeln!(f, "{index:<6}{operation:<40} {magnitude}")?,
                None => writeln!(f, "{index:<6}{operation}")?,
            }
        }
        writeln!(f, "counts  {}", self.counts)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            segment,
            times,
            steps,
            digit,
            inputs,
            outputs,
        } = self;
        write!(f, "      {}..{} are ", steps.start, steps.end)?;
        if *times > 1 {
            write!(f, "{times} x ")?;
        }
        write!(f, "{segment}, from")?;
        for input in inputs {
            write!(f, " {input}")?;
        }
        if let Some((stream, position)) = digit {
            write!(f, " by d{}[{position}]", stream.0)?;
        }
        write!(f, " to")?;
        for output in outputs {
            match output {
                Some(output) => write!(f, " {output}")?,
                None => write!(f, " -")?,
            }
        }
        Ok(())
    }
}
