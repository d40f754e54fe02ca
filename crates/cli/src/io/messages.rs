//! Reading messages from standard input, as JSON Lines or CSV, in bounded memory.

use super::csv;
use super::lines::{Line, Lines, MAX_BATCH_BYTES, describe_json_error};
use crate::failure::Failure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use base64ct::{Base64, Encoding};
use clap::ValueEnum;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read, Stdin};
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
    /// Public keys of others, in the field `peer`, `peer_hex` or `peer_base64`.
    Peer,
}

impl StreamKind {
    /// The description of a correct line of JSON, for error messages.
    fn example(self) -> &'static str {
        match self {
            Self::Message => "an object like {\"message\":\"text\"}",
            Self::Ciphertext => "an object like {\"ciphertext\":\"AQID...\"}",
            Self::Peer => "an object like {\"peer_hex\":\"04...\"}",
        }
    }

    /// The field of the content, if it is a text.
    fn field(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Ciphertext => "ciphertext",
            Self::Peer => "peer",
        }
    }
}

/// The largest length of a record of a stream (a message in its encoding), in bytes. Files have no
/// limit.
const MAX_RECORD: usize = 16 << 20;
/// The largest length of an id in JSON, in bytes.
const MAX_ID: usize = 4096;

/// A record of a stream: a message or the description of an error.
#[derive(Debug)]
pub(crate) struct Message {
    /// The line of the input on which it begins, from 1.
    pub(crate) line: u64,
    /// The field `id` as it is written in the input, which is copied to the output.
    pub(crate) id: Option<Box<RawValue>>,
    /// The number of bytes that were read for it.
    bytes: usize,
    /// The content, or the description of what is wrong with the record.
    pub(crate) content: Result<Content, String>,
}

impl Message {
    /// A record of which nothing is kept but an error.
    fn refused(line: u64, bytes: usize, error: String) -> Self {
        Self {
            line,
            id: None,
            bytes,
            content: Err(error),
        }
    }
}

/// The content of a message.
pub(crate) struct Content {
    /// The bytes of the message, of the ciphertext, or of the public key.
    pub(crate) message: Zeroizing<Vec<u8>>,
    /// The decoded field `signature`, if present.
    pub(crate) signature: Option<Vec<u8>>,
    /// The field `kid` as it is written in the input, if present.
    pub(crate) kid: Option<Box<RawValue>>,
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
struct Record<'a> {
    /// Any value, `null` included.
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<Cow<'a, RawValue>>,
    message: Option<String>,
    message_hex: Option<String>,
    message_base64: Option<String>,
    ciphertext: Option<String>,
    peer: Option<String>,
    peer_hex: Option<String>,
    peer_base64: Option<String>,
    signature: Option<String>,
    /// Any value, which matters only where keys are found by it.
    #[serde(borrow, default, deserialize_with = "present")]
    kid: Option<Cow<'a, RawValue>>,
}

/// Reads a field that is present, whatever its value.
fn present<'a, 'de: 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'a, RawValue>>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(|value| Some(Cow::Borrowed(value)))
}

/// An id for the output, where it must not end the line for any reader: JSON permits carriage
/// returns between its words.
fn on_one_line(id: Cow<'_, RawValue>) -> Box<RawValue> {
    if id.get().contains('\r') {
        let text = id.get().replace('\r', " ");
        return RawValue::from_string(text).unwrap_or_else(|_| id.into_owned());
    }
    id.into_owned()
}

fn id_too_long(bytes: usize) -> String {
    format!("the id has {bytes} bytes: at most {MAX_ID} are allowed")
}

