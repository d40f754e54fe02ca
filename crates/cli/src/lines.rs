//! Lines of an input of any length, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};
use zeroize::Zeroizing;

/// What [`Lines::next`] found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line, without its end.
    Text(&'a [u8]),
    /// A line of more than the limit; it was skipped.
    TooLong,
}

/// A reader of lines. The line is wiped at the end: it may hold a secret.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Zeroizing<Vec<u8>>,
    limit: usize,
    number: u64,
}

/// What some systems write before UTF-8; it belongs to no line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<R: Read> Lines<R> {
    /// Lines of at most `limit` bytes.
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        // Room for any line that holds a secret: growing would leave a copy behind.
        let line = Zeroizing::new(Vec::with_capacity((limit + 1).min(1 << 17)));
        Self {
            // From a file, a whole batch of long lines at a time (see `is_ready`).
            reader: BufReader::with_capacity(1 << 20, reader),
            line,
            limit,
            number: 0,
        }
    }

    /// The next line that is not blank and its number (from 1), or `None` at the end.
    ///
    /// # Errors
    /// Those of the reader.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        loop {
            self.line.clear();
            let limit = self.limit as u64 + 1;
            if (&mut self.reader)
                .take(limit)
                .read_until(b'\n', &mut self.line)?
                == 0
            {
                return Ok(None);
            }
            self.number += 1;
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            } else if self.line.len() > self.limit {
                self.reader.skip_until(b'\n')?;
                return Ok(Some((self.number, Line::TooLong)));
            }
            let start = if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
                BYTE_ORDER_MARK.len()
            } else {
                0
            };
            if !self.line[start..].trim_ascii().is_empty() {
                return Ok(Some((self.number, Line::Text(&self.line[start..]))));
            }
        }
    }

    /// Whether the next line can be had without waiting for the writer.
    ///
    /// Streams end their batch when it cannot: whoever writes a line and waits for its answer
    /// gets it, and a fast writer fills the pipe while a batch is computed, which makes the
    /// next batch a large one.
    pub(crate) fn is_ready(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }
}

/// What is wrong with a line of JSON, without quoting any of it: it may hold a secret.
pub(crate) fn explain(error: &serde_json::Error, expected: &str) -> String {
    match error.classify() {
        serde_json::error::Category::Data => format!("not {expected}"),
        _ => format!("not JSON (column {}): write {expected}", error.column()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_belongs_to_no_line() {
        let mut lines = Lines::new(&b"\xef\xbb\xbf{}\n\xef\xbb\xbf"[..], 9);
        assert_eq!(lines.next().unwrap(), Some((1, Line::Text(b"{}"))));
        let rest = Line::Text(b"\xef\xbb\xbf");
        assert_eq!(lines.next().unwrap(), Some((2, rest)));
    }

    #[test]
    fn numbers_lines_and_skips_blank_and_long_ones() {
        let input: &[u8] = b"one\n\n  \r\nfive5\nsixsix\nseven\n123456789012345\nlast";
        let mut lines = Lines::new(input, 5);
        assert_eq!(lines.next().unwrap(), Some((1, Line::Text(b"one"))));
        assert!(lines.is_ready());
        assert_eq!(lines.next().unwrap(), Some((4, Line::Text(b"five5"))));
        assert_eq!(lines.next().unwrap(), Some((5, Line::TooLong)));
        assert_eq!(lines.next().unwrap(), Some((6, Line::Text(b"seven"))));
        assert_eq!(lines.next().unwrap(), Some((7, Line::TooLong)));
        assert!(!lines.is_ready());
        assert_eq!(lines.next().unwrap(), Some((8, Line::Text(b"last"))));
        assert_eq!(lines.next().unwrap(), None);
    }
}
