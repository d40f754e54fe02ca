//! Formulas and other operations beside those of big integers, on numbers at their bounds.

use num_bigint::BigInt;
use proptest::prelude::*;
use zeroize::Zeroizing;

use super::{
    P256, P25519, Secp256k1,
    arithmetic::{Arithmetic, Compiled, Kept},
    choice::Choice,
    five_limbs::FiveLimbs,
    instructions::Instructions,
    number::Number,
    prime::{LIMBS, Limbs, Prime},
};
use crate::{
    program::{
        Register, Span,
        formulas::{Formula, edwards, ladder, weierstrass},
    },
    testing::formulas,
    words::rows::Plain,
};

/// Arithmetic whose numbers the tests know the values of.
trait Known: Arithmetic {
    /// The bits between the weights of two words of a number.
    const BITS: u32;

    /// The kept number with these words, cut where they are too large.
    fn cut(words: &Limbs) -> Self::Number;

    /// The sum of the words times their weights.
    fn value(number: &Self::Number) -> BigInt {
        let words = number.as_ref().iter().rev();
        words.fold(BigInt::ZERO, |sum, &word| (sum << Self::BITS) + word)
    }

    /// The residue that a number stands for.
    fn residue(number: &Self::Number) -> BigInt {
        Self::value(number) % prime::<Self::Prime>()
    }

    fn factor() -> BigInt {
        BigInt::from(1) << Self::FACTOR_BITS
    }
}

impl<F: Compiled, I: Instructions> Known for FiveLimbs<F, I> {
    const BITS: u32 = F::BITS;

    fn cut(words: &Limbs) -> Limbs {
        let mut number = words.map(|limb| limb.min(F::TIGHT.limb));
        number[LIMBS - 1] = words[LIMBS - 1].min(F::TIGHT.top);
        number
    }
}

#[cfg(target_arch = "x86_64")]
impl<F: Compiled + super::four_words::InFourWords> Known for super::four_words::FourWords<F> {
    const BITS: u32 = 64;

    /// Limbs of 52 bits leave no upper half empty.
    fn cut(words: &Limbs) -> crate::words::wide::Words {
        let [.., top] = *words;
        F::entered(core::array::from_fn(|k| {
            if words[k] == u64::MAX {
                u64::MAX
            } else {
                words[k] ^ top << 12
            }
        }))
    }
}

fn prime<F: Prime>() -> BigInt {
    let limbs = F::P.iter().rev();
    limbs.fold(BigInt::ZERO, |sum, &limb| (sum << F::BITS) + limb)
}

/// Compares a formula with that on integers. In five limbs the bounds of its numbers are asserted on the way; they do not
/// depend on the limbs, so that one run proves them for all.
fn check<A: Known, M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
    arithmetic: A,
    numbers: &[A::Number],
    _: core::marker::PhantomData<M>,
) {
    let register = |index: usize| Register::new(index as u32);
    let span = |times| Span {
        segment: M::SEGMENT,
        times,
        steps: 0..0,
        digit: None,
        inputs: (0..IN).map(register).collect(),
        outputs: (IN..IN + OUT).map(register).map(Some).collect(),
    };
    for (times, digits) in [(1, 0), (1, 1), (3, 0b010), (3, 0b101)] {
        let kept = (0..IN + OUT).map(|k| Zeroizing::new(numbers[k % numbers.len()]));
        let mut registers: Vec<Kept<A>> = kept.collect();
        arithmetic.run_formula::<M, IN, OUT>(&mut registers, &span(times), digits);
        let integers = core::array::from_fn(|k| A::value(&registers[k]));
        let p = prime::<A::Prime>();
        let how = (times, digits);
        let right = formulas::outputs::<M, _, _>(&p, &A::factor(), how, integers);
        for (output, right) in registers[IN..].iter().zip(right) {
            assert!(A::is_kept(output));
            assert_eq!(A::residue(output), right, "{}", M::SEGMENT);
        }
    }
}

/// [`check`] for some formulas.
macro_rules! check_all {
    ($arithmetic:expr, $numbers:expr, [$($formula:ty),* $(,)?]) => {
        $(check($arithmetic, $numbers, core::marker::PhantomData::<$formula>);)*
    };
}

