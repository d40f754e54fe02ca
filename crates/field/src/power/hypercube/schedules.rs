//! The executor's queues in every order that threads could run: an exhaustive scheduler test.
//!
//! The model drives the same workers as the executor. A process (the feeder, a worker, the
//! collector) makes one communication at a time: it sends to a queue or takes from its own.
//! Queues behave like `mpsc`: sending fails when the receiver has ended, receiving fails when
//! the queue is empty and all senders have ended. Every state that any schedule can reach is
//! visited once, but for larger cases, where steps that commute with all others are taken at
//! once. For one cube there are 6 workers (8 in the plain form), a coordinator, a feeder and a
//! collector: more threads than the `loom` crate can model.

use super::arithmetic::MulMod;
use super::network::Network;
use super::timeline::{Costs, Firing, Timing};
use super::worker::{Action, Context, Message, Sequence, Worker, feed};
use super::{Exponent, Form, Hypercube, simulate};
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use crypto_bigint::{BoxedUint, Choice};
use std::collections::HashSet;

/// Residues modulo a small prime.
struct Small;

const PRIME: u32 = 65_521;

impl MulMod for Small {
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

/// How a process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Standing {
    Running,
    Done,
    Failed,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Process {
    worker: Worker<u32>,
    /// What it will do when it is scheduled.
    next: Action<u32>,
    standing: Standing,
    /// How many communications it has made.
    made: usize,
    queue: VecDeque<Message<u32>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    processes: Vec<Process>,
    /// What the feeder has still to send.
    feed: VecDeque<Message<u32>>,
    collector: Standing,
    sequence: Sequence,
    results: VecDeque<Message<u32>>,
    powers: Vec<u32>,
}

/// A fault at one communication.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// The element ends without a word instead of making its communication of this number.
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
    context: Context<'a, Small>,
    bases: Vec<u32>,
    fault: Fault,
    /// Whether steps that commute with all others are taken at once.
    reduced: bool,
}

