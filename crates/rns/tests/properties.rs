//! All algorithms compared with num-bigint, on random numbers in the bases of the papers.
//!
//! The tests that end in `_long` take 20,000 numbers; those of division, which is the slowest,
//! take 2,000, and 50 in the base of 285 primes.

mod common;

use common::{big, boxed, frnn_base, pseudo_mersenne_pairs, residues, sixty_six_bit_base};
use num_bigint::BigUint;
use proptest::prelude::*;
use sunzi_rns::division::{ConstantDivision, EuclideanDivision, Scaling};
use sunzi_rns::extend::frnn::Frnn;
use sunzi_rns::extend::hierarchical::Hierarchical;
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::extend::mixed_radix::MixedRadix;
use sunzi_rns::extend::shenoy_kumaresan::ShenoyKumaresan;
use sunzi_rns::order::{Characteristic, Parity, Sign};
use sunzi_rns::redundancy::{Corrected, RedundantBase};
use sunzi_rns::{Base, BaseExtension, Fixed, Residues};

/// Numbers below `bound`: uniform to within a factor of 2^-64, and often short.
fn below(bound: BigUint) -> impl Strategy<Value = BigUint> {
    let bytes = bound.bits().div_ceil(8) as usize + 8;
    prop_oneof![
        3 => prop::collection::vec(any::<u8>(), bytes),
        1 => prop::collection::vec(any::<u8>(), 0..bytes),
    ]
    .prop_map(move |bytes| BigUint::from_bytes_le(&bytes) % &bound)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(if cfg!(miri) { 1 } else { cases })
    }
}

fn check_extension(extension: &impl BaseExtension, cases: u32) {
    let bound = big(extension.input_bound());
    let a = big(extension.source().product());
    proptest!(config(cases), |(x in below(bound))| {
        let result = extension.extend(&residues(extension.source(), &x));
        let mut allowed = (0..=extension.max_excess())
            .map(|e| residues(extension.target(), &(&x + &a * e)));
        prop_assert!(allowed.any(|allowed| allowed == result));
    });
}

/// Checks the extensions that are exact between any two bases.
fn check_exact_extensions(source: &Base, target: &Base, redundant: u128, cases: u32) {
    check_extension(&MixedRadix::new(source, target), cases);
    check_extension(&Frnn::new(source, target), cases);
    let shenoy_kumaresan = ShenoyKumaresan::new(source, redundant, target).unwrap();
    check_extension(&shenoy_kumaresan, cases);
}

/// Checks the extensions that need moduli close to a power of two.
fn check_cox_extensions(source: &Base, target: &Base, cases: u32) {
    for sigma in [Fixed::ZERO, Fixed::HALF] {
        check_extension(
            &Kawamura::with_fewest_bits(source, target, sigma).unwrap(),
            cases,
        );
        for columns in (1..=6).filter(|&c| source.len().is_multiple_of(c)) {
            let extension = Hierarchical::with_fewest_bits(source, target, columns, sigma);
            check_extension(&extension.unwrap(), cases);
        }
    }
}

fn check_pseudo_mersenne_sets(cases: u32) {
    for (a, b) in pseudo_mersenne_pairs() {
        check_cox_extensions(&a, &b, cases);
        check_cox_extensions(&b, &a, cases);
        let redundant = b.moduli()[1].value();
        check_exact_extensions(&a, &b, redundant, cases);
    }
}

fn check_sixty_six_bit_moduli(cases: u32) {
    let source = sixty_six_bit_base();
    let target = Base::pseudo_mersenne(61, 9).unwrap();
    check_cox_extensions(&source, &target, cases);
    check_cox_extensions(&target, &source, cases);
    check_exact_extensions(&source, &target, target.moduli()[0].value(), cases);
}

#[test]
fn extensions_of_the_pseudo_mersenne_sets() {
    check_pseudo_mersenne_sets(32);
}

#[test]
#[ignore = "long: run by make test-long"]
fn extensions_of_the_pseudo_mersenne_sets_long() {
    check_pseudo_mersenne_sets(20_000);
}

#[test]
fn extensions_of_the_66_bit_moduli() {
    check_sixty_six_bit_moduli(64);
}

#[test]
#[ignore = "long: run by make test-long"]
fn extensions_of_the_66_bit_moduli_long() {
    check_sixty_six_bit_moduli(20_000);
}

fn check_extensions_of_the_frnn_moduli(cases: u32) {
    let target = Base::new(&[1 << 15, 29_761, 101, 5]).unwrap();
    check_exact_extensions(&frnn_base(285), &target, 29_761, cases);
}

#[test]
fn extensions_of_the_285_primes() {
    check_extensions_of_the_frnn_moduli(12);
}

#[test]
#[ignore = "long: run by make test-long"]
fn extensions_of_the_285_primes_long() {
    check_extensions_of_the_frnn_moduli(20_000);
}

