use crate::place::{json_lines, sunzi};

#[test]
fn rows_for_signing_and_verifying() {
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
    assert_eq!(jobs, ["rsa2048-private", "rsa2048-verify"]);
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
fn sizes_that_are_not_keys_are_refused() {
    sunzi().args(["bench", "--bits", "64"]).assert().code(2);
    sunzi().args(["bench", "--batch", "0"]).assert().code(2);
    sunzi().args(["bench", "--seconds", "-1"]).assert().code(2);
}
