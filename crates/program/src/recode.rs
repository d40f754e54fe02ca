//! Recoding of scalars to digits, in constant time: the places of a digit's bits depend on its position only.

use core::{fmt, hint::black_box};

use crypto_bigint::{BoxedUint, Integer, Word};
use zeroize::Zeroizing;

use crate::seal::{Checksum, Content};

/// The method by which a scalar is taken apart into digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recoding {
    /// Digit i is the `width` bits from bit `width i` on.
    Windows {
        /// Number of bits of a digit.
        width: u32,
    },
    /// Digit i consists of the bits `i`, `i + spacing`, `i + 2 spacing`, ..., one for each tooth (Lim and
    /// Lee, 1994).
    Comb {
        /// Number of bits of a digit.
        teeth: u32,
        /// Distance between a digit's bits, which is also the number of digits.
        spacing: u32,
    },
    /// Digit i is `(|d| - 1) / 2`, the index of `|d|` among the odd numbers. Window i, of `width` bits with the
    /// value u, stands for the odd number `d = 2 u - (2^width - 1)` ([`odd_digits`]).
    OddMagnitudes {
        /// Number of bits of a window.
        width: u32,
    },
    /// Digit i is 1 if d is negative, for the same windows as [`Self::OddMagnitudes`] and [`Self::Magnitudes`].
    OddSigns {
        /// Number of bits of a window.
        width: u32,
    },
    /// Digit i is `|d|`. Window i, of `width` bits with the value u, stands for `d = u - 2^(width-1)`, from `-2^(width-1)`
    /// to `2^(width-1) - 1`.
    Magnitudes {
        /// Number of bits of a window.
        width: u32,
    },
}

impl Content for Recoding {
    fn add_to(&self, sum: &mut Checksum) {
        let (kind, width, spacing) = match *self {
            Self::Windows { width } => (0, width, 0),
            Self::Comb { teeth, spacing } => (1, teeth, spacing),
            Self::OddMagnitudes { width } => (2, width, 0),
            Self::OddSigns { width } => (3, width, 0),
            Self::Magnitudes { width } => (4, width, 0),
        };
        sum.word(u64::from(width) << 32 | u64::from(spacing));
        sum.word(kind);
    }
}

impl Recoding {
    /// Single bits.
    pub const BITS: Self = Self::Windows { width: 1 };

    /// The bound of the digits, and the number of entries of a table for them: all digits are below it.
    pub fn entries(self) -> usize {
        let (bits, more) = match self {
            Self::Windows { width } | Self::Comb { teeth: width, .. } => (width, 0),
            Self::OddMagnitudes { width } => (width.saturating_sub(1), 0),
            Self::OddSigns { .. } => (1, 0),
            Self::Magnitudes { width } => (width.saturating_sub(1), 1),
        };
        let powers = 1usize.checked_shl(bits);
        powers.map_or(usize::MAX, |entries| entries + more)
    }

    /// Number of digits of a scalar of `bits` bits.
    pub fn length(self, bits: u32) -> usize {
        match self {
            Self::Windows { width }
            | Self::OddMagnitudes { width }
            | Self::OddSigns { width }
            | Self::Magnitudes { width } => bits.div_ceil(width.max(1)) as usize,
            Self::Comb { spacing, .. } => spacing as usize,
        }
    }

    /// Digit `position` of the scalar with these little-endian words.
    pub fn digit(self, words: &[Word], position: u32) -> u64 {
        let mut digit = 0;
        self.digits(position, [(&mut digit, words)].into_iter());
        digit
    }

