//! Powers with exponents near the primes `2^255 - 19` and `2^448 - 2^224 - 1`: inverses and roots, as
//! parts of programs. Constant time.

use sunzi_engine::program::{Builder, Value};

/// The primes of the curves of RFC 7748.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ec) enum Prime {
    /// `2^255 - 19`.
    P25519,
    /// `2^448 - 2^224 - 1`.
    P448,
}

/// Addition chains, each number the sum of the one before it and an earlier one.
const TO_250: [u32; 10] = [2, 4, 5, 10, 20, 40, 50, 100, 200, 250];
const TO_222: [u32; 10] = [2, 3, 6, 9, 18, 36, 37, 74, 111, 222];

/// `x^(2^n - 1)` for the last n of a chain, with `n - 1` squarings and a product for each number of
/// the chain: `x^(2^(i + j) - 1) = (x^(2^i - 1))^(2^j) x^(2^j - 1)`.
fn all_ones(builder: &mut Builder, x: Value, chain: &[u32]) -> Value {
    let mut known = vec![(1, x)];
    let (mut length, mut power) = (1, x);
    for &next in chain {
        let more = next - length;
        let factor = known.iter().find(|(length, _)| *length == more);
        let factor = factor.map_or(x, |(_, power)| *power);
        let shifted = builder.square_times(power, more);
        power = builder.multiply(shifted, factor);
        length = next;
        known.push((length, power));
    }
    power
}

impl Prime {
    /// `x^-1`, and 0 for 0 (Fermat): `x^(p - 2)`, where p - 2 is `(2^250 - 1) 2^5 + 11`, or
    /// `4 (2^446 - 2^222 - 1) + 1`. 265 R and 461 R.
    ///
    /// x is in Montgomery form, and so is the result.
    pub(in crate::ec) fn invert(self, builder: &mut Builder, x: Value) -> Value {
        builder.inversion(x, |builder, x| self.inverse_power(builder, x))
    }

    fn inverse_power(self, builder: &mut Builder, x: Value) -> Value {
        match self {
            Self::P25519 => {
                let square = builder.square(x);
                let eighth = builder.square_times(square, 2);
                let ninth = builder.multiply(eighth, x);
                let eleventh = builder.multiply(ninth, square);
                let ones = all_ones(builder, x, &TO_250);
                let shifted = builder.square_times(ones, 5);
                builder.multiply(shifted, eleventh)
            }
            Self::P448 => {
                let root = self.root_power(builder, x);
                let shifted = builder.square_times(root, 2);
                builder.multiply(shifted, x)
            }
        }
    }

    /// The power from which square roots are derived: `x^((p - 5)/8)` with `(p - 5)/8 = 2^252 - 3`, or
    /// `x^((p - 3)/4)` with `(p - 3)/4 = 2^446 - 2^222 - 1`. 262 R and 458 R.
    ///
    /// x is in Montgomery form, and so is the result.
    pub(super) fn root_power(self, builder: &mut Builder, x: Value) -> Value {
        match self {
            Self::P25519 => {
                let ones = all_ones(builder, x, &TO_250);
                let shifted = builder.square_times(ones, 2);
                builder.multiply(shifted, x)
            }
            Self::P448 => {
                // (2^223 - 1) 2^223 + 2^222 - 1.
                let low = all_ones(builder, x, &TO_222);
                let square = builder.square(low);
                let high = builder.multiply(square, x);
                let shifted = builder.square_times(high, 223);
                builder.multiply(shifted, low)
            }
        }
    }
}
