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
#[cfg(any(test, feature = "testing"))]
pub(crate) mod beside_integers;
#[cfg(test)]
mod called;
mod calls;
mod columns;
mod extensions;
mod ifma;
mod lanes;
mod prime;
#[cfg(test)]
mod tests;
mod word;

use core::marker::PhantomData;

use self::{
    calls::Calls,
    lanes::{Lanes, Tight},
    prime::{Bls12381, P256, P384, P448, P521, P25519, Prime, Secp256k1},
    word::Word,
};
use crate::{
    instructions::{Avx2, Avx512, AvxIfma, Ifma, avx_ifma::for_avx_ifma},
    interpreter::FORMULAS_ARE_COMPILED,
    limbs::{
        numbers::{Factors, Limb, LimbNumbers, WIDTH},
        plan::Form,
    },
    program::{
        Register, Span,
        formulas::{Formula, Segment, edwards, ladder, weierstrass},
    },
};

/// The code of a segment: it runs on all vectors of the registers that the span names, with the members' digits, if the formula
/// has any, the first one in the lowest bit.
pub(super) type Code<S> = fn(S, &mut [LimbNumbers], &Span, Option<&[u64]>);

/// An instruction set that segments are compiled for. A value of the type is a proof that the processor has it.
pub(super) trait InstructionSet: Copy {
    /// Words with limbs of 52 bits.
    type Word: Calls;
    /// Words for numbers modulo `2^255 - 19`.
    type Word25519: Calls;
    /// Words with limbs of 48 bits.
    type Word48: Calls;
    /// Words with limbs of 50 bits.
    type Word50: Calls;

    /// [`run`] with these instructions.
    fn run_code<W, C, const IN: usize, const OUT: usize, const N: usize>(
        self,
        registers: &mut [LimbNumbers],
        span: &Span,
        digits: Option<&[u64]>,
    ) where
        W: Calls,
        C: Compute<W, N, IN, OUT>;

    /// [`multiply`] with these instructions.
    fn multiply_modulo<W: Calls, F: Prime<N, D>, const N: usize, const D: usize>(
        self,
        factors: Factors<'_>,
        out: &mut [Limb],
    );

    /// [`combine`] with these instructions.
    fn combine_modulo<W: Calls, F: Prime<N, D>, const N: usize, const D: usize>(
        self,
        terms: &[(i32, &LimbNumbers)],
        lift: (&[Limb], u64),
        out: &mut [Limb],
    );
}

