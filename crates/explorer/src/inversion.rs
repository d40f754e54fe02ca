//! A plus-minus inversion in residues, step by step, beside its rivals: BTMI, BMI, and Fermat's theorem.

use crate::input::{self, Reason, Refusal};
use crate::integer;
use crypto_bigint::BoxedUint;
use serde::{Deserialize, Serialize};
use sunzi_field::InversionError;
use sunzi_field::inversion::trace::{self, Operation, Trace};
use sunzi_field::inversion::{self, BinaryInversion, BinaryTernaryInversion};
use sunzi_field::montgomery::{self, Montgomery};
use sunzi_rns::{Base, Channel, Counting, Counts, Plain, Residues};

/// The largest `P`, in bits.
const MAX_BITS: u32 = 256;

/// The largest number of moduli of a base.
const MAX_MODULI: usize = 8;

/// The widths that are tried for a base that is not given, in bits.
const WIDTHS: [u32; 6] = [8, 12, 16, 24, 32, 62];

/// The inputs of this view, as typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct InversionInput {
    /// `btmi` or `bmi`.
    algorithm: String,
    p: String,
    a: String,
    base: String,
}

/// The state after a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// `start`, `divide` or `combine`.
    pub kind: &'static str,
    /// The operation in symbols.
    pub operation: String,
    /// The decision and its reason, in words.
    pub text: String,
    /// `V3`.
    pub v3: String,
    /// `U3`.
    pub u3: String,
    /// `V1`, with `V1 A = V3` modulo `P`.
    pub v1: String,
    /// `U1`, with `U1 A = U3` modulo `P`.
    pub u1: String,
    /// `V3` and `U3` modulo 4.
    pub modulo4: [u32; 2],
    /// `V3` and `U3` modulo 3; empty for BMI, which does not read them.
    pub modulo3: Vec<u32>,
    /// `v` and `u`, the bits divided away.
    pub bits: [f64; 2],
    /// The sizes of `V3` and `U3` in bits, for drawing.
    pub sizes: [u32; 2],
}

/// The cost of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// The algorithm.
    pub name: &'static str,
    /// The moduli of one base, or of two, with their width.
    pub channels: String,
    /// Runs of the outer loop; for Fermat's theorem empty.
    pub outer: String,
    /// Runs of the inner loop; for Fermat's theorem empty.
    pub inner: String,
    /// Products of a channel.
    pub products: String,
    /// Additions of a channel.
    pub additions: String,
    /// The reason why there is no cost; empty if there is one.
    pub refused: String,
}

/// An inversion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inversion {
    /// `P`.
    pub p: String,
    /// The size of `P`, in bits: what `u + v` may reach, twice.
    pub limit: u32,
    /// `A`.
    pub a: String,
    /// The moduli.
    pub base: Vec<String>,
    /// The bits that the Cox keeps of each digit.
    pub kept: u32,
    /// The steps.
    pub steps: Vec<Step>,
    /// `A^-1 mod P`; empty if there is none.
    pub result: String,
    /// Whether `A` times the result is 1 modulo `P`, by plain integers; `null` if there is no inverse.
    pub confirmed: Option<bool>,
    /// The costs of BTMI, BMI and Fermat's theorem for this `A`.
    pub costs: Vec<Cost>,
    /// The result, in a sentence or two.
    pub summary: String,
}

/// One of the plus-minus algorithms.
enum Algorithm {
    Ternary(BinaryTernaryInversion),
    Binary(BinaryInversion),
}

impl Algorithm {
    fn new(name: &str, base: &Base, p: &BoxedUint) -> Option<Result<Self, InversionError>> {
        match name {
            "btmi" => Some(BinaryTernaryInversion::new(base, p).map(Self::Ternary)),
            "bmi" => Some(BinaryInversion::new(base, p).map(Self::Binary)),
            _ => None,
        }
    }

