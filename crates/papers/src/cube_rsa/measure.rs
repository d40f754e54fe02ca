//! The figures, tables and plots.

use super::CubeRsaError;
use super::distributed::Record;
use super::figures;
use super::hypercube::{
    Exponent, Firing, Form, Hypercube, HypercubeError, Timing, methods, simulate,
};
use super::tables::{self, TIMED_BITS};
use crate::PaperError;
use crate::figures::Figures;
use crate::paper::{Measured, Setting};
use crate::random::Random;
use crypto_bigint::BoxedUint;

/// The number of steps of a run.
pub(super) const STEPS: u64 = 3;

/// The code that is timed.
const BACKEND: &str = "sunzi-papers methods, a thread for each processor of the method";

pub(super) fn measure(setting: &Setting, step: &mut dyn FnMut()) -> Result<Measured, PaperError> {
    let mut measured = Measured::default();
    graph(&mut measured.figures)?;
    let figure = figures::simulated()?;
    let two = figure.throughput.iter().find(|point| point.cubes == 2);
    if let Some(point) = two {
        let over = "a simulated stream of 200 powers, k = 1024";
        let figures = &mut measured.figures;
        figures.count(
            "gain with one coordinator, Nc = 2",
            point.one_coordinator,
            over,
        );
        figures.count(
            "gain with Nc + 3 coordinators, Nc = 2",
            point.several_coordinators,
            over,
        );
    }
    if let Some(point) = figure.efficiency.iter().find(|point| point.bits == 1024) {
        let name = "efficiency of optimized / plain, k = 1024";
        measured
            .figures
            .count(name, point.optimized / point.plain, "a simulated power");
    }
    measured.tables.extend(figure.tables());
    measured.plots.extend(figure.plots());
    step();

    let counts = tables::count(setting.effort.of(200, 20, 3))?;
    let over = format!("{} random odd exponents of 1024 bits", counts.exponents);
    let figures = &mut measured.figures;
    figures.count(
        "CRSA in a row, worst exponent",
        counts.crsa_worst as f64,
        "the worst exponent",
    );
    figures.count(
        "of these for B",
        counts.crsa_worst_for_b as f64,
        "the worst exponent",
    );
    if let Some(row) = counts.row("CRT") {
        figures.count("CRT in a row, mean", row.mean, over);
    }
    if let Some(row) = counts.row("Montgomery ladder") {
        figures.count(
            "Montgomery ladder, e = 2^1024 - 1",
            row.all_ones as f64,
            "one exponent",
        );
    }
    figures.from_printed("log2 of the printed number", 4.4942e307f64.log2());
    figures.from_printed("log2 of 2 k^2", 21.0);
    figures.from_printed("log2 of 2^(k - 2)", 1022.0);
    let saved = average(setting.effort.of(50_000, 10_000, 500), figures)?;
    if let Some(record) = Record::built_in() {
        record.figures(figures)?;
        measured.tables.extend(record.tables(saved)?);
    }
    measured.tables.insert(0, counts.table());
    step();

    let bits: &[u32] = setting
        .effort
        .of(&TIMED_BITS, &TIMED_BITS[..2], &TIMED_BITS[..1]);
    let times = tables::time(setting.effort.of(9, 5, 1), bits)?;
    let conditions = format!("{}; {BACKEND}", setting.machine);
    measured.tables.insert(1, times.table(&conditions));
    measured.tables.extend(setting.hardware.table("cube"));
    step();
    Ok(measured)
}

