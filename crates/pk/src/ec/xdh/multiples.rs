//! Multiples of points by secret scalars, many at a time.

use super::super::sharing::{Share, shares};
use super::curve::PreparedMontgomeryCurve;
use super::ladder::{A24, ladder};
use crypto_bigint::{BoxedUint, CtLt};
use std::sync::Arc;
use sunzi_engine::program::inverse;
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs};
use zeroize::Zeroizing;

/// The scalar as [`ladder`] takes it: `2 k xor k` for k with its topmost bit set and its lowest bits
/// cleared (RFC 7748, section 5). The bytes are as many as the curve has. Constant time.
pub(super) fn scalar(bytes: &[u8]) -> Zeroizing<BoxedUint> {
    let mut bytes = Zeroizing::new(bytes.to_vec());
    let last = bytes.len() - 1;
    if last < 32 {
        bytes[0] &= 0xf8;
        bytes[last] = bytes[last] & 0x7f | 0x40;
    } else {
        bytes[0] &= 0xfc;
        bytes[last] |= 0x80;
    }
    differences(&bytes)
}

/// `2 k xor k` of a little-endian k: bit i says whether the bits i and i - 1 of k differ.
pub(super) fn differences(k: &[u8]) -> Zeroizing<BoxedUint> {
    let mut bytes = Zeroizing::new(vec![0; k.len() + 1]);
    for (i, byte) in bytes.iter_mut().enumerate() {
        let below = i.checked_sub(1).map_or(0, |below| k[below] >> 7);
        let byte_of_k = k.get(i).copied().unwrap_or(0);
        *byte = byte_of_k ^ (byte_of_k << 1 | below);
    }
    let precision = 8 * bytes.len() as u32;
    let integer = BoxedUint::from_le_slice(&bytes, precision);
    Zeroizing::new(integer.expect("the precision is the slice's"))
}

/// A point to multiply.
pub(super) struct Multiple<'a> {
    pub(super) curve: &'a PreparedMontgomeryCurve,
    /// u of the point, whose order does not divide the cofactor: below 2 p.
    pub(super) u: &'a BoxedUint,
    /// Of [`scalar`].
    pub(super) scalar: &'a BoxedUint,
}

/// u of the multiples, below p; none where the result does not pass its check. Constant time in the
/// scalars.
pub(super) fn multiples(
    engine: &Engine,
    numbers: &[Multiple<'_>],
) -> Result<Vec<Option<Zeroizing<BoxedUint>>>, EngineError> {
    let curves: Vec<_> = numbers.iter().map(|number| number.curve).collect();
    let shares = shares(&curves);
    let programs = shares
        .iter()
        .map(|share| program(share.curve, share.places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| Job {
        programs,
        modulus: share.curve.p(),
        constants: None,
        inputs: (share.places.iter())
            .flat_map(|&place| [numbers[place].u; 2])
            .collect(),
        scalars: (share.places.iter())
            .map(|&place| numbers[place].scalar)
            .collect(),
    });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let mut results: Vec<_> = numbers.iter().map(|_| None).collect();
    for (share, outcome) in shares.iter().zip(outcomes) {
        for (&place, result) in share.places.iter().zip(checked(share, outcome)) {
            results[place] = result;
        }
    }
    Ok(results)
}

/// Flags of each multiplication in [`program`].
const FLAGS: usize = 3;

/// The outputs that pass their check.
fn checked(
    share: &Share<'_, PreparedMontgomeryCurve>,
    outcome: Outcome,
) -> Vec<Option<Zeroizing<BoxedUint>>> {
    let p = share.curve.curve().p();
    let results = outcome
        .integers
        .into_iter()
        .zip(outcome.flags.chunks(FLAGS));
    let results = results.map(|(u, flags)| {
        let right = matches!(flags, [false, true, true]);
        // A fault may leave an integer that is not below p.
        (right && u.ct_lt(p).to_bool()).then_some(u)
    });
    results.collect()
}

/// `sharing` multiplications: the input u of each, twice, and its secret scalar. The outputs are u of the
/// multiples, below p. Three flags for each: whether Z is 0, whether the points at the end of the ladder
/// differ by the point at its beginning, and whether the output, read again, is `X/Z`. Constant time.
fn program(curve: &PreparedMontgomeryCurve, sharing: usize) -> Result<Arc<Programs>, EngineError> {
    let (prime, a24) = (curve.curve().prime(), curve.curve().a24());
    let scalar_bits = curve.curve().scalar_bits();
    // As long as `differences` makes it.
    let difference_bits = 8 * (curve.curve().encoded_bytes() as u32 + 1);
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "xdh",
        parameters: vec![prime as u64, sharing as u64],
    };
    curve.engine().programs(key, |builder| {
        let bits = builder.bits();
        // The check has its own, so that it also finds a fault in these.
        let [a24, other_a24] = [(); 2].map(|()| A24::new(builder, a24));
        let mut ends = Vec::with_capacity(sharing);
        let mut relations = Vec::with_capacity(sharing);
        for _ in 0..sharing {
            let [u, other_u] = [(); 2].map(|()| builder.input(bits));
            let k = builder.scalar("k", difference_bits, true);
            let end = ladder(builder, a24, u, k, scalar_bits);
            relations.push(end.relation(builder, other_a24, other_u));
            ends.push(end);
        }
        let denominators: Vec<_> = ends.iter().map(|end| end.z2).collect();
        let inverses = inverse::shared(builder, &denominators, |builder, product| {
            prime.invert(builder, product)
        });
        let one = builder.one();
        for ((end, inverse), relation) in ends.into_iter().zip(inverses).zip(relations) {
            let u = builder.multiply(end.x2, inverse);
            let output = builder.output(u);
            builder.is_zero(end.z2);
            builder.is_zero(relation);
            let u = builder.output_again(output);
            let difference = builder.sum_of_products(&[(false, u, end.z2), (true, end.x2, one)]);
            builder.is_zero(difference);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::MontgomeryCurve;
    use sunzi_engine::Backend;

    /// Reductions of a multiplication, the inversion that 16 share included.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (curve, most) in [
            (MontgomeryCurve::Curve25519, 2326),
            (MontgomeryCurve::Curve448, 4524),
        ] {
            let curve = PreparedMontgomeryCurve::new(&engine, curve).unwrap();
            let programs = program(&curve, 16).unwrap();
            let products = programs.program().counts().products / 16;
            println!("{curve:?}: {products}");
            assert!(products <= most, "{curve:?}: {products}");
        }
    }
}
