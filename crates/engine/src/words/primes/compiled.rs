//! The formulas that are compiled for each prime.

use crate::{
    interpreter::FORMULAS_ARE_COMPILED,
    program::formulas::{Formula, Segment, edwards, ladder, weierstrass},
    words::primes::{
        arithmetic::{Arithmetic, Code, Compiled},
        p256::P256,
        p25519::P25519,
        secp256k1::Secp256k1,
    },
};

/// Implements [`Compiled`] for a prime with these formulas.
macro_rules! compiled {
    ($prime:ty: $($formula:ty),* $(,)?) => {
        impl Compiled for $prime {
            fn code<A: Arithmetic<Prime = Self>>(segment: Segment) -> Option<Code<A>> {
                if !FORMULAS_ARE_COMPILED {
                    return None;
                }
                $(
                    if segment == name::<$formula, _, _>() {
                        return Some(A::run_formula::<$formula, _, _>);
                    }
                )*
                None
            }
        }
    };
}

compiled!(
    P25519:
    edwards::Double<true>,
    edwards::DoubleWithT<true>,
    edwards::Add<true>,
    edwards::AddWithT<true>,
    edwards::AddAffine<true>,
    edwards::AddAffineWithT<true>,
    ladder::Step<121_665>,
);
compiled!(
    P256:
    weierstrass::DoubleJacobian<true>,
    weierstrass::FromJacobian,
    weierstrass::AddJacobian,
    weierstrass::AddAffineJacobian,
    weierstrass::AddMinusThree,
    weierstrass::AddAffineMinusThree,
);
compiled!(
    Secp256k1:
    weierstrass::DoubleJacobian<false>,
    weierstrass::FromJacobian,
    weierstrass::AddAffineJacobian,
    weierstrass::Rescale,
    weierstrass::AddZero<21>,
    weierstrass::AddAffineZero<21>,
);

/// The name of a formula.
fn name<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>() -> Segment {
    M::SEGMENT
}
