use crate::place::{error_line, json_lines, sunzi};

#[test]
fn exactly_one_backend_is_chosen_and_it_can_run() {
    let rows = json_lines(sunzi().args(["backends", "--json"]), 0);
    let chosen: Vec<_> = rows.iter().filter(|row| row["chosen"] == true).collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["available"], true);
    assert!(
        rows.iter()
            .any(|row| row["backend"] == "portable" && row["available"] == true)
    );
    assert!(
        rows.iter()
            .all(|row| !row["detail"].as_str().unwrap().is_empty())
    );
}

/// `make test` and the continuous integration repeat what is printed here at their end.
#[test]
fn devices_that_cannot_be_tested_here_are_named() {
    for row in json_lines(sunzi().args(["backends", "--json"]), 0) {
        if row["available"] == false {
            println!("SKIPPED: {}", row["detail"].as_str().unwrap());
        }
    }
}

#[test]
fn a_backend_can_be_forced_by_option_and_by_environment() {
    let by_option = json_lines(
        sunzi().args(["--backend", "portable", "backends", "--json"]),
        0,
    );
    let by_variable = json_lines(
        sunzi()
            .env("SUNZI_BACKEND", "portable")
            .args(["backends", "--json"]),
        0,
    );
    for rows in [by_option, by_variable] {
        let portable = rows
            .iter()
            .find(|row| row["backend"] == "portable")
            .unwrap();
        assert_eq!(portable["chosen"], true);
    }
    sunzi()
        .arg("backends")
        .assert()
        .success()
        .stdout(predicates::str::contains("chosen"));
}

#[test]
fn an_impossible_backend_is_an_error_not_a_fallback() {
    for verb in [&["backends"][..], &["powmod"], &["bench"]] {
        let error = error_line(sunzi().args(["--backend", "abacus"]).args(verb), 2);
        assert!(
            error.contains("abacus") && error.contains("portable"),
            "{error}"
        );
    }
    let error = error_line(sunzi().env("SUNZI_BACKEND", "abacus").arg("backends"), 2);
    assert!(error.contains("abacus"), "{error}");
}

/// The name `amx` of the version before, whose matrix tiles are gone.
#[test]
fn an_old_name_is_read_with_a_warning() {
    for name in ["amx", "amx:lanes16", "amx:tiles"] {
        let output = sunzi()
            .args(["--backend", name, "backends"])
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        let warning = "sunzi: warning: the backend amx is now avx512";
        assert!(error.starts_with(warning), "{name}: {error}");
        // Without AVX-512 IFMA, the backend that it stands for cannot run; tiles are in no processor's layouts.
        let lines = if output.status.success() { 1 } else { 2 };
        assert_eq!(error.lines().count(), lines, "{name}: {error}");
    }
}

#[test]
fn instructions_can_be_limited() {
    let available = |limit: &str| -> Vec<String> {
        let rows = json_lines(
            sunzi()
                .env("SUNZI_INSTRUCTIONS", limit)
                .args(["backends", "--json"]),
            0,
        );
        let rows = rows.iter().filter(|row| row["available"] == true);
        rows.map(|row| row["backend"].as_str().unwrap().into())
            .collect()
    };
    assert_eq!(available("baseline"), ["float", "portable", "radix64"]);
    for limit in ["avx2", "avx-ifma", "avx512"] {
        let mut backends = available(limit);
        // On processors that have no such instructions, either.
        backends.retain(|backend| backend != "fused52");
        assert_eq!(backends, ["float", "portable", "radix64"], "{limit}");
    }
    assert_eq!(available(""), available("ifma"));
    let described = json_lines(
        sunzi().args(["backends", "--json", "--instructions", "baseline"]),
        0,
    );
    let plain = |row: &serde_json::Value| row["detail"].to_string().contains("plain Rust");
    assert!(described.iter().any(plain), "{described:?}");
    let error = error_line(sunzi().args(["--instructions", "sse9", "backends"]), 2);
    assert!(
        error.contains("sse9") && error.contains("avx512"),
        "{error}"
    );
    let beyond = ["--instructions", "avx2", "--backend", "avx512", "backends"];
    let error = error_line(sunzi().args(beyond), 2);
    assert!(error.contains("limit"), "{error}");
}

#[test]
fn limbs_are_not_explained_as_primes() {
    let explain = |backend: &str, more: &[&str]| {
        let mut command = sunzi();
        command.args(["--backend", backend, "backends", "--explain", "1024"]);
        command.args(more);
        command
    };
    for (backend, representation, said) in [
        ("radix64", "limbs", "16 limbs of 64 bits\n"),
        ("portable:lanes", "residues", " bits, the widest for which"),
    ] {
        let assert = explain(backend, &[]).assert().success();
        let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        assert!(text.contains(said), "{text}");
        assert!(
            text.contains(&format!("multiplications of {representation};")),
            "{text}"
        );
        let rows = json_lines(&mut explain(backend, &["--json"]), 0);
        assert_eq!(rows[0]["representation"], representation);
        assert_eq!(rows[0]["channels"][1] == 0, representation == "limbs");
    }
}

/// Backends with limbs name the primes whose formulas are compiled, those for single numbers fewer; others have none.
#[test]
fn compiled_primes_are_explained() {
    let explain = |backend: &str, bits: &str| {
        let mut command = sunzi();
        command.args([
            "--backend",
            backend,
            "backends",
            "--explain",
            bits,
            "--json",
        ]);
        command
    };
    for backend in ["radix52:lanes8", "fused52:lanes8"] {
        let output = explain(backend, "384").output().unwrap();
        if output.status.code() == Some(2) {
            println!("SKIPPED: {}", String::from_utf8_lossy(&output.stderr));
            continue;
        }
        let rows = json_lines(&mut explain(backend, "384"), 0);
        let expected = if backend.starts_with("radix52") {
            serde_json::json!(["P-384", "BLS12-381"])
        } else {
            serde_json::json!(["P-384"])
        };
        assert_eq!(rows[0]["compiled_primes"], expected);
        let rows = json_lines(&mut explain(backend, "1024"), 0);
        assert_eq!(rows[0]["compiled_primes"], serde_json::json!([]));
    }
    let single = serde_json::json!(["2^255 - 19", "P-256", "secp256k1"]);
    for (backend, bits, expected) in [
        ("radix64", "256", single),
        ("radix64", "384", serde_json::json!([])),
        ("portable:lanes8", "256", serde_json::json!([])),
    ] {
        let rows = json_lines(&mut explain(backend, bits), 0);
        assert_eq!(rows[0]["compiled_primes"], expected, "{backend} {bits}");
    }
}
