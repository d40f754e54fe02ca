//! Input that is made to fill the memory: the commands run with little of it.

#![cfg(target_os = "linux")]

use crate::place::{Place, usual_key};
use std::io::{BufReader, Read, Write};
use std::process::{Command, Stdio};

/// Runs a command on a stream, with an address space of 400 MB, and returns how it ended and how
/// many lines it wrote.
fn run(place: &Place, arguments: &str, write: impl FnOnce(&mut dyn Write) + Send) -> (i32, usize) {
    let command = assert_cmd::cargo::cargo_bin("sunzi");
    let script = format!(
        "ulimit -v 400000; exec '{}' {arguments} -j 2 -",
        command.display()
    );
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .env_remove("SUNZI_BACKEND")
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let lines = std::thread::scope(|scope| {
        scope.spawn(move || write(&mut input));
        output
            .bytes()
            .filter(|byte| matches!(byte, Ok(b'\n')))
            .count()
    });
    (child.wait().unwrap().code().unwrap_or(-1), lines)
}

/// Writes `count` lines; errors are left to the exit code of the reader.
fn repeat(output: &mut dyn Write, line: &str, count: usize) {
    for _ in 0..count {
        if output.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Signatures, messages and ciphertexts that no key has room for: 900 of 360 kB in CSV, whose batches
/// are filled.
#[test]
fn long_fields_are_refused_before_a_batch_is_full_of_them() {
    let place = Place::with(usual_key());
    let long = "QUFB".repeat(120_000);
    for (arguments, csv, json) in [
        (
            "verify -k public.pem",
            "message,signature",
            format!("{{\"message\":\"\",\"signature\":\"{long}\"}}\n"),
        ),
        (
            "encrypt -k public.pem",
            "id,message",
            format!("{{\"message\":\"{long}\"}}\n"),
        ),
        (
            "decrypt -k key.pem",
            "id,ciphertext",
            format!("{{\"ciphertext\":\"{long}\"}}\n"),
        ),
    ] {
        let ended = run(&place, arguments, |output| repeat(output, &json, 100));
        assert_eq!(ended, (1, 100), "{arguments}");
        let arguments = format!("{arguments} --format csv");
        let ended = run(&place, &arguments, |output| {
            repeat(output, &format!("{csv}\n"), 1);
            repeat(output, &format!(",{long}\n"), 900);
        });
        assert_eq!(ended, (1, 900), "{arguments}");
    }
}

#[test]
fn ids_of_any_length_and_depth_fill_no_memory() {
    let place = Place::with(usual_key());
    let id = format!("[{}0]", "0,".repeat(200_000));
    let json = format!("{{\"message\":\"x\",\"id\":{id}}}\n");
    let ended = run(&place, "encrypt -k public.pem", |output| {
        repeat(output, &json, 200);
    });
    assert_eq!(ended, (1, 200));
    let deep = format!("{{\"message\":\"x\",\"id\":{}\n", "[".repeat(400_000));
    let ended = run(&place, "encrypt -k public.pem", |output| {
        repeat(output, &deep, 200);
    });
    assert_eq!(ended, (1, 200));
}

#[test]
fn columns_without_number_fill_no_memory() {
    let place = Place::with(usual_key());
    let commas = ",".repeat(15 << 20);
    let ended = run(&place, "encrypt -k public.pem --format csv", |output| {
        repeat(output, "id,message\n,x\n", 1);
        repeat(output, &format!("{commas}\n"), 2);
        repeat(output, ",x\n", 1);
    });
    assert_eq!(ended, (1, 4));
    let ended = run(&place, "encrypt -k public.pem --format csv", |output| {
        repeat(output, &format!("message{commas}\n"), 1);
    });
    assert_eq!(ended, (2, 0));
}
