//! The elements as processes of a distributed engine, Ray: the messages and times that
//! `python/benchmarks/hypercube.py` recorded, beside those of the simulation, and the longest time that a message may take
//! if the method is to gain anything.
//!
//! The record is built in, with its machine and date. Counts of messages are compared with the simulation's in every run
//! of the report.

use super::CubeRsaError;
use super::hypercube::{
    Costs, EventKind, Exponent, Firing, Form, Hypercube, HypercubeError, Network, Timing, methods,
    simulate,
};
use crate::figures::{Figures, Source};
use crate::random::Random;
use crate::table::{Cell, Origin, Table};
use crate::timing::Times;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The record at the time of this build.
const BUILT_IN: &str = include_str!("../../../../python/benchmarks/hypercube.json");

/// Ticks of a simulation for each `MulMod`, so that a message can take parts of one.
const TICKS: u32 = 64;

/// The size of the exponents, in bits.
const BITS: u32 = 1024;

/// The name of the figure of [`Record::beside_binary`].
pub(super) const BESIDE_BINARY: &str = "speed of CRSA on Ray / binary in one process, Nc = 1";
/// The name of the figure of [`in_a_row`].
pub(super) const IN_A_ROW: &str = "messages in a row between elements, Nc = 1";
/// The name of the figure of [`Message::alone_us`] on one machine.
pub(super) const MESSAGE: &str =
    "time of a message to a neighbour, as actors of Ray on one machine";
/// The name of the figure of [`Record::product_us`].
pub(super) const PRODUCT: &str = "time of a MulMod in an actor";

/// Powers on actors of Ray.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    /// The number of cubes.
    pub cubes: usize,
    /// The form: `plain` or `optimized`.
    pub form: String,
    /// The number of machines.
    pub machines: usize,
    /// The number of elements, each an actor, with the coordinator.
    pub elements: usize,
    /// The number of messages over each link, by `sender -> receiver`, for all powers of a run.
    pub messages: BTreeMap<String, u64>,
    /// The number of these that went from one machine to another.
    pub between_machines: u64,
    /// The time of a power, each after the one before it: the median, in milliseconds.
    pub alone_ms: f64,
    /// Half the distance between the quartiles of these times, in milliseconds.
    pub alone_ms_spread: f64,
    /// The time between two powers of a stream, in milliseconds.
    pub stream_ms: f64,
}

/// Times of messages from an element to a neighbour.
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    /// `one machine` or `two machines`.
    #[serde(rename = "where")]
    pub place: String,
    /// Half a round trip: the median, in microseconds.
    pub alone_us: f64,
    /// Half the distance between the quartiles, in microseconds.
    pub alone_us_spread: f64,
    /// The time for each of many messages that do not wait for one another, in microseconds.
    pub in_a_row_us: f64,
}

/// The binary method in one process, with the products of the actors.
#[derive(Clone, Debug, Deserialize)]
pub struct Binary {
    /// The number of products.
    pub products: usize,
    /// The time of a power: the median, in milliseconds.
    pub alone_ms: f64,
    /// Half the distance between the quartiles, in milliseconds.
    pub alone_ms_spread: f64,
}

/// The record of a measurement on Ray.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    /// The processor.
    pub machine: String,
    /// The number of processors.
    pub processors: usize,
    /// The load of the machine before: processes that want a processor, on average.
    pub load: f64,
    /// The day, as year-month-day.
    pub date: String,
    /// The versions of Ray and Python.
    pub software: String,
    /// The number of powers in a run.
    pub powers: usize,
    /// The number of runs of which times are medians.
    pub repetitions: usize,
    /// The runs.
    pub runs: Vec<Run>,
    /// Times of messages.
    pub messages: Vec<Message>,
    /// The binary method.
    pub binary: Binary,
    /// The time of a product, in microseconds.
    pub product_us: f64,
}

impl Record {
    /// The record that is built in; `None` if it has another form.
    pub fn built_in() -> Option<Self> {
        serde_json::from_str(BUILT_IN).ok()
    }

    /// The source of its figures: machine, day, software.
    fn source(&self) -> Source {
        Source::Recorded {
            machine: self.conditions(),
            date: self.date.clone(),
            software: self.software.clone(),
        }
    }

    /// The processor, and the other work of the machine.
    fn conditions(&self) -> String {
        let other = if self.load > self.processors as f64 {
            format!(", with other work: load {}", self.load)
        } else {
            String::new()
        };
        format!("{}, {} processors{other}", self.machine, self.processors)
    }

    /// The time of the binary method in one process, divided by that of a power on the actors of one cube.
    fn beside_binary(&self) -> Option<f64> {
        let run = self.runs.iter().find(|run| run.cubes == 1)?;
        Some(self.binary.alone_ms / run.alone_ms)
    }

