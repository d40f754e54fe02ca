//! Fusion of nested linear combinations into one, for fewer passes over numbers.

use std::collections::BTreeMap;

use crate::{Multiple, Operation, Step, limits::LARGEST_FACTOR};

/// Replaces, in linear combinations, values that are linear combinations themselves by their terms, if
/// nothing else uses the value or it is a mere multiple of another value. Unused combinations are dropped.
/// Every remaining value is the same integer as before. Values of a formula are replaced within it only.
///
/// Registers are values here: each is written once.
pub(crate) fn fuse(steps: &mut Vec<Step>, values: usize) {
    let mut uses = vec![0u32; values];
    for value in steps.iter().flat_map(|step| step.operation.reads()) {
        uses[value.0 as usize] += 1;
    }
    // The step of each value that an unfolded combination makes.
    let mut made = vec![None; values];
    for index in 0..steps.len() {
        let Operation::Combine {
            out,
            terms,
            lift,
            fold,
        } = &steps[index].operation
        else {
            continue;
        };
        let (out, fold) = (*out, *fold);
        let (mut terms, mut lift) = (terms.clone(), *lift);
        let span = steps[index].span;
        while let Some((longer, lifted)) = inlined(steps, &made, &uses, (&terms, lift), span) {
            recount(&mut uses, &terms, &longer);
            (terms, lift) = (longer, lifted);
        }
        if !fold {
            made[out.0 as usize] = Some(index);
        }
        steps[index].operation = Operation::Combine {
            out,
            terms,
            lift,
            fold,
        };
    }
    drop_unused(steps, &mut uses);
}

/// The terms of a combination in a formula or outside, and the multiple of P, with one term replaced by its own terms; `None` if there is no such
/// term.
fn inlined(
    steps: &[Step],
    made: &[Option<usize>],
    uses: &[u32],
    (terms, lift): (&[Multiple], u64),
    span: Option<u32>,
) -> Option<(Vec<Multiple>, u64)> {
    terms.iter().enumerate().find_map(|(place, term)| {
        let x = term.x.0 as usize;
        let made = &steps[made[x]?];
        let Operation::Combine {
            terms: parts,
            lift: part_lift,
            ..
        } = &made.operation
        else {
            return None;
        };
        if made.span != span {
            return None;
        }
        let is_multiple = parts.len() == 1 && *part_lift == 0;
        if uses[x] > 1 && !is_multiple {
            return None;
        }
        let mut factors = BTreeMap::new();
        let others = terms
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != place);
        for (_, Multiple { factor, x }) in others {
            *factors.entry(*x).or_insert(0i64) += i64::from(*factor);
        }
        for part in parts {
            *factors.entry(part.x).or_insert(0) += i64::from(term.factor) * i64::from(part.factor);
        }
        let sum: u64 = factors.values().map(|factor| factor.unsigned_abs()).sum();
        let fits = factors.len() <= Operation::MAX_MULTIPLES
            && sum <= LARGEST_FACTOR.into()
            && factors.values().all(|&factor| factor != 0);
        let terms = factors.into_iter().map(|(x, factor)| Multiple {
            factor: factor as i32,
            x,
        });
        let lifted = i64::from(term.factor).checked_mul(i64::try_from(*part_lift).ok()?)?;
        let lift = lift.checked_add_signed(lifted)?;
        fits.then(|| (terms.collect(), lift))
    })
}

/// Counts the uses of `new` instead of those of `old`.
fn recount(uses: &mut [u32], old: &[Multiple], new: &[Multiple]) {
    for term in new {
        uses[term.x.0 as usize] += 1;
    }
    for term in old {
        uses[term.x.0 as usize] -= 1;
    }
}

/// Drops unused combinations.
fn drop_unused(steps: &mut Vec<Step>, uses: &mut [u32]) {
    let mut needed = vec![true; steps.len()];
    for (step, needed) in steps.iter().zip(&mut needed).rev() {
        if let Operation::Combine { out, terms, .. } = &step.operation
            && uses[out.0 as usize] == 0
        {
            *needed = false;
            recount(uses, terms, &[]);
        }
    }
    let mut needed = needed.into_iter();
    steps.retain(|_| needed.next().unwrap_or(true));
}
