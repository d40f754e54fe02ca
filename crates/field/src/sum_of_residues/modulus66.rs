//! The channels of the sum of residues: pseudo-Mersenne moduli of 66 bits, for which reduction
//! takes shifts and additions only.
//!
//! ```text
//! m = 2^66 - 2^t - 1:   2^66 = 2^t + 1 (mod m)
//! m = 2^66 - 1:         2^66 = 1       (mod m)
//! B = BH 2^66 + BL  ->  BH 2^t + BH + BL, once more for the part of BH 2^t above 2^66
//! ```
//!
//! Source: M. A. Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
//! Cryptography 3 (2019), section 2.1, equations (6) to (8), and Table 1. Two differences:
//! the modulus `2^66 - 1` has a reduction of its own (equation (8) with `t = 0` reduces
//! modulo `2^66 - 2`), and the sum of equation (8), which is below `4m`, is brought below `m`
//! by two conditional subtractions that the paper does not mention.
//!
//! The time of every operation is independent of the residues.

/// The width `n` of all these moduli, in bits.
pub const WIDTH: u32 = 66;

/// The mask of the low 66 bits.
const MASK: u128 = (1 << WIDTH) - 1;

/// The exponents `t` of the moduli `2^66 - 2^t - 1` that follow `2^66 - 1`, for bases of at
/// most 8 channels: Table 1 of the paper.
pub const EXPONENTS_8: [u32; 7] = [2, 3, 4, 5, 6, 8, 9];

/// The exponents `t` for bases of 9 to 16 channels, which P-384 and P-521 need.
pub const EXPONENTS_16: [u32; 15] = [1, 2, 3, 4, 5, 6, 8, 9, 12, 14, 16, 17, 18, 21, 22];

/// One of the moduli `2^66 - 1` and `2^66 - 2^t - 1`, `1 <= t <= 22`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulus66 {
    value: u128,
    /// `t`, or `None` for `2^66 - 1`.
    exponent: Option<u32>,
}

impl Modulus66 {
    /// `2^66 - 1`.
    pub const MERSENNE: Self = Self {
        value: MASK,
        exponent: None,
    };

    /// `2^66 - 2^t - 1`, if `1 <= t <= 22`.
    pub const fn new(t: u32) -> Option<Self> {
        if t >= 1 && t <= 22 {
            Some(Self {
                value: MASK - (1 << t),
                exponent: Some(t),
            })
        } else {
            None
        }
    }

