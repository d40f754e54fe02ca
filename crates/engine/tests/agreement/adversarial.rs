//! Tests with moduli, operands and exponents at the edges of their ranges.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use proptest::test_runner::TestRng;
use sunzi_rns::Base;

use crate::{
    check::{Case, Key, Power, check},
    numbers::{ones, power_of_two, random, random_modulus, rng},
};

/// `factor` times the least odd number that gives the product exactly `bits` bits.
fn odd_multiple_of_length(factor: &BigUint, bits: u32) -> BigUint {
    let cofactor = power_of_two(bits - 1) / factor + 1u32;
    let modulus = factor * (cofactor | BigUint::from(1u32));
    assert_eq!(
        modulus.bits(),
        bits.into(),
        "{factor} is too large a factor"
    );
    modulus
}

/// A modulus of exactly `bits` bits that is divisible by the small odd numbers 3 * 5 * 7 * 9 * 11 * ..., up
/// to its length.
fn smooth_modulus(bits: u32) -> BigUint {
    let mut product = BigUint::from(1u32);
    for factor in (3u32..bits).step_by(2) {
        let next = &product * factor;
        if next.bits() + 4 > bits.into() {
            break;
        }
        product = next;
    }
    odd_multiple_of_length(&product, bits)
}

/// Odd moduli of exactly `bits` bits.
fn moduli(rng: &mut TestRng, bits: u32) -> Vec<BigUint> {
    let (low, high) = (power_of_two(bits - 1), power_of_two(bits));
    vec![
        // 10...01: the low word is 1.
        &low + 1u32,
        &low + 59u32,
        &low + power_of_two(bits / 2) + 1u32,
        // 1...1, prime or not, and close to it.
        &high - 1u32,
        &high - 189u32,
        &high - power_of_two(bits / 2) - 1u32,
        smooth_modulus(bits),
        random_modulus(rng, bits),
    ]
}

/// Integers near multiples of P, and near powers of two at the edges of words and digits.
fn operands(modulus: &BigUint) -> Vec<BigUint> {
    let bits = modulus.bits() as u32;
    let one = BigUint::from(1u32);
    let mut operands = vec![
        BigUint::ZERO,
        one.clone(),
        modulus - 1u32,
        modulus.clone(),
        modulus + 1u32,
        2u32 * modulus - 1u32,
        2u32 * modulus,
        modulus >> 1,
        (modulus >> 1) + 1u32,
        ones(bits),
        ones(bits.next_multiple_of(64)),
        modulus * modulus + 5u32,
    ];
    let boundaries = [15, 16, 17, 28, 31, 32, 33, 48, 50, 52, 63, 64, 65, 100, 128]
        .into_iter()
        .chain([bits / 2, bits - 64, bits - 16, bits - 1, bits, bits + 64]);
    for boundary in boundaries {
        let power = power_of_two(boundary);
        operands.extend([&power - 1u32, power]);
    }
    operands
}

/// Short exponents: zero, powers of two, all ones, and others.
fn short_exponents() -> Vec<Power> {
    let secret = [0, 1, 2, 3, 65_537, 1 << 63, u64::MAX];
    let public = [0u32, 1, 2, 3, 65_537];
    let secret = secret.map(|value| Power::Secret(value.into(), 64));
    let public = public.map(|value| Power::Public(value.into()));
    secret.into_iter().chain(public).collect()
}

/// Sizes next to those of words and of the usual keys.
#[test]
fn sizes_with_adversarial_operands() {
    adversarial_operands_at(&[65, 255, 1024, 1025, 2047, 2048]);
}

#[test]
#[ignore = "takes a minute: more sizes, of which a part is in every run"]
fn every_size_with_adversarial_operands() {
    adversarial_operands_at(&[
        65, 127, 128, 255, 512, 1000, 1021, 1024, 1025, 1100, 1536, 2047, 2048, 2500, 3072, 4096,
    ]);
}

fn adversarial_operands_at(sizes: &[u32]) {
    let mut rng = rng();
    for &bits in sizes {
        for modulus in moduli(&mut rng, bits) {
            let key = Key::new(modulus);
            let below = &key.modulus - 1u32;
            let mut cases = Vec::new();
            for (i, exponent) in short_exponents().into_iter().enumerate() {
                for (j, base) in operands(&key.modulus).into_iter().enumerate() {
                    cases.push(Case {
                        key: &key,
                        base,
                        exponent: exponent.clone(),
                        factor: Some(below.clone()).filter(|_| (i + j) % 3 == 0),
                    });
                }
            }
            check(&cases, if bits < 1000 { 1 } else { 7 });
        }
    }
}

