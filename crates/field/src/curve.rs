//! Elliptic curves `y^2 = x^3 + a x + b` over any [`Arithmetic`], one operation at a time: a reference to read, and to
//! compare other implementations with.
//!
//! Points are homogeneous, `(X : Y : Z)` for `(X/Z, Y/Z)`, with `(0 : 1 : 0)` for the point at
//! infinity. There is one formula, the addition of J. Renes, C. Costello and L. Batina, "Complete addition
//! formulas for prime order elliptic curves" (2016), algorithm 1: it has no exceptions on curves with an odd
//! number of points, so that a doubling is an addition, too.
//!
//! Nothing here is in constant time.

use crypto_bigint::BoxedUint;
use sunzi_rns::Channel;

use crate::arithmetic::Arithmetic;

/// A curve with an odd number of points.
#[derive(Clone, Debug)]
pub struct Curve<A: Arithmetic> {
    arithmetic: A,
    a: A::Number,
    /// 3 b.
    b3: A::Number,
}

/// A point `(X : Y : Z)`.
#[derive(Clone, Debug)]
pub struct Point<N> {
    /// `X`.
    pub x: N,
    /// `Y`.
    pub y: N,
    /// `Z`.
    pub z: N,
}

impl<A: Arithmetic> Curve<A> {
    /// Number of products of an addition, of which [`Curve::PRODUCTS_WITH_CONSTANTS`] are with a and 3 b.
    pub const PRODUCTS: u32 = 17;
    /// Number of products of an addition with a or 3 b.
    pub const PRODUCTS_WITH_CONSTANTS: u32 = 5;
    /// Number of sums and differences of an addition.
    pub const SUMS: u32 = 23;

    /// The curve with these coefficients.
    pub fn new(channel: &impl Channel, arithmetic: A, a: &BoxedUint, b: &BoxedUint) -> Self {
        let b = arithmetic.number(channel, b);
        let b2 = arithmetic.add(channel, &b, &b);
        Self {
            a: arithmetic.number(channel, a),
            b3: arithmetic.add(channel, &b2, &b),
            arithmetic,
        }
    }

    /// The arithmetic.
    pub fn arithmetic(&self) -> &A {
        &self.arithmetic
    }

    /// The point with these coordinates.
    pub fn point(&self, channel: &impl Channel, x: &BoxedUint, y: &BoxedUint) -> Point<A::Number> {
        let number = |x| self.arithmetic.number(channel, x);
        Point {
            x: number(x),
            y: number(y),
            z: number(&BoxedUint::one()),
        }
    }

    /// The point at infinity.
    pub fn infinity(&self, channel: &impl Channel) -> Point<A::Number> {
        let number = |x| self.arithmetic.number(channel, x);
        Point {
            x: number(&BoxedUint::zero()),
            y: number(&BoxedUint::one()),
            z: number(&BoxedUint::zero()),
        }
    }

    /// The coordinates `X/Z` and `Y/Z`, `None` for the point at infinity; `invert` gives the inverse of an integer in
    /// `[1, P)`.
    pub fn coordinates(
        &self,
        channel: &impl Channel,
        point: &Point<A::Number>,
        invert: impl FnOnce(&BoxedUint) -> Option<BoxedUint>,
    ) -> Option<[BoxedUint; 2]> {
        let f = &self.arithmetic;
        let z = f.integer(channel, &point.z);
        if z.is_zero().into() {
            return None;
        }
        let inverse = f.number(channel, &invert(&z)?);
        let divided = |x| f.integer(channel, &f.mul(channel, x, &inverse));
        Some([divided(&point.x), divided(&point.y)])
    }

    /// `P + Q`, for any two points.
    ///
    /// ```text
    /// xx = X1 X2               yy = Y1 Y2               zz = Z1 Z2
    /// xy = X1 Y2 + X2 Y1       xz = X1 Z2 + X2 Z1       yz = Y1 Z2 + Y2 Z1
    /// u = a xz + 3b zz         v = 3b xz + a (xx - a zz)        s = 3 xx + a zz
    /// X3 = xy (yy - u) - yz v
    /// Y3 = (yy + u) (yy - u) + s v
    /// Z3 = yz (yy + u) + xy s
    /// ```
    ///
    /// The sums of two products are `(X1 + Y1) (X2 + Y2) - xx - yy` and so on. Cost: 17 products, 23 sums.
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
        let xy = sub(&mul(&add(&p.x, &p.y), &add(&q.x, &q.y)), &add(&xx, &yy));
        let xz = sub(&mul(&add(&p.x, &p.z), &add(&q.x, &q.z)), &add(&xx, &zz));
        let yz = sub(&mul(&add(&p.y, &p.z), &add(&q.y, &q.z)), &add(&yy, &zz));

        let azz = mul(&self.a, &zz);
        let u = add(&mul(&self.a, &xz), &mul(&self.b3, &zz));
        let v = add(&mul(&self.b3, &xz), &mul(&self.a, &sub(&xx, &azz)));
        let s = add(&add(&add(&xx, &xx), &xx), &azz);
        let (plus, minus) = (add(&yy, &u), sub(&yy, &u));

