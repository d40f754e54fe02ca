//! Reading CSV of any length record by record, in bounded memory.

use csv_core::ReadRecordResult;
use std::io::{self, BufRead, BufReader, Read};
use zeroize::Zeroizing;

/// The largest number of fields in a record.
pub(crate) const MAX_FIELDS: usize = 1024;

/// A record of the input.
pub(crate) enum Record<'a> {
    /// A record with its fields.
    Fields(Fields<'a>),
    /// A record longer than the limit. It is reported as soon as the limit is passed; the rest is
    /// skipped when the next record is asked for.
    TooLong,
    /// A record of more than [`MAX_FIELDS`] fields, of which the rest is skipped, too.
    TooManyFields,
}

/// The fields of a record.
pub(crate) struct Fields<'a> {
    /// The fields without their quotes, one after the other.
    text: &'a [u8],
    /// The end of each field in the text.
    ends: &'a [usize],
}

impl<'a> Fields<'a> {
    /// The number of fields.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The length of all fields together, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The fields, or `None` if one of them is not UTF-8.
    pub(crate) fn as_text(&self) -> Option<Vec<&'a str>> {
        let text = std::str::from_utf8(self.text).ok()?;
        let starts = std::iter::once(&0).chain(self.ends);
        starts
            .zip(self.ends)
            .map(|(&start, &end)| text.get(start..end))
            .collect()
    }
}

/// A reader of records. Its buffer for a record is wiped when it is dropped, since a record may be
/// secret.
pub(crate) struct Records<R> {
    reader: BufReader<R>,
    parser: csv_core::Reader,
    text: Zeroizing<Vec<u8>>,
    ends: Vec<usize>,
    limit: usize,
    /// Whether the reader is inside a record that was too long.
    inside_long_record: bool,
}

