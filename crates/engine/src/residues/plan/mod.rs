//! The precomputation for one size of modulus P: two bases, the constant matrices of the
//! extensions between them, and the bounds that make lazy reduction safe.
//!
//! `docs/engine/residues.md` has the derivations, with the same names.

mod cache;
mod channel;
mod leave;
mod matrix;
mod modulus;
mod redundancy;

use crypto_bigint::{BoxedUint, ConcatenatingMul, Word};
use sunzi_rns::{Base, Modulus, primes};
use zeroize::Zeroizing;

use crate::{
    EngineError,
    choices::Split,
    device::PlanSummary,
    integers::digits,
    program::{Limits, Magnitude, recode::bits_at},
    residues::split,
};
use sunzi_program::{
    content,
    seal::{Checksum, Content, Seal},
};

pub(crate) use self::{
    cache::{PlanCache, SizePlan},
    channel::{Channel, ChannelArithmetic},
    leave::from_digits,
    matrix::Matrix,
    modulus::{PreparedConstants, PreparedModulus},
    redundancy::Checks,
};

/// The number of bits by which channels may be narrower than the widest before a size is refused. No size
/// that the engine accepts comes near it.
const WIDTHS_TRIED: u32 = 11;

/// A plan: the bases, matrices and bounds for all odd moduli `P < 2^bits` that are coprime to
/// base A.
#[derive(Clone)]
pub(crate) struct Plan {
    /// The size of the plan: it serves moduli P below `2^bits`.
    pub(crate) bits: u32,
    /// The channel width in bits: every `a_i` and `b_j` is a prime of exactly `w` bits.
    pub(crate) w: u32,
    /// Base A, with `n_a` channels. Each product divides by A.
    pub(crate) a: Base,
    /// Base B, with `n_b` channels. The result of a product is computed in B first.
    pub(crate) b: Base,
    /// The redundant channels, which are processed with those of B; none without redundancy. They are the
    /// largest primes of the plan.
    pub(crate) redundant: Vec<Modulus>,
    /// The channels of A, then those of B, then the redundant ones, with the constants of their
    /// reductions.
    pub(crate) channels: Vec<Channel>,
    /// The same channels' arithmetic for constants.
    pub(crate) arithmetic: Vec<ChannelArithmetic>,
    /// `A^2`. A product with `A^2 mod P` takes a number into Montgomery form.
    pub(crate) a_squared: BoxedUint,
    /// Per channel of A: `|R^2 (A/a_i)^-1|_{a_i}`, the part of
    /// [`PreparedModulus::to_quotient`] that does not depend on P.
    pub(crate) quotient_factor: Vec<u64>,
    /// Per channel of B, and per redundant channel: `g_j = |R A^-1|_{b_j}`. A residue of X there is
    /// stored as `|X g_j|` (`g_j` of `docs/notation.md`).
    pub(crate) storage_factor: Vec<u64>,
    /// Per channel of B: `|R (g_j B/b_j)^-1|_{b_j}`. A stored residue times this constant is
    /// `rh_j`.
    pub(crate) to_rh: Vec<u64>,
    /// The extension from A to B and to the redundant channels, a row of `n_a` weights for each:
    /// `|R A/a_i|_{b_j}`.
    pub(crate) a_to_b: Matrix,
    /// The extension from B to A, `n_a` rows of `n_b + 1` weights: `|R B/b_j|_{a_i}`, and
    /// `|-R B|_{a_i}` for the Cox quotient h.
    pub(crate) b_to_a: Matrix,
    /// The conversion from digits to stored residues, a row for each channel with a weight per
    /// digit: `|R 2^(wk)|_{a_i}` and `|R g_j 2^(wk)|_{b_j}`.
    pub(crate) from_digits: Matrix,
    /// The conversion from `rh_j` and h to digits, a row per digit with `n_b + 1` weights: the
    /// digits of `B/b_j`, and those of `-B` modulo `2^(w rows)`.
    pub(crate) to_digits: Matrix,
    /// The references that redundant channels are compared with.
    pub(crate) checks: Checks,
    /// Upper bounds of every intermediate value.
    pub(crate) bounds: Bounds,
    /// The largest product of the weights of a product's operands ([`Limits::operands`]):
    /// `A / 2^bits`, at least `4 c^2`.
    pub(crate) operands: u64,
    /// The seal of everything that numbers are computed with.
    seal: Seal,
}

