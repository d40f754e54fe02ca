//! EME-PKCS1-v1_5 (RFC 8017, section 7.2), with implicit rejection.
//!
//! EM = 00 || 02 || eight or more nonzero random bytes || 00 || message. An attacker who learns
//! whether chosen ciphertexts decrypt to this form can decrypt any other ciphertext
//! (Bleichenbacher, 1998), and an error would reveal it. So decoding never fails: a wrong encoding
//! decodes to a
//! *synthetic* message, a pseudo-random function of the key and the ciphertext, which cannot be
//! told from a real message by its length or its bytes. This is draft-irtf-cfrg-rsa-guidance,
//! section 7 ("Implicit rejection"), and gives the same messages as OpenSSL since version 3.2.

use crate::Hash;
use crate::hash::PaddingHash;
use crypto_bigint::{Choice, CtAssign, CtEq, CtLt, CtSelect};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// Bytes of an encoding that are not message: 00, 02, at least eight bytes of padding, and 00.
const OVERHEAD: usize = 11;

/// Length in bytes of the longest message that fits an encoding of `em_len` bytes, the length of
/// the modulus.
pub(crate) fn max_message(em_len: usize) -> usize {
    em_len - OVERHEAD
}

/// Number of nonzero random bytes that [`encode`] needs for this message.
pub(crate) fn padding_len(message: &[u8], em_len: usize) -> usize {
    em_len - message.len() - 3
}

/// The encoded message: 00 || 02 || padding || 00 || message.
pub(crate) fn encode(message: &[u8], padding: &[u8]) -> Zeroizing<Vec<u8>> {
    debug_assert!(padding.len() >= 8 && !padding.contains(&0));
    Zeroizing::new([&[0x00, 0x02], padding, &[0x00], message].concat())
}

/// The secret from which one private key's synthetic messages are derived: SHA-256(d), with d as
/// long as the modulus.
pub(crate) struct RejectionKey(Zeroizing<Vec<u8>>);

impl RejectionKey {
    /// The secret for a private exponent, big-endian and as long as the modulus.
    pub(crate) fn new(d: &[u8]) -> Self {
        Self(PaddingHash::Strong(Hash::Sha256).digest(d))
    }

    /// The key derivation key of one ciphertext: HMAC(SHA-256(d), ciphertext).
    fn derive(&self, ciphertext: &[u8]) -> Zeroizing<[u8; 32]> {
        hmac(&self.0, &[ciphertext])
    }
}

/// The message in `em`, the encoding that the ciphertext decrypted to, or the synthetic message if
/// the encoding is wrong. Time and memory access depend on the length of the result only, not on
/// which of the two it is.
#[inline(never)]
pub(crate) fn decode(em: &[u8], key: &RejectionKey, ciphertext: &[u8]) -> Zeroizing<Vec<u8>> {
    debug_assert_eq!(em.len(), ciphertext.len());
    let kdk = key.derive(ciphertext);
    let synthetic = expand(&kdk, b"message", em.len());
    let synthetic_start = em.len() as u32 - u32::from(synthetic_len(&kdk, em.len()));

    let mut good = em[0].ct_eq(&0) & em[1].ct_eq(&2);
    // Position of the first zero byte after the second, or 0 if there is none.
    let mut zero = 0u32;
    let mut found = Choice::FALSE;
    for (position, byte) in (0u32..).zip(em).skip(2) {
        let ends_padding = byte.ct_eq(&0) & !found;
        zero.ct_assign(&position, ends_padding);
        found |= ends_padding;
    }
    good &= !zero.ct_lt(&(OVERHEAD as u32 - 1));

    let start = synthetic_start.ct_select(&(zero + 1), good);
    let mut message = synthetic;
    for (byte, real) in message.iter_mut().zip(em) {
        byte.ct_assign(real, good);
    }
    Zeroizing::new(message[start as usize..].to_vec())
}

