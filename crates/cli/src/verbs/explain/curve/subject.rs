//! The curves that can be explained, by name, and their parameters.

use super::parameters::{Parameters, hex};
use core::fmt;
use core::str::FromStr;
use crypto_bigint::BoxedUint;
use sunzi_field::edwards::{self, EDWARDS448, EDWARDS25519};
use sunzi_field::ladder::{self, CURVE448, CURVE25519};
use sunzi_pk::ec::{Curve, CurveError, GroupElement};

/// A curve by its form.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// `y^2 = x^3 + a x + b`.
    Weierstrass(Curve),
    /// `a x^2 + y^2 = 1 + d x^2 y^2`.
    Edwards(edwards::Named),
    /// `v^2 = u^3 + A u^2 + u`.
    Montgomery(ladder::Named),
}

/// No curve has this name.
#[derive(Debug, thiserror::Error)]
#[error("{0}; or Ed25519, Ed448, X25519, X448")]
pub(super) struct Unknown(#[from] CurveError);

impl FromStr for Subject {
    type Err = Unknown;

    /// The curve of this name: that of the curve, or that of the signatures or the key agreement on it. Case does
    /// not matter.
    fn from_str(name: &str) -> Result<Self, Unknown> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "ed25519" | "edwards25519" => Self::Edwards(EDWARDS25519),
            "ed448" | "edwards448" => Self::Edwards(EDWARDS448),
            "x25519" | "curve25519" => Self::Montgomery(CURVE25519),
            "x448" | "curve448" => Self::Montgomery(CURVE448),
            _ => Self::Weierstrass(name.parse()?),
        })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weierstrass(curve) => curve.fmt(f),
            Self::Edwards(named) => f.write_str(named.name),
            Self::Montgomery(named) => f.write_str(named.name),
        }
    }
}

impl Subject {
    /// p.
    pub(super) fn prime(&self) -> BoxedUint {
        match self {
            Self::Weierstrass(curve) => {
                let [p, ..] = curve.parameters();
                p
            }
            Self::Edwards(named) => named.prime(),
            Self::Montgomery(named) => named.prime(),
        }
    }

    /// The order of the base point.
    pub(super) fn order(&self) -> BoxedUint {
        match self {
            Self::Weierstrass(curve) => curve.order().as_ref().clone(),
            Self::Edwards(named) => named.order(),
            Self::Montgomery(named) => named.order(),
        }
    }

    /// Whether multiples are computed by the ladder.
    pub(super) fn is_ladder(&self) -> bool {
        matches!(self, Self::Montgomery(_))
    }

    /// The parameters as they are printed.
    pub(super) fn parameters(&self) -> Parameters {
        let (p, order) = (hex(&self.prime()), hex(&self.order()));
        let [mut b, mut d] = [None, None];
        let (equation, a, base_point) = match self {
            Self::Weierstrass(curve) => {
                let [_, a, b_of_curve] = curve.parameters();
                b = Some(hex(&b_of_curve));
                let base = GroupElement::generator(curve).coordinates();
                let base = base.iter().flatten().map(hex).collect();
                ("y^2 = x^3 + a x + b", hex(&a), base)
            }
            Self::Edwards(named) => {
                let [a, d_of_curve] = named.coefficients();
                d = Some(hex(&d_of_curve));
                let base = named.base_point().iter().map(hex).collect();
                ("a x^2 + y^2 = 1 + d x^2 y^2", hex(&a), base)
            }
            Self::Montgomery(named) => {
                let [a, base] = [named.a, named.base].map(|x| hex(&BoxedUint::from(x)));
                ("v^2 = u^3 + a u^2 + u", a, vec![base])
            }
        };
        Parameters {
            equation,
            p,
            a,
            b,
            d,
            base_point,
            order,
        }
    }
}
