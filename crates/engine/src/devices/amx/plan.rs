//! The precomputation for one size of modulus P: bases of 16-bit primes, the matrices of the
//! extensions between them, and the bounds that make lazy reduction safe. `docs/engine.md` has the
//! derivations.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

#[cfg(any(test, feature = "testing", debug_assertions))]
use crypto_bigint::Word;
use crypto_bigint::{BoxedUint, ConcatenatingMul};
use sunzi_rns::Base;
use zeroize::Zeroizing;

use super::{
    bytes::ByteMatrix,
    cox::{self, CoxWeights},
    matrix::{DIGITS, MatrixSource, OutputWeights, TileMatrix, overshoot},
    prime::Prime,
};
use crate::{
    program::{Limits, Magnitude},
    random::{Split, random_pairs},
    seal::{Seal, content, lists},
};

/// The sizes of plans are multiples of this number of bits, which fill a tile with digits.
pub(super) const STEP_BITS: u32 = 8 * DIGITS as u32;
/// The largest size in bits. Beyond it sums of products could exceed 32 bits.
pub(crate) const MAX_BITS: u32 = 4096;

/// The width of a main channel in bits.
pub(super) const MAIN_WIDTH: u32 = 16;
/// The width of a tail channel in bits.
const TAIL_WIDTH: u32 = 11;
/// Numbers of tail channels per base to try, in this order. Tail channels come in pairs.
const TAILS_TRIED: [usize; 2] = [2, 4];
/// Random splits to try, of which some break a condition on their actual weights.
const SPLITS_TRIED: usize = 64;

/// The largest stored residue in a tail channel.
pub(super) const TAIL_MOST: u32 = (1 << 12) - 1;

/// A plan on tiles: the bases, matrices and bounds for all odd moduli `P < 2^bits` that are coprime
/// to base A.
#[derive(Clone)]
pub(crate) struct TilePlan {
    /// The size of the plan: it serves moduli P below `2^bits`. A multiple of [`STEP_BITS`].
    pub(super) bits: u32,
    /// Base A. Each product divides by A.
    pub(super) a: TileBase,
    /// Base B. The result of a product is computed in B first.
    pub(super) b: TileBase,
    /// Number of tail channels of each base.
    pub(super) tails: usize,
    /// The overshoot c: extended quotients are within `(-(c - 1) A, (c - 1) A)`, and products
    /// within `(-3 c P, 3 c P)`.
    pub(super) c: u32,
    /// The largest product of the weights of a product's operands ([`Limits::operands`]):
    /// `(2 c + 1) A / 2^bits`, at least `16 c^2`.
    operands: u64,
    /// The product of base A.
    pub(super) product_a: BoxedUint,
    /// `A^2`. A product with `A^2 mod P` takes a number into Montgomery form.
    pub(super) a_squared: BoxedUint,
    /// Per channel of B: `g_j = |R A^-1|_{b_j}`. A residue of X in base B is stored as `|X g_j|`
    /// (`g_j` of `docs/notation.md`).
    pub(super) storage_factor: Vec<u32>,
    /// Per channel of B: `|A/a_i|_{b_j}` for each channel of A.
    pub(super) cofactors: Vec<Vec<u32>>,
    /// Per channel of A: `|(A/a_i)^-1|_{a_i}`.
    pub(super) cofactor_inverses: Vec<u32>,
    /// The first extension, of the quotient from A to B.
    pub(super) a_to_b: TileMatrix,
    /// The second extension, of the product from B to A, with the Cox weights of its digits.
    pub(super) b_to_a: TileMatrix,
    /// The conversion from the bytes of an integer to stored residues in A, and to those in B.
    pub(super) enter: [TileMatrix; 2],
    /// The conversion from stored residues in B, and h, to the bytes of an integer.
    pub(super) leave: ByteMatrix,
    /// Per pair of tail channels of B: their Cox weights.
    pub(super) cox_tails: Vec<u32>,
    /// The largest distance of a product's Cox sum from a whole number, in units of `2^-15`.
    pub(super) cox_spread: u32,
    /// Of everything above.
    seal: Seal,
}

