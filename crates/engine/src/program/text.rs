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

use super::{Constant, Input, Operation, Program, StreamInfo};

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enter { out, input, piece } => {
                let (kind, k) = match input {
                    Input::Given(k) => ('x', k),
                    Input::Output(k) => ('y', k),
                };
                write!(f, "{out} := enter {kind}{k}[{piece}]")
            }
            Self::Constant { out, constant } => match constant {
                Constant::One => write!(f, "{out} := 1"),
                Constant::MontgomerySquare => write!(f, "{out} := montgomery square"),
                Constant::Common(k) => write!(f, "{out} := common c{k}"),
                Constant::Own(k) => write!(f, "{out} := own k{k}"),
            },
            Self::Multiply { out, x, y } => write!(f, "{out} := {x} * {y}"),
            Self::Square { out, x, times } => write!(f, "{out} := {x} ^ 2 ^ {times}"),
            Self::SumOfProducts { out, terms } => {
                write!(f, "{out} := sum")?;
                for term in terms {
                    let sign = if term.negative { '-' } else { '+' };
                    write!(f, " {sign} {} * {}", term.x, term.y)?;
                }
                Ok(())
            }
            Self::Add { out, x, y } => write!(f, "{out} := {x} + {y}"),
            Self::Subtract { out, x, y } => write!(f, "{out} := {x} - {y}"),
            Self::Negate { out, x } => write!(f, "{out} := - {x}"),
            Self::Scale { out, x, factor } => write!(f, "{out} := {factor} . {x}"),
            Self::Store { table, entry, x } => write!(f, "t{}[{entry}] := {x}", table.0),
            Self::StoreAt {
                table,
                stream,
                position,
                x,
            } => write!(f, "t{}[d{}[{position}]] := {x}", table.0, stream.0),
            Self::Load { out, table, entry } => write!(f, "{out} := t{}[{entry}]", table.0),
            Self::Select {
                out,
                table,
                stream,
                position,
            } => write!(f, "{out} := t{}[d{}[{position}]]", table.0, stream.0),
            Self::Choose {
                out,
                x,
                y,
                stream,
                position,
            } => write!(f, "{out} := choose d{}[{position}] {x} {y}", stream.0),
            Self::Output { index, x } => write!(f, "y{index} := output {x}"),
            Self::IsZero { index, x } => write!(f, "f{index} := is zero {x}"),
        }
    }
}

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
        for (index, step) in self.steps.iter().enumerate() {
            let operation = step.operation.to_string();
            match &step.magnitude {
                Some(magnitude) => writeln!(f, "{index:<6}{operation:<40} {magnitude}")?,
                None => writeln!(f, "{index:<6}{operation}")?,
            }
        }
        writeln!(f, "counts  {}", self.counts)
    }
}