content!(Plan {
    bits, w, channels, arithmetic, a_squared, quotient_factor, storage_factor, to_rh, a_to_b, b_to_a, from_digits,
    to_digits, checks, bounds, operands,
} with { a: add_base, b: add_base } without { redundant, seal });

/// Adds the words of a base to a checksum.
pub(crate) fn add_base(base: &Base, sum: &mut Checksum) {
    sum.words(base.moduli().iter().map(|m| m.value() as u64));
    base.cofactor_inverses().add_to(sum);
    base.product().add_to(sum);
}

/// The arithmetic of a lane: how wide factors and sums of products may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneFormat {
    /// `rho`, in bits: reductions divide by `R = 2^rho`, and factors must be below R.
    radix_bits: u32,
    /// The width of a sum in bits: sums of products must be below `2^sum_bits`.
    sum_bits: u32,
    /// The widest channel worth trying in bits, at most `radix_bits - 2`.
    widest_channel: u32,
    /// How far beyond `2^w` stored residues reach, if every operation brings its results so near; if not, a reduction is
    /// all that follows a product.
    slack: Option<u64>,
}

impl LaneFormat {
    /// Residues of 32 bits, and sums in one 64-bit lane.
    pub(crate) const WORD: Self = Self {
        radix_bits: 32,
        sum_bits: 64,
        widest_channel: 30,
        slack: None,
    };
    /// Residues of 52 bits, and sums in two 64-bit lanes (`vpmadd52`). The multiplications read the
    /// low 52 bits of a lane, so that sums must be below `2^104`.
    #[cfg(any(test, target_arch = "x86_64"))]
    pub(crate) const IFMA: Self = Self {
        radix_bits: 52,
        sum_bits: 104,
        widest_channel: 50,
        slack: None,
    };
    /// The width of channels of [`TIGHT`](Self::TIGHT), in bits.
    #[cfg(any(test, target_arch = "x86_64"))]
    pub(crate) const TIGHT_WIDTH: u32 = 50;
    /// The same, with all channels as wide as they can be: every operation ends with a step that leaves a residue of at most
    /// `2^w + 2^26`, whatever the lane's 64 bits were (`docs/engine/octet.md`).
    #[cfg(any(test, target_arch = "x86_64"))]
    pub(crate) const TIGHT: Self = Self {
        widest_channel: Self::TIGHT_WIDTH,
        slack: Some(1 << 26),
        ..Self::IFMA
    };

    /// `|R|_m`.
    fn radix(self, m: &Modulus) -> u128 {
        m.reduce(1 << self.radix_bits)
    }
}

/// The parameters of plans besides a size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanFormat {
    pub(crate) lanes: LaneFormat,
    /// The number of redundant channels.
    pub(crate) redundancy: usize,
}

/// Inclusive upper bounds of the values in a lane. They are proved from the channels' moduli when
/// the plan is made. Builds with debug assertions check them in every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// A stored residue in base A.
    pub(crate) x_a: u64,
    /// A stored residue in base B.
    pub(crate) x_b: u64,
    /// The quotient digit `qh_i`.
    pub(crate) qh: u64,
    /// The extended quotient in base B, `t_j`.
    pub(crate) t: u64,
    /// The digit `rh_j` of a result, from which the second extension is computed.
    pub(crate) rh: u64,
    /// The Cox quotient `h`.
    pub(crate) h: u64,
    /// The overshoot: a product is above `-P` and below `c P`.
    pub(crate) c: u64,
}

content!(Bounds {
    x_a,
    x_b,
    qh,
    t,
    rh,
    h,
    c
});

impl Plan {
    /// The plan for moduli of at most `bits` bits. Its channels are the widest that the lanes allow. Plans of
    /// random splits have the same bounds and limits: those of the worst split.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] with the condition that fails for the narrowest channels tried.
    pub(crate) fn new(bits: u32, format: PlanFormat, split: Split) -> Result<Self, EngineError> {
        let widest = format.lanes.widest_channel;
        let mut condition = String::new();
        for w in (widest - WIDTHS_TRIED..=widest).rev() {
            match choose_bases(bits, w, format, split) {
                Ok(bases) => return Ok(Self::with_bases(bits, w, format.lanes, bases)),
                Err(reason) => condition = reason,
            }
        }
        Err(EngineError::NoPlan { bits, condition })
    }

