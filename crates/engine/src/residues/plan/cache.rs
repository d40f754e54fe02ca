//! A cache of plans.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::{
    EngineError,
    choices::Split,
    program::MAX_BITS,
    residues::plan::{Plan, PlanFormat},
};

/// The largest size in bytes of the plans that a cache keeps; beyond it the least recently used plans are
/// dropped. All size classes of [`Plan`] together take less, so that no sequence of moduli causes a plan to
/// be made a second time. The caches of random splits share it, and keep one plan at least.
const BYTES_KEPT: usize = 128 << 20;

/// Everything precomputed for moduli of a size, which depends on the size alone and never on a
/// modulus.
pub(crate) trait SizePlan: Sized {
    /// The parameters of plans besides a size.
    type Format: Copy + Send + Sync;

    /// The plan for moduli of at most `bits` bits.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] with the condition that fails.
    fn new(bits: u32, format: Self::Format, split: Split) -> Result<Self, EngineError>;

    /// The memory of its matrices in bytes.
    fn bytes(&self) -> usize;
}

impl SizePlan for Plan {
    type Format = PlanFormat;

    fn new(bits: u32, format: PlanFormat, split: Split) -> Result<Self, EngineError> {
        Self::new(bits, format, split)
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

/// The plans of one device, each made when it is first asked for.
pub(crate) struct PlanCache<P: SizePlan> {
    format: P::Format,
    split: Split,
    /// The plans, the most recently used first.
    plans: Mutex<Vec<Arc<Kept<P>>>>,
}

/// The place of a plan, filled by the first thread that asks for it.
struct Kept<P> {
    bits: u32,
    plan: OnceLock<Result<Arc<P>, EngineError>>,
}

impl<P: SizePlan> Kept<P> {
    /// The bytes of the plan, 0 while it is not made yet.
    fn bytes(&self) -> usize {
        let plan = self.plan.get().and_then(|plan| plan.as_ref().ok());
        plan.map_or(0, |plan| plan.bytes())
    }
}

impl<P: SizePlan> PlanCache<P> {
    pub(crate) fn new(format: P::Format, split: Split) -> Self {
        Self {
            format,
            split,
            plans: Mutex::default(),
        }
    }

    /// The plan for moduli of at most `bits` bits.
    pub(crate) fn plan(&self, bits: u32) -> Result<Arc<P>, EngineError> {
        if bits > MAX_BITS {
            let condition = format!("at most {MAX_BITS} bits are served");
            return Err(EngineError::NoPlan { bits, condition });
        }
        let kept = self.place(bits);
        // Made without the lock: only threads that want this plan wait for it.
        let mut is_new = false;
        let plan = kept.plan.get_or_init(|| {
            is_new = true;
            P::new(bits, self.format, self.split).map(Arc::new)
        });
        if is_new {
            self.limit();
        }
        plan.clone()
    }

    /// The place of the plan of this size, which becomes the most recently used one.
    fn place(&self, bits: u32) -> Arc<Kept<P>> {
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

    /// Drops sizes without a plan and, beyond this cache's share of [`BYTES_KEPT`], the least recently used
    /// plans.
    fn limit(&self) {
        let most = BYTES_KEPT / self.split.devices();
        let mut bytes = 0;
        self.lock().retain(|kept| {
            let is_first = bytes == 0;
            bytes += kept.bytes();
            (is_first || bytes <= most) && !matches!(kept.plan.get(), Some(Err(_)))
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Kept<P>>>> {
        // A panic while the lock was held has left a list of whole plans.
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl<P: SizePlan> PlanCache<P> {
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
    use crate::{
        program::{MIN_BITS, size_class},
        residues::float::FloatPlan,
        residues::plan::LaneFormat,
    };

    /// Makes the plans of all sizes, and returns how many of them are still kept.
    fn make_all<P: SizePlan>(format: P::Format) -> [usize; 2] {
        let sizes: BTreeSet<u32> = (MIN_BITS..=MAX_BITS).map(size_class).collect();
        let cache = PlanCache::<P>::new(format, Split::Fixed);
        for &bits in &sizes {
            cache.plan(bits).unwrap();
        }
        assert!(cache.plan(u32::MAX).is_err());
        let (plans, bytes) = cache.kept();
        println!("{plans} plans of {bytes} bytes");
        assert!(bytes <= BYTES_KEPT);
        let last = cache.plan(MAX_BITS).unwrap();
        assert!(Arc::ptr_eq(&last, &cache.plan(MAX_BITS).unwrap()));
        [plans, sizes.len()]
    }

    #[test]
    fn plans_of_all_sizes_are_kept_within_the_bound() {
        for lanes in [LaneFormat::WORD, LaneFormat::IFMA] {
            let format = PlanFormat {
                lanes,
                redundancy: 0,
            };
            let [kept, made] = make_all::<Plan>(format);
            assert_eq!(kept, made);
        }
        let [kept, _] = make_all::<FloatPlan>(());
        assert!(kept >= 3);
    }
}
