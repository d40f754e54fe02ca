//! A chain of equal stages: any program of `MulMod`s, cut where the work is equal.
//!
//! With `W` steps and `s` stages, no stage does more than `ceil(W / s)`. That is the least any
//! `s` elements can do: their shares sum to `W`. So a chain reaches the bound on the throughput
//! of `s` elements, `1 / ceil(W / s)` powers for each `MulMod`'s time.

use super::HypercubeError;
use super::network::{Element, Link, Network};
use super::program::{Operand, Program};
use super::topology::Place;
use alloc::vec::Vec;

/// A network of `stages` stages that runs `program`. A stage hands on the values that are still
/// needed: the partial power, and the base or the table of its powers.
///
/// # Errors
/// [`HypercubeError::Stages`] unless `1 <= stages <= max(1, W)`, `W` the program's work.
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
    let element = |(stage, part): (usize, &Program)| Element {
        place: Place::Stage(stage),
        steps: part.steps().to_vec(),
    };
    let elements = parts.iter().enumerate().map(element).collect();
    Ok(Network::new(program.inputs(), elements, links)?)
}
