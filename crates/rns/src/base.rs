//! A base: pairwise coprime moduli, their product `M` (the dynamic range), and the
//! constants of the Chinese remainder theorem.
//!
#![doc = include_str!("../docs/bases.md")]

use alloc::{collections::BTreeSet, sync::Arc, vec::Vec};
use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Resize};

use crate::{
    modulus::{MAX_BITS, Modulus, ModulusError},
    primes,
};

/// The reason why a list of moduli is not a base, or why a generator found no base.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// A single modulus is not usable.
    #[error(transparent)]
    Modulus(#[from] ModulusError),
    /// Fewer than two moduli.
    #[error("a base needs at least two moduli, got {0}")]
    TooFewModuli(usize),
    /// Two moduli share a factor.
    #[error("moduli {0} and {1} are not coprime: their greatest common divisor is {2}")]
    NotCoprime(u128, u128, u128),
    /// An even modulus, although all must be odd.
    #[error("modulus {0} is even, and this use needs odd moduli")]
    Even(u128),
    /// The width asked for is outside 2..=66.
    #[error("no moduli of {0} bits: the width must be 2 to {MAX_BITS} bits")]
    Width(u32),
    /// Fewer moduli of this kind exist than were asked for.
    #[error("only {found} moduli of {bits} bits exist of this kind, {wanted} were asked for")]
    NotEnough {
        /// Width in bits.
        bits: u32,
        /// Number of moduli asked for.
        wanted: usize,
        /// Number of moduli that exist.
        found: usize,
    },
}

/// A validated base: at least two moduli, pairwise coprime.
///
/// Clones share one copy of the constants, so that every [`Residues`](crate::Residues) can
/// hold its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base(Arc<Constants>);

#[derive(Debug, PartialEq, Eq)]
struct Constants {
    moduli: Vec<Modulus>,
    product: BoxedUint,
    /// `|(M/m_i)^-1|_{m_i}`.
    cofactor_inverses: Vec<u128>,
}

impl Base {
    /// A base of exactly these moduli, in this order.
    ///
    /// # Errors
    /// A modulus out of range, fewer than two moduli, or two that share a factor.
    pub fn new(moduli: &[u128]) -> Result<Self, BaseError> {
        if moduli.len() < 2 {
            return Err(BaseError::TooFewModuli(moduli.len()));
        }
        let moduli = moduli
            .iter()
            .map(|&m| Modulus::new(m))
            .collect::<Result<Vec<Modulus>, _>>()?;
        // The product of the other moduli is invertible modulo m_i exactly if all of them are
        // coprime to m_i. The pair that shares a factor is searched only after a failure.
        let mut cofactor_inverses = Vec::with_capacity(moduli.len());
        for (i, modulus) in moduli.iter().enumerate() {
            let cofactor = moduli
                .iter()
                .enumerate()
                .filter(|&(j, _)| j != i)
                .fold(1, |acc, (_, other)| modulus.mul_by_modulus(acc, other));
            match modulus.invert_vartime(cofactor) {
                Ok(inverse) => cofactor_inverses.push(inverse),
                Err(_) => return Err(shared_factor(&moduli, i)),
            }
        }
        let product = product(moduli.iter().map(Modulus::value));
        Ok(Self(Arc::new(Constants {
            moduli,
            product,
            cofactor_inverses,
        })))
    }

    /// A base of exactly these moduli, in this order, all of them odd.
    ///
    /// # Errors
    /// As [`Base::new`], and [`BaseError::Even`].
    pub fn new_odd(moduli: &[u128]) -> Result<Self, BaseError> {
        match moduli.iter().find(|&&m| m % 2 == 0) {
            Some(&even) => Err(BaseError::Even(even)),
            None => Self::new(moduli),
        }
    }

    /// The `count` largest primes of exactly `bits` bits that are not in `excluded`,
    /// in descending order.
    ///
    /// # Errors
    /// [`BaseError::Width`], [`BaseError::NotEnough`], [`BaseError::TooFewModuli`].
    pub fn descending_primes(
        bits: u32,
        count: usize,
        excluded: &BTreeSet<u128>,
    ) -> Result<Self, BaseError> {
        if !(2..=MAX_BITS).contains(&bits) {
            return Err(BaseError::Width(bits));
        }
        let moduli: Vec<u128> = primes::descending_vartime(bits)
            .filter(|m| !excluded.contains(m))
            .take(count)
            .collect();
        if moduli.len() < count {
            return Err(BaseError::NotEnough {
                bits,
                wanted: count,
                found: moduli.len(),
            });
        }
        Self::new(&moduli)
    }

