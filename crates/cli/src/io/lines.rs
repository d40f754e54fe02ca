//! Reading an input of any length line by line, in bounded memory.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use zeroize::Zeroizing;

/// The number of bytes of input at which a batch ends, however few items it has. What is kept of an
/// item is never longer than what was read of it, so this bounds the memory of a batch.
pub(crate) const MAX_BATCH_BYTES: usize = 16 << 20;

/// A line of the input.
#[derive(PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line without its line break.
    Text(&'a [u8]),
    /// A line longer than the limit. It is reported as soon as the limit is passed; the rest is
    /// skipped when the next line is asked for.
    TooLong,
}

/// Shows the length of the line, not its text: it may be secret.
impl fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::TooLong => f.write_str("TooLong"),
        }
    }
}

/// A reader of lines. Its buffer for a line is wiped when it is dropped, since a line may be
/// secret.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Zeroizing<Vec<u8>>,
    limit: usize,
    number: u64,
    /// Whether the reader is inside a line that was too long.
    inside_long_line: bool,
}

/// The UTF-8 byte order mark, which some systems write at the start of a file. It is not part of
/// the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<R: Read> Lines<R> {
    /// A reader of lines of at most `limit` bytes.
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        // Large enough for any line with a secret, since growing would leave a copy behind.
        let line = Zeroizing::new(Vec::with_capacity((limit + 1).min(1 << 17)));
        Self {
            // Large enough to read a whole batch of long lines from a file (see `is_ready`).
            reader: BufReader::with_capacity(1 << 20, reader),
            line,
            limit,
            number: 0,
            inside_long_line: false,
        }
    }

    /// The next line that is not blank, with its number (from 1), or `None` at the end of the input.
    ///
    /// # Errors
    /// The errors of the reader.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        if self.inside_long_line {
            self.reader.skip_until(b'\n')?;
            self.inside_long_line = false;
        }
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
                self.inside_long_line = true;
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

    /// Whether the next line is available without waiting for the writer.
    ///
    /// If it is not, a stream ends its batch. So a writer that waits for the answer to a line gets
    /// it, and a fast writer fills the pipe while a batch is computed, which makes the next batch
    /// a large one. It is not available while the rest of a long line is to be skipped, which may
    /// have no end.
    pub(crate) fn is_ready(&self) -> bool {
        !self.inside_long_line && self.reader.buffer().contains(&b'\n')
    }
}

/// The description of an error in a line of JSON. It does not quote the line, which may be secret.
pub(crate) fn describe_json_error(error: &serde_json::Error, expected: &str) -> String {
    match error.classify() {
        serde_json::error::Category::Data => format!("not {expected}"),
        _ => format!("not JSON (column {}): write {expected}", error.column()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_first_line() {
        let mut lines = Lines::new(&b"\xef\xbb\xbf{}\n\xef\xbb\xbf"[..], 9);
        assert_eq!(lines.next().unwrap(), Some((1, Line::Text(b"{}"))));
        let rest = Line::Text(b"\xef\xbb\xbf");
        assert_eq!(lines.next().unwrap(), Some((2, rest)));
    }

    #[test]
    fn a_line_without_an_end_is_reported_before_it_is_skipped() {
        let endless = io::Cursor::new("one\n").chain(io::repeat(b'x'));
        let mut lines = Lines::new(endless, 5);
        assert_eq!(lines.next().unwrap(), Some((1, Line::Text(b"one"))));
        assert_eq!(lines.next().unwrap(), Some((2, Line::TooLong)));
        assert!(!lines.is_ready());
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
