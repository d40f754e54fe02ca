//! Formulas and other operations beside those of big integers, on numbers at their bounds.

use num_bigint::BigInt;
use proptest::prelude::*;
use zeroize::Zeroizing;

use super::{
    P256, P25519, Secp256k1,
    instructions::{Instructions, PrimeNumber},
    integers::{entered, integer},
    number::{Number, Scalars},
    prime::{LIMBS, Limbs, Prime},
};
use crate::{
    program::formulas::{Formula, edwards, ladder, weierstrass},
    testing::formulas,
    words::rows::Plain,
};

/// The sum of the limbs times their weights.
fn value<F: Prime>(limbs: &Limbs) -> BigInt {
    let limbs = limbs.iter().rev();
    limbs.fold(BigInt::ZERO, |sum, &limb| (sum << F::BITS) + limb)
}

/// The residue that a number stands for.
fn residue<F: Prime>(limbs: &Limbs) -> BigInt {
    value::<F>(limbs) % value::<F>(&F::P)
}

fn factor<F: Prime>() -> BigInt {
    BigInt::from(1) << F::FACTOR_BITS
}

/// Compares a formula with that on integers. The bounds of its numbers are asserted on the way; they do not depend on the
/// limbs, so that one run proves them for all.
fn check<F: Prime, M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
    numbers: &[Limbs],
    _: core::marker::PhantomData<(F, M)>,
) {
    let inputs: [Limbs; IN] = core::array::from_fn(|k| numbers[k % numbers.len()]);
    for digit in [0, 1] {
        let tight = inputs.map(|limbs| Number::new(limbs, F::TIGHT));
        let outputs = M::compute(&mut Scalars::<F>::new(digit), tight);
        let integers = inputs.map(|limbs| value::<F>(&limbs));
        let p = value::<F>(&F::P);
        let right = formulas::outputs::<M, _, _>(&p, &factor::<F>(), digit == 1, integers);
        for (output, right) in outputs.into_iter().zip(right) {
            let kept = Scalars::<F>::tight(output);
            assert_eq!(residue::<F>(&kept.limbs), right, "{}", M::SEGMENT);
        }
    }
}

/// [`check`] for some formulas modulo a prime.
macro_rules! check_all {
    ($numbers:expr, $prime:ty: $($formula:ty),* $(,)?) => {
        $(check($numbers, core::marker::PhantomData::<($prime, $formula)>);)*
    };
}

/// Compares operations of instructions with those on integers.
fn check_operations<F: Prime>(instructions: impl Instructions, numbers: &[Limbs]) {
    let p = value::<F>(&F::P);
    let inverse = factor::<F>().modinv(&p).unwrap();
    let kept: Vec<PrimeNumber> = numbers.iter().copied().map(Zeroizing::new).collect();
    let modulo = |x: BigInt| ((x % &p) + &p) % &p;
    for count in 1..2 * F::AT_ONCE + 2 {
        // All factors are 1024 in sum.
        let largest = 1025 - i32::try_from(count).unwrap();
        for signs in [0, usize::MAX, 0b1010_0101] {
            let (mut terms, mut multiples) = (Vec::new(), Vec::new());
            let (mut products, mut sum) = (BigInt::ZERO, BigInt::ZERO);
            for term in 0..count {
                let negative = signs >> term & 1 == 1;
                let sign = if negative { -1 } else { 1 };
                let (x, y) = (term % kept.len(), (term + 1) % kept.len());
                terms.push((negative, &kept[x], &kept[y]));
                products += value::<F>(&kept[x]) * value::<F>(&kept[y]) * sign;
                let factor = if term == 0 { largest } else { 1 };
                multiples.push((sign * factor, &kept[x]));
                sum += value::<F>(&kept[x]) * sign * factor;
            }
            let out = instructions.sum_of_products::<F>(&terms);
            assert_eq!(residue::<F>(&out), modulo(products * &inverse));
            let out = instructions.combine::<F>(&multiples);
            assert_eq!(residue::<F>(&out), modulo(sum));
        }
    }
    for x in &kept {
        let mut square = x.clone();
        instructions.square_times::<F>(&mut square, 2);
        let right = modulo(value::<F>(x).pow(4) * &inverse * &inverse * &inverse);
        assert_eq!(residue::<F>(&square), right);
        // It leaves as the integer that it stands for, and enters as the same.
        let canonical = integer::<F>(x);
        let bytes = canonical.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.collect();
        let left = BigInt::from_bytes_le(num_bigint::Sign::Plus, &bytes);
        assert_eq!(left, residue::<F>(x));
        assert_eq!(value::<F>(&entered::<F>(&canonical[..])), left);
        let all_ones = entered::<F>(&canonical.map(|_| crypto_bigint::Word::MAX));
        assert_eq!(residue::<F>(&all_ones), ((BigInt::from(1) << 256) - 1) % &p);
    }
    // The largest limbs that carries take.
    let carried = F::carry([1 << 62; LIMBS]);
    Number::new(carried, F::TIGHT);
    assert_eq!(residue::<F>(&carried), residue::<F>(&[1 << 62; LIMBS]));
    // The largest columns.
    let limb = F::LARGEST_FACTOR;
    let (limbs, weight) = ([limb; LIMBS], u128::from(limb) * u128::from(limb));
    assert_eq!(weight, F::CAPACITY);
    let reduced = F::reduce(F::square(&limbs));
    let highest = u128::from(limb + (limb >> F::BITS) + 1);
    Number::new(reduced, F::reduced(highest * highest));
    let square = value::<F>(&limbs).pow(2);
    assert_eq!(residue::<F>(&reduced), modulo(square * inverse));
}