    fn with_bases(bits: u32, w: u32, format: LaneFormat, bases: Bases) -> Self {
        let Bases {
            a,
            b,
            redundant,
            bounds,
            operands,
        } = bases;
        let mut quotient_factor = Vec::with_capacity(a.len());
        let mut b_to_a_rows = Vec::with_capacity(a.len());
        let mut from_digits_rows = Vec::with_capacity(a.len() + b.len() + redundant.len());
        let digit_columns = bits.div_ceil(w);

        for (a_i, &cofactor_inverse) in a.moduli().iter().zip(a.cofactor_inverses()) {
            let r = format.radix(a_i);
            quotient_factor.push(a_i.mul(a_i.mul(r, r), cofactor_inverse) as u64);
            let mut row = scaled(a_i, &b.cofactors_mod(a_i), r);
            row.push(a_i.neg(a_i.mul(b.product_mod(a_i), r)) as u64);
            b_to_a_rows.push(row);
            from_digits_rows.push(powers(a_i, r, w, digit_columns));
        }

        let mut storage_factor = Vec::with_capacity(b.len() + redundant.len());
        let mut a_to_b_rows = Vec::with_capacity(b.len() + redundant.len());
        for b_j in b.moduli().iter().chain(&redundant) {
            let r = format.radix(b_j);
            let g = b_j.mul(r, invert_prime(b_j, a.product_mod(b_j)));
            storage_factor.push(g as u64);
            a_to_b_rows.push(scaled(b_j, &a.cofactors_mod(b_j), r));
            from_digits_rows.push(powers(b_j, b_j.mul(r, g), w, digit_columns));
        }
        // R g^-1 = A.
        let to_rh = (b.moduli().iter().zip(b.cofactor_inverses()))
            .map(|(b_j, &inverse)| b_j.mul(a.product_mod(b_j), inverse) as u64);

        let digit_rows = digits_of_a_result(bits, w, bounds.c);
        let mut columns: Vec<Vec<u64>> = (0..b.len())
            .map(|j| digits::split(b.cofactor(j).as_words(), w, digit_rows))
            .collect();
        columns.push(digits::negate(
            &digits::split(b.product().as_words(), w, digit_rows),
            w,
        ));

        let channel = |modulus| Channel::new(modulus, format.radix_bits);
        let arithmetic = |modulus| ChannelArithmetic::new(modulus, format.radix_bits);
        let all = || a.moduli().iter().chain(b.moduli()).chain(&redundant);
        let mut plan = Self {
            bits,
            w,
            channels: all().map(channel).collect(),
            arithmetic: all().map(arithmetic).collect(),
            checks: Checks::new([&a, &b], &redundant, format, w, digit_rows),
            a_squared: a.product().concatenating_mul(a.product()),
            quotient_factor,
            storage_factor,
            to_rh: to_rh.collect(),
            a_to_b: Matrix::from_rows(&a_to_b_rows),
            b_to_a: Matrix::from_rows(&b_to_a_rows),
            from_digits: Matrix::from_rows(&from_digits_rows),
            to_digits: Matrix::from_columns(&columns),
            operands,
            a,
            b,
            redundant,
            bounds,
            seal: Seal::default(),
        };
        plan.seal = Seal::of(&plan);
        plan
    }

    /// A summary of the numbers' representation.
    pub(crate) fn summary(&self) -> PlanSummary {
        let channels = [self.a.len(), self.b.len()];
        residue_summary(
            self.bits,
            self.w,
            channels,
            self.redundant.len(),
            self.bounds.c,
        )
    }

    /// Whether the plan is unchanged since it was made.
    pub(crate) fn is_whole(&self) -> bool {
        self.seal.holds(self)
    }