/// Implements [`InstructionSet`].
macro_rules! instruction_set {
    ($features:literal, $set:ty, $word:ident::$lanes:ident, $bits25519:literal) => {
        impl InstructionSet for $set {
            type Word = $word::$lanes<52>;
            type Word25519 = $word::$lanes<$bits25519>;
            type Word48 = $word::$lanes<48>;
            type Word50 = $word::$lanes<50>;

            fn run_code<W, C, const IN: usize, const OUT: usize, const N: usize>(
                self,
                registers: &mut [LimbNumbers],
                span: &Span,
                digits: Option<&[u64]>,
            ) where
                W: Calls,
                C: Compute<W, N, IN, OUT>,
            {
                #[target_feature(enable = $features)]
                fn compiled<W, C, const IN: usize, const OUT: usize, const N: usize>(
                    registers: &mut [LimbNumbers],
                    span: &Span,
                    digits: Option<&[u64]>,
                ) where
                    W: Calls,
                    C: Compute<W, N, IN, OUT>,
                {
                    run::<W, C, IN, OUT, N>(registers, span, digits);
                }
                // SAFETY: `self` exists, so that the features have been detected.
                unsafe { compiled::<W, C, IN, OUT, N>(registers, span, digits) };
            }

            fn multiply_modulo<W: Calls, F: Prime<N, D>, const N: usize, const D: usize>(
                self,
                factors: Factors<'_>,
                out: &mut [Limb],
            ) {
                #[target_feature(enable = $features)]
                fn compiled<W: Calls, F: Prime<N, D>, const N: usize, const D: usize>(
                    factors: Factors<'_>,
                    out: &mut [Limb],
                ) {
                    multiply::<W, F, N, D>(factors, out);
                }
                // SAFETY: as in `run`.
                unsafe { compiled::<W, F, N, D>(factors, out) };
            }

            fn combine_modulo<W: Calls, F: Prime<N, D>, const N: usize, const D: usize>(
                self,
                terms: &[(i32, &LimbNumbers)],
                lift: (&[Limb], u64),
                out: &mut [Limb],
            ) {
                #[target_feature(enable = $features)]
                fn compiled<W: Calls, F: Prime<N, D>, const N: usize, const D: usize>(
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

instruction_set!("avx512f,avx512ifma", Ifma, ifma::Eight, 52);
instruction_set!("avx512f", Avx512, avx512::Eight, 51);
for_avx_ifma!(instruction_set!(AvxIfma, ifma::Four, 52));
instruction_set!("avx2,fma", Avx2, avx2::Four, 51);

/// The code of a segment for a form of moduli, if it is compiled.
pub(super) fn code<S: InstructionSet>(form: Form, segment: Segment) -> Option<Code<S>> {
    if !FORMULAS_ARE_COMPILED {
        return None;
    }
    match form {
        Form::P25519 => p25519::<S>(segment),
        Form::Secp256k1 => secp256k1::<S>(segment),
        Form::P256 => p256::<S>(segment),
        Form::P384 => p384::<S>(segment),
        Form::P448 => p448::<S>(segment),
        Form::P521 => p521::<S>(segment),
        Form::General | Form::Bls12381 => None,
    }
}

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
        Form::P384 => set.multiply_modulo::<S::Word48, P384, _, _>(factors, out),
        Form::P448 => set.multiply_modulo::<S::Word50, P448, _, _>(factors, out),
        Form::P521 => set.multiply_modulo::<S::Word48, P521, _, _>(factors, out),
        Form::General | Form::Bls12381 => return false,
    }
    true
}

/// `out :=` the linear combination of numbers, plus lift P, below 2 P, modulo numbers whose limbs are not those of other
/// forms; returns whether they are. Requires numbers below 2 P and factors of at most `2^10` in sum; gives P with the lift.
/// Of a larger lift than such a sum needs, only so much is added: the builder's bounds are those of wider numbers.
pub(super) fn combine_in_form<S: InstructionSet>(
    set: S,
    form: Form,
    terms: &[(i32, &LimbNumbers)],
    lift: (&[Limb], u64),
    out: &mut [Limb],
) -> bool {
    match form {
        Form::P25519 if S::Word25519::BITS != S::Word::BITS => {
            set.combine_modulo::<S::Word25519, P25519, _, _>(terms, lift, out);
        }
        Form::P384 => set.combine_modulo::<S::Word48, P384, _, _>(terms, lift, out),
        Form::P448 => set.combine_modulo::<S::Word50, P448, _, _>(terms, lift, out),
        Form::P521 => set.combine_modulo::<S::Word48, P521, _, _>(terms, lift, out),
        Form::General | Form::P256 | Form::P25519 | Form::Secp256k1 | Form::Bls12381 => {
            return false;
        }
    }
    true
}

/// Defines a function that finds the code of a segment among formulas for a prime of N limbs.
macro_rules! segments {
    ($name:ident, $word:ident, $prime:ty, $n:literal, $d:literal, [$($formula:ty),* $(,)?]) => {
        pub(super) fn $name<S: InstructionSet>(segment: Segment) -> Option<Code<S>> {
            $(
                if segment == name::<$formula, _, _>() {
                    return Some(S::run_code::<S::$word, Compiled<$prime, $formula, $d>, _, _, $n>);
                }
            )*
            None
        }
    };
}

/// Calls a macro with its arguments and a list of the formulas that are compiled for a prime.
macro_rules! with_formulas {
    (P25519, $call:ident!($($first:tt)*)) => {
        with_formulas!(@edwards true, 121_665, $call!($($first)*));
    };
    (P448, $call:ident!($($first:tt)*)) => {
        with_formulas!(@edwards false, 39_081, $call!($($first)*));
    };
    (Secp256k1, $call:ident!($($first:tt)*)) => {
        with_formulas!(@zero 21, $call!($($first)*));
    };
    (Bls12381, $call:ident!($($first:tt)*)) => {
        with_formulas!(@zero 12, $call!($($first)*));
    };
    // Formulas of curves with a = 0.
    (@zero $b3:literal, $call:ident!($($first:tt)*)) => {
        $call!($($first)*, [
            weierstrass::DoubleJacobian<false>,
            weierstrass::FromJacobian,
            weierstrass::AddAffineJacobian,
            weierstrass::Rescale,
            weierstrass::AddZero<$b3>,
            weierstrass::AddAffineZero<$b3>,
            weierstrass::ChordWidth,
            weierstrass::AddByChord,
        ]);
    };
    (@edwards $minus:literal, $a24:literal, $call:ident!($($first:tt)*)) => {
        $call!($($first)*, [
            edwards::Double<$minus>,
            edwards::DoubleWithT<$minus>,
            edwards::Add<$minus>,
            edwards::AddWithT<$minus>,
            edwards::AddAffine<$minus>,
            edwards::AddAffineWithT<$minus>,
            ladder::Step<$a24>,
        ]);
    };
    // Formulas of curves with a = -3.
    ($prime:ident, $call:ident!($($first:tt)*)) => {
        $call!($($first)*, [
            weierstrass::DoubleJacobian<true>,
            weierstrass::FromJacobian,
            weierstrass::AddJacobian,
            weierstrass::AddAffineJacobian,
            weierstrass::Rescale,
            weierstrass::AddMinusThree,
            weierstrass::AddAffineMinusThree,
            weierstrass::ChordWidth,
            weierstrass::AddByChord,
        ]);
    };
}
#[cfg(any(test, feature = "testing"))]
use with_formulas;

with_formulas!(P25519, segments!(p25519, Word25519, P25519, 5, 10));
with_formulas!(Secp256k1, segments!(secp256k1, Word, Secp256k1, 5, 10));
with_formulas!(P256, segments!(p256, Word, P256, 5, 10));
with_formulas!(P384, segments!(p384, Word48, P384, 8, 16));
with_formulas!(P448, segments!(p448, Word50, P448, 9, 18));
with_formulas!(P521, segments!(p521, Word48, P521, 11, 22));
with_formulas!(Bls12381, segments!(g1, Word, Bls12381, 8, 16));

/// The code of a segment modulo the prime of BLS12-381's coordinates. With IFMA only: with fused multiplications of float64
/// the kernels for any modulus are as fast.
pub(super) fn bls12_381<S: InstructionSet>(segment: Segment) -> Option<Code<S>> {
    if !FORMULAS_ARE_COMPILED {
        return None;
    }
    g1::<S>(segment).or_else(|| extensions::code::<S>(segment))
}

/// The name of a formula.
fn name<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>() -> Segment {
    M::SEGMENT
}

/// The number in some lanes of a vector's rows.
#[inline(always)]
fn load<W: Calls, const N: usize>(numbers: &LimbNumbers, vector: usize, part: usize) -> [W; N] {
    let rows = &numbers.limbs[vector * N..][..N];
    let mut number = [W::load(&rows[0].0, part); N];
    for k in 1..N {
        number[k] = W::load(&rows[k].0, part);
    }
    number
}

#[inline(always)]
fn store<W: Calls, const N: usize>(number: &[W; N], rows: &mut [Limb], part: usize) {
    for (row, limb) in rows[..N].iter_mut().zip(number) {
        limb.store(row, part);
    }
}

/// The computation of a segment, with numbers of N limbs in registers.
pub(super) trait Compute<W: Word, const N: usize, const IN: usize, const OUT: usize> {
    /// Puts out the outputs of a formula that is applied `times` times, with the digits of each lane, if there are any: the lowest
    /// bit is that of the first time.
    fn compute(
        times: u8,
        digits: Option<W>,
        inputs: &[Tight<W, N>; IN],
        out: &mut impl Outputs<W, N>,
    );
}

/// A receiver of the outputs of a segment.
pub(super) trait Outputs<W, const N: usize> {
    /// Puts out number k.
    fn put(&mut self, k: usize, number: &[W; N]);
}

/// Some lanes of a vector of registers, or of none for outputs that nothing reads.
struct Lane<'a> {
    registers: &'a mut [LimbNumbers],
    outputs: &'a [Option<Register>],
    vector: usize,
    part: usize,
}

impl<W: Calls, const N: usize> Outputs<W, N> for Lane<'_> {
    #[inline(always)]
    fn put(&mut self, k: usize, number: &[W; N]) {
        if let Some(register) = self.outputs[k] {
            let rows = &mut self.registers[register.index()].limbs[self.vector * N..];
            store(number, rows, self.part);
        }
    }
}

/// The formula M modulo the prime F, with products of D columns.
pub(super) struct Compiled<F, M, const D: usize>(PhantomData<(F, M)>);

impl<W, F, M, const IN: usize, const OUT: usize, const N: usize, const D: usize>
    Compute<W, N, IN, OUT> for Compiled<F, M, D>
where
    W: Calls,
    F: Prime<N, D>,
    M: Formula<IN, OUT>,
{
    #[inline(always)]
    fn compute(
        times: u8,
        digits: Option<W>,
        inputs: &[Tight<W, N>; IN],
        out: &mut impl Outputs<W, N>,
    ) {
        let mut lanes = Lanes::<W, F, N, D>::new(digits);
        let numbers = M::compute_repeatedly(&mut lanes, *inputs, times);
        for k in 0..OUT {
            out.put(k, &numbers[k].limbs());
        }
    }
}

/// Runs the code C.
#[inline(always)]
fn run<W, C, const IN: usize, const OUT: usize, const N: usize>(
    registers: &mut [LimbNumbers],
    span: &Span,
    digits: Option<&[u64]>,
) where
    W: Calls,
    C: Compute<W, N, IN, OUT>,
{
    let (Some(inputs), Some(outputs)) =
        (span.inputs.first_chunk(), span.outputs.first_chunk::<OUT>())
    else {
        unreachable!("a span has the inputs and outputs of its formula");
    };
    let inputs: &[_; IN] = inputs;
    let vectors = registers[inputs[0].index()].limbs.len() / N;
    for vector in 0..vectors {
        for part in 0..WIDTH / W::LANES {
            // All inputs are read before the first output is put out: they may share registers.
            let first: Tight<W, N> = Tight::new(load(&registers[inputs[0].index()], vector, part));
            let mut numbers = [first; IN];
            for k in 1..IN {
                numbers[k] = Tight::new(load(&registers[inputs[k].index()], vector, part));
            }
            let digits = digits.and_then(|digits| digits[vector * WIDTH..].first_chunk());
            let digits = digits.map(|digits| W::load(digits, part));
            let mut out = Lane {
                registers: &mut *registers,
                outputs,
                vector,
                part,
            };
            C::compute(span.times, digits, &numbers, &mut out);
        }
    }
}

/// [`multiply_in_form`] modulo the prime F.
#[inline(always)]
fn multiply<W: Calls, F: Prime<N, D>, const N: usize, const D: usize>(
    factors: Factors<'_>,
    out: &mut [Limb],
) {
    for (vector, out) in out.chunks_exact_mut(N).enumerate() {
        for part in 0..WIDTH / W::LANES {
            let number = match factors {
                Factors::Square(x) => {
                    let square = Lanes::<W, F, N, D>::columns_of_square(&load(x, vector, part));
                    Lanes::<W, F, N, D>::tight(Lanes::<W, F, N, D>::reduce(square)).limbs()
                }
                Factors::Products(factors) => {
                    let mut total = [W::splat(0); N];
                    for some in factors.chunks(F::AT_ONCE) {
                        let mut sum: [W; D] = columns::zero();
                        let mut is_begun = false;
                        for (_, x, y) in some {
                            let x: [W; N] = load(x, vector, part);
                            let y: [W; N] = load(y, vector, part);
                            Lanes::<W, F, N, D>::add_to_sum(&mut sum, &mut is_begun, [&x, &y]);
                        }
                        let reduced = Lanes::<W, F, N, D>::tight(Lanes::<W, F, N, D>::reduce(sum));
                        for (total, limb) in total.iter_mut().zip(reduced.limbs()) {
                            *total = total.add(limb);
                        }
                    }
                    if factors.len() > F::AT_ONCE {
                        Lanes::<W, F, N, D>::tight(total).limbs()
                    } else {
                        total
                    }
                }
            };
            store(&number, out, part);
        }
    }
}

/// `sum + factor x`, for a factor of at most `2^11` in absolute value.
#[inline(always)]
fn plus_multiple<W: Calls, const N: usize>(mut sum: [W; N], x: [W; N], factor: i64) -> [W; N] {
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
fn combine<W: Calls, F: Prime<N, D>, const N: usize, const D: usize>(
    terms: &[(i32, &LimbNumbers)],
    (p, lift): (&[Limb], u64),
    out: &mut [Limb],
) {
    /// `2^10` times 2.
    const LARGEST_LIFT: u64 = 1 << 11;
    let lift = lift.min(LARGEST_LIFT);
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
                    limbs[k] = W::load(&p[k].0, part);
                }
                sum = plus_multiple(sum, limbs, lift.cast_signed());
            }
            // The number is not negative: its highest column is none after all carries, either.
            let carried = F::carry(columns::propagate(sum));
            store(&columns::cut(carried), out, part);
        }
    }
}
