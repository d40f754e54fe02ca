//! `sunzi powmod`: modular powers, a line of JSON each.

use crate::args::{Common, Threads};
use crate::failure::{EXIT_CODES, Failure, Outcome, Status, report};
use crate::lines::{Line, Lines, explain};
use crate::output::Output;
use crate::{hypercube, interrupt, number, progress};
use crypto_bigint::BoxedUint;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use sunzi_engine::{Engine, Exponent, MAX_BITS, Modulus, Task};
use sunzi_papers::cube_rsa::hypercube::Hypercube;
use zeroize::{Zeroize, Zeroizing};

/// Compute base^exponent mod modulus for every line of a JSONL stream
///
/// Each line is an object like {"base":"0x2","exponent":"65537","modulus":"0xf1a3..."}: strings,
/// in hexadecimal after 0x or else in decimal. The modulus is odd and has 64 to 16384 bits, the
/// exponent at most 16384 bits, the base (which may exceed the modulus) at most 32768.
///
/// Each line of the output is {"result":"0x..."}, in the order of the input, or
/// {"error":"...","line":N} in its place; any such line makes the exit code 1.
///
/// The exponent is a secret unless --public-exponent is given: the time then depends on the
/// number of its digits, not on their values. (Give secrets in hexadecimal: decimal digits are
/// not read in constant time.)
///
/// With --method hypercube the base must be below the modulus, which may have any size from 2
/// bits.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A JSONL file; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    input: PathBuf,
    /// The exponents are no secrets: the time may depend on their values
    #[arg(long)]
    public_exponent: bool,
    #[command(flatten)]
    method: hypercube::Options,
}

/// The base may be as wide as a product of two moduli.
const MAX_BASE_BITS: u32 = 2 * MAX_BITS;
/// Ample for three numbers in decimal.
const MAX_LINE: usize = 1 << 16;
/// Numbers of one batch, for each thread: enough to fill the lanes of any backend.
const BATCH_PER_THREAD: usize = 64;
/// How many prepared moduli are kept for the lines to come.
const KEPT_MODULI: usize = 1024;

/// What a line must be.
const EXPECTED: &str = "an object of the strings base, exponent and modulus";

/// A line of the input.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    base: Cow<'a, str>,
    #[serde(borrow)]
    exponent: Cow<'a, str>,
    #[serde(borrow)]
    modulus: Cow<'a, str>,
}

/// A line of the output.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Result { result: String },
    Error { error: String, line: u64 },
}

/// A line, or `None` if it was too long. It may hold a secret.
type Text = Option<Zeroizing<Vec<u8>>>;

/// The numbers of a line.
struct Numbers {
    base: BoxedUint,
    exponent: Zeroizing<BoxedUint>,
    modulus: BoxedUint,
}

/// A power for the engine to compute.
struct Power {
    modulus: Arc<Modulus>,
    base: BoxedUint,
    exponent: Zeroizing<BoxedUint>,
}

/// What computes the powers.
enum Computer {
    Engine(Moduli),
    Hypercube(Hypercube),
}

impl Computer {
    /// A result for each line, in order.
    fn compute(&self, texts: &[(u64, Text)], public: bool) -> Vec<Result<BoxedUint, String>> {
        match self {
            Self::Engine(moduli) => moduli.compute(texts, public),
            Self::Hypercube(hypercube) => {
                let power = |(_, text): &(u64, Text)| {
                    let numbers = read(text)?;
                    let (base, exponent) = (&numbers.base, &numbers.exponent);
                    hypercube::power(hypercube, base, exponent, public, &numbers.modulus)
                };
                texts.iter().map(power).collect()
            }
        }
    }
}

/// Moduli that were prepared: streams often repeat them.
struct Moduli {
    engine: Engine,
    kept: Mutex<HashMap<Box<[u8]>, Arc<Modulus>>>,
}

impl Moduli {
    fn get(&self, value: &BoxedUint) -> Result<Arc<Modulus>, String> {
        let name = value.to_be_bytes();
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(modulus) = kept().get(&name) {
            return Ok(Arc::clone(modulus));
        }
        // Not under the lock: two threads may prepare the same modulus, which is only idle.
        let modulus = self
            .engine
            .modulus(value)
            .map_err(|error| error.to_string())?;
        let mut kept = kept();
        if kept.len() >= KEPT_MODULI {
            kept.clear();
        }
        kept.insert(name, Arc::clone(&modulus));
        Ok(modulus)
    }

