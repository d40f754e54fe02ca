//! Tests of Montgomery multiplication with both base extensions against num-bigint.

mod common;

use common::{Random, big, boxed, hex, two_to, vectors};
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use num_integer::Integer;
use proptest::prelude::*;
use serde::Deserialize;
use sunzi_field::montgomery::{Element, Montgomery, MontgomeryError, bases};
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{Base, BaseExtension, Channel, Counting, ExtensionError, Fixed, Plain, Residues};

#[derive(Deserialize)]
struct Vectors {
    sets: Vec<Set>,
}

#[derive(Deserialize)]
struct Set {
    field_bits: u32,
    w: u32,
    n: usize,
    #[serde(rename = "A")]
    a: Vec<String>,
    #[serde(rename = "B")]
    b: Vec<String>,
}

fn base(moduli: &[String]) -> Base {
    let values: Vec<u128> = moduli.iter().map(|m| hex(m).try_into().unwrap()).collect();
    Base::new(&values).unwrap()
}

/// A prime of each size of the vectors: P-256 and P-384.
fn prime(bits: u32) -> BigUint {
    match bits {
        256 => two_to(256) - two_to(224) + two_to(192) + two_to(96) - 1u8,
        _ => two_to(384) - two_to(128) - two_to(96) + two_to(32) - 1u8,
    }
}

/// Checks all operations with random and adversarial numbers.
fn exercise<E: BaseExtension>(field: &Montgomery<E>, random: &mut Random, rounds: u32) {
    let p = big(field.modulus());
    let element = |x: &BigUint| field.element(&Plain, &boxed(x));
    let value = |x: &Element| big(&field.to_uint(&Plain, x));
    let edges = [
        BigUint::ZERO,
        1u8.into(),
        2u8.into(),
        &p - 1u8,
        &p - 2u8,
        &p >> 1,
    ];
    for x in &edges {
        for y in &edges {
            let product = field.mul(&Plain, &element(x), &element(y));
            assert_eq!(value(&product), x * y % &p);
            assert_eq!(field.is_zero(&product), (x * y).is_multiple_of(&p));
            let sum = field.add(&Plain, &element(x), &element(y));
            assert_eq!(value(&sum), (x + y) % &p);
            let difference = field.sub(&Plain, &element(x), &element(y));
            assert_eq!(value(&difference), (&p + x - y) % &p);
            assert_eq!(
                field.equal(&Plain, &element(x), &element(y)),
                x % &p == y % &p
            );
        }
    }
    let large = &p * &p * &p + 5u8;
    assert_eq!(value(&element(&large)), &large % &p);
    // A long chain of all operations, in which bounds grow and are reduced.
    let (mut x, factor) = (random.below(&p), random.below(&p));
    let (mut chain, constant) = (element(&x), element(&factor));
    for _ in 0..rounds {
        let product = field.mul(&Plain, &chain, &constant);
        let sum = field.add(&Plain, &product, &chain);
        let twice = field.add(&Plain, &sum, &sum);
        chain = field.sub(&Plain, &twice, &constant);
        x = ((&x * &factor + &x) * 2u8 + &p - &factor) % &p;
        assert_eq!(value(&chain), x);
        let same = field.sub(&Plain, &field.add(&Plain, &chain, &constant), &constant);
        assert!(field.equal(&Plain, &chain, &same));
        assert!(!field.equal(&Plain, &chain, &field.add(&Plain, &same, &field.one())));
        assert!(field.is_zero(&field.sub(&Plain, &chain, &same)));
    }
}

#[test]
fn kbe_and_hbe_on_the_papers_bases() {
    let vectors: Vectors = vectors("base_extension");
    let mut random = Random::new(1);
    for set in vectors.sets {
        let (a, b) = (base(&set.a), base(&set.b));
        assert!(a.moduli().iter().all(|m| m.bits() == set.w) && a.len() == set.n);
        let p = boxed(&prime(set.field_bits));
        exercise(&Montgomery::kawamura(&p, &a, &b).unwrap(), &mut random, 20);
        for c in (1..=6).filter(|c| set.n % c == 0) {
            exercise(
                &Montgomery::hierarchical(&p, &a, &b, c).unwrap(),
                &mut random,
                5,
            );
        }
    }
}

