//! Binary plus-minus inversion in residues (BMI). Variable time.
//!
//! ```text
//! u = v = 0;  U1 = 0, U3 = P;  V1 = 1, V3 = A            (V1 A = V3, U1 A = U3 mod P)
//! while none of V3, U3 is 1 or -1:
//!     while V3 is even: divide V3 and V1 by 4 or 2 modulo P; v += 2 or 1
//!     V* = V
//!     V = (V + U) / 4 if V3 + U3 = 0 mod 4, else (V - U) / 4
//!     if v > u: U = V*, swap(u, v)
//!     v += 1
//! return V1 + P, U1 + P, -V1 + P or -U1 + P for V3 = 1, U3 = 1, V3 = -1, U3 = -1
//! ```
//!
//! In: residues of `0 <= A < P`; `P` odd. Out: a number `S` in `(0, 2P)` with `S = A^-1 mod P`,
//! which may exceed `P` (`A = 1` gives `P + 1`). Ranges: `V1, U1` in `(-2P/3, P)`.
//!
//! Termination: `|V3| <= P 2^-v` and `|U3| <= P 2^-u` always hold, and every step adds at least 1
//! to `u + v`. If `gcd(A, P) = 1`, neither is 0, so `u + v < 2l` for a `P` of `l` bits. So when
//! `u + v` reaches `2l`, the greatest common divisor is not 1 (or `A = 0`), and there is an error.
//! Cost: `2n` EMM and `2n` EMA for each inner loop, `2n` and `4n` for each outer loop; on average
//! about `2.38 n l` EMM and `3.81 n l` EMA.
//!
//! Source: K. Bigou and A. Tisserand, "Improving modular inversion in RNS using the
//! plus-minus method", CHES 2013, as described in their "Binary-Ternary Plus-Minus Modular
//! Inversion in RNS", IEEE Transactions on Computers 65 (2016). The start `U3 = P`, the bound of
//! the loop and the error are added here.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use sunzi_rns::{Base, Channel, Residues};

use super::affine::{Affine, Dividend};
use super::error::InversionError;
use super::plus_minus::{Inverse, check_operand, finish};
use super::trace::{self, Operation, State, Trace};

/// BMI modulo `P` in one base.
#[derive(Clone, Debug)]
pub struct BinaryInversion {
    affine: Affine,
}

impl BinaryInversion {
    /// BMI for an odd `P >= 3` in a base of odd moduli with `M > 26P`. Its Cox keeps the smallest
    /// number of bits that is proved to be enough.
    ///
    /// # Errors
    /// An [`InversionError`] for the condition that is violated.
    pub fn new(base: &Base, p: &BoxedUint) -> Result<Self, InversionError> {
        Ok(Self {
            affine: Affine::new(base, p, 4)?,
        })
    }

    /// As [`BinaryInversion::new`], with `t` bits kept in the Cox.
    ///
    /// # Errors
    /// As [`BinaryInversion::new`]; [`InversionError::CoxPrecision`] if `t` is too small.
    pub fn with_kept_bits(base: &Base, p: &BoxedUint, t: u32) -> Result<Self, InversionError> {
        Ok(Self {
            affine: Affine::with_kept_bits(base, p, 4, t)?,
        })
    }

    /// The base.
    pub fn base(&self) -> &Base {
        self.affine.base()
    }

    /// The number of bits kept in the Cox, `t`.
    pub fn kept_bits(&self) -> u32 {
        self.affine.kept_bits()
    }

    /// `A^-1 mod P` from the residues of `0 <= A < P`, with the numbers of loops.
    ///
    /// Variable time: not for secrets. `A < P` is checked by a conversion to an integer, which is
    /// not included in the cost.
    ///
    /// # Errors
    /// [`InversionError::NotInvertible`] for `gcd(A, P) > 1` and `A = 0`;
    /// [`InversionError::Operand`] for residues in another base, or of a number not below `P`.
    pub fn invert_vartime(
        &self,
        channel: &impl Channel,
        a: &Residues,
    ) -> Result<Inverse, InversionError> {
        check_operand(&self.affine, a)?;
        self.run(channel, a, |_, _| ())
    }

