//! The device for Intel AMX, with residues of 16 bits and base extensions on matrix tiles.
//!
//! A residue is two digits of a byte each, so that a base extension is a product of small integers:
//! a constant matrix of signed bytes times the unsigned bytes of 32 numbers. A register holds two
//! channels of 16 numbers. That is also a row of a tile of digits, so that data never has to be
//! rearranged for the matrix unit. Vector instructions do the rest: one Montgomery reduction per
//! residue and base, and the tail channels.
#![expect(
    unsafe_code,
    reason = "tile instructions, loads and stores, and calls of functions with target features"
)]

mod bytes;
mod convert;
mod cox;
mod extension;
mod group;
mod matrix;
mod modulus;
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
    group::{NARROWEST, WIDEST, entries_per_product},
    modulus::TileModulus,
    plan::{MAIN_WIDTH, MAX_BITS, TilePlan, TilePlans},
    processor::Amx,
};
use crate::{
    EngineError,
    device::{Device, DeviceError, Layout, Outcome, PlanSummary, Prepared, Work, own},
    program::Limits,
    random::Split,
};

/// The least size in bits for which tiles are used. Plans round sizes up to a multiple of 512 bits,
/// so that smaller sizes would waste most of a tile.
const LEAST_BITS: u32 = 320;

/// The time of a product of a group in nanoseconds, as part of a power, at sizes in bits, on a Xeon (Sapphire
/// Rapids) core.
const PRODUCT_NS: [(Layout, &[(u32, f64)]); 2] = [
    (
        Layout::Tiles(WIDEST),
        &[
            (512, 1300.0),
            (1024, 2900.0),
            (1536, 5070.0),
            (2048, 8200.0),
            (3072, 16_400.0),
            (4096, 33_000.0),
        ],
    ),
    (
        Layout::Tiles(NARROWEST),
        &[
            (512, 660.0),
            (1024, 1570.0),
            (1536, 2850.0),
            (2048, 4100.0),
            (3072, 7640.0),
            (4096, 12_700.0),
        ],
    ),
];

/// The device and its plans.
pub(crate) struct AmxDevice {
    /// The right to use the tiles, acquired when they are first used.
    processor: OnceLock<Result<Amx, &'static str>>,
    plans: TilePlans,
}

impl AmxDevice {
    /// The device, or what the processor lacks. Makes no request to the operating system.
    pub(crate) fn detect(split: Split) -> Result<Self, &'static str> {
        Amx::detect()?;
        Ok(Self {
            processor: OnceLock::new(),
            plans: TilePlans::new(split),
        })
    }

    /// The plan for moduli of at most `bits` bits.
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

    /// The multiplications are those of two bytes: each digit of a main channel times both bytes of
    /// its weight for each output, in two extensions.
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
            let prepared = TileModulus::new(&plan, bits, &value.as_words()[..words]);
            let prepared = prepared.ok_or_else(|| EngineError::NoPlan {
                bits,
                condition: String::from("a prime of the tiles' base divides the modulus"),
            });
            Ok(Box::new(prepared?) as Prepared)
        };
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        Box::new(own::<TileModulus>(modulus).constants(integers, forms))
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        own::<TileModulus>(modulus).plan.limits()
    }

    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        Arc::as_ptr(&own::<TileModulus>(modulus).plan).addr()
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
