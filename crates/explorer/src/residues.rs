//! Numbers as residues, operations on them channel by channel, and the way back.

use crate::input::{self, Reason, Refusal};
use crate::integer;
use crypto_bigint::BoxedUint;
use serde::{Deserialize, Serialize};
use sunzi_rns::{Base, Plain};

/// The largest number of moduli.
const MAX_MODULI: usize = 12;

/// The inputs of this view, as typed: moduli, two numbers, and `+`, `-` or `*`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResiduesInput {
    moduli: String,
    x: String,
    y: String,
    operation: String,
}

/// A number with its residues.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// The integer.
    pub value: String,
    /// Its residues, in the order of the moduli.
    pub residues: Vec<String>,
    /// Each residue divided by its modulus: the part of a full turn of the channel's dial.
    pub turns: Vec<f64>,
}

impl Number {
    fn new(residues: &sunzi_rns::Residues) -> Self {
        let pairs = residues.values().iter().zip(residues.base().moduli());
        Self {
            value: integer::decimal(&residues.to_uint()),
            residues: residues.values().iter().map(u128::to_string).collect(),
            turns: pairs.map(|(&x, m)| x as f64 / m.value() as f64).collect(),
        }
    }
}

/// Two numbers in residues and their sum, difference or product.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Residues {
    /// The moduli.
    pub moduli: Vec<String>,
    /// `M`, the product of the moduli: the numbers from 0 to `M - 1` have different residues.
    pub range: String,
    /// The first number.
    pub x: Number,
    /// The second number.
    pub y: Number,
    /// The result in residues, as the number from 0 to `M - 1` that they stand for.
    pub result: Number,
    /// The result as an integer, which may be negative or above `M - 1`.
    pub integer: String,
    /// Whether the residues stand for that integer.
    pub fits: bool,
    /// The result, in a sentence.
    pub summary: String,
}

impl Residues {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] for moduli that do not form a base, for `X` or `Y` outside its range, and for an
    /// unknown operation.
    pub fn new(input: &ResiduesInput) -> Result<Self, Refusal> {
        let base = input::base(&input.moduli, MAX_MODULI).map_err(Refusal::of("moduli"))?;
        let (x, x_residues) = number_in(&base, "x", &input.x)?;
        let (y, y_residues) = number_in(&base, "y", &input.y)?;
        let range = base.product();
        let (result, integer, fits, sign) = match input.operation.as_str() {
            "+" => {
                let sum = integer::add(&x, &y);
                let fits = sum < *range;
                (&x_residues + &y_residues, integer::decimal(&sum), fits, "+")
            }
            "-" => {
                let (text, fits) = match integer::sub(&x, &y) {
                    Some(difference) => (integer::decimal(&difference), true),
                    None => (
                        integer::sub(&y, &x).map_or_else(String::new, |d| {
                            format!("\u{2212}{}", integer::decimal(&d))
                        }),
                        false,
                    ),
                };
                (&x_residues - &y_residues, text, fits, "\u{2212}")
            }
            "*" => {
                let product = integer::mul(&x, &y);
                let fits = product < *range;
                let text = integer::decimal(&product);
                (&x_residues * &y_residues, text, fits, "\u{d7}")
            }
            other => return Err(Refusal::new("operation", Reason::Choice(other.into()))),
        };
        let result = Number::new(&result);
        let what = format!(
            "{} {sign} {} = {integer}.",
            integer::decimal(&x),
            integer::decimal(&y)
        );
        let summary = if fits {
            format!(
                "{what} Every channel computed its residue by itself, and together they stand for that number."
            )
        } else {
            format!(
                "{what} That is outside 0 to M \u{2212} 1 = {}, so the residues stand for {}, which differs from it by a multiple of M.",
                integer::sub(range, &BoxedUint::one())
                    .map_or_else(String::new, |m| integer::decimal(&m)),
                result.value
            )
        };
        Ok(Self {
            moduli: base
                .moduli()
                .iter()
                .map(|m| m.value().to_string())
                .collect(),
            range: integer::decimal(range),
            x: Number::new(&x_residues),
            y: Number::new(&y_residues),
            result,
            integer,
            fits,
            summary,
        })
    }
}

