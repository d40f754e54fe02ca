//! Segments: formulas of programs as straight code for primes of curves, with all numbers in registers.
//!
//! A program's operations go from memory to memory, one after the other, and each carries its result. A segment computes
//! a whole formula for eight numbers: products leave columns that are added up before they are carried. It gives the same
//! numbers modulo P as the operations, in the same range.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]
#![expect(
    clippy::inline_always,
    reason = "a segment must be compiled whole for each instruction set"
)]

mod avx2;
mod avx512;
mod columns;
mod ifma;
mod lanes;
mod prime;
#[cfg(test)]
mod tests;
mod word;

use self::{
    lanes::{Lanes, Tight},
    prime::{P256, P25519, Prime, Secp256k1},
    word::Word,
};
use crate::{
    instructions::{Avx2, Avx512, Ifma},
    limbs::{
        numbers::{Factors, Limb, LimbNumbers, WIDTH},
        plan::Form,
    },
    program::{
        Span,
        formulas::{Formula, Segment, edwards, ladder, weierstrass},
    },
};

/// The code of a segment: it runs on all vectors of the registers that the span names.
pub(super) type Code<S> = fn(S, &mut [LimbNumbers], &Span);

/// An instruction set that segments are compiled for. A value of the type is a proof that the processor has it.
pub(super) trait InstructionSet: Copy {
    /// Words with limbs of 52 bits.
    type Word: Word;
    /// Words for numbers modulo `2^255 - 19`.
    type Word25519: Word;

    /// [`run`] with these instructions.
    fn run_formula<W, F, M, const IN: usize, const OUT: usize, const N: usize, const D: usize>(
        self,
        registers: &mut [LimbNumbers],
        span: &Span,
    ) where
        W: Word,
        F: Prime<N, D>,
        M: Formula<IN, OUT>;

    /// [`multiply`] with these instructions.
    fn multiply_modulo<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
        self,
        factors: Factors<'_>,
        out: &mut [Limb],
    );

    /// [`combine`] with these instructions.
    fn combine_modulo<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
        self,
        terms: &[(i32, &LimbNumbers)],
        lift: (&[Limb], u64),
        out: &mut [Limb],
    );
}

/// Implements [`InstructionSet`].
macro_rules! instruction_set {
    ($set:ty, $features:literal, $word:ty, $word25519:ty) => {
        impl InstructionSet for $set {
            type Word = $word;
            type Word25519 = $word25519;

            fn run_formula<
                W,
                F,
                M,
                const IN: usize,
                const OUT: usize,
                const N: usize,
                const D: usize,
            >(
                self,
                registers: &mut [LimbNumbers],
                span: &Span,
            ) where
                W: Word,
                F: Prime<N, D>,
                M: Formula<IN, OUT>,
            {
                #[target_feature(enable = $features)]
                fn compiled<
                    W,
                    F,
                    M,
                    const IN: usize,
                    const OUT: usize,
                    const N: usize,
                    const D: usize,
                >(
                    registers: &mut [LimbNumbers],
                    span: &Span,
                ) where
                    W: Word,
                    F: Prime<N, D>,
                    M: Formula<IN, OUT>,
                {
                    run::<W, F, M, IN, OUT, N, D>(registers, span);
                }
                // SAFETY: `self` exists, so that the features have been detected.
                unsafe { compiled::<W, F, M, IN, OUT, N, D>(registers, span) };
            }

            fn multiply_modulo<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
                self,
                factors: Factors<'_>,
                out: &mut [Limb],
            ) {
                #[target_feature(enable = $features)]
                fn compiled<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
                    factors: Factors<'_>,
                    out: &mut [Limb],
                ) {
                    multiply::<W, F, N, D>(factors, out);
                }
                // SAFETY: as in `run`.
                unsafe { compiled::<W, F, N, D>(factors, out) };
            }

            fn combine_modulo<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
                self,
                terms: &[(i32, &LimbNumbers)],
                lift: (&[Limb], u64),
                out: &mut [Limb],
            ) {
                #[target_feature(enable = $features)]
                fn compiled<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
                    terms: &[(i32, &LimbNumbers)],
                    lift: (&[Limb], u64),
                    out: &mut [Limb],
                ) {
                    combine::<W, F, N, D>(terms, lift, out);
                }
                // SAFETY: as in `run`.
                unsafe { compiled::<W, F, N, D>(terms, lift, out) };
            }
        }
    };
}

