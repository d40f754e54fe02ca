//! Point formulas as parts of programs, for curves `y^2 = x^3 + a x + b` with an odd number of
//! points.
//!
//! In residues a sum of products costs one reduction, whatever its length, and small multiples,
//! sums and differences next to nothing. The formulas are written for that: R counts reductions.
//! Points are homogeneous, `(X : Y : Z)` for `(X/Z, Y/Z)`, with `(0 : Y : 0)` for the point at
//! infinity, and their additions have no exceptions; or they are Jacobian, `(X/Z^2, Y/Z^3)`, with fewer products.

use sunzi_engine::program::formulas::weierstrass::{
    self, AddAffineJacobian, AddAffineZero, AddJacobian, AddZero,
};
use sunzi_engine::program::{Builder, Stream, Value};

/// A curve's coefficients as values, with its kind, for the formulas.
pub(super) struct Coefficients {
    pub(super) a: CoefficientA,
    /// 3 b.
    pub(super) b3: Factor,
    /// 1 in Montgomery form.
    pub(super) one: Value,
}

/// The coefficient a.
#[derive(Clone, Copy)]
pub(super) enum CoefficientA {
    Zero,
    MinusThree,
    Other(Value),
}

/// A factor of products.
#[derive(Clone, Copy)]
pub(super) enum Factor {
    /// A number so small that a product with it is not reduced.
    Small(u32),
    /// Any other number.
    Any(Value),
}

impl Factor {
    fn times(self, builder: &mut Builder, x: Value) -> Value {
        match self {
            Self::Small(factor) => builder.scale(x, factor),
            Self::Any(y) => builder.fitting_product(x, y),
        }
    }
}

/// A point `(X : Y : Z)`. In Montgomery form, like all values here.
#[derive(Clone, Copy)]
pub(super) struct Homogeneous {
    pub(super) x: Value,
    pub(super) y: Value,
    pub(super) z: Value,
}

/// A point `(X/Z^2, Y/Z^3)`; with Z = 0 a point that is not known, which stays so. In Montgomery form.
#[derive(Clone, Copy)]
pub(super) struct Jacobian {
    pub(super) x: Value,
    pub(super) y: Value,
    pub(super) z: Value,
}

/// A point of a table as a summand in Jacobian coordinates.
#[derive(Clone, Copy)]
pub(super) struct JacobianEntry {
    pub(super) x: Value,
    pub(super) y: Value,
    /// `z`, `z^2` and `z^3`; `None` for 1.
    pub(super) z: Option<[Value; 3]>,
    /// As in [`Entry`].
    pub(super) sign: Option<(Stream, u32)>,
}

impl Jacobian {
    /// The point in homogeneous coordinates. 3 R.
    pub(super) fn to_homogeneous(self, builder: &mut Builder) -> Homogeneous {
        let [x, y, z] = builder.apply(weierstrass::FromJacobian, [self.x, self.y, self.z]);
        Homogeneous { x, y, z }
    }

    /// The sum of a point, if there is one, and an entry, on any curve: 13 R, and 10 R for an entry with Z = 1. For a point that
    /// is the summand or its negative, the Z of the sum is 0. `one` is 1.
    pub(super) fn add_to(
        builder: &mut Builder,
        point: Option<Self>,
        entry: &JacobianEntry,
        one: Value,
    ) -> Self {
        let JacobianEntry {
            x: x2,
            y: y2,
            z: powers,
            sign,
        } = *entry;
        let Some(Self { x, y, z }) = point else {
            let y = match sign {
                Some((signs, position)) => builder.negate_if(y2, signs, position),
                None => y2,
            };
            let z = powers.map_or(one, |[z, ..]| z);
            return Self { x: x2, y, z };
        };
        let [x, y, z] = if let Some([z2, square, cube]) = powers {
            let inputs = [x, y, z, x2, y2, z2, square, cube];
            builder.apply_with(AddJacobian, inputs, sign)
        } else {
            let inputs = [x, y, z, x2, y2];
            let [x, y, z, _] = builder.apply_with(AddAffineJacobian, inputs, sign);
            [x, y, z]
        };
        Self { x, y, z }
    }

    /// The sum of this point and an affine one, as [`add_to`](Self::add_to), and the quotient of the new Z and
    /// the old one.
    pub(super) fn add_affine(self, builder: &mut Builder, [x2, y2]: [Value; 2]) -> (Self, Value) {
        let inputs = [self.x, self.y, self.z, x2, y2];
        let [x, y, z, ratio] = builder.apply(AddAffineJacobian, inputs);
        (Self { x, y, z }, ratio)
    }
}

