//! A modulus, which makes a channel, and arithmetic on its residues.
//!
//! The time of all operations on residues (`add`, `sub`, `neg`, `mul`, `reduce`)
//! depends on the modulus only: comparisons are masks, and quotients come from
//! Barrett's multiplication instead of a division. Functions in variable time have
//! names that end in `_vartime`.

use crypto_bigint::BoxedUint;

/// Width of the widest modulus, in bits. Residues are held in `u128`.
pub const MAX_BITS: u32 = 66;

/// The reason why a number cannot be a modulus, or has no inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModulusError {
    /// The number is 0 or 1.
    #[error("modulus {0} is too small: a modulus is at least 2")]
    TooSmall(u128),
    /// The number has more than [`MAX_BITS`] bits.
    #[error("modulus {0:#x} is too wide: a modulus has at most {MAX_BITS} bits")]
    TooWide(u128),
    /// `gcd(value, modulus) > 1`.
    #[error(
        "{value} has no inverse modulo {modulus}: their greatest common divisor is {gcd}, not 1"
    )]
    NotInvertible {
        /// The residue.
        value: u128,
        /// The modulus.
        modulus: u128,
        /// Their greatest common divisor.
        gcd: u128,
    },
}

/// A modulus `m` with `2 <= m < 2^66`, and its constant for Barrett's reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulus {
    value: u128,
    /// `w`: `2^(w-1) <= m < 2^w`.
    bits: u32,
    /// `floor(2^k / m)` with `k = barrett_bits()`.
    reciprocal: u128,
}

impl Modulus {
    /// The modulus with this value.
    ///
    /// # Errors
    /// [`ModulusError::TooSmall`] below 2, [`ModulusError::TooWide`] from `2^66`.
    pub const fn new(value: u128) -> Result<Self, ModulusError> {
        if value < 2 {
            return Err(ModulusError::TooSmall(value));
        }
        if value >> MAX_BITS != 0 {
            return Err(ModulusError::TooWide(value));
        }
        let bits = u128::BITS - value.leading_zeros();
        let k = barrett_bits(bits);
        // 2^128 does not fit: floor((2^128 - 1) / m) differs from floor(2^128 / m) only
        // when m is a power of two, and is then one too small, which the two
        // conditional subtractions of `reduce_short` absorb (error < 3, see there).
        let numerator = if k == 128 { u128::MAX } else { 1 << k };
        Ok(Self {
            value,
            bits,
            reciprocal: numerator / value,
        })
    }

    /// `m`.
    pub const fn value(&self) -> u128 {
        self.value
    }

    /// `w`, the width in bits: `2^(w-1) <= m < 2^w`.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// `|a + b|_m` for `a, b < m`.
    pub const fn add(&self, a: u128, b: u128) -> u128 {
        debug_assert!(a < self.value && b < self.value);
        subtract_once(a + b, self.value)
    }

    /// `|a - b|_m` for `a, b < m`.
    pub const fn sub(&self, a: u128, b: u128) -> u128 {
        debug_assert!(a < self.value && b < self.value);
        subtract_once(a + (self.value - b), self.value)
    }

    /// `|-a|_m` for `a < m`.
    pub const fn neg(&self, a: u128) -> u128 {
        self.sub(0, a)
    }

    /// `|a b|_m` for `a, b < m`.
    pub const fn mul(&self, a: u128, b: u128) -> u128 {
        debug_assert!(a < self.value && b < self.value);
        if 2 * self.bits <= barrett_bits(self.bits) {
            return self.reduce_short(a * b);
        }
        // 63 to 66 bits: the product does not fit in 128 bits. Split b = b1 2^33 + b0;
        // every intermediate value is below 2^(66 + 33) + 2^(66 + 33) = 2^100.
        let (high, low) = (b >> 33, b & ((1 << 33) - 1));
        let t = self.reduce_short(a * high);
        self.reduce_short((t << 33) + a * low)
    }

