//! Points from their encodings (RFC 8032, sections 5.1.3 and 5.2.3), many at a time. Public.

use super::chains::Prime;
use super::curve::{CoefficientA, EdwardsCurve, Parameters};
use super::prepared::PreparedEdwardsCurve;
use crate::batch::shared;
use crypto_bigint::{BoxedUint, Resize};
use std::sync::Arc;
use sunzi_engine::program::Builder;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};

/// The coordinates of a point, integers below p.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::ec) struct Affine {
    pub(in crate::ec) x: BoxedUint,
    pub(in crate::ec) y: BoxedUint,
}

impl Affine {
    /// The negative of the point.
    pub(in crate::ec) fn negated(&self, curve: EdwardsCurve) -> Self {
        Self {
            x: negative(curve, &self.x),
            y: self.y.clone(),
        }
    }
}

/// `-x` modulo p, below p.
fn negative(curve: EdwardsCurve, x: &BoxedUint) -> BoxedUint {
    if x.is_zero().into() {
        return x.clone();
    }
    curve.parameters().field.p().wrapping_sub(x)
}

/// The y of an encoded point, an integer that may be p or more, and whether x is odd. None if the
/// length is wrong, or a bit is set that has no meaning.
pub(in crate::ec) fn read(curve: EdwardsCurve, bytes: &[u8]) -> Option<(BoxedUint, bool)> {
    let (&last, rest) = bytes.split_last()?;
    if bytes.len() != curve.encoded_bytes() {
        return None;
    }
    let precision = curve.parameters().field.p().bits_precision();
    let y = match curve {
        EdwardsCurve::Edwards25519 => {
            let mut bytes = bytes.to_vec();
            bytes[rest.len()] = last & 0x7f;
            BoxedUint::from_le_slice(&bytes, precision)
        }
        EdwardsCurve::Edwards448 if matches!(last, 0 | 0x80) => {
            BoxedUint::from_le_slice(rest, precision)
        }
        EdwardsCurve::Edwards448 => return None,
    };
    Some((y.ok()?, last >> 7 == 1))
}

/// The encoding of a point.
pub(in crate::ec) fn encode(curve: EdwardsCurve, x: &BoxedUint, y: &BoxedUint) -> Vec<u8> {
    let mut bytes = y.to_le_bytes().to_vec();
    bytes.resize(curve.encoded_bytes(), 0);
    if let Some(last) = bytes.last_mut() {
        *last |= u8::from(x.bit_vartime(0)) << 7;
    }
    bytes
}

/// The points of encodings, as OpenSSL reads them; none where there is no such point.
///
/// On edwards25519 y may be p or more, and is reduced; where x is 0, either sign is taken. On
/// edwards448 y must be below p, and the two points with x = 0 are none.
pub(in crate::ec) fn decode(
    engine: &Engine,
    points: &[(&PreparedEdwardsCurve, &[u8])],
) -> Result<Vec<Option<Affine>>, EngineError> {
    let read: Vec<_> = points
        .iter()
        .map(|(curve, bytes)| {
            let (y, odd) = read(curve.curve(), bytes)?;
            let below = y < *curve.parameters().field.p();
            (below || curve.curve() == EdwardsCurve::Edwards25519).then_some((*curve, y, odd))
        })
        .collect();
    let numbers: Vec<_> = read
        .iter()
        .flatten()
        .map(|(curve, y, odd)| (*curve, y, *odd))
        .collect();
    let mut points = points_at(engine, &numbers)?.into_iter();
    let decoded = read
        .iter()
        .map(|read| read.as_ref().and_then(|_| points.next().flatten()));
    Ok(decoded.collect())
}

/// The points with these y and an x that is odd or not; none where there is no such point. They are read as [`decode`] reads
/// them: on edwards25519 y is below `2^255`, on edwards448 below p.
pub(in crate::ec) fn points_at(
    engine: &Engine,
    numbers: &[(&PreparedEdwardsCurve, &BoxedUint, bool)],
) -> Result<Vec<Option<Affine>>, EngineError> {
    let (programs, of_each) = shared(
        numbers,
        |(curve, ..)| Arc::as_ptr(curve.p()),
        |(curve, ..)| program(curve),
    )?;
    let jobs = numbers.iter().zip(of_each);
    let jobs = jobs.map(|((curve, y, _), number)| {
        Ok(Job {
            programs: &programs[number],
            modulus: curve.p(),
            constants: Some(curve.root_constants()?),
            inputs: vec![*y],
            scalars: Vec::new(),
        })
    });
    let outcomes = engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)?;
    let points = numbers.iter().zip(&outcomes);
    let points = points.map(|(&(curve, y, odd), outcome)| {
        let [is_root, is_root_of_negative] = [outcome.flags[0], outcome.flags[1]];
        let [root, other] = [&outcome.integers[0], &outcome.integers[1]];
        let x = match curve.curve().prime() {
            _ if is_root => root,
            Prime::P25519 if is_root_of_negative => other,
            _ => return None,
        };
        let curve = curve.curve();
        if curve == EdwardsCurve::Edwards448 && x.is_zero().into() {
            return None;
        }
        let x = if x.bit_vartime(0) == odd {
            (**x).clone()
        } else {
            negative(curve, x)
        };
        let p = curve.parameters().field.p();
        // Below 2 p.
        let y = if y < p { y.clone() } else { y.wrapping_sub(p) };
        let y = y.resize_unchecked(p.bits_precision());
        Some(Affine { x, y })
    });
    Ok(points.collect())
}

