//! `sunzi explain`: how something is computed, drawn.

use crate::args::Common;
use crate::atomic::{self, Access, Existing};
use crate::failure::{Failure, Outcome, Status};
use crate::hypercube::DEFAULT_CUBES;
use crate::output::Output;
use clap::{Subcommand, ValueEnum};
use std::path::{Path, PathBuf};
use sunzi_papers::cube_rsa::drawing::Drawing;
use sunzi_papers::cube_rsa::hypercube::Form;

/// What is explained.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// The hypercube of `powmod --method hypercube`: its elements, their work, their links
    Hypercube(Args),
}

/// Which hypercube.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The cubes, 1 to 16
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CUBES)]
    cubes: usize,
    /// Which nodes of a cube work
    #[arg(long, value_enum, default_value_t = NodeChoice::Optimized)]
    form: NodeChoice,
    /// The size of the exponent, for the coordinator's work
    #[arg(long, value_name = "BITS", default_value_t = 2048,
          value_parser = clap::value_parser!(u32).range(1..=16_384))]
    bits: u32,
    /// Draw the graph into FILE too (an existing file is replaced)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Which nodes of a cube work.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum NodeChoice {
    /// All 8, two of which repeat others
    Plain,
    /// 6
    Optimized,
}

pub(crate) fn run(verb: &Verb, common: &Common) -> Outcome {
    let Verb::Hypercube(args) = verb;
    let form = match args.form {
        NodeChoice::Plain => Form::Plain,
        NodeChoice::Optimized => Form::Optimized,
    };
    let drawing = Drawing::new(form, args.cubes, args.bits);
    let drawing = drawing.map_err(|error| Failure::new(error.to_string()))?;
    if let Some(path) = &args.svg {
        write_svg(path, &drawing.svg())?;
    }
    let mut output = Output::new();
    if common.json {
        for element in drawing.elements() {
            output.json(&element)?;
        }
    } else {
        output.line(drawing.to_string().trim_end())?;
    }
    output.flush()?;
    Ok(Status::Done)
}

/// Writes a picture, whole or not at all.
pub(crate) fn write_svg(path: &Path, svg: &str) -> Result<(), Failure> {
    atomic::write(path, svg.as_bytes(), Access::Usual, Existing::Replace)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}
