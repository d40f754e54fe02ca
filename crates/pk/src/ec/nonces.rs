//! The source of the nonces of signatures.

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

/// The source of nonces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NonceKind {
    /// From key and message alone (ECDSA: RFC 6979; EdDSA: RFC 8032; BIP 340: auxiliary data of zeros): a message
    /// always gets the same signature.
    #[default]
    Deterministic,
    /// From key, message and fresh randomness (ECDSA: RFC 6979, section 3.6; EdDSA:
    /// draft-irtf-cfrg-det-sigs-with-noise-05, section 3; BIP 340: auxiliary data): attacks that compare faulty or
    /// observed computations of one message do not apply. Should the randomness be known or repeat, nonces are as
    /// secret as deterministic ones. Signatures are verified as any others.
    Hedged,
}

/// The generator of random numbers has failed.
pub(crate) struct NoRandomness;

impl NonceKind {
    /// Fresh randomness of this many bytes for a nonce; `None` if it is deterministic.
    pub(crate) fn noise<R: TryCryptoRng + ?Sized>(
        self,
        rng: &mut R,
        bytes: usize,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, NoRandomness> {
        match self {
            Self::Deterministic => Ok(None),
            Self::Hedged => {
                let mut noise = Zeroizing::new(vec![0; bytes]);
                rng.try_fill_bytes(&mut noise).map_err(|_| NoRandomness)?;
                Ok(Some(noise))
            }
        }
    }
}
