//! Formulas: short straight lines of field operations with two readings.
//!
//! A [`Formula`] is written once, over any [`Arith`]. The [`Builder`](crate::Builder) reads it as operations of a
//! program, whose bounds it proves; a device reads it as code that it compiles for a form of primes, in which
//! numbers stay in registers and sums are carried once. [`Builder::apply`](crate::Builder::apply) writes the operations
//! and notes which [`Segment`] they are: a device that has compiled it runs that instead of them.
#![expect(
    clippy::inline_always,
    reason = "devices compile a formula whole, each for its instructions"
)]

mod arith;
pub mod edwards;
pub mod ladder;
pub mod weierstrass;

pub use self::arith::Arith;
use crate::Limits;

/// The largest weight of a formula's inputs where linear combinations are folded: they are integers from 0 to this many
/// times P.
pub const LARGEST_WEIGHT: u64 = 4;

/// The largest weight of a formula's inputs where linear combinations are not folded: more than any formula makes of its own
/// outputs. Code for a formula computes with integers of up to this many times P, or keeps its numbers smaller.
pub const LARGEST_UNFOLDED_WEIGHT: u64 = 64;

/// The largest weight of the inputs of products in extension fields.
pub const LARGEST_EXTENSION_WEIGHT: u64 = 1 << 13;

/// The largest weight of a formula's inputs within these limits.
pub(crate) fn largest_weight(limits: &Limits) -> u64 {
    match limits.folded {
        Some(_) => LARGEST_WEIGHT,
        None => LARGEST_UNFOLDED_WEIGHT,
    }
}

/// A formula with IN numbers as inputs, of at most [`LARGEST_WEIGHT`], or [`LARGEST_UNFOLDED_WEIGHT`] where numbers are not folded,
/// and OUT as outputs.
///
/// It may depend on a *digit* of each member, 0 or 1, such as the sign of a summand; without one, that is 0. Each time that it is
/// applied it has a digit of its own.
pub trait Formula<const IN: usize, const OUT: usize> {
    /// The name that devices know it by.
    const SEGMENT: Segment;

    /// The outputs.
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; IN]) -> [A::Tight; OUT];

    /// Whether it may be applied to its own outputs: these are its first inputs the next time, and further inputs stay.
    const CAN_REPEAT: bool = IN <= OUT;

    /// The outputs of the formula applied `times` times, at least once; once if it [cannot repeat](Self::CAN_REPEAT).
    #[inline(always)]
    fn compute_repeatedly<A: Arith>(
        arith: &mut A,
        mut inputs: [A::Tight; IN],
        times: u8,
    ) -> [A::Tight; OUT] {
        let mut done = 0;
        loop {
            let outputs = Self::compute(arith, inputs);
            done += 1;
            if !Self::CAN_REPEAT || done >= u32::from(times) {
                return outputs;
            }
            arith.next_digit();
            for k in 0..IN.min(OUT) {
                inputs[k] = arith.as_input(outputs[k]);
            }
        }
    }
}

/// The name of a formula whose code a device may have compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Segment {
    /// [`edwards::Double`].
    EdwardsDouble(EdwardsA),
    /// [`edwards::DoubleWithT`].
    EdwardsDoubleWithT(EdwardsA),
    /// [`edwards::Add`].
    EdwardsAdd(EdwardsA),
    /// [`edwards::AddWithT`].
    EdwardsAddWithT(EdwardsA),
    /// [`edwards::AddAffine`].
    EdwardsAddAffine(EdwardsA),
    /// [`edwards::AddAffineWithT`].
    EdwardsAddAffineWithT(EdwardsA),
    /// [`ladder::Step`], for `(A - 2)/4`.
    LadderStep(u32),
    /// [`weierstrass::DoubleJacobian`].
    DoubleJacobian(WeierstrassA),
    /// [`weierstrass::FromJacobian`].
    FromJacobian,
    /// [`weierstrass::AddMinusThree`], [`weierstrass::AddZero`].
    WeierstrassAdd(WeierstrassA),
    /// [`weierstrass::AddAffineMinusThree`], [`weierstrass::AddAffineZero`].
    WeierstrassAddAffine(WeierstrassA),
    /// [`weierstrass::AddJacobian`].
    JacobianAdd,
    /// [`weierstrass::AddAffineJacobian`].
    JacobianAddAffine,
    /// [`weierstrass::Rescale`].
    Rescale,
    /// [`weierstrass::ChordWidth`].
    ChordWidth,
    /// [`weierstrass::AddByChord`].
    AddByChord,
    /// A product in `Fp2[w] / (w^degree - 1 - u)`, with `Fp2 = Fp[u] / (u^2 + 1)`. Inputs are the coefficients of a factor, from
    /// that of `w^0` on, each its real and its imaginary part; then those of the other factor that may not be 0. Outputs are
    /// the coefficients of the product.
    ExtensionProduct {
        /// The degree over Fp2.
        degree: u32,
        /// The powers of w that the second factor has, as bits.
        places: u32,
    },
    /// The square in `Fp2[w] / (w^6 - 1 - u)`.
    ExtensionSquare,
    /// The square in `Fp2[w] / (w^6 - 1 - u)` of an element of the cyclotomic subgroup (Granger and Scott, 2010).
    CyclotomicSquare,
    /// The inverse modulo P: an [`Inversion`](crate::Inversion) of a program.
    Inverse,
}

