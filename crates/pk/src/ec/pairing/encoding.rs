//! The encodings of points of BLS12-381 that Zcash introduced, and that Ethereum and others use
//! (draft-irtf-cfrg-pairing-friendly-curves-11, appendix C). Public.
//!
//! Coordinates are big-endian; the three highest bits of the first byte are flags: whether the point is compressed,
//! whether it is the point at infinity, and in compressed points whether y is the larger of both.

use crate::ec::curve::Curve;
use crate::ec::point::{Encoded, Point, PointError, Which, is_larger, to_bytes};
use crypto_bigint::BoxedUint;

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const LARGER: u8 = 0x20;
const FLAGS: u8 = COMPRESSED | INFINITY | LARGER;

/// The flags of an encoding.
#[derive(Clone, Copy)]
pub(super) struct Flags {
    pub(super) compressed: bool,
    /// Nothing else is set but `compressed`, and no bit of a coordinate.
    pub(super) infinity: bool,
    /// Whether y is the larger of both, in compressed points.
    pub(super) larger: bool,
}

impl Flags {
    /// Checks the flags and the length of an encoding whose coordinates have `length` bytes, and takes the flags off.
    pub(super) fn take(bytes: &[u8], length: usize) -> Result<(Self, Vec<u8>), PointError> {
        let wrong_length = PointError::ZcashLength {
            uncompressed: 2 * length,
            compressed: length,
            given: bytes.len(),
        };
        let (&first, _) = bytes.split_first().ok_or(wrong_length.clone())?;
        let bits = first & FLAGS;
        let flags = Self {
            compressed: bits & COMPRESSED != 0,
            infinity: bits & INFINITY != 0,
            larger: bits & LARGER != 0,
        };
        let coordinates = if flags.compressed { 1 } else { 2 };
        if bytes.len() != coordinates * length {
            return Err(wrong_length);
        }
        let mut rest = bytes.to_vec();
        rest[0] &= !FLAGS;
        let excluded = flags.infinity || !flags.compressed;
        if flags.larger && excluded || flags.infinity && rest.iter().any(|byte| *byte != 0) {
            return Err(PointError::Flags(bits));
        }
        Ok((flags, rest))
    }

    /// Sets the flags in an encoding without them.
    pub(super) fn put(self, bytes: &mut [u8]) {
        let bits = [
            (self.compressed, COMPRESSED),
            (self.infinity, INFINITY),
            (self.larger, LARGER),
        ];
        for (_, bit) in bits.into_iter().filter(|(is_set, _)| *is_set) {
            bytes[0] |= bit;
        }
    }
}

/// The integer of big-endian bytes.
pub(super) fn coordinate(bytes: &[u8]) -> BoxedUint {
    let integer = BoxedUint::from_be_slice(bytes, 8 * bytes.len() as u32);
    integer.expect("the precision is the slice's")
}

impl Curve {
    /// Checks that the curve has this encoding: the flags need three bits that coordinates leave free.
    fn check_zcash(&self) -> Result<(), PointError> {
        match self.name() {
            Some("BLS12-381-G1") => Ok(()),
            _ => Err(PointError::NoZcashEncoding(self.to_string())),
        }
    }

    /// Takes an encoding of Zcash apart.
    pub(in crate::ec) fn read_zcash(&self, bytes: &[u8]) -> Result<Encoded, PointError> {
        self.check_zcash()?;
        let length = self.field().bytes();
        let (flags, bytes) = Flags::take(bytes, length)?;
        if flags.infinity {
            return Ok(Encoded::Infinity);
        }
        let (x, y) = bytes.split_at(length);
        if flags.compressed {
            return Ok(Encoded::X(coordinate(x), Which::Larger(flags.larger)));
        }
        Ok(Encoded::Point(coordinate(x), coordinate(y)))
    }

    /// The encoding of Zcash of a point, or `None` for the point at infinity.
    pub(in crate::ec) fn write_zcash(
        &self,
        point: Option<&Point>,
        compressed: bool,
    ) -> Result<Vec<u8>, PointError> {
        self.check_zcash()?;
        let length = self.field().bytes();
        let mut bytes = match point {
            Some(point) => to_bytes(&point.x.retrieve(), length),
            None => vec![0; length],
        };
        if !compressed {
            bytes.extend(match point {
                Some(point) => to_bytes(&point.y.retrieve(), length),
                None => vec![0; length],
            });
        }
        let flags = Flags {
            compressed,
            infinity: point.is_none(),
            larger: compressed && point.is_some_and(|point| is_larger(&point.y)),
        };
        flags.put(&mut bytes);
        Ok(bytes)
    }
}
