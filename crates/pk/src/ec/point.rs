//! Points as pairs of coordinates. All points here are public.

use super::field::Element;
use crypto_bigint::{BoxedUint, Choice, CtSelect, Word};

/// A point of a curve other than the point at infinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: Element,
    pub(super) y: Element,
}

/// The reason why the encoding of a point is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointError {
    /// The encoding has the wrong length for its first byte.
    #[error(
        "a point of this curve has {uncompressed} bytes (04 first) or {compressed} (02 or 03 first), \
         not {given}"
    )]
    Length {
        /// Length of an uncompressed point in bytes.
        uncompressed: usize,
        /// Length of a compressed point in bytes.
        compressed: usize,
        /// The length given.
        given: usize,
    },
    /// The encoding of Zcash has the wrong length for its first bit.
    #[error(
        "an encoding of a point of this curve has {compressed} bytes (its first bit is set) or {uncompressed} \
         (its first bit is not set), not {given}"
    )]
    ZcashLength {
        /// Length of an uncompressed point in bytes.
        uncompressed: usize,
        /// Length of a compressed point in bytes.
        compressed: usize,
        /// The length given.
        given: usize,
    },
    /// The first byte is not that of a point.
    #[error("a point begins with 04, 02 or 03, not {0:02x}")]
    Tag(u8),
    /// The point at infinity.
    #[error("the point at infinity is no public key")]
    Infinity,
    /// A coordinate is not below the prime.
    #[error("the coordinate {0} is not below the curve's prime")]
    Coordinate(char),
    /// The coordinates do not satisfy the curve's equation.
    #[error("the point is not on the curve")]
    NotOnCurve,
    /// No point of the curve has this x.
    #[error("no point of the curve has this x coordinate")]
    NoSuchX,
    /// The point is not in the subgroup that the base point generates.
    #[error("the point is not in the subgroup of the base point")]
    NotInSubgroup,
    /// Bits of the first byte are set that exclude each other, or others beside that of infinity.
    #[error("the first bits {0:02x} of the encoding contradict each other or what follows")]
    Flags(u8),
    /// Only BLS12-381 has encodings of Zcash.
    #[error("{0} has no encodings of Zcash: take those of SEC 1")]
    NoZcashEncoding(String),
}

/// An encoding taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Encoded {
    Infinity,
    Point(BoxedUint, BoxedUint),
    /// The coordinate x, and the choice of y.
    X(BoxedUint, Which),
}

/// The choice between the two points with one x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Whether y is odd.
    Odd(bool),
    /// Whether y is larger than p - y.
    Larger(bool),
}

/// The point with this x, of which y or -y is given, if there is one. Both are computed, and no branch or address
/// chooses, so that times tell little of a key that is prepared.
pub(super) fn with_root(x: Element, y: Option<Element>, which: Which) -> Result<Point, PointError> {
    let y = y.ok_or(PointError::NoSuchX)?;
    let is_meant = |y: &Element| match which {
        Which::Odd(odd) => is_odd(y) == odd,
        Which::Larger(larger) => is_larger(y) == larger,
    };
    let is_first = Choice::from(u8::from(is_meant(&y)));
    let y = Element::ct_select(&y.neg(), &y, is_first);
    if is_meant(&y) {
        Ok(Point { x, y })
    } else {
        // 0 has no negative.
        Err(PointError::NoSuchX)
    }
}

/// Whether y is larger than p - y.
pub(super) fn is_larger(y: &Element) -> bool {
    y.retrieve() > y.neg().retrieve()
}

/// Whether the integer is odd.
pub(super) fn is_odd(x: &Element) -> bool {
    x.retrieve().bit_vartime(0)
}

/// The big-endian bytes of an integer, exactly `length` of them. The integer may be secret.
pub(super) fn to_bytes(x: &BoxedUint, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    for (bytes, word) in bytes.rchunks_mut(size_of::<Word>()).zip(x.as_words()) {
        let word = word.to_be_bytes();
        bytes.copy_from_slice(&word[word.len() - bytes.len()..]);
    }
    bytes
}
