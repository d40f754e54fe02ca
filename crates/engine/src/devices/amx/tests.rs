//! Tests of the tiles' matrices, kernels and moduli, each against its definition in integers.

mod matrices;
mod moduli;
mod ranges;

use std::sync::Arc;

use num_bigint::BigInt;
use sunzi_rns::Base;

use super::{
    extension::ResiduePair,
    modulus::TileModulus,
    plan::{TAIL_MOST, TilePlan, check_tail},
    prime::Prime,
    processor::Amx,
    tile::Tiles,
};
use crate::{
    devices::tests::{big, emulate_tiles, value},
    random::Split,
};

/// The sizes of the thorough tests in bits: the least, one with an odd number of steps, the largest
/// with two tail channels, and the largest.
const SIZES: [u32; 4] = [512, 1536, 2048, 4096];

/// The configured tiles of this thread. Prints a message and returns `None` if there are none.
fn tiles() -> Option<Tiles> {
    emulate_tiles();
    let processor = Amx::acquire().inspect_err(|missing| println!("SKIPPED: {missing}"));
    // SAFETY: a test has a thread of its own, and calls this function once.
    Some(unsafe { processor.ok()?.configure() })
}

/// The plan of this size.
fn plan(bits: u32) -> Arc<TilePlan> {
    Arc::new(TilePlan::new(bits, Split::Fixed).unwrap())
}

/// A modulus with its constants, or `None` if it shares a prime with base A.
fn prepare(plan: &Arc<TilePlan>, p: &BigInt) -> Option<TileModulus> {
    let words: Vec<u64> = p.iter_u64_digits().collect();
    TileModulus::new(plan, plan.bits, &words)
}

/// A modulus of the plan's size that is coprime to base A, the first from seed `first` on.
pub(super) fn any_modulus(plan: &Arc<TilePlan>, first: u64) -> (BigInt, TileModulus) {
    let any = |seed| {
        let p = BigInt::from(big(&value(plan.bits, seed)));
        Some((p.clone(), prepare(plan, &p)?))
    };
    (first..first + 100).find_map(any).unwrap()
}

/// `|x|_m`.
fn modulo(x: &BigInt, m: u32) -> u32 {
    (((x % m) + m) % m).try_into().unwrap()
}

/// The product of the primes.
fn product(primes: &[Prime]) -> BigInt {
    primes.iter().map(|p| p.m).product()
}

/// The representative of x modulo m nearest to zero among those that fit in two signed bytes.
fn balanced(x: &BigInt, m: u32) -> BigInt {
    let x = modulo(x, m);
    let largest = (m / 2).min(127 + 127 * 256);
    BigInt::from(x) - if x > largest { m } else { 0 }
}

/// The integers `f_d M/m_d` of the sum `sum_d d f_d M/m_d` over a base's digits and tail residues,
/// where `f_d` is the balanced residue of `(M/m_i)^-1 factor(i) 2^(8 s)` in channel i.
fn integer_weights(
    primes: &[Prime],
    mains: usize,
    factor: impl Fn(usize) -> BigInt,
) -> Vec<BigInt> {
    let whole = product(primes);
    let mut weights = Vec::new();
    for (i, p) in primes.iter().enumerate() {
        let cofactor = &whole / p.m;
        let worth = inverse(&cofactor, p.m) * factor(i);
        weights.push(balanced(&worth, p.m) * &cofactor);
        if i < mains {
            weights.push(balanced(&(worth * 256), p.m) * &cofactor);
        }
    }
    weights
}

/// `|x^-1|_m`.
fn inverse(x: &BigInt, m: u32) -> BigInt {
    x.modinv(&BigInt::from(m)).unwrap()
}

/// The residue of one number in a channel.
fn residue<const S: usize>(pairs: &[ResiduePair<S>], channel: usize, number: usize) -> u16 {
    pairs[channel / 2][number / 16][2 * (number % 16) + channel % 2]
}

