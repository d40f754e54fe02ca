//! OpenSSL, AWS-LC and GMP in `sunzi bench`, when they are compiled in (feature `peers`).

use crate::bench::turns::Contestant;
use crate::failure::Failure;
use crypto_bigint::BoxedUint;
use sunzi_pk::Digest;
use sunzi_pk::rsa::PrivateKey;
use zeroize::Zeroizing;

/// What is to be signed or verified, by everyone alike.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "peers"),
    expect(dead_code, reason = "only the peers need them all")
)]
pub(crate) struct Signing<'a> {
    /// The keys: the first for the first digest, and so on, round and round.
    pub(crate) keys: &'a [PrivateKey],
    /// SHA-256 digests.
    pub(crate) digests: &'a [Digest],
    /// Their PKCS#1 v1.5 signatures.
    pub(crate) signatures: &'a [Vec<u8>],
    /// The threads that a burst is spread over.
    pub(crate) threads: usize,
}

/// What powers are to be computed, by everyone alike.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "peers"),
    expect(dead_code, reason = "only the peers need them")
)]
pub(crate) struct Powers<'a> {
    /// The moduli: the first for the first numbers, and so on, round and round.
    pub(crate) moduli: &'a [BoxedUint],
    /// Bases and exponents.
    pub(crate) numbers: &'a [(BoxedUint, BoxedUint)],
    /// The powers, of as many as are to be compared.
    pub(crate) results: &'a [Zeroizing<BoxedUint>],
    /// The threads that a burst is spread over.
    pub(crate) threads: usize,
}

/// A peer, named.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// Name and version.
    pub(crate) name: String,
    /// A word for it.
    pub(crate) short: &'static str,
}

#[cfg(feature = "peers")]
mod compiled_in {
    use super::{BoxedUint, Contestant, Failure, Named, Powers, Signing};
    use rayon::prelude::*;
    use sunzi_peers::PeerError;

    /// Everyone who is compiled in.
    pub(crate) fn all() -> Vec<Named> {
        let named = |peer: sunzi_peers::Peer| Named {
            name: peer.name,
            short: peer.short,
        };
        sunzi_peers::all().into_iter().map(named).collect()
    }

    fn told(error: &PeerError) -> Failure {
        Failure::new(error.to_string())
    }

    /// What a thread has to do: every so-manieth operation of the batch, round and round.
    struct Share<T> {
        /// One for all operations, or one for each.
        contexts: Vec<T>,
        operations: Vec<usize>,
        next: usize,
    }

    /// A peer that does `count` operations round and round, one after another on each thread.
    /// `make(index)` prepares an operation, or all if they have `one_context`;
    /// `run(context, index)` does it, and tells whether the result is right.
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
            Ok(Share {
                contexts: made.collect::<Result<_, _>>()?,
                operations,
                next: 0,
            })
        };
        let shares = (0..unit).map(share).collect::<Result<Vec<_>, _>>();
        let mut shares = shares.map_err(|error| told(&error))?;
        let wrong = format!("{name} and Sunzi disagree about a result: do not use this build");
        Ok(Contestant {
            name,
            unit,
            work: Box::new(move |repetitions| {
                shares.par_iter_mut().try_for_each(|share| {
                    for _ in 0..repetitions {
                        let context = share.next % share.contexts.len();
                        let index = share.operations[share.next];
                        share.next = (share.next + 1) % share.operations.len();
                        let right = run(&mut share.contexts[context], index);
                        if !right.map_err(|error| told(&error))? {
                            return Err(Failure::new(wrong.clone()));
                        }
                    }
                    Ok(())
                })
            }),
        })
    }

    /// Those who sign: each signature must equal ours.
    pub(crate) fn signing<'a>(work: &Signing<'a>) -> Result<Vec<Contestant<'a>>, Failure> {
        let Signing {
            keys,
            digests,
            signatures,
            threads,
        } = *work;
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

    /// Those who verify.
    pub(crate) fn verifying<'a>(work: &Signing<'a>) -> Result<Vec<Contestant<'a>>, Failure> {
        let Signing {
            keys,
            digests,
            signatures,
            threads,
        } = *work;
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

    /// Those who compute powers: each of which we know the result must equal it.
    pub(crate) fn powers<'a>(work: &Powers<'a>) -> Result<Vec<Contestant<'a>>, Failure> {
        let Powers {
            moduli,
            numbers,
            results,
            threads,
        } = *work;
        let powers = sunzi_peers::all().into_iter();
        powers
            .map(|peer| {
                contestant(
                    peer.name,
                    (numbers.len(), false, threads),
                    |index| {
                        let (base, exponent) = &numbers[index];
                        let modulus = &moduli[index % moduli.len()];
                        let [base, exponent, modulus] =
                            [base, exponent, modulus].map(BoxedUint::to_be_bytes);
                        (peer.power)(&base, &exponent, &modulus)
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
}

#[cfg(feature = "peers")]
pub(crate) use compiled_in::{all, powers, signing, verifying};

#[cfg(not(feature = "peers"))]
mod none {
    use super::{Contestant, Failure, Named, Powers, Signing};

    /// No peer is compiled in.
    pub(crate) fn all() -> Vec<Named> {
        Vec::new()
    }

    /// No peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn signing<'a>(_: &Signing<'a>) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }

    /// No peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn verifying<'a>(_: &Signing<'a>) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }

    /// No peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn powers<'a>(_: &Powers<'a>) -> Result<Vec<Contestant<'a>>, Failure> {
        Ok(Vec::new())
    }
}

#[cfg(not(feature = "peers"))]
pub(crate) use none::{all, powers, signing, verifying};
