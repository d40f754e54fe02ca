//! Tests of the sum of residues against num-bigint and the golden vectors, and with operands that reveal
//! mistakes in the algorithm.

mod common;

use common::{Random, big, boxed, hex, two_to, vectors};
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use num_integer::Integer;
use serde::Deserialize;
use std::collections::BTreeMap;
use sunzi_field::SumOfResiduesError;
use sunzi_field::sum_of_residues::curves::{
    Curve, EDWARDS25519, SECP192R1, SECP256K1, SECP256R1, SECP521R1, TABLE_2,
};
use sunzi_field::sum_of_residues::{ExactReduction, PublishedReduction};
use sunzi_rns::{Counting, Plain};

#[derive(Deserialize)]
struct Vectors {
    moduli: Vec<String>,
    curves: BTreeMap<String, CurveVectors>,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct CurveVectors {
    #[serde(rename = "p")]
    prime: String,
    w: u32,
    t: u32,
    #[serde(rename = "cases")]
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    x: String,
    y: String,
    alpha: u128,
    kappa: String,
    published: String,
    canonical: String,
}

#[test]
fn golden_vectors() {
    let vectors: Vectors = vectors("sum_of_residues");
    for curve in vectors.curves.values() {
        let p = boxed(&hex(&curve.prime));
        assert_eq!(p.bits_vartime(), curve.w);
        let published = PublishedReduction::new(&p, curve.t).unwrap();
        let exact = ExactReduction::new(&p).unwrap();
        let moduli: Vec<BigUint> = vectors.moduli.iter().map(|m| hex(m)).collect();
        let ours: Vec<BigUint> = published
            .channels()
            .iter()
            .map(|m| BigUint::from(m.value()))
            .collect();
        assert_eq!(ours, moduli);
        for case in &curve.cases {
            let [x, y] = [&case.x, &case.y].map(|x| published.residues(&boxed(&hex(x))).unwrap());
            let (kappa, alpha) = published.quotient_and_rank(&Plain, &(&x * &y));
            assert_eq!(
                (BigUint::from(kappa), alpha),
                (hex(&case.kappa), case.alpha)
            );
            let result = published.mul(&Plain, &x, &y);
            assert_eq!(big(&result.to_uint()), hex(&case.published));
            assert_eq!(
                big(&exact.mul(&Plain, &x, &y).to_uint()),
                hex(&case.canonical)
            );
            assert_eq!(
                big(&exact.reduce(&Plain, &result).to_uint()),
                hex(&case.canonical)
            );
        }
    }
}

/// The integers near which a truncated quotient, rank or comparison goes wrong.
fn adversarial(p: &BigUint, m: &BigUint) -> Vec<BigUint> {
    let one = BigUint::from(1u8);
    let limit = (m * 15u8).div_ceil(&BigUint::from(16u8));
    let mut numbers = vec![
        BigUint::ZERO,
        one.clone(),
        &limit - 1u8,
        (p - 1u8) * (p - 1u8),
    ];
    let mut multipliers: Vec<BigUint> = (1u32..=8).map(BigUint::from).collect();
    multipliers.extend([
        p - 1u8,
        p.clone(),
        p + 1u8,
        two_to(64),
        two_to(66),
        (&limit - 1u8) / p,
    ]);
    multipliers.extend((1u32..12).map(|k| &limit / (p * k)));
    for k in multipliers {
        numbers.extend([&k * p - 1u8, &k * p, &k * p + 1u8]);
    }
    // Numbers near the boundaries of the rank, kM/N, and near the powers of 2^66.
    numbers.extend((1u32..16).map(|k| m * k / 17u32));
    numbers.extend((1..m.bits() as u32 - 1).map(|k| two_to(k) - 1u8));
    // Numbers with the smallest and largest residues: just above and just below multiples of p.
    numbers.extend((0..p.bits() as u32 - 1).map(|k| p * p + two_to(k)));
    numbers.extend((0..p.bits() as u32 - 1).map(|k| p * p - two_to(k)));
    numbers.retain(|z| z < &limit);
    numbers
}

fn check_published(reduction: &PublishedReduction, z: &BigUint) {
    let p = big(reduction.prime());
    let residues = reduction.residues(&boxed(z)).unwrap();
    let result = big(&reduction.reduce(&Plain, &residues).to_uint());
    let canonical = z % &p;
    assert!(
        result == canonical || result == &canonical + &p,
        "{z} mod {p} gave {result}"
    );
    // (1 + d) p, with the bound in units of 2^-32.
    let units = (reduction.deficit() * 4_294_967_296.0) as u64;
    let excess = (&p * units).div_ceil(&two_to(32));
    assert!(result < &p + &excess, "{z} mod {p} gave {result}");
    assert!(result == canonical || canonical < excess);
}

fn check_exact(reduction: &ExactReduction, z: &BigUint) {
    let residues = reduction.residues(&boxed(z)).unwrap();
    let result = reduction.reduce(&Plain, &residues);
    assert_eq!(big(&result.to_uint()), z % big(reduction.prime()));
}

#[test]
fn published_form_on_adversarial_numbers_of_every_curve() {
    for curve in TABLE_2 {
        let reduction = PublishedReduction::for_curve(&curve).unwrap();
        for z in adversarial(&big(reduction.prime()), &big(reduction.base().product())) {
            check_published(&reduction, &z);
        }
    }
}

#[test]
fn exact_form_on_adversarial_numbers_of_every_curve_and_p256() {
    for curve in TABLE_2.into_iter().chain([SECP256R1]) {
        let reduction = ExactReduction::new(&curve.prime()).unwrap();
        for z in adversarial(&big(reduction.prime()), &big(reduction.base().product())) {
            check_exact(&reduction, &z);
        }
    }
}

#[test]
fn random_numbers_of_every_curve() {
    let mut random = Random::new(1);
    for curve in TABLE_2.into_iter().chain([SECP256R1]) {
        let exact = ExactReduction::new(&curve.prime()).unwrap();
        let published = PublishedReduction::for_curve(&curve).ok();
        let limit = big(exact.base().product()) * 15u8 / 16u8;
        for _ in 0..1000 {
            let z = random.below(&limit);
            check_exact(&exact, &z);
            if let Some(published) = &published {
                check_published(published, &z);
            }
        }
    }
}

#[test]
fn exact_form_modulo_any_number() {
    let mut random = Random::new(2);
    for bits in [
        2, 3, 4, 8, 51, 52, 53, 63, 64, 65, 66, 103, 104, 127, 128, 300, 500, 526,
    ] {
        for p in [two_to(bits - 1), two_to(bits) - 1u8, random.odd(bits)] {
            let reduction = ExactReduction::new(&boxed(&p)).unwrap();
            let m = big(reduction.base().product());
            for z in adversarial(&p, &m)
                .iter()
                .chain((0..20).map(|_| random.below(&p)).collect::<Vec<_>>().iter())
            {
                check_exact(&reduction, z);
            }
        }
    }
}

#[test]
fn every_product_modulo_tiny_primes() {
    for p in [2u64, 3, 5, 7, 31] {
        let reduction = ExactReduction::new(&BoxedUint::from(p)).unwrap();
        let all: Vec<_> = (0..2 * p)
            .map(|x| reduction.residues(&BoxedUint::from(x)).unwrap())
            .collect();
        for (x, rx) in (0..).zip(&all) {
            for (y, ry) in (0..).zip(&all) {
                let product = reduction.mul(&Plain, rx, ry);
                assert_eq!(product.to_uint(), BoxedUint::from(x * y % p));
            }
        }
    }
}

/// The fraction of random products whose result is `p` too large.
fn fraction_of_plus_p(curve: &Curve, products: u32) -> (f64, u32) {
    let published = PublishedReduction::for_curve(curve).unwrap();
    let exact = ExactReduction::new(&curve.prime()).unwrap();
    let p = big(published.prime());
    let mut random = Random::new(3);
    let (mut plus_p, mut plus_p_exact) = (0, 0);
    for _ in 0..products {
        let (x, y) = (random.below(&p), random.below(&p));
        let [rx, ry] = [&x, &y].map(|x| published.residues(&boxed(x)).unwrap());
        let canonical = x * y % &p;
        let result = big(&published.mul(&Plain, &rx, &ry).to_uint());
        assert_eq!(&result % &p, canonical);
        plus_p += u32::from(result != canonical);
        plus_p_exact += u32::from(big(&exact.mul(&Plain, &rx, &ry).to_uint()) != canonical);
    }
    (f64::from(plus_p) / f64::from(products), plus_p_exact)
}

#[test]
fn six_percent_of_the_products_on_secp256k1_come_back_as_plus_p_none_in_exact_form() {
    let (fraction, exact) = fraction_of_plus_p(&SECP256K1, 100_000);
    assert!((fraction - 0.062).abs() < 0.005, "{fraction}");
    assert_eq!(exact, 0);
}

#[test]
fn thirteen_percent_of_the_products_on_edwards25519_come_back_as_plus_p_none_in_exact_form() {
    let (fraction, exact) = fraction_of_plus_p(&EDWARDS25519, 100_000);
    assert!((fraction - 0.126).abs() < 0.005, "{fraction}");
    assert_eq!(exact, 0);
}

#[test]
fn long_chains_stay_congruent_and_canonicalization_ends_them() {
    for curve in [SECP256K1, EDWARDS25519] {
        let published = PublishedReduction::for_curve(&curve).unwrap();
        let exact = ExactReduction::new(&curve.prime()).unwrap();
        let p = big(published.prime());
        let bound = &p * 5u8 / 4u8;
        let mut random = Random::new(4);
        let (mut x, factor) = (random.below(&p), random.below(&p));
        let residues = published.residues(&boxed(&factor)).unwrap();
        let mut chain = published.residues(&boxed(&x)).unwrap();
        for _ in 0..20_000 {
            chain = published.mul(&Plain, &published.mul(&Plain, &chain, &chain), &residues);
            x = &x * &x % &p * &factor % &p;
            assert!(big(&chain.to_uint()) < bound);
        }
        assert_eq!(big(&chain.to_uint()) % &p, x);
        assert_eq!(big(&exact.reduce(&Plain, &chain).to_uint()), x);
    }
}

#[test]
fn multiples_of_p_come_out_as_p_in_published_form_and_as_0_in_exact_form() {
    for curve in TABLE_2 {
        let published = PublishedReduction::for_curve(&curve).unwrap();
        let exact = ExactReduction::new(&curve.prime()).unwrap();
        let p = big(published.prime());
        for k in [1u32, 2, 3, 1000] {
            let z = boxed(&(&p * k));
            let result = published.reduce(&Plain, &published.residues(&z).unwrap());
            assert_eq!(big(&result.to_uint()), p);
            let result = exact.reduce(&Plain, &exact.residues(&z).unwrap());
            assert_eq!(big(&result.to_uint()), BigUint::ZERO);
        }
        let zero = published.residues(&BoxedUint::zero()).unwrap();
        assert_eq!(published.reduce(&Plain, &zero), zero);
    }
}

#[test]
fn z_in_0_1_next_to_multiples_of_p_and_at_the_end_of_the_range_is_below_1_25_p() {
    for curve in [SECP256K1, EDWARDS25519] {
        let published = PublishedReduction::for_curve(&curve).unwrap();
        let p = big(published.prime());
        let reduce = |z: &BigUint| {
            let residues = published.residues(&boxed(z)).unwrap();
            big(&published.reduce(&Plain, &residues).to_uint())
        };
        let one = BigUint::from(1u8);
        let square = (&p - 1u8) * (&p - 1u8);
        for z in [
            one.clone(),
            p.clone(),
            &p + 1u8,
            &p * 2u8,
            &p * &p,
            square,
            &p << 256,
        ] {
            assert_eq!(reduce(&z), &z % &p + &p, "{z} comes out as +p");
        }
        assert_eq!(reduce(&BigUint::ZERO), BigUint::ZERO);
        for k in [one, 2u8.into(), 1000u32.into(), p.clone()] {
            assert_eq!(reduce(&(k * &p - 1u8)), &p - 1u8);
        }
        let limit = (big(published.base().product()) * 15u8).div_ceil(&BigUint::from(16u8));
        for z in adversarial(&p, &big(published.base().product())) {
            assert!(reduce(&z) < &p * 5u8 / 4u8);
        }
        assert_eq!(reduce(&(&limit - 1u8)) % &p, (limit - 1u8) % &p);
    }
}

#[test]
fn equality_and_zero_of_redundant_values() {
    for curve in [SECP256K1, SECP192R1] {
        let exact = ExactReduction::new(&curve.prime()).unwrap();
        let p = big(exact.prime());
        let residues = |x: BigUint| exact.residues(&boxed(&x)).unwrap();
        for k in [0u32, 1, 2, 3, 7] {
            for x in [BigUint::ZERO, BigUint::from(1u8), &p - 1u8] {
                let (redundant, reduced) = (residues(&x + &p * k), residues(x.clone()));
                assert!(exact.equal(&Plain, &redundant, &reduced));
                assert!(!exact.equal(&Plain, &redundant, &residues(&x + 1u8)));
                assert_eq!(exact.is_zero(&Plain, &redundant), x == BigUint::ZERO);
            }
        }
    }
}

#[test]
fn z_from_15_m_16_is_refused() {
    for curve in [SECP256K1, SECP521R1] {
        let published = PublishedReduction::for_curve(&curve).unwrap();
        let exact = ExactReduction::new(&curve.prime()).unwrap();
        let m = big(published.base().product());
        let limit = (&m * 15u8).div_ceil(&BigUint::from(16u8));
        assert!(published.residues(&boxed(&(&limit - 1u8))).is_ok());
        for z in [limit.clone(), &m - 1u8, m.clone(), &m * &m] {
            for error in [
                published.residues(&boxed(&z)).unwrap_err(),
                exact.residues(&boxed(&z)).unwrap_err(),
            ] {
                assert!(
                    matches!(error, SumOfResiduesError::OutOfRange { .. }),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn p256_violates_condition_22_and_is_refused_in_published_form() {
    let error = PublishedReduction::for_curve(&SECP256R1).unwrap_err();
    let expected = SumOfResiduesError::Condition22 {
        width: 256,
        channels: 8,
        epsilon_bits: 224,
    };
    assert_eq!(error, expected);
    let message = error.to_string();
    assert!(
        message.contains("2^256 - p < 2^190 / 8") && message.contains("exact"),
        "{message}"
    );
}

#[test]
fn sixteen_channels_need_nine_bits_for_the_rank() {
    let p = SECP521R1.prime();
    let error = ExactReduction::with_rank_bits(&p, 8).unwrap_err();
    assert_eq!(
        error,
        SumOfResiduesError::RankPrecision {
            channels: 16,
            q: 8,
            needed: 9
        }
    );
    assert!(ExactReduction::with_rank_bits(&p, 9).is_ok());
    assert!(PublishedReduction::with_rank_bits(&p, SECP521R1.quotient_bits, 8).is_err());
    // For eight channels, the paper's q is enough.
    let p = SECP256K1.prime();
    assert!(PublishedReduction::with_rank_bits(&p, 72, 8).is_ok());
    let error = PublishedReduction::with_rank_bits(&p, 72, 7).unwrap_err();
    assert_eq!(
        error,
        SumOfResiduesError::RankPrecision {
            channels: 8,
            q: 7,
            needed: 8
        }
    );
}

#[test]
fn quotients_that_are_too_short_are_refused() {
    let error = PublishedReduction::new(&SECP256K1.prime(), 68).unwrap_err();
    assert_eq!(
        error,
        SumOfResiduesError::QuotientPrecision {
            t: 68,
            needed: Some(69)
        }
    );
    let error = PublishedReduction::new(&SECP192R1.prime(), 72).unwrap_err();
    assert!(matches!(
        error,
        SumOfResiduesError::QuotientPrecision {
            t: 72,
            needed: Some(_)
        }
    ));
    // The paper's T = 72 is not enough for four of its ten curves.
    let too_short = |curve: &&Curve| PublishedReduction::new(&curve.prime(), 72).is_err();
    let names: Vec<&str> = TABLE_2
        .iter()
        .filter(too_short)
        .map(|curve| curve.name)
        .collect();
    assert_eq!(names, ["secp192r1", "secp224r1", "secp384r1", "secp521r1"]);
    for t in [0, 55, 113, u32::MAX] {
        assert!(PublishedReduction::new(&SECP256K1.prime(), t).is_err());
    }
}

#[test]
fn primes_out_of_range_are_refused() {
    for p in [0u8, 1] {
        let error = ExactReduction::new(&BoxedUint::from(p)).unwrap_err();
        assert_eq!(error, SumOfResiduesError::TooSmall);
    }
    let error = ExactReduction::new(&boxed(&two_to(526))).unwrap_err();
    assert_eq!(
        error,
        SumOfResiduesError::TooLarge {
            bits: 527,
            largest: 526
        }
    );
    // Condition (22) with W < 66.
    assert!(PublishedReduction::new(&BoxedUint::from(31u8), 56).is_err());
}

#[test]
fn table_2_has_the_paper_s_number_of_channels() {
    let expected = [8, 5, 5, 6, 6, 7, 7, 8, 12, 16];
    for (curve, expected) in TABLE_2.iter().zip(expected) {
        let reduction = PublishedReduction::for_curve(curve).unwrap();
        assert_eq!(reduction.channels().len(), expected, "{}", curve.name);
    }
}

#[test]
fn the_primes_of_table_2_are_those_of_their_formulas() {
    let k1 = |bits, rest: u32| two_to(bits) - two_to(32) - rest;
    let expected = [
        two_to(255) - 19u8,
        k1(160, 21_389),
        two_to(160) - two_to(31) - 1u8,
        k1(192, 4553),
        two_to(192) - two_to(64) - 1u8,
        k1(224, 6803),
        two_to(224) - two_to(96) + 1u8,
        k1(256, 977),
        two_to(384) - two_to(128) - two_to(96) + two_to(32) - 1u8,
        two_to(521) - 1u8,
    ];
    for (curve, prime) in TABLE_2.iter().zip(expected) {
        assert_eq!(big(&curve.prime()), prime, "{}", curve.name);
        // Condition (22), from its definition.
        let n = PublishedReduction::for_curve(curve)
            .unwrap()
            .channels()
            .len() as u64;
        let width = prime.bits() as u32;
        assert!(
            (two_to(width) - &prime) * n < two_to(width - 66),
            "{}",
            curve.name
        );
    }
    let p256 = two_to(256) - two_to(224) + two_to(192) + two_to(96) - 1u8;
    assert_eq!(big(&SECP256R1.prime()), p256);
}

/// Checks the bounds in `docs/sum-of-residues.md`.
#[test]
fn the_deficits_of_the_documentation() {
    let expected = [
        0.2481, 0.0773, 0.0773, 0.0928, 1.0, 0.8893, 0.9723, 0.1243, 0.9330, 0.9998,
    ];
    for (curve, expected) in TABLE_2.iter().zip(expected) {
        let deficit = PublishedReduction::for_curve(curve).unwrap().deficit();
        assert!(
            deficit <= expected && deficit > expected - 0.0002,
            "{}: {deficit}",
            curve.name
        );
    }
}

#[test]
fn costs() {
    for curve in [SECP256K1, SECP521R1] {
        let exact = ExactReduction::new(&curve.prime()).unwrap();
        let published = PublishedReduction::for_curve(&curve).unwrap();
        let n = exact.channels().len() as u64;
        let one = exact.residues(&BoxedUint::one()).unwrap();
        let channel = Counting::default();
        let _ = published.mul(&channel, &one, &one);
        let counts = channel.take();
        assert_eq!((counts.emm, counts.cmm, counts.cmr), (n, n * n + 2 * n, n));
        assert_eq!(
            (counts.ema, counts.products, counts.table_words),
            (n * n + n, n, n)
        );
        let _ = exact.mul(&channel, &one, &one);
        let counts = channel.take();
        assert_eq!((counts.emm, counts.cmm, counts.cmr), (n, n * n + 3 * n, n));
        let limbs = u64::from(curve.prime().bits_vartime() + 1).div_ceil(52);
        assert_eq!(
            (counts.ema, counts.products),
            (n * n + n, n + 1 + (n + 2) * limbs)
        );
    }
}

#[test]
fn traces_and_tables_are_those_of_the_formulas() {
    let mut random = Random::new(7);
    for curve in TABLE_2 {
        let reduction = PublishedReduction::for_curve(&curve).unwrap();
        let p = big(&curve.prime());
        let moduli: Vec<BigUint> = (reduction.base().moduli().iter())
            .map(|m| BigUint::from(m.value()))
            .collect();
        let m = big(reduction.base().product());
        let tables = reduction.tables();
        for (i, m_i) in moduli.iter().enumerate() {
            let cofactor = &m / m_i % &p;
            assert_eq!(big(&tables.cofactors_mod_p[i]), cofactor);
            let shift = p.bits() - u64::from(tables.quotient_bits);
            let constant = BigUint::from(tables.quotient_constants[i]);
            assert_eq!(constant, &cofactor >> shift);
            let correction = (&p - BigUint::from(i) * &m % &p) % &p;
            assert_eq!(big(&tables.corrections_mod_p[i]), correction);
            for (j, m_j) in moduli.iter().enumerate() {
                let weight = BigUint::from(tables.weights[j][i]);
                assert_eq!(weight, &cofactor % m_j);
                let residue = BigUint::from(tables.corrections[j][i]);
                assert_eq!(residue, &correction % m_j);
            }
            let minus_p = BigUint::from(tables.minus_p[i]);
            assert_eq!((minus_p + &p) % m_i, BigUint::ZERO);
        }

        let [x, y] = [0; 2].map(|_| {
            let integer = boxed(&random.below(&(&p * 2u32)));
            reduction.residues(&integer).unwrap()
        });
        let trace = reduction.trace(&Plain, &x, &y);
        assert_eq!(trace.product, &x * &y);
        assert_eq!(trace.result, reduction.mul(&Plain, &x, &y));
        let known = reduction.quotient_and_rank(&Plain, &trace.product);
        assert_eq!((trace.kappa, trace.alpha), known);
        for (j, m_j) in moduli.iter().enumerate() {
            let terms = trace.terms.iter().zip(&trace.gammas);
            for (i, (term, gamma)) in terms.enumerate() {
                let product = BigUint::from(*gamma) * tables.weights[j][i];
                assert_eq!(BigUint::from(term[j]), product % m_j);
            }
            let terms = trace.terms.iter().map(|term| term[j]);
            let all = terms.chain([trace.correction[j], trace.multiple[j]]);
            let sum: BigUint = all.map(BigUint::from).sum();
            assert_eq!(sum % m_j, BigUint::from(trace.result.values()[j]));
        }
    }
}
