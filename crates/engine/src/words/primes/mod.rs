//! Single numbers modulo primes of curves: formulas of points are compiled whole, with numbers that the compiler keeps in
//! registers. What a group needs of numbers is [`arithmetic::Arithmetic`], for which there are two kinds of them.
//!
//! *Five limbs* of 51 or 52 bits are for every processor. A product of two words of 64 bits has 128, so that columns of such
//! limbs need no carry before they are reduced, and sums are carried only before their limbs could overflow. What bounds
//! there are, [`number`] follows through every formula as it is compiled.
//!
//! *Four words* take fewer products, and two instructions for additions with carries that do not wait for each other. Sums are
//! reduced at once.
#![expect(
    clippy::inline_always,
    reason = "a formula must be compiled whole for each instruction set"
)]

mod arithmetic;
mod bound;
mod choice;
mod compiled;
mod five_limbs;
#[cfg(target_arch = "x86_64")]
mod four_words;
mod group;
mod instructions;
mod integers;
mod number;
mod p25519;
mod p256;
#[cfg(target_arch = "x86_64")]
mod p256_words;
mod prime;
#[cfg(target_arch = "x86_64")]
mod pseudo_mersenne;
mod secp256k1;
mod select;
#[cfg(test)]
mod tests;

use crypto_bigint::{BoxedUint, Word};
use sunzi_program::seal::{Checksum, Content};
use zeroize::Zeroizing;

pub(super) use self::{choice::Choice, prime::BITS};
use self::{
    p256::P256,
    p25519::P25519,
    prime::{Prime, WORDS},
    secp256k1::Secp256k1,
};
use crate::{
    device::{Outcome, PartsOfTime, Work},
    kept::Prepared,
};

/// A prime with numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    P25519,
    P256,
    Secp256k1,
}

impl Content for Form {
    fn add_to(&self, sum: &mut Checksum) {
        sum.word(*self as u64);
    }
}

impl Form {
    /// All forms, with the names of their primes.
    pub(super) const ALL: [(Self, &'static str); 3] = [
        (Self::P25519, "2^255 - 19"),
        (Self::P256, "P-256"),
        (Self::Secp256k1, "secp256k1"),
    ];

    /// The form of a modulus in as many words as its length takes, if it is one of these primes. Whether it is one is
    /// public; the time depends on nothing else.
    pub(super) fn of(p: &[Word]) -> Option<Self> {
        let p: &[Word; WORDS] = p.as_array()?;
        let is = |form: &Self| {
            let pairs = form.words().into_iter().zip(p);
            pairs.fold(0, |different, (x, &y)| different | (x ^ y)) == 0
        };
        Self::ALL.into_iter().map(|(form, _)| form).find(is)
    }

    /// The times of operations beside those modulo any number: of five limbs on a Xeon (Emerald Rapids), and of four words,
    /// with instructions with two carries, by their times beside those of five limbs on a Zen 5.
    pub(super) fn parts_of_time(self, has_two_carries: bool) -> PartsOfTime {
        let [spans, others] = match (self, has_two_carries) {
            (Self::P25519, false) => [0.45, 0.5],
            (Self::P25519, true) => [0.35, 0.35],
            (Self::Secp256k1, true) => [0.65, 0.5],
            (Self::P256 | Self::Secp256k1, _) => [0.75, 0.7],
        };
        PartsOfTime {
            spans: Some(spans),
            others,
        }
    }

    /// The prime in words.
    fn words(self) -> [Word; WORDS + 1] {
        match self {
            Self::P25519 => integers::joined::<P25519>(&P25519::P),
            Self::P256 => integers::joined::<P256>(&P256::P),
            Self::Secp256k1 => integers::joined::<Secp256k1>(&Secp256k1::P),
        }
    }

    /// The constants of a modulus of this form for these instructions: each integer times the Montgomery factor to the power
    /// of its form.
    pub(super) fn constants<I: Choice>(
        self,
        _: I,
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> Prepared {
        match self {
            Self::P25519 => integers::constants::<I::P25519>(integers, forms),
            Self::P256 => integers::constants::<I::P256>(integers, forms),
            Self::Secp256k1 => integers::constants::<I::Secp256k1>(integers, forms),
        }
    }

    /// Runs the work with these instructions, one member after the other.
    pub(super) fn run<I: Choice>(self, instructions: I, work: &Work<'_>) -> Vec<Outcome> {
        match self {
            Self::P25519 => group::run(I::P25519::from(instructions), work),
            Self::P256 => group::run(I::P256::from(instructions), work),
            Self::Secp256k1 => group::run(I::Secp256k1::from(instructions), work),
        }
    }
}
