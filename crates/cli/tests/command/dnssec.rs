//! Tests of `sunzi dnssec`: zones that others accept, the same signatures as BIND's, defects found, and refusals.
//!
//! BIND's, ldns's and Knot's tools are used where they are installed, and what is not is named as skipped.

use crate::place::{Place, error_line, json_lines, small_key};
use predicates::str::contains;
use std::collections::BTreeSet;
use std::process::Command;

/// The time of the tests: 14 November 2023, 22:13:20 UTC.
const NOW: u32 = 1_700_000_000;

/// The end of the signatures' time, which is as late as ldns can take it: 13 January 2038, 12:53:20 UTC. dnssec-verify knows
/// no time but the present.
const END: u32 = 2_147_000_000;

/// A zone of the script that makes them.
fn zone(names: usize) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/zone.py");
    let made = Command::new("python3")
        .args([script, &names.to_string(), "--large", "60"])
        .output()
        .unwrap();
    assert!(made.status.success());
    String::from_utf8(made.stdout).unwrap()
}

/// A folder with a zone, and with keys of these algorithms, a pair each.
fn with_keys(algorithms: &[&str]) -> Place {
    let place = Place::with(small_key());
    place.write("zone", zone(60));
    std::fs::create_dir(place.path().join("keys")).unwrap();
    for algorithm in algorithms {
        for kind in ["", " --zsk"] {
            let new =
                format!("dnssec key new example. --algorithm {algorithm}{kind} --out keys --now 5");
            place.run(&new).assert().success();
        }
    }
    place
}

/// Runs a tool in the place, if it is installed: whether it succeeded, and what it wrote.
fn tool(place: &Place, command: &str) -> Option<(bool, String)> {
    let mut words = command.split(' ');
    let name = words.next().unwrap();
    let output = Command::new(name)
        .args(words)
        .current_dir(place.path())
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: {name} is not installed");
        return None;
    };
    let text = [output.stdout, output.stderr].concat();
    Some((
        output.status.success(),
        String::from_utf8_lossy(&text).into(),
    ))
}

/// Everyone accepts a signed zone at this time.
fn accepted(place: &Place, file: &str, zone: &str, opt_out: bool) {
    place
        .run(&format!("dnssec verify {file} --now {NOW}"))
        .assert()
        .success()
        .stdout(contains("valid: "));
    let time = "20231114221320";
    let mut tools = vec![
        format!("named-checkzone -i local -q {zone} {file}"),
        format!("dnssec-verify -q -x -o {zone} {file}"),
        format!("kzonecheck -d on -t {NOW} -o {zone} {file}"),
    ];
    // It takes delegations that opt-out leaves out for errors, as its help says.
    if !opt_out {
        tools.push(format!("ldns-verify-zone -t {time} {file}"));
    }
    for command in tools {
        if let Some((success, words)) = tool(place, &command) {
            assert!(success, "{command}: {words}");
        }
    }
}

/// Signs the zone.
fn sign(place: &Place, options: &str) {
    let sign = "dnssec sign zone --origin example. --keys keys --out signed";
    let times = format!("--now {NOW} --inception {} --expiration {END}", NOW - 3600);
    place
        .run(&format!("{sign} {times} {options}"))
        .assert()
        .success();
}

#[test]
fn everyone_accepts_zones_of_every_algorithm() {
    for algorithm in ["8", "RSASHA512", "13", "14", "ED25519", "16"] {
        let place = with_keys(&[algorithm]);
        sign(&place, "-q");
        accepted(&place, "signed", "example.", false);
        sign(&place, "--nsec3 -q");
        accepted(&place, "signed", "example.", false);
    }
}

#[test]
fn nsec3_with_salt_iterations_and_opt_out() {
    let place = with_keys(&["13"]);
    sign(&place, "--nsec3 --salt aabbccdd --iterations 7 -q");
    accepted(&place, "signed", "example.", false);
    sign(&place, "--nsec3 --opt-out -q");
    accepted(&place, "signed", "example.", true);
    let signed = String::from_utf8(place.read("signed")).unwrap();
    assert!(signed.contains("IN NSEC3 1 1 0 - "));
    assert!(signed.contains("IN NSEC3PARAM 1 0 0 -\n"));
}