    /// Sets each digit to digit `position` of the scalar with the little-endian words that come with it.
    pub fn digits<'a>(
        self,
        position: u32,
        scalars: impl Iterator<Item = (&'a mut u64, &'a [Word])>,
    ) {
        match self {
            Self::Windows { width } => {
                let first = (position * width) as usize;
                for (digit, words) in scalars {
                    *digit = bits_at(words, first, width);
                }
            }
            Self::Comb { teeth, spacing } => {
                for (digit, words) in scalars {
                    *digit = (0..teeth).fold(0, |digit, tooth| {
                        digit | bits_at(words, (position + tooth * spacing) as usize, 1) << tooth
                    });
                }
            }
            Self::OddMagnitudes { width } => {
                let first = (position * width) as usize;
                for (digit, words) in scalars {
                    let window = bits_at(words, first, width);
                    // 2 u - (2^w - 1) = 2 (u - 2^(w-1)) + 1 with the top bit of u set, and else
                    // -(2 (2^(w-1) - 1 - u) + 1).
                    let is_negative = 1 ^ window >> (width - 1);
                    *digit = (window ^ is_negative.wrapping_neg()) & ((1 << (width - 1)) - 1);
                }
            }
            Self::OddSigns { width } => {
                let sign = (position * width + width - 1) as usize;
                for (digit, words) in scalars {
                    *digit = 1 ^ bits_at(words, sign, 1);
                }
            }
            Self::Magnitudes { width } => {
                let first = (position * width) as usize;
                for (digit, words) in scalars {
                    let d = bits_at(words, first, width).wrapping_sub(1 << (width - 1));
                    // All ones for a negative d.
                    let sign = (d.cast_signed() >> 63).cast_unsigned();
                    *digit = (d ^ sign).wrapping_sub(sign);
                }
            }
        }
    }
}

impl fmt::Display for Recoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Windows { width } => write!(f, "windows of {width} bits"),
            Self::Comb { teeth, spacing } => write!(f, "combs of {teeth} teeth, {spacing} apart"),
            Self::OddMagnitudes { width } => {
                write!(f, "magnitudes of odd digits from windows of {width} bits")
            }
            Self::OddSigns { width } => {
                write!(f, "signs of odd digits from windows of {width} bits")
            }
            Self::Magnitudes { width } => {
                write!(f, "magnitudes of digits from windows of {width} bits")
            }
        }
    }
}

/// The integer whose windows stand for odd digits of a multiple of a point of odd order: with its
/// windows `u_i` of w bits each and `d_i = 2 u_i - (2^w - 1)`,
/// ```text
/// sum of d_i 2^(w i) = scalar (mod order)
/// ```
/// for any w that divides `bits`. No digit is 0, so that a scalar multiplication never adds the neutral
/// element.
///
/// An odd k is `2 u - (2^bits - 1)` for `u = (k + 2^bits - 1) / 2 = floor(k/2) + 2^(bits-1)`, and the windows of u are
/// digits of k. For an even scalar k is `order - scalar`, and all digits change their signs, as do all bits of u. The
/// time depends on the lengths only. The result has `bits` bits of precision, rounded up to whole words.
///
/// # Panics
/// If the order is even, or does not have fewer than `bits` bits, or the scalar is not below it.
pub fn odd_digits(scalar: &BoxedUint, order: &BoxedUint, bits: u32) -> Zeroizing<BoxedUint> {
    digits_of(scalar, order, bits, Representative::Below)
}

/// A second recoding of the same multiple into odd digits, different from [`odd_digits`]: it checks a multiplication by
/// those with other entries of the same tables.
///
/// Of the scalar and `order - scalar`, the even one plus the order is odd and below twice the order, and so has digits
/// of the same length; they change their signs if it stands for the negative.
///
/// # Panics
/// As [`odd_digits`].
pub fn other_odd_digits(scalar: &BoxedUint, order: &BoxedUint, bits: u32) -> Zeroizing<BoxedUint> {
    digits_of(scalar, order, bits, Representative::Above)
}

/// The odd number, congruent to a scalar or its negative, that is taken apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Representative {
    /// The number below the order.
    Below,
    /// The number between the order and twice the order.
    Above,
}

