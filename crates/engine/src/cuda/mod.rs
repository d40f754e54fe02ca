//! The device for large batches on a graphics card: numbers in words of 32 bits, one number in one thread or in a few
//! neighbouring ones, and Montgomery arithmetic on the card's integer units.
//!
//! `kernel.cu` has the arithmetic and a machine that runs programs; `code.rs` translates programs for it; `launch.rs`
//! packs a group's numbers into one block of memory, which goes to the card and comes back. The kernel is compiled when
//! a shape of numbers is first needed. `matrix` has a second device, for large moduli: residues on matrix units.

mod card;
mod code;
#[cfg(any(test, feature = "testing"))]
mod emulator;
mod launch;
mod matrix;
mod modulus;
mod nvidia;
mod shape;
#[cfg(test)]
mod tests;

use core::any::Any;
use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing"))]
pub(crate) use self::matrix::narrow as narrow_matrix;
pub(crate) use self::matrix::{CudaMatrix, describe as describe_matrix};
use self::{
    card::Card,
    launch::Spare,
    modulus::CardModulus,
    shape::{Form, Shape},
};
use crate::{
    EngineError,
    device::{Device, DeviceError, Outcome, PlanSummary, Work},
    kept::{Prepared, own},
    layout::Layout,
    program::{Limits, Magnitude},
};

/// The width of groups, in numbers. Several groups are on the card at a time, one for each thread of the processor.
const WIDTHS: &[usize] = &[16_384];

/// The times of a product of a group, in nanoseconds, at sizes in bits, with other groups on the card (an H200) at the
/// same time.
const TIMES: &[(u32, f64)] = &[
    (256, 1_500.0),
    (1024, 8_000.0),
    (2048, 24_000.0),
    (4096, 88_000.0),
];

/// The device for numbers in words.
pub(crate) struct Cuda {
    card: Arc<dyn Card>,
    widths: &'static [usize],
    spare: Spare,
}

impl Cuda {
    /// The limits of programs. Numbers are below P, whatever magnitude a program gives them.
    const LIMITS: Limits = Limits {
        product: Magnitude::interval(-1, 1),
        operands: 1 << 60,
        signed: true,
        folded: None,
    };

    /// The device, if this machine has a card; it is looked for once.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        let card = nvidia::card().as_ref().map_err(String::as_str)?;
        Ok(Self {
            card: Arc::clone(card) as Arc<dyn Card>,
            widths: WIDTHS,
            spare: Spare::default(),
        })
    }
}

/// The device for words with groups of a few numbers, on the machine's card or on an emulated one.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn narrow(is_emulated: bool) -> Result<Cuda, String> {
    let card: Arc<dyn Card> = if is_emulated {
        emulator::card()?
    } else {
        Arc::clone(nvidia::card().as_ref()?) as _
    };
    let widths = if is_emulated { &[3] } else { &[150] };
    let spare = Spare::default();
    Ok(Cuda {
        card,
        widths,
        spare,
    })
}

/// The times of all kernels on the machine's card so far, in seconds.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn kernel_seconds() -> Option<f64> {
    nvidia::card()
        .as_ref()
        .ok()
        .map(|card| card.kernel_seconds())
}

/// A description of a few words: the card.
pub(crate) fn describe() -> String {
    match nvidia::card() {
        Ok(card) => format!("limbs of 32 bits on {}", card.name()),
        Err(_) => String::new(),
    }
}

impl Device for Cuda {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn unit(&self) -> &'static str {
        "limbs"
    }

    fn layouts(&self, _: u32) -> Vec<Layout> {
        self.widths.iter().copied().map(Layout::Lanes).collect()
    }

    fn limits(&self, _: u32) -> Result<Limits, EngineError> {
        Ok(Self::LIMITS)
    }

    /// Tables are in the card's memory: sixteen entries of a number of 1024 bits are read in the time of a product, which
    /// grows with the square of the size.
    fn entries_per_product(&self, bits: u32) -> u32 {
        (bits / 64).max(1)
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        let words = Shape::of_size(bits).words();
        Ok(PlanSummary::of_limbs(bits, words, u32::BITS, 1))
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>> {
        let prepare =
            |value: &&Odd<BoxedUint>| Ok(Box::new(CardModulus::new(value, bits)) as Prepared);
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        own::<CardModulus>(modulus).constants(integers, forms)
    }

    fn limits_of(&self, _: &(dyn Any + Send + Sync)) -> Limits {
        Self::LIMITS
    }

    /// The group key: all moduli of a size have the same shape, but for their form.
    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        match own::<CardModulus>(modulus).shape.form {
            Form::General => 0,
            Form::Secp256k1 => 1,
            Form::P25519 => 2,
        }
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        crate::times::product_ns(&[(layout, TIMES)], layout, bits)
    }

    fn is_card(&self) -> bool {
        true
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        let launch = launch::of_work(work, &self.spare)?;
        let results = self.card.run(&launch)?;
        let outcomes = launch::outcomes(work, &launch, &results);
        self.spare.put(launch.upload);
        Ok(outcomes)
    }
}
