//! Figure 4 of the paper from the simulation: (a) the gain in throughput by pipelining, and (b) the
//! efficiency of the plain and the optimized form.

use super::CubeRsaError;
use super::hypercube::{
    Exponent, Form, Hypercube, HypercubeError, Network, Timing, chain, methods, simulate,
};
use super::random::Random;
use crypto_bigint::BoxedUint;
use plotters::prelude::*;
use serde::Serialize;
use std::fmt;

/// The number of powers in a simulated stream: many more than a pipeline has stages.
const STREAM: usize = 200;
/// The size of the exponents of Figure 4 (a), in bits.
const BITS: u32 = 1024;

/// A point of Figure 4 (a): gains in throughput by pipelining, that is the throughput of a
/// pipelined stream divided by that of one power at a time.
#[derive(Clone, Copy, Debug, Serialize)]
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
#[derive(Clone, Copy, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
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

/// A series of a plot: its name, its color, and the value of a point.
type Series<P> = (&'static str, RGBColor, fn(&P) -> f64);

/// The error for a plot that could not be drawn.
fn plot_error(error: impl fmt::Display) -> CubeRsaError {
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
        area.fill(&WHITE).map_err(plot_error)?;
        let mut chart = ChartBuilder::on(&area)
            .caption("Gain in throughput by pipelining, simulated", (FONT, 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(44)
            .build_cartesian_2d(0.8f64..5.2, 0f64..9.0)
            .map_err(plot_error)?;
        chart
            .configure_mesh()
            .x_desc("cubes")
            .y_desc("times the throughput of one power at a time")
            .x_labels(5)
            .max_light_lines(1)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .draw()
            .map_err(plot_error)?;
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
        // The claim is drawn first and with a wide line, because two other lines lie on it.
        for ((name, color, value), width) in series.into_iter().zip([7, 2, 2, 2]) {
            let points = self.throughput.iter();
            let points = points.map(|point| (point.cubes as f64, value(point)));
            chart
                .draw_series(LineSeries::new(points.clone(), color.stroke_width(width)))
                .map_err(plot_error)?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
            let circles = points.map(|point| Circle::new(point, 3, color.filled()));
            chart.draw_series(circles).map_err(plot_error)?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .draw()
            .map_err(plot_error)?;
        area.present().map_err(plot_error)?;
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
        area.fill(&WHITE).map_err(plot_error)?;
        let sizes = self.efficiency.iter().map(|point| point.bits);
        let sizes = sizes.collect::<Vec<_>>();
        let mut chart = ChartBuilder::on(&area)
            .caption("Efficiency 100 S / P, two cubes, simulated", (FONT, 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(44)
            .build_cartesian_2d(-0.5f64..sizes.len() as f64 - 0.5, 0f64..140.0)
            .map_err(plot_error)?;
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
            .map_err(plot_error)?;
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
                .map_err(plot_error)?
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
            .map_err(plot_error)?;
        area.present().map_err(plot_error)?;
        drop(chart);
        drop(area);
        Ok(svg)
    }
}
