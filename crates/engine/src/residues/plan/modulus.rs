//! The constants of moduli P, computed for many moduli at a time.

use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd, Word};
use zeroize::Zeroizing;

use crate::{
    integers::{each_times_power, remainder},
    kept::kept,
    residues::{coprime::is_coprime, plan::Plan},
};
use sunzi_program::{
    content,
    seal::{Checksum, Content},
};

/// An odd modulus P with its constants for a plan; wiped on drop.
pub(crate) struct PreparedModulus {
    pub(crate) plan: Arc<Plan>,
    /// P in whole words.
    pub(crate) words: Zeroizing<Vec<Word>>,
    /// Per channel of A: `|-P^-1 (A/a_i)^-1 R^2|_{a_i}`. `redc(x_i y_i)` times this constant is
    /// the quotient digit `qh_i`.
    pub(crate) to_quotient: Zeroizing<Vec<u64>>,
    /// Per channel of B, and per redundant channel: `|P g_j^2|_{b_j}`.
    pub(crate) scaled_p: Zeroizing<Vec<u64>>,
    /// `A^2 mod P` as stored residues, the channels of A first.
    pub(crate) a_squared: Zeroizing<Vec<u64>>,
}

/// The constants of one modulus that programs use, each as stored residues, the channels of A
/// first; wiped on drop.
pub(crate) struct PreparedConstants(pub(crate) Vec<Zeroizing<Vec<u64>>>);

content!(PreparedModulus {
    words, to_quotient, scaled_p, a_squared,
} without { plan });
impl Content for PreparedConstants {
    fn add_to(&self, sum: &mut Checksum) {
        self.0.add_to(sum);
    }
}

kept!(PreparedModulus, |kept| { kept.plan.is_whole() });

kept!(PreparedConstants);

/// Number of moduli that share one inversion per channel.
const SHARED_INVERSION: usize = 64;

impl PreparedModulus {
    /// Prepares odd moduli below `2^bits`, in order: `None` for a modulus that a prime of base A
    /// divides, which the plan does not serve.
    ///
    /// Moduli may be secret primes: the time depends only on their size, and on whether a prime of
    /// base A divides one of them.
    pub(crate) fn prepare(values: &[&Odd<BoxedUint>], plan: &Arc<Plan>) -> Vec<Option<Self>> {
        values
            .chunks(SHARED_INVERSION)
            .flat_map(|values| Self::prepare_together(values, plan))
            .collect()
    }

    /// Prepares moduli with one shared inversion per channel.
    fn prepare_together(values: &[&Odd<BoxedUint>], plan: &Arc<Plan>) -> Vec<Option<Self>> {
        let residues: Vec<Zeroizing<Vec<u64>>> = values
            .iter()
            .map(|value| plan.residues(value.as_words()))
            .collect();
        let n_a = plan.a.len();
        let coprime = |residues: &[u64]| is_coprime(&residues[..n_a]);
        let served: Vec<&[u64]> = residues
            .iter()
            .map(|residues| &***residues)
            .filter(|residues| coprime(residues))
            .collect();
        let mut to_quotients = to_quotients(plan, &served).into_iter();
        let prepare = |(value, residues): (&&Odd<BoxedUint>, &Zeroizing<Vec<u64>>)| {
            let to_quotient = coprime(residues).then(|| to_quotients.next()).flatten()?;
            Some(Self::with_plan(plan, value, residues, to_quotient))
        };
        values.iter().zip(&residues).map(prepare).collect()
    }

    /// An identifier of the plan: equal for moduli of the same plan, and only for those.
    pub(crate) fn plan_id(&self) -> usize {
        Arc::as_ptr(&self.plan).addr()
    }

    /// P with its constants, from its stored residues. Requires that P is coprime to base A.
    fn with_plan(
        plan: &Arc<Plan>,
        value: &Odd<BoxedUint>,
        residues: &[u64],
        to_quotient: Zeroizing<Vec<u64>>,
    ) -> Self {
        let scaled_p = residues[plan.a.len()..]
            .iter()
            .zip(
                plan.arithmetic[plan.a.len()..]
                    .iter()
                    .zip(&plan.storage_factor),
            )
            .map(|(&stored, (channel, &g))| channel.multiply_plain(stored, g))
            .collect();
        let words = value.bits_precision().div_ceil(Word::BITS) as usize;
        let remainder = remainder(&plan.a_squared, value.as_nz_ref());
        Self {
            words: Zeroizing::new(value.as_words()[..words].to_vec()),
            to_quotient,
            scaled_p: Zeroizing::new(scaled_p),
            a_squared: plan.residues(remainder.as_words()),
            plan: Arc::clone(plan),
        }
    }

    /// Each integer times A to the power of its form, modulo P, as stored residues.
    pub(crate) fn constants(
        &self,
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> PreparedConstants {
        let factor = self.plan.a.product();
        let mut constants = Vec::with_capacity(integers.len());
        each_times_power(integers, forms, factor, &self.words, |words| {
            constants.push(self.plan.residues(words));
        });
        PreparedConstants(constants)
    }
}

/// [`PreparedModulus::to_quotient`] of several moduli, from their stored residues, with one
/// inversion per channel (Montgomery's trick). Requires that no residue in base A is 0.
fn to_quotients(plan: &Plan, residues: &[&[u64]]) -> Vec<Zeroizing<Vec<u64>>> {
    let n_a = plan.a.len();
    let mut to_quotients = vec![Zeroizing::new(vec![0; n_a]); residues.len()];
    let mut products = Zeroizing::new(vec![0; residues.len()]);
    for (i, channel) in plan.arithmetic[..n_a].iter().enumerate() {
        // |P R| of modulus k. `products[k]` is the product of all before it.
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
            // |P^-1 R| times the quotient factor: |P^-1 (A/a_i)^-1 R^2|.
            let positive = channel.multiply(own, plan.quotient_factor[i]);
            to_quotients[k][i] = channel.negate(positive);
        }
    }
    to_quotients
}
