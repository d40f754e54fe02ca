//! Random bases: splits of a pool of primes into two bases.

use core::convert::Infallible;

use rand_core::{TryCryptoRng, TryRng};
use sunzi_rns::{Base, redundancy::random_split};

use crate::EngineError;

/// The text of [`EngineError::Random`], for functions whose errors are texts.
fn failed() -> String {
    EngineError::Random.to_string()
}

/// The number of primes from which bases with `channels` channels in total are drawn: more than `channels`
/// for small bases, so that there are always more than `10^5` pairs of bases.
pub(crate) fn pool(channels: usize) -> usize {
    const LEAST: usize = 32;
    // A split leaves at least two primes.
    if channels + 2 <= LEAST {
        LEAST
    } else {
        channels
    }
}

/// Two bases of `first` and of `second` primes, drawn at random from these primes, of which there are
/// [`pool`]: all pairs of bases are equally likely.
///
/// # Errors
/// The condition that fails: the generator's, or that of a base.
pub(crate) fn random_bases(
    primes: &[u128],
    first: usize,
    second: usize,
) -> Result<(Base, Base), String> {
    debug_assert_eq!(primes.len(), pool(first + second));
    let mut system = System { has_failed: false };
    let mut pool = Base::new_odd(primes).map_err(|error| error.to_string())?;
    if pool.len() > first + second {
        let chosen = random_split(&pool, first + second, &mut system);
        (pool, _) = chosen.map_err(|error| error.to_string())?;
    }
    let bases = random_split(&pool, first, &mut system).map_err(|error| error.to_string())?;
    if system.has_failed {
        return Err(failed());
    }
    Ok(bases)
}

/// The system's generator. It returns zeros if it fails, which the caller must check.
struct System {
    has_failed: bool,
}

impl TryRng for System {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|drawn| drawn as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let drawn = getrandom::u64();
        self.has_failed |= drawn.is_err();
        Ok(drawn.unwrap_or(0))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        if getrandom::fill(bytes).is_err() {
            self.has_failed = true;
            bytes.fill(0);
        }
        Ok(())
    }
}

impl TryCryptoRng for System {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_differ_and_have_primes_of_the_pool() {
        let values = |base: &Base| -> Vec<u128> {
            let moduli = base.moduli().iter();
            moduli.map(sunzi_rns::Modulus::value).collect()
        };
        for (first, second) in [(2, 2), (14, 16), (15, 16), (20, 22)] {
            let count = pool(first + second);
            let primes = sunzi_rns::primes::descending_vartime(20).take(count);
            let primes: Vec<u128> = primes.collect();
            let mut seen = Vec::new();
            for _ in 0..10 {
                let (a, b) = random_bases(&primes, first, second).unwrap();
                assert_eq!((a.len(), b.len()), (first, second));
                let mut all = [values(&a), values(&b)].concat();
                assert!(!seen.contains(&all));
                seen.push(all.clone());
                all.sort_unstable();
                all.dedup();
                assert_eq!(all.len(), first + second);
                assert!(all.iter().all(|prime| primes.contains(prime)));
            }
        }
    }
}
