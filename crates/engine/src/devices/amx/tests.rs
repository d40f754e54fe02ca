//! What a group on tiles is made of, each against its definition in integers: matrices, kernels at
//! the ends of their ranges, and which moduli are served.

mod matrices;
mod moduli;
mod ranges;

use std::sync::Arc;

use num_bigint::BigInt;
use sunzi_rns::Base;

use super::{
    constants::TileConstants,
    extension::Pair,
    plan::{TAIL_MOST, TilePlan, check_tail},
    prime::Prime,
    processor::Amx,
    tile::Tiles,
};
use crate::devices::tests::{big, emulate_tiles, value};

/// The sizes of the thorough tests: the least, one with an odd count of steps, the last with two
/// tail channels, and the largest.
const SIZES: [u32; 4] = [512, 1536, 2048, 4096];

/// This thread's tiles; says so if there are none.
fn tiles() -> Option<Tiles> {
    emulate_tiles();
    let processor = Amx::acquire().inspect_err(|missing| println!("SKIPPED: {missing}"));
    // SAFETY: a test has a thread of its own, and asks for tiles once.
    Some(unsafe { processor.ok()?.configure() })
}

fn plan(bits: u32) -> Arc<TilePlan> {
    Arc::new(TilePlan::new(bits).unwrap())
}

/// The constants of a modulus; none if it shares a prime with base A.
fn prepare(plan: &Arc<TilePlan>, p: &BigInt) -> Option<TileConstants> {
    let words: Vec<u64> = p.iter_u64_digits().collect();
    TileConstants::new(plan, plan.bits, &words)
}

/// A modulus of the plan's size that is coprime to base A.
pub(super) fn any_modulus(plan: &Arc<TilePlan>, first: u64) -> (BigInt, TileConstants) {
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

fn product(primes: &[Prime]) -> BigInt {
    primes.iter().map(|p| p.m).product()
}

/// The representative of x nearest to zero of those that two signed bytes hold.
fn balanced(x: &BigInt, m: u32) -> BigInt {
    let x = modulo(x, m);
    let largest = (m / 2).min(127 + 127 * 256);
    BigInt::from(x) - if x > largest { m } else { 0 }
}

/// The integer `sum_d d g_d M/m_d` of a base's digits and tail residues: for each what it is
/// multiplied by, where it is worth `factor(i) 2^(8 s)` in its own channel.
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
fn residue<const S: usize>(pairs: &[Pair<S>], channel: usize, number: usize) -> u16 {
    pairs[channel / 2][number / 16][2 * (number % 16) + channel % 2]
}

fn set_residue<const S: usize>(pairs: &mut [Pair<S>], channel: usize, number: usize, value: u16) {
    pairs[channel / 2][number / 16][2 * (number % 16) + channel % 2] = value;
}

/// Making a plan proves its bounds.
#[test]
fn every_size_has_a_plan() {
    for bits in (1..=8).map(|tiles| 512 * tiles) {
        let plan = TilePlan::new(bits).unwrap();
        assert_eq!(plan.tails, if bits <= 2048 { 2 } else { 4 });
    }
    assert!(TilePlan::new(4608).is_err_and(|reason| reason.contains("4096")));
}

/// The bases in integers, whatever logarithms the plan was made by: `A >= 8 c 2^bits`, and
/// `r / B` for the largest product leaves the rounding of the Cox sum its room.
#[test]
fn bases_are_large_enough() {
    for bits in (1..=8).map(|tiles| 512 * tiles) {
        let plan = TilePlan::new(bits).unwrap();
        let (a, b) = (product(&plan.a.primes), product(&plan.b.primes));
        let power = BigInt::from(1) << bits;
        assert!(a >= 8 * plan.c * &power, "{bits} bits");
        // 3 c P / B, and half a unit in 2^23 or in 2^15 for each weight's rounding, all scaled by
        // 2^15 as the spread is, which is below 1/2.
        let largest: BigInt = ((3 * plan.c * power) << 15) / b;
        let digits = 255 * 2 * plan.mains() / 2 / (1 << 8);
        let tails = plan.tails * TAIL_MOST as usize / 2;
        assert!(
            largest + digits + tails < plan.cox_spread.into(),
            "{bits} bits"
        );
        assert!(plan.cox_spread < 1 << 14, "{bits} bits");
        // Operands' tail residues stay below 2^12 when two of them are added.
        for p in plan.a.primes.iter().chain(&plan.b.primes) {
            let tail = p.m < 1 << 15;
            assert!(!tail || 3 * p.m > 4095, "{}", p.m);
        }
        assert_eq!(big(&plan.a_squared), (&a * &a).magnitude().clone());
    }
}

/// Base A and base B have no prime in common, and each all of its own.
#[test]
fn bases_are_coprime() {
    let plan = plan(4096);
    let all = plan.a.primes.iter().chain(&plan.b.primes);
    let all: Vec<u128> = all.map(|p| p.m.into()).collect();
    assert_eq!(all.len(), 2 * plan.channels());
    assert!(Base::new_odd(&all).is_ok());
}

/// The rounding of the Cox sum, and that products of two tail residues are reduced, count on it.
#[test]
fn tail_residues_have_12_bits() {
    assert!(check_tail(TAIL_MOST).is_ok());
    assert!(check_tail(TAIL_MOST + 1).is_err_and(|reason| reason.contains("4096")));
    assert_eq!(TAIL_MOST, 4095);
}
