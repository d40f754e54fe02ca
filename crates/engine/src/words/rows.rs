//! Rows: `t := t + x y` for one word x. All products of numbers in words consist of rows.

use crypto_bigint::{WideWord, Word};

use crate::words::short::{SHORT, montgomery_short};

/// Rows of products. A value of such a type proves that the processor has the instructions.
pub(super) trait Rows: Copy {
    /// `t := t + x y`. Returns the word above t. Requires t as long as y.
    fn add(self, t: &mut [Word], x: Word, y: &[Word]) -> Word;

    /// `x :=` [`montgomery_short`] of x and y with these instructions. What they compute goes to x alone: it may be secret.
    fn multiply_short(
        self,
        x: &mut [Word; SHORT],
        y: &[Word; SHORT],
        p: &[Word; SHORT],
        negative_inverse: Word,
    );

    /// [`multiply_short`](Self::multiply_short) of x and x.
    fn square_short(self, x: &mut [Word; SHORT], p: &[Word; SHORT], negative_inverse: Word);
}

/// Plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Rows for Plain {
    #[inline]
    fn add(self, t: &mut [Word], x: Word, y: &[Word]) -> Word {
        add_with(t, x, y, 0)
    }

    #[inline]
    fn multiply_short(
        self,
        x: &mut [Word; SHORT],
        y: &[Word; SHORT],
        p: &[Word; SHORT],
        negative_inverse: Word,
    ) {
        *x = montgomery_short(x, y, p, negative_inverse);
    }

    #[inline]
    fn square_short(self, x: &mut [Word; SHORT], p: &[Word; SHORT], negative_inverse: Word) {
        *x = montgomery_short(x, x, p, negative_inverse);
    }
}

/// [`Rows::add`] with a carry into the lowest word.
#[inline]
fn add_with(t: &mut [Word], x: Word, y: &[Word], mut carry: Word) -> Word {
    debug_assert_eq!(t.len(), y.len());
    for (t, &y) in t.iter_mut().zip(y) {
        // At most (2^w - 1)^2 + 2 (2^w - 1) = 2^(2 w) - 1, for words of w bits.
        let sum =
            WideWord::from(x) * WideWord::from(y) + WideWord::from(*t) + WideWord::from(carry);
        *t = sum as Word;
        carry = (sum >> Word::BITS) as Word;
    }
    carry
}

