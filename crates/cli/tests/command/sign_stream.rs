use crate::place::{Place, error_line, json_lines, small_key, sunzi};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

const SIGN: &str = "sign -k key.pem --force-1024 -";

#[test]
fn order_is_kept_and_bad_lines_are_answered_in_place() {
    let place = Place::with(small_key());
    let line = |i: usize| match i {
        10 => String::from("nonsense\n"),
        500 => String::from("{\"text\":\"no message\"}\n"),
        _ => format!("{{\"message\":\"{i}\",\"id\":{i}}}\n"),
    };
    let input: String = (0..1000).map(line).collect();
    let output = place
        .run(SIGN)
        .write_stdin(input)
        .assert()
        .code(1)
        .get_output()
        .clone();
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("998 messages signed")
    );
    let mut count = 0;
    for (i, line) in output.stdout.lines().enumerate() {
        let answer: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(answer["line"], i + 1);
        if matches!(i, 10 | 500) {
            assert!(answer["error"].is_string() && answer["signature"].is_null());
        } else {
            assert_eq!(answer["id"], i);
            assert_eq!(answer["signature"].as_str().unwrap().len(), 172);
        }
        count += 1;
    }
    assert_eq!(count, 1000);
}

#[test]
fn a_message_is_signed_like_a_file_in_every_notation() {
    let place = Place::with(small_key());
    place.write("file", "h\u{e9}");
    place
        .run("sign -k key.pem --force-1024 file")
        .assert()
        .success();
    let jsonl = "{\"message\":\"h\\u00e9\"}\n{\"message_hex\":\"68C3a9\"}\n\
                 {\"message_base64\":\"aMOp\"}";
    let csv = "message_hex\n68c3a9\n";
    let mut answers = json_lines(place.run(SIGN).write_stdin(jsonl), 0);
    answers.extend(json_lines(
        place.run(SIGN).args(["--format", "csv"]).write_stdin(csv),
        0,
    ));
    assert_eq!(answers.len(), 4);
    let expected = BASE64.encode(place.read("file.sig"));
    for answer in answers {
        assert_eq!(answer["signature"], expected.as_str());
    }
}

#[test]
fn an_answer_comes_without_waiting_for_the_next_message() {
    let place = Place::with(small_key());
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
        .args(SIGN.split_whitespace())
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for i in 1..4 {
        writeln!(input, "{{\"message\":\"{i}\"}}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.starts_with(&format!("{{\"line\":{i},")), "{line}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_empty_stream_is_an_error() {
    let place = Place::with(small_key());
    for format in ["jsonl", "csv"] {
        let mut command = place.run(SIGN);
        let error = error_line(command.args(["--format", format]).write_stdin(""), 2);
        assert!(error.contains("standard input is empty"), "{error}");
    }
}

#[test]
fn options_for_files_are_refused_for_a_stream() {
    let place = Place::with(small_key());
    for more in ["--resume", "--force", "--out x", "key.pem"] {
        error_line(&mut place.run(&format!("{SIGN} {more}")), 2);
    }
    let error = error_line(
        place
            .run(SIGN)
            .args(["--format", "csv"])
            .write_stdin("a,b\n"),
        2,
    );
    assert!(error.contains("message_hex"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_reported() {
    let place = Place::with(small_key());
    let cases = [
        (SIGN, "{\"message\":\"x\"}\n"),
        (
            "powmod",
            "{\"base\":\"2\",\"exponent\":\"3\",\"modulus\":\"18446744073709551557\"}\n",
        ),
        ("backends", ""),
        ("completions bash", ""),
    ];
    for (arguments, input) in cases {
        place.write("input", input);
        let output = Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
            .args(arguments.split_whitespace())
            .current_dir(place.path())
            .stdin(std::fs::File::open(place.at("input")).unwrap())
            .stdout(
                std::fs::OpenOptions::new()
                    .write(true)
                    .open("/dev/full")
                    .unwrap(),
            )
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("cannot write standard output: No space left"),
            "{said}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_run_without_a_message() {
    let place = Place::with(small_key());
    place.write("input", "{\"message\":\"x\"}\n".repeat(3000));
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
        .args(SIGN.split_whitespace())
        .current_dir(place.path())
        .stdin(std::fs::File::open(place.at("input")).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.starts_with("{\"line\":1,"));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn completions_and_manual() {
    sunzi().args(["completions", "bash"]).assert().success();
    sunzi().args(["completions", "--man"]).assert().success();
    sunzi().arg("completions").assert().code(2);
}
