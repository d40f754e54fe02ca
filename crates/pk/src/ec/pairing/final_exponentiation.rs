//! The final exponentiation of pairings: the power `3 (p^12 - 1)/n` of values of Miller loops. Public.
//!
//! The easy part, `(p^6 - 1)(p^2 + 1)`, takes an inverse; the inverses of a whole batch are made with a single
//! inversion. The hard part follows Hayashida, Hayasaka and Teruya ("Efficient final exponentiation via cyclotomic
//! structure for pairings over families of elliptic curves", 2020):
//! `3 (p^4 - p^2 + 1)/n = (x - 1)^2 (x + p) (x^2 + p^2 - 1) + 3`.
//!
//! For BN254 it is the power `2 t (6 t^2 + 3 t + 1) (p^4 - p^2 + 1)/n` (Fuentes-Castaneda, Knapp and Rodriguez-Henriquez,
//! "Faster hashing to G2", 2011, section 5).

use super::kind::PairingCurve;
use super::miller::MillerValue;
use super::parameters::{Construction, Parameters};
use super::prepared::PreparedPairing;
use super::tower::Fp12;
use crate::ec::field::Element;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::Builder;
use sunzi_engine::{EngineError, Job, Outcome, ProgramKey, Programs};

/// The result of a final exponentiation that leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Result12 {
    /// Whether it is 1.
    IsOne,
    /// Its twelve numbers.
    Numbers,
}

/// Whether each power is 1.
pub(super) fn is_one<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    values: &[MillerValue],
) -> Result<Vec<bool>, EngineError> {
    let outcomes = run(pairing, Result12::IsOne, values)?;
    let is_one = |outcome: &Outcome| outcome.flags.iter().all(|flag| *flag);
    Ok(outcomes.iter().map(is_one).collect())
}

/// The twelve numbers of each power.
pub(super) fn powers<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    values: &[MillerValue],
) -> Result<Vec<Vec<BoxedUint>>, EngineError> {
    let outcomes = run(pairing, Result12::Numbers, values)?;
    let numbers = |outcome: &Outcome| outcome.integers.iter().map(|x| (**x).clone()).collect();
    Ok(outcomes.iter().map(numbers).collect())
}

fn run<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    result: Result12,
    values: &[MillerValue],
) -> Result<Vec<Outcome>, EngineError> {
    let field = &C::parameters().field;
    // No value of a Miller loop is 0; if one is, it must not make the others' inverses 0. The power of 0 is 0.
    let norms = values.iter().map(|value| {
        let is_zero = bool::from(value.norm.is_zero());
        if is_zero {
            field.small(1)
        } else {
            value.norm.clone()
        }
    });
    let inverses = field.invert_all(&norms.collect::<Vec<_>>());
    let inverses: Vec<_> = inverses.iter().map(Element::retrieve).collect();
    let programs = program(pairing, result)?;
    let jobs = values.iter().zip(&inverses).map(|(value, inverse)| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: value.numbers.iter().chain([inverse]).collect(),
        scalars: Vec::new(),
    });
    pairing.engine().execute(&jobs.collect::<Vec<_>>())
}

/// The power of twelve numbers, the inverse of whose norm is the last input.
fn program<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    result: Result12,
) -> Result<Arc<Programs>, EngineError> {
    let parameters = C::parameters();
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: "pairing-final-exponentiation",
        parameters: vec![C::NUMBER, u64::from(result == Result12::Numbers)],
    };
    pairing.engine().programs(key, |builder| {
        let value = Fp12::input(builder, parameters.tower, bits);
        let inverse = builder.input(bits);
        let value = easy_part(builder, parameters, value, inverse);
        let value = match parameters.construction {
            Construction::BarretoLynnScott => hard_part(builder, parameters, value),
            Construction::BarretoNaehrig => hard_part_of_bn(builder, parameters, value),
        };
        match result {
            Result12::IsOne => value.is_one(builder),
            Result12::Numbers => value.output(builder),
        }
    })
}

/// `f^((p^6 - 1)(p^2 + 1))`.
pub(super) fn easy_part(
    builder: &mut Builder,
    parameters: &Parameters,
    f: Fp12,
    inverse_of_norm: sunzi_engine::program::Value,
) -> Fp12 {
    let f = f.conjugate_over_self(builder, inverse_of_norm);
    let image = f.frobenius_squared(builder, &parameters.frobenius_squared);
    f.multiply(builder, image)
}

/// `f^(3 (p^4 - p^2 + 1)/n)` for an f of the cyclotomic subgroup, where the conjugate is the inverse.
fn hard_part(builder: &mut Builder, parameters: &Parameters, f: Fp12) -> Fp12 {
    let seed = &parameters.seed;
    let power_x = |builder: &mut Builder, f: Fp12| {
        let power = f.cyclotomic_power(builder, seed);
        power.conjugate(builder)
    };
    // f^(x - 1), as f^-(-x + 1).
    let power_x_less_one = |builder: &mut Builder, f: Fp12| {
        let power = f.cyclotomic_power(builder, seed);
        let product = f.multiply(builder, power);
        product.conjugate(builder)
    };
    let t = power_x_less_one(builder, f);
    let t = power_x_less_one(builder, t);
    let (power, image) = (
        power_x(builder, t),
        t.frobenius(builder, &parameters.frobenius),
    );
    let t = power.multiply(builder, image);
    let power = t.cyclotomic_power(builder, seed);
    let power = power.cyclotomic_power(builder, seed);
    let image = t.frobenius_squared(builder, &parameters.frobenius_squared);
    let product = power.multiply(builder, image);
    let inverse = t.conjugate(builder);
    let product = product.multiply(builder, inverse);
    let square = f.cyclotomic_square(builder);
    let cube = square.multiply(builder, f);
    product.multiply(builder, cube)
}

/// `f^(2 t (6 t^2 + 3 t + 1) (p^4 - p^2 + 1)/n)` for an f of the cyclotomic subgroup. With `s = 12 t^3 + 6 t^2 + 6 t` the
/// exponent is
///
/// ```text
/// (s - 2 t - 1) p^3 + s p^2 + (s - 2 t) p + s + 6 t^2 + 1.
/// ```
fn hard_part_of_bn(builder: &mut Builder, parameters: &Parameters, f: Fp12) -> Fp12 {
    let power_t = |builder: &mut Builder, f: Fp12| f.cyclotomic_power(builder, &parameters.seed);
    let t = power_t(builder, f);
    let t2 = t.cyclotomic_square(builder);
    let t4 = t2.cyclotomic_square(builder);
    let t6 = t4.multiply(builder, t2);
    let tt6 = power_t(builder, t6);
    let tt12 = tt6.cyclotomic_square(builder);
    let ttt12 = power_t(builder, tt12);
    let s = ttt12.multiply(builder, tt6);
    let s = s.multiply(builder, t6);
    let minus_t2 = t2.conjugate(builder);
    let less = s.multiply(builder, minus_t2);
    let inverse = f.conjugate(builder);
    let cubic = less.multiply(builder, inverse);
    let cubic = cubic.frobenius_squared(builder, &parameters.frobenius_squared);
    let cubic = cubic.frobenius(builder, &parameters.frobenius);
    let square = s.frobenius_squared(builder, &parameters.frobenius_squared);
    let linear = less.frobenius(builder, &parameters.frobenius);
    let rest = s.multiply(builder, tt6);
    let rest = rest.multiply(builder, f);
    [square, linear, rest]
        .into_iter()
        .fold(cubic, |product, factor| product.multiply(builder, factor))
}
