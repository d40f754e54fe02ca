//! Plain integers: conversions, and the operations that residues are compared with.
//!
//! The peer is GMP with the feature `gmp`, and else `num-bigint`. Both sides run on one thread.

use crate::timing::Operation;
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use std::hint::black_box;

/// The name of the peer.
pub const PEER: &str = if cfg!(feature = "gmp") {
    "GMP 6.3, one thread"
} else {
    "num-bigint 0.5, one thread"
};

/// The integer as a `BigUint`.
pub fn big(number: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&number.to_le_bytes())
}

/// The integer as a `BoxedUint`, in whole words.
pub fn boxed(number: &BigUint) -> BoxedUint {
    BoxedUint::from(number.to_u64_digits())
}

/// An operation on integers.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// `x + y`
    Add,
    /// `x - y`, for `x >= y`
    Sub,
    /// `x y`
    Mul,
    /// `floor(x / y)`
    Div,
    /// `floor(x / y)` and the remainder
    DivRem,
    /// the comparison `x < y`, which is the sign of `x` for `y = (P + 1)/2`
    Compare,
    /// `x y mod p`
    MulMod,
    /// `x^-1 mod p`
    Invert,
}

/// The peer's operation on `x`, `y` and, if it needs one, the modulus `p`.
#[cfg(not(feature = "gmp"))]
pub fn operation(task: Task, numbers: [&BoxedUint; 3]) -> Operation<'static> {
    use num_integer::Integer;
    let [x, y, p] = numbers.map(big);
    Box::new(move || {
        let (x, y, p) = (black_box(&x), black_box(&y), black_box(&p));
        match task {
            Task::Add => drop(black_box(x + y)),
            Task::Sub => drop(black_box(x - y)),
            Task::Mul => drop(black_box(x * y)),
            Task::Div => drop(black_box(x / y)),
            Task::DivRem => drop(black_box(x.div_rem(y))),
            Task::Compare => {
                black_box(x < y);
            }
            Task::MulMod => drop(black_box(x * y % p)),
            Task::Invert => drop(black_box(x.modinv(p))),
        }
    })
}

/// The peer's operation on `x`, `y` and, if it needs one, the modulus `p`. Results are written to
/// existing integers, as in a program that is written for speed.
#[cfg(feature = "gmp")]
pub fn operation(task: Task, numbers: [&BoxedUint; 3]) -> Operation<'static> {
    use rug::{Assign, Complete, Integer, integer::Order};
    let [x, y, p] = numbers.map(|x| Integer::from_digits(x.as_words(), Order::Lsf));
    let (mut result, mut second) = (Integer::new(), Integer::new());
    Box::new(move || {
        let (x, y, p) = (black_box(&x), black_box(&y), black_box(&p));
        match task {
            Task::Add => result.assign(x + y),
            Task::Sub => result.assign(x - y),
            Task::Mul => result.assign(x * y),
            Task::Div => result.assign(x / y),
            Task::DivRem => (&mut result, &mut second).assign(x.div_rem_ref(y)),
            Task::Compare => {
                black_box(x < y);
            }
            Task::MulMod => {
                second.assign(x * y);
                result.assign(&second % p);
            }
            Task::Invert => {
                if let Some(inverse) = x.invert_ref(p) {
                    result = inverse.complete();
                }
            }
        }
        black_box((&result, &second));
    })
}
