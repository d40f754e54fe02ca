//! The command's readers of foreign input, for the fuzz targets and the generators of hostile input.
//! No other program should use them: they may change at any time.

use crate::io::messages::{Messages, StreamFormat, StreamKind};
use crate::io::{number, one_line::OneLine};
use crate::options::passphrase;
use crate::verbs::{Arguments, powmod};
use clap::Parser;
use crypto_bigint::BoxedUint;
use std::ffi::OsString;

/// The kind of a stream's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamContent {
    /// Plain messages.
    Messages,
    /// Ciphertexts.
    Ciphertexts,
    /// Public keys of others.
    Peers,
}

impl StreamContent {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Messages, Self::Ciphertexts, Self::Peers];

    fn kind(self) -> StreamKind {
        match self {
            Self::Messages => StreamKind::Message,
            Self::Ciphertexts => StreamKind::Ciphertext,
            Self::Peers => StreamKind::Peer,
        }
    }
}

/// A message of a stream, or what is wrong with it.
#[derive(Debug)]
pub struct StreamMessage {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its id, as JSON.
    pub id: Option<String>,
    /// The bytes of the message, and of the signature if there is one.
    pub content: Result<(Vec<u8>, Option<Vec<u8>>), String>,
}

/// Whether the arguments of a command line, the name of the command first, can be parsed; the text
/// that it would print if not.
///
/// # Errors
/// The message of the error, or the help that was asked for.
pub fn arguments(words: impl IntoIterator<Item = OsString>) -> Result<(), String> {
    Arguments::try_parse_from(words)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// The records of a whole stream in CSV or in JSON Lines.
///
/// # Errors
/// The error in its first line, for CSV.
pub fn messages(
    input: &[u8],
    is_csv: bool,
    stream: StreamContent,
) -> Result<Vec<StreamMessage>, String> {
    let format = if is_csv {
        StreamFormat::Csv
    } else {
        StreamFormat::Jsonl
    };
    let mut stream =
        Messages::new(input, format, stream.kind()).map_err(|error| error.to_string())?;
    let mut messages = Vec::new();
    loop {
        let before = messages.len();
        let take = |message: crate::io::messages::Message| {
            messages.push(StreamMessage {
                line: message.line,
                id: message.id.map(|id| id.get().to_owned()),
                content: message
                    .content
                    .map(|content| (content.message.to_vec(), content.signature)),
            });
        };
        stream
            .next_batch(16, take)
            .map_err(|error| error.to_string())?;
        if messages.len() == before {
            return Ok(messages);
        }
    }
}

/// The base, the exponent and the modulus in a line for `sunzi powmod`.
///
/// # Errors
/// The text of the error in the answer.
pub fn power(line: &[u8]) -> Result<[BoxedUint; 3], String> {
    powmod::numbers(line)
}

/// An integer of at most `max_bits` bits.
///
/// # Errors
/// The condition that it breaks.
pub fn number(text: &str, max_bits: u32) -> Result<BoxedUint, String> {
    number::parse(text, max_bits).map_err(|error| error.to_string())
}

/// The text of an integer in answers.
pub fn written(number: &BoxedUint) -> String {
    number::format(number)
}

/// A text as it appears in the command's messages.
pub fn on_one_line(text: &str) -> String {
    OneLine(text).to_string()
}

/// The passphrase in a file's content.
///
/// # Errors
/// The condition that it breaks.
pub fn passphrase(file: &[u8]) -> Result<Vec<u8>, String> {
    passphrase::from_reader(file, "the file")
        .map(|passphrase| passphrase.to_vec())
        .map_err(|error| error.to_string())
}
