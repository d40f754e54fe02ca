//! Arithmetic in `Fp2 = Fp[u] / (u^2 + 1)` on public numbers, one at a time, for constants, and for what a batch shares.

use crate::ec::field::{Element, Field};
use crypto_bigint::BoxedUint;

/// An element `re + im u` of Fp2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quadratic {
    pub(super) re: Element,
    pub(super) im: Element,
}

impl Quadratic {
    /// The element with these parts, integers below p.
    pub(super) fn of(field: &Field, [re, im]: [&BoxedUint; 2]) -> Option<Self> {
        Some(Self {
            re: field.element(re)?,
            im: field.element(im)?,
        })
    }

    /// The element with these small parts.
    pub(super) fn small(field: &Field, re: u64, im: u64) -> Self {
        Self {
            re: field.small(re),
            im: field.small(im),
        }
    }

    /// Both parts, integers below p.
    pub(super) fn integers(&self) -> [BoxedUint; 2] {
        [&self.re, &self.im].map(Element::retrieve)
    }

    pub(super) fn add(&self, y: &Self) -> Self {
        Self {
            re: self.re.add(&y.re),
            im: self.im.add(&y.im),
        }
    }

    pub(super) fn sub(&self, y: &Self) -> Self {
        Self {
            re: self.re.sub(&y.re),
            im: self.im.sub(&y.im),
        }
    }

    pub(super) fn neg(&self) -> Self {
        Self {
            re: self.re.neg(),
            im: self.im.neg(),
        }
    }

    /// `re - im u`, which is the p-th power.
    pub(super) fn conjugate(&self) -> Self {
        Self {
            re: self.re.clone(),
            im: self.im.neg(),
        }
    }

    pub(super) fn mul(&self, y: &Self) -> Self {
        Self {
            re: self.re.mul(&y.re).sub(&self.im.mul(&y.im)),
            im: self.re.mul(&y.im).add(&self.im.mul(&y.re)),
        }
    }

    pub(super) fn times(&self, y: &Element) -> Self {
        Self {
            re: self.re.mul(y),
            im: self.im.mul(y),
        }
    }

    pub(super) fn square(&self) -> Self {
        self.mul(self)
    }

    /// `re^2 + im^2`.
    pub(super) fn norm(&self) -> Element {
        self.re.square().add(&self.im.square())
    }

    /// `x^-1`, none for 0.
    pub(super) fn invert(&self) -> Option<Self> {
        let inverse = Field::invert(&self.norm())?;
        Some(self.conjugate().times(&inverse))
    }

    /// `x^e`.
    pub(super) fn pow(&self, field: &Field, exponent: &BoxedUint) -> Self {
        let bits = (0..exponent.bits_vartime()).rev();
        bits.fold(Self::small(field, 1, 0), |power, bit| {
            let square = power.square();
            if exponent.bit_vartime(bit) {
                square.mul(self)
            } else {
                square
            }
        })
    }
}
