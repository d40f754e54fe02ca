//! Tagged hashes (BIP 340, "Tagged hashes").

use super::key::BYTES;
use crypto_bigint::{BoxedUint, CtGt, CtSelect, Odd};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The purpose of a hash.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Auxiliary,
    Nonce,
    Challenge,
}

impl Tag {
    fn name(self) -> &'static str {
        match self {
            Self::Auxiliary => "BIP0340/aux",
            Self::Nonce => "BIP0340/nonce",
            Self::Challenge => "BIP0340/challenge",
        }
    }

    /// The hash of these parts, which may be secret; the caller wipes the stack.
    #[inline(never)]
    pub(super) fn hash(self, parts: &[&[u8]]) -> Zeroizing<[u8; BYTES]> {
        let tag = Sha256::digest(self.name());
        let mut hasher = Sha256::new();
        for part in [&tag[..], &tag[..]].iter().chain(parts) {
            hasher.update(part);
        }
        Zeroizing::new(hasher.finalize().into())
    }
}

/// The integer of a hash modulo an order of 256 bits, in constant time: it is below twice the order.
pub(super) fn modulo(hash: &[u8; BYTES], order: &Odd<BoxedUint>) -> Zeroizing<BoxedUint> {
    let integer = integer(hash);
    let order = order.as_ref();
    let less = Zeroizing::new(integer.wrapping_sub(order));
    let below = order.ct_gt(&integer);
    Zeroizing::new(BoxedUint::ct_select(&less, &integer, below))
}

/// A big-endian integer of 256 bits.
pub(super) fn integer(bytes: &[u8; BYTES]) -> Zeroizing<BoxedUint> {
    let integer = BoxedUint::from_be_slice(bytes, 8 * BYTES as u32);
    Zeroizing::new(integer.expect("the precision is the slice's"))
}