fn check_arithmetic_and_order(base: &Base, cases: u32) {
    let m = big(base.product());
    let characteristic = Characteristic::new(base);
    let sign = Sign::new(base);
    let parity = Parity::new(base).ok();
    let number = || below(m.clone());
    proptest!(config(cases), |(x in number(), y in number())| {
        let rx = Residues::from_uint(base, &boxed(&x)).unwrap();
        let ry = residues(base, &y);
        prop_assert_eq!(&rx, &residues(base, &x));
        prop_assert_eq!(big(&rx.to_uint()), x.clone());
        prop_assert_eq!(big(&(&rx + &ry).to_uint()), (&x + &y) % &m);
        prop_assert_eq!(big(&(&rx - &ry).to_uint()), (&x + &m - &y) % &m);
        prop_assert_eq!(big(&(&rx * &ry).to_uint()), &x * &y % &m);
        prop_assert_eq!(big(&(-&rx).to_uint()), (&m - &x) % &m);
        prop_assert_eq!(characteristic.compare(&rx, &ry), x.cmp(&y));
        prop_assert_eq!(characteristic.add_overflows(&rx, &ry), &x + &y >= m);
        prop_assert_eq!(sign.is_negative(&rx), &x * 2u8 >= m);
        if let Some(parity) = &parity {
            prop_assert_eq!(parity.is_odd(&rx), x.bit(0));
        }
    });
}

fn check_division(base: &Base, cases: u32) {
    let m = big(base.product());
    let euclidean = EuclideanDivision::new(base);
    let number = || below(m.clone());
    let n = base.len();
    let first = 0..n;
    proptest!(config(cases), |(x in number(), y in number(), first in first, count in 1..n)| {
        let y = y + 1u8;
        let expected = (residues(base, &(&x / &y)), residues(base, &(&x % &y)));
        let rx = residues(base, &x);
        prop_assert_eq!(ConstantDivision::new(base, &boxed(&y)).unwrap().div_rem(&rx), expected.clone());
        if y < m {
            let result = euclidean.div_rem_vartime(&rx, &residues(base, &y));
            prop_assert_eq!(result, Ok(expected));
        }
        let indexes: Vec<usize> = (0..count).map(|k| (first + k) % n).collect();
        let divisor: BigUint =
            indexes.iter().map(|&i| BigUint::from(base.moduli()[i].value())).product();
        let expected = (residues(base, &(&x / &divisor)), residues(base, &(&x % &divisor)));
        prop_assert_eq!(Scaling::new(base, &indexes).unwrap().div_rem(&rx), expected);
    });
}

fn check_papers_bases(check: impl Fn(&Base, u32), small: u32, large: u32) {
    for (a, b) in pseudo_mersenne_pairs() {
        check(&a, small);
        check(&b, small);
    }
    check(&sixty_six_bit_base(), small);
    check(&frnn_base(285), large);
}

#[test]
fn arithmetic_and_order_in_the_papers_bases() {
    check_papers_bases(check_arithmetic_and_order, 32, 12);
}

#[test]
#[ignore = "long: run by make test-long"]
fn arithmetic_and_order_in_the_papers_bases_long() {
    check_papers_bases(check_arithmetic_and_order, 20_000, 20_000);
}

#[test]
fn division_in_the_papers_bases() {
    check_papers_bases(check_division, 24, 1);
}

#[test]
#[ignore = "long: run by make test-long"]
fn division_in_the_papers_bases_long() {
    check_papers_bases(check_division, 2_000, 50);
}

fn check_redundancy(cases: u32) {
    let base = sixty_six_bit_base();
    let code = RedundantBase::new(&base, 4).unwrap();
    let errors = prop::collection::btree_map(0..base.len(), 1u128..1 << 65, 0..=4);
    proptest!(config(cases), |(x in below(big(code.range())), errors in errors)| {
        let right = code.encode(&boxed(&x)).unwrap();
        let mut values = right.values().to_vec();
        for (&i, &error) in &errors {
            // As 0 < error < m, the residue is really wrong.
            values[i] = base.moduli()[i].add(values[i], error);
        }
        let received = Residues::new(&base, values).unwrap();
        prop_assert_eq!(code.is_legitimate(&received), errors.is_empty());
        if errors.len() <= code.correctable() {
            let wrong: Vec<usize> = errors.into_keys().collect();
            let expected = Corrected { residues: right, wrong };
            prop_assert_eq!(code.correct_vartime(&received), Ok(expected));
        }
    });
}

#[test]
fn redundancy_of_the_66_bit_moduli() {
    check_redundancy(64);
}

#[test]
#[ignore = "long: run by make test-long"]
fn redundancy_of_the_66_bit_moduli_long() {
    check_redundancy(20_000);
}