fn with_all_instructions<F: Prime>(numbers: &[Limbs]) {
    check_operations::<F>(Plain, numbers);
    #[cfg(target_arch = "x86_64")]
    if let Some(instructions) = crate::words::rows::TwoCarries::detect() {
        check_operations::<F>(instructions, numbers);
    }
}

/// Checks all formulas of all primes, for these limbs, with larger ones cut.
fn check_primes(limbs: &[Limbs]) {
    fn numbers<F: Prime>(limbs: &[Limbs]) -> Vec<Limbs> {
        let number = |limbs: &Limbs| {
            let mut number = limbs.map(|limb| limb.min(F::TIGHT.limb));
            number[LIMBS - 1] = limbs[LIMBS - 1].min(F::TIGHT.top);
            number
        };
        limbs.iter().map(number).collect()
    }
    let some = numbers::<P25519>(limbs);
    with_all_instructions::<P25519>(&some);
    check_all!(
        &some, P25519:
        edwards::Double<true>,
        edwards::DoubleWithT<true>,
        edwards::Add<true>,
        edwards::AddWithT<true>,
        edwards::AddAffine<true>,
        edwards::AddAffineWithT<true>,
        ladder::Step<121_665>,
    );
    let some = numbers::<P256>(limbs);
    with_all_instructions::<P256>(&some);
    check_all!(
        &some, P256:
        weierstrass::DoubleJacobian<true>,
        weierstrass::FromJacobian,
        weierstrass::AddJacobian,
        weierstrass::AddAffineJacobian,
        weierstrass::AddMinusThree,
        weierstrass::AddAffineMinusThree,
    );
    let some = numbers::<Secp256k1>(limbs);
    with_all_instructions::<Secp256k1>(&some);
    check_all!(
        &some, Secp256k1:
        weierstrass::DoubleJacobian<false>,
        weierstrass::FromJacobian,
        weierstrass::AddAffineJacobian,
        weierstrass::AddZero<21>,
        weierstrass::AddAffineZero<21>,
    );
}

#[test]
fn extreme_numbers() {
    const ALL: u64 = u64::MAX;
    check_primes(&[[ALL; LIMBS]]);
    check_primes(&[[0; LIMBS]]);
    check_primes(&[[ALL; LIMBS], [0; LIMBS]]);
    check_primes(&[[ALL, 0, ALL, 0, ALL], [0, ALL, 0, ALL, 0], [1, 0, 0, 0, 0]]);
    check_primes(&[P25519::P, P256::P, Secp256k1::P]);
    // Borrows through all limbs, with bits above the prime's length.
    check_primes(&[[0, 0, 0, 0, ALL], [ALL, 0, 0, 0, 0], [0, 0, 0, 1, 1 << 48]]);
}

proptest! {
    #[test]
    fn random_numbers(limbs in prop::collection::vec(prop::array::uniform5(0u64..1 << 52), 8)) {
        check_primes(&limbs);
    }
}
