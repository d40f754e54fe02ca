//! A cache of plans.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{LaneFormat, Plan};
use crate::{EngineError, size::MAX_BITS};

/// Bytes of the plans that a cache keeps; beyond it the least recently used plans are dropped. All
/// size classes together take less, so that no sequence of moduli makes a plan a second time.
const BYTES_KEPT: usize = 128 << 20;

/// Plans for one lane format, each made when it is first asked for. A plan depends on a size alone,
/// never on a modulus.
pub(crate) struct PlanCache {
    format: LaneFormat,
    /// The most recently used first.
    plans: Mutex<Vec<Arc<Kept>>>,
}

/// The place of a plan, which the first thread that asks for it fills.
struct Kept {
    bits: u32,
    plan: OnceLock<Result<Arc<Plan>, EngineError>>,
}

impl Kept {
    /// The bytes of the plan, 0 while it is not made yet.
    fn bytes(&self) -> usize {
        let plan = self.plan.get().and_then(|plan| plan.as_ref().ok());
        plan.map_or(0, |plan| plan.bytes())
    }
}

impl PlanCache {
    pub(crate) fn new(format: LaneFormat) -> Self {
        Self {
            format,
            plans: Mutex::default(),
        }
    }

    /// The plan for moduli of at most `bits` bits.
    pub(crate) fn plan(&self, bits: u32) -> Result<Arc<Plan>, EngineError> {
        if bits > MAX_BITS {
            let condition = format!("at most {MAX_BITS} bits are served");
            return Err(EngineError::NoPlan { bits, condition });
        }
        let kept = self.place(bits);
        // Not under the lock: only those who want this plan wait for it.
        let mut is_new = false;
        let plan = kept.plan.get_or_init(|| {
            is_new = true;
            Plan::new(bits, self.format).map(Arc::new)
        });
        if is_new {
            self.limit();
        }
        plan.clone()
    }

    /// The place of the plan of this size, which becomes the most recently used one.
    fn place(&self, bits: u32) -> Arc<Kept> {
        let mut plans = self.lock();
        let kept = match plans.iter().position(|kept| kept.bits == bits) {
            Some(index) => plans.remove(index),
            None => Arc::new(Kept {
                bits,
                plan: OnceLock::new(),
            }),
        };
        plans.insert(0, Arc::clone(&kept));
        kept
    }

    /// Drops sizes without a plan, and beyond [`BYTES_KEPT`] the least recently used plans.
    fn limit(&self) {
        let mut bytes = 0;
        self.lock().retain(|kept| {
            bytes += kept.bytes();
            bytes <= BYTES_KEPT && !matches!(kept.plan.get(), Some(Err(_)))
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Kept>>> {
        // A panic while the lock was held leaves a list of whole plans behind.
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl PlanCache {
    /// The number of plans that are kept, and their bytes.
    pub(crate) fn kept(&self) -> (usize, usize) {
        let plans = self.lock();
        (plans.len(), plans.iter().map(|kept| kept.bytes()).sum())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::size::{MIN_BITS, size_class};

    #[test]
    fn plans_of_all_sizes_are_kept_within_the_bound() {
        let sizes: BTreeSet<u32> = (MIN_BITS..=MAX_BITS).map(size_class).collect();
        for format in [LaneFormat::WORD, LaneFormat::IFMA] {
            let cache = PlanCache::new(format);
            let first = cache.plan(MIN_BITS).unwrap();
            for &bits in &sizes {
                cache.plan(bits).unwrap();
            }
            assert!(cache.plan(u32::MAX).is_err());
            let (plans, bytes) = cache.kept();
            println!("{plans} plans of {bytes} bytes");
            assert!(plans == sizes.len() && bytes <= BYTES_KEPT);
            assert!(Arc::ptr_eq(&first, &cache.plan(MIN_BITS).unwrap()));
        }
    }
}
