use crate::place::{Place, error_line, json_lines, small_key, usual_key};
use predicates::str::contains;

#[test]
fn signs_files_and_folders_with_every_scheme_and_hash() {
    let place = Place::with(usual_key());
    place.fill(3);
    place.write("files/deep/er/file", "deep");
    place.write("alone", "");
    for scheme in ["pkcs1v15", "pss", "pss --salt-length 0"] {
        for hash in ["sha256", "sha384", "sha512"] {
            let options = format!("files alone --scheme {scheme} --hash {hash}");
            place
                .run(&format!("sign -k key.pem --force {options}"))
                .assert()
                .code(0)
                .stdout("")
                .stderr(contains("5 files signed (RSA-2048"));
            place
                .run(&format!("verify -k public.pem {options}"))
                .assert()
                .code(0);
        }
    }
    assert_eq!(place.read("files/deep/er/file.sig").len(), 256);
    assert_eq!(place.names("files", ".sig.sig"), [""; 0]);
    let error = error_line(
        &mut place.run("sign -k key.pem alone --force --salt-length 3"),
        2,
    );
    assert!(error.contains("--scheme pss"), "{error}");
}

#[cfg(unix)]
#[test]
fn unreadable_files_among_a_thousand_are_reported_and_the_rest_signed() {
    let place = Place::with(small_key());
    place.fill(1000);
    std::os::unix::fs::symlink("missing", place.at("files/dangling")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(place.at("files/pipe"))
        .status();
    assert!(made.unwrap().success());
    let output = place
        .run("sign -k key.pem --force-1024 files missing")
        .assert()
        .code(1)
        .get_output()
        .clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 4, "{said}");
    assert!(said.contains("files/dangling: No such file"), "{said}");
    assert!(said.contains("files/pipe: not a regular file"), "{said}");
    assert!(said.contains("missing: No such file"), "{said}");
    assert!(
        said.contains("1000 files signed") && said.contains("3 failed"),
        "{said}"
    );
    assert_eq!(place.names("files", ".sig").len(), 1000);
    place
        .run("verify -k public.pem files/0000 files/0999")
        .assert()
        .success();
}

#[test]
fn existing_signatures_are_kept_skipped_or_replaced_by_option() {
    let place = Place::with(small_key());
    place.fill(3);
    let sign = "sign -k key.pem --force-1024 files --json";
    place.run(sign).assert().success();
    place.write("files/0000.sig", "short");
    place.write("files/0001.sig", [7; 128]);

    let events = json_lines(&mut place.run(sign), 1);
    assert_eq!(events.last().unwrap()["failed"], 3);
    assert!(
        events[0]["error"]
            .as_str()
            .unwrap()
            .contains("--resume skips what is done")
    );
    assert_eq!(place.read("files/0000.sig"), b"short");

    // A signature of the wrong length is made again; one of the right length is not checked.
    let events = json_lines(place.run(sign).arg("--resume"), 0);
    let summary = events.last().unwrap();
    assert_eq!(
        (&summary["done"], &summary["skipped"]),
        (&1.into(), &2.into())
    );
    assert_eq!(place.read("files/0001.sig"), [7; 128]);
    place.run("verify -k public.pem files").assert().code(1);

    let events = json_lines(place.run(sign).arg("--force"), 0);
    assert_eq!(
        events
            .iter()
            .filter(|event| event["event"] == "signed")
            .count(),
        3
    );
    place.run("verify -k public.pem files").assert().code(0);
    place
        .run(sign)
        .args(["--force", "--resume"])
        .assert()
        .code(2);
}

#[test]
fn signatures_can_go_to_a_folder_of_their_own() {
    let place = Place::with(small_key());
    place.fill(2);
    place.write("files/deep/file", "deep");
    place.write("alone", "alone");
    place
        .run("sign -k key.pem --force-1024 ./files alone --out out/sigs")
        .assert()
        .success();
    for name in [
        "files/0000.sig",
        "files/0001.sig",
        "files/deep/file.sig",
        "alone.sig",
    ] {
        assert_eq!(place.read(&format!("out/sigs/{name}")).len(), 128);
    }
    assert!(place.names("files", ".sig").is_empty());
    let verify = "verify -k public.pem files alone --signatures out/sigs";
    place
        .run(verify)
        .assert()
        .success()
        .stderr(contains("4 files verified"));

    let sign = "sign -k key.pem --force-1024 --out out";
    let error = error_line(&mut place.run(&format!("{sign} ../alone")), 2);
    assert!(error.contains("`..`"), "{error}");
    let error = error_line(&mut place.run(&format!("{sign} alone /dev/null")), 2);
    assert!(error.contains("absolute"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_written_is_reported() {
    let place = Place::with(small_key());
    place.fill(2);
    place.write("blocked", "a file, not a folder");
    place
        .run("sign -k key.pem --force-1024 files --out blocked")
        .assert()
        .code(1)
        .stderr(contains("cannot write blocked/files/0000.sig"))
        .stderr(contains("2 failed"));
}

#[test]
fn an_empty_batch_is_an_error() {
    let place = Place::with(small_key());
    std::fs::create_dir(place.at("empty")).unwrap();
    place.write("signatures/only.sig", "x");
    for input in ["empty", "signatures"] {
        let error = error_line(
            &mut place.run(&format!("sign -k key.pem --force-1024 {input}")),
            2,
        );
        assert!(error.contains("nothing to sign"), "{error}");
    }
    place.run("sign -k key.pem --force-1024").assert().code(2);
}

/// Uses the limit on the size of files instead of a full disk: writing fails in the same place.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_partial_file() {
    let place = Place::with(small_key());
    place.fill(600);
    let command = assert_cmd::cargo::cargo_bin("sunzi");
    let script = format!(
        "trap '' XFSZ; ulimit -f 0; exec '{}' sign -k key.pem --force-1024 -j 1 files",
        command.display()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    let last = said.lines().last().unwrap();
    assert!(
        last.contains("make room and run again with --resume"),
        "{said}"
    );
    assert!(said.contains("0 files signed"), "{said}");
    assert!(
        said.lines().count() < 200,
        "the run stops at the first full batch"
    );
    assert!(place.names("files", ".sig").is_empty());
    assert!(place.names("files", ".tmp").is_empty());
    // A new key is also complete or absent.
    let script = format!(
        "trap '' XFSZ; ulimit -f 0; exec '{}' key new --out new.pem",
        command.display()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!place.at("new.pem").exists());
    assert!(place.names(".", ".tmp").is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn large_files_are_hashed_in_bounded_memory() {
    let place = Place::with(small_key());
    let file = std::fs::File::create(place.at("large")).unwrap();
    // The file is sparse, so it takes no space on the disk.
    file.set_len(1 << 29).unwrap();
    let script = format!(
        "ulimit -v 400000; exec '{}' sign -k key.pem --force-1024 -j 2 large",
        assert_cmd::cargo::cargo_bin("sunzi").display()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
