//! Reading messages from standard input, as JSON Lines or CSV, in bounded memory.

use super::lines::{Line, Lines, describe_json_error};
use crate::failure::Failure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use base64ct::{Base64, Encoding};
use clap::ValueEnum;
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;
use std::fmt;
use std::io::{self, Read, Stdin};
use std::rc::Rc;
use zeroize::Zeroizing;

/// The format of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StreamFormat {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values, the first line names the columns
    Csv,
}

/// The kind of data that a stream must contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// Plain messages, in the field `message`, `message_hex` or `message_base64`.
    Message,
    /// Ciphertexts, in the field `ciphertext`, in base64.
    Ciphertext,
}

impl StreamKind {
    /// The description of a correct line of JSON, for error messages.
    fn example(self) -> &'static str {
        match self {
            Self::Message => "an object like {\"message\":\"text\"}",
            Self::Ciphertext => "an object like {\"ciphertext\":\"AQID...\"}",
        }
    }
}

/// The largest length of a record of a stream (a message in its encoding), in bytes. Files have no
/// limit.
const MAX_RECORD: usize = 16 << 20;

/// A record of a stream: a message or the description of an error.
#[derive(Debug)]
pub(crate) struct Message {
    /// The line of the input on which it begins, from 1.
    pub(crate) line: u64,
    /// The field `id`, which is copied to the output.
    pub(crate) id: Option<Value>,
    /// The content, or the description of what is wrong with the record.
    pub(crate) content: Result<Content, String>,
}

/// The content of a message.
pub(crate) struct Content {
    /// The bytes of the message, or of the ciphertext.
    pub(crate) message: Zeroizing<Vec<u8>>,
    /// The decoded field `signature`, if present.
    pub(crate) signature: Option<Vec<u8>>,
}

/// Shows the length of the message, not the message: it may be secret.
impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content")
            .field("message_bytes", &self.message.len())
            .finish_non_exhaustive()
    }
}

/// The fields of a record that are used; others are ignored.
#[derive(Default, Deserialize)]
struct Record {
    id: Option<Value>,
    message: Option<String>,
    message_hex: Option<String>,
    message_base64: Option<String>,
    ciphertext: Option<String>,
    signature: Option<String>,
}

impl Record {
    fn into_message(self, line: u64, kind: StreamKind) -> Message {
        let [hex, base64] = [self.message_hex, self.message_base64].map(|x| x.map(Zeroizing::new));
        let message = match (kind, self.ciphertext, self.message, hex, base64) {
            (StreamKind::Ciphertext, Some(text), ..) => BASE64
                .decode(text)
                .map_err(|error| format!("ciphertext: {error}")),
            (StreamKind::Ciphertext, None, ..) => {
                Err(String::from("no ciphertext: give ciphertext, in base64"))
            }
            (_, _, Some(text), None, None) => Ok(text.into_bytes()),
            (_, _, None, Some(digits), None) => base16ct::mixed::decode_vec(digits.as_bytes())
                .map_err(|_| String::from("message_hex is not hexadecimal")),
            // In constant time, as a message may be secret.
            (_, _, None, None, Some(text)) => {
                Base64::decode_vec(&text).map_err(|error| format!("message_base64: {error}"))
            }
            (_, _, None, None, None) => Err(String::from(
                "no message: give message, message_hex or message_base64",
            )),
            _ => Err(String::from(
                "several messages: give one of message, message_hex and message_base64",
            )),
        }
        .map(Zeroizing::new);
        let signature = self
            .signature
            .map(|text| {
                BASE64
                    .decode(text)
                    .map_err(|error| format!("signature: {error}"))
            })
            .transpose();
        let content =
            message.and_then(|message| signature.map(|signature| Content { message, signature }));
        Message {
            line,
            id: self.id,
            content,
        }
    }
}

/// A reader of a stream of messages.
pub(crate) enum Messages<R> {
    /// JSON Lines, see [`StreamFormat::Jsonl`].
    Jsonl(Lines<R>, StreamKind),
    /// CSV, see [`StreamFormat::Csv`].
    Csv(CsvMessages<R>),
}

impl Messages<Stdin> {
    /// The messages on standard input.
    pub(crate) fn on_stdin(format: StreamFormat, kind: StreamKind) -> Result<Self, Failure> {
        Self::new(io::stdin(), format, kind)
    }
}

impl<R: Read> Messages<R> {
    fn new(reader: R, format: StreamFormat, kind: StreamKind) -> Result<Self, Failure> {
        Ok(match format {
            StreamFormat::Jsonl => Self::Jsonl(Lines::new(reader, MAX_RECORD), kind),
            StreamFormat::Csv => Self::Csv(CsvMessages::new(reader, kind)?),
        })
    }

