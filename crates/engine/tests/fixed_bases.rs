//! Powers of one base by tables, and products of powers, against num-bigint.

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::program::fixed_base::Comb;
use sunzi_engine::testing::reference;
use sunzi_engine::{Backend, Engine, EngineError, Product};

fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

fn uint(x: &BigUint, bits: u32) -> BoxedUint {
    BoxedUint::from_le_slice(&x.to_bytes_le(), bits.next_multiple_of(64)).unwrap()
}

/// A number of at most `bits` bits, the same in every run.
fn number(bits: u32, seed: u64) -> BigUint {
    let prime = (BigUint::from(1u32) << 9689) - 1u32;
    BigUint::from(seed + 3).modpow(&BigUint::from(65_537u32), &prime)
        % (BigUint::from(1u32) << bits)
}

fn modulus(bits: u32) -> BigUint {
    (BigUint::from(1u32) << bits) - number(bits - 1, 1) * 2u32 - 1u32
}

fn engines() -> Vec<Engine> {
    let best = Engine::new(Backend::best()).unwrap();
    vec![reference(), Engine::new(Backend::PORTABLE).unwrap(), best]
}

#[test]
fn powers_by_tables() {
    for engine in engines() {
        for (bits, length, entries) in [(64, 64, 16), (300, 160, 1 << 8), (1024, 256, 1 << 10)] {
            let n = modulus(bits);
            let modulus = engine.modulus(&uint(&n, bits)).unwrap();
            let base = number(bits - 1, 5);
            let comb = Comb::new(length, entries);
            let fixed = engine
                .fixed_base(&modulus, &uint(&base, bits), comb)
                .unwrap();
            assert_eq!(fixed.comb(), comb);
            assert_eq!(fixed.entries().len(), comb.entries());
            let all = (BigUint::from(1u32) << length) - 1u32;
            let mut exponents = vec![BigUint::ZERO, BigUint::from(1u32), all];
            exponents.extend((0..30).map(|seed| number(length, 100 + seed)));
            let boxed: Vec<BoxedUint> = exponents.iter().map(|e| uint(e, length)).collect();
            let boxed: Vec<&BoxedUint> = boxed.iter().collect();
            let powers = engine.fixed_base_powers(&fixed, &boxed).unwrap();
            for (power, exponent) in powers.iter().zip(&exponents) {
                assert_eq!(big(power), base.modpow(exponent, &n), "{bits}: {exponent}");
            }
            assert!(engine.fixed_base_powers(&fixed, &[]).unwrap().is_empty());
        }
    }
}

#[test]
fn products_of_powers() {
    for engine in engines() {
        let sizes = [(64, 1), (256, 2), (256, 3), (1024, 64)];
        let moduli = sizes.map(|(bits, _)| modulus(bits));
        let prepared: Vec<_> = moduli
            .iter()
            .zip(sizes)
            .map(|(n, (bits, _))| engine.modulus(&uint(n, bits)).unwrap())
            .collect();
        // Bases longer than the modulus, and exponents of all lengths, zero included.
        let terms = |k: usize| -> Vec<(BigUint, BigUint)> {
            let (bits, count) = sizes[k];
            let term = |j: u64| {
                (
                    number(bits + 70, 7 * j),
                    number((j as u32 * 37) % 300, 50 + j),
                )
            };
            (0..count).map(term).collect()
        };
        let numbers: Vec<Vec<(BoxedUint, BoxedUint)>> = (0..sizes.len())
            .map(|k| {
                let bits = sizes[k].0;
                let term = |(x, e): &(BigUint, BigUint)| (uint(x, bits + 70), uint(e, 300));
                terms(k).iter().map(term).collect()
            })
            .collect();
        let mut products: Vec<Product<'_>> = numbers
            .iter()
            .zip(&prepared)
            .map(|(terms, modulus)| Product {
                modulus,
                terms: terms.iter().map(|(x, e)| (x, e)).collect(),
            })
            .collect();
        products.push(Product {
            modulus: &prepared[0],
            terms: Vec::new(),
        });
        let results = engine.products_of_powers_vartime(&products).unwrap();
        for (k, n) in moduli.iter().enumerate() {
            let expected = terms(k)
                .iter()
                .fold(BigUint::from(1u32), |product, (x, e)| {
                    product * x.modpow(e, n) % n
                });
            assert_eq!(big(&results[k]), expected, "{k}");
        }
        assert_eq!(results[sizes.len()], BoxedUint::one());
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let engine = Engine::new(Backend::PORTABLE).unwrap();
    let other = Engine::new(Backend::PORTABLE).unwrap();
    let n = uint(&modulus(256), 256);
    let modulus = engine.modulus(&n).unwrap();
    let comb = Comb::new(100, 16);
    let base = BoxedUint::from(3u32);
    let fixed = engine.fixed_base(&modulus, &base, comb).unwrap();
    let long = BoxedUint::one_with_precision(128).shl(100);
    let error = engine.fixed_base_powers(&fixed, &[&base, &long]);
    assert!(
        matches!(&error, Err(EngineError::BadJob { index: 1, condition }) if condition.contains("100 bits")),
        "{error:?}"
    );
    let foreign = EngineError::ForeignModulus { index: 0 };
    assert_eq!(
        other.fixed_base_powers(&fixed, &[&base]).unwrap_err(),
        foreign
    );
    assert_eq!(
        other.fixed_base(&modulus, &base, comb).unwrap_err(),
        foreign
    );
    let product = Product {
        modulus: &modulus,
        terms: vec![(&base, &base)],
    };
    assert_eq!(
        other.products_of_powers_vartime(&[product]).unwrap_err(),
        foreign
    );
    let wide = BoxedUint::one_with_precision(512);
    let error = engine.fixed_base(&modulus, &wide, comb);
    assert!(
        matches!(error, Err(EngineError::BadJob { index: 0, .. })),
        "{error:?}"
    );
    let comb = Comb { teeth: 40, ..comb };
    let error = engine.fixed_base(&modulus, &base, comb);
    assert!(matches!(error, Err(EngineError::Program(_))), "{error:?}");
}
