//! The curves that programs compute with: isomorphic to the given ones, and with cheaper formulas
//! where there are such curves.

use super::curve::Curve;
use super::field::{Element, Field};
use super::formulas::{CoefficientA, Coefficients, Factor};
use super::point::Point;
use crypto_bigint::BoxedUint;
use sunzi_engine::program::{Builder, OwnTable, Value};

/// The curve `y^2 = x^3 + u^4 a x + u^6 b`, on which a point `(x, y)` of the given curve is
/// `(u^2 x, u^3 y)`. u makes the coefficient of x -3 if it can; for a = 0, -3, or where no u does,
/// it is 1.
pub(super) struct Model {
    pub(super) kind: Kind,
    a: Element,
    b3: Element,
    /// `u^2` and `u^3`.
    scales: [Element; 2],
    /// `u^-2` and `u^-3`.
    unscales: [Element; 2],
}

/// The kind of curve, on which formulas, and so programs, depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// a = 0, and 3 b if that is small.
    Zero(Option<u32>),
    MinusThree,
    Other,
}

/// The largest 3 b that counts as small.
const SMALL: u64 = 64;

impl Model {
    pub(super) fn new(curve: &Curve) -> Self {
        let (field, a) = (curve.field(), curve.a());
        let minus_three = field.small(3).neg();
        let one = field.small(1);
        if bool::from(a.is_zero()) {
            let b3 = curve.b().mul(&field.small(3)).retrieve();
            let small = b3.bits_vartime() <= u64::BITS && b3.as_words()[0] <= SMALL;
            let kind = Kind::Zero(small.then(|| b3.as_words()[0] as u32));
            return Self::scaled(curve, kind, [&one, &one]);
        }
        if *a == minus_three {
            return Self::scaled(curve, Kind::MinusThree, [&one, &one]);
        }
        // u^4 = -3/a.
        let quotient = Field::invert(a).map(|inverse| minus_three.mul(&inverse));
        let square = quotient.and_then(|quotient| field.sqrt(&quotient));
        let u = square.and_then(|root| field.sqrt(&root).or_else(|| field.sqrt(&root.neg())));
        match u.and_then(|u| Some((Field::invert(&u)?, u))) {
            Some((inverse, u)) => Self::scaled(curve, Kind::MinusThree, [&u, &inverse]),
            None => Self::scaled(curve, Kind::Other, [&one, &one]),
        }
    }

    fn scaled(curve: &Curve, kind: Kind, [u, inverse]: [&Element; 2]) -> Self {
        let square = u.square();
        let cube = square.mul(u);
        let b3 = curve.b().mul(&curve.field().small(3));
        Self {
            kind,
            a: curve.a().mul(&square.square()),
            b3: b3.mul(&cube.square()),
            scales: [square, cube],
            unscales: [inverse.square(), inverse.square().mul(inverse)],
        }
    }

    /// The constants that every program for points begins with, with the powers of the Montgomery
    /// factor that they carry. [`Kind::declare`] declares them.
    pub(super) fn constants(&self) -> Vec<(BoxedUint, i32)> {
        let ([x, y], [back_x, back_y]) = (&self.scales, &self.unscales);
        [
            (&self.a, 1),
            (&self.b3, 1),
            (x, 2),
            (y, 2),
            (back_x, 0),
            (back_y, 0),
        ]
        .map(|(constant, form)| (constant.retrieve(), form))
        .to_vec()
    }

    /// The constants of a table of points of the given curve. [`PointTable::declare`] declares
    /// them.
    pub(super) fn points(&self, points: &[Point]) -> Vec<(BoxedUint, i32)> {
        let [x2, y3] = &self.scales;
        let xs: Vec<_> = points.iter().map(|point| point.x.mul(x2)).collect();
        let ys: Vec<_> = points.iter().map(|point| point.y.mul(y3)).collect();
        xs.iter()
            .chain(&ys)
            .map(|number| (number.retrieve(), 1))
            .collect()
    }
}

/// A table of points, of constants that the modulus brings.
pub(super) struct PointTable {
    pub(super) x: OwnTable,
    pub(super) y: OwnTable,
}

impl PointTable {
    /// Declares the constants of [`Model::points`].
    pub(super) fn declare(builder: &mut Builder, entries: usize) -> Self {
        let [x, y] = [(); 2].map(|()| builder.own_table(entries, 1));
        Self { x, y }
    }
}

/// The constants of a curve in a program.
pub(super) struct CurveValues {
    pub(super) coefficients: Coefficients,
    /// `u^2` and `u^3` of [`Model`], each with two Montgomery factors: an integer times one of
    /// them is a coordinate in Montgomery form.
    scales: [Value; 2],
    /// `u^-2` and `u^-3`, as they are: a coordinate in Montgomery form times one of them is an
    /// integer.
    unscales: [Value; 2],
}

impl CurveValues {
    /// The coordinate x of the model, in Montgomery form, from that of the given curve as an
    /// integer.
    pub(super) fn map_x(&self, builder: &mut Builder, x: Value) -> Value {
        builder.multiply(x, self.scales[0])
    }

    /// The coordinate y of the model, as [`map_x`](Self::map_x).
    pub(super) fn map_y(&self, builder: &mut Builder, y: Value) -> Value {
        builder.multiply(y, self.scales[1])
    }

    /// The coordinate x of the given curve, as an integer.
    pub(super) fn unmap_x(&self, builder: &mut Builder, x: Value) -> Value {
        builder.multiply(x, self.unscales[0])
    }

    /// The coordinate y of the given curve, as an integer.
    pub(super) fn unmap_y(&self, builder: &mut Builder, y: Value) -> Value {
        builder.multiply(y, self.unscales[1])
    }
}

impl Kind {
    /// Declares the constants of [`Model::constants`].
    pub(super) fn declare(self, builder: &mut Builder) -> CurveValues {
        let [a, b3] = [(); 2].map(|()| builder.own_constant(1));
        let scales = [(); 2].map(|()| builder.own_constant(2));
        let unscales = [(); 2].map(|()| builder.own_constant(0));
        let limits = builder.limits();
        let product = limits.product.weight();
        // Sums of products of an addition with a small 3 b reach (3 + 3 b)^2 times two products. Where numbers are folded,
        // such multiples are too.
        let room = |b3: u32| {
            let factor = product.saturating_mul(u64::from(b3) + 3);
            limits.folded.is_some() || factor.saturating_mul(factor) <= limits.operands
        };
        let (a, b3) = match self {
            Self::Zero(Some(small)) if room(small) => (CoefficientA::Zero, Factor::Small(small)),
            Self::Zero(_) => (CoefficientA::Zero, Factor::Any(b3)),
            Self::MinusThree => (CoefficientA::MinusThree, Factor::Any(b3)),
            Self::Other => (CoefficientA::Other(a), Factor::Any(b3)),
        };
        let one = builder.montgomery_one();
        CurveValues {
            coefficients: Coefficients { a, b3, one },
            scales,
            unscales,
        }
    }

    /// The same number for equal kinds only: a parameter of programs.
    pub(super) fn number(self) -> u64 {
        match self {
            Self::Other => 0,
            Self::MinusThree => 1,
            Self::Zero(None) => 2,
            Self::Zero(Some(b3)) => 3 + u64::from(b3),
        }
    }
}
