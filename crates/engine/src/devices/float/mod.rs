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
mod vector;

use core::any::Any;
use std::sync::{Arc, Mutex};

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

#[cfg(target_arch = "x86_64")]
use self::dispatch::{Avx2, Avx512};
use self::{
    dispatch::Baseline,
    plan::{FloatModulus, FloatPlan},
};
use crate::{
    EngineError,
    device::{Device, DeviceError, Layout, Outcome, PlanSummary, Prepared, Work, own},
    job::lock,
    program::Limits,
};

/// The instructions that kernels run with.
#[derive(Clone, Copy)]
enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    Baseline,
}

impl Instructions {
    /// The widest that this processor has.
    fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(set) = Avx512::detect() {
                return Self::Avx512(set);
            }
            if let Some(set) = Avx2::detect() {
                return Self::Avx2(set);
            }
        }
        Self::Baseline
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

/// The time of a product of a group in nanoseconds at sizes in bits, on an AMD EPYC (Zen 4) core.
#[cfg(target_arch = "x86_64")]
const AVX512_NS: [(Layout, &[(u32, f64)]); 3] = [
    (
        Layout::Lanes(32),
        &[
            (512, 1000.0),
            (1024, 3900.0),
            (2048, 13_700.0),
            (4096, 54_000.0),
        ],
    ),
    (
        Layout::Lanes(16),
        &[
            (512, 550.0),
            (1024, 2000.0),
            (2048, 7000.0),
            (4096, 28_000.0),
        ],
    ),
    (
        Layout::Lanes(8),
        &[
            (512, 300.0),
            (1024, 1100.0),
            (2048, 4000.0),
            (4096, 15_000.0),
        ],
    ),
];

/// The same with AVX2.
#[cfg(target_arch = "x86_64")]
const AVX2_NS: [(Layout, &[(u32, f64)]); 2] = [
    (
        Layout::Lanes(12),
        &[
            (512, 800.0),
            (1024, 2700.0),
            (2048, 9000.0),
            (4096, 36_000.0),
        ],
    ),
    (
        Layout::Lanes(4),
        &[
            (512, 400.0),
            (1024, 1300.0),
            (2048, 4500.0),
            (4096, 18_000.0),
        ],
    ),
];

/// The same with SSE2.
const BASELINE_NS: [(Layout, &[(u32, f64)]); 1] = [(
    Layout::Lanes(8),
    &[
        (512, 1600.0),
        (1024, 5400.0),
        (2048, 18_000.0),
        (4096, 72_000.0),
    ],
)];

/// The sets of primes that moduli are tried with, one after the other: a modulus that a prime of a
/// base divides gets another set.
const VARIANTS: usize = 4;

/// Plans of other sets than the first that are kept.
const OTHER_PLANS_KEPT: usize = 8;

/// The device and its plans.
pub(crate) struct FloatDevice {
    instructions: Instructions,
    plans: Mutex<Vec<Arc<FloatPlan>>>,
}

impl FloatDevice {
    /// The device for the widest instructions. Every processor has it.
    pub(crate) fn detect() -> Self {
        Self {
            instructions: Instructions::detect(),
            plans: Mutex::default(),
        }
    }

    /// The plan for moduli of at most `bits` bits with a set of primes. The most recent are last.
    fn plan(&self, bits: u32, variant: usize) -> Result<Arc<FloatPlan>, EngineError> {
        let is_it = |plan: &Arc<FloatPlan>| plan.bits == bits && plan.variant == variant;
        if let Some(plan) = lock(&self.plans).iter().find(|plan| is_it(plan)) {
            return Ok(Arc::clone(plan));
        }
        // Not under the lock: two threads may make the same plan, which is merely redundant work.
        let plan = Arc::new(FloatPlan::new(bits, variant)?);
        let mut plans = lock(&self.plans);
        if let Some(first) = plans.iter().find(|plan| is_it(plan)) {
            return Ok(Arc::clone(first));
        }
        let others = plans.iter().filter(|plan| plan.variant > 0).count();
        if variant > 0 && others >= OTHER_PLANS_KEPT {
            let oldest = plans.iter().position(|plan| plan.variant > 0);
            oldest.map(|index| plans.remove(index));
        }
        plans.push(Arc::clone(&plan));
        Ok(plan)
    }

    /// The modulus with the first set of primes that do not divide it.
    fn prepare_one(&self, value: &Odd<BoxedUint>, bits: u32) -> Result<Prepared, EngineError> {
        for variant in 0..VARIANTS {
            if let Some(modulus) = FloatModulus::new(&self.plan(bits, variant)?, value) {
                return Ok(Box::new(modulus));
            }
        }
        Err(EngineError::NoPlan {
            bits,
            condition: format!("primes of {VARIANTS} bases divide the modulus"),
        })
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
        Ok(self.plan(bits, 0)?.limits())
    }

    fn entries_per_product(&self, _: u32) -> u32 {
        super::lanes::ENTRIES_PER_PRODUCT
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        let plan = self.plan(bits, 0)?;
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
        let prepare = |value: &&Odd<BoxedUint>| self.prepare_one(value, bits);
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        Box::new(own::<FloatModulus>(modulus).constants(integers, forms))
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        own::<FloatModulus>(modulus).plan.limits()
    }

    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        Arc::as_ptr(&own::<FloatModulus>(modulus).plan).addr()
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        super::product_ns(self.instructions.product_ns(), layout, bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
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
            (Instructions::Baseline, Layout::Lanes(8)) => Ok(lanes::run::<_, 8>(Baseline, work)),
            (_, layout) => Err(super::no_such_layout(layout)),
        }
    }
}
