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
        let wrong_length = PointError::Length {
            uncompressed: 2 * length,
            compressed: length,
            given: bytes.len(),
        };
        let (&first, _) = bytes.split_first().ok_or(wrong_length.clone())?;
        let flags = first & FLAGS;
        let compressed = flags & COMPRESSED != 0;
        if bytes.len() != if compressed { length } else { 2 * length } {
            return Err(wrong_length);
        }
        let mut rest = bytes.to_vec();
        rest[0] &= !FLAGS;
        if flags & INFINITY != 0 {
            let canonical = flags & LARGER == 0 && rest.iter().all(|byte| *byte == 0);
            let infinity = canonical.then_some(Encoded::Infinity);
            return infinity.ok_or(PointError::Flags(flags));
        }
        let coordinate = |bytes| {
            let integer = BoxedUint::from_be_slice(bytes, 8 * length as u32);
            integer.expect("the precision is the slice's")
        };
        let (x, y) = rest.split_at(length);
        if compressed {
            return Ok(Encoded::X(
                coordinate(x),
                Which::Larger(flags & LARGER != 0),
            ));
        }
        if flags & LARGER != 0 {
            return Err(PointError::Flags(flags));
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
        if compressed {
            bytes[0] |= COMPRESSED;
        } else {
            bytes.extend(match point {
                Some(point) => to_bytes(&point.y.retrieve(), length),
                None => vec![0; length],
            });
        }
        match point {
            None => bytes[0] |= INFINITY,
            Some(point) if compressed && is_larger(&point.y) => bytes[0] |= LARGER,
            Some(_) => {}
        }
        Ok(bytes)
    }
}
