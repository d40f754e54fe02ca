//! Twisted Edwards curves `a x^2 + y^2 = 1 + d x^2 y^2` over any [`Arithmetic`], one operation at a time: a reference
//! to read, and to compare other implementations with.
//!
//! Points are extended, `(X : Y : Z : T)` for `(X/Z, Y/Z)` with `X Y = Z T`, and `(0 : 1 : 1 : 0)` is the neutral
//! one. There is one formula, the unified addition of H. Hisil, K. Wong, G. Carter and E. Dawson, "Twisted Edwards
//! curves revisited" (2008), section 3.1: it has no exceptions if a is a square and d is not, so that a doubling is
//! an addition, too.
//!
//! Nothing here is in constant time.

use crypto_bigint::BoxedUint;
use sunzi_rns::Channel;

use crate::arithmetic::Arithmetic;

/// A curve whose a is a square and whose d is not.
#[derive(Clone, Debug)]
pub struct Edwards<A: Arithmetic> {
    arithmetic: A,
    a: A::Number,
    d: A::Number,
}

/// A point `(X : Y : Z : T)` with `X Y = Z T`.
#[derive(Clone, Debug)]
pub struct Point<N> {
    /// `X`.
    pub x: N,
    /// `Y`.
    pub y: N,
    /// `Z`.
    pub z: N,
    /// `T`.
    pub t: N,
}

impl<A: Arithmetic> Edwards<A> {
    /// Number of products of an addition, of which [`Edwards::PRODUCTS_WITH_CONSTANTS`] are with a and d.
    pub const PRODUCTS: u32 = 11;
    /// Number of products of an addition with a or d.
    pub const PRODUCTS_WITH_CONSTANTS: u32 = 2;
    /// Number of sums and differences of an addition.
    pub const SUMS: u32 = 7;

    /// The curve with these coefficients.
    pub fn new(channel: &impl Channel, arithmetic: A, a: &BoxedUint, d: &BoxedUint) -> Self {
        Self {
            a: arithmetic.number(channel, a),
            d: arithmetic.number(channel, d),
            arithmetic,
        }
    }

    /// The arithmetic.
    pub fn arithmetic(&self) -> &A {
        &self.arithmetic
    }

    /// The point with these coordinates.
    pub fn point(&self, channel: &impl Channel, x: &BoxedUint, y: &BoxedUint) -> Point<A::Number> {
        let [x, y] = [x, y].map(|x| self.arithmetic.number(channel, x));
        Point {
            t: self.arithmetic.mul(channel, &x, &y),
            x,
            y,
            z: self.arithmetic.number(channel, &BoxedUint::one()),
        }
    }

    /// The neutral point `(0, 1)`.
    pub fn neutral(&self, channel: &impl Channel) -> Point<A::Number> {
        let number = |x| self.arithmetic.number(channel, x);
        let (zero, one) = (number(&BoxedUint::zero()), number(&BoxedUint::one()));
        Point {
            x: zero.clone(),
            y: one.clone(),
            z: one,
            t: zero,
        }
    }

    /// The coordinates `X/Z` and `Y/Z`; `invert` gives the inverse of an integer in `[1, P)`. `None` if it has no
    /// inverse.
    pub fn coordinates(
        &self,
        channel: &impl Channel,
        point: &Point<A::Number>,
        invert: impl FnOnce(&BoxedUint) -> Option<BoxedUint>,
    ) -> Option<[BoxedUint; 2]> {
        let f = &self.arithmetic;
        let inverse = f.number(channel, &invert(&f.integer(channel, &point.z))?);
        let divided = |x| f.integer(channel, &f.mul(channel, x, &inverse));
        Some([divided(&point.x), divided(&point.y)])
    }

