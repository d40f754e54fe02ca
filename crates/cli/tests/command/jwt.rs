//! Tests of `sunzi jwt`: there and back, verdicts in order, and exit codes.

use crate::place::{Place, error_line, json_lines, small_key};
use predicates::prelude::*;
use predicates::str::contains;

/// A folder with a set of two keys, the private one and the public one.
fn with_keys() -> Place {
    let place = Place::with(small_key());
    for (name, curve) in [("a", "P-256"), ("b", "Ed25519")] {
        let private = format!("key new --curve {curve} --format jwk --out {name}.json");
        place.run(&private).assert().success();
        let public =
            format!("key convert {name}.json --public --format jwk --out {name}-public.json");
        place.run(&public).assert().success();
    }
    let member = |name: &str, kid: &str| {
        let jwk = String::from_utf8(place.read(&format!("{name}.json"))).unwrap();
        jwk.trim()
            .replacen('{', &format!("{{\"kid\":\"{kid}\","), 1)
    };
    let set =
        |a: &str, b: &str| format!("{{\"keys\":[{},{}]}}", member(a, "one"), member(b, "two"));
    place.write("private.json", set("a", "b"));
    place.write("set.json", set("a-public", "b-public"));
    place
}

#[test]
fn tokens_there_and_back() {
    let place = with_keys();
    place.write("claims", "{\"sub\":\"a\",\n\n{\"sub\":\"b\", \"exp\": 2000}\n[]\n{\"sub\":\"c\",\"sub\":\"d\"}\n{}\n");
    let signed = place
        .run("jwt sign --keys private.json --kid two claims")
        .assert()
        .code(1)
        .stderr(
            contains("line 1: the claims are no JSON object").and(contains(
                "line 5: the claims are no JSON object (a member occurs twice",
            )),
        );
    let tokens = String::from_utf8(signed.get_output().stdout.clone()).unwrap();
    let tokens: Vec<&str> = tokens.split('\n').collect();
    assert_eq!(tokens.len(), 6);
    assert!(tokens[0].is_empty() && tokens[2].is_empty() && tokens[3].is_empty());
    let b = tokens[1];
    place.write("tokens", format!("{b}\r\n{}\n{b}=\n \n{b}\n", tokens[4]));
    let lines = json_lines(
        &mut place.run("jwt verify --keys set.json --json --now 1999 tokens"),
        1,
    );
    assert_eq!(
        lines[0].to_string(),
        r#"{"claims":{"exp":2000,"sub":"b"},"line":1,"reason":null,"valid":true}"#
    );
    assert_eq!(lines[1]["claims"].to_string(), "{}");
    assert_eq!(lines[2]["valid"], false);
    assert_eq!(
        lines[2]["reason"],
        "its signature is not base64url without padding"
    );
    assert_eq!(lines[2]["claims"], serde_json::Value::Null);
    assert_eq!(
        (&lines[3]["line"], &lines[3]["valid"]),
        (&5.into(), &true.into())
    );
    place
        .run("jwt verify --keys set.json --now 2000 tokens")
        .assert()
        .code(1)
        .stdout("invalid: it expired 0 seconds ago\nvalid\ninvalid: its signature is not base64url without padding\ninvalid: it expired 0 seconds ago\n");
    place.write("right", format!("{b}\n"));
    place
        .run("jwt verify --key b-public.json --now 5 right")
        .assert()
        .code(0)
        .stdout("valid\n");
    place
        .run("jwt verify --key a-public.json --now 5 right")
        .assert()
        .code(1);
    let lines = json_lines(
        &mut place.run("jwt verify --key b.json --any-payload --json right"),
        0,
    );
    assert_eq!(lines[0]["payload"], "eyJzdWIiOiJiIiwgImV4cCI6IDIwMDB9");
}

#[test]
fn lifetimes_and_rules() {
    let place = with_keys();
    place.write("claims", "{\"aud\":\"us\",\"iss\":\"we\"}\n");
    let signed = place.run("jwt sign --key a.json --lifetime 60 --now 1000 --json claims");
    let lines = json_lines(&mut { signed }, 0);
    place.write("tokens", lines[0]["token"].as_str().unwrap());
    let verdict = |options: &str| {
        let mut command = place.run(&format!("jwt verify --key a-public.json {options} tokens"));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert_eq!(verdict("--now 1059 --audience us --issuer we"), "valid\n");
    assert!(verdict("--now 1060 --any-audience").contains("expired"));
    assert_eq!(verdict("--now 1060 --leeway 1 --any-audience"), "valid\n");
    assert!(verdict("--now 1000").contains("no audience was named"));
    assert!(verdict("--now 1000 --audience them").contains("its aud"));
    assert!(verdict("--now 1000 --audience us --issuer you").contains("its iss"));
    assert!(verdict("--now 1000 --audience us --require jti").contains("no claim \"jti\""));
    assert!(verdict("--now 1000 --audience us --typ at+jwt").contains("its typ"));
    assert!(
        verdict("--now 1000 --audience us --algorithm EdDSA").contains("not among those permitted")
    );
}

#[test]
fn wrong_keys_and_inputs() {
    let place = with_keys();
    place.write("empty", "\n");
    place.write("token", "a.b.c\n");
    place.write("wrong.json", "{\"keys\":[],\"keys\":[]}");
    place.write("none.json", "{\"keys\":[]}");
    let usage = place.run("jwt verify token").assert().code(2);
    usage.stderr(contains("--keys"));
    for (command, words) in [
        ("jwt verify --keys missing.json token", "missing.json: "),
        (
            "jwt verify --keys wrong.json token",
            "a member occurs twice",
        ),
        ("jwt verify --keys none.json token", "it has no keys"),
        ("jwt verify --keys key.pem token", "no set of JSON Web Keys"),
        ("jwt verify --key set.json token", "it has 2 keys"),
        ("jwt verify --key key.pem token", "RFC 7518 asks for 2048"),
        ("jwt verify --keys set.json empty", "nothing to verify"),
        ("jwt sign --key set.json token", "it has 2 keys"),
        ("jwt sign --key set.json --kid one token", "public key"),
        (
            "jwt sign --key private.json --kid three token",
            "no key has the kid",
        ),
        (
            "jwt sign --key a.json --algorithm RS256 token",
            "not one of this key",
        ),
        ("jwt sign --key a.json empty", "nothing to sign"),
    ] {
        let error = error_line(&mut place.run(command), 2);
        assert!(error.contains(words), "{command}: {error}");
    }
}
