//! Keys: points, and their scalars as multiples of the base point.

use super::base::{Coordinates, are_multiples, base_multiples};
use super::curve::Curve;
use super::point::{Point, PointError, to_bytes};
use super::prepared::PreparedCurve;
use crate::key_file::KeyFileError;
use core::fmt;
use crypto_bigint::{BoxedUint, CtLt, NonZero, RandomMod};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// The reason why a key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is no usable key file.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// The file is a private key; a public key is needed.
    #[error("this is a private key: a public key is needed")]
    PrivateKeyGiven,
    /// The key is for another algorithm.
    #[error("not a key of an elliptic curve for ECDSA: its algorithm is {0}")]
    OtherAlgorithm(String),
    /// The key is of a curve that this crate does not know.
    #[error("the key is of the curve {0}, which is not supported")]
    UnknownCurve(String),
    /// The key carries the parameters of its curve instead of its name.
    #[error(
        "the key carries the parameters of its curve, and not its name: convert it with \
         `openssl ec -param_enc named_curve`"
    )]
    ExplicitParameters,
    /// The curve has no object identifier, so that a key file cannot name it.
    #[error("the curve has no object identifier: files with keys of it cannot be written")]
    NoIdentifier,
    /// The curve has no name in JSON Web Keys.
    #[error("keys of {0} cannot be JSON Web Keys: P-256, P-384, P-521 and secp256k1 can")]
    NoJwkName(String),
    /// Keys are not made on pairing-friendly curves.
    #[error("{0} is for pairings: keys are not made on it")]
    PairingCurve(String),
    /// The point is not on the curve.
    #[error(transparent)]
    Point(#[from] PointError),
    /// The private key has the wrong length.
    #[error("a private key of this curve has {expected} bytes, not {given}")]
    Length {
        /// Length of the order in bytes.
        expected: usize,
        /// Length given.
        given: usize,
    },
    /// The private key is 0, or not below the order.
    #[error("the private key is 0 or not below the order of the base point")]
    OutOfRange,
    /// The public key given along is another key's.
    #[error("the public key does not belong to the private key")]
    Mismatch,
    /// The key is used with another curve than its own.
    #[error("a key of {key} was given for {prepared}")]
    OtherCurve {
        /// The key's curve.
        key: String,
        /// The curve that it was given for.
        prepared: String,
    },
    /// A new key failed its test: this machine computes wrongly.
    #[error(
        "the new key failed its consistency test and was withheld: this machine computes wrongly"
    )]
    Inconsistent,
    /// The engine refuses, or failed.
    #[error(transparent)]
    Engine(#[from] sunzi_engine::EngineError),
}

/// A public key: a point of a curve other than the point at infinity.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    curve: Curve,
    point: Point,
}

impl PublicKey {
    /// The key with these coordinates.
    ///
    /// # Errors
    /// [`PointError::Coordinate`] and [`PointError::NotOnCurve`], as [`KeyError::Point`];
    /// [`KeyError::PairingCurve`].
    pub fn new(curve: &Curve, x: &BoxedUint, y: &BoxedUint) -> Result<Self, KeyError> {
        check_purpose(curve)?;
        let point = curve.point(x, y)?;
        Ok(Self::of(curve, point))
    }

    /// Reads a key from the encoding of its point (SEC 1, section 2.3.4), uncompressed or
    /// compressed.
    ///
    /// # Errors
    /// The [`PointError`] that names the defect, as [`KeyError::Point`];
    /// [`KeyError::PairingCurve`].
    pub fn from_sec1_bytes(curve: &Curve, bytes: &[u8]) -> Result<Self, KeyError> {
        check_purpose(curve)?;
        let point = curve.decode(bytes)?;
        Ok(Self::of(curve, point))
    }

    pub(super) fn of(curve: &Curve, point: Point) -> Self {
        let curve = curve.clone();
        Self { curve, point }
    }

    /// The encoding of its point (SEC 1, section 2.3.3).
    pub fn to_sec1_bytes(&self, compressed: bool) -> Vec<u8> {
        self.curve.encode(&self.point, compressed)
    }

    /// The curve.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    pub(super) fn point(&self) -> &Point {
        &self.point
    }

    /// The coordinates x and y, below the curve's prime.
    pub fn coordinates(&self) -> [BoxedUint; 2] {
        [self.point.x.retrieve(), self.point.y.retrieve()]
    }
}

/// Checks that keys are made on the curve: discrete logarithms of a pairing-friendly one would be easier than those of
/// other curves of its length, and not all its points may be multiples of the base point.
fn check_purpose(curve: &Curve) -> Result<(), KeyError> {
    match curve.family() {
        None => Ok(()),
        Some(_) => Err(KeyError::PairingCurve(curve.to_string())),
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("curve", &self.curve)
            .finish_non_exhaustive()
    }
}

impl PreparedCurve {
    /// Checks that a key is of this curve.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`].
    pub(super) fn check(&self, key: &PublicKey) -> Result<(), KeyError> {
        if key.curve() == self.curve() {
            return Ok(());
        }
        Err(KeyError::OtherCurve {
            key: key.curve().to_string(),
            prepared: self.curve().to_string(),
        })
    }
}

/// A private key: a number d from 1 to the order of the base point less 1, and the public key `d G`;
/// wiped on drop.
#[derive(Clone)]
pub struct PrivateKey {
    public: PublicKey,
    /// The number d, as precise as the order.
    d: Zeroizing<BoxedUint>,
}

