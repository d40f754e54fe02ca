//! The data-flow graph as data: processing elements and the links between them.

use super::error::{HypercubeError, NetworkError};
use super::place::Place;
use super::program::{Operand, Step, check_digits};
use crate::cube_rsa::arithmetic::MulMod;
use std::collections::VecDeque;

/// A processing element: its place, and the `MulMod`s that it does for every power.
///
/// Its values are numbered: first the values of its incoming links, in the order of the links'
/// numbers, then the results of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessingElement {
    /// The place in the hypercube, the chain, or the row of coordinators.
    pub place: Place,
    /// The `MulMod`s, in order.
    pub steps: Vec<Step>,
}

/// A one-way link between two elements. Messages arrive in the order in which they were sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The number of the sending element, or `None` for an input of the network.
    pub from: Option<usize>,
    /// The number of the receiving element, or `None` for the network's result.
    pub to: Option<usize>,
    /// The values that a message carries: operands of the sender, or inputs of the network.
    pub values: Vec<Operand>,
}

/// A checked data-flow graph: links join neighbours only, there are no cycles, and every value
/// that is used is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    inputs: usize,
    elements: Vec<ProcessingElement>,
    links: Vec<Link>,
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
    /// For each element and each of its input values, the position in `incoming` of the value's
    /// link.
    ports: Vec<Vec<usize>>,
    /// The elements in topological order: each one after all elements that send to it.
    order: Vec<usize>,
    output: usize,
}

impl Network {
    /// A network of these elements and links with `inputs` input values for each power.
    ///
    /// # Errors
    /// A [`NetworkError`] for the first condition that is violated.
    pub fn new(
        inputs: usize,
        elements: Vec<ProcessingElement>,
        links: Vec<Link>,
    ) -> Result<Self, NetworkError> {
        let mut incoming = vec![Vec::new(); elements.len()];
        let mut outgoing = vec![Vec::new(); elements.len()];
        let mut outputs = Vec::new();
        for (number, link) in links.iter().enumerate() {
            let is_loose = |end: Option<usize>| end.is_some_and(|end| end >= elements.len());
            if is_loose(link.from) || is_loose(link.to) || (link.from, link.to) == (None, None) {
                return Err(NetworkError::LooseLink(number));
            }
            if links[..number]
                .iter()
                .any(|l| (l.from, l.to) == (link.from, link.to))
            {
                return Err(NetworkError::DoubleLink(number));
            }
            if let (Some(from), Some(to)) = (link.from, link.to) {
                let (from, to) = (elements[from].place, elements[to].place);
                if !from.is_neighbour(to) {
                    return Err(NetworkError::NotNeighbours {
                        link: number,
                        from,
                        to,
                    });
                }
            }
            if let Some(from) = link.from {
                outgoing[from].push(number);
            }
            match link.to {
                Some(to) => incoming[to].push(number),
                None => outputs.push(number),
            }
        }
        let &[output] = outputs.as_slice() else {
            return Err(NetworkError::Outputs(outputs.len()));
        };
        let ports = incoming
            .iter()
            .map(|links_in: &Vec<usize>| {
                let port = |(port, &link): (usize, &usize)| vec![port; links[link].values.len()];
                links_in.iter().enumerate().flat_map(port).collect()
            })
            .collect::<Vec<_>>();
        let mut network = Self {
            inputs,
            elements,
            links,
            incoming,
            outgoing,
            ports,
            order: Vec::new(),
            output,
        };
        network.check_values()?;
        network.order = network.topological_order()?;
        Ok(network)
    }

    fn check_values(&self) -> Result<(), NetworkError> {
        let check = |user: &dyn Fn() -> String, operands: &[Operand], known| {
            for value in operands.iter().copied().filter_map(Operand::value) {
                if value >= known {
                    let user = user();
                    return Err(NetworkError::UnknownValue { user, value, known });
                }
            }
            Ok(())
        };
        for (index, element) in self.elements.iter().enumerate() {
            if self.incoming[index].is_empty() {
                return Err(NetworkError::Unfed(element.place));
            }
            for (number, step) in element.steps.iter().enumerate() {
                let user = || format!("step {number} of {}", element.place);
                check(&user, &step.operands(), self.ports[index].len() + number)?;
            }
        }
        for (number, link) in self.links.iter().enumerate() {
            let known = link.from.map_or(self.inputs, |from| {
                self.ports[from].len() + self.elements[from].steps.len()
            });
            check(&|| format!("link {number}"), &link.values, known)?;
        }
        Ok(())
    }