/// Compares operations with those on integers.
fn check_operations<A: Known>(arithmetic: A, numbers: &[A::Number]) {
    let p = prime::<A::Prime>();
    let inverse = A::factor().modinv(&p).unwrap();
    let kept: Vec<Kept<A>> = numbers.iter().copied().map(Zeroizing::new).collect();
    let modulo = |x: BigInt| ((x % &p) + &p) % &p;
    for count in 1..2 * A::Prime::AT_ONCE + 2 {
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
                products += A::value(&kept[x]) * A::value(&kept[y]) * sign;
                let factor = if term == 0 { largest } else { 1 };
                multiples.push((sign * factor, &kept[x]));
                sum += A::value(&kept[x]) * sign * factor;
            }
            let out = arithmetic.sum_of_products(&terms);
            assert_eq!(A::residue(&out), modulo(products * &inverse));
            let out = arithmetic.combine(&multiples);
            assert_eq!(A::residue(&out), modulo(sum));
        }
    }
    for (place, x) in kept.iter().enumerate() {
        let mut square = x.clone();
        arithmetic.square_times(&mut square, 2);
        let right = modulo(A::value(x).pow(4) * &inverse * &inverse * &inverse);
        assert_eq!(A::residue(&square), right);
        // It leaves as the integer that it stands for, and enters as the same.
        let canonical = A::integer(x);
        let bytes = canonical.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.collect();
        let left = BigInt::from_bytes_le(num_bigint::Sign::Plus, &bytes);
        assert_eq!(left, A::residue(x));
        assert_eq!(A::value(&A::entered(&canonical[..])), left);
        assert_eq!(A::value(&A::entered(&[5])), BigInt::from(5));
        let all_ones = A::entered(&canonical.map(|_| crypto_bigint::Word::MAX));
        assert_eq!(A::residue(&all_ones), ((BigInt::from(1) << 256) - 1) % &p);
        let selected = arithmetic.select(numbers, place as u64);
        assert_eq!(selected.as_ref(), x.as_ref());
    }
}

/// The largest limbs that carries take, and the largest columns.
fn check_bounds<F: Compiled>() {
    type Limbed<F> = FiveLimbs<F, Plain>;
    let carried = F::carry([1 << 62; LIMBS]);
    Number::new(carried, F::TIGHT);
    let residue = Limbed::<F>::residue;
    assert_eq!(residue(&carried), residue(&[1 << 62; LIMBS]));
    let limb = F::LARGEST_FACTOR;
    let (limbs, weight) = ([limb; LIMBS], u128::from(limb) * u128::from(limb));
    assert_eq!(weight, F::CAPACITY);
    let reduced = F::reduce(F::square(&limbs));
    let highest = u128::from(limb + (limb >> F::BITS) + 1);
    Number::new(reduced, F::reduced(highest * highest));
    let square = Limbed::<F>::value(&limbs).pow(2);
    let times_factor = Limbed::<F>::value(&reduced) * Limbed::<F>::factor();
    assert_eq!(times_factor % prime::<F>(), square % prime::<F>());
}

/// Checks the operations and the formulas of a prime, for these words.
macro_rules! check_prime {
    ($arithmetic:expr, $words:expr, $formulas:tt) => {{
        fn cut<A: Known>(_: A, words: &[Limbs]) -> Vec<A::Number> {
            words.iter().map(A::cut).collect()
        }
        let arithmetic = $arithmetic;
        let numbers = cut(arithmetic, $words);
        check_operations(arithmetic, &numbers);
        check_all!(arithmetic, &numbers, $formulas);
    }};
}