content!(TilePlan {
    bits, a, b, tails, c, operands, product_a, a_squared, storage_factor, cofactors, cofactor_inverses, a_to_b, b_to_a,
    enter, leave, cox_tails, cox_spread,
} without { seal });
content!(TileBase {
    primes,
    pairs,
    radix,
    radix_squared
});
lists!(Prime, Vec<u32>, [u32; 2], TileMatrix);

/// The channels of a base: main channels, then tail channels.
#[derive(Clone)]
pub(super) struct TileBase {
    /// The modulus of each channel.
    pub(super) primes: Vec<Prime>,
    /// Per pair of channels: the two moduli, and their inverses modulo `2^16`, each packed into a
    /// word.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Per pair of channels: `|R|`, packed into a word.
    pub(super) radix: Vec<u32>,
    /// Per pair of channels: `|R^2|`, packed into a word.
    pub(super) radix_squared: Vec<u32>,
}

impl TileBase {
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
        let each = |constant: fn(Prime) -> u32| {
            let pairs = primes.chunks_exact(2);
            pairs.map(|primes| pair(primes, constant)).collect()
        };
        Self {
            radix: each(radix),
            radix_squared: each(|p| p.power_of_two(2 * MAIN_WIDTH)),
            pairs,
            primes,
        }
    }
}

impl TilePlan {
    /// The plan for moduli of at most `bits` bits, a multiple of [`STEP_BITS`].
    ///
    /// # Errors
    /// The condition that fails, if there is no plan.
    pub(super) fn new(bits: u32, split: Split) -> Result<Self, String> {
        debug_assert!(bits.is_multiple_of(STEP_BITS));
        if bits > MAX_BITS {
            return Err(format!("{bits} bits, and at most {MAX_BITS} are served"));
        }
        let mut condition = String::new();
        let attempts = if split.is_random() { SPLITS_TRIED } else { 1 };
        for tails in TAILS_TRIED {
            for _ in 0..attempts {
                match Self::with_tails(bits, tails, split) {
                    Ok(plan) => return Ok(plan),
                    Err(reason) => condition = reason,
                }
            }
        }
        Err(condition)
    }

    /// The plan with this number of tail channels per base, or the condition that fails.
    fn with_tails(bits: u32, tails: usize, split: Split) -> Result<Self, String> {
        let mains = (bits / MAIN_WIDTH) as usize;
        let Bases {
            a: base_a,
            b: base_b,
            log2_a,
        } = choose_bases(mains, tails, split)?;
        let (a, b) = (TileBase::new(&base_a), TileBase::new(&base_b));
        let c = overshoot_served(bits, tails, log2_a)?;
        let storage_factor: Vec<u32> = (b.primes.iter().zip(base_b.moduli()))
            .map(|(&p, m)| p.mul(radix(p), p.invert(base_a.product_mod(m) as u32)))
            .collect();

        let cofactors = cofactors(&base_a, &base_b);
        let cofactor_inverses = cofactor_inverses(&base_a);
        let source = quotient_source(&a.primes, mains);
        let factors = digit_factors(&a.primes, mains, |i, _| cofactor_inverses[i]);
        if overshoot(&factors, &a.primes, &source) > c {
            return Err(format!("the extended quotient exceeds {c} A"));
        }
        let a_to_b = TileMatrix::new(&source, &b.primes, tails, |j| {
            row(b.primes[j], &factors, &cofactors[j], radix(b.primes[j]))
        })?;

        // The factors take stored residues |r g_j| to |r (B/b_j)^-1|.
        let inverses = self::cofactor_inverses(&base_b);
        let factors = digit_factors(&b.primes, mains, |j, p| {
            p.mul(inverses[j], p.invert(storage_factor[j]))
        });
        let (b_to_a, cox, rounding) = second_extension(&base_b, &b, &base_a, &a, &factors, mains)?;
        // |r| / B < 3 c 2^bits / B and the rounding errors must add up to less than 1/2.
        let log2_r = f64::from(bits) + (3.0 * f64::from(c)).log2();
        let spread = (log2_r + ROUNDING - log2(&base_b)).exp2() + rounding;
        if spread >= 0.5 {
            return Err(format!(
                "the Cox sum is up to {spread:.3} from a whole number, and must be by less than 1/2"
            ));
        }

        let mut plan = Self {
            bits,
            tails,
            c,
            operands: largest_operands(bits, c, log2_a),
            product_a: base_a.product().clone(),
            a_squared: base_a.product().concatenating_mul(base_a.product()),
            leave: ByteMatrix::new(bits, &base_b, &factors, mains),
            enter: [
                entrance(&a.primes, tails, |_, p| radix(p))?,
                entrance(&b.primes, tails, |j, p| p.mul(radix(p), storage_factor[j]))?,
            ],
            cofactors,
            cofactor_inverses,
            storage_factor,
            a_to_b,
            b_to_a,
            cox_tails: cox.tails,
            cox_spread: (spread * f64::from(1 << cox::SUM_BITS)).ceil() as u32,
            a,
            b,
            seal: Seal::default(),
        };
        plan.check_tails()?;
        plan.seal = Seal::of(&plan);
        Ok(plan)
    }