#[cfg(target_arch = "x86_64")]
mod with_two_carries {
    #![expect(
        unsafe_code,
        reason = "instructions that the compiler does not use for this: it has one carry"
    )]

    use core::arch::asm;

    use crypto_bigint::Word;

    use super::{Rows, SHORT, add_with};
    use crate::words::{two_carries::TwoCarries, wide};

    /// One word of a row: the high half of its product goes to `$high`, and the high half of the previous one is in
    /// `$below`.
    macro_rules! word {
        ($high:literal, $below:literal, $offset:literal) => {
            concat!(
                "mulx {",
                $high,
                "}, {low}, [{y} + ",
                $offset,
                "]\n",
                "adcx {low}, {",
                $below,
                "}\n",
                "adox {low}, [{t} + ",
                $offset,
                "]\n",
                "mov [{t} + ",
                $offset,
                "], {low}\n",
            )
        };
    }

    /// The words of a row in blocks of `$words`, an even number. The carry is in `$carry` before and after each block;
    /// the words after the last whole block are returned.
    macro_rules! blocks {
        ($words:literal, $t:ident, $x:ident, $y:ident, $carry:ident, [$($word:expr),*]) => {{
            let (t_blocks, t_rest) = $t.as_chunks_mut::<$words>();
            let (y_blocks, y_rest) = $y.as_chunks::<$words>();
            for (t, y) in t_blocks.iter_mut().zip(y_blocks) {
                // SAFETY: it reads the words of both blocks, writes those of t, and uses no stack. The instructions
                // were detected: `TwoCarries` exists.
                unsafe {
                    asm!(
                        // Neither flag is set from here on.
                        "xor {low:e}, {low:e}",
                        $($word,)*
                        "mov {low:e}, 0",
                        "adcx {even}, {low}",
                        "adox {even}, {low}",
                        low = out(reg) _,
                        even = inout(reg) $carry,
                        odd = out(reg) _,
                        in("rdx") $x,
                        y = in(reg) y.as_ptr(),
                        t = in(reg) t.as_mut_ptr(),
                        options(nostack),
                    );
                }
            }
            (t_rest, y_rest)
        }};
    }

    impl Rows for TwoCarries {
        #[inline]
        fn add(self, t: &mut [Word], x: Word, y: &[Word]) -> Word {
            debug_assert_eq!(t.len(), y.len());
            let mut carry: Word = 0;
            let (t, y) = blocks!(
                8,
                t,
                x,
                y,
                carry,
                [
                    word!("odd", "even", "0"),
                    word!("even", "odd", "8"),
                    word!("odd", "even", "16"),
                    word!("even", "odd", "24"),
                    word!("odd", "even", "32"),
                    word!("even", "odd", "40"),
                    word!("odd", "even", "48"),
                    word!("even", "odd", "56")
                ]
            );
            let (t, y) = blocks!(
                4,
                t,
                x,
                y,
                carry,
                [
                    word!("odd", "even", "0"),
                    word!("even", "odd", "8"),
                    word!("odd", "even", "16"),
                    word!("even", "odd", "24")
                ]
            );
            let (t, y) = blocks!(
                2,
                t,
                x,
                y,
                carry,
                [word!("odd", "even", "0"), word!("even", "odd", "8")]
            );
            add_with(t, x, y, carry)
        }

        #[inline]
        fn multiply_short(
            self,
            x: &mut [Word; SHORT],
            y: &[Word; SHORT],
            p: &[Word; SHORT],
            negative_inverse: Word,
        ) {
            *x = wide::montgomery(self, wide::product(self, x, y), p, negative_inverse);
        }

        #[inline]
        fn square_short(self, x: &mut [Word; SHORT], p: &[Word; SHORT], negative_inverse: Word) {
            *x = wide::montgomery(self, wide::square(self, x), p, negative_inverse);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn big(words: &[Word]) -> BigUint {
        let places = words.iter().enumerate();
        places
            .map(|(k, &word)| BigUint::from(word) << (k * Word::BITS as usize))
            .sum()
    }

    /// Rows of all lengths up to three blocks, of random words and of the largest.
    fn rows_are_right(rows: impl Rows) {
        let mut state: Word = 1;
        let mut random = || {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d_u64 as Word)
                .wrapping_add(1);
            state ^ state >> (Word::BITS / 2)
        };
        for length in 0..25 {
            for all_ones in [false, true] {
                let mut word = || if all_ones { Word::MAX } else { random() };
                let (x, y) = (word(), (0..length).map(|_| word()).collect::<Vec<_>>());
                let mut t: Vec<Word> = (0..length).map(|_| word()).collect();
                let expected = big(&t) + big(&y) * x;
                let above = rows.add(&mut t, x, &y);
                t.push(above);
                assert_eq!(big(&t), expected, "{length} words");
            }
        }
    }

    /// Products of short numbers modulo random P and the largest one, of random factors and the largest.
    fn short_products_are_right(rows: impl Rows) {
        let mut state: Word = 1;
        let mut random = || {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d_u64 as Word)
                .wrapping_add(1);
            state ^ state >> (Word::BITS / 2)
        };
        let factor = BigUint::from(1u8) << (SHORT * Word::BITS as usize);
        for number in 0..1000 {
            let mut word = || if number % 2 == 0 { Word::MAX } else { random() };
            let mut p = [(); SHORT].map(|()| word());
            p[0] |= 1;
            let modulus = big(&p);
            let below = |words: &[Word; SHORT]| {
                let digits = (big(words) % &modulus).to_bytes_le();
                let mut below = [0; SHORT];
                for (place, digit) in digits.iter().enumerate() {
                    let size = size_of::<Word>();
                    below[place / size] |= Word::from(*digit) << (8 * (place % size));
                }
                below
            };
            let x = [(); SHORT].map(|()| word());
            let y = below(&[(); SHORT].map(|()| word()));
            let minus_one = big(&p) - 1u8;
            for (x, y) in [(x, y), (x, below(&x)), (p, y), (p.map(|_| Word::MAX), y)] {
                let negative_inverse = (0..7).fold(p[0], |inverse, _| {
                    inverse.wrapping_mul(Word::wrapping_sub(2, p[0].wrapping_mul(inverse)))
                });
                let negative_inverse = negative_inverse.wrapping_neg();
                let (mut product, mut square) = (x, y);
                rows.multiply_short(&mut product, &y, &p, negative_inverse);
                rows.square_short(&mut square, &p, negative_inverse);
                assert!(big(&square) <= minus_one);
                assert_eq!(
                    big(&square) * &factor % &modulus,
                    big(&y) * big(&y) % &modulus
                );
                assert!(big(&product) <= minus_one);
                assert_eq!(
                    big(&product) * &factor % &modulus,
                    big(&x) * big(&y) % &modulus
                );
            }
        }
    }

    #[test]
    fn products() {
        rows_are_right(Plain);
        short_products_are_right(Plain);
        #[cfg(target_arch = "x86_64")]
        match crate::words::two_carries::TwoCarries::detect() {
            Some(rows) => {
                rows_are_right(rows);
                short_products_are_right(rows);
            }
            None => {
                println!("SKIPPED: the processor lacks BMI2 or ADX, or they are beyond the limit");
            }
        }
    }
}
