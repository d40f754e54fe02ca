//! `sunzi powmod`: modular powers, one for each line of JSON.

mod method;

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome, Status, report};
use crate::io::lines::{Line, Lines, MAX_BATCH_BYTES, describe_json_error};
use crate::io::output::Output;
use crate::io::{interrupt, number, progress};
use crate::options::{CommonOptions, DefaultThreads};
use crypto_bigint::{BoxedUint, NonZero};
use method::{MethodOptions, hypercube_power};
use rayon::prelude::*;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use sunzi_engine::{Engine, Exponent, MAX_BITS, Modulus, Task};
use sunzi_papers::cube_rsa::hypercube::Hypercube;
use zeroize::{Zeroize, Zeroizing};

/// Compute base^exponent mod modulus for every line of a JSONL stream
///
/// Each line is an object like {"base":2,"exponent":"65537","modulus":"0xf1a3..."}. The numbers are integers of
/// JSON, of any length, or strings, in hexadecimal after 0x or else in decimal. The modulus is odd, at least 3,
/// and has at most 16384 bits, the exponent has at most 16384 bits (leading zeros included), the base (which may
/// exceed the modulus) at most 32768. Powers modulo fewer than 64 bits are computed modulo an odd multiple of the
/// modulus that has more, and take as long.
///
/// For each line of the input, in order, a line {"result":"0x..."} or {"error":"...","line":N} is
/// written. If there is any error, the exit code is 1.
///
/// The exponent is treated as a secret unless --public-exponent is given: the time depends on the
/// number of its digits, not on their values. (Give secrets in hexadecimal, since decimal digits
/// are not read in constant time.)
///
/// With --method hypercube the base must be below the modulus.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A JSONL file; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    input: PathBuf,
    /// Treat the exponents as public: the time may depend on their values
    #[arg(long)]
    public_exponent: bool,
    #[command(flatten)]
    method: MethodOptions,
}

/// The largest size of a base, in bits: that of a product of two moduli.
const MAX_BASE_BITS: u32 = 2 * MAX_BITS;
/// The largest length of a line, in bytes: ample for three numbers in decimal.
const MAX_LINE: usize = 1 << 16;
/// The number of powers in a batch for each thread: enough to fill the lanes of any backend.
const BATCH_PER_THREAD: usize = 64;
/// Bytes of the moduli that are kept prepared for later lines: 1,024 moduli of 2048 bits. Prepared,
/// a modulus takes some ten times as much.
const KEPT_BYTES: usize = 256 << 10;

/// The description of a correct line, for error messages.
const EXPECTED: &str =
    "an object of base, exponent and modulus, which are integers or strings of digits";

/// The shortest moduli of the engine, in bits.
const MIN_BITS: u32 = 64;
/// Factor by which shorter moduli are multiplied: an odd number of 64 bits, and no prime of the engine's bases.
const WIDENING: u64 = u64::MAX - 58;

/// A line of the input, as JSON.
#[derive(Deserialize)]
struct PowerJson<'a> {
    #[serde(borrow)]
    base: NumberText<'a>,
    #[serde(borrow)]
    exponent: NumberText<'a>,
    #[serde(borrow)]
    modulus: NumberText<'a>,
}

/// The digits of a number, which is a string or a number in JSON.
struct NumberText<'a>(Cow<'a, str>);

impl<'a, 'de: 'a> Deserialize<'de> for NumberText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As it is written: numbers of any length keep all their digits.
        let text = <&RawValue>::deserialize(deserializer)?.get();
        if !text.starts_with('"') {
            let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
            return is_number
                .then_some(Self(Cow::Borrowed(text)))
                .ok_or_else(|| D::Error::custom("neither a string nor a number"));
        }
        let string = serde_json::from_str::<StringText<'_>>(text);
        string.map(|text| Self(text.0)).map_err(D::Error::custom)
    }
}

/// A string in JSON, borrowed if it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct StringText<'a>(#[serde(borrow)] Cow<'a, str>);

/// A line of the output, as JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum ResultJson {
    Result { result: String },
    Error { error: String, line: u64 },
}

/// The text of an input line, which may be secret, or `None` if it was too long.
type LineText = Option<Zeroizing<Vec<u8>>>;

/// The operands of a power, parsed from a line.
struct Operands {
    base: BoxedUint,
    exponent: Zeroizing<BoxedUint>,
    modulus: BoxedUint,
}

/// The operands of a power for the engine, with a prepared modulus.
struct PreparedPower {
    /// The engine's modulus, perhaps a multiple of the one that is asked for.
    modulus: Arc<Modulus>,
    /// The one that is asked for, if the engine's is a multiple of it.
    short: Option<NonZero<BoxedUint>>,
    base: BoxedUint,
    exponent: Zeroizing<BoxedUint>,
}

