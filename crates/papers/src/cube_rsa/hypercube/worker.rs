//! Workers: processing elements as state machines.
//!
//! A worker computes between two communications. It has no thread and no queue of its own, so that
//! the executor can drive it on a thread, and a test can drive many workers through every order of
//! events.

use super::network::Network;
use super::program::Operand;
use super::timeline::{Event, EventKind, Firing, Timing, transfer};
use crate::cube_rsa::arithmetic::MulMod;
use std::collections::VecDeque;

/// A message on a link. Its values may be secret, so it has no `Debug`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Message<R> {
    /// The number of the link.
    pub(crate) link: usize,
    /// The number of the power in the stream, from 0.
    pub(crate) power: usize,
    /// The values.
    pub(crate) values: Vec<R>,
    /// The time of arrival.
    pub(crate) time: u64,
}

/// The parameters of a run, shared by all its workers.
pub(crate) struct RunContext<'a, A: MulMod> {
    pub(crate) network: &'a Network,
    pub(crate) arithmetic: &'a A,
    pub(crate) digits: &'a [u8],
    pub(crate) timing: Timing,
    /// The number of powers in the stream.
    pub(crate) count: usize,
}

/// The next communication of a worker.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Action<R> {
    /// Receive the next message from its queue.
    Receive,
    /// Send a message.
    Send(Message<R>),
    /// Stop: all powers are done.
    Stop,
}

/// The message of a link for a power, which did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissingMessage {
    pub(crate) link: usize,
    pub(crate) power: usize,
}

/// The messages that enter the network over a link, one for each power, each with the event of
/// its leaving.
pub(crate) fn feed<A: MulMod>(
    context: &RunContext<'_, A>,
    link: usize,
    inputs: &[Vec<A::Residue>],
) -> impl Iterator<Item = (Event, Message<A::Residue>)> {
    let operands = &context.network.links()[link].values;
    let mut free = 0;
    inputs.iter().enumerate().map(move |(power, known)| {
        let value = |operand: &Operand| {
            let value = operand.resolve(context.arithmetic, context.digits, |v| &known[v]);
            value.into_owned()
        };
        let values = operands.iter().map(value).collect::<Vec<_>>();
        let ready = power as u64 * u64::from(context.timing.interval);
        let (leaves, time) = transfer(context.timing.costs, values.len(), ready, &mut free);
        let event = Event {
            time: leaves,
            power,
            element: None,
            kind: EventKind::Send(link),
        };
        let message = Message {
            link,
            power,
            values,
            time,
        };
        (event, message)
    })
}

/// The sequence check of one link: detects a missing message by the numbers of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct SequenceCheck {
    next: usize,
}

impl SequenceCheck {
    /// Accepts the next message, or returns the one that is missing before it.
    pub(crate) fn accept<R>(&mut self, message: &Message<R>) -> Result<(), MissingMessage> {
        if message.power != self.next {
            return Err(MissingMessage {
                link: message.link,
                power: self.next,
            });
        }
        self.next += 1;
        Ok(())
    }
}

/// A processing element at work on a stream of powers. Its values may be secret, so it has no
/// `Debug`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Worker<R> {
    element: usize,
    /// The number of the power that it works on.
    power: usize,
    /// The number of its next step.
    step: usize,
    begun: bool,
    /// The number of outgoing links to which the result has been sent; `None` until all steps are
    /// done.
    sent: Option<usize>,
    /// For each incoming link, the messages that were delivered but not used yet.
    waiting: Vec<VecDeque<Message<R>>>,
    sequences: Vec<SequenceCheck>,
    /// For each incoming link, whether its message for the current power has been taken.
    taken: Vec<bool>,
    /// The values of the current power: first those of the links (`None` until taken), then those
    /// of the steps.
    values: Vec<Option<R>>,
    clock: u64,
    /// For each outgoing link, the time from which it can carry the next message.
    free: Vec<u64>,
    log: Vec<Event>,
}

impl<R: Clone> Worker<R> {
    /// A worker for an element of the network.
    pub(crate) fn new(network: &Network, element: usize) -> Self {
        let incoming = network.incoming(element).len();
        Self {
            element,
            power: 0,
            step: 0,
            begun: false,
            sent: None,
            waiting: vec![VecDeque::new(); incoming],
            sequences: vec![SequenceCheck::default(); incoming],
            taken: vec![false; incoming],
            values: vec![None; network.ports(element).len()],
            clock: 0,
            free: vec![0; network.outgoing(element).len()],
            log: Vec::new(),
        }
    }

    /// The number of the power that it works on.
    pub(crate) fn power(&self) -> usize {
        self.power
    }

    /// The events of its work.
    pub(crate) fn into_log(self) -> Vec<Event> {
        self.log
    }

