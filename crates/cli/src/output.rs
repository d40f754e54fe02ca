//! Standard output, in JSON Lines or in words.

use serde::Serialize;
use std::io::{self, BufWriter, Stdout, Write};

/// Standard output, buffered. Nothing is lost silently: [`Output::flush`] reports errors, and
/// every verb calls it before it ends.
#[derive(Debug)]
pub(crate) struct Output(BufWriter<Stdout>);

impl Output {
    /// A buffer before standard output.
    pub(crate) fn new() -> Self {
        Self(BufWriter::with_capacity(1 << 16, io::stdout()))
    }

    /// Writes one value as a line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, value)?;
        self.0.write_all(b"\n")
    }

    /// Writes one line of text.
    pub(crate) fn line(&mut self, text: impl core::fmt::Display) -> io::Result<()> {
        writeln!(self.0, "{text}")
    }

    /// Hands everything over.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
