//! Numbers as big-endian bytes.

use crate::integer::octets;
use crypto_bigint::BoxedUint;

/// A number in `size` big-endian bytes; none if it does not fit.
pub fn to_bytes(number: &BoxedUint, size: usize) -> Option<Vec<u8>> {
    let fits = number.bits().div_ceil(8) as usize <= size;
    let missing = size.saturating_sub(number.bits_precision() as usize / 8);
    let kept = size - missing;
    fits.then(|| {
        let mut bytes = vec![0; missing];
        bytes.extend_from_slice(&octets(number, kept));
        bytes
    })
}

/// The number of these big-endian bytes.
pub fn from_bytes(bytes: &[u8]) -> BoxedUint {
    let bits = (8 * bytes.len() as u32).next_multiple_of(64).max(64);
    BoxedUint::from_be_slice_truncated(bytes, bits)
}