impl<R: Read> Records<R> {
    /// A reader of records of at most `limit` bytes, without quotes and commas.
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(1 << 16, reader),
            parser: csv_core::Reader::new(),
            // Large enough for any record with a secret, since growing would leave a copy behind.
            text: Zeroizing::new(vec![0; (limit + 1).min(1 << 17)]),
            ends: vec![0; MAX_FIELDS + 1],
            limit,
            inside_long_record: false,
        }
    }

    /// The next record, with the number of the line on which it begins (from 1), or `None` at the
    /// end of the input.
    ///
    /// # Errors
    /// The errors of the reader.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, Record<'_>)>> {
        if self.inside_long_record {
            self.skip()?;
            self.inside_long_record = false;
        }
        let line = self.find_record()?;
        let (mut bytes, mut fields) = (0, 0);
        loop {
            let (result, written, ended) = self.parse(bytes, fields)?;
            bytes += written;
            fields += ended;
            let record = match result {
                ReadRecordResult::InputEmpty => continue,
                ReadRecordResult::OutputFull if self.text.len() <= self.limit => {
                    let longer = (2 * self.text.len()).min(self.limit + 1);
                    self.text.resize(longer, 0);
                    continue;
                }
                ReadRecordResult::OutputFull => Record::TooLong,
                ReadRecordResult::OutputEndsFull => Record::TooManyFields,
                ReadRecordResult::Record if fields > MAX_FIELDS => {
                    return Ok(Some((line, Record::TooManyFields)));
                }
                ReadRecordResult::Record => {
                    let (text, ends) = (&self.text[..bytes], &self.ends[..fields]);
                    return Ok(Some((line, Record::Fields(Fields { text, ends }))));
                }
                ReadRecordResult::End => return Ok(None),
            };
            self.inside_long_record = true;
            return Ok(Some((line, record)));
        }
    }

    /// Whether the next record does not come after the rest of a long one, which may have no end.
    pub(crate) fn is_ready(&self) -> bool {
        !self.inside_long_record
    }

    /// Skips the line breaks before a record, and returns the number of its first line. (The parser
    /// would skip them, too, but number the record before it does.)
    fn find_record(&mut self) -> io::Result<u64> {
        loop {
            match self.fill()?.first() {
                Some(b'\n') => self.parser.set_line(self.parser.line() + 1),
                Some(b'\r') => {}
                _ => return Ok(self.parser.line()),
            }
            self.reader.consume(1);
        }
    }

    /// The input that is in the buffer, which is empty only at the end of the input.
    fn fill(&mut self) -> io::Result<&[u8]> {
        loop {
            match self.reader.fill_buf() {
                Ok(_) => return Ok(self.reader.buffer()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads on in a record of which `bytes` bytes and `fields` fields are known, and returns how
    /// many more there are.
    fn parse(
        &mut self,
        bytes: usize,
        fields: usize,
    ) -> io::Result<(ReadRecordResult, usize, usize)> {
        self.fill()?;
        let (text, ends) = (&mut self.text[bytes..], &mut self.ends[fields..]);
        let (result, read, written, ended) =
            self.parser.read_record(self.reader.buffer(), text, ends);
        self.reader.consume(read);
        Ok((result, written, ended))
    }

    /// Reads to the end of the record.
    fn skip(&mut self) -> io::Result<()> {
        while !matches!(
            self.parse(0, 0)?.0,
            ReadRecordResult::Record | ReadRecordResult::End
        ) {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The next record, as its line and its fields, or what is wrong with it.
    fn next(records: &mut Records<impl Read>) -> Option<(u64, Result<Vec<String>, &'static str>)> {
        records.next().unwrap().map(|(line, record)| {
            let fields = match record {
                Record::Fields(fields) => fields.as_text().ok_or("not UTF-8"),
                Record::TooLong => Err("too long"),
                Record::TooManyFields => Err("too many fields"),
            };
            let owned = |texts: Vec<&str>| texts.into_iter().map(String::from).collect();
            (line, fields.map(owned))
        })
    }

    #[test]
    fn records_of_every_kind() {
        let input = b"\xef\xbb\xbfa,b\r\n\"one\ntwo\",\"\"\"\"\n\n12345,67\n123456,78\n\
            \"long\nlong\",x\nx\xff\n\xc3,\xa9\nlast";
        let mut records = Records::new(&input[..], 7);
        let mut expect = |line, fields: Result<&[&str], _>| {
            let fields = fields.map(|texts| texts.iter().map(|&text| text.into()).collect());
            assert_eq!(next(&mut records), Some((line, fields)));
        };
        expect(1, Ok(&["a", "b"]));
        expect(2, Err("too long"));
        expect(5, Ok(&["12345", "67"]));
        expect(6, Err("too long"));
        expect(7, Err("too long"));
        expect(9, Err("not UTF-8"));
        expect(10, Err("not UTF-8"));
        expect(11, Ok(&["last"]));
        assert_eq!(next(&mut records), None);
    }

    #[test]
    fn fields_without_number_are_refused_in_bounded_memory() {
        let row = |fields: usize| ",".repeat(fields - 1) + "\n";
        let input = row(MAX_FIELDS) + &row(MAX_FIELDS + 1) + &row(5000) + "last\n";
        let mut records = Records::new(input.as_bytes(), 100);
        assert_eq!(next(&mut records).unwrap().1.unwrap().len(), MAX_FIELDS);
        assert_eq!(next(&mut records), Some((2, Err("too many fields"))));
        assert_eq!(next(&mut records), Some((3, Err("too many fields"))));
        assert_eq!(next(&mut records), Some((4, Ok(vec!["last".into()]))));
        assert_eq!(next(&mut records), None);
    }

    #[test]
    fn a_record_without_an_end_is_reported_before_it_is_skipped() {
        let endless = io::Cursor::new("a\n\"").chain(io::repeat(b'x'));
        let mut records = Records::new(endless, 1 << 20);
        assert_eq!(next(&mut records), Some((1, Ok(vec!["a".into()]))));
        assert_eq!(next(&mut records), Some((2, Err("too long"))));
        assert!(!records.is_ready());
    }
}
