//! The shared check of a batch on all backends.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{Backend, Engine, Exponent, Modulus, Task};

use crate::{
    backends::engines,
    numbers::{big, uint, uint_with_precision},
};

/// A modulus, prepared for every engine.
pub(crate) struct Key {
    pub(crate) modulus: BigUint,
    prepared: Vec<Arc<Modulus>>,
}

impl Key {
    pub(crate) fn new(modulus: BigUint) -> Self {
        let value = uint(&modulus);
        let prepare = |engine: &Engine| engine.modulus(&value).unwrap();
        Self {
            prepared: engines().iter().map(prepare).collect(),
            modulus,
        }
    }
}

/// A case: a power, times an optional factor, modulo the key's modulus.
pub(crate) struct Case<'a> {
    pub(crate) key: &'a Key,
    pub(crate) base: BigUint,
    pub(crate) exponent: Power,
    pub(crate) factor: Option<BigUint>,
}

/// An exponent, secret or public.
#[derive(Clone)]
pub(crate) enum Power {
    /// A secret exponent, and its precision in bits, which is rounded up to whole words.
    Secret(BigUint, u32),
    /// A public exponent.
    Public(BigUint),
}

impl Power {
    /// A secret exponent with the least precision.
    pub(crate) fn secret(value: BigUint) -> Self {
        let bits = value.bits() as u32;
        Self::Secret(value, bits)
    }

    fn value(&self) -> &BigUint {
        match self {
            Self::Secret(value, _) | Self::Public(value) => value,
        }
    }
}

impl Case<'_> {
    fn expected(&self) -> BigUint {
        let modulus = &self.key.modulus;
        let power = self.base.modpow(self.exponent.value(), modulus);
        match &self.factor {
            Some(factor) => power * factor % modulus,
            None => power,
        }
    }

    /// A description of the case for failure messages.
    fn describe(&self) -> String {
        let (secrecy, exponent) = match &self.exponent {
            Power::Secret(value, bits) => (format!("secret, {bits} bits"), value),
            Power::Public(value) => (String::from("public"), value),
        };
        format!(
            "modulus {:#x}, base {:#x}, exponent {exponent:#x} ({secrecy}), factor {:x?}",
            self.key.modulus, self.base, self.factor
        )
    }
}

/// The arguments of a case's task.
struct Arguments {
    base: BoxedUint,
    exponent: BoxedUint,
    factor: Option<BoxedUint>,
}

impl Arguments {
    fn of(case: &Case<'_>) -> Self {
        Self {
            base: uint(&case.base),
            exponent: match &case.exponent {
                Power::Secret(value, bits) => {
                    uint_with_precision(value, value.bits().max((*bits).into()))
                }
                Power::Public(value) => uint(value),
            },
            factor: case.factor.as_ref().map(uint),
        }
    }

    fn task<'a>(&'a self, case: &'a Case<'_>, engine: usize) -> Task<'a> {
        Task {
            modulus: &case.key.prepared[engine],
            base: &self.base,
            exponent: match case.exponent {
                Power::Secret(..) => Exponent::Secret(&self.exponent),
                Power::Public(_) => Exponent::Public(&self.exponent),
            },
            factor: self.factor.as_ref(),
        }
    }
}

/// The shared check: runs the whole batch at once on every backend. The portable backend must equal
/// num-bigint in every `step`-th case, and all others must equal the portable one in all cases.
pub(crate) fn check(cases: &[Case<'_>], step: usize) {
    let engines = engines();
    let arguments: Vec<Arguments> = cases.iter().map(Arguments::of).collect();
    let run = |engine: usize, chosen: &[usize]| {
        let task = |&index: &usize| arguments[index].task(&cases[index], engine);
        let tasks: Vec<Task<'_>> = chosen.iter().map(task).collect();
        let results = engines[engine].run(&tasks).unwrap();
        assert_eq!(results.len(), tasks.len());
        results
    };

    let all: Vec<usize> = (0..cases.len()).collect();
    let is_portable = |engine: &Engine| engine.backend() == Backend::PORTABLE;
    let portable = engines.iter().position(is_portable).unwrap();
    let reference = run(portable, &all);
    for (case, result) in cases.iter().zip(&reference).step_by(step) {
        assert_eq!(
            big(result),
            case.expected(),
            "portable: {}",
            case.describe()
        );
    }
    for (case, result) in cases.iter().zip(&reference) {
        assert_eq!(
            u64::from(result.bits_precision()),
            case.key.modulus.bits().next_multiple_of(64),
            "the result has the modulus' size in whole words"
        );
    }

    for (index, engine) in engines.iter().enumerate() {
        let backend = engine.backend();
        if index == portable {
            continue;
        }
        for (&index, result) in all.iter().zip(&run(index, &all)) {
            let expected = &reference[index];
            assert!(
                result.as_words() == expected.as_words(),
                "{backend} has {:x}, portable {:x}, in a batch of {}: {}",
                **result,
                **expected,
                cases.len(),
                cases[index].describe()
            );
        }
    }
}
