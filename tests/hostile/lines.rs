//! Lines of JSON and of CSV for the streams of messages and for `powmod`: damaged ones, and ones made of fields that
//! are right, wrong, missing or duplicated. JSON is compared with `serde_json`'s whole values.

use crate::Tally;
use crate::mutation::{Random, damage};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sunzi_cli::fuzzing::{self, StreamContent};

const JSON: usize = 9_000;
const CSV: usize = 7_000;
const POWERS: usize = 5_000;

const FIELDS: [&str; 11] = [
    "id",
    "message",
    "message_hex",
    "message_base64",
    "ciphertext",
    "peer",
    "peer_hex",
    "peer_base64",
    "signature",
    "other",
    "Message",
];

const VALUES: [&str; 14] = [
    "\"text\"",
    "\"00ff\"",
    "\"0\"",
    "\"AAEC\"",
    "\"AAE=\"",
    "\"AAF=\"",
    "\"\"",
    "\"\\u0000\\ud83d\\ude00\"",
    "null",
    "1e999",
    "[[{}]]",
    "{\"a\":{\"b\":1}}",
    "true",
    "\"\\ud800\"",
];

pub(crate) fn run(random: &mut Random, tally: &mut Tally) {
    for _ in 0..JSON {
        let mut line = json(random).into_bytes();
        if random.below(3) == 0 {
            damage(random, &mut line);
        }
        line.retain(|&byte| byte != b'\n');
        let stream = *random.choose(&StreamContent::ALL);
        tally.case(
            || String::from_utf8_lossy(&line).into(),
            || fuzzing::messages(&line, false, stream),
            |messages| {
                let mut accepted = false;
                for message in messages? {
                    if let Ok((content, _)) = message.content {
                        accepted = true;
                        agrees(&line, stream, &content)?;
                    }
                }
                Ok(accepted)
            },
        );
    }
    for _ in 0..CSV {
        let mut lines = csv(random).into_bytes();
        if random.below(3) == 0 {
            damage(random, &mut lines);
        }
        let stream = *random.choose(&StreamContent::ALL);
        tally.case(
            || String::from_utf8_lossy(&lines).into(),
            || fuzzing::messages(&lines, true, stream),
            |messages| {
                let contents = messages
                    .into_iter()
                    .flatten()
                    .map(|message| message.content);
                let mut accepted = false;
                for (content, _) in contents.flatten() {
                    accepted = true;
                    if content.len() > lines.len() {
                        return Err("the message is longer than its line".into());
                    }
                }
                Ok(accepted)
            },
        );
    }
    for _ in 0..POWERS {
        let mut line = power(random).into_bytes();
        if random.below(3) == 0 {
            damage(random, &mut line);
        }
        tally.case(
            || String::from_utf8_lossy(&line).into(),
            || fuzzing::power(&line),
            |numbers| match numbers {
                Ok(numbers) => {
                    let Ok(value) = serde_json::from_slice::<Value>(&line) else {
                        return Err("serde_json refuses the line".into());
                    };
                    let names = ["base", "exponent", "modulus"];
                    for (number, (index, name)) in numbers.iter().zip(names.iter().enumerate()) {
                        // A list of the three is read, too.
                        let field = value.get(name).or(value.get(index));
                        let text = match field {
                            Some(Value::String(text)) => text.clone(),
                            Some(Value::Number(number)) if number.is_u64() => number.to_string(),
                            // serde_json keeps only the first digits of longer numbers.
                            Some(Value::Number(_)) => continue,
                            _ => String::new(),
                        };
                        let again = fuzzing::number(&text, 1 << 15);
                        if again.as_ref() != Ok(number) {
                            return Err(format!("{name} is another number"));
                        }
                    }
                    Ok(true)
                }
                Err(_) => Ok(false),
            },
        );
    }
}

/// Whether a message equals the line as `serde_json` and the decoders of another crate read it.
fn agrees(line: &[u8], stream: StreamContent, content: &[u8]) -> Result<(), String> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        // serde_json reads whole values more strictly: numbers have limits.
        return Ok(());
    };
    if !value.is_object() {
        return Ok(());
    }
    let text = |name: &str| value[name].as_str();
    let decoded = |text: Option<&str>| STANDARD.decode(text.unwrap_or_default()).ok();
    let [plain, hex, base64] = match stream {
        StreamContent::Messages => ["message", "message_hex", "message_base64"].map(text),
        StreamContent::Ciphertexts => [None, None, text("ciphertext")],
        StreamContent::Peers => ["peer", "peer_hex", "peer_base64"].map(text),
    };
    let expected = if let Some(text) = plain {
        Some(text.into())
    } else if let Some(digits) = hex {
        let pair = |k| u8::from_str_radix(digits.get(k..k + 2)?, 16).ok();
        (0..digits.len()).step_by(2).map(pair).collect()
    } else {
        decoded(base64)
    };
    if expected.as_deref() == Some(content) {
        Ok(())
    } else {
        Err(format!("{content:x?} instead of {expected:x?}"))
    }
}

fn json(random: &mut Random) -> String {
    let count = random.below(4);
    let fields: Vec<String> = (0..count)
        .map(|_| {
            let (name, value) = (random.choose(&FIELDS), random.choose(&VALUES));
            format!("\"{name}\":{value}")
        })
        .collect();
    match random.below(12) {
        0 => "[".repeat(random.below(300)),
        1 => format!("\u{feff}{{{}}}", fields.join(",")),
        _ => format!("{{{}}}", fields.join(", ")),
    }
}

fn csv(random: &mut Random) -> String {
    let columns = 1 + random.below(3);
    let row = |random: &mut Random, from: &[&str]| {
        let fields: Vec<_> = (0..columns).map(|_| *random.choose(from)).collect();
        fields.join(",")
    };
    let mut text = row(random, &FIELDS);
    let fields = [
        "text", "00ff", "AAEC", "", "\"a\nb\"", "\"\"\"\"", "\"open", "\0", "é", "x,y",
    ];
    for _ in 0..random.below(5) {
        text += *random.choose(&["\n", "\r\n", "\r"]);
        text += &row(random, &fields);
    }
    text
}

fn power(random: &mut Random) -> String {
    let mut number = || {
        let length = random.below(40);
        let digits: String = (0..length)
            .map(|_| *random.choose(&['0', '1', '7', '9', 'a', 'F', '_', '-', '+']))
            .collect();
        let decimal = digits.replace(|c: char| !c.is_ascii_digit(), "");
        match random.below(4) {
            0 => format!("0x{digits}"),
            1 => format!("0X{}", digits.replace(['_', '-', '+'], "")),
            2 => digits,
            _ => decimal,
        }
    };
    let (base, exponent, modulus) = (number(), number(), number());
    format!("{{\"base\":\"{base}\",\"exponent\":\"{exponent}\",\"modulus\":\"{modulus}\"}}")
}
