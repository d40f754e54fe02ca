//! Signatures, and the integer that is signed for a digest.

use super::super::curve::Curve;
use super::super::point::to_bytes;
use crate::Digest;
use crate::wipe::wipe;
use crypto_bigint::{BoxedUint, U576};
use der::asn1::UintRef;
use der::{Decode, Encode, Sequence};

/// The encoding of a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// `ECDSA-Sig-Value` in DER (RFC 3279, section 2.2.3), as in certificates and TLS.
    #[default]
    Der,
    /// r and s one after the other, each as long as the order (IEEE P1363), as in JWS and on
    /// smart cards.
    Raw,
}

/// A signature: two numbers r and s from 1 to the order of the base point less 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub(super) r: BoxedUint,
    pub(super) s: BoxedUint,
    bytes: usize,
}

/// The reason why bytes are no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// They are not the DER of two non-negative integers.
    #[error("the signature is not DER of two non-negative integers: {0}")]
    Der(String),
    /// A raw signature has the wrong length.
    #[error("a raw signature of this curve has {expected} bytes, not {given}")]
    Length {
        /// Twice the length of the order in bytes.
        expected: usize,
        /// Length given.
        given: usize,
    },
    /// r or s is 0, or not below the order.
    #[error("{0} is 0 or not below the order of the base point")]
    OutOfRange(char),
}

/// `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }`.
#[derive(Sequence)]
struct SignatureValue<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

