//! The peers: OpenSSL, AWS-LC, GMP and libsecp256k1, if they are compiled in (feature `peers`).

use super::turns::Contestant;
use crate::failure::Failure;
use crypto_bigint::BoxedUint;
use sunzi_pk::Digest;
use sunzi_pk::rsa::PrivateKey;
use zeroize::Zeroizing;

/// A batch of signatures to make or to verify, the same for all contestants.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "peers"),
    expect(dead_code, reason = "only the peers need them all")
)]
pub(super) struct SignatureBatch<'a> {
    /// The keys, which the digests take cyclically.
    pub(super) keys: &'a [PrivateKey],
    /// The SHA-256 digests.
    pub(super) digests: &'a [Digest],
    /// The PKCS#1 v1.5 signatures of the digests.
    pub(super) signatures: &'a [Vec<u8>],
    /// The number of threads that share a burst.
    pub(super) threads: usize,
}

/// A batch of powers to compute, the same for all contestants.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "peers"),
    expect(dead_code, reason = "only the peers need them")
)]
pub(super) struct PowerBatch<'a> {
    /// The moduli, which the powers take cyclically.
    pub(super) moduli: &'a [BoxedUint],
    /// The bases and exponents.
    pub(super) numbers: &'a [(BoxedUint, BoxedUint)],
    /// The results of the first powers; only these are compared.
    pub(super) results: &'a [Zeroizing<BoxedUint>],
    /// The number of threads that share a burst.
    pub(super) threads: usize,
}

/// A batch of operations on a curve, the same for all contestants.
#[derive(Clone, Copy)]
pub(super) struct CurveBatch<'a> {
    /// The keys, which the operations take cyclically.
    #[cfg_attr(not(feature = "peers"), expect(dead_code, reason = "for peers"))]
    pub(super) keys: &'a CurveKeys,
    /// The messages that are signed.
    pub(super) messages: &'a [Vec<u8>],
    /// Signatures of the messages, of ECDSA in DER.
    pub(super) signatures: &'a [Vec<u8>],
    /// Public keys of others, as uncompressed points or encoded u.
    pub(super) points: &'a [Vec<u8>],
    /// The secrets shared with their owners, if these are measured.
    #[cfg_attr(not(feature = "peers"), expect(dead_code, reason = "for peers"))]
    pub(super) secrets: &'a [Vec<u8>],
    /// The number of threads that share a burst.
    #[cfg_attr(not(feature = "peers"), expect(dead_code, reason = "for peers"))]
    pub(super) threads: usize,
}

/// Keys of a curve as peers read them.
#[cfg_attr(not(feature = "peers"), expect(dead_code, reason = "for peers"))]
pub(super) struct CurveKeys {
    /// The name of the curve.
    pub(super) curve: &'static str,
    /// Length of its prime in bits.
    pub(super) bits: u32,
    /// The private keys in PKCS#8.
    pub(super) private: Vec<Zeroizing<Vec<u8>>>,
    /// The private numbers alone.
    pub(super) numbers: Vec<Zeroizing<Vec<u8>>>,
    /// The public keys as `SubjectPublicKeyInfo`.
    pub(super) public: Vec<Vec<u8>>,
}

/// Whether a signature of a message, by the first key, is right.
pub(super) type CheckSignature<'a> = &'a dyn Fn(&Vec<u8>, &Vec<u8>) -> bool;

/// The names of a peer.
#[derive(Clone, Debug)]
pub(super) struct PeerName {
    /// The name and the version.
    pub(super) name: String,
    /// A short name without spaces.
    pub(super) short: &'static str,
}

#[cfg(feature = "peers")]
mod compiled_in {
    use super::{
        BoxedUint, CheckSignature, Contestant, CurveBatch, Failure, PeerName, PowerBatch,
        SignatureBatch,
    };
    use rayon::prelude::*;
    use sunzi_peers::{CurveName, OnCurve, PeerError};

    /// The names of all peers that are compiled in.
    pub(in crate::bench) fn all() -> Vec<PeerName> {
        let name = |peer: sunzi_peers::Peer| PeerName {
            name: peer.name,
            short: peer.short,
        };
        sunzi_peers::all().into_iter().map(name).collect()
    }

    /// The share of a thread in a batch: every n-th operation, done cyclically.
    struct ThreadShare<T> {
        /// One context for all operations, or one for each.
        contexts: Vec<T>,
        /// The indices of the operations.
        operations: Vec<usize>,
        /// The position in `operations` of the next one.
        next: usize,
    }