        Point {
            x: sub(&mul(&xy, &minus), &mul(&yz, &v)),
            y: add(&mul(&plus, &minus), &mul(&s, &v)),
            z: add(&mul(&yz, &plus), &mul(&xy, &s)),
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
            return self.infinity(channel);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{hex, inverse, inverse_of, uint, with_each_arithmetic};
    use alloc::vec::Vec;
    use sunzi_rns::Plain;

    /// A point, or `None` at infinity.
    type Affine = Option<[u64; 2]>;

    /// The textbook's group law, for a small prime.
    fn sum((p, a): (u64, u64), left: Affine, right: Affine) -> Affine {
        let (Some([x1, y1]), Some([x2, y2])) = (left, right) else {
            return left.or(right);
        };
        let slope = if x1 != x2 {
            (p + y2 - y1) * inverse((p + x2 - x1) % p, p) % p
        } else if y1 == y2 && y1 != 0 {
            (3 * x1 * x1 + a) * inverse(2 * y1 % p, p) % p
        } else {
            return None;
        };
        let x = (slope * slope + 2 * p - x1 - x2) % p;
        Some([x, (slope * (p + x1 - x) + p - y1) % p])
    }

    /// All points of a curve over a small prime, the point at infinity first.
    fn points(p: u64, a: u64, b: u64) -> Vec<Affine> {
        let all = (0..p).flat_map(|x| (0..p).map(move |y| [x, y]));
        let on_curve = all.filter(|[x, y]| y * y % p == (x * x * x + a * x + b) % p);
        core::iter::once(None).chain(on_curve.map(Some)).collect()
    }

    /// Every sum of two points, and every multiple of every point up to the number of points, on a curve.
    fn check_group(arithmetic: &(impl Arithmetic + Clone), a: u64, b: u64) {
        let p = arithmetic.modulus().as_words()[0];
        let curve = Curve::new(&Plain, arithmetic.clone(), &uint(a), &uint(b));
        let all = points(p, a, b);
        let point = |affine: Affine| match affine {
            Some([x, y]) => curve.point(&Plain, &uint(x), &uint(y)),
            None => curve.infinity(&Plain),
        };
        let affine = |point| {
            let invert = |z: &BoxedUint| Some(uint(inverse(z.as_words()[0], p)));
            let coordinates = curve.coordinates(&Plain, &point, invert);
            coordinates.map(|coordinates| coordinates.map(|x| x.as_words()[0]))
        };
        for &left in &all {
            let p1 = point(left);
            for &right in &all {
                let found = affine(curve.add(&Plain, &p1, &point(right)));
                assert_eq!(found, sum((p, a), left, right), "{left:?} + {right:?}");
            }
            let mut multiple = None;
            for k in 0..=all.len() as u64 {
                let found = affine(curve.multiply_vartime(&Plain, &uint(k), &p1));
                assert_eq!(found, multiple, "{k} {left:?}");
                multiple = sum((p, a), multiple, left);
            }
        }
    }

    /// All curves with an odd number of points over a small prime, with each arithmetic that takes it.
    #[test]
    fn every_curve_over_small_primes() {
        for (p, most) in [(7, 49), (11, 6), (31, 3)] {
            let coefficients = (0..p).flat_map(|a| (0..p).map(move |b| (a, b)));
            let smooth = coefficients.filter(|(a, b)| (4 * a * a * a + 27 * b * b) % p != 0);
            let odd = smooth.filter(|&(a, b)| points(p, a, b).len() % 2 == 1);
            // a = 0 and a = -3 are among the first.
            let mut chosen: Vec<_> = odd.collect();
            chosen.sort_by_key(|(a, _)| ![0, p - 3].contains(a));
            for &(a, b) in chosen.iter().take(most) {
                with_each_arithmetic!(&uint(p), 24, |arithmetic| check_group(&arithmetic, a, b));
            }
        }
    }

    /// Checks secp256k1 with an arithmetic: 2 G is as in SEC 2's test vectors, and n G is at infinity.
    fn check_secp256k1(arithmetic: impl Arithmetic) {
        let curve = Curve::new(&Plain, arithmetic, &uint(0), &uint(7));
        let x = hex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
        let y = hex("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8");
        let n = hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
        let generator = curve.point(&Plain, &x, &y);
        let invert = |z: &BoxedUint| inverse_of(z, curve.arithmetic().modulus());
        let double = curve.multiply_vartime(&Plain, &uint(2), &generator);
        let [x2, _] = curve.coordinates(&Plain, &double, invert).unwrap();
        let right = hex("c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5");
        assert_eq!(x2, right);
        let less = n.wrapping_sub(BoxedUint::one());
        let opposite = curve.multiply_vartime(&Plain, &less, &generator);
        let [x3, y3] = curve.coordinates(&Plain, &opposite, invert).unwrap();
        let p = curve.arithmetic().modulus();
        assert_eq!((x3, y3.wrapping_add(&y)), (x, p.clone()));
        let infinity = curve.multiply_vartime(&Plain, &n, &generator);
        assert_eq!(curve.coordinates(&Plain, &infinity, invert), None);
    }

    #[test]
    fn secp256k1() {
        let p = hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f");
        with_each_arithmetic!(&p, 62, |arithmetic| check_secp256k1(arithmetic));
    }
}
