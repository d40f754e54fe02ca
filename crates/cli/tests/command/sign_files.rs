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

    // A signature of the wrong length and a wrong one are made again.
    let events = json_lines(place.run(sign).arg("--resume"), 0);
    let summary = events.last().unwrap();
    let counts = ["done", "replaced", "skipped", "unchecked", "failed"].map(|c| &summary[c]);
    assert_eq!(counts, [2, 2, 1, 0, 0]);
    for event in &events[..3] {
        let (name, checked) = match event["file"].as_str().unwrap() {
            "files/0002" => ("skipped", Some(true)),
            _ => ("signed", None),
        };
        assert_eq!(event["event"], name);
        assert_eq!(event["checked"].as_bool(), checked);
        assert_eq!(
            event["replaced"].as_bool(),
            (name == "signed").then_some(true)
        );
    }
    place.run("verify -k public.pem files").assert().code(0);

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
fn resuming_compares_signatures_with_the_present_file_key_and_scheme() {
    let place = Place::with(small_key());
    place.fill(3);
    let resume = |options: &str| {
        let output = place
            .run(&format!("sign --force-1024 files --resume {options}"))
            .assert()
            .success()
            .get_output()
            .clone();
        String::from_utf8(output.stderr).unwrap()
    };
    resume("-k key.pem");
    place.write("files/0001", "changed");
    let said = resume("-k key.pem");
    assert!(
        said.contains("files/0001: the existing result was wrong or incomplete"),
        "{said}"
    );
    assert!(
        said.contains("1 file signed")
            && said.contains("1 of them replaced; 2 skipped, found right"),
        "{said}"
    );
    assert!(resume("-k key.pem").contains("0 files signed"));
    assert!(resume("-k key.pem --scheme pss").contains("3 of them replaced"));
    assert!(resume("-k key.pem --scheme pss").contains("3 skipped, found right"));
    place
        .run("key new --out other.pem --bits 1024 --force-1024")
        .assert()
        .success();
    assert!(resume("-k other.pem --scheme pss").contains("3 of them replaced"));
    place
        .run("verify -k other.pem --scheme pss files")
        .assert()
        .success();
}

#[test]
fn temporary_files_of_killed_runs_are_swept_and_those_of_living_runs_kept() {
    let place = Place::with(small_key());
    place.fill(2);
    place.write("alone", "alone");
    let left = [
        "files/.sunzi-abc123.sig.tmp",
        "files/deep/.sunzi-ABC123.sig.tmp",
        ".sunzi-000000.sig.tmp",
        "out/files/.sunzi-abc123.sig.tmp",
    ];
    for name in left {
        place.write(name, "left");
    }
    place.write("files/deep/.sunzi-living.sig.tmp", "");
    let living = std::fs::File::open(place.at("files/deep/.sunzi-living.sig.tmp")).unwrap();
    living.try_lock().unwrap();
    let sign = "sign -k key.pem --force-1024 files alone";
    place
        .run(sign)
        .assert()
        .success()
        .stderr(contains("3 temporary files of killed runs removed"));
    let exist = left.map(|name| place.at(name).exists());
    assert_eq!(exist, [false, false, false, true]);
    assert!(place.at("files/deep/.sunzi-living.sig.tmp").exists());
    drop(living);
    place
        .run(&format!("{sign} --out out"))
        .assert()
        .success()
        .stderr(contains("1 temporary file of killed runs removed"));
    // This run writes below `out` alone.
    assert!(place.at("files/deep/.sunzi-living.sig.tmp").exists());
}

#[cfg(unix)]
#[test]
fn names_of_files_forge_no_lines() {
    let place = Place::with(small_key());
    let name = "x\nsunzi: 5 files signed\u{1b}[2K\r";
    place.write(name, "x");
    place.write("files/y\nz", "y");
    let shown = "x\\nsunzi: 5 files signed\\u{1b}[2K\\r";
    let sign = |inputs: &[&str]| {
        let mut command = place.run("sign -k key.pem --force-1024");
        command.args(inputs);
        command
    };
    sign(&[name]).assert().success();
    let output = sign(&[name]).assert().code(1).get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(
        said.starts_with(&format!("sunzi: {shown}: {shown}.sig exists")),
        "{said}"
    );
    // The event has the name as it is.
    let events = json_lines(sign(&[name]).arg("--json"), 1);
    assert_eq!(events[0]["file"], name);
    let output = place
        .run("verify -k public.pem files")
        .assert()
        .code(1)
        .get_output()
        .clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("sunzi: files/y\\nz: there is no signature"),
        "{said}"
    );
    // A key file, a file that cannot be opened, and what looks like an option.
    place.write("k\ney", &small_key().private);
    let output = place
        .run("key show")
        .arg("k\ney")
        .assert()
        .success()
        .get_output()
        .clone();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("k\\ney: RSA private key"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    error_line(place.run("key show").arg("a\nb"), 2);
    error_line(sign(&["-\nsunzi: 5 files signed"]).env("NO_COLOR", "1"), 2);
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
