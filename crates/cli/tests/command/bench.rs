use crate::place::{json_lines, sunzi};

#[test]
fn rows_for_every_job_of_a_size() {
    let mut command = sunzi();
    command.args([
        "bench",
        "--bits",
        "2048",
        "--batch",
        "2",
        "--seconds",
        "0.01",
        "--json",
    ]);
    let rows = json_lines(command.args(["--backend", "portable"]), 0);
    let jobs: Vec<_> = rows
        .iter()
        .map(|row| row["job"].as_str().unwrap())
        .collect();
    assert_eq!(jobs, ["rsa2048-private", "rsa2048-verify", "modexp2048"]);
    for row in &rows {
        assert_eq!((&row["threads"], &row["batch"]), (&1.into(), &2.into()));
        assert!(row["ops_per_s"].as_f64().unwrap() > 0.0);
        assert!(row["min_us"].as_f64() <= row["median_us"].as_f64());
        // The peer is there exactly if it was compiled in.
        assert_eq!(row["peer"].is_string(), cfg!(feature = "peers"));
        assert_eq!(row["ratio"].is_number(), cfg!(feature = "peers"));
    }
}

#[test]
fn the_table_says_what_is_measured() {
    let mut command = sunzi();
    command.args([
        "bench",
        "--bits",
        "2048",
        "--batch",
        "1",
        "--seconds",
        "0.01",
    ]);
    let output = command.assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    for word in [
        "processor",
        "portable",
        "peer",
        "batches of 1",
        "rsa2048-private",
        "ratio",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn single_jobs_with_a_key_for_each_operation() {
    let mut command = sunzi();
    let only = "modexp64,rsa2048-verify";
    command.args(["bench", "--only", only, "--keys", "mixed", "--batch", "3"]);
    let rows = json_lines(command.args(["--seconds", "0.01", "--json", "-j", "2"]), 0);
    let here = rows.iter().filter(|row| row["backend"] == "portable");
    let jobs: Vec<_> = here.map(|row| row["job"].as_str().unwrap()).collect();
    assert_eq!(jobs, ["modexp64", "rsa2048-verify"]);
    assert!(rows.iter().all(|row| row["keys"] == "mixed"));
}

#[test]
fn jobs_that_do_not_exist_are_refused() {
    for job in [
        "rsa1024-private",
        "rsa2048",
        "modexp63",
        "modexp16385",
        "ecdsa",
        "modexp",
    ] {
        sunzi().args(["bench", "--only", job]).assert().code(2);
    }
}

#[test]
fn sizes_that_are_not_keys_are_refused() {
    sunzi().args(["bench", "--bits", "64"]).assert().code(2);
    sunzi().args(["bench", "--batch", "0"]).assert().code(2);
    sunzi().args(["bench", "--seconds", "-1"]).assert().code(2);
}
