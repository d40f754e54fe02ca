//! The device for large batches modulo large numbers on a card with matrix units: residues of fifteen bits, whose base
//! extensions are products of matrices of bytes.
//!
//! `residues.cu` has the kernels; `plan.rs` the bases, the matrices and the proof that no sum overflows, with the sizes of
//! `geometry.rs`. Everything else is shared with limbs.

mod geometry;
mod moduli;
mod plan;

use core::any::Any;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

pub(super) use self::{
    geometry::{Geometry, OF_WARP},
    plan::Plan,
};
#[cfg(any(test, feature = "testing"))]
use super::emulator;
use super::{card::Card, launch, launch::Spare, modulus::CardModulus, nvidia};
use crate::{
    EngineError,
    device::{Device, DeviceError, Outcome, PlanSummary, Work},
    kept::{Prepared, own},
    layout::Layout,
    program::Limits,
};

/// The times of a product of a group, in nanoseconds, at sizes in bits, with other groups on the card (an H200) at the
/// same time.
const TIMES: &[(u32, f64)] = &[
    (1024, 8_400.0),
    (2048, 14_000.0),
    (3072, 35_000.0),
    (4096, 56_000.0),
];

/// The device.
pub(crate) struct CudaMatrix {
    pub(super) card: Arc<dyn Card>,
    pub(super) widths: &'static [usize],
    pub(super) spare: Spare,
    /// Number of warps of a block, where it is not the plan's.
    warps: Option<usize>,
    plans: Mutex<HashMap<u32, Result<Arc<Plan>, EngineError>>>,
}

impl CudaMatrix {
    /// The device, if this machine has such a card; it is looked for once.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        let card = nvidia::card().as_ref().map_err(String::as_str)?;
        if !card.has_matrix_units() {
            return Err("it is for cards of the generation Hopper (compute capability 9.0)");
        }
        Ok(Self::on(
            Arc::clone(card) as Arc<dyn Card>,
            super::WIDTHS,
            None,
        ))
    }

    fn on(card: Arc<dyn Card>, widths: &'static [usize], warps: Option<usize>) -> Self {
        Self {
            card,
            widths,
            spare: Spare::default(),
            warps,
            plans: Mutex::default(),
        }
    }

    fn plan(&self, bits: u32) -> Result<Arc<Plan>, EngineError> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = plans.entry(bits).or_insert_with(|| {
            let mut plan = Plan::new(bits)?;
            plan.geometry.warps = self.warps.unwrap_or(plan.geometry.warps);
            Ok(Arc::new(plan))
        });
        plan.clone()
    }
}

/// A device with groups of a few numbers, on the machine's card or on an emulated one.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn narrow(is_emulated: bool) -> Result<CudaMatrix, String> {
    if is_emulated {
        // The emulator runs one warp after the other.
        return Ok(CudaMatrix::on(emulator::card()?, &[19], Some(1)));
    }
    let card = nvidia::card().as_ref()?;
    if !card.has_matrix_units() {
        return Err(String::from("the card has no such matrix units"));
    }
    Ok(CudaMatrix::on(Arc::clone(card) as _, &[200], None))
}

/// A description of a few words: residues and the card.
pub(crate) fn describe() -> String {
    match nvidia::card() {
        Ok(card) => format!(
            "15-bit residues, matrix units of {}; the rest as cuda",
            card.name()
        ),
        Err(_) => String::new(),
    }
}

impl Device for CudaMatrix {
    fn name(&self) -> &'static str {
        "cuda-matrix"
    }

    fn unit(&self) -> &'static str {
        "residues"
    }

    fn layouts(&self, bits: u32) -> Vec<Layout> {
        if self.plan(bits).is_err() {
            return Vec::new();
        }
        self.widths.iter().copied().map(Layout::Lanes).collect()
    }

    fn limits(&self, bits: u32) -> Result<Limits, EngineError> {
        Ok(self.plan(bits)?.limits)
    }

    /// Tables are in the card's memory, and an entry has a base less to read than a product, but another extension.
    fn entries_per_product(&self, _: u32) -> u32 {
        32
    }

    fn summary(&self, bits: u32) -> Result<PlanSummary, EngineError> {
        let plan = self.plan(bits)?;
        let channels = plan.geometry.channels;
        Ok(PlanSummary {
            bits,
            word_bits: 15,
            parts: vec![channels - 1, channels],
            text: format!(
                "{} + {channels} moduli of 15 bits, two bytes each on matrix units",
                channels - 1
            ),
            overshoot: u64::from(plan.geometry.lift),
            multiplications: 8 * channels * channels + 18 * channels,
        })
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>> {
        let plan = self.plan(bits);
        let prepare = |value: &&Odd<BoxedUint>| {
            let modulus =
                CardModulus::of_residues(value, plan.as_ref().map_err(EngineError::clone)?);
            modulus
                .map(|modulus| Box::new(modulus) as Prepared)
                .ok_or_else(|| EngineError::NoPlan {
                    bits,
                    condition: String::from("the modulus is coprime to base A"),
                })
        };
        moduli.iter().map(prepare).collect()
    }

    fn prepare_constants(
        &self,
        modulus: &(dyn Any + Send + Sync),
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        own::<CardModulus>(modulus).constants(integers, forms)
    }

    fn limits_of(&self, modulus: &(dyn Any + Send + Sync)) -> Limits {
        let plan = own::<CardModulus>(modulus).plan.as_ref();
        plan.map_or(super::Cuda::LIMITS, |plan| plan.limits)
    }

    fn group_key(&self, _: &(dyn Any + Send + Sync)) -> usize {
        0
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        crate::times::product_ns(&[(layout, TIMES)], layout, bits)
    }

    /// Integers become residues and are multiplied by F^2 and by 1 when they enter, and that once more when they leave. No
    /// closer figures than these were measured: a program of twenty products takes longer than in limbs.
    fn conversions_in_products(&self, _: u32) -> [f64; 2] {
        [10.0, 40.0]
    }

    fn is_card(&self) -> bool {
        true
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        let launch = launch::of_work(work, &self.spare)?;
        let results = self.card.run(&launch)?;
        let outcomes = launch::outcomes(work, &launch, &results);
        self.spare.put(launch.upload);
        Ok(outcomes)
    }
}
