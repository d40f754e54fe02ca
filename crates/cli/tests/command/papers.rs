//! Tests of `papers`: the report as text, JSON, HTML and plots, and its counterexamples.

use crate::place::{Place, error_line, json_lines, small_key, sunzi};

/// The paper whose report takes the least time.
const FAST: &str = "hierarchical-base-extension";

#[test]
fn a_paper_is_reported_in_text_html_and_plots() {
    let place = Place::with(small_key());
    let arguments = format!("papers {FAST} --quick --html page.html --out new/plots");
    let mut command = place.run(&arguments);
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(text.starts_with("Abstract"), "{text}");
    // The folder has no report of the hardware cores: the one that is built in decides.
    for part in [
        "not reproduced here (1): hardware-dsp",
        "How the verdicts are given",
        "What holds",
        "[holds with a condition] exactness",
        "printed: 31 %",
        "The rest",
        "[not reproduced here] hardware-dsp",
        "--counterexample far-from-a-power-of-two",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("19,612"));
    let plot = place.read(&format!("new/plots/{FAST}-cost.svg"));
    assert!(plot.starts_with(b"<svg"));
}

#[test]
fn lines_of_json_have_claims_with_verdicts() {
    let mut command = sunzi();
    let lines = json_lines(command.args(["papers", FAST, "--quick", "--json"]), 0);
    let claim = lines
        .iter()
        .find(|line| line["claim"] == "periods")
        .unwrap();
    assert_eq!(claim["verdict"], "holds-with-condition");
    assert_eq!(claim["figures"][0]["source"], "from-printed");
    assert_eq!(lines[0]["type"], "abstract");
    assert_eq!(lines[0]["paper"], FAST);
    assert_eq!(lines[1]["type"], "rule");
    let table = lines.iter().find(|line| line["type"] == "table").unwrap();
    assert_eq!(table["effort"], "quick");
    assert!(!table["machine"].as_str().unwrap().is_empty());
}

#[test]
fn hardware_figures_are_taken_from_the_report() {
    let place = Place::with(small_key());
    let forms = [
        ("kbe_s1", 98, 50),
        ("hbe2_s1", 99, 40),
        ("hbe2_s2", 130, 30),
    ];
    let rows = [256, 384].iter().flat_map(|bits| {
        [17, 20, 24, 28].iter().flat_map(move |width| {
            forms.map(|(form, cycles, dsp)| {
                format!(
                    r#"{{"core":"cox_rower","configuration":"{bits}_w{width}_{form}","dsp":{dsp},
                    "cycles":{cycles},"tool":"a tool"}}"#
                )
            })
        })
    });
    let rows: Vec<String> = rows.collect();
    let verdicts = |rows: &[String]| {
        place.write("report.json", format!(r#"{{"rows":[{}]}}"#, rows.join(",")));
        let arguments = format!("papers {FAST} --quick --json --hardware report.json");
        let lines = json_lines(&mut place.run(&arguments), 0);
        ["hardware-dsp", "hardware-cycles"].map(|name| {
            let claim = lines.iter().find(|line| line["claim"] == name).unwrap();
            claim["verdict"].as_str().unwrap().to_owned()
        })
    };
    assert_eq!(verdicts(&rows), ["holds", "not-reproduced-here"]);
    assert_eq!(verdicts(&rows[1..]), ["cannot-be-checked-here"; 2]);

    place.write("report.json", "{}");
    for (file, reason) in [("report.json", "`rows`"), ("missing.json", "missing.json")] {
        let mut command = place.run(&format!("papers {FAST} --quick --hardware {file}"));
        let error = error_line(&mut command, 2);
        assert!(
            error.contains("cannot read") && error.contains(reason),
            "{error}"
        );
    }
}

#[test]
fn a_counterexample_can_be_computed_again() {
    let mut command = sunzi();
    command.args(["papers", "frnn", "--counterexample", "composite-q"]);
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(
        text.contains("127 divides 2^511 - 1") && text.contains("confirmed"),
        "{text}"
    );

    let mut command = sunzi();
    let arguments = [
        "--json",
        "papers",
        "frnn",
        "--counterexample",
        "composite-q",
    ];
    let lines = json_lines(command.args(arguments), 0);
    assert_eq!(lines[0]["confirmed"], true);
}

#[test]
fn unknown_names_are_refused() {
    let mut command = sunzi();
    let error = error_line(
        command.args(["papers", "frnn", "--counterexample", "no"]),
        2,
    );
    assert!(error.contains("it has shifted-characteristic, "), "{error}");
    for arguments in [
        &["papers", "no-such-paper"][..],
        &["papers", "--counterexample", "composite-q"],
        &[
            "papers",
            "frnn",
            "--quick",
            "--counterexample",
            "composite-q",
        ],
    ] {
        sunzi().args(arguments).assert().code(2);
    }
    let mut command = sunzi();
    let arguments = [
        "papers",
        FAST,
        "--quick",
        "--html",
        "no/such/folder/page.html",
    ];
    let error = error_line(command.args(arguments), 2);
    assert!(
        error.contains("cannot write no/such/folder/page.html"),
        "{error}"
    );
}

#[test]
fn the_explorer_is_written_or_the_way_to_build_it_named() {
    let place = Place::with(small_key());
    let mut command = place.run("--json papers --explore new/explorer");
    if cfg!(feature = "explorer") {
        let lines = json_lines(&mut command, 0);
        assert_eq!(lines[0]["page"], "new/explorer/index.html");
        let page = String::from_utf8(place.read("new/explorer/index.html")).unwrap();
        assert!(page.starts_with("<!doctype html>") && page.contains("Content-Security-Policy"));
    } else {
        let error = error_line(&mut command, 2);
        assert!(error.contains("`make explorer`"), "{error}");
        assert!(error.contains("--features explorer"), "{error}");
    }
    sunzi()
        .args(["papers", "--quick", "--explore", "folder"])
        .assert()
        .code(2);
    // The report is linked to a page, and not to a script.
    for (arguments, reason) in [
        (
            vec!["--explorer", "javascript:alert(1)", "--html", "f"],
            "the scheme javascript",
        ),
        (vec!["--explorer", "", "--html", "f"], "it is empty"),
        (vec!["--explorer", "explorer/index.html"], "--html"),
    ] {
        let refused = sunzi().arg("papers").args(arguments).assert().code(2);
        let error = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(error.contains(reason), "{error}");
    }
}
