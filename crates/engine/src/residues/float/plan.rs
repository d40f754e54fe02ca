//! Plans of residues in float64: bases, matrices, bounds, and the constants of moduli.
//!
//! A channel's modulus m has at most 25 bits, and residues are centred: at most `m/2 + m 2^-23` in
//! absolute value. A product of two is exact in 53 bits, and so is a whole sum of an extension:
//! each sum is bounded by the actual weights of its row.

use std::sync::{Arc, OnceLock};

use crypto_bigint::{BoxedUint, ConcatenatingMul, Odd, Word};
use sunzi_rns::{Base, Modulus, primes};
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing", debug_assertions))]
use crate::residues::plan::is_fraction_within;
use crate::{
    EngineError,
    choices::Split,
    instructions::DefaultRounding,
    integers::{canonical, digits, each_times_power, remainder},
    kept::kept,
    program::{Limits, Magnitude, recode::bits_at},
    residues::{
        coprime::is_coprime,
        float::{
            channel::Channel,
            matrix::FloatMatrix,
            spread::plan::{Parts, SpreadPlan},
        },
        plan::{SizePlan, add_base},
        split,
    },
};
use sunzi_program::{
    content,
    seal::{Checksum, Content, Seal},
};

/// The width of the digits in which integers enter and leave.
pub(super) const DIGIT_BITS: u32 = 18;

/// The largest modulus of a channel, `2^25 - 64`: centred residues, at their bound, and weights are below
/// `2^24`, and so are exact in float32, too.
const LARGEST_MODULUS: f64 = 33_554_368.0;

/// The largest absolute value of a sum that is reduced, less than `2^53` by a modulus.
const LARGEST_SUM: f64 = 9_007_199_254_740_992.0 - LARGEST_MODULUS;

/// The Cox quotient k is split into `k_1 2^15 + k_0`.
pub(super) const COX_SPLIT: f64 = 32_768.0;

/// A bound of rounding errors: errors of sums of logarithms are far below it.
const ROUNDING: f64 = 1e-6;

/// The centred residue as a float.
fn centred(m: &Modulus, residue: u128) -> f64 {
    let (m, residue) = (m.value() as f64, residue as f64);
    if residue > m / 2.0 {
        residue - m
    } else {
        residue
    }
}

/// Everything precomputed for moduli of at most `bits` bits.
///
/// Numbers X are stored as `|X|` in the channels of A, and as `|X A^-1|` in those of B: then the
/// second operand of a sum `X Y A^-2 + q' P A^-2`, which is the stored product, needs no further
/// factor.
#[derive(Clone)]
pub(crate) struct FloatPlan {
    #[cfg(any(test, feature = "testing", debug_assertions))]
    bits: u32,
    pub(super) a: Base,
    pub(super) b: Base,
    /// The channels of A, then those of B.
    pub(super) channels: Vec<Channel>,
    /// The extension from A to B: `|A/a_i|_{b_j}`, a row for each j.
    pub(super) a_to_b: FloatMatrix,
    /// The extension from B to A: `|delta_j B/b_j|_{a_i}`, `|-B|_{a_i}`, `|-2^15 B|_{a_i}`, a row
    /// for each i, with the digits' factors `delta_j` below.
    pub(super) b_to_a: FloatMatrix,
    /// `delta_j`: a stored residue in B times this is the digit of `B/b_j`,
    /// `delta_j = |A (B/b_j)^-1|_{b_j}`.
    pub(super) to_digit: Vec<f64>,
    /// `delta_j / b_j`, rounded: stored residues times these add up to the Cox quotient and a
    /// fraction `X / B`.
    pub(super) cox: Vec<f64>,
    /// From digits of [`DIGIT_BITS`] to stored residues: a row for each channel.
    pub(super) from_digits: FloatMatrix,
    /// From digits of `B/b_j` and the Cox quotient to digits of [`DIGIT_BITS`], a row for each: the
    /// digits of `B/b_j`, and those of B, negated.
    pub(super) to_digits: FloatMatrix,
    /// Per channel of A: `|-(A/a_i)^-1|`.
    quotient_factor: Vec<f64>,
    /// Per channel of B: `|A^-1|`.
    storage_factor: Vec<f64>,
    /// A^2.
    a_squared: BoxedUint,
    limits: Limits,
    spread: OnceLock<SpreadPlan>,
    /// The seal of everything that numbers in lanes are computed with.
    seal: Seal,
}

