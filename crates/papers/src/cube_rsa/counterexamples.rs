//! Cases in which the paper as printed is wrong.

use super::hypercube::{Exponent, Form, Hypercube, HypercubeError};
use crate::paper::{Counterexample, Demonstration};
use crypto_bigint::BoxedUint;

/// All counterexamples.
pub(super) static COUNTEREXAMPLES: [Counterexample; 2] = [
    Counterexample {
        name: "coordinator-does-the-work",
        place: "Section 2",
        statement: "The coordinator does about 1500 MulMods for each power, every other element at most 3: \
            a pipeline is as slow as the coordinator.",
        run: coordinator_does_the_work,
    },
    Counterexample {
        name: "logarithm-is-subtracted",
        place: "Section 4, k'",
        statement: "The coordinator takes (k - 1) minus log2 D squarings; as printed the signs differ \
            between the lines, and once it is a product: a misprint, or signs that the transcription lost.",
        run: logarithm_is_subtracted,
    },
];

/// A demonstration from steps that can fail: then it is not confirmed, and states the reason.
fn from_result(result: Result<Demonstration, HypercubeError>) -> Demonstration {
    result.unwrap_or_else(|error| Demonstration {
        lines: vec![error.to_string()],
        confirmed: false,
    })
}

fn coordinator_does_the_work() -> Demonstration {
    let run = || {
        let e = crate::random::Random(1).odd(1024);
        let plan = Hypercube::new(2, Form::Optimized)?.plan(Exponent::Public(&e))?;
        let work = plan
            .network()
            .elements()
            .iter()
            .map(|element| element.steps.len());
        let mut work: Vec<usize> = work.collect();
        work.sort_unstable();
        let (coordinator, others) = work.split_last().ok_or(HypercubeError::NoCubes)?;
        let most = others.last().copied().unwrap_or(0);
        Ok(Demonstration {
            lines: vec![format!(
                "a random odd exponent of 1024 bits, two cubes: {coordinator} MulMods in the coordinator, \
                 {others:?} in the elements"
            )],
            confirmed: *coordinator > 100 * most,
        })
    };
    from_result(run())
}

fn logarithm_is_subtracted() -> Demonstration {
    let run = || {
        let e = BoxedUint::one_with_precision(1024).shl(1023);
        let plan = Hypercube::new(2, Form::Optimized)?.plan(Exponent::Public(&e))?;
        let quotient_bits = f64::from(1024) - 46f64.log2();
        let squarings = quotient_bits.floor() as usize;
        let found = plan.coordinator().steps().len();
        Ok(Demonstration {
            lines: vec![format!(
                "k = 1024, D = 46, log2 D = {:.2}: q has {} bits; the coordinator takes {found} MulMods for \
                 e = 2^1023",
                46f64.log2(),
                squarings
            )],
            confirmed: found >= squarings - 1 && squarings < 1023,
        })
    };
    from_result(run())
}
