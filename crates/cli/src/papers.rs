//! `sunzi papers`: the tables and figures of a paper, with what is counted and timed here.

use crate::args::Common;
use crate::explain::write_svg;
use crate::failure::{Failure, Outcome, Status};
use crate::output::Output;
use clap::Subcommand;
use std::path::PathBuf;
use sunzi_papers::cube_rsa::{CubeRsaError, figures, tables};

/// Which paper.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// "Cube Based RSA Analysis and Optimization": powers on a hypercube
    ///
    /// Prints Table 1 (multiplications, counted) and Table 2 (times, on this machine) beside the
    /// paper's numbers, and Figure 4 from the simulation, and draws the figure into
    /// cube-rsa-throughput.svg and cube-rsa-efficiency.svg.
    CubeRsa(CubeRsa),
}

/// How much is counted and timed.
#[derive(Debug, clap::Args)]
pub(crate) struct CubeRsa {
    /// Count on so many random exponents
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    exponents: u16,
    /// Time each method so many times, and take the median
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: u16,
    /// Write the plots into this folder, made if it is not there (existing plots are replaced)
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
}

pub(crate) fn run(verb: &Verb, common: &Common) -> Outcome {
    let Verb::CubeRsa(args) = verb;
    let told = |error: CubeRsaError| Failure::new(error.to_string());
    let mut output = Output::new();
    let figure = figures::simulated().map_err(told)?;
    let plots = [
        ("cube-rsa-throughput.svg", figure.throughput_svg()),
        ("cube-rsa-efficiency.svg", figure.efficiency_svg()),
    ];
    std::fs::create_dir_all(&args.out)
        .map_err(|error| Failure::new(format!("cannot make {}: {error}", args.out.display())))?;
    let mut written = Vec::new();
    for (name, plot) in plots {
        let path = args.out.join(name);
        write_svg(&path, &plot.map_err(told)?)?;
        written.push(path.display().to_string());
    }
    let counts = tables::count(args.exponents.into()).map_err(told)?;
    if common.json {
        output.json(&counts)?;
    } else {
        output.line(&counts)?;
    }
    output.flush()?;
    let times = tables::time(args.runs.into()).map_err(told)?;
    if common.json {
        output.json(&times)?;
        output.json(&figure)?;
    } else {
        output.line(&times)?;
        output.line(&figure)?;
        output.line(format_args!("Plots: {}", written.join(", ")))?;
    }
    output.flush()?;
    Ok(Status::Done)
}
