//! Tests of drawing: every number is admissible, and all are drawn equally often.

use super::super::sieve::small_primes;
use super::*;
use crate::system_rng;
use std::collections::{BTreeMap, BTreeSet};

/// sqrt(2) 2^63, rounded down.
const ABOVE: u64 = 0xb504_f333_f9de_6484;

fn range(bits: u32, blum: bool, double: bool) -> Range {
    Range {
        bits,
        above: ABOVE,
        blum,
        double,
    }
}

fn residue(x: &BoxedUint, r: u32) -> u32 {
    divided(x, r).1
}

/// The residues of each prime are the admissible ones, each once; and a random word gives each of them equally often:
/// as many words as possible are used, and those beyond are refused.
#[test]
fn residues_of_every_small_prime() {
    for double in [false, true] {
        let drawer = Drawer::new(range(8192, false, double), small_primes());
        assert!(drawer.primes.len() > 500, "{}", drawer.primes.len());
        for small in &drawer.primes {
            let r = small.prime;
            let admissible: BTreeSet<u32> =
                (1..r).filter(|x| !double || (2 * x + 1) % r != 0).collect();
            let residues: Vec<u32> = (0..small.choices)
                .map(|choice| small.residue(choice, double).0 as u32)
                .collect();
            assert!(residues.iter().copied().eq(admissible), "{r}");
            assert_eq!(
                (1u64 << 32) % u64::from(small.choices),
                u64::from(small.beyond)
            );
            assert_eq!(residue(&small.unit, r), 1);
        }
        for (one, other) in drawer.primes.iter().zip(drawer.primes.iter().rev()) {
            if one.prime != other.prime {
                assert_eq!(residue(&one.unit, other.prime), 0);
            }
        }
    }
}

/// All words of 8 bits instead of 32, for every number of choices: each choice has as many words.
#[test]
fn the_choice_is_uniform() {
    for choices in 1..=255u32 {
        let beyond = 256 % choices;
        let mut words = BTreeMap::new();
        for word in 0..256 {
            let product = word * choices;
            if product & 0xff >= beyond {
                *words.entry(product >> 8).or_insert(0) += 1;
            }
        }
        assert_eq!(words.len(), choices as usize);
        assert!(words.values().all(|&count| count == 256 / choices));
    }
}

#[test]
fn numbers_are_in_range_and_without_small_factors() {
    for bits in [
        127, 128, 129, 191, 192, 255, 512, 1023, 1024, 2047, 8191, 8192,
    ] {
        for (blum, double) in [(false, false), (true, false), (false, true)] {
            let drawer = Drawer::new(range(bits, blum, double), small_primes());
            assert!(drawer.count >> 94 > 0 && drawer.largest() >= 19, "{bits}");
            let shifts: u64 = drawer
                .primes
                .iter()
                .map(|small| u64::from(small.prime))
                .sum();
            assert!(shifts + 16 < 1 << 22);
            for _ in 0..20 {
                let x = drawer.draw(&mut system_rng()).unwrap();
                assert_eq!(x.bits(), bits);
                let top = x.shr(bits - 64);
                assert!(crate::integer::low_u64(&top) > ABOVE, "{bits}");
                assert_eq!(residue(&x, 4) % 2, 1);
                assert!(!blum || residue(&x, 4) == 3);
                for r in small_primes()
                    .into_iter()
                    .take_while(|&r| r <= drawer.largest())
                {
                    let rest = residue(&x, r);
                    assert_ne!(rest, 0, "{bits}: {r}");
                    assert!(!double || !(2 * rest + 1).is_multiple_of(r), "{bits}: {r}");
                }
            }
        }
    }
}

/// The statistic of Pearson's test that these counts belong to equally likely classes, less its expectation, in
/// standard deviations.
fn deviation(counts: impl ExactSizeIterator<Item = u32> + Clone, total: u32) -> f64 {
    let classes = counts.len() as f64;
    let expected = f64::from(total) / classes;
    let statistic: f64 = counts
        .map(|count| (f64::from(count) - expected).powi(2) / expected)
        .sum();
    (statistic - (classes - 1.0)) / (2.0 * (classes - 1.0)).sqrt()
}

/// Residues modulo pairs of primes, and the place in the range.
#[test]
fn all_numbers_are_equally_likely() {
    const DRAWN: u32 = 40_000;
    let drawer = Drawer::new(range(255, false, true), small_primes());
    let numbers: Vec<_> = (0..DRAWN)
        .map(|_| drawer.draw(&mut system_rng()).unwrap())
        .collect();
    for [r, s] in [[5, 7], [11, 13], [7, 31], [5, 41]] {
        let admissible = |r: u32| (1..r).filter(move |x| (2 * x + 1) % r != 0);
        let classes = admissible(r).flat_map(|x| admissible(s).map(move |y| ((x, y), 0)));
        let mut counts: BTreeMap<(u32, u32), u32> = classes.collect();
        for x in &numbers {
            *counts.get_mut(&(residue(x, r), residue(x, s))).unwrap() += 1;
        }
        let deviation = deviation(counts.values().copied(), DRAWN);
        assert!(deviation.abs() < 6.0, "{r}, {s}: {deviation}");
    }
    // 16 parts of the range; odd and even t; both residues modulo 4, which x may have.
    let mut places = [0u32; 16];
    let mut fours = [0u32; 2];
    for x in &numbers {
        let top = crate::integer::low_u64(&x.shr(255 - 64));
        let part = u128::from(top - ABOVE) * 16 / u128::from(u64::MAX - ABOVE + 1);
        places[part as usize] += 1;
        fours[(residue(x, 4) / 2) as usize] += 1;
    }
    for deviation in [
        deviation(places.iter().copied(), DRAWN),
        deviation(fours.iter().copied(), DRAWN),
    ] {
        assert!(deviation.abs() < 6.0, "{deviation}");
    }
}
