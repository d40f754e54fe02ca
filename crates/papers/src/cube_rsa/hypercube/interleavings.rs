//! An exhaustive test of the executor's communication in every interleaving of its threads.
//!
//! The model drives the same workers as the executor. A process (the feeder, a worker, the
//! collector) makes one communication at a time: it sends to a queue or receives from its own.
//! Queues behave like `mpsc`: sending fails if the receiver has ended, and receiving fails if the
//! queue is empty and all senders have ended. Every reachable state is visited once, except in
//! larger cases, where a step that commutes with all others is taken first. For one cube there are
//! 6 workers (8 in the plain form), a coordinator, a feeder and a collector: more threads than the
//! `loom` crate can model.

use super::network::Network;
use super::timeline::{Costs, Firing, Timing};
use super::worker::{Action, Message, RunContext, SequenceCheck, Worker, feed};
use super::{Exponent, Form, Hypercube, simulate};
use crate::cube_rsa::arithmetic::MulMod;
use crypto_bigint::{BoxedUint, Choice};
use std::collections::HashSet;
use std::collections::VecDeque;

/// Arithmetic modulo a small prime.
struct SmallPrimeArithmetic;

const PRIME: u32 = 65_521;

impl MulMod for SmallPrimeArithmetic {
    type Residue = u32;

    fn one(&self) -> u32 {
        1
    }

    fn mul_mod(&self, a: &u32, b: &u32) -> u32 {
        (u64::from(*a) * u64::from(*b) % u64::from(PRIME)) as u32
    }

    fn select(&self, a: &u32, b: &u32, choice: Choice) -> u32 {
        if choice.to_bool() { *b } else { *a }
    }
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ProcessState {
    Running,
    Done,
    Failed,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Process {
    worker: Worker<u32>,
    /// Its communication when it is scheduled next.
    next: Action<u32>,
    state: ProcessState,
    /// The number of communications it has made.
    made: usize,
    queue: VecDeque<Message<u32>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct SystemState {
    processes: Vec<Process>,
    /// The messages that the feeder has still to send.
    feed: VecDeque<Message<u32>>,
    collector: ProcessState,
    sequence: SequenceCheck,
    results: VecDeque<Message<u32>>,
    powers: Vec<u32>,
}

/// A fault at one communication.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// The element ends silently instead of making the communication with this number.
    Crash {
        element: usize,
        communication: usize,
    },
    /// The message is lost.
    Lose {
        link: usize,
        power: usize,
    },
}

struct Model<'a> {
    context: RunContext<'a, SmallPrimeArithmetic>,
    bases: Vec<u32>,
    fault: Fault,
    /// Whether a step that commutes with all others is taken first, which reduces the number of
    /// states.
    reduced: bool,
}

impl Model<'_> {
    fn network(&self) -> &Network {
        self.context.network
    }

    fn start(&self) -> SystemState {
        let network = self.network();
        let links = network.links().iter().enumerate();
        let inputs = links
            .filter(|(_, link)| link.from.is_none())
            .collect::<Vec<_>>();
        let [(link, _)] = inputs[..] else {
            unreachable!("a coordinator has one input")
        };
        let inputs = self
            .bases
            .iter()
            .map(|&base| vec![base])
            .collect::<Vec<_>>();
        let messages = feed(&self.context, link, &inputs).map(|(_, message)| message);
        let process = |element| {
            let mut worker = Worker::new(network, element);
            let next = worker.advance(&self.context);
            Process {
                worker,
                next,
                state: ProcessState::Running,
                made: 0,
                queue: VecDeque::new(),
            }
        };
        SystemState {
            processes: (0..network.elements().len()).map(process).collect(),
            feed: messages.collect(),
            collector: ProcessState::Running,
            sequence: SequenceCheck::default(),
            results: VecDeque::new(),
            powers: Vec::new(),
        }
    }

    fn is_lost(&self, message: &Message<u32>) -> bool {
        let Fault::Lose { link, power } = self.fault else {
            return false;
        };
        (message.link, message.power) == (link, power)
    }

    /// Whether all senders of these links have ended.
    fn is_closed(&self, state: &SystemState, mut links: impl Iterator<Item = usize>) -> bool {
        links.all(|link| match self.network().links()[link].from {
            Some(from) => state.processes[from].state != ProcessState::Running,
            None => state.feed.is_empty(),
        })
    }

