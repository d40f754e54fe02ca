//! The sum of residues: the cases in which the published quotient is one too small, and the exact form.

use crate::input::{self, Reason, Refusal};
use crate::integer;
use crypto_bigint::BoxedUint;
use serde::{Deserialize, Serialize};
use sunzi_field::sum_of_residues::curves::{Curve, SECP256R1, TABLE_2};
use sunzi_field::sum_of_residues::{ExactReduction, PublishedReduction};
use sunzi_rns::{Plain, Residues};

/// The number of products of a sample.
const SAMPLE: u32 = 400;

/// The number of seeds from which a sample may start, so that seeds are short.
const SEEDS: u32 = 1_000_000;

/// The least and the largest precision of a quotient, in bits.
const PRECISIONS: (u32, u32) = (56, 112);

/// The inputs of this view, as typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SumInput {
    curve: String,
    /// `T`; empty for the curve's own.
    t: String,
    z: String,
}

/// The published and the exact reduction of one number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sum {
    /// The prime.
    pub p: String,
    /// The size of the prime, in bits.
    pub bits: u32,
    /// The moduli.
    pub moduli: Vec<String>,
    /// `Z`.
    pub z: String,
    /// The residues of `Z`.
    pub residues: Vec<String>,
    /// `gamma_i`.
    pub gammas: Vec<String>,
    /// The rank `alpha`.
    pub alpha: String,
    /// `V`, the sum that is `Z mod p` plus a multiple of `p`.
    pub v: String,
    /// `floor(V / p)`, the multiple of `p` to subtract.
    pub kappa: String,
    /// `Z mod p`, by division.
    pub expected: String,
    /// The exact form's result.
    pub exact: String,
    /// The published form.
    pub published: Option<Published>,
    /// The condition on `p` and `T` that the published form violates; empty if none is.
    pub refused: String,
    /// `(Z mod p) / p`, for drawing.
    pub position: f64,
    /// The result, in a sentence or two.
    pub summary: String,
}

/// The published form's reduction of one number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Published {
    /// `T`.
    pub t: u32,
    /// `kappa` of equation (24).
    pub kappa: String,
    /// The result, `V - kappa p`.
    pub result: String,
    /// Whether it is `Z mod p`.
    pub right: bool,
    /// The difference by which the truncated quotient falls short of `V / p`.
    pub deficit: f64,
    /// The largest value of the deficit for any `Z`.
    pub largest_deficit: f64,
    /// The result divided by `p`, for drawing.
    pub position: f64,
}

impl Sum {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] for an unknown curve, a precision out of range, and `Z >= 15M/16`.
    pub fn new(input: &SumInput) -> Result<Self, Refusal> {
        let (curve, t) = choices(&input.curve, &input.t)?;
        let p = &curve.prime();
        let form = ExactReduction::new(p).map_err(Refusal::of("curve"))?;
        let range = form.base().product();
        let names = [("p", p), ("M", range)];
        let number = input::number(&input.z, &names).map_err(Refusal::of("z"))?;
        let z = form.residues(&number).map_err(Refusal::of("z"))?;
        let (published, refused) = match PublishedReduction::new(p, t) {
            Ok(form) => (Some(form), String::new()),
            Err(error) => (None, error.to_string()),
        };
        let terms = Terms::new(p, &z, &number);
        let (kappa, expected) = integer::div_rem(&terms.v, p).unwrap_or_default();
        let exact = form.reduce(&Plain, &z).to_uint();
        let published = published.map(|form| terms.published(&form, t, &z, p));
        let text = |values: &[u128]| values.iter().map(u128::to_string).collect();
        Ok(Self {
            bits: p.bits_vartime(),
            moduli: (form.base().moduli().iter().map(|m| m.value().to_string())).collect(),
            z: integer::decimal(&number),
            residues: text(z.values()),
            gammas: text(&terms.gammas),
            alpha: integer::decimal(&terms.alpha),
            v: integer::decimal(&terms.v),
            kappa: integer::decimal(&kappa),
            exact: integer::decimal(&exact),
            position: integer::ratio(&expected, p),
            summary: summary(published.as_ref(), &expected),
            expected: integer::decimal(&expected),
            p: integer::decimal(p),
            published,
            refused,
        })
    }
}

/// The curve with a name, and `T`.
fn choices(curve: &str, t: &str) -> Result<(Curve, u32), Refusal> {
    let known = TABLE_2.into_iter().chain([SECP256R1]);
    let curve = known
        .into_iter()
        .find(|known| known.name == curve)
        .ok_or_else(|| Refusal::new("curve", Reason::Choice(curve.into())))?;
    let (least, most) = PRECISIONS;
    let t = match t.trim() {
        "" => curve.quotient_bits,
        text => input::small(text, least, most).map_err(Refusal::of("t"))?,
    };
    Ok((curve, t))
}

/// `Z = sum gamma_i M_i - alpha M`, and `V`, the same sum with every term reduced modulo `p`.
struct Terms {
    gammas: Vec<u128>,
    alpha: BoxedUint,
    v: BoxedUint,
    /// `<M_i>_p`.
    weights: Vec<BoxedUint>,
}

