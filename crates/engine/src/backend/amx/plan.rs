//! Everything precomputed for one size of modulus: bases of 16-bit primes, their matrices, and
//! the bounds that make lazy reduction safe. The derivations are in `docs/engine.md`.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use crypto_bigint::{BoxedUint, ConcatenatingMul};
use sunzi_rns::Base;
use zeroize::Zeroizing;

use super::{
    bytes::ByteMatrix,
    cox::{self, CoxWeights},
    matrix::{DIGITS, Source, TileMatrix, Weights, overshoot},
    prime::Prime,
};

/// Sizes are multiples of this: so many bits fill a tile with digits.
pub(super) const STEP_BITS: u32 = 8 * DIGITS as u32;
/// The largest size: beyond it sums of products exceed 32 bits.
pub(crate) const MAX_BITS: u32 = 4096;

/// Bits of a main channel and of a tail channel.
const MAIN_WIDTH: u32 = 16;
const TAIL_WIDTH: u32 = 11;
/// Tail channels of a base: as few as the ranges allow; they come in pairs.
const TAILS_TRIED: [usize; 2] = [2, 4];

/// The largest stored residue in a tail channel of B.
const TAIL_MOST: u32 = (1 << 12) - 1;

/// The precomputation for odd moduli `P < 2^bits` that are coprime to base A.
pub(crate) struct TilePlan {
    /// Moduli below `2^bits` are served; a multiple of [`STEP_BITS`].
    pub(super) bits: u32,
    /// The channels of each base: main channels, then tail channels.
    pub(super) a: Channels,
    pub(super) b: Channels,
    /// Tail channels of each base.
    pub(super) tails: usize,
    /// The overshoot's bound c: an extended quotient is within `(-c A, c A)`, a product within
    /// `(-3 c P, 3 c P)`, an operand within `(-4 c P, 4 c P)`.
    pub(super) c: u32,
    /// `A^2`, the constant that takes a number into Montgomery form.
    pub(super) a_squared: BoxedUint,
    /// Per channel of B: `beta_j = |R A^-1|_{b_j}`, the factor by which a residue in base B is
    /// stored.
    pub(super) storage_factor: Vec<u32>,
    /// Per channel of B a row of `|A/a_i|_{b_j}`.
    pub(super) cofactors: Vec<Vec<u32>>,
    /// Per channel of A `|(A/a_i)^-1|_{a_i}`.
    pub(super) cofactor_inverses: Vec<u32>,
    /// The first extension, of quotients.
    pub(super) a_to_b: TileMatrix,
    /// The second extension, and the weights of the Cox quotient h.
    pub(super) b_to_a: TileMatrix,
    /// From the bytes of an integer to stored residues in A and in B.
    pub(super) enter: [TileMatrix; 2],
    /// From stored residues in B, and h, to bytes.
    pub(super) leave: ByteMatrix,
    /// Per pair of tail channels of B the Cox weights.
    pub(super) cox_tails: Vec<u32>,
    /// The largest distance of a Cox sum from a whole number that a product within its bound can
    /// have, scaled by `2^15`.
    pub(super) cox_spread: u32,
}

/// The channels of a base.
pub(super) struct Channels {
    pub(super) primes: Vec<Prime>,
    /// For each pair of channels the moduli, and their inverses modulo `2^16`.
    pub(super) pairs: Vec<[u32; 2]>,
}

impl Channels {
    fn new(base: &Base) -> Self {
        let primes: Vec<Prime> = base.moduli().iter().map(Prime::new).collect();
        let pair = |pair: &[Prime], constant: fn(Prime) -> u32| {
            constant(pair[0]) | constant(pair[1]) << MAIN_WIDTH
        };
        let pairs = primes
            .chunks_exact(2)
            .map(|primes| {
                [
                    pair(primes, |p| p.m),
                    pair(primes, Prime::inverse_mod_radix),
                ]
            })
            .collect();
        Self { primes, pairs }
    }
}