    /// A contestant that does `count` operations cyclically, one after another on each thread.
    /// `make(index)` makes the context of an operation, or of all if they have `one_context`;
    /// `run(context, index)` does the operation and returns whether the result is correct.
    fn contestant<'a, T: Send + 'a>(
        name: String,
        (count, one_context, threads): (usize, bool, usize),
        make: impl Fn(usize) -> Result<T, PeerError>,
        run: impl Fn(&mut T, usize) -> Result<bool, PeerError> + Sync + 'a,
    ) -> Result<Contestant<'a>, Failure> {
        let unit = threads.min(count);
        let share = |first: usize| {
            let operations: Vec<_> = (first..count).step_by(unit).collect();
            let contexts = if one_context { 1 } else { operations.len() };
            let made = operations[..contexts].iter().map(|&index| make(index));
            Ok(ThreadShare {
                contexts: made.collect::<Result<_, _>>()?,
                operations,
                next: 0,
            })
        };
        let shares = (0..unit).map(share).collect::<Result<Vec<_>, PeerError>>();
        let mut shares = shares.map_err(Failure::from_error)?;
        let wrong = format!("{name} and Sunzi disagree about a result: do not use this build");
        Ok(Contestant {
            name,
            unit,
            repeat: Box::new(move |repetitions| {
                shares.par_iter_mut().try_for_each(|share| {
                    for _ in 0..repetitions {
                        let context = share.next % share.contexts.len();
                        let index = share.operations[share.next];
                        share.next = (share.next + 1) % share.operations.len();
                        let correct = run(&mut share.contexts[context], index);
                        if !correct.map_err(Failure::from_error)? {
                            return Err(Failure::new(wrong.clone()));
                        }
                    }
                    Ok(())
                })
            }),
        })
    }

    /// The peers that can sign. Each signature must equal ours.
    pub(in crate::bench) fn signing<'a>(
        batch: &SignatureBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let SignatureBatch {
            keys,
            digests,
            signatures,
            threads,
        } = *batch;
        let signers = sunzi_peers::all().into_iter();
        signers
            .filter_map(|peer| Some((peer.name, peer.signer?)))
            .map(|(name, signer)| {
                contestant(
                    name,
                    (digests.len(), keys.len() == 1, threads),
                    |index| signer(&keys[index % keys.len()].to_pkcs8_der()),
                    |signer, index| {
                        let mut signature = vec![0; signatures[index].len()];
                        signer.sign(digests[index].as_bytes(), &mut signature)?;
                        Ok(signature == signatures[index])
                    },
                )
            })
            .collect()
    }

    /// The peers that can verify.
    pub(in crate::bench) fn verifying<'a>(
        batch: &SignatureBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let SignatureBatch {
            keys,
            digests,
            signatures,
            threads,
        } = *batch;
        let verifiers = sunzi_peers::all().into_iter();
        verifiers
            .filter_map(|peer| Some((peer.name, peer.verifier?)))
            .map(|(name, verifier)| {
                contestant(
                    name,
                    (digests.len(), keys.len() == 1, threads),
                    |index| verifier(&keys[index % keys.len()].public_key().to_spki_der()),
                    |verifier, index| {
                        verifier.verify(digests[index].as_bytes(), &signatures[index])
                    },
                )
            })
            .collect()
    }

    /// The peers that can compute powers. Each power must equal ours, where ours is given.
    pub(in crate::bench) fn powers<'a>(
        batch: &PowerBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let PowerBatch {
            moduli,
            numbers,
            results,
            threads,
        } = *batch;
        let powers = sunzi_peers::all().into_iter();
        powers
            .filter_map(|peer| Some((peer.name, peer.power?)))
            .map(|(name, power)| {
                contestant(
                    name,
                    (numbers.len(), false, threads),
                    |index| {
                        let (base, exponent) = &numbers[index];
                        let modulus = &moduli[index % moduli.len()];
                        let [base, exponent, modulus] =
                            [base, exponent, modulus].map(BoxedUint::to_be_bytes);
                        power(&base, &exponent, &modulus)
                    },
                    |power, index| {
                        power.compute()?;
                        let Some(result) = results.get(index) else {
                            return Ok(true);
                        };
                        let expected = result.to_be_bytes();
                        Ok(power.result(expected.len())?[..] == expected[..])
                    },
                )
            })
            .collect()
    }

    /// The curve of a batch.
    fn name<'a>(batch: &CurveBatch<'a>) -> CurveName<'a> {
        CurveName {
            name: batch.keys.curve,
            bits: batch.keys.bits,
        }
    }

    /// What a peer makes, if it has the curve.
    fn there<T: ?Sized>(made: OnCurve<T>) -> Result<Box<T>, PeerError> {
        made.and_then(|made| made.ok_or(PeerError::NoCurve))
    }

    /// The contestants that are there.
    fn with_curve<'a>(
        contestants: impl Iterator<Item = Result<Option<Contestant<'a>>, Failure>>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        contestants.filter_map(Result::transpose).collect()
    }

    /// The peers that can sign on the curve. Signatures differ; the first one of each must be
    /// right.
    pub(in crate::bench) fn signing_on_curve<'a>(
        batch: &CurveBatch<'a>,
        is_right: CheckSignature<'_>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let CurveBatch {
            keys,
            messages,
            threads,
            ..
        } = *batch;
        let curve = name(batch);
        let peers = sunzi_peers::all().into_iter();
        let peers = peers.filter_map(|peer| Some((peer.name, peer.curves?)));
        with_curve(peers.map(|(name, make)| {
            let signer = (make.signer)(curve, &keys.private[0]).map_err(Failure::from_error)?;
            let Some(mut signer) = signer else {
                return Ok(None);
            };
            let signature = signer.sign(&messages[0]).map_err(Failure::from_error)?;
            if !is_right(&messages[0], &signature) {
                return Err(Failure::new(format!(
                    "Sunzi refuses a signature by {name}: do not use this build"
                )));
            }
            contestant(
                name,
                (messages.len(), keys.private.len() == 1, threads),
                |index| {
                    let private = &keys.private[index % keys.private.len()];
                    there((make.signer)(curve, private))
                },
                |signer, index| Ok(!signer.sign(&messages[index])?.is_empty()),
            )
            .map(Some)
        }))
    }

    /// The peers that can verify on the curve.
    pub(in crate::bench) fn verifying_on_curve<'a>(
        batch: &CurveBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let CurveBatch {
            keys,
            messages,
            signatures,
            threads,
            ..
        } = *batch;
        let curve = name(batch);
        let peers = sunzi_peers::all().into_iter();
        let peers = peers.filter_map(|peer| Some((peer.name, peer.curves?)));
        with_curve(peers.map(|(name, make)| {
            let spki = |index: usize| &keys.public[index % keys.public.len()];
            let first = (make.verifier)(curve, spki(0));
            if first.map_err(Failure::from_error)?.is_none() {
                return Ok(None);
            }
            contestant(
                name,
                (messages.len(), keys.public.len() == 1, threads),
                |index| there((make.verifier)(curve, spki(index))),
                |verifier, index| verifier.verify(&messages[index], &signatures[index]),
            )
            .map(Some)
        }))
    }

    /// The peers that can agree on the curve. Each secret must equal ours.
    pub(in crate::bench) fn agreeing<'a>(
        batch: &CurveBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let CurveBatch {
            keys,
            points,
            secrets,
            threads,
            ..
        } = *batch;
        let curve = name(batch);
        let peers = sunzi_peers::all().into_iter();
        let peers = peers.filter_map(|peer| Some((peer.name, peer.curves?)));
        with_curve(peers.map(|(name, make)| {
            let first = (make.agreement)(curve, &keys.numbers[0]);
            if first.map_err(Failure::from_error)?.is_none() {
                return Ok(None);
            }
            contestant(
                name,
                (points.len(), keys.numbers.len() == 1, threads),
                |index| {
                    let number = &keys.numbers[index % keys.numbers.len()];
                    there((make.agreement)(curve, number))
                },
                |key, index| Ok(key.agree(&points[index])? == secrets[index]),
            )
            .map(Some)
        }))
    }
}

#[cfg(feature = "peers")]
pub(super) use compiled_in::{
    agreeing, all, powers, signing, signing_on_curve, verifying, verifying_on_curve,
};

#[cfg(not(feature = "peers"))]
mod none {
    use super::{
        CheckSignature, Contestant, CurveBatch, Failure, PeerName, PowerBatch, SignatureBatch,
    };

    /// No names, since no peer is compiled in.
    pub(in crate::bench) fn all() -> Vec<PeerName> {
        Vec::new()
    }

    /// No contestants, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn signing<'a>(
        _: &SignatureBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }

    /// No contestants, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn verifying<'a>(
        _: &SignatureBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }

    /// No contestants, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn powers<'a>(_: &PowerBatch<'a>) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }

    /// No contestants, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn signing_on_curve<'a>(
        _: &CurveBatch<'a>,
        _: CheckSignature<'_>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }

    /// No contestants, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn verifying_on_curve<'a>(
        _: &CurveBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }

    /// No contestants, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn agreeing<'a>(
        _: &CurveBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }
}

#[cfg(not(feature = "peers"))]
pub(super) use none::{
    agreeing, all, powers, signing, signing_on_curve, verifying, verifying_on_curve,
};
