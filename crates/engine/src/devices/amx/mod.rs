//! The device for Intel AMX: 16-bit residues, extensions on matrix tiles.
//!
//! A residue is two byte digits, so that an extension is a product of small integers: a constant
//! matrix of signed bytes with the unsigned bytes of 32 numbers. A register holds two channels of
//! 16 numbers, which is a row of a tile of digits: data never moves for the matrix unit. What is
//! left for vector instructions is one Montgomery reduction per residue and base, and the tails.
#![expect(
    unsafe_code,
    reason = "tile instructions, loads and stores, and calls of functions with target features"
)]

mod bytes;
mod constants;
mod convert;
mod cox;
mod extension;
mod group;
mod matrix;
mod plan;
mod prime;
mod processor;
mod product;
#[cfg(test)]
mod tests;
mod tile;
mod vector;

use core::any::Any;
use std::sync::{Arc, OnceLock};

use crypto_bigint::{BoxedUint, Odd, Word};
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing"))]
pub(crate) use self::processor::assume_emulated;
pub(crate) use self::processor::emulated;
use self::{
    constants::TileConstants,
    group::{NARROWEST, WIDEST, entries_per_product},
    plan::{MAIN_WIDTH, MAX_BITS, TilePlan, TilePlans},
    processor::Amx,
};
use crate::{
    EngineError,
    device::{Device, DeviceError, Layout, Outcome, PlanSummary, Prepared, Work, own},
    program::Limits,
};

/// The least size for which tiles are used: a plan rounds up to a multiple of 512 bits.
const LEAST_BITS: u32 = 320;

/// The time of a product of a group in nanoseconds at sizes in bits: counted, not measured
/// (`docs/engine.md`), so that a group of 32 takes about as long as one of 16 on AVX-512 lanes.
const PRODUCT_NS: [(Layout, &[(u32, f64)]); 2] = [
    (
        Layout::Tiles(WIDEST),
        &[
            (512, 640.0),
            (1024, 1790.0),
            (2048, 5400.0),
            (4096, 18_500.0),
        ],
    ),
    (
        Layout::Tiles(NARROWEST),
        &[(512, 325.0), (1024, 900.0), (2048, 2710.0), (4096, 9300.0)],
    ),
];

/// The device and its plans.
pub(crate) struct AmxDevice {
    /// The tiles, acquired when first used.
    processor: OnceLock<Result<Amx, &'static str>>,
    plans: TilePlans,
}

impl AmxDevice {
    /// The device, or what the processor lacks. Asks the kernel for nothing.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        Amx::look()?;
        Ok(Self {
            processor: OnceLock::new(),
            plans: TilePlans::default(),
        })
    }

    fn plan(&self, bits: u32) -> Result<Arc<TilePlan>, EngineError> {
        let no_plan = || EngineError::NoPlan {
            bits,
            condition: format!("tiles serve {LEAST_BITS} to {MAX_BITS} bits"),
        };
        let served = (LEAST_BITS..=MAX_BITS).contains(&bits);
        let plan = served.then(|| self.plans.plan(bits)).flatten();
        plan.ok_or_else(no_plan)
    }
}

impl Device for AmxDevice {
    fn name(&self) -> &'static str {
        "amx"
    }

    fn layouts(&self, bits: u32) -> Vec<Layout> {
        if !(LEAST_BITS..=MAX_BITS).contains(&bits) {
            return Vec::new();
        }
        PRODUCT_NS.iter().map(|&(layout, _)| layout).collect()
    }

    fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
        Ok(self.plan(bits)?.limits())
    }

    fn entries_per_product(&self, bits: u32) -> u32 {
        entries_per_product(bits.next_multiple_of(plan::STEP_BITS))
    }

    /// A multiplication is one of two bytes: of every digit with the two bytes of every weight,
    /// in both extensions.
    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        let plan = self.plan(bits)?;
        let (mains, channels) = (plan.mains(), plan.channels());
        Ok(PlanSummary {
            bits: plan.bits,
            channel_bits: MAIN_WIDTH,
            channels_a: channels,
            channels_b: channels,
            overshoot: 3 * u64::from(plan.c),
            multiplications: 2 * (2 * mains) * (2 * channels),
        })
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>> {
        let plan = match self.plan(bits) {
            Ok(plan) => plan,
            Err(error) => return moduli.iter().map(|_| Err(error.clone())).collect(),
        };
        let prepare = |value: &&Odd<BoxedUint>| {
            let words = value.bits_precision().div_ceil(Word::BITS) as usize;
            let constants = TileConstants::new(&plan, bits, &value.as_words()[..words]);
            let constants = constants.ok_or_else(|| EngineError::NoPlan {
                bits,
                condition: String::from("a prime of the tiles' base divides the modulus"),
            });
            Ok(Box::new(constants?) as Prepared)
        };
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        Box::new(own::<TileConstants>(modulus).constants(integers, forms))
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        own::<TileConstants>(modulus).plan.limits()
    }

    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        Arc::as_ptr(&own::<TileConstants>(modulus).plan).addr()
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        super::product_ns(&PRODUCT_NS, layout, bits.next_multiple_of(plan::STEP_BITS))
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        if !matches!(work.layout, Layout::Tiles(NARROWEST | WIDEST)) {
            return Err(super::no_such_layout(work.layout));
        }
        let processor = self.processor.get_or_init(Amx::acquire);
        let processor = processor.map_err(|reason| DeviceError {
            reason: reason.into(),
        })?;
        Ok(group::run(processor, work))
    }
}

/// Plain integers.
///
/// # Safety
/// Any bits are a value, and all of them are initialized.
unsafe trait Integer {}
// SAFETY: these are plain integers.
unsafe impl Integer for u16 {}
// SAFETY: as above.
unsafe impl Integer for u32 {}
// SAFETY: as above.
unsafe impl Integer for i32 {}