fn digits_of(
    scalar: &BoxedUint,
    order: &BoxedUint,
    bits: u32,
    representative: Representative,
) -> Zeroizing<BoxedUint> {
    assert!(bool::from(order.is_odd()), "the order is odd");
    assert!(order.bits_vartime() < bits, "the digits hold every scalar");
    let mut digits = Zeroizing::new(BoxedUint::zero_with_precision(bits));
    let words = digits.as_mut_words();
    // All ones for an even scalar.
    let even = black_box((scalar.as_words()[0] & 1).wrapping_sub(1));
    // All ones if order - scalar is taken.
    let (negative, added) = match representative {
        Representative::Below => (even, 0),
        Representative::Above => (!even, Word::MAX),
    };
    let word = |number: &BoxedUint, i| number.as_words().get(i).copied().unwrap_or(0);
    let (mut borrow, mut carry, mut any) = (false, false, 0);
    let lengths = [scalar.as_words().len(), order.as_words().len(), words.len()];
    for i in 0..lengths.into_iter().fold(0, usize::max) {
        let whole = word(scalar, i);
        let (complement, under) = word(order, i).overflowing_sub(whole);
        let (complement, under_again) = complement.overflowing_sub(Word::from(borrow));
        borrow = under | under_again;
        any |= complement;
        let chosen = whole ^ (whole ^ complement) & negative;
        let (chosen, over) = chosen.overflowing_add(word(order, i) & added);
        let (chosen, over_again) = chosen.overflowing_add(Word::from(carry));
        carry = over | over_again;
        // Beyond the end both words are 0.
        if let Some(out) = words.get_mut(i) {
            *out = chosen;
        }
    }
    assert!(!borrow && any != 0, "the scalar is below the order");
    let top = (bits - 1) as usize;
    for i in 0..words.len() {
        let above = words
            .get(i + 1)
            .map_or(0, |above| above << (Word::BITS - 1));
        words[i] = words[i] >> 1 | above;
    }
    words[top / Word::BITS as usize] |= 1 << (top % Word::BITS as usize);
    for word in words.iter_mut() {
        *word ^= negative;
    }
    // The result has no more than `bits` bits.
    let unused = words.len() as u32 * Word::BITS - bits;
    if let Some(last) = words.last_mut() {
        *last &= Word::MAX >> unused;
    }
    digits
}

