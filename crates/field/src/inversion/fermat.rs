//! Inversion by Fermat's little theorem, in constant time.
//!
//! ```text
//! X^-1 = X^(P-2) mod P,   for a prime P
//! ```
//!
//! In: an element in Montgomery form. Out: its inverse in Montgomery form, below `3P`. The
//! exponent is public and the same for every `X`; the time does not depend on `X`. The
//! product `X X^-1` is compared with 1. So there is an error for `X = 0`, and for a composite `P`
//! if the result would be wrong. Cost: one power (see [`crate::power::fixed_window`]) and
//! one product, about 25 times the channel products of the plus-minus algorithms.
//!
//! Source: the baseline (FLT) of K. Bigou and A. Tisserand, "Binary-Ternary Plus-Minus
//! Modular Inversion in RNS", IEEE Transactions on Computers 65 (2016), section III, with
//! windows instead of square-and-multiply.

use crypto_bigint::BoxedUint;
use sunzi_rns::{BaseExtension, Channel};

use super::error::InversionError;
use crate::montgomery::{Element, Montgomery};

impl<E: BaseExtension> Montgomery<E> {
    /// `X^-1 mod P` for a prime `P`, in constant time, except that an error is revealed.
    ///
    /// # Errors
    /// [`InversionError::NotInvertible`] for `X = 0 mod P`, and if `X^(P-2)` is not the inverse
    /// because `P` is composite.
    pub fn invert(&self, channel: &impl Channel, x: &Element) -> Result<Element, InversionError> {
        let exponent = self.modulus().wrapping_sub(BoxedUint::from(2u64));
        let inverse = self.pow(channel, x, &exponent);
        if self.equal(channel, &self.mul(channel, x, &inverse), &self.one()) {
            Ok(inverse)
        } else {
            Err(InversionError::NotInvertible)
        }
    }
}