    /// The elements in topological order, by Kahn's algorithm.
    fn topological_order(&self) -> Result<Vec<usize>, NetworkError> {
        let from_elements = |links: &Vec<usize>| {
            let from = links.iter().filter_map(|&link| self.links[link].from);
            from.count()
        };
        let mut missing = self.incoming.iter().map(from_elements).collect::<Vec<_>>();
        let mut ready = (0..missing.len())
            .filter(|&e| missing[e] == 0)
            .collect::<VecDeque<_>>();
        let mut order = Vec::with_capacity(missing.len());
        while let Some(element) = ready.pop_front() {
            order.push(element);
            for to in self.outgoing[element]
                .iter()
                .filter_map(|&link| self.links[link].to)
            {
                missing[to] -= 1;
                if missing[to] == 0 {
                    ready.push_back(to);
                }
            }
        }
        match missing.iter().position(|&count| count > 0) {
            Some(element) => Err(NetworkError::Cycle(self.elements[element].place)),
            None => Ok(order),
        }
    }

    /// The number of input values for each power.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The processing elements.
    pub fn elements(&self) -> &[ProcessingElement] {
        &self.elements
    }

    /// The links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The number of the link that carries the result out.
    pub fn output(&self) -> usize {
        self.output
    }

    /// The numbers of the links that lead to an element.
    pub fn incoming(&self, element: usize) -> &[usize] {
        &self.incoming[element]
    }

    /// The numbers of the links that lead away from an element.
    pub fn outgoing(&self, element: usize) -> &[usize] {
        &self.outgoing[element]
    }

    /// The elements in topological order: each one after all elements that send to it.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// For each input value of an element, the position of its link in
    /// [`Network::incoming`].
    pub(crate) fn ports(&self, element: usize) -> &[usize] {
        &self.ports[element]
    }

    /// The name of the place at an end of a link: that of an element, or "outside" for `None`.
    pub fn place(&self, end: Option<usize>) -> String {
        end.map_or_else(
            || String::from("outside"),
            |element| format!("{}", self.elements[element].place),
        )
    }

    /// The number of `MulMod`s of all elements together for one power.
    pub fn work(&self) -> usize {
        self.elements
            .iter()
            .map(|element| element.steps.len())
            .sum()
    }

    /// The number of `MulMod`s for one power in the element that does the most.
    pub fn bottleneck(&self) -> usize {
        let work = self.elements.iter().map(|element| element.steps.len());
        work.max().unwrap_or(0)
    }

    /// The output values of the network for one power, computed element by element on one
    /// processor: the reference for the executor.
    ///
    /// # Errors
    /// As [`Network::messages`].
    pub fn evaluate<A: MulMod>(
        &self,
        arithmetic: &A,
        digits: &[u8],
        inputs: &[A::Residue],
    ) -> Result<Vec<A::Residue>, HypercubeError> {
        let mut messages = self.messages(arithmetic, digits, inputs)?;
        Ok(messages.swap_remove(self.output))
    }

    /// The values that each link carries for one power, computed on one processor.
    ///
    /// # Errors
    /// [`HypercubeError::Inputs`] unless there are [`Network::inputs`] inputs,
    /// [`HypercubeError::Digits`] if there are fewer digits than an operand refers to.
    pub fn messages<A: MulMod>(
        &self,
        arithmetic: &A,
        digits: &[u8],
        inputs: &[A::Residue],
    ) -> Result<Vec<Vec<A::Residue>>, HypercubeError> {
        self.check_inputs(inputs.len())?;
        self.check_digits(digits)?;
        let resolve = |values: &[A::Residue], operand: Operand| {
            let residue = operand.resolve(arithmetic, digits, |number| &values[number]);
            residue.into_owned()
        };
        let message = |values: &[A::Residue], link: &Link| {
            let values = link.values.iter().map(|&operand| resolve(values, operand));
            values.collect::<Vec<_>>()
        };
        let mut messages = vec![Vec::new(); self.links.len()];
        for (number, link) in self.links.iter().enumerate() {
            if link.from.is_none() {
                messages[number] = message(inputs, link);
            }
        }
        for &element in &self.order {
            let received = self.incoming[element].iter();
            let received = received.flat_map(|&link| messages[link].iter().cloned());
            let mut values = received.collect::<Vec<_>>();
            for step in &self.elements[element].steps {
                let [left, right] = step.operands().map(|operand| resolve(&values, operand));
                values.push(arithmetic.mul_mod(&left, &right));
            }
            for &link in &self.outgoing[element] {
                messages[link] = message(&values, &self.links[link]);
            }
        }
        Ok(messages)
    }