impl TilePlan {
    /// The plan for moduli of at most `bits` bits; if none exists, the condition that fails.
    pub(super) fn new(bits: u32) -> Result<Self, String> {
        debug_assert!(bits.is_multiple_of(STEP_BITS));
        if bits > MAX_BITS {
            return Err(format!("{bits} bits, and at most {MAX_BITS} are served"));
        }
        let mut condition = String::new();
        for tails in TAILS_TRIED {
            match Self::with_tails(bits, tails) {
                Ok(plan) => return Ok(plan),
                Err(reason) => condition = reason,
            }
        }
        Err(condition)
    }

    fn with_tails(bits: u32, tails: usize) -> Result<Self, String> {
        let mains = (bits / MAIN_WIDTH) as usize;
        let (base_a, base_b) = choose_bases(mains, tails)?;
        let (a, b) = (Channels::new(&base_a), Channels::new(&base_b));
        let radix = |p: &Prime| p.power_of_two(MAIN_WIDTH);
        let inverses = |base: &Base| -> Vec<u32> {
            let inverses = base.cofactor_inverses();
            inverses.iter().map(|&x| x as u32).collect()
        };
        let cofactors = |base: &Base, other: &Base| -> Vec<Vec<u32>> {
            let rows = other.moduli().iter().map(|m| base.cofactors_mod(m));
            rows.map(|row| row.into_iter().map(|x| x as u32).collect())
                .collect()
        };
        let storage_factor: Vec<u32> = (b.primes.iter().zip(base_b.moduli()))
            .map(|(p, m)| p.mul(radix(p), p.invert(base_a.product_mod(m) as u32)))
            .collect();

        // Weights spread evenly over (-a/2, a/2) make a quarter of the largest overshoot that any
        // can make, 255 * 2 mains / 2: half of the largest has room for all.
        let c = 255 * mains as u32 / 2;
        let (log2_a, log2_b) = (log2(&base_a), log2(&base_b));
        let log2_c = f64::from(c).log2();
        let needed = f64::from(bits) + log2_c + 3.0;
        if log2_a < needed + ROUNDING {
            return Err(format!(
                "base A has {log2_a:.2} bits, and needs {needed:.2} for 8 c 2^bits"
            ));
        }

        // A's residues: digits of products, below each modulus, and tails.
        let tails_a = a.primes[mains..].iter().map(|p| [0, p.m.cast_signed() - 1]);
        let source_a = Source {
            digits: 2 * mains,
            extras: tails_a.collect(),
        };
        let cofactors_ab = cofactors(&base_a, &base_b);
        let cofactor_inverses = inverses(&base_a);
        let quotient_digits = digit_weights(&a.primes, mains, |i, _| cofactor_inverses[i]);
        if overshoot(&quotient_digits, &a.primes, &source_a) > c {
            return Err(format!("the extended quotient exceeds {c} A"));
        }
        let a_to_b = TileMatrix::new(&source_a, &b.primes, tails, |j| {
            let p = b.primes[j];
            row(p, &quotient_digits, &cofactors_ab[j], radix(&p))
        })?;

        // B's residues: r beta_j, to be multiplied by (beta_j B/b_j)^-1.
        let inverses_b = inverses(&base_b);
        let cofactor_digits = digit_weights(&b.primes, mains, |j, p| {
            p.mul(inverses_b[j], p.invert(storage_factor[j]))
        });
        let mut source_b = Source {
            digits: 2 * mains,
            extras: vec![[0, TAIL_MOST.cast_signed()]; tails],
        };
        let h_most = overshoot(&cofactor_digits, &b.primes, &source_b) as i32;
        if h_most >= 1 << 15 {
            return Err(format!(
                "the Cox quotient reaches {h_most}, and must be below 2^15"
            ));
        }
        // h, and an empty place beside it.
        source_b.extras.extend([[-h_most, h_most], [0, 0]]);
        let cofactors_ba = cofactors(&base_b, &base_a);
        let mut b_to_a = TileMatrix::new(&source_b, &a.primes, tails, |i| {
            let p = a.primes[i];
            let mut weights = row(p, &cofactor_digits, &cofactors_ba[i], radix(&p));
            let minus_b = p.neg(base_b.product_mod(&base_a.moduli()[i]) as u32);
            weights
                .extras
                .extend([p.nearest(p.mul(minus_b, radix(&p))), 0]);
            weights
        })?;
        let cox = CoxWeights::new(&cofactor_digits, &b.primes, mains);
        for (row, digits) in cox.bytes.iter().enumerate() {
            b_to_a.set_last_row(2 * tails + row, digits);
        }

        // |r| / B < 3 c 2^bits / B, and what rounding adds, must stay below 1/2.
        let rounding = cox.rounding(&source_b);
        let spread = (f64::from(bits) + (3.0 * f64::from(c)).log2() + ROUNDING - log2_b).exp2();
        if spread + rounding >= 0.5 {
            return Err(format!(
                "the Cox quotient errs by up to {:.3}, and must by less than 1/2",
                spread + rounding
            ));
        }

        let bytes_in = Source {
            digits: 2 * mains,
            extras: Vec::new(),
        };
        let byte_weights = |p: Prime, factor: u32| {
            let mut power = factor;
            let mut weights = Weights::default();
            for _ in 0..2 * mains {
                weights.digits.push(p.balance(power));
                power = p.mul(power, 1 << 8);
            }
            weights
        };
        let enter_a = TileMatrix::new(&bytes_in, &a.primes, tails, |i| {
            byte_weights(a.primes[i], radix(&a.primes[i]))
        })?;
        let enter_b = TileMatrix::new(&bytes_in, &b.primes, tails, |j| {
            let p = b.primes[j];
            byte_weights(p, p.mul(radix(&p), storage_factor[j]))
        })?;

        let plan = Self {
            bits,
            tails,
            c,
            a_squared: base_a.product().concatenating_mul(base_a.product()),
            leave: ByteMatrix::new(bits, &base_b, &cofactor_digits, mains),
            cofactors: cofactors_ab,
            cofactor_inverses,
            storage_factor,
            a_to_b,
            b_to_a,
            enter: [enter_a, enter_b],
            cox_spread: ((spread + rounding) * f64::from(1 << cox::SUM_BITS)).ceil() as u32,
            cox_tails: cox.tails,
            a,
            b,
        };
        plan.check_tails()?;
        Ok(plan)
    }

