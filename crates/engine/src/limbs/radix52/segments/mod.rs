//! Segments: formulas of programs as straight code for primes of curves, with all numbers in registers.
//!
//! A program's operations go from memory to memory, one after the other, and each carries its result. A segment computes
//! a whole formula for eight numbers: products leave columns that are added up before they are carried. It gives the same
//! numbers modulo P as the operations, in the same range.

mod columns;
mod lanes;
mod prime;
#[cfg(test)]
mod tests;
mod word;

pub(super) use self::prime::{P25519, Secp256k1};
use self::{
    lanes::{Lanes, Tight},
    prime::{P256, Prime},
    word::{Register as Eight, Word},
};
use crate::{
    instructions::{
        Ifma,
        vector::{load, store},
    },
    limbs::{
        numbers::{Factors, Limb, LimbNumbers},
        plan::Form,
    },
    program::{
        Span,
        formulas::{Formula, Segment, edwards, ladder, weierstrass},
    },
};

/// The code of a segment: it runs on all vectors of the registers that the span names.
type Code = fn(Ifma, &mut [LimbNumbers], &Span);

/// The code of a segment for a form of moduli, if it is compiled.
pub(super) fn code(form: Form, segment: Segment) -> Option<Code> {
    match form {
        Form::P25519 => p25519(segment),
        Form::Secp256k1 => secp256k1(segment),
        Form::P256 => p256(segment),
        Form::General | Form::Less521 => None,
    }
}

/// Defines a function that finds the code of a segment among formulas for a prime of N limbs.
macro_rules! segments {
    ($name:ident, $prime:ty, $n:literal, $d:literal, [$($formula:ty),* $(,)?]) => {
        fn $name(segment: Segment) -> Option<Code> {
            $(
                if segment == name::<$formula, _, _>() {
                    return Some(run::<$prime, $formula, _, _, $n, $d>);
                }
            )*
            None
        }
    };
}

segments!(p25519, P25519, 5, 10, [
    edwards::Double<true>,
    edwards::DoubleWithT<true>,
    edwards::Add<true>,
    edwards::AddWithT<true>,
    edwards::AddAffine<true>,
    edwards::AddAffineWithT<true>,
    ladder::Step<121_665>,
]);

segments!(secp256k1, Secp256k1, 5, 10, [
    weierstrass::DoubleJacobian<false>,
    weierstrass::DoubleToJacobian<false>,
    weierstrass::FromJacobian,
    weierstrass::AddZero<21>,
    weierstrass::AddAffineZero<21>,
]);

segments!(p256, P256, 5, 10, [
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

/// Runs the formula M modulo the prime F.
fn run<F, M, const IN: usize, const OUT: usize, const N: usize, const D: usize>(
    _: Ifma,
    registers: &mut [LimbNumbers],
    span: &Span,
) where
    F: Prime<N, D>,
    M: Formula<IN, OUT>,
{
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn vectors<F, M, const IN: usize, const OUT: usize, const N: usize, const D: usize>(
        registers: &mut [LimbNumbers],
        span: &Span,
    ) where
        F: Prime<N, D>,
        M: Formula<IN, OUT>,
    {
        let (inputs, _) = span.inputs.as_chunks::<IN>();
        let (outputs, _) = span.outputs.as_chunks::<OUT>();
        let ([inputs], [outputs]) = (inputs, outputs) else {
            unreachable!("a span has the inputs and outputs of its formula");
        };
        let vectors = registers[inputs[0].index()].limbs.len() / N;
        for vector in 0..vectors {
            let numbers = inputs.map(|register| {
                let rows = &registers[register.index()].limbs[vector * N..][..N];
                Tight(core::array::from_fn(|k| Eight(load(&rows[k], 0))))
            });
            let numbers = M::compute(&mut Lanes::<Eight, F, N, D>::new(), numbers);
            for (register, number) in outputs.iter().zip(numbers) {
                if let Some(register) = register {
                    let rows = &mut registers[register.index()].limbs[vector * N..][..N];
                    for (row, limb) in rows.iter_mut().zip(number.0) {
                        store(row, 0, limb.0);
                    }
                }
            }
        }
    }
    // SAFETY: a value of `Ifma` exists only after detection of AVX-512F and IFMA.
    unsafe { vectors::<F, M, IN, OUT, N, D>(registers, span) };
}

/// `out :=` the sum of products of the factors modulo the prime F, which has no Montgomery factor.
pub(super) fn multiply<F: Prime<5, 10>>(
    _: Ifma,
    at_once: usize,
    factors: Factors<'_>,
    out: &mut [Limb],
) {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn vectors<F: Prime<5, 10>>(at_once: usize, factors: Factors<'_>, out: &mut [Limb]) {
        let (out, _) = out.as_chunks_mut::<5>();
        for (vector, out) in out.iter_mut().enumerate() {
            let number = |x: &LimbNumbers| -> [Eight; 5] {
                let rows = &x.limbs[vector * 5..][..5];
                core::array::from_fn(|k| Eight(load(&rows[k], 0)))
            };
            let limbs = match factors {
                Factors::Square(x) => F::carry(F::reduce(columns::square(&number(x)))),
                Factors::Products(factors) => {
                    let mut total = [Eight::splat(0); 5];
                    for some in factors.chunks(at_once) {
                        let mut sum: [Eight; 10] = columns::zero();
                        for (_, x, y) in some {
                            columns::add_product(&mut sum, &number(x), &number(y));
                        }
                        let reduced = F::carry(F::reduce(sum));
                        for (total, limb) in total.iter_mut().zip(reduced) {
                            *total = total.add(limb);
                        }
                    }
                    if factors.len() > at_once {
                        F::carry(total)
                    } else {
                        total
                    }
                }
            };
            for (row, limb) in out.iter_mut().zip(limbs) {
                store(row, 0, limb.0);
            }
        }
    }
    // SAFETY: as in `run`.
    unsafe { vectors::<F>(at_once, factors, out) };
}
