//! `sunzi prime`: random primes.

use super::Run;
use crate::failure::{Failure, Outcome, Status, report};
use crate::io::atomic::{self, Access, Existing};
use crate::io::output::Output;
use crate::io::{interrupt, number, progress};
use crate::options::{CommonOptions, DefaultThreads};
use serde::Serialize;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use sunzi_pk::primes::{self, Kind, Progress};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

/// Make random primes
///
/// Each prime is drawn uniformly from the primes of its kind from sqrt(2) 2^(bits - 1) to 2^bits, so that
/// the product of two has twice as many bits. It is composite with a probability below 2^-128. The primes
/// are written in hexadecimal, one a line, as they are found; with --out, to a file that only its owner
/// can read (mode 0600), when all are there.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Length of the primes in bits, 128 to 8192
    #[arg(long, value_parser = clap::value_parser!(u32).range(i64::from(primes::MIN_BITS)..=i64::from(primes::MAX_BITS)))]
    bits: u32,
    /// Safe primes: (p - 1)/2 is prime, too
    #[arg(long)]
    safe: bool,
    /// Primes that are 3 modulo 4: the product of two is a Blum integer
    #[arg(long, conflicts_with = "safe")]
    blum: bool,
    /// Make N primes
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Write the primes to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "out")]
    force: bool,
}

/// Primes that are searched for together, and written when all of them are there.
const TOGETHER: usize = 16;

/// The line of `--json` for a prime.
#[derive(Serialize)]
struct PrimeJson<'a> {
    kind: &'static str,
    bits: u32,
    prime: &'a str,
}

impl Args {
    fn kind(&self) -> (Kind, &'static str) {
        match (self.safe, self.blum) {
            (true, _) => (Kind::Safe, "safe"),
            (_, true) => (Kind::Blum, "blum"),
            _ => (Kind::Any, "prime"),
        }
    }

    /// Writes the lines of all primes to the file.
    fn write(&self, path: &std::path::Path, content: &[u8]) -> Result<(), Failure> {
        let existing = if self.force {
            Existing::Replace
        } else {
            Existing::Keep
        };
        let written = atomic::write_one(path, content, Access::Private, existing);
        let path = path.display();
        written.map_err(|error| Failure::new(format!("cannot write {path}: {error}")))
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        if let Some(path) = &self.out
            && !self.force
            && path.symlink_metadata().is_ok()
        {
            return Err(Failure::new(format!(
                "{} exists: choose another name, or replace it with --force",
                path.display()
            )));
        }
        common.start_threads(DefaultThreads::All)?;
        let engine = common.engine()?;
        let done = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&done);
        interrupt::install(move |_| {
            let primes = counter.load(Ordering::Relaxed);
            report(&format_args!("interrupted after {primes} primes"));
        });
        let (kind, name) = self.kind();
        let count = self.count as usize;
        let bar = progress::bar(Some(count as u64), "primes");
        let mut output = Output::new();
        // Room for all lines, so that no part of them is left behind in memory that was outgrown.
        let room = self
            .out
            .as_ref()
            .map_or(0, |_| count * (self.bits as usize / 4 + 64));
        let mut content = Zeroizing::new(Vec::with_capacity(room));
        let mut found = 0;
        while found < count {
            let mut watch = |progress: Progress| {
                bar.set_position((found + progress.found) as u64);
                ControlFlow::Continue(())
            };
            let (now, rng) = (TOGETHER.min(count - found), &mut system_rng());
            let primes = primes::generate_batch(&engine, rng, kind, self.bits, now, &mut watch);
            let primes = primes.map_err(Failure::from_error)?;
            let shield = interrupt::shield();
            for prime in &primes {
                let prime = Zeroizing::new(number::format(prime));
                let line = PrimeJson {
                    kind: name,
                    bits: self.bits,
                    prime: &prime,
                };
                match (&self.out, common.json) {
                    (None, true) => output.json(&line)?,
                    (None, false) => output.line(&*prime)?,
                    (Some(_), true) => {
                        serde_json::to_writer(&mut *content, &line).map_err(Failure::from_error)?;
                        content.push(b'\n');
                    }
                    (Some(_), false) => writeln!(*content, "{}", &*prime)?,
                }
            }
            bar.suspend(|| output.flush())?;
            drop(shield);
            found += now;
            done.store(found, Ordering::Relaxed);
            bar.set_position(found as u64);
        }
        bar.finish_and_clear();
        if let Some(path) = &self.out {
            let _shield = interrupt::shield();
            self.write(path, &content)?;
        }
        Ok(Status::Done)
    }
}
