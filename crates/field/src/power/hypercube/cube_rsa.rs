//! The data flow of "Cube Based RSA Analysis and Optimization" (Damrudi and Jadidy Aval).
//!
//! `e = D q + r`. A coordinator computes `A = m^q` and `B = m^r`; the cubes compute
//! `A^D B = m^e`. Node `(k, i)` is node `i` of cube `k`:
//!
//! | node | computes |
//! |---|---|
//! | (0, 0), (0, 2) | hand on `A` and `B` |
//! | (0, 4), (0, 5), (0, 6) | (0,0)^2, (0,4)^2, (0,4) (0,2) |
//! | (k, 0), (k, 2) | (k-1,0)^2, (k,0)^2 |
//! | (k, 4) | (k,0) (k-1,4) |
//! | (k, 5) | (k,4)^2 (k-1,5) |
//! | (k, 6) | (k,2)^2 (k,4) for k = 1, (k,4) (k,2) (k-1,6) after |
//! | (k, 7) | (k,5)^2 (k,6), and (k+1,7) where there is one |
//!
//! **Reconstructed.** The paper's figures, which hold its data flow, are not at hand. The table
//! above is the optimized form; it meets every number that the text prints: `D`, `6 Nc`
//! elements, `10 Nc - 5` `MulMod`s, `5 Nc - 1` in a row, and each element's work for two cubes.
//! The plain form has two more nodes in each cube, of which the text says that they repeat
//! others: for two cubes it fixes their work, and that 1 = 4, 3 = 6, 9 = 12 and 11 = 14. That
//! node 1 has a user (it stands in for one of two equal factors of node 5) and that node 3 has
//! none are guesses.

use super::HypercubeError;
use super::network::{Element, Link, Network};
use super::program::{Operand, Program, Step};
use super::topology::{Cubes, Node, Place};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// Which nodes of a cube work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All eight; two of them repeat the work of others.
    Plain,
    /// Six: nodes 1 and 3 of each cube are left out.
    Optimized,
}

impl Form {
    /// The nodes of a cube that work.
    pub fn nodes(self) -> &'static [usize] {
        match self {
            Self::Plain => &[0, 1, 2, 3, 4, 5, 6, 7],
            Self::Optimized => &[0, 2, 4, 5, 6, 7],
        }
    }

    /// What node `(k, i)` multiplies, in this order. Nodes 0 and 2 of cube 0 hand on what comes
    /// from the coordinator, and have no factors.
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

/// The cubes alone: a network that takes `A` and `B` and gives `A^D B`.
///
/// # Errors
/// None for any number of cubes; the graph is checked like any other.
pub fn cubes(form: Form, cubes: Cubes) -> Result<Network, HypercubeError> {
    assemble(form, cubes, &[])
}

/// The coordinators, one after another, and the cubes: a network that takes `m`.
///
/// `coordinator` takes `m` and gives `A` and `B`; it is cut into `coordinators` parts of equal
/// work. The paper has one.
///
/// # Errors
/// [`HypercubeError::Stages`] unless `1 <= coordinators <= max(1, W)`, `W` the coordinator's
/// work.
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
        elements.push(Element {
            place: Place::Coordinator(index),
            steps: part.steps().to_vec(),
        });
    }
    // A and B: from the last coordinator, or from outside.
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
    // Every node sends one value: its product, or, if it has no factors, what it gets.
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
        elements.push(Element {
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
