//! Tests of `sunzi ssh`, and of `sunzi sign` and `sunzi verify` with SSH's signatures.

use crate::place::{Place, error_line, json_lines, small_key, usual_key};
use predicates::prelude::*;
use predicates::str::contains;
use std::process::{Command, Stdio};

/// A folder with the key pair of an authority and a user's key, in OpenSSH's formats.
fn with_keys() -> Place {
    let place = Place::with(small_key());
    for name in ["authority", "user"] {
        let new = format!("key new --curve Ed25519 --format ssh --out {name}");
        place.run(&new).assert().success();
        let public = format!("key convert {name} --public --format ssh --out {name}.pub");
        place.run(&public).assert().success();
    }
    place.write(
        "policy.json",
        r#"{"types":["user"],"principals":["alice","dev-*"],"max_validity":3600,"extensions":["permit-pty"],
            "critical_options":["force-command"]}"#,
    );
    place
}

/// Whether `ssh-keygen` accepts a signature of a file; none where there is no `ssh-keygen`.
fn keygen(place: &Place, arguments: &str, file: &str) -> Option<bool> {
    let file = std::fs::File::open(place.at(file)).unwrap();
    let output = Command::new("ssh-keygen")
        .current_dir(place.path())
        .args(arguments.split_whitespace())
        .stdin(Stdio::from(file))
        .output();
    if output.is_err() {
        println!("SKIPPED: there is no ssh-keygen");
    }
    Some(output.ok()?.status.success())
}

#[test]
fn files_signed_and_verified() {
    let place = with_keys();
    place.fill(30);
    place
        .run("sign --scheme sshsig --key user files")
        .assert()
        .success();
    assert_eq!(place.names("files", ".sig").len(), 30);
    place
        .run("verify --scheme sshsig --key user.pub files")
        .assert()
        .success();
    let user = String::from_utf8(place.read("user.pub")).unwrap();
    place.write(
        "allowed",
        format!("alice@example.org namespaces=\"file\" {user}"),
    );
    place
        .run("verify --allowed-signers allowed files")
        .assert()
        .success();
    let identity = "verify --allowed-signers allowed --identity";
    place
        .run(&format!("{identity} alice@example.org files"))
        .assert()
        .success();
    place
        .run(&format!("{identity} bob files/0003"))
        .assert()
        .code(1)
        .stderr(contains("its key is not one of bob"));
    let verify = "-Y verify -f allowed -I alice@example.org -n file -s";
    for name in ["0000", "0017"] {
        let sig = format!("files/{name}.sig");
        let accepted = keygen(&place, &format!("{verify} {sig}"), &format!("files/{name}"));
        assert!(accepted != Some(false));
    }
    // A changed file is found, and its signature made again.
    place.write("files/0005", "changed");
    let verify = "verify --scheme sshsig --key user.pub --json files";
    let lines = json_lines(&mut place.run(verify), 1);
    let failed = lines.iter().filter(|line| line["event"] == "failed");
    let failed: Vec<_> = failed.map(|line| line["file"].as_str().unwrap()).collect();
    assert_eq!(failed, ["files/0005"]);
    let resume = "sign --scheme sshsig --key user --resume --json files";
    let lines = json_lines(&mut place.run(resume), 0);
    let summary = lines.last().unwrap();
    assert_eq!(
        (&summary["done"], &summary["skipped"]),
        (&1.into(), &29.into())
    );
    place.run(verify).assert().success();

    // Another namespace and hash, and signatures elsewhere.
    let options = "--scheme sshsig --namespace git";
    place
        .run(&format!(
            "sign {options} --hash sha256 --key user --out out files"
        ))
        .assert()
        .success();
    place
        .run(&format!(
            "verify {options} --key user.pub --signatures out files"
        ))
        .assert()
        .success();
    let other = "verify --scheme sshsig --key user.pub --signatures out files/0001";
    place
        .run(other)
        .assert()
        .code(1)
        .stderr(contains("its namespace is \"git\""));
}