/// A number with its square and its cube. 2 R.
pub(super) fn powers(builder: &mut Builder, z: Value) -> [Value; 3] {
    let square = builder.fitting_product(z, z);
    [z, square, builder.fitting_product(square, z)]
}

/// A point of a table as a summand.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) x: Value,
    pub(super) y: Value,
    /// z; `None` for 1.
    pub(super) z: Option<Value>,
    /// `a X + 3 b Z` and `3 b X - a^2 Z`; `None` for a = 0, and for a = -3 with z = 1, where 3 b is multiplied in later.
    pub(super) products: Option<[Value; 2]>,
    /// `a Z`, if a is neither 0 nor -3.
    pub(super) az: Option<Value>,
    /// The digit that is 1 where the summand is the negative of the point, if there is one.
    pub(super) sign: Option<(Stream, u32)>,
}

impl Entry {
    /// y of the summand.
    fn y_with_sign(&self, builder: &mut Builder) -> Value {
        match self.sign {
            Some((signs, position)) => builder.negate_if(self.y, signs, position),
            None => self.y,
        }
    }
}

/// 3 b of the curves with a = 0 that additions are compiled for.
const SECP256K1: u32 = 21;
const BLS12_381: u32 = 12;
const BN254: u32 = 9;

impl Coefficients {
    /// `P + Q` for two points. 9 R (a = 0), 11 R (a = -3) or 14 R.
    pub(super) fn add_points(
        &self,
        builder: &mut Builder,
        point: Homogeneous,
        other: Homogeneous,
    ) -> Homogeneous {
        let entry = self.entry(builder, [other.x, other.y], Some(other.z));
        self.add(builder, point, &entry)
    }

    /// `3 b z`; z is 1 if there is none.
    fn b3_times(&self, builder: &mut Builder, z: Option<Value>) -> Value {
        match (self.b3, z) {
            (Factor::Any(b3), None) => b3,
            (b3, z) => b3.times(builder, z.unwrap_or(self.one)),
        }
    }

    /// A point as an entry, with the products that additions need; z is 1 if there is none. 2 R for a = -3, none for a = 0
    /// and for a = -3 with z = 1, 5 R for any a.
    pub(super) fn entry(
        &self,
        builder: &mut Builder,
        [x, y]: [Value; 2],
        z: Option<Value>,
    ) -> Entry {
        let (products, az) = match (self.a, z) {
            (CoefficientA::Zero, _) | (CoefficientA::MinusThree, None) => (None, None),
            (CoefficientA::MinusThree, Some(_)) => {
                (Some(self.products_for_minus_three(builder, x, z)), None)
            }
            (CoefficientA::Other(a), z) => {
                let az = z.map_or(a, |z| builder.fitting_product(a, z));
                let (ax, bz) = (builder.fitting_product(a, x), self.b3_times(builder, z));
                let p = builder.add(ax, bz);
                let bx = self.b3_times(builder, Some(x));
                let a2z = builder.fitting_product(a, az);
                (Some([p, builder.subtract(bx, a2z)]), Some(az))
            }
        };
        Entry {
            x,
            y,
            z,
            products,
            az,
            sign: None,
        }
    }

    /// `3 b Z - 3 X` and `3 b X - 9 Z`; z is 1 if there is none.
    fn products_for_minus_three(
        &self,
        builder: &mut Builder,
        x: Value,
        z: Option<Value>,
    ) -> [Value; 2] {
        let bz = self.b3_times(builder, z);
        let x3 = builder.scale(x, 3);
        let p = builder.subtract(bz, x3);
        let bx = self.b3_times(builder, Some(x));
        let z9 = builder.scale(z.unwrap_or(self.one), 9);
        [p, builder.subtract(bx, z9)]
    }

    /// [`entry`](Self::entry) of a point with z = 1 that is added so often that its products pay, for a = -3, too: then an
    /// addition takes 9 R instead of 10 R, and compiled code is not used.
    pub(super) fn lasting_entry(&self, builder: &mut Builder, [x, y]: [Value; 2]) -> Entry {
        let entry = self.entry(builder, [x, y], None);
        match self.a {
            CoefficientA::MinusThree => Entry {
                products: Some(self.products_for_minus_three(builder, x, None)),
                ..entry
            },
            CoefficientA::Zero | CoefficientA::Other(_) => entry,
        }
    }