    /// Main channels of each base.
    pub(super) fn mains(&self) -> usize {
        (self.bits / MAIN_WIDTH) as usize
    }

    /// Channels of each base.
    pub(super) fn channels(&self) -> usize {
        self.mains() + self.tails
    }

    /// What the first extension is computed from.
    pub(super) fn quotient_source(&self) -> Source {
        let tails = self.a.primes[self.mains()..].iter();
        Source {
            digits: 2 * self.mains(),
            extras: tails.map(|p| [0, p.m.cast_signed() - 1]).collect(),
        }
    }

    /// Tail residues in A, of an operand of a product, must not exceed `2^13`: then `v = redc(x
    /// y)` is below the modulus. Those in B must not exceed [`TAIL_MOST`].
    fn check_tails(&self) -> Result<(), String> {
        for k in self.mains()..self.channels() {
            let (a, b) = (self.a.primes[k], self.b.primes[k]);
            let in_a = [&self.b_to_a, &self.enter[0]].map(|m| m.largest_reduced(k, a));
            if let Some(x) = in_a.iter().find(|&&x| x >= 1 << 13) {
                return Err(format!(
                    "a tail residue in A reaches {x}, and must be below 2^13"
                ));
            }
            let entered = self.enter[1].largest_reduced(k, b);
            check_tail_in_b(entered.max(self.largest_tail_in_b(&self.a_to_b, k)))?;
        }
        Ok(())
    }

    /// The largest stored residue in tail channel k of B that a product leaves behind, if its
    /// operands' are at most [`TAIL_MOST`], the first extension being by `matrix`:
    /// [`multiply_add`](super::vector::Channels::multiply_add).
    pub(super) fn largest_tail_in_b(&self, matrix: &TileMatrix, k: usize) -> u32 {
        let square = (TAIL_MOST * TAIL_MOST) >> MAIN_WIDTH;
        matrix.largest_reduced(k, self.b.primes[k]) + square + 1
    }
}

