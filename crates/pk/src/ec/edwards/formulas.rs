//! Point formulas as parts of programs (Hisil, Wong, Carter and Dawson, "Twisted Edwards curves
//! revisited", 2008). R counts reductions: a sum of products costs one.
//!
//! Points are `(X : Y : Z)` for `(X/Z, Y/Z)`, extended by `T = X Y/Z` where an addition follows.

use super::curve::CoefficientA;
use sunzi_engine::program::{Builder, Value};

/// A point with `Z != 0`. In Montgomery form, like all values here.
#[derive(Clone, Copy)]
pub(super) struct Extended {
    pub(super) x: Value,
    pub(super) y: Value,
    pub(super) z: Value,
    /// Two numbers whose product is T.
    pub(super) t: [Value; 2],
}

impl Extended {
    /// T. 1 R.
    pub(super) fn t(&self, builder: &mut Builder) -> Value {
        builder.fitting_product(self.t[0], self.t[1])
    }
}

/// The point `(E F : G H : F G)` with `T = E H`; x is `E/G`, and y is `H/F`.
#[derive(Clone, Copy)]
pub(super) struct Factors {
    pub(super) e: Value,
    pub(super) f: Value,
    pub(super) g: Value,
    pub(super) h: Value,
}

impl Factors {
    /// The point. 3 R.
    pub(super) fn point(self, builder: &mut Builder) -> Extended {
        let Self { e, f, g, h } = self;
        Extended {
            x: builder.fitting_product(e, f),
            y: builder.fitting_product(g, h),
            z: builder.fitting_product(f, g),
            t: [e, h],
        }
    }
}

/// A point as a summand: numbers that are factors of products, all up to a common factor.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// X for a = 1, and `Y + X` for a = -1.
    pub(super) first: Value,
    /// Y for a = 1, and `Y - X` for a = -1.
    pub(super) second: Value,
    /// Z for a = 1, and `2 Z` for a = -1.
    pub(super) z: Factor,
    /// `d T` for a = 1, and `2 d T` for a = -1.
    pub(super) t: Value,
}

/// A factor of products.
#[derive(Clone, Copy)]
pub(super) enum Factor {
    One,
    Two,
    Any(Value),
}

impl Factor {
    pub(super) fn value(self, builder: &mut Builder) -> Value {
        match self {
            Self::One => builder.montgomery_one(),
            Self::Two => {
                let one = builder.montgomery_one();
                builder.scale(one, 2)
            }
            Self::Any(value) => value,
        }
    }

    fn times(self, builder: &mut Builder, x: Value) -> Value {
        match self {
            Self::One => x,
            Self::Two => builder.scale(x, 2),
            Self::Any(y) => builder.fitting_product(x, y),
        }
    }
}

impl Entry {
    /// The negative of the point.
    pub(super) fn negated(self, builder: &mut Builder, a: CoefficientA) -> Self {
        let t = builder.negate(self.t);
        match a {
            CoefficientA::One => Self {
                first: builder.negate(self.first),
                t,
                ..self
            },
            CoefficientA::MinusOne => Self {
                first: self.second,
                second: self.first,
                t,
                ..self
            },
        }
    }
}

impl CoefficientA {
    /// A point as an entry, where t is its T, and `d` is d for a = 1 and `2 d` for a = -1. 1 R.
    pub(super) fn entry(
        self,
        builder: &mut Builder,
        d: Value,
        point: &Extended,
        t: Value,
    ) -> Entry {
        let Extended { x, y, z, .. } = *point;
        let t = builder.fitting_product(d, t);
        match self {
            Self::One => Entry {
                first: x,
                second: y,
                z: Factor::Any(z),
                t,
            },
            Self::MinusOne => Entry {
                first: builder.add(y, x),
                second: builder.subtract(y, x),
                z: Factor::Any(builder.scale(z, 2)),
                t,
            },
        }
    }

    /// The neutral point (0, 1) as an entry.
    pub(super) fn neutral(self, builder: &mut Builder) -> Entry {
        let one = builder.montgomery_one();
        let zero = builder.subtract(one, one);
        match self {
            Self::One => Entry {
                first: zero,
                second: one,
                z: Factor::One,
                t: zero,
            },
            Self::MinusOne => Entry {
                first: one,
                second: one,
                z: Factor::Two,
                t: zero,
            },
        }
    }

    /// 0 for a point of the curve, where `d` is d for a = 1 and `2 d` for a = -1: `(a X^2 + Y^2 - Z^2) Z^2 - d X^2 Y^2`,
    /// or twice that. 5 R.
    pub(super) fn equation(self, builder: &mut Builder, d: Value, point: &Extended) -> Value {
        let squares = [point.x, point.y, point.z].map(|x| builder.fitting_product(x, x));
        let [xx, yy, zz] = squares;
        let left = match self {
            Self::One => builder.add(yy, xx),
            Self::MinusOne => builder.subtract(yy, xx),
        };
        let left = builder.subtract(left, zz);
        let left = match self {
            Self::One => left,
            Self::MinusOne => builder.scale(left, 2),
        };
        let dxx = builder.fitting_product(d, xx);
        builder.fitting_sum(&[(false, left, zz), (true, dxx, yy)])
    }