    /// Whether the plan is what it was when it was made.
    pub(super) fn is_whole(&self) -> bool {
        self.seal.holds(self)
    }

    /// The magnitudes that programs may have. If the product of the operands' weights is at most
    /// `(2 c + 1) A / 2^bits`, then `|x y| / A < (2 c + 1) P`. The extended quotient adds less than
    /// `(c - 1) P`, so that the product is within `(-3 c P, 3 c P)`.
    pub(super) fn limits(&self) -> Limits {
        let c = i64::from(self.c);
        Limits {
            product: Magnitude::interval(-3 * c, 3 * c),
            operands: self.operands,
            signed: true,
            folded: None,
        }
    }

    /// Number of main channels of each base.
    pub(super) fn mains(&self) -> usize {
        (self.bits / MAIN_WIDTH) as usize
    }

    /// Number of channels of each base.
    pub(super) fn channels(&self) -> usize {
        self.mains() + self.tails
    }

    /// The inputs of the first extension.
    pub(super) fn quotient_source(&self) -> MatrixSource {
        quotient_source(&self.a.primes, self.mains())
    }

    /// Checks that the tail residues of all results are at most [`TAIL_MOST`], if those of the
    /// operands are. Then `redc(x y)` is below the modulus in tail channels of A.
    fn check_tails(&self) -> Result<(), String> {
        for k in self.mains()..self.channels() {
            let (a, b) = (self.a.primes[k], self.b.primes[k]);
            check_tail(self.b_to_a.largest_reduced(k, a))?;
            check_tail(self.enter[0].largest_reduced(k, a))?;
            check_tail(self.enter[1].largest_reduced(k, b))?;
            check_tail(self.largest_tail_in_b(&self.a_to_b, k))?;
        }
        Ok(())
    }

    /// The largest stored residue of a product in tail channel k of B, where `matrix` is the first
    /// extension. Requires residues of the operands of at most [`TAIL_MOST`]. The bound is that of
    /// [`ChannelPair::multiply_add`](super::vector::ChannelPair::multiply_add).
    pub(super) fn largest_tail_in_b(&self, matrix: &TileMatrix, k: usize) -> u32 {
        let square = (TAIL_MOST * TAIL_MOST) >> MAIN_WIDTH;
        matrix.largest_reduced(k, self.b.primes[k]) + square + 1
    }
}

