//! The six operations of Table 1 and the conversions, ready to be timed.
//!
//! Both sides use all results and run on one thread, and `X Y < P`. The moduli are those of the
//! paper, consecutive primes from 32749 down.

use super::packed::PackedBase;
use super::printed::Operation;
use crate::PaperError;
use crate::integers::{self, Task};
use crate::random::Random;
use crate::timing;
use crypto_bigint::{BoxedUint, Resize};
use std::collections::BTreeSet;
use std::hint::black_box;
use sunzi_rns::division::euclid::EuclideanDivision;
use sunzi_rns::division::scaling::Scaling;
use sunzi_rns::order::sign::Sign;
use sunzi_rns::{Base, Residues};

/// The first `n` moduli of the paper: primes from 32749 down.
///
/// # Errors
/// [`PaperError::Base`] if there are fewer primes.
pub fn base(n: usize) -> Result<Base, PaperError> {
    Ok(Base::descending_primes(15, n, &BTreeSet::new())?)
}

/// A base with operands for all operations.
pub struct Operands {
    base: Base,
    /// `X > Y` with `X Y < P`.
    x: BoxedUint,
    y: BoxedUint,
    /// A dividend nearly as large as the range allows.
    dividend: BoxedUint,
    scaling: Scaling,
    euclid: EuclideanDivision,
    sign: Sign,
}

impl Operands {
    /// Operands for `n` moduli, the same in every run.
    ///
    /// # Errors
    /// [`PaperError`] if the base cannot be made.
    pub fn new(n: usize) -> Result<Self, PaperError> {
        let base = base(n)?;
        let bits = base.product().bits_vartime();
        let mut random = Random(n as u64);
        Ok(Self {
            x: random.of_bits(bits / 2),
            y: random.of_bits(bits / 2 - 1),
            dividend: random.of_bits(bits - 1),
            scaling: Scaling::new(&base, &[0])?,
            euclid: EuclideanDivision::new(&base),
            sign: Sign::new(&base),
            base,
        })
    }

    /// `L`, the size of the range in bits.
    pub fn bits(&self) -> u32 {
        self.base.product().bits_vartime()
    }

    /// An operation in residues.
    pub fn in_residues(&self, operation: Operation) -> timing::Operation<'_> {
        let [x, y, d] =
            [&self.x, &self.y, &self.dividend].map(|number| Residues::reduced(&self.base, number));
        match operation {
            Operation::Addition => Box::new(move || consume(black_box(&x) + black_box(&y))),
            Operation::Subtraction => Box::new(move || consume(black_box(&x) - black_box(&y))),
            Operation::Multiplication => Box::new(move || consume(black_box(&x) * black_box(&y))),
            Operation::DivisionByConstant => {
                Box::new(move || consume(self.scaling.div_rem(black_box(&d))))
            }
            Operation::EuclideanDivision => Box::new(move || {
                consume(self.euclid.div_rem_vartime(black_box(&d), black_box(&y)));
            }),
            Operation::SignDetection => {
                Box::new(move || consume(self.sign.is_negative(black_box(&d))))
            }
        }
    }

    /// An operation in packed residues, if there is such code for it.
    pub fn in_packed_residues(&self, operation: Operation) -> Option<timing::Operation<'_>> {
        let packed = PackedBase::new(&self.base);
        let [x, y] = [&self.x, &self.y].map(|number| packed.residues(number));
        let mut result = vec![0; x.len()];
        let run: fn(&PackedBase, &[u32], &[u32], &mut [u32]) = match operation {
            Operation::Addition => PackedBase::add,
            Operation::Subtraction => PackedBase::sub,
            Operation::Multiplication => PackedBase::mul,
            _ => return None,
        };
        Some(Box::new(move || {
            run(
                &packed,
                black_box(&x),
                black_box(&y),
                black_box(&mut result),
            );
        }))
    }

    /// The peer's operation on the same integers.
    pub fn in_integers(&self, operation: Operation) -> timing::Operation<'static> {
        let first = BoxedUint::from(self.base.moduli()[0].value());
        let middle = self.base.product().unbounded_shr_vartime(1);
        let (task, x, y) = match operation {
            Operation::Addition => (Task::Add, &self.x, &self.y),
            Operation::Subtraction => (Task::Sub, &self.x, &self.y),
            Operation::Multiplication => (Task::Mul, &self.x, &self.y),
            Operation::DivisionByConstant => (Task::Div, &self.dividend, &first),
            Operation::EuclideanDivision => (Task::DivRem, &self.dividend, &self.y),
            Operation::SignDetection => (Task::Compare, &self.dividend, &middle),
        };
        integers::operation(task, [x, y, &BoxedUint::one()])
    }

    /// The conversions, which the paper leaves out of Table 1: to residues, and from residues.
    pub fn conversions(&self) -> [timing::Operation<'_>; 2] {
        let precision = self.base.product().bits_precision();
        let integer = self.dividend.clone().resize_unchecked(precision);
        let residues = Residues::reduced(&self.base, &self.dividend);
        [
            Box::new(move || consume(Residues::reduced(&self.base, black_box(&integer)))),
            Box::new(move || consume(black_box(&residues).to_uint())),
        ]
    }
}

/// Uses a result, so that the compiler does not remove its computation.
fn consume<T>(value: T) {
    black_box(value);
}
