//! The code of formulas, on the instructions of this processor, beside big integers. It is part of the library, where that is
//! compiled for tests: unit tests compile the code of no formula.

use num_bigint::BigInt;
use smallvec::SmallVec;

use crate::{
    instructions::{Avx2, Avx512, AvxIfma, Ifma},
    limbs::{
        kernels::Kernels,
        numbers::{LimbNumbers, WIDTH},
        plan,
        segments::{with_formulas, word::Word},
    },
    program::{
        Register, Span,
        formulas::{
            Formula, LARGEST_UNFOLDED_WEIGHT, LARGEST_WEIGHT, Segment, edwards, ladder, weierstrass,
        },
    },
    row::Row,
    testing::{Random, formulas},
};

/// A limb up to `most`: often one of both ends, or with a long run of equal bits.
fn limb(random: &mut Random, most: u64) -> u64 {
    let any = random.next();
    match any & 7 {
        0 => 0,
        1 => most,
        2 => most >> (any >> 3 & 31),
        _ => ((u128::from(random.next()) * (u128::from(most) + 1)) >> 64) as u64,
    }
}

/// A formula on integers: modulo P, by what products are divided, how many times it is applied and the digits, and the inputs.
type Compute = fn(&BigInt, &BigInt, (u8, u64), Vec<BigInt>) -> Vec<BigInt>;

/// A formula, with what it is on integers.
struct OnIntegers {
    segment: Segment,
    inputs: usize,
    outputs: usize,
    compute: Compute,
}

fn on_integers<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>() -> OnIntegers {
    fn compute<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        p: &BigInt,
        factor: &BigInt,
        how: (u8, u64),
        inputs: Vec<BigInt>,
    ) -> Vec<BigInt> {
        let inputs: [BigInt; IN] = inputs.try_into().expect("a formula has its inputs");
        formulas::outputs::<M, _, _>(p, factor, how, inputs).into()
    }
    OnIntegers {
        segment: M::SEGMENT,
        inputs: IN,
        outputs: OUT,
        compute: compute::<M, _, _>,
    }
}

/// Runs the code of a formula until it has had `operands` numbers, and compares each output with that on integers.
fn check_code<S: Kernels>(
    set: S,
    (form, kind, count, bits): (&Form, plan::Form, usize, u32),
    operands: usize,
    formula: &OnIntegers,
) {
    let mut random = Random(1);
    let (ins, segment) = (formula.inputs, formula.segment);
    let named: Vec<_> = (0..(ins + formula.outputs) as u32)
        .map(Register::new)
        .collect();
    let span = |times| Span {
        segment,
        times,
        steps: 0..0,
        digit: None,
        inputs: SmallVec::from_slice(&named[..ins]),
        outputs: named[ins..].iter().copied().map(Some).collect(),
    };
    let most = largest_limbs(form, count, bits);
    let (p, factor) = (prime(form.name), montgomery_factor(form));
    for turn in 0..operands.div_ceil(ins * WIDTH) {
        let mut numbers: Vec<_> = named
            .iter()
            .map(|_| LimbNumbers {
                limbs: most
                    .iter()
                    .map(|&most| Row(core::array::from_fn(|_| limb(&mut random, most as u64))))
                    .collect(),
            })
            .collect();
        let times = if turn % 3 == 2 { 3 } else { 1 };
        let digits: [u64; WIDTH] =
            core::array::from_fn(|lane| (turn >> lane) as u64 & ((1 << times) - 1));
        let inputs: Vec<_> = (0..WIDTH)
            .map(|lane| lane_of(&numbers[..ins], lane, bits))
            .collect();
        assert!(set.run_segment(kind, &mut numbers, &span(times), Some(&digits)));
        for (lane, inputs) in inputs.into_iter().enumerate() {
            let right = (formula.compute)(&p, &factor, (times, digits[lane]), inputs.clone());
            let outputs = lane_of(&numbers[ins..], lane, bits);
            for (output, right) in outputs.iter().zip(right) {
                // Some formulas leave an input as it is.
                let fits = *output <= &p * form.largest_output || inputs.contains(output);
                assert!(fits, "{segment}");
                assert_eq!(output % &p, right, "{segment} in {}", S::NAME);
            }
        }
    }
}

/// The numbers of a lane.
fn lane_of(numbers: &[LimbNumbers], lane: usize, bits: u32) -> Vec<BigInt> {
    let number =
        |numbers: &LimbNumbers| integer_of(numbers.limbs.iter().map(|row| row[lane].into()), bits);
    numbers.iter().map(number).collect()
}

/// Checks the code of all formulas of a prime.
macro_rules! check_formulas {
    ($set:expr, $of:expr, $operands:expr, [$($formula:ty),* $(,)?]) => {
        $(check_code($set, $of, $operands, &on_integers::<$formula, _, _>());)*
    };
}

