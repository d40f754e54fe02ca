//! The device for AVX-512 IFMA with positional numbers: limbs of 52 bits, and a number a lane.
//! Groups of short numbers are several vectors wide, so that a step of the interpreter is little
//! beside a step's arithmetic.
//!
//! It is the only device without residues. For batches on vector units that multiply 52-bit
//! integers, a modular product in limbs takes fewer multiplications than one in residues: `4 n^2`
//! of which a square saves a quarter, against the `4 n^2` of two base extensions, on which a square
//! saves nothing, and another `36 n` in the channels (`docs/engine.md`). Residues win where a
//! number is spread over the lanes, because they have no carries, and where a matrix unit does the
//! base extensions.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]

/// Repeats a block for each number of a list, which the block finds as a constant. The compiler
/// would not unroll a loop of this length, and then keep the columns in memory.
macro_rules! for_each {
    ($name:ident in [$($number:literal)*] $body:block) => {
        $({
            const $name: usize = $number;
            $body
        })*
    };
}

mod columns;
mod group;
mod numbers;
mod plan;
mod product;
mod small;
#[cfg(test)]
mod tests;

use core::any::Any;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use self::plan::{LIMB_BITS, LimbModulus, LimbPlan, PRODUCT_MULTIPLE};
use super::avx512::{Ifma, vector::WIDTH};
use crate::{
    EngineError,
    device::{Device, DeviceError, Layout, Outcome, PlanSummary, Prepared, Work, own},
    program::Limits,
};

/// Vectors of a wide group.
const WIDE: usize = 4;
/// The largest size class of wide groups in bits: the largest that curves need. The longer a number, the
/// less a step of the interpreter is beside its arithmetic.
const LARGEST_WIDE: u32 = 576;

/// The time of a product of a group in nanoseconds at sizes in bits, on an AMD EPYC (Zen 4) core.
const PRODUCT_NS: [(Layout, &[(u32, f64)]); 2] = [
    (
        Layout::Lanes(WIDTH),
        &[
            (256, 59.0),
            (512, 131.0),
            (1024, 384.0),
            (2048, 1385.0),
            (4096, 5344.0),
        ],
    ),
    (Layout::Lanes(WIDE * WIDTH), &[(256, 151.0), (512, 474.0)]),
];

/// The device.
pub(crate) struct Radix52 {
    kernels: Ifma,
}

impl Radix52 {
    /// The device, or what the processor lacks.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        Ok(Self {
            kernels: Ifma::detect()?,
        })
    }
}

impl Device for Radix52 {
    fn name(&self) -> &'static str {
        "radix52"
    }

    fn layouts(&self, bits: u32) -> Vec<Layout> {
        let layouts = PRODUCT_NS.iter().map(|&(layout, _)| layout);
        layouts
            .filter(|layout| layout.width() == WIDTH || bits <= LARGEST_WIDE)
            .collect()
    }

    fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
        Ok(LimbPlan::new(bits).limits())
    }

    /// A product multiplies `2 n^2` pairs of limbs; an entry has n limbs to read.
    fn entries_per_product(&self, bits: u32) -> u32 {
        2 * LimbPlan::new(bits).limbs as u32
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        let limbs = LimbPlan::new(bits).limbs;
        Ok(PlanSummary {
            bits,
            channel_bits: LIMB_BITS,
            channels_a: limbs,
            channels_b: 0,
            overshoot: PRODUCT_MULTIPLE.unsigned_abs(),
            multiplications: 2 * limbs * limbs,
        })
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>> {
        let prepare =
            |value: &&Odd<BoxedUint>| Ok(Box::new(LimbModulus::new(value, bits)) as Prepared);
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        Box::new(own::<LimbModulus>(modulus).constants(integers, forms))
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        own::<LimbModulus>(modulus).plan.limits()
    }

    /// All moduli of a size have the same plan; products depend on their form.
    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        own::<LimbModulus>(modulus).form as usize
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        super::product_ns(&PRODUCT_NS, layout, bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        match work.layout {
            Layout::Lanes(WIDTH) => Ok(group::run::<1>(self.kernels, work)),
            Layout::Lanes(numbers) if numbers == WIDE * WIDTH => {
                Ok(group::run::<WIDE>(self.kernels, work))
            }
            layout => Err(super::no_such_layout(layout)),
        }
    }
}