    /// All states that can follow.
    fn successors(&self, state: &SystemState) -> Vec<SystemState> {
        let mut successors = Vec::new();
        if self.reduced {
            for element in 0..state.processes.len() {
                if let Some(after) = self.commuting_step(state, element) {
                    return vec![after];
                }
            }
        }
        if let Some(message) = state.feed.front() {
            let mut after = state.clone();
            after.feed.pop_front();
            if !self.is_lost(message) {
                self.send(&mut after, message.clone());
            }
            successors.push(after);
        }
        for element in 0..state.processes.len() {
            successors.extend(self.step(state, element));
        }
        if state.collector == ProcessState::Running {
            let mut after = state.clone();
            let count = self.context.count;
            if let Some(message) = after.results.pop_front() {
                if after.sequence.accept(&message).is_err() {
                    after.collector = ProcessState::Failed;
                } else {
                    after.powers.push(message.values[0]);
                    if after.powers.len() == count {
                        after.collector = ProcessState::Done;
                    }
                }
                successors.push(after);
            } else if self.is_closed(state, std::iter::once(self.network().output())) {
                after.collector = ProcessState::Failed;
                successors.push(after);
            }
        }
        successors
    }

    /// The state after the next communication of an element, if that is to receive a message from
    /// its queue and continue.
    ///
    /// This step commutes with every other one: other processes only append to the queue, and none
    /// observes its length. So it may be taken first.
    fn commuting_step(&self, state: &SystemState, element: usize) -> Option<SystemState> {
        let process = &state.processes[element];
        if process.next != Action::Receive || process.queue.is_empty() {
            return None;
        }
        let after = self.step(state, element)?;
        (after.processes[element].state == ProcessState::Running).then_some(after)
    }

    /// The state after the next communication of an element, unless it is blocked.
    fn step(&self, state: &SystemState, element: usize) -> Option<SystemState> {
        let process = &state.processes[element];
        if process.state != ProcessState::Running {
            return None;
        }
        let mut after = state.clone();
        let communication = process.made;
        after.processes[element].made += 1;
        if self.fault
            == (Fault::Crash {
                element,
                communication,
            })
        {
            after.processes[element].state = ProcessState::Failed;
            return Some(after);
        }
        match process.next.clone() {
            Action::Stop => after.processes[element].state = ProcessState::Done,
            Action::Receive => {
                if let Some(message) = after.processes[element].queue.pop_front() {
                    let process = &mut after.processes[element];
                    if process.worker.deliver(self.network(), message).is_err() {
                        process.state = ProcessState::Failed;
                    } else {
                        process.next = process.worker.advance(&self.context);
                    }
                } else if self.is_closed(state, self.network().incoming(element).iter().copied()) {
                    after.processes[element].state = ProcessState::Failed;
                } else {
                    return None;
                }
            }
            Action::Send(message) => {
                let delivered = self.is_lost(&message) || self.send(&mut after, message);
                let process = &mut after.processes[element];
                if delivered {
                    process.next = process.worker.advance(&self.context);
                } else {
                    process.state = ProcessState::Failed;
                }
            }
        }
        Some(after)
    }

    /// Puts a message into its receiver's queue, and returns whether the receiver is running.
    fn send(&self, state: &mut SystemState, message: Message<u32>) -> bool {
        match self.network().links()[message.link].to {
            None => {
                let is_there = state.collector == ProcessState::Running;
                state.results.push_back(message);
                is_there
            }
            Some(to) => {
                let process = &mut state.processes[to];
                process.queue.push_back(message);
                process.state == ProcessState::Running
            }
        }
    }

    /// Visits every reachable state, and returns the final ones.
    fn explore(&self) -> Vec<SystemState> {
        let mut seen = HashSet::new();
        let mut ends = Vec::new();
        let mut open = vec![self.start()];
        seen.insert(hash(&open[0]));
        while let Some(state) = open.pop() {
            let successors = self.successors(&state);
            if successors.is_empty() {
                ends.push(state);
                continue;
            }
            for next in successors {
                if seen.insert(hash(&next)) {
                    open.push(next);
                }
            }
        }
        ends
    }
}

/// A hash of 128 bits, wide enough that a collision between visited states is improbable.
fn hash(state: &SystemState) -> u128 {
    use std::collections::hash_map::DefaultHasher;
    use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
    let mut one = BuildHasherDefault::<DefaultHasher>::default().build_hasher();
    let mut two = one.clone();
    two.write_u8(1);
    state.hash(&mut one);
    state.hash(&mut two);
    u128::from(one.finish()) << 64 | u128::from(two.finish())
}