impl Content for FloatPlan {
    fn add_to(&self, sum: &mut Checksum) {
        let Self {
            #[cfg(any(test, feature = "testing", debug_assertions))]
                bits: _,
            a,
            b,
            channels,
            a_to_b,
            b_to_a,
            to_digit,
            cox,
            from_digits,
            to_digits,
            quotient_factor,
            storage_factor,
            a_squared,
            limits: _,
            spread: _,
            seal: _,
        } = self;
        for base in [a, b] {
            add_base(base, sum);
        }
        channels.add_to(sum);
        for matrix in [a_to_b, b_to_a, from_digits, to_digits] {
            matrix.add_to(sum);
        }
        for numbers in [to_digit, cox, quotient_factor, storage_factor] {
            numbers.add_to(sum);
        }
        a_squared.add_to(sum);
    }
}

impl SizePlan for FloatPlan {
    type Format = ();

    /// The plan with the fewest channels for which all bounds hold. Plans of random splits have the same
    /// limits.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] with the condition that fails.
    fn new(bits: u32, (): (), split: Split) -> Result<Self, EngineError> {
        let _rounding = DefaultRounding::new();
        let mut condition = String::new();
        // Sums are bounded by the actual weights; their mean is a quarter of the modulus. With less
        // than a half the sums of every split fit, as no weight exceeds half of the modulus.
        let percents = if split.is_random() { 49..=49 } else { 60..=95 };
        for percent in percents.rev().step_by(5) {
            match Self::with_sums_of(bits, f64::from(percent) / 100.0, split) {
                Ok(plan) => return Ok(plan),
                Err(reason) => condition = reason,
            }
        }
        Err(EngineError::NoPlan { bits, condition })
    }

    fn bytes(&self) -> usize {
        let matrices = [
            &self.a_to_b,
            &self.b_to_a,
            &self.from_digits,
            &self.to_digits,
        ];
        // Counted twice: the spread form, once made, has the same weights in rows of eight.
        matrices.map(FloatMatrix::bytes).iter().sum::<usize>() * 2
    }
}

impl FloatPlan {
    /// The plan with moduli of such a size that average weights make sums of this part of `2^53`.
    fn with_sums_of(bits: u32, part: f64, split: Split) -> Result<Self, String> {
        let mut n = (bits / 25 + 1) as usize;
        loop {
            // n m/2 m/4 = part 2^53
            let largest = (part * 8.0 * 53f64.exp2() / n as f64).sqrt();
            let limit = largest.min(LARGEST_MODULUS) as u128;
            let count = if split.is_random() {
                split::pool(2 * n)
            } else {
                2 * n
            };
            let primes: Vec<u128> = primes::below_vartime(limit).take(count).collect();
            if split.is_random() {
                let (largest, smallest) = (&primes[..n], &primes[count - n..]);
                if let Some(limits) = limits(bits, smallest, smallest, largest) {
                    let (a, b) = split::random_bases(&primes, n, n)?;
                    return Self::with_bases(bits, a, b, limits);
                }
                n += 1;
                continue;
            }
            let (even, odd) = (primes.iter().step_by(2), primes.iter().skip(1).step_by(2));
            // A gets the larger modulus of each pair.
            let (a, b): (Vec<u128>, Vec<u128>) = (even.copied().collect(), odd.copied().collect());
            if let Some(limits) = limits(bits, &a, &b, &a) {
                let base = |moduli: &[u128]| Base::new_odd(moduli).map_err(|e| e.to_string());
                return Self::with_bases(bits, base(&a)?, base(&b)?, limits);
            }
            n += 1;
        }
    }

