//! One number's work, as the callers of the engine describe it.

use std::sync::Arc;

use crypto_bigint::BoxedUint;

use crate::Modulus;

/// An exponent, and whether the time may depend on it.
#[derive(Clone, Copy, Debug)]
pub enum Exponent<'a> {
    /// Secret: the time depends on the precision (`bits_precision`) of the number only.
    Secret(&'a BoxedUint),
    /// Public: the time may depend on its value.
    Public(&'a BoxedUint),
}

impl<'a> Exponent<'a> {
    pub(crate) fn value(&self) -> &'a BoxedUint {
        match self {
            Self::Secret(value) | Self::Public(value) => value,
        }
    }

    /// How many bits the exponentiation walks over.
    pub(crate) fn length(&self) -> u32 {
        match self {
            Self::Secret(value) => value.bits_precision(),
            Self::Public(value) => value.bits_vartime(),
        }
    }
}

/// One number's work: `factor * base^exponent mod modulus`.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The modulus, prepared by [`Engine::modulus`](crate::Engine::modulus).
    pub modulus: &'a Arc<Modulus>,
    /// Any non-negative integer, also one larger than the modulus.
    pub base: &'a BoxedUint,
    /// The exponent.
    pub exponent: Exponent<'a>,
    /// Multiplied in at the end, if there: any non-negative integer.
    pub factor: Option<&'a BoxedUint>,
}

impl<'a> Task<'a> {
    /// `base^exponent mod modulus`.
    pub fn power(modulus: &'a Arc<Modulus>, base: &'a BoxedUint, exponent: Exponent<'a>) -> Self {
        Self {
            modulus,
            base,
            exponent,
            factor: None,
        }
    }

    /// The same, times `factor`.
    #[must_use]
    pub fn times(self, factor: &'a BoxedUint) -> Self {
        Self {
            factor: Some(factor),
            ..self
        }
    }
}