#[test]
fn messages_signed_and_verified() {
    let place = Place::with(usual_key());
    let sign = "sign --scheme sshsig --key key.pem -";
    let input = "{\"message\":\"one\"}\n{\"message\":\"two\",\"id\":7}\n";
    let lines = json_lines(place.run(sign).write_stdin(input), 0);
    let signature = |k: usize| lines[k]["signature"].as_str().unwrap();
    assert!(signature(0).starts_with("U1NIU0lH"));
    let line = |text: &str, k| {
        format!(
            "{{\"message\":\"{text}\",\"signature\":\"{}\"}}\n",
            signature(k)
        )
    };
    let input = [
        line("one", 0),
        line("two", 1),
        line("two", 0),
        "{\"message\":\"x\"}\n".into(),
    ];
    let verify = "verify --scheme sshsig --key public.pem -";
    let lines = json_lines(place.run(verify).write_stdin(input.concat()), 1);
    let valid: Vec<_> = lines.iter().map(|line| line["valid"] == true).collect();
    assert_eq!(valid, [true, true, false, false]);
    assert_eq!(lines[2]["error"], "the signature is not valid");
    assert_eq!(lines[3]["error"], "no field signature");
}

#[test]
fn wrong_options() {
    let place = with_keys();
    place.write("file", "file");
    place
        .run("key new --curve secp256k1 --out k1.pem")
        .assert()
        .success();
    place.write("empty", "# nothing\n");
    place.write("wrong", "\nalice ssh-ed25519 AAAA\n");
    for (command, words) in [
        (
            "sign --key user --namespace git file",
            "--namespace is for --scheme sshsig",
        ),
        (
            "sign --key user --scheme sshsig --low-s file",
            "--low-s means nothing for SSHSIG",
        ),
        (
            "sign --key user --scheme sshsig --hash sha384 file",
            "sha256 or sha512",
        ),
        (
            "sign --key k1.pem --scheme sshsig file",
            "OpenSSH has no keys of secp256k1",
        ),
        ("sign --key key.pem --scheme sshsig file", "too weak"),
        (
            "verify --key user.pub --namespace git file",
            "--namespace is for --scheme sshsig",
        ),
        ("verify --keys k --scheme sshsig -", "not --keys"),
        (
            "verify --key user.pub --scheme sshsig --ed25519-rule zip215 file",
            "--ed25519-rule",
        ),
        ("verify --allowed-signers empty file", "it allows no key"),
        ("verify --allowed-signers wrong file", "wrong: line 2: "),
        ("verify --allowed-signers missing file", "missing: "),
        (
            "verify --identity alice --key user.pub file",
            "--identity is for --allowed-signers",
        ),
        (
            "verify --allowed-signers empty --scheme eddsa file",
            "--allowed-signers is for",
        ),
    ] {
        let error = error_line(&mut place.run(command), 2);
        assert!(error.contains(words), "{command}: {error}");
    }
    place
        .run("verify --allowed-signers empty --key user.pub file")
        .assert()
        .code(2);
}

fn request(place: &Place, principal: &str, more: &str) -> String {
    let key = String::from_utf8(place.read("user.pub")).unwrap();
    let key = key.trim();
    format!(
        "{{\"key\":\"{key}\",\"key_id\":\"id\",\"principals\":[\"{principal}\"],\"lifetime\":60{more}}}\n"
    )
}

