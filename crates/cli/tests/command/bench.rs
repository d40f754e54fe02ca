use crate::place::{json_lines, sunzi};
use predicates::str::contains;
use serde_json::Value;

/// The names (without versions) of the peers that can do a job, or one `None` if there are none.
fn peers_of(job: &str) -> Vec<Option<&'static str>> {
    let all: &[_] = match job {
        _ if !cfg!(feature = "peers") => &[],
        _ if job.starts_with("rsa") => &["openssl", "aws-lc"],
        "secp256k1-agree" => &["openssl", "libsecp256k1"],
        _ if job.starts_with("secp256k1") => &["openssl", "aws-lc", "libsecp256k1"],
        _ if job.starts_with("P-") => &["openssl", "aws-lc"],
        _ if job.contains("25519-") => &["openssl", "aws-lc"],
        _ if job.starts_with("brainpool") || job.starts_with("Ed448") => &["openssl"],
        _ if job.starts_with("BIP340") => &["libsecp256k1"],
        "BN254-pairing" => &["arkworks"],
        _ if job.starts_with("BLS") || job.starts_with("drand") => &["blst"],
        _ if job.starts_with("modexp") => &["openssl", "aws-lc", "gmp", "gmp"],
        _ => &[],
    };
    if all.is_empty() {
        vec![None]
    } else {
        all.iter().copied().map(Some).collect()
    }
}

#[test]
fn a_line_for_each_backend_and_peer() {
    let mut command = sunzi();
    command.args(["bench", "--bits", "2048", "--batch", "1,2"]);
    command.args(["--seconds", "0.001", "--json", "--backend", "portable"]);
    let rows = json_lines(&mut command, 0);
    let (ends, rows): (Vec<_>, Vec<_>) =
        rows.iter().partition(|row| row.get("pays_from").is_some());
    let jobs = if cfg!(feature = "peers") { 3 } else { 0 };
    assert_eq!(ends.len(), jobs, "products have no peer");
    let mut rows = rows.into_iter();
    for job in [
        "rsa2048-private",
        "rsa2048-verify",
        "modexp2048",
        "product2048",
    ] {
        for batch in [1, 2] {
            for peer in peers_of(job) {
                let row = rows.next().unwrap();
                assert_eq!(row["job"], job);
                assert_eq!(row["batch"], batch);
                assert_eq!(row["backend"], "portable");
                assert_eq!(row["threads"], 1);
                assert_eq!(row["keys"], "one");
                let name = row["peer"].as_str();
                assert_eq!(name.map(|name| name.split(' ').next().unwrap()), peer);
                check_figures(row);
            }
        }
    }
    assert!(rows.next().is_none());
}

#[test]
fn operations_on_curves() {
    let jobs = [
        "P-256-verify",
        "P-521-sign",
        "P-384-agree",
        "secp256k1-verify",
        "secp256k1-sign",
        "secp256k1-agree",
        "brainpoolP320r1-agree",
        "Ed25519-verify",
        "Ed448-sign",
        "X25519-agree",
        "BIP340-verify",
        "BIP340-sign",
        "BLS12-381-G1-multiply",
        "BLS12-381-G1-sum",
        "BLS12-381-G1-decode",
        "BN254-G1-decode",
        "SM2-verify",
    ];
    for keys in ["one", "mixed"] {
        let mut command = sunzi();
        command.args(["bench", "--only", &jobs.join(","), "--batch", "1,3"]);
        command.args(["--keys", keys, "--backend", "portable", "-j", "2"]);
        let rows = json_lines(command.args(["--seconds", "0.001", "--json"]), 0);
        let (ends, rows): (Vec<_>, Vec<_>) =
            rows.iter().partition(|row| row.get("pays_from").is_some());
        let with_peers = if cfg!(feature = "peers") { 15 } else { 0 };
        assert_eq!(
            ends.len(),
            with_peers,
            "no peer signs on SM2 by ECDSA, or has G1 of BN254"
        );
        let mut rows = rows.into_iter();
        for job in jobs {
            for batch in [1, 3] {
                for peer in peers_of(job) {
                    let row = rows.next().unwrap();
                    assert_eq!(row["job"], job);
                    assert_eq!(row["batch"], batch);
                    let name = row["peer"].as_str();
                    assert_eq!(name.map(|name| name.split(' ').next().unwrap()), peer);
                    check_figures(row);
                }
            }
        }
        assert!(rows.next().is_none());
    }
}

/// Asserts that a line has all its fields and that they agree with each other.
fn check_figures(row: &Value) {
    let number = |field: &str| row[field].as_f64();
    let pairs = [
        ("median_us", "ops_per_s"),
        ("best_us", "best_ops_per_s"),
        ("peer_median_us", "peer_ops_per_s"),
        ("peer_best_us", "peer_best_ops_per_s"),
    ];
    for (us, rate) in pairs {
        let there = !us.starts_with("peer") || row["peer"].is_string();
        assert_eq!(number(us).is_some(), there, "{us}");
        if let (Some(us), Some(rate)) = (number(us), number(rate)) {
            assert!(us > 0.0 && (us * rate / 1e6 - 1.0).abs() < 1e-9);
        }
    }
    assert!(number("best_us") <= number("median_us"));
    assert!(number("peer_best_us") <= number("peer_median_us"));
    assert!(row["bursts"].as_u64() >= Some(1));
    let ratio = number("ratio").zip(number("peer_ops_per_s"));
    assert_eq!(ratio.is_some(), row["peer"].is_string());
    if let Some((ratio, theirs)) = ratio {
        let ours = number("ops_per_s").unwrap();
        assert!((ratio * theirs / ours - 1.0).abs() < 1e-9);
    }
    let product = row["job"].as_str().unwrap().starts_with("product");
    assert_eq!(row.get("ns_per_product").is_some(), product);
    assert_eq!(row.get("best_ns_per_product").is_some(), product);
    assert!(!row["cpu"].as_str().unwrap().is_empty());
    assert!(!row["included"].as_str().unwrap().is_empty());
}

