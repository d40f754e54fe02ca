//! The lines of a file or of standard input, in batches that are answered in order.

use super::lines::{Line, Lines, MAX_BATCH_BYTES};
use super::output::Output;
use super::{interrupt, progress};
use crate::failure::{Failure, Outcome, Status, report};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use zeroize::Zeroizing;

/// A line with its number; no text if it is too long.
pub(crate) struct Entry {
    pub(crate) line: u64,
    pub(crate) text: Option<Zeroizing<Vec<u8>>>,
}

/// Answers the lines of an input, which is a file or `-`, in batches of at most `batch`. `answer` writes a line of
/// output for each entry, in order, and returns the number of entries that failed.
///
/// # Errors
/// An input that cannot be read or is empty, and the errors of `answer`.
pub(crate) fn answer_lines(
    verb: &'static str,
    input: &Path,
    max_line: usize,
    batch: usize,
    mut answer: impl FnMut(&[Entry], &mut Output) -> io::Result<u64>,
) -> Outcome {
    let unreadable = |error| Failure::new(format!("{}: {error}", input.display()));
    let reader: Box<dyn Read> = if input.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(input).map_err(unreadable)?)
    };
    let done = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&done);
    interrupt::install(move |_| {
        let lines = counter.load(Ordering::Relaxed);
        report(&format_args!("interrupted after {lines} lines of output"));
    });
    let mut lines = Lines::new(reader, max_line);
    let mut output = Output::new();
    let mut failures = 0;
    let bar = progress::bar(None, verb);
    loop {
        let mut entries: Vec<Entry> = Vec::new();
        let mut bytes = 0;
        let mut end = Ok(());
        while entries.len() < batch
            && bytes < MAX_BATCH_BYTES
            && (entries.is_empty() || lines.is_ready())
        {
            let (line, text) = match lines.next() {
                Ok(None) => break,
                Ok(Some((line, Line::Text(text)))) => (line, Some(Zeroizing::new(text.to_vec()))),
                Ok(Some((line, Line::TooLong))) => (line, None),
                Err(error) => {
                    end = Err(unreadable(error));
                    break;
                }
            };
            bytes += text.as_ref().map_or(0, |text| text.len());
            entries.push(Entry { line, text });
        }
        if entries.is_empty() {
            end?;
            break;
        }
        let _shield = interrupt::shield();
        failures += answer(&entries, &mut output)?;
        output.flush()?;
        done.fetch_add(entries.len() as u64, Ordering::Relaxed);
        bar.inc(entries.len() as u64);
        // What was read before an error has been answered.
        end?;
    }
    bar.finish_and_clear();
    if done.load(Ordering::Relaxed) == 0 {
        return Err(Failure::new(format!(
            "there is nothing to {verb}: the input is empty"
        )));
    }
    Ok(Status::from_failures(failures))
}
