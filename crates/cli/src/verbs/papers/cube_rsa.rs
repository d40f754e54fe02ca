//! `sunzi papers cube-rsa`: the tables and Figure 4 of the paper about CRSA.

use crate::failure::{Failure, Outcome, Status};
use crate::io::files;
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::verbs::Run;
use std::path::PathBuf;
use sunzi_papers::cube_rsa::{figures, tables};

/// "Cube Based RSA Analysis and Optimization": powers on a hypercube
///
/// Prints Table 1 (multiplications, counted) and Table 2 (times, on this machine) beside the
/// paper's numbers, and Figure 4 from the simulation, and draws the figure into
/// cube-rsa-throughput.svg and cube-rsa-efficiency.svg.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of random exponents on which multiplications are counted
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    exponents: u16,
    /// Number of times that each method is timed; the median is printed
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    runs: u16,
    /// Write the plots into this folder, which is made if necessary (existing plots are replaced)
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let mut output = Output::new();
        let figure = figures::simulated().map_err(Failure::from_error)?;
        let plots = [
            ("cube-rsa-throughput.svg", figure.throughput_svg()),
            ("cube-rsa-efficiency.svg", figure.efficiency_svg()),
        ];
        std::fs::create_dir_all(&self.out).map_err(|error| {
            Failure::new(format!("cannot make {}: {error}", self.out.display()))
        })?;
        let mut written = Vec::new();
        for (name, plot) in plots {
            let path = self.out.join(name);
            files::write_svg(&path, &plot.map_err(Failure::from_error)?)?;
            written.push(path.display().to_string());
        }
        let counts = tables::count(self.exponents.into()).map_err(Failure::from_error)?;
        if common.json {
            output.json(&counts)?;
        } else {
            output.line(&counts)?;
        }
        output.flush()?;
        let times = tables::time(self.runs.into()).map_err(Failure::from_error)?;
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
}
