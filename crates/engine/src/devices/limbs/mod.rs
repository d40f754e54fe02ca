//! What the devices with positional numbers have in common: limbs of 52 bits, and a number a lane.
//!
//! They are the only devices without residues. For batches on vector units, a modular product in limbs takes
//! fewer multiplications than one in residues: `4 n^2` halves of products, of which a square saves a
//! quarter, against the `4 n^2` of two base extensions, on which a square saves nothing, and another `36 n` in
//! the channels (`docs/engine.md`). Residues win where a number is spread over the lanes, because they have
//! no carries, and where a matrix unit does the base extensions.

mod group;
pub(super) mod numbers;
pub(super) mod plan;
#[cfg(test)]
mod tests;

use core::any::Any;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use self::{
    numbers::{Factors, Folding, Limb, LimbNumbers, Moduli, WIDTH},
    plan::{LIMB_BITS, LimbConstants, LimbModulus, LimbPlan, PRODUCT_MULTIPLE},
};
use crate::{
    EngineError,
    device::{Device, DeviceError, Layout, Outcome, PlanSummary, Prepared, Work, own},
    devices::{float::DefaultRounding, lanes::LaneTable},
    program::Limits,
};

/// Vectors of a wide group, so that a step of the interpreter is little beside a step's arithmetic.
pub(super) const WIDE: usize = 4;
/// The largest size class of wide groups in bits: the largest that curves need. The longer a number, the
/// less a step of the interpreter is beside its arithmetic.
const LARGEST_WIDE: u32 = 576;

/// Times of the product of a group in nanoseconds, by layout and by size in bits.
pub(super) type Times = [(Layout, &'static [(u32, f64)])];

/// The arithmetic of a device on vectors of eight numbers in limbs. Limbs are below `2^52`, those of operands and
/// those of results. A value of such a type proves that the processor has the instructions.
pub(super) trait Kernels: Copy + Send + Sync + 'static {
    /// The name of the device.
    const NAME: &'static str;

    /// Number of table entries that are read in the time of a product, for each limb: of numbers beyond
    /// [`LARGEST_WIDE`] bits, of which a product multiplies `2 n^2` pairs of limbs, and an entry has n to read.
    const ENTRIES_PER_LIMB: u32;

    fn times(self) -> &'static Times;

    /// `out := (T + q P) / F`, where T is the sum of products of the factors, and `0 <= q < F`. `scratch` is
    /// for factors in another form.
    ///
    /// Requires `T <= F P`. Ensures a result of at most 2 P.
    fn montgomery(
        self,
        moduli: Moduli<'_>,
        factors: Factors<'_>,
        scratch: &mut LimbNumbers,
        out: &mut [Limb],
    );

    /// `out := lift P + sum of factor_i x_i` modulo F.
    ///
    /// Requires absolute values of the factors of at most `2^10` in sum.
    ///
    /// With `fold`, the numbers must be one block, and the sum, S, from 0 to `2^10 2^bits`. A multiple of P
    /// is subtracted so that the result is below 2 P: q P, with `q = floor(t r / 2^52)` for
    /// `t = floor(S / 2^e)` or one less, `r = floor(2^(52 + e) / P)`, and `2^e` the weight of bit 12 of
    /// the highest limb. q is at most S/P, as `t <= S / 2^e` and `r <= 2^(52 + e) / P`. And
    /// ```text
    /// t r / 2^52 > (S / 2^e - 2) (2^(52 + e) / P - 1) / 2^52 > S / P - S / 2^(52 + e) - 2 2^e / P,
    /// ```
    /// where the second term is below `2^-6`, as `S <= 2^266` and `52 + e = 272`, and the third below
    /// `2^-18`, as `P > 2^239`. So q is above `S/P - 1 - 2^-5`.
    fn combine(
        self,
        terms: &[(i32, &LimbNumbers)],
        lift: u64,
        fold: bool,
        moduli: Folding<'_>,
        out: &mut [Limb],
    );

    /// `x := y` in the lanes whose bit is 1. Both are read and x is written in every lane.
    fn choose(self, bits: &Limb, x: &mut [Limb], y: &[Limb]);

    /// `out :=` each lane's entry of the table. All entries are read.
    fn select(self, table: &LaneTable<u64, WIDTH>, indices: &Limb, out: &mut [Limb]);

    /// `out :=` in each lane the constant that it names, from the `entries` that follow constant
    /// `first`. Lanes that name none stay. All of these constants are read.
    fn select_shared(
        self,
        constants: &LimbConstants,
        first_and_entries: (usize, usize),
        indices: &Limb,
        out: &mut [Limb],
    );
}

/// A device that computes with these kernels.
pub(super) struct LimbDevice<K>(pub(super) K);

impl<K: Kernels> Device for LimbDevice<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn layouts(&self, bits: u32) -> Vec<Layout> {
        let layouts = self.0.times().iter().map(|&(layout, _)| layout);
        layouts
            .filter(|layout| layout.width() == WIDTH || bits <= LARGEST_WIDE)
            .collect()
    }

    fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
        Ok(LimbPlan::new(bits).limits())
    }

    /// Programs for curves mostly read tables of constants, whose entries members share: those of sixteen are
    /// in two registers.
    fn entries_per_product(&self, bits: u32) -> u32 {
        /// Of shorter numbers, for each limb.
        const SHARED_PER_LIMB: u32 = 10;
        let per_limb = if bits <= LARGEST_WIDE {
            SHARED_PER_LIMB
        } else {
            K::ENTRIES_PER_LIMB
        };
        per_limb * LimbPlan::new(bits).limbs as u32
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
        super::product_ns(self.0.times(), layout, bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        let _rounding = DefaultRounding::new();
        match work.layout {
            Layout::Lanes(WIDTH) => Ok(group::run::<K, 1>(self.0, work)),
            Layout::Lanes(numbers) if numbers == WIDE * WIDTH => {
                Ok(group::run::<K, WIDE>(self.0, work))
            }
            layout => Err(super::no_such_layout(layout)),
        }
    }
}
