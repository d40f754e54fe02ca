//! Functions that the tests of curves share.

use crypto_bigint::BoxedUint;

/// The inverse modulo a small prime, by trial.
pub(crate) fn inverse(x: u64, p: u64) -> u64 {
    (1..p).find(|y| x * y % p == 1).unwrap()
}

/// The inverse modulo an odd number.
pub(crate) fn inverse_of(x: &BoxedUint, p: &BoxedUint) -> Option<BoxedUint> {
    x.invert_odd_mod(&p.to_odd().unwrap()).into_option()
}

pub(crate) fn uint(x: u64) -> BoxedUint {
    BoxedUint::from(x)
}

pub(crate) fn hex(digits: &str) -> BoxedUint {
    BoxedUint::from_str_radix_vartime(digits, 16).unwrap()
}

/// Evaluates an expression with each arithmetic modulo p that accepts it: Montgomery's with both base extensions, in
/// channels of this width, and the sum of residues.
macro_rules! with_each_arithmetic {
    ($p:expr, $width:expr, |$arithmetic:ident| $check:expr) => {{
        use crate::arithmetic::SumOfResidues;
        use crate::montgomery::{Montgomery, bases};
        let p = $p;
        {
            let (a, b) = bases(p, $width, 1).unwrap();
            let $arithmetic = Montgomery::kawamura(p, &a, &b).unwrap();
            $check;
        }
        {
            let (a, b) = bases(p, $width, 2).unwrap();
            let $arithmetic = Montgomery::hierarchical(p, &a, &b, 2).unwrap();
            $check;
        }
        match SumOfResidues::new(p) {
            Ok($arithmetic) => $check,
            Err(error) => std::println!("p = {p}: {error}"),
        }
    }};
}
pub(crate) use with_each_arithmetic;
