//! The command line: what all verbs share.

use crate::failure::{EXIT_CODES, Failure};
use crate::{
    backends, bench, completions, decrypt, encrypt, explain, key, papers, powmod, sign, verify,
};
use clap::{Args, Parser, Subcommand};
use sunzi_engine::{Backend, Engine};

/// RSA signatures, encryption and modular powers in batches, computed in residue number systems.
#[derive(Debug, Parser)]
#[command(name = "sunzi", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What is asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Make or inspect an RSA key
    #[command(subcommand)]
    Key(key::Verb),
    Sign(sign::Args),
    Verify(verify::Args),
    Encrypt(encrypt::Args),
    Decrypt(decrypt::Args),
    Powmod(powmod::Args),
    Backends(backends::Args),
    Bench(bench::Args),
    /// Draw how something is computed
    #[command(subcommand)]
    Explain(explain::Verb),
    /// Reproduce the tables and figures of a paper
    #[command(subcommand)]
    Papers(papers::Verb),
    Completions(completions::Args),
}

/// Options of every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Common {
    /// Compute with this backend (see `sunzi backends`) instead of the fastest one
    #[arg(long, global = true, value_name = "NAME", env = "SUNZI_BACKEND")]
    backend: Option<String>,
    /// Use N threads [default: one per processor, but one for `bench`]
    #[arg(short = 'j', long, global = true, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write JSON Lines to standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Common {
    /// The backend that was asked for, if one was.
    pub(crate) fn forced_backend(&self) -> Result<Option<Backend>, Failure> {
        let backend = self.backend.as_deref().filter(|name| !name.is_empty());
        backend
            .map(|name| {
                let backend: Backend = name.parse()?;
                backend.check()?;
                Ok(backend)
            })
            .transpose()
            .map_err(|error: sunzi_engine::EngineError| {
                Failure::new(format!(
                    "{error} (`sunzi backends` lists what can; without --backend and \
                     SUNZI_BACKEND the fastest is chosen)"
                ))
            })
    }

    /// The engine on the chosen backend.
    pub(crate) fn engine(&self) -> Result<Engine, Failure> {
        let backend = self.forced_backend()?.unwrap_or_else(Backend::best);
        Engine::new(backend).map_err(|error| Failure::new(error.to_string()))
    }

    /// Starts the threads that the engine works on, and tells how many.
    pub(crate) fn start_threads(&self, default: Threads) -> Result<usize, Failure> {
        let threads = match (self.threads, default) {
            (Some(threads), _) => threads.into(),
            (None, Threads::One) => 1,
            (None, Threads::All) => std::thread::available_parallelism().map_or(1, usize::from),
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| Failure::new(format!("cannot start {threads} threads: {error}")))?;
        Ok(threads)
    }
}

/// How many threads a verb uses unless told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads {
    /// One, for figures that can be compared.
    One,
    /// One for each processor.
    All,
}
