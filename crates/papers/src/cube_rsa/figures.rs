//! Figure 4 of the paper, from the simulation: the gain in throughput by pipelining, and the
//! efficiency of the plain and the optimized form.

use super::CubeRsaError;
use super::random::Random;
use crypto_bigint::BoxedUint;
use plotters::prelude::*;
use serde::Serialize;
use std::fmt;
use sunzi_field::power::hypercube::{
    Exponent, Form, Hypercube, HypercubeError, Network, Timing, chain, schedule, simulate,
};

/// How many powers a stream has: many more than a pipeline has stages.
const STREAM: usize = 200;
/// The size of Figure 4 (a)'s exponents.
const BITS: u32 = 1024;

/// A point of Figure 4 (a): how many times more powers a stream gives when they overlap.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Throughput {
    /// `Nc`.
    pub cubes: usize,
    /// The paper's `Nc + 3`.
    pub claimed: f64,
    /// With one coordinator, as in the paper.
    pub one_coordinator: f64,
    /// With `Nc + 3` coordinators that share their work equally.
    pub several_coordinators: f64,
    /// The binary method in a chain of `Nc + 3` equal stages, without cubes.
    pub chain: f64,
}

/// A point of Figure 4 (b): 100 S / P, with S the speedup of one power over the binary method
/// on one processor, and P the number of processors.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Efficiency {
    /// The size of the exponent, in bits.
    pub bits: u32,
    /// The plain form, two cubes: 16 elements and the coordinator.
    pub plain: f64,
    /// The optimized form: 12 elements and the coordinator.
    pub optimized: f64,
    /// A chain of 13 equal stages on a stream, without cubes.
    pub chain: f64,
}

/// Figure 4, as numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Figure4 {
    /// (a), for 1 to 5 cubes.
    pub throughput: Vec<Throughput>,
    /// (b), for 512, 1024, 2048 and 4096 bits.
    pub efficiency: Vec<Efficiency>,
}

/// How many times more powers a stream gives when they overlap.
fn gain(network: &Network) -> Result<f64, HypercubeError> {
    let alone = simulate(network, Timing::MULMODS, 1).makespan();
    let period = period(network)?;
    Ok(alone as f64 / period)
}

/// The time between two powers of a long stream.
fn period(network: &Network) -> Result<f64, HypercubeError> {
    let stream = simulate(network, Timing::MULMODS, STREAM);
    let throughput = stream.throughput().ok_or(HypercubeError::Stages {
        stages: network.elements().len(),
        work: network.work(),
    })?;
    Ok(1.0 / throughput)
}

/// Figure 4, simulated with random odd exponents, the same in every run.
///
/// # Errors
/// None that depend on the caller.
pub fn simulated() -> Result<Figure4, CubeRsaError> {
    let e = Random(4).odd(BITS);
    let throughput = (1..=5).map(|cubes| {
        let stages = cubes + 3;
        let hypercube = Hypercube::new(cubes, Form::Optimized)?;
        let one = hypercube.plan(Exponent::Public(&e))?;
        let several = hypercube
            .with_coordinators(stages)
            .plan(Exponent::Public(&e))?;
        let binary = chain(&schedule::binary_vartime(&e), stages)?;
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
        let binary = schedule::binary_vartime(&e);
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

impl fmt::Display for Figure4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Figure 4 (a): throughput of a pipelined stream over one power at a time, simulated, \
             k = {BITS}\n"
        )?;
        writeln!(
            f,
            "{:>3} {:>14} {:>18} {:>22} {:>26}",
            "Nc",
            "claimed Nc + 3",
            "one coordinator",
            "Nc + 3 coordinators",
            "chain of Nc + 3, no cubes"
        )?;
        for point in &self.throughput {
            writeln!(
                f,
                "{:>3} {:>14.0} {:>18.4} {:>22.3} {:>26.3}",
                point.cubes,
                point.claimed,
                point.one_coordinator,
                point.several_coordinators,
                point.chain
            )?;
        }
        writeln!(
            f,
            "\nFigure 4 (b): efficiency 100 S / P, simulated, Nc = 2\n\n\
             {:>5} {:>20} {:>24} {:>24}",
            "bits", "plain (P = 17)", "optimized (P = 13)", "chain of 13, streams"
        )?;
        for point in &self.efficiency {
            writeln!(
                f,
                "{:>5} {:>18.2} % {:>22.2} % {:>22.2} %",
                point.bits, point.plain, point.optimized, point.chain
            )?;
        }
        Ok(())
    }
}

