//! The data-flow graph of "Cube Based RSA Analysis and Optimization" (Damrudi and Jadidy Aval).
//!
//! `e = D q + r`. A coordinator computes `A = m^q` and `B = m^r`; the cubes compute
//! `A^D B = m^e`. Node `(k, i)` is node `i` of cube `k`:
//!
//! | node | computes |
//! |---|---|
//! | (0, 0), (0, 2) | nothing: they pass on `A` and `B` |
//! | (0, 4), (0, 5), (0, 6) | (0,0)^2, (0,4)^2, (0,4) (0,2) |
//! | (k, 0), (k, 2) | (k-1,0)^2, (k,0)^2 |
//! | (k, 4) | (k,0) (k-1,4) |
//! | (k, 5) | (k,4)^2 (k-1,5) |
//! | (k, 6) | (k,2)^2 (k,4) for k = 1, (k,4) (k,2) (k-1,6) for k >= 2 |
//! | (k, 7) | (k,5)^2 (k,6), times (k+1,7) unless k is the last cube |
//!
//! **This graph is a reconstruction.** The paper shows its data flow in figures, which were not
//! available. The table above is the optimized form; it agrees with every number in the paper's
//! text: `D`, `6 Nc` elements, `10 Nc - 5` `MulMod`s, a critical path of `5 Nc - 1`, and each
//! element's work for two cubes. The plain form has two more nodes in each cube, which the text
//! describes as repeating others: for two cubes it gives their work, and states that 1 = 4, 3 = 6,
//! 9 = 12 and 11 = 14. Two things are guesses: that node 1 is used (as one of the two equal
//! factors of node 5), and that node 3 is not.

use super::error::HypercubeError;
use super::network::{Link, Network, ProcessingElement};
use super::place::{Node, Place};
use super::program::{Operand, Program, Step};
use super::topology::Cubes;
use std::collections::BTreeMap;

/// The form of the cubes: which nodes of a cube are processing elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All eight nodes; two of them repeat the work of others.
    Plain,
    /// Six nodes: nodes 1 and 3 of each cube are left out.
    Optimized,
}

impl Form {
    /// The numbers of the nodes of a cube that are processing elements.
    pub fn nodes(self) -> &'static [usize] {
        match self {
            Self::Plain => &[0, 1, 2, 3, 4, 5, 6, 7],
            Self::Optimized => &[0, 2, 4, 5, 6, 7],
        }
    }

    /// The nodes whose values a node multiplies, in the order of multiplication. Nodes 0 and 2 of
    /// cube 0 pass on a value of the coordinator and have no factors.
    fn factors(self, cubes: Cubes, node: Node) -> Vec<Node> {
        let Node { cube: k, index } = node;
        let here = |index| Node { cube: k, index };
        let before = |index| Node { cube: k - 1, index };
        let twin = match self {
            Self::Plain => here(1),
            Self::Optimized => here(4),
        };
        match (k, index) {
            (0, 0 | 2) => vec![],
            (0, 1 | 4) | (_, 2) => vec![here(0), here(0)],
            (0, 3) => vec![here(1), here(2)],
            (0, 5) => vec![here(4), twin],
            (0, 6) => vec![here(4), here(2)],
            (_, 0) => vec![before(0), before(0)],
            (_, 1) => vec![here(0), before(1)],
            (1, 3) => vec![here(2), here(2), here(1)],
            (_, 3) => vec![here(1), here(2), before(3)],
            (_, 4) => vec![here(0), before(4)],
            (_, 5) => vec![here(4), twin, before(5)],
            (1, 6) => vec![here(2), here(2), here(4)],
            (_, 6) => vec![here(4), here(2), before(6)],
            _ => {
                let mut factors = vec![here(5), here(5), here(6)];
                if k + 1 < cubes.count() {
                    let cube = k + 1;
                    factors.push(Node { cube, index });
                }
                factors
            }
        }
    }
}

