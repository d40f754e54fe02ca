//! `sunzi explain program`: a program of the engine as text, with bounds, counts and times.

use crate::bench::{CurveOperation, Job, programs_on_curve};
use crate::failure::{Failure, Outcome, Status};
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::verbs::Run;
use core::str::FromStr;
use serde::Serialize;
use std::sync::Arc;
use sunzi_engine::program::fixed_base::Comb;
use sunzi_engine::program::multi_power::multi_power;
use sunzi_engine::{Engine, EngineError, Prediction, ProgramKey, Programs, size_class};
use sunzi_pk::rsa::KeyPrograms;

/// A program of the engine: its operations, the bounds of every value, counts, predicted times
///
/// One operation is printed on each line, with the magnitude of the register that it writes, in
/// units of the modulus P. The program is the one for the device of the backend that is fastest in
/// batches, since what a plan allows and what a look-up costs differ between devices. A formula of
/// curves is a call: a line names it, its inputs and its outputs, before the operations that are its
/// body. Devices for limbs have code for whole formulas modulo some primes (`sunzi backends --explain
/// BITS`), and compute the operations one by one for all others, on which predicted times are based.
/// Of curves the programs are those of a single operation: in batches some numbers share an inversion.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// rsaBITS-private, rsaBITS-verify, modexpBITS (a secret exponent), fixed-baseBITS (a comb),
    /// multi-powerBITSxCOUNT (public exponents), or CURVE-verify, CURVE-sign or CURVE-agree (such as
    /// P-256-verify, Ed25519-sign, X25519-agree or BIP340-verify)
    #[arg(value_name = "NAME")]
    name: ProgramName,
    /// Print the counts, the calls of formulas and the predicted times only
    #[arg(long)]
    summary: bool,
}

/// The public exponent of nearly every RSA key.
const E: u64 = 65_537;
/// The largest table of a comb, in entries.
const COMB_ENTRIES: usize = 256;

/// The name of a program, parsed.
#[derive(Clone, Copy, Debug)]
enum ProgramName {
    RsaPrivate(u32),
    RsaVerify(u32),
    ModularPower(u32),
    FixedBase(u32),
    MultiPower(u32, u32),
    Curve(CurveOperation, &'static str),
}

impl FromStr for ProgramName {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        const NAMES: &str = "it must be rsaBITS-private, rsaBITS-verify, modexpBITS, \
             fixed-baseBITS, multi-powerBITSxCOUNT, CURVE-verify, CURVE-sign or CURVE-agree, \
             rsa2048-private for example";
        if let Ok(Job::Curve(operation, curve)) = name.parse() {
            return match operation {
                CurveOperation::Verify | CurveOperation::Sign | CurveOperation::Agree => {
                    Ok(Self::Curve(operation, curve))
                }
                _ => Err(NAMES),
            };
        }
        let bits = |text: &str| text.parse::<u32>().map_err(|_| NAMES);
        if let Some(rest) = name.strip_prefix("rsa") {
            let (size, operation) = rest.split_once('-').ok_or(NAMES)?;
            return match operation {
                "private" => Ok(Self::RsaPrivate(bits(size)?)),
                "verify" => Ok(Self::RsaVerify(bits(size)?)),
                _ => Err(NAMES),
            };
        }
        if let Some(size) = name.strip_prefix("modexp") {
            return Ok(Self::ModularPower(bits(size)?));
        }
        if let Some(size) = name.strip_prefix("fixed-base") {
            return Ok(Self::FixedBase(bits(size)?));
        }
        let rest = name.strip_prefix("multi-power").ok_or(NAMES)?;
        let (size, count) = rest.split_once('x').ok_or(NAMES)?;
        match bits(count)? {
            count @ 1..=1024 => Ok(Self::MultiPower(bits(size)?, count)),
            _ => Err("a product has 1 to 1024 powers"),
        }
    }
}

impl ProgramName {
    /// The programs of this name: a private operation has two, and one on a curve some.
    fn programs(self, engine: Engine) -> Result<Vec<Arc<Programs>>, Failure> {
        match self {
            Self::Curve(operation, curve) => programs_on_curve(engine, (operation, curve)),
            Self::RsaPrivate(bits)
            | Self::RsaVerify(bits)
            | Self::ModularPower(bits)
            | Self::FixedBase(bits)
            | Self::MultiPower(bits, _) => {
                let programs = self.programs_of_size(&engine, bits);
                programs.map_err(Failure::from_error)
            }
        }
    }

