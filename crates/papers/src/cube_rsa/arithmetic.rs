//! Arithmetic modulo `n` for the programs and networks of this paper.
//!
//! Everything that is computed here is a sequence of one operation, the product modulo `n` ([`MulMod`]).
//! Programs and networks are generic in it, so the same program runs on integers in Montgomery form, on
//! residue number systems, on products by division, or on exponents alone, which shows the power that it
//! computes.

use super::hypercube::HypercubeError;
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Choice, ConcatenatingMul, CtSelect, NonZero, Odd, Resize};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use sunzi_field::montgomery::{Element, Montgomery};
use sunzi_rns::{BaseExtension, Channel, Plain, Residues};
use zeroize::Zeroizing;

/// Multiplication of residues: the one operation of a processing element.
pub trait MulMod: Sync {
    /// A residue.
    type Residue: Clone + Send;

    /// The neutral element of [`MulMod::mul_mod`].
    fn one(&self) -> Self::Residue;

    /// The product of `a` and `b`.
    fn mul_mod(&self, a: &Self::Residue, b: &Self::Residue) -> Self::Residue;

    /// `a` if `choice` is false, `b` if it is true, in a time that does not depend on `choice`.
    fn select(&self, a: &Self::Residue, b: &Self::Residue, choice: Choice) -> Self::Residue;
}

/// [`MulMod`] modulo an odd `n`, with conversions from and to integers.
pub trait ModularArithmetic: MulMod {
    /// The residue of the integer `base`.
    ///
    /// # Errors
    /// [`HypercubeError::BaseTooLarge`] unless `base < n`.
    fn enter(&self, base: &BoxedUint) -> Result<Self::Residue, HypercubeError>;

    /// The integer in `[0, n)` that the residue represents.
    fn leave(&self, residue: &Self::Residue) -> BoxedUint;
}

/// Modular arithmetic on integers in Montgomery form (`crypto-bigint`), in a time that does not
/// depend on the residues. A residue is wiped when it is dropped.
#[derive(Clone)]
pub struct IntegerMontgomery {
    params: BoxedMontyParams,
}

/// Shows the size of the modulus only: the modulus may be a secret prime.
impl fmt::Debug for IntegerMontgomery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntegerMontgomery")
            .field("modulus_bits", &self.params.modulus().bits())
            .finish_non_exhaustive()
    }
}

impl IntegerMontgomery {
    /// Arithmetic modulo `modulus`.
    ///
    /// # Errors
    /// [`HypercubeError::EvenModulus`], or [`HypercubeError::ModulusTooSmall`] for 1.
    pub fn new(modulus: &BoxedUint) -> Result<Self, HypercubeError> {
        let odd: Option<Odd<BoxedUint>> = Odd::new(modulus.clone()).into();
        let odd = odd.ok_or(HypercubeError::EvenModulus)?;
        if modulus.bits() < 2 {
            return Err(HypercubeError::ModulusTooSmall);
        }
        Ok(Self {
            params: BoxedMontyParams::new(odd),
        })
    }
}

impl MulMod for IntegerMontgomery {
    type Residue = Zeroizing<BoxedMontyForm>;

    fn one(&self) -> Self::Residue {
        Zeroizing::new(BoxedMontyForm::one(&self.params))
    }

    fn mul_mod(&self, a: &Self::Residue, b: &Self::Residue) -> Self::Residue {
        Zeroizing::new(a.mul(b))
    }

    fn select(&self, a: &Self::Residue, b: &Self::Residue, choice: Choice) -> Self::Residue {
        Zeroizing::new(BoxedMontyForm::ct_select(a, b, choice))
    }
}

impl ModularArithmetic for IntegerMontgomery {
    fn enter(&self, base: &BoxedUint) -> Result<Self::Residue, HypercubeError> {
        let modulus = self.params.modulus();
        check_base(base, modulus.as_ref())?;
        let base = base.resize_unchecked(modulus.bits_precision());
        Ok(Zeroizing::new(BoxedMontyForm::new(base, &self.params)))
    }

