//! The options that several verbs share.

pub(crate) mod curve;
pub(crate) mod encryption;
pub(crate) mod now;
pub(crate) mod passphrase;
pub(crate) mod signature;

use crate::failure::{Failure, report};
use crate::io::calibration;
use clap::Args;
use core::fmt;
use serde::Serialize;
use sunzi_engine::{Backend, Engine, EngineBuilder, InstructionLimit};

/// The options of every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct CommonOptions {
    /// Compute with this backend (see `sunzi backends`) instead of the fastest one, or in one of
    /// its layouts only: avx512:spread, portable:lanes8
    #[arg(long, global = true, value_name = "NAME", env = "SUNZI_BACKEND")]
    backend: Option<String>,
    /// Use no vector instructions beyond baseline, avx2, avx-ifma, avx512 or ifma, as on a processor
    /// that has no more: for tests and measurements
    #[arg(long, global = true, value_name = "SET", env = "SUNZI_INSTRUCTIONS")]
    instructions: Option<String>,
    /// Use N threads [default: one per processor, but one for `bench`]
    #[arg(short = 'j', long, global = true, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write JSON Lines to standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Write errors and warnings only to standard error: no progress, no summary, no names of files left out
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

impl CommonOptions {
    /// Warns if the backend goes by a name of the version before.
    pub(crate) fn warn_of_old_names(&self) {
        let Some(name) = self.backend.as_deref() else {
            return;
        };
        let name = name.split_once(':').map_or(name, |(name, _)| name);
        if let Some(successor) = Backend::successor(name) {
            report(&format_args!(
                "warning: the backend {name} is now {successor}, which was as fast; the next version will not know \
                 this name"
            ));
        }
    }

    /// Sets the limit given by --instructions or SUNZI_INSTRUCTIONS, if any. Comes before all that
    /// looks for backends.
    pub(crate) fn limit_instructions(&self) -> Result<(), Failure> {
        let limit = self.instructions.as_deref().filter(|name| !name.is_empty());
        let Some(name) = limit else { return Ok(()) };
        let limit = name.parse().and_then(InstructionLimit::set);
        limit.map_err(Failure::from_error)
    }

    /// The backend given by --backend or SUNZI_BACKEND, if any.
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

    /// An engine on the chosen backend.
    pub(crate) fn engine(&self) -> Result<Engine, Failure> {
        self.engine_in(BasesOptions::default())
    }

    /// An engine on the chosen backend, in bases of this choice.
    pub(crate) fn engine_in(&self, bases: BasesOptions) -> Result<Engine, Failure> {
        let mut engine = Engine::builder();
        let forced = self.forced_backend()?;
        if let Some(backend) = forced {
            engine = engine.backend(backend);
        }
        let times = match calibration::load()? {
            None if forced.is_none() => calibration::at_first_use(),
            stored => stored,
        };
        if let Some(times) = times {
            engine = engine.calibration(times);
        }
        bases.of(engine).build().map_err(Failure::from_error)
    }

    /// Starts the threads that the engine works on, and returns their number.
    pub(crate) fn start_threads(&self, default: DefaultThreads) -> Result<usize, Failure> {
        let threads = match (self.threads, default) {
            (Some(threads), _) => threads.into(),
            (None, DefaultThreads::One) => 1,
            (None, DefaultThreads::All) => {
                std::thread::available_parallelism().map_or(1, usize::from)
            }
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| Failure::new(format!("cannot start {threads} threads: {error}")))?;
        Ok(threads)
    }
}

/// The bases in which private operations are computed.
#[derive(Clone, Copy, Debug, Default, Args, Serialize)]
pub(crate) struct BasesOptions {
    /// Compute each group of numbers in one of N pairs of random bases, 2 to 32, which is drawn
    /// anew: against side channels that watch residues. Takes longer where batches are faster
    /// without residues
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    random_bases: Option<u8>,
    /// Compute with N redundant channels, 0 to 4, which find faults in residues, weights, constants and
    /// tables and have what they broke computed again; a warning tells how many there were. Takes
    /// longer, most of all where batches are faster without residues
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=4))]
    #[serde(skip_serializing_if = "Option::is_none")]
    redundancy: Option<u8>,
}

impl BasesOptions {
    /// An engine with these bases.
    pub(crate) fn of(self, mut engine: EngineBuilder) -> EngineBuilder {
        if let Some(plans) = self.random_bases {
            engine = engine.random_bases(plans.into());
        }
        if let Some(channels) = self.redundancy {
            engine = engine.redundancy(channels.into());
        }
        engine
    }
}

impl fmt::Display for BasesOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.random_bases, self.redundancy) {
            (None, None) => f.write_str("fixed bases"),
            (None, Some(channels)) => write!(f, "redundant channels: {channels}"),
            (Some(plans), None) => write!(f, "random bases: {plans}"),
            (Some(plans), Some(channels)) => {
                write!(f, "random bases: {plans}, redundant channels: {channels}")
            }
        }
    }
}

/// The number of threads that a verb uses if --threads is not given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DefaultThreads {
    /// One thread, for times that can be compared.
    One,
    /// One thread for each processor.
    All,
}

/// The number of cubes of a hypercube if --cubes is not given.
pub(crate) const DEFAULT_CUBES: usize = 2;