    /// The sum of a point, if there is one, and an entry.
    pub(super) fn add_to(
        &self,
        builder: &mut Builder,
        point: Option<Homogeneous>,
        entry: &Entry,
    ) -> Homogeneous {
        match point {
            Some(point) => self.add(builder, point, entry),
            None => Homogeneous {
                x: entry.x,
                y: entry.y_with_sign(builder),
                z: entry.z.unwrap_or(self.one),
            },
        }
    }

    /// `P + Q` for any two points of a curve with an odd number of points, also for P = Q, P = -Q
    /// and at infinity (Renes, Costello and Batina, 2016, algorithms 1, 4 and 7, as sums of
    /// products). 9 R; 8 R for a = 0, a small b and an entry with Z = 1.
    ///
    /// ```text
    /// t1 = Y1 Y2    t3 = X1 Y2 + X2 Y1    t4 = Y1 Z2 + Y2 Z1
    /// u = a (X1 Z2 + X2 Z1) + 3 b Z1 Z2 = X1 (a Z2) + Z1 p        p = a X2 + 3 b Z2
    /// v = a X1 X2 + 3 b (X1 Z2 + X2 Z1) - a^2 Z1 Z2 = X1 p + Z1 q  q = 3 b X2 - a^2 Z2
    /// s = 3 X1 X2 + a Z1 Z2
    /// X3 = t3 (t1 - u) - t4 v    Y3 = s v + (t1 + u) (t1 - u)    Z3 = t4 (t1 + u) + t3 s
    /// ```
    pub(super) fn add(
        &self,
        builder: &mut Builder,
        point: Homogeneous,
        entry: &Entry,
    ) -> Homogeneous {
        if let Some([x, y, z]) = self.add_by_formula(builder, point, entry) {
            return Homogeneous { x, y, z };
        }
        let Homogeneous { x, y, z } = point;
        let y2 = entry.y_with_sign(builder);
        let t1 = builder.fitting_product(y, y2);
        let t3 = builder.fitting_sum(&[(false, x, y2), (false, y, entry.x)]);
        let t4 = if let Some(z2) = entry.z {
            builder.fitting_sum(&[(false, y, z2), (false, z, y2)])
        } else {
            let product = builder.fitting_product(z, y2);
            builder.add(product, y)
        };
        let [u, v, s] = self.mixed_terms(builder, point, entry);
        let (plus, minus) = (builder.add(t1, u), builder.subtract(t1, u));
        let x3 = builder.fitting_sum(&[(false, t3, minus), (true, v, t4)]);
        let y3 = builder.fitting_sum(&[(false, s, v), (false, plus, minus)]);
        let z3 = builder.fitting_sum(&[(false, t4, plus), (false, t3, s)]);
        Homogeneous {
            x: x3,
            y: y3,
            z: z3,
        }
    }