instruction_set!(Ifma, "avx512f,avx512ifma", ifma::Eight, ifma::Eight);
instruction_set!(Avx512, "avx512f", avx512::Eight<52>, avx512::Eight<51>);
instruction_set!(Avx2, "avx2,fma", avx2::Four<52>, avx2::Four<51>);

/// The code of a segment for a form of moduli, if it is compiled.
pub(super) fn code<S: InstructionSet>(form: Form, segment: Segment) -> Option<Code<S>> {
    match form {
        Form::P25519 => p25519::<S>(segment),
        Form::Secp256k1 => secp256k1::<S>(segment),
        Form::P256 => p256::<S>(segment),
        Form::General | Form::Less521 => None,
    }
}

/// Number of products that are added up in columns before a reduction: as many as the limits of programs allow for
/// numbers of 256 bits.
const AT_ONCE: usize = 16;

/// `out :=` the sum of products of the factors, modulo numbers of a form that has products here; returns whether it has.
pub(super) fn multiply_in_form<S: InstructionSet>(
    set: S,
    form: Form,
    factors: Factors<'_>,
    out: &mut [Limb],
) -> bool {
    match form {
        Form::P25519 => set.multiply_modulo::<S::Word25519, P25519, _, _>(factors, out),
        Form::Secp256k1 => set.multiply_modulo::<S::Word, Secp256k1, _, _>(factors, out),
        Form::P256 => set.multiply_modulo::<S::Word, P256, _, _>(factors, out),
        Form::General | Form::Less521 => return false,
    }
    true
}

/// `out :=` the linear combination of numbers, plus lift P, below 2 P, modulo numbers whose limbs are not those of other
/// forms; returns whether they are. Requires factors of at most `2^10` in sum, and gives P with the lift.
pub(super) fn combine_in_form<S: InstructionSet>(
    set: S,
    form: Form,
    terms: &[(i32, &LimbNumbers)],
    lift: (&[Limb], u64),
    out: &mut [Limb],
) -> bool {
    let own_limbs = form == Form::P25519 && S::Word25519::BITS != S::Word::BITS;
    if own_limbs {
        set.combine_modulo::<S::Word25519, P25519, _, _>(terms, lift, out);
    }
    own_limbs
}

/// Defines a function that finds the code of a segment among formulas for a prime of N limbs.
macro_rules! segments {
    ($name:ident, $word:ident, $prime:ty, $n:literal, $d:literal, [$($formula:ty),* $(,)?]) => {
        fn $name<S: InstructionSet>(segment: Segment) -> Option<Code<S>> {
            $(
                if segment == name::<$formula, _, _>() {
                    return Some(S::run_formula::<S::$word, $prime, $formula, _, _, $n, $d>);
                }
            )*
            None
        }
    };
}

segments!(p25519, Word25519, P25519, 5, 10, [
    edwards::Double<true>,
    edwards::DoubleWithT<true>,
    edwards::Add<true>,
    edwards::AddWithT<true>,
    edwards::AddAffine<true>,
    edwards::AddAffineWithT<true>,
    ladder::Step<121_665>,
]);

segments!(secp256k1, Word, Secp256k1, 5, 10, [
    weierstrass::DoubleJacobian<false>,
    weierstrass::DoubleToJacobian<false>,
    weierstrass::FromJacobian,
    weierstrass::AddZero<21>,
    weierstrass::AddAffineZero<21>,
]);

segments!(p256, Word, P256, 5, 10, [
    weierstrass::DoubleJacobian<true>,
    weierstrass::DoubleToJacobian<true>,
    weierstrass::FromJacobian,
    weierstrass::AddMinusThree,
    weierstrass::AddAffineMinusThree,
]);

/// The name of a formula.
fn name<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>() -> Segment {
    M::SEGMENT
}

/// The number in some lanes of a vector's rows.
#[inline(always)]
fn load<W: Word, const N: usize>(numbers: &LimbNumbers, vector: usize, part: usize) -> [W; N] {
    let rows = &numbers.limbs[vector * N..][..N];
    let mut number = [W::load(&rows[0], part); N];
    for k in 1..N {
        number[k] = W::load(&rows[k], part);
    }
    number
}

#[inline(always)]
fn store<W: Word, const N: usize>(number: [W; N], rows: &mut [Limb], part: usize) {
    for (row, limb) in rows[..N].iter_mut().zip(number) {
        limb.store(row, part);
    }
}

