//! Points and summands in programs, and their sums by the [formulas](sunzi_engine::program::formulas::edwards) that
//! devices compile. R counts reductions: a sum of products costs one.
//!
//! Points are `(X : Y : Z)` for `(X/Z, Y/Z)`, extended by `T = X Y/Z` where an addition follows.

use super::curve::CoefficientA;
use sunzi_engine::program::formulas::edwards;
use sunzi_engine::program::{Builder, Stream, Value};

/// A point with `Z != 0`. In Montgomery form, like all values here.
#[derive(Clone, Copy)]
pub(super) struct Projective {
    pub(super) x: Value,
    pub(super) y: Value,
    pub(super) z: Value,
}

/// A point with `Z != 0` and its T.
#[derive(Clone, Copy)]
pub(super) struct Extended {
    pub(super) x: Value,
    pub(super) y: Value,
    pub(super) z: Value,
    pub(super) t: Value,
}

impl Projective {
    fn new([x, y, z]: [Value; 3]) -> Self {
        Self { x, y, z }
    }

    /// The point with its T, if Z is 1. 1 R.
    pub(super) fn with_affine_t(self, builder: &mut Builder) -> Extended {
        let Self { x, y, z } = self;
        let t = builder.fitting_product(x, y);
        Extended { x, y, z, t }
    }
}

impl Extended {
    fn new([x, y, z, t]: [Value; 4]) -> Self {
        Self { x, y, z, t }
    }
}

/// The point `(E F : G H : F G)`; x is `E/G`, and y is `H/F`.
#[derive(Clone, Copy)]
pub(super) struct Factors {
    pub(super) e: Value,
    pub(super) f: Value,
    pub(super) g: Value,
    pub(super) h: Value,
}

