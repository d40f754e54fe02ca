//! Typed inputs: numbers, lists of moduli, and the reasons why an input is refused.

use crate::integer;
use crypto_bigint::BoxedUint;
use sunzi_field::{InversionError, MontgomeryError, SumOfResiduesError};
use sunzi_papers::cube_rsa::hypercube::HypercubeError;
use sunzi_papers::network::NetworkError;
use sunzi_rns::convert::ConvertError;
use sunzi_rns::residues::ResiduesError;
use sunzi_rns::{Base, BaseError, ExtensionError, ModulusError};

/// An input that cannot be used, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{input}: {reason}")]
pub struct Refusal {
    /// The name of the input on the page; empty if it belongs to none.
    pub input: &'static str,
    /// The violated condition.
    pub reason: Reason,
}

impl Refusal {
    pub(crate) fn new(input: &'static str, reason: impl Into<Reason>) -> Self {
        let reason = reason.into();
        Self { input, reason }
    }

    /// A function for `map_err` that makes a refusal of a reason.
    pub(crate) fn of<E: Into<Reason>>(input: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::new(input, error)
    }
}

/// The condition that an input violates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// There is no such view.
    #[error("there is no view \"{0}\"")]
    View(String),
    /// The fields are not those of the view.
    #[error("the fields do not fit the view: {0}")]
    Fields(String),
    /// Not one of the choices.
    #[error("\"{0}\" is not one of the choices")]
    Choice(String),
    /// The input is empty.
    #[error("a number is missing here")]
    Empty,
    /// A character that has no meaning in a number.
    #[error(
        "\"{found}\" is not expected here: write decimal digits, 0x and hexadecimal digits, names such as {names}, and + - * ^ ( )"
    )]
    Character {
        /// The character, or the end of the text.
        found: String,
        /// The names that have a value in this input.
        names: String,
    },
    /// The text is too long, or parentheses are nested too deeply.
    #[error("this is too long: at most {0} characters, and 20 parentheses inside one another")]
    Long(usize),
    /// A number is too large for this page.
    #[error("this number has more than {most} bits, which this page does not take")]
    Large {
        /// The largest number of bits.
        most: u32,
    },
    /// A difference is negative.
    #[error("this is negative: a number from 0 up is needed")]
    Negative,
    /// A number is outside a range.
    #[error("{value} is not from {least} to {most}")]
    Range {
        /// The number.
        value: String,
        /// The least value allowed.
        least: u128,
        /// The largest value allowed.
        most: u128,
    },
    /// A number is too small.
    #[error("this must be at least {0}")]
    Least(u32),
    /// A number must be below another one.
    #[error("{what} must be below {limit}")]
    NotBelow {
        /// The name of the number.
        what: &'static str,
        /// The limit, by name and value.
        limit: String,
    },
    /// Too many moduli for this page.
    #[error("{given} moduli: this page takes at most {most}")]
    ManyModuli {
        /// The number of moduli given.
        given: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// No bases were found.
    #[error(
        "no bases of at most 8 moduli were found for this P: give A and B, or take a smaller P"
    )]
    NoBases,
    /// One base is given without the other.
    #[error("give both bases, or leave both empty")]
    OneBase,
    /// A modulus is refused.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// A base is refused.
    #[error(transparent)]
    Base(#[from] BaseError),
    /// A number does not fit into a base.
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// Residues are refused.
    #[error(transparent)]
    Residues(#[from] ResiduesError),
    /// A base extension is refused.
    #[error(transparent)]
    Extension(#[from] ExtensionError),
    /// A Montgomery multiplication is refused.
    #[error(transparent)]
    Montgomery(#[from] MontgomeryError),
    /// A sum of residues is refused.
    #[error(transparent)]
    SumOfResidues(#[from] SumOfResiduesError),
    /// A hypercube is refused.
    #[error(transparent)]
    Hypercube(#[from] HypercubeError),
    /// An inversion is refused.
    #[error(transparent)]
    Inversion(#[from] InversionError),
    /// A network is refused, for the reason in this text.
    #[error("{0}")]
    Network(String),
}

impl From<NetworkError> for Reason {
    fn from(error: NetworkError) -> Self {
        Self::Network(error.to_string())
    }
}

/// The largest number that this page takes, in bits.
pub(crate) const MAX_BITS: u32 = 2048;

/// The longest text of an input, in characters.
const MAX_LENGTH: usize = 2000;

/// The deepest nesting of parentheses and exponents.
const MAX_DEPTH: u32 = 20;

/// Names with a value, which may be used in an input.
pub(crate) type Names<'a> = [(&'a str, &'a BoxedUint)];

/// The number that `text` describes: an expression of decimal and hexadecimal numbers and `names`,
/// with `+`, `-`, `*`, `^` and parentheses.
pub(crate) fn number(text: &str, names: &Names) -> Result<BoxedUint, Reason> {
    if text.trim().is_empty() {
        return Err(Reason::Empty);
    }
    if text.chars().count() > MAX_LENGTH {
        return Err(Reason::Long(MAX_LENGTH));
    }
    let text: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut parser = Parser {
        text: &text,
        at: 0,
        names,
    };
    let value = parser.sum(0)?;
    if parser.at < text.len() {
        return Err(parser.unexpected());
    }
    Ok(value)
}

/// A number that fits into a `u32` and is in a range.
pub(crate) fn small(text: &str, least: u32, most: u32) -> Result<u32, Reason> {
    let value = number(text, &[])?;
    let fits = integer::to_u128(&value).and_then(|value| u32::try_from(value).ok());
    fits.filter(|value| (least..=most).contains(value))
        .ok_or_else(|| Reason::Range {
            value: integer::decimal(&value),
            least: least.into(),
            most: most.into(),
        })
}

/// A list of numbers, separated by commas, semicolons, or blanks alone.
pub(crate) fn list(text: &str, most: usize) -> Result<Vec<u128>, Reason> {
    let separator: fn(char) -> bool = if text.contains([',', ';']) {
        |c| c == ',' || c == ';'
    } else {
        char::is_whitespace
    };
    let parts: Vec<&str> = text
        .split(separator)
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() > most {
        let given = parts.len();
        return Err(Reason::ManyModuli { given, most });
    }
    let value = |part: &&str| {
        let value = number(part, &[])?;
        let bits = sunzi_rns::modulus::MAX_BITS;
        integer::to_u128(&value).ok_or(Reason::Large { most: bits })
    };
    parts.iter().map(value).collect()
}

/// A base of at most `most` moduli.
pub(crate) fn base(text: &str, most: usize) -> Result<Base, Reason> {
    Ok(Base::new(&list(text, most)?)?)
}

struct Parser<'a> {
    text: &'a [char],
    at: usize,
    names: &'a Names<'a>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self) -> Reason {
        let names: Vec<&str> = self.names.iter().map(|(name, _)| *name).collect();
        Reason::Character {
            found: self
                .peek()
                .map_or_else(|| "the end".into(), |c| c.to_string()),
            names: if names.is_empty() {
                "(none here)".into()
            } else {
                names.join(", ")
            },
        }
    }

    /// `product (+ product | - product)*`, computed so that only the result must not be negative.
    fn sum(&mut self, depth: u32) -> Result<BoxedUint, Reason> {
        let mut plus = self.product(depth)?;
        let mut minus = BoxedUint::zero();
        loop {
            if self.take('+') {
                plus = limited(integer::add(&plus, &self.product(depth)?))?;
            } else if self.take('-') || self.take('\u{2212}') {
                minus = limited(integer::add(&minus, &self.product(depth)?))?;
            } else {
                return integer::sub(&plus, &minus).ok_or(Reason::Negative);
            }
        }
    }

    /// `power (* power)*`
    fn product(&mut self, depth: u32) -> Result<BoxedUint, Reason> {
        let mut value = self.power(depth)?;
        while self.take('*') || self.take('\u{d7}') {
            value = limited(integer::mul(&value, &self.power(depth)?))?;
        }
        Ok(value)
    }

    /// `atom (^ power)?`
    fn power(&mut self, depth: u32) -> Result<BoxedUint, Reason> {
        if depth > MAX_DEPTH {
            return Err(Reason::Long(MAX_LENGTH));
        }
        let base = self.atom(depth)?;
        if !self.take('^') {
            return Ok(base);
        }
        let exponent = self.power(depth + 1)?;
        // 0 and 1 have small powers with any exponent.
        if base.bits_vartime() <= 1 {
            let is_one = base.bits_vartime() == 1 || exponent.bits_vartime() == 0;
            return Ok(BoxedUint::from(u64::from(is_one)));
        }
        let exponent = integer::to_u128(&exponent).filter(|&e| e <= u128::from(MAX_BITS));
        let exponent = exponent.ok_or(Reason::Large { most: MAX_BITS })?;
        // From the top bit down, so that no intermediate power is larger than the result.
        let mut value = BoxedUint::one();
        for bit in (0..u128::BITS - exponent.leading_zeros()).rev() {
            value = limited(integer::mul(&value, &value))?;
            if exponent >> bit & 1 == 1 {
                value = limited(integer::mul(&value, &base))?;
            }
        }
        Ok(value)
    }

    /// A number, a name, or a sum in parentheses.
    fn atom(&mut self, depth: u32) -> Result<BoxedUint, Reason> {
        if self.take('(') {
            let value = self.sum(depth + 1)?;
            return if self.take(')') {
                Ok(value)
            } else {
                Err(self.unexpected())
            };
        }
        let radix = match (self.peek(), self.text.get(self.at + 1)) {
            (Some('0'), Some('x' | 'X')) => {
                self.at += 2;
                16
            }
            _ => 10,
        };
        let digits = self.run(|c| c.is_digit(radix) || c == '_').replace('_', "");
        if !digits.is_empty() {
            let value = BoxedUint::from_str_radix_vartime(&digits, radix);
            let value = value.map_err(|_| Reason::Large { most: MAX_BITS })?;
            return limited(integer::trimmed(&value));
        }
        let start = self.at;
        let name = self.run(char::is_alphabetic);
        let known = self.names.iter().find(|(known, _)| *known == name);
        known.map(|(_, value)| (*value).clone()).ok_or_else(|| {
            self.at = start;
            self.unexpected()
        })
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let run = self.text[self.at..].iter().take_while(|&&c| belongs(c));
        let run: String = run.collect();
        self.at += run.chars().count();
        run
    }
}

fn limited(value: BoxedUint) -> Result<BoxedUint, Reason> {
    if value.bits_vartime() > MAX_BITS {
        return Err(Reason::Large { most: MAX_BITS });
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Result<String, Reason> {
        let p = BoxedUint::from(7u64);
        number(text, &[("p", &p)]).map(|value| integer::decimal(&value))
    }

    #[test]
    fn expressions_have_their_usual_meaning() {
        for (text, value) in [
            ("0", "0"),
            (" 1 000_000 ", "1000000"),
            ("0xfF", "255"),
            ("2^10 - 2^3 * 3 + 1", "1001"),
            ("2^3^2", "512"),
            ("7^13", "96889010407"),
            ("7^0 + 7^1 + 7^2", "57"),
            ("1 - 5 + p", "3"),
            ("(p+1)*(p\u{2212}1)", "48"),
            ("0^0 + 1^99999999999999999999 + 0^5", "2"),
            ("2^127 - 1", "170141183460469231731687303715884105727"),
        ] {
            assert_eq!(decimal(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn whatever_is_typed_leads_to_a_number_or_a_reason() {
        let nested = "(".repeat(1000);
        let powers = "2^".repeat(900);
        for (text, reason) in [
            ("", "missing"),
            ("  ", "missing"),
            ("1 +", "\"the end\""),
            ("12a", "\"a\""),
            ("0x", "\"the end\""),
            ("q", "such as p"),
            ("(1", "\"the end\""),
            ("1)", "\")\""),
            ("_", "\"the end\""),
            ("3 - 5", "negative"),
            ("2^2049", "2048 bits"),
            ("2^2^2^2^2^2", "2048 bits"),
            ("9^99999999999999999999999999", "2048 bits"),
            ("٣", "\"٣\""),
            (nested.as_str(), "too long"),
            (powers.as_str(), "too long"),
            (&"9".repeat(2001), "too long"),
            (&"9".repeat(1999), "2048 bits"),
        ] {
            let message = decimal(text).unwrap_err().to_string();
            assert!(message.contains(reason), "{text}: {message}");
        }
    }

    #[test]
    fn lists_are_separated_by_commas_or_blanks() {
        assert_eq!(list("3, 5 ;7,", 8), Ok(vec![3, 5, 7]));
        assert_eq!(list(" 3  5\t7", 8), Ok(vec![3, 5, 7]));
        assert_eq!(list("2^5 - 1, 2^4", 8), Ok(vec![31, 16]));
        assert_eq!(list("", 8), Ok(vec![]));
        let many = Reason::ManyModuli { given: 3, most: 2 };
        assert_eq!(list("1 2 3", 2), Err(many));
        assert_eq!(list("2^200", 2), Err(Reason::Large { most: 66 }));
    }
}
