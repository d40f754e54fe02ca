//! The shared check.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{Backend, Engine, Exponent, Modulus, Task};

use crate::{
    backends::{EMULATED_CASES, EMULATED_EXPONENT, engines},
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

/// One case: numbers of any size, and whether the exponent is secret.
pub(crate) struct Case<'a> {
    pub(crate) key: &'a Key,
    pub(crate) base: BigUint,
    pub(crate) exponent: Power,
    pub(crate) factor: Option<BigUint>,
}

/// An exponent.
#[derive(Clone)]
pub(crate) enum Power {
    /// Walked over with this many bits, rounded up to whole words.
    Secret(BigUint, u32),
    Public(BigUint),
}

impl Power {
    /// A secret exponent that is no longer than it must be.
    pub(crate) fn secret(value: BigUint) -> Self {
        let bits = value.bits() as u32;
        Self::Secret(value, bits)
    }

    fn value(&self) -> &BigUint {
        match self {
            Self::Secret(value, _) | Self::Public(value) => value,
        }
    }

    /// How many bits are walked over.
    fn length(&self) -> u32 {
        match self {
            Self::Secret(_, bits) => bits.next_multiple_of(64),
            Self::Public(value) => value.bits() as u32,
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

    /// What to look at when it fails.
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

/// A case's numbers as the engines take them.
struct Numbers {
    base: BoxedUint,
    exponent: BoxedUint,
    factor: Option<BoxedUint>,
}

impl Numbers {
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

/// The shared check: the whole batch at once on every backend. `portable` equals num-bigint in
/// every `step`th case, and the others equal `portable` in all.
pub(crate) fn check(cases: &[Case<'_>], step: usize) {
    let engines = engines();
    let numbers: Vec<Numbers> = cases.iter().map(Numbers::of).collect();
    let run = |engine: usize, chosen: &[usize]| {
        let task = |&index: &usize| numbers[index].task(&cases[index], engine);
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
        let chosen = if backend.is_emulated() {
            let chosen = sample(cases);
            println!(
                "{backend} is emulated: {} cases of {}",
                chosen.len(),
                cases.len()
            );
            chosen
        } else {
            all.clone()
        };
        for (&index, result) in chosen.iter().zip(&run(index, &chosen)) {
            let expected = &reference[index];
            assert!(
                result.as_words() == expected.as_words(),
                "{backend} has {:x}, portable {:x}, in a batch of {}: {}",
                **result,
                **expected,
                chosen.len(),
                cases[index].describe()
            );
        }
    }
}

/// The cases that an emulated backend computes.
fn sample(cases: &[Case<'_>]) -> Vec<usize> {
    let is_short = |&index: &usize| cases[index].exponent.length() <= EMULATED_EXPONENT;
    let short: Vec<usize> = (0..cases.len()).filter(is_short).collect();
    let step = short.len().div_ceil(EMULATED_CASES).max(1);
    short.into_iter().step_by(step).collect()
}
