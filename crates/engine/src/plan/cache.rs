//! A cache of plans.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use super::{LaneFormat, Plan};
use crate::EngineError;

/// Number of plans that a cache keeps; beyond it the least recently used plan is dropped.
const PLANS_KEPT: usize = 16;

/// Plans for one lane format, each made when it is first asked for.
pub(crate) struct PlanCache {
    format: LaneFormat,
    plans: Mutex<Vec<Arc<Plan>>>,
}

impl PlanCache {
    pub(crate) fn new(format: LaneFormat) -> Self {
        Self {
            format,
            plans: Mutex::default(),
        }
    }

    /// The plan for moduli of at most `bits` bits whose bases avoid no prime.
    pub(crate) fn usual(&self, bits: u32) -> Result<Arc<Plan>, EngineError> {
        self.plan(bits, &BTreeSet::new())
    }

    /// The plan for moduli of at most `bits` bits that avoids the primes in `excluded`.
    pub(crate) fn plan(
        &self,
        bits: u32,
        excluded: &BTreeSet<u128>,
    ) -> Result<Arc<Plan>, EngineError> {
        // A panic while the lock was held leaves a list of whole plans behind.
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let found = plans
            .iter()
            .position(|plan| plan.bits == bits && plan.excluded == *excluded);
        let plan = match found {
            Some(index) => plans.remove(index),
            None => Arc::new(Plan::new(bits, self.format, excluded)?),
        };
        plans.insert(0, Arc::clone(&plan));
        plans.truncate(PLANS_KEPT);
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_kept_and_bounded_in_number() {
        let cache = PlanCache::new(LaneFormat::WORD);
        let none = BTreeSet::new();
        let first = cache.plan(64, &none).unwrap();
        assert!(Arc::ptr_eq(&first, &cache.plan(64, &none).unwrap()));
        for size in 2..=PLANS_KEPT as u32 + 4 {
            cache.plan(64 * size, &none).unwrap();
        }
        assert_eq!(cache.plans.lock().unwrap().len(), PLANS_KEPT);
        assert!(!Arc::ptr_eq(&first, &cache.plan(64, &none).unwrap()));
    }
}