fn check_set<S: Kernels>(set: S, operands: usize) {
    let (whole, of48, of50) = (S::Word::BITS, S::Word48::BITS, S::Word50::BITS);
    let p25519 = (
        &form("P25519", 255, false),
        plan::Form::P25519,
        5,
        S::Word25519::BITS,
    );
    with_formulas!(P25519, check_formulas!(set, p25519, operands));
    let secp256k1 = (
        &form("Secp256k1", 256, false),
        plan::Form::Secp256k1,
        5,
        whole,
    );
    with_formulas!(Secp256k1, check_formulas!(set, secp256k1, operands));
    let p256 = (&form("P256", 256, true), plan::Form::P256, 5, whole);
    with_formulas!(P256, check_formulas!(set, p256, operands));
    let p384 = (&form("P384", 384, false), plan::Form::P384, 8, of48);
    with_formulas!(P384, check_formulas!(set, p384, operands));
    let p448 = (&form("P448", 448, false), plan::Form::P448, 9, of50);
    with_formulas!(P448, check_formulas!(set, p448, operands));
    let p521 = (&form("P521", 521, false), plan::Form::P521, 11, of48);
    with_formulas!(P521, check_formulas!(set, p521, operands));
    if S::FORMS
        .iter()
        .any(|&(kind, _)| kind == plan::Form::Bls12381)
    {
        let bls12_381 = (&bls12_381(), plan::Form::Bls12381, 8, whole);
        with_formulas!(Bls12381, check_formulas!(set, bls12_381, operands));
    }
}

/// Checks the code of all formulas, each until it has had `operands` numbers, with every instruction set that this processor
/// has, and returns the reasons why it has not the others.
pub(crate) fn check(operands: usize) -> Vec<String> {
    let mut missing = Vec::new();
    match Ifma::detect() {
        Ok(set) => check_set(set, operands),
        Err(reason) => missing.push(reason.to_string()),
    }
    match Avx512::detect() {
        Some(set) => check_set(set, operands),
        None => missing.push("AVX-512F cannot run here".to_owned()),
    }
    match AvxIfma::detect() {
        Some(set) => check_set(set, operands),
        None => missing.push("AVX-IFMA cannot run here".to_owned()),
    }
    match Avx2::detect() {
        Some(set) => check_set(set, operands),
        None => missing.push("AVX2 cannot run here".to_owned()),
    }
    missing
}

/// P.
pub(super) fn prime(name: &str) -> BigInt {
    let power = |exponent: u32| BigInt::from(1) << exponent;
    match name {
        "P25519" => power(255) - 19,
        "Secp256k1" => power(256) - power(32) - 977,
        "P384" => power(384) - power(128) - power(96) + power(32) - 1,
        "P448" => power(448) - power(224) - 1,
        "P521" => power(521) - 1,
        "Bls12381" => {
            let x: BigInt = -BigInt::from(0xd201_0000_0001_0000u64);
            let r = x.pow(4) - x.pow(2) + 1;
            let previous: BigInt = &x - 1;
            previous.pow(2) * r / 3 + x
        }
        _ => power(256) - power(224) + power(192) + power(96) - 1,
    }
}

/// The number in limbs of so many bits.
pub(super) fn integer_of(limbs: impl DoubleEndedIterator<Item = i128>, bits: u32) -> BigInt {
    limbs
        .rev()
        .fold(BigInt::ZERO, |sum, limb| (sum << bits) + limb)
}

/// A form of primes for tests.
pub(super) struct Form {
    pub(super) name: &'static str,
    pub(super) bits: u32,
    pub(super) has_montgomery_factor: bool,
    /// The largest weight of inputs.
    pub(super) largest_weight: u64,
    /// The largest multiple of P that an output may be.
    pub(super) largest_output: u32,
}

/// Most forms.
pub(super) fn form(name: &'static str, bits: u32, has_montgomery_factor: bool) -> Form {
    Form {
        name,
        bits,
        has_montgomery_factor,
        largest_weight: LARGEST_WEIGHT,
        largest_output: 2,
    }
}

/// The form of the prime of BLS12-381's coordinates.
pub(super) fn bls12_381() -> Form {
    Form {
        largest_weight: LARGEST_UNFOLDED_WEIGHT,
        largest_output: 4,
        ..form("Bls12381", 381, true)
    }
}

/// The largest limbs, of so many bits, of numbers below the largest multiple of P that is allowed. With limbs of 51 bits, numbers
/// are always below 2 P, the lowest and the highest limb are little more than 2^51.
pub(super) fn largest_limbs(form: &Form, count: usize, bits: u32) -> Vec<i128> {
    let limb: i128 = 1 << bits;
    let mut most = vec![limb - 1; count];
    if bits == 51 {
        (most[0], most[4]) = (limb + 19, limb + (1 << 12));
    } else {
        let top_weight = (count as u32 - 1) * bits;
        most[count - 1] = (i128::from(form.largest_weight) << (form.bits - top_weight)) - 1;
    }
    most
}

/// By what products are divided.
pub(super) fn montgomery_factor(form: &Form) -> BigInt {
    let exponent = if form.has_montgomery_factor {
        form.bits.next_multiple_of(52)
    } else {
        0
    };
    BigInt::from(1) << exponent
}
