//! Tests with chains of a thousand products and more. Builds with debug assertions check the range
//! of every intermediate value.

use num_bigint::BigUint;

use crate::{
    check::{Case, Key, Power, check},
    numbers::{ones, power_of_two, random_modulus, rng},
};

/// Exponents `2^1000` (a thousand squarings) and `2^1000 - 1` (a thousand squarings with products
/// between them), with the largest operands, moduli at both ends of their size, and batches for
/// every layout.
#[test]
fn a_thousand_products() {
    let mut rng = rng();
    for bits in [512, 1024, 1536, 2048, 3072, 4096] {
        let moduli = [
            ones(bits),
            power_of_two(bits - 1) + 1u32,
            random_modulus(&mut rng, bits),
        ];
        let keys = moduli.map(Key::new);
        for length in [1, 2, 17] {
            for exponent in [
                Power::Secret(power_of_two(1000), 1001),
                Power::Secret(ones(1000), 1000),
                Power::Public(power_of_two(1000)),
                Power::Public(ones(1000)),
            ] {
                let cases: Vec<Case<'_>> = (0..length)
                    .map(|index| {
                        let key = &keys[index % keys.len()];
                        Case {
                            key,
                            base: operand(key, index),
                            exponent: exponent.clone(),
                            factor: None,
                        }
                    })
                    .collect();
                check(&cases, 8);
            }
        }
    }
}

/// An operand slightly below `P - 1`, whose square would be 1, or one of all ones.
fn operand(key: &Key, index: usize) -> BigUint {
    if index % 5 == 4 {
        ones(key.modulus.bits() as u32)
    } else {
        &key.modulus - 2u32 - index
    }
}
