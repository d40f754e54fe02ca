//! Named cases that break careless implementations and that random tests miss.

mod common;

use common::{big, boxed, frnn_base, from_crt_digits, pseudo_mersenne_pairs, residues};
use num_bigint::BigUint;
use sunzi_rns::division::{ConstantDivision, DivisionError, EuclideanDivision, Scaling};
use sunzi_rns::extend::frnn::Frnn;
use sunzi_rns::extend::hierarchical::Hierarchical;
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::order::{Characteristic, Parity, Sign};
use sunzi_rns::{Base, BaseExtension, ExtensionError, Fixed, Modulus};

/// 0, 1, 2, (P-1)/2, (P+1)/2, P-2, P-1 for an odd `P`.
fn boundary_numbers(base: &Base) -> Vec<BigUint> {
    let p = big(base.product());
    let small = [0u8, 1, 2].map(BigUint::from);
    let large = [(&p - 1u8) / 2u8, (&p + 1u8) / 2u8, &p - 2u8, &p - 1u8];
    small.into_iter().chain(large).collect()
}

#[test]
fn order_of_0_1_2_the_middle_and_the_end_of_the_range() {
    for n in [15, 75, 285] {
        let base = frnn_base(n);
        let numbers = boundary_numbers(&base);
        let characteristic = Characteristic::new(&base);
        let (sign, parity) = (Sign::new(&base), Parity::new(&base).unwrap());
        let p = big(base.product());
        for x in &numbers {
            let rx = residues(&base, x);
            assert_eq!(sign.is_negative(&rx), x * 2u8 > p);
            assert_eq!(parity.is_odd(&rx), x.bit(0));
            for y in &numbers {
                let ry = residues(&base, y);
                assert_eq!(characteristic.compare(&rx, &ry), x.cmp(y));
                assert_eq!(characteristic.add_overflows(&rx, &ry), x + y >= p);
            }
        }
    }
}

#[test]
fn frnn_extension_of_0_1_2_the_middle_and_the_end_of_the_range() {
    let target = Base::new(&[1 << 15, 29_761, 5, (1 << 61) - 1]).unwrap();
    for n in [15, 75, 285] {
        let base = frnn_base(n);
        let network = Frnn::new(&base, &target);
        for x in boundary_numbers(&base) {
            let result = network.extend(&residues(&base, &x));
            assert_eq!(result, residues(&target, &x));
        }
    }
}

#[test]
fn division_of_multiples_and_one_less_by_1_to_the_end_of_the_range() {
    let base = frnn_base(15);
    let p = big(base.product());
    let division = EuclideanDivision::new(&base);
    let middle: BigUint = BigUint::from(0x0123_4567_89ab_cdefu64) << 50;
    let divisors = boundary_numbers(&base)
        .into_iter()
        .chain([middle, &p / 3u8]);
    for y in divisors.filter(|y| *y > BigUint::ZERO) {
        let constant = ConstantDivision::new(&base, &boxed(&y)).unwrap();
        let largest = (&p - 1u8) / &y;
        let quotients = [
            BigUint::from(1u8),
            BigUint::from(2u8),
            &largest / 2u8,
            largest,
        ];
        for q in quotients.into_iter().filter(|q| q * &y < p) {
            let multiple = q * &y;
            let below = if multiple == BigUint::ZERO {
                None
            } else {
                Some(&multiple - 1u8)
            };
            for x in [Some(multiple), below].into_iter().flatten() {
                let expected = (residues(&base, &(&x / &y)), residues(&base, &(&x % &y)));
                let (rx, ry) = (residues(&base, &x), residues(&base, &y));
                assert_eq!(division.div_rem_vartime(&rx, &ry), Ok(expected.clone()));
                assert_eq!(constant.div_rem(&rx), expected);
            }
        }
    }
}

#[test]
fn division_by_1_and_by_the_end_of_the_range() {
    for n in [15, 75] {
        let base = frnn_base(n);
        let division = EuclideanDivision::new(&base);
        let numbers = boundary_numbers(&base);
        for y in [&numbers[1], &numbers[2], &numbers[5], &numbers[6]] {
            let constant = ConstantDivision::new(&base, &boxed(y)).unwrap();
            for x in &numbers {
                let expected = (residues(&base, &(x / y)), residues(&base, &(x % y)));
                let (rx, ry) = (residues(&base, x), residues(&base, y));
                assert_eq!(division.div_rem_vartime(&rx, &ry), Ok(expected.clone()));
                assert_eq!(constant.div_rem(&rx), expected);
            }
        }
    }
}

#[test]
fn division_by_0_is_refused() {
    let base = frnn_base(15);
    let zero = residues(&base, &BigUint::ZERO);
    let division = EuclideanDivision::new(&base);
    for x in boundary_numbers(&base) {
        let result = division.div_rem_vartime(&residues(&base, &x), &zero);
        assert_eq!(result, Err(DivisionError::ZeroDivisor));
    }
    let constant = ConstantDivision::new(&base, &boxed(&BigUint::ZERO)).map(|_| ());
    assert_eq!(constant, Err(DivisionError::ZeroDivisor));
}

#[test]
fn scaling_of_0_1_2_the_middle_and_the_end_of_the_range() {
    for n in [15, 285] {
        let base = frnn_base(n);
        for indexes in [vec![0], vec![n - 1], vec![3, 1, 7], (0..n - 1).collect()] {
            let moduli = indexes.iter().map(|&i| base.moduli()[i].value());
            let divisor: BigUint = moduli.map(BigUint::from).product();
            let scaling = Scaling::new(&base, &indexes).unwrap();
            for x in boundary_numbers(&base) {
                let expected = (
                    residues(&base, &(&x / &divisor)),
                    residues(&base, &(&x % &divisor)),
                );
                assert_eq!(scaling.div_rem(&residues(&base, &x)), expected);
            }
        }
    }
}