/// Sets the residue of one number in a channel.
fn set_residue<const S: usize>(
    pairs: &mut [ResiduePair<S>],
    channel: usize,
    number: usize,
    value: u16,
) {
    pairs[channel / 2][number / 16][2 * (number % 16) + channel % 2] = value;
}

/// How the primes of a plan may be dealt out.
const SPLITS: [Split; 2] = [Split::Fixed, Split::Random { of: 2 }];

/// There is a plan for every size, which proves its bounds when it is made.
#[test]
fn every_size_has_a_plan() {
    let sizes = (1..=8).map(|tiles| 512 * tiles);
    for (bits, split) in sizes.flat_map(|bits| SPLITS.map(|split| (bits, split))) {
        let plan = TilePlan::new(bits, split).unwrap();
        assert_eq!(plan.tails, if bits <= 2048 { 2 } else { 4 });
    }
    assert!(TilePlan::new(4608, Split::Fixed).is_err_and(|reason| reason.contains("4096")));
}

/// All random splits of a size have the same limits, so that one program serves them all, and no two
/// have the same base A.
#[test]
fn random_splits_differ_in_their_bases_only() {
    let plans = [(); 4].map(|()| TilePlan::new(1024, SPLITS[1]).unwrap());
    for (k, plan) in plans.iter().enumerate() {
        assert_eq!(plan.limits(), plans[0].limits());
        let same = |other: &TilePlan| other.product_a == plan.product_a;
        assert!(!plans[..k].iter().any(same));
    }
}

/// The conditions on the bases, in integers instead of logarithms: `A >= 8 c 2^bits`, and `r / B`
/// of the largest product and the rounding of the Cox sum add up to less than 1/2.
#[test]
fn bases_are_large_enough() {
    let sizes = (1..=8).map(|tiles| 512 * tiles);
    for (bits, split) in sizes.flat_map(|bits| SPLITS.map(|split| (bits, split))) {
        let plan = TilePlan::new(bits, split).unwrap();
        let (a, b) = (product(&plan.a.primes), product(&plan.b.primes));
        let power = BigInt::from(1) << bits;
        assert!(a >= 8 * plan.c * &power, "{bits} bits");
        // 3 c P / B, and half a unit of 2^-23 or 2^-15 for the rounding of each weight, all in
        // units of 2^-15.
        let largest: BigInt = ((3 * plan.c * power) << 15) / b;
        let digits = 255 * 2 * plan.mains() / 2 / (1 << 8);
        let tails = plan.tails * TAIL_MOST as usize / 2;
        assert!(
            largest + digits + tails < plan.cox_spread.into(),
            "{bits} bits"
        );
        assert!(plan.cox_spread < 1 << 14, "{bits} bits");
        // Sums of two tail residues below 2^12 stay below 2^12.
        for p in plan.a.primes.iter().chain(&plan.b.primes) {
            let tail = p.m < 1 << 15;
            assert!(!tail || 3 * p.m > 4095, "{}", p.m);
        }
        assert_eq!(big(&plan.a_squared), (&a * &a).magnitude().clone());
    }
}

/// The primes of both bases are distinct.
#[test]
fn bases_are_coprime() {
    let plan = plan(4096);
    let all = plan.a.primes.iter().chain(&plan.b.primes);
    let all: Vec<u128> = all.map(|p| p.m.into()).collect();
    assert_eq!(all.len(), 2 * plan.channels());
    assert!(Base::new_odd(&all).is_ok());
}

/// Tail residues are below `2^12`, on which the rounding of the Cox sum and the reduction of
/// products in tail channels depend.
#[test]
fn tail_residues_have_12_bits() {
    assert!(check_tail(TAIL_MOST).is_ok());
    assert!(check_tail(TAIL_MOST + 1).is_err_and(|reason| reason.contains("4096")));
    assert_eq!(TAIL_MOST, 4095);
}