    fn leave(&self, residue: &Self::Residue) -> BoxedUint {
        residue.retrieve()
    }
}

/// Products in residue number systems, on numbers in Montgomery form. The odd modulus is `P`.
impl<E: BaseExtension + Sync> MulMod for Montgomery<E> {
    type Residue = Element;

    fn one(&self) -> Element {
        Self::one(self)
    }

    fn mul_mod(&self, a: &Element, b: &Element) -> Element {
        self.mul(&Plain, a, b)
    }

    fn select(&self, a: &Element, b: &Element, choice: Choice) -> Element {
        let index = u128::from(choice.to_u8());
        let residues = |a: &Residues, b: &Residues| {
            let pairs = a.values().iter().zip(b.values());
            let values = pairs.map(|(&a, &b)| Plain.table(&[a, b], index));
            Residues::new(a.base(), values.collect())
                .expect("both choices are residues in this base")
        };
        let ((a_in_a, a_in_b), (b_in_a, b_in_b)) = (a.residues(), b.residues());
        Element::from_residues(
            self,
            residues(a_in_a, b_in_a),
            residues(a_in_b, b_in_b),
            a.bound().max(b.bound()),
        )
        .expect("both choices are elements of this field")
    }
}

impl<E: BaseExtension + Sync> ModularArithmetic for Montgomery<E> {
    fn enter(&self, base: &BoxedUint) -> Result<Element, HypercubeError> {
        check_base(base, self.modulus())?;
        Ok(self.element(&Plain, base))
    }

    fn leave(&self, residue: &Element) -> BoxedUint {
        self.to_uint(&Plain, residue)
    }
}

/// Refuses a base that is not below the modulus. Whether it is below is treated as public.
fn check_base(base: &BoxedUint, modulus: &BoxedUint) -> Result<(), HypercubeError> {
    if base >= modulus {
        return Err(HypercubeError::BaseTooLarge {
            base_bits: base.bits(),
            modulus_bits: modulus.bits(),
        });
    }
    Ok(())
}

/// Arithmetic on the exponents `[a, b]` of a product `A^a B^b`, modulo `2^64`: multiplying two
/// products adds their exponents. A network that runs on it gives the exponents of the power
/// that it computes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExponentArithmetic;

impl MulMod for ExponentArithmetic {
    type Residue = [u64; 2];

    fn one(&self) -> [u64; 2] {
        [0, 0]
    }

    fn mul_mod(&self, a: &[u64; 2], b: &[u64; 2]) -> [u64; 2] {
        [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
    }

    fn select(&self, a: &[u64; 2], b: &[u64; 2], choice: Choice) -> [u64; 2] {
        if choice.to_bool() { *b } else { *a }
    }
}

/// Modular arithmetic by a product and a division, as in implementations that do not use
/// Montgomery's form. For comparison only: the time of a division depends on its operands.
#[derive(Clone)]
pub struct Division {
    modulus: NonZero<BoxedUint>,
}

impl Division {
    /// Arithmetic modulo `modulus`, or `None` if it is 0.
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
        check_base(base, self.modulus.as_ref())?;
        Ok(base.clone().resize_unchecked(self.modulus.bits_precision()))
    }

    fn leave(&self, residue: &BoxedUint) -> BoxedUint {
        residue.clone()
    }
}

/// A wrapper around an arithmetic that counts its products.
pub struct Counting<'a, A> {
    arithmetic: &'a A,
    count: AtomicUsize,
}

impl<'a, A> Counting<'a, A> {
    /// A counter around `arithmetic`, at 0.
    pub fn new(arithmetic: &'a A) -> Self {
        Self {
            arithmetic,
            count: AtomicUsize::new(0),
        }
    }

    /// The number of products so far.
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