impl Signature {
    /// Reads a signature.
    ///
    /// # Errors
    /// The [`SignatureError`] that names the defect.
    pub fn from_bytes(
        curve: &Curve,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<Self, SignatureError> {
        match encoding {
            Encoding::Der => {
                let value = SignatureValue::from_der(bytes);
                let value = value.map_err(|error| SignatureError::Der(error.to_string()))?;
                Self::from_numbers(curve, value.r.as_bytes(), value.s.as_bytes())
            }
            Encoding::Raw => {
                let (expected, given) = (2 * curve.order_bytes(), bytes.len());
                if given != expected {
                    return Err(SignatureError::Length { expected, given });
                }
                let (r, s) = bytes.split_at(given / 2);
                Self::from_numbers(curve, r, s)
            }
        }
    }

    /// The signature of two big-endian numbers.
    fn from_numbers(curve: &Curve, r: &[u8], s: &[u8]) -> Result<Self, SignatureError> {
        let order = curve.order().as_ref();
        let number = |name, bytes: &[u8]| {
            let first = bytes.iter().position(|&byte| byte != 0);
            let digits = &bytes[first.unwrap_or(bytes.len())..];
            let integer = BoxedUint::from_be_slice(digits, order.bits_precision()).ok();
            integer
                .filter(|integer| !digits.is_empty() && integer.cmp_vartime(order).is_lt())
                .ok_or(SignatureError::OutOfRange(name))
        };
        Ok(Self::new(curve, number('r', r)?, number('s', s)?))
    }

    /// The signature of two numbers in range.
    pub(super) fn new(curve: &Curve, r: BoxedUint, s: BoxedUint) -> Self {
        let bytes = curve.order_bytes();
        Self { r, s, bytes }
    }

    /// Whether s is at most half the order.
    pub fn has_low_s(&self, curve: &Curve) -> bool {
        self.s.cmp_vartime(self.negative_s(curve)).is_le()
    }

    /// The signature whose s is at most half the order: this one, or the one with n - s.
    #[must_use]
    pub fn with_low_s(self, curve: &Curve) -> Self {
        if self.has_low_s(curve) {
            return self;
        }
        let s = self.negative_s(curve);
        Self { s, ..self }
    }

    fn negative_s(&self, curve: &Curve) -> BoxedUint {
        curve.order().wrapping_sub(&self.s)
    }

    /// The signature in this encoding.
    ///
    /// # Panics
    /// Never: the numbers of a signature are within DER's limits.
    pub fn to_bytes(&self, encoding: Encoding) -> Vec<u8> {
        const ENCODES: &str = "numbers of at most 522 bits are within DER's limits";
        let [r, s] = [&self.r, &self.s].map(|number| to_bytes(number, self.bytes));
        match encoding {
            Encoding::Raw => [r, s].concat(),
            Encoding::Der => {
                let [r, s] = [&r, &s].map(|number| UintRef::new(number).expect(ENCODES));
                SignatureValue { r, s }.to_der().expect(ENCODES)
            }
        }
    }
}

/// The integer that is signed for a digest: its first bits, as many as the order has (FIPS 186-5,
/// section 6.4.1, step 2). It may not be below the order.
pub(super) fn integer_of(curve: &Curve, digest: &Digest) -> BoxedUint {
    let order = curve.order().as_ref();
    let integer = leftmost_bits(digest.as_bytes(), order.bits_vartime());
    let words = order.as_words().len();
    BoxedUint::from_words(integer.as_words()[..words].iter().copied())
}

/// The first `bits` bits of big-endian bytes, at most 576, as an integer; all of them if there are fewer (RFC
/// 6979, section 2.3.2). The time depends on the lengths only.
pub(super) fn leftmost_bits(bytes: &[u8], bits: u32) -> U576 {
    let first = &bytes[..bytes.len().min(bits.div_ceil(8) as usize)];
    let mut padded = [0; U576::BYTES];
    padded[U576::BYTES - first.len()..].copy_from_slice(first);
    let unused = (8 * first.len() as u32).saturating_sub(bits);
    let integer = U576::from_be_slice(&padded).wrapping_shr_vartime(unused);
    wipe(&mut padded);
    integer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each condition that a signature may break has its own error: in DER, in raw encoding, and of r and s.
    #[test]
    fn bad_signatures() {
        let curve: Curve = "P-256".parse().unwrap();
        let read = |encoding, bytes: &[u8]| Signature::from_bytes(&curve, encoding, bytes);
        let right = [0x30, 6, 2, 1, 5, 2, 1, 7];
        assert!(read(Encoding::Der, &right).is_ok());
        let bad_der: [&[u8]; 8] = [
            &[],
            // Cut off, with a byte behind it, with one inside it, with the tag of a set.
            &right[..7],
            &[0x30, 6, 2, 1, 5, 2, 1, 7, 0],
            &[0x30, 7, 2, 1, 5, 2, 1, 7, 0],
            &[0x31, 6, 2, 1, 5, 2, 1, 7],
            // Negative, with a zero too many, with a length in the long form.
            &[0x30, 6, 2, 1, 0x85, 2, 1, 7],
            &[0x30, 7, 2, 2, 0, 5, 2, 1, 7],
            &[0x30, 0x81, 6, 2, 1, 5, 2, 1, 7],
        ];
        for bytes in bad_der {
            let error = read(Encoding::Der, bytes).unwrap_err();
            assert!(matches!(error, SignatureError::Der(_)), "{bytes:x?}");
        }
        for given in [0, 63, 65, 128] {
            let error = read(Encoding::Raw, &vec![1; given]).unwrap_err();
            assert_eq!(
                error,
                SignatureError::Length {
                    expected: 64,
                    given
                }
            );
        }

        let order = to_bytes(curve.order().as_ref(), 32);
        let one = to_bytes(&BoxedUint::one(), 32);
        let (zero, most) = (vec![0; 32], vec![0xff; 32]);
        assert!(read(Encoding::Raw, &[&one[..], &one].concat()).is_ok());
        for wrong in [&zero, &order, &most] {
            for (name, r, s) in [('r', wrong, &one), ('s', &one, wrong)] {
                let error = read(Encoding::Raw, &[&r[..], s].concat()).unwrap_err();
                assert_eq!(error, SignatureError::OutOfRange(name), "{wrong:x?}");
            }
        }
        for (name, bytes) in [
            ('r', [0x30, 6, 2, 1, 0, 2, 1, 7]),
            ('s', [0x30, 6, 2, 1, 5, 2, 1, 0]),
        ] {
            let error = read(Encoding::Der, &bytes).unwrap_err();
            assert_eq!(error, SignatureError::OutOfRange(name));
        }
        // A number longer than the order, in DER.
        let integer = [&[2, 33, 1][..], &zero].concat();
        let long = [&[0x30, 38][..], &integer, &[2, 1, 7]].concat();
        let error = read(Encoding::Der, &long).unwrap_err();
        assert_eq!(error, SignatureError::OutOfRange('r'));
    }
}