    /// The limits on magnitudes in programs. If the product of the operands' weights is at most `A / 2^bits`,
    /// then `|x y| < A P`, and the product is above `-P` and below `c P` (`docs/engine/residues.md`).
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            product: Magnitude::interval(-1, self.bounds.c.cast_signed()),
            operands: self.operands,
            signed: true,
            folded: None,
        }
    }

    /// The memory of the plan in bytes: of its matrices, which grow with the square of the size. All other
    /// parts grow with the size.
    pub(crate) fn bytes(&self) -> usize {
        [
            &self.a_to_b,
            &self.b_to_a,
            &self.from_digits,
            &self.to_digits,
        ]
        .map(|matrix| size_of_val(matrix.weights()))
        .iter()
        .sum()
    }

    /// The channels of A.
    pub(crate) fn channels_a(&self) -> &[Channel] {
        &self.channels[..self.a.len()]
    }

    /// The channels of B.
    pub(crate) fn channels_b(&self) -> &[Channel] {
        &self.channels_beyond_a()[..self.b.len()]
    }

    /// The redundant channels.
    pub(crate) fn channels_redundant(&self) -> &[Channel] {
        &self.channels_beyond_a()[self.b.len()..]
    }

    /// The channels of B and the redundant ones, in which a product is computed first.
    pub(crate) fn channels_beyond_a(&self) -> &[Channel] {
        &self.channels[self.a.len()..]
    }

    /// Number of digits of `w` bits in an integer below `2^bits`.
    pub(crate) fn digits_in(&self) -> usize {
        self.from_digits.columns()
    }

    /// Digit k, of `w` bits, of an integer below `2^bits`.
    pub(crate) fn digit_in(&self, words: &[Word], k: usize) -> u64 {
        debug_assert!(words.len() <= self.bits.div_ceil(Word::BITS) as usize);
        bits_at(words, k * self.w as usize, self.w)
    }

    /// The stored residues of an integer below `2^bits`, canonical, the channels of A first.
    /// Constant time.
    pub(crate) fn residues(&self, words: &[Word]) -> Zeroizing<Vec<u64>> {
        let digits: Zeroizing<Vec<u64>> = Zeroizing::new(
            (0..self.digits_in())
                .map(|k| self.digit_in(words, k))
                .collect(),
        );
        let rows = self.from_digits.weights().chunks_exact(digits.len());
        let residues = self.arithmetic.iter().zip(rows).map(|(channel, weights)| {
            let products = weights.iter().zip(&*digits);
            // A sum of at most n_a terms below 2^(2 w), and so below n_a qh 2^w, the bound of
            // the sums of the first extension.
            let sum = products.map(|(&weight, &digit)| u128::from(weight) * u128::from(digit));
            channel.reduce_sum(sum.sum())
        });
        Zeroizing::new(residues.collect())
    }
}

/// The summary of a plan with bases of `a` and of `b` channels of `w` bits and `redundant` redundant channels. A modular
/// product takes one multiplication for each weight of the two extensions, nine for each channel, and for each
/// redundant one a row of weights from either base and 17 more (`docs/engine/residues.md`).
pub(crate) fn residue_summary(
    bits: u32,
    w: u32,
    [a, b]: [usize; 2],
    redundant: usize,
    overshoot: u64,
) -> PlanSummary {
    PlanSummary {
        bits,
        word_bits: w,
        parts: vec![a, b],
        text: format!(
            "{a} + {b} primes of {w} bits, the widest for which every intermediate value fits"
        ),
        overshoot,
        multiplications: 2 * a * b + 9 * (a + b) + redundant * (a + b + 1 + 17),
    }
}

/// Checks and faults, for tests and builds with debug assertions.
#[cfg(any(test, feature = "testing", debug_assertions))]
impl Plan {
    /// Whether the number with these stored residues is within a magnitude of P. Its residues in
    /// base A give it as a fraction of A, with an error below `2^-35`.
    pub(crate) fn is_within(&self, residues: &[u64], p: &[Word], magnitude: &Magnitude) -> bool {
        let inverses = self.a.cofactor_inverses();
        let sum: f64 = (self.arithmetic.iter().zip(residues).zip(inverses))
            .map(|((channel, &x), &inverse)| {
                channel.multiply_plain(x, inverse as u64) as f64 / channel.m as f64
            })
            .sum();
        let log2_a: f64 = self
            .a
            .moduli()
            .iter()
            .map(|m| (m.value() as f64).log2())
            .sum();
        is_fraction_within(sum, log2_a, self.bits, p, magnitude)
    }

    /// Flips one bit of a weight of one of the matrices: a fault, for tests.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn flip_weight(&mut self, place: u64) {
        let mut matrices = vec![
            &mut self.a_to_b,
            &mut self.b_to_a,
            &mut self.from_digits,
            &mut self.to_digits,
        ];
        if !self.redundant.is_empty() {
            matrices.extend([&mut self.checks.b, &mut self.checks.digits]);
        }
        let count = matrices.len() as u64;
        let rest = place / count;
        let bit = rest as u32 % (self.w - 1);
        for (index, matrix) in matrices.into_iter().enumerate() {
            if index as u64 == place % count {
                matrix.flip((rest / u64::from(self.w - 1)) as usize, bit);
            }
        }
    }
}

