//! The device for AVX-512 IFMA, with residues of 52 bits.
//!
//! Channels have up to 50 bits, so that matrices have little more than half as many rows and
//! columns as those of the portable device. A product of two residues is two `vpmadd52`
//! instructions, which accumulate its low and its high 52 bits. In the layout [`lanes`] each number
//! has a lane; in [`spread`] the channels of one number are spread over the lanes.

mod lanes;
mod modulus;
mod octet;
pub(crate) mod spread;
pub(super) mod vector;

use core::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use self::modulus::{IfmaModulus, SharedSpreadPlan};
pub(crate) use self::octet::OctetDevice;
pub(crate) use crate::instructions::Ifma;
use crate::{
    EngineError,
    choices::Choices,
    device::{Device, DeviceError, Outcome, PlanSummary, Work},
    kept::{Prepared, own},
    layout::Layout,
    program::Limits,
    residues::{
        lanes::ENTRIES_PER_PRODUCT,
        plan::{LaneFormat, Plan, PlanCache, PlanFormat, PreparedModulus},
    },
    words::{self, WordModulus},
};

/// Number of lanes of a group in lanes.
const LANES: usize = 16;

/// The time of a product of a group in nanoseconds, as part of a power, at sizes in bits, on a Xeon (Sapphire
/// Rapids) core.
const PRODUCT_NS: [(Layout, &[(u32, f64)]); 3] = [
    (
        Layout::Lanes(LANES),
        &[
            (256, 218.0),
            (512, 489.0),
            (1024, 1194.0),
            (2048, 3178.0),
            (4096, 11_707.0),
        ],
    ),
    (
        Layout::Spread(2),
        &[
            (256, 44.0),
            (512, 85.0),
            (1024, 163.0),
            (2048, 453.0),
            (4096, 1506.0),
        ],
    ),
    (
        Layout::Spread(1),
        &[
            (256, 36.0),
            (512, 52.0),
            (1024, 87.0),
            (2048, 245.0),
            (4096, 886.0),
        ],
    ),
];

/// The device and its plans.
pub(crate) struct Avx512 {
    kernels: Ifma,
    choices: Choices,
    plans: PlanCache<Plan>,
    spreads: Mutex<Vec<(Weak<Plan>, SharedSpreadPlan)>>,
}

impl Avx512 {
    /// The device, or the instructions that the processor lacks.
    pub(crate) fn detect(choices: Choices) -> Result<Self, &'static str> {
        let kernels = Ifma::detect()?;
        Ok(Self::with_kernels(kernels, choices))
    }

    fn with_kernels(kernels: Ifma, choices: Choices) -> Self {
        let format = PlanFormat {
            lanes: LaneFormat::IFMA,
            redundancy: choices.redundancy,
        };
        Self {
            kernels,
            choices,
            plans: PlanCache::new(format, choices.split),
            spreads: Mutex::default(),
        }
    }

    /// The spread form of a plan.
    fn spread(&self, plan: &Arc<Plan>) -> SharedSpreadPlan {
        // A panic while the lock was held has left a list of whole pairs.
        let mut spreads = self.spreads.lock().unwrap_or_else(PoisonError::into_inner);
        spreads.retain(|(plan, _)| plan.strong_count() > 0);
        let weak = Arc::downgrade(plan);
        if let Some((_, spread)) = spreads.iter().find(|(plan, _)| plan.ptr_eq(&weak)) {
            return Arc::clone(spread);
        }
        let spread = SharedSpreadPlan::default();
        spreads.push((weak, Arc::clone(&spread)));
        spread
    }
}

impl Device for Avx512 {
    fn name(&self) -> &'static str {
        "avx512"
    }

    fn unit(&self) -> &'static str {
        "residues"
    }

    /// The layouts: with redundancy only lanes, as redundant channels are compared there only.
    fn layouts(&self, _: u32) -> Vec<Layout> {
        let layouts = PRODUCT_NS.iter().map(|&(layout, _)| layout);
        let has_checks = |layout: &Layout| matches!(layout, Layout::Lanes(_));
        layouts
            .filter(|layout| self.choices.redundancy == 0 || has_checks(layout))
            .collect()
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
        let spread = self.spread(&plan);
        let prepared = PreparedModulus::prepare(moduli, &plan).into_iter();
        let boxed = |(residues, &value): (Option<PreparedModulus>, &&Odd<BoxedUint>)| {
            let spread = Arc::clone(&spread);
            Ok(match residues {
                Some(residues) => Box::new(IfmaModulus { residues, spread }) as Prepared,
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
        let modulus: &IfmaModulus = own(modulus);
        Box::new(modulus.residues.constants(integers, forms))
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        WordModulus::of(modulus).map_or_else(
            || own::<IfmaModulus>(modulus).residues.plan.limits(),
            WordModulus::limits,
        )
    }

    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        WordModulus::of(modulus).map_or_else(
            || own::<IfmaModulus>(modulus).residues.plan_id(),
            |_| words::GROUP_KEY,
        )
    }

    /// From lone pairings, whose sums have many terms.
    fn step_ns(&self) -> f64 {
        70.0
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        crate::times::product_ns(&PRODUCT_NS, layout, bits)
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        if WordModulus::of(work.members[0].modulus).is_some() {
            return Ok(words::run(work));
        }
        match work.layout {
            Layout::Lanes(LANES) => Ok(crate::residues::lanes::run::<_, LANES>(self.kernels, work)),
            Layout::Spread(2) => Ok(spread::run::<2>(self.kernels, work)),
            Layout::Spread(1) => Ok(spread::run::<1>(self.kernels, work)),
            layout => Err(crate::device::no_such_layout(layout)),
        }
    }

    fn afresh(&self) -> Option<Arc<dyn Device>> {
        Some(Arc::new(Self::with_kernels(self.kernels, self.choices)))
    }
}