    /// The `count` pseudo-Mersenne moduli `2^bits - r` with the smallest `r >= 1` for which
    /// each new modulus is coprime to those before it (greedy; odd `r` keeps them odd).
    ///
    /// # Errors
    /// [`BaseError::Width`]; [`BaseError::NotEnough`] if fewer exist with
    /// `r < 2^(bits/2)`, the bound that makes reduction by two folds work.
    pub fn pseudo_mersenne(bits: u32, count: usize) -> Result<Self, BaseError> {
        if !(2..=MAX_BITS).contains(&bits) {
            return Err(BaseError::Width(bits));
        }
        let mut moduli: Vec<u128> = Vec::new();
        for r in (1..1u128 << (bits / 2)).step_by(2) {
            if moduli.len() == count {
                break;
            }
            let candidate = (1u128 << bits) - r;
            if moduli.iter().all(|&m| gcd(m, candidate) == 1) {
                moduli.push(candidate);
            }
        }
        if moduli.len() < count {
            return Err(BaseError::NotEnough {
                bits,
                wanted: count,
                found: moduli.len(),
            });
        }
        Self::new(&moduli)
    }

    /// This base with one more modulus, at the end.
    ///
    /// With `M' = M m`, `|(M'/m_i)^-1|_{m_i} = ||(M/m_i)^-1| |m^-1||_{m_i}`: the orthogonal
    /// bases of the extended base from those of this one (Tchernykh et al., "Cryptographic
    /// primitives optimization based on the concepts of the residue number system and
    /// finite ring neural network", OLA 2021, equation (13)).
    ///
    /// # Errors
    /// A modulus out of range, or one that shares a factor with a modulus of this base.
    pub fn with_modulus(&self, m: u128) -> Result<Self, BaseError> {
        let new = Modulus::new(m)?;
        let mut moduli = self.0.moduli.clone();
        moduli.push(new);
        let mut cofactor_inverses = Vec::with_capacity(moduli.len());
        for (modulus, &inverse) in self.0.moduli.iter().zip(&self.0.cofactor_inverses) {
            match modulus.invert_vartime(modulus.reduce(m)) {
                Ok(factor) => cofactor_inverses.push(modulus.mul(inverse, factor)),
                Err(_) => return Err(shared_factor(&moduli, self.len())),
            }
        }
        cofactor_inverses.push(new.invert_vartime(self.product_mod(&new))?);
        let product = product(moduli.iter().map(Modulus::value));
        Ok(Self(Arc::new(Constants {
            moduli,
            product,
            cofactor_inverses,
        })))
    }

    /// The moduli, in order.
    pub fn moduli(&self) -> &[Modulus] {
        &self.0.moduli
    }

    /// The number of moduli, `n`.
    pub fn len(&self) -> usize {
        self.0.moduli.len()
    }

    /// Never true: a base has at least two moduli.
    pub fn is_empty(&self) -> bool {
        self.0.moduli.is_empty()
    }

    /// `w`, the width in bits: the least `w` for which no modulus exceeds `2^w`, so that
    /// residues have at most `w` bits.
    pub fn width(&self) -> u32 {
        let largest = self.0.moduli.iter().map(Modulus::value).max().unwrap_or(2);
        u128::BITS - (largest - 1).leading_zeros()
    }

    /// The dynamic range `M`, the product of all moduli.
    pub fn product(&self) -> &BoxedUint {
        &self.0.product
    }

    /// `|(M/m_i)^-1|_{m_i}` for every `i`: the constants that turn residues `x_i` into
    /// `xh_i = |x_i (M/m_i)^-1|_{m_i}`, for which `X = sum xh_i M/m_i` modulo `M`.
    pub fn cofactor_inverses(&self) -> &[u128] {
        &self.0.cofactor_inverses
    }

    /// `|M/m_i|_m` for every `i`: one column of the base extension matrix into channel `m`.
    pub fn cofactors_mod(&self, m: &Modulus) -> Vec<u128> {
        // M/m_i = (m_1 ... m_{i-1}) (m_{i+1} ... m_n): prefix products, then suffix products.
        let n = self.len();
        let mut columns = Vec::with_capacity(n);
        let mut prefix = m.reduce(1);
        for modulus in &self.0.moduli {
            columns.push(prefix);
            prefix = m.mul_by_modulus(prefix, modulus);
        }
        let mut suffix = m.reduce(1);
        for (column, modulus) in columns.iter_mut().zip(&self.0.moduli).rev() {
            *column = m.mul(*column, suffix);
            suffix = m.mul_by_modulus(suffix, modulus);
        }
        columns
    }

