//! The interface of devices, which run programs.
//!
//! A device owns the representation and layout of numbers. It prepares moduli, predicts the time of each of
//! its layouts for a program, and runs a program on a group. `schedule` is the only caller that chooses
//! between devices.

use core::{
    any::Any,
    cell::{Cell, RefCell},
    fmt,
    ops::Neg,
};
use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use crate::{
    EngineError,
    faults::Finding,
    kept::Prepared,
    layout::Layout,
    program::{Limits, Program},
};

/// One member of a group: its numbers, and the device's constants of its modulus.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) modulus: &'a (dyn Any + Send + Sync),
    pub(crate) constants: Option<&'a (dyn Any + Send + Sync)>,
    /// The program's inputs, of at most the declared lengths.
    pub(crate) inputs: &'a [&'a BoxedUint],
    /// The program's scalars, of at most the declared lengths.
    pub(crate) scalars: &'a [&'a BoxedUint],
}

/// The results of one member's run of a program; wiped on drop.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The integers that the program puts out, canonical, each as wide as the modulus in whole
    /// words.
    pub integers: Vec<Zeroizing<BoxedUint>>,
    /// The flags that the program puts out.
    pub flags: Vec<bool>,
}

impl fmt::Debug for Outcome {
    /// Shows the number of integers, which may be secret, and the flags.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome")
            .field("integers", &self.integers.len())
            .field("flags", &self.flags)
            .finish()
    }
}

/// The reason why a device did not run a program: it failed, is busy, or was lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct DeviceError {
    /// The reason for the failure.
    pub reason: String,
}

/// The error for a layout that the device does not have.
pub(crate) fn no_such_layout(layout: Layout) -> DeviceError {
    DeviceError {
        reason: format!("this device has no layout for {layout}"),
    }
}

/// The representation of numbers of a size on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlanSummary {
    /// The size that it was made for, in bits.
    pub(crate) bits: u32,
    /// Width of such a word in bits.
    pub(crate) word_bits: u32,
    /// Number of words in each part of a number: one part if positions have weights, else as many as there are bases.
    pub(crate) parts: Vec<usize>,
    /// A description for a person to read.
    pub(crate) text: String,
    /// Products are below this many times the modulus.
    pub(crate) overshoot: u64,
    /// Number of multiplications of words in a modular product.
    pub(crate) multiplications: usize,
}

impl PlanSummary {
    /// The summary of numbers of `limbs` limbs of `word_bits` bits, with products below `overshoot` times the modulus.
    /// A product multiplies each pair of limbs twice.
    pub(crate) fn of_limbs(bits: u32, limbs: usize, word_bits: u32, overshoot: u64) -> Self {
        Self {
            bits,
            word_bits,
            parts: vec![limbs],
            text: format!("{limbs} limbs of {word_bits} bits"),
            overshoot,
            multiplications: 2 * limbs * limbs,
        }
    }
}

/// The parts of a program's predicted time, which is that of its operations one by one modulo any number, that it takes modulo
/// some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PartsOfTime {
    /// The part of the time of the products in the program's [spans](Program::spans), if these are compiled: no operation is
    /// a step of its own then.
    pub(crate) spans: Option<f64>,
    /// The part of the time of all other operations: less than 1 where products are cheaper modulo this number.
    pub(crate) others: f64,
}

impl PartsOfTime {
    /// Modulo most numbers nothing is cheaper.
    pub(crate) const WHOLE: Self = Self {
        spans: None,
        others: 1.0,
    };
}

/// A point that an [`AffinePoints`](crate::AffinePoints) has, or its negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffinePoint {
    pub(crate) place: u32,
    pub(crate) is_negative: bool,
}

impl Neg for AffinePoint {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            is_negative: !self.is_negative,
            ..self
        }
    }
}

/// Affine points of a curve in a device's form, and sums of pairs of them.
pub(crate) trait AffineAdder: Send {
    /// Number of points.
    fn len(&self) -> usize;

    /// Makes room for so many more points.
    fn reserve(&mut self, additional: usize);

    /// Appends points, given by their coordinates.
    fn enter(&mut self, points: &[[&BoxedUint; 2]]);

    /// Appends the points `(beta x, y)` for each of these.
    fn enter_with_x_times(&mut self, beta: &BoxedUint, points: &[AffinePoint]) -> Vec<AffinePoint>;

    /// Appends the sums of pairs; `None` for one at infinity.
    fn add_pairs(
        &mut self,
        pairs: &[[AffinePoint; 2]],
    ) -> Result<Vec<Option<AffinePoint>>, EngineError>;

    /// Keeps the first `count` points, and these, none of which is among them.
    fn retain(&mut self, count: usize, points: &mut [AffinePoint]);

    /// The coordinates of these points.
    fn leave(&mut self, points: &[AffinePoint]) -> Vec<[BoxedUint; 2]>;
}

/// A device: it runs programs.
///
/// A device must compute what the reference device (`testing/reference.rs`) computes, within the bounds that
/// it states, in a time that depends on no secret: on the program, the layout and the moduli's size only.
pub(crate) trait Device: Send + Sync {
    /// The device's name.
    fn name(&self) -> &'static str;

