//! Tests of the verbs `completions` and `man`.

use crate::place::{Place, error_line, small_key, sunzi};
use predicates::str::contains;

#[test]
fn completions_and_manual_pages_can_be_found() {
    sunzi()
        .arg("--help")
        .assert()
        .success()
        .stdout(contains("completions"))
        .stdout(contains("man "));
    for (shell, words) in [
        ("bash", "complete -F _sunzi"),
        ("fish", "complete -c sunzi"),
        ("zsh", "#compdef sunzi"),
    ] {
        let printed = sunzi().args(["completions", shell]).assert().success();
        printed.stdout(contains(words)).stdout(contains("powmod"));
    }
    sunzi().arg("completions").assert().code(2);
}

#[test]
fn a_manual_page_of_the_command_and_of_each_verb() {
    for (verb, title) in [
        ("", ".TH sunzi 1"),
        ("sign", ".TH sunzi-sign 1"),
        ("key new", ".TH sunzi-key-new 1"),
    ] {
        let printed = sunzi().arg("man").args(verb.split_whitespace()).assert();
        printed.success().stdout(contains(title));
    }
    for verb in ["shred", "sign files"] {
        let mut command = sunzi();
        let error = error_line(command.arg("man").args(verb.split(' ')), 2);
        assert!(error.contains("--help` lists"), "{error}");
    }
}

#[test]
fn all_manual_pages_are_written() {
    let place = Place::with(small_key());
    place.write("pages/other", "");
    place.run("man --out pages").assert().success();
    for page in ["sunzi", "sunzi-sign", "sunzi-key-new", "sunzi-man"] {
        let text = place.read(&format!("pages/{page}.1"));
        assert!(text.starts_with(b".ie") && text.len() > 500, "{page}");
    }
    let error = error_line(&mut place.run("man --out missing"), 2);
    assert!(error.contains("missing: "), "{error}");
}
