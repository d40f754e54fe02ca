//! Tests of the inversions against num-bigint and the golden vectors, and with operands that reveal mistakes
//! in the algorithms.

mod common;

use common::{Random, big, boxed, hex, two_to, vectors};
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use num_integer::Integer;
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use sunzi_field::InversionError;
use sunzi_field::inversion::trace::{Operation, Trace};
use sunzi_field::inversion::{self, BinaryInversion, BinaryTernaryInversion, Inverse};
use sunzi_field::montgomery::{Montgomery, bases};
use sunzi_rns::{Base, Counting, Counts, Plain, Residues};

#[derive(Deserialize)]
struct Vectors {
    primes: BTreeMap<String, PrimeVectors>,
}

#[derive(Deserialize)]
struct PrimeVectors {
    #[serde(rename = "P")]
    p: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "A")]
    a: String,
    btmi: Expected,
    bmi: Expected,
}

#[derive(Deserialize)]
struct Expected {
    #[serde(rename = "S")]
    s: String,
    outer: u32,
    inner: u32,
}

/// The primes of seven curves: P-192/224/256/384/521, secp256k1, `2^255 - 19`.
fn primes() -> Vec<BigUint> {
    let vectors: Vectors = vectors("inversion");
    let primes: Vec<BigUint> = vectors.primes.values().map(|prime| hex(&prime.p)).collect();
    assert_eq!(primes.len(), 7);
    primes
}

/// Both plus-minus inversions for a prime, in one base.
struct Both {
    p: BigUint,
    base: Base,
    btmi: BinaryTernaryInversion,
    bmi: BinaryInversion,
}

impl Both {
    fn new(p: &BigUint, base: Base) -> Self {
        Self {
            btmi: BinaryTernaryInversion::new(&base, &boxed(p)).unwrap(),
            bmi: BinaryInversion::new(&base, &boxed(p)).unwrap(),
            p: p.clone(),
            base,
        }
    }

    /// The results of BTMI and BMI for `0 <= a < P`. Asserts that they are correct and in range,
    /// and an error exactly if there is no inverse.
    fn check(&self, a: &BigUint) -> [Result<Inverse, InversionError>; 2] {
        let residues = Residues::from_uint(&self.base, &boxed(a)).unwrap();
        let results = [
            self.btmi.invert_vartime(&Plain, &residues),
            self.bmi.invert_vartime(&Plain, &residues),
        ];
        for result in &results {
            match result {
                Ok(inverse) => {
                    let s = big(&inverse.value.to_uint());
                    assert!(s < &self.p * 2u8, "{a} mod {}", self.p);
                    assert_eq!(s * a % &self.p, BigUint::from(1u8), "{a} mod {}", self.p);
                }
                Err(error) => {
                    assert_eq!(error, &InversionError::NotInvertible);
                    assert_ne!(a.gcd(&self.p), BigUint::from(1u8), "{a} mod {}", self.p);
                }
            }
        }
        results
    }
}

#[test]
fn golden_vectors() {
    let vectors: Vectors = vectors("inversion");
    for prime in vectors.primes.values() {
        let p = hex(&prime.p);
        let base = inversion::base(&boxed(&p), 31).unwrap();
        let both = Both {
            btmi: BinaryTernaryInversion::with_kept_bits(&base, &boxed(&p), 6).unwrap(),
            ..Both::new(&p, base)
        };
        for case in &prime.cases {
            let results = both.check(&hex(&case.a));
            for (result, expected) in results.into_iter().zip([&case.btmi, &case.bmi]) {
                let inverse = result.unwrap();
                assert_eq!(big(&inverse.value.to_uint()), hex(&expected.s));
                let loops = (inverse.outer_loops, inverse.inner_loops);
                assert_eq!(loops, (expected.outer, expected.inner), "{}", case.a);
            }
        }
    }
}

