//! Primes of a given width, for bases.

use crate::modulus::{MAX_BITS, Modulus};

/// The primes of exactly `bits` bits, in descending order; none for widths outside 2 to
/// [`MAX_BITS`].
pub fn descending_vartime(bits: u32) -> impl Iterator<Item = u128> {
    let numbers = if (2..=MAX_BITS).contains(&bits) {
        1 << (bits - 1)..1 << bits
    } else {
        0..0
    };
    numbers.rev().filter(|&n| is_prime_vartime(n))
}

/// The first primes: divisors to try, and the witnesses of Miller and Rabin's test.
const FIRST: [u128; 13] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];

/// The least composite number that passes the test for the first `.0` primes as witnesses is
/// `.1` (Jaeschke, 1993; Jiang and Deng, 2014; Sorenson and Webster, 2015).
const LEAST_PSEUDOPRIMES: [(usize, u128); 4] = [
    (5, 2_152_302_898_747),
    (7, 341_550_071_728_321),
    (9, 3_825_123_056_546_413_051),
    (13, 3_317_044_064_679_887_385_961_981),
];

/// Primality of a number below `2^66`, by Miller and Rabin's test with as many witnesses as make
/// it a proof.
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

/// Whether an odd number may be a prime for all that this witness, below the number, says.
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

    /// The numbers of the table pass as many witnesses as their row says, and are found out.
    #[test]
    fn strong_pseudoprimes_are_composite() {
        for (count, least) in LEAST_PSEUDOPRIMES {
            if let Ok(n) = Modulus::new(least) {
                assert!(FIRST[..count].iter().all(|&witness| passes(&n, witness)));
                assert!(!is_prime_vartime(least), "{count} witnesses");
            }
        }
        // Pseudoprimes to the first 4 and 6 witnesses.
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