    /// The message that a waiting worker needs next.
    pub(crate) fn missing(&self, network: &Network) -> MissingMessage {
        let is_missing = |port: &usize| !self.taken[*port] && self.waiting[*port].is_empty();
        let port = (0..self.taken.len()).find(is_missing).unwrap_or(0);
        MissingMessage {
            link: network.incoming(self.element)[port],
            power: self.power,
        }
    }

    /// Hands the worker a message from its queue.
    pub(crate) fn deliver(
        &mut self,
        network: &Network,
        message: Message<R>,
    ) -> Result<(), MissingMessage> {
        let incoming = network.incoming(self.element);
        let port = incoming.partition_point(|&link| link < message.link);
        self.sequences[port].accept(&message)?;
        self.waiting[port].push_back(message);
        Ok(())
    }

    /// Computes until there is a message to receive or to send, or all powers are done.
    pub(crate) fn advance<A: MulMod<Residue = R>>(
        &mut self,
        context: &RunContext<'_, A>,
    ) -> Action<R> {
        let network = context.network;
        let steps = &network.elements()[self.element].steps;
        while self.power < context.count {
            if let Some(sent) = self.sent {
                if let Some(&link) = network.outgoing(self.element).get(sent) {
                    self.sent = Some(sent + 1);
                    return Action::Send(self.message(context, link, sent));
                }
                self.next_power(network);
                continue;
            }
            if !self.take_inputs(context) {
                return Action::Receive;
            }
            if !self.begun {
                self.begun = true;
                self.record(self.clock, self.power, EventKind::Begin);
                self.clock += u64::from(context.timing.costs.element);
            }
            if let Some(step) = steps.get(self.step) {
                let [left, right] = step.operands();
                let product = context
                    .arithmetic
                    .mul_mod(&self.resolve(context, left), &self.resolve(context, right));
                self.values.push(Some(product));
                self.step += 1;
                self.clock += u64::from(context.timing.costs.mulmod);
            } else {
                self.record(self.clock, self.power, EventKind::End);
                self.sent = Some(0);
            }
        }
        Action::Stop
    }

    /// Takes the messages whose values the next step needs, and returns whether all had arrived.
    /// To finish a power, an element needs all its inputs, even if it starts eagerly.
    fn take_inputs<A: MulMod<Residue = R>>(&mut self, context: &RunContext<'_, A>) -> bool {
        let ports = context.network.ports(self.element);
        let step = context.network.elements()[self.element]
            .steps
            .get(self.step);
        let needed = |port: usize| match (context.timing.firing, step) {
            (Firing::Eager, Some(step)) => {
                let values = step.operands().into_iter().filter_map(Operand::value);
                let mut needs = values.filter_map(|value| ports.get(value));
                needs.any(|&need| need == port)
            }
            _ => true,
        };
        for port in 0..self.taken.len() {
            if self.taken[port] || !needed(port) {
                continue;
            }
            let Some(message) = self.waiting[port].pop_front() else {
                return false;
            };
            let first = ports.partition_point(|&other| other < port);
            for (slot, value) in self.values[first..].iter_mut().zip(message.values) {
                *slot = Some(value);
            }
            self.taken[port] = true;
            // Recorded here, not on delivery, so that the log does not depend on the order in
            // which messages of different links entered the queue.
            self.record(message.time, self.power, EventKind::Receive(message.link));
            self.clock = self.clock.max(message.time);
        }
        true
    }

    fn resolve<'a, A: MulMod<Residue = R>>(
        &'a self,
        context: &RunContext<'_, A>,
        operand: Operand,
    ) -> std::borrow::Cow<'a, R> {
        operand.resolve(context.arithmetic, context.digits, |number| {
            let value = self.values[number].as_ref();
            value.expect("an operand is a value that has been taken up or computed")
        })
    }

    fn message<A: MulMod<Residue = R>>(
        &mut self,
        context: &RunContext<'_, A>,
        link: usize,
        port: usize,
    ) -> Message<R> {
        let operands = &context.network.links()[link].values;
        let value = |&operand| self.resolve(context, operand).into_owned();
        let values = operands.iter().map(value).collect::<Vec<_>>();
        let costs = context.timing.costs;
        let (leaves, time) = transfer(costs, values.len(), self.clock, &mut self.free[port]);
        self.record(leaves, self.power, EventKind::Send(link));
        Message {
            link,
            power: self.power,
            values,
            time,
        }
    }

    fn next_power(&mut self, network: &Network) {
        self.power += 1;
        self.step = 0;
        self.begun = false;
        self.sent = None;
        self.taken.fill(false);
        self.values.clear();
        self.values.resize(network.ports(self.element).len(), None);
    }

    fn record(&mut self, time: u64, power: usize, kind: EventKind) {
        self.log.push(Event {
            time,
            power,
            element: Some(self.element),
            kind,
        });
    }
}
