//! The constants of one modulus P for a plan.

#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;
use std::{collections::BTreeSet, sync::Arc};

use crypto_bigint::{BoxedUint, Odd, Word};
use zeroize::{Zeroize, Zeroizing};

use super::{Plan, PlanCache};
use crate::EngineError;
#[cfg(target_arch = "x86_64")]
use crate::backend::amx::TileModulus;

/// An odd modulus with its constants; wiped on drop.
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
    /// The constants for 16-bit residues on tiles, made when first used.
    #[cfg(target_arch = "x86_64")]
    pub(crate) tiles: OnceLock<Option<TileModulus>>,
}

impl PreparedModulus {
    /// The constants of `value < 2^bits`. In constant time for its size and plan, as the
    /// modulus may be a secret prime.
    pub(crate) fn new(
        value: &Odd<BoxedUint>,
        bits: u32,
        plans: &PlanCache,
    ) -> Result<Self, EngineError> {
        let divides = |m: &sunzi_rns::Modulus| m.reduce_uint(value) == 0;
        let mut excluded = BTreeSet::new();
        loop {
            let plan = plans.plan(bits, &excluded)?;
            if !plan.a.moduli().iter().any(divides) {
                return Ok(Self::with_plan(plan, value));
            }
            // P < 2^bits < B, and B is the product of the n_b smallest of these primes: fewer
            // than n_b of them divide P. Without those, the rest still fill base A, so that
            // the second plan will do.
            let both = plan.a.moduli().iter().chain(plan.b.moduli());
            let divisors = both.filter(|m| divides(m)).map(sunzi_rns::Modulus::value);
            excluded.extend(divisors);
        }
    }

    /// Equal for moduli of the same plan only.
    pub(crate) fn plan_id(&self) -> usize {
        Arc::as_ptr(&self.plan).addr()
    }

    /// The constants, P being coprime to base A.
    fn with_plan(plan: Arc<Plan>, value: &Odd<BoxedUint>) -> Self {
        let quotient = plan
            .a
            .moduli()
            .iter()
            .zip(&plan.quotient_factor)
            .map(|(a_i, &factor)| {
                // Fermat: a_i is a prime that does not divide P.
                let inverse = a_i.pow_vartime(a_i.reduce_uint(value), a_i.value() - 2);
                a_i.mul(a_i.neg(inverse), factor.into()) as u64
            })
            .collect();
        let scaled_p = plan
            .b
            .moduli()
            .iter()
            .zip(&plan.storage_factor)
            .map(|(b_j, &g)| {
                let scaled = b_j.mul(b_j.reduce_uint(value), g.into());
                b_j.mul(scaled, g.into()) as u64
            })
            .collect();

        let words = value.bits_precision().div_ceil(Word::BITS) as usize;
        let mut remainder = plan.a_squared.rem(value.as_nz_ref());
        let in_a = plan
            .a
            .moduli()
            .iter()
            .map(|a_i| a_i.reduce_uint(&remainder) as u64);
        let in_b = plan
            .b
            .moduli()
            .iter()
            .zip(&plan.storage_factor)
            .map(|(b_j, &g)| b_j.mul(b_j.reduce_uint(&remainder), g.into()) as u64);
        let a_squared = in_a.chain(in_b).collect();
        remainder.zeroize();

        Self {
            plan,
            words: Zeroizing::new(value.as_words()[..words].to_vec()),
            quotient: Zeroizing::new(quotient),
            scaled_p: Zeroizing::new(scaled_p),
            a_squared: Zeroizing::new(a_squared),
            #[cfg(target_arch = "x86_64")]
            tiles: OnceLock::new(),
        }
    }
}
