//! `sunzi dnssec verify`: the defects of a signed zone.

use super::ZoneFile;
use crate::failure::{EXIT_CODES, Failure, Outcome, Status, report};
use crate::io::interrupt;
use crate::io::output::Output;
use crate::options::now::NowOption;
use crate::options::{CommonOptions, DefaultThreads};
use crate::verbs::Run;
use serde::Serialize;
use sunzi_jobs::dnssec::{Defect, Verified, Zone, verify_zone};
use sunzi_pk::keys::Algorithms;

/// Verify a signed zone
///
/// Every set of records that is the zone's own must have a valid signature by each algorithm of its DNSKEY records, and the
/// DNSKEY records one by a key with flags 257, if there is such a key; no signature may be invalid, expired or of records
/// that are not there; and the NSEC or NSEC3 records must name all names and types. Whether the keys are those that the
/// parent's DS records name is not looked at.
///
/// Each defect is a line of output with the line of the zone file, and the last line is `valid` or `invalid`; with --json,
/// {"line":5,"name":"...","type":"...","reason":"..."} and {"valid":true,"records":...,"signatures":...}. The exit code is
/// 0 only if there is no defect.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(flatten)]
    zone: ZoneFile,
    #[command(flatten)]
    now: NowOption,
}

/// The line of output for a defect.
#[derive(Serialize)]
struct DefectLine<'a> {
    line: u32,
    name: &'a str,
    #[serde(rename = "type")]
    rtype: &'a str,
    reason: String,
}

/// The last line of output.
#[derive(Serialize)]
struct Summary<'a> {
    valid: bool,
    zone: &'a str,
    serial: u32,
    records: u64,
    signatures: u64,
    denials: u64,
    defects: u64,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        // Times in zones are modulo 2^32.
        let now = self.now.seconds()? as u32;
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        common.start_threads(DefaultThreads::All)?;
        interrupt::install(|_| report(&"interrupted before the verdict"));
        let zone = self.zone.read(Zone::read_signed)?;
        let mut output = Output::new();
        let mut written = Ok(());
        let mut write = |defect: Defect| {
            if written.is_err() {
                return;
            }
            let Defect {
                line,
                name,
                rtype,
                reason,
            } = &defect;
            written = if common.json {
                output.json(&DefectLine {
                    line: *line,
                    name,
                    rtype,
                    reason: reason.to_string(),
                })
            } else {
                output.line(&defect)
            };
        };
        let verified = verify_zone(&algorithms, &zone, now, &mut write);
        written?;
        let Verified {
            records,
            signatures,
            denials,
            defects,
        } = verified;
        let valid = defects == 0;
        if common.json {
            output.json(&Summary {
                valid,
                zone: &zone.name(),
                serial: zone.serial(),
                records,
                signatures,
                denials,
                defects,
            })?;
        } else if valid {
            output.line(format_args!(
                "valid: {signatures} signatures of {records} records"
            ))?;
        } else {
            output.line(format_args!("invalid: {defects} defects"))?;
        }
        output.flush().map_err(Failure::from)?;
        Ok(Status::from_failures(defects))
    }
}
