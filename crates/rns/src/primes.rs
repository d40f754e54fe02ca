//! Generation of primes of a given width, for bases.

use crate::modulus::{MAX_BITS, Modulus};

/// The primes of exactly `bits` bits, in descending order. There are none unless `bits` is 2 to
/// [`MAX_BITS`].
pub fn descending_vartime(bits: u32) -> impl Iterator<Item = u128> {
    let numbers = if (2..=MAX_BITS).contains(&bits) {
        1 << (bits - 1)..1 << bits
    } else {
        0..0
    };
    numbers.rev().filter(|&n| is_prime_vartime(n))
}

/// The primes below `limit`, in descending order. There are none if the limit has more than [`MAX_BITS`]
/// bits.
pub fn below_vartime(limit: u128) -> impl Iterator<Item = u128> {
    let limit = if limit >> MAX_BITS == 0 { limit } else { 0 };
    (2..limit).rev().filter(|&n| is_prime_vartime(n))
}

/// The first primes, used as trial divisors and as bases of the Miller-Rabin test.
const FIRST: [u128; 13] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];

/// Pairs of a number `k` and the least composite number that passes the Miller-Rabin test to
/// the first `k` prime bases (Jaeschke, 1993; Jiang and Deng, 2014; Sorenson and Webster, 2015).
const LEAST_PSEUDOPRIMES: [(usize, u128); 4] = [
    (5, 2_152_302_898_747),
    (7, 341_550_071_728_321),
    (9, 3_825_123_056_546_413_051),
    (13, 3_317_044_064_679_887_385_961_981),
];

/// Whether a number below `2^66` is prime. The Miller-Rabin test is made to enough bases that its answer is
/// proved.
fn is_prime_vartime(n: u128) -> bool {
    if let Some(&divisor) = FIRST.iter().find(|&&p| n.is_multiple_of(p)) {
        return n == divisor;
    }
    let Ok(modulus) = Modulus::new(n) else {
        return false;
    };
    let enough = LEAST_PSEUDOPRIMES.iter().find(|&&(_, least)| n < least);
    let witnesses = enough.map_or(&FIRST[..], |&(count, _)| &FIRST[..count]);
    witnesses.iter().all(|&witness| passes(&modulus, witness))
}

/// Whether an odd `n` passes the Miller-Rabin test to the base `witness < n`.
fn passes(n: &Modulus, witness: u128) -> bool {
    let minus_one = n.value() - 1;
    let twos = minus_one.trailing_zeros();
    let mut power = n.pow_vartime(witness, minus_one >> twos);
    if power == 1 || power == minus_one {
        return true;
    }
    (1..twos).any(|_| {
        power = n.mul(power, power);
        power == minus_one
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn small_primes_by_trial_division() {
        for n in 0..20_000u128 {
            let composite = (2..n).take_while(|d| d * d <= n).any(|d| n % d == 0);
            assert_eq!(is_prime_vartime(n), n > 1 && !composite, "{n}");
        }
        for bits in 2..=12 {
            let primes: Vec<u128> = descending_vartime(bits).collect();
            assert!(primes.is_sorted_by(|a, b| a > b));
            let numbers = 1u128 << (bits - 1)..1 << bits;
            assert_eq!(
                primes.len(),
                numbers.filter(|&n| is_prime_vartime(n)).count()
            );
        }
        assert_eq!(descending_vartime(1).next(), None);
        assert_eq!(descending_vartime(67).next(), None);
    }

    /// The composite numbers of the table pass the test to the number of bases that their row names, but are
    /// recognized.
    #[test]
    fn strong_pseudoprimes_are_composite() {
        for (count, least) in LEAST_PSEUDOPRIMES {
            if let Ok(n) = Modulus::new(least) {
                assert!(FIRST[..count].iter().all(|&witness| passes(&n, witness)));
                assert!(!is_prime_vartime(least), "{count} witnesses");
            }
        }
        // Strong pseudoprimes to the first 4 and 6 bases.
        for n in [3_215_031_751, 3_474_749_660_383] {
            assert!(!is_prime_vartime(n), "{n}");
        }
        // Squares and products of neighbouring primes.
        for bits in [16, 25, 33] {
            let primes: Vec<u128> = descending_vartime(bits).take(2).collect();
            assert!(!is_prime_vartime(primes[0] * primes[0]));
            assert!(!is_prime_vartime(primes[0] * primes[1]));
        }
    }

    /// The largest primes of some widths (OEIS, A013603).
    #[test]
    fn large_primes() {
        assert_eq!(descending_vartime(61).next(), Some((1 << 61) - 1));
        for (bits, below) in [(28, 57), (30, 35), (50, 27), (52, 47), (64, 59), (66, 5)] {
            assert_eq!(descending_vartime(bits).next(), Some((1 << bits) - below));
        }
    }
}