/// Checks and faults, for tests and builds with debug assertions.
#[cfg(any(test, feature = "testing", debug_assertions))]
impl TilePlan {
    /// Whether the number with these stored residues is within a magnitude of P, where `bits` is
    /// the size class of P. Its residues in base A give it as a fraction of A.
    pub(super) fn is_within(
        &self,
        residues: &[u16],
        bits: u32,
        p: &[Word],
        magnitude: &Magnitude,
    ) -> bool {
        let channels = self.a.primes.iter().zip(residues);
        let terms = channels.zip(&self.cofactor_inverses);
        let sum: f64 = terms
            .map(|((p, &x), &inverse)| {
                f64::from(p.mul(p.reduce(x.into()), inverse)) / f64::from(p.m)
            })
            .sum();
        let moduli = self.a.primes.iter();
        let log2_a: f64 = moduli.map(|p| f64::from(p.m).log2()).sum();
        crate::plan::is_fraction_within(sum, log2_a, bits, p, magnitude)
    }

    /// Flips the lowest bit of a weight of one of the plan's matrices: a fault, for tests.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn flip_weight(&mut self, place: u64) {
        let [enter_a, enter_b] = &mut self.enter;
        let matrices = [&mut self.a_to_b, &mut self.b_to_a, enter_a, enter_b];
        let count = matrices.len() as u64;
        for (index, matrix) in matrices.into_iter().enumerate() {
            if index as u64 == place % count {
                matrix.flip((place / count) as usize);
            }
        }
    }
}

/// A lower bound of `(2 c + 1) A / 2^bits`, but at most `2^50`, which exceeds what any program can
/// use.
fn largest_operands(bits: u32, c: u32, log2_a: f64) -> u64 {
    const MOST: f64 = (1u64 << 50) as f64;
    let quotient = (log2_a - ROUNDING - f64::from(bits)).exp2();
    (f64::from(2 * c + 1) * quotient).min(MOST) as u64
}

/// Checks that a tail residue is at most [`TAIL_MOST`].
pub(super) fn check_tail(largest: u32) -> Result<(), String> {
    if largest > TAIL_MOST {
        return Err(format!(
            "a tail residue reaches {largest}, and must not exceed {TAIL_MOST}"
        ));
    }
    Ok(())
}

/// The overshoot c of plans of this size. Ensures `A >= 8 c 2^bits`, which keeps products within
/// `(-3 c P, 3 c P)`.
///
/// The digits can contribute at most `255 * 2 mains / 2` to the overshoot. Factors that are spread
/// evenly over `(-a/2, a/2)` contribute a quarter of that; c has room for one half. The factors of
/// the few tail residues need not be spread evenly, so that c has room for the largest
/// contribution, half of each tail modulus.
///
/// The constants of P can be merged unless its overshoot exceeds c. That is so for fewer than one
/// in `2^33` of the moduli of 512 bits (Chernoff), and for fewer than one in `2^57` of larger ones,
/// so that it reveals next to nothing about a secret P.
fn overshoot_served(bits: u32, tails: usize, log2_a: f64) -> Result<u32, String> {
    let c = 255 * (bits / MAIN_WIDTH) / 2 + ((tails as u32) << (TAIL_WIDTH - 1));
    let (has, needs) = (log2_a, f64::from(bits) + f64::from(c).log2() + 3.0);
    if has < needs + ROUNDING {
        return Err(format!(
            "base A has {has:.2} bits, and needs {needs:.2} for 8 c 2^bits"
        ));
    }
    Ok(c)
}

