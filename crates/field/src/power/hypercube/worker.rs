//! A processing element at work: what it does between two communications.
//!
//! A worker is a state machine without threads or queues of its own, so that the executor can
//! drive it on a thread, and a test can drive many of them through every order of events.

use super::arithmetic::MulMod;
use super::network::Network;
use super::program::Operand;
use super::timeline::{Event, EventKind, Firing, Timing, transfer};
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// What travels over a link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Message<R> {
    /// The link.
    pub(crate) link: usize,
    /// For which power of the stream, from 0.
    pub(crate) power: usize,
    /// The values.
    pub(crate) values: Vec<R>,
    /// When it arrives.
    pub(crate) time: u64,
}

/// What all workers of a run share.
pub(crate) struct Context<'a, A: MulMod> {
    pub(crate) network: &'a Network,
    pub(crate) arithmetic: &'a A,
    pub(crate) digits: &'a [u8],
    pub(crate) timing: Timing,
    /// How many powers there are.
    pub(crate) count: usize,
}

/// What a worker wants to do next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action<R> {
    /// Take the next message from its queue.
    Receive,
    /// Send a message.
    Send(Message<R>),
    /// Nothing: all powers are done.
    Stop,
}

/// A message for another power than the next one came over a link: the next one's is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) link: usize,
    pub(crate) power: usize,
}

/// The messages that come from outside over a link, one for each power, and when they leave.
pub(crate) fn feed<A: MulMod>(
    context: &Context<'_, A>,
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

/// Takes the messages of one link in order, and sees when one is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Sequence {
    next: usize,
}

impl Sequence {
    /// Accepts the next message, or tells which one is missing.
    pub(crate) fn accept<R>(&mut self, message: &Message<R>) -> Result<(), Lost> {
        if message.power != self.next {
            return Err(Lost {
                link: message.link,
                power: self.next,
            });
        }
        self.next += 1;
        Ok(())
    }
}

/// A processing element at work on a stream of powers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Worker<R> {
    element: usize,
    /// The power it works on.
    power: usize,
    /// Its next step.
    step: usize,
    begun: bool,
    /// How many of its outgoing links have the power's message; `None` before the end.
    sent: Option<usize>,
    /// Messages that came early, for each incoming link.
    waiting: Vec<VecDeque<Message<R>>>,
    sequences: Vec<Sequence>,
    /// Whether the power's message of each incoming link has been taken up.
    taken: Vec<bool>,
    /// The values of the power: of the links (`None` until taken up), then of the steps.
    values: Vec<Option<R>>,
    clock: u64,
    /// When each outgoing link has carried all that was sent.
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
            sequences: vec![Sequence::default(); incoming],
            taken: vec![false; incoming],
            values: vec![None; network.ports(element).len()],
            clock: 0,
            free: vec![0; network.outgoing(element).len()],
            log: Vec::new(),
        }
    }

    /// The power it works on.
    pub(crate) fn power(&self) -> usize {
        self.power
    }

    /// What it did.
    pub(crate) fn into_log(self) -> Vec<Event> {
        self.log
    }

    /// The message that a worker waits for when it waits for any.
    pub(crate) fn missing(&self, network: &Network) -> Lost {
        let is_missing = |port: &usize| !self.taken[*port] && self.waiting[*port].is_empty();
        let port = (0..self.taken.len()).find(is_missing).unwrap_or(0);
        Lost {
            link: network.incoming(self.element)[port],
            power: self.power,
        }
    }

    /// Takes a message from the worker's queue.
    pub(crate) fn deliver(&mut self, network: &Network, message: Message<R>) -> Result<(), Lost> {
        let incoming = network.incoming(self.element);
        let port = incoming.partition_point(|&link| link < message.link);
        self.sequences[port].accept(&message)?;
        self.waiting[port].push_back(message);
        Ok(())
    }

    /// Works until there is something to receive or to send.
    pub(crate) fn advance<A: MulMod<Residue = R>>(
        &mut self,
        context: &Context<'_, A>,
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
            if !self.take_up(context) {
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

    /// Takes up the inputs that the next step (or the end) needs; whether all were there.
    ///
    /// The last step of an eager element is followed by its end, which needs all inputs.
    fn take_up<A: MulMod<Residue = R>>(&mut self, context: &Context<'_, A>) -> bool {
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
            // Recorded here, not when it was delivered, so that the order in which the links'
            // messages came into the queue leaves no trace.
            self.record(message.time, self.power, EventKind::Receive(message.link));
            self.clock = self.clock.max(message.time);
        }
        true
    }

    fn resolve<'a, A: MulMod<Residue = R>>(
        &'a self,
        context: &Context<'_, A>,
        operand: Operand,
    ) -> alloc::borrow::Cow<'a, R> {
        operand.resolve(context.arithmetic, context.digits, |number| {
            let value = self.values[number].as_ref();
            value.expect("an operand is a value that has been taken up or computed")
        })
    }

    fn message<A: MulMod<Residue = R>>(
        &mut self,
        context: &Context<'_, A>,
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
