//! Inverses modulo primes.

use crate::{Builder, Scalar, Value, power};

/// The power `x^(P - 2)`, which is `x^-1` for a prime P that does not divide x, and 0 for 0 (Fermat). The
/// scalar is `P - 2`, which each member brings: secret if P is.
///
/// x is in Montgomery form, and so is the result. The operations are noted as an [`Inversion`](crate::Inversion), which
/// several groups may share, and which a device may compute by other means: the modulus must be a prime, and the scalar
/// `P - 2`.
pub fn fermat(builder: &mut Builder, x: Value, prime_less_two: Scalar) -> Value {
    // Others may use it, too.
    builder.montgomery_one();
    builder.inversion(x, |builder, x| {
        power::fixed_window(builder, x, prime_less_two)
    })
}

/// The inverses of several numbers by one inversion and three products for each further number (Montgomery's
/// trick, 1987). If one of a member's numbers is 0, all its inverses are 0.
///
/// The numbers are in Montgomery form, and so are the results; `invert` inverts one number.
pub fn shared(
    builder: &mut Builder,
    numbers: &[Value],
    invert: impl FnOnce(&mut Builder, Value) -> Value,
) -> Vec<Value> {
    let Some((&first, rest)) = numbers.split_first() else {
        return Vec::new();
    };
    // x_1, x_1 x_2, x_1 x_2 x_3, ...
    let mut products = vec![first];
    for &x in rest {
        let last = products[products.len() - 1];
        products.push(builder.multiply(last, x));
    }
    // The inverse of the product of the first k numbers.
    let mut inverse = invert(builder, products[products.len() - 1]);
    let mut inverses = Vec::with_capacity(numbers.len());
    for k in (1..numbers.len()).rev() {
        inverses.push(builder.multiply(inverse, products[k - 1]));
        inverse = builder.multiply(inverse, numbers[k]);
    }
    inverses.push(inverse);
    inverses.reverse();
    inverses
}
