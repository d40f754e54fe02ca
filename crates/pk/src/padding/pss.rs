//! EMSA-PSS (RFC 8017, section 9.1) with MGF1.

use super::mgf1;
use crate::hash::PaddingHash;
use crate::rsa::SaltLen;
use crate::{Digest, Hasher};

/// The last byte of every encoded message.
const TRAILER: u8 = 0xbc;

/// The encoded message, of ceil(`em_bits` / 8) bytes. As an integer it has at most `em_bits` bits,
/// one less than the modulus. `None` if digest, salt and two more bytes do not fit.
pub(crate) fn encode(
    digest: &Digest,
    salt: &[u8],
    mgf1: PaddingHash,
    em_bits: u32,
) -> Option<Vec<u8>> {
    let h_len = digest.as_bytes().len();
    let em_len = em_bits.div_ceil(8) as usize;
    let db_len = em_len.checked_sub(h_len + 1)?;
    let ps_len = db_len.checked_sub(salt.len() + 1)?;

    // DB = PS || 01 || salt, then masked; EM = maskedDB || H || bc.
    let h = salted_hash(digest, salt);
    let mut em = vec![0; ps_len];
    em.push(0x01);
    em.extend_from_slice(salt);
    mgf1::mask(&mut em, h.as_bytes(), mgf1);
    em[0] &= top_byte_mask(em_bits);
    em.extend_from_slice(h.as_bytes());
    em.push(TRAILER);
    debug_assert_eq!(em.len(), em_len);
    Some(em)
}

/// Whether `em`, of ceil(`em_bits` / 8) bytes, encodes the digest with a salt of this length and of no fewer than
/// `least` bytes.
/// Everything here is public, and the time depends on it.
pub(crate) fn verify(
    digest: &Digest,
    em: &[u8],
    mgf1: PaddingHash,
    em_bits: u32,
    salt_len: SaltLen,
    least: usize,
) -> bool {
    debug_assert_eq!(em.len(), em_bits.div_ceil(8) as usize);
    let h_len = digest.as_bytes().len();
    let Some((&TRAILER, rest)) = em.split_last() else {
        return false;
    };
    let Some(db_len) = rest.len().checked_sub(h_len) else {
        return false;
    };
    let (masked_db, h) = rest.split_at(db_len);
    let Some(top) = masked_db.first() else {
        return false;
    };
    if top & !top_byte_mask(em_bits) != 0 {
        return false;
    }
    let mut db = masked_db.to_vec();
    mgf1::mask(&mut db, h, mgf1);
    db[0] &= top_byte_mask(em_bits);

    // PS is the zero bytes at the start; the first nonzero byte must be 01.
    let Some(ps_len) = db.iter().position(|&b| b != 0) else {
        return false;
    };
    if db[ps_len] != 0x01 {
        return false;
    }
    let salt = &db[ps_len + 1..];
    let length_agrees = match salt_len {
        SaltLen::Hash => salt.len() == h_len,
        SaltLen::Bytes(bytes) => salt.len() == bytes,
        SaltLen::Any => true,
    };
    length_agrees && salt.len() >= least && salted_hash(digest, salt).as_bytes() == h
}

/// H = Hash(00 00 00 00 00 00 00 00 || digest || salt)
fn salted_hash(digest: &Digest, salt: &[u8]) -> Digest {
    let mut hasher = Hasher::new(digest.hash());
    hasher.update(&[0; 8]);
    hasher.update(digest.as_bytes());
    hasher.update(salt);
    hasher.finish()
}

/// Mask of the bits that an encoded message of `em_bits` bits may use in its first byte.
fn top_byte_mask(em_bits: u32) -> u8 {
    0xff >> (8 * em_bits.div_ceil(8) - em_bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hash;

    const MGF1: PaddingHash = PaddingHash::Sha1;

    /// Every alignment of the top byte, with salts from empty to the longest that fits.
    #[test]
    fn what_is_encoded_verifies_with_its_salt_length_only() {
        let digest = Hash::Sha256.digest(b"message");
        for em_bits in 1023u32..=1031 {
            let em_len = em_bits.div_ceil(8) as usize;
            let longest = em_len - 34;
            for salt_len in [0, 1, 32, longest] {
                let salt = vec![0; salt_len];
                let em = encode(&digest, &salt, MGF1, em_bits).unwrap();
                assert!(verify(&digest, &em, MGF1, em_bits, SaltLen::Any, salt_len));
                let longer = salt_len + 1;
                assert!(!verify(&digest, &em, MGF1, em_bits, SaltLen::Any, longer));
                assert!(verify(
                    &digest,
                    &em,
                    MGF1,
                    em_bits,
                    SaltLen::Bytes(salt_len),
                    0
                ));
                assert!(!verify(
                    &digest,
                    &em,
                    MGF1,
                    em_bits,
                    SaltLen::Bytes(salt_len + 1),
                    0
                ));
                assert_eq!(
                    verify(&digest, &em, MGF1, em_bits, SaltLen::Hash, 0),
                    salt_len == 32
                );
                assert!(!verify(
                    &Hash::Sha256.digest(b"other"),
                    &em,
                    MGF1,
                    em_bits,
                    SaltLen::Any,
                    0
                ));
            }
            assert_eq!(encode(&digest, &vec![0; longest + 1], MGF1, em_bits), None);
        }
    }

    #[test]
    fn any_changed_bit_is_refused() {
        let digest = Hash::Sha384.digest(b"message");
        for em_bits in [1023u32, 1024, 1025] {
            let em = encode(&digest, &[7; 48], MGF1, em_bits).unwrap();
            for bit in 0..8 * em.len() {
                let mut changed = em.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                assert!(
                    !verify(&digest, &changed, MGF1, em_bits, SaltLen::Any, 0),
                    "bit {bit}"
                );
            }
        }
    }

    #[test]
    fn too_short_to_hold_anything() {
        let digest = Hash::Sha512.digest(b"");
        for em_len in 0..66 {
            let mut em = vec![0; em_len];
            em.fill(TRAILER);
            assert!(!verify(
                &digest,
                &em,
                MGF1,
                8 * em_len as u32,
                SaltLen::Any,
                0
            ));
        }
    }
}
