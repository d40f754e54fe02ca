use crate::place::{Place, small_key};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};

/// The limit of the resident memory for 10,000 RSA-4096 signatures, in KiB.
const LIMIT: u64 = 200 << 10;

/// The peak resident memory of a process, in KiB.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The memory is that of a batch, whatever the number of lines.
#[test]
#[ignore = "takes a minute"]
fn ten_thousand_lines_of_4096_bits() {
    const COUNT: usize = 10_000;
    if peak(std::process::id()).is_none() {
        println!("SKIPPED: the system does not tell how much memory was used");
        return;
    }
    let place = Place::with(small_key());
    place
        .run("key new --bits 4096 --out key4096.pem")
        .assert()
        .success();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
        .args(["sign", "-k", "key4096.pem", "-"])
        .env_remove("SUNZI_BACKEND")
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = String::new();
    for i in 0..COUNT {
        writeln!(lines, "{{\"message\":\"{i}\"}}").unwrap();
    }
    let writer = std::thread::spawn(move || {
        stdin.write_all(lines.as_bytes()).unwrap();
        stdin
    });
    let answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let signed = answers
        .take(COUNT)
        .filter(|line| line.as_ref().unwrap().contains("\"signature\""));
    assert_eq!(signed.count(), COUNT);
    // All answers have arrived, and the process waits for more lines.
    let peak = peak(child.id()).unwrap();
    drop(writer.join().unwrap());
    assert!(child.wait().unwrap().success());
    println!("the process had at most {} MiB", peak >> 10);
    assert!(peak < LIMIT, "{peak} KiB");
}