#[test]
fn a_in_1_2_3_4_6_12_and_next_to_p_and_half_p() {
    for p in primes() {
        for width in [24, 66] {
            let both = Both::new(&p, inversion::base(&boxed(&p), width).unwrap());
            for a in [1u8, 2, 3, 4, 6, 12] {
                assert!(both.check(&BigUint::from(a)).iter().all(Result::is_ok));
                assert!(both.check(&(&p - a)).iter().all(Result::is_ok));
            }
            for a in [
                &p / 2u8,
                &p / 2u8 + 1u8,
                &p / 3u8,
                &p / 3u8 + 1u8,
                &p / 12u8,
            ] {
                assert!(both.check(&a).iter().all(Result::is_ok));
            }
        }
    }
}

#[test]
fn every_small_inverse_for_2_255_minus_19_and_p_224() {
    // P = 1 mod 4: the printed update3_4 fails for nearly all of these.
    for p in [two_to(255) - 19u8, two_to(224) - two_to(96) + 1u8] {
        let both = Both::new(&p, inversion::base(&boxed(&p), 31).unwrap());
        for a in 1u32..=1022 {
            assert!(both.check(&BigUint::from(a)).iter().all(Result::is_ok));
        }
    }
}

#[test]
fn a_0_and_a_shared_factor_give_an_error_not_a_loop() {
    for p in primes() {
        let both = Both::new(&p, inversion::base(&boxed(&p), 31).unwrap());
        assert!(both.check(&BigUint::ZERO).iter().all(Result::is_err));
    }
    let mut random = Random::new(1);
    let factors = [
        two_to(61) - 1u8,
        two_to(89) - 1u8,
        BigUint::from(5u8),
        BigUint::from(7u8),
    ];
    let p: BigUint = factors.iter().product();
    let both = Both::new(&p, inversion::base(&boxed(&p), 31).unwrap());
    for factor in &factors {
        for a in [
            factor.clone(),
            &p - factor,
            factor * random.below(&(&p / factor)),
        ] {
            assert!(both.check(&a).iter().all(Result::is_err));
        }
    }
}

#[test]
fn every_inverse_on_tiny_bases() {
    for moduli in [
        &[31, 29, 25][..],
        &[61, 59, 55],
        &[251, 247],
        &[127, 125, 121, 113],
    ] {
        let base = Base::new(moduli).unwrap();
        for p in 3u32..150 {
            let p_big = BoxedUint::from(p);
            let btmi = BinaryTernaryInversion::new(&base, &p_big).ok();
            let bmi = BinaryInversion::new(&base, &p_big).ok();
            assert_eq!(btmi.is_some(), p.gcd(&6) == 1, "{p}");
            assert_eq!(bmi.is_some(), p % 2 == 1, "{p}");
            for a in 0..p {
                let residues = Residues::reduced(&base, &BoxedUint::from(a));
                let mut results = vec![];
                results.extend(btmi.as_ref().map(|i| i.invert_vartime(&Plain, &residues)));
                results.extend(bmi.as_ref().map(|i| i.invert_vartime(&Plain, &residues)));
                for result in results {
                    assert_eq!(result.is_ok(), a.gcd(&p) == 1, "{a} mod {p}");
                    if let Ok(inverse) = result {
                        let s = u32::try_from(big(&inverse.value.to_uint())).unwrap();
                        assert!(s < 2 * p && s * a % p == 1, "{a} mod {p} gave {s}");
                    }
                }
            }
        }
    }
}

/// Checks `count` random inverses for each prime by BTMI and BMI, and `fermat` by Fermat's theorem.
fn random_inverses(count: u32, fermat: u32) {
    let mut random = Random::new(2);
    for p in primes() {
        let both = Both::new(&p, inversion::base(&boxed(&p), 31).unwrap());
        for _ in 0..count {
            let a = random.below(&p);
            assert!(both.check(&a).iter().all(Result::is_ok));
        }
        let (a, b) = bases(&boxed(&p), 62, 1).unwrap();
        let field = Montgomery::kawamura(&boxed(&p), &a, &b).unwrap();
        for _ in 0..fermat {
            let x = random.below(&p);
            let element = field.element(&Plain, &boxed(&x));
            let inverse = field.invert(&Plain, &element).unwrap();
            assert_eq!(
                big(&field.to_uint(&Plain, &inverse)) * x % &p,
                BigUint::from(1u8)
            );
        }
    }
}

#[test]
fn random_inverses_for_seven_primes() {
    random_inverses(200, 10);
}

