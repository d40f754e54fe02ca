//! Time: what an operation costs, what happened when, and what follows from it.

use super::network::Network;
use alloc::vec;
use alloc::vec::Vec;

/// What things cost, in ticks of any length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// One `MulMod`.
    pub mulmod: u32,
    /// One value over one link. A link carries one value at a time.
    pub hop: u32,
    /// What an element spends on a power before its first `MulMod`.
    pub element: u32,
}

impl Costs {
    /// Time counted in `MulMod`s: all else is free.
    pub const MULMODS: Self = Self {
        mulmod: 1,
        hop: 0,
        element: 0,
    };
}

/// When an element starts on a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Firing {
    /// When all of the power's inputs are there. This is how the paper counts.
    Strict,
    /// When the inputs of its first `MulMod` are there; it waits for others where it needs
    /// them.
    Eager,
}

/// How a run is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// What things cost.
    pub costs: Costs,
    /// When elements start.
    pub firing: Firing,
    /// The time between two bases that come from outside; 0: all are there at the start.
    pub interval: u32,
}

impl Timing {
    /// `MulMod`s counted, elements that wait for all inputs, all bases there at the start.
    pub const MULMODS: Self = Self {
        costs: Costs::MULMODS,
        firing: Firing::Strict,
        interval: 0,
    };
}

/// What happens to an element or on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// A message has come over the link of this number.
    Receive(usize),
    /// The element starts on the power.
    Begin,
    /// The element is done with the power.
    End,
    /// A message starts over the link of this number.
    Send(usize),
}

/// An event. Events are ordered by time; at one time by power, then by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    /// When.
    pub time: u64,
    /// For which power of the stream, from 0.
    pub power: usize,
    /// At which element; `None`: outside.
    pub element: Option<usize>,
    /// What.
    pub kind: EventKind,
}

/// The time that a message of `values` values arrives that is ready to leave at `ready`, and
/// the time it leaves. `free` is when the link has carried the one before, and is brought up to
/// date.
pub(crate) fn transfer(costs: Costs, values: usize, ready: u64, free: &mut u64) -> (u64, u64) {
    let leaves = ready.max(*free);
    *free = leaves + u64::from(costs.hop) * values as u64;
    (leaves, *free)
}

/// The course of a stream of powers through a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    interval: u64,
    events: Vec<Event>,
    /// When each power came out, in order.
    completions: Vec<u64>,
    /// The time that each element worked.
    busy: Vec<u64>,
}

impl Timeline {
    /// The course that these events tell, in any order.
    pub(crate) fn new(network: &Network, timing: Timing, mut events: Vec<Event>) -> Self {
        events.sort_unstable();
        let mut completions = Vec::new();
        let mut busy = vec![0; network.elements().len()];
        for event in &events {
            match (event.element, event.kind) {
                (None, EventKind::Receive(_)) => completions.push(event.time),
                (Some(element), EventKind::End) => {
                    let work = network.elements()[element].steps.len() as u64;
                    let costs = timing.costs;
                    busy[element] += u64::from(costs.element) + work * u64::from(costs.mulmod);
                }
                _ => {}
            }
        }
        Self {
            interval: timing.interval.into(),
            events,
            completions,
            busy,
        }
    }

    /// All events, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// When each power came out.
    pub fn completions(&self) -> &[u64] {
        &self.completions
    }

    /// The time from the arrival of each base to its power.
    pub fn latencies(&self) -> impl Iterator<Item = u64> + '_ {
        let arrivals = (0..).map(|power: u64| power * self.interval);
        let pairs = self.completions.iter().zip(arrivals);
        pairs.map(|(completion, arrival)| completion - arrival)
    }

    /// The time of the last event.
    pub fn makespan(&self) -> u64 {
        self.completions.last().copied().unwrap_or(0)
    }

    /// The mean time between two powers over the second half of the stream, as a pair
    /// (time, powers): when the stream is long, the period of the steady state.
    ///
    /// `None` for fewer than two powers.
    pub fn period(&self) -> Option<(u64, usize)> {
        let middle = self.completions.len() / 2;
        let [first, .., last] = self.completions.get(middle.saturating_sub(1)..)? else {
            return None;
        };
        Some((last - first, self.completions.len() - middle))
    }

    /// Powers for each tick in the steady state; `None` for fewer than two powers, or when
    /// nothing costs anything.
    pub fn throughput(&self) -> Option<f64> {
        let (time, powers) = self.period()?;
        (time > 0).then(|| powers as f64 / time as f64)
    }

    /// For each element, the part of the whole time that it worked, 0 to 1.
    pub fn utilization(&self) -> Vec<f64> {
        let span = self.makespan().max(1) as f64;
        self.busy.iter().map(|&busy| busy as f64 / span).collect()
    }
}