    /// `P + Q`, for any two points.
    ///
    /// ```text
    /// xx = X1 X2      yy = Y1 Y2      tt = d T1 T2      zz = Z1 Z2
    /// e = X1 Y2 + Y1 X2      f = zz - tt      g = zz + tt      h = yy - a xx
    /// X3 = e f        Y3 = g h        T3 = e h          Z3 = f g
    /// ```
    ///
    /// e is `(X1 + Y1) (X2 + Y2) - xx - yy`. Cost: 11 products, 7 sums.
    #[must_use]
    pub fn add(
        &self,
        channel: &impl Channel,
        p: &Point<A::Number>,
        q: &Point<A::Number>,
    ) -> Point<A::Number> {
        let f = &self.arithmetic;
        let mul = |x: &A::Number, y: &A::Number| f.mul(channel, x, y);
        let add = |x: &A::Number, y: &A::Number| f.add(channel, x, y);
        let sub = |x: &A::Number, y: &A::Number| f.sub(channel, x, y);

        let (xx, yy, zz) = (mul(&p.x, &q.x), mul(&p.y, &q.y), mul(&p.z, &q.z));
        let tt = mul(&self.d, &mul(&p.t, &q.t));
        let e = sub(&mul(&add(&p.x, &p.y), &add(&q.x, &q.y)), &add(&xx, &yy));
        let (minus, plus) = (sub(&zz, &tt), add(&zz, &tt));
        let h = sub(&yy, &mul(&self.a, &xx));

        Point {
            x: mul(&e, &minus),
            y: mul(&plus, &h),
            z: mul(&minus, &plus),
            t: mul(&e, &h),
        }
    }

    /// `k P` by doubling and adding, from the highest bit of k down.
    pub fn multiply_vartime(
        &self,
        channel: &impl Channel,
        k: &BoxedUint,
        point: &Point<A::Number>,
    ) -> Point<A::Number> {
        let bits = k.bits_vartime();
        if bits == 0 {
            return self.neutral(channel);
        }
        let mut sum = point.clone();
        for bit in (0..bits - 1).rev() {
            sum = self.add(channel, &sum, &sum);
            if k.bit_vartime(bit) {
                sum = self.add(channel, &sum, point);
            }
        }
        sum
    }
}

/// The parameters of a curve of RFC 7748.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name of the curve.
    pub name: &'static str,
    /// p, a, d, x and y of the base point, and its order, in hexadecimal.
    hex: [&'static str; 6],
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

    /// a and d.
    pub fn coefficients(&self) -> [BoxedUint; 2] {
        [1, 2].map(|place| self.number(place))
    }

    /// The base point.
    pub fn base_point(&self) -> [BoxedUint; 2] {
        [3, 4].map(|place| self.number(place))
    }

    /// The order of the base point, a prime.
    pub fn order(&self) -> BoxedUint {
        self.number(5)
    }
}

/// The curve of Ed25519: a = -1 modulo `2^255 - 19` (RFC 8032, section 5.1).
pub const EDWARDS25519: Named = Named {
    name: "edwards25519",
    hex: [
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec",
        "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3",
        "216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a",
        "6666666666666666666666666666666666666666666666666666666666666658",
        "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
    ],
};

