//! The end of a run: exit codes, and the errors that stop it.

use crate::io::one_line::OneLine;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// The list of exit codes that `--help` shows.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    everything that was asked for is done
  1    some items failed: each is reported, the others are done
  2    wrong usage, nothing to do, or the run could not start or go on (key, disk, output)
  130  interrupted: what was written is whole
  141  the reader of standard output went away";

/// The status of a run that was not stopped by an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All items succeeded.
    Done,
    /// Some items failed and were reported.
    SomeFailed,
}

impl Status {
    /// The status for this number of failed items.
    pub(crate) fn from_failures(failures: u64) -> Self {
        if failures == 0 {
            Self::Done
        } else {
            Self::SomeFailed
        }
    }
}

/// An error that stops the run. Its text is one line that tells the user what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// An error described by its text.
    #[error("{0}")]
    Described(String),
    /// Standard output cannot be written.
    #[error("cannot write standard output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// A failure with this text.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::Described(text.into())
    }

    /// A failure with the text of another error.
    pub(crate) fn from_error(error: impl Display) -> Self {
        Self::new(error.to_string())
    }

    /// Whether the reader of standard output is gone, which ends the run without a message.
    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// The result of a verb.
pub(crate) type Outcome = Result<Status, Failure>;

/// Reports a failure on standard error and returns the exit code.
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

/// Writes one line to standard error, whatever the names of files in it. If that fails, the run
/// continues.
pub(crate) fn report(message: &dyn Display) {
    use std::io::Write;
    let _ = writeln!(io::stderr(), "sunzi: {}", OneLine(message));
}

/// Whether only errors and warnings go to standard error.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves away what [`inform`] would write, and progress bars.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether [`be_quiet`] was called.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes one line that is no error and no warning to standard error, unless the run is quiet.
pub(crate) fn inform(message: &dyn Display) {
    if !is_quiet() {
        report(message);
    }
}