/// Runs the formula M modulo the prime F.
#[inline(always)]
fn run<W, F, M, const IN: usize, const OUT: usize, const N: usize, const D: usize>(
    registers: &mut [LimbNumbers],
    span: &Span,
) where
    W: Word,
    F: Prime<N, D>,
    M: Formula<IN, OUT>,
{
    let (Some(inputs), Some(outputs)) = (span.inputs.first_chunk(), span.outputs.first_chunk())
    else {
        unreachable!("a span has the inputs and outputs of its formula");
    };
    let (inputs, outputs): (&[_; IN], &[_; OUT]) = (inputs, outputs);
    let vectors = registers[inputs[0].index()].limbs.len() / N;
    for vector in 0..vectors {
        for part in 0..WIDTH / W::LANES {
            let first: Tight<W, N> = Tight(load(&registers[inputs[0].index()], vector, part));
            let mut numbers = [first; IN];
            for k in 1..IN {
                numbers[k] = Tight(load(&registers[inputs[k].index()], vector, part));
            }
            let numbers = M::compute(&mut Lanes::<W, F, N, D>::new(), numbers);
            for k in 0..OUT {
                if let Some(register) = outputs[k] {
                    let rows = &mut registers[register.index()].limbs[vector * N..];
                    store(numbers[k].0, rows, part);
                }
            }
        }
    }
}

/// The tight number of columns from 0 on, or of low halves that may be negative.
#[inline(always)]
fn carry<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(columns: [W; N]) -> [W; N] {
    F::carry(if W::FREE_FACTORS {
        columns
    } else {
        F::lift(columns)
    })
}

/// [`multiply_in_form`] modulo the prime F.
#[inline(always)]
fn multiply<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
    factors: Factors<'_>,
    out: &mut [Limb],
) {
    for (vector, out) in out.chunks_exact_mut(N).enumerate() {
        for part in 0..WIDTH / W::LANES {
            let number = match factors {
                Factors::Square(x) => {
                    carry::<W, F, N, D>(F::reduce(columns::square(&load::<W, N>(x, vector, part))))
                }
                Factors::Products(factors) => {
                    let mut total = [W::splat(0); N];
                    for some in factors.chunks(AT_ONCE) {
                        let mut sum: [W; D] = columns::zero();
                        for (_, x, y) in some {
                            let x: [W; N] = load(x, vector, part);
                            let y: [W; N] = load(y, vector, part);
                            columns::add_product(&mut sum, &x, &y);
                        }
                        let reduced = carry::<W, F, N, D>(F::reduce(sum));
                        for (total, limb) in total.iter_mut().zip(reduced) {
                            *total = total.add(limb);
                        }
                    }
                    if factors.len() > AT_ONCE {
                        carry::<W, F, N, D>(total)
                    } else {
                        total
                    }
                }
            };
            store(number, out, part);
        }
    }
}

/// `sum + factor x`, for a factor of at most `2^10` in absolute value.
#[inline(always)]
fn plus_multiple<W: Word, const N: usize>(mut sum: [W; N], x: [W; N], factor: i64) -> [W; N] {
    let size = factor.unsigned_abs() as u32;
    for k in 0..N {
        let multiple = if size == 1 { x[k] } else { x[k].scaled(size) };
        sum[k] = if factor < 0 {
            sum[k].sub(multiple)
        } else {
            sum[k].add(multiple)
        };
    }
    sum
}

/// [`combine_in_form`] modulo the prime F.
#[inline(always)]
fn combine<W: Word, F: Prime<N, D>, const N: usize, const D: usize>(
    terms: &[(i32, &LimbNumbers)],
    (p, lift): (&[Limb], u64),
    out: &mut [Limb],
) {
    let vectors = out.chunks_exact_mut(N).zip(p.chunks_exact(N));
    for (vector, (out, p)) in vectors.enumerate() {
        for part in 0..WIDTH / W::LANES {
            let mut sum = [W::splat(0); N];
            for &(factor, x) in terms {
                sum = plus_multiple(sum, load(x, vector, part), factor.into());
            }
            if lift > 0 {
                let mut limbs = [W::splat(0); N];
                for k in 0..N {
                    limbs[k] = W::load(&p[k], part);
                }
                sum = plus_multiple(sum, limbs, lift.cast_signed());
            }
            // The number is not negative: its highest column is none after all carries, either.
            let carried = F::carry(columns::propagate(sum));
            store(carried, out, part);
        }
    }
}
