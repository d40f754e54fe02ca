//! Trial division by small primes.
//!
//! A candidate is reduced modulo products of primes that fit a word, and each prime is tried by one multiplication. The
//! search ends at the first divisor: its time reveals something about discarded candidates only. For all that remain,
//! the operations are the same.

use crypto_bigint::{BoxedUint, Limb, NonZero, Reciprocal, Word};
use std::sync::OnceLock;

/// The bound of the primes that are tried.
const BOUND: u32 = 1 << 16;

/// The small odd primes, in groups.
struct SmallPrimes {
    groups: Vec<Group>,
}

/// Consecutive primes whose product has fewer bits than a word.
struct Group {
    /// The first and the last of these primes.
    least: u32,
    last: u32,
    /// For division by the product.
    product: Reciprocal,
    primes: Vec<Divisor>,
}

/// An odd prime r as a divisor: a word x is a multiple of r if and only if
/// `x r^-1 mod 2^w <= floor((2^w - 1) / r)` (Granlund and Montgomery, 1994, section 9).
struct Divisor {
    inverse: Word,
    most: Word,
}

impl Divisor {
    fn new(prime: Word) -> Self {
        // Newton's iteration doubles the right bits: r is its own inverse modulo 8.
        let mut inverse = prime;
        for _ in 0..5 {
            let error = prime.wrapping_mul(inverse);
            inverse = inverse.wrapping_mul((2 as Word).wrapping_sub(error));
        }
        Self {
            inverse,
            most: Word::MAX / prime,
        }
    }

    fn divides(&self, x: Word) -> bool {
        x.wrapping_mul(self.inverse) <= self.most
    }
}

/// The odd primes below [`BOUND`], by the sieve of Eratosthenes.
pub(super) fn small_primes() -> Vec<u32> {
    let mut composite = vec![false; BOUND as usize];
    let mut primes = Vec::new();
    for number in (3..BOUND).step_by(2) {
        if composite[number as usize] {
            continue;
        }
        primes.push(number);
        for multiple in (number as usize..BOUND as usize).step_by(number as usize) {
            composite[multiple] = true;
        }
    }
    primes
}

impl SmallPrimes {
    fn new() -> Self {
        let mut groups = Vec::new();
        let (mut product, mut members): (Word, Vec<u32>) = (1, Vec::new());
        let close = |product: Word, members: &[u32]| Group {
            least: members[0],
            last: *members.last().expect("a group has a prime"),
            product: Reciprocal::new(NonZero::new(Limb(product)).expect("a product of primes")),
            primes: members.iter().map(|&r| Divisor::new(r.into())).collect(),
        };
        for prime in small_primes() {
            match product.checked_mul(prime.into()) {
                Some(larger) if larger <= Word::MAX / 2 => product = larger,
                _ => {
                    groups.push(close(product, &members));
                    members.clear();
                    product = prime.into();
                }
            }
            members.push(prime);
        }
        groups.push(close(product, &members));
        Self { groups }
    }

    fn get() -> &'static Self {
        static PRIMES: OnceLock<SmallPrimes> = OnceLock::new();
        PRIMES.get_or_init(Self::new)
    }
}

/// The bound below which primes are tried for candidates of `bits` bits: where dividing by one more
/// prime takes as long as the tests that it saves.
fn bound(bits: u32) -> u32 {
    bits.saturating_mul(16).clamp(1 << 10, BOUND)
}

/// Whether x, an odd number above [`BOUND`], has a small prime factor, or 2 x + 1 has one if `double`
/// asks for that. Primes up to `known` are known to be none of them.
pub(super) fn has_small_factor(x: &BoxedUint, double: bool, known: u32) -> bool {
    let bound = bound(x.bits_precision());
    let groups = &SmallPrimes::get().groups;
    let groups = groups.iter().skip_while(|group| group.last <= known);
    groups.take_while(|group| group.least < bound).any(|group| {
        let remainder = x.rem_limb_with_reciprocal(&group.product).0;
        // The product is below half of what a word holds.
        let doubled = 2 * remainder + 1;
        let mut primes = group.primes.iter();
        primes.any(|prime| prime.divides(remainder) || (double && prime.divides(doubled)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_find_every_multiple_and_nothing_else() {
        for prime in small_primes().into_iter().step_by(97) {
            let divisor = Divisor::new(prime.into());
            for x in (0..1000).chain(Word::MAX - 1000..=Word::MAX) {
                assert_eq!(
                    divisor.divides(x),
                    x % Word::from(prime) == 0,
                    "{prime}, {x}"
                );
            }
        }
    }

    #[test]
    fn there_are_6541_odd_primes_below_65536() {
        assert_eq!(small_primes().len(), 6541);
        let groups = &SmallPrimes::get().groups;
        let grouped: usize = groups.iter().map(|group| group.primes.len()).sum();
        assert_eq!(grouped, 6541);
    }

    /// Numbers of 1,024 bits: a large prime times each small one, and primes nearby.
    #[test]
    fn small_factors_are_found() {
        // The least number above 2^1000 without a prime factor below 2^16 is not known beforehand: the
        // definition decides.
        let start = BoxedUint::one_with_precision(1024).shl(1000);
        for offset in (1u32..2000).step_by(2) {
            let x = start.wrapping_add(BoxedUint::from(offset));
            let factor = |x: &BoxedUint| {
                let small = small_primes().into_iter().filter(|&r| r < bound(1024));
                small.into_iter().any(|r| {
                    let r = NonZero::new(Limb(r.into())).unwrap();
                    x.rem_limb(r) == Limb::ZERO
                })
            };
            let doubled = x.shl(1).wrapping_add(BoxedUint::one());
            assert_eq!(has_small_factor(&x, false, 0), factor(&x));
            assert_eq!(
                has_small_factor(&x, true, 0),
                factor(&x) || factor(&doubled)
            );
            // Primes known to be no factors are not tried.
            let seventeen = (x.rem_limb(NonZero::new(Limb(17)).unwrap())) == Limb::ZERO;
            assert!(has_small_factor(&x, false, 13) || !seventeen);
        }
    }
}