/// The number typed into an input, and its residues.
fn number_in(
    base: &Base,
    name: &'static str,
    text: &str,
) -> Result<(BoxedUint, sunzi_rns::Residues), Refusal> {
    let names = [("M", base.product())];
    let value = input::number(text, &names).map_err(Refusal::of(name))?;
    let residues = sunzi_rns::Residues::from_uint(base, &value).map_err(Refusal::of(name))?;
    Ok((value, residues))
}

/// The inputs of this view, as typed: moduli and a number, and `next` or `previous`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CountInput {
    moduli: String,
    x: String,
    direction: String,
}

/// The next or the previous number, cyclically from `M - 1` to 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The number.
    pub value: String,
}

impl Count {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`], as [`Residues::new`].
    pub fn new(input: &CountInput) -> Result<Self, Refusal> {
        let base = input::base(&input.moduli, MAX_MODULI).map_err(Refusal::of("moduli"))?;
        let (_, x) = number_in(&base, "x", &input.x)?;
        let one = sunzi_rns::Residues::one(&base);
        let moved = match input.direction.as_str() {
            "next" => &x + &one,
            "previous" => &x - &one,
            other => return Err(Refusal::new("", Reason::Choice(other.into()))),
        };
        let value = integer::decimal(&moved.to_uint());
        Ok(Self { value })
    }
}

/// The inputs of this view, as typed: moduli and residues.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RiddleInput {
    moduli: String,
    residues: String,
}

/// One modulus in the Chinese remainder theorem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// `m_i`.
    pub modulus: String,
    /// `x_i`.
    pub residue: String,
    /// `M/m_i`.
    pub cofactor: String,
    /// `|(M/m_i)^-1|` modulo `m_i`.
    pub inverse: String,
    /// `xh_i`, their product modulo `m_i`.
    pub digit: String,
    /// `xh_i M/m_i`.
    pub term: String,
}

/// The number with given residues, by the Chinese remainder theorem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Riddle {
    /// The terms, one for each modulus.
    pub terms: Vec<Term>,
    /// Their sum.
    pub sum: String,
    /// The rank: the number of times that `M` must be subtracted from the sum.
    pub rank: String,
    /// `M`.
    pub range: String,
    /// The number from 0 to `M - 1`.
    pub number: String,
    /// The result, in a sentence.
    pub summary: String,
}

impl Riddle {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] for moduli that do not form a base, and for residues that are not below them.
    pub fn new(input: &RiddleInput) -> Result<Self, Refusal> {
        let base = input::base(&input.moduli, MAX_MODULI).map_err(Refusal::of("riddleModuli"))?;
        let residues = input::list(&input.residues, MAX_MODULI).map_err(Refusal::of("residues"))?;
        let x = sunzi_rns::Residues::new(&base, residues).map_err(Refusal::of("residues"))?;
        let digits = x.crt_digits(&Plain);
        let mut sum = BoxedUint::zero();
        let mut terms = Vec::new();
        for (i, m) in base.moduli().iter().enumerate() {
            let cofactor = base.cofactor(i);
            let term = integer::mul(&cofactor, &BoxedUint::from(digits[i]));
            sum = integer::add(&sum, &term);
            terms.push(Term {
                modulus: m.value().to_string(),
                residue: x.values()[i].to_string(),
                cofactor: integer::decimal(&cofactor),
                inverse: base.cofactor_inverses()[i].to_string(),
                digit: digits[i].to_string(),
                term: integer::decimal(&term),
            });
        }
        let number = x.to_uint();
        let excess = integer::sub(&sum, &number).unwrap_or_default();
        let rank = integer::div_rem(&excess, base.product())
            .unwrap_or_default()
            .0;
        let counted = x.values().iter().zip(base.moduli());
        let counted: Vec<String> = counted
            .map(|(x, m)| format!("by {}s {x}", m.value()))
            .collect();
        Ok(Self {
            terms,
            sum: integer::decimal(&sum),
            rank: integer::decimal(&rank),
            range: integer::decimal(base.product()),
            summary: format!(
                "Counted {} remain: the number is {}, or one that differs from it by a multiple of {}.",
                counted.join(", "),
                integer::decimal(&number),
                integer::decimal(base.product())
            ),
            number: integer::decimal(&number),
        })
    }
}
