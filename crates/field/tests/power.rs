//! Tests of fixed-window exponentiation against num-bigint.

mod common;

use common::{Random, big, boxed};
use crypto_bigint::{BoxedUint, Resize};
use num_bigint::BigUint;
use sunzi_field::montgomery::{Montgomery, bases};
use sunzi_rns::{Counting, Plain};

#[test]
fn powers_modulo_odd_numbers_of_64_to_2048_bits() {
    let mut random = Random::new(1);
    for bits in [64, 65, 127, 256, 512, 1000, 1024, 2048] {
        let m = random.odd(bits);
        let (a, b) = bases(&boxed(&m), 62, 1).unwrap();
        let field = Montgomery::kawamura(&boxed(&m), &a, &b).unwrap();
        let check = |x: &BigUint, e: &BigUint| {
            let power = field.pow(&Plain, &field.element(&Plain, &boxed(x)), &boxed(e));
            assert_eq!(
                big(&field.to_uint(&Plain, &power)),
                x.modpow(e, &m),
                "{x}^{e} mod {m}"
            );
        };
        let bases = [
            BigUint::ZERO,
            1u8.into(),
            &m - 1u8,
            random.below(&m),
            &m * &m + 7u8,
        ];
        for x in &bases {
            for e in [0u32, 1, 2, 3, 65_537] {
                check(x, &e.into());
            }
        }
        let full = random.odd(bits);
        check(&bases[3], &full);
        if bits <= 512 {
            for x in &bases {
                check(x, &full);
            }
        }
    }
}

#[test]
fn every_power_modulo_a_tiny_number() {
    let m = BoxedUint::from(77u64);
    let (a, b) = bases(&m, 16, 2).unwrap();
    let field = Montgomery::hierarchical(&m, &a, &b, 2).unwrap();
    for x in 0..77u64 {
        let element = field.element(&Plain, &BoxedUint::from(x));
        let mut expected = 1;
        for e in 0..40u64 {
            let power = field.pow(&Plain, &element, &BoxedUint::from(e));
            assert_eq!(field.to_uint(&Plain, &power), BoxedUint::from(expected));
            expected = expected * x % 77;
        }
    }
}

#[test]
fn the_operations_depend_on_the_precision_of_the_exponent_only() {
    let m = BoxedUint::from((1u128 << 127) - 1);
    let (a, b) = bases(&m, 62, 1).unwrap();
    let field = Montgomery::kawamura(&m, &a, &b).unwrap();
    let x = field.element(&Plain, &BoxedUint::from(3u64));
    let channel = Counting::default();
    let cost = |e: BoxedUint| {
        let _ = field.pow(&channel, &x, &e);
        channel.take()
    };
    let zero = cost(BoxedUint::zero_with_precision(256));
    for e in [
        BoxedUint::one(),
        BoxedUint::max(256),
        BoxedUint::from(1u64 << 63),
    ] {
        assert_eq!(cost(e.resize(256)), zero);
    }
    assert_ne!(cost(BoxedUint::zero_with_precision(128)), zero);
    // 4-bit windows: 4 * 64 squarings, 64 products, 14 for the table.
    let n = a.len() as u64;
    assert_eq!(zero.emm, 2 * n * (4 * 64 + 64 + 14));
}
