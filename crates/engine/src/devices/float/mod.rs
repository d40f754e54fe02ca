//! The device for vector units without wide integers: residues as exact float64.
//!
//! A channel has at most 25 bits and centred residues, so that a product of two is exact in the 53
//! bits of a float, and a whole sum of a base extension, too: one fused multiplication a term, no
//! low and high parts, no carries. A reduction takes three operations. The same results come out
//! with AVX-512, with AVX2, and with whatever the compiler makes of plain Rust, fused or not.
#![expect(
    clippy::inline_always,
    reason = "a kernel must be compiled whole for each instruction set"
)]

mod dispatch;
mod kernels;
mod lanes;
mod matrix;
mod plan;
mod rounding;
mod spread;
mod vector;

use core::any::Any;
use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

#[cfg(target_arch = "x86_64")]
pub(super) use self::dispatch::{Avx2, Avx512};
pub(crate) use self::plan::FloatPlan;
pub(super) use self::rounding::DefaultRounding;
use self::{dispatch::Baseline, plan::FloatModulus};
use super::radix64::{self, WordModulus};
use crate::{
    EngineError,
    device::{Device, DeviceError, Layout, Outcome, PlanSummary, Prepared, Work, own},
    plan::PlanCache,
    program::Limits,
    random::Split,
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
    /// Those of this processor, the widest first.
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

    /// A description of a few words.
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

    /// The times of products with them.
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
const AVX512_NS: [(Layout, &[(u32, f64)]); 5] = [
    (
        Layout::Lanes(32),
        &[
            (256, 619.0),
            (512, 1300.0),
            (1024, 3380.0),
            (2048, 10_600.0),
            (4096, 43_500.0),
        ],
    ),
    (
        Layout::Lanes(16),
        &[
            (256, 325.0),
            (512, 658.0),
            (1024, 1840.0),
            (2048, 5830.0),
            (4096, 21_400.0),
        ],
    ),
    (
        Layout::Lanes(8),
        &[
            (256, 203.0),
            (512, 385.0),
            (1024, 1150.0),
            (2048, 3660.0),
            (4096, 14_200.0),
        ],
    ),
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

/// The same with AVX2.
#[cfg(target_arch = "x86_64")]
const AVX2_NS: [(Layout, &[(u32, f64)]); 4] = [
    (
        Layout::Lanes(12),
        &[
            (256, 327.0),
            (512, 723.0),
            (1024, 2120.0),
            (2048, 6690.0),
            (4096, 23_600.0),
        ],
    ),
    (
        Layout::Lanes(4),
        &[
            (256, 170.0),
            (512, 354.0),
            (1024, 982.0),
            (2048, 3270.0),
            (4096, 12_200.0),
        ],
    ),
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

/// The same with 128-bit vectors, without fused multiplications.
const BASELINE_NS: [(Layout, &[(u32, f64)]); 2] = [
    (
        Layout::Lanes(8),
        &[
            (256, 393.0),
            (512, 1080.0),
            (1024, 3560.0),
            (2048, 12_600.0),
            (4096, 52_000.0),
        ],
    ),
    (
        Layout::Spread(1),
        &[
            (256, 95.0),
            (512, 167.0),
            (1024, 770.0),
            (2048, 2930.0),
            (4096, 11_300.0),
        ],
    ),
];

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

    fn layouts(&self, _: u32) -> Vec<Layout> {
        let measured = self.instructions.product_ns().iter();
        measured.map(|&(layout, _)| layout).collect()
    }

    fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
        Ok(self.plans.plan(bits)?.limits())
    }

    fn entries_per_product(&self, _: u32) -> u32 {
        super::lanes::ENTRIES_PER_PRODUCT
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        let plan = self.plans.plan(bits)?;
        let (a, b) = (plan.a.len(), plan.b.len());
        Ok(PlanSummary {
            bits,
            channel_bits: plan.channels[0].m.log2().ceil() as u32,
            channels_a: a,
            channels_b: b,
            overshoot: plan.limits().product.weight(),
            multiplications: 2 * a * b + 9 * (a + b),
        })
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
            |_| radix64::GROUP_KEY,
        )
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        super::product_ns(self.instructions.product_ns(), layout, bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        if WordModulus::of(work.members[0].modulus).is_some() {
            return Ok(radix64::run(work));
        }
        let _rounding = DefaultRounding::new();
        match (self.instructions, work.layout) {
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512(set), Layout::Lanes(32)) => Ok(lanes::run::<_, 32>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512(set), Layout::Lanes(16)) => Ok(lanes::run::<_, 16>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512(set), Layout::Lanes(8)) => Ok(lanes::run::<_, 8>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2(set), Layout::Lanes(12)) => Ok(lanes::run::<_, 12>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2(set), Layout::Lanes(4)) => Ok(lanes::run::<_, 4>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512(set), Layout::Spread(2)) => Ok(spread::run::<_, 2>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512(set), Layout::Spread(1)) => Ok(spread::run::<_, 1>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2(set), Layout::Spread(2)) => Ok(spread::run::<_, 2>(set, work)),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2(set), Layout::Spread(1)) => Ok(spread::run::<_, 1>(set, work)),
            (Instructions::Baseline, Layout::Spread(1)) => Ok(spread::run::<_, 1>(Baseline, work)),
            (Instructions::Baseline, Layout::Lanes(8)) => Ok(lanes::run::<_, 8>(Baseline, work)),
            (_, layout) => Err(super::no_such_layout(layout)),
        }
    }
}
