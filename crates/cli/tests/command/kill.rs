//! Runs that are killed with SIGKILL at random moments, and resumed.

#![cfg(unix)]

use crate::place::{Place, small_key};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Random moments (`SplitMix64`).
struct Moments(u64);

impl Moments {
    /// Moments that differ from run to run: no result depends on them.
    fn new() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self(now.unwrap().as_nanos() as u64)
    }

    /// A time between 0 and `longest`.
    fn next(&mut self, longest: Duration) -> Duration {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        longest.mul_f64((z ^ (z >> 31)) as f64 / 2f64.powi(64))
    }
}

/// The command with these arguments, silent.
fn command(place: &Place, arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("sunzi"));
    command
        .args("sign -k key.pem --force-1024".split_whitespace())
        .args(arguments.split_whitespace())
        .env_remove("SUNZI_BACKEND")
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Kills the process after this time. Returns false if it ended before, successfully.
fn kill_after(mut child: Child, time: Duration) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let end = Instant::now() + time;
    while Instant::now() < end && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert!(status.success() || status.signal() == Some(9), "{status}");
    !status.success()
}

/// A run over `count` files, which is killed `kills` times and each time resumed.
fn kill_over_files(count: usize, kills: usize) {
    let place = Place::with(small_key());
    for i in 0..count {
        place.write(&format!("files/{i:06}"), i.to_string());
    }
    let start = Instant::now();
    let status = command(&place, "files --out expected").status().unwrap();
    assert!(status.success());
    let longest = start.elapsed();
    let expected: Vec<_> = (0..count)
        .map(|i| place.read(&format!("expected/files/{i:06}.sig")))
        .collect();
    // What there is after a kill is right; the rest is missing.
    let signed = || {
        let path = |i: usize| place.at(&format!("files/{i:06}.sig"));
        let is_signed = |&i: &usize| match std::fs::read(path(i)) {
            Ok(signature) => {
                assert!(
                    signature == expected[i],
                    "the signature of file {i} is wrong"
                );
                true
            }
            Err(_) => false,
        };
        (0..count).filter(is_signed).count()
    };

    let mut moments = Moments::new();
    let (mut killed, mut left_behind, mut finished) = (0, 0, 0);
    while killed < kills {
        let child = command(&place, "files --resume").spawn().unwrap();
        let was_killed = kill_after(child, moments.next(longest));
        let missing = count - signed();
        if was_killed {
            killed += 1;
            left_behind += place.names("files", ".tmp").len();
            if killed % 10 == 0 {
                println!("{killed} kills, every signature right so far");
            }
        } else {
            finished += 1;
            assert_eq!(missing, 0);
            assert!(place.names("files", ".tmp").is_empty());
            for name in place.names("files", ".sig") {
                std::fs::remove_file(place.at(&format!("files/{name}"))).unwrap();
            }
        }
    }
    assert!(
        command(&place, "files --resume")
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(signed(), count);
    assert_eq!(place.names("files", "").len(), 2 * count);
    println!(
        "{killed} kills over {count} files: every signature right; {left_behind} temporary files \
         were left and swept; {finished} runs finished before"
    );
}

/// A stream of `count` messages, whose run is killed `kills` times. It is resumed with the messages
/// after the last one that was answered.
fn kill_over_stream(count: usize, kills: usize) {
    let place = Place::with(small_key());
    let mut starts = Vec::new();
    let mut input = Vec::new();
    for i in 0..count {
        starts.push(input.len() as u64);
        writeln!(input, "{{\"message\":\"{i}\",\"id\":{i}}}").unwrap();
    }
    place.write("input", &input);
    let append = |name| {
        File::options()
            .append(true)
            .create(true)
            .open(place.at(name))
            .unwrap()
    };
    let run = |from: usize, output: File| {
        let mut input = File::open(place.at("input")).unwrap();
        input.seek(SeekFrom::Start(starts[from])).unwrap();
        command(&place, "-")
            .stdin(input)
            .stdout(output)
            .spawn()
            .unwrap()
    };
    // The answers without the numbers of their lines, which begin anew in each run.
    let answers = |text: &str| -> Vec<String> {
        let answer = |line: &str| line.split_once(",\"id\":").unwrap().1.to_string();
        text.lines().map(answer).collect()
    };
    let start = Instant::now();
    assert!(run(0, append("expected")).wait().unwrap().success());
    let longest = start.elapsed();
    let expected = answers(&String::from_utf8(place.read("expected")).unwrap());
    assert_eq!(expected.len(), count);

    let mut moments = Moments::new();
    let (mut killed, mut cut, mut finished) = (0, 0, 0);
    // The length of the output that has been checked, and the number of its answers.
    let (mut checked, mut answered) = (0, 0);
    while killed < kills {
        let was_killed = kill_after(run(answered, append("output")), moments.next(longest));
        killed += usize::from(was_killed);
        let mut output = File::options()
            .read(true)
            .write(true)
            .open(place.at("output"))
            .unwrap();
        output.seek(SeekFrom::Start(checked)).unwrap();
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        // A killed writer may leave a part of a line.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        cut += usize::from(whole < text.len());
        let new = answers(&text[..whole]);
        assert!(
            new == expected[answered..answered + new.len()],
            "after {answered} answers"
        );
        checked += whole as u64;
        answered += new.len();
        output.set_len(checked).unwrap();
        if answered == count {
            finished += 1;
            (checked, answered) = (0, 0);
            output.set_len(0).unwrap();
        } else {
            assert!(was_killed, "the run ended after {answered} answers");
        }
    }
    println!(
        "{killed} kills over {count} messages: every answer right and given once; {cut} lines were \
         cut; the stream was finished {finished} times"
    );
}

#[test]
fn runs_over_files_can_be_killed() {
    kill_over_files(500, 4);
}

#[test]
fn runs_over_streams_can_be_killed() {
    kill_over_stream(3000, 4);
}

/// Run by `make kill-test`.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_kills_over_100_000_files() {
    kill_over_files(100_000, 100);
}

/// Run by `make kill-test`.
#[test]
#[ignore = "takes minutes"]
fn a_hundred_kills_over_100_000_messages() {
    kill_over_stream(100_000, 100);
}
