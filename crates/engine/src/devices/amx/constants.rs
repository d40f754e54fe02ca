//! The constants of one modulus P for a plan.

use std::sync::{Arc, OnceLock};

use crypto_bigint::{BoxedUint, NonZero, Word};
use zeroize::Zeroizing;

use super::{
    matrix::{TileMatrix, overshoot},
    plan::{TilePlan, check_tail, digit_weights, row},
    prime::Prime,
};
use crate::plan::times_power;

/// A modulus with its constants; wiped on drop.
pub(crate) struct TileConstants {
    /// P in whole words.
    pub(super) words: Zeroizing<Vec<Word>>,
    /// Bits of the size class, which the plan rounds up.
    #[cfg_attr(
        not(any(test, feature = "testing", debug_assertions)),
        expect(dead_code, reason = "checked builds only")
    )]
    pub(super) class: u32,
    pub(super) plan: Arc<TilePlan>,
    /// Per channel of A: `|-P^-1|_{a_i}`.
    negative_inverse: Zeroizing<Vec<u32>>,
    /// Per channel of A: `|-P^-1 R^2|_{a_i}`, the quotient's constant.
    pub(super) quotient: Zeroizing<Vec<u16>>,
    /// Per channel of B: `|P g_j^2|_{b_j}`.
    pub(super) scaled_p: Zeroizing<Vec<u16>>,
    /// `A^2 mod P` as stored residues, A's channels first.
    pub(super) a_squared: Zeroizing<Vec<u16>>,
    /// The first extension with this modulus' constants multiplied in, made when a whole group
    /// has this modulus; none if its sums could leave their ranges.
    merged: OnceLock<Option<TileMatrix>>,
}

impl TileConstants {
    /// The constants of `P < 2^bits`, in constant time for its size; none if P is not coprime to
    /// base A.
    pub(super) fn new(plan: &Arc<TilePlan>, class: u32, words: &[Word]) -> Option<Self> {
        let p = Zeroizing::new(BoxedUint::from_words(words.iter().copied()));
        let in_a = residues(&plan.a.primes, &p);
        if in_a.contains(&0) {
            return None;
        }
        let in_b = residues(&plan.b.primes, &p);
        let negative_inverse: Zeroizing<Vec<u32>> = Zeroizing::new(
            (plan.a.primes.iter().zip(in_a.iter()))
                .map(|(a_i, &x)| a_i.neg(a_i.invert(x)))
                .collect(),
        );
        let quotient = (plan.a.primes.iter().zip(negative_inverse.iter()))
            .map(|(a_i, &x)| a_i.mul(x, a_i.power_of_two(32)) as u16)
            .collect();
        let scaled_p = (plan.b.primes.iter().zip(in_b.iter()))
            .zip(&plan.storage_factor)
            .map(|((b_j, &x), &g)| b_j.mul(b_j.mul(x, g), g) as u16)
            .collect();

        let modulus = NonZero::new((*p).clone());
        let modulus = Zeroizing::new(Option::<NonZero<BoxedUint>>::from(modulus)?);
        let remainder = Zeroizing::new(plan.a_squared.rem(&modulus));
        let squared_a = residues(&plan.a.primes, &remainder);
        let squared_b = residues(&plan.b.primes, &remainder);
        let stored_b = (plan.b.primes.iter().zip(squared_b.iter()))
            .zip(&plan.storage_factor)
            .map(|((b_j, &x), &g)| b_j.mul(x, g) as u16);
        let a_squared = squared_a
            .iter()
            .map(|&x| x as u16)
            .chain(stored_b)
            .collect();
        Some(Self {
            words: Zeroizing::new(words.to_vec()),
            class,
            plan: Arc::clone(plan),
            negative_inverse,
            quotient: Zeroizing::new(quotient),
            scaled_p: Zeroizing::new(scaled_p),
            a_squared: Zeroizing::new(a_squared),
            merged: OnceLock::new(),
        })
    }

    /// Integers times powers of A, as stored residues.
    pub(super) fn constants(
        &self,
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> StoredConstants {
        let plan = &*self.plan;
        let stored = integers.iter().zip(forms).map(|(integer, &form)| {
            let x = times_power(integer, &plan.product_a, form, &self.words);
            let in_a = residues(&plan.a.primes, &x);
            let in_b = residues(&plan.b.primes, &x);
            let factors = plan.b.primes.iter().zip(&plan.storage_factor);
            let in_b = in_b
                .iter()
                .zip(factors)
                .map(|(&x, (b_j, &g))| b_j.mul(x, g));
            let stored = in_a.iter().copied().chain(in_b).map(|x| x as u16);
            Zeroizing::new(stored.collect())
        });
        StoredConstants(stored.collect())
    }

    /// The first extension from `v_i = redc(x_i y_i)` to the sums `T_j` that join `x_j y_j`: its
    /// weights are those of the plan times `-P^-1 R` in A and times `P g_j^2` in B. None if
    /// its sums could leave their ranges, which no more than a few moduli in a great many do.
    pub(super) fn merged(&self) -> Option<&TileMatrix> {
        let merged = self.merged.get_or_init(|| self.merge().ok());
        merged.as_ref()
    }

    /// The same if it has been made before.
    pub(super) fn merged_before(&self) -> Option<&TileMatrix> {
        self.merged.get()?.as_ref()
    }

    fn merge(&self) -> Result<TileMatrix, String> {
        let plan = &*self.plan;
        let source = plan.quotient_source();
        let digits = digit_weights(&plan.a.primes, plan.mains(), |i, p| {
            let factor = p.mul(self.negative_inverse[i], p.power_of_two(16));
            p.mul(factor, plan.cofactor_inverses[i])
        });
        let c = overshoot(&digits, &plan.a.primes, &source);
        if c > plan.c {
            return Err(format!("the extended quotient reaches {c} A"));
        }
        let matrix = TileMatrix::new(&source, &plan.b.primes, plan.tails, |j| {
            let factor = u32::from(self.scaled_p[j]);
            row(plan.b.primes[j], &digits, &plan.cofactors[j], factor)
        })?;
        for k in plan.mains()..plan.channels() {
            check_tail(plan.largest_tail_in_b(&matrix, k))?;
        }
        Ok(matrix)
    }
}

/// Constants modulo one P as stored residues, A's channels first; wiped on drop.
pub(super) struct StoredConstants(pub(super) Vec<Zeroizing<Vec<u16>>>);

/// `|x|_m` for every prime.
fn residues(primes: &[Prime], x: &BoxedUint) -> Zeroizing<Vec<u32>> {
    // With room for all from the start: what a vector grows out of would not be wiped.
    let count = x.as_words().len() * (Word::BITS / 16) as usize;
    let mut halves: Zeroizing<Vec<u32>> = Zeroizing::new(Vec::with_capacity(count));
    for &word in x.as_words() {
        let mut rest = word;
        for _ in 0..Word::BITS / 16 {
            halves.push((rest & 0xffff) as u32);
            rest >>= 16;
        }
    }
    let mut residues = Zeroizing::new(vec![0; primes.len()]);
    // Halves outside: the chains of all primes run side by side.
    for half in halves.iter().rev() {
        for (residue, p) in residues.iter_mut().zip(primes) {
            *residue = p.reduce(*residue << 16 | half);
        }
    }
    residues
}