/// The network of the cubes alone, from `A` and `B` to `A^D B`.
///
/// # Errors
/// None is expected for any number of cubes; the graph is checked like any other.
pub fn cubes(form: Form, cubes: Cubes) -> Result<Network, HypercubeError> {
    assemble(form, cubes, &[])
}

/// The network of a chain of coordinators followed by the cubes, from `m` to `m^e`.
///
/// The program `coordinator` computes `A` and `B` from `m`; it is cut into `coordinators` parts of
/// equal work. The paper has one coordinator.
///
/// # Errors
/// [`HypercubeError::Stages`] unless `1 <= coordinators <= max(1, W)`, where `W` is the number of
/// the coordinator's steps.
pub fn network(
    form: Form,
    cubes: Cubes,
    coordinator: &Program,
    coordinators: usize,
) -> Result<Network, HypercubeError> {
    assemble(form, cubes, &coordinator.cut(coordinators)?)
}

fn assemble(form: Form, cubes: Cubes, coordinators: &[Program]) -> Result<Network, HypercubeError> {
    let nodes = (0..cubes.count()).flat_map(|cube| {
        let node = move |&index| Node { cube, index };
        form.nodes().iter().map(node)
    });
    let nodes = nodes.collect::<Vec<_>>();
    let first_node = coordinators.len();
    let numbers = nodes
        .iter()
        .enumerate()
        .map(|(at, &node)| (node, first_node + at));
    let numbers = numbers.collect::<BTreeMap<_, _>>();

    let mut elements = Vec::new();
    let mut links = Vec::new();
    for (index, part) in coordinators.iter().enumerate() {
        let values = match index.checked_sub(1) {
            Some(previous) => coordinators[previous].outputs().to_vec(),
            None => (0..part.inputs()).map(Operand::Value).collect(),
        };
        links.push(Link {
            from: index.checked_sub(1),
            to: Some(index),
            values,
        });
        elements.push(ProcessingElement {
            place: Place::Coordinator(index),
            steps: part.steps().to_vec(),
        });
    }
    // A and B come from the last coordinator, or from outside the network.
    let sources = match coordinators.last() {
        Some(last) => last.outputs().to_vec(),
        None => vec![Operand::Value(0), Operand::Value(1)],
    };
    for (index, source) in [0, 2].into_iter().zip(sources) {
        links.push(Link {
            from: coordinators.len().checked_sub(1),
            to: Some(numbers[&Node { cube: 0, index }]),
            values: vec![source],
        });
    }
    // Every node sends one value: its product or, if it has no factors, its only input.
    let mut inputs_of = BTreeMap::new();
    for &node in &nodes {
        let mut sources = form.factors(cubes, node);
        sources.sort_unstable();
        sources.dedup();
        inputs_of.insert(node, sources);
    }
    let sent = |node: &Node| match form.factors(cubes, *node).len() {
        0 => Operand::Value(0),
        factors => Operand::Value(inputs_of[node].len() + factors - 2),
    };
    for &node in &nodes {
        let inputs = &inputs_of[&node];
        for source in inputs {
            links.push(Link {
                from: Some(numbers[source]),
                to: Some(numbers[&node]),
                values: vec![sent(source)],
            });
        }
        let factors = form.factors(cubes, node).into_iter();
        let operand = |factor| Operand::Value(inputs.partition_point(|&input| input < factor));
        let mut factors = factors.map(operand);
        let mut left = factors.next();
        let mut steps = Vec::new();
        for right in factors {
            let product = Operand::Value(inputs.len() + steps.len());
            steps.extend(left.map(|left| Step { left, right }));
            left = Some(product);
        }
        elements.push(ProcessingElement {
            place: Place::Node(node),
            steps,
        });
    }
    let last = Node { cube: 0, index: 7 };
    links.push(Link {
        from: Some(numbers[&last]),
        to: None,
        values: vec![sent(&last)],
    });
    let inputs = coordinators.first().map_or(2, Program::inputs);
    Ok(Network::new(inputs, elements, links)?)
}
