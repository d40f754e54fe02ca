//! Points of the curve of G2 as parts of programs: `y^2 = x^3 + b` over Fp2. Public, but for what selects them.
//!
//! Points are homogeneous, `(X : Y : Z)` for `(X/Z, Y/Z)`. The curve has an odd number of points, so that these formulas
//! have no exceptions (Renes, Costello and Batina, 2016, algorithms 7 and 9, as sums of products).

use super::doublings::Doublings;
use super::parameters::{B3, Construction, Parameters};
use super::tower::{Factor, Fp2, Tower, sum};
use sunzi_engine::program::Builder;

/// `3 b` as a factor, for the b of a curve.
#[derive(Clone, Copy)]
pub(super) enum TripleB {
    /// That of BLS12-381.
    Bls12_381,
    /// Any number.
    Number(Factor),
}

impl TripleB {
    /// That of a curve.
    pub(super) fn of(builder: &mut Builder, parameters: &Parameters) -> Self {
        match parameters.construction {
            Construction::BarretoLynnScott => Self::Bls12_381,
            Construction::BarretoNaehrig => {
                let b = &parameters.b;
                let number = Fp2::constant(builder, &b.add(b).add(b));
                Self::Number(number.factor(builder))
            }
        }
    }

    /// `3 b x`. 2 L, or a product.
    fn times(self, builder: &mut Builder, x: Fp2) -> Fp2 {
        match self {
            Self::Bls12_381 => {
                let x = x.times_xi(builder, Tower::BLS12_381.xi);
                x.scale(builder, B3)
            }
            Self::Number(number) => sum(builder, &[(number, x)]),
        }
    }
}

/// A point `(X : Y : Z)`; `(0 : Y : 0)` is the one at infinity.
#[derive(Clone, Copy)]
pub(super) struct Twisted {
    /// `3 b` of its curve.
    pub(super) b3: TripleB,
    pub(super) x: Fp2,
    pub(super) y: Fp2,
    pub(super) z: Fp2,
}

/// A doubled point, and the numbers on the way that a tangent takes.
pub(super) struct Doubled {
    pub(super) point: Twisted,
    /// `Y^2`.
    pub(super) yy: Fp2,
    /// `Y Z`.
    pub(super) yz: Fp2,
    /// `3 b Z^2`.
    pub(super) e: Fp2,
}

impl Twisted {
    /// The point with these coordinates and Z = 1.
    pub(super) fn affine(builder: &mut Builder, b3: TripleB, [x, y]: [Fp2; 2]) -> Self {
        let z = Fp2::one(builder);
        Self { b3, x, y, z }
    }

    /// Puts out the coordinates, six numbers, and the norm of Z.
    pub(super) fn output(self, builder: &mut Builder) {
        let Self { x, y, z, .. } = self;
        for coordinate in [x, y, z] {
            coordinate.output(builder);
        }
        let norm = z.norm(builder);
        builder.output(norm);
    }

    pub(super) fn negate(self, builder: &mut Builder) -> Self {
        let y = self.y.negate(builder);
        Self { y, ..self }
    }

    /// `2 P`. 14 R, 28 T.
    ///
    /// ```text
    /// e = 3 b Z^2    d = Y^2 - 3 e
    /// X3 = 2 X Y d    Y3 = d (Y^2 + e) + 8 Y^2 e    Z3 = 8 Y^2 Y Z
    /// ```
    pub(super) fn double(self, builder: &mut Builder) -> Doubled {
        let Self { b3, x, y, z } = self;
        let yy = y.square(builder);
        let zz = z.square(builder);
        let e = b3.times(builder, zz);
        let y = y.factor(builder);
        let yz = sum(builder, &[(y, z)]);
        let xy = sum(builder, &[(y, x)]);
        let e3 = e.scale(builder, 3);
        let d = yy.subtract(builder, e3);
        let d = d.factor(builder);
        let xy2 = xy.scale(builder, 2);
        let plus = yy.add(builder, e);
        let yy8 = yy.scale(builder, 8);
        let yy8 = yy8.factor(builder);
        let point = Self {
            b3,
            x: sum(builder, &[(d, xy2)]),
            y: sum(builder, &[(d, plus), (yy8, e)]),
            z: sum(builder, &[(yy8, yz)]),
        };
        Doubled { point, yy, yz, e }
    }

    /// `2^times P` by these formulas.
    pub(super) fn double_by(self, builder: &mut Builder, doublings: Doublings, times: u32) -> Self {
        match doublings {
            Doublings::Jacobian => self.double_times(builder, times),
            Doublings::Complete => (0..times).fold(self, |sum, _| sum.double(builder).point),
        }
    }

