//! The peers: OpenSSL, AWS-LC, GMP, libsecp256k1, blst and arkworks, if they are compiled in (feature `peers`), and
//! crypto_mb and ed25519-simd, which these builds load if they are told where they are.

use super::job::CurveOperation;
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

/// A batch of operations with group elements, the same for all contestants.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "peers"), expect(dead_code, reason = "for peers"))]
pub(super) struct GroupBatch<'a> {
    /// The name of the curve.
    pub(super) curve: &'static str,
    /// The scalars, big-endian.
    pub(super) scalars: &'a [Box<[u8]>],
    /// The elements in uncompressed encoding.
    pub(super) elements: &'a [Vec<u8>],
    /// The same compressed.
    pub(super) encodings: &'a [Vec<u8>],
    /// Results of our operations, in uncompressed encoding: of sums one element.
    pub(super) results: &'a [Vec<u8>],
    /// The number of threads that share a burst.
    pub(super) threads: usize,
}

/// A batch of pairings, the same for all contestants.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "peers"), expect(dead_code, reason = "for peers"))]
pub(super) struct PairingBatch<'a> {
    /// The name of the curve.
    pub(super) curve: &'static str,
    /// The coordinates of elements of G1.
    pub(super) g1: &'a [Vec<u8>],
    /// The coordinates of elements of G2, imaginary parts first.
    pub(super) g2: &'a [Vec<u8>],
    /// The numbers of our values.
    pub(super) values: &'a [Vec<u8>],
    /// The number of threads that share a burst.
    pub(super) threads: usize,
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
        BoxedUint, CheckSignature, Contestant, CurveBatch, CurveOperation, Failure, GroupBatch,
        PairingBatch, PeerName, PowerBatch, SignatureBatch,
    };
    use rayon::prelude::*;
    use sunzi_peers::{CurveName, Groups, MaybeGroup, OnCurve, PeerError};

    /// The names of all peers.
    pub(in crate::bench) fn all() -> Result<Vec<PeerName>, Failure> {
        let name = |peer: sunzi_peers::Peer| PeerName {
            name: peer.name,
            short: peer.short,
        };
        Ok(peers()?.map(name).collect())
    }

    pub(in crate::bench) fn peers() -> Result<impl Iterator<Item = sunzi_peers::Peer>, Failure> {
        let peers = sunzi_peers::all().map_err(Failure::from_error)?;
        Ok(peers.into_iter())
    }

    /// The peers that do groups of operations.
    fn with_groups() -> Result<impl Iterator<Item = (String, Groups)>, Failure> {
        Ok(peers()?.filter_map(|peer| Some((peer.name, peer.groups?))))
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
    pub(in crate::bench) fn contestant<'a, T: Send + 'a>(
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

    /// Contestants that do `count` operations cyclically in groups, one after another on each thread. `make`
    /// makes the group of some indices, `is_right` says whether a result is correct. A batch that is smaller
    /// than a group is a group by itself.
    fn grouped<'a>(
        (count, threads): (usize, usize),
        make: impl Fn(&Groups, &[usize]) -> MaybeGroup,
        is_right: impl Fn(usize, &[u8]) -> bool + Sync + Copy + 'a,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let mut contestants = Vec::new();
        for (name, groups) in with_groups()? {
            let size = groups.size.min(count);
            let indices = move |group: usize| (0..size).map(move |k| (group * size + k) % count);
            let make = |group| make(&groups, &indices(group).collect::<Vec<_>>());
            if make(0).map_err(Failure::from_error)?.is_none() {
                continue;
            }
            let mut contestant = contestant(
                name,
                (count.div_ceil(size), false, threads),
                |group| make(group).and_then(|made| made.ok_or(PeerError::NoCurve)),
                move |group, number| {
                    group.run()?;
                    let mut results = indices(number).enumerate();
                    Ok(results.all(|(k, index)| is_right(index, &group.result(k))))
                },
            )?;
            contestant.unit *= size;
            contestants.push(contestant);
        }
        Ok(contestants)
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
        let signers = peers()?.filter_map(|peer| Some((peer.name, peer.signer?)));
        let contestants = signers.map(|(name, signer)| {
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
        });
        let mut contestants = contestants.collect::<Result<Vec<_>, _>>()?;
        let group = |groups: &Groups, indices: &[usize]| {
            let keys = indices.iter().map(|index| &keys[index % keys.len()]);
            let keys: Vec<_> = keys.map(sunzi_pk::rsa::PrivateKey::to_pkcs8_der).collect();
            let keys = keys.iter().map(|key| &key[..]);
            let digests = indices.iter().map(|&index| digests[index].as_bytes());
            (groups.signing)(&keys.zip(digests).map(<[_; 2]>::from).collect::<Vec<_>>())
        };
        contestants.extend(grouped(
            (digests.len(), threads),
            group,
            |index, result| result == signatures[index],
        )?);
        Ok(contestants)
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
        let spki = |index: usize| keys[index % keys.len()].public_key().to_spki_der();
        let verifiers = peers()?.filter_map(|peer| Some((peer.name, peer.verifier?)));
        let contestants = verifiers.map(|(name, verifier)| {
            contestant(
                name,
                (digests.len(), keys.len() == 1, threads),
                |index| verifier(&spki(index)),
                |verifier, index| verifier.verify(digests[index].as_bytes(), &signatures[index]),
            )
        });
        let mut contestants = contestants.collect::<Result<Vec<_>, _>>()?;
        let group = |groups: &Groups, indices: &[usize]| {
            let keys: Vec<_> = indices.iter().map(|&index| spki(index)).collect();
            let keys = keys.iter().map(|key| &key[..]);
            let operations = keys.zip(indices).map(|(key, &index)| {
                let signature = &signatures[index][..];
                [key, digests[index].as_bytes(), signature]
            });
            (groups.verifying)(&operations.collect::<Vec<_>>())
        };
        contestants.extend(grouped((digests.len(), threads), group, |_, result| {
            result == [1]
        })?);
        Ok(contestants)
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
        let operands = |index: usize| {
            let (base, exponent) = &numbers[index];
            let modulus = &moduli[index % moduli.len()];
            [base, exponent, modulus].map(BoxedUint::to_be_bytes)
        };
        let powers = peers()?.filter_map(|peer| Some((peer.name, peer.power?)));
        let contestants = powers.map(|(name, power)| {
            contestant(
                name,
                (numbers.len(), false, threads),
                |index| {
                    let [base, exponent, modulus] = operands(index);
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
        });
        let mut contestants = contestants.collect::<Result<Vec<_>, _>>()?;
        let group = |groups: &Groups, indices: &[usize]| {
            let operands: Vec<_> = indices.iter().map(|&index| operands(index)).collect();
            let operands = operands
                .iter()
                .map(|numbers| numbers.each_ref().map(|n| &n[..]));
            (groups.powers)(&operands.collect::<Vec<_>>())
        };
        contestants.extend(grouped((numbers.len(), threads), group, |index, power| {
            let expected = results.get(index);
            expected.is_none_or(|expected| power[..] == expected.to_be_bytes()[..])
        })?);
        Ok(contestants)
    }

    /// The curve of a batch.
    fn name<'a>(batch: &CurveBatch<'a>) -> CurveName<'a> {
        CurveName {
            name: batch.keys.curve,
            bits: batch.keys.bits,
        }
    }

    /// A peer's contestant, if it has the curve.
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
        let peers = peers()?.filter_map(|peer| Some((peer.name, peer.curves?)));
        let mut contestants = with_curve(peers.map(|(name, make)| {
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
        }))?;
        let private = |index: usize| &keys.private[index % keys.private.len()][..];
        let group = |groups: &Groups, indices: &[usize]| {
            let operations = indices.iter();
            let operations = operations.map(|&index| [private(index), &messages[index]]);
            let made = (groups.signing_on_curve)(curve, &operations.collect::<Vec<_>>())?;
            let Some(mut group) = made else {
                return Ok(None);
            };
            if indices[0] == 0 {
                group.run()?;
                if !is_right(&messages[0], &group.result(0)) {
                    return Err(PeerError::CryptoMb("Sunzi refuses a signature".to_owned()));
                }
            }
            Ok(Some(group))
        };
        contestants.extend(grouped(
            (messages.len(), threads),
            group,
            |_, signature| !signature.is_empty(),
        )?);
        Ok(contestants)
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
        let peers = peers()?.filter_map(|peer| Some((peer.name, peer.curves?)));
        let spki = |index: usize| &keys.public[index % keys.public.len()][..];
        let mut contestants = with_curve(peers.map(|(name, make)| {
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
        }))?;
        let group = |groups: &Groups, indices: &[usize]| {
            let operation = |&index: &usize| [spki(index), &messages[index], &signatures[index]];
            let operations: Vec<_> = indices.iter().map(operation).collect();
            (groups.verifying_on_curve)(curve, &operations)
        };
        contestants.extend(grouped((messages.len(), threads), group, |_, result| {
            result == [1]
        })?);
        Ok(contestants)
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
        let peers = peers()?.filter_map(|peer| Some((peer.name, peer.curves?)));
        let mut contestants = with_curve(peers.map(|(name, make)| {
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
        }))?;
        let number = |index: usize| &keys.numbers[index % keys.numbers.len()][..];
        let group = |groups: &Groups, indices: &[usize]| {
            let operation = |&index: &usize| [number(index), &points[index][..]];
            let operations: Vec<_> = indices.iter().map(operation).collect();
            (groups.agreeing)(curve, &operations)
        };
        contestants.extend(grouped((points.len(), threads), group, |index, secret| {
            secret == secrets[index]
        })?);
        Ok(contestants)
    }

    /// The peers that have the group. Each result must equal ours.
    pub(in crate::bench) fn in_group<'a>(
        operation: CurveOperation,
        batch: &GroupBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let GroupBatch {
            curve,
            scalars,
            elements,
            encodings,
            results,
            threads,
        } = *batch;
        let is_sum = operation == CurveOperation::Sum;
        // Each thread computes a sum of its own, of all terms.
        let count = if is_sum { threads } else { elements.len() };
        let peers = peers()?.filter_map(|peer| Some((peer.name, peer.pairing_group?)));
        with_curve(peers.map(|(name, group)| {
            let make = |index: usize| match operation {
                CurveOperation::Multiply => {
                    (group.multiply)(curve, [&scalars[index], &elements[index]])
                }
                CurveOperation::Sum => {
                    let terms = scalars.iter().zip(elements);
                    let terms = terms.map(|(scalar, element)| [&scalar[..], &element[..]]);
                    (group.sum)(curve, &terms.collect::<Vec<_>>())
                }
                CurveOperation::Decode => (group.decode)(curve, &encodings[index]),
                CurveOperation::Sign | CurveOperation::Verify | CurveOperation::Agree => Ok(None),
            };
            if make(0).map_err(Failure::from_error)?.is_none() {
                return Ok(None);
            }
            let mut contestant = contestant(
                name,
                (count, false, threads),
                |index| there(make(index)),
                move |computation, index| {
                    let right = &results[if is_sum { 0 } else { index }];
                    Ok(computation.compute()? == *right)
                },
            )?;
            if is_sum {
                contestant.unit *= elements.len();
            }
            Ok(Some(contestant))
        }))
    }

    /// The peers that have pairings on the curve. Each value must equal ours.
    pub(in crate::bench) fn pairings<'a>(
        batch: &PairingBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        let PairingBatch {
            curve,
            g1,
            g2,
            values,
            threads,
        } = *batch;
        let peers = peers()?.filter_map(|peer| Some((peer.name, peer.pairing?)));
        with_curve(peers.map(|(name, pairing)| {
            let make = |index: usize| pairing(curve, [&g1[index], &g2[index]]);
            if make(0).map_err(Failure::from_error)?.is_none() {
                return Ok(None);
            }
            contestant(
                name,
                (values.len(), false, threads),
                |index| there(make(index)),
                move |computation, index| Ok(computation.compute()? == values[index]),
            )
            .map(Some)
        }))
    }
}

#[cfg(feature = "peers")]
pub(super) use compiled_in::{
    agreeing, all, contestant, in_group, pairings, peers, powers, signing, signing_on_curve,
    verifying, verifying_on_curve,
};

#[cfg(not(feature = "peers"))]
mod none {
    use super::{
        CheckSignature, Contestant, CurveBatch, CurveOperation, Failure, GroupBatch, PairingBatch,
        PeerName, PowerBatch, SignatureBatch,
    };

    /// No names, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn all() -> Result<Vec<PeerName>, Failure> {
        Ok(Vec::new())
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

    /// No contestants, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn in_group<'a>(
        _: CurveOperation,
        _: &GroupBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }

    /// No contestants, since no peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
    pub(in crate::bench) fn pairings<'a>(
        _: &PairingBatch<'a>,
    ) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }
}

#[cfg(not(feature = "peers"))]
pub(super) use none::{
    agreeing, all, in_group, pairings, powers, signing, signing_on_curve, verifying,
    verifying_on_curve,
};
