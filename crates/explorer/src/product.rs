//! A Montgomery product in residues, step by step, as in `sunzi_field::montgomery`.

use crate::input::{self, Reason, Refusal};
use crate::integer;
use crypto_bigint::BoxedUint;
use serde::{Deserialize, Serialize};
use sunzi_field::MontgomeryError;
use sunzi_field::montgomery::{self, Element, Montgomery};
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{Base, BaseExtension, Channel, Fixed, Plain, Residues};

/// The largest number of moduli of a base.
const MAX_MODULI: usize = 8;

/// The widths that are tried for bases that are not given, in bits.
const WIDTHS: [u32; 8] = [5, 6, 8, 12, 16, 24, 32, 62];

/// The inputs of this view, as typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ProductInput {
    p: String,
    a: String,
    b: String,
    x: String,
    y: String,
    /// `on` if the first extension shall always return `Q + A`, as its contract allows.
    excess: String,
}

/// A quantity with its residues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The step, from 0, in which it appears.
    pub step: usize,
    /// Its symbol.
    pub name: &'static str,
    /// Its residues in A; empty if they are not needed.
    pub a: Vec<String>,
    /// Its residues in B; empty if they are not needed.
    pub b: Vec<String>,
    /// The integer that the residues stand for.
    pub integer: String,
    /// Whether it is a constant of P and the bases.
    pub constant: bool,
}

/// A step, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The operation of the step.
    pub title: &'static str,
    /// The bases of the step: `A`, `B`, `A and B`, `A to B` or `B to A`.
    pub place: &'static str,
    /// The reason for the step, with the numbers.
    pub text: String,
}

/// A Montgomery product.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    /// The moduli of A.
    pub a: Vec<String>,
    /// The moduli of B.
    pub b: Vec<String>,
    /// `P`.
    pub p: String,
    /// The product of A's moduli.
    pub range_a: String,
    /// The product of B's moduli.
    pub range_b: String,
    /// The steps.
    pub steps: Vec<Step>,
    /// The quantities, in the order of the steps.
    pub rows: Vec<Row>,
    /// `S`.
    pub result: String,
    /// `S mod P`.
    pub reduced: String,
    /// `floor(S / P)`: 0, 1 or 2.
    pub delta: String,
    /// `S / (3 P)`, for drawing.
    pub position: f64,
    /// Whether the library's own product has the same residues.
    pub confirmed: bool,
    /// The result, in a sentence.
    pub summary: String,
}

/// An extension for the product.
#[derive(Clone, Debug)]
enum Extension {
    /// Kawamura's extension.
    Cox(Kawamura),
    /// An extension that always returns `Q + A`, as the product allows for its first extension.
    Generous { source: Base, target: Base },
}

impl BaseExtension for Extension {
    fn source(&self) -> &Base {
        match self {
            Self::Cox(extension) => extension.source(),
            Self::Generous { source, .. } => source,
        }
    }

    fn target(&self) -> &Base {
        match self {
            Self::Cox(extension) => extension.target(),
            Self::Generous { target, .. } => target,
        }
    }

    fn input_bound(&self) -> &BoxedUint {
        match self {
            Self::Cox(extension) => extension.input_bound(),
            Self::Generous { source, .. } => source.product(),
        }
    }

    fn max_excess(&self) -> u32 {
        match self {
            Self::Cox(extension) => extension.max_excess(),
            Self::Generous { .. } => 1,
        }
    }

    fn extend_on(&self, channel: &impl Channel, x: &Residues) -> Residues {
        match self {
            Self::Cox(extension) => extension.extend_on(channel, x),
            Self::Generous { source, target } => {
                Residues::reduced(target, &integer::add(&x.to_uint(), source.product()))
            }
        }
    }
}

/// The parameters of a product.
struct Setting {
    p: BoxedUint,
    a_to_b: Extension,
    b_to_a: Extension,
    field: Montgomery<Extension>,
    /// `|-P^-1|_A`.
    minus_p_inverse: Residues,
    /// `|A^-1|_B`.
    a_inverse: Residues,
}