    fn kept_bits(&self) -> u32 {
        match self {
            Self::Ternary(inversion) => inversion.kept_bits(),
            Self::Binary(inversion) => inversion.kept_bits(),
        }
    }

    fn trace(&self, channel: &impl Channel, a: &Residues) -> Result<Trace, InversionError> {
        match self {
            Self::Ternary(inversion) => inversion.trace_vartime(channel, a),
            Self::Binary(inversion) => inversion.trace_vartime(channel, a),
        }
    }
}

impl Inversion {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] with the condition that `P`, the base or `A` violate.
    pub fn new(input: &InversionInput) -> Result<Self, Refusal> {
        let p = input::number(&input.p, &[]).map_err(Refusal::of("p"))?;
        if p.bits_vartime() > MAX_BITS {
            return Err(Refusal::new("p", Reason::Large { most: MAX_BITS }));
        }
        let ternary = input.algorithm == "btmi";
        let (base, algorithm) = match input.base.trim() {
            "" => found(&input.algorithm, &p)?,
            text => {
                let base = input::base(text, MAX_MODULI).map_err(Refusal::of("base"))?;
                let algorithm = algorithm(&input.algorithm, &base, &p)?;
                (base, algorithm)
            }
        };
        let a = input::number(&input.a, &[("P", &p)]).map_err(Refusal::of("a"))?;
        if a >= p {
            let limit = format!("P = {}", integer::decimal(&p));
            return Err(Refusal::new("a", Reason::NotBelow { what: "A", limit }));
        }
        let residues = Residues::reduced(&base, &a);
        let trace = algorithm
            .trace(&Plain, &residues)
            .map_err(Refusal::of("a"))?;
        let steps = steps(&trace, &p, ternary);
        let result = trace.result.as_ref().ok().map(|inverse| {
            let quotient = integer::div_rem(&inverse.value.to_uint(), &p);
            quotient.unwrap_or_default().1
        });
        let confirmed = result.as_ref().map(|inverse| {
            let product = integer::div_rem(&integer::mul(inverse, &a), &p);
            product.unwrap_or_default().1 == BoxedUint::one()
        });
        let costs = costs(&base, &p, &a);
        let limit = p.bits_vartime();
        Ok(Self {
            summary: summary(&trace, result.as_ref(), &costs, limit),
            p: integer::decimal(&p),
            limit,
            a: integer::decimal(&a),
            base: (base.moduli().iter())
                .map(|m| m.value().to_string())
                .collect(),
            kept: algorithm.kept_bits(),
            steps,
            result: result.as_ref().map_or_else(String::new, integer::decimal),
            confirmed,
            costs,
        })
    }
}

/// The algorithm of this name; a refusal says which input is to blame.
fn algorithm(name: &str, base: &Base, p: &BoxedUint) -> Result<Algorithm, Refusal> {
    let algorithm = Algorithm::new(name, base, p)
        .ok_or_else(|| Refusal::new("algorithm", Reason::Choice(name.into())))?;
    algorithm.map_err(|error| {
        let culprit = match error {
            InversionError::Prime { .. } => "p",
            _ => "base",
        };
        Refusal::new(culprit, error)
    })
}

/// A base of at most eight moduli, as narrow as possible: the first of a width for which Fermat's theorem has bases, too,
/// or else the first of all.
fn found(name: &str, p: &BoxedUint) -> Result<(Base, Algorithm), Refusal> {
    let mut first = None;
    for width in WIDTHS {
        let base = inversion::base(p, width).map_err(Refusal::of("p"));
        let found = base.and_then(|base| {
            let (given, most) = (base.len(), MAX_MODULI);
            if given > most {
                return Err(Refusal::new("p", Reason::ManyModuli { given, most }));
            }
            let algorithm = algorithm(name, &base, p).map_err(|refusal| match refusal.input {
                "base" => Refusal::new("p", refusal.reason),
                _ => refusal,
            })?;
            Ok((base, algorithm))
        });
        if found.is_ok() && montgomery::bases(p, width, 1).is_ok() {
            return found;
        }
        if !matches!(first, Some(Ok(_))) {
            first = Some(found);
        }
    }
    first.unwrap_or_else(|| Err(Refusal::new("p", Reason::NoBases)))
}

