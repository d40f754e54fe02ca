//! `sunzi explain network`: a modular product as a network of fixed weights, described or written as ONNX.

use crate::failure::{Failure, Outcome, Status};
use crate::io::files;
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::verbs::Run;
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::path::PathBuf;
use sunzi_papers::network::{BigUint, Form, Network, NumberType, integer};

/// A modular product as a neural network: its layers and bounds, and as an ONNX file
///
/// The network computes Montgomery products of residues, X Y / A mod P, by two layers of fixed weights. It is exact: the
/// largest sum is computed from the weights, and a network that the type of numbers does not hold is refused. The
/// Python module sunzi.network runs the files. For public numbers only: no runtime takes constant time, or wipes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The modulus P, of 8 to 16,384 bits, in hexadecimal after 0x or else in decimal
    #[arg(value_name = "MODULUS", value_parser = integer)]
    modulus: BigUint,
    /// Type of the numbers in the network
    #[arg(long = "type", value_enum, value_name = "TYPE", default_value_t = TypeName::F64)]
    kind: TypeName,
    /// Width of the residues in bits [default: the one that takes the fewest weights]
    #[arg(long, value_name = "BITS")]
    width: Option<u32>,
    /// A whole modular power as a loop of products, instead of one product
    #[arg(long)]
    power: bool,
    /// Write the network as ONNX into FILE (an existing file is replaced)
    #[arg(long, value_name = "FILE")]
    onnx: Option<PathBuf>,
    /// Write the layers as the paper has them into FILE, as comma-separated values (an existing file is replaced)
    #[arg(long, value_name = "FILE")]
    published: Option<PathBuf>,
}

/// The type of the numbers, as an option.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum TypeName {
    /// Double precision
    F64,
    /// Single precision, also as TF32
    F32,
    /// Signed bytes, with sums in 32 bits
    S8,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let kind = match self.kind {
            TypeName::F64 => NumberType::F64,
            TypeName::F32 => NumberType::F32,
            TypeName::S8 => NumberType::S8,
        };
        let network = Network::new(&self.modulus, kind, self.width).map_err(Failure::from_error)?;
        let form = if self.power {
            Form::Power
        } else {
            Form::Product
        };
        if let Some(path) = &self.onnx {
            files::write_document(path, network.file(form))?;
        }
        if let Some(path) = &self.published {
            files::write_document(path, network.published())?;
        }
        let mut output = Output::new();
        if common.json {
            output.json(&BTreeMap::from_iter(network.metadata(form)))?;
        } else {
            output.line(&network)?;
            let operations = network.graph(form).operations();
            output.line(format_args!(
                "graph     a {}, {operations} operations",
                form.name()
            ))?;
        }
        output.flush()?;
        Ok(Status::Done)
    }
}
