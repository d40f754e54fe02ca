//! Keys are not written unprotected, lost or overwritten by accident.

use crate::place::{Place, error_line, small_key};
use predicates::str::{contains, is_empty};

const OPEN: &str = "key show secret.pem --passphrase-file";

/// A folder with the encrypted key `secret.pem`, whose passphrase is "correct".
fn place_with_encrypted_key() -> Place {
    let place = Place::with(small_key());
    place
        .run("key new --out secret.pem --bits 1024 --force-1024")
        .env("SUNZI_PASSPHRASE", "correct")
        .assert()
        .success();
    place
}

#[test]
fn an_empty_passphrase_is_an_error_and_never_a_plaintext_key() {
    let place = place_with_encrypted_key();
    place.write("empty", "");
    place.write("line", "\r\nsecond line\n");
    for arguments in [
        "key new --out new.pem --bits 2048",
        "key new --out new.pem --bits 2048 --encrypt",
        "key show secret.pem",
        "sign -k secret.pem key.pem",
        "verify -k secret.pem key.pem",
    ] {
        let mut command = place.run(arguments);
        let error = error_line(command.env("SUNZI_PASSPHRASE", ""), 2);
        assert!(
            error.contains("SUNZI_PASSPHRASE is set, but empty"),
            "{error}"
        );
        for file in ["empty", "line"] {
            let with_file = format!("{arguments} --passphrase-file {file}");
            let error = error_line(&mut place.run(&with_file), 2);
            assert!(error.contains("first line is empty"), "{error}");
        }
    }
    assert!(!place.at("new.pem").exists());
    // A key that is not encrypted needs none.
    let mut command = place.run("key show key.pem");
    command.env("SUNZI_PASSPHRASE", "").assert().success();
}

#[test]
fn a_passphrase_may_come_from_a_pipe() {
    if !cfg!(unix) {
        println!("SKIPPED: there is no /dev/stdin here");
        return;
    }
    let place = place_with_encrypted_key();
    place
        .run("key new --out piped.pem --bits 1024 --force-1024 --passphrase-file /dev/stdin")
        .write_stdin("from a pipe\n")
        .assert()
        .success();
    place
        .run("key show piped.pem")
        .env("SUNZI_PASSPHRASE", "from a pipe")
        .assert()
        .success();
    place
        .run(&format!("{OPEN} /dev/stdin"))
        .write_stdin("correct\n")
        .assert()
        .success();
    // And so may the key.
    place
        .run("key show /dev/stdin")
        .write_stdin(small_key().private.as_str())
        .assert()
        .success()
        .stderr(is_empty());
}

/// Of a passphrase one line is read: whoever writes it may keep the pipe open.
#[cfg(unix)]
#[test]
fn a_pipe_that_stays_open_does_not_stop_the_run() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let place = place_with_encrypted_key();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("sunzi"))
        .args(format!("{OPEN} /dev/stdin").split_whitespace())
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"correct\n").unwrap();
    let deadline = Instant::now() + Duration::from_mins(2);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("it waits for the end of the pipe");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success(), "{status}");
}

#[test]
fn a_passphrase_of_any_permitted_length() {
    let place = Place::with(small_key());
    place.write("longest", format!("{}\r\n", "x".repeat(4096)));
    place.write("longer", "x".repeat(4097));
    let new = "key new --out new.pem --bits 1024 --force-1024 --passphrase-file";
    let error = error_line(&mut place.run(&format!("{new} longer")), 2);
    assert!(error.contains("more than 4096 bytes"), "{error}");
    place.run(&format!("{new} longest")).assert().success();
    place
        .run("key show new.pem")
        .env("SUNZI_PASSPHRASE", "x".repeat(4096))
        .assert()
        .success();
}

#[test]
fn two_spellings_of_one_file_are_not_two_files() {
    let place = Place::with(small_key());
    std::fs::create_dir(place.at("folder")).unwrap();
    let absolute = place.at("new.pem").display().to_string();
    for public in ["new.pem", "./new.pem", "folder/../new.pem", &absolute] {
        for force in ["", "--force"] {
            let new = format!("key new --bits 2048 --out new.pem --public {public} {force}");
            let error = error_line(&mut place.run(&new), 2);
            assert!(
                error.contains("--out and --public name the same file"),
                "{public}: {error}"
            );
            assert!(!place.at("new.pem").exists());
        }
    }
}