/// The coefficient a of a twisted Edwards curve `a x^2 + y^2 = 1 + d x^2 y^2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdwardsA {
    /// a = 1.
    One,
    /// a = -1.
    MinusOne,
}

/// The coefficients of a curve `y^2 = x^3 + a x + b` that formulas are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WeierstrassA {
    /// a = -3.
    MinusThree,
    /// a = 0, and 3 b is this number, or any for formulas in which b does not occur.
    Zero(u32),
}

impl Segment {
    /// The numbers of inputs and outputs of a product or a square in an extension field; none of other formulas.
    pub(crate) fn extension_shape(self) -> Option<(u64, u64)> {
        match self {
            Self::ExtensionProduct { degree, places } => {
                let degree = u64::from(degree);
                Some((2 * (degree + u64::from(places.count_ones())), 2 * degree))
            }
            Self::ExtensionSquare | Self::CyclotomicSquare => Some((12, 12)),
            _ => None,
        }
    }
}

impl core::fmt::Display for Segment {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let edwards = |a: &EdwardsA| match a {
            EdwardsA::One => "a = 1",
            EdwardsA::MinusOne => "a = -1",
        };
        let weierstrass = |a: &WeierstrassA| match a {
            WeierstrassA::MinusThree => "a = -3".to_owned(),
            WeierstrassA::Zero(0) => "a = 0".to_owned(),
            WeierstrassA::Zero(b3) => format!("a = 0, 3 b = {b3}"),
        };
        match self {
            Self::EdwardsDouble(a) => write!(f, "Edwards doubling, {}", edwards(a)),
            Self::EdwardsDoubleWithT(a) => write!(f, "Edwards doubling with T, {}", edwards(a)),
            Self::EdwardsAdd(a) => write!(f, "Edwards addition, {}", edwards(a)),
            Self::EdwardsAddWithT(a) => write!(f, "Edwards addition with T, {}", edwards(a)),
            Self::EdwardsAddAffine(a) => write!(f, "Edwards addition of Z = 1, {}", edwards(a)),
            Self::EdwardsAddAffineWithT(a) => {
                write!(f, "Edwards addition of Z = 1 with T, {}", edwards(a))
            }
            Self::LadderStep(a24) => write!(f, "ladder step, (A - 2)/4 = {a24}"),
            Self::DoubleJacobian(a) => write!(f, "Jacobian doubling, {}", weierstrass(a)),
            Self::FromJacobian => write!(f, "Jacobian to homogeneous coordinates"),
            Self::WeierstrassAdd(a) => write!(f, "complete addition, {}", weierstrass(a)),
            Self::WeierstrassAddAffine(a) => {
                write!(f, "complete addition of Z = 1, {}", weierstrass(a))
            }
            Self::JacobianAdd => write!(f, "Jacobian addition"),
            Self::JacobianAddAffine => write!(f, "Jacobian addition of Z = 1"),
            Self::Rescale => write!(f, "Jacobian coordinates with another z"),
            Self::ChordWidth => write!(f, "width of a chord"),
            Self::AddByChord => write!(f, "addition by the inverse of a chord's width"),
            Self::ExtensionProduct { degree, places } => {
                write!(f, "product in Fp{}", 2 * degree)?;
                if places.count_ones() < *degree {
                    write!(f, " by {} coefficients", places.count_ones())?;
                }
                Ok(())
            }
            Self::Inverse => write!(f, "inverse"),
            Self::ExtensionSquare => write!(f, "square in Fp12"),
            Self::CyclotomicSquare => write!(f, "square in the cyclotomic subgroup of Fp12"),
        }
    }
}
