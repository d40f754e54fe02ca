//! Signed and fractional numbers as plaintexts: the encoding of the Python package `phe`
//! (`EncodedNumber`), by which numbers are exchanged with it.
//!
//! A number is `mantissa 16^exponent`, and a negative mantissa is n less its absolute value. The exponent is sent
//! beside the ciphertext in the clear. Mantissas up to n/3 - 1 either way are legal; a value between them shows that a
//! sum or a product has left the range.

use super::PublicKey;
use crate::integer::{low_u64, resized};
use crypto_bigint::{BoxedUint, Choice, CtLt, CtSelect, NonZero};
use zeroize::Zeroizing;

/// Number of bits of a digit: the base is 16.
const DIGIT: i32 = 4;
/// Number of bits of a double's mantissa.
const MANTISSA: i32 = 53;

/// The reason why a number cannot be encoded, or a plaintext not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The number is infinite or not a number, and has no encoding.
    #[error("the number is infinite or not a number")]
    NotFinite,
    /// The mantissa exceeds n/3 - 1.
    #[error("the mantissa exceeds n/3 - 1 with this exponent: choose a higher exponent")]
    Range,
    /// An exponent can only be lowered.
    #[error("the exponent cannot be raised from {from} to {to}: digits would be lost")]
    Raised {
        /// The exponent that the number has.
        from: i32,
        /// The exponent asked for.
        to: i32,
    },
    /// The plaintext lies between n/3 and 2 n/3: a sum or product has left the range.
    #[error("the plaintext is neither a positive nor a negative number: a result was too large")]
    Overflow,
    /// The plaintext is not below n.
    #[error("the plaintext is not below n")]
    NotReduced,
    /// The number is too large for a double.
    #[error("the number is too large for a double")]
    TooLarge,
}

/// A number as a plaintext: a value below n, and the power of 16 that it counts in. The value is wiped on
/// drop.
#[derive(Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The plaintext.
    pub value: Zeroizing<BoxedUint>,
    /// The exponent, which is public.
    pub exponent: i32,
}

impl Encoded {
    /// An integer, by its sign and absolute value, with the exponent 0. In constant time.
    ///
    /// # Errors
    /// [`EncodeError::Range`].
    pub fn integer(
        key: &PublicKey,
        negative: bool,
        magnitude: &BoxedUint,
    ) -> Result<Self, EncodeError> {
        let value = signed(key, negative, magnitude)?;
        Ok(Self { value, exponent: 0 })
    }

    /// A double, exactly, with the exponent of `phe`: the highest that keeps 53 bits. The exponent reveals the number's
    /// magnitude to within a factor of 16. The time depends on nothing else.
    ///
    /// # Errors
    /// [`EncodeError::NotFinite`].
    pub fn double(key: &PublicKey, x: f64) -> Result<Self, EncodeError> {
        let (_, _, power) = parts(x)?;
        Self::double_at(key, x, power.div_euclid(DIGIT))
    }

    /// A double with this exponent: the nearest multiple of 16^exponent, the even one of two. The time depends on the
    /// exponents of both.
    ///
    /// # Errors
    /// [`EncodeError::NotFinite`], [`EncodeError::Range`].
    pub fn double_at(key: &PublicKey, x: f64, exponent: i32) -> Result<Self, EncodeError> {
        let (negative, mantissa, power) = parts(x)?;
        let shift = i64::from(power) - i64::from(DIGIT) * i64::from(exponent);
        let precision = key.n().bits_precision();
        let magnitude = if shift <= 0 {
            let rounded = rounded(mantissa, shift.unsigned_abs());
            resized(&BoxedUint::from(rounded), precision)
        } else {
            if shift + i64::from(MANTISSA) > i64::from(key.bits()) {
                return Err(EncodeError::Range);
            }
            let mantissa = resized(&BoxedUint::from(mantissa), precision);
            Zeroizing::new(
                mantissa
                    .shl_vartime(shift as u32)
                    .ok_or(EncodeError::Range)?,
            )
        };
        let value = signed(key, negative, &magnitude)?;
        Ok(Self { value, exponent })
    }

