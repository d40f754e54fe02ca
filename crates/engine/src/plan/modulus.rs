//! The constants of moduli P for a plan, made for many moduli at a time.

use std::{collections::BTreeSet, sync::Arc};

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Odd, Word};
use zeroize::Zeroizing;

use super::{Plan, PlanCache};
use crate::EngineError;

/// An odd modulus P with its constants; wiped on drop.
pub(crate) struct PreparedModulus {
    pub(crate) plan: Arc<Plan>,
    /// P in whole words.
    pub(crate) words: Zeroizing<Vec<Word>>,
    /// Per channel of A: `|-P^-1 (A/a_i)^-1 R^2|_{a_i}`, the quotient's constant.
    pub(crate) quotient: Zeroizing<Vec<u64>>,
    /// Per channel of B: `|P g_j^2|_{b_j}`.
    pub(crate) scaled_p: Zeroizing<Vec<u64>>,
    /// `A^2 mod P` as stored residues, A's channels first.
    pub(crate) a_squared: Zeroizing<Vec<u64>>,
}

/// Constants modulo one P as stored residues, A's channels first; wiped on drop.
pub(crate) struct PreparedConstants(pub(crate) Vec<Zeroizing<Vec<u64>>>);

/// Moduli that share one inversion in each channel.
const SHARED_INVERSION: usize = 64;

impl PreparedModulus {
    /// The constants of moduli below `2^bits`, in order. In constant time for the size, as moduli
    /// may be secret primes; only whether one is a multiple of a base's prime shows.
    pub(crate) fn prepare(
        values: &[&Odd<BoxedUint>],
        bits: u32,
        plans: &PlanCache,
    ) -> Vec<Result<Self, EngineError>> {
        let plan = match plans.plan(bits, &BTreeSet::new()) {
            Ok(plan) => plan,
            Err(error) => return values.iter().map(|_| Err(error.clone())).collect(),
        };
        values
            .chunks(SHARED_INVERSION)
            .flat_map(|values| Self::prepare_together(values, &plan, plans))
            .collect()
    }

    fn prepare_together(
        values: &[&Odd<BoxedUint>],
        plan: &Arc<Plan>,
        plans: &PlanCache,
    ) -> Vec<Result<Self, EngineError>> {
        let residues: Vec<Zeroizing<Vec<u64>>> = values
            .iter()
            .map(|value| plan.residues(value.as_words()))
            .collect();
        let n_a = plan.a.len();
        let coprime = |residues: &[u64]| !residues[..n_a].contains(&0);
        let served: Vec<&[u64]> = residues
            .iter()
            .map(|residues| &***residues)
            .filter(|residues| coprime(residues))
            .collect();
        let mut quotients = quotients(plan, &served).into_iter();
        let mut prepared = Vec::with_capacity(values.len());
        for (value, residues) in values.iter().zip(&residues) {
            let quotient = coprime(residues).then(|| quotients.next()).flatten();
            prepared.push(match quotient {
                Some(quotient) => Ok(Self::with_plan(plan, value, residues, quotient)),
                None => Self::avoiding_divisors(value, residues, plan, plans),
            });
        }
        prepared
    }

    /// The constants for the first plan whose base A has no prime that divides P.
    fn avoiding_divisors(
        value: &Odd<BoxedUint>,
        residues: &[u64],
        plan: &Arc<Plan>,
        plans: &PlanCache,
    ) -> Result<Self, EngineError> {
        let mut excluded = BTreeSet::new();
        let (mut plan, mut residues) = (Arc::clone(plan), Zeroizing::new(residues.to_vec()));
        while residues[..plan.a.len()].contains(&0) {
            // P < 2^bits < B, and B is the product of the n_b smallest of these primes: fewer
            // than n_b of them divide P. Without those, the rest still fill base A, so that
            // the second plan will do.
            let divisors = plan.channels.iter().zip(residues.iter());
            excluded.extend(
                divisors
                    .filter(|&(_, &residue)| residue == 0)
                    .map(|(channel, _)| u128::from(channel.m)),
            );
            plan = plans.plan(plan.bits, &excluded)?;
            residues = plan.residues(value.as_words());
        }
        let quotient = quotients(&plan, &[&residues]).pop().unwrap_or_default();
        Ok(Self::with_plan(&plan, value, &residues, quotient))
    }

