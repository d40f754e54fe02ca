//! Montgomery curves, and their prepared data on an engine.

use super::super::edwards::chains::Prime;
use super::super::edwards::curve::EdwardsCurve;
use super::super::sharing::Identity;
use core::fmt;
use core::str::FromStr;
use crypto_bigint::{BoxedUint, Resize};
use der::asn1::ObjectIdentifier;
use std::sync::{Arc, Mutex, PoisonError};
use sunzi_engine::{Engine, EngineError, Modulus};

/// A Montgomery curve `v^2 = u^3 + A u^2 + u` of RFC 7748.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MontgomeryCurve {
    /// A = 486662 modulo `2^255 - 19`, the curve of X25519.
    Curve25519,
    /// A = 156326 modulo `2^448 - 2^224 - 1`, the curve of X448.
    Curve448,
}

impl MontgomeryCurve {
    /// All curves of this type.
    pub const ALL: &'static [Self] = &[Self::Curve25519, Self::Curve448];

    /// The name in RFC 7748: `curve25519`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Curve25519 => "curve25519",
            Self::Curve448 => "curve448",
        }
    }

    /// Length of the prime in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Curve25519 => 255,
            Self::Curve448 => 448,
        }
    }

    /// Length of keys and shared secrets in bytes.
    pub fn encoded_bytes(self) -> usize {
        match self {
            Self::Curve25519 => 32,
            Self::Curve448 => 56,
        }
    }

    /// The object identifier of the algorithm of its keys, X25519 or X448 (RFC 8410, section
    /// 3).
    pub fn oid(self) -> ObjectIdentifier {
        ObjectIdentifier::new_unwrap(match self {
            Self::Curve25519 => "1.3.101.110",
            Self::Curve448 => "1.3.101.111",
        })
    }

    pub(super) fn prime(self) -> Prime {
        match self {
            Self::Curve25519 => Prime::P25519,
            Self::Curve448 => Prime::P448,
        }
    }

    /// `(A - 2)/4`.
    pub(super) fn a24(self) -> u32 {
        match self {
            Self::Curve25519 => 121_665,
            Self::Curve448 => 39_081,
        }
    }

    /// u of the base point.
    pub(super) fn base(self) -> u8 {
        match self {
            Self::Curve25519 => 9,
            Self::Curve448 => 5,
        }
    }

    /// Number of bits of a scalar: the topmost is set in all of them.
    pub(super) fn scalar_bits(self) -> u32 {
        match self {
            Self::Curve25519 => 255,
            Self::Curve448 => 448,
        }
    }

    /// The prime of the field.
    pub(super) fn p(self) -> &'static BoxedUint {
        let curve = match self {
            Self::Curve25519 => EdwardsCurve::Edwards25519,
            Self::Curve448 => EdwardsCurve::Edwards448,
        };
        curve.parameters().field.p()
    }

    /// The integer of an encoded u, which may be p or more (RFC 7748, section 5).
    pub(super) fn decode(self, bytes: &[u8]) -> BoxedUint {
        let mut bytes = bytes.to_vec();
        if let (Self::Curve25519, Some(last)) = (self, bytes.last_mut()) {
            *last &= 0x7f;
        }
        BoxedUint::from_le_slice(&bytes, 8 * bytes.len() as u32)
            .expect("the precision is the slice's")
    }

    /// Whether a point with this u, of the curve or of its twist, has an order that divides the cofactor: the
    /// secret of such a point is always 0.
    pub(super) fn is_low_order(self, u: &BoxedUint) -> bool {
        /// The points of order 8 of Curve25519.
        const ORDER_8: [&str; 2] = [
            "00b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0",
            "57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5f",
        ];
        let p = self.p();
        let u = u.resize_unchecked(p.bits_precision());
        // Below 2^bits, and so below 2 p.
        let u = if u < *p { u } else { u.wrapping_sub(p) };
        let one = BoxedUint::one_with_precision(p.bits_precision());
        // Orders 2, 4 and, on the twist, 4 (or on the twist first).
        if bool::from(u.is_zero()) || u == one || u == p.wrapping_sub(&one) {
            return true;
        }
        self == Self::Curve25519
            && ORDER_8.iter().any(|hex| {
                let known = BoxedUint::from_str_radix_vartime(hex, 16);
                known.is_ok_and(|known| known == u)
            })
    }
}

impl fmt::Display for MontgomeryCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No curve has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no Montgomery curve named {0:?}: choose curve25519 or curve448")]
pub struct UnknownMontgomeryCurve(pub String);

impl FromStr for MontgomeryCurve {
    type Err = UnknownMontgomeryCurve;