#[test]
fn generated_bases_for_moduli_of_all_sizes() {
    let mut random = Random::new(2);
    for bits in [2, 3, 8, 16, 31, 32, 64, 65, 127, 192, 256, 521, 1024] {
        for width in [24, 31, 62, 66] {
            let p = boxed(&(random.odd(bits) | BigUint::from(3u8)));
            let (a, b) = bases(&p, width, 1).unwrap();
            exercise(&Montgomery::kawamura(&p, &a, &b).unwrap(), &mut random, 2);
            for c in [2, 3, 4] {
                let (a, b) = bases(&p, width, c).unwrap();
                exercise(
                    &Montgomery::hierarchical(&p, &a, &b, c).unwrap(),
                    &mut random,
                    1,
                );
            }
        }
    }
}

#[test]
fn moduli_that_share_factors_with_pseudo_mersenne_numbers_get_other_bases() {
    // 2^62 - 1 and 2^62 - 3 would be the first moduli, but divide P.
    let p = boxed(&(BigUint::from((1u64 << 62) - 1) * ((1u64 << 62) - 3) * 7u8));
    let (a, b) = bases(&p, 62, 1).unwrap();
    exercise(
        &Montgomery::kawamura(&p, &a, &b).unwrap(),
        &mut Random::new(3),
        5,
    );
}

/// A base extension with the largest error: it gives the residues of `X + e A`, for the largest
/// excess `e` allowed.
struct WorstExtension {
    source: Base,
    target: Base,
    bound: BoxedUint,
    excess: u32,
}

impl BaseExtension for WorstExtension {
    fn source(&self) -> &Base {
        &self.source
    }
    fn target(&self) -> &Base {
        &self.target
    }
    fn input_bound(&self) -> &BoxedUint {
        &self.bound
    }
    fn max_excess(&self) -> u32 {
        self.excess
    }
    fn extend_on(&self, _: &impl Channel, x: &Residues) -> Residues {
        let sum = big(&x.to_uint()) + big(self.source.product()) * self.excess;
        Residues::reduced(&self.target, &boxed(&sum))
    }
}

fn worst(a: &[u128], b: &[u128], excess: u32) -> [WorstExtension; 2] {
    let (a, b) = (Base::new(a).unwrap(), Base::new(b).unwrap());
    let there = WorstExtension {
        source: a.clone(),
        target: b.clone(),
        bound: a.product().clone(),
        excess,
    };
    let bound = boxed(&(big(b.product()) / 2u8));
    [
        there,
        WorstExtension {
            source: b,
            target: a,
            bound,
            excess: 0,
        },
    ]
}

/// The number of pairs of numbers below `3P` whose product has `delta` = 0, 1, 2.
fn deltas<E: BaseExtension>(field: &Montgomery<E>) -> [u32; 3] {
    let p: u64 = big(field.modulus()).try_into().unwrap();
    let a = big(field.base_a().product());
    let a_inverse: u64 = a.modinv(&BigUint::from(p)).unwrap().try_into().unwrap();
    let all: Vec<Element> = (0..3 * p).map(|x| held(field, x)).collect();
    let mut deltas = [0; 3];
    for (x, ex) in (0..).zip(&all) {
        for (y, ey) in (0..).zip(&all) {
            let product = field.mul(&Plain, ex, ey);
            assert!(product.bound() <= 3);
            let value: u64 = big(&product.residues().0.to_uint()).try_into().unwrap();
            assert_eq!(value % p, x * y % p * a_inverse % p);
            deltas[(value / p) as usize] += 1;
        }
    }
    deltas
}

