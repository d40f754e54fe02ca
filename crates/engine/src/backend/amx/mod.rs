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
mod tile;
mod vector;

use std::sync::Arc;

use crypto_bigint::BoxedUint;

pub(crate) use self::{
    group::{NARROWEST, WIDEST},
    modulus::TileModulus,
    plan::{MAX_BITS, TilePlan, TilePlans},
    processor::{Amx, emulated},
};
use super::plan::PreparedModulus;
use crate::Task;

/// So many numbers at least are worth a group of [`WIDEST`]: by count of operations, a group of 32
/// takes about as long on tiles as 16 numbers on AVX-512 lanes.
const FEWEST_NUMBERS: usize = 16;

/// The least size for which tiles are used: a plan rounds up to a multiple of 512 bits.
const LEAST_BITS: u32 = 320;

/// Whether tiles are faster than AVX-512 lanes for so many numbers of this size.
pub(super) fn worth_while(numbers: usize, bits: u32) -> bool {
    numbers >= FEWEST_NUMBERS && (LEAST_BITS..=MAX_BITS).contains(&bits)
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

    /// The plan for moduli of at most `bits` bits, if there is one.
    pub(crate) fn plan(&self, bits: u32) -> Option<Arc<TilePlan>> {
        self.plans.plan(bits)
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

    /// Computes up to [`WIDEST`] tasks of one plan as one group; none if one of the moduli cannot
    /// be used with tiles.
    pub(crate) fn run(&self, tasks: &[Task<'_>]) -> Option<Vec<BoxedUint>> {
        let usable = |task: &Task<'_>| self.prepare(task.modulus.prepared()).is_some();
        tasks
            .iter()
            .all(usable)
            .then(|| group::run(self.processor, tasks))
    }
}

/// Plain integers, of which any bits are a value.
trait Integer {}
impl Integer for u16 {}
impl Integer for u32 {}
impl Integer for i32 {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_a_plan() {
        let plans = TilePlans::default();
        for bits in (1..=8).map(|n| 512 * n) {
            let t = std::time::Instant::now();
            let r = plan::TilePlan::new(bits);
            match r {
                Ok(p) => println!(
                    "{bits} tails {} c {} spread {} {:?}",
                    p.tails,
                    p.c,
                    p.cox_spread,
                    t.elapsed()
                ),
                Err(e) => println!("{bits}: {e}"),
            }
        }
        let _ = plans;
    }
}
