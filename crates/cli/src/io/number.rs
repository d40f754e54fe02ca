//! Integers as text: decimal, or hexadecimal after `0x`.

use crypto_bigint::{BoxedUint, Resize};
use zeroize::Zeroizing;

/// The reason why a text is not a usable integer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NumberError {
    /// There are no digits.
    #[error("the number is empty")]
    Empty,
    /// There is a minus sign.
    #[error("the number is negative: it must be 0 or more")]
    Negative,
    /// There are characters other than digits.
    #[error("not a number: write it in decimal, or in hexadecimal after 0x")]
    NotDigits,
    /// The integer has more bits than this limit.
    #[error("the number is too wide: at most {0} bits are allowed")]
    TooWide(u32),
    /// The number has more digits than numbers of this many bits need.
    #[error("the number has too many digits: at most {0} bits are allowed, leading zeros included")]
    TooManyDigits(u32),
}

/// Parses an integer of at most `max_bits` bits.
///
/// The precision of the result, on which the time of secret computations depends, is determined by
/// the number of digits (including leading zeros), not by their values. Hexadecimal digits are
/// parsed in constant time; decimal ones are not.
pub(crate) fn parse(text: &str, max_bits: u32) -> Result<BoxedUint, NumberError> {
    if text.starts_with('-') {
        return Err(NumberError::Negative);
    }
    let number = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => parse_hexadecimal(digits, max_bits)?,
        None => parse_decimal(text, max_bits)?,
    };
    if number.bits() > max_bits {
        return Err(NumberError::TooWide(max_bits));
    }
    Ok(number)
}

/// [`parse`], for numbers whose digits must be no more than `max_bits` bits need, leading zeros
/// included: the precision of the result is at most `max_bits`, rounded up to whole words.
pub(crate) fn parse_within_digits(text: &str, max_bits: u32) -> Result<BoxedUint, NumberError> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, most) = match hexadecimal {
        Some(digits) => (digits, max_bits.div_ceil(4)),
        // log10(2) is between 0.30102 and 0.30103.
        None => (text, (u64::from(max_bits) * 30_103 / 100_000) as u32 + 1),
    };
    if digits.len() > most as usize {
        return Err(NumberError::TooManyDigits(max_bits));
    }
    let number = Zeroizing::new(parse(text, max_bits)?);
    // Decimal digits take a few bits more than the number has.
    let precision = number.bits_precision().min(max_bits);
    Ok(Resize::resize(&*number, precision))
}

fn parse_hexadecimal(digits: &str, max_bits: u32) -> Result<BoxedUint, NumberError> {
    if digits.is_empty() {
        return Err(NumberError::Empty);
    }
    // An odd number of digits gets a leading zero, so that they fill whole bytes.
    let mut padded = Zeroizing::new(String::with_capacity(digits.len() + 1));
    if digits.len() % 2 == 1 {
        padded.push('0');
    }
    padded.push_str(digits);
    let bytes = Zeroizing::new(
        base16ct::mixed::decode_vec(padded.as_bytes()).map_err(|_| NumberError::NotDigits)?,
    );
    // Twice the limit leaves room for leading zeros and bounds the work for longer texts.
    if bytes.len() > max_bits as usize / 4 {
        return Err(NumberError::TooWide(max_bits));
    }
    let precision = bytes.len() as u32 * 8;
    BoxedUint::from_be_slice(&bytes, precision).map_err(|_| NumberError::TooWide(max_bits))
}

fn parse_decimal(digits: &str, max_bits: u32) -> Result<BoxedUint, NumberError> {
    if digits.is_empty() {
        return Err(NumberError::Empty);
    }
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(NumberError::NotDigits);
    }
    // A decimal digit has log2(10) = 3.32193 bits, which is below 3.3220.
    let precision = digits.len() as u64 * 33_220 / 10_000 + 1;
    if precision > u64::from(max_bits) * 2 {
        return Err(NumberError::TooWide(max_bits));
    }
    BoxedUint::from_str_radix_with_precision_vartime(digits, 10, precision as u32)
        .map_err(|_| NumberError::TooWide(max_bits))
}

/// The text of an integer: `0x` and the hexadecimal digits, without leading zeros. The time
/// depends on the length of the value.
pub(crate) fn format(number: &BoxedUint) -> String {
    let digits = format!("{number:x}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        String::from("0x0")
    } else {
        format!("0x{digits}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_notations() {
        for (text, expected) in [
            ("0", "0x0"),
            ("00012", "0xc"),
            ("0x0", "0x0"),
            ("0xfF", "0xff"),
            ("0XfFf", "0xfff"),
            ("65537", "0x10001"),
            (
                "340282366920938463463374607431768211455",
                "0xffffffffffffffffffffffffffffffff",
            ),
            (
                "340282366920938463463374607431768211456",
                "0x100000000000000000000000000000000",
            ),
        ] {
            assert_eq!(format(&parse(text, 16_384).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_a_number() {
        for text in ["", "0x"] {
            assert_eq!(parse(text, 64), Err(NumberError::Empty), "{text:?}");
        }
        for text in ["-1", "-0x1", "-"] {
            assert_eq!(parse(text, 64), Err(NumberError::Negative), "{text:?}");
        }
        for text in [
            "+1", " 1", "1 ", "ff", "0xfg", "0x 1", "1e3", "1_000", "0x-1", "٣",
        ] {
            assert_eq!(parse(text, 64), Err(NumberError::NotDigits), "{text:?}");
        }
    }

    #[test]
    fn the_width_is_limited_to_the_bit() {
        for text in [
            "0xffffffffffffffff",
            "18446744073709551615",
            "0x00ffffffffffffffff",
        ] {
            assert_eq!(parse(text, 64).unwrap().bits(), 64, "{text}");
        }
        for text in [
            "0x10000000000000000",
            "18446744073709551616",
            &"9".repeat(100_000),
        ] {
            assert_eq!(parse(text, 64), Err(NumberError::TooWide(64)), "{text:.30}");
        }
    }

    #[test]
    fn leading_zeros_count_as_digits() {
        let parse = |text: &str| parse_within_digits(text, 16_384);
        let decimal = parse(&format!("0{}", "9".repeat(4_932))).unwrap();
        for text in [
            format!("0x{}", "f".repeat(4_096)),
            format!("0x{:0>4096}", 3),
            format!("{:0>4933}", 3),
        ] {
            assert_eq!(parse(&text).unwrap().bits_precision(), 16_384, "{text:.9}");
        }
        assert_eq!(decimal.bits_precision(), 16_384);
        assert_eq!(format(&decimal).len(), 2 + 4_096);
        for text in [format!("0x{:0>4097}", 3), format!("{:0>4934}", 3)] {
            assert_eq!(parse(&text), Err(NumberError::TooManyDigits(16_384)));
        }
        // As many digits as the largest number has, and one more in value.
        let large = "9".repeat(4_933);
        assert_eq!(parse(&large), Err(NumberError::TooWide(16_384)));
        assert_eq!(parse("-1"), Err(NumberError::Negative));
        assert_eq!(parse("0x"), Err(NumberError::Empty));
        assert_eq!(parse("x"), Err(NumberError::NotDigits));
    }

    #[test]
    fn the_precision_follows_from_the_digits() {
        assert_eq!(parse("0x0001", 64).unwrap(), BoxedUint::one());
        let short = parse("0x00000000000000000000000000000001", 1024).unwrap();
        let long = parse("0xffffffffffffffffffffffffffffffff", 1024).unwrap();
        assert_eq!(short.bits_precision(), long.bits_precision());
    }
}
