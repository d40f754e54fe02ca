//! Arithmetic modulo `P` behind one interface: the operations that formulas need, independent of the representation and
//! the reduction of numbers.
//!
//! [`Montgomery`] implements it with either base extension, and [`SumOfResidues`] with
//! the reduction of [`crate::sum_of_residues::exact`].

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero};
use sunzi_rns::{BaseExtension, Channel, Residues};

use crate::Montgomery;
use crate::sum_of_residues::{ExactReduction, SumOfResiduesError};

/// Numbers modulo `P`: integers enter, and integers in `[0, P)` leave; the numbers in between are redundant.
pub trait Arithmetic {
    /// A number modulo `P`.
    type Number: Clone;

    /// `P`.
    fn modulus(&self) -> &BoxedUint;

    /// `x mod P`.
    fn number(&self, channel: &impl Channel, x: &BoxedUint) -> Self::Number;

    /// The integer in `[0, P)`.
    fn integer(&self, channel: &impl Channel, x: &Self::Number) -> BoxedUint;

    /// `X + Y`.
    fn add(&self, channel: &impl Channel, x: &Self::Number, y: &Self::Number) -> Self::Number;

    /// `X - Y`.
    fn sub(&self, channel: &impl Channel, x: &Self::Number, y: &Self::Number) -> Self::Number;

    /// `X Y`.
    fn mul(&self, channel: &impl Channel, x: &Self::Number, y: &Self::Number) -> Self::Number;

    /// `X^e`, from the highest bit of e down. The time depends on e.
    fn power_vartime(
        &self,
        channel: &impl Channel,
        x: &Self::Number,
        e: &BoxedUint,
    ) -> Self::Number {
        let mut power = self.number(channel, &BoxedUint::one());
        for bit in (0..e.bits_vartime()).rev() {
            power = self.mul(channel, &power, &power);
            if e.bit_vartime(bit) {
                power = self.mul(channel, &power, x);
            }
        }
        power
    }
}

impl<E: BaseExtension> Arithmetic for Montgomery<E> {
    type Number = crate::Element;

    fn modulus(&self) -> &BoxedUint {
        self.modulus()
    }

    fn number(&self, channel: &impl Channel, x: &BoxedUint) -> crate::Element {
        self.element(channel, x)
    }

    fn integer(&self, channel: &impl Channel, x: &crate::Element) -> BoxedUint {
        self.to_uint(channel, x)
    }

    fn add(
        &self,
        channel: &impl Channel,
        x: &crate::Element,
        y: &crate::Element,
    ) -> crate::Element {
        self.add(channel, x, y)
    }

    fn sub(
        &self,
        channel: &impl Channel,
        x: &crate::Element,
        y: &crate::Element,
    ) -> crate::Element {
        self.sub(channel, x, y)
    }

    fn mul(
        &self,
        channel: &impl Channel,
        x: &crate::Element,
        y: &crate::Element,
    ) -> crate::Element {
        self.mul(channel, x, y)
    }
}

/// Arithmetic by the sum of residues: products are in `[0, P)`, sums have bounds.
#[derive(Clone, Debug)]
pub struct SumOfResidues {
    reduction: ExactReduction,
    /// The largest bound of factors: `(limit P)^2 < 15M/16`, at least 2.
    limit: u32,
}

/// A number below `bound P`.
#[derive(Clone, Debug)]
pub struct Bounded {
    residues: Residues,
    bound: u32,
}

/// The largest limit that is used: a larger one saves nothing.
const LARGEST_LIMIT: u32 = 64;

impl SumOfResidues {
    /// Arithmetic modulo `P` in the smallest base of 66-bit channels.
    ///
    /// # Errors
    /// As [`ExactReduction::new`].
    pub fn new(p: &BoxedUint) -> Result<Self, SumOfResiduesError> {
        let reduction = ExactReduction::new(p)?;
        let square = |limit: u32| {
            let multiple = reduction.prime().concatenating_mul(BoxedUint::from(limit));
            multiple.concatenating_mul(&multiple)
        };
        let limits = (2..=LARGEST_LIMIT).rev();
        // `residues` refuses numbers that are not below 15M/16.
        let limit = limits
            .clone()
            .find(|&limit| reduction.residues(&square(limit)).is_ok());
        Ok(Self {
            limit: limit.unwrap_or(2),
            reduction,
        })
    }

    /// The reduction.
    pub fn reduction(&self) -> &ExactReduction {
        &self.reduction
    }

    /// The residues of an integer that is far below `M`.
    fn residues(&self, x: &BoxedUint) -> Residues {
        Residues::reduced(self.reduction.base(), x)
    }

    /// The number with a bound that factors may have.
    fn bounded(&self, channel: &impl Channel, residues: Residues, bound: u32) -> Bounded {
        if bound <= self.limit {
            return Bounded { residues, bound };
        }
        Bounded {
            residues: self.reduction.reduce(channel, &residues),
            bound: 1,
        }
    }
}

impl Arithmetic for SumOfResidues {
    type Number = Bounded;

    fn modulus(&self) -> &BoxedUint {
        self.reduction.prime()
    }

    fn number(&self, _: &impl Channel, x: &BoxedUint) -> Bounded {
        let p = NonZero::new(self.modulus().clone()).expect("a prime is not 0");
        Bounded {
            residues: self.residues(&x.rem(&p)),
            bound: 1,
        }
    }

    fn integer(&self, channel: &impl Channel, x: &Bounded) -> BoxedUint {
        self.reduction.reduce(channel, &x.residues).to_uint()
    }

    fn add(&self, channel: &impl Channel, x: &Bounded, y: &Bounded) -> Bounded {
        let sum = x.residues.add(channel, &y.residues);
        self.bounded(channel, sum, x.bound + y.bound)
    }

    fn sub(&self, channel: &impl Channel, x: &Bounded, y: &Bounded) -> Bounded {
        // X - Y + y P is positive for Y < y P.
        let multiple = self.modulus().concatenating_mul(BoxedUint::from(y.bound));
        let sum = x.residues.add(channel, &self.residues(&multiple));
        let difference = sum.sub(channel, &y.residues);
        self.bounded(channel, difference, x.bound + y.bound)
    }

    fn mul(&self, channel: &impl Channel, x: &Bounded, y: &Bounded) -> Bounded {
        Bounded {
            residues: self.reduction.mul(channel, &x.residues, &y.residues),
            bound: 1,
        }
    }
}
