//! The executor: every processing element a thread with a queue of its own.
//!
//! A message travels only over a link of the network. The queues are the standard library's
//! (`mpsc`), unbounded, so that no one ever waits to send. **A run ends**: the links have no
//! cycles; a worker's queue is closed when all that send to it have ended, for whatever reason;
//! and a worker whose queue is closed and empty ends. So, in the order of the links, all end.
//! **A wrong power is never given**: a message names its power, each link's messages must come
//! without a gap, and nothing is given unless every worker has ended well. (A value that is
//! changed on its way is not noticed.)

use super::HypercubeError;
use super::arithmetic::MulMod;
use super::network::Network;
use super::timeline::{Event, EventKind, Timeline, Timing};
use super::worker::{Action, Context, Lost, Message, Sequence, Worker, feed};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::any::Any;
use core::time::Duration;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

/// Why a run gave no powers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The system refused to start a thread.
    #[error("cannot start a thread for {element}: {reason}; use fewer cubes or stages")]
    Spawn {
        /// The processing element.
        element: String,
        /// What the system says.
        reason: String,
    },
    /// A worker panicked.
    #[error("{element} panicked: {message}; no power is given")]
    Panicked {
        /// The processing element.
        element: String,
        /// What it said.
        message: String,
    },
    /// A message did not arrive.
    #[error("the message from {from} to {to} for power {power} is lost; no power is given")]
    Lost {
        /// Who sent it.
        from: String,
        /// Who waited for it.
        to: String,
        /// For which power of the stream, from 0.
        power: usize,
    },
    /// A worker could not go on, since a neighbour had ended early.
    #[error("{element} could not go on: {neighbour} had ended; no power is given")]
    Abandoned {
        /// The processing element.
        element: String,
        /// Who had ended.
        neighbour: String,
    },
}

impl RunError {
    /// Causes come before what follows from them.
    fn rank(&self) -> u8 {
        match self {
            Self::Spawn { .. } => 0,
            Self::Panicked { .. } => 1,
            Self::Lost { .. } => 2,
            Self::Abandoned { .. } => 3,
        }
    }
}

/// Why a worker, or the collector of the results, gave up.
enum Failure {
    /// A message came, but the one before it did not.
    Gap(Lost),
    /// The queue is closed and this message has not come.
    Starved(Lost),
    /// The receiver of a message over this link has ended.
    Refused { link: usize },
}

/// A fault to inject, to see that the run ends with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The element panics when it comes to this power.
    Panic {
        /// The number of the element.
        element: usize,
        /// The power of the stream, from 0.
        power: usize,
    },
    /// The link loses the message for this power.
    Lose {
        /// The number of the link.
        link: usize,
        /// The power of the stream, from 0.
        power: usize,
    },
}

/// What a run gives.
#[derive(Clone, Debug)]
pub struct Outcome<R> {
    /// For each power of the stream, the values that the network gives.
    pub results: Vec<Vec<R>>,
    /// The course of the run, on the elements' own clocks: the same as the simulation's.
    pub timeline: Timeline,
    /// How long it really took.
    pub elapsed: Duration,
}

/// For each power of the stream, the values that the network gives.
type Results<R> = Vec<Vec<R>>;

/// Runs streams of powers through a network, on threads.
#[derive(Clone, Copy)]
pub struct Executor<'a, A: MulMod> {
    network: &'a Network,
    arithmetic: &'a A,
    digits: &'a [u8],
    timing: Timing,
    fault: Option<Fault>,
}

impl<'a, A: MulMod> Executor<'a, A> {
    /// An executor of the network with this arithmetic, where `digits` (0 or 1 each) are what
    /// [`Operand::Digit`](super::Operand::Digit) selects by.
    ///
    /// # Errors
    /// [`HypercubeError::Digits`] if an operand names a digit that is not there.
    pub fn new(
        network: &'a Network,
        arithmetic: &'a A,
        digits: &'a [u8],
    ) -> Result<Self, HypercubeError> {
        network.check_digits(digits)?;
        Ok(Self {
            network,
            arithmetic,
            digits,
            timing: Timing::MULMODS,
            fault: None,
        })
    }

    /// The same with these costs on the elements' clocks. What is computed does not change.
    #[must_use]
    pub fn timed(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// The same with a fault.
    #[must_use]
    pub fn with_fault(self, fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..self
        }
    }

    /// Sends a stream of inputs through the network.
    ///
    /// # Errors
    /// [`HypercubeError::Inputs`] unless there are [`Network::inputs`] values for each power;
    /// [`HypercubeError::Run`] if a worker panics or a message is lost.
    pub fn run(&self, inputs: &[Vec<A::Residue>]) -> Result<Outcome<A::Residue>, HypercubeError> {
        for values in inputs {
            self.network.check_inputs(values.len())?;
        }
        let context = Context {
            network: self.network,
            arithmetic: self.arithmetic,
            digits: self.digits,
            timing: self.timing,
            count: inputs.len(),
        };
        let start = Instant::now();
        let (results, events) = thread::scope(|scope| self.run_in(scope, &context, inputs))?;
        Ok(Outcome {
            results,
            timeline: Timeline::new(self.network, self.timing, events),
            elapsed: start.elapsed(),
        })
    }