#[test]
#[ignore = "long: run by make test-long"]
fn twenty_thousand_inverses_for_seven_primes() {
    random_inverses(20_000, 20_000);
}

#[test]
fn integers_of_any_size() {
    let p = two_to(127) - 1u8;
    let both = Both::new(&p, inversion::base(&boxed(&p), 31).unwrap());
    let mut random = Random::new(3);
    for a in [
        &p + 5u8,
        random.below(&two_to(1000)),
        random.below(&p),
        BigUint::from(3u8),
    ] {
        let expected = a.modinv(&p).unwrap();
        let a = boxed(&a);
        assert_eq!(
            big(&both.btmi.invert_uint_vartime(&Plain, &a).unwrap()),
            expected
        );
        assert_eq!(
            big(&both.bmi.invert_uint_vartime(&Plain, &a).unwrap()),
            expected
        );
    }
    let multiple = boxed(&(&p * 7u8));
    let error = both
        .btmi
        .invert_uint_vartime(&Plain, &multiple)
        .unwrap_err();
    assert_eq!(error, InversionError::NotInvertible);
}

#[test]
fn fermat_inverts_and_refuses() {
    let mut random = Random::new(4);
    for p in primes() {
        let (a, b) = bases(&boxed(&p), 62, 2).unwrap();
        let field = Montgomery::hierarchical(&boxed(&p), &a, &b, 2).unwrap();
        let refused = field.invert(&Plain, &field.zero()).unwrap_err();
        assert_eq!(refused, InversionError::NotInvertible);
        for x in [
            1u8.into(),
            2u8.into(),
            3u8.into(),
            &p - 1u8,
            &p - 2u8,
            random.below(&p),
        ] {
            let inverse = field
                .invert(&Plain, &field.element(&Plain, &boxed(&x)))
                .unwrap();
            assert_eq!(big(&field.to_uint(&Plain, &inverse)), x.modinv(&p).unwrap());
        }
    }
    // For a composite P, no wrong result is returned.
    let composite = BoxedUint::from(7u64 * 11 * 13 * 17 * 19);
    let (a, b) = bases(&composite, 31, 1).unwrap();
    let field = Montgomery::kawamura(&composite, &a, &b).unwrap();
    for x in [0u64, 2, 3, 7, 77] {
        assert!(
            field
                .invert(&Plain, &field.element(&Plain, &BoxedUint::from(x)))
                .is_err()
        );
    }
}

#[test]
fn every_inverse_by_fermat_on_tiny_bases() {
    let (a, b) = (
        Base::new(&[255, 253]).unwrap(),
        Base::new(&[256, 251]).unwrap(),
    );
    for p in (3u32..150).filter(|p| p.gcd(&(255 * 253 * 256 * 251)) == 1) {
        let field = Montgomery::kawamura(&BoxedUint::from(p), &a, &b).unwrap();
        let is_prime = (2..p).all(|d| p % d != 0);
        for x in 0..p {
            match field.invert(&Plain, &field.element(&Plain, &BoxedUint::from(x))) {
                Ok(inverse) => {
                    let inverse = field.to_uint(&Plain, &inverse);
                    let inverse = u32::try_from(big(&inverse)).unwrap();
                    assert!(inverse < p && inverse * x % p == 1, "{x} mod {p}");
                }
                Err(error) => {
                    assert_eq!(error, InversionError::NotInvertible);
                    assert!(!is_prime || x == 0, "{x} mod {p}");
                }
            }
        }
    }
}

