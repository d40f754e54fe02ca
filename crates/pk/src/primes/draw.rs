//! Random numbers without small prime factors, drawn as such.
//!
//! Let M be the product of 2 or 4 and the first odd primes r. A number x is admissible if it is odd (3 modulo 4 for
//! Blum primes) and, modulo each r, not 0, nor (r - 1)/2 if 2 x + 1 must have no factor r, either. Its residue modulo M
//! decides this, and by the Chinese remainder theorem the admissible residues are all the choices of one admissible
//! residue for each r. So draw these, each uniformly and independently, and a uniform t:
//!
//! `x = M t + c u_c + sum of a_r u_r`, where `u_r` is 1 modulo r and 0 modulo `M / r`, and c = 1 or 3.
//!
//! Then x mod M is uniform among the admissible residues. The sum is not reduced: it is below `s M` for
//! `s = 16 + sum of r`, and shifts t by less than s. For each residue, x / M is therefore uniform in an interval that
//! begins up to s later than that of t. With T values of t, the distribution of x is within `(s + 2) / T` (total
//! variation) of the uniform one on the admissible numbers of the range: M is at most `2^(bits - 96)`, T at least
//! 2^94, and s below 2^22 for all lengths, which makes less than 2^-71.
//!
//! No prime in the range is left out, except those below `2^(bits - 96)`, which are in no range.

use crypto_bigint::{BoxedUint, Limb, NonZero, Resize};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// The least number of bits by which M is shorter than the numbers.
const FREE_BITS: u32 = 96;

/// The largest number of draws of a random number below its bound. A working generator makes a further draw necessary
/// with a probability below 1/2; after this many it must be broken.
const TRIES: usize = 128;

/// Draws numbers of one length that no small prime divides.
pub(super) struct Drawer {
    /// M, in the precision of the numbers.
    product: BoxedUint,
    /// `c u_c`.
    fixed: BoxedUint,
    primes: Vec<SmallPrime>,
    double: bool,
    /// The least t, and the number of values from it on.
    first: u128,
    count: u128,
}

/// A small prime r.
struct SmallPrime {
    prime: u32,
    /// Number of admissible residues.
    choices: u32,
    /// `2^32 mod choices`.
    beyond: u32,
    /// `u_r`, in the precision of the numbers.
    unit: BoxedUint,
}

/// The range of numbers that are drawn.
#[derive(Clone, Copy)]
pub(super) struct Range {
    /// Length in bits, at least 127.
    pub(super) bits: u32,
    /// The bound that the topmost 64 bits exceed.
    pub(super) above: u64,
    /// Whether the numbers are 3 modulo 4.
    pub(super) blum: bool,
    /// Whether no small prime divides 2 x + 1, either.
    pub(super) double: bool,
}

/// The quotient and the remainder of a public number by a small one.
fn divided(number: &BoxedUint, divisor: u32) -> (BoxedUint, u32) {
    let divisor = NonZero::new(Limb::from(divisor)).expect("a divisor is not 0");
    let (quotient, rest) = number.div_rem_limb(divisor);
    // Below the divisor.
    (quotient, rest.0 as u32)
}

/// The inverse of x modulo a prime r below 2^16.
fn inverse(x: u32, r: u32) -> u32 {
    let (mut power, mut base, mut exponent) = (1u64, u64::from(x), r - 2);
    let r = u64::from(r);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * base % r;
        }
        base = base * base % r;
        exponent >>= 1;
    }
    // Below r.
    power as u32
}

/// A public number that is below 2^128.
fn low_u128(number: &BoxedUint) -> u128 {
    let number = number.resize_unchecked(128.max(number.bits_precision()));
    let bytes = number.to_le_bytes();
    let mut low = [0; 16];
    low.copy_from_slice(&bytes[..16]);
    u128::from_le_bytes(low)
}