/// Whether a number X is within a magnitude of P, where `X / A` differs from `sum` by a whole number. A
/// magnitude that reaches `0.49 A` always passes, because residues do not tell numbers above `A / 2` from
/// negative ones.
#[cfg(any(test, feature = "testing", debug_assertions))]
pub(crate) fn is_fraction_within(
    sum: f64,
    log2_a: f64,
    bits: u32,
    p: &[Word],
    magnitude: &Magnitude,
) -> bool {
    const ERROR: f64 = 1.5e-11;
    let top = p.len().saturating_sub(2) * Word::BITS as usize;
    let leading = bits_at(p, top + 96, 32) as f64 * 96f64.exp2()
        + bits_at(p, top + 64, 32) as f64 * 64f64.exp2()
        + bits_at(p, top + 32, 32) as f64 * 32f64.exp2()
        + bits_at(p, top, 32) as f64;
    let p_of_a = (leading.log2() + top as f64 - log2_a).exp2();
    let pieces = magnitude.pieces as f64 * (f64::from(bits) - log2_a).exp2();
    let low = magnitude.low as f64 * p_of_a - pieces;
    let high = magnitude.high as f64 * p_of_a + pieces;
    let fraction = sum - sum.round();
    low.abs().max(high) >= 0.49 || (fraction >= low - ERROR && fraction <= high + ERROR)
}

/// A lower bound of `A / 2^bits`, but at most `2^50`, which exceeds the needs of any program.
fn largest_operands(bits: u32, a: &[u128]) -> u64 {
    const MOST: f64 = (1u64 << 50) as f64;
    let log2: f64 = a.iter().map(|&m| (m as f64).log2()).sum();
    (log2 - ROUNDING - f64::from(bits)).exp2().min(MOST) as u64
}

/// The number of digits of w bits that hold every result in `(-P, c P)`, with its sign.
fn digits_of_a_result(bits: u32, w: u32, c: u64) -> usize {
    let overshoot_bits = u64::BITS - c.leading_zeros();
    (bits + overshoot_bits + 1).div_ceil(w) as usize
}

/// `|weight factor|_m` for each weight.
fn scaled(m: &Modulus, weights: &[u128], factor: u128) -> Vec<u64> {
    weights
        .iter()
        .map(|&weight| m.mul(weight, factor) as u64)
        .collect()
}

/// `|factor 2^(wk)|_m` for `k = 0, ..., count - 1`.
fn powers(m: &Modulus, factor: u128, w: u32, count: u32) -> Vec<u64> {
    let step = m.reduce(1 << w);
    let mut power = factor;
    (0..count)
        .map(|_| {
            let weight = power as u64;
            power = m.mul(power, step);
            weight
        })
        .collect()
}

/// `|x^-1|_m` by Fermat's theorem. Requires a prime `m` that does not divide `x`. The exponent,
/// `m - 2`, is public.
fn invert_prime(m: &Modulus, x: u128) -> u128 {
    m.pow_vartime(x, m.value() - 2)
}

/// Two bases, and the moduli of redundant channels, with their bounds.
struct Bases {
    a: Base,
    b: Base,
    redundant: Vec<Modulus>,
    bounds: Bounds,
    /// The value of [`Plan::operands`].
    operands: u64,
}

/// The shortest bases of `w`-bit primes for which all bounds hold, with these bounds. The bounds for a random
/// split hold for every split: for bases of the smallest primes of the pool, which have the smallest
/// products, the largest overshoot and the largest Cox error.
///
/// # Errors
/// The condition that fails.
fn choose_bases(bits: u32, w: u32, format: PlanFormat, split: Split) -> Result<Bases, String> {
    let r = format.redundancy;
    let mut n_a = (bits.div_ceil(w) as usize).max(2);
    let mut n_b = n_a;
    let mut primes = primes::descending_vartime(w);
    let mut values: Vec<u128> = Vec::new();
    loop {
        // The width of the lanes is checked first, as it takes no search for primes.
        let bounds = Bounds::new(w, format.lanes, n_a, n_b)?;
        let count = r + if split.is_random() {
            split::pool(n_a + n_b)
        } else {
            n_a + n_b
        };
        values.extend(primes.by_ref().take(count.saturating_sub(values.len())));
        if values.len() < count {
            return Err(format!(
                "{count} primes of {w} bits are needed, {} exist",
                values.len()
            ));
        }
        let (redundant, pool) = values[..count].split_at(r);
        let (a, b) = if split.is_random() {
            (&pool[pool.len() - n_a..], &pool[pool.len() - n_b..])
        } else {
            pool.split_at(n_a)
        };
        let bounds = bounds.with_overshoot(a);
        if let Some(slack) = format.lanes.slack {
            check_distance(w, slack, &values[..count])?;
        }
        let (a_suffices, b_suffices) = bounds.ranges_suffice(bits, a, b, r > 0);
        if a_suffices && b_suffices {
            bounds.check_cox_error(bits, w, b)?;
            if r > 0 {
                bounds.check_redundancy(bits, w, b, pool)?;
                redundancy::check_digits(bits, w, bounds.c, format.lanes)?;
            }
            let operands = largest_operands(bits, a);
            let (a, b) = if split.is_random() {
                split::random_bases(pool, n_a, n_b)?
            } else {
                let base = |values: &[u128]| Base::new_odd(values).map_err(|e| e.to_string());
                (base(a)?, base(b)?)
            };
            let modulus = |&value| Modulus::new(value).map_err(|error| error.to_string());
            return Ok(Bases {
                a,
                b,
                redundant: redundant.iter().map(modulus).collect::<Result<_, _>>()?,
                bounds,
                operands,
            });
        }
        n_a += usize::from(!a_suffices);
        n_b += usize::from(!b_suffices);
    }
}