#[test]
fn two_algorithms_combined_keys_and_other_zones() {
    let place = with_keys(&["13", "15"]);
    sign(&place, "-q");
    accepted(&place, "signed", "example.", false);
    let place = with_keys(&[]);
    let lines = json_lines(
        &mut place.run("dnssec key new example --out keys --now 5 --json"),
        0,
    );
    assert!(
        lines[0]["key"]
            .as_str()
            .unwrap()
            .starts_with("Kexample.+013+")
    );
    assert!(
        lines[0]["ds"]
            .as_str()
            .unwrap()
            .starts_with("example. IN DS ")
    );
    place
        .run("dnssec key new other. --out keys --now 5")
        .assert()
        .success();
    sign(&place, "-q");
    accepted(&place, "signed", "example.", false);
}

/// The signatures of a file, each as its words in one spelling.
fn signatures(place: &Place, file: &str) -> BTreeSet<String> {
    let text = String::from_utf8(place.read(file)).unwrap();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(at) = words.iter().position(|word| *word == "RRSIG")
            && words[at - 1] == "IN"
            && words.len() > at + 9
        {
            let (head, signature) = words.split_at(at + 9);
            // BIND writes hashes as names in capitals.
            found.insert(format!(
                "{} {}",
                head.join(" ").to_lowercase(),
                signature.concat()
            ));
        }
    }
    found
}

#[test]
fn the_same_signatures_as_bind_makes() {
    for (algorithm, nsec3) in [
        ("RSASHA256", false),
        ("RSASHA256", true),
        ("RSASHA512", false),
        ("ED25519", false),
        ("ED25519", true),
        ("ED448", false),
    ] {
        let place = with_keys(&[algorithm]);
        let chain = if nsec3 { "-3 -" } else { "" };
        let command = format!(
            "dnssec-signzone -q -S -x -P -K keys -o example. -O full -s 20231114211320 -e 20380113125320 {chain} -f bind zone"
        );
        let Some((success, words)) = tool(&place, &command.replace("  ", " ")) else {
            return;
        };
        assert!(success, "{words}");
        sign(&place, if nsec3 { "--nsec3 -q" } else { "-q" });
        let (ours, theirs) = (signatures(&place, "signed"), signatures(&place, "bind"));
        assert!(ours.len() > 150, "{}", ours.len());
        let different: Vec<_> = ours.symmetric_difference(&theirs).collect();
        assert!(different.is_empty(), "{algorithm}: {different:#?}");
    }
}

#[test]
fn keys_of_bind_and_in_pem() {
    for algorithm in [
        "RSASHA256",
        "ECDSAP256SHA256",
        "ECDSAP384SHA384",
        "ED25519",
        "ED448",
    ] {
        let place = with_keys(&[]);
        for flags in ["", "-f KSK "] {
            let command = format!("dnssec-keygen -q -K keys -a {algorithm} {flags}example.");
            if tool(&place, &command).is_none() {
                return;
            }
        }
        // Their times are those of today.
        let sign = "dnssec sign zone --origin example. --keys keys --out signed -q";
        place.run(sign).assert().success();
        place.run("dnssec verify signed").assert().success();
    }
    // A key in PEM, whose public half a file of BIND's has.
    let place = with_keys(&["13"]);
    place
        .run("key new --curve P-256 --out other.pem")
        .assert()
        .success();
    let folder = place.path().join("keys");
    let private = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let private = private.filter(|path| path.extension().is_some_and(|ending| ending == "private"));
    let private = private.min().unwrap();
    std::fs::remove_file(&private).unwrap();
    std::fs::copy(
        place.path().join("other.pem"),
        private.with_extension("pem"),
    )
    .unwrap();
    let sign = format!("dnssec sign zone --keys keys --out signed --now {NOW}");
    let error = error_line(&mut place.run(&sign), 2);
    assert!(error.contains("not that of its DNSKEY record"), "{error}");
}

