//! The formulas of each form of curve behind one interface, with the base point.

use crypto_bigint::BoxedUint;
use sunzi_field::arithmetic::Arithmetic;
use sunzi_field::curve::{self, Curve as Group};
use sunzi_field::edwards::{self, Edwards};
use sunzi_field::ladder::{self, Ladder, Quotient};
use sunzi_pk::ec::{Curve, GroupElement};
use sunzi_rns::{Counting, Plain};

/// The operations of a step of a multiplication, in words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Description {
    pub(super) step: &'static str,
    pub(super) steps: &'static str,
    pub(super) products: u32,
    pub(super) with_constants: u32,
    pub(super) constants: &'static str,
    pub(super) sums: u32,
    /// The way in which the coordinates are found in the end.
    pub(super) quotients: &'static str,
    pub(super) coordinates: &'static [&'static str],
}

/// Multiples of a base point.
pub(super) trait Formulas {
    type Arithmetic: Arithmetic;
    type Point;

    const DESCRIPTION: Description;
    /// Products modulo p of a step.
    const PRODUCTS: u32 = Self::DESCRIPTION.products;

    fn arithmetic(&self) -> &Self::Arithmetic;

    /// A step, with the base point.
    fn step(&self, counting: &Counting);

    /// The number of steps of a multiplication by k.
    fn steps(k: &BoxedUint) -> u64;

    fn multiple(&self, counting: &Counting, k: &BoxedUint) -> Self::Point;

    /// The affine coordinates; none at infinity.
    fn coordinates(
        &self,
        counting: &Counting,
        point: &Self::Point,
        invert: impl FnOnce(&BoxedUint) -> Option<BoxedUint>,
    ) -> Option<Vec<BoxedUint>>;
}

/// Additions of doubling and adding: each bit but the highest takes a doubling, and each that is set an addition
/// more.
fn additions(k: &BoxedUint) -> u64 {
    let bits = (0..k.bits_vartime()).map(|bit| u64::from(k.bit_vartime(bit)));
    bits.map(|bit| 1 + bit).sum::<u64>().saturating_sub(2)
}

/// `y^2 = x^3 + a x + b`.
pub(super) struct OnWeierstrass<A: Arithmetic> {
    group: Group<A>,
    base: curve::Point<A::Number>,
}

impl<A: Arithmetic> OnWeierstrass<A> {
    /// None if the base point is at infinity.
    pub(super) fn new(arithmetic: A, curve: &Curve) -> Option<Self> {
        let [_, a, b] = curve.parameters();
        let [x, y] = GroupElement::generator(curve).coordinates()?;
        let group = Group::new(&Plain, arithmetic, &a, &b);
        let base = group.point(&Plain, &x, &y);
        Some(Self { group, base })
    }
}

impl<A: Arithmetic> Formulas for OnWeierstrass<A> {
    type Arithmetic = A;
    type Point = curve::Point<A::Number>;

    const DESCRIPTION: Description = Description {
        step: "an addition",
        steps: "additions",
        products: Group::<A>::PRODUCTS,
        with_constants: Group::<A>::PRODUCTS_WITH_CONSTANTS,
        constants: "a and 3 b",
        sums: Group::<A>::SUMS,
        quotients: "X/Z and Y/Z",
        coordinates: &["x", "y"],
    };

    fn arithmetic(&self) -> &A {
        self.group.arithmetic()
    }

    fn step(&self, counting: &Counting) {
        let _ = self.group.add(counting, &self.base, &self.base);
    }

    fn steps(k: &BoxedUint) -> u64 {
        additions(k)
    }

    fn multiple(&self, counting: &Counting, k: &BoxedUint) -> Self::Point {
        self.group.multiply_vartime(counting, k, &self.base)
    }

    fn coordinates(
        &self,
        counting: &Counting,
        point: &Self::Point,
        invert: impl FnOnce(&BoxedUint) -> Option<BoxedUint>,
    ) -> Option<Vec<BoxedUint>> {
        self.group
            .coordinates(counting, point, invert)
            .map(Vec::from)
    }
}

