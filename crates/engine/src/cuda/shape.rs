//! Shapes of numbers on a card: their words, and the threads that have them.

use crypto_bigint::{BoxedUint, Word};

/// The largest number of words of 32 bits that a thread has, if there are several threads for a number.
const WORDS_OF_THREAD: usize = 16;

/// The largest number of words of a number that one thread has alone.
const WORDS_ALONE: usize = 32;

/// The words of a number, which decide about a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// Number of words in each thread, an even number.
    pub(super) words_each: usize,
    /// Number of threads, a power of two up to 32.
    pub(super) threads: usize,
    pub(super) form: Form,
}

/// The form of a modulus P, which decides how products are reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Montgomery's reduction with `F = 2^(32 L)`.
    General,
    /// `2^256 - 2^32 - 977`; F = 1.
    Secp256k1,
    /// `2^255 - 19`; F = 1.
    P25519,
}

impl Shape {
    /// The shape of numbers modulo P, of size class `bits`.
    pub(super) fn of(p: &[Word], bits: u32) -> Self {
        Self {
            form: Form::of(p, bits),
            ..Self::of_size(bits)
        }
    }

    /// The shape of numbers of this many words in one thread.
    pub(super) fn alone(words: usize) -> Self {
        Self {
            words_each: words,
            threads: 1,
            form: Form::General,
        }
    }

    /// The shape of numbers of a size class, of no special form.
    pub(super) fn of_size(bits: u32) -> Self {
        let words = (bits.div_ceil(64) * 2) as usize;
        let mut threads = 1;
        if words > WORDS_ALONE {
            while words.div_ceil(threads) > WORDS_OF_THREAD {
                threads *= 2;
            }
        }
        Self {
            words_each: words.div_ceil(threads).next_multiple_of(2),
            threads,
            form: Form::General,
        }
    }

    /// Number of words of a number, L.
    pub(super) fn words(self) -> usize {
        self.words_each * self.threads
    }

    /// The Montgomery factor F.
    pub(super) fn factor(self) -> BoxedUint {
        if self.form != Form::General {
            return BoxedUint::one();
        }
        let bits = self.words() as u32 * u32::BITS;
        let mut words = vec![0; (bits / Word::BITS) as usize + 1];
        words[(bits / Word::BITS) as usize] = 1;
        BoxedUint::from_words(words)
    }
}

impl Form {
    fn of(p: &[Word], bits: u32) -> Self {
        let is = |form: &Self| {
            form.low_bits().is_some_and(|(top, low)| {
                let mut words = vec![Word::MAX; (256 / Word::BITS) as usize];
                let last = words.len() - 1;
                words[last] >>= 256 - top;
                let negative = low.wrapping_neg();
                for (place, word) in words
                    .iter_mut()
                    .take((64 / Word::BITS) as usize)
                    .enumerate()
                {
                    *word = (negative >> (place as u32 * Word::BITS % 64)) as Word;
                }
                words == p
            })
        };
        let forms = [Self::Secp256k1, Self::P25519];
        let found = forms.into_iter().find(is).filter(|_| bits == 256);
        found.unwrap_or(Self::General)
    }

    /// `(b, C)` for a prime `2^b - C`.
    fn low_bits(self) -> Option<(u32, u64)> {
        match self {
            Self::General => None,
            Self::Secp256k1 => Some((256, (1 << 32) + 977)),
            Self::P25519 => Some((255, 19)),
        }
    }

    /// The kernel's definitions `FOLD`, `FOLD_SHIFT` and `FOLD_BITS`.
    pub(super) fn definitions(self) -> [u32; 3] {
        match self {
            Self::General => [0, 0, 0],
            Self::Secp256k1 => [977, 1, 0],
            Self::P25519 => [38, 0, 1],
        }
    }
}
