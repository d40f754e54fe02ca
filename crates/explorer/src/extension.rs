//! A base extension: the digits, the Cox sum that finds the rank, and the matrix.
//!
//! The moduli of the source stand in rows of `c`; Kawamura's extension is the case `c = 1`. The view also shows the
//! result if the conditions of exactness are violated, which `sunzi-rns` refuses. So it goes through the steps itself,
//! in the channels of `sunzi-rns`, and compares the result with the library's if the library accepts the parameters.

use crate::input::{self, Reason, Refusal};
use crate::integer;
use crypto_bigint::BoxedUint;
use serde::{Deserialize, Serialize};
use sunzi_rns::extend::hierarchical::Hierarchical;
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{Base, BaseExtension, ExtensionError, Fixed, Modulus, Plain, Residues};

/// The largest number of moduli of a base.
const MAX_MODULI: usize = 8;

/// The largest number of bits that are kept of a row here.
const MAX_KEPT: u32 = 60;

/// The inputs of this view, as typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ExtensionInput {
    source: String,
    target: String,
    x: String,
    /// Number of moduli in a row.
    columns: String,
    /// `0`, `1/4`, `1/2` or `3/4`.
    sigma: String,
    /// Number of kept bits; empty for the smallest sufficient number.
    kept: String,
}

/// One digit of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Digit {
    /// `a_i`.
    pub modulus: String,
    /// `x_i`.
    pub residue: String,
    /// `|(A/a_i)^-1|` modulo `a_i`.
    pub inverse: String,
    /// `xh_i`, their product modulo `a_i`.
    pub digit: String,
}

/// One step of the Cox: a row of digits is added to the running sum.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoxStep {
    /// The moduli of the row.
    pub moduli: String,
    /// `Xh_i`, the contribution of the row, before truncation.
    pub value: String,
    /// The truncated `Xh_i / 2^(c w)`, as a fraction.
    pub added: String,
    /// The same, for drawing.
    pub added_length: f64,
    /// The true contribution `Xh_i / A_i`, for drawing.
    pub true_length: f64,
    /// The running sum afterwards, before its integer part is removed, as a fraction.
    pub sum: String,
    /// `h_i`, the integer part.
    pub carry: u128,
}

/// One channel of the target: a row of the matrix at work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Channel {
    /// `b`.
    pub modulus: String,
    /// `|A/A_i|_b` for each row of the source.
    pub weights: Vec<String>,
    /// `|Xh_i|_b |A/A_i|_b`, reduced, for each row.
    pub products: Vec<String>,
    /// `|-h A|_b`.
    pub correction: String,
    /// The result.
    pub result: String,
    /// `|X|_b`.
    pub expected: String,
    /// Whether they are equal.
    pub right: bool,
}

/// The outcome of the extension of `X`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The residues of `X`.
    Exact,
    /// The residues of `X + e A` with the allowed `e = 1`.
    Allowed,
    /// Neither.
    Wrong,
}

/// A base extension, step by step.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extension {
    /// `X`.
    pub x: String,
    /// `A`.
    pub range: String,
    /// `w`, in bits.
    pub width: u32,
    /// `c`, the number of moduli in a row.
    pub columns: usize,
    /// `t`, the number of kept bits.
    pub kept: u32,
    /// `sigma`.
    pub sigma: String,
    /// `sigma`, for drawing.
    pub sigma_length: f64,
    /// The digits.
    pub digits: Vec<Digit>,
    /// The Cox sum.
    pub steps: Vec<CoxStep>,
    /// `h` according to the Cox.
    pub rank: String,
    /// The true `h`.
    pub true_rank: String,
    /// `X / A`, for drawing.
    pub position: f64,
    /// The target's channels.
    pub channels: Vec<Channel>,
    /// The violated condition of exactness, in the library's words; empty if none is violated.
    pub refused: String,
    /// Whether the library's own extension returns the same residues; `None` if it refuses the
    /// parameters, or `X` is outside the range of inputs.
    pub confirmed: Option<bool>,
    /// The outcome of the extension of `X`.
    pub outcome: Outcome,
    /// The result, in a sentence or two.
    pub summary: String,
}

