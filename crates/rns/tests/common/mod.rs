//! Functions that several integration tests use: num-bigint as the reference, and the bases of the
//! papers.

#![allow(dead_code, reason = "each test file uses some of them")]

use std::collections::BTreeSet;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use serde::Deserialize;
use sunzi_rns::{Base, Modulus, Residues};

pub(crate) fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

pub(crate) fn boxed(x: &BigUint) -> BoxedUint {
    BoxedUint::from_le_slice_vartime(&x.to_bytes_le())
}

/// The residues of `X`, computed by num-bigint.
pub(crate) fn residues(base: &Base, x: &BigUint) -> Residues {
    let residue = |m: &Modulus| u128::try_from(x % m.value()).unwrap();
    Residues::new(base, base.moduli().iter().map(residue).collect()).unwrap()
}

/// `X mod A` from its CRT digits `xh_i`: the sum of `xh_i A/a_i`.
pub(crate) fn from_crt_digits(base: &Base, digit: impl Fn(usize, u128) -> u128) -> BigUint {
    let a = big(base.product());
    let terms = base.moduli().iter().enumerate();
    let terms = terms.map(|(i, m)| &a / m.value() * digit(i, m.value()));
    terms.sum::<BigUint>() % a
}

/// The first `n` primes down from 32749 (n = 285 ends at 29789).
pub(crate) fn frnn_base(n: usize) -> Base {
    Base::descending_primes(15, n, &BTreeSet::new()).unwrap()
}

/// The eight moduli `2^66 - 1` and `2^66 - 2^t - 1` of the sum-of-residues hardware.
pub(crate) fn sixty_six_bit_base() -> Base {
    let moduli: Vec<u128> = [0, 2, 3, 4, 5, 6, 8, 9]
        .map(|t| {
            if t == 0 {
                (1 << 66) - 1
            } else {
                (1 << 66) - (1 << t) - 1
            }
        })
        .to_vec();
    Base::new(&moduli).unwrap()
}

/// A hexadecimal number, as in the vector file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Hex(String);

impl Hex {
    pub(crate) fn value(&self) -> BigUint {
        BigUint::parse_bytes(self.0.trim_start_matches("0x").as_bytes(), 16).unwrap()
    }
}

#[derive(Deserialize)]
pub(crate) struct Vectors {
    pub(crate) sets: Vec<Set>,
    pub(crate) refused_for_hbe: Refused,
}

/// One pair of pseudo-Mersenne bases, and extensions from A to B with `sigma = 1/2`.
#[derive(Deserialize)]
pub(crate) struct Set {
    pub(crate) n: usize,
    pub(crate) c: usize,
    pub(crate) t_kbe: u32,
    pub(crate) t_hbe: u32,
    #[serde(rename = "A")]
    a: Vec<Hex>,
    #[serde(rename = "B")]
    b: Vec<Hex>,
    pub(crate) cases: Vec<Case>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(rename = "X")]
    pub(crate) x: Hex,
    pub(crate) h_kbe: u128,
    pub(crate) h_hbe: u128,
    #[serde(rename = "in_B")]
    pub(crate) in_b: Vec<Hex>,
}

#[derive(Deserialize)]
pub(crate) struct Refused {
    #[serde(rename = "A")]
    pub(crate) a: Vec<u128>,
    #[serde(rename = "B")]
    pub(crate) b: Vec<u128>,
    pub(crate) w: u32,
    pub(crate) c: usize,
    pub(crate) cases: Vec<RefusedCase>,
}

#[derive(Deserialize)]
pub(crate) struct RefusedCase {
    #[serde(rename = "X")]
    pub(crate) x: u64,
    #[serde(rename = "in_B")]
    pub(crate) in_b: Vec<u128>,
    pub(crate) kbe: Vec<u128>,
}

fn base_of(moduli: &[Hex]) -> Base {
    let moduli: Vec<u128> = moduli
        .iter()
        .map(|m| u128::try_from(m.value()).unwrap())
        .collect();
    Base::new(&moduli).unwrap()
}

impl Set {
    pub(crate) fn bases(&self) -> (Base, Base) {
        (base_of(&self.a), base_of(&self.b))
    }
}

/// The vector file for base extensions.
pub(crate) fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../../../vectors/base_extension.json")).unwrap()
}

/// The eight (256/384-bit, w = 17/20/24/28) pairs of pseudo-Mersenne bases.
pub(crate) fn pseudo_mersenne_pairs() -> Vec<(Base, Base)> {
    vectors().sets.iter().map(Set::bases).collect()
}