    /// Equal for moduli of the same plan only.
    pub(crate) fn plan_id(&self) -> usize {
        Arc::as_ptr(&self.plan).addr()
    }

    /// The constants of P with these stored residues, P being coprime to base A.
    fn with_plan(
        plan: &Arc<Plan>,
        value: &Odd<BoxedUint>,
        residues: &[u64],
        quotient: Zeroizing<Vec<u64>>,
    ) -> Self {
        let scaled_p = residues[plan.a.len()..]
            .iter()
            .zip(plan.channels_b().iter().zip(&plan.storage_factor))
            .map(|(&stored, (channel, &g))| channel.multiply_plain(stored, g))
            .collect();
        let words = value.bits_precision().div_ceil(Word::BITS) as usize;
        let remainder = Zeroizing::new(plan.a_squared.rem(value.as_nz_ref()));
        Self {
            words: Zeroizing::new(value.as_words()[..words].to_vec()),
            quotient,
            scaled_p: Zeroizing::new(scaled_p),
            a_squared: plan.residues(remainder.as_words()),
            plan: Arc::clone(plan),
        }
    }

    /// Integers below P times powers of A, as stored residues.
    pub(crate) fn constants(
        &self,
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> PreparedConstants {
        let factor = self.plan.a.product();
        let constants = integers.iter().zip(forms).map(|(integer, &form)| {
            let scaled = times_power(integer, factor, form, &self.words);
            self.plan.residues(scaled.as_words())
        });
        PreparedConstants(constants.collect())
    }
}

/// `integer factor^form mod P` for a modulus P in words; in constant time for the sizes and the
/// form.
pub(crate) fn times_power(
    integer: &BoxedUint,
    factor: &BoxedUint,
    form: i32,
    p: &[Word],
) -> Zeroizing<BoxedUint> {
    let p = Zeroizing::new(BoxedUint::from_words(p.iter().copied()));
    let Some(p) = NonZero::new((*p).clone()).into_option().map(Zeroizing::new) else {
        return Zeroizing::new(BoxedUint::zero());
    };
    let mut product = Zeroizing::new(integer.rem(&p));
    for _ in 0..form {
        let scaled = Zeroizing::new(product.concatenating_mul(factor));
        product = Zeroizing::new(scaled.rem(&p));
    }
    product
}

/// The quotient's constants of moduli with these stored residues, none of which is 0 in base A:
/// one inversion in each channel for all (Montgomery's trick).
fn quotients(plan: &Plan, residues: &[&[u64]]) -> Vec<Zeroizing<Vec<u64>>> {
    let n_a = plan.a.len();
    let mut quotients = vec![Zeroizing::new(vec![0; n_a]); residues.len()];
    let mut products = Zeroizing::new(vec![0; residues.len()]);
    for (i, channel) in plan.channels_a().iter().enumerate() {
        // |P R| of each, and the products of those before it.
        let form = |k: usize| channel.multiply(residues[k][i], channel.radix_squared);
        let mut product = channel.radix;
        for (k, before) in products.iter_mut().enumerate() {
            *before = product;
            product = channel.multiply(product, form(k));
        }
        let mut inverse = channel.invert(product);
        for k in (0..residues.len()).rev() {
            let own = channel.multiply(inverse, products[k]);
            inverse = channel.multiply(inverse, form(k));
            // |P^-1 R| times the factor: |P^-1 (A/a_i)^-1 R^2|.
            let quotient = channel.multiply(own, plan.quotient_factor[i]);
            quotients[k][i] = channel.negate(quotient);
        }
    }
    quotients
}
