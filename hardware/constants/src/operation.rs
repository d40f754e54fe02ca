//! Operations of the curve processor's microprograms.

use std::fmt;

use crypto_bigint::BoxedUint;

/// A constant of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    P,
    One,
    MontgomerySquare,
    /// An integer that is the same for all curves.
    Common(BoxedUint),
    /// One of the curve.
    Own(u32),
}

/// An integer that enters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Input(u32),
    /// An integer that has left.
    Output(u32),
    Constant(Constant),
}

/// An operation of the text. `u32`s are registers, or values as long as none are assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A product, or a sum of products.
    Products(u32, Vec<(u32, u32)>),
    /// Factors and registers, and how many times P is added.
    Combine(u32, Vec<(i64, u32)>, u32),
    Enter(u32, Source),
    /// By the scalar's bit at this position, or the next one within the loop.
    Choose(u32, Option<u32>, u32, u32),
    Output(u32, u32),
    Invert(u32, u32),
    Repeat,
    End,
}

impl Operation {
    /// The register that is written, if any, and those that are read.
    fn names(&mut self) -> (Option<&mut u32>, Vec<&mut u32>) {
        match self {
            Self::Products(d, terms) => {
                let reads = terms.iter_mut().flat_map(|(x, y)| [x, y]);
                (Some(d), reads.collect())
            }
            Self::Combine(d, terms, _) => (Some(d), terms.iter_mut().map(|(_, x)| x).collect()),
            Self::Enter(d, _) => (Some(d), Vec::new()),
            Self::Choose(d, _, x, y) => (Some(d), vec![x, y]),
            Self::Invert(d, x) => (Some(d), vec![x]),
            Self::Output(_, x) => (None, vec![x]),
            Self::Repeat | Self::End => (None, Vec::new()),
        }
    }

    pub(crate) fn out(&self) -> Option<u32> {
        self.clone().names().0.copied()
    }

    pub(crate) fn reads(&self) -> Vec<u32> {
        self.clone().names().1.into_iter().map(|x| *x).collect()
    }

    /// The same with other names for what is written and read.
    pub(crate) fn renamed(&self, out: impl FnOnce(u32) -> u32, read: impl Fn(u32) -> u32) -> Self {
        let mut renamed = self.clone();
        let (written, reads) = renamed.names();
        for x in reads {
            *x = read(*x);
        }
        if let Some(d) = written {
            *d = out(*d);
        }
        renamed
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Products(d, terms) => {
                if let [(x, y)] = terms[..] {
                    return write!(f, "r{d} := r{x} * r{y}");
                }
                write!(f, "r{d} := sum")?;
                for (x, y) in terms {
                    write!(f, " + r{x} * r{y}")?;
                }
                Ok(())
            }
            Self::Combine(d, terms, lift) => {
                write!(f, "r{d} := combine")?;
                for (factor, x) in terms {
                    let sign = if *factor < 0 { '-' } else { '+' };
                    match factor.unsigned_abs() {
                        1 => write!(f, " {sign} r{x}")?,
                        factor => write!(f, " {sign} {factor} . r{x}")?,
                    }
                }
                match lift {
                    0 => Ok(()),
                    lift => write!(f, " + {lift} P"),
                }
            }
            Self::Enter(d, source) => match source {
                Source::Input(k) => write!(f, "r{d} := enter x{k}[0]"),
                Source::Output(k) => write!(f, "r{d} := enter y{k}[0]"),
                Source::Constant(Constant::P) => write!(f, "r{d} := P"),
                Source::Constant(Constant::One) => write!(f, "r{d} := 1"),
                Source::Constant(Constant::MontgomerySquare) => {
                    write!(f, "r{d} := montgomery square")
                }
                Source::Constant(Constant::Common(integer)) => {
                    let digits = format!("{integer:x}");
                    let digits = digits.trim_start_matches('0');
                    write!(f, "r{d} := common 0x{digits:0>1}")
                }
                Source::Constant(Constant::Own(k)) => write!(f, "r{d} := own k{k}"),
            },
            Self::Choose(d, None, x, y) => write!(f, "r{d} := choose d0[i] r{x} r{y}"),
            Self::Choose(d, Some(i), x, y) => write!(f, "r{d} := choose d0[{i}] r{x} r{y}"),
            Self::Output(k, x) => write!(f, "y{k} := output r{x}"),
            Self::Invert(d, x) => write!(f, "r{d} := invert r{x}"),
            Self::Repeat => f.write_str("repeat e0"),
            Self::End => f.write_str("end"),
        }
    }
}