/// The parameters, accepted by the library or not.
struct Parameters {
    kept: u32,
    /// The result of the library, if it accepts the parameters and `X` is in the range of inputs.
    library: Option<Residues>,
    /// The violated condition.
    refused: Option<ExtensionError>,
}

impl Extension {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] for moduli that do not form a base, `X >= A`, and parameters that make no sense. Parameters with
    /// which the extension is not exact are shown, and `refused` states the reason.
    pub fn new(input: &ExtensionInput) -> Result<Self, Refusal> {
        let source = input::base(&input.source, MAX_MODULI).map_err(Refusal::of("source"))?;
        let target = input::base(&input.target, MAX_MODULI).map_err(Refusal::of("target"))?;
        let names = [("A", source.product())];
        let number = input::number(&input.x, &names).map_err(Refusal::of("x"))?;
        let x = Residues::from_uint(&source, &number).map_err(Refusal::of("x"))?;
        let columns = input::small(&input.columns, 1, 8).map_err(Refusal::of("columns"))? as usize;
        let quarters = match input.sigma.as_str() {
            "0" => 0,
            "1/4" => 1,
            "1/2" => 2,
            "3/4" => 3,
            other => return Err(Refusal::new("sigma", Reason::Choice(other.into()))),
        };
        let sigma = Fixed::ratio_up(quarters, 4).unwrap_or_default();
        let kept = match input.kept.trim() {
            "" => None,
            text => Some(input::small(text, 1, MAX_KEPT).map_err(Refusal::of("kept"))?),
        };
        if !source.len().is_multiple_of(columns) {
            let moduli = source.len();
            let grid = ExtensionError::Grid { columns, moduli };
            return Err(Refusal::new("columns", grid));
        }
        let parameters = if columns == 1 {
            kawamura(&x, &target, kept, sigma, &number)
        } else {
            hierarchical(&x, &target, columns, kept, sigma, &number)
        }?;
        Ok(Self::steps(
            &number, &x, &target, columns, quarters, parameters,
        ))
    }

    fn steps(
        number: &BoxedUint,
        x: &Residues,
        target: &Base,
        columns: usize,
        quarters: u128,
        parameters: Parameters,
    ) -> Self {
        let source = x.base();
        let kept = parameters.kept;
        let rows = Row::all(x, columns);
        let (steps, rank) = cox(&rows, source.width() * columns as u32, kept, quarters);
        let channels = target
            .moduli()
            .iter()
            .map(|b| channel(b, &rows, source, rank, number))
            .collect::<Vec<_>>();
        let with_excess = integer::add(number, source.product());
        let equals = |value: &BoxedUint| {
            let residues = Residues::reduced(target, value);
            let mut pairs = residues.values().iter().zip(&channels);
            pairs.all(|(r, c)| r.to_string() == c.result)
        };
        let outcome = if equals(number) {
            Outcome::Exact
        } else if quarters == 0 && equals(&with_excess) {
            Outcome::Allowed
        } else {
            Outcome::Wrong
        };
        let confirmed = parameters.library.map(|library| {
            let mut pairs = library.values().iter().zip(&channels);
            pairs.all(|(r, c)| r.to_string() == c.result)
        });
        let total = rows.iter().fold(BoxedUint::zero(), |sum, row| {
            integer::add(&sum, &integer::mul(&row.value, &row.cofactor))
        });
        let excess = integer::sub(&total, number).unwrap_or_default();
        let true_rank = integer::div_rem(&excess, source.product())
            .unwrap_or_default()
            .0;
        let true_rank = integer::decimal(&true_rank);
        let refused = parameters
            .refused
            .map_or_else(String::new, |e| e.to_string());
        let summary = summary(
            outcome, rank, &true_rank, &refused, number, source, quarters,
        );
        let digits = x.crt_digits(&Plain);
        let digit = |(i, m): (usize, &Modulus)| Digit {
            modulus: m.value().to_string(),
            residue: x.values()[i].to_string(),
            inverse: source.cofactor_inverses()[i].to_string(),
            digit: digits[i].to_string(),
        };
        Self {
            x: integer::decimal(number),
            range: integer::decimal(source.product()),
            width: source.width(),
            columns,
            kept,
            sigma: fraction(quarters, 2),
            sigma_length: quarters as f64 / 4.0,
            digits: source.moduli().iter().enumerate().map(digit).collect(),
            steps,
            rank: rank.to_string(),
            true_rank,
            position: integer::ratio(number, source.product()),
            channels,
            refused,
            confirmed,
            outcome,
            summary,
        }
    }
}

