//! Command lines, one argument a line: they are parsed, and nothing is run.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

fuzz_target!(|input: &[u8]| {
    let words = input.split(|&byte| byte == b'\n').map(OsStr::from_bytes);
    let words = std::iter::once(OsStr::new("sunzi")).chain(words);
    if let Err(text) = sunzi_cli::fuzzing::arguments(words.map(OsString::from)) {
        assert!(!text.is_empty());
    }
});