/// Checks that the step that brings a lane of 64 bits near a modulus leaves at most `2^w + slack`: the bits above the
/// lowest w, times the distance of the modulus from `2^w`, are at most the slack.
///
/// # Errors
/// The condition, if it does not hold.
fn check_distance(w: u32, slack: u64, values: &[u128]) -> Result<(), String> {
    let least = values.iter().copied().min().unwrap_or(1);
    let distance = (1u128 << w) - least;
    if distance << (u64::BITS - w) <= slack.into() {
        Ok(())
    } else {
        Err(format!(
            "a modulus is {distance} below 2^{w}, and must be at most {} below",
            slack >> (u64::BITS - w)
        ))
    }
}

impl Bounds {
    /// The bounds for bases of `n_a` and `n_b` moduli of `w` bits.
    ///
    /// As `redc(T) <= T / R + m` and every modulus is below `2^w`,
    /// ```text
    /// x_a = max(((n_b rh + h) 2^w) / R + 2^w, 4 2^w)      qh = (u 2^w) / R + 2^w
    /// u   = x_a^2 / R + 2^w                               t  = (n_a qh 2^w) / R + 2^w
    /// x_b = max((x_b^2 + t 2^w) / R + 2^w, 4 2^w)         rh = (x_b 2^w) / R + 2^w
    /// ```
    /// The circle `x_a -> qh -> t -> x_b -> rh -> x_a` is iterated from the least values
    /// until it reaches a fixed point. Every factor must stay below R, and every sum below
    /// `2^sum_bits`. The overshoot c is that of moduli of `2^(w - 1)`.
    ///
    /// # Errors
    /// The bound that does not hold.
    fn new(w: u32, format: LaneFormat, n_a: usize, n_b: usize) -> Result<Self, String> {
        let LaneFormat {
            radix_bits,
            sum_bits,
            slack,
            ..
        } = format;
        if let Some(slack) = slack {
            return Ok(Self::tight(w, radix_bits, slack, n_a, n_b));
        }
        let m = 1u128 << w;
        let (n_a, n_b) = (n_a as u128, n_b as u128);
        let redc = |t: u128| (t >> radix_bits) + m;
        // sum_j rh_j / 2^w + 1/2 with every rh_j at its bound.
        let cox = |rh: u128| (n_b * rh + (m >> 1)) >> w;

        let (mut x_a, mut x_b) = (4 * m, 4 * m);
        loop {
            let u = redc(x_a * x_a);
            let qh = redc(u * m);
            let t = redc(n_a * qh * m);
            let next_x_b = redc(x_b * x_b + t * m).max(4 * m);
            let rh = redc(next_x_b * m);
            let h = cox(rh);
            let next_x_a = redc((n_b * rh + h) * m).max(4 * m);

            let factors = [
                ("x_a", next_x_a),
                ("x_b", next_x_b),
                ("u", u),
                ("qh", qh),
                ("t", t),
                ("h", h),
            ];
            if let Some((name, value)) = factors.iter().find(|(_, value)| value >> radix_bits != 0)
            {
                return Err(format!(
                    "with {w}-bit moduli {name} reaches {value}, and must be below 2^{radix_bits}"
                ));
            }
            let sums = [
                ("x_b^2 + t b", next_x_b * next_x_b + t * m),
                ("sum qh A/a", n_a * qh * m),
                // The carry from the previous digit is below 2^(sum_bits - w).
                (
                    "sum rh B/b - h B",
                    (n_b * rh + h) * m + (1 << (sum_bits - w)),
                ),
            ];
            if let Some((name, value)) = sums.iter().find(|(_, value)| value >> sum_bits != 0) {
                return Err(format!(
                    "with {w}-bit moduli {name} reaches {value}, and must be below 2^{sum_bits}"
                ));
            }
            if (next_x_a, next_x_b) == (x_a, x_b) {
                let narrow = |value: u128| value as u64;
                return Ok(Self {
                    x_a: narrow(x_a),
                    x_b: narrow(x_b),
                    qh: narrow(qh),
                    t: narrow(t),
                    rh: narrow(rh),
                    h: narrow(h),
                    c: narrow(overshoot(n_a, qh, m >> 1)),
                });
            }
            (x_a, x_b) = (next_x_a, next_x_b);
        }
    }