    fn with_bases(bits: u32, a: Base, b: Base, limits: Limits) -> Result<Self, String> {
        let digit_columns = bits.div_ceil(DIGIT_BITS) as usize;
        let powers = |m: &Modulus, factor: u128| -> Vec<f64> {
            let step = m.reduce(1 << DIGIT_BITS);
            let powers = core::iter::successors(Some(factor), |&power| Some(m.mul(power, step)));
            powers
                .take(digit_columns)
                .map(|power| centred(m, power))
                .collect()
        };
        let mut from_digits = Vec::new();
        let mut quotient_factor = Vec::new();
        for (a_i, &inverse) in a.moduli().iter().zip(a.cofactor_inverses()) {
            from_digits.push(powers(a_i, 1));
            quotient_factor.push(centred(a_i, a_i.neg(inverse)));
        }
        let (mut a_to_b, mut storage_factor) = (Vec::new(), Vec::new());
        let (mut to_digit, mut cox) = (Vec::new(), Vec::new());
        for (b_j, &inverse) in b.moduli().iter().zip(b.cofactor_inverses()) {
            let product = a.product_mod(b_j);
            let factor = b_j.pow_vartime(product, b_j.value() - 2);
            storage_factor.push(centred(b_j, factor));
            from_digits.push(powers(b_j, factor));
            let weights = a.cofactors_mod(b_j);
            a_to_b.push(weights.iter().map(|&weight| centred(b_j, weight)).collect());
            let delta = centred(b_j, b_j.mul(product, inverse));
            to_digit.push(delta);
            cox.push(delta / b_j.value() as f64);
        }
        let mut b_to_a = Vec::new();
        for a_i in a.moduli() {
            let cofactors = b.cofactors_mod(a_i);
            // delta_j is the centred integer, so that delta_j B/b_j is one integer in all channels.
            let weights = cofactors.iter().zip(&to_digit).map(|(&cofactor, &delta)| {
                let size = a_i.reduce(delta.abs() as u128);
                let residue = if delta < 0.0 { a_i.neg(size) } else { size };
                centred(a_i, a_i.mul(cofactor, residue))
            });
            let mut row: Vec<f64> = weights.collect();
            let minus_b = a_i.neg(b.product_mod(a_i));
            row.push(centred(a_i, minus_b));
            row.push(centred(
                a_i,
                a_i.mul(minus_b, a_i.reduce(COX_SPLIT as u128)),
            ));
            b_to_a.push(row);
        }
        let overshoot_bits = u64::BITS - limits.product.weight().leading_zeros();
        let digit_rows = (bits + overshoot_bits + 1).div_ceil(DIGIT_BITS) as usize;
        let columns =
            (0..b.len()).map(|j| digits::split(b.cofactor(j).as_words(), DIGIT_BITS, digit_rows));
        let columns: Vec<Vec<u64>> = columns.collect();
        let product = digits::split(b.product().as_words(), DIGIT_BITS, digit_rows);
        let to_digits: Vec<Vec<f64>> = (0..digit_rows)
            .map(|k| {
                let of_cofactors = columns.iter().map(|column| column[k] as f64);
                of_cofactors.chain([-(product[k] as f64)]).collect()
            })
            .collect();
        let channels: Vec<Channel> = (a.moduli().iter().chain(b.moduli()))
            .map(Channel::new)
            .collect();
        let mut plan = Self {
            #[cfg(any(test, feature = "testing", debug_assertions))]
            bits,
            a_to_b: FloatMatrix::from_rows(&a_to_b),
            b_to_a: FloatMatrix::from_rows(&b_to_a),
            from_digits: FloatMatrix::from_rows(&from_digits),
            to_digits: FloatMatrix::from_rows(&to_digits),
            a_squared: a.product().concatenating_mul(a.product()),
            a,
            b,
            channels,
            to_digit,
            cox,
            quotient_factor,
            storage_factor,
            limits,
            spread: OnceLock::new(),
            seal: Seal::default(),
        };
        plan.check_sums()?;
        plan.seal = Seal::of(&plan);
        Ok(plan)
    }