/// A network and a stream of bases for the model.
struct ModelCase {
    network: Network,
    timing: Timing,
    bases: Vec<u32>,
    /// The exponent.
    e: u32,
}

impl ModelCase {
    fn new(form: Form, firing: Firing, bases: &[u32]) -> Self {
        // e = 10 q + r with q = 2 and r = 3: a coordinator with work.
        let e = 23;
        let hypercube = Hypercube::new(1, form).unwrap();
        let plan = hypercube
            .plan(Exponent::Public(&BoxedUint::from(e)))
            .unwrap();
        let costs = Costs {
            mulmod: 5,
            hop: 2,
            element: 1,
        };
        Self {
            network: plan.network().clone(),
            timing: Timing {
                costs,
                firing,
                interval: 3,
            },
            bases: bases.to_vec(),
            e,
        }
    }

    fn model(&self, fault: Fault) -> Model<'_> {
        Model {
            context: RunContext {
                network: &self.network,
                arithmetic: &SmallPrimeArithmetic,
                digits: &[],
                timing: self.timing,
                count: self.bases.len(),
            },
            bases: self.bases.clone(),
            fault,
            reduced: true,
        }
    }

    fn powers(&self) -> Vec<u32> {
        let power = |&base: &u32| {
            (0..self.e).fold(1, |power, _| SmallPrimeArithmetic.mul_mod(&power, &base))
        };
        self.bases.iter().map(power).collect()
    }

    /// Asserts that in every interleaving with the fault all processes end, at least one fails,
    /// and the powers returned before the failure are correct.
    fn every_interleaving_fails(&self, fault: Fault) {
        let powers = self.powers();
        for end in self.model(fault).explore() {
            let states = end.processes.iter().map(|process| process.state);
            let mut states = states.chain([end.collector]);
            assert!(states.clone().all(|state| state != ProcessState::Running));
            assert!(states.any(|state| state == ProcessState::Failed));
            assert!(powers.starts_with(&end.powers));
        }
    }
}

/// Asserts that without faults every interleaving ends with the correct powers and with the same
/// events as the simulation.
fn every_interleaving_succeeds(case: &ModelCase, reduced: bool) {
    let model = Model {
        reduced,
        ..case.model(Fault::None)
    };
    let simulated = simulate(&case.network, case.timing, case.bases.len());
    let ends = model.explore();
    assert!(!ends.is_empty());
    for end in ends {
        assert_eq!(end.collector, ProcessState::Done);
        assert_eq!(end.powers, case.powers());
        let mut events = Vec::new();
        for process in end.processes {
            assert_eq!(process.state, ProcessState::Done);
            events.extend(process.worker.into_log());
        }
        events.sort_unstable();
        let at_elements = simulated.events().iter();
        let at_elements = at_elements.filter(|event| event.element.is_some());
        assert!(at_elements.eq(&events));
    }
}

#[test]
fn every_interleaving_gives_the_power_and_the_same_events() {
    for form in [Form::Plain, Form::Optimized] {
        every_interleaving_succeeds(&ModelCase::new(form, Firing::Strict, &[3]), false);
    }
    every_interleaving_succeeds(&ModelCase::new(Form::Optimized, Firing::Eager, &[3]), false);
}

#[test]
fn every_interleaving_gives_two_powers_and_the_same_events() {
    for firing in [Firing::Strict, Firing::Eager] {
        every_interleaving_succeeds(&ModelCase::new(Form::Optimized, firing, &[3, 65_520]), true);
    }
}

#[test]
fn every_interleaving_with_a_lost_message_ends_with_a_failure() {
    for (form, bases) in [(Form::Plain, &[3][..]), (Form::Optimized, &[3, 5])] {
        let case = ModelCase::new(form, Firing::Strict, bases);
        for link in 0..case.network.links().len() {
            for power in 0..case.bases.len() {
                case.every_interleaving_fails(Fault::Lose { link, power });
            }
        }
    }
}

#[test]
fn every_interleaving_with_a_crashed_worker_ends_with_a_failure() {
    for form in [Form::Plain, Form::Optimized] {
        let case = ModelCase::new(form, Firing::Strict, &[3]);
        for element in 0..case.network.elements().len() {
            // An element receives from each incoming link, sends over each outgoing one, and
            // stops.
            let incoming = case.network.incoming(element).len();
            let communications = incoming + case.network.outgoing(element).len();
            for communication in 0..=communications {
                let fault = Fault::Crash {
                    element,
                    communication,
                };
                case.every_interleaving_fails(fault);
            }
        }
    }
}
