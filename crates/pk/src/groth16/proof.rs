//! Proofs and their encodings.

use super::key::PreparedVerifyingKey;
use crate::ec::pairing::{G2_COMPRESSED_BYTES, G2Element, decode_g2_batch};
use crate::ec::{ElementFormat, GroupElement, PointError, decode_batch};
use sunzi_engine::EngineError;

/// Length of a compressed element of G1 in bytes.
const G1_BYTES: usize = 48;
/// Length of an encoded proof in bytes.
pub const PROOF_BYTES: usize = 2 * G1_BYTES + G2_COMPRESSED_BYTES;

/// A proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// A, of G1 of BLS12-381.
    pub a: GroupElement,
    /// B.
    pub b: G2Element,
    /// C, of G1 of BLS12-381.
    pub c: GroupElement,
}

impl PreparedVerifyingKey {
    /// Proofs from their encodings, one answer for each, in the same order: A, B and C compressed, 192 bytes, as bellman
    /// and arkworks write them.
    ///
    /// # Errors
    /// [`EngineError`] where no device of the engine could compute it: nothing is known about the proofs.
    pub fn decode_proof_batch(
        &self,
        proofs: &[&[u8]],
    ) -> Result<Vec<Result<Proof, PointError>>, EngineError> {
        let in_g1 = proofs.iter().filter(|proof| proof.len() == PROOF_BYTES);
        let in_g2 = in_g1.clone();
        let in_g1 = in_g1.flat_map(|proof| {
            let (a, rest) = proof.split_at(G1_BYTES);
            [a, &rest[G2_COMPRESSED_BYTES..]]
        });
        let in_g2 = in_g2.map(|proof| &proof[G1_BYTES..][..G2_COMPRESSED_BYTES]);
        let curve = self.pairing().g1();
        let in_g1 = decode_batch(curve, ElementFormat::Zcash, &in_g1.collect::<Vec<_>>())?;
        let in_g2 = decode_g2_batch(self.pairing(), &in_g2.collect::<Vec<_>>())?;
        let mut elements = in_g1.chunks(2).zip(in_g2);
        let proof = |bytes: &&[u8]| {
            let wrong_length = PointError::ZcashLength {
                uncompressed: 2 * PROOF_BYTES,
                compressed: PROOF_BYTES,
                given: bytes.len(),
            };
            if bytes.len() != PROOF_BYTES {
                return Err(wrong_length);
            }
            let (in_g1, b) = elements.next().ok_or(wrong_length)?;
            Ok(Proof {
                a: in_g1[0].clone()?,
                b: b?,
                c: in_g1[1].clone()?,
            })
        };
        Ok(proofs.iter().map(proof).collect())
    }
}
