//! Rules by which signatures of Ed25519 are accepted, by name. They agree on every signature that an honest signer
//! makes, and differ on those with encodings that are not canonical or with points of small order (Chalkias, Garillot and
//! Nikolaenko, 2020, ePrint 2020/1244). All inputs are public.

use super::super::edwards::curve::EdwardsCurve;
use super::super::edwards::decode::read;
use super::cofactored::verify_cofactored_batch;
use super::verify::{VerifyError, VerifyRequest, verify_batch};
use crate::batch::answered;
use core::convert::Infallible;
use core::fmt;
use core::str::FromStr;
use crypto_bigint::BoxedUint;
use rand_core::TryCryptoRng;
use sunzi_engine::Engine;

/// A rule by which signatures of Ed25519 are accepted. With every rule S is below the order.
///
/// | rule | A | R | equation |
/// |---|---|---|---|
/// | [`Rfc8032`](Self::Rfc8032) | canonical | the encoding of the sum | without cofactor |
/// | [`Cofactored`](Self::Cofactored) | canonical | canonical | with cofactor |
/// | [`Zip215`](Self::Zip215) | any encoding | any encoding | with cofactor |
/// | [`DalekStrict`](Self::DalekStrict) | any encoding, not of small order | the encoding of the sum, not of small order | without cofactor |
///
/// [`verify_batch`] itself has OpenSSL's rule: any encoding of A, and otherwise as
/// [`Rfc8032`](Self::Rfc8032).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// RFC 8032, section 5.1.7, with the equation without cofactor that it permits, and with the decoding of section
    /// 5.1.3.
    Rfc8032,
    /// RFC 8032, section 5.1.7, with the equation as it stands there, with cofactor; FIPS 186-5, section 7.8.2.
    Cofactored,
    /// ZIP 215, for consensus: batches and single verifications agree.
    Zip215,
    /// `verify_strict` of the crate `ed25519-dalek`, version 2.
    DalekStrict,
}

impl Rule {
    /// All rules.
    pub const ALL: &'static [Self] = &[
        Self::Rfc8032,
        Self::Cofactored,
        Self::Zip215,
        Self::DalekStrict,
    ];

    /// Its name: `rfc8032`, `cofactored`, `zip215` or `dalek-strict`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rfc8032 => "rfc8032",
            Self::Cofactored => "cofactored",
            Self::Zip215 => "zip215",
            Self::DalekStrict => "dalek-strict",
        }
    }

    /// Whether its equation has the cofactor.
    fn is_cofactored(self) -> bool {
        matches!(self, Self::Cofactored | Self::Zip215)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no rule has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no rule for Ed25519: rfc8032, cofactored, zip215 and dalek-strict are")]
pub struct UnknownRule(String);

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Self, UnknownRule> {
        let found = Self::ALL.iter().find(|rule| rule.name() == name);
        found.copied().ok_or_else(|| UnknownRule(name.into()))
    }
}

/// One answer for each request, in the same order, by this rule. A batch may mix keys and variants. For Ed448 every rule
/// is that of [`verify_batch`].
///
/// The rules with cofactor test many signatures together, as [`verify_cofactored_batch`] does, and draw random numbers
/// for that.
pub fn verify_batch_by<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    rule: Rule,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    let admitted = requests.iter().map(|request| {
        if request.key.curve().curve() == EdwardsCurve::Edwards25519 {
            admit(rule, request)?;
        }
        Ok(*request)
    });
    let verify = |requests: &[VerifyRequest<'_>]| {
        Ok::<_, Infallible>(if rule.is_cofactored() {
            verify_cofactored_batch(engine, rng, requests)
        } else {
            verify_batch(engine, requests)
        })
    };
    let answers = answered(admitted, verify, || VerifyError::Mismatch);
    answers.unwrap_or_else(|never| match never {})
}

/// The conditions of a rule that do not depend on the equation. Lengths are checked with the equation.
fn admit(rule: Rule, request: &VerifyRequest<'_>) -> Result<(), VerifyError> {
    let points = [
        ("A", request.key.public_key().as_bytes()),
        ("R", request.signature.get(..32).unwrap_or_default()),
    ];
    for (name, bytes) in points {
        let Some((y, is_odd)) = read(EdwardsCurve::Edwards25519, bytes) else {
            continue;
        };
        match rule {
            Rule::Zip215 => {}
            Rule::Rfc8032 | Rule::Cofactored => {
                if !is_canonical(&y, is_odd) {
                    return Err(VerifyError::NotCanonical(name));
                }
            }
            Rule::DalekStrict => {
                if is_of_small_order(&y) {
                    return Err(VerifyError::SmallOrder(name));
                }
            }
        }
    }
    Ok(())
}

/// Whether y is below p, and no sign is set where x is 0, which is so for y = 1 and y = -1.
fn is_canonical(y: &BoxedUint, is_odd: bool) -> bool {
    let p = EdwardsCurve::Edwards25519.parameters().field.p();
    let x_is_zero = *y == number(y, 1) || *y == p.wrapping_sub(number(y, 1));
    y < p && !(is_odd && x_is_zero)
}

/// The y of two of the four points of order 8; the other two have its negative.
const ORDER_8: &str = "05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826";

/// Whether the points with this y, which may be p or more, have an order of at most 8: those with y = 1 (order 1), -1
/// (order 2), 0 (order 4), and two more (order 8).
fn is_of_small_order(y: &BoxedUint) -> bool {
    let p = EdwardsCurve::Edwards25519.parameters().field.p();
    let y = if y < p { y.clone() } else { y.wrapping_sub(p) };
    let negative = p.wrapping_sub(&y);
    let is = |y: &BoxedUint| {
        let of_order_8 = BoxedUint::from_be_hex(ORDER_8, 256).into_option();
        y.is_zero().into()
            || *y == number(y, 1)
            || of_order_8.is_some_and(|order_8| *y.to_be_bytes() == *order_8.to_be_bytes())
    };
    is(&y) || is(&negative)
}

/// A small number with the precision of another one.
fn number(like: &BoxedUint, value: u64) -> BoxedUint {
    let precision = like.bits_precision();
    BoxedUint::from_be_slice(&value.to_be_bytes(), precision)
        .unwrap_or_else(|_| BoxedUint::zero_with_precision(precision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for &rule in Rule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        assert!("ZIP215".parse::<Rule>().is_err());
    }

    /// Eight points of small order, and six encodings of them that are not canonical.
    #[test]
    fn points_of_small_order() {
        let count = |rule: Rule| {
            let p = EdwardsCurve::Edwards25519.parameters().field.p();
            let order_8 = BoxedUint::from_be_hex(ORDER_8, 256).unwrap();
            let others = [order_8.clone(), p.wrapping_sub(&order_8)];
            let small = (0..19).map(|k| number(p, k));
            let large = (0..19).map(|k| p.wrapping_add(number(p, k)));
            let last = [p.wrapping_sub(number(p, 1))];
            let all = small.chain(large).chain(others).chain(last);
            let all = all.flat_map(|y| [(y.clone(), false), (y, true)]);
            let counted = all.filter(|(y, is_odd)| match rule {
                Rule::DalekStrict => is_of_small_order(y),
                _ => is_of_small_order(y) && is_canonical(y, *is_odd),
            });
            counted.count()
        };
        assert_eq!(count(Rule::DalekStrict), 14);
        assert_eq!(count(Rule::Rfc8032), 8);
    }
}
