//! Montgomery curves `v^2 = u^3 + A u^2 + u` over any [`Arithmetic`], by their coordinate u alone: the ladder of
//! X25519, one operation at a time, a reference to read and to compare other implementations with.
//!
//! A coordinate u is a quotient `X/Z`, with Z = 0 at infinity. The steps are those of RFC 7748, section 5, after
//! P. L. Montgomery, "Speeding the Pollard and elliptic curve methods of factorization" (1987). Points of the
//! curve's twist, `B v^2 = u^3 + A u^2 + u` for a B that is no square, are multiplied as well.
//!
//! Nothing here is in constant time.

use crypto_bigint::BoxedUint;
use sunzi_rns::Channel;

use crate::arithmetic::Arithmetic;

/// A curve, by `(A - 2)/4`, the only coefficient that the formulas need.
#[derive(Clone, Debug)]
pub struct Ladder<A: Arithmetic> {
    arithmetic: A,
    a24: A::Number,
}

/// A coordinate u as a quotient `X/Z`.
#[derive(Clone, Debug)]
pub struct Quotient<N> {
    /// `X`.
    pub x: N,
    /// `Z`.
    pub z: N,
}

impl<A: Arithmetic> Ladder<A> {
    /// Number of products of a step, of which [`Ladder::PRODUCTS_WITH_CONSTANTS`] is with `(A - 2)/4`.
    pub const PRODUCTS: u32 = 10;
    /// Number of products of a step with `(A - 2)/4`.
    pub const PRODUCTS_WITH_CONSTANTS: u32 = 1;
    /// Number of sums and differences of a step.
    pub const SUMS: u32 = 8;

    /// The curve with this `(A - 2)/4`.
    pub fn new(channel: &impl Channel, arithmetic: A, a24: &BoxedUint) -> Self {
        Self {
            a24: arithmetic.number(channel, a24),
            arithmetic,
        }
    }

    /// The arithmetic.
    pub fn arithmetic(&self) -> &A {
        &self.arithmetic
    }

    /// The quotient with this coordinate.
    pub fn quotient(&self, channel: &impl Channel, u: &BoxedUint) -> Quotient<A::Number> {
        Quotient {
            x: self.arithmetic.number(channel, u),
            z: self.arithmetic.number(channel, &BoxedUint::one()),
        }
    }

    /// The integer `X/Z`, `None` at infinity; `invert` gives the inverse of an integer in `[1, P)`.
    pub fn coordinate(
        &self,
        channel: &impl Channel,
        quotient: &Quotient<A::Number>,
        invert: impl FnOnce(&BoxedUint) -> Option<BoxedUint>,
    ) -> Option<BoxedUint> {
        let f = &self.arithmetic;
        let z = f.integer(channel, &quotient.z);
        if z.is_zero().into() {
            return None;
        }
        let inverse = f.number(channel, &invert(&z)?);
        Some(f.integer(channel, &f.mul(channel, &quotient.x, &inverse)))
    }

    /// `2 P` and `P + Q`, for the coordinate u of `Q - P`, which must not be 0 (the coordinate of the point of order
    /// 2).
    ///
    /// ```text
    /// aa = (X1 + Z1)^2      bb = (X1 - Z1)^2      e = aa - bb
    /// da = (X2 - Z2) (X1 + Z1)                    cb = (X2 + Z2) (X1 - Z1)
    /// 2 P:    X = aa bb          Z = e (aa + (A - 2)/4 e)
    /// P + Q:  X = (da + cb)^2    Z = u (da - cb)^2
    /// ```
    ///
    /// Cost: 10 products, 8 sums.
    #[must_use]
    pub fn step(
        &self,
        channel: &impl Channel,
        u: &A::Number,
        [p, q]: [&Quotient<A::Number>; 2],
    ) -> [Quotient<A::Number>; 2] {
        let f = &self.arithmetic;
        let mul = |x: &A::Number, y: &A::Number| f.mul(channel, x, y);
        let add = |x: &A::Number, y: &A::Number| f.add(channel, x, y);
        let sub = |x: &A::Number, y: &A::Number| f.sub(channel, x, y);

        let (plus, minus) = (add(&p.x, &p.z), sub(&p.x, &p.z));
        let (aa, bb) = (mul(&plus, &plus), mul(&minus, &minus));
        let e = sub(&aa, &bb);
        let da = mul(&sub(&q.x, &q.z), &plus);
        let cb = mul(&add(&q.x, &q.z), &minus);
        let (both, apart) = (add(&da, &cb), sub(&da, &cb));

        let double = Quotient {
            x: mul(&aa, &bb),
            z: mul(&e, &add(&aa, &mul(&self.a24, &e))),
        };
        let sum = Quotient {
            x: mul(&both, &both),
            z: mul(u, &mul(&apart, &apart)),
        };
        [double, sum]
    }

