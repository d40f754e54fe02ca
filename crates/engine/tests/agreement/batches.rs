//! Tests of batch lengths on both sides of every group width, at every size, with one key and with
//! many.

use num_bigint::BigUint;
use proptest::test_runner::TestRng;

use crate::{
    check::{Case, Key, Power, check},
    numbers::{power_of_two, random, random_modulus, random_of_length, rng},
};

/// Batch lengths: the widths of groups, their neighbours, and others.
const LENGTHS: [usize; 15] = [
    1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129, 1000,
];

/// Sizes of moduli in bits: the usual ones, and some that are rounded up.
const SIZES: [u32; 10] = [512, 1021, 1024, 1100, 1536, 2047, 2048, 2500, 3072, 4096];

/// The arrangement of keys in a batch.
#[derive(Clone, Copy, Debug)]
enum Keys {
    /// The same key for all numbers.
    One,
    /// A few keys in long runs, whose length divides no group width.
    Runs,
    /// A different key for each number and its neighbours.
    Mixed,
}

impl Keys {
    fn pick(self, keys: &[Key], index: usize) -> &Key {
        match self {
            Self::One => &keys[0],
            Self::Runs => &keys[index / 23 % 4],
            Self::Mixed => &keys[index % keys.len()],
        }
    }
}

/// Keys of one size, more than any group has places.
fn keys(rng: &mut TestRng, bits: u32) -> Vec<Key> {
    (0..67)
        .map(|_| Key::new(random_modulus(rng, bits)))
        .collect()
}

/// A batch with exponents of one kind and length, so that only its length determines its groups.
/// Factors are absent, short, or longer than the modulus.
fn batch<'a>(
    rng: &mut TestRng,
    bits: u32,
    keys: &'a [Key],
    arrangement: Keys,
    length: usize,
    mut power: impl FnMut(&mut TestRng) -> Power,
) -> Vec<Case<'a>> {
    (0..length)
        .map(|index| Case {
            key: arrangement.pick(keys, index),
            base: random(rng, bits),
            exponent: power(rng),
            factor: match index % 5 {
                0 => Some(random(rng, bits)),
                1 if length < 100 => Some(random(rng, 2 * bits + 3)),
                _ => None,
            },
        })
        .collect()
}

/// All lengths with short exponents, at a size that is not rounded up and at one that is.
#[test]
fn every_batch_length() {
    short_exponents_at(&[1024, 1000]);
}

/// All lengths and sizes, with short exponents.
#[test]
#[ignore = "takes a minute"]
fn every_batch_length_at_every_size() {
    short_exponents_at(&SIZES);
}

fn short_exponents_at(sizes: &[u32]) {
    let mut rng = rng();
    for &bits in sizes {
        let keys = keys(&mut rng, bits);
        for length in LENGTHS {
            for arrangement in [Keys::One, Keys::Runs, Keys::Mixed] {
                let secret = |rng: &mut TestRng| Power::Secret(random(rng, 64), 64);
                let secret = batch(&mut rng, bits, &keys, arrangement, length, secret);
                check(&secret, 31);
                let public = |rng: &mut TestRng| Power::Public(random_of_length(rng, 17));
                let public = batch(&mut rng, bits, &keys, arrangement, length, public);
                check(&public, 31);
            }
        }
    }
}

/// Moduli of all sizes, exponents of all kinds and lengths, and factors, in one batch.
#[test]
fn whatever_comes_in_one_batch() {
    let mut rng = rng();
    let keys: Vec<Key> = (0..40)
        .map(|i| Key::new(random_modulus(&mut rng, 64 + 37 * i)))
        .collect();
    for length in LENGTHS {
        let cases: Vec<Case<'_>> = (0..length)
            .map(|i| {
                let key = &keys[i * i % keys.len()];
                let bits = key.modulus.bits() as u32;
                let exponent = random(&mut rng, 20 + (i % 7) as u32);
                Case {
                    key,
                    base: random(&mut rng, bits + 1),
                    exponent: match i % 5 {
                        0..3 => Power::Secret(exponent, 64 + 64 * (i % 2) as u32),
                        _ => Power::Public(exponent),
                    },
                    factor: (i % 2 == 0).then(|| random(&mut rng, bits)),
                }
            })
            .collect();
        check(&cases, 7);
    }
    check(&[], 1);
}

/// Exponents as long as the modulus, in small batches of every size.
#[test]
fn full_size_exponents() {
    let mut rng = rng();
    for (bits, length) in [
        (64, 40),
        (127, 33),
        (512, 17),
        (1024, 16),
        (1100, 3),
        (2047, 2),
        (2048, 17),
        (3072, 2),
        (4096, 1),
    ] {
        let keys = keys(&mut rng, bits);
        let secret = |rng: &mut TestRng| Power::Secret(random(rng, bits), bits);
        check(
            &batch(&mut rng, bits, &keys, Keys::Mixed, length, secret),
            5,
        );
    }
}

/// All combinations of size, batch length and arrangement of keys, with exponents as long as the
/// modulus.
#[test]
#[ignore = "takes some minutes"]
fn every_batch_length_at_every_size_with_full_size_exponents() {
    let mut rng = rng();
    for bits in SIZES {
        let keys = keys(&mut rng, bits);
        for length in LENGTHS {
            for arrangement in [Keys::One, Keys::Runs, Keys::Mixed] {
                let secret = |rng: &mut TestRng| Power::Secret(random(rng, bits), bits);
                let secret = batch(&mut rng, bits, &keys, arrangement, length, secret);
                check(&secret, 101);
            }
            let public = |rng: &mut TestRng| Power::Public(random_of_length(rng, bits));
            let public = batch(&mut rng, bits, &keys, Keys::Mixed, length, public);
            check(&public, 101);
        }
        println!("{bits} bits: every batch length agrees");
    }
}

#[test]
fn the_widest_modulus() {
    let mut rng = rng();
    for bits in [8192, 16_384] {
        let key = Key::new(random_modulus(&mut rng, bits));
        let exponent = BigUint::from(65_537u32);
        let case = |base: BigUint, exponent| Case {
            key: &key,
            base,
            exponent,
            factor: None,
        };
        let cases = [
            case(&key.modulus - 1u32, Power::secret(exponent.clone())),
            case(random(&mut rng, bits), Power::Public(exponent.clone())),
            case(power_of_two(bits), Power::Public(exponent)),
        ];
        check(&cases, 1);
    }
}
