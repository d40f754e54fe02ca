//! EME-OAEP (RFC 8017, section 7.1).
//!
//! EM = 00 || (seed xor MGF1(maskedDB)) || maskedDB, with maskedDB = DB xor MGF1(seed) and
//! DB = Hash(label) || 00..00 || 01 || message. Decoding reveals only whether the whole encoding
//! was right and, if so, the length of the message. An attacker who can tell a wrong first byte
//! from other errors decrypts any ciphertext with about a thousand queries (Manger, 2001).

use super::mgf1;
use crate::hash::PaddingHash;
use crypto_bigint::{Choice, CtAssign, CtEq};
use zeroize::Zeroizing;

/// Length in bytes of the longest message that fits an encoding of `em_len` bytes, the length of
/// the modulus: two digests and two bytes less. `None` if not even the empty message fits.
pub(crate) fn max_message(hash: PaddingHash, em_len: usize) -> Option<usize> {
    em_len.checked_sub(2 * hash.digest_len() + 2)
}

/// The encoded message, of `em_len` bytes. `seed` must be fresh random bytes, as many as a digest
/// has; the message must be no longer than [`max_message`].
pub(crate) fn encode(
    message: &[u8],
    label: &[u8],
    seed: &[u8],
    hash: PaddingHash,
    mgf1: PaddingHash,
    em_len: usize,
) -> Zeroizing<Vec<u8>> {
    debug_assert_eq!(seed.len(), hash.digest_len());
    debug_assert!(max_message(hash, em_len).is_some_and(|max| message.len() <= max));
    let mut em = Zeroizing::new(vec![0; em_len]);
    let (masked_seed, db) = em[1..].split_at_mut(seed.len());
    masked_seed.copy_from_slice(seed);
    db[..hash.digest_len()].copy_from_slice(&hash.digest(label));
    let start = db.len() - message.len();
    db[start - 1] = 0x01;
    db[start..].copy_from_slice(message);
    mgf1::mask(db, seed, mgf1);
    mgf1::mask(masked_seed, db, mgf1);
    em
}

/// The message in an encoding, or `None` if anything in the encoding is wrong. The encoding is
/// unmasked in place. Time and memory access depend on the result only: on whether there is a
/// message, and on its length.
pub(crate) fn decode(
    em: &mut [u8],
    label: &[u8],
    hash: PaddingHash,
    mgf1: PaddingHash,
) -> Option<Zeroizing<Vec<u8>>> {
    debug_assert!(max_message(hash, em.len()).is_some());
    let (first, rest) = em.split_first_mut()?;
    let (seed, db) = rest.split_at_mut(hash.digest_len());
    mgf1::mask(seed, db, mgf1);
    mgf1::mask(db, seed, mgf1);
    let (label_digest, padded) = db.split_at(hash.digest_len());

    let mut good = first.ct_eq(&0) & label_digest.ct_eq(&hash.digest(label)[..]);
    // The first byte that is not zero must be 01; the message starts after it.
    let mut start = 0u32;
    let mut found = Choice::FALSE;
    for (next, byte) in (1u32..).zip(padded.iter()) {
        let ends_zeros = byte.ct_ne(&0) & !found;
        good &= byte.ct_eq(&1) | !ends_zeros;
        start.ct_assign(&next, ends_zeros);
        found |= ends_zeros;
    }
    good &= found;
    good.to_bool()
        .then(|| Zeroizing::new(padded[start as usize..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hash;

    const SHA1: PaddingHash = PaddingHash::Sha1;
    const SHA256: PaddingHash = PaddingHash::Strong(Hash::Sha256);

    fn decoded(em: &[u8], label: &[u8], hash: PaddingHash, mgf1: PaddingHash) -> Option<Vec<u8>> {
        decode(&mut em.to_vec(), label, hash, mgf1).map(|message| message.to_vec())
    }

    #[test]
    fn what_is_encoded_decodes_with_the_same_parameters_only() {
        for hash in PaddingHash::all() {
            for mgf1 in [SHA1, SHA256, hash] {
                for em_len in [
                    2 * hash.digest_len() + 2,
                    2 * hash.digest_len() + 3,
                    256,
                    257,
                ] {
                    let max = max_message(hash, em_len).unwrap();
                    for len in [0, 1.min(max), max / 2, max] {
                        let message: Vec<_> = (0..len).map(|i| (i % 3) as u8).collect();
                        let seed = vec![7; hash.digest_len()];
                        let em = encode(&message, b"label", &seed, hash, mgf1, em_len);
                        assert_eq!((em.len(), em[0]), (em_len, 0));
                        assert_eq!(decoded(&em, b"label", hash, mgf1), Some(message));
                        assert_eq!(decoded(&em, b"", hash, mgf1), None);
                        let other = if mgf1 == SHA1 { SHA256 } else { SHA1 };
                        assert_eq!(decoded(&em, b"label", hash, other), None);
                    }
                }
            }
        }
        assert_eq!(max_message(SHA256, 65), None);
    }

    /// An encoding with an arbitrary first byte and data block.
    fn masked(first: u8, db: &[u8]) -> Vec<u8> {
        let mut em = [&[first; 1][..], &[9; 32], db].concat();
        let (seed, db) = em[1..].split_at_mut(32);
        mgf1::mask(db, seed, SHA1);
        mgf1::mask(seed, db, SHA1);
        em
    }

    #[test]
    fn every_single_defect_is_refused() {
        let good = [&SHA256.digest(b"")[..], &[0, 0, 0, 1, 0, 5]].concat();
        let decode = |first, db: &[u8]| decoded(&masked(first, db), b"", SHA256, SHA1);
        assert_eq!(decode(0, &good), Some(vec![0, 5]));
        for first in 1..=255 {
            assert_eq!(decode(first, &good), None);
        }
        // Any other value in the label's digest, the zeros or the separator is an error, with one
        // exception: a 01 among the zeros is an earlier separator.
        for position in 0..36 {
            for value in 0..=255 {
                let mut db = good.clone();
                if db[position] == value {
                    continue;
                }
                db[position] = value;
                let expected = ((32..35).contains(&position) && value == 1)
                    .then(|| good[position + 1..].to_vec());
                assert_eq!(decode(0, &db), expected, "{position}: {value}");
            }
        }
        let no_separator = [&SHA256.digest(b"")[..], &[0; 6]].concat();
        assert_eq!(decode(0, &no_separator), None);
        let all_message = [&SHA256.digest(b"")[..], &[1]].concat();
        assert_eq!(decode(0, &all_message), Some(vec![]));
    }
}
