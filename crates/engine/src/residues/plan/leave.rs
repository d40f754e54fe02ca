//! Conversion of results to integers.

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use super::Plan;
use crate::integers::{canonical, digits};

/// The canonical residue modulo P of an integer in `(-c P, c P)`, given by its digits of `plan.w` bits in
/// two's complement.
pub(crate) fn from_digits(
    digits: impl Iterator<Item = u64>,
    plan: &Plan,
    modulus: &[Word],
) -> Zeroizing<BoxedUint> {
    let mut words = Zeroizing::new(vec![0; modulus.len() + 1]);
    digits::join(digits, plan.w, &mut words);
    canonical::from_words(words, modulus, plan.bounds.c)
}