impl Model<'_> {
    fn network(&self) -> &Network {
        self.context.network
    }

    fn start(&self) -> State {
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
                standing: Standing::Running,
                made: 0,
                queue: VecDeque::new(),
            }
        };
        State {
            processes: (0..network.elements().len()).map(process).collect(),
            feed: messages.collect(),
            collector: Standing::Running,
            sequence: Sequence::default(),
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

    /// Whether all that send over these links have ended.
    fn is_closed(&self, state: &State, mut links: impl Iterator<Item = usize>) -> bool {
        links.all(|link| match self.network().links()[link].from {
            Some(from) => state.processes[from].standing != Standing::Running,
            None => state.feed.is_empty(),
        })
    }

    /// Everything that could happen next.
    fn successors(&self, state: &State) -> Vec<State> {
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
        if state.collector == Standing::Running {
            let mut after = state.clone();
            let count = self.context.count;
            if let Some(message) = after.results.pop_front() {
                if after.sequence.accept(&message).is_err() {
                    after.collector = Standing::Failed;
                } else {
                    after.powers.push(message.values[0]);
                    if after.powers.len() == count {
                        after.collector = Standing::Done;
                    }
                }
                successors.push(after);
            } else if self.is_closed(state, core::iter::once(self.network().output())) {
                after.collector = Standing::Failed;
                successors.push(after);
            }
        }
        successors
    }

    /// The next communication of an element if it takes a message from its queue and goes on.
    ///
    /// Whatever else could happen comes to the same before or after it: others only append to
    /// the queue, and nobody looks at how long it is. So all that others do can wait.
    fn commuting_step(&self, state: &State, element: usize) -> Option<State> {
        let process = &state.processes[element];
        if process.next != Action::Receive || process.queue.is_empty() {
            return None;
        }
        let after = self.step(state, element)?;
        (after.processes[element].standing == Standing::Running).then_some(after)
    }

    /// The next communication of an element, if it is not blocked.
    fn step(&self, state: &State, element: usize) -> Option<State> {
        let process = &state.processes[element];
        if process.standing != Standing::Running {
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
            after.processes[element].standing = Standing::Failed;
            return Some(after);
        }
        match process.next.clone() {
            Action::Stop => after.processes[element].standing = Standing::Done,
            Action::Receive => {
                if let Some(message) = after.processes[element].queue.pop_front() {
                    let process = &mut after.processes[element];
                    if process.worker.deliver(self.network(), message).is_err() {
                        process.standing = Standing::Failed;
                    } else {
                        process.next = process.worker.advance(&self.context);
                    }
                } else if self.is_closed(state, self.network().incoming(element).iter().copied()) {
                    after.processes[element].standing = Standing::Failed;
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
                    process.standing = Standing::Failed;
                }
            }
        }
        Some(after)
    }

    /// Puts a message into its queue; whether the receiver is there.
    fn send(&self, state: &mut State, message: Message<u32>) -> bool {
        match self.network().links()[message.link].to {
            None => {
                let is_there = state.collector == Standing::Running;
                state.results.push_back(message);
                is_there
            }
            Some(to) => {
                let process = &mut state.processes[to];
                process.queue.push_back(message);
                process.standing == Standing::Running
            }
        }
    }

    /// Visits every reachable state and gives those where nothing more can happen.
    fn explore(&self) -> Vec<State> {
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

/// 128 bits, so that no two of the states met share one.
fn hash(state: &State) -> u128 {
    use core::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
    use std::collections::hash_map::DefaultHasher;
    let mut one = BuildHasherDefault::<DefaultHasher>::default().build_hasher();
    let mut two = one.clone();
    two.write_u8(1);
    state.hash(&mut one);
    state.hash(&mut two);
    u128::from(one.finish()) << 64 | u128::from(two.finish())
}

/// What a run of the model is about.
struct Case {
    network: Network,
    timing: Timing,
    bases: Vec<u32>,
    /// The exponent.
    e: u32,
}

impl Case {
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
            context: Context {
                network: &self.network,
                arithmetic: &Small,
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
        let power = |&base: &u32| (0..self.e).fold(1, |power, _| Small.mul_mod(&power, &base));
        self.bases.iter().map(power).collect()
    }

    /// In every schedule with the fault: all ends (none hangs), something has failed, and
    /// what came out before is right.
    fn every_schedule_fails(&self, fault: Fault) {
        let powers = self.powers();
        for end in self.model(fault).explore() {
            let standings = end.processes.iter().map(|process| process.standing);
            let mut standings = standings.chain([end.collector]);
            assert!(
                standings
                    .clone()
                    .all(|standing| standing != Standing::Running)
            );
            assert!(standings.any(|standing| standing == Standing::Failed));
            assert!(powers.starts_with(&end.powers));
        }
    }
}

/// Explores the case without faults: every end has the powers and the simulation's events.
fn every_schedule_succeeds(case: &Case, reduced: bool) {
    let model = Model {
        reduced,
        ..case.model(Fault::None)
    };
    let simulated = simulate(&case.network, case.timing, case.bases.len());
    let ends = model.explore();
    assert!(!ends.is_empty());
    for end in ends {
        assert_eq!(end.collector, Standing::Done);
        assert_eq!(end.powers, case.powers());
        let mut events = Vec::new();
        for process in end.processes {
            assert_eq!(process.standing, Standing::Done);
            events.extend(process.worker.into_log());
        }
        events.sort_unstable();
        let at_elements = simulated.events().iter();
        let at_elements = at_elements.filter(|event| event.element.is_some());
        assert!(at_elements.eq(&events));
    }
}

#[test]
fn every_schedule_gives_the_power_and_the_same_events() {
    for form in [Form::Plain, Form::Optimized] {
        every_schedule_succeeds(&Case::new(form, Firing::Strict, &[3]), false);
    }
    every_schedule_succeeds(&Case::new(Form::Optimized, Firing::Eager, &[3]), false);
}

#[test]
fn every_schedule_gives_two_powers_and_the_same_events() {
    for firing in [Firing::Strict, Firing::Eager] {
        every_schedule_succeeds(&Case::new(Form::Optimized, firing, &[3, 65_520]), true);
    }
}

#[test]
fn no_schedule_hangs_or_goes_unnoticed_when_a_message_is_lost() {
    for (form, bases) in [(Form::Plain, &[3][..]), (Form::Optimized, &[3, 5])] {
        let case = Case::new(form, Firing::Strict, bases);
        for link in 0..case.network.links().len() {
            for power in 0..case.bases.len() {
                case.every_schedule_fails(Fault::Lose { link, power });
            }
        }
    }
}

#[test]
fn no_schedule_hangs_or_goes_unnoticed_when_a_worker_crashes() {
    for form in [Form::Plain, Form::Optimized] {
        let case = Case::new(form, Firing::Strict, &[3]);
        for element in 0..case.network.elements().len() {
            // It takes from each link that leads to it, sends over each that leads away, and
            // stops.
            let incoming = case.network.incoming(element).len();
            let communications = incoming + case.network.outgoing(element).len();
            for communication in 0..=communications {
                let fault = Fault::Crash {
                    element,
                    communication,
                };
                case.every_schedule_fails(fault);
            }
        }
    }
}
