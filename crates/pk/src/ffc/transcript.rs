//! Challenges of non-interactive proofs (Fiat and Shamir, 1986).

use super::Group;
use crypto_bigint::{BoxedUint, Resize};
use sha2::{Digest, Sha256};

/// A hash over all parts of a proof. Each part has its length before it, so that different parts never give the same
/// text.
pub(super) struct Transcript(Sha256);

impl Transcript {
    /// A transcript for a kind of proofs in a group, in the context that the caller names.
    pub(super) fn new(kind: &str, group: &Group, context: &[u8]) -> Self {
        let mut transcript = Self(Sha256::new());
        transcript.add(kind.as_bytes());
        for number in [group.p(), group.q(), group.g()] {
            transcript.number(number);
        }
        transcript.add(context);
        transcript
    }

    fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Appends a public number.
    pub(super) fn number(&mut self, number: &BoxedUint) {
        self.add(&number.to_be_bytes_trimmed_vartime());
    }

    /// The challenge: the digest as a number modulo q, in the precision of q.
    pub(super) fn challenge(self, group: &Group) -> BoxedUint {
        let digest: [u8; 32] = self.0.finalize().into();
        let bits = group.q().bits_precision().max(256);
        let number = BoxedUint::from_be_slice_truncated(&digest, bits);
        Resize::resize(
            &number.rem_vartime(group.order()),
            group.q().bits_precision(),
        )
    }
}
