//! The result of a key agreement.

use core::fmt;
use zeroize::Zeroizing;

/// A coordinate of the common point, as long as the curve's prime: x, big-endian, or u of X25519 and X448,
/// little-endian; wiped on drop.
pub struct SharedSecret(Zeroizing<Vec<u8>>);

impl SharedSecret {
    pub(super) fn new(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(bytes)
    }

    /// The bytes, from which keys are to be derived.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SharedSecret {
    /// Shows nothing of the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSecret").finish_non_exhaustive()
    }
}
