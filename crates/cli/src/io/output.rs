//! Standard output, as JSON Lines or as text.

use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// Buffered standard output. Every verb calls [`Output::flush`] before it ends, so that no error is
/// lost.
pub(crate) struct Output(BufWriter<StandardOutput>);

impl Output {
    /// An empty buffer for standard output.
    pub(crate) fn new() -> Self {
        Self(BufWriter::with_capacity(1 << 16, StandardOutput))
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

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Self::flush(self)
    }
}

/// Standard output, in which writing fails if it was closed when the process started.
///
/// `std::io::Stdout` does not fail then: before `main`, Rust's runtime opens `/dev/null` in the place
/// of a closed standard output.
pub(crate) struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        ensure_open()?;
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

pub(crate) use closed::ensure_open;

#[cfg(unix)]
mod closed {
    use rustix::io::{Errno, fcntl_getfd};
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    ctor::declarative::ctor! {
        /// Runs before Rust's runtime. It makes one system call and takes nothing from the standard
        /// library that the runtime would have to prepare.
        #[ctor(unsafe)]
        fn remember() {
            let closed = fcntl_getfd(rustix::stdio::stdout()) == Err(Errno::BADF);
            CLOSED.store(closed, Ordering::Relaxed);
        }
    }

    /// An error if standard output was closed when the process started.
    pub(crate) fn ensure_open() -> io::Result<()> {
        if CLOSED.load(Ordering::Relaxed) {
            return Err(Errno::BADF.into());
        }
        Ok(())
    }
}

#[cfg(not(unix))]
mod closed {
    /// Elsewhere the system tells it when writing.
    pub(crate) fn ensure_open() -> std::io::Result<()> {
        Ok(())
    }
}