impl Terms {
    fn new(p: &BoxedUint, z: &Residues, number: &BoxedUint) -> Self {
        let base = z.base();
        let gammas = z.crt_digits(&Plain).to_vec();
        let modulo_p = |x: &BoxedUint| integer::div_rem(x, p).unwrap_or_default().1;
        let cofactors: Vec<BoxedUint> = (0..base.len()).map(|i| base.cofactor(i)).collect();
        let weights: Vec<BoxedUint> = cofactors.iter().map(modulo_p).collect();
        let sum = |weights: &[BoxedUint]| {
            let terms = gammas.iter().zip(weights);
            terms.fold(BoxedUint::zero(), |sum, (&gamma, weight)| {
                integer::add(&sum, &integer::mul(weight, &BoxedUint::from(gamma)))
            })
        };
        let excess = integer::sub(&sum(&cofactors), number).unwrap_or_default();
        let alpha = integer::div_rem(&excess, base.product())
            .unwrap_or_default()
            .0;
        // <-alpha M>_p of equation (16).
        let multiple = modulo_p(&integer::mul(&alpha, base.product()));
        let correction = modulo_p(&integer::sub(p, &multiple).unwrap_or_default());
        Self {
            v: integer::add(&sum(&weights), &correction),
            weights,
            alpha,
            gammas,
        }
    }

    fn published(
        &self,
        form: &PublishedReduction,
        t: u32,
        z: &Residues,
        p: &BoxedUint,
    ) -> Published {
        let (kappa, _) = form.quotient_and_rank(&Plain, z);
        let result = form.reduce(&Plain, z).to_uint();
        let expected = integer::div_rem(&self.v, p).unwrap_or_default().1;
        // V / p - (sum gamma_i floor(<M_i>_p / 2^(W-T))) / 2^T, scaled by 2^T p.
        let dropped = p.bits_vartime() - t;
        let terms = self.gammas.iter().zip(&self.weights);
        let estimate = terms.fold(BoxedUint::zero(), |sum, (&gamma, weight)| {
            let truncated = integer::shr(weight, dropped);
            integer::add(&sum, &integer::mul(&truncated, &BoxedUint::from(gamma)))
        });
        let (scaled, unit) = (integer::shl(&self.v, t), integer::shl(p, t));
        let short = integer::sub(&scaled, &integer::mul(&estimate, p)).unwrap_or_default();
        Published {
            t,
            kappa: kappa.to_string(),
            right: result == expected,
            position: integer::ratio(&result, p),
            result: integer::decimal(&result),
            deficit: integer::ratio(&short, &unit),
            largest_deficit: form.deficit(),
        }
    }
}

fn summary(published: Option<&Published>, expected: &BoxedUint) -> String {
    match published {
        None => "The published form refuses this p; the exact form returns Z mod p.".into(),
        Some(form) if form.right => format!(
            "The published form returns Z mod p. Its quotient falls short by d = {:.4}, which (Z mod p)/p makes up for. The exact form returns the same.",
            form.deficit
        ),
        Some(form) => {
            let zero = if expected.bits_vartime() == 0 {
                " It stands for 0 and is not 0, so tests for zero break."
            } else {
                ""
            };
            format!(
                "The published form returns (Z mod p) + p: its quotient falls short by d = {:.4}, more than (Z mod p)/p, so one p stays.{zero} The exact form returns Z mod p.",
                form.deficit
            )
        }
    }
}

/// The inputs of this view, as typed: a curve, `T`, and the start of the pseudo-random numbers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SampleInput {
    curve: String,
    t: String,
    seed: String,
}

/// One product of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// `(Z mod p) / p`.
    pub position: f64,
    /// Whether the published form returned `(Z mod p) + p`.
    pub wrong: bool,
}

/// Pseudo-random products, reduced by both forms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// The products.
    pub points: Vec<Point>,
    /// The number of results of the published form with an extra `p`.
    pub wrong: usize,
    /// The number of results of the exact form that are wrong.
    pub exact_wrong: usize,
    /// The largest deficit: no result can be wrong for `(Z mod p)/p` above it.
    pub largest_deficit: f64,
    /// The result, in a sentence.
    pub summary: String,
}

impl Sample {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] for an unknown curve, and for a `p` or `T` that the published form refuses.
    pub fn new(input: &SampleInput) -> Result<Self, Refusal> {
        let (curve, t) = choices(&input.curve, &input.t)?;
        let p = &curve.prime();
        let seed = input::small(&input.seed, 0, SEEDS).map_err(Refusal::of("seed"))?;
        let published = PublishedReduction::new(p, t).map_err(Refusal::of("t"))?;
        let exact = ExactReduction::new(p).map_err(Refusal::of("curve"))?;
        let mut random = Random(u64::from(seed) << 32);
        let mut exact_wrong = 0;
        let mut points = Vec::new();
        for _ in 0..SAMPLE {
            let (x, y) = (random.below(p), random.below(p));
            let number = integer::mul(&x, &y);
            let z = exact.residues(&number).map_err(Refusal::of("curve"))?;
            let expected = integer::div_rem(&number, p).unwrap_or_default().1;
            exact_wrong += usize::from(exact.reduce(&Plain, &z).to_uint() != expected);
            points.push(Point {
                position: integer::ratio(&expected, p),
                wrong: published.reduce(&Plain, &z).to_uint() != expected,
            });
        }
        let wrong = points.iter().filter(|point| point.wrong).count();
        let share = 100.0 * wrong as f64 / f64::from(SAMPLE);
        Ok(Self {
            points,
            wrong,
            exact_wrong,
            largest_deficit: published.deficit(),
            summary: format!(
                "Of {SAMPLE} random products, {wrong} came out with an extra p ({share:.1} %), and {exact_wrong} of the exact form were wrong."
            ),
        })
    }
}

/// The generator `SplitMix64`. Not for secrets.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `p`, nearly uniform: 64 bits more than `p` has, modulo `p`.
    fn below(&mut self, p: &BoxedUint) -> BoxedUint {
        let words: Vec<u64> = (0..=p.bits_vartime().div_ceil(64))
            .map(|_| self.word())
            .collect();
        integer::div_rem(&BoxedUint::from(words), p)
            .unwrap_or_default()
            .1
    }
}
