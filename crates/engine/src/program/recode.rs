//! Scalars to digits, in constant time: where a digit's bits lie depends on its position only.

use core::fmt;

use crypto_bigint::Word;

/// How a scalar is taken apart into digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recoding {
    /// Digit i is the `width` bits from bit `width i` on.
    Windows {
        /// Bits of a digit.
        width: u32,
    },
    /// Digit i is made of the bits `i`, `i + spacing`, `i + 2 spacing`, ..., one for each tooth
    /// (Lim and Lee, 1994).
    Comb {
        /// Bits of a digit.
        teeth: u32,
        /// Distance of a digit's bits, and the number of digits.
        spacing: u32,
    },
}

impl Recoding {
    /// Single bits.
    pub const BITS: Self = Self::Windows { width: 1 };

    /// Digits are below this.
    pub(crate) fn entries(self) -> usize {
        let (Self::Windows { width } | Self::Comb { teeth: width, .. }) = self;
        1usize.checked_shl(width).unwrap_or(usize::MAX)
    }

    /// Digits of a scalar of `bits` bits.
    pub(crate) fn length(self, bits: u32) -> usize {
        match self {
            Self::Windows { width } => bits.div_ceil(width.max(1)) as usize,
            Self::Comb { spacing, .. } => spacing as usize,
        }
    }

    /// Digit `position` of the scalar with these little-endian words.
    pub(crate) fn digit(self, words: &[Word], position: u32) -> u64 {
        match self {
            Self::Windows { width } => bits_at(words, (position * width) as usize, width),
            Self::Comb { teeth, spacing } => (0..teeth).fold(0, |digit, tooth| {
                digit | bits_at(words, (position + tooth * spacing) as usize, 1) << tooth
            }),
        }
    }
}

impl fmt::Display for Recoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Windows { width } => write!(f, "windows of {width} bits"),
            Self::Comb { teeth, spacing } => write!(f, "combs of {teeth} teeth, {spacing} apart"),
        }
    }
}

/// `width < 64` bits of the integer, from bit `position` on; zero beyond its end.
pub(crate) fn bits_at(words: &[Word], position: usize, width: u32) -> u64 {
    let word_bits = Word::BITS as usize;
    let (index, shift) = (position / word_bits, position % word_bits);
    let word = |i: usize| words.get(i).map_or(0, |&word| u128::from(word));
    let window = word(index) | (word(index + 1) << word_bits);
    (window >> shift) as u64 & ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

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
