//! How a run ends: the exit codes, and the errors that stop it.

use std::io;
use std::process::ExitCode;

/// Shown by `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    everything that was asked for is done
  1    some items failed: each is reported, the others are done
  2    wrong usage, nothing to do, or the run could not start or go on (key, disk, output)
  130  interrupted: what was written is whole
  141  the reader of standard output went away";

/// How a run that came to its end went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Everything is done.
    Done,
    /// Some items failed and were reported.
    SomeFailed,
}

impl Status {
    /// [`Status::SomeFailed`] if there was any failure.
    pub(crate) fn from_failures(failures: u64) -> Self {
        if failures == 0 {
            Self::Done
        } else {
            Self::SomeFailed
        }
    }
}

/// Why a run stopped. The text is one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Anything that is explained in words.
    #[error("{0}")]
    Told(String),
    /// Standard output cannot be written.
    #[error("cannot write standard output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// A failure that is explained in words.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::Told(text.into())
    }

    /// Whether the reader of our output has gone: the run ends without a word.
    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// What a verb returns.
pub(crate) type Outcome = Result<Status, Failure>;

/// Reports a failure on standard error and gives the exit code.
pub(crate) fn conclude(outcome: &Outcome) -> ExitCode {
    match outcome {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::SomeFailed) => ExitCode::from(1),
        Err(failure) if failure.is_closed_pipe() => ExitCode::from(141),
        Err(failure) => {
            report(failure);
            ExitCode::from(2)
        }
    }
}

/// Writes one line to standard error. That it may be closed is no reason to stop.
pub(crate) fn report(message: &dyn core::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(io::stderr(), "sunzi: {message}");
}
