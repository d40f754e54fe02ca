use crate::place::{Place, error_line, json_lines, small_key};
use predicates::str::contains;

/// A folder with four signed files.
fn signed() -> Place {
    let place = Place::with(small_key());
    place.fill(4);
    place
        .run("sign -k key.pem --force-1024 files")
        .assert()
        .success();
    place
}

#[test]
fn valid_signatures_are_accepted_by_public_and_private_key() {
    let place = signed();
    place
        .run("verify -k public.pem files")
        .assert()
        .code(0)
        .stderr(contains("4 files verified"));
    place
        .run("verify -k key.pem files/0001 files/0002")
        .assert()
        .code(0);
}

#[test]
fn each_invalid_signature_is_reported_and_the_others_verified() {
    let place = signed();
    let mut wrong = place.read("files/0000.sig");
    wrong[5] ^= 1;
    place.write("files/0000.sig", wrong);
    let mut short = place.read("files/0001.sig");
    short.pop();
    place.write("files/0001.sig", short);
    std::fs::remove_file(place.at("files/0002.sig")).unwrap();
    let output = place
        .run("verify -k public.pem files")
        .assert()
        .code(1)
        .get_output()
        .clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("files/0000: the signature does not match"),
        "{said}"
    );
    assert!(said.contains("files/0001.sig has 127 bytes: a signature by this key has 128"));
    assert!(
        said.contains("files/0002: there is no signature files/0002.sig"),
        "{said}"
    );
    assert!(
        said.contains("1 file verified") && said.contains("3 failed"),
        "{said}"
    );
}

#[test]
fn another_scheme_hash_key_or_message_is_refused() {
    let place = signed();
    place
        .run("verify -k public.pem files --scheme pss")
        .assert()
        .code(1);
    place
        .run("verify -k public.pem files --hash sha384")
        .assert()
        .code(1);
    place
        .run("key new --out other.pem --bits 1024 --force-1024")
        .assert()
        .success();
    place.run("verify -k other.pem files").assert().code(1);
    place.write("files/0003", "changed");
    let events = json_lines(&mut place.run("verify -k public.pem files/0003 --json"), 1);
    assert_eq!(events[0]["event"], "failed");
    assert_eq!(events[1]["event"], "summary");
    assert_eq!(events[1]["failed"], 1);
}

#[test]
fn what_a_folder_has_besides_files_and_their_signatures_is_named() {
    let place = signed();
    place.write("files/payload.sig", "no signature of anything");
    place.write("files/0001.sig.sig", "a signature of a signature");
    place.write("files/.sunzi-abc123.sig.tmp", "x");
    #[cfg(unix)]
    std::os::unix::fs::symlink(place.path(), place.at("files/link")).unwrap();
    let links = usize::from(cfg!(unix));
    let events = json_lines(&mut place.run("verify -k public.pem files --json"), 0);
    let left_out = |name: &str| {
        let is_left_out = |event: &&serde_json::Value| {
            event["event"] == "left_out" && event["file"] == format!("files/{name}")
        };
        let event = events.iter().find(is_left_out).unwrap();
        event["reason"].as_str().unwrap()
    };
    assert!(left_out("payload.sig").contains("no file files/payload"));
    assert!(left_out("0001.sig.sig").contains("named .sig"));
    assert!(left_out(".sunzi-abc123.sig.tmp").contains("temporary"));
    if cfg!(unix) {
        assert!(left_out("link").contains("not followed"));
    }
    let summary = events.last().unwrap();
    assert_eq!(
        (&summary["done"], &summary["left_out"]),
        (&4.into(), &(3 + links).into())
    );
    assert_eq!(events.len(), 4 + 3 + links + 1);
    place
        .run("verify -k public.pem files")
        .assert()
        .success()
        .stderr(contains("files/payload.sig: left out: "))
        .stderr(contains(format!("{} left out", 3 + links)));
    // Signatures elsewhere leave out those in the folder.
    place
        .run("sign -k key.pem --force-1024 files --out out")
        .assert()
        .success();
    let elsewhere = "verify -k public.pem files --signatures out --json";
    let events = json_lines(&mut place.run(elsewhere), 0);
    assert_eq!(events.last().unwrap()["left_out"], 4 + 3 + links);
}