    /// The coordinate of `k P`, for the coordinate of P, which must not be 0: one step for each bit of k, from the
    /// highest one down.
    pub fn multiply_vartime(
        &self,
        channel: &impl Channel,
        k: &BoxedUint,
        u: &BoxedUint,
    ) -> Quotient<A::Number> {
        let number = |x: &BoxedUint| self.arithmetic.number(channel, x);
        let mut next = self.quotient(channel, u);
        let u = next.x.clone();
        // j P and (j + 1) P, where j is the number formed by the bits so far.
        let mut multiple = Quotient {
            x: number(&BoxedUint::one()),
            z: number(&BoxedUint::zero()),
        };
        for bit in (0..k.bits_vartime()).rev() {
            if k.bit_vartime(bit) {
                [next, multiple] = self.step(channel, &u, [&next, &multiple]);
            } else {
                [multiple, next] = self.step(channel, &u, [&multiple, &next]);
            }
        }
        multiple
    }
}

/// The parameters of a curve of RFC 7748.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name of the curve.
    pub name: &'static str,
    /// A.
    pub a: u32,
    /// The coordinate u of the base point.
    pub base: u32,
    /// p and the order of the base point, in hexadecimal.
    hex: [&'static str; 2],
}

impl Named {
    #[allow(clippy::missing_panics_doc)] // The constants below are hexadecimal digits.
    fn number(&self, place: usize) -> BoxedUint {
        let number = BoxedUint::from_str_radix_vartime(self.hex[place], 16);
        number.expect("a hexadecimal constant")
    }

    /// The prime `p`.
    pub fn prime(&self) -> BoxedUint {
        self.number(0)
    }

    /// The order of the base point, a prime.
    pub fn order(&self) -> BoxedUint {
        self.number(1)
    }

    /// `(A - 2)/4`.
    pub fn a24(&self) -> BoxedUint {
        BoxedUint::from((self.a - 2) / 4)
    }
}

/// The curve of X25519, modulo `2^255 - 19`.
pub const CURVE25519: Named = Named {
    name: "curve25519",
    a: 486_662,
    base: 9,
    hex: [
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
        "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
    ],
};