    /// `M/m_i` as an integer.
    ///
    /// # Panics
    /// If `i >= self.len()`.
    pub fn cofactor(&self, i: usize) -> BoxedUint {
        assert!(i < self.len(), "modulus {i} of a base of {}", self.len());
        let modulus = BoxedUint::from(self.0.moduli[i].value());
        let modulus = NonZero::new(modulus).expect("a modulus is at least 2");
        let cofactor = self.0.product.wrapping_div_vartime(&modulus);
        let bits = cofactor.bits_vartime().next_multiple_of(64);
        cofactor.resize_unchecked(bits)
    }

    /// `|M|_m`.
    pub fn product_mod(&self, m: &Modulus) -> u128 {
        m.reduce_uint(&self.0.product)
    }
}

/// The product of the factors, in the smallest precision of whole 64-bit words.
pub(crate) fn product(factors: impl Iterator<Item = u128>) -> BoxedUint {
    let mut product = BoxedUint::one();
    for factor in factors {
        product = product.concatenating_mul(&BoxedUint::from(factor));
        let bits = product.bits_vartime().next_multiple_of(64);
        product = product.resize_unchecked(bits);
    }
    product
}

/// The error for modulus `i` and another one with which it shares a factor.
fn shared_factor(moduli: &[Modulus], i: usize) -> BaseError {
    let m = moduli[i].value();
    let others = moduli.iter().enumerate().filter(|&(j, _)| j != i);
    let (other, divisor) = others
        .map(|(_, other)| (other.value(), gcd(m, other.value())))
        .find(|&(_, divisor)| divisor > 1)
        .unwrap_or((m, m));
    BaseError::NotCoprime(m, other, divisor)
}

/// The greatest common divisor, in variable time: the numbers are public.
fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_factors_are_named() {
        let error = Base::new(&[35, 9, 25]).unwrap_err();
        assert_eq!(error, BaseError::NotCoprime(35, 25, 5));
        assert_eq!(Base::new(&[7]), Err(BaseError::TooFewModuli(1)));
        assert_eq!(Base::new(&[]), Err(BaseError::TooFewModuli(0)));
        assert_eq!(Base::new_odd(&[3, 8]), Err(BaseError::Even(8)));
    }

    #[test]
    fn the_frnn_moduli_are_the_primes_down_from_32749() {
        let base = Base::descending_primes(15, 285, &BTreeSet::new()).unwrap();
        let values: Vec<u128> = base.moduli().iter().map(Modulus::value).collect();
        assert_eq!(&values[..3], &[32749, 32719, 32717]);
        assert_eq!(values[284], 29789);
    }

    #[test]
    fn generators_say_when_there_are_not_enough() {
        let none = BTreeSet::new();
        let error = Base::descending_primes(4, 3, &none).unwrap_err();
        assert_eq!(
            error,
            BaseError::NotEnough {
                bits: 4,
                wanted: 3,
                found: 2
            }
        );
        assert_eq!(
            Base::descending_primes(67, 3, &none),
            Err(BaseError::Width(67))
        );
        assert!(Base::pseudo_mersenne(66, 8).is_ok());
        assert!(matches!(
            Base::pseudo_mersenne(8, usize::MAX),
            Err(BaseError::NotEnough { bits: 8, .. })
        ));
    }

    #[test]
    fn a_base_grows_by_one_modulus() {
        let base = Base::new(&[31, 29, 27]).unwrap();
        assert_eq!(base.with_modulus(25), Base::new(&[31, 29, 27, 25]));
        assert_eq!(base.with_modulus(2), Base::new(&[31, 29, 27, 2]));
        assert_eq!(base.with_modulus(33), Err(BaseError::NotCoprime(33, 27, 3)));
        assert!(matches!(base.with_modulus(1), Err(BaseError::Modulus(_))));
    }

    #[test]
    fn cofactors_agree_with_their_definition() {
        let base = Base::new(&[31, 29, 27, 25]).unwrap();
        for m in [Modulus::new(101).unwrap(), Modulus::new(2).unwrap()] {
            let columns = base.cofactors_mod(&m);
            for (i, &column) in columns.iter().enumerate() {
                assert_eq!(column, m.reduce_uint(&base.cofactor(i)));
            }
        }
        for (i, m) in base.moduli().iter().enumerate() {
            let cofactor = m.reduce_uint(&base.cofactor(i));
            assert_eq!(m.mul(cofactor, base.cofactor_inverses()[i]), 1);
        }
    }
}