impl PrivateKey {
    /// The key with this number, which has as many bytes as the order. Computes the public key, in
    /// constant time.
    ///
    /// # Errors
    /// [`KeyError::Length`], [`KeyError::OutOfRange`], [`KeyError::PairingCurve`],
    /// [`KeyError::Engine`].
    pub fn from_bytes(curve: &PreparedCurve, bytes: &[u8]) -> Result<Self, KeyError> {
        check_purpose(curve.curve())?;
        let d = scalar(curve.curve(), bytes)?;
        let multiples = base_multiples(curve.engine(), Coordinates::Both, &[(curve, &d)])?;
        let public = PublicKey::new(curve.curve(), &multiples[0][0], &multiples[0][1])?;
        Ok(Self { public, d })
    }

    /// Generates a new key.
    ///
    /// Before it is returned it passes a pairwise consistency test: the public key is computed anew, by
    /// other digits (NIST SP 800-56A, revision 3, section 5.6.2.1.4).
    ///
    /// # Errors
    /// [`KeyError::PairingCurve`], [`KeyError::Inconsistent`] if the machine computes wrongly,
    /// [`KeyError::Engine`].
    pub fn generate<R: CryptoRng + ?Sized>(
        curve: &PreparedCurve,
        rng: &mut R,
    ) -> Result<Self, KeyError> {
        let order = curve.curve().order();
        // 0 to n - 2, and 1 more.
        let range = NonZero::new(order.as_ref().wrapping_sub(BoxedUint::one()));
        let range = Option::<NonZero<BoxedUint>>::from(range).ok_or(KeyError::OutOfRange)?;
        let drawn = Zeroizing::new(BoxedUint::random_mod_vartime(rng, &range));
        let one = BoxedUint::one_with_precision(drawn.bits_precision());
        let d = Zeroizing::new(drawn.wrapping_add(&one));
        let bytes = Zeroizing::new(to_bytes(&d, curve.curve().order_bytes()));
        let key = Self::from_bytes(curve, &bytes)?;
        if key.is_consistent(curve)? {
            Ok(key)
        } else {
            Err(KeyError::Inconsistent)
        }
    }

    /// Whether the public key is `d G` by digits other than those that it was computed with: a fault that comes again
    /// at the same place, or a damaged d, gives another point.
    fn is_consistent(&self, curve: &PreparedCurve) -> Result<bool, KeyError> {
        let [x, y] = self.public.coordinates();
        let numbers = [(curve, &*self.d, &[&x, &y][..])];
        Ok(are_multiples(curve.engine(), &numbers)? == [true])
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// The curve.
    pub fn curve(&self) -> &Curve {
        self.public.curve()
    }

    /// The number d, big-endian, as long as the order.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(to_bytes(&self.d, self.curve().order_bytes()))
    }

    /// A key whose halves need not belong together, for tests.
    #[cfg(test)]
    pub(super) fn of_halves(public: &PublicKey, private: &Self) -> Self {
        Self {
            public: public.clone(),
            d: private.d.clone(),
        }
    }

    /// The number d.
    pub(super) fn d(&self) -> &BoxedUint {
        &self.d
    }
}

impl fmt::Debug for PrivateKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PrivateKey").field(&self.public).finish()
    }
}

/// A number from 1 to n - 1, in constant time.
fn scalar(curve: &Curve, bytes: &[u8]) -> Result<Zeroizing<BoxedUint>, KeyError> {
    let (expected, given) = (curve.order_bytes(), bytes.len());
    if given != expected {
        return Err(KeyError::Length { expected, given });
    }
    let order = curve.order().as_ref();
    let precision = order.bits_precision();
    let d = BoxedUint::from_be_slice(bytes, precision).map(Zeroizing::new);
    let d = d.map_err(|_| KeyError::OutOfRange)?;
    let in_range = d.ct_lt(order) & !d.is_zero();
    if in_range.to_bool() {
        Ok(d)
    } else {
        Err(KeyError::OutOfRange)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_rng;
    use crypto_bigint::BitOps;
    use sunzi_engine::{Backend, Engine};

    /// A key with any wrong number, as faults make it, fails.
    #[test]
    fn the_pairwise_consistency_test_finds_every_wrong_number() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for name in ["P-256", "secp256k1", "P-521"] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let [key, other] =
                [(); 2].map(|()| PrivateKey::generate(&curve, &mut system_rng()).unwrap());
            assert!(key.is_consistent(&curve).unwrap());
            for bit in [0, 1, 100, 254] {
                let mut wrong = key.clone();
                wrong.d.set_bit_vartime(bit, !key.d.bit_vartime(bit));
                assert!(!wrong.is_consistent(&curve).unwrap(), "{name}, bit {bit}");
            }
            let wrong = PrivateKey::of_halves(other.public_key(), &key);
            assert!(!wrong.is_consistent(&curve).unwrap(), "{name}");
            // The other point with the same x.
            let [x, y] = key.public_key().coordinates();
            let negative = curve.curve().parameters()[0].wrapping_sub(&y);
            let negative = PublicKey::new(curve.curve(), &x, &negative).unwrap();
            let wrong = PrivateKey::of_halves(&negative, &key);
            assert!(!wrong.is_consistent(&curve).unwrap(), "{name}");
        }
    }
}