    /// The same number with a lower exponent.
    ///
    /// # Errors
    /// [`EncodeError::Raised`], [`EncodeError::Overflow`], and [`EncodeError::Range`] if the mantissa exceeds
    /// n/3 - 1 then.
    pub fn with_exponent(&self, key: &PublicKey, exponent: i32) -> Result<Self, EncodeError> {
        let from = self.exponent;
        let digits = i64::from(from) - i64::from(exponent);
        if digits < 0 {
            return Err(EncodeError::Raised { from, to: exponent });
        }
        let (negative, magnitude) = self.mantissa(key)?;
        let shift = digits * i64::from(DIGIT);
        let wide = key.n().bits_precision() * 2;
        // The mantissa may be 0, but the shift is public.
        if shift >= i64::from(key.bits()) {
            return Err(EncodeError::Range);
        }
        let magnitude = resized(&magnitude, wide);
        let magnitude = magnitude
            .shl_vartime(shift as u32)
            .ok_or(EncodeError::Range)?;
        let value = signed(key, negative, &Zeroizing::new(magnitude))?;
        Ok(Self { value, exponent })
    }

    /// The sign, true for negative, and the absolute value of the mantissa.
    ///
    /// # Errors
    /// [`EncodeError::NotReduced`], [`EncodeError::Overflow`].
    pub fn mantissa(&self, key: &PublicKey) -> Result<(bool, Zeroizing<BoxedUint>), EncodeError> {
        let n = key.n();
        if !self.value.ct_lt(n).to_bool() {
            return Err(EncodeError::NotReduced);
        }
        let value = resized(&self.value, n.bits_precision());
        let most = largest(key);
        let opposite = Zeroizing::new(n.wrapping_sub(&*value));
        let positive = !most.ct_lt(&value);
        let negative = !most.ct_lt(&opposite);
        if !(positive | negative).to_bool() {
            return Err(EncodeError::Overflow);
        }
        let magnitude = Zeroizing::new(BoxedUint::ct_select(&opposite, &value, positive));
        Ok(((!positive).to_bool(), magnitude))
    }

    /// The nearest double to the number, the even one of two. The time depends on the number.
    ///
    /// # Errors
    /// [`EncodeError::NotReduced`], [`EncodeError::Overflow`], [`EncodeError::TooLarge`].
    pub fn to_double_vartime(&self, key: &PublicKey) -> Result<f64, EncodeError> {
        let (negative, magnitude) = self.mantissa(key)?;
        let double = nearest_vartime(&magnitude, i64::from(self.exponent) * i64::from(DIGIT))?;
        Ok(if negative { -double } else { double })
    }
}

impl core::fmt::Debug for Encoded {
    /// Shows the exponent only.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Encoded")
            .field("exponent", &self.exponent)
            .finish_non_exhaustive()
    }
}

/// The largest mantissa, n/3 - 1 rounded down.
fn largest(key: &PublicKey) -> BoxedUint {
    let three = NonZero::new(crypto_bigint::Limb::from(3u32)).expect("3 is not 0");
    let (third, _) = key.n().div_rem_limb(three);
    third.wrapping_sub(BoxedUint::one())
}

/// The magnitude, or n less it.
fn signed(
    key: &PublicKey,
    negative: bool,
    magnitude: &BoxedUint,
) -> Result<Zeroizing<BoxedUint>, EncodeError> {
    if largest(key).ct_lt(magnitude).to_bool() {
        return Err(EncodeError::Range);
    }
    let magnitude = Zeroizing::new(narrowed(magnitude, key.n().bits_precision()));
    let opposite = Zeroizing::new(key.n().wrapping_sub(&*magnitude));
    let negative = Choice::from_u8_lsb(negative.into()) & magnitude.is_nonzero();
    let value = BoxedUint::ct_select(&magnitude, &opposite, negative);
    Ok(Zeroizing::new(value))
}

/// A number that fits this precision, in it.
fn narrowed(x: &BoxedUint, precision: u32) -> BoxedUint {
    let words = (precision / crypto_bigint::Word::BITS) as usize;
    let mut narrowed = vec![0; words];
    for (to, from) in narrowed.iter_mut().zip(x.as_words()) {
        *to = *from;
    }
    BoxedUint::from_words(narrowed)
}

/// Sign, mantissa and power of two of a double: 53 bits of mantissa, except for 0.
fn parts(x: f64) -> Result<(bool, u64, i32), EncodeError> {
    if !x.is_finite() {
        return Err(EncodeError::NotFinite);
    }
    let bits = x.to_bits();
    let (negative, exponent) = (bits >> 63 == 1, (bits >> 52) as i32 & 0x7ff);
    let fraction = bits & ((1 << 52) - 1);
    if exponent > 0 {
        return Ok((negative, fraction | 1 << 52, exponent - 1075));
    }
    if fraction == 0 {
        // As in Python's frexp.
        return Ok((negative, 0, -MANTISSA));
    }
    let missing = fraction.leading_zeros().cast_signed() - 11;
    Ok((negative, fraction << missing, -1074 - missing))
}

