//! The executor: runs a network on threads, one thread and one message queue for each processing
//! element.
//!
//! A message travels only over a link of the network. The queues are unbounded (`mpsc` of the
//! standard library), so sending never blocks. **Every run ends**: the links have no cycles; a
//! worker's queue closes when all workers that send to it have ended, for whatever reason; and a
//! worker whose queue is closed and empty ends. So all workers end, in topological order. **A lost
//! message never leads to a wrong power**: each message carries the number of its power, the
//! messages of a link must arrive without a gap, and results are returned only if every worker
//! succeeded. (A value that is altered on its way is not detected.)

use super::error::{HypercubeError, RunError};
use super::network::Network;
use super::timeline::{Event, EventKind, Timeline, Timing};
use super::worker::{Action, Message, MissingMessage, RunContext, SequenceCheck, Worker, feed};
use crate::cube_rsa::arithmetic::MulMod;
use std::any::Any;
use std::fmt;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;
use std::time::Instant;

/// The reason why a worker, or the collector of the results, stopped early.
enum WorkerFailure {
    /// A message arrived, but the one before it on the same link did not.
    Gap(MissingMessage),
    /// The queue closed before this message arrived.
    Starved(MissingMessage),
    /// The receiver at the end of this link has ended.
    ReceiverGone { link: usize },
}

/// A fault to inject into a run, to test that the run ends with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The element panics when it starts on this power.
    Panic {
        /// The number of the element.
        element: usize,
        /// The number of the power in the stream, from 0.
        power: usize,
    },
    /// The link loses the message for this power.
    Lose {
        /// The number of the link.
        link: usize,
        /// The number of the power in the stream, from 0.
        power: usize,
    },
}

/// The results of a stream of powers.
#[derive(Clone)]
pub struct StreamResult<R> {
    /// For each power of the stream, the output values of the network.
    pub results: OutputValues<R>,
    /// The course of the run by the elements' simulated clocks, equal to that of the simulation.
    pub timeline: Timeline,
    /// The duration of the run by the system's clock.
    pub elapsed: Duration,
}

/// Shows the number of results, not the results: they may be secret.
impl<R> fmt::Debug for StreamResult<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamResult")
            .field("powers", &self.results.len())
            .field("timeline", &self.timeline)
            .field("elapsed", &self.elapsed)
            .finish_non_exhaustive()
    }
}

/// For each power of the stream, the output values of the network.
type OutputValues<R> = Vec<Vec<R>>;

/// An executor: runs streams of powers through a network, on threads.
#[derive(Clone, Copy)]
pub struct Executor<'a, A: MulMod> {
    network: &'a Network,
    arithmetic: &'a A,
    digits: &'a [u8],
    timing: Timing,
    fault: Option<Fault>,
}

impl<'a, A: MulMod> Executor<'a, A> {
    /// An executor of the network with this arithmetic. The exponent's `digits`, each 0 or 1, are
    /// those that [`Operand::Digit`](super::Operand::Digit) refers to by number.
    ///
    /// # Errors
    /// [`HypercubeError::Digits`] if there are fewer digits than an operand refers to.
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

    /// The same executor with this timing of the elements' clocks. The results do not change.
    #[must_use]
    pub fn timed(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// The same executor with an injected fault.
    #[must_use]
    pub fn with_fault(self, fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..self
        }
    }

    /// Sends a stream of inputs through the network and waits for all results.
    ///
    /// # Errors
    /// [`HypercubeError::Inputs`] unless there are [`Network::inputs`] values for each power;
    /// [`HypercubeError::Run`] if a thread cannot be started, a worker panics or a message is lost.
    pub fn run(
        &self,
        inputs: &[Vec<A::Residue>],
    ) -> Result<StreamResult<A::Residue>, HypercubeError> {
        for values in inputs {
            self.network.check_inputs(values.len())?;
        }
        let context = RunContext {
            network: self.network,
            arithmetic: self.arithmetic,
            digits: self.digits,
            timing: self.timing,
            count: inputs.len(),
        };
        let start = Instant::now();
        let (results, events) = thread::scope(|scope| self.run_in(scope, &context, inputs))?;
        Ok(StreamResult {
            results,
            timeline: Timeline::new(self.network, self.timing, events),
            elapsed: start.elapsed(),
        })
    }

