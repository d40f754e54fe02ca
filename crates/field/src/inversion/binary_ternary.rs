//! Binary-ternary plus-minus inversion in residues (BTMI). Variable time.
//!
//! ```text
//! u = v = 0;  U1 = 0, U3 = P;  V1 = 1, V3 = A            (V1 A = V3, U1 A = U3 mod P)
//! while none of V3, U3 is 1 or -1:
//!     while V3 is even or a multiple of 3:
//!         divide V3 and V1 by the largest D of 12, 6, 4, 3, 2 that divides V3; v += log2 D
//!     V* = V
//!     V = V + U if V3 + U3 = 0 mod 3, else V - U
//!     divide V by 12 (r = 1) if V3 = 0 mod 4, else by 6 (r = 0), modulo P
//!     if v > u: U = V*, swap(u, v)
//!     v += r + sigma
//! return V1 + P, U1 + P, -V1 + P or -U1 + P for V3 = 1, U3 = 1, V3 = -1, U3 = -1
//! ```
//!
//! with `log2 3` taken as `sigma = 1.5`.
//!
//! In: residues of `0 <= A < P`; `gcd(P, 6) = 1`. Out: a number `S` in `(0, 2P)` with
//! `S = A^-1 mod P`, which may exceed `P` (`A = 1` gives `P + 1`). Ranges: `V1, U1` in
//! `(-2P/3, P)`.
//!
//! Termination: `|V3| <= P 2^-v` and `|U3| <= P 2^-u` always hold (dividing a sum of two by 6 gains
//! `log2 3 > 1.5` bits), and every step adds at least 1 to `u + v`. If `gcd(A, P) = 1`, neither is
//! 0, so `u + v < 2l` for a `P` of `l` bits. So when `u + v` reaches `2l`, the greatest common
//! divisor is not 1 (or `A = 0`), and there is an error. Cost: `2n` EMM and `2n` EMA for each inner
//! loop, `2n` and `4n` for each outer loop; on average about `1.63 n l` EMM and `2.57 n l` EMA.
//!
//! Source: K. Bigou and A. Tisserand, "Binary-Ternary Plus-Minus Modular Inversion in RNS",
//! IEEE Transactions on Computers 65 (2016), Algorithms 1 and 2. Differences: the start
//! `U3 = P`, which Algorithm 1 leaves out; `update3_4` corrected (as printed, nearly every
//! inverse modulo a `P = 1 mod 4` is wrong); `r = 1` for a division by 12 and `r = 0` for one
//! by 6, with either sign; the bound of the loop, and the error.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use sunzi_rns::{Base, Channel, Residues};

use super::affine::{Affine, Dividend};
use super::error::InversionError;
use super::plus_minus::{Inverse, check_operand, finish};
use super::trace::{self, Operation, State, Trace};

/// The value of `sigma`, in half bits.
const SIGMA: u32 = 3;

/// BTMI modulo `P` in one base.
#[derive(Clone, Debug)]
pub struct BinaryTernaryInversion {
    affine: Affine,
}

impl BinaryTernaryInversion {
    /// BTMI for `P >= 5` coprime to 6 in a base of moduli coprime to 6 with `M > 26P`. Its Cox
    /// keeps the smallest number of bits that is proved to be enough.
    ///
    /// # Errors
    /// An [`InversionError`] for the condition that is violated.
    pub fn new(base: &Base, p: &BoxedUint) -> Result<Self, InversionError> {
        Ok(Self {
            affine: Affine::new(base, p, 12)?,
        })
    }

    /// As [`BinaryTernaryInversion::new`], with `t` bits kept in the Cox.
    ///
    /// # Errors
    /// As [`BinaryTernaryInversion::new`]; [`InversionError::CoxPrecision`] if `t` is too
    /// small.
    pub fn with_kept_bits(base: &Base, p: &BoxedUint, t: u32) -> Result<Self, InversionError> {
        Ok(Self {
            affine: Affine::with_kept_bits(base, p, 12, t)?,
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
        // u, v and their bound are in half bits.
        let bound = 4 * affine.p().bits_vartime();
        let (mut u, mut v) = (0, 0);
        let [mut u1, mut v1, mut u3] = affine.start();
        let mut v3 = affine.enter(channel, a);
        let (mut outer_loops, mut inner_loops) = (0, 0);
        watch(
            Operation::Start,
            &State {
                remainders: [&v3, &u3],
                cofactors: [&v1, &u1],
                half_bits: [v, u],
            },
        );
        while affine.unit_vartime(&v3) == 0 && affine.unit_vartime(&u3) == 0 {
            while let Some((divisor, half_bits)) = divisor(v3.small) {
                v3 = affine.divide(channel, &v3, divisor);
                v1 = affine.divide(channel, &v1, divisor);
                v += half_bits;
                inner_loops += 1;
                watch(
                    Operation::Divide { divisor },
                    &State {
                        remainders: [&v3, &u3],
                        cofactors: [&v1, &u1],
                        half_bits: [v, u],
                    },
                );
                if u + v >= bound {
                    return Err(InversionError::NotInvertible);
                }
            }
            let sum = affine.small_of(&v3, &u3, Dividend::Sum).is_multiple_of(3);
            let dividend = if sum {
                Dividend::Sum
            } else {
                Dividend::Difference
            };
            let four = affine.small_of(&v3, &u3, dividend).is_multiple_of(4);
            let (divisor, r) = if four { (12, 2) } else { (6, 0) };
            let next3 = affine.divide_pair(channel, &v3, &u3, dividend, divisor);
            let next1 = affine.divide_pair(channel, &v1, &u1, dividend, divisor);
            let replaced = v > u;
            if replaced {
                (u3, u1) = (v3, v1);
                (u, v) = (v, u);
            }
            (v3, v1) = (next3, next1);
            v += r + SIGMA;
            outer_loops += 1;
            watch(
                Operation::Combine {
                    sum,
                    divisor,
                    replaced,
                },
                &State {
                    remainders: [&v3, &u3],
                    cofactors: [&v1, &u1],
                    half_bits: [v, u],
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

/// The largest `D` of 12, 6, 4, 3, 2 that divides `X`, and `log2 D` in half bits.
fn divisor(small: u32) -> Option<(u32, u32)> {
    let ternary = small.is_multiple_of(3);
    match (small % 4, ternary) {
        (0, true) => Some((12, SIGMA + 4)),
        (2, true) => Some((6, SIGMA + 2)),
        (0, false) => Some((4, 4)),
        (_, true) => Some((3, SIGMA)),
        (2, false) => Some((2, 2)),
        (_, false) => None,
    }
}
