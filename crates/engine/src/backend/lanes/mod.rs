//! Numbers in lanes: what every batch backend shares.
//!
//! Numbers lie in groups, one number a lane, a few dozen channels each; all kernels run over
//! the lanes, so that no data ever moves between numbers. A backend brings its kernels
//! ([`Kernels`]) and the ranges that its lanes hold. Read `plan` (bases, matrices, bounds),
//! then a backend's `product` (one modular product), then `power`.

mod canonical;
mod channel;
mod digits;
mod kernels;
mod matrix;
mod modulus;
mod numbers;
mod plan;
mod power;
mod row;
mod table;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use crypto_bigint::{BoxedUint, Odd, Word};
use zeroize::Zeroizing;

use crate::{EngineError, Exponent, Task};

use self::power::Lanes;
pub(crate) use self::{
    channel::Channel,
    kernels::Kernels,
    matrix::Matrix,
    modulus::LaneModulus,
    numbers::{LaneConstants, Numbers, Operand, Scratch},
    plan::Plan,
    row::{Row, all_at_most},
    table::Table,
};

/// How many plans are kept; the least recently used goes first.
const PLANS_KEPT: usize = 16;

/// A backend that gives every number a lane: its kernels, and the plans made so far.
pub(crate) struct LaneBackend<K> {
    kernels: K,
    plans: Mutex<Vec<Arc<Plan>>>,
}

impl<K: Kernels> LaneBackend<K> {
    pub(crate) fn new(kernels: K) -> Self {
        Self {
            kernels,
            plans: Mutex::default(),
        }
    }

    /// Prepares a modulus of at most `bits` bits, the size of its plan.
    pub(crate) fn modulus(
        &self,
        value: &Odd<BoxedUint>,
        bits: u32,
    ) -> Result<LaneModulus, EngineError> {
        LaneModulus::new(value, bits, |bits, excluded| self.plan(bits, excluded))
    }

    /// The plan for a size, made now if it is not among those kept.
    fn plan(&self, bits: u32, excluded: &BTreeSet<u128>) -> Result<Arc<Plan>, EngineError> {
        // A panic while the lock was held leaves a list of whole plans behind.
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let found = plans
            .iter()
            .position(|plan| plan.bits == bits && plan.excluded == *excluded);
        let plan = match found {
            Some(index) => plans.remove(index),
            None => Arc::new(Plan::new::<K>(bits, excluded)?),
        };
        plans.insert(0, Arc::clone(&plan));
        plans.truncate(PLANS_KEPT);
        Ok(plan)
    }

