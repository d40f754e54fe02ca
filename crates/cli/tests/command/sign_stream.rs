use crate::place::{Place, error_line, json_lines, small_key};
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
fn a_line_without_an_end_is_answered_at_once() {
    let place = Place::with(small_key());
    for format in ["jsonl", "csv"] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
            .args(SIGN.split_whitespace())
            .args(["--format", format])
            .current_dir(place.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        input.write_all(b"message\n\"").unwrap();
        // More than the limit, and no line break.
        input.write_all(&vec![b'x'; 17 << 20]).unwrap();
        let mut answers = String::new();
        while !answers.contains("too long") {
            assert_ne!(output.read_line(&mut answers).unwrap(), 0, "{answers}");
        }
        input.write_all(b"x\"\n").unwrap();
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
}

#[test]
fn ids_keep_every_digit_and_null() {
    let place = Place::with(small_key());
    let ids = [
        "12345678901234567890.0",
        "1e400",
        "-0.0",
        "1.10",
        "null",
        "\"\\u0061\"",
        "{\"b\": 1, \"a\": [ ]}",
    ];
    let line = |id| format!("{{\"message\":\"x\",\"id\":{id}}}\n");
    let input: String = ids.iter().map(line).collect();
    let output = place
        .run(SIGN)
        .write_stdin(input.clone())
        .assert()
        .success();
    let signed = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for (i, (answer, id)) in signed.lines().zip(ids).enumerate() {
        let start = format!("{{\"line\":{},\"id\":{id},\"signature\":", i + 1);
        assert!(answer.starts_with(&start), "{answer}");
    }
    let verify = place
        .run("verify -k public.pem -")
        .write_stdin(signed.replace("\"line\"", "\"message\":\"x\",\"line\""))
        .assert()
        .success();
    let verdicts = String::from_utf8(verify.get_output().stdout.clone()).unwrap();
    for (i, (verdict, id)) in verdicts.lines().zip(ids).enumerate() {
        assert_eq!(
            verdict,
            format!("{{\"line\":{},\"id\":{id},\"valid\":true}}", i + 1)
        );
    }
    assert_eq!(verdicts.lines().count(), ids.len());
}

#[test]
fn what_was_read_before_a_line_with_a_long_id_is_answered() {
    let place = Place::with(small_key());
    let input = format!("{{\"message\":\"x\",\"id\":\"{}\"}}\n", "x".repeat(5000));
    let answers = json_lines(place.run(SIGN).write_stdin(input), 1);
    assert_eq!(
        answers[0]["error"],
        "the id has 5002 bytes: at most 4096 are allowed"
    );
}

/// Runs the command with standard output closed, as the shell's `>&-` does.
#[cfg(unix)]
fn without_output(place: &Place, arguments: &str) -> std::process::Output {
    let command = assert_cmd::cargo::cargo_bin("sunzi");
    let script = format!("exec '{}' {arguments} >&-", command.display());
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path())
        .stdin(std::fs::File::open(place.at("input")).unwrap())
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn a_closed_standard_output_is_an_error() {
    let place = Place::with(small_key());
    place.write("input", "{\"message\":\"x\"}\n");
    for arguments in [
        SIGN,
        "sign -k key.pem --force-1024 input --json",
        "key show key.pem",
        "backends",
        "completions bash",
        "man",
        "--version",
        "sign --help",
    ] {
        let output = without_output(&place, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(
            said.ends_with("cannot write standard output: Bad file descriptor (os error 9)\n"),
            "{said}"
        );
    }
    // What writes nothing to it does not need it.
    let output = without_output(&place, "sign -k key.pem --force-1024 input --force");
    assert!(output.status.success());
    assert_eq!(place.read("input.sig").len(), 128);
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
        ("man sign", ""),
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