    /// Name of the words that its numbers consist of: `limbs` or `residues`.
    fn unit(&self) -> &'static str;

    /// The layouts for moduli of size class `bits`, none if it does not serve the size.
    fn layouts(&self, bits: u32) -> Vec<Layout>;

    /// The limits on magnitudes in programs for moduli of size class `bits`.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if it does not serve the size.
    fn limits(&self, bits: u32) -> Result<Limits, EngineError>;

    /// Number of table entries that are read in the time of a product.
    fn entries_per_product(&self, bits: u32) -> u32;

    /// A summary of its plan for the size.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if it does not serve the size.
    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError>;

    /// Prepares odd moduli of size class `bits`, each of at least 64 bits.
    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>>;

    /// Prepares constants of a modulus: integers below it, each times the device's Montgomery factor to the
    /// power of its form.
    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared;

    /// The limits on magnitudes in programs for this modulus.
    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits;

    /// The key of a modulus' group: members of one group must have moduli with the same key.
    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize;

    /// The time of a product of a whole group in this layout, in nanoseconds.
    fn product_ns(&self, layout: Layout, bits: u32) -> f64;

    /// The costs of an integer that enters and of one that leaves, in products: in most layouts those of a product with a
    /// matrix of half a product's size, and of as much as a product.
    fn conversions_in_products(&self, bits: u32) -> [f64; 2] {
        let _ = bits;
        [0.5, 1.0]
    }

    /// The time that a linear operation, or a product that is no square, takes beside its arithmetic, in nanoseconds. It
    /// counts where numbers are short.
    fn step_ns(&self) -> f64 {
        0.0
    }

    /// The parts of the predicted time of a program that it takes modulo this number of size class `bits`.
    fn parts_of_time(&self, modulus: &Odd<BoxedUint>, bits: u32) -> PartsOfTime {
        let _ = (modulus, bits);
        PartsOfTime::WHOLE
    }

    /// The primes of this size class for which the formulas of points are compiled; those of others are computed operation
    /// by operation.
    fn compiled_primes(&self, bits: u32) -> Vec<&'static str> {
        let _ = bits;
        Vec::new()
    }

    /// The time of a squaring that waits for the one before, in products: 1 unless a product is predicted to take the
    /// time that it has beside others.
    fn products_in_waiting_square(&self) -> f64 {
        1.0
    }

    /// The time of an [inversion](crate::program::Inversion) in nanoseconds, if the device computes it by other means than the
    /// program's operations.
    fn inversion_ns(&self, bits: u32) -> Option<f64> {
        let _ = bits;
        None
    }

    /// Whether the time of a product can be measured by powers, in which each product waits for the one before.
    fn powers_measure_products(&self) -> bool {
        true
    }

    /// Whether it is a card beside the processor, which computes one group at a time, whatever the number of threads.
    fn is_card(&self) -> bool {
        false
    }

    /// Whether everything is unchanged that this device reads of a program when it computes modulo this number. No
    /// operation of a span has been read if `without_spans`.
    fn program_is_whole(
        &self,
        program: &Program,
        modulus: &(dyn Any + Send + Sync),
        without_spans: bool,
    ) -> bool {
        let _ = modulus;
        if without_spans {
            program.is_whole_without_spans()
        } else {
            program.is_whole()
        }
    }

    /// The largest number of members of work that has more than one group: groups whose members all have the same modulus share
    /// the inversions of a program, or the memory that it runs in. 0 if work is one group.
    fn numbers_together(&self) -> usize {
        0
    }

    /// Whether it has an [`affine_adder`](Self::affine_adder).
    fn adds_points(&self) -> bool {
        false
    }

    /// An adder of points of curves with this coefficient a modulo this number, if the device has one.
    fn affine_adder<'a>(
        &'a self,
        modulus: &'a (dyn Any + Send + Sync),
        a: &BoxedUint,
    ) -> Option<Box<dyn AffineAdder + 'a>> {
        let _ = (modulus, a);
        None
    }

    /// Runs a program for up to `layout.width()` members of one group key, or up to
    /// [`numbers_together`](Self::numbers_together) that have one modulus.
    ///
    /// # Errors
    /// [`DeviceError`]; nothing has been computed in that case.
    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError>;

    /// A device of this kind that makes its plans, and so its constants, anew, to compute again after a
    /// fault. It has the same limits. `None` for devices without redundancy.
    fn afresh(&self) -> Option<Arc<dyn Device>> {
        None
    }
}

/// What a run notes beside its outcomes.
#[derive(Default)]
pub(crate) struct Notes {
    /// Members found to be wrong. Their outcomes mean nothing.
    pub(crate) findings: RefCell<Vec<Finding>>,
    /// Whether operations of a span were read, because there was no compiled code for its formula.
    pub(crate) spans_were_read: Cell<bool>,
}

/// A program and the group to run it on, or groups that share its inversions.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: Layout,
    pub(crate) members: &'a [Member<'a>],
    pub(crate) notes: &'a Notes,
    /// An `Instrument`, with which tests count the run's operations or disturb it.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) instrument: Option<&'a (dyn Any + Send + Sync)>,
}