    /// The next message, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Message>, Failure> {
        match self {
            Self::Jsonl(lines, kind) => {
                let next = lines.next().map_err(|error| cannot_read(&error))?;
                Ok(next.map(|(line, text)| from_json(line, &text, *kind)))
            }
            Self::Csv(records) => records.next(),
        }
    }

    /// Whether the next message is available without waiting, see [`Lines::is_ready`]. Always true
    /// for CSV, whose batches are always filled: its writers do not wait for answers.
    pub(crate) fn is_ready(&self) -> bool {
        match self {
            Self::Jsonl(lines, _) => lines.is_ready(),
            Self::Csv(_) => true,
        }
    }
}

fn cannot_read(error: &dyn core::fmt::Display) -> Failure {
    Failure::new(format!("cannot read standard input: {error}"))
}

fn from_json(line: u64, text: &Line<'_>, kind: StreamKind) -> Message {
    let failed = |error| Message {
        line,
        id: None,
        content: Err(error),
    };
    match text {
        Line::TooLong => failed(too_long()),
        Line::Text(text) => match serde_json::from_slice::<Record>(text) {
            Ok(record) => record.into_message(line, kind),
            Err(error) => failed(describe_json_error(&error, kind.example())),
        },
    }
}

fn too_long() -> String {
    format!("too long: at most {MAX_RECORD} bytes are allowed; sign a file instead")
}

/// A reader of CSV records as messages.
pub(crate) struct CsvMessages<R> {
    reader: csv::Reader<LimitedReader<R>>,
    /// The number of bytes read since the last record.
    bytes_read: Rc<Cell<usize>>,
    /// The meaning of each column; `None` for columns that are ignored.
    columns: Vec<Option<Column>>,
    record: csv::StringRecord,
    kind: StreamKind,
}

/// A column that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Id,
    Message,
    MessageHex,
    MessageBase64,
    Ciphertext,
    Signature,
}

impl<R: Read> CsvMessages<R> {
    fn new(reader: R, kind: StreamKind) -> Result<Self, Failure> {
        let bytes_read = Rc::new(Cell::new(0));
        let mut reader = csv::Reader::from_reader(LimitedReader {
            reader,
            bytes_read: Rc::clone(&bytes_read),
        });
        let header = reader.headers().map_err(|error| cannot_read(&error))?;
        let columns: Vec<_> = header
            .iter()
            .map(|name| match name.trim() {
                "id" => Some(Column::Id),
                "message" => Some(Column::Message),
                "message_hex" => Some(Column::MessageHex),
                "message_base64" => Some(Column::MessageBase64),
                "ciphertext" => Some(Column::Ciphertext),
                "signature" => Some(Column::Signature),
                _ => None,
            })
            .collect();
        let contents = columns.iter().flatten().filter(|column| match kind {
            StreamKind::Message => matches!(
                column,
                Column::Message | Column::MessageHex | Column::MessageBase64
            ),
            StreamKind::Ciphertext => matches!(column, Column::Ciphertext),
        });
        if !header.is_empty() && contents.count() != 1 {
            return Err(Failure::new(match kind {
                StreamKind::Message => {
                    "the first line of the CSV must name one column message, message_hex or \
                     message_base64 (and may name id and signature)"
                }
                StreamKind::Ciphertext => {
                    "the first line of the CSV must name one column ciphertext (and may name id)"
                }
            }));
        }
        Ok(Self {
            reader,
            bytes_read,
            columns,
            record: csv::StringRecord::new(),
            kind,
        })
    }

    fn next(&mut self) -> Result<Option<Message>, Failure> {
        self.bytes_read.set(0);
        match self.reader.read_record(&mut self.record) {
            Ok(false) => Ok(None),
            Ok(true) => {
                let mut record = Record::default();
                for (column, text) in self.columns.iter().zip(&self.record) {
                    let text = text.to_string();
                    match column {
                        Some(Column::Id) => record.id = Some(Value::String(text)),
                        Some(Column::Message) => record.message = Some(text),
                        Some(Column::MessageHex) => record.message_hex = Some(text),
                        Some(Column::MessageBase64) => record.message_base64 = Some(text),
                        Some(Column::Ciphertext) => record.ciphertext = Some(text),
                        Some(Column::Signature) => record.signature = Some(text),
                        None => {}
                    }
                }
                let line = self.record.position().map_or(0, csv::Position::line);
                Ok(Some(record.into_message(line, self.kind)))
            }
            // A record with a wrong number of fields or in a wrong encoding is one bad message;
            // the records after it can be read.
            Err(error) => match (error.position(), error.is_io_error()) {
                (Some(position), false) => Ok(Some(Message {
                    line: position.line(),
                    id: None,
                    content: Err(match error.kind() {
                        csv::ErrorKind::Utf8 { .. } => String::from("not UTF-8: use message_hex"),
                        csv::ErrorKind::UnequalLengths {
                            expected_len, len, ..
                        } => {
                            let plural = if *len == 1 { "" } else { "s" };
                            format!("{len} field{plural} where the first line has {expected_len}")
                        }
                        _ => error.to_string(),
                    }),
                })),
                _ => Err(cannot_read(&error)),
            },
        }
    }
}