impl Factors {
    /// The point with its T, `E H`. 4 R.
    pub(super) fn point(self, builder: &mut Builder) -> Extended {
        let Self { e, f, g, h } = self;
        let products = [(e, f), (g, h), (f, g), (e, h)];
        Extended::new(products.map(|(x, y)| builder.fitting_product(x, y)))
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
    /// The digit that is 1 where the summand is the negative of the point, if there is one.
    pub(super) sign: Option<(Stream, u32)>,
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

/// Calls a function of the builder with a formula of the coefficient a, and further arguments.
macro_rules! apply {
    ($a:expr, $builder:ident.$apply:ident($formula:ident, $($rest:expr),*)) => {
        match $a {
            CoefficientA::One => $builder.$apply(edwards::$formula::<false>, $($rest),*),
            CoefficientA::MinusOne => $builder.$apply(edwards::$formula::<true>, $($rest),*),
        }
    };
}

impl Entry {
    /// The entry of the summand, without a sign.
    fn with_sign(self, builder: &mut Builder, a: CoefficientA) -> Self {
        let Some((signs, position)) = self.sign else {
            return self;
        };
        let [first, second] = match a {
            CoefficientA::One => [builder.negate_if(self.first, signs, position), self.second],
            CoefficientA::MinusOne => builder.swap_if(self.first, self.second, signs, position),
        };
        Self {
            first,
            second,
            t: builder.negate_if(self.t, signs, position),
            sign: None,
            ..self
        }
    }
}

impl CoefficientA {
    /// A point as an entry, where `d` is d for a = 1 and `2 d` for a = -1. 1 R.
    pub(super) fn entry(self, builder: &mut Builder, d: Value, point: &Extended) -> Entry {
        let Extended { x, y, z, t } = *point;
        let t = builder.fitting_product(d, t);
        match self {
            Self::One => Entry {
                first: x,
                second: y,
                z: Factor::Any(z),
                t,
                sign: None,
            },
            Self::MinusOne => Entry {
                first: builder.add(y, x),
                second: builder.subtract(y, x),
                z: Factor::Any(builder.scale(z, 2)),
                t,
                sign: None,
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
                sign: None,
            },
            Self::MinusOne => Entry {
                first: one,
                second: one,
                z: Factor::Two,
                t: zero,
                sign: None,
            },
        }
    }

    /// 0 for a point of the curve, where `d` is d for a = 1 and `2 d` for a = -1: `(a X^2 + Y^2 - Z^2) Z^2 - d X^2 Y^2`,
    /// or twice that. 5 R.
    pub(super) fn equation(self, builder: &mut Builder, d: Value, point: &Projective) -> Value {
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

    /// The point of an entry.
    pub(super) fn entry_point(self, builder: &mut Builder, entry: &Entry) -> Projective {
        let entry = entry.with_sign(builder, self);
        let [x, y] = match self {
            Self::One => [entry.first, entry.second],
            Self::MinusOne => [
                builder.subtract(entry.first, entry.second),
                builder.add(entry.first, entry.second),
            ],
        };
        let z = entry.z.value(builder);
        Projective { x, y, z }
    }

    /// `P + Q` for any two points. 7 R; 6 R for an entry with the factor 1 or 2.
    pub(super) fn add(self, builder: &mut Builder, point: &Extended, entry: &Entry) -> Projective {
        let Extended { x, y, z, t } = *point;
        let Entry {
            first,
            second,
            t: dt,
            sign,
            ..
        } = *entry;
        Projective::new(if let Factor::Any(z2) = entry.z {
            let inputs = [x, y, z, t, first, second, dt, z2];
            apply!(self, builder.apply_with(Add, inputs, sign))
        } else {
            let z = entry.z.times(builder, z);
            let inputs = [x, y, z, t, first, second, dt];
            apply!(self, builder.apply_with(AddAffine, inputs, sign))
        })
    }

    /// [`add`](Self::add) with the T of the sum. 8 R; 7 R for an entry with the factor 1 or 2.
    pub(super) fn add_with_t(
        self,
        builder: &mut Builder,
        point: &Extended,
        entry: &Entry,
    ) -> Extended {
        let Extended { x, y, z, t } = *point;
        let Entry {
            first,
            second,
            t: dt,
            sign,
            ..
        } = *entry;
        Extended::new(if let Factor::Any(z2) = entry.z {
            let inputs = [x, y, z, t, first, second, dt, z2];
            apply!(self, builder.apply_with(AddWithT, inputs, sign))
        } else {
            let z = entry.z.times(builder, z);
            let inputs = [x, y, z, t, first, second, dt];
            apply!(self, builder.apply_with(AddAffineWithT, inputs, sign))
        })
    }

    /// The factors of the sum of [`add`](Self::add). 4 R; 3 R for an entry with the factor 1 or 2.
    pub(super) fn add_factors(
        self,
        builder: &mut Builder,
        point: &Extended,
        entry: &Entry,
    ) -> Factors {
        let Extended { x, y, z, t } = *point;
        let entry = entry.with_sign(builder, self);
        let numbers = [entry.first, entry.second, entry.t];
        let begun = match self {
            Self::One => edwards::begin_sum::<_, false>(builder, [x, y, t], numbers),
            Self::MinusOne => edwards::begin_sum::<_, true>(builder, [x, y, t], numbers),
        };
        let d = entry.z.times(builder, z);
        let [e, f, g, h] = edwards::end_sum(builder, begun, d);
        Factors { e, f, g, h }
    }

    /// `P + Q` for the coordinates of Q. 8 R.
    pub(super) fn add_affine(
        self,
        builder: &mut Builder,
        d: Value,
        point: &Extended,
        [x, y]: [Value; 2],
    ) -> Projective {
        let other = Projective {
            x,
            y,
            z: builder.montgomery_one(),
        };
        let other = other.with_affine_t(builder);
        let entry = self.affine_entry(builder, d, &other);
        self.add(builder, point, &entry)
    }

    /// [`entry`](Self::entry) of a point with Z = 1. 1 R.
    pub(super) fn affine_entry(self, builder: &mut Builder, d: Value, point: &Extended) -> Entry {
        Entry {
            z: match self {
                Self::One => Factor::One,
                Self::MinusOne => Factor::Two,
            },
            ..self.entry(builder, d, point)
        }
    }

    /// `2^times P` for any point, at least `2 P`. 7 R for each doubling.
    pub(super) fn double(self, builder: &mut Builder, point: Projective, times: u32) -> Projective {
        let Projective { x, y, z } = point;
        Projective::new(apply!(
            self,
            builder.apply_repeatedly(Double, [x, y, z], None, times)
        ))
    }

    /// [`double`](Self::double) with the T of the multiple. 7 R for each doubling, and one more.
    pub(super) fn double_with_t(
        self,
        builder: &mut Builder,
        point: Projective,
        times: u32,
    ) -> Extended {
        let Projective { x, y, z } = point;
        Extended::new(apply!(
            self,
            builder.apply_repeatedly(DoubleWithT, [x, y, z], None, times)
        ))
    }
}