/// Standard error of a run that ends with this exit code.
fn said(place: &Place, arguments: &str, code: i32) -> String {
    let output = place
        .run(arguments)
        .assert()
        .code(code)
        .get_output()
        .clone();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn many_files_left_out_or_existing_are_counted_and_not_named() {
    let place = Place::with(small_key());
    place.fill(40);
    let sign = "sign -k key.pem --force-1024 files";
    place.run(sign).assert().success();
    let again = said(&place, sign, 1);
    assert_eq!(again.lines().count(), 5 + 1 + 1, "{again}");
    assert!(
        again.contains("sunzi: 35 more have results already: --resume"),
        "{again}"
    );
    assert!(again.contains("; 40 failed"), "{again}");
    // All of them are named there.
    let events = json_lines(&mut place.run(&format!("{sign} --json")), 1);
    assert_eq!(events.len(), 41);
    assert!(events[..40].iter().all(|event| {
        event["event"] == "failed" && event["error"].as_str().unwrap().contains("exists")
    }));

    place.run(&format!("{sign} --out out")).assert().success();
    let verify = "verify -k public.pem files --signatures out";
    let verified = said(&place, verify, 0);
    assert_eq!(verified.lines().count(), 5 + 1 + 1, "{verified}");
    assert!(
        verified.contains("sunzi: 35 more left out: --json names all"),
        "{verified}"
    );
    assert!(verified.contains("; 40 left out"), "{verified}");
}

#[test]
fn a_quiet_run_names_only_what_failed() {
    let place = Place::with(small_key());
    place.fill(10);
    let sign = "sign -q -k key.pem --force-1024 files";
    assert_eq!(said(&place, sign, 0), "");
    assert_eq!(said(&place, &format!("{sign} --out out"), 0), "");
    let elsewhere = "verify --quiet -k public.pem files --signatures out";
    assert_eq!(said(&place, elsewhere, 0), "");
    assert_eq!(said(&place, sign, 1).lines().count(), 5 + 1);
    place.write("files/0003", "changed");
    place.write("files/0004.sig", "short");
    let verified = said(&place, "verify -q -k public.pem files", 1);
    assert_eq!(verified.lines().count(), 2, "{verified}");
    // A wrong signature that --resume makes again is no failure.
    assert_eq!(said(&place, &format!("{sign} --resume"), 0), "");
    // What goes to standard output goes there.
    let events = json_lines(&mut place.run("verify -q -k public.pem files --json"), 0);
    assert_eq!(events.last().unwrap()["done"], 10);
    let error = said(&place, "verify -q -k public.pem missing", 1);
    assert!(error.contains("missing"), "{error}");
}

#[test]
fn an_empty_batch_is_an_error() {
    let place = Place::with(small_key());
    std::fs::create_dir(place.at("empty")).unwrap();
    let error = error_line(&mut place.run("verify -k public.pem empty"), 2);
    assert!(error.contains("nothing to verify"), "{error}");
    let error = error_line(place.run("verify -k public.pem -").write_stdin(""), 2);
    assert!(error.contains("standard input is empty"), "{error}");
}

#[test]
fn streams_of_signed_messages() {
    let place = Place::with(small_key());
    let messages = "{\"message\":\"one\"}\n{\"message\":\"two\"}\n";
    let signed = json_lines(
        place
            .run("sign -k key.pem --force-1024 -")
            .write_stdin(messages),
        0,
    );
    let [one, two] = [0, 1].map(|i| signed[i]["signature"].as_str().unwrap());
    let input = format!(
        "{{\"message\":\"one\",\"signature\":\"{one}\",\"id\":\"a\"}}\n\
         {{\"message\":\"one\",\"signature\":\"{two}\"}}\n\
         {{\"message\":\"two\",\"signature\":\"AAAA\"}}\n\
         {{\"message\":\"two\"}}\n\
         {{\"message_hex\":\"74776f\",\"signature\":\"{two}\"}}\n"
    );
    let verdicts = json_lines(place.run("verify -k public.pem -").write_stdin(input), 1);
    let valid: Vec<_> = verdicts
        .iter()
        .map(|v| v["valid"].as_bool().unwrap())
        .collect();
    assert_eq!(valid, [true, false, false, false, true]);
    assert_eq!(verdicts[0]["id"], "a");
    assert!(verdicts[2]["error"].as_str().unwrap().contains("3 bytes"));
    assert!(
        verdicts[3]["error"]
            .as_str()
            .unwrap()
            .contains("no field signature")
    );
}

/// Signatures of a stream by the keys of a folder, named by their files.
#[test]
fn keys_of_a_folder() {
    let place = Place::with(small_key());
    for name in ["a", "b"] {
        let new = format!("key new --curve Ed25519 --out {name}.pem --public keys/{name}.pem");
        place.write("keys/.hidden.pem", "");
        place.run(&new).assert().success();
    }
    place.write("keys/two.pem", place.read("keys/a.pem"));
    place.write("keys/two.pub", place.read("keys/a.pem"));
    place.write("keys/broken.pem", "no key");
    let sign = |key: &str, text: &str| {
        let mut command = place.run(&format!("sign -k {key}.pem -"));
        let line = json_lines(
            command.write_stdin(format!("{{\"message\":\"{text}\"}}\n")),
            0,
        );
        line[0]["signature"].as_str().unwrap().to_owned()
    };
    let (a, b) = (sign("a", "x"), sign("b", "x"));
    let kids = [
        ("a", &a),
        ("b", &b),
        ("a", &b),
        ("c", &a),
        ("two", &a),
        ("broken", &a),
        ("../keys/a", &a),
        (".hidden", &a),
    ];
    let line = |(kid, signature): &(&str, &String)| {
        format!("{{\"kid\":\"{kid}\",\"message\":\"x\",\"signature\":\"{signature}\"}}\n")
    };
    let input: String = kids.iter().map(line).collect();
    let lines = json_lines(place.run("verify --keys keys -").write_stdin(input), 1);
    let valid: Vec<_> = lines
        .iter()
        .map(|line| line["valid"].as_bool().unwrap())
        .collect();
    assert_eq!(
        valid,
        [true, true, false, false, false, false, false, false]
    );
    for (k, words) in [
        (3, "no key has this kid"),
        (4, "several files"),
        (5, "broken.pem"),
        (6, "no key has this kid"),
    ] {
        assert!(
            lines[k]["error"].as_str().unwrap().contains(words),
            "{}",
            lines[k]
        );
    }
    std::fs::create_dir(place.at("empty")).unwrap();
    let mut command = place.run("verify --keys empty -");
    let error = error_line(command.write_stdin("{}"), 2);
    assert!(error.contains("it has no files"), "{error}");
}

/// A signature whose key and R are the point of order 2, by each rule for Ed25519.
#[test]
fn rules_for_ed25519() {
    let place = Place::with(small_key());
    let point = [&[0xec][..], &[0xff; 30], &[0x7f]].concat();
    let spki = [
        &[
            0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
        ][..],
        &point,
    ]
    .concat();
    place.write("point.der", spki);
    for k in 0..16 {
        place.write(&format!("files/{k}"), format!("{k}"));
        place.write(&format!("files/{k}.sig"), [&point[..], &[0; 32]].concat());
    }
    let accepted = |options: &str| {
        let mut command = place.run(&format!("verify -k point.der files --json {options}"));
        let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
        output.matches("\"event\":\"verified\"").count()
    };
    assert_eq!(accepted("--ed25519-rule zip215"), 16);
    assert_eq!(accepted("--ed25519-rule cofactored"), 16);
    assert_eq!(accepted("--ed25519-rule dalek-strict"), 0);
    let usual = accepted("");
    assert!(0 < usual && usual < 16, "{usual}");
    assert_eq!(accepted("--ed25519-rule rfc8032"), usual);
    let error = error_line(
        &mut place.run("verify -k public.pem files --ed25519-rule zip215"),
        2,
    );
    assert!(error.contains("for keys of Ed25519"), "{error}");
    place
        .run("verify -k point.der files --ed25519-rule zip-215")
        .assert()
        .code(2)
        .stderr(contains("is no rule"));
}