    /// Refuses a wrong number of inputs.
    pub(crate) fn check_inputs(&self, given: usize) -> Result<(), HypercubeError> {
        let needed = self.inputs;
        if given == needed {
            Ok(())
        } else {
            Err(HypercubeError::Inputs { given, needed })
        }
    }

    /// Refuses fewer digits than the operands refer to.
    pub(crate) fn check_digits(&self, digits: &[u8]) -> Result<(), HypercubeError> {
        let steps = self.elements.iter().flat_map(|element| &element.steps);
        let factors = steps.flat_map(|step| step.operands());
        let carried = self
            .links
            .iter()
            .flat_map(|link| link.values.iter().copied());
        check_digits(factors.chain(carried), digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube_rsa::arithmetic::ExponentArithmetic;

    fn stage(index: usize) -> ProcessingElement {
        ProcessingElement {
            place: Place::Stage(index),
            steps: vec![Step {
                left: Operand::Value(0),
                right: Operand::Value(0),
            }],
        }
    }

    fn link(from: impl Into<Option<usize>>, to: impl Into<Option<usize>>, value: usize) -> Link {
        Link {
            from: from.into(),
            to: to.into(),
            values: vec![Operand::Value(value)],
        }
    }

    #[test]
    fn two_stages_square_twice() {
        let links = vec![link(None, 0, 0), link(0, 1, 1), link(1, None, 1)];
        let network = Network::new(1, vec![stage(0), stage(1)], links).unwrap();
        assert_eq!(
            network
                .evaluate(&ExponentArithmetic, &[], &[[1, 0]])
                .unwrap(),
            [[4, 0]]
        );
        assert_eq!((network.work(), network.bottleneck()), (2, 1));
    }

    #[test]
    fn malformed_graphs_are_refused() {
        let two = || vec![stage(0), stage(1)];
        let refused = |elements, links| Network::new(1, elements, links).unwrap_err();

        let links = vec![link(None, 0, 0), link(0, 1, 1), link(1, None, 1)];
        assert_eq!(
            refused(vec![stage(0), stage(2)], links),
            NetworkError::NotNeighbours {
                link: 1,
                from: Place::Stage(0),
                to: Place::Stage(2)
            }
        );
        let links = vec![link(None, 0, 0), link(0, 7, 1)];
        assert_eq!(refused(two(), links), NetworkError::LooseLink(1));
        let links = vec![link(None, None, 0)];
        assert_eq!(refused(two(), links), NetworkError::LooseLink(0));
        let links = vec![link(None, 0, 0), link(0, 1, 0), link(0, 1, 1)];
        assert_eq!(refused(two(), links), NetworkError::DoubleLink(2));
        let links = vec![link(None, 0, 0), link(0, 1, 1)];
        assert_eq!(refused(two(), links), NetworkError::Outputs(0));
        let links = vec![link(None, 0, 0), link(0, None, 1)];
        assert_eq!(refused(two(), links), NetworkError::Unfed(Place::Stage(1)));
        let links = vec![link(0, 1, 1), link(1, 0, 1), link(1, None, 1)];
        assert_eq!(refused(two(), links), NetworkError::Cycle(Place::Stage(0)));
        let links = vec![link(None, 0, 0), link(0, 1, 2), link(1, None, 1)];
        assert_eq!(
            refused(two(), links),
            NetworkError::UnknownValue {
                user: "link 1".into(),
                value: 2,
                known: 2
            }
        );
        let mut elements = two();
        elements[1].steps[0].right = Operand::Value(1);
        let links = vec![link(None, 0, 0), link(0, 1, 1), link(1, None, 1)];
        assert_eq!(
            refused(elements, links),
            NetworkError::UnknownValue {
                user: "step 0 of stage 1".into(),
                value: 1,
                known: 1
            }
        );
    }
}