/// The parameters of Kawamura's extension.
fn kawamura(
    x: &Residues,
    target: &Base,
    kept: Option<u32>,
    sigma: Fixed,
    number: &BoxedUint,
) -> Result<Parameters, Refusal> {
    let source = x.base();
    let made = match kept {
        Some(kept) => Kawamura::new(source, target, kept, sigma),
        None => Kawamura::with_fewest_bits(source, target, sigma),
    };
    let most = source.width().min(MAX_KEPT);
    let chosen = |extension: &Kawamura| extension.cox().kept_bits();
    parameters(made, chosen, x, kept.unwrap_or(most), number)
}

/// The parameters of a hierarchical extension.
fn hierarchical(
    x: &Residues,
    target: &Base,
    columns: usize,
    kept: Option<u32>,
    sigma: Fixed,
    number: &BoxedUint,
) -> Result<Parameters, Refusal> {
    let source = x.base();
    let made = match kept {
        Some(kept) => Hierarchical::new(source, target, columns, kept, sigma),
        None => Hierarchical::with_fewest_bits(source, target, columns, sigma),
    };
    let most = (source.width() * columns as u32).min(MAX_KEPT);
    parameters(
        made,
        Hierarchical::kept_bits,
        x,
        kept.unwrap_or(most),
        number,
    )
}

fn parameters<E: BaseExtension>(
    made: Result<E, ExtensionError>,
    chosen: impl Fn(&E) -> u32,
    x: &Residues,
    kept: u32,
    number: &BoxedUint,
) -> Result<Parameters, Refusal> {
    match made {
        Ok(extension) => Ok(Parameters {
            kept: chosen(&extension),
            library: (number < extension.input_bound()).then(|| extension.extend(x)),
            refused: None,
        }),
        Err(error @ ExtensionError::Inexact { .. }) => Ok(Parameters {
            kept,
            library: None,
            refused: Some(error),
        }),
        Err(error @ ExtensionError::KeptBits { .. }) => Err(Refusal::new("kept", error)),
        Err(error) => Err(Refusal::new("source", error)),
    }
}

/// A row of `c` moduli of the source.
struct Row {
    moduli: Vec<u128>,
    /// `A_i`.
    product: BoxedUint,
    /// `A/A_i`.
    cofactor: BoxedUint,
    /// `Xh_i = sum_j xh_ij A_i/a_ij`.
    value: BoxedUint,
}

impl Row {
    fn all(x: &Residues, columns: usize) -> Vec<Self> {
        let values: Vec<u128> = x.base().moduli().iter().map(Modulus::value).collect();
        let digits = x.crt_digits(&Plain);
        let rows = values.chunks(columns).zip(digits.chunks(columns));
        rows.map(|(moduli, digits)| {
            let product = product(moduli);
            let quotient =
                |x: &BoxedUint, y: &BoxedUint| integer::div_rem(x, y).unwrap_or_default().0;
            let terms = moduli.iter().zip(digits).map(|(&m, &digit)| {
                let cofactor = quotient(&product, &BoxedUint::from(m));
                integer::mul(&cofactor, &BoxedUint::from(digit))
            });
            Self {
                moduli: moduli.to_vec(),
                value: terms.fold(BoxedUint::zero(), |sum, term| integer::add(&sum, &term)),
                cofactor: quotient(x.base().product(), &product),
                product,
            }
        })
        .collect()
    }
}