/// An integer's `width < 64` bits, from bit `position` on; zero beyond its end.
#[inline]
pub fn bits_at(words: &[Word], position: usize, width: u32) -> u64 {
    let word_bits = Word::BITS as usize;
    let (index, shift) = (position / word_bits, position % word_bits);
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    // The bits of the next word above this one's: none for a shift of 0.
    let above = word(index + 1) << 1 << (word_bits - 1 - shift);
    (word(index) >> shift | above) & ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crypto_bigint::Resize;

    #[test]
    fn odd_digits_add_up_to_the_scalar() {
        for order in [3i64, 7, 101, 0x7fff_ffff] {
            let scalars = [0, 1, 2, 3, order / 2, order - 2, order - 1];
            for scalar in scalars.into_iter().filter(|&scalar| scalar < order) {
                for (width, count) in [(2, 16), (3, 11), (5, 7), (8, 4)] {
                    let [k, n] = [scalar, order].map(|x| BoxedUint::from(x as u64));
                    let sum = |words: &BoxedUint| -> i128 {
                        let digit = |i| {
                            let magnitude = Recoding::OddMagnitudes { width };
                            let place = magnitude.digit(words.as_words(), i);
                            assert!((place as usize) < magnitude.entries());
                            let sign = Recoding::OddSigns { width }.digit(words.as_words(), i);
                            (2 * i128::from(place) + 1) * (1 - 2 * i128::from(sign))
                        };
                        (0..count).map(|i| digit(i) << (width * i)).sum()
                    };
                    let below = sum(&odd_digits(&k, &n, width * count));
                    let above = sum(&other_odd_digits(&k, &n, width * count));
                    let order = i128::from(order);
                    assert_eq!(below.rem_euclid(order), i128::from(scalar));
                    assert_eq!(above.rem_euclid(order), i128::from(scalar));
                    assert!(above.abs() >= order && above.abs() < 2 * order);
                }
            }
        }
    }

    /// The value `2 u - (2^bits - 1)` is an odd scalar, or an even one less the order, for any precision of the scalar.
    #[test]
    fn odd_digits_of_several_words() {
        const WIDE: u32 = 640;
        for (order_bits, bits) in [(63, 64), (127, 128), (160, 192), (256, 257), (521, 525)] {
            let one = BoxedUint::one_with_precision(WIDE);
            let order = one.shl(order_bits).wrapping_sub(&one);
            let half = order.shr(1);
            let near = |x: &BoxedUint, less: u32| x.wrapping_sub(BoxedUint::from(less));
            let scalars = [
                BoxedUint::zero_with_precision(WIDE),
                one.clone(),
                near(&half, 0),
                near(&half, 1),
                near(&order, 1),
                near(&order, 2),
            ];
            for wide in scalars {
                let short = wide.clone().resize_unchecked(order_bits);
                for scalar in [&wide, &short] {
                    let windows = odd_digits(scalar, &order, bits);
                    assert_eq!(windows.bits_precision(), bits.next_multiple_of(64));
                    let windows = (&*windows).resize_unchecked(WIDE);
                    assert!(windows.bits_vartime() <= bits);
                    let mut doubled = windows.shl(1).wrapping_add(&one);
                    if !bool::from(scalar.is_odd()) {
                        doubled = doubled.wrapping_add(&order);
                    }
                    assert_eq!(doubled, one.shl(bits).wrapping_add(&wide), "{order_bits}");
                }
            }
        }
    }

    /// Windows of `k + 2^(w-1) (1 + 2^w + ...)` are digits of k.
    #[test]
    fn magnitudes_and_signs_add_up() {
        for k in [0u64, 1, 15, 16, 17, 31, 0xffff, 0x1234_5678] {
            for width in [2, 5, 8] {
                let count = 40 / width;
                let halves = (0..count).map(|i| 1u64 << (width * i + width - 1));
                let words = [k + halves.sum::<u64>(), 0];
                let (magnitudes, signs) =
                    (Recoding::Magnitudes { width }, Recoding::OddSigns { width });
                let digit = |i| {
                    let magnitude = magnitudes.digit(&words, i);
                    assert!((magnitude as usize) < magnitudes.entries());
                    i128::from(magnitude) * (1 - 2 * i128::from(signs.digit(&words, i)))
                };
                let sum: i128 = (0..count).map(|i| digit(i) << (width * i)).sum();
                assert_eq!(sum, k.into(), "{width}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "the scalar is below the order")]
    fn no_odd_digits_of_the_order() {
        let order = BoxedUint::from(101u64);
        odd_digits(&order, &order, 8);
    }

    #[test]
    #[should_panic(expected = "the scalar is below the order")]
    fn no_odd_digits_of_a_long_scalar() {
        let order = BoxedUint::from(101u64);
        let scalar = BoxedUint::one_with_precision(128).shl(64);
        odd_digits(&scalar, &order, 8);
    }

    #[test]
    fn digits_add_up_to_the_scalar() {
        let words = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 5];
        let value = |bit: u32| words[bit as usize / 64] >> (bit % 64) & 1;
        for width in 1..=7 {
            let recoding = Recoding::Windows { width };
            assert_eq!(recoding.entries(), 1 << width);
            for position in 0..recoding.length(131) as u32 {
                let digit = recoding.digit(&words, position);
                for bit in 0..width {
                    let place = position * width + bit;
                    let expected = if place < 192 { value(place) } else { 0 };
                    assert_eq!(digit >> bit & 1, expected);
                }
            }
            let spacing = 131u32.div_ceil(width);
            let recoding = Recoding::Comb {
                teeth: width,
                spacing,
            };
            for position in 0..recoding.length(131) as u32 {
                let digit = recoding.digit(&words, position);
                for tooth in 0..width {
                    let place = position + tooth * spacing;
                    let expected = if place < 192 { value(place) } else { 0 };
                    assert_eq!(digit >> tooth & 1, expected);
                }
            }
        }
    }
}