    /// Adds the figures that decide claims.
    pub(super) fn figures(&self, figures: &mut Figures) -> Result<(), CubeRsaError> {
        if let Some(speed) = self.beside_binary() {
            figures.add(BESIDE_BINARY, speed, "", self.source());
        }
        if let Some(message) = self.messages.iter().find(|m| m.place == "one machine") {
            figures.add(MESSAGE, message.alone_us, "\u{b5}s", self.source());
        }
        figures.add(PRODUCT, self.product_us, "\u{b5}s", self.source());
        let path = in_a_row(&network(1, Form::Optimized, 1)?);
        figures.count(IN_A_ROW, path as f64, "the simulated path of a power");
        Ok(())
    }

    /// The tables of the report. `saved` is the mean number of products in a row that CRSA takes less than the binary
    /// method, with one cube and with two.
    pub(super) fn tables(&self, saved: [f64; 2]) -> Result<[Table; 2], CubeRsaError> {
        Ok([self.runs_table()?, self.limits_table(saved)?])
    }

    fn runs_table(&self) -> Result<Table, CubeRsaError> {
        let mut table = Table::new(
            "ray",
            "Elements as actors of Ray: messages and times, k = 1024",
            &[
                ("cubes", Origin::Label),
                ("actors", Origin::Counted),
                ("machines", Origin::Recorded),
                ("messages a power", Origin::Recorded),
                ("messages, simulated", Origin::Counted),
                ("between machines", Origin::Recorded),
                ("one power, ms", Origin::Recorded),
                ("in a stream, ms", Origin::Recorded),
            ],
        );
        for run in &self.runs {
            let form = if run.form == "plain" {
                Form::Plain
            } else {
                Form::Optimized
            };
            let network = network(run.cubes, form, 1)?;
            let simulated = sent(&network, self.powers);
            let total: u64 = simulated.values().sum();
            let of_a_power = |messages: u64| messages as f64 / self.powers as f64;
            table.row(vec![
                format!("{} {}", run.cubes, run.form).into(),
                network.elements().len().into(),
                run.machines.into(),
                of_a_power(run.messages.values().sum()).into(),
                of_a_power(total).into(),
                of_a_power(run.between_machines).into(),
                self.time(run.alone_ms, run.alone_ms_spread),
                run.stream_ms.into(),
            ]);
            table.note(format!(
                "{} {}: the messages of each of the {} links are {} of the simulation.",
                run.cubes,
                run.form,
                run.messages.len(),
                if run.messages == simulated {
                    "those"
                } else {
                    "not those"
                },
            ));
        }
        table.note(format!(
            "Recorded {} on {}; {}. The machines are nodes of Ray on one host. A power alone: median \u{b1} half the \
             distance between the quartiles of {} runs of {} powers. The binary method with the same products in one \
             process: {} ms.",
            self.date,
            self.conditions(),
            self.software,
            self.repetitions,
            self.powers,
            self.time(self.binary.alone_ms, self.binary.alone_ms_spread).text,
        ));
        Ok(table)
    }

    fn time(&self, median: f64, spread: f64) -> Cell {
        let [lower_ns, median_ns, upper_ns] = [median - spread, median, median + spread];
        let times = Times {
            repetitions: self.repetitions,
            min_ns: lower_ns,
            lower_ns,
            median_ns,
            upper_ns,
        };
        Cell::time(&times, 1.0)
    }

    fn limits_table(&self, saved: [f64; 2]) -> Result<Table, CubeRsaError> {
        let mut table = Table::new(
            "message-limits",
            "The longest time of a message at which the method gains, k = 1024",
            &[
                ("gain", Origin::Label),
                ("MulMods saved", Origin::Counted),
                ("messages in a row", Origin::Counted),
                ("longest, in MulMods", Origin::Computed),
                ("longest, \u{b5}s", Origin::Computed),
                ("on Ray, \u{b5}s", Origin::Recorded),
            ],
        );
        let on_ray = self.messages.first().map_or_else(
            || Cell::from("-"),
            |message| self.time(message.alone_us, message.alone_us_spread),
        );
        for (cubes, saved) in (1..).zip(saved) {
            let messages = in_a_row(&network(cubes, Form::Optimized, 1)?);
            let longest = (saved > 0.0).then(|| saved / messages as f64);
            table.row(vec![
                format!("one power sooner than binary, Nc = {cubes}").into(),
                Cell::decimals(saved, 2),
                messages.into(),
                longest.into(),
                longest.map(|products| products * self.product_us).into(),
                on_ray.clone(),
            ]);
        }
        for cubes in [1, 2] {
            let longest = longest_in_a_stream(cubes)?;
            table.row(vec![
                format!(
                    "a stream {} times as fast as binary, Nc = {cubes}, Nc + 3 coordinators",
                    0.9 * (cubes as f64 + 3.0)
                )
                .into(),
                "-".into(),
                "-".into(),
                longest.into(),
                (longest * self.product_us).into(),
                self.messages
                    .first()
                    .map(|message| message.in_a_row_us)
                    .into(),
            ]);
        }
        table.note(format!(
            "One power: the saved MulMods over the messages that follow each other; a dash where nothing is saved, so that \
             no message is short enough. A stream: simulated, for 200 powers; a link carries one value at a time, \
             and beside it stands the mean time of messages that do not wait for one another. A MulMod took {} \u{b5}s in an \
             actor.",
            self.product_us,
        ));
        Ok(table)
    }
}