    /// The programs of this name for moduli of so many bits.
    fn programs_of_size(
        self,
        engine: &Engine,
        bits: u32,
    ) -> Result<Vec<Arc<Programs>>, EngineError> {
        if !(sunzi_engine::MIN_BITS..=sunzi_engine::MAX_BITS).contains(&bits) {
            return Err(EngineError::ModulusSize(bits));
        }
        let class = size_class(bits);
        let key = |kind, count: u32| ProgramKey {
            bits: class,
            kind,
            parameters: vec![bits.into(), count.into()],
        };
        Ok(match self {
            Self::RsaPrivate(_) => {
                let programs = KeyPrograms::new(engine, bits, E)?;
                vec![programs.prime, programs.modulus]
            }
            Self::RsaVerify(_) => vec![KeyPrograms::new(engine, bits, E)?.public],
            Self::ModularPower(_) => vec![engine.secret_power_programs(class, bits)?],
            Self::FixedBase(_) => vec![engine.programs(key("fixed-base-power", 1), |builder| {
                let exponent = builder.scalar("exponent", bits, true);
                let power = Comb::new(bits, COMB_ENTRIES).power(builder, exponent);
                builder.output(power);
            })?],
            Self::Curve(..) => vec![],
            Self::MultiPower(_, count) => {
                vec![engine.programs(key("multi-power", count), |builder| {
                    let term = |_| {
                        let base = builder.input(class);
                        (base, builder.scalar("exponent", bits, false))
                    };
                    let terms: Vec<_> = (0..count).map(term).collect();
                    let product = multi_power(builder, &terms);
                    builder.output(product);
                })?]
            }
        })
    }
}

/// A program as JSON.
#[derive(Serialize)]
struct ProgramJson {
    program: String,
    bits: u32,
    device: &'static str,
    registers: usize,
    products: u64,
    squarings: u64,
    terms: u64,
    linear: u64,
    entered: u64,
    stored: u64,
    read: u64,
    left: u64,
    /// The formulas, and how many of each there are.
    formulas: Vec<(String, usize)>,
    predictions: Vec<PredictionJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The predicted time of a group, as JSON.
#[derive(Serialize)]
struct PredictionJson {
    device: &'static str,
    layout: String,
    numbers: usize,
    us: f64,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let engine = common.engine()?;
        let mut output = Output::new();
        for programs in self.name.programs(engine)? {
            let predictions = programs.predictions();
            let fastest = predictions.iter().min_by(|one, other| {
                let us = |one: &Prediction| one.us / one.layout.width() as f64;
                us(one).total_cmp(&us(other))
            });
            let fastest = fastest.and_then(|fastest| {
                let mut devices = programs.for_devices();
                devices.find(|(device, _)| *device == fastest.device)
            });
            let Some((device, program)) = fastest else {
                return Err(Failure::new("no device of this backend has the program"));
            };
            let counts = program.counts();
            let mut formulas: Vec<(String, usize)> = Vec::new();
            for span in program.spans() {
                let (name, times) = (span.segment.to_string(), usize::from(span.times));
                match formulas.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, count)) => *count += times,
                    None => formulas.push((name, times)),
                }
            }
            if common.json {
                let prediction = |prediction: Prediction| PredictionJson {
                    device: prediction.device,
                    layout: prediction.layout.to_string(),
                    numbers: prediction.layout.width(),
                    us: prediction.us,
                };
                output.json(&ProgramJson {
                    program: program.name().into(),
                    bits: program.bits(),
                    device,
                    registers: program.registers(),
                    products: counts.products,
                    squarings: counts.squarings,
                    terms: counts.terms,
                    linear: counts.linear,
                    entered: counts.entered,
                    stored: counts.stored,
                    read: counts.read,
                    left: counts.left,
                    formulas,
                    predictions: predictions.into_iter().map(prediction).collect(),
                    text: (!self.summary).then(|| program.to_string()),
                })?;
                continue;
            }
            if self.summary {
                output.line(format_args!("program {}, on {device}", program.name()))?;
                output.line(format_args!("counts  {counts}"))?;
                for (formula, count) in formulas {
                    output.line(format_args!("calls   {count} x {formula}"))?;
                }
            } else {
                output.line(program.to_string().trim_end())?;
            }
            for prediction in predictions {
                output.line(format_args!(
                    "time    {} on {}: {:.1} us predicted for a group",
                    prediction.layout, prediction.device, prediction.us
                ))?;
            }
            output.line("")?;
        }
        output.flush()?;
        Ok(Status::Done)
    }
}