#[test]
fn the_table_says_what_is_measured() {
    let mut command = sunzi();
    command.args(["bench", "--only", "modexp64,rsa2048-verify"]);
    command.args(["--batch", "1,1", "--seconds", "0.001"]);
    let output = command.assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    for word in ["processor", "portable", "peer", "one key", "median", "best"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    for job in ["modexp64", "rsa2048-verify"] {
        assert_eq!(text.matches(job).count(), 1, "{text}");
    }
    assert_eq!(text.contains("x openssl"), cfg!(feature = "peers"));
}

#[test]
fn single_jobs_with_a_key_for_each_operation() {
    let mut command = sunzi();
    let only = "modexp64,rsa2048-verify,rsa2048-private,product64";
    command.args(["bench", "--only", only, "--keys", "mixed", "--batch", "3"]);
    let rows = json_lines(command.args(["--seconds", "0.001", "--json", "-j", "2"]), 0);
    let rows: Vec<_> = rows.iter().filter(|row| row.get("cpu").is_some()).collect();
    let mut jobs: Vec<_> = rows
        .iter()
        .filter(|row| row["backend"] == "portable")
        .map(|row| row["job"].as_str().unwrap())
        .collect();
    jobs.dedup();
    assert_eq!(jobs.join(","), only);
    assert!(rows.iter().all(|row| row["keys"] == "mixed"));
    assert!(rows.iter().all(|row| row["threads"] == 2));
}

#[test]
fn a_plot_of_throughput_against_batch_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plot.svg");
    let mut command = sunzi();
    command.args(["bench", "--only", "modexp64,product64", "--batch", "1,4"]);
    command.args(["--seconds", "0.001", "--backend", "portable", "--plot"]);
    command.arg(&path).assert().success();
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for text in ["modexp64", "product64", "portable", "operations/s"] {
        assert!(svg.contains(&format!("\n{text}\n")), "{text}");
    }
    assert_eq!(svg.contains("openssl 4."), cfg!(feature = "peers"));
}

#[test]
fn a_plot_that_cannot_be_made_is_refused() {
    let mut command = sunzi();
    let modexp = ["bench", "--only", "modexp64", "--seconds", "0.001"];
    command.args(modexp).args(["--batch", "2,2", "--plot", "x"]);
    command.assert().code(2).stderr(contains("batch size"));

    let mut command = sunzi();
    command.args(modexp).args(["--batch", "1,2", "--plot"]);
    command.arg("no-such-folder/plot.svg");
    command.assert().code(2).stderr(contains("no-such-folder"));
}

#[test]
fn pairings_and_signatures() {
    let jobs = [
        "BLS12-381-pairing",
        "BN254-pairing",
        "BLS12-381-G2-hash",
        "BLS12-381-G2-multiply",
        "BLS-sign",
        "BLS-verify",
        "BLS-sets",
        "drand-verify",
        "drand-sets",
    ];
    let mut command = sunzi();
    command.args(["bench", "--only", &jobs.join(","), "--batch", "3"]);
    command.args(["--seconds", "0.001", "--json", "-j", "2"]);
    command.args(["--backend", "portable"]);
    let rows = json_lines(&mut command, 0);
    let is_end = |row: &&Value| row.get("pays_from").is_some();
    for job in jobs {
        for peer in peers_of(job) {
            let row = rows.iter().filter(|row| !is_end(row)).find(|row| {
                let name = row["peer"].as_str();
                let name = name.map(|name| name.split(' ').next().unwrap_or_default());
                row["job"] == job && row["batch"] == 3 && name == peer
            });
            check_figures(row.unwrap());
        }
    }
}

#[test]
fn jobs_that_do_not_exist_are_refused() {
    for job in [
        "rsa1024-private",
        "rsa2048",
        "modexp63",
        "modexp16385",
        "product",
        "ecdsa",
        "P-255-sign",
        "P-256-private",
        "P-256-multiply",
        "BLS12-381-G1-sign",
        "BLS12-377-pairing",
        "BIP340-agree",
        "modexp",
    ] {
        sunzi().args(["bench", "--only", job]).assert().code(2);
    }
}

#[test]
fn sizes_that_are_not_possible_are_refused() {
    for [option, value] in [
        ["--bits", "64"],
        ["--batch", "0"],
        ["--batch", "1,0"],
        ["--batch", "1048577"],
        ["--seconds", "-1"],
        ["--keys", "few"],
    ] {
        sunzi().args(["bench", option, value]).assert().code(2);
    }
}

#[test]
fn the_bases_are_chosen_and_told() {
    let mut command = sunzi();
    command.args(["bench", "--only", "modexp256,P-256-sign", "--batch", "2"]);
    command.args(["--redundancy", "1", "--random-bases", "3"]);
    command.args(["--backend", "portable", "--seconds", "0.001", "--json"]);
    let rows = json_lines(&mut command, 0);
    let mut rows = rows.iter().filter(|row| row.get("cpu").is_some());
    assert!(rows.all(|row| row["redundancy"] == 1 && row["random_bases"] == 3));

    let mut command = sunzi();
    command.args([
        "bench",
        "--only",
        "modexp64",
        "--batch",
        "1",
        "--seconds",
        "0.001",
    ]);
    command.args(["--backend", "portable", "--random-bases", "3"]);
    let output = command.assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("random bases: 3"), "{text}");
}
