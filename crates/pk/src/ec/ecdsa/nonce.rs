//! Nonces from key and digest (RFC 6979).

use super::super::curve::Curve;
use super::super::point::to_bytes;
use crate::{Digest, Hash};
use crypto_bigint::{BoxedUint, U576};
use rfc6979::KGenerator;
use zeroize::Zeroizing;

/// The nonce for a key (big-endian, as long as the order) and a digest, with further data that may be
/// fresh randomness (RFC 6979, sections 3.2 and 3.6): a number from 1 to the order less 1, as precise
/// as the order. It is the one after `skipped` others, which gave no signature.
///
/// The time depends on how many candidates are not below the order, which tells nothing about the
/// one that is.
///
/// What the generator leaves on the stack, the caller wipes.
pub(super) fn nonce(
    curve: &Curve,
    key: &[u8],
    digest: &Digest,
    data: &[u8],
    skipped: usize,
) -> Zeroizing<BoxedUint> {
    let order = curve.order().as_ref();
    let mut bytes = Zeroizing::new(vec![0; curve.order_bytes()]);
    generate(order, digest, [key, data], skipped, &mut bytes);
    let nonce = BoxedUint::from_be_slice(&bytes, order.bits_precision());
    Zeroizing::new(nonce.expect("it is as long as the order"))
}

/// The generator, which does not wipe its state, in a stack frame of its own.
#[inline(never)]
fn generate(
    order: &BoxedUint,
    digest: &Digest,
    [key, data]: [&[u8]; 2],
    skipped: usize,
    nonce: &mut [u8],
) {
    // Of a fixed size, so that the candidates are on the stack, too.
    let order = U576::from_be_slice(&to_bytes(order, U576::BYTES));
    let bytes = digest.as_bytes();
    macro_rules! fill {
        ($hash:ty) => {{
            let mut generator = KGenerator::<$hash, U576>::new(key, bytes, data, &order);
            for _ in 0..=skipped {
                generator.fill_next_k(nonce);
            }
        }};
    }
    match digest.hash() {
        Hash::Sha224 => fill!(sha2::Sha224),
        Hash::Sha256 => fill!(sha2::Sha256),
        Hash::Sha384 => fill!(sha2::Sha384),
        Hash::Sha512 => fill!(sha2::Sha512),
        Hash::Sha512_224 => fill!(sha2::Sha512_224),
        Hash::Sha512_256 => fill!(sha2::Sha512_256),
        Hash::Sha3_224 => fill!(sha3::Sha3_224),
        Hash::Sha3_256 => fill!(sha3::Sha3_256),
        Hash::Sha3_384 => fill!(sha3::Sha3_384),
        Hash::Sha3_512 => fill!(sha3::Sha3_512),
    }
}