/// The second extension, in which the Cox quotient h is an extra; the Cox weights; and the largest
/// error of a Cox sum by rounding. `factors` are those of the digits of B.
fn second_extension(
    base_b: &Base,
    b: &TileBase,
    base_a: &Base,
    a: &TileBase,
    factors: &[i32],
    mains: usize,
) -> Result<(TileMatrix, CoxWeights, f64), String> {
    let tails = b.primes.len() - mains;
    let mut source = MatrixSource {
        digits: 2 * mains,
        extras: vec![[0, TAIL_MOST.cast_signed()]; tails],
    };
    let most = overshoot(factors, &b.primes, &source).cast_signed();
    if most >= 1 << 15 {
        return Err(format!(
            "the Cox quotient reaches {most}, and must be below 2^15"
        ));
    }
    // h, and an unused place beside it.
    source.extras.extend([[-most, most], [0, 0]]);
    let cofactors = cofactors(base_b, base_a);
    let mut matrix = TileMatrix::new(&source, &a.primes, tails, |i| {
        let p = a.primes[i];
        let mut row = row(p, factors, &cofactors[i], radix(p));
        let minus_b = p.neg(base_b.product_mod(&base_a.moduli()[i]) as u32);
        row.extras.extend([p.nearest(p.mul(minus_b, radix(p))), 0]);
        row
    })?;
    let cox = CoxWeights::new(factors, &b.primes, mains);
    for (row, digits) in cox.bytes.iter().enumerate() {
        matrix.set_tail_tile_row(2 * tails + row, digits);
    }
    let rounding = cox.rounding(&source);
    Ok((matrix, cox, rounding))
}

/// The conversion from the bytes of an integer to its residues times `factor`, which the reduction
/// divides by R.
fn entrance(
    primes: &[Prime],
    tails: usize,
    factor: impl Fn(usize, Prime) -> u32,
) -> Result<TileMatrix, String> {
    let digits = 2 * (primes.len() - tails);
    let source = MatrixSource {
        digits,
        extras: Vec::new(),
    };
    TileMatrix::new(&source, primes, tails, |index| {
        let p = primes[index];
        let mut power = factor(index, p);
        let mut weights = OutputWeights::default();
        for _ in 0..digits {
            weights.digits.push(p.balance(power));
            power = p.mul(power, 1 << 8);
        }
        weights
    })
}

/// The inputs of the first extension: any digits, and tail residues below their moduli.
fn quotient_source(primes: &[Prime], mains: usize) -> MatrixSource {
    let tails = primes[mains..].iter();
    MatrixSource {
        digits: 2 * mains,
        extras: tails.map(|p| [0, p.m.cast_signed() - 1]).collect(),
    }
}

/// `|R|_p`.
fn radix(p: Prime) -> u32 {
    p.power_of_two(MAIN_WIDTH)
}

/// `|(M/m_i)^-1|_{m_i}` for every channel of a base.
fn cofactor_inverses(base: &Base) -> Vec<u32> {
    let inverses = base.cofactor_inverses().iter();
    inverses.map(|&x| x as u32).collect()
}

/// For each channel of `other`: `M/m_i` modulo it, for each channel of `base`.
fn cofactors(base: &Base, other: &Base) -> Vec<Vec<u32>> {
    let rows = other.moduli().iter().map(|m| base.cofactors_mod(m));
    rows.map(|row| row.into_iter().map(|x| x as u32).collect())
        .collect()
}

/// An upper bound of the rounding errors in sums of a few hundred logarithms.
const ROUNDING: f64 = 1e-6;

/// The binary logarithm of the product of a base.
fn log2(base: &Base) -> f64 {
    let moduli = base.moduli().iter();
    moduli.map(|m| (m.value() as f64).log2()).sum()
}

/// The bases of a plan.
struct Bases {
    a: Base,
    b: Base,
    /// A lower bound of the binary logarithm of A, the same for all splits.
    log2_a: f64,
}

