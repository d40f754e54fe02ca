//! New keys, and their test.

use super::decrypt::{DecryptionKey, decrypt_batch};
use super::encrypt::{EncryptionKey, Method, encrypt_batch};
use super::key::{KeyError, MAX_BITS, MIN_BITS, PrivateKey};
use crate::integer::equal;
use crate::primes::{Kind, Progress, Wanted, search};
use crypto_bigint::{BoxedUint, RandomMod};
use rand_core::CryptoRng;
use std::ops::ControlFlow;
use sunzi_engine::Engine;

impl PrivateKey {
    /// New keys with a modulus of `bits` bits, `count` of them: the product of two primes that are 3
    /// modulo 4 with gcd(p - 1, q - 1) = 2, as short randomness needs them, from
    /// [`primes`](crate::primes). Each has a base of short randomness.
    ///
    /// Before a key is returned it passes a pairwise consistency test: it decrypts random numbers that were
    /// encrypted with its public half, with full and with short randomness.
    ///
    /// `watch` is called before each batch of tests with the number of primes found, two for each key, and
    /// may end the search.
    ///
    /// # Errors
    /// [`KeyError::ModulusSize`] for less than [`MIN_BITS`], more than [`MAX_BITS`], or an odd number of
    /// bits, [`KeyError::Cancelled`], [`KeyError::Primes`] for a broken generator, [`KeyError::Inconsistent`]
    /// if the machine computes wrongly, and [`KeyError::Engine`].
    pub fn generate_batch<R: CryptoRng + ?Sized>(
        engine: &Engine,
        rng: &mut R,
        bits: u32,
        count: usize,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Self>, KeyError> {
        if !(MIN_BITS..=MAX_BITS).contains(&bits) || !bits.is_multiple_of(2) {
            return Err(KeyError::ModulusSize(bits));
        }
        let wanted = Wanted {
            kind: Kind::Blum,
            bits: bits / 2,
            coprime_to: None,
        };
        let mut keys: Vec<Self> = Vec::new();
        while keys.len() < count {
            let before = 2 * keys.len();
            let mut watch = |progress: Progress| {
                watch(Progress {
                    found: before + progress.found,
                    wanted: 2 * count,
                    ..progress
                })
            };
            let primes = search(engine, rng, wanted, 2 * count - before, &mut watch)?;
            for pair in primes.chunks_exact(2) {
                let key = Self::from_primes(&pair[0], &pair[1])?;
                // By chance p - 1 and q - 1 share an odd prime in one of three pairs.
                match key.with_new_short_base(rng) {
                    Ok(key) if key.is_consistent(engine, rng)? => keys.push(key),
                    Ok(_) => return Err(KeyError::Inconsistent),
                    Err(KeyError::NotShort) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(keys)
    }

    /// Whether the key decrypts random numbers that were encrypted with its public half.
    fn is_consistent<R: CryptoRng + ?Sized>(
        &self,
        engine: &Engine,
        rng: &mut R,
    ) -> Result<bool, KeyError> {
        let decryption = DecryptionKey::new(engine, self)?;
        for method in [Method::Full, Method::Short] {
            let encryption = EncryptionKey::new(engine, &self.public, method)?;
            let m = BoxedUint::random_mod_vartime(rng, self.public.n.as_nz_ref());
            let plaintexts = [m];
            let ciphertexts = encrypt_batch(engine, rng, &encryption, &plaintexts);
            let ciphertexts: Vec<BoxedUint> = ciphertexts.into_iter().flatten().collect();
            let decrypted = decrypt_batch(engine, &decryption, &ciphertexts);
            let is_right = decrypted
                .iter()
                .flatten()
                .any(|decrypted| equal(decrypted, &plaintexts[0]));
            if !is_right {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_rng;
    use crypto_bigint::BitOps;
    use sunzi_engine::Backend;

    /// A key of which any number is wrong, as faults make it, fails.
    #[test]
    fn the_pairwise_consistency_test_finds_every_wrong_number() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let mut go_on = |_: Progress| ControlFlow::Continue(());
        let keys = PrivateKey::generate_batch(&engine, &mut system_rng(), 2048, 1, &mut go_on);
        let key = keys.unwrap().swap_remove(0);
        let is_consistent = |key: &PrivateKey| key.is_consistent(&engine, &mut system_rng());
        assert_eq!(is_consistent(&key), Ok(true));
        let flip = |number: &mut BoxedUint, bit| {
            number.set_bit_vartime(bit, !number.bit_vartime(bit));
        };
        for bit in [1, 200, 900] {
            let mut wrong = key.clone();
            flip(&mut wrong.p, bit);
            assert_eq!(is_consistent(&wrong), Ok(false), "p, {bit}");
            let mut wrong = key.clone();
            flip(&mut wrong.q, bit);
            assert_eq!(is_consistent(&wrong), Ok(false), "q, {bit}");
            // A base that is no n-th power is a plaintext in every ciphertext.
            let mut wrong = key.clone();
            let base = wrong.public.short_base.as_mut().unwrap();
            flip(base, bit);
            assert_eq!(is_consistent(&wrong), Ok(false), "base, {bit}");
        }
    }
}