/// `KBE = HBE = plain` for every grid of the base, with `sigma = 1/2`.
fn assert_both_exact(source: &Base, target: &Base, numbers: &[BigUint]) {
    let kawamura = Kawamura::with_fewest_bits(source, target, Fixed::HALF).unwrap();
    let columns = (1..=source.len()).filter(|&c| source.len().is_multiple_of(c) && c <= 12);
    let grids: Vec<Hierarchical> = columns
        .map(|c| Hierarchical::with_fewest_bits(source, target, c, Fixed::HALF).unwrap())
        .collect();
    for x in numbers {
        let (from, expected) = (residues(source, x), residues(target, x));
        assert_eq!(kawamura.extend(&from), expected, "KBE, X = {x}");
        for grid in &grids {
            assert_eq!(
                grid.extend(&from),
                expected,
                "HBE, c = {}, X = {x}",
                grid.columns()
            );
        }
    }
}

/// 0, 1, 2, ... and ..., A/2 - 2, A/2 - 1.
fn ends_of_the_range(source: &Base, count: u8) -> Vec<BigUint> {
    let bound = (big(source.product()) + 1u8) / 2u8;
    let low = (0..count).map(BigUint::from);
    low.chain((1..=count).map(|k| &bound - k)).collect()
}

/// All digits `a_i - 1`, `a_i - 2`, ..., except one, which decides where `X` lies in `[0, A/2)`.
fn digits_close_to_their_moduli(source: &Base) -> Vec<BigUint> {
    let bound = (big(source.product()) + 1u8) / 2u8;
    let numbers = (0..source.len())
        .flat_map(|free| [(free, 2), (free, 3), (free, 64)])
        .flat_map(|(free, part)| (0..4u128).map(move |k| (free, part, k)))
        .map(|(free, part, k)| {
            from_crt_digits(source, |i, m| {
                if i == free {
                    m / part - k
                } else {
                    m - 1 - (k * i as u128) % 5
                }
            })
        });
    let numbers: Vec<BigUint> = numbers.filter(|x| *x < bound).collect();
    assert!(numbers.len() > 4 * source.len());
    numbers
}

#[test]
fn every_grid_of_12_moduli_of_20_bits_is_exact() {
    let pool = Base::pseudo_mersenne(20, 24).unwrap();
    let values: Vec<u128> = pool.moduli().iter().map(Modulus::value).collect();
    let [a, b] = [&values[..12], &values[12..]].map(|moduli| Base::new(moduli).unwrap());
    for (source, target) in [(&a, &b), (&b, &a)] {
        // c = 1, 2, 3, 4, 6, 12.
        assert_both_exact(source, target, &ends_of_the_range(source, 100));
        assert_both_exact(source, target, &digits_close_to_their_moduli(source));
    }
}

#[test]
fn kbe_is_hbe_is_plain_near_0_and_near_the_end_of_the_range() {
    for (a, b) in pseudo_mersenne_pairs() {
        for (source, target) in [(&a, &b), (&b, &a)] {
            assert_both_exact(source, target, &ends_of_the_range(source, 40));
        }
    }
}

#[test]
fn kbe_is_hbe_is_plain_with_all_digits_close_to_their_moduli() {
    for (a, b) in pseudo_mersenne_pairs() {
        for (source, target) in [(&a, &b), (&b, &a)] {
            assert_both_exact(source, target, &digits_close_to_their_moduli(source));
        }
    }
}

#[test]
fn all_digits_close_to_their_moduli_without_an_offset_give_x_or_x_plus_a() {
    for (a, b) in pseudo_mersenne_pairs() {
        let kawamura = Kawamura::with_fewest_bits(&a, &b, Fixed::ZERO).unwrap();
        let hierarchical = Hierarchical::with_fewest_bits(&a, &b, 2, Fixed::ZERO).unwrap();
        assert_eq!((kawamura.max_excess(), hierarchical.max_excess()), (1, 1));
        for k in 0..50u128 {
            let x = from_crt_digits(&a, |i, m| m - 1 - (k * i as u128) % 7);
            let or_more = residues(&b, &(&x + big(a.product())));
            let (from, exact) = (residues(&a, &x), residues(&b, &x));
            for result in [kawamura.extend(&from), hierarchical.extend(&from)] {
                assert!(result == exact || result == or_more, "X = {x}");
            }
        }
    }
}

#[test]
fn kept_bits_that_suffice_for_the_pseudo_mersenne_sets() {
    for (a, b) in pseudo_mersenne_pairs() {
        let kawamura = Kawamura::with_fewest_bits(&a, &b, Fixed::HALF).unwrap();
        let hierarchical = Hierarchical::with_fewest_bits(&a, &b, 2, Fixed::HALF).unwrap();
        assert!((5..=6).contains(&kawamura.cox().kept_bits()));
        assert!((4..=5).contains(&hierarchical.kept_bits()));
    }
}

#[test]
fn the_285_primes_are_refused_for_kbe_and_hbe() {
    let base = frnn_base(285);
    for sigma in [Fixed::ZERO, Fixed::HALF] {
        let error = Kawamura::with_fewest_bits(&base, &base, sigma).unwrap_err();
        assert!(matches!(error, ExtensionError::Inexact { .. }), "{error}");
        let error = Hierarchical::with_fewest_bits(&base, &base, 3, sigma).unwrap_err();
        assert!(matches!(error, ExtensionError::Inexact { .. }), "{error}");
    }
}
