//! Streams of lines of JSON, answered line by line in batches.

use crate::failure::{Failure, Status, report};
use crate::io::lines::{Line, Lines, MAX_BATCH_BYTES, describe_json_error};
use crate::io::output::Output;
use crate::io::{interrupt, progress};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The largest length of a line, in bytes.
const MAX_LINE: usize = 16 << 20;
/// Number of lines in a batch for each thread.
const BATCH_PER_THREAD: usize = 256;

/// A stream of lines: where it comes from, and how messages speak of it.
pub(super) struct Stream<'a> {
    /// The action, for the progress bar.
    pub(super) action: &'static str,
    /// A file, or `-` for standard input.
    pub(super) input: &'a Path,
    /// The description of a correct line.
    pub(super) expected: &'static str,
    /// Number of threads.
    pub(super) threads: usize,
}

/// A line of the output, and whether it counts as a failure.
pub(super) struct Answer<T> {
    pub(super) line: T,
    pub(super) failed: bool,
}

/// Bytes in hexadecimal, with or without 0x.
pub(super) fn bytes(field: &str, text: &str) -> Result<Vec<u8>, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let bytes = base16ct::mixed::decode_vec(digits.as_bytes());
    bytes.map_err(|_| format!("{field} is not hexadecimal"))
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

/// Answers the lines of a stream in order: `compute` has an answer for each line of a batch, of which the number and the
/// content or the description of its error are given.
pub(super) fn answer<T: DeserializeOwned, A: Serialize>(
    stream: &Stream<'_>,
    mut compute: impl FnMut(Vec<(u64, Result<T, String>)>) -> Result<Vec<Answer<A>>, Failure>,
) -> Result<Status, Failure> {
    let name = stream.input.display();
    let input: Box<dyn Read> = if stream.input.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        let file = File::open(stream.input);
        Box::new(file.map_err(|error| Failure::new(format!("{name}: {error}")))?)
    };
    let done = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&done);
    interrupt::install(move |_| {
        let lines = counter.load(Ordering::Relaxed);
        report(&format_args!("interrupted after {lines} lines of output"));
    });
    let mut lines = Lines::new(input, MAX_LINE);
    let mut output = Output::new();
    let mut failures = 0;
    let bar = progress::bar(None, stream.action);
    loop {
        let mut batch = Vec::new();
        let mut length = 0;
        while batch.len() < stream.threads * BATCH_PER_THREAD
            && length < MAX_BATCH_BYTES
            && (batch.is_empty() || lines.is_ready())
        {
            let read = lines.next();
            let read =
                read.map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
            let Some((number, line)) = read else { break };
            let content = match line {
                Line::Text(text) => {
                    length += text.len();
                    serde_json::from_slice(text)
                        .map_err(|error| describe_json_error(&error, stream.expected))
                }
                Line::TooLong => Err(format!(
                    "the line is too long: at most {MAX_LINE} bytes are allowed"
                )),
            };
            batch.push((number, content));
        }
        if batch.is_empty() {
            break;
        }
        let count = batch.len() as u64;
        let answers = compute(batch)?;
        let _shield = interrupt::shield();
        for Answer { line, failed } in answers {
            failures += u64::from(failed);
            output.json(&line)?;
        }
        output.flush()?;
        done.fetch_add(count, Ordering::Relaxed);
        bar.inc(count);
    }
    bar.finish_and_clear();
    if done.load(Ordering::Relaxed) == 0 {
        let expected = stream.expected;
        return Err(Failure::new(format!(
            "there is nothing to do: the input is empty; write lines with {expected}"
        )));
    }
    Ok(Status::from_failures(failures))
}
