//! Arithmetic modulo the prime of a curve on public numbers, one at a time, for checking and preparing
//! curves, tables and public keys. Batches, and all secrets, go through the engine.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Odd, Resize};
use sunzi_engine::inverse;

/// A number modulo the prime.
pub(super) type Element = BoxedMontyForm;

/// The numbers modulo an odd prime.
#[derive(Clone, Debug)]
pub(super) struct Field {
    parameters: BoxedMontyParams,
    p: Odd<BoxedUint>,
}

impl Field {
    /// The numbers modulo p.
    pub(super) fn new(p: &Odd<BoxedUint>) -> Self {
        Self {
            parameters: BoxedMontyParams::new_vartime(p.clone()),
            p: p.clone(),
        }
    }

    /// The prime.
    pub(super) fn p(&self) -> &BoxedUint {
        self.p.as_ref()
    }

    /// The length of the prime in bits.
    pub(super) fn bits(&self) -> u32 {
        self.p().bits_vartime()
    }

    /// The length of the prime in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// A number below the prime, if it is one.
    pub(super) fn element(&self, x: &BoxedUint) -> Option<Element> {
        let below = x.cmp_vartime(self.p()).is_lt();
        let precision = self.p().bits_precision();
        below.then(|| Element::new(x.resize_unchecked(precision), &self.parameters))
    }

    /// A small number.
    pub(super) fn small(&self, x: u64) -> Element {
        let precision = self.p().bits_precision();
        let x = BoxedUint::from(x).resize_unchecked(precision);
        Element::new(x, &self.parameters)
    }

    /// `x^-1`, none for 0.
    pub(super) fn invert(x: &Element) -> Option<Element> {
        let parameters = x.params();
        let inverse = inverse(&x.retrieve(), parameters.modulus())?;
        Some(Element::new((*inverse).clone(), parameters))
    }

    /// The inverses of numbers that are not 0, with a single inversion (Montgomery's trick).
    pub(super) fn invert_all(&self, numbers: &[Element]) -> Vec<Element> {
        let mut product = Element::one(&self.parameters);
        let mut products = Vec::with_capacity(numbers.len());
        for x in numbers {
            products.push(product.clone());
            product = product.mul(x);
        }
        let mut inverse = Self::invert(&product).unwrap_or_else(|| self.small(0));
        let mut inverses: Vec<Element> = Vec::with_capacity(numbers.len());
        for (x, before) in numbers.iter().zip(&products).rev() {
            inverses.push(inverse.mul(before));
            inverse = inverse.mul(x);
        }
        inverses.reverse();
        inverses
    }

    /// A square root of x, if it has one (Tonelli and Shanks).
    pub(super) fn sqrt(&self, x: &Element) -> Option<Element> {
        if bool::from(x.is_zero()) {
            return Some(x.clone());
        }
        let one = self.small(1);
        let minus_one = one.neg();
        let less_one = self.p().wrapping_sub(BoxedUint::one());
        let twos = less_one.trailing_zeros_vartime();
        let odd = less_one.shr(twos);
        let half = less_one.shr(1);
        // x^((q - 1)/2) with p - 1 = q 2^s.
        let power = x.pow(&odd.shr(1));
        let mut root = power.mul(x);
        let mut rest = root.mul(&power);
        if twos == 1 {
            return (root.square() == *x).then_some(root);
        }
        let mut candidates = (2..).map(|k| self.small(k));
        let mut generator = candidates.find(|k| k.pow(&half) == minus_one)?.pow(&odd);
        // The order of `rest` divides 2^(order - 1).
        let mut order = twos;
        while rest != one {
            let mut square = rest.clone();
            let mut exponent = 0;
            while square != one {
                square = square.square();
                exponent += 1;
                if exponent == order {
                    return None;
                }
            }
            for _ in 0..order - exponent - 1 {
                generator = generator.square();
            }
            root = root.mul(&generator);
            generator = generator.square();
            rest = rest.mul(&generator);
            order = exponent;
        }
        Some(root)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Curve;
    use super::*;

    /// Primes that are 3 modulo 4, 5 modulo 8, and 1 modulo 2^96.
    #[test]
    fn square_roots() {
        for name in ["P-256", "P-224", "brainpoolP256r1", "secp224k1"] {
            let curve: Curve = name.parse().unwrap();
            let field = curve.field();
            // Euler's criterion: x^((p - 1)/2) is 1 for squares.
            let half = field.p().wrapping_sub(BoxedUint::one()).shr(1);
            for x in 1..40 {
                let x = field.small(x);
                assert!(field.sqrt(&x.square()).is_some());
                let root = field.sqrt(&x);
                assert_eq!(root.is_some(), x.pow(&half) == field.small(1), "{name}");
                assert!(root.is_none_or(|root| root.square() == x));
            }
            assert_eq!(field.sqrt(&field.small(0)), Some(field.small(0)));
        }
    }

    #[test]
    fn inverses() {
        let curve: Curve = "P-256".parse().unwrap();
        let field = curve.field();
        let numbers: Vec<_> = (1..9).map(|x| field.small(x)).collect();
        for (x, inverse) in numbers.iter().zip(field.invert_all(&numbers)) {
            assert_eq!(x.mul(&inverse), field.small(1));
        }
        assert_eq!(Field::invert(&field.small(0)), None);
    }
}