/// The method that computes the powers.
enum PowerMethod {
    Engine(CachingEngine),
    Hypercube(Hypercube),
}

impl PowerMethod {
    /// The powers that the lines ask for, in order.
    fn compute(
        &self,
        lines: &[(u64, LineText)],
        public: bool,
    ) -> Vec<Result<Zeroizing<BoxedUint>, String>> {
        match self {
            Self::Engine(engine) => engine.compute(lines, public),
            Self::Hypercube(hypercube) => {
                let power = |(_, text): &(u64, LineText)| {
                    let operands = parse(text)?;
                    let (base, exponent) = (&operands.base, &operands.exponent);
                    hypercube_power(hypercube, base, exponent, public, &operands.modulus)
                        .map(Zeroizing::new)
                };
                lines.iter().map(power).collect()
            }
        }
    }
}

/// The engine with a cache of prepared moduli, since streams often repeat them.
struct CachingEngine {
    engine: Engine,
    moduli: RefCell<HashMap<Box<[u8]>, Arc<Modulus>>>,
}

/// Operands whose modulus the engine takes.
struct WidePower {
    operands: Operands,
    /// The modulus that is asked for, if that of the operands is a multiple of it.
    short: Option<NonZero<BoxedUint>>,
}

impl WidePower {
    /// The same power, a modulus of fewer than 64 bits replaced by an odd multiple of it.
    fn new(operands: Operands) -> Result<Self, String> {
        if operands.modulus.bits() >= MIN_BITS {
            let short = None;
            return Ok(Self { operands, short });
        }
        let mut low = [0; 8];
        for (to, from) in low.iter_mut().zip(operands.modulus.to_le_bytes()) {
            *to = from;
        }
        let short = u64::from_le_bytes(low);
        if short % 2 == 0 || short < 3 {
            return Err(format!(
                "the modulus is {short}: it must be odd, and at least 3"
            ));
        }
        let wide = u128::from(short) * u128::from(WIDENING);
        let modulus = BoxedUint::from(wide);
        Ok(Self {
            operands: Operands {
                modulus,
                ..operands
            },
            short: NonZero::new(BoxedUint::from(short)).into_option(),
        })
    }
}

impl CachingEngine {
    /// The prepared moduli of these powers, in order: those that are not in the cache yet are
    /// prepared together.
    fn prepare(
        &self,
        powers: Vec<Result<WidePower, String>>,
    ) -> Vec<Result<PreparedPower, String>> {
        let mut cache = self.moduli.borrow_mut();
        if cache.keys().map(|name| name.len()).sum::<usize>() >= KEPT_BYTES {
            cache.clear();
        }
        let mut new: HashMap<Box<[u8]>, &BoxedUint> = HashMap::new();
        for WidePower { operands, .. } in powers.iter().flatten() {
            let name = operands.modulus.to_be_bytes();
            if !cache.contains_key(&name) {
                new.insert(name, &operands.modulus);
            }
        }
        let (names, values): (Vec<_>, Vec<_>) =
            new.into_iter().map(|(n, v)| (n, v.clone())).unzip();
        let mut refused = HashMap::new();
        for (name, prepared) in names.into_iter().zip(self.engine.moduli(&values)) {
            match prepared {
                Ok(modulus) => {
                    cache.insert(name, modulus);
                }
                Err(error) => {
                    refused.insert(name, error.to_string());
                }
            }
        }
        let prepare = |power: Result<WidePower, String>| {
            let WidePower { operands, short } = power?;
            let Operands {
                base,
                exponent,
                modulus,
            } = operands;
            let name = modulus.to_be_bytes();
            match cache.get(&name) {
                Some(modulus) => Ok(PreparedPower {
                    modulus: Arc::clone(modulus),
                    short,
                    base,
                    exponent,
                }),
                None => Err(refused.get(&name).cloned().unwrap_or_default()),
            }
        };
        powers.into_iter().map(prepare).collect()
    }