#[test]
fn certificates_issued_and_checked() {
    let place = with_keys();
    let requests = [
        request(&place, "alice", ",\"serial\":1"),
        request(&place, "root", ""),
        String::from("\n"),
        request(
            &place,
            "dev-1",
            ",\"serial\":2,\"extensions\":[\"permit-pty\"]",
        ),
        request(&place, "dev-2", ",\"serial\":1"),
        String::from("[]\n"),
    ];
    place.write("requests", requests.concat());
    let certify = "ssh certify --key authority --policy policy.json --now 1000";
    let issued = place
        .run(&format!("{certify} requests"))
        .assert()
        .code(1)
        .stderr(
            contains("line 2: the policy does not permit the principal \"root\"")
                .and(contains("line 5: line 1 has the serial 1, too"))
                .and(contains("line 6: it is no request")),
        );
    let issued = String::from_utf8(issued.get_output().stdout.clone()).unwrap();
    let lines: Vec<_> = issued.split('\n').collect();
    assert_eq!(lines.len(), 6);
    assert!(lines[1].is_empty() && lines[3].is_empty() && lines[4].is_empty());
    place.write("certificates", format!("{}\n{}\n", lines[0], lines[2]));
    let check = "ssh check --key authority.pub --now";
    place
        .run(&format!("{check} 1059 certificates"))
        .assert()
        .code(0)
        .stdout("valid\nvalid\n");
    place
        .run(&format!("{check} 1060 --json certificates"))
        .assert()
        .code(1)
        .stdout(contains("{\"line\":1,\"valid\":false,\"reason\":\"it is valid no more\",\"key_id\":\"id\",\"serial\":1,\"type\":\"user\",\"principals\":[\"alice\"]}"));
    let alice = format!("{check} 1000 --type user --principal alice certificates");
    place
        .run(&alice)
        .assert()
        .code(1)
        .stdout("valid\ninvalid: it is not for \"alice\"\n");
    place.write("others", format!("x\n{}", lines[0]));
    let by_user = "ssh check --key user.pub --now 1000 others";
    place.run(by_user).assert().code(1).stdout(
        contains("invalid: it is no line with a certificate").and(contains("by another authority")),
    );
    if let Some(accepted) = keygen(&place, "-L -f certificates", "certificates") {
        assert!(accepted);
    }

    // All or none.
    let all = format!("{certify} --all-or-none --json requests");
    place
        .run(&all)
        .assert()
        .code(1)
        .stdout("")
        .stderr(contains("no certificate was written"));
    place.write("right", [&requests[0][..], &requests[3]].concat());
    let lines = json_lines(
        &mut place.run(&format!("{certify} --all-or-none --json right")),
        0,
    );
    assert_eq!(lines.len(), 2);
    assert!(
        lines[1]["certificate"]
            .as_str()
            .unwrap()
            .starts_with("ssh-ed25519-cert-v01@openssh.com ")
    );
    let lines = json_lines(&mut place.run(&format!("{certify} --json requests")), 1);
    assert_eq!(lines[1]["line"], 2);
    assert!(lines[1]["error"].is_string());
}

#[test]
fn requests_in_csv() {
    let place = with_keys();
    let key = String::from_utf8(place.read("user.pub")).unwrap();
    let key = key.trim();
    place.write(
        "requests.csv",
        format!(
            "key,key_id,principals,serial,lifetime,valid_before,extensions,critical_options\n\
             {key},one,\"alice,dev-1\",7,60,,permit-pty,\"{{\"\"force-command\"\":\"\"date\"\"}}\"\n\
             {key},two,dev-2,,,1060,,\n\
             {key},three,dev-3,x,60,,,\n\
             {key},four,dev-4\n\
             {key},five,root,,60,,,\n"
        ),
    );
    let certify = "ssh certify --key authority --policy policy.json --now 1000 --format csv --json";
    let lines = json_lines(&mut place.run(&format!("{certify} requests.csv")), 1);
    let errors: Vec<_> = lines
        .iter()
        .map(|line| line["error"].as_str().unwrap_or(""))
        .collect();
    assert_eq!(errors[..2], ["", ""]);
    assert_eq!(errors[2], "serial is no number");
    assert!(errors[3].starts_with("3 fields"), "{}", errors[3]);
    assert!(errors[4].contains("\"root\""), "{}", errors[4]);
    assert_eq!(lines[4]["line"], 6);
    let certificate = |k: usize| lines[k]["certificate"].as_str().unwrap().to_owned() + "\n";
    place.write("certificates", certificate(0) + &certificate(1));
    let check = "ssh check --key authority.pub --now 1000 --json certificates";
    let lines = json_lines(&mut place.run(check), 0);
    assert_eq!(lines[0]["principals"].to_string(), r#"["alice","dev-1"]"#);
    assert_eq!(lines[0]["serial"], 7);
}

#[test]
fn wrong_policies_and_keys() {
    let place = with_keys();
    place.write("requests", request(&place, "alice", ""));
    place.write(
        "wrong.json",
        r#"{"types":["user"],"principals":["*"],"max_validity":1,"x":1}"#,
    );
    place.write("nothing", "");
    for (command, words) in [
        (
            "--key authority --policy missing.json requests",
            "missing.json: ",
        ),
        (
            "--key authority --policy wrong.json requests",
            "wrong.json: it is no policy: unknown field `x`",
        ),
        (
            "--key authority.pub --policy policy.json requests",
            "public key",
        ),
        ("--key key.pem --policy policy.json requests", "key.pem: "),
        (
            "--key authority --policy policy.json nothing",
            "nothing to certify",
        ),
    ] {
        let error = error_line(&mut place.run(&format!("ssh certify {command}")), 2);
        assert!(error.contains(words), "{command}: {error}");
    }
}
