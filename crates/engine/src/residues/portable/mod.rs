//! The portable device, without intrinsics. All inner loops run over the lanes, so that the
//! compiler vectorizes them for vectors of any width. Each kernel is compiled for several
//! instruction sets, and runs on the widest that the processor has.
#![expect(
    clippy::inline_always,
    reason = "a kernel must be compiled whole for each instruction set"
)]

mod channel;
mod convert;
mod dispatch;
mod matrix;
mod product;
mod select;

use core::any::Any;
use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

#[cfg(test)]
pub(crate) use self::dispatch::InstructionSet;
pub(crate) use self::dispatch::Portable;
use crate::{
    EngineError,
    choices::Choices,
    device::{Device, DeviceError, Outcome, PlanSummary, Work},
    kept::{Prepared, own},
    layout::Layout,
    program::Limits,
    residues::{
        lanes::{self, ENTRIES_PER_PRODUCT},
        plan::{LaneFormat, Plan, PlanCache, PlanFormat, PreparedModulus},
    },
    words::{self, WordModulus},
};

/// The time of a product of a group in nanoseconds at sizes in bits, with AVX-512 on an AMD EPYC
/// (Zen 4) core.
///
/// There is no width between 8 and 32: the compiler unrolls loops over 16 lanes instead of vectorizing them,
/// and 16 numbers take as long on 32 lanes.
const PRODUCT_NS: [(Layout, &[(u32, f64)]); 3] = [
    (
        Layout::Lanes(32),
        &[
            (256, 690.0),
            (512, 1850.0),
            (1024, 6000.0),
            (2048, 19_800.0),
            (4096, 80_000.0),
        ],
    ),
    (
        Layout::Lanes(8),
        &[
            (256, 615.0),
            (512, 1330.0),
            (1024, 3200.0),
            (2048, 8100.0),
            (4096, 25_500.0),
        ],
    ),
    (
        Layout::Lanes(4),
        &[
            (256, 333.0),
            (512, 710.0),
            (1024, 1760.0),
            (2048, 4680.0),
            (4096, 15_400.0),
        ],
    ),
];

/// The device and its plans.
pub(crate) struct PortableDevice {
    kernels: Portable,
    choices: Choices,
    plans: PlanCache<Plan>,
}

impl PortableDevice {
    /// The device for the widest instruction set. Every processor has it.
    pub(crate) fn detect(choices: Choices) -> Self {
        Self::with_kernels(Portable::new(), choices)
    }

    fn with_kernels(kernels: Portable, choices: Choices) -> Self {
        let format = PlanFormat {
            lanes: LaneFormat::WORD,
            redundancy: choices.redundancy,
        };
        Self {
            kernels,
            choices,
            plans: PlanCache::new(format, choices.split),
        }
    }

    /// The device with the kernels of one instruction set.
    #[cfg(test)]
    pub(crate) fn with_instruction_set(set: InstructionSet) -> Self {
        Self::with_kernels(Portable { set }, Choices::USUAL)
    }
}

impl Device for PortableDevice {
    fn name(&self) -> &'static str {
        "portable"
    }

    fn unit(&self) -> &'static str {
        "residues"
    }

    fn layouts(&self, _: u32) -> Vec<Layout> {
        PRODUCT_NS.iter().map(|&(layout, _)| layout).collect()
    }

    fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
        Ok(self.plans.plan(bits)?.limits())
    }

    fn entries_per_product(&self, _: u32) -> u32 {
        ENTRIES_PER_PRODUCT
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        Ok(self.plans.plan(bits)?.summary())
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>> {
        let plan = match self.plans.plan(bits) {
            Ok(plan) => plan,
            Err(error) => return moduli.iter().map(|_| Err(error.clone())).collect(),
        };
        let prepared = PreparedModulus::prepare(moduli, &plan).into_iter();
        let boxed = |(modulus, &value): (Option<PreparedModulus>, &&Odd<BoxedUint>)| {
            Ok(match modulus {
                Some(modulus) => Box::new(modulus) as Prepared,
                None => Box::new(WordModulus::new(value, plan.limits())),
            })
        };
        prepared.zip(moduli).map(boxed).collect()
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
        Box::new(own::<PreparedModulus>(modulus).constants(integers, forms))
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        WordModulus::of(modulus).map_or_else(
            || own::<PreparedModulus>(modulus).plan.limits(),
            WordModulus::limits,
        )
    }

    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        WordModulus::of(modulus).map_or_else(
            || own::<PreparedModulus>(modulus).plan_id(),
            |_| words::GROUP_KEY,
        )
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        crate::times::product_ns(&PRODUCT_NS, layout, bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        if WordModulus::of(work.members[0].modulus).is_some() {
            return Ok(words::run(work));
        }
        match work.layout {
            Layout::Lanes(32) => Ok(lanes::run::<_, 32>(self.kernels, work)),
            Layout::Lanes(8) => Ok(lanes::run::<_, 8>(self.kernels, work)),
            Layout::Lanes(4) => Ok(lanes::run::<_, 4>(self.kernels, work)),
            layout => Err(crate::device::no_such_layout(layout)),
        }
    }

    fn afresh(&self) -> Option<Arc<dyn Device>> {
        Some(Arc::new(Self::with_kernels(self.kernels, self.choices)))
    }
}