/// An integer as a sign and a magnitude.
struct Signed {
    negative: bool,
    magnitude: BoxedUint,
}

impl Signed {
    /// The integer with these residues of `X + P`.
    fn new(x: &Residues, p: &BoxedUint) -> Self {
        let x = x.to_uint();
        match integer::sub(&x, p) {
            Some(magnitude) => Self {
                negative: false,
                magnitude,
            },
            None => Self {
                negative: true,
                magnitude: integer::sub(p, &x).unwrap_or_default(),
            },
        }
    }

    fn text(&self) -> String {
        let sign = if self.negative { "\u{2212}" } else { "" };
        format!("{sign}{}", integer::decimal(&self.magnitude))
    }
}

fn steps(trace: &Trace, p: &BoxedUint, ternary: bool) -> Vec<Step> {
    let mut before: Option<&trace::Step> = None;
    let steps = trace.steps.iter().map(|step| {
        let signed = |x: &Residues| Signed::new(x, p);
        let [v3, u3] = step.remainders.each_ref().map(signed);
        let [v1, u1] = step.cofactors.each_ref().map(signed);
        let (kind, operation) = operation(step.operation);
        let text = reason(step, before, ternary);
        before = Some(step);
        Step {
            kind,
            operation,
            text,
            sizes: [&v3, &u3].map(|x| x.magnitude.bits_vartime()),
            v3: v3.text(),
            u3: u3.text(),
            v1: v1.text(),
            u1: u1.text(),
            modulo4: step.small.map(|x| x % 4),
            modulo3: if ternary {
                step.small.map(|x| x % 3).into()
            } else {
                Vec::new()
            },
            bits: step.half_bits.map(|half| f64::from(half) / 2.0),
        }
    });
    steps.collect()
}

/// The kind of an operation, and the operation in symbols.
fn operation(operation: Operation) -> (&'static str, String) {
    match operation {
        Operation::Start => ("start", "V3 = A, U3 = P".into()),
        Operation::Divide { divisor } => ("divide", format!("V3 / {divisor}")),
        Operation::Combine {
            sum,
            divisor,
            replaced,
        } => {
            let sign = if sum { "+" } else { "\u{2212}" };
            let replaced = if replaced { ", U3 = old V3" } else { "" };
            ("combine", format!("(V3 {sign} U3) / {divisor}{replaced}"))
        }
    }
}

/// The decision that leads to a step, with the residues that decide it.
fn reason(step: &trace::Step, before: Option<&trace::Step>, ternary: bool) -> String {
    let Some(before) = before else {
        return "V3 is A and U3 is P. V1 = 1 and U1 = 0: V1 A = V3 and U1 A = U3 modulo P, now and after every step.".into();
    };
    let [v, u] = before.small;
    match step.operation {
        Operation::Start => String::new(),
        Operation::Divide { divisor } => {
            let three = if ternary {
                format!(" and {} modulo 3", v % 3)
            } else {
                String::new()
            };
            format!(
                "V3 is {} modulo 4{three}, so it is a multiple of {divisor}. V3 and V1 are divided by {divisor}.",
                v % 4
            )
        }
        Operation::Combine {
            sum,
            divisor,
            replaced,
        } => {
            let modulus = if ternary { 3 } else { 4 };
            let what = if sum { "sum" } else { "difference" };
            let by_four = match (ternary, divisor) {
                (false, _) => "",
                (true, 12) => ", here of 4, too, so of 12",
                (true, _) => ", and of 2, since both are odd, so of 6",
            };
            let replaced = if replaced {
                "U takes the old V, as more bits had been divided from V."
            } else {
                "U stays."
            };
            format!(
                "V3 is {} and U3 is {} modulo {modulus}: their {what} is a multiple of {modulus}{by_four}. It becomes V3. {replaced}",
                v % modulus,
                u % modulus,
            )
        }
    }
}

