//! What a processing element can do: multiply modulo `n`.

use super::HypercubeError;
use crate::montgomery::{Element, Montgomery};
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Choice, CtSelect, Odd, Resize};
use sunzi_rns::{BaseExtension, Channel, Plain, Residues};
use zeroize::Zeroizing;

/// The one operation of a processing element, a `MulMod`, on residues of some kind.
pub trait MulMod: Sync {
    /// A residue.
    type Residue: Clone + Send;

    /// The neutral element of [`MulMod::mul_mod`].
    fn one(&self) -> Self::Residue;

    /// The product of `a` and `b`.
    fn mul_mod(&self, a: &Self::Residue, b: &Self::Residue) -> Self::Residue;

    /// `a` if `choice` is false, `b` if it is true, in a time that does not tell which.
    fn select(&self, a: &Self::Residue, b: &Self::Residue, choice: Choice) -> Self::Residue;
}

/// [`MulMod`] modulo an odd `n`, with the way in from integers and the way out.
pub trait ModularArithmetic: MulMod {
    /// The residue of `base`.
    ///
    /// # Errors
    /// [`HypercubeError::BaseTooLarge`] unless `base < n`.
    fn enter(&self, base: &BoxedUint) -> Result<Self::Residue, HypercubeError>;

    /// The integer in `[0, n)` that the residue stands for.
    fn leave(&self, residue: &Self::Residue) -> BoxedUint;
}

/// Modular arithmetic on integers in Montgomery form (`crypto-bigint`), constant time in the
/// residues. A residue is wiped when it is dropped.
#[derive(Clone, Debug)]
pub struct IntegerMontgomery {
    params: BoxedMontyParams,
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

/// In residue number systems, with numbers in Montgomery form. The odd modulus is `P`.
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
                .expect("what is selected are residues in this base")
        };
        Element {
            a: residues(&a.a, &b.a),
            b: residues(&a.b, &b.b),
            bound: a.bound.max(b.bound),
        }
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

/// Refuses a base that is not below the modulus. That it is, is no secret.
pub(crate) fn check_base(base: &BoxedUint, modulus: &BoxedUint) -> Result<(), HypercubeError> {
    if base >= modulus {
        return Err(HypercubeError::BaseTooLarge {
            base_bits: base.bits(),
            modulus_bits: modulus.bits(),
        });
    }
    Ok(())
}

/// The exponents of `A` and `B` in a product of their powers: multiplying adds them.
/// Running a network on it reads off the graph what power it computes, modulo `2^64`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exponents;

impl MulMod for Exponents {
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
