//! `sunzi explain hypercube`: the graph of a hypercube, as a table or a picture.

use crate::failure::{Failure, Outcome, Status};
use crate::io::files;
use crate::io::output::Output;
use crate::options::{CommonOptions, DEFAULT_CUBES};
use crate::verbs::Run;
use clap::ValueEnum;
use std::path::PathBuf;
use sunzi_papers::cube_rsa::drawing::Drawing;
use sunzi_papers::cube_rsa::hypercube::Form;

/// The hypercube of `powmod --method hypercube`: its elements, their work, their links
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of cubes, 1 to 16
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CUBES)]
    cubes: usize,
    /// Which nodes of a cube compute
    #[arg(long, value_enum, default_value_t = CubeForm::Optimized)]
    form: CubeForm,
    /// Size of the exponent in bits, which determines the coordinator's work
    #[arg(long, value_name = "BITS", default_value_t = 2048,
          value_parser = clap::value_parser!(u32).range(1..=16_384))]
    bits: u32,
    /// Also draw the graph as SVG into FILE (an existing file is replaced)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The form of the cubes, as an option.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum CubeForm {
    /// All 8 nodes, two of which repeat the work of others
    Plain,
    /// 6 of the 8 nodes
    Optimized,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let form = match self.form {
            CubeForm::Plain => Form::Plain,
            CubeForm::Optimized => Form::Optimized,
        };
        let drawing = Drawing::new(form, self.cubes, self.bits).map_err(Failure::from_error)?;
        if let Some(path) = &self.svg {
            files::write_document(path, drawing.svg())?;
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
}