    /// The power that a line asks for.
    fn prepare(&self, line: &Text) -> Result<Power, String> {
        let Numbers {
            base,
            exponent,
            modulus,
        } = read(line)?;
        Ok(Power {
            modulus: self.get(&modulus)?,
            base,
            exponent,
        })
    }

    /// A result for each line, in order, computed in one batch.
    fn compute(&self, texts: &[(u64, Text)], public: bool) -> Vec<Result<BoxedUint, String>> {
        let powers: Vec<_> = texts
            .par_iter()
            .map(|(_, text)| self.prepare(text))
            .collect();
        let tasks: Vec<_> = powers
            .iter()
            .filter_map(|power| power.as_ref().ok())
            .map(|power| {
                let exponent = if public {
                    Exponent::Public(&power.exponent)
                } else {
                    Exponent::Secret(&power.exponent)
                };
                Task::power(&power.modulus, &power.base, exponent)
            })
            .collect();
        let mut results = self.engine.run(&tasks).into_iter();
        let mut result = |power: &Result<Power, String>| match power {
            Ok(_) => results.next().ok_or_else(not_computed),
            Err(error) => Err(error.clone()),
        };
        powers.iter().map(&mut result).collect()
    }
}

fn not_computed() -> String {
    String::from("no result was computed")
}

/// The numbers of a line.
fn read(line: &Text) -> Result<Numbers, String> {
    let Some(text) = line else {
        return Err(format!(
            "the line is too long: at most {MAX_LINE} bytes are allowed"
        ));
    };
    let mut request: Request<'_> =
        serde_json::from_slice(text).map_err(|error| explain(&error, EXPECTED))?;
    let parse = |name, text: &str, max_bits| {
        number::parse(text, max_bits).map_err(|error| format!("{name}: {error}"))
    };
    // Wider than fits, so that it is the engine that explains its limits.
    let modulus = parse("modulus", &request.modulus, MAX_BASE_BITS)?;
    let base = parse("base", &request.base, MAX_BASE_BITS)?;
    let exponent = parse("exponent", &request.exponent, MAX_BITS).map(Zeroizing::new);
    if let Cow::Owned(text) = &mut request.exponent {
        text.zeroize();
    }
    Ok(Numbers {
        base,
        exponent: exponent?,
        modulus,
    })
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let (computer, batch) = if let Some(hypercube) = args.method.hypercube()? {
        // One at a time: each element of the hypercube is a thread.
        (Computer::Hypercube(hypercube), 1)
    } else {
        let engine = common.engine()?;
        let batch = common.start_threads(Threads::All)? * BATCH_PER_THREAD;
        let kept = Mutex::default();
        (Computer::Engine(Moduli { engine, kept }), batch)
    };
    let input: Box<dyn Read> = if args.input.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        let file = File::open(&args.input)
            .map_err(|error| Failure::new(format!("{}: {error}", args.input.display())))?;
        Box::new(file)
    };
    let done = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&done);
    interrupt::install(move |_| {
        let lines = counter.load(Ordering::Relaxed);
        report(&format_args!("interrupted after {lines} lines of output"));
    });

    let mut lines = Lines::new(input, MAX_LINE);
    let mut output = Output::new();
    let mut failures = 0;
    let bar = progress::bar(None, "powmod");
    loop {
        let mut texts: Vec<(u64, Text)> = Vec::new();
        while texts.len() < batch && (texts.is_empty() || lines.is_ready()) {
            let read = lines.next();
            let read = read.map_err(|error| {
                Failure::new(format!("cannot read {}: {error}", args.input.display()))
            })?;
            let Some((number, line)) = read else { break };
            let text = match line {
                Line::Text(text) => Some(Zeroizing::new(text.to_vec())),
                Line::TooLong => None,
            };
            texts.push((number, text));
        }
        if texts.is_empty() {
            break;
        }
        let results = computer.compute(&texts, args.public_exponent);
        let _shield = interrupt::shield();
        for (&(line, _), result) in texts.iter().zip(results) {
            let answer = match result {
                Ok(power) => Answer::Result {
                    result: number::format(&power),
                },
                Err(error) => {
                    failures += 1;
                    Answer::Error { error, line }
                }
            };
            output.json(&answer)?;
        }
        output.flush()?;
        done.fetch_add(texts.len() as u64, Ordering::Relaxed);
        bar.inc(texts.len() as u64);
    }
    bar.finish_and_clear();
    if done.load(Ordering::Relaxed) == 0 {
        return Err(Failure::new(
            "there is nothing to compute: the input is empty; write a line like \
             {\"base\":\"0x2\",\"exponent\":\"0x3\",\"modulus\":\"0x...\"}",
        ));
    }
    Ok(Status::from_failures(failures))
}