#[test]
fn conditions_that_fail_are_refused_by_name() {
    let base = Base::new(&[31, 29, 25]).unwrap();
    let new = |base: &Base, p: u64| {
        BinaryTernaryInversion::new(base, &BoxedUint::from(p))
            .map(|_| ())
            .unwrap_err()
    };
    for p in [0, 1, 2, 4, 9, 14, 15] {
        assert_eq!(new(&base, p), InversionError::Prime { divisors: 12 });
    }
    assert!(BinaryInversion::new(&base, &BoxedUint::from(9u8)).is_ok());
    // M = 22475 > 26P holds up to 864.
    assert!(BinaryTernaryInversion::new(&base, &BoxedUint::from(863u32)).is_ok());
    assert_eq!(
        new(&base, 865),
        InversionError::Range {
            m_bits: 15,
            p_bits: 10
        }
    );
    let with_3 = Base::new(&[31, 29, 27]).unwrap();
    assert_eq!(
        new(&with_3, 7),
        InversionError::Modulus {
            modulus: 27,
            divisors: 12
        }
    );
    assert!(BinaryInversion::new(&with_3, &BoxedUint::from(7u8)).is_ok());
    let with_2 = Base::new(&[31, 29, 32]).unwrap();
    assert_eq!(
        new(&with_2, 7),
        InversionError::Modulus {
            modulus: 32,
            divisors: 12
        }
    );
    // With moduli far from a power of two, no Cox is exact.
    let far = Base::new(&[17, 19, 23, 25, 29]).unwrap();
    let error = new(&far, 7);
    assert!(
        matches!(error, InversionError::CoxPrecision { needed: None, .. }),
        "{error}"
    );
    let error = BinaryInversion::with_kept_bits(&base, &BoxedUint::from(7u8), 1).unwrap_err();
    assert!(matches!(
        error,
        InversionError::CoxPrecision {
            kept: 1,
            needed: Some(_),
            ..
        }
    ));
    assert!(matches!(
        BinaryInversion::with_kept_bits(&base, &BoxedUint::from(7u8), 0).unwrap_err(),
        InversionError::Cox(_)
    ));
    // Operands that are not below P, or in another base.
    let inversion = BinaryTernaryInversion::new(&base, &BoxedUint::from(7u8)).unwrap();
    for wrong in [
        Residues::reduced(&base, &BoxedUint::from(7u8)),
        Residues::reduced(&with_3, &BoxedUint::from(3u8)),
    ] {
        let error = inversion.invert_vartime(&Plain, &wrong).unwrap_err();
        assert_eq!(error, InversionError::Operand);
    }
}

/// The average cost of an algorithm on random operands.
#[derive(Default)]
struct Average {
    outer: f64,
    inner: f64,
    emm: f64,
    ema: f64,
    longest: f64,
}

fn average(
    p: &BigUint,
    count: u32,
    mut invert: impl FnMut(&BigUint) -> (Inverse, Counts),
) -> Average {
    let mut random = Random::new(5);
    let mut sum = Average::default();
    for _ in 0..count {
        let (inverse, counts) = invert(&random.below(p));
        let n = inverse.value.values().len() as f64;
        let l = p.bits() as f64;
        sum.outer += f64::from(inverse.outer_loops) / l;
        sum.inner += f64::from(inverse.inner_loops);
        sum.emm += counts.emm as f64 / (n * l);
        sum.ema += counts.ema as f64 / (n * l);
        sum.longest = sum.longest.max(f64::from(inverse.outer_loops) / l);
    }
    let loops = sum.outer * p.bits() as f64;
    Average {
        outer: sum.outer / f64::from(count),
        inner: sum.inner / loops,
        emm: sum.emm / f64::from(count),
        ema: sum.ema / f64::from(count),
        longest: sum.longest,
    }
}

/// Asserts that a value is within 2% of an interval that was measured before.
fn assert_near(what: &str, value: f64, low: f64, high: f64) {
    assert!(
        (low * 0.98..=high * 1.02).contains(&value),
        "{what}: {value}, not {low} to {high}"
    );
}

#[test]
fn counts_equal_the_papers_and_the_measured_ones() {
    for p in primes() {
        let base = inversion::base(&boxed(&p), 31).unwrap();
        let both = Both::new(&p, base.clone());
        let channel = Counting::default();
        let residues = |a: &BigUint| Residues::from_uint(&base, &boxed(a)).unwrap();
        let btmi = average(&p, 100, |a| {
            let inverse = both.btmi.invert_vartime(&channel, &residues(a)).unwrap();
            (inverse, channel.take())
        });
        assert_near("BTMI outer / l", btmi.outer, 0.466, 0.470);
        assert_near("BTMI inner / outer", btmi.inner, 0.743, 0.746);
        assert_near("BTMI EMM / nl", btmi.emm, 1.627, 1.637);
        assert_near("BTMI EMA / nl", btmi.ema, 2.559, 2.576);
        assert!(btmi.longest < 0.562 * 1.02);
        let bmi = average(&p, 100, |a| {
            let inverse = both.bmi.invert_vartime(&channel, &residues(a)).unwrap();
            (inverse, channel.take())
        });
        assert_near("BMI outer / l", bmi.outer, 0.713, 0.717);
        assert_near("BMI inner / outer", bmi.inner, 0.666, 0.668);
        assert_near("BMI EMM / nl", bmi.emm, 2.374, 2.389);
        assert_near("BMI EMA / nl", bmi.ema, 3.80, 3.82);
        assert!(bmi.longest < 0.848 * 1.02);
    }
}

