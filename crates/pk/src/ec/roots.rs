//! Square roots modulo the primes of curves, many at a time. Public.

use super::prepared::PreparedCurve;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::power;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};

/// A square root of each number, in plain form below p; `None` if there is none.
///
/// For primes that are 3 modulo 4, as those of secp256k1, BLS12-381 and BN254, `x^((p + 1)/4)` is a root
/// of x or of -x. Others are left to the field of [`Curve`](super::Curve), which takes one at a time.
pub(super) fn square_roots(
    engine: &Engine,
    curve: &PreparedCurve,
    numbers: &[BoxedUint],
) -> Result<Vec<Option<BoxedUint>>, EngineError> {
    let field = curve.curve().field();
    let p = field.p();
    if !p.bit_vartime(1) {
        let root = |x| Some(field.sqrt(&field.element(x)?)?.retrieve());
        return Ok(numbers.iter().map(root).collect());
    }
    // p has as many bits as its words or fewer, so that (p + 1)/4 is (p - 3)/4 + 1.
    let exponent = p.shr(2).wrapping_add(BoxedUint::one());
    let programs = program(curve)?;
    let jobs = numbers.iter().map(|number| Job {
        programs: &programs,
        modulus: curve.p(),
        constants: None,
        inputs: vec![number],
        scalars: vec![&exponent],
    });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let root = |outcome: &sunzi_engine::Outcome| {
        let root = (*outcome.integers[0]).clone();
        outcome.flags[0].then_some(root)
    };
    Ok(outcomes.iter().map(root).collect())
}

/// `x^e` for the public scalar e, and whether its square is x.
fn program(curve: &PreparedCurve) -> Result<Arc<Programs>, EngineError> {
    let (bits, p_bits) = (curve.p().class(), curve.curve().bits());
    let key = ProgramKey {
        bits,
        kind: "ec-square-root",
        parameters: vec![p_bits.into()],
    };
    curve.engine().programs(key, |builder| {
        let x = builder.input(bits);
        let exponent = builder.scalar("(p + 1)/4", p_bits - 1, false);
        let root = power::fixed_window(builder, x, exponent);
        builder.output(root);
        let square = builder.square(root);
        builder.equal(square, x);
    })
}

#[cfg(test)]
mod tests {
    use super::super::field::Element;
    use super::*;
    use sunzi_engine::Backend;

    /// The numbers to 40 have roots where the field finds some: primes that are 3 and 1 modulo 4.
    #[test]
    fn as_one_at_a_time() {
        let engine = Engine::new(Backend::best()).unwrap();
        for name in ["secp256k1", "P-256", "P-521", "P-224"] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let field = curve.curve().field();
            let numbers: Vec<_> = (0..40).map(|x| field.small(x)).collect();
            let integers: Vec<_> = numbers.iter().map(Element::retrieve).collect();
            let roots = square_roots(&engine, &curve, &integers).unwrap();
            for (x, root) in numbers.iter().zip(roots) {
                let root = root.map(|root| field.element(&root).unwrap());
                assert_eq!(root.is_some(), field.sqrt(x).is_some(), "{name}");
                assert!(root.is_none_or(|root| root.square() == *x), "{name}");
            }
        }
    }
}