/// The curve of X448, modulo `2^448 - 2^224 - 1`.
pub const CURVE448: Named = Named {
    name: "curve448",
    a: 156_326,
    base: 5,
    hex: [
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "3fffffffffffffffffffffffffffffffffffffffffffffffffffffff\
         7cca23e9c44edb49aed63690216cc2728dc58f552378c292ab5844f3",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{hex, inverse, inverse_of, uint, with_each_arithmetic};
    use alloc::vec::Vec;
    use sunzi_rns::Plain;

    /// A point, or `None` at infinity.
    type Affine = Option<[u64; 2]>;

    /// The textbook's group law of `B v^2 = u^3 + A u^2 + u`, for a small prime.
    fn sum([p, a, b]: [u64; 3], left: Affine, right: Affine) -> Affine {
        let (Some([u1, v1]), Some([u2, v2])) = (left, right) else {
            return left.or(right);
        };
        let slope = if u1 != u2 {
            (p + v2 - v1) * inverse((p + u2 - u1) % p, p) % p
        } else if v1 == v2 && v1 != 0 {
            (3 * u1 * u1 + 2 * a * u1 + 1) % p * inverse(2 * b * v1 % p, p) % p
        } else {
            return None;
        };
        let u = (b * slope * slope + 3 * p - a - u1 - u2) % p;
        Some([u, (slope * (p + u1 - u) + p - v1) % p])
    }

    /// Every multiple of every point of the curve and of its twist, except the point of order 2 with u = 0, up to the
    /// number of points.
    fn check_multiples(arithmetic: impl Arithmetic, a: u64) {
        let p = arithmetic.modulus().as_words()[0];
        let a24 = (a + p - 2) % p * inverse(4, p) % p;
        let ladder = Ladder::new(&Plain, arithmetic, &uint(a24));
        let no_square = (1..p).find(|x| (1..p).all(|root| root * root % p != *x));
        for b in [1, no_square.unwrap()] {
            let all = (1..p).flat_map(|u| (0..p).map(move |v| [u, v]));
            let points = all.filter(|[u, v]| b * v * v % p == (u * u * u + a * u * u + u) % p);
            let points: Vec<_> = points.collect();
            for &[u, v] in &points {
                let mut multiple: Affine = None;
                for k in 0..=points.len() as u64 + 2 {
                    let found = ladder.multiply_vartime(&Plain, &uint(k), &uint(u));
                    let invert = |z: &BoxedUint| Some(uint(inverse(z.as_words()[0], p)));
                    let found = ladder.coordinate(&Plain, &found, invert);
                    let right = multiple.map(|[u, _]| uint(u));
                    assert_eq!(found, right, "{k} ({u}, {v}) for A = {a}, B = {b}");
                    multiple = sum([p, a, b], multiple, Some([u, v]));
                }
            }
        }
    }

    /// All curves over small primes (some of them, for the larger prime) and their twists, with each arithmetic.
    #[test]
    fn every_curve_over_small_primes() {
        for (p, most) in [(7, 7), (13, 4), (31, 2)] {
            let smooth = (0..p).filter(|a| a * a % p != 4);
            for a in smooth.take(most) {
                with_each_arithmetic!(&uint(p), 24, |arithmetic| check_multiples(arithmetic, a));
            }
        }
    }

    /// The base point of each curve has its order, and RFC 7748's test vectors (section 5.2) hold, with the bits of
    /// scalars set and cleared as it specifies.
    fn check_named(arithmetic: impl Arithmetic, named: &Named, [k, u, right]: [&str; 3]) {
        let ladder = Ladder::new(&Plain, arithmetic, &named.a24());
        let p = named.prime();
        let multiple = |k: &BoxedUint, u: &BoxedUint| {
            let multiple = ladder.multiply_vartime(&Plain, k, u);
            ladder.coordinate(&Plain, &multiple, |z| inverse_of(z, &p))
        };
        let base = uint(named.base.into());
        assert_eq!(multiple(&named.order(), &base), None);
        let less = named.order().wrapping_sub(BoxedUint::one());
        assert_eq!(multiple(&less, &base), Some(base));
        assert_eq!(multiple(&hex(k), &hex(u)), Some(hex(right)));
    }

    #[test]
    fn named_curves() {
        let x25519 = [
            "449a44ba44226a50185afcc10a4c1462dd5e46824b15163b9d7c52f06be346a0",
            "4c1cabd0a603a9103b35b326ec2466727c5fb124a4c19435db3030586768dbe6",
            "5285a2775507b454f7711c4903cfec324f088df24dea948e90c6e99d3755dac3",
        ];
        let x448 = [
            "d30a601c4f9a25294bf568a3eb4349f4bf8fd7cdf8244c989c770a70\
             21e1aad1d0045104efac8288d2349aa1fe665249888eecf9dd2f263c",
            "86a0f84efba7a78aa1ad94db2954fa8325dac6198cc3bddd31c04d81\
             f9080f027f4307bd4c3388ad8a3f26d5f26c5fdabf8734fa40e6fc06",
            "6f6bd93df7826276211e11613922989d77b0016ac65f44ebadba4fe1\
             9f235f6d54d712240ab579dffb6a5ed8b11dda9766dc605af94f3ece",
        ];
        for (named, vector) in [(CURVE25519, x25519), (CURVE448, x448)] {
            with_each_arithmetic!(&named.prime(), 62, |arithmetic| {
                check_named(arithmetic, &named, vector);
            });
        }
    }
}
