//! `sunzi dnssec sign`: a signed zone.

use super::journal::Journal;
use super::{ZoneFile, read_file};
use crate::failure::{EXIT_CODES, Failure, Outcome, Status, inform, report};
use crate::io::atomic::{self, Access, Existing};
use crate::io::output::Output;
use crate::io::{interrupt, progress, zone_keys};
use crate::options::now::NowOption;
use crate::options::{CommonOptions, DefaultThreads};
use crate::verbs::Run;
use clap::ValueEnum;
use getrandom::SysRng;
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use sunzi_jobs::dnssec::{
    Nsec3, Serial, SignError, SignOptions, Signatures, Signed, Zone, read_time, sign_zone,
};
use sunzi_pk::keys::Algorithms;

/// Sign a zone
///
/// The keys are BIND's pairs of files, K*.key and K*.private, or a K*.key beside a private key in PEM of the same name.
/// Algorithms 8 (RSASHA256), 10 (RSASHA512), 13 (ECDSAP256SHA256), 14 (ECDSAP384SHA384), 15 (ED25519) and 16 (ED448) are
/// known. Keys with flags 257 sign the DNSKEY, CDS and CDNSKEY records, keys with flags 256 all others; a key that is
/// alone in its algorithm signs everything. Times in the private files (Publish, Activate, Inactive, Delete) are
/// respected.
///
/// Signatures, NSEC and NSEC3 records of the zone are left out and made anew. Nonces are deterministic: the same zone, keys
/// and times give the same file. Names are written in lower case, records in canonical order. The output gets its name when
/// it is whole. A zone with a defect is refused with the line, and nothing is written.
///
/// Times are YYYYMMDDHHMMSS in UTC, seconds since 1970, or +SECONDS and -SECONDS from now on.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(flatten)]
    zone: ZoneFile,
    /// The folder with the keys; those of other zones are not looked at
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Write the signed zone to FILE, and replace it if it exists
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Let the signatures be valid from this time on [default: an hour ago]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    inception: Option<String>,
    /// Let the signatures be valid until this time [default: 30 days from now]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    expiration: Option<String>,
    /// The serial number of the signed zone
    #[arg(long, value_enum, default_value_t = SerialPolicy::Keep)]
    serial: SerialPolicy,
    /// Make NSEC3 records, not NSEC records
    #[arg(long)]
    nsec3: bool,
    /// Leave delegations without DS records out of the NSEC3 records
    #[arg(long, requires = "nsec3")]
    opt_out: bool,
    /// Hash names N times more; RFC 9276 asks for 0
    #[arg(long, value_name = "N", default_value_t = 0, requires = "nsec3")]
    iterations: u16,
    /// Hash these bytes, in hexadecimal, with the names; RFC 9276 asks for none
    #[arg(long, value_name = "HEX", requires = "nsec3")]
    salt: Option<String>,
    /// Keep the signatures of this signed zone, an older version or ZONE itself, that are valid for longer than --refresh
    #[arg(long, value_name = "FILE")]
    resign: Option<PathBuf>,
    /// Make signatures anew that expire within so many seconds [default: a quarter of the time between inception and
    /// expiration]
    #[arg(long, value_name = "SECONDS", requires = "resign")]
    refresh: Option<u32>,
    /// Go on where a run with --resume was interrupted: until FILE is whole, what is signed is also kept in FILE.part. What
    /// is taken from there is verified first
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    now: NowOption,
}

/// The serial number of the signed zone.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SerialPolicy {
    /// The serial of the zone
    Keep,
    /// One more than the zone's serial
    Increment,
    /// The time in seconds since 1970, or one more than the zone's serial
    Unixtime,
}

/// Seconds between inception and now, unless another time is given.
const PAST: u32 = 3600;

/// Seconds between now and expiration, unless another time is given.
const FUTURE: u32 = 30 * 86_400;