    /// `m`.
    pub const fn value(&self) -> u128 {
        self.value
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

    /// `|a b|_m` for `a, b < 2^66`. So a residue of another channel need not be reduced first.
    pub const fn mul(&self, a: u128, b: u128) -> u128 {
        debug_assert!(a >> WIDTH == 0 && b >> WIDTH == 0);
        // a b = low + 2^64 middle + 2^128 high, with words of 64 and 2 bits.
        let word = u64::MAX as u128;
        let (a1, a0, b1, b0) = (a >> 64, a & word, b >> 64, b & word);
        let low = a0 * b0;
        // At most (2^64 - 1) + 2 * 3 (2^64 - 1) + 9 * 2^64 < 2^68.
        let above = (low >> 64) + a1 * b0 + a0 * b1 + ((a1 * b1) << 64);
        let b_low = ((above & 3) << 64) | (low & word);
        let b_high = above >> 2;
        self.fold(b_high, b_low)
    }

    /// `|x|_m` for any `x`.
    pub const fn reduce(&self, x: u128) -> u128 {
        self.fold(x >> WIDTH, x & MASK)
    }

    /// `|high 2^66 + low|_m` for `high, low < 2^66`.
    const fn fold(&self, high: u128, low: u128) -> u128 {
        debug_assert!(high >> WIDTH == 0 && low >> WIDTH == 0);
        match self.exponent {
            // high + low <= 2m, so two subtractions are enough: m and 2m also become 0.
            None => {
                let once = subtract_once(high + low, self.value);
                subtract_once(once, self.value)
            }
            // Equation (8): BHH (2^t + 1) + BHL + BH + BL. The last three are below 2^66
            // and the first below 2^45, so the sum is below 3 2^66 + 2^45 < 4m.
            Some(t) => {
                let high_high = high >> (WIDTH - t);
                let high_low = (high << t) & MASK;
                let sum = (high_high << t) + high_high + high_low + high + low;
                debug_assert!(sum < 4 * self.value);
                subtract_once(subtract_once(sum, 2 * self.value), self.value)
            }
        }
    }
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
    use proptest::prelude::*;
    use std::vec::Vec;
    use sunzi_rns::Modulus;

    fn all() -> Vec<Modulus66> {
        let exponents = EXPONENTS_16.iter().map(|&t| Modulus66::new(t).unwrap());
        core::iter::once(Modulus66::MERSENNE)
            .chain(exponents)
            .collect()
    }

    fn edges(m: u128) -> Vec<u128> {
        [
            0,
            1,
            2,
            (1 << 33) - 1,
            1 << 33,
            (1 << 64) - 1,
            1 << 64,
            1 << 65,
        ]
        .into_iter()
        .chain((1..5).map(|k| m - k))
        .chain((0..WIDTH).map(|k| (1 << k) % m))
        .collect()
    }

    #[test]
    fn the_dedicated_reduction_equals_barretts_on_edges() {
        for channel in all() {
            let modulus = Modulus::new(channel.value()).unwrap();
            for a in edges(channel.value()) {
                for b in edges(channel.value()) {
                    assert_eq!(channel.mul(a, b), modulus.mul(a, b), "{channel:?} {a} {b}");
                    assert_eq!(channel.add(a, b), modulus.add(a, b));
                    assert_eq!(channel.sub(a, b), modulus.sub(a, b));
                }
            }
            for x in [
                0,
                u128::MAX,
                u128::MAX << 66,
                channel.value(),
                2 * channel.value(),
            ] {
                assert_eq!(channel.reduce(x), x % channel.value());
            }
        }
    }

    #[test]
    fn the_channel_2_66_minus_1_by_itself() {
        let m = Modulus66::MERSENNE;
        // Every way to write 0: m, 2m, and products that wrap to all ones.
        assert_eq!(m.reduce(m.value()), 0);
        assert_eq!(m.reduce(2 * m.value()), 0);
        assert_eq!(m.mul(m.value() - 1, m.value() - 1), 1);
        for k in 0..66 {
            assert_eq!(m.mul(1 << k, 1 << (65 - k)), 1 << 65);
            assert_eq!(m.mul(1 << k, (1 << (66 - k)) % m.value()), 1);
        }
    }

    #[test]
    fn both_halves_up_to_their_largest() {
        for channel in all() {
            let modulus = Modulus::new(channel.value()).unwrap();
            let edges: Vec<u128> = (0..4).flat_map(|k| [k, MASK / 2 - k, MASK - k]).collect();
            for &high in &edges {
                for &low in &edges {
                    let power = modulus.reduce(1 << WIDTH);
                    let product = modulus.mul(modulus.reduce(high), power);
                    let expected = modulus.add(product, modulus.reduce(low));
                    assert_eq!(channel.fold(high, low), expected);
                }
            }
        }
    }

    #[test]
    fn exponents_outside_1_to_22_are_refused() {
        assert_eq!(Modulus66::new(0), None);
        assert_eq!(Modulus66::new(23), None);
    }

    proptest! {
        #[test]
        fn the_dedicated_reduction_equals_barretts(a: u128, b: u128) {
            for channel in all() {
                let modulus = Modulus::new(channel.value()).unwrap();
                prop_assert_eq!(channel.reduce(a), a % channel.value());
                let (a, b) = (a % channel.value(), b % channel.value());
                prop_assert_eq!(channel.mul(a, b), modulus.mul(a, b));
            }
        }
    }
}