#[cfg(unix)]
#[test]
fn two_links_to_one_file_are_not_two_files() {
    use std::os::unix::fs::symlink;
    let place = Place::with(small_key());
    let before = place.read("key.pem");
    std::fs::create_dir(place.at("folder")).unwrap();
    symlink("folder", place.at("other")).unwrap();
    symlink("key.pem", place.at("soft.pem")).unwrap();
    std::fs::hard_link(place.at("key.pem"), place.at("hard.pem")).unwrap();
    for (private, public) in [
        ("folder/new.pem", "other/new.pem"),
        ("key.pem", "soft.pem"),
        ("soft.pem", "key.pem"),
        ("key.pem", "hard.pem"),
    ] {
        let new = format!("key new --bits 2048 --out {private} --public {public} --force");
        let error = error_line(&mut place.run(&new), 2);
        assert!(
            error.contains("--out and --public name the same file"),
            "{public}: {error}"
        );
    }
    assert_eq!(place.read("key.pem"), before);
    assert!(place.names("folder", "").is_empty());

    // A link to what is not there yet: it is when the private key is written.
    symlink("new.pem", place.at("dangling.pem")).unwrap();
    let new = "key new --bits 2048 --out new.pem --public dangling.pem --force";
    let error = error_line(&mut place.run(new), 2);
    assert!(
        error.contains("names the private key") && error.contains("the private key is in new.pem"),
        "{error}"
    );
    place
        .run("key show new.pem")
        .assert()
        .success()
        .stdout(contains("RSA private key"));
}

#[cfg(unix)]
#[test]
fn a_private_key_that_others_can_read_gives_one_warning() {
    let place = place_with_encrypted_key();
    place.write("message", "text");
    let run = |arguments: &str, key: &str, mode, warns: bool| {
        place.set_mode(key, mode);
        let mut command = place.run(arguments);
        let output = command
            .env("SUNZI_PASSPHRASE", "correct")
            .assert()
            .success();
        let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        let warnings = said.lines().filter(|line| line.contains("warning"));
        assert_eq!(warnings.count(), usize::from(warns), "{mode:o}: {said}");
        if warns {
            let expected = format!(
                "warning: {key}: other users can read this private key (mode {mode:04o}): `chmod \
                 600 {key}` makes it yours only"
            );
            assert!(said.contains(&expected), "{said}");
        }
    };
    for (mode, warns) in [
        (0o600, false),
        (0o400, false),
        (0o711, false),
        (0o640, true),
        (0o604, true),
        (0o644, true),
    ] {
        run("key show key.pem", "key.pem", mode, warns);
        run("key show secret.pem", "secret.pem", mode, warns);
    }
    let sign = "sign -k key.pem --force-1024 message";
    run(sign, "key.pem", 0o644, true);
    run("verify -k key.pem message", "key.pem", 0o644, true);
    let encrypt = "encrypt -k key.pem --force-1024 message";
    run(encrypt, "key.pem", 0o644, true);
    let decrypt = "decrypt -k key.pem --force-1024 --out out message.enc";
    run(decrypt, "key.pem", 0o644, true);
    run("verify -k public.pem message", "public.pem", 0o644, false);
}

/// After the private and the public key have got their names, their folders are flushed to the disk:
/// seen in the system calls.
#[cfg(target_os = "linux")]
#[test]
fn the_folders_of_new_keys_are_flushed_to_the_disk() {
    let place = Place::with(small_key());
    std::fs::create_dir(place.at("folder")).unwrap();
    let calls = "-f -y -e trace=fsync,rename,renameat,renameat2,link,linkat -o calls";
    let new = "key new --bits 2048 --out folder/new.pem --public public.new.pem";
    let traced = std::process::Command::new("strace")
        .args(calls.split_whitespace())
        .arg(assert_cmd::cargo::cargo_bin("sunzi"))
        .args(new.split_whitespace())
        .env_remove("SUNZI_PASSPHRASE")
        .current_dir(place.path())
        .output();
    if !traced.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: there is no strace, or it may not trace here");
        return;
    }
    let calls = String::from_utf8(place.read("calls")).unwrap();
    let folder = place.path().canonicalize().unwrap();
    for (key, folder) in [
        ("new.pem", folder.join("folder")),
        ("public.new.pem", folder),
    ] {
        let named = format!("{key}\"");
        let flushed = format!("<{}>)=0", folder.display());
        let mut after = calls.lines().skip_while(|line| !line.contains(&named));
        assert!(after.next().is_some(), "{key} gets no name: {calls}");
        assert!(
            after.any(|line| line.contains("fsync(") && line.replace(' ', "").contains(&flushed)),
            "{key}: {calls}"
        );
    }
}