#[test]
fn the_same_zone_twice_and_serial_numbers() {
    let place = with_keys(&["13"]);
    sign(&place, "-q");
    let first = place.read("signed");
    sign(&place, "-q -j 1");
    assert!(first == place.read("signed"));
    for (policy, serial) in [
        ("keep", 2_026_010_100),
        ("increment", 2_026_010_101),
        ("unixtime", 2_026_010_101),
    ] {
        sign(&place, &format!("--serial {policy} -q"));
        let signed = String::from_utf8(place.read("signed")).unwrap();
        let soa = signed.lines().next().unwrap();
        assert!(soa.contains(&format!(" {serial} 7200 ")), "{policy}: {soa}");
        accepted(&place, "signed", "example.", false);
    }
    place.write("zone", zone(60).replace("2026010100", "7"));
    sign(&place, "--serial unixtime -q");
    let signed = String::from_utf8(place.read("signed")).unwrap();
    assert!(
        signed
            .lines()
            .next()
            .unwrap()
            .contains(&format!(" {NOW} 7200 "))
    );
}

#[test]
fn fresh_signatures_are_kept() {
    let place = with_keys(&["13"]);
    let sign = |now: u32, options: &str| {
        let times = format!("--now {now} --inception -3600 --expiration +1000000");
        let command = format!(
            "dnssec sign zone --origin example. --keys keys --out signed {times} --json {options}"
        );
        json_lines(&mut place.run(&command), 0)[0].clone()
    };
    let first = sign(NOW, "");
    assert_eq!(first["kept"], 0);
    let before = place.read("signed");
    let again = sign(NOW + 5, "--resign signed");
    assert_eq!(again["kept"], first["signatures"]);
    assert!(before == place.read("signed"));
    // The TXT records of one name are others now, and so are its signature alone.
    let changed = zone(60).replace("a label with a dot", "another one");
    place.write("zone", changed);
    let third = sign(NOW + 10, "--resign signed");
    let count = first["signatures"].as_u64().unwrap();
    assert_eq!(third["kept"].as_u64().unwrap(), count - 1);
    place
        .run(&format!("dnssec verify signed --now {NOW}"))
        .assert()
        .success();
    // All but one expire within so many seconds.
    let fourth = sign(NOW + 15, "--resign signed --refresh 999990");
    assert_eq!(fourth["kept"], 1);
    let last = sign(NOW + 20, "--resign signed --refresh 999990");
    assert_eq!(last["kept"], count - 1);
}

