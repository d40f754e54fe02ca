//! Streams in JSON Lines, of messages, of ciphertexts and of public keys. What is read of a line must be what
//! `serde_json` reads of it as a whole value.

#![no_main]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use serde_json::value::RawValue;
use sunzi_cli::fuzzing::StreamContent;

fuzz_target!(|input: &[u8]| {
    for stream in StreamContent::ALL {
        let messages = sunzi_cli::fuzzing::messages(input, false, stream)
            .expect("JSON Lines have no first line that could be wrong");
        let lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
        let mut last = 0;
        for message in messages {
            assert!(message.line > last && message.line <= lines.len() as u64);
            last = message.line;
            if let Some(id) = &message.id {
                assert!(!id.contains(['\n', '\r']), "an id ends the line");
                // By its grammar: numbers may be of any size, and halves of surrogates alone.
                serde_json::from_str::<&RawValue>(id).expect("an id is JSON");
            }
            let Ok((content, signature)) = message.content else {
                continue;
            };
            let line = lines[message.line as usize - 1];
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            let Ok(value) = serde_json::from_slice::<Value>(line) else {
                // A whole value is read more strictly: numbers have limits, for example.
                continue;
            };
            // A list of the fields is accepted, too.
            let Value::Object(_) = value else { continue };
            let text = |name: &str| value[name].as_str();
            let base64 = |text: &str| STANDARD.decode(text).expect("it has been decoded");
            let [plain, hex, in_base64] = match stream {
                StreamContent::Messages => ["message", "message_hex", "message_base64"].map(text),
                StreamContent::Ciphertexts => [None, None, text("ciphertext")],
                StreamContent::Peers => ["peer", "peer_hex", "peer_base64"].map(text),
            };
            let expected = if let Some(text) = plain {
                text.as_bytes().to_vec()
            } else if let Some(digits) = hex {
                base16ct::mixed::decode_vec(digits).expect("it has been decoded")
            } else {
                base64(in_base64.expect("there is one"))
            };
            assert_eq!(content, expected);
            assert_eq!(signature, text("signature").map(base64));
        }
    }
});
