//! A chain of equal stages: a program of `MulMod`s cut into parts of equal work.
//!
//! With `W` steps and `s` stages, no stage does more than `ceil(W / s)` steps. No division among
//! `s` elements can do better, since their shares sum to `W`. So a chain reaches the upper bound
//! on the throughput of `s` elements: one power in the time of `ceil(W / s)` `MulMod`s.

use super::error::HypercubeError;
use super::network::{Link, Network, ProcessingElement};
use super::place::Place;
use super::program::{Operand, Program};

/// The network of `stages` stages in a row that runs `program`. Each stage sends to the next one
/// the values that later steps need: the partial power, and the base or the table of its powers.
///
/// # Errors
/// [`HypercubeError::Stages`] unless `1 <= stages <= max(1, W)`, where `W` is the number of steps.
pub fn chain(program: &Program, stages: usize) -> Result<Network, HypercubeError> {
    let parts = program.cut(stages)?;
    let inputs = (0..program.inputs()).map(Operand::Value).collect();
    let mut links = Vec::from([Link {
        from: None,
        to: Some(0),
        values: inputs,
    }]);
    for (stage, part) in parts.iter().enumerate() {
        links.push(Link {
            from: Some(stage),
            to: (stage + 1 < parts.len()).then_some(stage + 1),
            values: part.outputs().to_vec(),
        });
    }
    let element = |(stage, part): (usize, &Program)| ProcessingElement {
        place: Place::Stage(stage),
        steps: part.steps().to_vec(),
    };
    let elements = parts.iter().enumerate().map(element).collect();
    Ok(Network::new(program.inputs(), elements, links)?)
}