#[test]
fn interrupted_runs_go_on() {
    let place = with_keys(&["13"]);
    let sign = |options: &str| {
        let times = format!("--now {NOW} --inception -3600 --expiration +1000000");
        format!(
            "dnssec sign zone --origin example. --keys keys --out signed --json {times} {options}"
        )
    };
    let count = |text: &str| text.matches(" IN RRSIG ").count() as u64;
    let first = json_lines(&mut place.run(&sign("--resume")), 0)[0].clone();
    assert_eq!(first["kept"], 0);
    let whole = String::from_utf8(place.read("signed")).unwrap();
    assert!(!place.at("signed.part").exists());
    // The journal of two runs, the second of which was ended in the middle of a line.
    let ends = [4, 2].map(|part| whole[..whole.len() / part].rfind('\n').unwrap() + 1);
    place.write(
        "signed.part",
        [&whole[..ends[0]], &whole[..ends[1] + 20]].concat(),
    );
    std::fs::remove_file(place.at("signed")).unwrap();
    let second = json_lines(&mut place.run(&sign("--resume")), 0)[0].clone();
    assert_eq!(second["kept"], count(&whole[..ends[1]]));
    assert_eq!(second["signatures"], first["signatures"]);
    assert!(whole.as_bytes() == place.read("signed"));
    assert!(!place.at("signed.part").exists());
    // A signature that is not valid is made anew.
    let wrong = whole.replace("RRSIG NS 13 1 3600 2023112", "RRSIG NS 13 1 3600 2023122");
    assert!(wrong != whole);
    place.write("signed.part", wrong);
    let third = json_lines(&mut place.run(&sign("--resume")), 0)[0].clone();
    assert_eq!(third["kept"], count(&whole) - 1);
    assert!(whole.as_bytes() == place.read("signed"));

    place.write("signed.part", "other. 5 IN A 192.0.2.1\n");
    let error = error_line(&mut place.run(&sign("--resume")), 2);
    assert!(error.contains("signed.part: line 1: "), "{error}");
    assert!(
        error.contains("without the file, all is signed anew"),
        "{error}"
    );
    let held = std::fs::File::open(place.at("signed.part")).unwrap();
    held.lock().unwrap();
    let error = error_line(&mut place.run(&sign("--resume")), 2);
    assert!(error.contains("another run writes it"), "{error}");
    drop(held);

    // A zone that is refused leaves no journal behind.
    std::fs::remove_file(place.at("signed.part")).unwrap();
    let more = "example. 3600 IN DNSKEY 257 3 13 AAAA\n";
    place.write("zone", zone(60) + more);
    let error = error_line(&mut place.run(&sign("--resume")), 2);
    assert!(error.contains("the DNSKEY record is refused"), "{error}");
    assert!(!place.at("signed.part").exists());
}

/// The defects that are found in a zone after a change.
fn defects(place: &Place, options: &str, change: impl Fn(&str) -> String) -> Vec<String> {
    let signed = String::from_utf8(place.read("signed")).unwrap();
    place.write("changed", change(&signed));
    let output = place
        .run(&format!("dnssec verify changed --now {NOW} {options}"))
        .assert()
        .code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    assert!(lines.pop().unwrap().starts_with("invalid: "));
    lines
}

