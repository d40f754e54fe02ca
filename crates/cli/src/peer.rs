//! OpenSSL in `sunzi bench`, when it is compiled in (feature `peers`).

use crate::failure::Failure;
use crypto_bigint::BoxedUint;
use sunzi_pk::Digest;
use sunzi_pk::rsa::PrivateKey;

/// One burst of work: a batch of operations.
pub(crate) type Burst<'a> = Box<dyn FnMut() -> Result<(), Failure> + 'a>;

/// What is to be signed or verified, by everyone alike.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "peers"),
    expect(dead_code, reason = "only the peer needs them all")
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
    expect(dead_code, reason = "only the peer needs them")
)]
pub(crate) struct Powers<'a> {
    /// The moduli: the first for the first numbers, and so on, round and round.
    pub(crate) moduli: &'a [BoxedUint],
    /// Bases and exponents.
    pub(crate) numbers: &'a [(BoxedUint, BoxedUint)],
    /// The powers.
    pub(crate) results: &'a [BoxedUint],
    /// The threads that a burst is spread over.
    pub(crate) threads: usize,
}

#[cfg(feature = "peers")]
mod openssl {
    use super::{Burst, Failure, Powers, Signing};
    use rayon::prelude::*;
    use sunzi_peers::{PeerError, Power, Signer, Verifier};

    /// The peer's name and version.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn name() -> Option<&'static str> {
        Some(sunzi_peers::version())
    }

    fn told(error: &PeerError) -> Failure {
        Failure::new(error.to_string())
    }

    fn wrong() -> Failure {
        Failure::new("OpenSSL and Sunzi disagree about a result: do not use this build")
    }

    /// A burst over shares of equal size, one a thread. `make(index)` prepares an operation,
    /// `run(operation, index)` does it; contexts of one key serve one thread only.
    fn burst<'a, T: Send + 'a>(
        count: usize,
        contexts: usize,
        threads: usize,
        make: impl Fn(usize) -> Result<T, PeerError>,
        run: impl Fn(&mut T, usize) -> Result<bool, PeerError> + Sync + 'a,
    ) -> Result<Burst<'a>, Failure> {
        let share = count.div_ceil(threads).max(1);
        let mut shares = (0..count)
            .step_by(share)
            .map(|start| {
                let made = (0..contexts).map(&make).collect::<Result<Vec<_>, _>>();
                Ok((start, made.map_err(|error| told(&error))?))
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        Ok(Box::new(move || {
            shares.par_iter_mut().try_for_each(|(start, contexts)| {
                for index in *start..(*start + share).min(count) {
                    let context = index % contexts.len();
                    let right = run(&mut contexts[context], index).map_err(|error| told(&error))?;
                    if !right {
                        return Err(wrong());
                    }
                }
                Ok(())
            })
        }))
    }

    /// Signs every digest; each signature must equal ours.
    pub(crate) fn signing<'a>(work: &Signing<'a>) -> Result<Option<Burst<'a>>, Failure> {
        let Signing {
            keys,
            digests,
            signatures,
            threads,
        } = *work;
        let make = |key: usize| Signer::from_pem(keys[key].to_pkcs8_pem().as_bytes());
        burst(
            digests.len(),
            keys.len(),
            threads,
            make,
            move |signer, index| {
                let mut signature = vec![0; signatures[index].len()];
                signer.sign(digests[index].as_bytes(), &mut signature)?;
                Ok(signature == signatures[index])
            },
        )
        .map(Some)
    }

    /// Verifies every signature.
    pub(crate) fn verifying<'a>(work: &Signing<'a>) -> Result<Option<Burst<'a>>, Failure> {
        let Signing {
            keys,
            digests,
            signatures,
            threads,
        } = *work;
        let make = |key: usize| Verifier::from_pem(keys[key].public_key().to_spki_pem().as_bytes());
        burst(
            digests.len(),
            keys.len(),
            threads,
            make,
            move |verifier, index| verifier.verify(digests[index].as_bytes(), &signatures[index]),
        )
        .map(Some)
    }

    /// Computes every power in constant time; each must equal ours.
    pub(crate) fn powers<'a>(work: &Powers<'a>) -> Result<Option<Burst<'a>>, Failure> {
        let Powers {
            moduli,
            numbers,
            results,
            threads,
        } = *work;
        let make = |index: usize| {
            let (base, exponent) = &numbers[index];
            let modulus = &moduli[index % moduli.len()];
            Power::new(
                &base.to_be_bytes(),
                &exponent.to_be_bytes(),
                &modulus.to_be_bytes(),
            )
        };
        burst(
            numbers.len(),
            numbers.len(),
            threads,
            make,
            move |power, index| power.equals(&results[index].to_be_bytes()),
        )
        .map(Some)
    }
}

#[cfg(feature = "peers")]
pub(crate) use openssl::{name, powers, signing, verifying};

#[cfg(not(feature = "peers"))]
mod none {
    use super::{Burst, Failure, Powers, Signing};

    /// No peer is compiled in.
    pub(crate) fn name() -> Option<&'static str> {
        None
    }

    /// No peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn signing<'a>(_: &Signing<'a>) -> Result<Option<Burst<'a>>, Failure> {
        Ok(None)
    }

    /// No peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn verifying<'a>(_: &Signing<'a>) -> Result<Option<Burst<'a>>, Failure> {
        Ok(None)
    }

    /// No peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn powers<'a>(_: &Powers<'a>) -> Result<Option<Burst<'a>>, Failure> {
        Ok(None)
    }
}

#[cfg(not(feature = "peers"))]
pub(crate) use none::{name, powers, signing, verifying};
