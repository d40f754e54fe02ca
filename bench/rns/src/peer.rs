//! GMP's operations on integers, if GMP is compiled in.
//!
//! Results are written to existing integers, as in a program that is written for speed.

use crypto_bigint::BoxedUint;
#[cfg(feature = "gmp")]
use std::hint::black_box;

use crate::measure::Operation;

/// The name of the peer, if it is compiled in.
pub(crate) const NAME: Option<&str> = if cfg!(feature = "gmp") {
    Some("GMP")
} else {
    None
};

/// An operation on integers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    /// `x + y`
    Add,
    /// `x - y`
    Sub,
    /// `x y`
    Mul,
    /// `floor(x / y)`
    Div,
    /// `floor(x / y)` and the remainder
    DivRem,
    /// the sign of `x`
    Sign,
    /// `x y mod p`
    MulMod,
    /// `x^-1 mod p`
    Invert,
}

/// GMP's operation on `x`, `y` and, if it needs one, the modulus `p`; `None` if GMP is not compiled
/// in.
#[cfg(feature = "gmp")]
pub(crate) fn operation(task: Task, numbers: [&BoxedUint; 3]) -> Option<Operation<'static>> {
    NAME.map(|_| gmp(task, numbers))
}

/// `None`, as GMP is not compiled in.
#[cfg(not(feature = "gmp"))]
pub(crate) fn operation(_: Task, _: [&BoxedUint; 3]) -> Option<Operation<'static>> {
    None
}

#[cfg(feature = "gmp")]
fn gmp(task: Task, numbers: [&BoxedUint; 3]) -> Operation<'static> {
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
            Task::Sign => {
                black_box(x.cmp0());
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
