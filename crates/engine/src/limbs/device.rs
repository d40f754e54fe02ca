//! The device for numbers in limbs, on kernels of any instruction set.

use core::any::Any;

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use crate::{
    EngineError,
    device::{AffineAdder, Device, DeviceError, Outcome, PartsOfTime, PlanSummary, Work},
    instructions::DefaultRounding,
    kept::{Prepared, own},
    layout::Layout,
    limbs::{
        affine::LimbAdder,
        group,
        kernels::{Kernels, WIDE},
        numbers::WIDTH,
        plan::{Form, LIMB_BITS, LimbModulus, LimbPlan, PRODUCT_MULTIPLE},
    },
    program::Limits,
};

/// The largest size class of wide groups in bits: the largest that curves need. The longer a number, the less a step of
/// the interpreter costs beside its arithmetic.
const LARGEST_WIDE: u32 = 576;

/// A device that computes with these kernels.
pub(crate) struct LimbDevice<K>(pub(super) K);

impl<K: Kernels> Device for LimbDevice<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn unit(&self) -> &'static str {
        "limbs"
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

    /// Programs for curves mostly read tables of constants, whose entries members share: an entry of sixteen members is
    /// in two registers.
    fn entries_per_product(&self, bits: u32) -> u32 {
        /// Number of table entries per limb of shorter numbers.
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
        let overshoot = PRODUCT_MULTIPLE.unsigned_abs();
        Ok(PlanSummary::of_limbs(bits, limbs, LIMB_BITS, overshoot))
    }

    fn prepare(&self, moduli: &[&Odd<BoxedUint>], bits: u32) -> Vec<Result<Prepared, EngineError>> {
        let prepare = |value: &&Odd<BoxedUint>| {
            Ok(Box::new(LimbModulus::new(value, bits, K::FORMS)) as Prepared)
        };
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

    /// The group key: all moduli of a size have the same plan; products depend on their form.
    fn group_key(&self, modulus: &(dyn Any + Send + Sync)) -> usize {
        own::<LimbModulus>(modulus).form as usize
    }

    fn product_ns(&self, layout: Layout, bits: u32) -> f64 {
        crate::times::product_ns(self.0.times(), layout, bits)
    }

    /// From lone operations on curves whose formulas are not compiled.
    fn step_ns(&self) -> f64 {
        45.0
    }

    fn parts_of_time(&self, modulus: &Odd<BoxedUint>, bits: u32) -> PartsOfTime {
        let form = Form::of(modulus, LimbPlan::new(bits));
        PartsOfTime {
            spans: K::span_part(form),
            others: K::product_part(form),
        }
    }

    fn compiled_primes(&self, bits: u32) -> Vec<&'static str> {
        let is_compiled = |form: Form| K::FORMS.iter().any(|&(compiled, _)| compiled == form);
        Form::primes(bits)
            .filter(|&(form, _)| is_compiled(form))
            .map(|(_, name)| name)
            .collect()
    }

    /// So many that each one's share of an inversion is small: the numbers of all groups are in memory at a time.
    fn numbers_together(&self) -> usize {
        256
    }

    fn adds_points(&self) -> bool {
        true
    }

    fn affine_adder<'a>(
        &'a self,
        modulus: &'a (dyn Any + Send + Sync),
        a: &BoxedUint,
    ) -> Option<Box<dyn AffineAdder + 'a>> {
        Some(Box::new(LimbAdder::new(self.0, own(modulus), a)))
    }

    fn run(&self, work: &Work<'_>) -> Result<Vec<Outcome>, DeviceError> {
        let _rounding = DefaultRounding::new();
        match work.layout {
            Layout::Lanes(WIDTH) => Ok(group::run::<K, 1>(self.0, work)),
            Layout::Lanes(numbers) if numbers == WIDE * WIDTH => {
                Ok(group::run::<K, WIDE>(self.0, work))
            }
            layout => Err(crate::device::no_such_layout(layout)),
        }
    }
}