/// A file without the lines of which this holds.
fn without(file: &str, drop: impl Fn(&str) -> bool) -> String {
    let lines = file.lines().filter(|line| !drop(line));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn defects_are_found() {
    let place = with_keys(&["13"]);
    sign(&place, "-q");
    let found = |words: &str, change: &dyn Fn(&str) -> String| {
        let lines = defects(&place, "", change);
        assert!(
            lines.iter().any(|line| line.contains(words)),
            "{words}: {lines:#?}"
        );
        lines
    };
    let lines = found("mail.example. A: a signature by key", &|file| {
        file.replace(
            "mail.example. 3600 IN A 192.0.2.25",
            "mail.example. 3600 IN A 192.0.2.26",
        )
    });
    assert!(
        lines
            .iter()
            .any(|line| line.contains("mail.example. A: it has no valid signature"))
    );
    let is_signature = |line: &str| line.starts_with("mail.example. 3600 IN RRSIG A ");
    found("mail.example. A: a signature by key", &|file| {
        let line = file.lines().find(|line| is_signature(line)).unwrap();
        // Its last letter but two.
        let at = line.len() - 4;
        let letter = if line.as_bytes()[at] == b'A' {
            "B"
        } else {
            "A"
        };
        let mut changed = line.to_owned();
        changed.replace_range(at..=at, letter);
        file.replace(line, &changed)
    });
    let lines = found(
        "mail.example. A: it has no valid signature by algorithm 13",
        &|file| without(file, is_signature),
    );
    assert_eq!(lines.len(), 1);
    found("mail.example. NSEC: there is none", &|file| {
        without(file, |line| {
            line.starts_with("mail.example. ") && line.contains("NSEC")
        })
    });
    found(
        "mail.example. A: a signature is of records that are not there",
        &|file| without(file, |line| line.starts_with("mail.example. 3600 IN A ")),
    );
    found("new.example. A: it has no valid signature", &|file| {
        format!("{file}new.example. 3600 IN A 192.0.2.7\n")
    });
    found("NSEC: it does not name the next name", &|file| {
        format!("{file}nex.example. 3600 IN A 192.0.2.7\n")
    });
    found(
        "example. DNSKEY: it has no valid signature by a key-signing key",
        &|file| without(file, |line| line.contains("IN RRSIG DNSKEY")),
    );
    found("example. DNSKEY: the zone has no DNSKEY record", &|file| {
        without(file, |line| line.contains("IN DNSKEY"))
    });
    place
        .run(&format!("dnssec verify signed --now {}", END + 1))
        .assert()
        .code(1)
        .stdout(contains("has expired"));
    place
        .run(&format!("dnssec verify signed --now {}", NOW - 3601))
        .assert()
        .code(1)
        .stdout(contains("is not valid yet"));
    let lines = json_lines(
        &mut place.run(&format!("dnssec verify signed --json --now {}", NOW - 3601)),
        1,
    );
    let (summary, defects) = lines.split_last().unwrap();
    assert_eq!(
        (&summary["valid"], &summary["signatures"]),
        (&false.into(), &0.into())
    );
    assert_eq!(
        (
            &defects[0]["line"],
            &defects[0]["name"],
            &defects[0]["type"]
        ),
        (&2.into(), &"example.".into(), &"SOA".into())
    );
}

#[test]
fn defects_of_nsec3_are_found() {
    let place = with_keys(&["13"]);
    sign(&place, "--nsec3 -q");
    let owner = |file: &str| {
        let mut lines = file.lines();
        let line = lines.find(|line| line.contains(" IN NSEC3 ")).unwrap();
        line.split(' ').next().unwrap().to_owned()
    };
    let lines = defects(&place, "", |file| {
        let owner = owner(file);
        without(file, |line| line.starts_with(&owner))
    });
    assert!(
        lines
            .iter()
            .any(|line| line.contains("NSEC3: there is none")),
        "{lines:?}"
    );
    let lines = defects(&place, "", |file| {
        format!("{file}nex.example. 3600 IN A 192.0.2.7\n")
    });
    assert!(
        lines
            .iter()
            .any(|line| line.contains("nex.example. NSEC3: there is none")),
        "{lines:?}"
    );
    let lines = defects(&place, "", |file| {
        without(file, |line| {
            line.starts_with("mail.example. ") && line.contains(" A ")
        })
    });
    assert!(
        lines
            .iter()
            .any(|line| line.contains("mail.example. NSEC3: it does not name")),
        "{lines:?}"
    );
}

#[test]
fn a_wrong_zone_gets_its_line_and_nothing_is_written() {
    let place = with_keys(&["13"]);
    let right = zone(5);
    let lines = right.lines().count();
    for (more, words) in [
        ("bad.example. IN A 192.0.2.256\n", ""),
        ("bad.example. IN\n", ""),
        ("bad.example. IN A 192.0.2.1 192.0.2.2\n", "trailing"),
        ("bad.example. CH A 192.0.2.1\n", "class"),
        ("bad.test. IN A 192.0.2.1\n", "bad.test. is not in the zone"),
        ("example. IN SOA a. b. 1 2 3 4 5\n", "a second SOA"),
        (
            "ns.example. IN CNAME mail.example.\n",
            "has a CNAME record and others",
        ),
        (
            "moved.example. IN DNAME another.test.\n",
            "two DNAME records",
        ),
        ("ns.example. 5 IN A 192.0.2.54\n", "TTL"),
        ("$INCLUDE more\n", "$INCLUDE"),
        (
            "example. 3600 IN DNSKEY 257 3 13 AAAA\n",
            "the DNSKEY record is refused",
        ),
        ("bad.example. IN MX mail.example.\n", ""),
        ("bad.example. IN TXT \"open\n", ""),
        ("bad.example. IN A ( 192.0.2.1\n", ""),
        ("bad.example. IN A \\# 3 c00002\n", "type A"),
        ("example. IN DNSKEY 256 3 15 AAAA\n", "algorithm 15"),
    ] {
        place.write("zone", format!("{right}{more}"));
        let sign = format!("dnssec sign zone --keys keys --out signed --now {NOW}");
        let error = error_line(&mut place.run(&sign), 2);
        assert!(
            error.contains(&format!("zone: line {}: ", lines + 1)),
            "{more}: {error}"
        );
        assert!(error.contains(words), "{more}: {error}");
        assert!(!place.path().join("signed").exists());
    }
    for (zone, words) in [
        ("", "no records"),
        ("example. 5 IN NS a.\n", "no SOA record"),
        ("example. 5 IN SOA a. b. 1 2 3 4 5\n", "no NS record"),
        ("a 5 IN A 192.0.2.1\n", "origin"),
    ] {
        place.write("zone", zone);
        let sign = format!("dnssec sign zone --keys keys --out signed --now {NOW}");
        let error = error_line(&mut place.run(&sign), 2);
        assert!(error.contains(words), "{zone}: {error}");
    }
    let names: Vec<_> = std::fs::read_dir(place.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains(".sunzi")),
        "{names:?}"
    );
}