/// For P-256 with the fewest moduli of 24 bits (n = 11), compares the baseline of the paper, a
/// power by the binary method with the exponent `P - 2`, with fixed windows and with BTMI.
#[test]
fn the_fermat_baseline_for_p256_takes_383_products() {
    let p = two_to(256) - two_to(224) + two_to(192) + two_to(96) - 1u8;
    let exponent = &p - 2u8;
    let (a, b) = bases(&boxed(&p), 24, 1).unwrap();
    let field = Montgomery::kawamura(&boxed(&p), &a, &b).unwrap();
    let n = a.len() as u64;
    assert_eq!((n, b.len() as u64), (11, 11));
    let x = Random::new(6).below(&p);

    let channel = Counting::default();
    let element = field.element(&channel, &boxed(&x));
    let mut power = element.clone();
    for i in (0..exponent.bits() - 1).rev() {
        power = field.mul(&channel, &power, &power);
        if exponent.bit(i) {
            power = field.mul(&channel, &power, &element);
        }
    }
    let counts = channel.take();
    let inverse = big(&field.to_uint(&Plain, &power));
    assert_eq!(inverse, x.modinv(&p).unwrap());
    // Each product takes 2n EMM, and with those by constants 2n^2 + 7n channel products.
    assert_eq!(counts.emm, 383 * 2 * n);
    let baseline = counts.emm + counts.cmm;
    assert_eq!(baseline, 383 * (2 * n * n + 7 * n));

    // Windows of 4 bits: 256 + 64 + 14 products, and one to check the result.
    let ours = field.invert(&channel, &element).unwrap();
    assert_eq!(big(&field.to_uint(&Plain, &ours)), inverse);
    let counts = channel.take();
    assert_eq!(counts.emm, 335 * 2 * n);
    assert!(counts.emm + counts.cmm < baseline);

    let base = inversion::base(&boxed(&p), 24).unwrap();
    assert_eq!(base.len() as u64, n);
    let btmi = BinaryTernaryInversion::new(&base, &boxed(&p)).unwrap();
    let residues = Residues::from_uint(&base, &boxed(&x)).unwrap();
    let result = btmi.invert_vartime(&channel, &residues).unwrap();
    assert_eq!(big(&result.value.to_uint()) % &p, inverse);
    let ratio = baseline as f64 / channel.take().emm as f64;
    assert!((24.0..29.0).contains(&ratio), "{ratio}");
}

#[test]
fn costs_of_a_loop_are_exact() {
    let p = two_to(255) - 19u8;
    let base = inversion::base(&boxed(&p), 31).unwrap();
    let n = base.len() as u64;
    let both = Both::new(&p, base.clone());
    let channel = Counting::default();
    for a in [1u32, 2, 5, 1_000_003] {
        let residues = Residues::reduced(&base, &BoxedUint::from(a));
        for ternary in [true, false] {
            let result = if ternary {
                both.btmi.invert_vartime(&channel, &residues)
            } else {
                both.bmi.invert_vartime(&channel, &residues)
            };
            let (inverse, counts) = (result.unwrap(), channel.take());
            let [outer, inner] = [inverse.outer_loops, inverse.inner_loops].map(u64::from);
            // n EMM and n EMA to enter the affine form, n EMM and 2n EMA to leave it.
            assert_eq!(counts.emm, n * (2 * outer + 2 * inner + 2));
            assert_eq!(counts.ema, n * (4 * outer + 2 * inner + 3));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 64 }))]
    #[test]
    fn inverses_modulo_any_number_coprime_to_6(
        bytes in prop::collection::vec(any::<u8>(), 1..70),
        a in prop::collection::vec(any::<u8>(), 0..80),
        width in 24u32..=66,
    ) {
        let six = BigUint::from(6u8);
        let p = BigUint::from_bytes_le(&bytes) * &six + 5u8;
        let base = inversion::base(&boxed(&p), width).unwrap();
        let _ = Both::new(&p, base).check(&(BigUint::from_bytes_le(&a) % &p));
    }
}

