//! Figure 4 of the paper from the simulation: (a) the gain in throughput by pipelining, and (b) the
//! efficiency of the plain and the optimized form.

use super::CubeRsaError;
use super::hypercube::{
    Exponent, Form, Hypercube, HypercubeError, Network, Timing, chain, methods, simulate,
};
use crate::plot::{Axis, Plot, Series};
use crate::random::Random;
use crate::table::{Cell, Origin, Table};
use crypto_bigint::BoxedUint;

/// The number of powers in a simulated stream: many more than a pipeline has stages.
const STREAM: usize = 200;
/// The size of the exponents of Figure 4 (a), in bits.
const BITS: u32 = 1024;

/// A point of Figure 4 (a): gains in throughput by pipelining, that is the throughput of a
/// pipelined stream divided by that of one power at a time.
#[derive(Clone, Copy, Debug)]
pub struct Throughput {
    /// The number of cubes, `Nc`.
    pub cubes: usize,
    /// The gain that the paper claims, `Nc + 3`.
    pub claimed: f64,
    /// The gain with one coordinator, as in the paper.
    pub one_coordinator: f64,
    /// The gain with `Nc + 3` coordinators that share the coordinator's work equally.
    pub several_coordinators: f64,
    /// The gain of the binary method in a chain of `Nc + 3` equal stages, without cubes.
    pub chain: f64,
}

/// A point of Figure 4 (b): efficiencies 100 S / P in percent, where S is the speedup over the
/// binary method on one processor and P is the number of processors.
#[derive(Clone, Copy, Debug)]
pub struct Efficiency {
    /// The size of the exponent, in bits.
    pub bits: u32,
    /// The efficiency of the plain form with two cubes: 16 elements and the coordinator.
    pub plain: f64,
    /// The efficiency of the optimized form with two cubes: 12 elements and the coordinator.
    pub optimized: f64,
    /// The efficiency of a chain of 13 equal stages on a stream, without cubes.
    pub chain: f64,
}

/// The numbers of Figure 4.
#[derive(Clone, Debug)]
pub struct Figure4 {
    /// The points of (a), for 1 to 5 cubes.
    pub throughput: Vec<Throughput>,
    /// The points of (b), for 512, 1024, 2048 and 4096 bits.
    pub efficiency: Vec<Efficiency>,
}

/// The gain in throughput by pipelining: the time of one power alone, divided by the time between
/// two powers of a stream.
fn gain(network: &Network) -> Result<f64, HypercubeError> {
    let alone = simulate(network, Timing::MULMODS, 1).makespan();
    let period = period(network)?;
    Ok(alone as f64 / period)
}

/// The time between two powers of a long stream, in `MulMod`s.
fn period(network: &Network) -> Result<f64, HypercubeError> {
    let stream = simulate(network, Timing::MULMODS, STREAM);
    let throughput = stream.throughput().ok_or(HypercubeError::Stages {
        stages: network.elements().len(),
        work: network.work(),
    })?;
    Ok(1.0 / throughput)
}

/// Figure 4, simulated with pseudo-random odd exponents, which are the same in every run.
///
/// # Errors
/// None that the caller can cause.
pub fn simulated() -> Result<Figure4, CubeRsaError> {
    let e = Random(4).odd(BITS);
    let throughput = (1..=5).map(|cubes| {
        let stages = cubes + 3;
        let hypercube = Hypercube::new(cubes, Form::Optimized)?;
        let one = hypercube.plan(Exponent::Public(&e))?;
        let several = hypercube
            .with_coordinators(stages)
            .plan(Exponent::Public(&e))?;
        let binary = chain(&methods::binary_vartime(&e), stages)?;
        Ok(Throughput {
            cubes,
            claimed: stages as f64,
            one_coordinator: gain(one.network())?,
            several_coordinators: gain(several.network())?,
            chain: gain(&binary)?,
        })
    });
    let efficiency = [512, 1024, 2048, 4096].map(|bits| {
        let e = Random(u64::from(bits)).odd(bits);
        let binary = methods::binary_vartime(&e);
        let one_processor = binary.steps().len() as f64;
        let efficiency = |form| -> Result<f64, CubeRsaError> {
            let network = plan(form, &e)?;
            let alone = simulate(&network, Timing::MULMODS, 1).makespan() as f64;
            Ok(100.0 * one_processor / alone / network.elements().len() as f64)
        };
        let stages = plan(Form::Optimized, &e)?.elements().len();
        let chain = chain(&binary, stages)?;
        Ok(Efficiency {
            bits,
            plain: efficiency(Form::Plain)?,
            optimized: efficiency(Form::Optimized)?,
            chain: 100.0 * one_processor / period(&chain)? / stages as f64,
        })
    });
    Ok(Figure4 {
        throughput: throughput.collect::<Result<_, CubeRsaError>>()?,
        efficiency: efficiency
            .into_iter()
            .collect::<Result<_, CubeRsaError>>()?,
    })
}

