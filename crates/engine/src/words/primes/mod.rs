//! Single numbers modulo primes of curves, in five limbs of 51 or 52 bits: formulas of points are compiled whole, with limbs
//! that the compiler keeps in registers, and sums are carried only before their limbs could overflow.
//!
//! A product of two words of 64 bits has 128, so that columns of such limbs need no carry before they are reduced. What
//! bounds there are, [`number`] follows through every formula as it is compiled.
#![expect(
    clippy::inline_always,
    reason = "a formula must be compiled whole for each instruction set"
)]

mod bound;
mod compiled;
mod group;
mod instructions;
mod integers;
mod number;
mod p25519;
mod p256;
mod prime;
mod secp256k1;
#[cfg(test)]
mod tests;

use crypto_bigint::{BoxedUint, Word};
use sunzi_program::seal::{Checksum, Content};
use zeroize::Zeroizing;

pub(super) use self::{instructions::Instructions, integers::BITS};
use self::{integers::WORDS, p256::P256, p25519::P25519, prime::Prime, secp256k1::Secp256k1};
use crate::{
    device::{Outcome, PartsOfTime, Work},
    kept::Prepared,
};

/// A prime with numbers in limbs.
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

    /// The times of operations beside those modulo any number, on a Xeon (Emerald Rapids).
    pub(super) fn parts_of_time(self) -> PartsOfTime {
        let [spans, others] = match self {
            Self::P25519 => [0.45, 0.5],
            Self::P256 | Self::Secp256k1 => [0.75, 0.7],
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

    /// The constants of a modulus of this form: each integer times the Montgomery factor to the power of its form.
    pub(super) fn constants(self, integers: &[Zeroizing<BoxedUint>], forms: &[i32]) -> Prepared {
        match self {
            Self::P25519 => integers::constants::<P25519>(integers, forms),
            Self::P256 => integers::constants::<P256>(integers, forms),
            Self::Secp256k1 => integers::constants::<Secp256k1>(integers, forms),
        }
    }

    /// Runs the work with these instructions, one member after the other.
    pub(super) fn run(self, instructions: impl Instructions, work: &Work<'_>) -> Vec<Outcome> {
        match self {
            Self::P25519 => group::run::<P25519, _>(instructions, work),
            Self::P256 => group::run::<P256, _>(instructions, work),
            Self::Secp256k1 => group::run::<Secp256k1, _>(instructions, work),
        }
    }
}
