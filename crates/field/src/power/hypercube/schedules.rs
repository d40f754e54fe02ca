//! The executor's queues in every order that threads could run: an exhaustive scheduler test.
//!
//! The model drives the same workers as the executor. A process (the feeder, a worker, the
//! collector) makes one communication at a time: it sends to a queue or takes from its own.
//! Queues behave like `mpsc`: sending fails when the receiver has ended, receiving fails when
//! the queue is empty and all senders have ended. Every state that any schedule can reach is
//! visited once. For one cube: 6 workers (8 in the plain form), a coordinator, a feeder and a
//! collector, which is more threads than the `loom` crate can model.

use super::arithmetic::MulMod;
use super::network::Network;
use super::timeline::{Event, EventKind, Timing};
use super::worker::{Action, Context, Message, Sequence, Worker};
use super::{Firing, Form, Hypercube, schedule, cube_rsa, simulate};
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
#[derive(Clone, Copy)]
enum Fault {
    None,
    /// The element ends without a word at its communication of this number.
    Crash { element: usize, communication: usize },
    /// The message is lost.
    Lose { link: usize, power: usize },
}

struct Model<'a> {
    context: Context<'a, Small>,
    bases: Vec<u32>,
    fault: Fault,
}

impl Model<'_> {
    fn network(&self) -> &Network {
        self.context.network
    }

    fn start(&self) -> State {
        let network = self.network();
        let links = network.links().iter().enumerate();
        let inputs = Vec::from_iter(links.filter(|(_, link)| link.from.is_none()));
        let [(link, _)] = inputs[..] else {
            unreachable!("a coordinator has one input")
        };
        let message = |(power, &base): (usize, &u32)| Message {
            link,
            power,
            values: vec![base],
            time: 0,
        };
        let process = |element| {
            let mut worker = Worker::new(network, element);
            let next = worker.advance(&self.context);
            Process {
                worker,
                next,
                standing: Standing::Running,
                queue: VecDeque::new(),
            }
        };
        State {
            processes: (0..network.elements().len()).map(process).collect(),
            feed: self.bases.iter().enumerate().map(message).collect(),
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

    /// The next communication of an element, if it is not blocked.
    fn step(&self, state: &State, element: usize) -> Option<State> {
        let process = &state.processes[element];
        if process.standing != Standing::Running {
            return None;
        }
        let mut after = state.clone();
        let worker = &mut after.processes[element].worker;
        if let Fault::Crash { element: crashing, communication } = self.fault {
            // An event is logged at each communication, and at no more than two other points
            // of a power: the length of the log tells communications apart.
            if crashing == element && worker.clone().into_log().len() >= communication {
                after.processes[element].standing = Standing::Failed;
                return Some(after);
            }
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

    /// Visits every reachable state; how many there are, and those where nothing can happen.
    fn explore(&self) -> (usize, Vec<State>) {
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
        (seen.len(), ends)
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
