//! Streams in CSV, of messages and of ciphertexts.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for are_ciphertexts in [false, true] {
        let Ok(messages) = sunzi_cli::fuzzing::messages(input, true, are_ciphertexts) else {
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