/// The element that holds exactly the integer `x < 3P`.
fn held<E: BaseExtension>(field: &Montgomery<E>, x: u64) -> Element {
    let a = Residues::reduced(field.base_a(), &BoxedUint::from(x));
    let b = Residues::reduced(field.base_b(), &BoxedUint::from(x));
    Element::from_residues(field, a, b, 3).unwrap()
}

#[test]
fn forced_delta_2_on_a_tiny_base() {
    // P = 223, A = 2145: A >= 9P just holds, and the extension always gives Q + A.
    let [a_to_b, b_to_a] = worst(&[3, 5, 11, 13], &[7, 17, 19], 1);
    let field = Montgomery::new(&BoxedUint::from(223u64), a_to_b, b_to_a).unwrap();
    let found = deltas(&field);
    assert!(found[2] > 0, "{found:?}");
    // The canonical form of a multiple of P starts from 2P here: it needs both subtractions.
    let a_inverse = BigUint::from(2145u32)
        .modinv(&BigUint::from(223u8))
        .unwrap();
    for x in 0..3 * 223u64 {
        let value = big(&field.to_uint(&Plain, &held(&field, x)));
        assert_eq!(value, &a_inverse * x % 223u8);
    }
    // With an exact extension the result is below 2P.
    let [a_to_b, b_to_a] = worst(&[3, 5, 11, 13], &[7, 17, 19], 0);
    let field = Montgomery::new(&BoxedUint::from(223u64), a_to_b, b_to_a).unwrap();
    assert_eq!(deltas(&field)[2], 0);
}

#[test]
fn every_product_on_tiny_bases() {
    let a = Base::new(&[31, 29, 27, 25]).unwrap();
    let b = Base::new(&[61, 59, 64]).unwrap();
    for p in [7u64, 11, 77, 223] {
        let field = Montgomery::kawamura(&BoxedUint::from(p), &a, &b).unwrap();
        deltas(&field);
    }
    let (a, b) = (
        Base::new(&[255, 253]).unwrap(),
        Base::new(&[256, 251]).unwrap(),
    );
    for p in [7u64, 13, 101] {
        deltas(&Montgomery::kawamura(&BoxedUint::from(p), &a, &b).unwrap());
        deltas(&Montgomery::hierarchical(&BoxedUint::from(p), &a, &b, 2).unwrap());
    }
}

#[test]
fn the_base_31_29_27_25_is_refused_for_hbe() {
    let a = Base::new(&[31, 29, 27, 25]).unwrap();
    let b = Base::new(&[61, 59, 64, 53]).unwrap();
    let p = BoxedUint::from(223u64);
    assert!(Montgomery::kawamura(&p, &b, &a).is_ok());
    let error = Montgomery::hierarchical(&p, &b, &a, 2).unwrap_err();
    assert!(
        matches!(
            error,
            MontgomeryError::Extension(ExtensionError::Inexact { .. })
        ),
        "{error}"
    );
}

