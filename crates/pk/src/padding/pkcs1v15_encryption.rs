//! EME-PKCS1-v1_5 (RFC 8017, section 7.2), with implicit rejection.
//!
//! EM = 00 || 02 || eight or more random bytes that are not zero || 00 || message. Whoever learns
//! whether some ciphertext has this form decrypts any other with it (Bleichenbacher, 1998), and an
//! error tells. So there is none: what is wrong decodes to a message that is made up, the same
//! one whenever the same key meets the same ciphertext, and neither its length nor its bytes tell
//! it from a right one. This is draft-irtf-cfrg-rsa-guidance, section 7 ("Implicit rejection"),
//! and, message for message, what OpenSSL does since version 3.2.

use crate::Hash;
use crate::hash::PaddingHash;
use crypto_bigint::{Choice, CtAssign, CtEq, CtLt, CtSelect};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// Bytes of an encoding that are no message: 00, 02, eight bytes of padding and 00.
const OVERHEAD: usize = 11;

/// The longest message in an encoding of `em_len` bytes, the modulus' length.
pub(crate) fn max_message(em_len: usize) -> usize {
    em_len - OVERHEAD
}

/// How many random bytes, none of them zero, [`encode`] wants for this message.
pub(crate) fn padding_len(message: &[u8], em_len: usize) -> usize {
    em_len - message.len() - 3
}

/// 00 || 02 || padding || 00 || message.
pub(crate) fn encode(message: &[u8], padding: &[u8]) -> Zeroizing<Vec<u8>> {
    debug_assert!(padding.len() >= 8 && !padding.contains(&0));
    Zeroizing::new([&[0x00, 0x02], padding, &[0x00], message].concat())
}

/// What makes up the messages of one private key: SHA-256(d), with d as long as the modulus.
pub(crate) struct RejectionKey(Zeroizing<Vec<u8>>);

impl RejectionKey {
    /// From the private exponent, big-endian and as long as the modulus.
    pub(crate) fn new(d: &[u8]) -> Self {
        Self(PaddingHash::Strong(Hash::Sha256).digest(d))
    }

    /// The key derivation key of one ciphertext: HMAC(SHA-256(d), ciphertext).
    fn derive(&self, ciphertext: &[u8]) -> Zeroizing<[u8; 32]> {
        hmac(&self.0, &[ciphertext])
    }
}

/// The message in the encoding that the ciphertext decrypted to, or the one that is made up. Of
/// both, time and memory access depend on the length of the one that is returned only.
pub(crate) fn decode(em: &[u8], key: &RejectionKey, ciphertext: &[u8]) -> Zeroizing<Vec<u8>> {
    debug_assert_eq!(em.len(), ciphertext.len());
    let kdk = key.derive(ciphertext);
    let made_up = expand(&kdk, b"message", em.len());
    let made_up_start = em.len() as u32 - u32::from(made_up_len(&kdk, em.len()));

    let mut good = em[0].ct_eq(&0) & em[1].ct_eq(&2);
    // Where the first zero byte of the rest is, or 0.
    let mut zero = 0u32;
    let mut found = Choice::FALSE;
    for (position, byte) in (0u32..).zip(em).skip(2) {
        let ends_padding = byte.ct_eq(&0) & !found;
        zero.ct_assign(&position, ends_padding);
        found |= ends_padding;
    }
    good &= !zero.ct_lt(&(OVERHEAD as u32 - 1));

    let start = made_up_start.ct_select(&(zero + 1), good);
    let mut message = made_up;
    for (byte, real) in message.iter_mut().zip(em) {
        byte.ct_assign(real, good);
    }
    Zeroizing::new(message[start as usize..].to_vec())
}

/// How long the made-up message is: the last of 128 candidates that is in range, each of as many
/// bits as the bound has, or 0, which happens less often than once in 2^128 messages.
fn made_up_len(kdk: &[u8; 32], em_len: usize) -> u16 {
    let bound = (max_message(em_len) + 1) as u16;
    let mask = (bound.next_power_of_two() - 1) | bound;
    let mut len = 0;
    for candidate in expand(kdk, b"length", 256).chunks_exact(2) {
        let candidate = u16::from_be_bytes([candidate[0], candidate[1]]) & mask;
        len.ct_assign(&candidate, candidate.ct_lt(&bound));
    }
    len
}

/// The draft's pseudo-random function: `len` bytes of HMAC(kdk, i || label || 8 `len`) for
/// i = 0, 1, ..., both numbers of two bytes.
fn expand(kdk: &[u8; 32], label: &[u8], len: usize) -> Zeroizing<Vec<u8>> {
    let bits = (8 * len as u16).to_be_bytes();
    let mut bytes = Zeroizing::new(vec![0; len]);
    for (i, piece) in (0u16..).zip(bytes.chunks_mut(32)) {
        let block = hmac(kdk, &[&i.to_be_bytes(), label, &bits]);
        piece.copy_from_slice(&block[..piece.len()]);
    }
    bytes
}

/// HMAC-SHA-256 of the parts, one after the other.
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

    /// Wrong encodings of all kinds give one and the same message, which depends on the key and
    /// the ciphertext.
    #[test]
    fn defects_are_not_told_apart() {
        let message = [9; 20];
        let good = encode(&message, &[0x5a; 105]);
        let made_up = decoded(&[0xff; 128]);
        assert_ne!(made_up, message);
        let with = |position: usize, value: u8| {
            let mut em = good.to_vec();
            em[position] = value;
            em
        };
        for value in 0..=255 {
            for position in [0, 1] {
                let em = with(position, value);
                let expected = if em == *good { &message[..] } else { &made_up };
                assert_eq!(decoded(&em), expected, "{position}: {value}");
            }
        }
        for position in 2..10 {
            assert_eq!(decoded(&with(position, 0)), made_up);
        }
        assert_eq!(decoded(&with(10, 0)), good[11..]);
        let mut no_zero = vec![1; 128];
        no_zero[..2].copy_from_slice(&[0, 2]);
        assert_eq!(decoded(&no_zero), made_up);

        let mut other = CIPHERTEXT;
        other[127] ^= 1;
        assert_ne!(decode(&[0xff; 128], &key(), &other).to_vec(), made_up);
        let key = RejectionKey::new(&[0xe; 128]);
        assert_ne!(decode(&[0xff; 128], &key, &CIPHERTEXT).to_vec(), made_up);
    }

    /// Made-up lengths are spread over the whole range, the ends included.
    #[test]
    fn made_up_lengths() {
        for em_len in [128, 256, 257, 512, 2048] {
            let max = max_message(em_len);
            let mut seen = vec![0u32; max + 1];
            for i in 0..20 * max as u32 {
                let kdk = hmac(&i.to_be_bytes(), &[]);
                seen[usize::from(made_up_len(&kdk, em_len))] += 1;
            }
            let missing = seen.iter().filter(|&&count| count == 0).count();
            assert_eq!(missing, 0, "{em_len}");
        }
    }
}