/// The numbers of elements and of their products, read off the graph.
fn graph(figures: &mut Figures) -> Result<(), CubeRsaError> {
    let (mut exponents, mut work) = (0, 0);
    for cubes in 1..=6usize {
        let hypercube = Hypercube::new(cubes, Form::Optimized)?;
        let d = (24 << cubes) - 12 * cubes as u64 - 26;
        exponents += u32::from(hypercube.exponents()? == [d, 1]);
        let network = hypercube.network_of_cubes()?;
        let depth = simulate(&network, Timing::MULMODS, 1).makespan();
        let numbers = (network.elements().len(), network.work(), depth);
        work += u32::from(numbers == (6 * cubes, 10 * cubes - 5, 5 * cubes as u64 - 1));
    }
    let over = "the graphs of 1 to 6 cubes";
    let name = "numbers of cubes 1 to 6 with the exponents (D, 1)";
    figures.count(name, f64::from(exponents), over);
    figures.count(
        "numbers of cubes 1 to 6 with this work",
        f64::from(work),
        over,
    );
    for (name, form) in [
        ("elements of the plain form, Nc = 2", Form::Plain),
        ("elements of the optimized form, Nc = 2", Form::Optimized),
    ] {
        let network = Hypercube::new(2, form)?.network_of_cubes()?;
        figures.count(name, network.elements().len() as f64, "the graph");
        if form == Form::Optimized {
            let eager = Timing {
                firing: Firing::Eager,
                ..Timing::MULMODS
            };
            let depth = simulate(&network, eager, 1).makespan();
            let name = "MulMods in a row if elements do not wait, Nc = 2";
            figures.count(name, depth as f64, "a simulated power");
        }
    }

    let e = Random(4).odd(1024);
    let plan = Hypercube::new(2, Form::Optimized)?.plan(Exponent::Public(&e))?;
    let slowest = plan.network().bottleneck();
    let mut work: Vec<usize> = (plan.network().elements().iter())
        .map(|element| element.steps.len())
        .collect();
    work.sort_unstable();
    let of_cubes = &work[..work.len() - 1];
    let over = "a random odd exponent of 1024 bits";
    figures.count("MulMods of the coordinator, Nc = 2", slowest as f64, over);
    let most = of_cubes.last().copied().unwrap_or(0);
    figures.count("most MulMods of another element, Nc = 2", most as f64, over);
    let busy = of_cubes.iter().sum::<usize>() as f64 / (of_cubes.len() * slowest) as f64;
    let name = "time that the elements of the cubes work in a stream, %";
    figures.count(name, 100.0 * busy, over);
    Ok(())
}

/// The numbers of products in a row of CRSA and of the binary method, on the same random odd exponents.
///
/// The coordinator does its products one after another, and the cubes take `5 Nc - 1` more, as
/// [`tables::count`] finds by computing the powers. Returns the mean numbers that CRSA takes less, with one cube and with
/// two.
fn average(exponents: u32, figures: &mut Figures) -> Result<[f64; 2], CubeRsaError> {
    let [one, two] = [1, 2].map(|cubes| Hypercube::new(cubes, Form::Optimized));
    let (one, two) = (one?, two?);
    let in_a_row = |hypercube: &Hypercube, cubes: usize, e: &BoxedUint| {
        let plan = hypercube.plan(Exponent::Public(e))?;
        Ok::<f64, HypercubeError>((plan.coordinator().steps().len() + 5 * cubes - 1) as f64)
    };
    let mut random = Random(7);
    let (mut of_binary, mut of_one, mut sum, mut squares) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..exponents {
        let e = random.odd(1024);
        let binary = methods::binary_vartime(&e).steps().len() as f64;
        let difference = in_a_row(&two, 2, &e)? - binary;
        of_binary += binary;
        of_one += in_a_row(&one, 1, &e)?;
        sum += difference;
        squares += difference * difference;
    }
    let n = f64::from(exponents);
    let (mean, mean_square) = (sum / n, squares / n);
    let error = ((mean_square - mean * mean) / n).sqrt();
    let over = format!("{exponents} random odd exponents of 1024 bits");
    for (name, value) in [
        ("CRSA minus binary in a row, mean", mean),
        ("standard error of this mean", error),
        ("MulMods in a row of binary, mean", of_binary / n),
        ("MulMods in a row of CRSA, Nc = 1, mean", of_one / n),
    ] {
        figures.count(name, value, over.clone());
    }
    Ok([(of_binary - of_one) / n, -mean])
}