impl Setting {
    fn new(input: &ProductInput) -> Result<Self, Refusal> {
        let p = input::number(&input.p, &[]).map_err(Refusal::of("p"))?;
        let (a, b) = bases(&p, &input.a, &input.b)?;
        let a_to_b = if input.excess == "on" {
            let (source, target) = (a.clone(), b.clone());
            Extension::Generous { source, target }
        } else {
            let extension = Kawamura::with_fewest_bits(&a, &b, Fixed::ZERO);
            Extension::Cox(extension.map_err(Refusal::of("a"))?)
        };
        let b_to_a = Kawamura::with_fewest_bits(&b, &a, Fixed::HALF);
        let b_to_a = Extension::Cox(b_to_a.map_err(Refusal::of("b"))?);
        let field = Montgomery::new(&p, a_to_b.clone(), b_to_a.clone()).map_err(|error| {
            let culprit = match error {
                MontgomeryError::RangeOfA { .. } => "a",
                MontgomeryError::NotCoprime {
                    other: "base A", ..
                }
                | MontgomeryError::RangeOfB { .. } => "b",
                _ => "p",
            };
            Refusal::new(culprit, error)
        })?;
        let inverse = |x: &Residues, name| x.invert_vartime().map_err(Refusal::of(name));
        Ok(Self {
            minus_p_inverse: inverse(&-&Residues::reduced(&a, &p), "p")?,
            a_inverse: inverse(&Residues::reduced(&b, a.product()), "b")?,
            p,
            a_to_b,
            b_to_a,
            field,
        })
    }

    /// A factor with its residues, and the library's element of it.
    fn factor(&self, name: &'static str, text: &str) -> Result<Factor, Refusal> {
        let (a, b) = (self.field.base_a(), self.field.base_b());
        let names = [("P", &self.p), ("A", a.product()), ("B", b.product())];
        let value = input::number(text, &names).map_err(Refusal::of(name))?;
        let limit = self.field.limit();
        let bound = integer::mul(&self.p, &BoxedUint::from(limit));
        if value >= bound {
            let what = if name == "x" { "X" } else { "Y" };
            let limit = format!("{limit} P = {}", integer::decimal(&bound));
            return Err(Refusal::new(name, Reason::NotBelow { what, limit }));
        }
        // X < (floor(X / P) + 1) P.
        let multiple = integer::div_rem(&value, &self.p).unwrap_or_default().0;
        let bound = integer::to_u128(&multiple).map_or(limit, |multiple| multiple as u32 + 1);
        let (in_a, in_b) = (Residues::reduced(a, &value), Residues::reduced(b, &value));
        let element = Element::from_residues(&self.field, in_a.clone(), in_b.clone(), bound);
        Ok(Factor {
            value,
            in_a,
            in_b,
            element: element.map_err(Refusal::of(name))?,
        })
    }
}

struct Factor {
    value: BoxedUint,
    in_a: Residues,
    in_b: Residues,
    element: Element,
}

/// The typed bases, or bases found for `P` if none were typed.
fn bases(p: &BoxedUint, a: &str, b: &str) -> Result<(Base, Base), Refusal> {
    match (a.trim().is_empty(), b.trim().is_empty()) {
        (true, true) => {
            let found = WIDTHS.iter().find_map(|&width| {
                let found = montgomery::bases(p, width, 1).ok();
                found.filter(|(a, _)| a.len() <= MAX_MODULI)
            });
            found.ok_or_else(|| {
                let small = p.bits_vartime() < 2;
                let reason = if small {
                    MontgomeryError::TooSmall.into()
                } else {
                    Reason::NoBases
                };
                Refusal::new("p", reason)
            })
        }
        (true, false) => Err(Refusal::new("a", Reason::OneBase)),
        (false, true) => Err(Refusal::new("b", Reason::OneBase)),
        (false, false) => Ok((
            input::base(a, MAX_MODULI).map_err(Refusal::of("a"))?,
            input::base(b, MAX_MODULI).map_err(Refusal::of("b"))?,
        )),
    }
}