    /// The powers that the lines ask for, in order, computed in one batch.
    fn compute(
        &self,
        lines: &[(u64, LineText)],
        public: bool,
    ) -> Vec<Result<Zeroizing<BoxedUint>, String>> {
        let parsed = lines
            .par_iter()
            .map(|(_, text)| WidePower::new(parse(text)?));
        let parsed: Vec<_> = parsed.collect();
        let powers = self.prepare(parsed);
        let tasks: Vec<_> = powers
            .iter()
            .flatten()
            .map(|power| {
                let exponent = if public {
                    Exponent::Public(&power.exponent)
                } else {
                    Exponent::Secret(&power.exponent)
                };
                Task::power(&power.modulus, &power.base, exponent)
            })
            .collect();
        let (mut results, failure) = match self.engine.run(&tasks) {
            Ok(results) => (results.into_iter(), String::new()),
            Err(error) => (Vec::new().into_iter(), error.to_string()),
        };
        let mut result = |power: &Result<PreparedPower, String>| match power {
            Ok(power) => {
                let result = results.next().ok_or_else(|| failure.clone())?;
                Ok(match &power.short {
                    Some(short) => Zeroizing::new(result.rem(short)),
                    None => result,
                })
            }
            Err(error) => Err(error.clone()),
        };
        powers.iter().map(&mut result).collect()
    }
}

/// The operands in a line, with the exponent wiped from the text.
fn parse(line: &LineText) -> Result<Operands, String> {
    let Some(text) = line else {
        return Err(format!(
            "the line is too long: at most {MAX_LINE} bytes are allowed"
        ));
    };
    let mut json: PowerJson<'_> =
        serde_json::from_slice(text).map_err(|error| describe_json_error(&error, EXPECTED))?;
    let parse = |name, text: &str, max_bits| {
        number::parse(text, max_bits).map_err(|error| format!("{name}: {error}"))
    };
    // The limit is above the engine's, so that the engine reports a modulus that is too wide.
    let modulus = parse("modulus", &json.modulus.0, MAX_BASE_BITS)?;
    let base = parse("base", &json.base.0, MAX_BASE_BITS)?;
    // Its precision, not its value, decides how much is computed.
    let exponent = number::parse_within_digits(&json.exponent.0, MAX_BITS)
        .map(Zeroizing::new)
        .map_err(|error| format!("exponent: {error}"));
    if let Cow::Owned(text) = &mut json.exponent.0 {
        text.zeroize();
    }
    Ok(Operands {
        base,
        exponent: exponent?,
        modulus,
    })
}

/// The base, the exponent and the modulus in a line, for the fuzz targets.
#[cfg(feature = "fuzzing")]
pub(crate) fn numbers(line: &[u8]) -> Result<[BoxedUint; 3], String> {
    let text = (line.len() <= MAX_LINE).then(|| Zeroizing::new(line.to_vec()));
    let operands = parse(&text)?;
    let exponent = (*operands.exponent).clone();
    Ok([operands.base, exponent, operands.modulus])
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let (method, batch) = if let Some(hypercube) = self.method.hypercube()? {
            // One power at a time, since each element of the hypercube is a thread.
            (PowerMethod::Hypercube(hypercube), 1)
        } else {
            let engine = common.engine()?;
            let batch = common.start_threads(DefaultThreads::All)? * BATCH_PER_THREAD;
            let moduli = RefCell::default();
            (PowerMethod::Engine(CachingEngine { engine, moduli }), batch)
        };
        let input: Box<dyn Read> = if self.input.as_os_str() == "-" {
            Box::new(io::stdin())
        } else {
            let file = File::open(&self.input)
                .map_err(|error| Failure::new(format!("{}: {error}", self.input.display())))?;
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
            let mut batch_lines: Vec<(u64, LineText)> = Vec::new();
            let mut bytes = 0;
            while batch_lines.len() < batch
                && bytes < MAX_BATCH_BYTES
                && (batch_lines.is_empty() || lines.is_ready())
            {
                let read = lines.next();
                let read = read.map_err(|error| {
                    Failure::new(format!("cannot read {}: {error}", self.input.display()))
                })?;
                let Some((number, line)) = read else { break };
                let text = match line {
                    Line::Text(text) => Some(Zeroizing::new(text.to_vec())),
                    Line::TooLong => None,
                };
                bytes += text.as_ref().map_or(0, |text| text.len());
                batch_lines.push((number, text));
            }
            if batch_lines.is_empty() {
                break;
            }
            let results = method.compute(&batch_lines, self.public_exponent);
            let _shield = interrupt::shield();
            for (&(line, _), result) in batch_lines.iter().zip(results) {
                let json = match result {
                    Ok(power) => ResultJson::Result {
                        result: number::format(&power),
                    },
                    Err(error) => {
                        failures += 1;
                        ResultJson::Error { error, line }
                    }
                };
                output.json(&json)?;
            }
            output.flush()?;
            done.fetch_add(batch_lines.len() as u64, Ordering::Relaxed);
            bar.inc(batch_lines.len() as u64);
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
}