    /// Computes up to `L` tasks of one plan as one group; lanes left over repeat the first.
    pub(crate) fn run_group<const L: usize>(&self, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
        let lane = |l: usize| &tasks[if l < tasks.len() { l } else { 0 }];
        let tasks_by_lane: [&Task<'_>; L] = core::array::from_fn(lane);
        let moduli = tasks_by_lane.map(|task| task.modulus.lanes());
        let plan = &*moduli[0].plan;
        debug_assert!(
            moduli
                .iter()
                .all(|modulus| Arc::ptr_eq(&modulus.plan, &moduli[0].plan))
        );
        let mut lanes = Lanes {
            kernels: self.kernels,
            plan,
            constants: LaneConstants::new(moduli),
            scratch: Scratch::new(plan),
        };

        let one = self.enter(plan, [&[1]; L], 0);
        let mut one_montgomery = one.clone();
        lanes.enter_montgomery_form(&mut one_montgomery);
        let bases = tasks_by_lane.map(|task| task.base.as_words());
        let base = self.enter_montgomery_form(&mut lanes, bases);

        let exponents = tasks_by_lane.map(|task| task.exponent);
        let length = exponents.iter().map(Exponent::length).max().unwrap_or(0);
        let mut result = match exponents[0] {
            Exponent::Secret(_) => lanes.power(&one_montgomery, &base, &exponents, length),
            Exponent::Public(_) => lanes.power_vartime(&one_montgomery, &base, &exponents, length),
        };

        // The last product takes the result out of Montgomery form: by the factor, or by 1.
        let factors = tasks_by_lane.map(|task| task.factor.map_or(&[1][..], |f| f.as_words()));
        let widest = factors.iter().map(|words| words.len()).max().unwrap_or(1);
        let factor = if widest * Word::BITS as usize <= plan.bits as usize {
            self.enter(plan, factors, 0)
        } else {
            let mut factor = self.enter_montgomery_form(&mut lanes, factors);
            lanes.multiply(&mut factor, &one);
            factor
        };
        lanes.multiply(&mut result, &factor);
        self.leave(&lanes, &moduli[..tasks.len()])
    }

    /// The numbers, of any length, in Montgomery form and below `2 c P`: pieces of
    /// `plan.bits` bits by Horner's rule.
    fn enter_montgomery_form<const L: usize>(
        &self,
        lanes: &mut Lanes<'_, K, L>,
        words: [&[Word]; L],
    ) -> Numbers<L> {
        let plan = lanes.plan;
        let widest = words.iter().map(|words| words.len()).max().unwrap_or(1);
        let pieces = (widest * Word::BITS as usize)
            .div_ceil(plan.bits as usize)
            .max(1);
        let piece = |lanes: &mut Lanes<'_, K, L>, index: usize| {
            let mut numbers = self.enter(plan, words, index * plan.bits as usize);
            lanes.enter_montgomery_form(&mut numbers);
            numbers
        };
        let mut sum = piece(lanes, pieces - 1);
        if pieces > 1 {
            // 2^bits in Montgomery form: 2^(bits - 1) is the largest power a piece can hold.
            let half = BoxedUint::one_with_precision(plan.bits).shl(plan.bits - 1);
            let mut shift = self.enter(plan, [half.as_words(); L], 0);
            lanes.enter_montgomery_form(&mut shift);
            let same = shift.clone();
            self.kernels.add(plan, &mut shift, &same);
            for index in (0..pieces - 1).rev() {
                lanes.multiply(&mut sum, &shift);
                let next = piece(lanes, index);
                self.kernels.add(plan, &mut sum, &next);
            }
        }
        sum
    }

    /// The residues of `plan.bits` bits of each integer, from bit `position` on.
    fn enter<const L: usize>(
        &self,
        plan: &Plan,
        words: [&[Word]; L],
        position: usize,
    ) -> Numbers<L> {
        let mut numbers = Numbers::zero(plan);
        let digits: Zeroizing<Vec<Row<u64, L>>> = Zeroizing::new(
            (0..plan.digits_in())
                .map(|k| {
                    let start = k * plan.w as usize;
                    // The last digit of a piece must not reach into the next piece.
                    let width = plan.w.min(plan.bits - start as u32);
                    Row(words.map(|words| digits::bits_at(words, position + start, width)))
                })
                .collect(),
        );
        self.kernels.enter(plan, &digits, &mut numbers);
        numbers
    }

    /// The integers of the last product, each reduced below its modulus.
    fn leave<const L: usize>(
        &self,
        lanes: &Lanes<'_, K, L>,
        moduli: &[&LaneModulus],
    ) -> Vec<BoxedUint> {
        let plan = lanes.plan;
        let mut digits = Zeroizing::new(vec![Row([0; L]); plan.to_digits.rows()]);
        self.kernels.leave(plan, &lanes.scratch, &mut digits);
        moduli
            .iter()
            .enumerate()
            .map(|(lane, modulus)| {
                let mut words = Zeroizing::new(vec![0; modulus.words.len() + 1]);
                digits::join(digits.iter().map(|lanes| lanes[lane]), plan.w, &mut words);
                canonical::canonicalize(&mut words, &modulus.words, plan.bounds.c);
                BoxedUint::from_words(words[..modulus.words.len()].iter().copied())
            })
            .collect()
    }
}
