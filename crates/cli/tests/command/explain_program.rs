//! `sunzi explain program`, forced layouts, and measured times.

use crate::place::{error_line, json_lines, sunzi};

#[test]
fn the_programs_of_a_private_operation() {
    let output = sunzi()
        .args([
            "--backend",
            "portable",
            "explain",
            "program",
            "rsa2048-private",
        ])
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for part in [
        "program rsa-private-prime, for moduli of up to 1024 bits",
        "program rsa-private-modulus, for moduli of up to 2048 bits",
        "scalar  e0 exponent: 1024 bits, secret",
        " ^ 2 ^ 16",
        "y0 := output",
        "f0 := is zero",
        "us predicted for a group",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
}

#[test]
fn programs_as_json() {
    for (name, programs) in [
        ("rsa3072-private", 2),
        ("rsa2048-verify", 1),
        ("modexp1024", 1),
        ("fixed-base512", 1),
        ("multi-power256x20", 1),
    ] {
        let rows = json_lines(sunzi().args(["explain", "program", name, "--json"]), 0);
        assert_eq!(rows.len(), programs, "{name}");
        for row in rows {
            assert!(row["products"].as_u64().unwrap() > 10, "{name}");
            assert!(row["text"].as_str().unwrap().contains("counts"), "{name}");
            assert!(
                row["predictions"][0]["us"].as_f64().unwrap() > 0.0,
                "{name}"
            );
        }
    }
}

/// The calls of formulas, and their bodies, in the programs of curves.
#[test]
fn programs_of_curves() {
    for (name, program, call) in [
        ("P-256-verify", "ecdsa-verify", "Jacobian doubling, a = -3"),
        (
            "P-256-sign",
            "ec-base-multiples",
            "Jacobian addition of Z = 1",
        ),
        ("P-384-agree", "ec-multiples", "Jacobian doubling, a = -3"),
        (
            "BIP340-verify",
            "schnorr-verify",
            "Jacobian addition of Z = 1",
        ),
        (
            "Ed25519-verify",
            "edwards-equation",
            "Edwards doubling with T, a = -1",
        ),
        ("X25519-agree", "xdh", "ladder step, (A - 2)/4 = 121665"),
    ] {
        let arguments = ["explain", "program", name, "--json"];
        let rows = json_lines(sunzi().args(arguments), 0);
        let row = rows.iter().find(|row| row["program"] == program);
        let row = row.unwrap_or_else(|| panic!("{name}: no program {program}"));
        let calls = row["formulas"].as_array().unwrap();
        let found = calls.iter().find(|one| one[0] == call);
        let count = found.unwrap_or_else(|| panic!("{name}: {calls:?}"))[1]
            .as_u64()
            .unwrap();
        let text = row["text"].as_str().unwrap();
        let names = format!("{call}, from ");
        let lines: Vec<_> = text.lines().filter(|text| text.contains(&names)).collect();
        // A formula that is applied several times in a row is one line, with their number before it.
        let times = lines.iter().map(|line| {
            let (_, times) = line.split_once(" are ").unwrap();
            let times = times.split_once(" x ").map(|(times, _)| times);
            times.map_or(1, |times| times.parse::<u64>().unwrap())
        });
        assert_eq!(times.sum::<u64>(), count, "{name}");
        // Such as "      7..23 are Edwards doubling, a = -1, from r1 r2 r3 to r4 r5 r6".
        let first = lines[0].trim().split("..").next().unwrap();
        assert!(text.contains(&format!("\n{first} ")), "{name}: {first}");
    }
}

#[test]
fn names_of_no_program_are_refused() {
    for name in [
        "rsa",
        "rsa2048",
        "rsa2048-sign",
        "modexp",
        "multi-power256x0",
        "abacus",
        "P-255-verify",
        "X25519-sign",
        "BLS12-381-G1-multiply",
    ] {
        sunzi().args(["explain", "program", name]).assert().code(2);
    }
    let error = error_line(sunzi().args(["explain", "program", "modexp20000"]), 2);
    assert!(error.contains("20000"), "{error}");
}

#[test]
fn a_layout_can_be_forced() {
    let line =
        r#"{"base":"3","exponent":"0x10001","modulus":"0xf000000000000000000000000000000b"}"#;
    let run = |layout: &str| {
        let rows = sunzi()
            .args(["--backend", layout, "powmod", "-"])
            .write_stdin(line)
            .assert()
            .success();
        rows.get_output().stdout.clone()
    };
    let lanes = run("portable:lanes4");
    assert_eq!(lanes, run("portable:lanes32"));
    assert_eq!(lanes, run("portable"));
    let error = error_line(
        sunzi().args(["--backend", "portable:spread", "backends"]),
        2,
    );
    assert!(error.contains("lanes8"), "{error}");
    let error = error_line(sunzi().args(["--backend", "portable:beads", "backends"]), 2);
    assert!(error.contains("beads"), "{error}");
}

#[test]
fn measured_times_are_stored_and_used() {
    let caches = tempfile::tempdir().unwrap();
    let sunzi = || {
        let mut command = sunzi();
        command.env("XDG_CACHE_HOME", caches.path());
        command
    };
    let measured = ["--backend", "portable", "backends", "--calibrate", "--json"];
    let rows = json_lines(sunzi().args(measured), 0);
    assert!(rows.iter().all(|row| row["ns"].as_f64().unwrap() > 0.0));
    assert!(rows.len() >= 10);
    let file = std::fs::read_dir(caches.path().join("sunzi")).unwrap();
    let file = file.map(|entry| entry.unwrap().path()).next().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let explain = ["--backend", "portable", "backends", "--explain", "1024"];
    sunzi().args(explain).assert().success();
    let measure = [&explain[..], &["--batch", "3", "--measure", "--json"]].concat();
    let plan = &json_lines(sunzi().args(measure), 0)[0];
    let [predicted, measured, ratio] = ["predicted_us", "measured_us", "measured_by_predicted"]
        .map(|name| plan[name].as_f64().unwrap());
    assert!(predicted > 0.0 && measured > 0.0);
    assert!((measured / predicted - ratio).abs() < 1e-6 * ratio);
    assert!(plan["pays"].is_boolean());
    sunzi().args(["backends", "--measure"]).assert().code(2);

    let (processor, _) = text.split_once('\n').unwrap();
    std::fs::write(&file, format!("{processor}\nportable lanes4 a lot\n")).unwrap();
    let error = error_line(sunzi().args(explain), 2);
    assert!(
        error.contains("a lot") && error.contains("--calibrate"),
        "{error}"
    );
    // Another processor's times are left alone.
    std::fs::write(&file, "# an abacus\nportable lanes4 a lot\n").unwrap();
    sunzi().args(explain).assert().success();
}

/// Without stored times the first command measures quickly, and later ones take its times. Where nothing can
/// be stored, built-in times do.
#[test]
fn the_first_command_measures() {
    let caches = tempfile::tempdir().unwrap();
    let explain = |caches: &std::path::Path| {
        let mut command = sunzi();
        command.env("XDG_CACHE_HOME", caches);
        command.args(["backends", "--explain", "1024", "--batch", "64", "--json"]);
        json_lines(&mut command, 0)[0]["predicted_us"].clone()
    };
    let first = explain(caches.path());
    let folder = caches.path().join("sunzi");
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    let name = files[0].as_ref().unwrap().file_name();
    assert_eq!(files.len(), 1);
    assert!(name.to_str().unwrap().starts_with("calibration-3-"));
    assert_eq!(explain(caches.path()), first);

    let file = caches.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(explain(&file), explain(&file));
}