#[test]
fn conditions_that_fail_are_refused_by_name() {
    let (a, b) = (
        Base::new(&[255, 253]).unwrap(),
        Base::new(&[256, 251]).unwrap(),
    );
    let refused = |p: u64, a: &Base, b: &Base| {
        Montgomery::kawamura(&BoxedUint::from(p), a, b)
            .map(|_| ())
            .unwrap_err()
    };
    for p in [0, 1, 2] {
        assert_eq!(refused(p, &a, &b), MontgomeryError::TooSmall);
    }
    // A = 64515: 7169 is the first P with 9P > A.
    let range = MontgomeryError::RangeOfA {
        a_bits: 16,
        p_bits: 13,
    };
    assert_eq!(refused(7169, &a, &b), range);
    assert!(Montgomery::kawamura(&BoxedUint::from(7163u64), &a, &b).is_ok());
    // B = 3904: 3P <= B/2 holds up to 650.
    let small = Base::new(&[64, 61]).unwrap();
    assert!(matches!(
        refused(653, &a, &small),
        MontgomeryError::RangeOfB { .. }
    ));
    assert!(Montgomery::kawamura(&BoxedUint::from(647u64), &a, &small).is_ok());
    // Shared factors: 255 = 3 5 17, 253 = 11 23.
    for p in [15, 17, 22, 23, 251, 256] {
        let error = refused(p, &a, &b);
        assert!(
            matches!(error, MontgomeryError::NotCoprime { other: "P", .. }),
            "{error}"
        );
    }
    let shared = Base::new(&[251, 250]).unwrap();
    let error = refused(7, &a, &shared);
    assert_eq!(
        error,
        MontgomeryError::NotCoprime {
            modulus: 250,
            other: "base A"
        }
    );
    // The same base as A and B.
    let itself = MontgomeryError::NotCoprime {
        modulus: 255,
        other: "base A",
    };
    assert_eq!(refused(7, &a, &a), itself);
    // Extensions that do not fit together.
    let p = BoxedUint::from(7u64);
    let kbe = |from, to, sigma| Kawamura::with_fewest_bits(from, to, sigma).unwrap();
    let error = |there, back| Montgomery::new(&p, there, back).map(|_| ()).unwrap_err();
    let mismatch = error(kbe(&a, &b, Fixed::ZERO), kbe(&a, &b, Fixed::HALF));
    assert_eq!(mismatch, MontgomeryError::Mismatch);
    let half = error(kbe(&a, &b, Fixed::HALF), kbe(&b, &a, Fixed::HALF));
    assert_eq!(half, MontgomeryError::Mismatch);
    let excess = error(kbe(&a, &b, Fixed::ZERO), kbe(&b, &a, Fixed::ZERO));
    assert_eq!(
        excess,
        MontgomeryError::Excess {
            from: "B",
            excess: 1,
            most: 0
        }
    );
}

#[test]
fn costs_are_those_of_the_formulas() {
    let vectors: Vectors = vectors("base_extension");
    for set in vectors.sets {
        let (a, b) = (base(&set.a), base(&set.b));
        let p = boxed(&prime(set.field_bits));
        let n = set.n as u64;
        let channel = Counting::default();
        let field = Montgomery::kawamura(&p, &a, &b).unwrap();
        let _ = field.mul(&channel, &field.one(), &field.one());
        let counts = channel.take();
        // Two extensions of n^2 + n CMM each, and 3n CMM outside them.
        assert_eq!((counts.emm, counts.cmm), (2 * n, 2 * (n * n + n) + 3 * n));
        assert_eq!((counts.cmr, counts.products), (0, 0));
        for c in (2..=6).filter(|c| n.is_multiple_of(*c)) {
            let field = Montgomery::hierarchical(&p, &a, &b, c as usize).unwrap();
            let _ = field.mul(&channel, &field.one(), &field.one());
            let counts = channel.take();
            assert_eq!(
                (counts.emm, counts.cmm),
                (2 * n, 2 * (n * n / c + n) + 3 * n)
            );
            assert_eq!((counts.cmr, counts.products), (2 * n * n / c, 2 * n));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 64 }))]
    #[test]
    fn products_agree_with_num_bigint(
        bytes in prop::collection::vec(any::<u8>(), 8..80),
        x in prop::collection::vec(any::<u8>(), 0..100),
        y in prop::collection::vec(any::<u8>(), 0..100),
        width in 28u32..=66,
    ) {
        let p = BigUint::from_bytes_le(&bytes) | BigUint::from(3u8);
        let (x, y) = (BigUint::from_bytes_le(&x), BigUint::from_bytes_le(&y));
        let (a, b) = bases(&boxed(&p), width, 1).unwrap();
        let field = Montgomery::kawamura(&boxed(&p), &a, &b).unwrap();
        let [ex, ey] = [&x, &y].map(|x| field.element(&Plain, &boxed(x)));
        let product = field.mul(&Plain, &ex, &ey);
        prop_assert_eq!(big(&field.to_uint(&Plain, &product)), x * y % p);
    }
}
