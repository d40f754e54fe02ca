//! Short texts: integers, lines of `powmod`, passphrase files, calibrations, names of backends, and
//! names of files in messages.

#![no_main]

use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;
use sunzi_cli::fuzzing;
use sunzi_engine::{Backend, Calibration};

/// The largest size of an integer here, in bits.
const BITS: u32 = 512;

fuzz_target!(|input: &[u8]| {
    let _ = fuzzing::power(input);
    if let Ok(passphrase) = fuzzing::passphrase(input) {
        assert!(!passphrase.is_empty() && input.starts_with(&passphrase));
    }
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };

    let read = fuzzing::number(text, BITS);
    let expected = expected(text);
    match (&read, &expected) {
        (Ok(read), Some(expected)) => {
            let big = BigUint::from_bytes_be(&read.to_be_bytes());
            assert_eq!(&big, expected);
            let written = fuzzing::written(read);
            assert_eq!(written, format!("{expected:#x}"));
            assert_eq!(fuzzing::number(&written, BITS).as_ref(), Ok(read));
        }
        (Err(_), Some(expected)) => {
            // Digits of more than twice the limit are refused, however small the integer is.
            let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
            let longest = if is_hexadecimal {
                2 + 2 * BITS / 4
            } else {
                308
            };
            assert!(expected.bits() > u64::from(BITS) || text.len() > longest as usize);
        }
        (Ok(_), None) => panic!("{text:?} is no integer"),
        (Err(_), None) => {}
    }

    if let Ok(calibration) = text.parse::<Calibration>() {
        let written = calibration.to_string();
        // Times are written with one decimal, which may be 0.0.
        if let Ok(again) = written.parse::<Calibration>() {
            assert_eq!(again.to_string(), written);
        }
    }
    if let Ok(backend) = text.parse::<Backend>() {
        assert_eq!(backend.to_string().parse::<Backend>(), Ok(backend));
        let _ = backend.check();
    }
    let line = fuzzing::on_one_line(text);
    assert!(!line.chars().any(char::is_control));
});

/// The integer, by another library's reader.
fn expected(text: &str) -> Option<BigUint> {
    let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // The reader of num-bigint also takes a sign and underscores.
    let all_digits = digits.chars().all(|character| character.is_digit(radix));
    (all_digits && !digits.is_empty())
        .then(|| BigUint::parse_bytes(digits.as_bytes(), radix))
        .flatten()
}