fn plan(form: Form, e: &BoxedUint) -> Result<Network, CubeRsaError> {
    let plan = Hypercube::new(2, form)?.plan(Exponent::Public(e))?;
    Ok(plan.network().clone())
}

impl Figure4 {
    /// The numbers of both parts, for the report.
    pub fn tables(&self) -> [Table; 2] {
        let mut throughput = Table::new(
            "throughput",
            format!(
                "Figure 4 (a): throughput of a pipelined stream over one power at a time, simulated, k = {BITS}"
            ),
            &[
                ("Nc", Origin::Label),
                ("Nc + 3", Origin::Printed),
                ("one coordinator", Origin::Counted),
                ("Nc + 3 coordinators", Origin::Counted),
                ("chain of Nc + 3, no cubes", Origin::Counted),
            ],
        );
        for point in &self.throughput {
            throughput.row(vec![
                point.cubes.into(),
                point.claimed.into(),
                Cell::decimals(point.one_coordinator, 4),
                Cell::decimals(point.several_coordinators, 3),
                Cell::decimals(point.chain, 3),
            ]);
        }
        let mut efficiency = Table::new(
            "efficiency",
            "Figure 4 (b): efficiency 100 S / P in percent, simulated, Nc = 2",
            &[
                ("bits", Origin::Label),
                ("plain, P = 17", Origin::Counted),
                ("optimized, P = 13", Origin::Counted),
                ("chain of 13, streams", Origin::Counted),
            ],
        );
        for point in &self.efficiency {
            efficiency.row(vec![
                f64::from(point.bits).into(),
                Cell::decimals(point.plain, 2),
                Cell::decimals(point.optimized, 2),
                Cell::decimals(point.chain, 2),
            ]);
        }
        [throughput, efficiency]
    }

    /// Both parts as plots.
    pub fn plots(&self) -> [Plot; 2] {
        let gain = |name: &str, printed, value: fn(&Throughput) -> f64| Series {
            name: name.to_owned(),
            printed,
            points: (self.throughput.iter())
                .map(|point| (point.cubes as f64, value(point)))
                .collect(),
        };
        let efficiency = |name: &str, value: fn(&Efficiency) -> f64| Series {
            name: name.to_owned(),
            printed: false,
            points: (self.efficiency.iter())
                .map(|point| (f64::from(point.bits), value(point)))
                .collect(),
        };
        [
            Plot {
                name: "throughput",
                title: String::from("Figure 4 (a): gain in throughput by pipelining, simulated"),
                description: String::from(
                    "With one coordinator, as in the paper, the gain is 1 at every number of cubes; the \
                     claimed gain needs Nc + 3 coordinators, or a chain without cubes.",
                ),
                x: Axis::linear("cubes Nc"),
                y: Axis::linear("throughput / that of one power at a time"),
                series: vec![
                    gain("claimed: Nc + 3", true, |point| point.claimed),
                    gain("one coordinator", false, |point| point.one_coordinator),
                    gain("Nc + 3 coordinators", false, |point| {
                        point.several_coordinators
                    }),
                    gain("chain of Nc + 3, no cubes", false, |point| point.chain),
                ],
            },
            Plot {
                name: "efficiency",
                title: String::from("Figure 4 (b): efficiency 100 S / P, two cubes, simulated"),
                description: String::from(
                    "Both forms of CRSA keep less than a tenth of their processors busy; a chain of equal \
                     stages on a stream keeps nearly all.",
                ),
                x: Axis::linear("bits of the exponent"),
                y: Axis::linear("%"),
                series: vec![
                    efficiency("CRSA plain, P = 17", |point| point.plain),
                    efficiency("CRSA optimized, P = 13", |point| point.optimized),
                    efficiency("chain of 13 on a stream, no cubes", |point| point.chain),
                ],
            },
        ]
    }
}
