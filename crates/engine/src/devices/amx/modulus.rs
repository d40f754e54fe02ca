//! A modulus P with its constants for a plan of tiles.

use std::sync::{Arc, OnceLock};

use crypto_bigint::{BoxedUint, NonZero, Word};
use zeroize::Zeroizing;

use super::{
    matrix::{TileMatrix, overshoot},
    plan::{TilePlan, check_tail, digit_factors, row},
    prime::Prime,
};
use crate::{
    plan::{remainder, times_power},
    seal::{Checksum, Content, Seal, content, kept, lists},
};

/// An odd modulus P with its constants for a plan; wiped on drop.
pub(crate) struct TileModulus {
    /// P in whole words.
    pub(super) words: Zeroizing<Vec<Word>>,
    /// The size class of P in bits. The plan's size is rounded up from it.
    #[cfg_attr(
        not(any(test, feature = "testing", debug_assertions)),
        expect(dead_code, reason = "checked builds only")
    )]
    pub(super) class: u32,
    pub(super) plan: Arc<TilePlan>,
    /// Per channel of A: `|-P^-1|_{a_i}`.
    negative_inverse: Zeroizing<Vec<u32>>,
    /// Per channel of A: `|-P^-1 R^2|_{a_i}`. `redc(x_i y_i)` times this constant is the residue
    /// `u_i` of the quotient.
    pub(super) to_quotient: Zeroizing<Vec<u16>>,
    /// Per channel of B: `|P g_j^2|_{b_j}`.
    pub(super) scaled_p: Zeroizing<Vec<u16>>,
    /// `A^2 mod P` as stored residues, the channels of A first.
    pub(super) a_squared: Zeroizing<Vec<u16>>,
    /// The first extension with the constants of P merged into its weights. It is made when a whole
    /// group has this modulus; `None` if its sums could leave their ranges.
    merged: OnceLock<Option<(TileMatrix, Seal)>>,
}

content!(TileModulus {
    words, negative_inverse, to_quotient, scaled_p, a_squared,
} without { class, plan, merged });

kept!(TileModulus, |kept| {
    let merged = kept.merged.get().and_then(Option::as_ref);
    kept.plan.is_whole() && merged.is_none_or(|(matrix, seal)| seal.holds(matrix))
});

impl Content for StoredConstants {
    fn add_to(&self, sum: &mut Checksum) {
        self.0.add_to(sum);
    }
}

lists!(Zeroizing<Vec<u16>>);
kept!(StoredConstants);

impl TileModulus {
    /// A modulus `P < 2^bits`, given in words, with its constants. Returns `None` if P is not
    /// coprime to base A. Otherwise the time depends only on the plan and the number of words.
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
        let to_quotient = (plan.a.primes.iter().zip(negative_inverse.iter()))
            .map(|(a_i, &x)| a_i.mul(x, a_i.power_of_two(32)) as u16)
            .collect();
        let scaled_p = (plan.b.primes.iter().zip(in_b.iter()))
            .zip(&plan.storage_factor)
            .map(|((b_j, &x), &g)| b_j.mul(b_j.mul(x, g), g) as u16)
            .collect();

        let modulus = NonZero::new((*p).clone());
        let modulus = Zeroizing::new(Option::<NonZero<BoxedUint>>::from(modulus)?);
        let remainder = remainder(&plan.a_squared, &modulus);
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
            to_quotient: Zeroizing::new(to_quotient),
            scaled_p: Zeroizing::new(scaled_p),
            a_squared: Zeroizing::new(a_squared),
            merged: OnceLock::new(),
        })
    }

    /// Each integer times A to the power of its form, modulo P, as stored residues.
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

    /// The first extension for this modulus, from `v_i = redc(x_i y_i)` to the sums `T_j` that are
    /// added to `x_j y_j`. Its weights are those of the plan with one more factor `-P^-1 R` in A,
    /// and with `P g_j^2` in place of R in B. Returns `None` if its sums could leave their ranges,
    /// which is so for very few moduli: for fewer than one in `2^33` of 512 bits.
    pub(super) fn merged(&self) -> Option<&TileMatrix> {
        let merged = self.merged.get_or_init(|| {
            let matrix = self.merge().ok()?;
            let seal = Seal::of(&matrix);
            Some((matrix, seal))
        });
        merged.as_ref().map(|(matrix, _)| matrix)
    }

    /// [`merged`](Self::merged), if it has been made already.
    pub(super) fn merged_before(&self) -> Option<&TileMatrix> {
        let merged = self.merged.get()?.as_ref();
        merged.map(|(matrix, _)| matrix)
    }

    /// Makes the matrix of [`merged`](Self::merged), or names the range that does not hold.
    fn merge(&self) -> Result<TileMatrix, String> {
        let plan = &*self.plan;
        let source = plan.quotient_source();
        let factors = digit_factors(&plan.a.primes, plan.mains(), |i, p| {
            let factor = p.mul(self.negative_inverse[i], p.power_of_two(16));
            p.mul(factor, plan.cofactor_inverses[i])
        });
        let c = overshoot(&factors, &plan.a.primes, &source);
        if c > plan.c {
            return Err(format!("the extended quotient reaches {c} A"));
        }
        let matrix = TileMatrix::new(&source, &plan.b.primes, plan.tails, |j| {
            let factor = u32::from(self.scaled_p[j]);
            row(plan.b.primes[j], &factors, &plan.cofactors[j], factor)
        })?;
        for k in plan.mains()..plan.channels() {
            check_tail(plan.largest_tail_in_b(&matrix, k))?;
        }
        Ok(matrix)
    }
}

/// The constants of one modulus that programs use, each as stored residues, the channels of A
/// first; wiped on drop.
pub(super) struct StoredConstants(pub(super) Vec<Zeroizing<Vec<u16>>>);

/// `|x|_m` for each prime m. The time depends only on the number of primes and words.
fn residues(primes: &[Prime], x: &BoxedUint) -> Zeroizing<Vec<u32>> {
    // Allocated at full size, because a vector that grows does not wipe its old memory.
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
    // The outer loop runs over the words, so that the dependency chains of all primes overlap.
    for half in halves.iter().rev() {
        for (residue, p) in residues.iter_mut().zip(primes) {
            *residue = p.reduce(*residue << 16 | half);
        }
    }
    residues
}