const SIZE: (u32, u32) = (640, 400);
const FONT: &str = "sans-serif";

/// The name, the color and the values of a series of points.
type Series<P> = (&'static str, RGBColor, fn(&P) -> f64);

/// The error of a plot.
fn failed(error: impl fmt::Display) -> CubeRsaError {
    CubeRsaError::Plot(error.to_string())
}

impl Figure4 {
    /// Figure 4 (a) as an SVG document.
    ///
    /// # Errors
    /// [`CubeRsaError::Plot`] if it cannot be drawn.
    pub fn throughput_svg(&self) -> Result<String, CubeRsaError> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let mut chart = ChartBuilder::on(&area)
            .caption("Gain in throughput by pipelining, simulated", (FONT, 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(44)
            .build_cartesian_2d(0.8f64..5.2, 0f64..9.0)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .x_desc("cubes")
            .y_desc("times the throughput of one power at a time")
            .x_labels(5)
            .max_light_lines(1)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .draw()
            .map_err(failed)?;
        let series: [Series<Throughput>; 4] = [
            ("claimed: Nc + 3", RGBColor(170, 170, 170), |point| {
                point.claimed
            }),
            ("one coordinator", RED, |point| point.one_coordinator),
            ("Nc + 3 coordinators", BLUE, |point| {
                point.several_coordinators
            }),
            ("chain of Nc + 3, no cubes", GREEN, |point| point.chain),
        ];
        // The claim is drawn wide and first: two other lines lie on it.
        for ((name, color, value), width) in series.into_iter().zip([7, 2, 2, 2]) {
            let points = self.throughput.iter();
            let points = points.map(|point| (point.cubes as f64, value(point)));
            chart
                .draw_series(LineSeries::new(points.clone(), color.stroke_width(width)))
                .map_err(failed)?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
            let circles = points.map(|point| Circle::new(point, 3, color.filled()));
            chart.draw_series(circles).map_err(failed)?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .draw()
            .map_err(failed)?;
        area.present().map_err(failed)?;
        drop(chart);
        drop(area);
        Ok(svg)
    }

    /// Figure 4 (b) as an SVG document.
    ///
    /// # Errors
    /// [`CubeRsaError::Plot`] if it cannot be drawn.
    pub fn efficiency_svg(&self) -> Result<String, CubeRsaError> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let sizes = self.efficiency.iter().map(|point| point.bits);
        let sizes = sizes.collect::<Vec<_>>();
        let mut chart = ChartBuilder::on(&area)
            .caption("Efficiency 100 S / P, two cubes, simulated", (FONT, 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(44)
            .build_cartesian_2d(-0.5f64..sizes.len() as f64 - 0.5, 0f64..140.0)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_desc("bits of the exponent")
            .y_desc("%")
            .x_labels(sizes.len())
            .max_light_lines(1)
            .x_label_formatter(&|x| {
                let size = sizes.get(x.round().max(0.0) as usize);
                size.map_or_else(String::new, ToString::to_string)
            })
            .draw()
            .map_err(failed)?;
        let series: [Series<Efficiency>; 3] = [
            ("CRSA plain, P = 17", RED, |point| point.plain),
            ("CRSA optimized, P = 13", BLUE, |point| point.optimized),
            ("chain of 13 on a stream, no cubes", GREEN, |point| {
                point.chain
            }),
        ];
        for (index, (name, color, value)) in series.into_iter().enumerate() {
            let left = -0.36 + 0.24 * index as f64;
            let bars = self.efficiency.iter().enumerate().map(|(at, point)| {
                let x = at as f64 + left;
                let corners = [(x, 0.0), (x + 0.24, value(point))];
                Rectangle::new(corners, color.mix(0.7).filled())
            });
            chart
                .draw_series(bars)
                .map_err(failed)?
                .label(name)
                .legend(move |(x, y)| {
                    Rectangle::new([(x, y - 4), (x + 18, y + 4)], color.mix(0.7).filled())
                });
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .draw()
            .map_err(failed)?;
        area.present().map_err(failed)?;
        drop(chart);
        drop(area);
        Ok(svg)
    }
}
