//! OpenSSL in `sunzi bench`, when it is compiled in (feature `peers`).

use crate::failure::Failure;
use sunzi_pk::Digest;
use sunzi_pk::rsa::PrivateKey;

/// One burst of work: an operation for each digest.
pub(crate) type Burst<'a> = Box<dyn FnMut() -> Result<(), Failure> + 'a>;

/// What is to be signed or verified, by everyone alike.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(feature = "peers"),
    expect(dead_code, reason = "only the peer needs them all")
)]
pub(crate) struct Workload<'a> {
    /// The key.
    pub(crate) key: &'a PrivateKey,
    /// SHA-256 digests.
    pub(crate) digests: &'a [Digest],
    /// Their PKCS#1 v1.5 signatures.
    pub(crate) signatures: &'a [Vec<u8>],
    /// The threads that a burst is spread over.
    pub(crate) threads: usize,
}

#[cfg(feature = "peers")]
mod openssl {
    use super::{Burst, Failure, Workload};
    use rayon::prelude::*;
    use sunzi_peers::{PeerError, Signer, Verifier};

    /// The peer's name and version.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn name() -> Option<&'static str> {
        Some(sunzi_peers::version())
    }

    fn told(error: &PeerError) -> Failure {
        Failure::new(error.to_string())
    }

    fn wrong() -> Failure {
        Failure::new("OpenSSL and Sunzi disagree about a signature: do not use this build")
    }

    /// Signs every digest; each signature must equal ours.
    pub(crate) fn signing<'a>(work: &Workload<'a>) -> Result<Option<Burst<'a>>, Failure> {
        let pem = work.key.to_pkcs8_pem();
        let mut signers = (0..work.threads)
            .map(|_| Signer::from_pem(pem.as_bytes()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| told(&error))?;
        let Workload {
            digests,
            signatures,
            threads,
            ..
        } = *work;
        let share = digests.len().div_ceil(threads);
        Ok(Some(Box::new(move || {
            signers
                .par_iter_mut()
                .zip(digests.par_chunks(share).zip(signatures.par_chunks(share)))
                .try_for_each(|(signer, (digests, signatures))| {
                    for (digest, expected) in digests.iter().zip(signatures) {
                        let mut signature = vec![0; expected.len()];
                        signer
                            .sign(digest.as_bytes(), &mut signature)
                            .map_err(|error| told(&error))?;
                        if signature != *expected {
                            return Err(wrong());
                        }
                    }
                    Ok(())
                })
        })))
    }

    /// Verifies every signature.
    pub(crate) fn verifying<'a>(work: &Workload<'a>) -> Result<Option<Burst<'a>>, Failure> {
        let pem = work.key.public_key().to_spki_pem();
        let mut verifiers = (0..work.threads)
            .map(|_| Verifier::from_pem(pem.as_bytes()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| told(&error))?;
        let Workload {
            digests,
            signatures,
            threads,
            ..
        } = *work;
        let share = digests.len().div_ceil(threads);
        Ok(Some(Box::new(move || {
            verifiers
                .par_iter_mut()
                .zip(digests.par_chunks(share).zip(signatures.par_chunks(share)))
                .try_for_each(|(verifier, (digests, signatures))| {
                    for (digest, signature) in digests.iter().zip(signatures) {
                        let valid = verifier
                            .verify(digest.as_bytes(), signature)
                            .map_err(|error| told(&error))?;
                        if !valid {
                            return Err(wrong());
                        }
                    }
                    Ok(())
                })
        })))
    }
}

#[cfg(feature = "peers")]
pub(crate) use openssl::{name, signing, verifying};

#[cfg(not(feature = "peers"))]
mod none {
    use super::{Burst, Failure, Workload};

    /// No peer is compiled in.
    pub(crate) fn name() -> Option<&'static str> {
        None
    }

    /// No peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn signing<'a>(_: &Workload<'a>) -> Result<Option<Burst<'a>>, Failure> {
        Ok(None)
    }

    /// No peer is compiled in.
    #[allow(clippy::unnecessary_wraps)] // the signature is the other build's
    pub(crate) fn verifying<'a>(_: &Workload<'a>) -> Result<Option<Burst<'a>>, Failure> {
        Ok(None)
    }
}

#[cfg(not(feature = "peers"))]
pub(crate) use none::{name, signing, verifying};