/// Checks all primes with these instructions.
fn check_with<I: Choice>(instructions: I, words: &[Limbs])
where
    I::P25519: Known,
    I::P256: Known,
    I::Secp256k1: Known,
{
    check_prime!(
        I::P25519::from(instructions),
        words,
        [
            edwards::Double<true>,
            edwards::DoubleWithT<true>,
            edwards::Add<true>,
            edwards::AddWithT<true>,
            edwards::AddAffine<true>,
            edwards::AddAffineWithT<true>,
            ladder::Step<121_665>,
        ]
    );
    check_prime!(
        I::P256::from(instructions),
        words,
        [
            weierstrass::DoubleJacobian<true>,
            weierstrass::FromJacobian,
            weierstrass::AddJacobian,
            weierstrass::AddAffineJacobian,
            weierstrass::AddMinusThree,
            weierstrass::AddAffineMinusThree,
        ]
    );
    check_prime!(
        I::Secp256k1::from(instructions),
        words,
        [
            weierstrass::DoubleJacobian<false>,
            weierstrass::FromJacobian,
            weierstrass::AddAffineJacobian,
            weierstrass::Rescale,
            weierstrass::AddZero<21>,
            weierstrass::AddAffineZero<21>,
        ]
    );
}

/// Checks all primes with all instructions of this processor.
fn check_primes(words: &[Limbs]) {
    check_with(Plain, words);
    #[cfg(target_arch = "x86_64")]
    match crate::words::two_carries::TwoCarries::detect() {
        Some(instructions) => check_with(instructions, words),
        None => println!("SKIPPED: the processor lacks BMI2 or ADX, or they are beyond the limit"),
    }
}

#[test]
fn bounds() {
    check_bounds::<P25519>();
    check_bounds::<P256>();
    check_bounds::<Secp256k1>();
}

/// Products, squares, sums, differences and multiples of all numbers with words at an end of their range.
#[cfg(target_arch = "x86_64")]
#[test]
fn four_words_at_their_ends() {
    use super::{
        four_words::{FourWords, InFourWords},
        prime::PseudoMersenne,
    };
    fn check<F: Compiled + InFourWords>(
        instructions: crate::words::two_carries::TwoCarries,
        ends: impl Fn(usize) -> [u64; 4],
    ) {
        let field = FourWords::<F>::from(instructions);
        let p = prime::<F>();
        let inverse = FourWords::<F>::factor().modinv(&p).unwrap();
        let number = |index: usize| core::array::from_fn(|k| ends(k)[index >> (2 * k) & 3]);
        let numbers: Vec<Kept<FourWords<F>>> = (0..256)
            .map(|index| Zeroizing::new(F::entered(number(index))))
            .collect();
        let values: Vec<BigInt> = (numbers.iter()).map(|x| FourWords::<F>::value(x)).collect();
        let is = |out: &[u64; 4], right: BigInt| {
            assert!(F::is_kept(out));
            assert_eq!(FourWords::<F>::residue(out), (right % &p + &p) % &p);
        };
        for (x, of_x) in numbers.iter().zip(&values) {
            for (y, of_y) in numbers.iter().zip(&values) {
                let out = field.sum_of_products(&[(false, x, y)]);
                is(&out, of_x * of_y * &inverse);
                let out = field.sum_of_products(&[(false, x, y), (true, y, y), (false, x, x)]);
                is(&out, (of_x * of_y - of_y * of_y + of_x * of_x) * &inverse);
                is(&field.combine(&[(1, x), (-1, y)]), of_x - of_y);
                is(&field.combine(&[(1, x), (1, y)]), of_x + of_y);
                is(
                    &field.combine(&[(1000, x), (24, y)]),
                    of_x * 1000 + of_y * 24,
                );
            }
            let mut square = **x;
            field.square_times(&mut square, 1);
            is(&square, of_x * of_x * &inverse);
        }
    }
    match crate::words::two_carries::TwoCarries::detect() {
        Some(instructions) => {
            check::<P25519>(instructions, |_| [0, 1, u64::MAX - P25519::REST, u64::MAX]);
            check::<Secp256k1>(instructions, |_| {
                [0, 1, u64::MAX - Secp256k1::REST, u64::MAX]
            });
            // The words of P, and those beside them.
            let p = [u64::MAX, 0xffff_ffff, 0, 0xffff_ffff_0000_0001];
            check::<P256>(instructions, |k| {
                [0, p[k].wrapping_sub(1), p[k], p[k].wrapping_add(1)]
            });
        }
        None => println!("SKIPPED: the processor lacks BMI2 or ADX, or they are beyond the limit"),
    }
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