    /// `|a b|_m` for a residue `a` of another channel and `b < m`.
    ///
    /// The time depends on the two moduli, not on `a` and `b`.
    pub const fn mul_from(&self, a: u128, from: &Modulus, b: u128) -> u128 {
        debug_assert!(a < from.value && b < self.value);
        self.mul_wider(a, from.bits, b)
    }

    /// `|m' b|_m` for another modulus `m'` and `b < m`.
    ///
    /// The time depends on the two moduli, not on `b`.
    pub(crate) const fn mul_by_modulus(&self, b: u128, other: &Modulus) -> u128 {
        debug_assert!(b < self.value);
        self.mul_wider(other.value, other.bits, b)
    }

    /// `|x b|_m` for `x < 2^bits`, `bits <= 66` and `b < m`.
    const fn mul_wider(&self, x: u128, bits: u32, b: u128) -> u128 {
        if bits <= 62 {
            // x b < 2^(62 + w), which Barrett's reduction takes at every width.
            return self.reduce_short(x * b);
        }
        // Split x = x1 2^33 + x0: every intermediate value is below 2^(w + 34).
        let (high, low) = (x >> 33, x & ((1 << 33) - 1));
        let t = self.reduce_short(high * b);
        self.reduce_short((t << 33) + low * b)
    }

    /// `|x|_m` for any `x`.
    pub const fn reduce(&self, x: u128) -> u128 {
        // Horner in digits of 32 bits: each step is below 2^(w + 32).
        let mut acc = 0;
        let mut shift = 128;
        while shift > 0 {
            shift -= 32;
            acc = self.reduce_short((acc << 32) | ((x >> shift) & 0xffff_ffff));
        }
        acc
    }

    /// `|x|_m` for an integer of any size. The time depends on the precision of `x` only.
    pub fn reduce_uint(&self, x: &BoxedUint) -> u128 {
        let mut acc = 0;
        for &word in x.as_words().iter().rev() {
            let word = u128::from(word);
            let mut shift = crypto_bigint::Word::BITS;
            while shift > 0 {
                shift -= 32;
                acc = self.reduce_short((acc << 32) | ((word >> shift) & 0xffff_ffff));
            }
        }
        acc
    }

    /// `|a^e|_m` for `a < m`, in a time that depends on the exponent.
    pub const fn pow_vartime(&self, a: u128, exponent: u128) -> u128 {
        let mut result = self.reduce_short(1);
        let mut bit = u128::BITS - exponent.leading_zeros();
        while bit > 0 {
            bit -= 1;
            result = self.mul(result, result);
            if (exponent >> bit) & 1 == 1 {
                result = self.mul(result, a);
            }
        }
        result
    }

    /// `|a^-1|_m`, by the extended Euclidean algorithm. For constants, not for secrets.
    ///
    /// # Errors
    /// [`ModulusError::NotInvertible`] when `gcd(a, m) > 1`.
    pub const fn invert_vartime(&self, a: u128) -> Result<u128, ModulusError> {
        // Invariant: r0 = a t0 and r1 = a t1 modulo m, with t held as residues.
        let (mut r0, mut r1) = (self.value, a % self.value);
        let (mut t0, mut t1) = (0, self.reduce_short(1));
        while r1 != 0 {
            let q = r0 / r1;
            (r0, r1) = (r1, r0 - q * r1);
            let product = self.mul(self.reduce(q), t1);
            (t0, t1) = (t1, self.sub(t0, product));
        }
        if r0 == 1 {
            Ok(t0)
        } else {
            Err(ModulusError::NotInvertible {
                value: a,
                modulus: self.value,
                gcd: r0,
            })
        }
    }

    /// `|a^-1|_m` for an `a` that is known to be coprime to `m`, for instance a product of
    /// other moduli of a base.
    pub(crate) fn invert_coprime(&self, a: u128) -> u128 {
        match self.invert_vartime(a) {
            Ok(inverse) => inverse,
            Err(error) => unreachable!("{error}"),
        }
    }