    /// `2^times P` for a point other than that at infinity, in Jacobian coordinates on the way: 12 R for each doubling
    /// and 6 R for the way back, or 14 R for a single one.
    ///
    /// The point at infinity becomes `(0, 0, 0)`, which all formulas keep.
    pub(super) fn double_times(self, builder: &mut Builder, times: u32) -> Self {
        if times == 1 {
            return self.double(builder).point;
        }
        let Self { b3, x, y, z } = self;
        // Homogeneous to Jacobian: W = 3 X^2, m = Y Z, e = Y m.
        let xx = x.square(builder);
        let y = y.factor(builder);
        let m = sum(builder, &[(y, z)]);
        let e = sum(builder, &[(y, m)]);
        let xe = x.multiply(builder, e);
        let mut point = doubled(builder, [xx, xe, e, m]);
        for _ in 1..times {
            let [x, y, z] = point;
            let (xx, yy) = (x.square(builder), y.square(builder));
            let xyy = x.multiply(builder, yy);
            let yz = y.multiply(builder, z);
            point = doubled(builder, [xx, xyy, yy, yz]);
        }
        let [x, y, z] = point;
        let zz = z.square(builder);
        let z = z.factor(builder);
        Self {
            b3,
            x: sum(builder, &[(z, x)]),
            y,
            z: sum(builder, &[(z, zz)]),
        }
    }

    /// `P + Q`. 18 R, 60 T.
    ///
    /// ```text
    /// t1 = Y1 Y2    t3 = X1 Y2 + X2 Y1    t4 = Y1 Z2 + Y2 Z1
    /// u = 3 b Z1 Z2    v = 3 b (X1 Z2 + X2 Z1)    s = 3 X1 X2
    /// X3 = t3 (t1 - u) - t4 v    Y3 = s v + (t1 + u) (t1 - u)    Z3 = t4 (t1 + u) + t3 s
    /// ```
    pub(super) fn add(self, builder: &mut Builder, other: Self) -> Self {
        let [x1, y1, z1] = [self.x, self.y, self.z].map(|x| x.factor(builder));
        let (x2, y2, z2) = (other.x, other.y, other.z);
        let t1 = sum(builder, &[(y1, y2)]);
        let t3 = sum(builder, &[(x1, y2), (y1, x2)]);
        let t4 = sum(builder, &[(y1, z2), (z1, y2)]);
        let zz = sum(builder, &[(z1, z2)]);
        let cross = sum(builder, &[(x1, z2), (z1, x2)]);
        let xx = sum(builder, &[(x1, x2)]);
        Self::combine(builder, self.b3, [t1, t3, t4, zz, cross, xx])
    }

    /// `P + Q` for a Q with Z = 1. 16 R, 48 T.
    pub(super) fn add_affine(self, builder: &mut Builder, [x2, y2]: [Fp2; 2]) -> Self {
        let [x1, y1, z1] = [self.x, self.y, self.z].map(|x| x.factor(builder));
        let t1 = sum(builder, &[(y1, y2)]);
        let t3 = sum(builder, &[(x1, y2), (y1, x2)]);
        let t4 = sum(builder, &[(z1, y2)]);
        let t4 = t4.add(builder, self.y);
        let cross = sum(builder, &[(z1, x2)]);
        let cross = cross.add(builder, self.x);
        let xx = sum(builder, &[(x1, x2)]);
        Self::combine(builder, self.b3, [t1, t3, t4, self.z, cross, xx])
    }

    /// The sum, by the products of [`add`](Self::add).
    fn combine(builder: &mut Builder, b3: TripleB, [t1, t3, t4, zz, cross, xx]: [Fp2; 6]) -> Self {
        let u = b3.times(builder, zz);
        let v = b3.times(builder, cross);
        let s = xx.scale(builder, 3);
        let (plus, minus) = (t1.add(builder, u), t1.subtract(builder, u));
        let minus_v = v.negate(builder);
        let [t3, t4, v, minus_factor] = [t3, t4, v, minus].map(|x| x.factor(builder));
        Self {
            b3,
            x: sum(builder, &[(t3, minus), (t4, minus_v)]),
            y: sum(builder, &[(v, s), (minus_factor, plus)]),
            z: sum(builder, &[(t4, plus), (t3, s)]),
        }
    }
}

/// The Jacobian coordinates of a doubled point, by a third W/3 of the slope, `X e`, e and m.
///
/// ```text
/// X3 = W^2 - 8 X e    Y3 = W (4 X e - X3) - 8 e^2    Z3 = 2 m
/// ```
fn doubled(builder: &mut Builder, [third, xe, e, m]: [Fp2; 4]) -> [Fp2; 3] {
    let slope = third.scale(builder, 3);
    let square = slope.square(builder);
    let xe8 = xe.scale(builder, 8);
    let x = square.subtract(builder, xe8);
    let xe4 = xe.scale(builder, 4);
    let rest = xe4.subtract(builder, x);
    let e8 = e.scale(builder, 8);
    let minus_e8 = e8.negate(builder);
    let (slope, e) = (slope.factor(builder), e.factor(builder));
    let y = sum(builder, &[(slope, rest), (e, minus_e8)]);
    [x, y, m.scale(builder, 2)]
}