/// The costs of the algorithms for this operand.
fn costs(base: &Base, p: &BoxedUint, a: &BoxedUint) -> Vec<Cost> {
    let one_base = |name: &'static str, algorithm: &str| {
        let found = Algorithm::new(algorithm, base, p);
        let counted = found.map(|algorithm| {
            let channel = Counting::default();
            let trace = algorithm?.trace(&channel, &Residues::reduced(base, a))?;
            let inverse = trace.result?;
            let loops = [inverse.outer_loops, inverse.inner_loops].map(|loops| loops.to_string());
            Ok::<_, InversionError>((loops, channel.take()))
        });
        match counted {
            Some(Ok((loops, counts))) => {
                let channels = format!("{} of {} bits", base.len(), base.width());
                Cost::new(name, channels, loops, counts)
            }
            Some(Err(error)) => Cost::refused(name, error.to_string()),
            None => Cost::refused(name, String::new()),
        }
    };
    vec![
        one_base("BTMI", "btmi"),
        one_base("BMI", "bmi"),
        fermat(base.width(), p, a),
    ]
}

/// The cost of Fermat's theorem with two bases of this width, or of the next larger one that has enough moduli.
fn fermat(width: u32, p: &BoxedUint, a: &BoxedUint) -> Cost {
    let name = "Fermat\u{2019}s theorem";
    let widths = [width]
        .into_iter()
        .chain(WIDTHS.into_iter().filter(|&wider| wider > width));
    let mut reason = String::new();
    let field = widths.into_iter().find_map(|width| {
        let field = montgomery::bases(p, width, 1)
            .and_then(|(first, second)| Montgomery::kawamura(p, &first, &second));
        field.map_err(|error| reason = error.to_string()).ok()
    });
    let Some(field) = field else {
        return Cost::refused(name, reason);
    };
    let channel = Counting::default();
    let element = field.element(&channel, a);
    match field.invert(&channel, &element) {
        Ok(_) => {
            let (first, second) = (field.base_a(), field.base_b());
            let channels = format!(
                "{} + {} of {} bits",
                first.len(),
                second.len(),
                first.width()
            );
            Cost::new(
                name,
                channels,
                [String::new(), String::new()],
                channel.take(),
            )
        }
        Err(error) => Cost::refused(name, format!("{error}; and P must be a prime")),
    }
}

impl Cost {
    fn new(
        name: &'static str,
        channels: String,
        [outer, inner]: [String; 2],
        counts: Counts,
    ) -> Self {
        Self {
            name,
            channels,
            outer,
            inner,
            products: (counts.emm + counts.cmm).to_string(),
            additions: counts.ema.to_string(),
            refused: String::new(),
        }
    }

    fn refused(name: &'static str, refused: String) -> Self {
        Self {
            name,
            channels: String::new(),
            outer: String::new(),
            inner: String::new(),
            products: String::new(),
            additions: String::new(),
            refused,
        }
    }
}

fn summary(trace: &Trace, result: Option<&BoxedUint>, costs: &[Cost], limit: u32) -> String {
    let steps = trace.steps.len() - 1;
    let Some(result) = result else {
        return format!(
            "A has no inverse: after {steps} steps u + v has reached {}, twice the bits of P, and that proves a common \
             factor of A and P. The published algorithm would run forever.",
            2 * limit
        );
    };
    let products: Vec<String> = (costs.iter())
        .filter(|cost| cost.refused.is_empty())
        .map(|cost| format!("{} takes {}", cost.name, cost.products))
        .collect();
    format!(
        "A\u{207b}\u{b9} = {} modulo P, after {steps} steps. Of products of channels {}.",
        integer::decimal(result),
        products.join(", ")
    )
}
