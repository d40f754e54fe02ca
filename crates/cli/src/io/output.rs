//! Standard output, as JSON Lines or as text.

use serde::Serialize;
use std::io::{self, BufWriter, Stdout, Write};

/// Buffered standard output. Every verb calls [`Output::flush`] before it ends, so that no error is
/// lost.
pub(crate) struct Output(BufWriter<Stdout>);

impl Output {
    /// An empty buffer for standard output.
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

    /// Writes the buffered output. The buffer may have held secrets: a new one takes its place, and
    /// the allocator wipes it.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        *self = Self::new();
        Ok(())
    }
}