/// `a x^2 + y^2 = 1 + d x^2 y^2`.
pub(super) struct OnEdwards<A: Arithmetic> {
    group: Edwards<A>,
    base: edwards::Point<A::Number>,
}

impl<A: Arithmetic> OnEdwards<A> {
    pub(super) fn new(arithmetic: A, named: &edwards::Named) -> Self {
        let [a, d] = named.coefficients();
        let [x, y] = named.base_point();
        let group = Edwards::new(&Plain, arithmetic, &a, &d);
        let base = group.point(&Plain, &x, &y);
        Self { group, base }
    }
}

impl<A: Arithmetic> Formulas for OnEdwards<A> {
    type Arithmetic = A;
    type Point = edwards::Point<A::Number>;

    const DESCRIPTION: Description = Description {
        step: "an addition",
        steps: "additions",
        products: Edwards::<A>::PRODUCTS,
        with_constants: Edwards::<A>::PRODUCTS_WITH_CONSTANTS,
        constants: "a and d",
        sums: Edwards::<A>::SUMS,
        quotients: "X/Z and Y/Z",
        coordinates: &["x", "y"],
    };

    fn arithmetic(&self) -> &A {
        self.group.arithmetic()
    }

    fn step(&self, counting: &Counting) {
        let _ = self.group.add(counting, &self.base, &self.base);
    }

    fn steps(k: &BoxedUint) -> u64 {
        additions(k)
    }

    fn multiple(&self, counting: &Counting, k: &BoxedUint) -> Self::Point {
        self.group.multiply_vartime(counting, k, &self.base)
    }

    fn coordinates(
        &self,
        counting: &Counting,
        point: &Self::Point,
        invert: impl FnOnce(&BoxedUint) -> Option<BoxedUint>,
    ) -> Option<Vec<BoxedUint>> {
        self.group
            .coordinates(counting, point, invert)
            .map(Vec::from)
    }
}

/// `v^2 = u^3 + A u^2 + u`, by u alone.
pub(super) struct OnLadder<A: Arithmetic> {
    ladder: Ladder<A>,
    base: BoxedUint,
}

impl<A: Arithmetic> OnLadder<A> {
    pub(super) fn new(arithmetic: A, named: &ladder::Named) -> Self {
        Self {
            ladder: Ladder::new(&Plain, arithmetic, &named.a24()),
            base: BoxedUint::from(named.base),
        }
    }
}

impl<A: Arithmetic> Formulas for OnLadder<A> {
    type Arithmetic = A;
    type Point = Quotient<A::Number>;

    const DESCRIPTION: Description = Description {
        step: "a step of the ladder",
        steps: "steps",
        products: Ladder::<A>::PRODUCTS,
        with_constants: Ladder::<A>::PRODUCTS_WITH_CONSTANTS,
        constants: "(a - 2)/4",
        sums: Ladder::<A>::SUMS,
        quotients: "X/Z",
        coordinates: &["u"],
    };

    fn arithmetic(&self) -> &A {
        self.ladder.arithmetic()
    }

    fn step(&self, counting: &Counting) {
        let point = self.ladder.quotient(&Plain, &self.base);
        let _ = self.ladder.step(counting, &point.x, [&point, &point]);
    }

    fn steps(k: &BoxedUint) -> u64 {
        k.bits_vartime().into()
    }

    fn multiple(&self, counting: &Counting, k: &BoxedUint) -> Self::Point {
        self.ladder.multiply_vartime(counting, k, &self.base)
    }

    fn coordinates(
        &self,
        counting: &Counting,
        point: &Self::Point,
        invert: impl FnOnce(&BoxedUint) -> Option<BoxedUint>,
    ) -> Option<Vec<BoxedUint>> {
        let u = self.ladder.coordinate(counting, point, invert);
        u.map(|u| vec![u])
    }
}
