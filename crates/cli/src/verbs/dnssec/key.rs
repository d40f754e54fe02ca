//! `sunzi dnssec key`: keys of zones.

use crate::failure::{EXIT_CODES, Failure, Outcome, Status};
use crate::io::atomic::{self, Access, Existing};
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::options::now::NowOption;
use crate::verbs::Run;
use clap::Subcommand;
use serde::Serialize;
use std::path::PathBuf;
use sunzi_jobs::dnssec::{Algorithm, KeyError, PublicPart, Purpose, generate};
use sunzi_pk::keys::Algorithms;
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

/// Keys of zones
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

/// An action with its arguments.
#[derive(Debug, Subcommand)]
enum Action {
    New(NewArgs),
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        match &self.action {
            Action::New(args) => args.run(common),
        }
    }
}

/// Make a key of a zone, in BIND's format
///
/// Writes Kexample.+013+12345.key and, for its owner only (mode 0600), Kexample.+013+12345.private, and prints the name
/// without the ending. A combined key, with flags 257, signs all of the zone, unless there are zone-signing keys (256) of
/// its algorithm besides.
///
/// With --json, the answer is {"key":"Kexample.+013+12345","ds":"example. IN DS ..."}.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
struct NewArgs {
    /// The name of the zone
    #[arg(value_name = "NAME")]
    zone: String,
    /// The algorithm: its number, or its name, such as RSASHA256
    #[arg(long, value_name = "ALG", default_value = "ECDSAP256SHA256",
          value_parser = |text: &str| Algorithm::from_name(text)
              .ok_or("known are 8, 10, 13, 14, 15 and 16, and their names"))]
    algorithm: Algorithm,
    /// Size of an RSA key's modulus in bits
    #[arg(long, value_parser = clap::value_parser!(u32).range(2048..=4096), default_value_t = 2048)]
    bits: u32,
    /// Make a zone-signing key (flags 256), not a combined or key-signing one (257)
    #[arg(long)]
    zsk: bool,
    /// The folder for the files
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    #[command(flatten)]
    now: NowOption,
}

/// The line of output.
#[derive(Serialize)]
struct KeyLine<'a> {
    key: &'a str,
    ds: String,
}

/// Number of keys that are made while their key tags are taken.
const ATTEMPTS: usize = 8;

impl NewArgs {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let public = self.new_files(common)?;
        let mut output = Output::new();
        let key = &public.file_name();
        if common.json {
            let ds = public.ds();
            output.json(&KeyLine { key, ds })?;
        } else {
            output.line(key)?;
        }
        output.flush()?;
        Ok(Status::Done)
    }

    /// Makes a key and writes it. When this returns, its secrets have been wiped.
    fn new_files(&self, common: &CommonOptions) -> Result<PublicPart, Failure> {
        let algorithms = Algorithms::new(&common.engine()?);
        // Times in these files are modulo 2^32.
        let now = self.now.seconds()? as u32;
        for _ in 0..ATTEMPTS {
            let (public, private) = self
                .generate(&algorithms, now)
                .map_err(Failure::from_error)?;
            let [key, half] = ["key", "private"]
                .map(|ending| self.out.join(format!("{}.{ending}", public.file_name())));
            // Signatures name keys by their tags.
            if key.symlink_metadata().is_ok() || half.symlink_metadata().is_ok() {
                continue;
            }
            let record = public.record();
            let files = [
                (&half, private.as_bytes(), Access::Private),
                (&key, record.as_bytes(), Access::Usual),
            ];
            for (path, content, access) in files {
                let written = atomic::write_one(path, content, access, Existing::Keep);
                written.map_err(|error| {
                    Failure::new(format!("cannot write {}: {error}", path.display()))
                })?;
            }
            return Ok(public);
        }
        Err(Failure::new(format!(
            "{}: keys with the same tags are there: choose another folder",
            self.out.display()
        )))
    }

    fn generate(
        &self,
        algorithms: &Algorithms,
        now: u32,
    ) -> Result<(PublicPart, Zeroizing<String>), KeyError> {
        let purpose = if self.zsk {
            Purpose::Zone
        } else {
            Purpose::Keys
        };
        generate(
            algorithms,
            &self.zone,
            self.algorithm,
            self.bits,
            purpose,
            now,
            &mut system_rng(),
        )
    }
}