/// Length in bytes of the synthetic message: the last of 128 candidates that is in range, each
/// with as many bits as the bound has. It is 0 if none is in range, with probability below 2^-128.
fn synthetic_len(kdk: &[u8; 32], em_len: usize) -> u16 {
    let bound = (max_message(em_len) + 1) as u16;
    let mask = (bound.next_power_of_two() - 1) | bound;
    let mut len = 0;
    for candidate in expand(kdk, b"length", 256).chunks_exact(2) {
        let candidate = u16::from_be_bytes([candidate[0], candidate[1]]) & mask;
        len.ct_assign(&candidate, candidate.ct_lt(&bound));
    }
    len
}

/// The draft's pseudo-random function: the first `len` bytes of HMAC(kdk, i || label || 8 `len`)
/// for i = 0, 1, ..., where both numbers have two bytes.
fn expand(kdk: &[u8; 32], label: &[u8], len: usize) -> Zeroizing<Vec<u8>> {
    let bits = (8 * len as u16).to_be_bytes();
    let mut bytes = Zeroizing::new(vec![0; len]);
    for (i, piece) in (0u16..).zip(bytes.chunks_mut(32)) {
        let block = hmac(kdk, &[&i.to_be_bytes(), label, &bits]);
        piece.copy_from_slice(&block[..piece.len()]);
    }
    bytes
}

/// HMAC-SHA-256 of the concatenated parts.
fn hmac(key: &[u8], parts: &[&[u8]]) -> Zeroizing<[u8; 32]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    Zeroizing::new(mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CIPHERTEXT: [u8; 128] = [0xc1; 128];

    fn key() -> RejectionKey {
        RejectionKey::new(&[0xd; 128])
    }

    fn decoded(em: &[u8]) -> Vec<u8> {
        decode(em, &key(), &CIPHERTEXT).to_vec()
    }

    #[test]
    fn messages_of_every_length() {
        for len in 0..=max_message(128) {
            let message: Vec<_> = (0..len).map(|i| (i % 2) as u8).collect();
            let padding = vec![0x5a; padding_len(&message, 128)];
            let em = encode(&message, &padding);
            assert_eq!(em.len(), 128);
            assert_eq!(decoded(&em), message);
        }
        assert_eq!(max_message(128), 117);
    }

    /// All wrong encodings give the same message, which depends on the key and the ciphertext.
    #[test]
    fn defects_are_not_told_apart() {
        let message = [9; 20];
        let good = encode(&message, &[0x5a; 105]);
        let synthetic = decoded(&[0xff; 128]);
        assert_ne!(synthetic, message);
        let with = |position: usize, value: u8| {
            let mut em = good.to_vec();
            em[position] = value;
            em
        };
        for value in 0..=255 {
            for position in [0, 1] {
                let em = with(position, value);
                let expected = if em == *good {
                    &message[..]
                } else {
                    &synthetic
                };
                assert_eq!(decoded(&em), expected, "{position}: {value}");
            }
        }
        for position in 2..10 {
            assert_eq!(decoded(&with(position, 0)), synthetic);
        }
        assert_eq!(decoded(&with(10, 0)), good[11..]);
        let mut no_zero = vec![1; 128];
        no_zero[..2].copy_from_slice(&[0, 2]);
        assert_eq!(decoded(&no_zero), synthetic);

        let mut other = CIPHERTEXT;
        other[127] ^= 1;
        assert_ne!(decode(&[0xff; 128], &key(), &other).to_vec(), synthetic);
        let key = RejectionKey::new(&[0xe; 128]);
        assert_ne!(decode(&[0xff; 128], &key, &CIPHERTEXT).to_vec(), synthetic);
    }

    /// The lengths of synthetic messages cover the whole range, the ends included.
    #[test]
    fn synthetic_lengths() {
        for em_len in [128, 256, 257, 512, 2048] {
            let max = max_message(em_len);
            let mut seen = vec![0u32; max + 1];
            for i in 0..20 * max as u32 {
                let kdk = hmac(&i.to_be_bytes(), &[]);
                seen[usize::from(synthetic_len(&kdk, em_len))] += 1;
            }
            let missing = seen.iter().filter(|&&count| count == 0).count();
            assert_eq!(missing, 0, "{em_len}");
        }
    }
}
