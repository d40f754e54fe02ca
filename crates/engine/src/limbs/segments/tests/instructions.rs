//! The code of formulas, on the instructions of this processor, beside big integers.

use num_bigint::BigInt;
use proptest::{
    prelude::Rng,
    test_runner::{RngAlgorithm, TestRng},
};
use smallvec::SmallVec;

use super::{Form, bls12_381, form, formulas, integer_of, largest_limbs, montgomery_factor, prime};
use crate::{
    instructions::{Avx2, Avx512, AvxIfma, Ifma},
    limbs::{
        kernels::Kernels,
        numbers::{LimbNumbers, WIDTH},
        plan,
        segments::{with_formulas, word::Word},
    },
    program::{
        Builder, Limits, Magnitude, Operation, Register, Span,
        formulas::{Formula, edwards, ladder, weierstrass},
    },
    row::Row,
};

/// Some registers: those of a program that has so many numbers at once.
fn registers(count: usize) -> Vec<Register> {
    let limits = Limits {
        product: Magnitude::interval(-1, 1),
        operands: 1 << 60,
        signed: true,
        folded: None,
    };
    let mut builder = Builder::new("registers", 64, limits, 1);
    let inputs: Vec<_> = (0..count).map(|_| builder.input(64)).collect();
    let squares: Vec<_> = inputs.iter().map(|&x| (false, x, x)).collect();
    let sum = builder.sum_of_products(&squares);
    builder.output(sum);
    let program = builder.finish().expect("it is a sum");
    let mut registers: Vec<_> = program.operations().filter_map(Operation::out).collect();
    registers.sort_unstable();
    registers.dedup();
    assert!(registers.len() >= count);
    registers.truncate(count);
    registers
}

/// A limb up to `most`: often one of both ends, or with a long run of equal bits.
fn limb(random: &mut TestRng, most: u64) -> u64 {
    let any = random.next_u64();
    match any & 7 {
        0 => 0,
        1 => most,
        2 => most >> (any >> 3 & 31),
        _ => ((u128::from(random.next_u64()) * (u128::from(most) + 1)) >> 64) as u64,
    }
}

/// Runs the code of a formula until it has had `operands` numbers, and compares each output with that on integers.
fn check_code<
    S: Kernels,
    M: Formula<IN, OUT>,
    const IN: usize,
    const OUT: usize,
    const N: usize,
>(
    set: S,
    (form, kind, bits): (&Form, plan::Form, u32),
    operands: usize,
    _: core::marker::PhantomData<([(); N], M)>,
) {
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let named = registers(IN + OUT);
    let span = Span {
        segment: M::SEGMENT,
        steps: 0..0,
        digit: None,
        inputs: SmallVec::from_slice(&named[..IN]),
        outputs: named[IN..].iter().copied().map(Some).collect(),
    };
    let most = largest_limbs::<N>(form, bits).map(|most| most as u64);
    let (p, factor) = (prime(form.name), montgomery_factor(form));
    for turn in 0..operands.div_ceil(IN * WIDTH) {
        let number = |_| LimbNumbers {
            limbs: most
                .map(|most| Row(core::array::from_fn(|_| limb(&mut random, most))))
                .to_vec(),
        };
        let mut numbers: Vec<_> = (0..IN + OUT).map(number).collect();
        let digits: [u64; WIDTH] = core::array::from_fn(|lane| (turn >> lane & 1) as u64);
        let inputs: Vec<_> = (0..WIDTH)
            .map(|lane| lane_of(&numbers, lane, bits))
            .collect();
        assert!(set.run_segment(kind, &mut numbers, &span, Some(&digits)));
        for lane in 0..WIDTH {
            let inputs = &inputs[lane][..IN];
            let same = core::array::from_fn(|k| inputs[k].clone());
            let right = formulas::outputs::<M, _, _>(&p, &factor, digits[lane] == 1, same);
            let outputs = &lane_of(&numbers, lane, bits)[IN..];
            for (output, right) in outputs.iter().zip(right) {
                // Some formulas leave an input as it is.
                let fits = *output <= &p * form.largest_output || inputs.contains(output);
                assert!(fits, "{}", M::SEGMENT);
                assert_eq!(output % &p, right, "{} in {}", M::SEGMENT, S::NAME);
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
    ($set:expr, $of:expr, $operands:expr, $n:literal, [$($formula:ty),* $(,)?]) => {
        $(check_code(
            $set,
            $of,
            $operands,
            core::marker::PhantomData::<([(); $n], $formula)>,
        );)*
    };
}

fn check_set<S: Kernels>(set: S, operands: usize) {
    let (whole, of48, of50) = (S::Word::BITS, S::Word48::BITS, S::Word50::BITS);
    let p25519 = (
        &form("P25519", 255, false),
        plan::Form::P25519,
        S::Word25519::BITS,
    );
    with_formulas!(P25519, check_formulas!(set, p25519, operands, 5));
    let secp256k1 = (&form("Secp256k1", 256, false), plan::Form::Secp256k1, whole);
    with_formulas!(Secp256k1, check_formulas!(set, secp256k1, operands, 5));
    let p256 = (&form("P256", 256, true), plan::Form::P256, whole);
    with_formulas!(P256, check_formulas!(set, p256, operands, 5));
    let p384 = (&form("P384", 384, false), plan::Form::P384, of48);
    with_formulas!(P384, check_formulas!(set, p384, operands, 8));
    let p448 = (&form("P448", 448, false), plan::Form::P448, of50);
    with_formulas!(P448, check_formulas!(set, p448, operands, 9));
    let p521 = (&form("P521", 521, false), plan::Form::P521, of48);
    with_formulas!(P521, check_formulas!(set, p521, operands, 11));
    if S::FORMS
        .iter()
        .any(|&(kind, _)| kind == plan::Form::Bls12381)
    {
        let bls12_381 = (&bls12_381(), plan::Form::Bls12381, whole);
        with_formulas!(Bls12381, check_formulas!(set, bls12_381, operands, 8));
    }
}

fn check_sets(operands: usize) {
    match Ifma::detect() {
        Ok(set) => check_set(set, operands),
        Err(reason) => println!("SKIPPED: {reason}"),
    }
    match Avx512::detect() {
        Some(set) => check_set(set, operands),
        None => println!("SKIPPED: AVX-512F cannot run here"),
    }
    match AvxIfma::detect() {
        Some(set) => check_set(set, operands),
        None => println!("SKIPPED: AVX-IFMA cannot run here"),
    }
    match Avx2::detect() {
        Some(set) => check_set(set, operands),
        None => println!("SKIPPED: AVX2 cannot run here"),
    }
}

#[test]
fn code_on_extreme_and_random_numbers() {
    check_sets(1000);
}

#[test]
#[ignore = "takes minutes: a million numbers for each formula, of which a part is in every run"]
fn code_on_a_million_numbers() {
    check_sets(1_000_000);
}
