//! A modulus in words, with its constants.

use core::any::Any;

use crypto_bigint::{BoxedUint, Odd, Word};
use zeroize::Zeroizing;

#[cfg(target_arch = "x86_64")]
use crate::words::two_carries::TwoCarries;
use crate::{
    integers::{each_times_power, negative_inverse, times_power},
    kept::{Prepared, kept},
    program::{Limits, public_length},
    words::{primes::Form, rows::Plain},
};
use sunzi_program::content;

/// A modulus P of l words; wiped on drop. The Montgomery factor is `F = 2^(w l)`, for words of w bits.
pub(crate) struct WordModulus {
    pub(super) p: Zeroizing<Vec<Word>>,
    /// `-P^-1 mod 2^w`.
    pub(super) negative_inverse: Zeroizing<Word>,
    /// `F^2 mod P`.
    pub(super) factor_squared: Zeroizing<Vec<Word>>,
    /// The limits of the plan that does not serve P, or of the device. Numbers are below P here, whatever magnitudes a
    /// program may have by these limits.
    limits: Limits,
    /// The form of P, which is public: secret moduli are none of these primes.
    pub(super) form: Option<Form>,
}

/// The constants of a modulus that programs use, one after the other; wiped on drop.
pub(super) struct WordConstants {
    words: Zeroizing<Vec<Word>>,
    /// Number of words of a constant.
    length: usize,
}

content!(WordModulus {
    p, negative_inverse, factor_squared, form,
} without { limits });
kept!(WordModulus);
content!(WordConstants { words, length });
kept!(WordConstants);

impl WordModulus {
    /// Prepares a modulus. The time depends on its size only.
    pub(crate) fn new(value: &Odd<BoxedUint>, limits: Limits) -> Self {
        let length = public_length(value.as_ref()).div_ceil(Word::BITS) as usize;
        let p = Zeroizing::new(value.as_words()[..length].to_vec());
        let one = Zeroizing::new(BoxedUint::one());
        let factor_squared = times_power(&one, &factor(length), 2, &p);
        Self {
            negative_inverse: Zeroizing::new(negative_inverse(p[0])),
            factor_squared: Zeroizing::new(factor_squared.as_words()[..length].to_vec()),
            form: Form::of(&p),
            p,
            limits,
        }
    }

    /// The modulus that a device has prepared, if it is one in words.
    pub(crate) fn of(prepared: &(dyn Any + Send + Sync)) -> Option<&Self> {
        prepared.downcast_ref()
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Each integer times F to the power of its form, modulo P.
    pub(crate) fn constants(&self, integers: &[Zeroizing<BoxedUint>], forms: &[i32]) -> Prepared {
        if let Some(form) = self.form {
            #[cfg(target_arch = "x86_64")]
            if let Some(instructions) = TwoCarries::detect() {
                return form.constants(instructions, integers, forms);
            }
            return form.constants(Plain, integers, forms);
        }
        let length = self.p.len();
        let factor = factor(length);
        let mut words = Zeroizing::new(Vec::with_capacity(integers.len() * length));
        each_times_power(integers, forms, &factor, &self.p, |scaled| {
            words.extend_from_slice(&scaled[..length]);
        });
        Box::new(WordConstants { words, length })
    }
}

impl WordConstants {
    /// The words of constant `number`.
    pub(super) fn get(&self, number: usize) -> &[Word] {
        &self.words[number * self.length..][..self.length]
    }
}

/// `F = 2^(w l)` for a number l of words.
fn factor(length: usize) -> BoxedUint {
    let mut words = vec![0; length + 1];
    words[length] = 1;
    BoxedUint::from_words(words)
}
