//! Tests of an interruption by Ctrl-C: the files written so far are complete, and `--resume`
//! continues.

#![cfg(unix)]

use crate::place::{Place, small_key};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 4000;

#[test]
fn an_interrupted_run_leaves_whole_signatures_and_can_be_resumed() {
    let place = Place::with(small_key());
    place.fill(FILES);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
        .args(["sign", "-k", "key.pem", "--force-1024", "-j", "1", "files"])
        .current_dir(place.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();

    let deadline = Instant::now() + Duration::from_mins(1);
    while place.names("files", ".sig").is_empty() {
        assert!(Instant::now() < deadline, "no signature appears");
        std::thread::sleep(Duration::from_millis(5));
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));

    let done = place.names("files", ".sig");
    assert!(
        !done.is_empty() && done.len() < FILES,
        "{} done",
        done.len()
    );
    for name in &done {
        assert_eq!(place.read(&format!("files/{name}")).len(), 128, "{name}");
    }
    assert!(place.names("files", ".tmp").is_empty());
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.unwrap(), &mut said).unwrap();
    assert!(
        said.contains(&format!("interrupted: {} files signed", done.len())),
        "{said}"
    );

    let output = place
        .run("sign -k key.pem --force-1024 files --resume")
        .assert()
        .success()
        .get_output()
        .clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(&format!("{} files signed", FILES - done.len())),
        "{said}"
    );
    assert!(said.contains(&format!("{} skipped", done.len())), "{said}");
    place.run("verify -k public.pem files").assert().success();
}