/// `x / 2^shift`, rounded to the nearest integer, the even one of two.
fn rounded(x: u64, shift: u64) -> u64 {
    match shift {
        0 => x,
        1..=63 => {
            let (quotient, rest) = (x >> shift, x & ((1 << shift) - 1));
            let half = 1 << (shift - 1);
            quotient + u64::from(rest > half || (rest == half && quotient % 2 == 1))
        }
        // x has fewer than 63 bits.
        _ => 0,
    }
}

/// The double nearest to `x 2^power`.
fn nearest_vartime(x: &BoxedUint, power: i64) -> Result<f64, EncodeError> {
    let bits = i64::from(x.bits_vartime());
    if bits == 0 {
        return Ok(0.0);
    }
    let top = bits - 1 + power;
    if top > 1023 {
        return Err(EncodeError::TooLarge);
    }
    // The power of two that the last bit of the result counts.
    let last = (top - 52).max(-1074);
    let shift = last - power;
    let mantissa = if shift <= 0 {
        // At most 53 bits.
        low_u64(x) << -shift
    } else if shift > bits {
        0
    } else {
        let shift = shift as u32;
        let quotient = low_u64(&x.unbounded_shr_vartime(shift));
        let half = x.bit_vartime(shift - 1);
        let beyond = x.trailing_zeros_vartime() < shift - 1;
        quotient + u64::from(half && (beyond || quotient % 2 == 1))
    };
    let scale = |power: i64| f64::from_bits(((power + 1023) as u64) << 52);
    // Both products are exact, unless the result is infinite.
    let result = if last >= -1022 {
        mantissa as f64 * scale(last)
    } else {
        mantissa as f64 * scale(-1022) * scale(last + 1022)
    };
    if result.is_finite() {
        Ok(result)
    } else {
        Err(EncodeError::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubles decoded from the engine's plaintexts equal the results of IEEE arithmetic.
    #[test]
    fn doubles_come_back() {
        let n = BoxedUint::one_with_precision(2048).shl(2047);
        let key = PublicKey::new(&n.wrapping_add(BoxedUint::one())).unwrap();
        let numbers = [
            0.0,
            1.0,
            0.1,
            core::f64::consts::PI,
            1e-300,
            1e300,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            2.5e-320,
            123_456_789.0,
        ];
        for x in numbers.into_iter().flat_map(|x| [x, -x]) {
            let encoded = Encoded::double(&key, x).unwrap();
            assert_eq!(encoded.to_double_vartime(&key), Ok(x));
            let lower = encoded.with_exponent(&key, encoded.exponent - 5);
            assert_eq!(lower.unwrap().to_double_vartime(&key), Ok(x));
        }
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Encoded::double(&key, x), Err(EncodeError::NotFinite));
        }
    }

    /// Integers of up to 70 bits and all powers near the ends, against the conversion of u128.
    #[test]
    fn nearest_doubles() {
        let mut x: u128 = 1;
        for _ in 0..2000 {
            x = x
                .wrapping_mul(0xda94_2042_e4dd_58b5)
                .wrapping_add(0x1234_5677)
                % (1 << 70);
            for x in [x, x | 1, x << 17, x >> 40, (x >> 54 << 54) | (1 << 53)] {
                let wide = BoxedUint::from(x);
                assert_eq!(nearest_vartime(&wide, 0), Ok(x as f64));
                assert_eq!(nearest_vartime(&wide, -200), Ok(x as f64 * 2f64.powi(-200)));
            }
        }
        let one = BoxedUint::one();
        assert_eq!(nearest_vartime(&one, -1074), Ok(5e-324));
        assert_eq!(nearest_vartime(&one, -1075), Ok(0.0));
        assert_eq!(nearest_vartime(&BoxedUint::from(3u32), -1076), Ok(5e-324));
        assert_eq!(nearest_vartime(&BoxedUint::from(3u32), -1075), Ok(1e-323));
        assert_eq!(nearest_vartime(&one, 1023), Ok(2f64.powi(1023)));
        assert_eq!(nearest_vartime(&one, 1024), Err(EncodeError::TooLarge));
        let all = BoxedUint::from(u64::MAX);
        assert_eq!(nearest_vartime(&all, 960), Err(EncodeError::TooLarge));
    }
}