fn product(factors: &[u128]) -> BoxedUint {
    let factors = factors.iter().map(|&factor| BoxedUint::from(factor));
    factors.fold(BoxedUint::one(), |product, factor| {
        integer::mul(&product, &factor)
    })
}

/// The steps of the Cox, and the rank: `t` bits after the binary point are kept of each
/// `Xh_i / 2^row_width`, and the sum starts at `quarters / 4`.
fn cox(rows: &[Row], row_width: u32, kept: u32, quarters: u128) -> (Vec<CoxStep>, u128) {
    let bits = kept.max(2);
    let mut sum = quarters << (bits - 2);
    let mut rank = 0;
    let mut steps = Vec::new();
    for row in rows {
        // Xh_i < c 2^row_width, so that at most t bits and those of c are left.
        let top = integer::to_u128(&integer::shr(&row.value, row_width - kept)).unwrap_or(0);
        let added = top << (bits - kept);
        let total = sum + added;
        let carry = total >> bits;
        steps.push(CoxStep {
            moduli: join(&row.moduli),
            value: integer::decimal(&row.value),
            added: fraction(added, bits),
            added_length: added as f64 / (1u128 << bits) as f64,
            true_length: integer::ratio(&row.value, &row.product),
            sum: fraction(total, bits),
            carry,
        });
        sum = total - (carry << bits);
        rank += carry;
    }
    (steps, rank)
}

/// The channel `b` of the target.
fn channel(b: &Modulus, rows: &[Row], source: &Base, rank: u128, number: &BoxedUint) -> Channel {
    let weights: Vec<u128> = rows
        .iter()
        .map(|row| b.reduce_uint(&row.cofactor))
        .collect();
    let products: Vec<u128> = (rows.iter().zip(&weights))
        .map(|(row, &weight)| b.mul(b.reduce_uint(&row.value), weight))
        .collect();
    let correction = b.neg(b.mul(b.reduce(rank), source.product_mod(b)));
    let result = products
        .iter()
        .fold(correction, |sum, &term| b.add(sum, term));
    let expected = b.reduce_uint(number);
    let texts = |values: &[u128]| values.iter().map(u128::to_string).collect();
    Channel {
        modulus: b.value().to_string(),
        weights: texts(&weights),
        products: texts(&products),
        correction: correction.to_string(),
        result: result.to_string(),
        expected: expected.to_string(),
        right: result == expected,
    }
}

fn summary(
    outcome: Outcome,
    rank: u128,
    true_rank: &str,
    refused: &str,
    number: &BoxedUint,
    source: &Base,
    quarters: u128,
) -> String {
    let inside = integer::mul(number, &BoxedUint::from(4u64))
        < integer::mul(source.product(), &BoxedUint::from((4 - quarters) as u64));
    let found = format!("The Cox finds h = {rank}");
    let what = match outcome {
        Outcome::Exact => format!("{found}, which is right: the new residues are those of X."),
        Outcome::Allowed => format!(
            "{found}, one less than the true {true_rank}: the new residues are those of X + A, which \
             an extension with \u{3c3} = 0 may return."
        ),
        Outcome::Wrong => {
            format!("{found}, but the true rank is {true_rank}: the new residues are wrong.")
        }
    };
    let condition = match (refused.is_empty(), inside) {
        (false, _) => " The library refuses these parameters; this is what it prevents.",
        (true, false) => {
            " This X is not below (1 \u{2212} \u{3c3}) A, the numbers that this extension is for."
        }
        (true, true) => "",
    };
    what + condition
}

/// `units / 2^bits` in lowest terms.
fn fraction(units: u128, bits: u32) -> String {
    let shift = units.trailing_zeros().min(bits);
    match (units >> shift, bits - shift) {
        (units, 0) => units.to_string(),
        (units, bits) if bits <= 10 => format!("{units}/{}", 1u32 << bits),
        (units, bits) => format!("{units}/2^{bits}"),
    }
}

fn join(values: &[u128]) -> String {
    let values: Vec<String> = values.iter().map(u128::to_string).collect();
    values.join(" \u{d7} ")
}