    /// Whether the plan, and its spread form if there is one, are unchanged since they were made.
    fn is_whole(&self) -> bool {
        self.seal.holds(self) && self.spread.get().is_none_or(SpreadPlan::is_whole)
    }

    /// Checks that every sum of a matrix is exact and can be reduced, for values at their bounds.
    ///
    /// # Errors
    /// The sum that is too large.
    fn check_sums(&self) -> Result<(), String> {
        let (in_a, in_b) = self.split_channels();
        let bounds = |channels: &[Channel]| -> Vec<f64> {
            channels.iter().map(|channel| channel.bound()).collect()
        };
        let digits = vec![f64::from(1 << DIGIT_BITS); self.from_digits.columns()];
        // |k| <= sum |x_j delta_j / b_j| + 1, and |k| <= n/2 + 1 for digits of B/b_j.
        let k: f64 = in_b.iter().map(|channel| channel.bound() / 2.0 + 1.0).sum();
        let halves = vec![COX_SPLIT / 2.0 + 1.0, k / COX_SPLIT + 1.0];
        let sums = [
            ("sum u_i A/a_i", &self.a_to_b, bounds(in_a)),
            (
                "sum x_j delta_j B/b_j - k B",
                &self.b_to_a,
                [bounds(in_b), halves].concat(),
            ),
            ("sum d_k 2^(18 k)", &self.from_digits, digits),
            (
                "a digit of the result",
                &self.to_digits,
                [bounds(in_b), vec![in_b.len() as f64]].concat(),
            ),
        ];
        for (name, matrix, bounds) in sums {
            let largest = matrix.largest_sum(&bounds);
            // Carries between the digits of a result are below 2^36.
            if largest > LARGEST_SUM - 36f64.exp2() {
                return Err(format!(
                    "{name} reaches {largest:e}, and must be at most 2^53 less a modulus"
                ));
            }
        }
        Ok(())
    }

    /// The limits of programs.
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// The channels of A, and those of B.
    pub(super) fn split_channels(&self) -> (&[Channel], &[Channel]) {
        self.channels.split_at(self.a.len())
    }

    /// The digits of [`DIGIT_BITS`] of an integer below `2^bits`.
    pub(super) fn digits_in(&self, words: &[Word]) -> Zeroizing<Vec<f64>> {
        let count = self.from_digits.columns();
        let digit = |k| bits_at(words, k * DIGIT_BITS as usize, DIGIT_BITS) as f64;
        Zeroizing::new((0..count).map(digit).collect())
    }

    /// The canonical number from columns of digits whose carries have not been propagated.
    pub(super) fn join(
        &self,
        columns: impl Iterator<Item = f64>,
        p: &[Word],
    ) -> Zeroizing<BoxedUint> {
        let mut carry = 0;
        let digits = columns.map(|column| {
            let sum = column as i64 + carry;
            carry = sum >> DIGIT_BITS;
            sum.cast_unsigned() & ((1 << DIGIT_BITS) - 1)
        });
        let mut words = Zeroizing::new(vec![0; p.len() + 1]);
        digits::join(digits, DIGIT_BITS, &mut words);
        canonical::from_words(words, p, self.limits.product.weight())
    }

    /// The form of this plan for numbers that are spread over the lanes, made when first used.
    pub(super) fn spread(&self) -> &SpreadPlan {
        self.spread.get_or_init(|| self.make_spread())
    }

    /// The form of this plan for numbers that are spread over the lanes.
    pub(super) fn make_spread(&self) -> SpreadPlan {
        let (in_a, in_b) = self.split_channels();
        SpreadPlan::new(&Parts {
            in_a,
            in_b,
            a_to_b: &self.a_to_b,
            b_to_a: &self.b_to_a,
            from_digits: &self.from_digits,
            to_digits: &self.to_digits,
            to_digit: &self.to_digit,
            cox: &self.cox,
        })
    }