impl Product {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] with the condition of `sunzi_field::montgomery` that `P`, the bases, `X` or `Y`
    /// violate.
    pub fn new(input: &ProductInput) -> Result<Self, Refusal> {
        let setting = Setting::new(input)?;
        let x = setting.factor("x", &input.x)?;
        let y = setting.factor("y", &input.y)?;
        Ok(Self::steps(&setting, &x, &y))
    }

    fn steps(setting: &Setting, x: &Factor, y: &Factor) -> Self {
        let (a, b) = (setting.field.base_a(), setting.field.base_b());
        let p = &setting.p;
        let integer = integer::mul(&x.value, &y.value);
        let (xy_a, xy_b) = (&x.in_a * &y.in_a, &x.in_b * &y.in_b);
        let q = &xy_a * &setting.minus_p_inverse;
        let q_b = setting.a_to_b.extend(&q);
        let p_b = Residues::reduced(b, p);
        let sum = &xy_b + &(&q_b * &p_b);
        let s_b = &sum * &setting.a_inverse;
        let s_a = setting.b_to_a.extend(&s_b);
        let library = setting.field.mul(&Plain, &x.element, &y.element);

        // Q' is Q or Q + A: the one whose residues the extension returned.
        let q_value = q.to_uint();
        let more = integer::add(&q_value, a.product());
        let exact = Residues::reduced(b, &q_value) == q_b;
        let q_extended = if exact { &q_value } else { &more };
        let total = integer::add(&integer, &integer::mul(q_extended, p));
        let s = s_b.to_uint();
        let (delta, reduced) = integer::div_rem(&s, p).unwrap_or_default();

        let rows = [
            (0, "X", Some(&x.in_a), Some(&x.in_b), Some(&x.value)),
            (0, "Y", Some(&y.in_a), Some(&y.in_b), Some(&y.value)),
            (1, "X Y", Some(&xy_a), Some(&xy_b), Some(&integer)),
            (
                2,
                "\u{2212}P\u{207b}\u{b9}",
                Some(&setting.minus_p_inverse),
                None,
                None,
            ),
            (2, "Q", Some(&q), None, Some(&q_value)),
            (3, "Q\u{2032}", None, Some(&q_b), Some(q_extended)),
            (4, "P", None, Some(&p_b), Some(p)),
            (4, "X Y + Q\u{2032} P", None, Some(&sum), Some(&total)),
            (5, "A\u{207b}\u{b9}", None, Some(&setting.a_inverse), None),
            (5, "S", None, Some(&s_b), Some(&s)),
            (6, "S", Some(&s_a), Some(&s_b), Some(&s)),
        ];
        let numbers = Numbers {
            q: integer::decimal(&q_value),
            exact,
            total: integer::decimal(&total),
            s: integer::decimal(&s),
        };
        let texts = |residues: Option<&Residues>| {
            residues.map_or_else(Vec::new, |r| {
                r.values().iter().map(u128::to_string).collect()
            })
        };
        Self {
            a: moduli(a),
            b: moduli(b),
            p: integer::decimal(p),
            range_a: integer::decimal(a.product()),
            range_b: integer::decimal(b.product()),
            steps: numbers.steps(),
            rows: rows
                .map(|(step, name, a, b, integer)| Row {
                    step,
                    name,
                    a: texts(a),
                    b: texts(b),
                    integer: integer.map_or_else(String::new, integer::decimal),
                    constant: ["P", "\u{2212}P\u{207b}\u{b9}", "A\u{207b}\u{b9}"].contains(&name),
                })
                .into(),
            summary: format!(
                "S = {}, which is {} + {} P. S A and X Y leave the same remainder modulo P, and S is below 3 P.",
                integer::decimal(&s),
                integer::decimal(&reduced),
                integer::decimal(&delta)
            ),
            confirmed: library.residues() == (&s_a, &s_b),
            position: integer::ratio(&s, &integer::mul(p, &BoxedUint::from(3u64))),
            result: integer::decimal(&s),
            reduced: integer::decimal(&reduced),
            delta: integer::decimal(&delta),
        }
    }
}

/// The numbers that occur in the steps.
struct Numbers {
    q: String,
    exact: bool,
    total: String,
    s: String,
}

impl Numbers {
    fn steps(&self) -> Vec<Step> {
        let Self { q, exact, total, s } = self;
        let extended = if *exact {
            "Here it returned Q itself."
        } else {
            "Here it returned Q + A, which changes the sum below by A P: nothing modulo P."
        };
        let step = |title, place, text| Step { title, place, text };
        vec![
            step(
                "Two numbers in two bases",
                "A and B",
                "X and Y are held as residues in A, by which the product divides, and in B, where it divides.".into(),
            ),
            step(
                "Multiply",
                "A and B",
                "Every channel multiplies its residues. No channel waits for another one.".into(),
            ),
            step(
                "Find the quotient",
                "A",
                format!("Q = {q} is the number for which X Y + Q P is a multiple of A."),
            ),
            step(
                "Extend Q to B",
                "A to B",
                format!("The first base extension. It need not be exact: Q or Q + A will do. {extended}"),
            ),
            step(
                "Add Q\u{2032} P",
                "B",
                format!("X Y + Q\u{2032} P = {total} is a multiple of A, so all of its residues in A are 0."),
            ),
            step(
                "Divide by A",
                "B",
                format!("In B, dividing by A is multiplying by a constant. S = {s} is an integer below 3 P."),
            ),
            step(
                "Extend S to A",
                "B to A",
                "The second base extension must be exact. Now S is held like X and Y, ready for the next product.".into(),
            ),
        ]
    }
}

fn moduli(base: &Base) -> Vec<String> {
    base.moduli()
        .iter()
        .map(|m| m.value().to_string())
        .collect()
}