    fn run_in<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        context: &'scope Context<'scope, A>,
        inputs: &[Vec<A::Residue>],
    ) -> Result<(Results<A::Residue>, Vec<Event>), RunError> {
        let network = self.network;
        let mut senders = Vec::new();
        let mut queues = Vec::new();
        for _ in network.elements() {
            let (sender, queue) = mpsc::channel();
            senders.push(sender);
            queues.push(queue);
        }
        let (result_sender, results) = mpsc::channel();
        let sender_of = |link: usize| match network.links()[link].to {
            Some(to) => &senders[to],
            None => &result_sender,
        };
        let mut threads = Vec::new();
        for (element, queue) in queues.into_iter().enumerate() {
            let outgoing = network.outgoing(element).iter();
            let outgoing = outgoing.map(|&link| Outgoing {
                link,
                sender: sender_of(link).clone(),
            });
            let outgoing = outgoing.collect::<Vec<_>>();
            let name = network.place(Some(element));
            let body = move || self.work(context, element, &queue, &outgoing);
            let thread = thread::Builder::new().name(name).spawn_scoped(scope, body);
            threads.push(thread.map_err(|error| RunError::Spawn {
                element: network.place(Some(element)),
                reason: format!("{error}"),
            })?);
        }
        let mut events = Vec::new();
        for (number, link) in network.links().iter().enumerate() {
            if link.from.is_none() {
                for (event, message) in feed(context, number, inputs) {
                    let (link, power) = (message.link, message.power);
                    events.push(event);
                    if self.fault != Some(Fault::Lose { link, power }) {
                        // A receiver that has ended tells why when it is joined.
                        let _ = sender_of(number).send(message);
                    }
                }
            }
        }
        // From here on a queue closes when the workers that send to it have ended.
        drop((senders, result_sender));

        let collected = self.collect(&results, context.count, &mut events);
        let mut threads = threads.into_iter().map(Some).collect::<Vec<_>>();
        let mut ended_well = vec![false; threads.len()];
        let mut errors = Vec::new();
        for &element in network.order() {
            match threads[element].take().map(thread::ScopedJoinHandle::join) {
                Some(Ok(Ok(log))) => {
                    ended_well[element] = true;
                    events.extend(log);
                }
                Some(Ok(Err(failure))) => errors.push(self.explain(&failure, &ended_well)),
                Some(Err(panic)) => errors.push(RunError::Panicked {
                    element: network.place(Some(element)),
                    message: panic_message(&*panic),
                }),
                None => {}
            }
        }
        let collected = collected.map_err(|failure| self.explain(&failure, &ended_well));
        let errors = errors.into_iter().chain(collected.as_ref().err().cloned());
        match errors.min_by_key(RunError::rank) {
            Some(error) => Err(error),
            None => collected.map(|powers| (powers, events)),
        }
    }

    /// The error that a failure is, where the workers before it in the links' order have ended
    /// well or not.
    fn explain(&self, failure: &Failure, ended_well: &[bool]) -> RunError {
        let place = |end| self.network.place(end);
        match *failure {
            Failure::Gap(Lost { link, power }) | Failure::Starved(Lost { link, power }) => {
                let link = &self.network.links()[link];
                let is_sent = link.from.is_none_or(|from| ended_well[from]);
                if matches!(failure, Failure::Gap(_)) || is_sent {
                    RunError::Lost {
                        from: place(link.from),
                        to: place(link.to),
                        power,
                    }
                } else {
                    RunError::Abandoned {
                        element: place(link.to),
                        neighbour: place(link.from),
                    }
                }
            }
            Failure::Refused { link } => {
                let link = &self.network.links()[link];
                RunError::Abandoned {
                    element: place(link.from),
                    neighbour: place(link.to),
                }
            }
        }
    }

    /// The body of a worker's thread.
    fn work(
        &self,
        context: &Context<'_, A>,
        element: usize,
        queue: &Receiver<Message<A::Residue>>,
        outgoing: &[Outgoing<A::Residue>],
    ) -> Result<Vec<Event>, Failure> {
        let network = context.network;
        let mut worker = Worker::new(network, element);
        loop {
            let power = worker.power();
            if self.fault == Some(Fault::Panic { element, power }) {
                // Unlike panic!, this leaves standard error alone.
                std::panic::resume_unwind(alloc::boxed::Box::new("an injected fault"));
            }
            match worker.advance(context) {
                Action::Receive => {
                    let message = queue.recv();
                    let message = message.map_err(|_| Failure::Starved(worker.missing(network)))?;
                    worker.deliver(network, message).map_err(Failure::Gap)?;
                }
                Action::Send(message) => {
                    let (link, power) = (message.link, message.power);
                    if self.fault == Some(Fault::Lose { link, power }) {
                        continue;
                    }
                    let sent = outgoing.iter().find(|out| out.link == link);
                    if sent.is_none_or(|out| out.sender.send(message).is_err()) {
                        return Err(Failure::Refused { link });
                    }
                }
                Action::Stop => return Ok(worker.into_log()),
            }
        }
    }

    /// Takes the results until all are there or the queue is closed.
    fn collect(
        &self,
        results: &Receiver<Message<A::Residue>>,
        count: usize,
        events: &mut Vec<Event>,
    ) -> Result<Results<A::Residue>, Failure> {
        let link = self.network.output();
        let mut sequence = Sequence::default();
        let mut powers = Vec::with_capacity(count);
        for power in 0..count {
            let message = results.recv();
            let message = message.map_err(|_| Failure::Starved(Lost { link, power }))?;
            sequence.accept(&message).map_err(Failure::Gap)?;
            events.push(Event {
                time: message.time,
                power,
                element: None,
                kind: EventKind::Receive(link),
            });
            powers.push(message.values);
        }
        Ok(powers)
    }
}

/// An outgoing link of a worker.
struct Outgoing<R> {
    link: usize,
    sender: Sender<Message<R>>,
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    String::from(text.unwrap_or("for an unknown reason"))
}
