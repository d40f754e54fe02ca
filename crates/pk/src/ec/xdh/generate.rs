//! New keys of X25519 and X448, and their test.

use super::agree::{AgreeRequest, AgreementKey, agree_batch};
use super::curve::PreparedMontgomeryCurve;
use super::key::{KeyError, PrivateKey};
use crate::batch::CHUNK;
use crypto_bigint::CtEq;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

impl PrivateKey {
    /// A new key.
    ///
    /// Before it is returned it passes a pairwise consistency test: it and another new key, which is thrown
    /// away, agree on a secret.
    ///
    /// # Errors
    /// [`KeyError::Infinity`], [`KeyError::Fault`], [`KeyError::Engine`].
    pub fn generate<R: CryptoRng + ?Sized>(
        curve: &PreparedMontgomeryCurve,
        rng: &mut R,
    ) -> Result<Self, KeyError> {
        let mut keys = Self::generate_batch(curve, rng, 1);
        keys.pop().unwrap_or(Err(KeyError::Fault))
    }

    /// New keys, `count` of them, as for key agreements that take a new one each.
    ///
    /// Before they are returned they pass a pairwise consistency test: two of them at a time agree on a
    /// secret. If they do not, both are [`KeyError::Fault`].
    pub fn generate_batch<R: CryptoRng + ?Sized>(
        curve: &PreparedMontgomeryCurve,
        rng: &mut R,
        count: usize,
    ) -> Vec<Result<Self, KeyError>> {
        let length = curve.curve().encoded_bytes();
        // A single key is tested with another one, which is thrown away.
        let made = if count == 1 { 2 } else { count };
        let mut bytes = Zeroizing::new(vec![0; length * made]);
        rng.fill_bytes(&mut bytes);
        let keys: Vec<_> = bytes.chunks(length).collect();
        let mut keys = Self::from_bytes_batch(curve, &keys);
        withhold_inconsistent(curve, &mut keys);
        keys.truncate(count);
        keys
    }
}

/// The pairwise consistency test of new keys: those that do not agree with another one of them on a secret
/// become errors, and so does a key that is alone.
fn withhold_inconsistent(
    curve: &PreparedMontgomeryCurve,
    keys: &mut [Result<PrivateKey, KeyError>],
) {
    let good: Vec<usize> = (0..keys.len()).filter(|&k| keys[k].is_ok()).collect();
    let first = good.first().copied();
    let pairs = good
        .chunks(2)
        .filter_map(|pair| Some([pair[0], pair.get(1).copied().or(first)?]));
    let pairs: Vec<[usize; 2]> = pairs.collect();
    let verdicts: Vec<Result<(), KeyError>> = pairs
        .chunks(CHUNK)
        .flat_map(|pairs| agreements(curve, keys, pairs))
        .collect();
    for (pair, verdict) in pairs.iter().zip(verdicts) {
        if let Err(error) = verdict {
            for &k in pair {
                keys[k] = Err(error.clone());
            }
        }
    }
}

/// Whether the two keys of each pair come to the same secret, each with the other's public half.
fn agreements(
    curve: &PreparedMontgomeryCurve,
    keys: &[Result<PrivateKey, KeyError>],
    pairs: &[[usize; 2]],
) -> Vec<Result<(), KeyError>> {
    let both = |pair: &[usize; 2]| match pair.map(|k| keys[k].as_ref()) {
        [Ok(one), Ok(other)] if pair[0] != pair[1] => Ok([one, other]),
        _ => Err(KeyError::Fault),
    };
    let prepared: Vec<_> = pairs
        .iter()
        .map(|pair| {
            let [one, other] = both(pair)?;
            let prepare = |key| AgreementKey::new(curve, key);
            Ok([(prepare(one)?, other), (prepare(other)?, one)])
        })
        .collect();
    let requests: Vec<_> = prepared
        .iter()
        .flatten()
        .flatten()
        .map(|(key, peer)| AgreeRequest {
            key,
            peer: peer.public_key(),
        })
        .collect();
    let secrets = agree_batch(curve.engine(), &requests);
    let mut secrets = secrets.chunks_exact(2);
    let verdicts = prepared.iter().map(|prepared| {
        if let Err(error) = prepared {
            return Err(KeyError::clone(error));
        }
        match secrets.next() {
            Some([Ok(one), Ok(other)]) if one.as_bytes().ct_eq(other.as_bytes()).to_bool() => {
                Ok(())
            }
            _ => Err(KeyError::Fault),
        }
    });
    verdicts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::MontgomeryCurve;
    use crate::system_rng;
    use sunzi_engine::{Backend, Engine};

    /// A key of which any byte is wrong, as faults make it, fails together with the one that it is tested with;
    /// the others of the batch do not.
    #[test]
    fn the_pairwise_consistency_test_finds_every_wrong_byte() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for &curve in MontgomeryCurve::ALL {
            let curve = PreparedMontgomeryCurve::new(&engine, curve).unwrap();
            let new = PrivateKey::generate_batch(&curve, &mut system_rng(), 5);
            let new: Vec<_> = new.into_iter().map(Result::unwrap).collect();
            let tested = |wrong: usize, damage: &dyn Fn(&mut PrivateKey)| {
                let mut keys: Vec<_> = new.iter().cloned().map(Ok).collect();
                damage(keys[wrong].as_mut().unwrap());
                withhold_inconsistent(&curve, &mut keys);
                let faults = (0..keys.len()).filter(|&k| matches!(keys[k], Err(KeyError::Fault)));
                let faults: Vec<_> = faults.collect();
                assert!(keys.iter().flatten().count() + faults.len() == keys.len());
                faults
            };
            assert!(tested(0, &|_| ()).is_empty());
            // The lowest bits of the private number, and the topmost ones, are always the same.
            for place in (1..new[0].bytes.len() - 1).step_by(5) {
                let bit = 1 << (place % 8);
                assert_eq!(tested(3, &|key| key.bytes[place] ^= bit), [2, 3], "{place}");
                let public = tested(2, &|key| key.public.bytes[place] ^= bit);
                assert_eq!(public, [2, 3], "{place}");
                // The last one, of an odd number, is tested with the first one.
                assert_eq!(tested(4, &|key| key.bytes[place] ^= bit), [0, 4], "{place}");
            }
            let mut alone = [Ok(new[0].clone())];
            withhold_inconsistent(&curve, &mut alone);
            assert!(matches!(alone[0], Err(KeyError::Fault)));
        }
    }
}