    /// The stored residues of an integer below `2^bits`. Constant time.
    fn residues(&self, words: &[Word]) -> Zeroizing<Vec<f64>> {
        let digits = self.digits_in(words);
        let mut residues = Zeroizing::new(vec![0.0; self.channels.len()]);
        self.from_digits.multiply_one(&digits, &mut residues);
        for (residue, channel) in residues.iter_mut().zip(&self.channels) {
            *residue = channel.reduce(*residue);
        }
        residues
    }
}

/// Checks and faults, for tests and builds with debug assertions.
#[cfg(any(test, feature = "testing", debug_assertions))]
impl FloatPlan {
    /// Whether the number with these stored residues is within a magnitude of P. Its residues in base A give
    /// it as a fraction of A.
    pub(super) fn is_within(&self, residues: &[f64], p: &[Word], magnitude: &Magnitude) -> bool {
        let (channels, _) = self.split_channels();
        let digits = channels.iter().zip(residues).zip(&self.quotient_factor);
        let sum: f64 = digits
            .map(|((channel, x), factor)| -channel.reduce(x * factor) / channel.m)
            .sum();
        let log2_a: f64 = channels.iter().map(|channel| channel.m.log2()).sum();
        is_fraction_within(sum, log2_a, self.bits, p, magnitude)
    }

    /// Flips one bit of a weight of one of the matrices: a fault, for tests.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn flip_weight(&mut self, place: u64) {
        let matrix = match place % 4 {
            0 => &mut self.a_to_b,
            1 => &mut self.b_to_a,
            2 => &mut self.from_digits,
            _ => &mut self.to_digits,
        };
        matrix.flip(place / 4);
    }
}

/// The limits for moduli below `2^bits`, if the bases are large enough.
///
/// The quotient's extension is `q' = sum u_i A/a_i` with `|u_i| <= h_i`, so that `|q'| <= s A` with
/// `s = sum h_i / a_i`, about n/2. A product `(x y + q' P) / A` of operands with
/// `|x y| <= W 2^bits P` is therefore at most `(W 2^bits / A + s) P`. With `c = ceil(2 s)` it is at
/// most `c P` if `W 2^bits <= (c - s) A`; programs need `W >= 4 c^2`. The second extension is exact
/// if `c 2^bits / B` and the error of the Cox sum are below 1/2: the error is at most n roundings
/// of sums below `2^33`, and below 1/256.
///
/// s is computed from `of_s`, the moduli of A. For every split of a pool, `a` and `b` are its smallest
/// moduli, and `of_s` its largest ones.
fn limits(bits: u32, a: &[u128], b: &[u128], of_s: &[u128]) -> Option<Limits> {
    let log2 = |moduli: &[u128]| moduli.iter().map(|&m| (m as f64).log2()).sum::<f64>();
    let part = |&m: &u128| {
        let m = m as f64;
        let channel = Channel {
            m,
            inverse: 1.0 / m,
        };
        channel.bound() / m
    };
    let s: f64 = of_s.iter().map(part).sum();
    let c = (2.0 * s).ceil();
    let bits = f64::from(bits) + ROUNDING;
    let operands = (log2(a) - bits).min(40.0).exp2() * (c - s);
    let margin = (bits + c.log2() - log2(b)).exp2();
    let holds = operands >= 4.0 * c * c && margin <= 0.5 - 1.0 / 256.0;
    holds.then(|| Limits {
        product: Magnitude::interval(-(c as i64), c as i64),
        operands: operands.min(40f64.exp2()) as u64,
        signed: true,
        folded: None,
    })
}

/// An odd modulus P with its constants for a plan; wiped on drop.
pub(super) struct FloatModulus {
    pub(super) plan: Arc<FloatPlan>,
    /// P in whole words.
    pub(super) words: Zeroizing<Vec<Word>>,
    /// Per channel of A: `|-P^-1 (A/a_i)^-1|`.
    pub(super) to_quotient: Zeroizing<Vec<f64>>,
    /// Per channel of B: `|P A^-2|`.
    pub(super) scaled_p: Zeroizing<Vec<f64>>,
    /// `A^2 mod P` as stored residues.
    pub(super) a_squared: Zeroizing<Vec<f64>>,
}