    /// The bounds where every stored residue is at most `x = 2^w + slack`: `qh` and `rh` are `redc` of one times a
    /// constant, at most `x 2^w / R + 2^w`. The first extension is added to products before these are reduced, so that t
    /// is never there.
    fn tight(w: u32, radix_bits: u32, slack: u64, n_a: usize, n_b: usize) -> Self {
        let m = 1u128 << w;
        let x = m + u128::from(slack);
        let digit = ((x * m) >> radix_bits) + m;
        let h = (n_b as u128 * digit + (m >> 1)) >> w;
        Self {
            x_a: x as u64,
            x_b: x as u64,
            qh: digit as u64,
            t: 0,
            rh: digit as u64,
            h: h as u64,
            c: overshoot(n_a as u128, digit, m >> 1) as u64,
        }
    }

    /// The same bounds with the overshoot c for these moduli of A.
    fn with_overshoot(self, a: &[u128]) -> Self {
        let least = a.iter().copied().min().unwrap_or(1);
        Self {
            c: overshoot(a.len() as u128, self.qh.into(), least) as u64,
            ..self
        }
    }

    /// Whether A, and whether B, is large enough for moduli below `2^bits`: `A >= 4 c^2 2^bits`, so
    /// that operands up to `2 c P` give a product below `c P`, and `B >= 2 c 2^bits`, so that a
    /// product is below `B / 2`, where the second extension is exact. With redundancy
    /// `B >= 4 c 2^bits`, so that a product stays clear of `B / 2`.
    fn ranges_suffice(&self, bits: u32, a: &[u128], b: &[u128], checked: bool) -> (bool, bool) {
        let log2 = |moduli: &[u128]| moduli.iter().map(|&m| (m as f64).log2()).sum::<f64>();
        let (bits, log2_c) = (f64::from(bits) + ROUNDING, (self.c as f64).log2());
        (
            log2(a) >= bits + 2.0 * log2_c + 2.0,
            log2(b) >= bits + log2_c + 1.0 + f64::from(u8::from(checked)),
        )
    }

    /// The largest Cox error `E = sum rh_j (1/b_j - 1/2^w)`, and `2^bits / B`.
    fn cox_error(&self, bits: u32, w: u32, b: &[u128]) -> (f64, f64) {
        let scale = f64::from(w).exp2();
        let term = |b_j: f64| self.rh as f64 * (1.0 / b_j - 1.0 / scale);
        let error: f64 = b.iter().map(|&b_j| term(b_j as f64)).sum();
        let log2_b: f64 = b.iter().map(|&b_j| (b_j as f64).log2()).sum();
        (error, (f64::from(bits) - log2_b).exp2())
    }

    /// Checks that a wrong residue of one channel is seen in every redundant channel. Its difference there is
    /// `z B/m` for the channel's modulus m and an integer z other than 0, with
    /// ```text
    /// |z| <= m (1/2 + max(E + 2^bits/B, c 2^bits/B)) + qh 2^bits/B
    /// ```
    /// (`docs/engine/residues.md`). It must be below every modulus: then no redundant one divides it.
    ///
    /// # Errors
    /// The condition, if it does not hold.
    fn check_redundancy(&self, bits: u32, w: u32, b: &[u128], pool: &[u128]) -> Result<(), String> {
        let (error, negative) = self.cox_error(bits, w, b);
        let reach = 0.5 + (error + negative).max(self.c as f64 * negative) + ROUNDING;
        let [largest, least] = [pool.iter().max(), pool.iter().min()];
        let [largest, least] = [largest, least].map(|m| m.copied().unwrap_or(0) as f64);
        let z = reach * largest + self.qh as f64 * negative;
        if z < least {
            Ok(())
        } else {
            Err(format!(
                "with {w}-bit moduli a wrong residue leaves {z:.0} B/m, and it must be below {least} \
                 to be seen in every redundant channel"
            ))
        }
    }