    /// Barrett's reduction: `|z|_m` for `z < 2^k`, `k = min(w + 62, 128)`.
    ///
    /// With `u = floor(z / 2^(w-1))` and `mu` the stored reciprocal, the estimate
    /// `q = floor(u mu / 2^(k-w+1))` satisfies `floor(z/m) - 2 <= q <= floor(z/m)`:
    /// truncating `z` loses less than 1 (`mu 2^(w-1) <= 2^k / 2` and `2^(w-1) <= m`),
    /// truncating `mu` loses less than `u / 2^(k-w+1) <= 1` (and, for `k = 128`, at
    /// most as much again only if `m` divides `2^128`, where the first loss is 0).
    /// Two conditional subtractions finish. (HAC, algorithm 14.42.)
    const fn reduce_short(&self, z: u128) -> u128 {
        let k = barrett_bits(self.bits);
        debug_assert!(k == 128 || z >> k == 0);
        let u = z >> (self.bits - 1);
        let q = (u * self.reciprocal) >> (k - self.bits + 1);
        let r = z - q * self.value;
        subtract_once(subtract_once(r, self.value), self.value)
    }
}

/// `k`: Barrett's reduction takes `z < 2^k`. With this `k`, both factors of the quotient
/// estimate have at most 63 bits, as `k - w + 1 <= 63`.
const fn barrett_bits(bits: u32) -> u32 {
    if bits + 62 < 128 { bits + 62 } else { 128 }
}

/// `x - m` if `x >= m`, else `x`, without a branch. For `x, m < 2^127`.
const fn subtract_once(x: u128, m: u128) -> u128 {
    let difference = x.wrapping_sub(m);
    let borrow_mask = 0u128.wrapping_sub(difference >> 127);
    difference.wrapping_add(m & borrow_mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    #[test]
    fn every_product_modulo_small_moduli() {
        for m in 2..=70u128 {
            let modulus = Modulus::new(m).unwrap();
            for a in 0..m {
                for b in 0..m {
                    assert_eq!(modulus.mul(a, b), a * b % m);
                    assert_eq!(modulus.add(a, b), (a + b) % m);
                    assert_eq!(modulus.sub(a, b), (a + m - b) % m);
                }
                let inverse = modulus.invert_vartime(a);
                match inverse {
                    Ok(inverse) => assert_eq!(a * inverse % m, 1),
                    Err(_) => assert_ne!(num_integer::gcd(a, m), 1),
                }
            }
        }
    }

    #[test]
    fn every_product_from_another_small_channel() {
        for m in 2..=40u128 {
            for n in 2..=40u128 {
                let (modulus, from) = (Modulus::new(m).unwrap(), Modulus::new(n).unwrap());
                for a in 0..n {
                    for b in 0..m {
                        assert_eq!(modulus.mul_from(a, &from, b), a * b % m);
                    }
                }
            }
        }
    }

    #[test]
    fn too_small_and_too_wide_are_refused() {
        assert_eq!(Modulus::new(1), Err(ModulusError::TooSmall(1)));
        assert_eq!(Modulus::new(1 << 66), Err(ModulusError::TooWide(1 << 66)));
        assert!(Modulus::new((1 << 66) - 1).is_ok());
    }

    proptest! {
        #[test]
        fn agrees_with_num_bigint(bits in 2u32..=66, seed: u128, a: u128, b: u128, x: u128) {
            let m = (1u128 << (bits - 1)) | (seed & ((1 << (bits - 1)) - 1));
            let modulus = Modulus::new(m).unwrap();
            prop_assert_eq!(modulus.reduce(x), x % m);
            let (a, b) = (a % m, b % m);
            for (a, b) in [(a, b), (m - 1, m - 1), (m - 1, b), (0, b)] {
                let expected = BigUint::from(a) * BigUint::from(b) % BigUint::from(m);
                prop_assert_eq!(BigUint::from(modulus.mul(a, b)), expected);
            }
            for from_bits in [2, 8, 61, 62, 63, 64, 65, 66] {
                let from = Modulus::new((1 << from_bits) - 1).unwrap();
                for a in [x % from.value(), from.value() - 1] {
                    let expected = BigUint::from(a) * BigUint::from(b) % BigUint::from(m);
                    prop_assert_eq!(BigUint::from(modulus.mul_from(a, &from, b)), expected);
                }
            }
        }
    }
}
