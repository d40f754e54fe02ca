//! Arithmetic to compare: products by division, and a counter around any arithmetic.

use crypto_bigint::{BoxedUint, Choice, ConcatenatingMul, CtSelect, NonZero, Resize};
use std::sync::atomic::{AtomicUsize, Ordering};
use sunzi_field::power::hypercube::{HypercubeError, ModularArithmetic, MulMod};

/// `a b mod n` by a product and a division, as implementations without Montgomery's form do.
/// For comparison only: the division's time depends on its operands.
#[derive(Clone, Debug)]
pub struct Division {
    modulus: NonZero<BoxedUint>,
}

impl Division {
    /// Arithmetic modulo `n > 0`; `None` for 0.
    pub fn new(modulus: &BoxedUint) -> Option<Self> {
        let modulus = NonZero::new(modulus.clone()).into_option()?;
        Some(Self { modulus })
    }
}

impl MulMod for Division {
    type Residue = BoxedUint;

    fn one(&self) -> BoxedUint {
        BoxedUint::one_with_precision(self.modulus.bits_precision())
    }

    fn mul_mod(&self, a: &BoxedUint, b: &BoxedUint) -> BoxedUint {
        let product = a.concatenating_mul(b);
        product.rem_vartime(&self.modulus)
    }

    fn select(&self, a: &BoxedUint, b: &BoxedUint, choice: Choice) -> BoxedUint {
        BoxedUint::ct_select(a, b, choice)
    }
}

impl ModularArithmetic for Division {
    fn enter(&self, base: &BoxedUint) -> Result<BoxedUint, HypercubeError> {
        if base >= self.modulus.as_ref() {
            return Err(HypercubeError::BaseTooLarge {
                base_bits: base.bits(),
                modulus_bits: self.modulus.bits(),
            });
        }
        Ok(base.clone().resize_unchecked(self.modulus.bits_precision()))
    }

    fn leave(&self, residue: &BoxedUint) -> BoxedUint {
        residue.clone()
    }
}

/// An arithmetic that counts its products.
#[derive(Debug)]
pub struct Counting<'a, A> {
    arithmetic: &'a A,
    count: AtomicUsize,
}

impl<'a, A> Counting<'a, A> {
    /// A counter around `arithmetic`.
    pub fn new(arithmetic: &'a A) -> Self {
        Self {
            arithmetic,
            count: AtomicUsize::new(0),
        }
    }

    /// How many products there were.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

impl<A: MulMod> MulMod for Counting<'_, A> {
    type Residue = A::Residue;

    fn one(&self) -> Self::Residue {
        self.arithmetic.one()
    }

    fn mul_mod(&self, a: &Self::Residue, b: &Self::Residue) -> Self::Residue {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.arithmetic.mul_mod(a, b)
    }

    fn select(&self, a: &Self::Residue, b: &Self::Residue, choice: Choice) -> Self::Residue {
        self.arithmetic.select(a, b, choice)
    }
}

impl<A: ModularArithmetic> ModularArithmetic for Counting<'_, A> {
    fn enter(&self, base: &BoxedUint) -> Result<Self::Residue, HypercubeError> {
        self.arithmetic.enter(base)
    }

    fn leave(&self, residue: &Self::Residue) -> BoxedUint {
        self.arithmetic.leave(residue)
    }
}
