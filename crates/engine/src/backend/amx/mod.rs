//! The backend for Intel AMX: 16-bit residues, extensions on matrix tiles.
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

use crypto_bigint::BoxedUint;

use self::{
    group::entries_per_product,
    plan::{MAIN_WIDTH, TilePlans},
};
pub(crate) use self::{
    group::{NARROWEST, WIDEST},
    modulus::TileModulus,
    plan::MAX_BITS,
    processor::{Amx, emulated},
};
use super::{Shape, plan::PreparedModulus, power::window_width};
use crate::{EngineError, Task};

/// So many numbers at least are worth a group of [`WIDEST`]: by count of operations, a group of 32
/// takes about as long on tiles as 16 numbers on AVX-512 lanes.
pub(super) const FEWEST_NUMBERS: usize = 16;

/// The least size for which tiles are used: a plan rounds up to a multiple of 512 bits.
const LEAST_BITS: u32 = 320;

/// Whether moduli of this size have plans.
pub(super) fn serves(bits: u32) -> bool {
    (LEAST_BITS..=MAX_BITS).contains(&bits)
}

/// Whether tiles are faster than AVX-512 lanes for so many numbers of this size.
pub(super) fn worth_while(numbers: usize, bits: u32) -> bool {
    numbers >= FEWEST_NUMBERS && serves(bits)
}

/// When tiles are used.
pub(super) fn reason() -> String {
    format!("tiles take {FEWEST_NUMBERS} numbers and more of {LEAST_BITS} to {MAX_BITS} bits")
}

/// The tiles, and the plans made so far.
pub(crate) struct TileEngine {
    processor: Amx,
    plans: TilePlans,
}

impl TileEngine {
    /// An engine, or what the processor lacks.
    pub(crate) fn new() -> Result<Self, &'static str> {
        Ok(Self {
            processor: Amx::detect()?,
            plans: TilePlans::default(),
        })
    }

    /// What the plan for moduli of at most `bits` bits looks like, and does with moduli of
    /// `modulus_bits`. A multiplication is one of two bytes: of every digit with the two bytes of
    /// every weight, in both extensions.
    pub(crate) fn shape(&self, bits: u32, modulus_bits: u32) -> Result<Shape, EngineError> {
        let no_plan = || EngineError::NoPlan {
            bits,
            condition: format!("tiles serve up to {MAX_BITS} bits"),
        };
        let plan = self.plans.plan(bits).ok_or_else(no_plan)?;
        let (mains, channels) = (plan.mains(), plan.channels());
        Ok(Shape {
            bits: plan.bits,
            channel_bits: MAIN_WIDTH,
            channels_a: channels,
            channels_b: channels,
            overshoot: 3 * u64::from(plan.c),
            window: window_width(modulus_bits, entries_per_product(plan.bits)),
            multiplications: 2 * (2 * mains) * (2 * channels),
        })
    }

    /// The constants of a modulus, made when first asked for; none if it has no plan, or shares a
    /// factor with base A.
    fn prepare<'a>(&self, modulus: &'a PreparedModulus) -> Option<&'a TileModulus> {
        let constants = modulus.tiles.get_or_init(|| {
            let plan = self.plans.plan(modulus.plan.bits)?;
            TileModulus::new(&plan, &modulus.words)
        });
        constants.as_ref()
    }

    /// Whether a task can be computed on tiles: its modulus may share a prime with base A.
    pub(crate) fn serves(&self, task: &Task<'_>) -> bool {
        self.prepare(task.modulus.prepared()).is_some()
    }

    /// Computes up to [`WIDEST`] tasks of one plan as one group, if it serves them all.
    pub(crate) fn run(&self, tasks: &[Task<'_>]) -> Option<Vec<BoxedUint>> {
        let all = tasks.iter().all(|task| self.serves(task));
        all.then(|| group::run(self.processor, tasks))
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
