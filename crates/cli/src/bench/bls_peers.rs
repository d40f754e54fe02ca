//! The peers in jobs in G2 of BLS12-381 and with BLS signatures.

use super::job::BlsOperation;
use super::turns::Contestant;
use crate::failure::Failure;
use zeroize::Zeroizing;

/// Operands of the largest batch as peers read them, those that the operation needs.
#[cfg_attr(not(feature = "peers"), expect(dead_code, reason = "for peers"))]
pub(super) struct BlsBatch {
    pub(super) operation: BlsOperation,
    /// The domain separation tag of hashes.
    pub(super) tag: Vec<u8>,
    /// The scalars, big-endian.
    pub(super) scalars: Vec<Vec<u8>>,
    /// Uncompressed elements of G2.
    pub(super) g2: Vec<Vec<u8>>,
    /// The secret keys.
    pub(super) secrets: Vec<Zeroizing<Vec<u8>>>,
    /// The compressed public keys, which the signatures take cyclically.
    pub(super) keys: Vec<Vec<u8>>,
    pub(super) messages: Vec<Vec<u8>>,
    /// The compressed signatures.
    pub(super) signatures: Vec<Vec<u8>>,
    /// The number of threads that share a burst.
    pub(super) threads: usize,
}

/// The peers that have BLS signatures, each with the first `count` operands. Their results must equal ours.
#[cfg(feature = "peers")]
pub(super) fn with_bls<'a>(
    batch: &'a BlsBatch,
    count: usize,
    results: &[Vec<u8>],
) -> Result<Vec<Contestant<'a>>, Failure> {
    use super::peers::{contestant, peers};
    let BlsBatch {
        operation,
        tag,
        scalars,
        g2,
        secrets,
        keys,
        messages,
        signatures,
        threads,
    } = batch;
    let results = results.to_vec();
    let key = |index: usize| &keys[index % keys.len()][..];
    let peers = peers()?.filter_map(|peer| Some((peer.name, peer.bls?, peer.pairing_group?)));
    let contestants = peers.map(|(name, bls, groups)| {
        let results = results.clone();
        let each = (count, false, *threads);
        match operation {
            BlsOperation::Hash | BlsOperation::Multiply => {
                let make = |index: usize| {
                    if *operation == BlsOperation::Hash {
                        return (bls.hash)([&messages[index], tag]);
                    }
                    let operands = [&scalars[index][..], &g2[index]];
                    let made = (groups.multiply)("BLS12-381-G2", operands)?;
                    made.ok_or(sunzi_peers::PeerError::NoCurve)
                };
                contestant(name, each, make, move |computation, index| {
                    Ok(computation.compute()? == results[index])
                })
            }
            BlsOperation::Sign => contestant(
                name,
                each,
                |index| (bls.signer)(&secrets[index], tag),
                move |signer, index| Ok(signer.sign(&messages[index])? == results[index]),
            ),
            BlsOperation::Verify | BlsOperation::VerifyRounds => contestant(
                name,
                (count, keys.len() == 1, *threads),
                |index| (bls.verifier)(key(index), tag),
                |verifier, index| verifier.verify(&messages[index], &signatures[index]),
            ),
            BlsOperation::VerifyTogether | BlsOperation::RoundsTogether => {
                let sets =
                    (0..count).map(|index| [key(index), &messages[index], &signatures[index]]);
                let sets: Vec<_> = sets.collect();
                // Each thread verifies all of them.
                let mut contestant = contestant(
                    name,
                    (*threads, false, *threads),
                    |_| (bls.sets)(tag, &sets),
                    |sets, _| {
                        sets.run()?;
                        Ok(sets.result(0) == [1])
                    },
                )?;
                contestant.unit *= count;
                Ok(contestant)
            }
        }
    });
    contestants.collect()
}

/// No contestants, since no peer is compiled in.
#[cfg(not(feature = "peers"))]
#[allow(clippy::unnecessary_wraps)] // the signature is that of the build with peers
pub(super) fn with_bls<'a>(
    _: &'a BlsBatch,
    _: usize,
    _: &[Vec<u8>],
) -> Result<Vec<Contestant<'a>>, Failure> {
    Ok(Vec::new())
}