    /// The curve of this name; `X25519` and `X448` mean the curves of these functions. Case does not
    /// matter.
    fn from_str(name: &str) -> Result<Self, UnknownMontgomeryCurve> {
        let known = |names: [&str; 2]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if known(["curve25519", "x25519"]) {
            Ok(Self::Curve25519)
        } else if known(["curve448", "x448"]) {
            Ok(Self::Curve448)
        } else {
            Err(UnknownMontgomeryCurve(name.into()))
        }
    }
}

/// A Montgomery curve prepared on an engine; cheap to clone. Keys refer to it.
#[derive(Clone)]
pub struct PreparedMontgomeryCurve(Arc<PreparedMontgomeryCurveData>);

/// Data of the curve, shared by its clones.
struct PreparedMontgomeryCurveData {
    curve: MontgomeryCurve,
    engine: Engine,
    p: Arc<Modulus>,
}

impl PreparedMontgomeryCurve {
    /// Prepares a curve on an engine.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if the engine has no plan for the curve's size.
    pub fn new(engine: &Engine, curve: MontgomeryCurve) -> Result<Self, EngineError> {
        Ok(Self(Arc::new(PreparedMontgomeryCurveData {
            curve,
            engine: engine.clone(),
            p: engine.modulus(curve.p())?,
        })))
    }

    /// The curve.
    pub fn curve(&self) -> MontgomeryCurve {
        self.0.curve
    }

    /// The engine.
    pub(super) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The prime of the field.
    pub(super) fn p(&self) -> &Arc<Modulus> {
        &self.0.p
    }
}

impl Identity for PreparedMontgomeryCurve {
    fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl fmt::Debug for PreparedMontgomeryCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedMontgomeryCurve")
            .field(&self.curve())
            .finish()
    }
}

/// Curves prepared on an engine, each once, when it is first asked for; cheap to clone.
#[derive(Clone, Debug)]
pub struct PreparedMontgomeryCurves {
    engine: Engine,
    prepared: Arc<Mutex<Vec<PreparedMontgomeryCurve>>>,
}

impl PreparedMontgomeryCurves {
    /// An empty set of prepared curves.
    pub fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.clone(),
            prepared: Arc::default(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// A curve, prepared now if it has not been before.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if the engine has no plan for the curve's size.
    pub fn get(&self, curve: MontgomeryCurve) -> Result<PreparedMontgomeryCurve, EngineError> {
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = prepared.iter().find(|known| known.curve() == curve) {
            return Ok(known.clone());
        }
        let new = PreparedMontgomeryCurve::new(&self.engine, curve)?;
        prepared.push(new.clone());
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::field::Field;

    /// Points that count as of low order double to the point at infinity, three times at most, and their neighbours do
    /// not.
    #[test]
    fn low_orders() {
        for &curve in MontgomeryCurve::ALL {
            assert_eq!(curve.name().parse(), Ok(curve));
            let p = curve.p();
            let odd = p.clone().into_odd().unwrap();
            let field = Field::new(&odd);
            let a = field.small(u64::from(4 * curve.a24() + 2));
            let one = field.small(1);
            let is_low_order = |u: &BoxedUint| {
                let mut point = (field.element(u).unwrap(), one.clone());
                for _ in 0..3 {
                    let (x, z) = &point;
                    let (xx, zz, xz) = (x.square(), z.square(), x.mul(z));
                    let four = field.small(4);
                    point = (
                        xx.sub(&zz).square(),
                        xz.mul(&four).mul(&xx.add(&a.mul(&xz)).add(&zz)),
                    );
                }
                bool::from(point.1.is_zero())
            };
            let order_8 = "57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5f";
            let order_8 = BoxedUint::from_str_radix_vartime(order_8, 16).unwrap();
            let other = "b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0";
            let other = BoxedUint::from_str_radix_vartime(other, 16).unwrap();
            let mut found = 0;
            for middle in [
                BoxedUint::from(40u8),
                p.wrapping_sub(BoxedUint::from(41u8)),
                order_8,
                other,
            ] {
                for k in 0..81u8 {
                    let u = (&middle).resize_unchecked(p.bits_precision());
                    let u = u
                        .wrapping_add(BoxedUint::from(k))
                        .wrapping_sub(BoxedUint::from(40u8));
                    let low = is_low_order(&u);
                    assert_eq!(curve.is_low_order(&u), low, "{curve} {u}");
                    found += usize::from(low);
                }
            }
            assert_eq!(
                found,
                if curve == MontgomeryCurve::Curve25519 {
                    5
                } else {
                    3
                }
            );
        }
    }
}
