//! Keys of X25519 and X448.

use super::CHUNK;
use super::agree::{AgreeRequest, AgreementKey, agree_batch};
use super::curve::{MontgomeryCurve, PreparedMontgomeryCurve};
use super::multiples::{Multiple, Product, multiples, scalar};
use crate::ec::point::to_bytes;
use crate::key_file::KeyFileError;
use core::fmt;
use crypto_bigint::{BoxedUint, CtEq};
use rand_core::CryptoRng;
use sunzi_engine::EngineError;
use zeroize::Zeroizing;

/// The reason why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is no usable key file.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// The file is a private key; a public key is needed.
    #[error("this is a private key: a public key is needed")]
    PrivateKeyGiven,
    /// The key is for another algorithm.
    #[error("not a key of X25519 or X448: its algorithm is {0}")]
    OtherAlgorithm(String),
    /// The key has the wrong length.
    #[error("a key of {curve} has {expected} bytes, not {given}", expected = curve.encoded_bytes())]
    Length {
        /// The curve of the key.
        curve: MontgomeryCurve,
        /// Length given.
        given: usize,
    },
    /// The public key given along is another key's.
    #[error("the public key does not belong to the private key")]
    Mismatch,
    /// The key is used with another curve than its own.
    #[error("a key of {key} was given for {prepared}")]
    OtherCurve {
        /// The key's curve.
        key: MontgomeryCurve,
        /// The curve that it was given for.
        prepared: MontgomeryCurve,
    },
    /// The private key is a multiple of the base point's order, as `4 L` of X448 is, and no other.
    #[error(
        "the private key is a multiple of the order of the base point: all secrets would be zeros"
    )]
    Infinity,
    /// The public key did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the public key failed its check and was withheld: this machine computes wrongly")]
    Fault,
    /// The engine refuses, or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A public key: the bytes of a coordinate u. All bytes are valid; a point of small order is refused where it
/// is used.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey {
    curve: MontgomeryCurve,
    bytes: Vec<u8>,
}

impl PublicKey {
    /// The key with these bytes: 32 for X25519, 56 for X448.
    ///
    /// # Errors
    /// [`KeyError::Length`].
    pub fn from_bytes(curve: MontgomeryCurve, bytes: &[u8]) -> Result<Self, KeyError> {
        check_length(curve, bytes)?;
        let bytes = bytes.to_vec();
        Ok(Self { curve, bytes })
    }

    /// The curve.
    pub fn curve(&self) -> MontgomeryCurve {
        self.curve
    }

    /// The encoded u.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Checks that the key is of this curve.
    pub(super) fn check(&self, prepared: &PreparedMontgomeryCurve) -> Result<(), KeyError> {
        let (key, prepared) = (self.curve, prepared.curve());
        if key == prepared {
            Ok(())
        } else {
            Err(KeyError::OtherCurve { key, prepared })
        }
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("curve", &self.curve)
            .finish_non_exhaustive()
    }
}

fn check_length(curve: MontgomeryCurve, bytes: &[u8]) -> Result<(), KeyError> {
    let given = bytes.len();
    if given == curve.encoded_bytes() {
        Ok(())
    } else {
        Err(KeyError::Length { curve, given })
    }
}

/// A private key: 32 or 56 bytes, of which some bits are set or cleared in use, and the public key; wiped on drop.
#[derive(Clone)]
pub struct PrivateKey {
    public: PublicKey,
    bytes: Zeroizing<Vec<u8>>,
}

impl PrivateKey {
    /// The key with these bytes: 32 for X25519, 56 for X448. Computes the public key, in constant time.
    ///
    /// # Errors
    /// [`KeyError::Length`], [`KeyError::Infinity`], [`KeyError::Fault`], [`KeyError::Engine`].
    pub fn from_bytes(curve: &PreparedMontgomeryCurve, bytes: &[u8]) -> Result<Self, KeyError> {
        Self::from_bytes_batch(curve, &[bytes]).swap_remove(0)
    }

    /// Many keys, each as [`from_bytes`](Self::from_bytes) makes it, in the same order.
    pub fn from_bytes_batch(
        curve: &PreparedMontgomeryCurve,
        keys: &[&[u8]],
    ) -> Vec<Result<Self, KeyError>> {
        keys.chunks(CHUNK)
            .flat_map(|keys| from_bytes_chunk(curve, keys))
            .collect()
    }

    /// Generates a new key.
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

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The curve.
    pub fn curve(&self) -> MontgomeryCurve {
        self.public.curve
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The pairwise consistency test of new keys: keys that do not agree with another one of them on a secret become
/// errors, and so does a key that is alone.
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

fn from_bytes_chunk(
    curve: &PreparedMontgomeryCurve,
    keys: &[&[u8]],
) -> Vec<Result<PrivateKey, KeyError>> {
    let name = curve.curve();
    let base = BoxedUint::from(name.base());
    let checked: Vec<_> = keys.iter().map(|key| check_length(name, key)).collect();
    let fitting = keys
        .iter()
        .zip(&checked)
        .filter(|(_, checked)| checked.is_ok());
    let scalars: Vec<_> = fitting.map(|(key, _)| scalar(key)).collect();
    let work = scalars.iter().map(|scalar| Multiple {
        curve,
        u: &base,
        scalar,
    });
    let multiples = multiples(curve.engine(), &work.collect::<Vec<_>>());
    let mut us = match multiples {
        Ok(us) => us.into_iter(),
        Err(error) => {
            let refused = checked.into_iter().map(|checked| match checked {
                Err(refused) => Err(refused),
                Ok(()) => Err(error.clone().into()),
            });
            return refused.collect();
        }
    };
    let made = keys.iter().zip(checked).map(|(key, checked)| {
        let () = checked?;
        let u = match us.next() {
            Some(Product::U(u)) => u,
            Some(Product::Infinity) => return Err(KeyError::Infinity),
            _ => return Err(KeyError::Fault),
        };
        Ok(PrivateKey {
            public: PublicKey {
                curve: name,
                bytes: encode(name, &u).to_vec(),
            },
            bytes: Zeroizing::new(key.to_vec()),
        })
    });
    made.collect()
}

impl fmt::Debug for PrivateKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PrivateKey").field(&self.public).finish()
    }
}

/// The bytes of a coordinate u, which may be secret.
pub(super) fn encode(curve: MontgomeryCurve, u: &BoxedUint) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(to_bytes(u, curve.encoded_bytes()));
    bytes.reverse();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_rng;
    use sunzi_engine::{Backend, Engine};

    /// A key with any wrong byte, as faults make it, fails together with the one that it is tested with; the others of
    /// the batch do not.
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
