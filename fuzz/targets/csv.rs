//! Streams in CSV, of messages, of ciphertexts and of public keys.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sunzi_cli::fuzzing::StreamContent;

fuzz_target!(|input: &[u8]| {
    for stream in StreamContent::ALL {
        let Ok(messages) = sunzi_cli::fuzzing::messages(input, true, stream) else {
            continue;
        };
        let lines = input.split(|&byte| byte == b'\n').count() as u64;
        let mut last = 0;
        for message in messages {
            assert!(message.line >= last && message.line <= lines);
            last = message.line;
            if let Some(id) = &message.id {
                assert!(!id.contains(['\n', '\r']), "an id ends the line");
                let id: serde_json::Value = serde_json::from_str(id).expect("an id is JSON");
                assert!(id.is_string());
            }
            if let Ok((content, _)) = message.content {
                assert!(content.len() <= input.len());
            }
        }
    }
});
