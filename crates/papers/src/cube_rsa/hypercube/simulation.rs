//! A discrete-event simulation of a stream of powers through a network.
//!
//! There is one queue of events for the whole network, ordered by time. The simulation does not use
//! residues: when an element works depends on the graph and the costs only. The executor computes
//! the same times with one clock in each element; the two must agree.

use super::network::Network;
use super::timeline::{Event, EventKind, Firing, Timeline, Timing, transfer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An entry of the event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Occurrence {
    /// The next message of the link arrives.
    Arrival { link: usize },
    /// The element has finished the steps whose inputs it had.
    Pause { element: usize },
}

/// The state of one element.
#[derive(Clone, Debug, Default)]
struct ElementState {
    /// The number of the power that it works on or waits for.
    power: usize,
    /// The number of its next step.
    step: usize,
    begun: bool,
    busy: bool,
}

struct Simulation<'a> {
    network: &'a Network,
    timing: Timing,
    count: usize,
    queue: BinaryHeap<Reverse<(u64, Occurrence)>>,
    states: Vec<ElementState>,
    /// For each link, the number of messages that have arrived.
    arrived: Vec<usize>,
    /// For each link, the time from which it can carry the next message.
    free: Vec<u64>,
    events: Vec<Event>,
}

/// The simulated course of a stream of `count` powers through the network.
pub fn simulate(network: &Network, timing: Timing, count: usize) -> Timeline {
    let mut simulation = Simulation {
        network,
        timing,
        count,
        queue: BinaryHeap::new(),
        states: vec![ElementState::default(); network.elements().len()],
        arrived: vec![0; network.links().len()],
        free: vec![0; network.links().len()],
        events: Vec::new(),
    };
    for (number, link) in network.links().iter().enumerate() {
        if link.from.is_none() {
            for power in 0..count {
                simulation.send(
                    number,
                    power,
                    power as u64 * u64::from(timing.interval),
                    None,
                );
            }
        }
    }
    while let Some(Reverse((now, occurrence))) = simulation.queue.pop() {
        match occurrence {
            Occurrence::Arrival { link } => simulation.arrive(link, now),
            Occurrence::Pause { element } => {
                simulation.states[element].busy = false;
                simulation.work(element, now);
            }
        }
    }
    Timeline::new(network, timing, simulation.events)
}

impl Simulation<'_> {
    fn log(&mut self, time: u64, power: usize, element: Option<usize>, kind: EventKind) {
        self.events.push(Event {
            time,
            power,
            element,
            kind,
        });
    }

    fn send(&mut self, link: usize, power: usize, now: u64, element: Option<usize>) {
        let values = self.network.links()[link].values.len();
        let (leaves, arrives) = transfer(self.timing.costs, values, now, &mut self.free[link]);
        self.log(leaves, power, element, EventKind::Send(link));
        self.queue
            .push(Reverse((arrives, Occurrence::Arrival { link })));
    }

    fn arrive(&mut self, link: usize, now: u64) {
        let power = self.arrived[link];
        self.arrived[link] += 1;
        let to = self.network.links()[link].to;
        self.log(now, power, to, EventKind::Receive(link));
        if let Some(element) = to {
            self.work(element, now);
        }
    }

    /// Whether the inputs that the element needs for its next step (or to finish) have arrived.
    fn is_ready(&self, element: usize) -> bool {
        let state = &self.states[element];
        let is_there = |&link: &usize| self.arrived[link] > state.power;
        let incoming = self.network.incoming(element);
        match (
            self.timing.firing,
            self.network.elements()[element].steps.get(state.step),
        ) {
            (Firing::Eager, Some(step)) => {
                let ports = self.network.ports(element);
                let values = step
                    .operands()
                    .into_iter()
                    .filter_map(super::Operand::value);
                let mut links = values
                    .filter_map(|value| ports.get(value))
                    .map(|&p| &incoming[p]);
                links.all(is_there)
            }
            _ => incoming.iter().all(is_there),
        }
    }

    /// Lets an idle element do all steps whose inputs have arrived, from time `now` on.
    fn work(&mut self, element: usize, now: u64) {
        let network = self.network;
        let steps = network.elements()[element].steps.len();
        while !self.states[element].busy
            && self.states[element].power < self.count
            && self.is_ready(element)
        {
            let power = self.states[element].power;
            let mut duration = 0;
            if !self.states[element].begun {
                self.states[element].begun = true;
                self.log(now, power, Some(element), EventKind::Begin);
                duration += u64::from(self.timing.costs.element);
            }
            while self.states[element].step < steps && self.is_ready(element) {
                self.states[element].step += 1;
                duration += u64::from(self.timing.costs.mulmod);
            }
            if duration > 0 {
                self.states[element].busy = true;
                let pause = Occurrence::Pause { element };
                self.queue.push(Reverse((now + duration, pause)));
            } else if self.states[element].step == steps && self.is_ready(element) {
                self.log(now, power, Some(element), EventKind::End);
                for &link in network.outgoing(element) {
                    self.send(link, power, now, Some(element));
                }
                self.states[element] = ElementState {
                    power: power + 1,
                    ..ElementState::default()
                };
            } else {
                return;
            }
        }
    }
}