/// That a tail residue in B fits.
pub(super) fn check_tail_in_b(largest: u32) -> Result<(), String> {
    if largest > TAIL_MOST {
        return Err(format!(
            "a tail residue in B reaches {largest}, and must not exceed {TAIL_MOST}"
        ));
    }
    Ok(())
}

/// More than the rounding errors in sums of a few hundred logarithms.
const ROUNDING: f64 = 1e-6;

fn log2(base: &Base) -> f64 {
    let moduli = base.moduli().iter();
    moduli.map(|m| (m.value() as f64).log2()).sum()
}

/// The largest primes of 16 bits, and of 11 bits, dealt out to the two bases in turn.
fn choose_bases(mains: usize, tails: usize) -> Result<(Base, Base), String> {
    let primes = |width, count| -> Result<Vec<u128>, String> {
        let base = Base::descending_primes(width, count, &BTreeSet::new());
        let base = base.map_err(|error| error.to_string())?;
        Ok(base.moduli().iter().map(|m| m.value()).collect())
    };
    let all = [
        primes(MAIN_WIDTH, 2 * mains)?,
        primes(TAIL_WIDTH, 2 * tails)?,
    ]
    .concat();
    let base = |first: usize| {
        let moduli: Vec<u128> = all.iter().copied().skip(first).step_by(2).collect();
        Base::new_odd(&moduli).map_err(|error| error.to_string())
    };
    Ok((base(0)?, base(1)?))
}

/// For each digit of a base's residues the balanced residue of `2^(8s) factor_i` in its channel:
/// two digits a main channel, one a tail channel.
pub(super) fn digit_weights(
    primes: &[Prime],
    mains: usize,
    factor: impl Fn(usize, Prime) -> u32,
) -> Zeroizing<Vec<i32>> {
    let mut weights = Zeroizing::new(Vec::with_capacity(primes.len() + mains));
    for (i, &p) in primes.iter().enumerate() {
        let factor = factor(i, p);
        weights.push(p.balance(factor));
        if i < mains {
            weights.push(p.balance(p.mul(factor, 1 << 8)));
        }
    }
    weights
}

/// The weights of one output p of an extension: each digit's weight times the cofactor of its
/// channel times `factor`, modulo p.
pub(super) fn row(p: Prime, digits: &[i32], cofactors: &[u32], factor: u32) -> Weights {
    let tails = 2 * cofactors.len() - digits.len();
    let (main_digits, tail_digits) = digits.split_at(digits.len() - tails);
    let (main_cofactors, tail_cofactors) = cofactors.split_at(cofactors.len() - tails);
    // A multiple of p that makes every digit's weight positive.
    let lift = (1u32 << 16).next_multiple_of(p.m).cast_signed();
    let weight = |digit: i32, scaled: u32| p.mul(p.reduce((digit + lift).cast_unsigned()), scaled);
    let mut weights = Weights {
        digits: Vec::with_capacity(main_digits.len()),
        extras: Vec::with_capacity(tails + 2),
    };
    for (pair, &cofactor) in main_digits.chunks_exact(2).zip(main_cofactors) {
        let scaled = p.mul(cofactor, factor);
        let pair = pair.iter().map(|&digit| p.balance(weight(digit, scaled)));
        weights.digits.extend(pair);
    }
    for (&digit, &cofactor) in tail_digits.iter().zip(tail_cofactors) {
        let scaled = p.mul(cofactor, factor);
        weights.extras.push(p.nearest(weight(digit, scaled)));
    }
    weights
}

/// The plans made so far: one for each multiple of [`STEP_BITS`].
#[derive(Default)]
pub(crate) struct TilePlans {
    plans: [OnceLock<Option<Arc<TilePlan>>>; (MAX_BITS / STEP_BITS) as usize],
}

impl TilePlans {
    /// The plan for moduli of at most `bits` bits, at most [`MAX_BITS`]; none if there is none.
    pub(super) fn plan(&self, bits: u32) -> Option<Arc<TilePlan>> {
        let index = bits.div_ceil(STEP_BITS).max(1);
        let plan = self.plans.get(index as usize - 1)?;
        let plan = plan.get_or_init(|| TilePlan::new(index * STEP_BITS).ok().map(Arc::new));
        plan.clone()
    }
}
