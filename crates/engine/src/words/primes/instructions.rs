//! Arithmetic on kept numbers, compiled for the instructions of a processor.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "calls of functions with target features, after detection"
    )
)]

use core::array;

use zeroize::Zeroizing;

#[cfg(target_arch = "x86_64")]
use crate::words::two_carries::TwoCarries;
use crate::{
    program::{
        Span,
        formulas::{Arith, Formula},
    },
    words::{
        primes::{
            arithmetic::registers_of,
            number::{Number, Scalars},
            prime::{Limbs, Prime},
            select,
        },
        rows::Plain,
    },
};

/// A number in five limbs, within the bound of those that are kept; wiped on drop.
pub(super) type PrimeNumber = Zeroizing<Limbs>;

/// Instructions that arithmetic is compiled for. A value of the type is a proof that the processor has them.
pub(in crate::words) trait Instructions: Copy {
    /// Runs the formula M modulo F, on numbers in five limbs, with its digits, the first one lowest.
    fn run_formula<F: Prime, M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        self,
        registers: &mut [PrimeNumber],
        span: &Span,
        digits: u64,
    );

    /// The sum of products modulo F, of which those with `true` are subtracted.
    fn sum_of_products<F: Prime>(self, terms: &[(bool, &PrimeNumber, &PrimeNumber)]) -> Limbs;

    /// Squares x `times` times modulo F.
    fn square_times<F: Prime>(self, x: &mut Limbs, times: u32);

    /// The sum of multiples modulo F. Requires factors of at most `2^10` in sum.
    fn combine<F: Prime>(self, terms: &[(i32, &PrimeNumber)]) -> Limbs;

    /// The entry with this index, which is secret: all entries are read, and all but one are masked away.
    fn select<const N: usize>(self, entries: &[[u64; N]], index: u64) -> [u64; N];
}

/// Implements [`Instructions`] by this function for look-ups and functions with this attribute for arithmetic, which are called
/// after the word `unsafe`, as they have target features.
macro_rules! instructions {
    ($instructions:ty, $select:ident $(, $attribute:meta, $unsafe:ident)?) => {
        impl Instructions for $instructions {
            fn run_formula<F: Prime, M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
                self,
                registers: &mut [PrimeNumber],
                span: &Span,
                digits: u64,
            ) {
                $(#[$attribute])?
                fn compiled<F: Prime, M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
                    registers: &mut [PrimeNumber],
                    span: &Span,
                    digits: u64,
                ) {
                    run_formula::<F, M, IN, OUT>(registers, span, digits);
                }
                // SAFETY: `self` exists, so that the features have been detected.
                $($unsafe)? {
                    compiled::<F, M, IN, OUT>(registers, span, digits);
                }
            }

            fn sum_of_products<F: Prime>(
                self,
                terms: &[(bool, &PrimeNumber, &PrimeNumber)],
            ) -> Limbs {
                $(#[$attribute])?
                fn compiled<F: Prime>(
                    terms: &[(bool, &PrimeNumber, &PrimeNumber)],
                ) -> Limbs {
                    sum_of_products::<F>(terms)
                }
                // SAFETY: as above.
                $($unsafe)? {
                    compiled::<F>(terms)
                }
            }

            fn square_times<F: Prime>(self, x: &mut Limbs, times: u32) {
                $(#[$attribute])?
                fn compiled<F: Prime>(x: &mut Limbs, times: u32) {
                    square_times::<F>(x, times);
                }
                // SAFETY: as above.
                $($unsafe)? {
                    compiled::<F>(x, times);
                }
            }

            fn combine<F: Prime>(self, terms: &[(i32, &PrimeNumber)]) -> Limbs {
                $(#[$attribute])?
                fn compiled<F: Prime>(terms: &[(i32, &PrimeNumber)]) -> Limbs {
                    combine::<F>(terms)
                }
                // SAFETY: as above.
                $($unsafe)? {
                    compiled::<F>(terms)
                }
            }

            fn select<const N: usize>(self, entries: &[[u64; N]], index: u64) -> [u64; N] {
                select::$select(self, entries, index)
            }
        }
    };
}

instructions!(Plain, plain);
#[cfg(target_arch = "x86_64")]
instructions!(
    TwoCarries,
    by_vectors,
    target_feature(enable = "bmi2,adx"),
    unsafe
);

/// A kept number.
#[inline(always)]
fn number<F: Prime>(x: &PrimeNumber) -> Number {
    Number::new(**x, F::TIGHT)
}

/// The number as it is kept.
#[inline(always)]
fn kept<F: Prime>(x: Number) -> Limbs {
    Scalars::<F>::tight(x).limbs
}

#[inline(always)]
fn run_formula<F: Prime, M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
    registers: &mut [PrimeNumber],
    span: &Span,
    digits: u64,
) {
    let (places, outputs) = registers_of::<IN, OUT>(span);
    let inputs = array::from_fn(|k| number::<F>(&registers[places[k].index()]));
    let mut scalars = Scalars::<F>::new(digits);
    let results = M::compute_repeatedly(&mut scalars, inputs, span.times);
    let results: [Limbs; OUT] = array::from_fn(|k| kept::<F>(results[k]));
    for (register, result) in outputs.iter().zip(results) {
        if let Some(register) = register {
            *registers[register.index()] = result;
        }
    }
}

#[inline(always)]
fn sum_of_products<F: Prime>(terms: &[(bool, &PrimeNumber, &PrimeNumber)]) -> Limbs {
    let mut total = Limbs::default();
    for (place, terms) in terms.chunks(F::AT_ONCE).enumerate() {
        let terms = terms.iter();
        let terms = terms.map(|&(negative, x, y)| (negative, number::<F>(x), number::<F>(y)));
        let sum = Scalars::<F>::sum(terms);
        total = kept::<F>(if place == 0 {
            sum
        } else {
            Scalars::<F>::new(0).add(Number::new(total, F::TIGHT), sum)
        });
    }
    total
}

#[inline(always)]
fn square_times<F: Prime>(x: &mut Limbs, times: u32) {
    for _ in 0..times {
        let square = Scalars::<F>::new(0).square(Number::new(*x, F::TIGHT));
        *x = kept::<F>(square);
    }
}

/// Multiples of tight numbers are below `2^63` in sum. Those that are subtracted are added up apart.
#[inline(always)]
fn combine<F: Prime>(terms: &[(i32, &PrimeNumber)]) -> Limbs {
    let mut sums = [Limbs::default(); 2];
    for (factor, x) in terms {
        let sum = &mut sums[usize::from(*factor < 0)];
        let factor = u64::from(factor.unsigned_abs());
        for (sum, limb) in sum.iter_mut().zip(x.iter()) {
            *sum += factor * limb;
        }
    }
    let [plus, minus] = sums.map(|limbs| Number::new(F::carry(limbs), F::TIGHT));
    kept::<F>(Scalars::<F>::new(0).subtract(plus, minus))
}