/// The network from `m` to `m^e` for a random odd exponent of 1024 bits.
fn network(cubes: usize, form: Form, coordinators: usize) -> Result<Network, HypercubeError> {
    let hypercube = Hypercube::new(cubes, form)?.with_coordinators(coordinators);
    let plan = hypercube.plan(Exponent::Public(&Random(4).odd(BITS)))?;
    Ok(plan.network().clone())
}

/// The number of messages over each link in a simulated stream of `powers` powers, by `sender -> receiver`.
pub fn sent(network: &Network, powers: usize) -> BTreeMap<String, u64> {
    let mut messages = BTreeMap::new();
    for event in simulate(network, Timing::MULMODS, powers).events() {
        if let EventKind::Send(link) = event.kind {
            let link = &network.links()[link];
            let name = format!("{} -> {}", network.place(link.from), network.place(link.to));
            *messages.entry(name).or_default() += 1;
        }
    }
    messages
}

/// The time of one power, or of a stream, if a `MulMod` takes [`TICKS`] and a value on a link `hop` ticks.
fn timing(hop: u32) -> Timing {
    let costs = Costs {
        mulmod: TICKS,
        hop,
        element: 0,
    };
    Timing {
        costs,
        firing: Firing::Strict,
        interval: 0,
    }
}

/// The number of messages between elements that follow each other on the path that decides the time of a power: what the
/// time grows by if each takes a tick. The messages into and out of the network are not counted: any method has them.
pub fn in_a_row(network: &Network) -> u64 {
    let [without, with] = [0, 1].map(|hop| simulate(network, timing(hop), 1).makespan());
    (with - without).saturating_sub(2)
}

/// The longest time of a value on a link, in `MulMod`s, at which a stream with `Nc + 3` coordinators has nine tenths of
/// `Nc + 3` times the throughput of the binary method on one processor.
fn longest_in_a_stream(cubes: usize) -> Result<f64, CubeRsaError> {
    let network = network(cubes, Form::Optimized, cubes + 3)?;
    let binary = methods::binary_vartime(&Random(4).odd(BITS)).steps().len() as f64;
    let enough = |hop: u32| {
        let throughput = simulate(&network, timing(hop), 200).throughput();
        let gain = throughput.unwrap_or(0.0) * binary * f64::from(TICKS);
        gain >= 0.9 * (cubes as f64 + 3.0)
    };
    let (mut longest, mut too_long) = (0, TICKS * BITS);
    while too_long - longest > 1 {
        let middle = u32::midpoint(longest, too_long);
        if enough(middle) {
            longest = middle;
        } else {
            too_long = middle;
        }
    }
    Ok(f64::from(longest) / f64::from(TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_has_the_messages_of_the_simulation() {
        let record = Record::built_in().unwrap();
        assert_eq!(record.runs.len(), 3);
        for run in &record.runs {
            let form = match run.form.as_str() {
                "plain" => Form::Plain,
                _ => Form::Optimized,
            };
            let network = network(run.cubes, form, 1).unwrap();
            assert_eq!(run.messages, sent(&network, record.powers));
            assert_eq!(run.elements, network.elements().len());
        }
    }

    #[test]
    fn the_path_of_a_power_is_that_of_the_graph() {
        // The coordinator and the PEs 0, 4, 5, 7, and for two cubes 0, 4, 5, 13, 15, 7.
        for (cubes, messages) in [(1, 4), (2, 6)] {
            let network = network(cubes, Form::Optimized, 1).unwrap();
            assert_eq!(in_a_row(&network), messages);
        }
    }

    #[test]
    fn a_stream_is_limited_by_the_links_between_coordinators() {
        // Three values on a link, for at most a time of W / (0.9 (Nc + 3)).
        let products = methods::binary_vartime(&Random(4).odd(BITS)).steps().len() as f64;
        for cubes in [1, 2] {
            let limit = products / (0.9 * (cubes as f64 + 3.0)) / 3.0;
            let longest = longest_in_a_stream(cubes).unwrap();
            assert!((longest - limit).abs() < 1.0, "{longest} and {limit}");
        }
    }
}