#[test]
fn wrong_keys_and_options() {
    let place = with_keys(&["13"]);
    let sign = format!("dnssec sign zone --keys keys --out signed --now {NOW}");
    for (options, words) in [
        ("--inception 5 --expiration 5", "expire before"),
        ("--inception tomorrow", "is no time"),
        ("--nsec3 --salt xy", "not in hexadecimal"),
        ("--resign missing", "missing"),
        ("--origin a..b", "is no name"),
        ("--origin example.test.", "is not in the zone"),
    ] {
        let error = error_line(&mut place.run(&format!("{sign} {options}")), 2);
        assert!(error.contains(words), "{options}: {error}");
    }
    let keys = place.path().join("keys");
    let private: Vec<_> = std::fs::read_dir(&keys)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "private"))
        .collect();
    let content = std::fs::read_to_string(&private[0]).unwrap();
    for (changed, words) in [
        (content.replace("v1.3", "v2.0"), "is not v1"),
        (content.replace("13 (", "15 ("), "not that of its DNSKEY"),
        (content.replace("Algorithm", "Other"), "no Algorithm"),
        (content.replace("PrivateKey", "Other"), "missing"),
        (content.replace("PrivateKey: ", "PrivateKey: =="), "base64"),
        (
            content.replace("Publish: 1970", "Publish: 197"),
            "a time is wrong",
        ),
        (
            std::fs::read_to_string(&private[1]).unwrap(),
            "does not belong to the private key",
        ),
    ] {
        std::fs::write(&private[0], changed).unwrap();
        let error = error_line(&mut place.run(&sign), 2);
        assert!(error.contains(words), "{words}: {error}");
        assert!(!error.contains(&content[75..90]), "{error}");
    }
    // Not active any more.
    for path in &private {
        let content = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, content + "Inactive: 20200101000000\n").unwrap();
    }
    std::fs::write(&private[0], content + "Inactive: 20200101000000\n").unwrap();
    let error = error_line(&mut place.run(&sign), 2);
    assert!(error.contains("no key of example."), "{error}");
    for path in &private {
        std::fs::remove_file(path).unwrap();
    }
    place
        .run(&sign)
        .assert()
        .code(2)
        .stderr(contains("is published only"));
    std::fs::remove_dir_all(&keys).unwrap();
    std::fs::create_dir(&keys).unwrap();
    let error = error_line(&mut place.run(&sign), 2);
    assert!(error.contains("there is no key of example."), "{error}");
}

/// Zones of 10^5 names: takes minutes.
#[test]
#[ignore = "takes minutes"]
fn large_zones() {
    let place = with_keys(&["8"]);
    place.write("zone", zone(100_000));
    sign(&place, "-q");
    accepted(&place, "signed", "example.", false);
    sign(&place, "--nsec3 -q");
    accepted(&place, "signed", "example.", false);
}
