//! Multiples of points by secret scalars, many at a time.

use super::super::sharing::shares;
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
    /// The scalar, as made by [`scalar`].
    pub(super) scalar: &'a BoxedUint,
}

/// The result of a multiplication.
pub(super) enum Product {
    /// u of the multiple, below p.
    U(Zeroizing<BoxedUint>),
    /// The multiple is the point at infinity.
    Infinity,
    /// It did not pass its check.
    Fault,
}

/// The multiples. Constant time in the scalars, except for whether a multiple is the point at infinity: for points
/// whose order does not divide the cofactor this happens with the scalar `4 L` of X448 only.
pub(super) fn multiples(
    engine: &Engine,
    numbers: &[Multiple<'_>],
) -> Result<Vec<Product>, EngineError> {
    let curves: Vec<_> = numbers.iter().map(|number| number.curve).collect();
    let groups: Vec<_> = shares(&curves)
        .into_iter()
        .map(|share| share.places)
        .collect();
    let mut products: Vec<_> = numbers.iter().map(|_| Product::Fault).collect();
    let mut alone = Vec::new();
    for (places, outcome) in groups.iter().zip(run(engine, numbers, &groups)?) {
        let checked = checked(numbers[places[0]].curve, outcome);
        // A Z of 0 spoils the inversion for all numbers that share it.
        let is_spoilt = checked
            .iter()
            .any(|product| matches!(product, Product::Infinity));
        if is_spoilt && places.len() > 1 {
            alone.extend(places.iter().map(|&place| vec![place]));
            continue;
        }
        for (&place, product) in places.iter().zip(checked) {
            products[place] = product;
        }
    }
    for (places, outcome) in alone.iter().zip(run(engine, numbers, &alone)?) {
        let mut checked = checked(numbers[places[0]].curve, outcome);
        products[places[0]] = checked.swap_remove(0);
    }
    Ok(products)
}

/// Runs a program for each group of places, whose numbers are on one curve.
fn run(
    engine: &Engine,
    numbers: &[Multiple<'_>],
    groups: &[Vec<usize>],
) -> Result<Vec<Outcome>, EngineError> {
    let programs = groups
        .iter()
        .map(|places| program(numbers[places[0]].curve, places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = groups.iter().zip(&programs).map(|(places, programs)| Job {
        programs,
        modulus: numbers[places[0]].curve.p(),
        constants: None,
        inputs: (places.iter())
            .flat_map(|&place| [numbers[place].u; 2])
            .collect(),
        scalars: places.iter().map(|&place| numbers[place].scalar).collect(),
    });
    engine.execute(&jobs.collect::<Vec<_>>())
}

/// Number of flags of each multiplication in [`program`].
const FLAGS: usize = 3;

/// The products of an outcome.
#[inline(never)]
fn checked(curve: &PreparedMontgomeryCurve, outcome: Outcome) -> Vec<Product> {
    let p = curve.curve().p();
    let results = outcome
        .integers
        .into_iter()
        .zip(outcome.flags.chunks(FLAGS));
    let results = results.map(|(u, flags)| match flags {
        // A fault may leave an integer that is not below p.
        [false, true, true] if u.ct_lt(p).to_bool() => Product::U(u),
        [true, true, _] => Product::Infinity,
        _ => Product::Fault,
    });
    results.collect()
}

/// `sharing` multiplications: the input u of each, twice, and its secret scalar. The outputs are u of the
/// multiples, below p. Three flags for each: whether Z is 0, whether the points at the end of the ladder
/// differ by the point at its beginning, and whether the output, read again, is `X/Z`. Constant time.
fn program(curve: &PreparedMontgomeryCurve, sharing: usize) -> Result<Arc<Programs>, EngineError> {
    let (prime, a24) = (curve.curve().prime(), curve.curve().a24());
    let scalar_bits = curve.curve().scalar_bits();
    // The length of the scalars that `differences` makes.
    let difference_bits = 8 * (curve.curve().encoded_bytes() as u32 + 1);
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "xdh",
        parameters: vec![prime as u64, sharing as u64],
    };
    curve.engine().programs(key, |builder| {
        let bits = builder.bits();
        // The check has a copy of its own, so that it also finds a fault in the constants.
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