    fn run_in<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        context: &'scope RunContext<'scope, A>,
        inputs: &[Vec<A::Residue>],
    ) -> Result<(OutputValues<A::Residue>, Vec<Event>), RunError> {
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
                        // If the receiver has ended, joining its thread gives the reason.
                        let _ = sender_of(number).send(message);
                    }
                }
            }
        }
        // From here on, a queue closes when all workers that send to it have ended.
        drop((senders, result_sender));

        let collected = self.collect(&results, context.count, &mut events);
        let mut threads = threads.into_iter().map(Some).collect::<Vec<_>>();
        let mut succeeded = vec![false; threads.len()];
        let mut errors = Vec::new();
        for &element in network.order() {
            match threads[element].take().map(thread::ScopedJoinHandle::join) {
                Some(Ok(Ok(log))) => {
                    succeeded[element] = true;
                    events.extend(log);
                }
                Some(Ok(Err(failure))) => errors.push(self.describe(&failure, &succeeded)),
                Some(Err(panic)) => errors.push(RunError::Panicked {
                    element: network.place(Some(element)),
                    message: panic_message(&*panic),
                }),
                None => {}
            }
        }
        let collected = collected.map_err(|failure| self.describe(&failure, &succeeded));
        let errors = errors.into_iter().chain(collected.as_ref().err().cloned());
        match errors.min_by_key(RunError::rank) {
            Some(error) => Err(error),
            None => collected.map(|powers| (powers, events)),
        }
    }

    /// The error for the caller that describes a failure. `succeeded` states for each worker
    /// earlier in topological order whether it succeeded.
    fn describe(&self, failure: &WorkerFailure, succeeded: &[bool]) -> RunError {
        let place = |end| self.network.place(end);
        match *failure {
            WorkerFailure::Gap(MissingMessage { link, power })
            | WorkerFailure::Starved(MissingMessage { link, power }) => {
                let link = &self.network.links()[link];
                let is_sent = link.from.is_none_or(|from| succeeded[from]);
                if matches!(failure, WorkerFailure::Gap(_)) || is_sent {
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
            WorkerFailure::ReceiverGone { link } => {
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
        context: &RunContext<'_, A>,
        element: usize,
        queue: &Receiver<Message<A::Residue>>,
        outgoing: &[Outgoing<A::Residue>],
    ) -> Result<Vec<Event>, WorkerFailure> {
        let network = context.network;
        let mut worker = Worker::new(network, element);
        loop {
            let power = worker.power();
            if self.fault == Some(Fault::Panic { element, power }) {
                // Unlike panic!, this leaves standard error alone.
                std::panic::resume_unwind(Box::new("an injected fault"));
            }
            match worker.advance(context) {
                Action::Receive => {
                    let message = queue.recv();
                    let message =
                        message.map_err(|_| WorkerFailure::Starved(worker.missing(network)))?;
                    worker
                        .deliver(network, message)
                        .map_err(WorkerFailure::Gap)?;
                }
                Action::Send(message) => {
                    let (link, power) = (message.link, message.power);
                    if self.fault == Some(Fault::Lose { link, power }) {
                        continue;
                    }
                    let sent = outgoing.iter().find(|out| out.link == link);
                    if sent.is_none_or(|out| out.sender.send(message).is_err()) {
                        return Err(WorkerFailure::ReceiverGone { link });
                    }
                }
                Action::Stop => return Ok(worker.into_log()),
            }
        }
    }

    /// Receives results until all have arrived or the queue is closed.
    fn collect(
        &self,
        results: &Receiver<Message<A::Residue>>,
        count: usize,
        events: &mut Vec<Event>,
    ) -> Result<OutputValues<A::Residue>, WorkerFailure> {
        let link = self.network.output();
        let mut sequence = SequenceCheck::default();
        let mut powers = Vec::with_capacity(count);
        for power in 0..count {
            let message = results.recv();
            let message =
                message.map_err(|_| WorkerFailure::Starved(MissingMessage { link, power }))?;
            sequence.accept(&message).map_err(WorkerFailure::Gap)?;
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
