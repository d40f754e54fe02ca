//! The device for single numbers on vector units without wide integers: residues as exact float64.
//!
//! A channel has at most 25 bits and centred residues, so that a product of two is exact in the 53 bits of a
//! float, and so is a whole sum of a base extension: one fused multiplication a term, no low and high parts,
//! no carries. A reduction takes three operations. The results are the same with AVX-512, with AVX2, and with
//! the compiler's code for plain Rust, fused or not.
#![expect(
    clippy::inline_always,
    reason = "a kernel must be compiled whole for each instruction set"
)]

mod channel;
mod dispatch;
mod matrix;
mod plan;
mod spread;
mod vector;

use core::any::Any;
use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

pub(crate) use self::plan::FloatPlan;
use self::{dispatch::Baseline, plan::FloatModulus};
#[cfg(target_arch = "x86_64")]
use crate::instructions::{Avx2, Avx512};
use crate::{
    EngineError,
    choices::Split,
    device::{Device, DeviceError, Outcome, PlanSummary, Work},
    instructions::DefaultRounding,
    kept::{Prepared, own},
    layout::Layout,
    program::Limits,
    residues::{
        lanes::ENTRIES_PER_PRODUCT,
        plan::{PlanCache, residue_summary},
    },
    words::{self, WordModulus},
};

/// The instructions that kernels run with. A value exists only after detection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    Baseline,
}

impl Instructions {
    /// The instructions of this processor, the widest first.
    pub(crate) fn available() -> Vec<Self> {
        let mut available = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            available.extend(Avx512::detect().map(Self::Avx512));
            available.extend(Avx2::detect().map(Self::Avx2));
        }
        available.push(Self::Baseline);
        available
    }

    /// A description of a few words: residues and instructions on this processor.
    pub(crate) fn describe() -> String {
        let instructions = match Self::available()[0] {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "AVX-512F; batches as fused52",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "AVX2; batches as fused52",
            Self::Baseline => "plain Rust",
        };
        format!("24-bit residues in float64, {instructions}")
    }

    /// The times of products with these instructions.
    fn product_ns(self) -> &'static [(Layout, &'static [(u32, f64)])] {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => &AVX512_NS,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => &AVX2_NS,
            Self::Baseline => &BASELINE_NS,
        }
    }
}

/// The time of a product of a group in nanoseconds, as part of a power, at sizes in bits, on a Xeon
/// (Sapphire Rapids) core.
#[cfg(target_arch = "x86_64")]
const AVX512_NS: [(Layout, &[(u32, f64)]); 2] = [
    (
        Layout::Spread(2),
        &[
            (256, 62.0),
            (512, 100.0),
            (1024, 269.0),
            (2048, 1000.0),
            (4096, 3920.0),
        ],
    ),
    (
        Layout::Spread(1),
        &[
            (256, 58.0),
            (512, 78.0),
            (1024, 155.0),
            (2048, 763.0),
            (4096, 2990.0),
        ],
    ),
];

/// The time of a product with AVX2, in nanoseconds, at sizes in bits, measured likewise.
#[cfg(target_arch = "x86_64")]
const AVX2_NS: [(Layout, &[(u32, f64)]); 2] = [
    (
        Layout::Spread(2),
        &[
            (256, 70.0),
            (512, 138.0),
            (1024, 401.0),
            (2048, 1290.0),
            (4096, 4860.0),
        ],
    ),
    (
        Layout::Spread(1),
        &[
            (256, 49.0),
            (512, 77.0),
            (1024, 199.0),
            (2048, 866.0),
            (4096, 3260.0),
        ],
    ),
];

/// The time of a product with 128-bit vectors and without fused multiplications, measured likewise.
const BASELINE_NS: [(Layout, &[(u32, f64)]); 1] = [(
    Layout::Spread(1),
    &[
        (256, 95.0),
        (512, 167.0),
        (1024, 770.0),
        (2048, 2930.0),
        (4096, 11_300.0),
    ],
)];

/// The device and its plans.
pub(crate) struct FloatDevice {
    instructions: Instructions,
    plans: PlanCache<FloatPlan>,
}

impl FloatDevice {
    /// The device for the widest instructions. Every processor has it.
    pub(crate) fn detect(split: Split) -> Self {
        Self::with_instructions(Instructions::available()[0], split)
    }

    /// The device with these instructions.
    pub(crate) fn with_instructions(instructions: Instructions, split: Split) -> Self {
        Self {
            instructions,
            plans: PlanCache::new((), split),
        }
    }
}

impl Device for FloatDevice {
    fn name(&self) -> &'static str {
        "float"
    }

    fn unit(&self) -> &'static str {
        "residues"
    }

    fn layouts(&self, _: u32) -> Vec<Layout> {
        let measured = self.instructions.product_ns().iter();
        measured.map(|&(layout, _)| layout).collect()
    }

    fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
        Ok(self.plans.plan(bits)?.limits())
    }

    fn entries_per_product(&self, _: u32) -> u32 {
        ENTRIES_PER_PRODUCT
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        let plan = self.plans.plan(bits)?;
        let (a, b) = (plan.a.len(), plan.b.len());
        let width = plan.channels[0].m.log2().ceil() as u32;
        Ok(residue_summary(
            bits,
            width,
            [a, b],
            0,
            plan.limits().product.weight(),
        ))
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>> {
        let plan = match self.plans.plan(bits) {
            Ok(plan) => plan,
            Err(error) => return moduli.iter().map(|_| Err(error.clone())).collect(),
        };
        let _rounding = DefaultRounding::new();
        let prepare = |value: &&Odd<BoxedUint>| match FloatModulus::new(&plan, value) {
            Some(modulus) => Ok(Box::new(modulus) as Prepared),
            None => Ok(Box::new(WordModulus::new(value, plan.limits())) as Prepared),
        };
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        if let Some(plain) = WordModulus::of(modulus) {
            return plain.constants(integers, forms);
        }
        let _rounding = DefaultRounding::new();
        Box::new(own::<FloatModulus>(modulus).constants(integers, forms))
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        WordModulus::of(modulus).map_or_else(
            || own::<FloatModulus>(modulus).plan.limits(),
            WordModulus::limits,
        )
    }

    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        WordModulus::of(modulus).map_or_else(
            || Arc::as_ptr(&own::<FloatModulus>(modulus).plan).addr(),
            |_| words::GROUP_KEY,
        )
    }

    /// Digits of 24 bits are many: a number of 2048 or 4096 bits over all lanes enters and leaves in the time of some 160
    /// products.
    fn conversions_in_products(&self, bits: u32) -> [f64; 2] {
        let bits = f64::from(bits.min(2048));
        [bits / 35.0, bits / 20.0]
    }

    fn step_ns(&self) -> f64 {
        30.0
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        crate::times::product_ns(self.instructions.product_ns(), layout, bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        if WordModulus::of(work.members[0].modulus).is_some() {
            return Ok(words::run(work));
        }
        let _rounding = DefaultRounding::new();
        match (self.instructions, work.layout) {
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512(set), Layout::Spread(2)) => Ok(spread::run::<_, 2>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512(set), Layout::Spread(1)) => Ok(spread::run::<_, 1>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2(set), Layout::Spread(2)) => Ok(spread::run::<_, 2>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2(set), Layout::Spread(1)) => Ok(spread::run::<_, 1>(set, work)),
            (Instructions::Baseline, Layout::Spread(1)) => Ok(spread::run::<_, 1>(Baseline, work)),
            (_, layout) => Err(crate::device::no_such_layout(layout)),
        }
    }
}