    /// Checks that the Cox error `sum rh_j (1/b_j - 1/2^w)` and the largest `-r/B` add up to at
    /// most 1/2, the offset of the Cox quotient. A product r is above `-2^bits`.
    ///
    /// # Errors
    /// The condition, if it does not hold.
    fn check_cox_error(&self, bits: u32, w: u32, b: &[u128]) -> Result<(), String> {
        let (error, negative) = self.cox_error(bits, w, b);
        if error + negative + ROUNDING <= 0.5 {
            Ok(())
        } else {
            Err(format!(
                "with {w}-bit moduli the Cox error is {error:.3}, and must be at most {:.3}",
                0.5 - negative
            ))
        }
    }
}

/// The overshoot c for `n_a` moduli of at least `least`: `ceil(n_a qh / least) + 1`. The extended
/// quotient is `q' = sum qh_i A/a_i <= (c - 1) A`, so that it adds at most `(c - 1) P` to a
/// product.
fn overshoot(n_a: u128, qh: u128, least: u128) -> u128 {
    (n_a * qh).div_ceil(least) + 1
}

/// An upper bound of the rounding errors in sums of at most 2^11 numbers below 2^15, each with a
/// relative error of a few times 2^-53.
const ROUNDING: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn big(x: &BoxedUint) -> BigUint {
        BigUint::from_bytes_le(&x.to_le_bytes())
    }

    fn format(lanes: LaneFormat, redundancy: usize) -> PlanFormat {
        PlanFormat { lanes, redundancy }
    }

    /// The conditions on A and B of `docs/engine/residues.md`, in integers instead of logarithms.
    #[test]
    fn the_ranges_hold_for_every_size() {
        let sizes = (64..=2048).step_by(64).chain([3072, 4096, 8192, 16_384]);
        let random = Split::Random { of: 2 };
        let all = sizes.flat_map(|bits| {
            let formats = [LaneFormat::WORD, LaneFormat::IFMA].into_iter();
            let formats = formats.flat_map(|lanes| [0, 1, 2, 4].map(|r| format(lanes, r)));
            formats.flat_map(move |format| [(bits, format, Split::Fixed), (bits, format, random)])
        });
        for (bits, format, split) in all {
            let plan = Plan::new(bits, format, split).unwrap();
            assert_eq!(plan.redundant.len(), format.redundancy);
            let c = BigUint::from(plan.bounds.c);
            let largest = BigUint::from(1u32) << bits;
            assert!(big(plan.a.product()) >= 4u32 * &c * &c * &largest, "{bits}");
            let room = if format.redundancy > 0 { 4u32 } else { 2 };
            assert!(big(plan.b.product()) >= room * &c * &largest, "{bits}");
            let values: Vec<u64> = plan.channels.iter().map(|channel| channel.m).collect();
            let own = &values[..plan.a.len() + plan.b.len()];
            assert!(
                plan.redundant
                    .iter()
                    .all(|m| own.iter().all(|&own| m.value() > own.into()))
            );
            let operands = BigUint::from(plan.operands);
            assert!(operands >= 4u32 * &c * &c, "{bits}");
            assert!(big(plan.a.product()) >= operands * &largest, "{bits}");
            for (row, weights) in [
                (&plan.a_to_b, plan.a.len()),
                (&plan.b_to_a, plan.b.len() + 1),
            ] {
                assert_eq!(row.columns(), weights);
            }
        }
    }

    /// All random splits of a size have the same limits, so that one program serves them all, and
    /// no two have the same base A.
    #[test]
    fn random_splits_differ_in_their_bases_only() {
        let split = Split::Random { of: 8 };
        for lanes in [LaneFormat::WORD, LaneFormat::IFMA] {
            let plans: Vec<Plan> = (0..8)
                .map(|_| Plan::new(512, format(lanes, 2), split).unwrap())
                .collect();
            for (k, plan) in plans.iter().enumerate() {
                assert_eq!(plan.limits(), plans[0].limits());
                assert_eq!(plan.bounds, plans[0].bounds);
                let others = plans[..k].iter();
                assert!(others.into_iter().all(|other| other.a != plan.a));
            }
        }
    }

    #[test]
    fn moduli_too_wide_for_the_accumulators_are_refused() {
        let reason = Bounds::new(31, LaneFormat::WORD, 40, 40).unwrap_err();
        assert!(reason.contains("must be below 2^32"), "{reason}");
    }
}