    /// The sum by the formulas that devices compile; `None` for other curves.
    fn add_by_formula(
        &self,
        builder: &mut Builder,
        Homogeneous { x, y, z }: Homogeneous,
        entry: &Entry,
    ) -> Option<[Value; 3]> {
        let Entry {
            x: x2, y: y2, sign, ..
        } = *entry;
        Some(match (self.a, self.b3, entry.products, entry.z) {
            (CoefficientA::MinusThree, _, Some([p, q]), Some(z2)) => {
                let inputs = [x, y, z, x2, y2, z2, p, q];
                builder.apply_with(weierstrass::AddMinusThree, inputs, sign)
            }
            (CoefficientA::MinusThree, _, Some([p, q]), None) => {
                let y2 = entry.y_with_sign(builder);
                let inputs = [x, y, z, x2, y2, p, q];
                weierstrass::add_affine_with_products(builder, inputs)
            }
            (CoefficientA::MinusThree, Factor::Any(b3), None, None) => {
                let inputs = [x, y, z, x2, y2, b3];
                builder.apply_with(weierstrass::AddAffineMinusThree, inputs, sign)
            }
            (CoefficientA::Zero, Factor::Small(b3), _, Some(z2)) => {
                let inputs = [x, y, z, x2, y2, z2];
                match b3 {
                    SECP256K1 => builder.apply_with(AddZero::<SECP256K1>, inputs, sign),
                    BLS12_381 => builder.apply_with(AddZero::<BLS12_381>, inputs, sign),
                    BN254 => builder.apply_with(AddZero::<BN254>, inputs, sign),
                    _ => return None,
                }
            }
            (CoefficientA::Zero, Factor::Small(b3), _, None) => {
                let inputs = [x, y, z, x2, y2];
                match b3 {
                    SECP256K1 => builder.apply_with(AddAffineZero::<SECP256K1>, inputs, sign),
                    BLS12_381 => builder.apply_with(AddAffineZero::<BLS12_381>, inputs, sign),
                    BN254 => builder.apply_with(AddAffineZero::<BN254>, inputs, sign),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// u, v and s of [`add`](Self::add).
    fn mixed_terms(&self, builder: &mut Builder, point: Homogeneous, entry: &Entry) -> [Value; 3] {
        let Homogeneous { x, z, .. } = point;
        if let (CoefficientA::Other(_), Some([p, q])) = (self.a, entry.products) {
            let az = entry.az.unwrap_or(self.one);
            let u = builder.fitting_sum(&[(false, x, az), (false, z, p)]);
            let v = builder.fitting_sum(&[(false, x, p), (false, z, q)]);
            let x3 = builder.scale(x, 3);
            let s = builder.fitting_sum(&[(false, x3, entry.x), (false, z, az)]);
            return [u, v, s];
        }
        let (zz, cross) = if let Some(z2) = entry.z {
            let cross = [(false, x, z2), (false, z, entry.x)];
            (builder.fitting_product(z, z2), builder.fitting_sum(&cross))
        } else {
            let cross = builder.fitting_product(z, entry.x);
            (z, builder.add(cross, x))
        };
        let u = self.b3.times(builder, zz);
        let v = self.b3.times(builder, cross);
        let product = builder.fitting_product(x, entry.x);
        [u, v, builder.scale(product, 3)]
    }

    /// `3 (Y^2 Z - X^3 - a X Z^2 - b Z^3)`, which is 0 for points of the curve, and for (0, 0, 0):
    /// `Z (3 Y^2 - 3 b Z^2) - X (3 X^2 + 3 a Z^2)`. 4 R, and one more each for a 3 b that is not
    /// small and for any a.
    pub(super) fn equation(&self, builder: &mut Builder, point: Homogeneous) -> Value {
        let Homogeneous { x, y, z } = point;
        let [xx, yy, zz] = [x, y, z].map(|coordinate| {
            let square = builder.fitting_product(coordinate, coordinate);
            (square, builder.scale(square, 3))
        });
        let b3zz = self.b3.times(builder, zz.0);
        let with_z = builder.subtract(yy.1, b3zz);
        let with_x = match self.a {
            CoefficientA::Zero => xx.1,
            CoefficientA::MinusThree => {
                let zz9 = builder.scale(zz.1, 3);
                builder.subtract(xx.1, zz9)
            }
            CoefficientA::Other(a) => {
                let azz = builder.fitting_product(a, zz.1);
                builder.add(xx.1, azz)
            }
        };
        builder.fitting_sum(&[(false, z, with_z), (true, x, with_x)])
    }

    /// `2 P` for any point, by [`add`](Self::add). 11 R for a = -3, 9 R for a = 0 and a small b.
    pub(super) fn double(&self, builder: &mut Builder, point: Homogeneous) -> Homogeneous {
        let entry = self.entry(builder, [point.x, point.y], Some(point.z));
        self.add(builder, point, &entry)
    }

    /// `2^times P`: 7 R (a = -3), 6 R (a = 0) or 8 R for each doubling. For a point at infinity Z stays 0.
    pub(super) fn double_jacobian(
        &self,
        builder: &mut Builder,
        point: Jacobian,
        times: u32,
    ) -> Jacobian {
        let Jacobian { x, y, z } = point;
        let point = [x, y, z];
        let [x, y, z] = match self.a {
            CoefficientA::Zero => {
                builder.apply_repeatedly(weierstrass::DoubleJacobian::<false>, point, None, times)
            }
            CoefficientA::MinusThree => {
                builder.apply_repeatedly(weierstrass::DoubleJacobian::<true>, point, None, times)
            }
            CoefficientA::Other(a) => {
                (0..times).fold(point, |point, _| double_jacobian(builder, a, point))
            }
        };
        Jacobian { x, y, z }
    }
}

/// [`weierstrass::DoubleJacobian`] for any a. 8 R.
fn double_jacobian(builder: &mut Builder, a: Value, [x, y, z]: [Value; 3]) -> [Value; 3] {
    let zz = builder.fitting_product(z, z);
    let (x3, azz) = (builder.scale(x, 3), builder.fitting_product(a, zz));
    let slope = builder.fitting_sum(&[(false, x3, x), (false, azz, zz)]);
    let yy = builder.fitting_product(y, y);
    let xyy = builder.fitting_product(x, yy);
    let yz = builder.fitting_product(y, z);
    weierstrass::doubled(builder, slope, xyy, yy, yz)
}