impl Record<'_> {
    fn into_message(self, line: u64, bytes: usize, kind: StreamKind) -> Message {
        if let Some(id) = self.id.as_ref().filter(|id| id.get().len() > MAX_ID) {
            return Message::refused(line, bytes, id_too_long(id.get().len()));
        }
        let (text, hex, base64) = match kind {
            StreamKind::Peer => (self.peer, self.peer_hex, self.peer_base64),
            _ => (self.message, self.message_hex, self.message_base64),
        };
        let [hex, base64] = [hex, base64].map(|x| x.map(Zeroizing::new));
        let field = kind.field();
        let message = match (kind, self.ciphertext, text, hex, base64) {
            (StreamKind::Ciphertext, Some(text), ..) => BASE64
                .decode(text)
                .map_err(|error| format!("ciphertext: {error}")),
            (StreamKind::Ciphertext, None, ..) => {
                Err(String::from("no ciphertext: give ciphertext, in base64"))
            }
            (_, _, Some(text), None, None) => Ok(text.into_bytes()),
            (_, _, None, Some(digits), None) => base16ct::mixed::decode_vec(digits.as_bytes())
                .map_err(|_| format!("{field}_hex is not hexadecimal")),
            // In constant time, as a message may be secret.
            (_, _, None, None, Some(text)) => {
                Base64::decode_vec(&text).map_err(|error| format!("{field}_base64: {error}"))
            }
            (_, _, None, None, None) => Err(format!(
                "no {field}: give {field}, {field}_hex or {field}_base64",
            )),
            _ => Err(format!(
                "several {field}s: give one of {field}, {field}_hex and {field}_base64",
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
        let kid = self.kid.map(Cow::into_owned);
        let content = message.and_then(|message| {
            signature.map(|signature| Content {
                message,
                signature,
                kid,
            })
        });
        Message {
            line,
            id: self.id.map(on_one_line),
            bytes,
            content,
        }
    }
}

/// A reader of a stream of messages.
pub(crate) enum Messages<R> {
    /// JSON Lines, see [`StreamFormat::Jsonl`].
    Jsonl(Lines<R>, StreamKind),
    /// CSV, see [`StreamFormat::Csv`].
    Csv(Box<CsvMessages<R>>),
}

impl Messages<Stdin> {
    /// The messages on standard input.
    pub(crate) fn on_stdin(format: StreamFormat, kind: StreamKind) -> Result<Self, Failure> {
        Self::new(io::stdin(), format, kind)
    }
}

impl<R: Read> Messages<R> {
    /// The messages of a reader.
    pub(crate) fn new(reader: R, format: StreamFormat, kind: StreamKind) -> Result<Self, Failure> {
        Ok(match format {
            StreamFormat::Jsonl => Self::Jsonl(Lines::new(reader, MAX_RECORD), kind),
            StreamFormat::Csv => Self::Csv(Box::new(CsvMessages::new(reader, kind)?)),
        })
    }

    /// Hands the messages of the next batch to `take`: at most `count`, and fewer if they are long
    /// ([`MAX_BATCH_BYTES`]) or if the next one would have to be waited for, see
    /// [`Lines::is_ready`]. There are none at the end of the input.
    ///
    /// # Errors
    /// If the input cannot be read; the messages before have been handed over.
    pub(crate) fn next_batch(
        &mut self,
        count: usize,
        mut take: impl FnMut(Message),
    ) -> Result<(), Failure> {
        let mut bytes = 0;
        for i in 0..count {
            if i > 0 && (bytes >= MAX_BATCH_BYTES || !self.is_ready()) {
                break;
            }
            let Some(message) = self.next()? else { break };
            bytes += message.bytes;
            take(message);
        }
        Ok(())
    }

    /// The next message, or `None` at the end.
    fn next(&mut self) -> Result<Option<Message>, Failure> {
        match self {
            Self::Jsonl(lines, kind) => {
                let next = lines.next().map_err(|error| cannot_read(&error))?;
                Ok(next.map(|(line, text)| from_json(line, &text, *kind)))
            }
            Self::Csv(records) => records.next(),
        }
    }

    /// Whether the next message is available without waiting. The writers of CSV do not wait for
    /// answers, so its batches are filled.
    fn is_ready(&self) -> bool {
        match self {
            Self::Jsonl(lines, _) => lines.is_ready(),
            Self::Csv(messages) => messages.records.is_ready(),
        }
    }
}

fn cannot_read(error: &dyn core::fmt::Display) -> Failure {
    Failure::new(format!("cannot read standard input: {error}"))
}

fn from_json(line: u64, text: &Line<'_>, kind: StreamKind) -> Message {
    match text {
        Line::TooLong => Message::refused(line, MAX_RECORD, too_long()),
        Line::Text(text) => match serde_json::from_slice::<Record<'_>>(text) {
            Ok(record) => record.into_message(line, text.len(), kind),
            Err(error) => {
                let error = describe_json_error(&error, kind.example());
                let id = id_of(text).filter(|id| id.get().len() <= MAX_ID);
                Message {
                    id: id.map(|id| on_one_line(Cow::Borrowed(id))),
                    ..Message::refused(line, text.len(), error)
                }
            }
        },
    }
}

/// The id of an object that is wrong in other places: of the wrong type there, or no JSON any more behind the id.
fn id_of(text: &[u8]) -> Option<&RawValue> {
    struct Search<'s, 'a>(&'s mut Option<&'a RawValue>);

    impl<'a> Visitor<'a> for Search<'_, 'a> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<Cow<'a, str>>()? {
                if key == "id" {
                    *self.0 = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }

    let mut id = None;
    // An error ends the search, and what was found before is kept.
    let _ = serde_json::Deserializer::from_slice(text).deserialize_map(Search(&mut id));
    id
}

fn too_long() -> String {
    format!("too long: at most {MAX_RECORD} bytes are allowed; sign a file instead")
}

/// A reader of CSV records as messages.
pub(crate) struct CsvMessages<R> {
    records: csv::Records<R>,
    /// The meaning of each column; `None` for columns that are ignored.
    columns: Vec<Option<Column>>,
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
    Peer,
    PeerHex,
    PeerBase64,
    Signature,
    Kid,
}

impl Column {
    /// Whether it holds the content of a stream of this kind.
    fn is_content(self, kind: StreamKind) -> bool {
        match kind {
            StreamKind::Message => {
                matches!(self, Self::Message | Self::MessageHex | Self::MessageBase64)
            }
            StreamKind::Ciphertext => matches!(self, Self::Ciphertext),
            StreamKind::Peer => matches!(self, Self::Peer | Self::PeerHex | Self::PeerBase64),
        }
    }
}

impl<R: Read> CsvMessages<R> {
    fn new(reader: R, kind: StreamKind) -> Result<Self, Failure> {
        let mut records = csv::Records::new(reader, MAX_RECORD);
        let header = match records.next().map_err(|error| cannot_read(&error))? {
            None => Vec::new(),
            Some((_, record)) => match record {
                csv::Record::Fields(fields) => fields.as_text().ok_or("is not UTF-8"),
                csv::Record::TooLong => Err("is too long"),
                csv::Record::TooManyFields => Err("names too many columns"),
            }
            .map_err(|error| Failure::new(format!("the first line of the CSV {error}")))?,
        };
        let columns: Vec<_> = header
            .iter()
            .map(|name| match name.trim() {
                "id" => Some(Column::Id),
                "message" => Some(Column::Message),
                "message_hex" => Some(Column::MessageHex),
                "message_base64" => Some(Column::MessageBase64),
                "ciphertext" => Some(Column::Ciphertext),
                "peer" => Some(Column::Peer),
                "peer_hex" => Some(Column::PeerHex),
                "peer_base64" => Some(Column::PeerBase64),
                "signature" => Some(Column::Signature),
                "kid" => Some(Column::Kid),
                _ => None,
            })
            .collect();
        let contents = columns.iter().flatten();
        let contents = contents.filter(|column| column.is_content(kind));
        if !columns.is_empty() && contents.count() != 1 {
            return Err(Failure::new(match kind {
                StreamKind::Message => {
                    "the first line of the CSV must name one column message, message_hex or \
                     message_base64 (and may name id and signature)"
                }
                StreamKind::Ciphertext => {
                    "the first line of the CSV must name one column ciphertext (and may name id)"
                }
                StreamKind::Peer => {
                    "the first line of the CSV must name one column peer, peer_hex or peer_base64 \
                     (and may name id)"
                }
            }));
        }
        Ok(Self {
            records,
            columns,
            kind,
        })
    }

    fn next(&mut self) -> Result<Option<Message>, Failure> {
        let next = self.records.next().map_err(|error| cannot_read(&error))?;
        Ok(next.map(|(line, record)| match record {
            csv::Record::Fields(fields) => from_fields(line, &fields, &self.columns, self.kind),
            csv::Record::TooLong => {
                Message::refused(line, MAX_RECORD, too_long() + " (an open quote?)")
            }
            csv::Record::TooManyFields => {
                let error = format!("more than {} fields", csv::MAX_FIELDS);
                Message::refused(line, MAX_RECORD, error)
            }
        }))
    }
}

fn from_fields(
    line: u64,
    fields: &csv::Fields<'_>,
    columns: &[Option<Column>],
    kind: StreamKind,
) -> Message {
    let refused = |error| Message::refused(line, fields.bytes(), error);
    if fields.len() != columns.len() {
        let plural = if fields.len() == 1 { "" } else { "s" };
        return refused(format!(
            "{} field{plural} where the first line has {}",
            fields.len(),
            columns.len()
        ));
    }
    let Some(texts) = fields.as_text() else {
        return refused(String::from("not UTF-8: use message_hex"));
    };
    let mut record = Record::default();
    for (column, text) in columns.iter().zip(texts) {
        let Some(column) = column else { continue };
        let field = match column {
            // Refused here, since its notation in JSON may be six times as long.
            Column::Id if text.len() > MAX_ID => return refused(id_too_long(text.len())),
            Column::Id => {
                record.id = to_raw_value(text).ok().map(Cow::Owned);
                continue;
            }
            Column::Kid => {
                record.kid = to_raw_value(text).ok().map(Cow::Owned);
                continue;
            }
            Column::Message => &mut record.message,
            Column::MessageHex => &mut record.message_hex,
            Column::MessageBase64 => &mut record.message_base64,
            Column::Ciphertext => &mut record.ciphertext,
            Column::Peer => &mut record.peer,
            Column::PeerHex => &mut record.peer_hex,
            Column::PeerBase64 => &mut record.peer_base64,
            Column::Signature => &mut record.signature,
        };
        *field = Some(text.to_string());
    }
    record.into_message(line, fields.bytes(), kind)
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

    fn id(message: &Message) -> &str {
        message.id.as_ref().unwrap().get()
    }

    #[test]
    fn ids_come_back_as_they_came() {
        let ids = [
            "12345678901234567890.0",
            "1e400",
            "-0",
            "null",
            "\"\\u0041\"",
            "[ 1,\t{\"b\":1,\"a\":[]} ]",
        ];
        for written in ids {
            let input = format!("{{\"id\": {written} ,\"message\":\"x\"}}");
            let messages = all(&input, StreamFormat::Jsonl);
            assert_eq!(id(&messages[0]), written);
        }
        let messages = all("{\"id\":[1,\r2],\"message\":\"x\"}", StreamFormat::Jsonl);
        assert_eq!(id(&messages[0]), "[1, 2]");
        assert!(
            all("{\"message\":\"x\"}", StreamFormat::Jsonl)[0]
                .id
                .is_none()
        );
    }

    #[test]
    fn long_ids_are_refused() {
        for (extra, refused) in [(0, false), (1, true)] {
            let long = "x".repeat(MAX_ID - 2 + extra);
            let json = format!("{{\"id\":\"{long}\",\"message\":\"x\"}}");
            let csv = format!("id,message\n{long},x\n");
            for (input, format) in [(json, StreamFormat::Jsonl), (csv, StreamFormat::Csv)] {
                let messages = all(&input, format);
                assert_eq!(messages[0].content.is_err(), refused);
                assert_eq!(messages[0].id.is_none(), refused);
            }
        }
    }

    #[test]
    fn errors_keep_the_id() {
        for (written, kept) in [
            (r#"{"id":7,"message":5}"#, Some("7")),
            (r#"{"message":5,"id":[1]}"#, Some("[1]")),
            (r#"{"message":"a","message":"b","id":"x"}"#, Some("\"x\"")),
            (r#"{"id":"x","message":"cut"#, Some("\"x\"")),
            (r#"{"id":"x","message":oops}"#, Some("\"x\"")),
            (r#"{"id":null,"signature":1}"#, Some("null")),
            (r#"{"message":"a","signature":"*","id":3}"#, Some("3")),
            (r#"{"inner":{"id":1},"message":2}"#, None),
            (r#"{"message":oops,"id":1}"#, None),
            ("[7]", None),
            ("{", None),
        ] {
            let messages = all(written, StreamFormat::Jsonl);
            let id = messages[0].id.as_ref().map(|id| id.get());
            assert_eq!(
                (id, messages[0].content.is_err()),
                (kept, true),
                "{written}"
            );
        }
        // A long one is not kept.
        let long = format!("{{\"id\":\"{}\",\"message\":5}}", "x".repeat(MAX_ID));
        assert!(all(&long, StreamFormat::Jsonl)[0].id.is_none());
    }

    #[test]
    fn batches_end_by_count_and_by_bytes() {
        let line = format!("{{\"message\":\"{}\"}}\n", "x".repeat(MAX_BATCH_BYTES / 4));
        let csv = format!(
            "message\n{}",
            format!("{}\n", "x".repeat(MAX_BATCH_BYTES / 4)).repeat(7)
        );
        for (input, format) in [
            (line.repeat(7), StreamFormat::Jsonl),
            (csv, StreamFormat::Csv),
        ] {
            let mut messages =
                Messages::new(input.as_bytes(), format, StreamKind::Message).unwrap();
            let mut batch = |count| {
                let mut taken = 0;
                messages.next_batch(count, |_| taken += 1).unwrap();
                taken
            };
            let batches = [batch(2), batch(9), batch(9)];
            // Lines of JSON that are not in the reader's buffer are not waited for.
            let expected = match format {
                StreamFormat::Jsonl => [1, 1, 1],
                StreamFormat::Csv => [2, 4, 1],
            };
            assert_eq!(batches, expected);
        }
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
        assert_eq!(id(&messages[0]), "7");
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
        assert_eq!(id(&messages[0]), "\"007\"");
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
    fn a_record_that_never_ends_is_answered_in_bounded_memory() {
        let endless = io::Cursor::new(b"message\n\"").chain(io::repeat(b'x'));
        let mut messages = Messages::new(endless, StreamFormat::Csv, StreamKind::Message).unwrap();
        let error = messages.next().unwrap().unwrap().content.unwrap_err();
        assert!(error.contains("open quote"), "{error}");
        assert!(!messages.is_ready());
    }
}