/// The bases A and B: of each two of the largest primes of 16 bits, and of 11 bits, one is in A and
/// the other in B. In a fixed split the larger one is in A, and in a random split either, so that
/// all splits have nearly the same products.
fn choose_bases(mains: usize, tails: usize, split: Split) -> Result<Bases, String> {
    let primes = |width, count| -> Result<Vec<u128>, String> {
        let base = Base::descending_primes(width, count, &BTreeSet::new());
        let base = base.map_err(|error| error.to_string())?;
        Ok(base
            .moduli()
            .iter()
            .map(sunzi_rns::Modulus::value)
            .collect())
    };
    let all = [
        primes(MAIN_WIDTH, 2 * mains)?,
        primes(TAIL_WIDTH, 2 * tails)?,
    ]
    .concat();
    let mut pairs: Vec<[u128; 2]> = all.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    let least = usize::from(split.is_random());
    let log2_a = pairs.iter().map(|pair| (pair[least] as f64).log2()).sum();
    if split.is_random() {
        random_pairs(&mut pairs)?;
    }
    let base = |k: usize| {
        let moduli: Vec<u128> = pairs.iter().map(|pair| pair[k]).collect();
        Base::new_odd(&moduli).map_err(|error| error.to_string())
    };
    Ok(Bases {
        a: base(0)?,
        b: base(1)?,
        log2_a,
    })
}

/// The factors `f_d` of a base's digits in their own channels: for each digit the balanced residue
/// of `2^(8 s) factor(i)` in channel i. A main channel has two digits (s = 0, 1); a tail channel
/// has one, its residue.
pub(super) fn digit_factors(
    primes: &[Prime],
    mains: usize,
    factor: impl Fn(usize, Prime) -> u32,
) -> Zeroizing<Vec<i32>> {
    let mut factors = Zeroizing::new(Vec::with_capacity(primes.len() + mains));
    for (i, &p) in primes.iter().enumerate() {
        let factor = factor(i, p);
        factors.push(p.balance(factor));
        if i < mains {
            factors.push(p.balance(p.mul(factor, 1 << 8)));
        }
    }
    factors
}

/// The weights of one output of an extension, modulo its prime p: for each digit `f_d` times the
/// cofactor of its channel times `factor`. Requires factors `f_d` above `-2^16`, and below `2^16`.
pub(super) fn row(p: Prime, factors: &[i32], cofactors: &[u32], factor: u32) -> OutputWeights {
    let tails = 2 * cofactors.len() - factors.len();
    let (main_factors, tail_factors) = factors.split_at(factors.len() - tails);
    let (main_cofactors, tail_cofactors) = cofactors.split_at(cofactors.len() - tails);
    // The least multiple of p that is at least 2^16 makes every factor positive.
    let lift = ((1 << 16) + p.neg(p.reduce(1 << 16))).cast_signed();
    let weight = |f_d: i32, scaled: u32| p.mul(p.reduce((f_d + lift).cast_unsigned()), scaled);
    let mut weights = OutputWeights {
        digits: Vec::with_capacity(main_factors.len()),
        extras: Vec::with_capacity(tails + 2),
    };
    for (pair, &cofactor) in main_factors.chunks_exact(2).zip(main_cofactors) {
        let scaled = p.mul(cofactor, factor);
        let pair = pair.iter().map(|&f_d| p.balance(weight(f_d, scaled)));
        weights.digits.extend(pair);
    }
    for (&f_d, &cofactor) in tail_factors.iter().zip(tail_cofactors) {
        let scaled = p.mul(cofactor, factor);
        weights.extras.push(p.nearest(weight(f_d, scaled)));
    }
    weights
}

/// A cache of plans, one for each multiple of [`STEP_BITS`], each made when it is first asked for.
pub(crate) struct TilePlans {
    split: Split,
    plans: [OnceLock<Option<Arc<TilePlan>>>; (MAX_BITS / STEP_BITS) as usize],
}

impl TilePlans {
    pub(super) fn new(split: Split) -> Self {
        Self {
            split,
            plans: Default::default(),
        }
    }

    /// The plan for moduli of at most `bits` bits. Returns `None` if there is none, as for sizes
    /// above [`MAX_BITS`].
    pub(super) fn plan(&self, bits: u32) -> Option<Arc<TilePlan>> {
        let index = bits.div_ceil(STEP_BITS).max(1);
        let plan = self.plans.get(index as usize - 1)?;
        let plan = plan.get_or_init(|| {
            TilePlan::new(index * STEP_BITS, self.split)
                .ok()
                .map(Arc::new)
        });
        plan.clone()
    }
}
