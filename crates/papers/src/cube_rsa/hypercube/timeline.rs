//! Simulated time: the costs of operations, the events of a run, and the figures derived from them.

use super::network::Network;

/// The costs of operations, in ticks of an arbitrary length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The cost of one `MulMod`.
    pub mulmod: u32,
    /// The cost of sending one value over one link. A link carries one value at a time.
    pub hop: u32,
    /// The cost for an element to start on a power, before its first `MulMod`.
    pub element: u32,
}

impl Costs {
    /// Time counted in `MulMod`s; everything else is free.
    pub const MULMODS: Self = Self {
        mulmod: 1,
        hop: 0,
        element: 0,
    };
}

/// The condition for an element to start on a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Firing {
    /// All inputs for the power have arrived. The paper counts in this way.
    Strict,
    /// The inputs of its first `MulMod` have arrived; it waits for the others where it needs them.
    Eager,
}

/// The rules by which a run is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The costs of operations.
    pub costs: Costs,
    /// The condition for an element to start on a power.
    pub firing: Firing,
    /// The time between the arrivals of two bases, in ticks; 0 if all are present at the start.
    pub interval: u32,
}

impl Timing {
    /// Time counted in `MulMod`s, elements that wait for all inputs, all bases present at the start.
    pub const MULMODS: Self = Self {
        costs: Costs::MULMODS,
        firing: Firing::Strict,
        interval: 0,
    };
}

/// The kind of an event at an element or on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// A message arrives over the link with this number.
    Receive(usize),
    /// The element starts on the power.
    Begin,
    /// The element has finished the power.
    End,
    /// A message leaves over the link with this number.
    Send(usize),
}

/// An event of a run. Events are ordered by time, then by power, then by element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    /// The time, in ticks.
    pub time: u64,
    /// The number of the power in the stream, from 0.
    pub power: usize,
    /// The number of the element, or `None` outside the network.
    pub element: Option<usize>,
    /// The kind of the event.
    pub kind: EventKind,
}

/// The times at which a message of `values` values leaves and arrives, if it is ready to leave at
/// the time `ready`. `free` is the time from which the link can carry it, and is updated to the
/// time from which the link can carry the next message.
pub(crate) fn transfer(costs: Costs, values: usize, ready: u64, free: &mut u64) -> (u64, u64) {
    let leaves = ready.max(*free);
    *free = leaves + u64::from(costs.hop) * values as u64;
    (leaves, *free)
}

/// The course of a stream of powers through a network: its events and the figures derived from
/// them. Times are in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    interval: u64,
    events: Vec<Event>,
    /// The time at which each power left the network, in order.
    completions: Vec<u64>,
    /// The total time for which each element worked.
    busy: Vec<u64>,
}

impl Timeline {
    /// The course with these events, given in any order.
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

    /// The time at which each power left the network, in order.
    pub fn completions(&self) -> &[u64] {
        &self.completions
    }

    /// For each power, the time from the arrival of its base until it left the network.
    pub fn latencies(&self) -> impl Iterator<Item = u64> + '_ {
        let arrivals = (0..).map(|power: u64| power * self.interval);
        let pairs = self.completions.iter().zip(arrivals);
        pairs.map(|(completion, arrival)| completion - arrival)
    }

    /// The time at which the last power left the network.
    pub fn makespan(&self) -> u64 {
        self.completions.last().copied().unwrap_or(0)
    }

    /// A time and the number of powers that left the network during it, over the second half of
    /// the stream. For a long stream, their quotient is the time between two powers in the steady
    /// state.
    ///
    /// `None` for fewer than two powers.
    pub fn period(&self) -> Option<(u64, usize)> {
        let middle = self.completions.len() / 2;
        let [first, .., last] = self.completions.get(middle.saturating_sub(1)..)? else {
            return None;
        };
        Some((last - first, self.completions.len() - middle))
    }

    /// The number of powers per tick in the steady state. `None` for fewer than two powers, or if
    /// all costs are 0.
    pub fn throughput(&self) -> Option<f64> {
        let (time, powers) = self.period()?;
        (time > 0).then(|| powers as f64 / time as f64)
    }

    /// For each element, the fraction of the whole time for which it worked, 0 to 1.
    pub fn utilization(&self) -> Vec<f64> {
        let span = self.makespan().max(1) as f64;
        self.busy.iter().map(|&busy| busy as f64 / span).collect()
    }
}