    /// The point of an entry. Its T is right for Z = 1 only: only doublings may follow otherwise.
    pub(super) fn entry_point(self, builder: &mut Builder, entry: &Entry) -> Extended {
        let [x, y] = match self {
            Self::One => [entry.first, entry.second],
            Self::MinusOne => [
                builder.subtract(entry.first, entry.second),
                builder.add(entry.first, entry.second),
            ],
        };
        Extended {
            x,
            y,
            z: entry.z.value(builder),
            t: [x, y],
        }
    }

    /// `P + Q` for any two points, where t is the T of P; that of the sum is left as two factors. 7 R;
    /// 6 R for an entry with the factor 1 or 2.
    pub(super) fn add(
        self,
        builder: &mut Builder,
        point: &Extended,
        t: Value,
        entry: &Entry,
    ) -> Extended {
        let factors = self.add_factors(builder, point, t, entry);
        factors.point(builder)
    }

    /// The factors of the sum of [`add`](Self::add). 4 R; 3 R for an entry with the factor 1 or 2.
    ///
    /// ```text
    /// E = X1 Y2 + Y1 X2    H = Y1 Y2 - a X1 X2    C = d T1 T2    D = Z1 Z2
    /// X3 = E (D - C)    Y3 = (D + C) H    Z3 = (D - C) (D + C)    T3 = E H
    /// ```
    ///
    /// For a = -1 all four are doubled: `2 E` and `2 H` are the difference and the sum of
    /// `(Y1 + X1) (Y2 + X2)` and `(Y1 - X1) (Y2 - X2)`.
    pub(super) fn add_factors(
        self,
        builder: &mut Builder,
        point: &Extended,
        t: Value,
        entry: &Entry,
    ) -> Factors {
        let Extended { x, y, z, .. } = *point;
        let [e, h] = match self {
            Self::One => [
                builder.fitting_sum(&[(false, x, entry.second), (false, y, entry.first)]),
                builder.fitting_sum(&[(false, y, entry.second), (true, x, entry.first)]),
            ],
            Self::MinusOne => {
                let (plus, minus) = (builder.add(y, x), builder.subtract(y, x));
                let plus = builder.fitting_product(plus, entry.first);
                let minus = builder.fitting_product(minus, entry.second);
                [builder.subtract(plus, minus), builder.add(plus, minus)]
            }
        };
        let c = builder.fitting_product(t, entry.t);
        let d = entry.z.times(builder, z);
        let (f, g) = (builder.subtract(d, c), builder.add(d, c));
        Factors { e, f, g, h }
    }

    /// `P + Q` for the coordinates of Q. 10 R.
    pub(super) fn add_affine(
        self,
        builder: &mut Builder,
        d: Value,
        point: &Extended,
        [x, y]: [Value; 2],
    ) -> Extended {
        let other = Extended {
            x,
            y,
            z: builder.montgomery_one(),
            t: [x, y],
        };
        let [t, other_t] = [point, &other].map(|point| point.t(builder));
        let entry = self.affine_entry(builder, d, &other, other_t);
        self.add(builder, point, t, &entry)
    }

    /// [`entry`](Self::entry) of a point with Z = 1. 1 R.
    pub(super) fn affine_entry(
        self,
        builder: &mut Builder,
        d: Value,
        point: &Extended,
        t: Value,
    ) -> Entry {
        Entry {
            z: match self {
                Self::One => Factor::One,
                Self::MinusOne => Factor::Two,
            },
            ..self.entry(builder, d, point, t)
        }
    }

    /// `2 P` for any point; its T is left as two factors. 7 R.
    ///
    /// ```text
    /// E = 2 X Y    G = Y^2 + a X^2    F = G - 2 Z^2    H = a X^2 - Y^2
    /// ```
    pub(super) fn double(self, builder: &mut Builder, point: &Extended) -> Extended {
        let zz = builder.fitting_product(point.z, point.z);
        let zz2 = builder.scale(zz, 2);
        self.double_with(builder, [point.x, point.y], zz2)
    }

    /// [`double`](Self::double) of a point with Z = 1. 6 R.
    pub(super) fn double_affine(
        self,
        builder: &mut Builder,
        coordinates: [Value; 2],
        one: Value,
    ) -> Extended {
        let two = builder.scale(one, 2);
        self.double_with(builder, coordinates, two)
    }

    fn double_with(self, builder: &mut Builder, [x, y]: [Value; 2], zz2: Value) -> Extended {
        let (xx, yy) = (builder.fitting_product(x, x), builder.fitting_product(y, y));
        let xy = builder.fitting_product(x, y);
        let e = builder.scale(xy, 2);
        let (sum_of_squares, difference) = (builder.add(yy, xx), builder.subtract(yy, xx));
        let (g, h) = match self {
            Self::One => (sum_of_squares, builder.negate(difference)),
            Self::MinusOne => (difference, builder.negate(sum_of_squares)),
        };
        let f = builder.subtract(g, zz2);
        Factors { e, f, g, h }.point(builder)
    }
}
