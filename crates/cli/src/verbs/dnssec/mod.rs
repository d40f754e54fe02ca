//! `sunzi dnssec`: zones of the domain name system, signed and verified.
//!
//! To add a subject, write its file here and add it to the two lists below.

mod journal;
mod key;
mod sign;
mod verify;

use super::{Run, subcommands};
use crate::failure::{Failure, Outcome};
use crate::io::progress;
use crate::options::CommonOptions;
use clap::Subcommand;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use sunzi_jobs::dnssec::ZoneError;

/// Zones of the domain name system (DNSSEC): sign them, verify them, make their keys
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

subcommands! {
    /// An action with its arguments.
    enum Action {
        Sign => sign,
        Verify => verify,
        Key => key,
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        self.action.run(common)
    }
}

/// The options of a zone file.
#[derive(Debug, clap::Args)]
struct ZoneFile {
    /// A zone file, or `-` for standard input
    #[arg(value_name = "ZONE")]
    file: PathBuf,
    /// The name of the zone [default: that of the SOA record, which must come first]
    #[arg(long, value_name = "NAME")]
    origin: Option<String>,
}

impl ZoneFile {
    /// Reads the file by `read`, which is given the file, the name of the zone, and a watcher of bytes.
    fn read<T>(
        &self,
        read: impl FnOnce(Input, Option<&str>, Watcher<'_>) -> Result<T, ZoneError>,
    ) -> Result<T, Failure> {
        read_file(&self.file, |file, watch| {
            read(file, self.origin.as_deref(), watch)
        })
    }
}

type Input = Box<dyn BufRead>;
type Watcher<'a> = &'a mut dyn FnMut(u64);

/// Reads a zone file by `read`, which is given the file and a watcher of bytes.
fn read_file<T>(
    path: &Path,
    read: impl FnOnce(Input, Watcher<'_>) -> Result<T, ZoneError>,
) -> Result<T, Failure> {
    let refused = |error: io::Error| refused(path, &error);
    let (reader, bytes): (Input, _) = if path.as_os_str() == "-" {
        (Box::new(io::stdin().lock()), None)
    } else {
        let file = File::open(path).map_err(refused)?;
        let metadata = file.metadata().map_err(refused)?;
        let bytes = metadata.is_file().then_some(metadata.len());
        (Box::new(BufReader::with_capacity(1 << 16, file)), bytes)
    };
    watched(bytes, |watch| read(reader, watch)).map_err(|error| self::refused(path, &error))
}

/// Reads a file of so many bytes by `read`, which is given a watcher of bytes.
fn watched<T>(
    bytes: Option<u64>,
    read: impl FnOnce(Watcher<'_>) -> Result<T, ZoneError>,
) -> Result<T, ZoneError> {
    let bar = progress::bar(bytes, "read");
    let result = read(&mut |bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    result
}

fn refused(path: &Path, error: &dyn core::fmt::Display) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}
