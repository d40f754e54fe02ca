use super::*;
use crate::{
    Engine,
    backend::portable::{InstructionSet, Portable},
};
use num_bigint::BigUint;

/// One shared check for every instruction set and group width: a few powers with mixed
/// moduli, against num-bigint.
fn check<const L: usize>(portable: &LaneBackend<Portable>, engine: &Engine) {
    for bits in [128u32, 1024] {
        let value = |seed: u64| -> BoxedUint {
            let words = (1..=u64::from(bits / 64))
                .map(|i| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1);
            BoxedUint::from_words(words)
        };
        let big = |x: &BoxedUint| BigUint::from_bytes_le(&x.to_le_bytes());
        let values: Vec<_> = (0..L as u64)
            .map(|l| (value(3 * l), value(5 * l + 1)))
            .collect();
        let moduli: Vec<_> = values
            .iter()
            .map(|(modulus, _)| engine.modulus(modulus).unwrap())
            .collect();
        let exponent = value(7);
        let tasks: Vec<_> = values
            .iter()
            .zip(&moduli)
            .map(|((_, base), modulus)| {
                Task::power(modulus, base, Exponent::Secret(&exponent)).times(&exponent)
            })
            .collect();
        // A full group, and one with lanes left over.
        for count in [L, L - 1] {
            let results = portable.run_group::<L>(&tasks[..count]);
            assert_eq!(results.len(), count);
            for (result, (modulus, base)) in results.iter().zip(&values) {
                let (modulus, base, exponent) = (big(modulus), big(base), big(&exponent));
                let power = base.modpow(&exponent, &modulus);
                assert_eq!(
                    big(result),
                    power * exponent % modulus,
                    "{}",
                    portable.kernels.set
                );
            }
        }
    }
}

#[test]
fn every_instruction_set_agrees_with_num_bigint() {
    let engine = Engine::new(crate::Backend::Portable).unwrap();
    for set in InstructionSet::available() {
        println!("checking {set}");
        let portable = LaneBackend::new(Portable { set });
        check::<4>(&portable, &engine);
        check::<8>(&portable, &engine);
        check::<32>(&portable, &engine);
    }
}

#[test]
fn plans_are_kept_and_bounded_in_number() {
    let portable = LaneBackend::new(Portable::new());
    let none = BTreeSet::new();
    let first = portable.plan(64, &none).unwrap();
    assert!(Arc::ptr_eq(&first, &portable.plan(64, &none).unwrap()));
    for size in 2..=PLANS_KEPT as u32 + 4 {
        portable.plan(64 * size, &none).unwrap();
    }
    assert_eq!(portable.plans.lock().unwrap().len(), PLANS_KEPT);
    assert!(!Arc::ptr_eq(&first, &portable.plan(64, &none).unwrap()));
}