/// The integer `X` with these residues of `X + P`, as a sign and a magnitude.
fn signed(x: &Residues, p: &BigUint) -> (bool, BigUint) {
    let x = big(&x.to_uint());
    if x < *p {
        (true, p - x)
    } else {
        (false, x - p)
    }
}

/// The steps of one inversion against integers: invariants, bounds and small residues.
fn check_trace(trace: &Trace, a: &BigUint, p: &BigUint, k: u32) {
    let modulo_p = |(negative, x): &(bool, BigUint)| {
        let x = x % p;
        if *negative { (p - x) % p } else { x }
    };
    let modulo_k = |(negative, x): &(bool, BigUint)| {
        let x = u32::try_from(x % k).unwrap();
        if *negative { (k - x) % k } else { x }
    };
    for (number, step) in trace.steps.iter().enumerate() {
        let remainders = step.remainders.each_ref().map(|x| signed(x, p));
        let cofactors = step.cofactors.each_ref().map(|x| signed(x, p));
        for (remainder, cofactor) in remainders.iter().zip(&cofactors) {
            assert_eq!(modulo_p(cofactor) * a % p, modulo_p(remainder));
        }
        assert_eq!(step.small, remainders.each_ref().map(modulo_k));
        // |V3| <= P 2^-v: with half bits, V3^2 2^(2 v) <= P^2.
        for ((_, remainder), half_bits) in remainders.iter().zip(step.half_bits) {
            assert!((remainder * remainder) << half_bits <= p * p);
        }
        assert_eq!(number == 0, step.operation == Operation::Start);
    }
    let count = |wanted: fn(&Operation) -> bool| {
        let steps = trace.steps.iter();
        steps.filter(|step| wanted(&step.operation)).count() as u32
    };
    let outer = count(|operation| matches!(operation, Operation::Combine { .. }));
    let inner = count(|operation| matches!(operation, Operation::Divide { .. }));
    assert_eq!((outer + inner) as usize + 1, trace.steps.len());
    if let Ok(inverse) = &trace.result {
        assert_eq!((outer, inner), (inverse.outer_loops, inverse.inner_loops));
    }
}

#[test]
fn traces_keep_the_invariants_and_end_as_the_inversion_does() {
    let mut numbers = vec![(BigUint::from(1009u32), 1..200u32)];
    numbers.push((BigUint::from(1001u32), 1..200));
    numbers.extend(primes().into_iter().map(|p| (p, 1..4)));
    for (p, seeds) in numbers {
        let base = inversion::base(&boxed(&p), 24).unwrap();
        let btmi = BinaryTernaryInversion::new(&base, &boxed(&p)).unwrap();
        let bmi = BinaryInversion::new(&base, &boxed(&p)).unwrap();
        for seed in seeds {
            let a = BigUint::from(seed).pow(200) % &p;
            let residues = Residues::reduced(&base, &boxed(&a));
            let trace = btmi.trace_vartime(&Plain, &residues).unwrap();
            assert_eq!(trace.result, btmi.invert_vartime(&Plain, &residues));
            assert_eq!(trace.result.is_ok(), a.gcd(&p) == BigUint::from(1u8));
            check_trace(&trace, &a, &p, 12);
            let trace = bmi.trace_vartime(&Plain, &residues).unwrap();
            assert_eq!(trace.result, bmi.invert_vartime(&Plain, &residues));
            check_trace(&trace, &a, &p, 4);
        }
        let above = Residues::reduced(&base, &boxed(&(&p + 1u8)));
        assert_eq!(
            btmi.trace_vartime(&Plain, &above),
            Err(InversionError::Operand)
        );
    }
}
