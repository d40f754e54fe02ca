//! The portable backend: no intrinsics, one kernel for every instruction set.
//!
//! Numbers lie in groups of lanes, one number a lane, a few dozen channels each. All inner
//! loops run over the lanes, which is how the compiler fills vectors of any width with
//! them. Read `plan` (bases, matrices, bounds), then `product` (one modular product), then
//! `power`.

#![expect(
    clippy::inline_always,
    reason = "a kernel must be compiled whole for each instruction set"
)]

mod channel;
mod convert;
mod digits;
mod dispatch;
mod matrix;
mod modulus;
mod plan;
mod power;
mod product;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use crypto_bigint::{BoxedUint, Odd, Word};
use zeroize::Zeroizing;

use self::{dispatch::InstructionSet, plan::Plan, power::Lanes, product::Numbers};
use crate::{EngineError, Exponent, Task};

pub(crate) use self::modulus::PortableModulus;

/// How many plans are kept; the least recently used goes first.
const PLANS_KEPT: usize = 16;

/// The backend: an instruction set and the plans made so far.
pub(crate) struct Portable {
    set: InstructionSet,
    plans: Mutex<Vec<Arc<Plan>>>,
}

impl Portable {
    pub(crate) fn new() -> Self {
        Self {
            set: InstructionSet::widest(),
            plans: Mutex::default(),
        }
    }

    /// How it computes here, in a few words.
    pub(crate) fn describe() -> String {
        format!("compiler-vectorized for {}", InstructionSet::widest())
    }

    /// Prepares a modulus of at most `bits` bits, the size of its plan.
    pub(crate) fn modulus(
        &self,
        value: &Odd<BoxedUint>,
        bits: u32,
    ) -> Result<PortableModulus, EngineError> {
        PortableModulus::new(value, bits, |bits, excluded| self.plan(bits, excluded))
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
            None => Arc::new(Plan::new(bits, excluded)?),
        };
        plans.insert(0, Arc::clone(&plan));
        plans.truncate(PLANS_KEPT);
        Ok(plan)
    }

    /// Computes up to `L` tasks of one plan as one group; lanes left over repeat the first.
    pub(crate) fn run_group<const L: usize>(&self, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
        let lane = |l: usize| &tasks[if l < tasks.len() { l } else { 0 }];
        let tasks_by_lane: [&Task<'_>; L] = core::array::from_fn(lane);
        let moduli = tasks_by_lane.map(|task| task.modulus.portable());
        let plan = &*moduli[0].plan;
        debug_assert!(
            moduli
                .iter()
                .all(|modulus| Arc::ptr_eq(&modulus.plan, &moduli[0].plan))
        );
        let mut lanes = Lanes {
            set: self.set,
            plan,
            constants: product::LaneConstants::new(moduli),
            scratch: product::Scratch::new(plan),
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
        lanes: &mut Lanes<'_, L>,
        words: [&[Word]; L],
    ) -> Numbers<L> {
        let plan = lanes.plan;
        let widest = words.iter().map(|words| words.len()).max().unwrap_or(1);
        let pieces = (widest * Word::BITS as usize)
            .div_ceil(plan.bits as usize)
            .max(1);
        let piece = |lanes: &mut Lanes<'_, L>, index: usize| {
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
            convert::add(plan, &mut shift, &same);
            for index in (0..pieces - 1).rev() {
                lanes.multiply(&mut sum, &shift);
                let next = piece(lanes, index);
                convert::add(plan, &mut sum, &next);
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
        let digits: Zeroizing<Vec<[u64; L]>> = Zeroizing::new(
            (0..plan.digits_in())
                .map(|k| {
                    let start = k * plan.w as usize;
                    // The last digit of a piece must not reach into the next piece.
                    let width = plan.w.min(plan.bits - start as u32);
                    words.map(|words| digits::bits_at(words, position + start, width))
                })
                .collect(),
        );
        dispatch::enter(self.set, plan, &digits, &mut numbers);
        numbers
    }

    /// The integers of the last product, each reduced below its modulus.
    fn leave<const L: usize>(
        &self,
        lanes: &Lanes<'_, L>,
        moduli: &[&PortableModulus],
    ) -> Vec<BoxedUint> {
        let plan = lanes.plan;
        let mut digits = Zeroizing::new(vec![[0; L]; plan.to_digits.rows()]);
        dispatch::leave(self.set, plan, &lanes.scratch, &mut digits);
        moduli
            .iter()
            .enumerate()
            .map(|(lane, modulus)| {
                let mut words = Zeroizing::new(vec![0; modulus.words.len() + 1]);
                convert::lane_words(plan, &digits, lane, &mut words);
                convert::canonicalize(&mut words, &modulus.words, plan.bounds.c);
                BoxedUint::from_words(words[..modulus.words.len()].iter().copied())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use num_bigint::BigUint;

    /// One shared check for every instruction set and group width: a few powers with mixed
    /// moduli, against num-bigint.
    fn check<const L: usize>(portable: &Portable, engine: &Engine) {
        for bits in [128u32, 1024] {
            let value = |seed: u64| -> BoxedUint {
                let words = (1..=u64::from(bits / 64))
                    .map(|i| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1);
                BoxedUint::from_words(words)
            };
            let big = |x: &BoxedUint| BigUint::from_bytes_le(&x.to_le_bytes());
            let values: Vec<_> = (0..L as u64)
                .map(|l| (value(3 * l), value(5 * l + 1)))
                .collect();
            let moduli: Vec<_> = values
                .iter()
                .map(|(modulus, _)| engine.modulus(modulus).unwrap())
                .collect();
            let exponent = value(7);
            let tasks: Vec<_> = values
                .iter()
                .zip(&moduli)
                .map(|((_, base), modulus)| {
                    Task::power(modulus, base, Exponent::Secret(&exponent)).times(&exponent)
                })
                .collect();
            // A full group, and one with lanes left over.
            for count in [L, L - 1] {
                let results = portable.run_group::<L>(&tasks[..count]);
                assert_eq!(results.len(), count);
                for (result, (modulus, base)) in results.iter().zip(&values) {
                    let (modulus, base, exponent) = (big(modulus), big(base), big(&exponent));
                    let power = base.modpow(&exponent, &modulus);
                    assert_eq!(big(result), power * exponent % modulus, "{}", portable.set);
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_agrees_with_num_bigint() {
        let engine = Engine::new(crate::Backend::Portable).unwrap();
        for set in InstructionSet::available() {
            println!("checking {set}");
            let portable = Portable {
                set,
                plans: Mutex::default(),
            };
            check::<4>(&portable, &engine);
            check::<8>(&portable, &engine);
            check::<32>(&portable, &engine);
        }
    }

    #[test]
    fn plans_are_kept_and_bounded_in_number() {
        let portable = Portable::new();
        let none = BTreeSet::new();
        let first = portable.plan(64, &none).unwrap();
        assert!(Arc::ptr_eq(&first, &portable.plan(64, &none).unwrap()));
        for size in 2..=PLANS_KEPT as u32 + 4 {
            portable.plan(64 * size, &none).unwrap();
        }
        assert_eq!(portable.plans.lock().unwrap().len(), PLANS_KEPT);
        assert!(!Arc::ptr_eq(&first, &portable.plan(64, &none).unwrap()));
    }
}