/// The line of output.
#[derive(Serialize)]
struct Summary<'a> {
    zone: &'a str,
    serial: u32,
    records: u64,
    signatures: u64,
    kept: u64,
    denial: &'static str,
    denials: u64,
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let options = self.options()?;
        let engine = common.engine()?;
        let algorithms = Algorithms::new(&engine);
        common.start_threads(DefaultThreads::All)?;
        let hint = if self.resume {
            "interrupted: run it again to go on"
        } else {
            "interrupted: nothing was written"
        };
        interrupt::install(move |_| report(&hint));
        let zone = self.zone.read(Zone::read)?;
        let keys = zone_keys::read_folder(&self.keys, &zone, &algorithms)?;
        let mut old = Vec::new();
        if let Some(path) = &self.resign {
            old.push(read_file(path, |file, watch| {
                Signatures::read(file, &zone, watch)
            })?);
        }
        let journal = self.resume.then(|| Journal::open(&self.out)).transpose()?;
        if let Some(journal) = &journal {
            old.push(journal.signatures(&zone)?);
        }
        let options = SignOptions {
            old: &old,
            ..options
        };
        let name = zone.name();
        atomic::sweep_folder(&atomic::parent(&self.out));
        let bar = progress::bar(Some(zone.len() as u64), "sign");
        let fill = |file: &std::fs::File| -> Result<Signed, SignError> {
            let output = BufWriter::with_capacity(1 << 16, file);
            let mut output: Box<dyn Write> = match &journal {
                Some(journal) => Box::new(journal.beside(output)),
                None => Box::new(output),
            };
            let mut watch = |records| bar.inc(records);
            let signed = sign_zone(
                &algorithms,
                &mut SysRng,
                zone,
                &keys,
                &options,
                &mut output,
                &mut watch,
            )?;
            output.flush().map_err(SignError::Output)?;
            Ok(signed)
        };
        let written = atomic::write_with(&self.out, Access::Usual, Existing::Replace, fill);
        bar.finish_and_clear();
        if let (Some(journal), false) = (&journal, matches!(written, Ok(Ok(_)))) {
            journal.sweep();
        }
        let out = self.out.display();
        let unwritable = |error| Failure::new(format!("cannot write {out}: {error}"));
        let signed = written.map_err(unwritable)?.map_err(|error| match error {
            SignError::Output(error) => unwritable(error),
            SignError::Key(error) => Failure::new(format!("{}: {error}", self.keys.display())),
            error => Failure::new(format!("{}: {error}", self.zone.file.display())),
        })?;
        if let Some(journal) = journal {
            journal.remove()?;
        }
        if common.json {
            let mut output = Output::new();
            output.json(&Summary {
                zone: &name,
                serial: signed.serial,
                records: signed.records,
                signatures: signed.signatures,
                kept: signed.kept,
                denial: if self.nsec3 { "NSEC3" } else { "NSEC" },
                denials: signed.denials,
            })?;
            output.flush()?;
        } else {
            inform(&format_args!(
                "{out}: {name} with serial {}, {} records, {} signatures, of which {} were kept",
                signed.serial, signed.records, signed.signatures, signed.kept
            ));
        }
        Ok(Status::Done)
    }
}

impl Args {
    fn options(&self) -> Result<SignOptions<'static>, Failure> {
        // Times in zones are modulo 2^32.
        let now = self.now.seconds()? as u32;
        let time = |text: Option<&String>, otherwise: u32| {
            match text {
            None => Ok(otherwise),
            Some(text) => read_time(text, now).ok_or_else(|| {
                Failure::new(format!(
                    "{text:?} is no time: give YYYYMMDDHHMMSS, seconds since 1970, +SECONDS or -SECONDS"
                ))
            }),
        }
        };
        let inception = time(self.inception.as_ref(), now.wrapping_sub(PAST))?;
        let expiration = time(self.expiration.as_ref(), now.wrapping_add(FUTURE))?;
        let quarter = expiration.wrapping_sub(inception) / 4;
        let salt = self.salt.as_deref().unwrap_or_default();
        let salt = base16ct::mixed::decode_vec(salt)
            .map_err(|_| Failure::new("the salt is not in hexadecimal"))?;
        Ok(SignOptions {
            now,
            inception,
            expiration,
            serial: match self.serial {
                SerialPolicy::Keep => Serial::Keep,
                SerialPolicy::Increment => Serial::Increment,
                SerialPolicy::Unixtime => Serial::Unixtime,
            },
            nsec3: self.nsec3.then_some(Nsec3 {
                iterations: self.iterations,
                salt,
                opt_out: self.opt_out,
            }),
            old: &[],
            refresh: self.refresh.unwrap_or(quarter),
        })
    }
}
