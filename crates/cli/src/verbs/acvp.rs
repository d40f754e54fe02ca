//! `sunzi acvp`: NIST's test vectors, answered or compared.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome, Status, inform, report};
use crate::io::files::{read_short, write_document};
use crate::io::interrupt;
use crate::io::output::Output;
use crate::options::{CommonOptions, DefaultThreads};
use serde::Serialize;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use sunzi_jobs::acvp::{AcvpError, Difference, MAX_SET_BYTES, VectorSet, check, respond};
use sunzi_pk::keys::Algorithms;
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

/// Answer NIST's test vectors (ACVP), or compare answers to them
///
/// FILE is a vector set in JSON, as a server of the Automated Cryptographic Validation Protocol sends it (prompt.json of
/// NIST's samples): an object, or an array of {"acvVersion":"1.0"} and the object. The set of answers has the same form.
///
/// Answered are RSA sigVer, sigGen, keyGen, signaturePrimitive and decryptionPrimitive; ECDSA keyGen, keyVer, sigGen and
/// sigVer, and DetECDSA sigGen, on P-192 to P-521; EDDSA keyGen, keyVer, sigGen and sigVer; KAS-ECC CDH-Component and
/// KAS-ECC-SSC without MQV; safePrimes keyGen and keyVer. A set is answered whole or not at all: where a group asks for
/// what is not supported, or is malformed, the error names its tgId and the member, and nothing is written.
///
/// With --check nothing is written either: each difference between the answers and the expected ones is a line of output,
/// and the last line is `equal` or `different`. Random answers, signatures and new keys, are verified by the public keys
/// among the expected ones. With --json the lines are {"tgId":1,"tcId":2,"member":"...","reason":"..."}, and the last
/// one {"equal":true,"tests":...,"differences":0}. The exit code is 0 only if nothing differs.
///
/// Private keys that FILE has, as internalProjection.json of NIST's samples does, are used. Test vectors are public: never
/// give a key that is in use.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// A vector set, or `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Write the answers to FILE, and replace it if it exists [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Compare with these answers, such as expectedResults.json of NIST's samples
    #[arg(long, value_name = "EXPECTED", conflicts_with = "out")]
    check: Option<PathBuf>,
}

/// The line of output for a difference.
#[derive(Serialize)]
struct DifferenceLine<'a> {
    #[serde(rename = "tgId")]
    group: Option<u64>,
    #[serde(rename = "tcId", skip_serializing_if = "Option::is_none")]
    case: Option<u64>,
    member: &'a str,
    reason: &'a str,
}

/// The last line of output.
#[derive(Serialize)]
struct Summary {
    equal: bool,
    tests: usize,
    differences: usize,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        common.start_threads(DefaultThreads::All)?;
        interrupt::install(|_| report(&"interrupted: nothing was written"));
        let file = read(&self.input)?;
        let set = parse(&self.input, &file)?;
        if set.is_empty() {
            let input = self.input.display();
            return Err(Failure::new(format!("{input}: there are no tests in it")));
        }
        match &self.check {
            Some(expected) => self.check(&algorithms, &set, expected, common.json),
            None => self.answer(&algorithms, &set),
        }
    }
}

impl Args {
    /// Writes the answers.
    fn answer(&self, algorithms: &Algorithms, set: &VectorSet<'_>) -> Outcome {
        let answers = respond(algorithms, &mut system_rng(), set);
        let answers = answers.map_err(|error| refused(&self.input, &error))?;
        let json = answers.to_json();
        let _shield = interrupt::shield();
        if let Some(out) = &self.out {
            write_document(out, json + "\n")?;
            inform(&format_args!("{}: {} answers", out.display(), set.len()));
        } else {
            let mut output = Output::new();
            output.line(json)?;
            output.flush()?;
        }
        Ok(Status::Done)
    }

    /// Writes the differences from expected answers.
    fn check(
        &self,
        algorithms: &Algorithms,
        set: &VectorSet<'_>,
        expected: &Path,
        json: bool,
    ) -> Outcome {
        let file = read(expected)?;
        let answers = parse(expected, &file)?;
        let differences = check(algorithms, &mut system_rng(), set, &answers);
        let differences = differences.map_err(|error| {
            let (input, expected) = (self.input.display(), expected.display());
            Failure::new(format!("{input}, compared with {expected}: {error}"))
        })?;
        let _shield = interrupt::shield();
        let mut output = Output::new();
        for difference in &differences {
            write(&mut output, difference, json)?;
        }
        let (tests, count) = (set.len(), differences.len());
        if json {
            output.json(&Summary {
                equal: count == 0,
                tests,
                differences: count,
            })?;
        } else if count == 0 {
            output.line(format_args!("equal: {tests} tests"))?;
        } else {
            output.line(format_args!(
                "different: {count} differences in {tests} tests"
            ))?;
        }
        output.flush()?;
        Ok(Status::from_failures(count as u64))
    }
}

/// Writes a line for a difference.
fn write(output: &mut Output, difference: &Difference, json: bool) -> io::Result<()> {
    if !json {
        return output.line(difference);
    }
    output.json(&DifferenceLine {
        group: difference.place.group,
        case: difference.place.case,
        member: &difference.member,
        reason: &difference.reason,
    })
}

/// The content of a file, or of standard input.
fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let unreadable = |error| Failure::new(format!("{}: {error}", path.display()));
    if path.as_os_str() == "-" {
        let mut content = Vec::new();
        let mut input = io::stdin().lock().take(MAX_SET_BYTES as u64 + 1);
        input.read_to_end(&mut content).map_err(unreadable)?;
        return Ok(Zeroizing::new(content));
    }
    let content = read_short(path, MAX_SET_BYTES).map_err(unreadable)?;
    content.map_err(|length| refused(path, &AcvpError::TooLong(length)))
}

/// The set in a file.
fn parse<'a>(path: &Path, file: &'a [u8]) -> Result<VectorSet<'a>, Failure> {
    VectorSet::from_json(file).map_err(|error| refused(path, &error))
}

/// The failure that a file is refused.
fn refused(path: &Path, error: &AcvpError) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