impl Drawer {
    /// Prepares to draw numbers, with the first of these odd primes.
    pub(super) fn new(range: Range, small_primes: impl IntoIterator<Item = u32>) -> Self {
        let precision = range.bits.next_multiple_of(64);
        let power_of_two = if range.blum { 4 } else { 2 };
        let mut product = BoxedUint::from(power_of_two as u64).resize_unchecked(precision);
        let mut primes = Vec::new();
        for prime in small_primes {
            let larger = product.wrapping_mul(BoxedUint::from(prime));
            if larger.bits_vartime() > range.bits - FREE_BITS {
                break;
            }
            product = larger;
            primes.push(prime);
        }
        let (odd, _) = divided(&product, power_of_two);
        let (_, rest) = divided(&odd, power_of_two);
        // An odd number is its own inverse modulo 4; c is the residue -1.
        let fixed = odd.wrapping_mul(BoxedUint::from(rest * (power_of_two - 1)));
        let shifts = u128::from(power_of_two * power_of_two)
            + primes.iter().map(|&r| u128::from(r)).sum::<u128>();
        // M t >= the least number; M (t + shifts) <= 2^bits.
        let divisor = NonZero::new(product.clone()).expect("a product of primes");
        let wide = precision + 64;
        let least = BoxedUint::from(range.above + 1).resize_unchecked(wide);
        let least = least.shl(range.bits - 64);
        let end = BoxedUint::one_with_precision(wide).shl(range.bits);
        let first = low_u128(&least.div_rem_vartime(&divisor).0) + 1;
        let end = low_u128(&end.div_rem_vartime(&divisor).0) - shifts;
        let primes = primes.into_iter().map(|prime| {
            let (others, _) = divided(&product, prime);
            let (_, rest) = divided(&others, prime);
            let choices = prime - if range.double { 2 } else { 1 };
            SmallPrime {
                prime,
                choices,
                beyond: choices.wrapping_neg() % choices,
                unit: others.wrapping_mul(BoxedUint::from(inverse(rest, prime))),
            }
        });
        Self {
            primes: primes.collect(),
            product,
            fixed,
            double: range.double,
            first,
            count: end - first,
        }
    }

    /// The largest prime that is known to divide none of the numbers, nor their doubles and 1.
    pub(super) fn largest(&self) -> u32 {
        self.primes.last().map_or(2, |prime| prime.prime)
    }

    /// The share of admissible numbers among odd numbers.
    pub(super) fn share(&self) -> f64 {
        let share = |prime: &SmallPrime| f64::from(prime.choices) / f64::from(prime.prime);
        self.primes.iter().map(share).product()
    }

    /// Draws a number; `None` if the generator is broken. Constant time, except for random bits that are not used.
    pub(super) fn draw<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Option<Zeroizing<BoxedUint>> {
        let mut bytes = Zeroizing::new(vec![0; 4 * self.primes.len()]);
        rng.fill_bytes(&mut bytes);
        let mut sum = Zeroizing::new(self.fixed.clone());
        for (small, bytes) in self.primes.iter().zip(bytes.chunks_exact(4)) {
            let word = u32::from_le_bytes(bytes.try_into().ok()?);
            let residue = small.residue(small.choice(word, rng)?, self.double);
            let mut carry = Limb::ZERO;
            for (to, &unit) in sum.as_mut_limbs().iter_mut().zip(small.unit.as_limbs()) {
                (*to, carry) = unit.carrying_mul_add(residue, *to, carry);
            }
        }
        let t = self.first + self.block(rng)?;
        let precision = self.product.bits_precision();
        let t = Zeroizing::new(BoxedUint::from(t));
        let blocks = Zeroizing::new(self.product.wrapping_mul(&*t));
        debug_assert_eq!(blocks.bits_precision(), precision);
        Some(Zeroizing::new(blocks.wrapping_add(&*sum)))
    }

    /// A uniform number below `count`, by rejection.
    fn block<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Option<u128> {
        let unused = (self.count - 1).leading_zeros();
        (0..TRIES).find_map(|_| {
            let mut bytes = Zeroizing::new([0; 16]);
            rng.fill_bytes(&mut *bytes);
            let block = u128::from_le_bytes(*bytes) >> unused;
            (block < self.count).then_some(block)
        })
    }
}

impl SmallPrime {
    /// A uniform number below `choices`, from a random word and, rarely, another one (Lemire, "Fast random integer
    /// generation in an interval", 2019): the product of word and bound, without its lower half.
    fn choice<R: CryptoRng + ?Sized>(&self, word: u32, rng: &mut R) -> Option<u32> {
        let mut word = word;
        for _ in 0..TRIES {
            let product = u64::from(word) * u64::from(self.choices);
            if product as u32 >= self.beyond {
                return Some((product >> 32) as u32);
            }
            word = rng.next_u32();
        }
        None
    }

    /// The admissible residue of this number, without a branch.
    fn residue(&self, choice: u32, double: bool) -> Limb {
        // 0 is left out.
        let residue = choice + 1;
        // And (r - 1)/2, if it must be: from there on the next one. All are below 2^16.
        let half = (self.prime - 1) / 2;
        let not_below = (half.wrapping_sub(residue + 1)) >> 31;
        Limb::from(residue + (not_below & u32::from(double)))
    }
}

#[cfg(test)]
mod tests;