/// The curve of Ed448: a = 1 modulo `2^448 - 2^224 - 1` (RFC 8032, section 5.2).
pub const EDWARDS448: Named = Named {
    name: "edwards448",
    hex: [
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "1",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffffffffffffffffffffffffffffffffffffffffffffffff6756",
        "4f1970c66bed0ded221d15a622bf36da9e146570470f1767ea6de324\
         a3d3a46412ae1af72ab66511433b80e18b00938e2626a82bc70cc05e",
        "693f46716eb6bc248876203756c9c7624bea73736ca3984087789c1e\
         05a0c2d73ad3ff1ce67c39c4fdbd132c4ed7c8ad9808795bf230fa14",
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

    /// The textbook's group law, for a small prime.
    fn sum((p, a, d): (u64, u64, u64), [x1, y1]: [u64; 2], [x2, y2]: [u64; 2]) -> [u64; 2] {
        let e = d * x1 % p * x2 % p * y1 % p * y2 % p;
        let (plus, minus) = (inverse(1 + e, p), inverse(1 + p - e, p));
        let x = (x1 * y2 + y1 * x2) % p * plus;
        let y = (y1 * y2 + (p - a) * x1 % p * x2) % p * minus;
        [x % p, y % p]
    }

    /// Every sum of two points, and every multiple of every point up to the number of points, on a curve.
    fn check_group(arithmetic: impl Arithmetic, (a, d): (u64, u64)) {
        let p = arithmetic.modulus().as_words()[0];
        let curve = Edwards::new(&Plain, arithmetic, &uint(a), &uint(d));
        let all = (0..p).flat_map(|x| (0..p).map(move |y| [x, y]));
        let on_curve =
            all.filter(|[x, y]| (a * x * x + y * y) % p == (1 + d * x % p * x % p * y % p * y) % p);
        let all: Vec<_> = on_curve.collect();
        let point = |[x, y]: [u64; 2]| curve.point(&Plain, &uint(x), &uint(y));
        let affine = |point| {
            let invert = |z: &BoxedUint| Some(uint(inverse(z.as_words()[0], p)));
            let coordinates = curve.coordinates(&Plain, &point, invert).unwrap();
            coordinates.map(|x| x.as_words()[0])
        };
        for &left in &all {
            let p1 = point(left);
            for &right in &all {
                let found = affine(curve.add(&Plain, &p1, &point(right)));
                assert_eq!(found, sum((p, a, d), left, right), "{left:?} + {right:?}");
            }
            let mut multiple = [0, 1];
            for k in 0..=all.len() as u64 {
                let found = affine(curve.multiply_vartime(&Plain, &uint(k), &p1));
                assert_eq!(found, multiple, "{k} {left:?}");
                multiple = sum((p, a, d), multiple, left);
            }
        }
    }

    /// All curves over small primes with a square a (some of them, for the larger prime) and a d that is not a square,
    /// with each arithmetic.
    #[test]
    fn every_curve_over_small_primes() {
        for (p, most) in [(7, 9), (13, 6), (31, 2)] {
            let is_square = |x: u64| (1..p).any(|root| root * root % p == x);
            let pairs = (1..p).flat_map(|a| (1..p).map(move |d| (a, d)));
            // a = -1, if it is a square, and a = 1 come first.
            let mut chosen: Vec<_> = pairs
                .filter(|&(a, d)| is_square(a) && !is_square(d))
                .collect();
            chosen.sort_by_key(|(a, _)| ![1, p - 1].contains(a));
            assert!(chosen.len() >= most);
            for &pair in &chosen[..most] {
                with_each_arithmetic!(&uint(p), 24, |arithmetic| check_group(arithmetic, pair));
            }
        }
    }

    /// Checks that the base points of both curves have their orders, and that the public key of RFC 8032's first test
    /// for Ed25519 is the multiple by the number that SHA-512 derives from its secret key.
    fn check_named(arithmetic: impl Arithmetic, named: &Named) {
        let [a, d] = named.coefficients();
        let curve = Edwards::new(&Plain, arithmetic, &a, &d);
        let p = named.prime();
        let invert = |z: &BoxedUint| inverse_of(z, &p);
        let [x, y] = named.base_point();
        let base = curve.point(&Plain, &x, &y);
        let multiple = |k: &BoxedUint| {
            let multiple = curve.multiply_vartime(&Plain, k, &base);
            curve.coordinates(&Plain, &multiple, invert).unwrap()
        };
        assert_eq!(multiple(&named.order()), [uint(0), uint(1)]);
        let less = named.order().wrapping_sub(BoxedUint::one());
        assert_eq!(multiple(&less), [p.wrapping_sub(&x), y]);
        if *named == EDWARDS25519 {
            let k = hex("4fe94d9006f020a5a3c080d96827fffd3c010ac0f12e7a42cb33284f86837c30");
            let y = hex("1a5107f7681a02af2523a6daf372e10e3a0764c9d3fe4bd5b70ab18201985ad7");
            let [x, found] = multiple(&k);
            assert_eq!(found, y);
            assert!(!x.bit_vartime(0));
        }
    }

    #[test]
    fn named_curves() {
        for named in [EDWARDS25519, EDWARDS448] {
            with_each_arithmetic!(&named.prime(), 62, |arithmetic| {
                check_named(arithmetic, &named);
            });
        }
    }
}
