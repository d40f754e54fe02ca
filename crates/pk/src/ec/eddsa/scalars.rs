//! Arithmetic modulo the order of the base point on hashes and secret scalars, in plain words: a program takes longer to read
//! and to put out such numbers than to multiply them. Constant time; the caller wipes the stack.

use super::super::edwards::prepared::PreparedEdwardsCurve;
use crypto_bigint::BoxedUint;
use zeroize::Zeroizing;

/// The integer of a hash, little-endian.
pub(super) fn integer(hash: &[u8]) -> Zeroizing<BoxedUint> {
    let integer = BoxedUint::from_le_slice(hash, 8 * hash.len() as u32);
    Zeroizing::new(integer.expect("the precision is the slice's"))
}

/// The integer of a hash modulo the order of the curve, and below it.
pub(super) fn reduced(curve: &PreparedEdwardsCurve, hash: &BoxedUint) -> Zeroizing<BoxedUint> {
    let reduction = &curve.parameters().reduction;
    Zeroizing::new(reduction.reduced(hash.as_words()))
}

/// `x + h y` modulo the order, and below it, of x, h and y each, where h is the integer of a hash, and x
/// and y are below the order.
pub(super) fn combined(
    curve: &PreparedEdwardsCurve,
    [x, h, y]: [&BoxedUint; 3],
) -> Zeroizing<BoxedUint> {
    let reduction = &curve.parameters().reduction;
    let h = reduction.reduced(h.as_words());
    Zeroizing::new(reduction.sum(x.as_words(), h.as_words(), y.as_words()))
}
