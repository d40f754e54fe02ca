//! A zone file, entry by entry: only one is in memory at a time.

use super::error::{EntryError, MAX_ENTRY, ZoneError};
use bytes::Bytes;
use domain::base::Name;
use domain::base::iana::Class;
use domain::zonefile::inplace::{Entry, ScannedRecord, Zonefile};
use std::io::{BufRead, Read};

/// The records of a zone file.
pub(super) struct Entries<R> {
    reader: R,
    scanner: Zonefile,
    /// The number of the last line that was read.
    line: u32,
    text: Vec<u8>,
    /// Bytes read.
    bytes: u64,
}

impl<R: BufRead> Entries<R> {
    /// Reads a file; names that are not absolute are taken relative to the origin.
    pub(super) fn new(reader: R, origin: Option<Name<Bytes>>) -> Self {
        let mut scanner = Zonefile::new();
        scanner.set_default_class(Class::IN);
        if let Some(origin) = origin {
            scanner.set_origin(origin);
        }
        Self {
            reader,
            scanner,
            line: 0,
            text: Vec::new(),
            bytes: 0,
        }
    }

    /// Bytes read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next record, with the line on which it begins.
    pub(super) fn next(&mut self) -> Result<Option<(u32, ScannedRecord)>, ZoneError> {
        loop {
            let line = self.line.checked_add(1).ok_or(ZoneError::TooLong)?;
            let refused = |reason| ZoneError::Entry { line, reason };
            let open = self.read_entry()?;
            if self.text.is_empty() {
                return Ok(None);
            }
            if self.text.len() > MAX_ENTRY {
                return Err(refused(EntryError::TooLong));
            }
            if open {
                return Err(refused(EntryError::Unclosed));
            }
            self.scanner.extend_from_slice(&self.text);
            match self.scanner.next_entry() {
                Ok(None) => {}
                Ok(Some(Entry::Record(record))) => return Ok(Some((line, record))),
                Ok(Some(Entry::Include { .. })) => return Err(refused(EntryError::Include)),
                Err(error) => {
                    // Its line and column come first, counted otherwise than here.
                    let words = error.to_string();
                    let reason = words.splitn(3, ':').nth(2).unwrap_or(&words).trim();
                    return Err(refused(EntryError::Syntax(reason.into())));
                }
            }
        }
    }

    /// Reads the lines of an entry, if there is one: more than one where parentheses are open at the end of a line. Returns
    /// whether one is still open.
    fn read_entry(&mut self) -> Result<bool, ZoneError> {
        self.text.clear();
        let mut depth = 0_u32;
        loop {
            let start = self.text.len();
            let mut line = (&mut self.reader).take((MAX_ENTRY + 1) as u64);
            let read = line.read_until(b'\n', &mut self.text)?;
            self.bytes += read as u64;
            if read > 0 {
                self.line = self.line.checked_add(1).ok_or(ZoneError::TooLong)?;
            }
            depth = depth_after(&self.text[start..], depth);
            if read == 0 || depth == 0 || self.text.len() > MAX_ENTRY {
                break;
            }
        }
        if self.text.last().is_some_and(|&byte| byte != b'\n') {
            self.text.push(b'\n');
        }
        Ok(depth > 0)
    }
}

/// The number of open parentheses after a line.
fn depth_after(line: &[u8], mut depth: u32) -> u32 {
    let mut quoted = false;
    let mut bytes = line.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'"' => quoted = !quoted,
            b';' if !quoted => break,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<u32>, ZoneError> {
        let origin = Name::bytes_from_str("example.").unwrap();
        let mut entries = Entries::new(text.as_bytes(), Some(origin));
        let mut lines = Vec::new();
        while let Some((line, _)) = entries.next()? {
            lines.push(line);
        }
        assert_eq!(entries.bytes(), text.len() as u64);
        Ok(lines)
    }

    #[test]
    fn entries_over_several_lines() {
        let text =
            "$TTL 5 ; (\n@ SOA a b (\n 1 2 ; )\n\n 3 4 5 )\n\n\tTXT \"a ( ;\" b\\(\nb A 192.0.2.1";
        assert_eq!(lines(text).unwrap(), [2, 7, 8]);
        assert_eq!(lines("").unwrap(), [0; 0]);
        assert_eq!(lines("\n; only a comment").unwrap(), [0; 0]);
    }

    #[test]
    fn defects_have_their_lines() {
        for (text, expected, words) in [
            ("a A 192.0.2.1\nb A 192.0.2\n", 2, ""),
            ("a A 192.0.2.1\n\nb IN\n", 3, ""),
            ("a A 192.0.2.1 more\n", 1, "trailing"),
            ("a CH A 192.0.2.1\n", 1, "class"),
            ("a TXT \"b\n", 1, ""),
            ("\n$INCLUDE other\n", 2, "$INCLUDE"),
            ("\n$GENERATE 1-2 a A 192.0.2.1\n", 2, "control"),
            ("\n\na (\nA 192.0.2.1\n", 3, "not closed"),
            ("a TXT ( \"b\n\" )\n", 1, "not closed"),
            ("a )\n", 1, "parens"),
        ] {
            match lines(text) {
                Err(ZoneError::Entry { line, reason }) => {
                    assert_eq!(line, expected, "{text:?}: {reason}");
                    assert!(reason.to_string().contains(words), "{text:?}: {reason}");
                }
                other => panic!("{text:?}: {other:?}"),
            }
        }
        let long = format!("a (\n{}", "\n".repeat(MAX_ENTRY));
        let error = lines(&long).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("line 1: the entry that begins")
        );
    }
}