/// Every adversarial operand as the factor of a task.
#[test]
fn adversarial_factors() {
    let mut rng = rng();
    for bits in [127, 1024, 2047] {
        for modulus in moduli(&mut rng, bits) {
            let key = Key::new(modulus);
            let base = &key.modulus - 1u32;
            let operands = operands(&key.modulus).into_iter();
            let cases: Vec<Case<'_>> = operands
                .map(|factor| Case {
                    key: &key,
                    base: base.clone(),
                    exponent: Power::Public(BigUint::from(1u32)),
                    factor: Some(factor),
                })
                .collect();
            check(&cases, 1);
        }
    }
}

/// Exponents as long as the modulus: no bits set, only the lowest, only the highest, all.
#[test]
fn full_size_adversarial_exponents() {
    let mut rng = rng();
    for bits in [512, 1021, 1024, 2048, 4096] {
        let key = Key::new(random_modulus(&mut rng, bits));
        let exponents = [
            BigUint::ZERO,
            BigUint::from(1u32),
            power_of_two(bits - 1),
            ones(bits),
            &key.modulus - 1u32,
        ];
        let base = random(&mut rng, bits);
        let secret = exponents.clone().map(|value| Power::Secret(value, bits));
        let public = exponents.map(Power::Public);
        let cases: Vec<Case<'_>> = secret
            .into_iter()
            .chain(public)
            .map(|exponent| Case {
                key: &key,
                base: base.clone(),
                exponent,
                factor: None,
            })
            .collect();
        check(&cases, 1);
    }
}

/// Moduli divisible by primes of the engine's own bases, which no plan serves. The bases of every device have
/// the largest primes of some width.
#[test]
fn moduli_that_share_primes_with_a_base() {
    let mut rng = rng();
    for width in [16].into_iter().chain(26..=30).chain(46..=50) {
        let primes = Base::descending_primes(width, 12, &BTreeSet::new()).unwrap();
        let primes: Vec<BigUint> = primes
            .moduli()
            .iter()
            .map(|m| BigUint::from(m.value()))
            .collect();
        let product: BigUint = primes.iter().product();
        for modulus in [product.clone(), odd_multiple_of_length(&product, 1024)] {
            let key = Key::new(modulus);
            let exponent = BigUint::from(0xdead_beefu32);
            // The last two are not invertible: they share primes with the modulus.
            let bases = [
                random(&mut rng, 400),
                primes[3].clone(),
                primes[..6].iter().product(),
            ];
            let case = |base: &BigUint, exponent| Case {
                key: &key,
                base: base.clone(),
                exponent,
                factor: Some(&primes[0] * &primes[7]),
            };
            let cases: Vec<Case<'_>> = bases
                .iter()
                .flat_map(|base| {
                    [
                        case(base, Power::secret(exponent.clone())),
                        case(base, Power::Public(exponent.clone())),
                    ]
                })
                .collect();
            check(&cases, 1);
        }
    }
}

/// All of these moduli in one batch. Plans serve only a part of them.
#[test]
fn moduli_of_every_kind_in_one_batch() {
    let mut rng = rng();
    for bits in [1024, 2048] {
        let mut all = moduli(&mut rng, bits);
        for width in [16, 28, 50] {
            let primes = Base::descending_primes(width, 4, &BTreeSet::new()).unwrap();
            let product = primes.moduli().iter().map(|m| BigUint::from(m.value()));
            all.push(odd_multiple_of_length(&product.product(), bits));
        }
        let keys: Vec<Key> = all.into_iter().map(Key::new).collect();
        let cases: Vec<Case<'_>> = (0..20 * keys.len())
            .map(|index| {
                let key = &keys[index % keys.len()];
                let operands = operands(&key.modulus);
                Case {
                    key,
                    base: operands[index % operands.len()].clone(),
                    exponent: Power::Secret(random(&mut rng, 64), 64),
                    factor: None,
                }
            })
            .collect();
        check(&cases, 5);
    }
}