/// Candidates for x of the input y: with `u = y^2 - 1` and `v = d y^2 - a`, it is a root of `u/v`, and
/// `x = u (u v)^e` with e of [`Prime::root_power`] is one if `v x^2 = u`. If p = 5 modulo 8, `x i` with
/// `i^2 = -1` is one if `v x^2 = -u` (RFC 8032, section 5.1.3; Bernstein, Duif, Lange, Schwabe and
/// Yang, 2011, section 5). The outputs are x and `x i`, the flags whether the equations hold.
fn program(curve: &PreparedEdwardsCurve) -> Result<Arc<Programs>, EngineError> {
    let &Parameters { a, .. } = curve.parameters();
    let prime = curve.curve().prime();
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "edwards-decode",
        parameters: vec![prime as u64],
    };
    curve.engine().programs(key, |builder| {
        build(builder, a, prime);
    })
}

fn build(builder: &mut Builder, a: CoefficientA, prime: Prime) {
    let [d, one] = [(); 2].map(|()| builder.own_constant(1));
    let i = builder.own_constant(0);
    let y = builder.input(builder.bits());
    let yy = builder.fitting_product(y, y);
    let u = builder.subtract(yy, one);
    let dyy = builder.fitting_product(d, yy);
    let v = match a {
        CoefficientA::One => builder.subtract(dyy, one),
        CoefficientA::MinusOne => builder.add(dyy, one),
    };
    let uv = builder.fitting_product(u, v);
    let power = prime.root_power(builder, uv);
    let x = builder.fitting_product(u, power);
    builder.output(x);
    let other = builder.multiply(x, i);
    builder.output(other);
    let xx = builder.fitting_product(x, x);
    for negative in [true, false] {
        let difference = builder.fitting_sum(&[(false, v, xx), (negative, u, one)]);
        builder.is_zero(difference);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunzi_engine::Backend;

    /// Reductions of a decoding.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (curve, most) in [
            (EdwardsCurve::Edwards25519, 272),
            (EdwardsCurve::Edwards448, 467),
        ] {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let products = program(&curve).unwrap().program().counts().products;
            println!("{curve:?}: {products}");
            assert!(products <= most, "{curve:?}: {products}");
        }
    }

    /// Encodings of base points, of points with x = 0, of those with other y, and of none.
    #[test]
    fn encodings() {
        let engine = Engine::new(Backend::best()).unwrap();
        for &curve in EdwardsCurve::ALL {
            let prepared = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let Parameters {
                field, generator, ..
            } = curve.parameters();
            let length = curve.encoded_bytes();
            let base = encode(curve, &generator.x.retrieve(), &generator.y.retrieve());
            let mut negative = base.clone();
            negative[length - 1] ^= 0x80;
            let mut bytes = vec![base.clone(), negative];
            for y in 0..20u8 {
                let mut small = vec![0; length];
                small[0] = y;
                bytes.push(small);
            }
            let points: Vec<_> = bytes.iter().map(|bytes| (&prepared, &bytes[..])).collect();
            let decoded = decode(&engine, &points).unwrap();
            for (bytes, point) in bytes.iter().zip(&decoded) {
                let (y, odd) = read(curve, bytes).unwrap();
                let y = field.element(&y).unwrap();
                let one = field.small(1);
                let yy = y.square();
                let a = match curve.parameters().a {
                    CoefficientA::One => one.clone(),
                    CoefficientA::MinusOne => one.neg(),
                };
                let v = curve.parameters().d.mul(&yy).sub(&a);
                let square = super::super::super::field::Field::invert(&v).unwrap();
                let x = field
                    .sqrt(&yy.sub(&one).mul(&square))
                    .filter(|x| curve == EdwardsCurve::Edwards25519 || !bool::from(x.is_zero()));
                assert_eq!(point.is_some(), x.is_some());
                if let (Some(x), Some(point)) = (x, point) {
                    let x = x.retrieve();
                    let x = if x.bit_vartime(0) == odd {
                        x
                    } else {
                        super::negative(curve, &x)
                    };
                    assert!(point.x == x && point.y == y.retrieve());
                    if !bool::from(x.is_zero()) {
                        assert_eq!(encode(curve, &point.x, &point.y), *bytes);
                    }
                }
            }
            assert!(read(curve, &base[1..]).is_none());
        }
    }
}