    /// As `invert_vartime`, with the state after each step.
    ///
    /// Variable time: not for secrets.
    ///
    /// # Errors
    /// [`InversionError::Operand`] for residues in another base, or of a number not below `P`.
    pub fn trace_vartime(
        &self,
        channel: &impl Channel,
        a: &Residues,
    ) -> Result<Trace, InversionError> {
        check_operand(&self.affine, a)?;
        let mut steps = Vec::new();
        let result = self.run(channel, a, |operation, state| {
            steps.push(trace::step(&self.affine, operation, state));
        });
        Ok(Trace { steps, result })
    }

    /// The inversion of a checked operand; `watch` sees the state after each step.
    fn run(
        &self,
        channel: &impl Channel,
        a: &Residues,
        mut watch: impl FnMut(Operation, &State<'_>),
    ) -> Result<Inverse, InversionError> {
        let affine = &self.affine;
        let bound = 2 * affine.p().bits_vartime();
        let (mut u, mut v) = (0, 0);
        let [mut u1, mut v1, mut u3] = affine.start();
        let mut v3 = affine.enter(channel, a);
        let (mut outer_loops, mut inner_loops) = (0, 0);
        watch(
            Operation::Start,
            &State {
                remainders: [&v3, &u3],
                cofactors: [&v1, &u1],
                half_bits: [2 * v, 2 * u],
            },
        );
        while affine.unit_vartime(&v3) == 0 && affine.unit_vartime(&u3) == 0 {
            while v3.small.is_multiple_of(2) {
                let divisor = if v3.small == 0 { 4 } else { 2 };
                v3 = affine.divide(channel, &v3, divisor);
                v1 = affine.divide(channel, &v1, divisor);
                v += divisor / 2;
                inner_loops += 1;
                watch(
                    Operation::Divide { divisor },
                    &State {
                        remainders: [&v3, &u3],
                        cofactors: [&v1, &u1],
                        half_bits: [2 * v, 2 * u],
                    },
                );
                if u + v >= bound {
                    return Err(InversionError::NotInvertible);
                }
            }
            let sum = affine.small_of(&v3, &u3, Dividend::Sum) == 0;
            let dividend = if sum {
                Dividend::Sum
            } else {
                Dividend::Difference
            };
            let next3 = affine.divide_pair(channel, &v3, &u3, dividend, 4);
            let next1 = affine.divide_pair(channel, &v1, &u1, dividend, 4);
            let replaced = v > u;
            if replaced {
                (u3, u1) = (v3, v1);
                (u, v) = (v, u);
            }
            (v3, v1) = (next3, next1);
            v += 1;
            outer_loops += 1;
            watch(
                Operation::Combine {
                    sum,
                    divisor: 4,
                    replaced,
                },
                &State {
                    remainders: [&v3, &u3],
                    cofactors: [&v1, &u1],
                    half_bits: [2 * v, 2 * u],
                },
            );
            if u + v >= bound {
                return Err(InversionError::NotInvertible);
            }
        }
        let value = finish(affine, channel, [(&v3, &v1), (&u3, &u1)]);
        Ok(Inverse {
            value,
            outer_loops,
            inner_loops,
        })
    }

    /// `a^-1 mod P` in `[0, P)`, for an integer of any size. Variable time.
    ///
    /// # Errors
    /// [`InversionError::NotInvertible`] for `gcd(a, P) > 1`.
    pub fn invert_uint_vartime(
        &self,
        channel: &impl Channel,
        a: &BoxedUint,
    ) -> Result<BoxedUint, InversionError> {
        let p = self.affine.p();
        let residues = Residues::reduced(self.base(), &a.rem_vartime(p));
        let inverse = self.invert_vartime(channel, &residues)?;
        Ok(inverse.value.to_uint().rem_vartime(p))
    }
}