/// A reader that fails when a record exceeds [`MAX_RECORD`], so that a record without an end does
/// not fill the memory.
struct LimitedReader<R> {
    reader: R,
    bytes_read: Rc<Cell<usize>>,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes_read.get() > MAX_RECORD {
            return Err(io::Error::other(format!(
                "a record is {} (an open quote?)",
                too_long()
            )));
        }
        let read = self.reader.read(buffer)?;
        self.bytes_read.set(self.bytes_read.get() + read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &str, format: StreamFormat) -> Vec<Message> {
        read(input, format, StreamKind::Message)
    }

    fn read(input: &str, format: StreamFormat, kind: StreamKind) -> Vec<Message> {
        let mut messages = Messages::new(input.as_bytes(), format, kind).unwrap();
        core::iter::from_fn(|| messages.next().unwrap()).collect()
    }

    fn text(message: &Message) -> &[u8] {
        &message.content.as_ref().unwrap().message
    }

    #[test]
    fn json_lines() {
        let input = concat!(
            "{\"message\":\"h\\u00e9\",\"id\":7}\n",
            "{\"message_hex\":\"00fF\",\"other\":[1]}\n",
            "\n",
            "{\"message_base64\":\"AP8=\",\"signature\":\"AQI=\"}\n",
            "{\"message\":\"\"}\n",
            "nonsense\n",
            "{\"message\":1}\n",
            "{\"id\":\"x\"}\n",
            "{\"message\":\"a\",\"message_hex\":\"00\"}\n",
            "{\"message_hex\":\"0\"}\n",
            "{\"message\":\"a\",\"signature\":\"*\"}",
        );
        let messages = all(input, StreamFormat::Jsonl);
        assert_eq!(text(&messages[0]), "hé".as_bytes());
        assert_eq!(messages[0].id, Some(Value::from(7)));
        assert_eq!(text(&messages[1]), [0, 255]);
        assert_eq!((messages[2].line, text(&messages[2])), (4, &[0, 255][..]));
        assert_eq!(
            messages[2].content.as_ref().unwrap().signature,
            Some(vec![1, 2])
        );
        assert_eq!(text(&messages[3]), b"");
        assert_eq!(messages.len(), 10);
        for (message, line) in messages[4..].iter().zip(6..) {
            assert!(message.content.is_err());
            assert_eq!(message.line, line);
        }
    }

    #[test]
    fn ciphertexts() {
        let json =
            "{\"ciphertext\":\"AP8=\",\"id\":1}\n{\"message\":\"a\"}\n{\"ciphertext\":\"*\"}\n5";
        let csv = "id,ciphertext\n1,AP8=\n2,*\n";
        for (input, format, bad) in [(json, StreamFormat::Jsonl, 3), (csv, StreamFormat::Csv, 1)] {
            let messages = read(input, format, StreamKind::Ciphertext);
            assert_eq!(text(&messages[0]), [0, 255]);
            assert!(messages[0].id.is_some());
            assert_eq!(messages.len(), 1 + bad);
            for message in &messages[1..] {
                let error = message.content.as_ref().unwrap_err();
                assert!(error.contains("ciphertext"), "{error}");
            }
        }
    }

    #[test]
    fn comma_separated_values() {
        let input = "id,message,else\n007,\"two\nlines, \"\"quoted\"\"\",x\nshort\n8,,y\n";
        let messages = all(input, StreamFormat::Csv);
        assert_eq!(text(&messages[0]), b"two\nlines, \"quoted\"");
        assert_eq!(messages[0].id, Some(Value::from("007")));
        assert_eq!(messages[0].line, 2);
        assert!(
            messages[1]
                .content
                .as_ref()
                .unwrap_err()
                .contains("1 field where")
        );
        assert_eq!(messages[1].line, 4);
        assert_eq!(text(&messages[2]), b"");
        assert_eq!(messages.len(), 3);
    }

    #[test]
    fn columns_must_be_named() {
        for (header, kind) in [
            ("a,b", StreamKind::Message),
            ("message,message_hex", StreamKind::Message),
            ("ciphertext", StreamKind::Message),
            ("message", StreamKind::Ciphertext),
        ] {
            let input = format!("{header}\n1,2\n");
            assert!(Messages::new(input.as_bytes(), StreamFormat::Csv, kind).is_err());
        }
        assert!(all("", StreamFormat::Csv).is_empty());
    }

    #[test]
    fn a_record_that_never_ends_is_an_error_in_bounded_memory() {
        let endless = io::Cursor::new(b"message\n\"").chain(io::repeat(b'x'));
        let mut messages = Messages::new(endless, StreamFormat::Csv, StreamKind::Message).unwrap();
        assert!(
            messages
                .next()
                .unwrap_err()
                .to_string()
                .contains("open quote")
        );
    }
}