content!(FloatModulus {
    words, to_quotient, scaled_p, a_squared,
} without { plan });
kept!(FloatModulus, |kept| { kept.plan.is_whole() });

impl FloatModulus {
    /// Prepares a modulus below `2^bits`. Returns `None` if a prime of base A divides it;
    /// otherwise the time depends on its size only.
    pub(super) fn new(plan: &Arc<FloatPlan>, value: &Odd<BoxedUint>) -> Option<Self> {
        let count = value.bits_precision().div_ceil(Word::BITS) as usize;
        let words = Zeroizing::new(value.as_words()[..count].to_vec());
        let residues = plan.residues(&words);
        let (in_a, in_b) = residues.split_at(plan.a.len());
        if !is_coprime(in_a) {
            return None;
        }
        let (channels_a, channels_b) = plan.split_channels();
        let inverses = invert(channels_a, in_a);
        let to_quotient = (channels_a
            .iter()
            .zip(inverses.iter())
            .zip(&plan.quotient_factor))
        .map(|((channel, inverse), factor)| channel.reduce(inverse * factor));
        let scaled_p = (channels_b.iter().zip(in_b).zip(&plan.storage_factor))
            .map(|((channel, stored), factor)| channel.reduce(stored * factor));
        let remainder = remainder(&plan.a_squared, value.as_nz_ref());
        Some(Self {
            to_quotient: Zeroizing::new(to_quotient.collect()),
            scaled_p: Zeroizing::new(scaled_p.collect()),
            a_squared: plan.residues(remainder.as_words()),
            words,
            plan: Arc::clone(plan),
        })
    }

    /// Each integer times A to the power of its form, modulo P, as stored residues.
    pub(super) fn constants(
        &self,
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> FloatConstants {
        let factor = self.plan.a.product();
        let mut constants = Vec::with_capacity(integers.len());
        each_times_power(integers, forms, factor, &self.words, |words| {
            constants.push(self.plan.residues(words));
        });
        FloatConstants(constants)
    }
}

/// The constants of one modulus that programs use, each as stored residues; wiped on drop.
pub(super) struct FloatConstants(pub(super) Vec<Zeroizing<Vec<f64>>>);

impl Content for FloatConstants {
    fn add_to(&self, sum: &mut Checksum) {
        self.0.add_to(sum);
    }
}

kept!(FloatConstants);

/// `|x^-1|_m` in each channel by Fermat's theorem, `x^(m - 2)`. The time depends on the moduli
/// only.
fn invert(channels: &[Channel], x: &[f64]) -> Zeroizing<Vec<f64>> {
    let mut inverses = Zeroizing::new(vec![1.0; x.len()]);
    let exponents: Vec<u64> = channels
        .iter()
        .map(|channel| channel.m as u64 - 2)
        .collect();
    for bit in (0..25).rev() {
        let channels = channels.iter().zip(&exponents);
        for ((inverse, x), (channel, exponent)) in inverses.iter_mut().zip(x).zip(channels) {
            let square = channel.reduce(*inverse * *inverse);
            let factor = if exponent >> bit & 1 == 1 { *x } else { 1.0 };
            *inverse = channel.reduce(square * factor);
        }
    }
    inverses
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There is a random split for every size, and all have the same limits.
    #[test]
    fn random_splits_differ_in_their_bases_only() {
        let split = Split::Random { of: 2 };
        for bits in [64, 512, 1024, 2048, 4096, 8192] {
            let [plan, other] = [(); 2].map(|()| FloatPlan::new(bits, (), split).unwrap());
            assert_eq!(plan.limits, other.limits, "{bits}");
            assert_ne!(plan.a, other.a, "{bits}");
        }
    }
}
