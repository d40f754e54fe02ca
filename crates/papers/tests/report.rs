//! Tests of the report: it is complete, in all its forms, and its HTML page is self-contained.

use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use sunzi_papers::claim::Kind::{
    self, CannotBeCheckedHere, DoesNotHold, Holds, HoldsWithCondition, Misprint, NotReproducedHere,
};
use sunzi_papers::claim::RULES;
use sunzi_papers::figures::Source;
use sunzi_papers::hardware::HardwareReport;
use sunzi_papers::lines::{abstracts, lines};
use sunzi_papers::paper::{Effort, Finding, PaperReport, Setting};
use sunzi_papers::text::Abstract;
use sunzi_papers::{PAPERS, hierarchical_base_extension, page};

fn setting() -> Setting {
    Setting {
        machine: String::from("<test> & machine"),
        effort: Effort::Least,
        hardware: HardwareReport::built_in(),
    }
}

/// The reports of all papers with the least effort, made once.
fn reports() -> &'static [PaperReport] {
    static REPORTS: OnceLock<Vec<PaperReport>> = OnceLock::new();
    REPORTS.get_or_init(|| {
        let report = |paper: &&'static sunzi_papers::paper::Paper| {
            let mut steps = 0;
            let report = paper.report(&setting(), &mut || steps += 1).unwrap();
            assert_eq!(steps, paper.steps, "{}", paper.name);
            report
        };
        PAPERS.iter().map(report).collect()
    })
}

#[test]
fn every_claim_is_decided_without_any_file() {
    for finding in reports().iter().flat_map(|report| &report.findings) {
        let (name, verdict) = (finding.claim.name, &finding.verdict);
        assert_ne!(verdict.kind(), CannotBeCheckedHere, "{name}: {verdict}");
    }
}

#[test]
fn claims_that_need_rows_of_the_hardware_report_say_so() {
    let setting = Setting {
        hardware: HardwareReport::default(),
        ..setting()
    };
    let report = hierarchical_base_extension::PAPER.report(&setting, &mut || ());
    for finding in report.unwrap().findings {
        assert_eq!(
            finding.verdict.kind() == CannotBeCheckedHere,
            finding.claim.needs().is_some(),
            "{}: {}",
            finding.claim.name,
            finding.verdict
        );
    }
}

fn finding(paper: &str, claim: &str) -> Option<&'static Finding> {
    let report = reports().iter().find(|report| report.paper.name == paper)?;
    report
        .findings
        .iter()
        .find(|finding| finding.claim.name == claim)
}

/// A paper, a claim, its verdict, the values of its figures if they are (nearly) the same in every run, and the largest
/// difference from these.
type Repaired = (&'static str, &'static str, Kind, &'static [f64], f64);

/// Verdicts that were once different, or had other reasons.
const REPAIRED: [Repaired; 24] = [
    // All eight points: 57 -> 51, 51 -> 49, 47 -> 47, 45 -> 45, 71 -> 59, 65 -> 55, 59 -> 53, 53 -> 49 cycles.
    (
        "hierarchical-base-extension",
        "hardware-cycles",
        HoldsWithCondition,
        &[6.0, 2.0],
        0.0,
    ),
    (
        "hierarchical-base-extension",
        "hardware-dsp",
        NotReproducedHere,
        &[0.0, 7.0],
        0.0,
    ),
    (
        "hierarchical-base-extension",
        "periods",
        HoldsWithCondition,
        &[7.0, 32.9, 1.4],
        0.05,
    ),
    (
        "binary-ternary-inversion",
        "hardware-area",
        NotReproducedHere,
        &[13.1, 22.4],
        0.05,
    ),
    (
        "binary-ternary-inversion",
        "hardware-speed",
        HoldsWithCondition,
        &[31.5, 31.8],
        0.1,
    ),
    ("binary-ternary-inversion", "table-i", Misprint, &[], 0.0),
    (
        "cube-rsa",
        "loop-of-e",
        Misprint,
        &[1022.0, 21.0, 1022.0],
        0.001,
    ),
    (
        "cube-rsa",
        "faster-than-montgomery",
        DoesNotHold,
        &[1534.5, 1533.3],
        3.0,
    ),
    (
        "cube-rsa",
        "faster-than-binary",
        DoesNotHold,
        &[1534.5, 1533.3],
        3.0,
    ),
    (
        "sum-of-residues",
        "input-range",
        HoldsWithCondition,
        &[500.0, 0.0],
        1.0,
    ),
    (
        "sum-of-residues",
        "throughput",
        DoesNotHold,
        &[560.0, 528.0, 520.0],
        0.5,
    ),
    (
        "sum-of-residues",
        "latencies",
        Misprint,
        &[14.0, 4.46, 560.0, 560.0],
        0.5,
    ),
    ("sum-of-residues", "table-2", Misprint, &[10.0, 8.0], 0.0),
    (
        "sum-of-residues",
        "equation-8",
        Misprint,
        &[1000.0, 0.0, 0.0],
        10.0,
    ),
    (
        "sum-of-residues",
        "precision",
        DoesNotHold,
        &[4.8, 12.4, 0.0],
        8.0,
    ),
    (
        "sum-of-residues",
        "hardware-cycles",
        Holds,
        &[31.0, 24.0, 18.0],
        0.0,
    ),
    ("frnn", "equation-3", Misprint, &[280.0, 0.0], 20.0),
    ("frnn", "network", Misprint, &[0.0, 300.0], 1.0),
    ("frnn", "column-l", Misprint, &[19.0, 5.0], 0.0),
    (
        "frnn",
        "complexity",
        NotReproducedHere,
        &[560.0, 272.0],
        0.0,
    ),
    ("frnn", "algorithm-1", NotReproducedHere, &[], 0.0),
    ("frnn", "precision", NotReproducedHere, &[], 0.0),
    ("frnn", "sign-detection", NotReproducedHere, &[], 0.0),
    ("frnn", "prime", DoesNotHold, &[127.0], 0.0),
];

#[test]
fn verdicts_that_were_unfair_or_wrong() {
    for (paper, claim, kind, values, tolerance) in REPAIRED {
        let found = finding(paper, claim).unwrap();
        assert_eq!(
            found.verdict.kind(),
            kind,
            "{paper} {claim}: {}",
            found.verdict
        );
        for (figure, value) in found.figures.iter().zip(values) {
            let difference = (figure.value - value).abs();
            assert!(difference <= tolerance + 1e-9, "{claim}: {figure}");
        }
    }
    let explained = |paper, claim| finding(paper, claim).unwrap().verdict.explanation();
    assert!(explained("sum-of-residues", "throughput").starts_with("1.06"));
    assert!(explained("sum-of-residues", "latencies").contains("192 MHz"));
    assert!(explained("frnn", "rns-times").contains("inference"));
    assert!(explained("frnn", "complexity").contains("missing"));
    // The paper does not claim either: m = 1 mod 12 simplifies equations, and it encrypts blocks.
    assert!(finding("binary-ternary-inversion", "moduli").is_none());
    assert!(finding("cube-rsa", "messages").is_none());
}

#[test]
fn an_abstract_comes_first_then_what_holds_then_the_rest() {
    let text = Abstract(reports()).to_string();
    assert!(text.starts_with("Abstract"));
    let html = page::page(reports(), &setting(), None);
    let lines: Vec<_> = abstracts(reports())
        .map(|line| serde_json::to_value(&line).unwrap())
        .collect();
    assert_eq!(lines.len(), PAPERS.len() + RULES.len());
    assert!(
        lines
            .iter()
            .skip(PAPERS.len())
            .all(|line| line["type"] == "rule")
    );
    assert!(html.find(">Abstract<").unwrap() < html.find("class=\"claim\"").unwrap());
    for (report, line) in reports().iter().zip(&lines) {
        assert_eq!(line["type"], "abstract");
        assert_eq!(line["paper"], report.paper.name);
        let named = |part: &serde_json::Value| part["claims"].as_array().unwrap().len();
        let counted: usize = line["held"].as_array().unwrap().iter().map(named).sum();
        assert_eq!(counted, report.findings.len());
        // The terminal breaks lines.
        let unbroken = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [report.paper.tested, report.paper.text] {
            assert!(unbroken.contains(part) && html.contains(part), "{part}");
        }
        let [(_, holds), (_, rest)] = report.parts();
        let right = |finding: &Finding| finding.verdict.kind().is_right();
        assert!(holds.iter().all(right) && !rest.iter().any(right));
        assert_eq!(holds.len() + rest.len(), report.paper.claims.len());
        let text = report.to_string();
        assert!(text.find("What holds").unwrap() < text.find("The rest").unwrap());
    }
    for rule in RULES {
        assert!(
            html.contains(&rule.text.replace('"', "&quot;")),
            "{}",
            rule.about
        );
    }
}

#[test]
fn counterexamples_are_confirmed_and_names_are_unique() {
    for report in reports() {
        let paper = report.paper;
        for (counterexample, found) in &report.counterexamples {
            assert!(
                found.confirmed && !found.lines.is_empty(),
                "{}",
                counterexample.name
            );
        }
        assert!(!report.counterexamples.is_empty(), "{}", paper.name);
        let names: [Vec<&str>; 4] = [
            report
                .findings
                .iter()
                .map(|finding| finding.claim.name)
                .collect(),
            report.tables.iter().map(|table| table.name).collect(),
            report.plots.iter().map(|plot| plot.name).collect(),
            paper
                .counterexamples
                .iter()
                .map(|found| found.name)
                .collect(),
        ];
        for names in names {
            let unique: BTreeSet<&str> = names.iter().copied().collect();
            assert_eq!(unique.len(), names.len(), "{}: {names:?}", paper.name);
        }
    }
}

#[test]
fn timed_figures_have_machine_backend_repetitions_and_spread() {
    for report in reports() {
        for figure in report.findings.iter().flat_map(|finding| &finding.figures) {
            if let Source::Timed {
                machine,
                backend,
                repetitions,
                spread,
            } = &figure.source
            {
                assert_eq!(machine, "<test> & machine");
                assert!(!backend.is_empty() && *repetitions > 0 && *spread >= 0.0);
            }
        }
    }
}

#[test]
fn tables_and_lines_are_complete() {
    for report in reports() {
        let text = report.to_string();
        for table in &report.tables {
            assert!(!table.rows.is_empty(), "{}", table.name);
            for row in &table.rows {
                assert_eq!(row.len(), table.columns.len(), "{}", table.name);
            }
        }
        let setting = setting();
        let mut kinds = BTreeSet::new();
        for line in lines(report, &setting) {
            let json = serde_json::to_value(&line).unwrap();
            assert_eq!(json["paper"], report.paper.name);
            kinds.insert(json["type"].as_str().unwrap().to_owned());
        }
        let expected = ["claim", "counterexample", "plot", "table"];
        assert!(kinds.iter().map(String::as_str).eq(expected), "{kinds:?}");
        assert!(text.contains(report.paper.title) && text.contains("sunzi papers"));
    }
}

/// All elements of the page, with their names and attributes.
fn elements(node: &Handle, found: &mut Vec<(String, Vec<(String, String)>)>) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let attributes = attrs.borrow();
        let attributes = attributes.iter().map(|attribute| {
            (
                attribute.name.local.to_string(),
                attribute.value.to_string(),
            )
        });
        found.push((name.local.to_string(), attributes.collect()));
    }
    for child in node.children.borrow().iter() {
        elements(child, found);
    }
}

#[test]
fn the_page_is_well_formed_and_loads_nothing() {
    let html = page::page(reports(), &setting(), None);
    let document = html5ever::parse_document(RcDom::default(), html5ever::ParseOpts::default())
        .from_utf8()
        .one(html.as_bytes());
    assert_eq!(document.errors.borrow().as_slice(), [] as [&str; 0]);
    assert!(html.contains("&lt;test&gt; &amp; machine") && !html.contains("<test>"));
    // No style loads anything either.
    assert!(!html.contains("url(") && !html.contains("@import"));

    let mut all = Vec::new();
    elements(&document.document, &mut all);
    let mut ids = BTreeSet::new();
    for (name, attributes) in &all {
        assert!(
            !["script", "link", "iframe", "img", "object", "embed", "base"]
                .contains(&name.as_str()),
            "{name}"
        );
        for (attribute, value) in attributes {
            match attribute.as_str() {
                "href" => assert!(value.starts_with('#'), "{value}"),
                "id" => assert!(ids.insert(value.clone()), "{value} is there twice"),
                _ => assert!(
                    !attribute.starts_with("on") && attribute != "src",
                    "{attribute}"
                ),
            }
        }
        let attribute = |wanted: &str| attributes.iter().any(|(name, _)| name == wanted);
        match name.as_str() {
            "th" => assert!(attribute("scope")),
            "svg" => assert!(attribute("aria-labelledby")),
            _ => {}
        }
    }
    for (name, attributes) in &all {
        let targets = attributes
            .iter()
            .filter(|(name, _)| name == "href" || name == "aria-labelledby");
        for id in targets.flat_map(|(_, value)| value.trim_start_matches('#').split(' ')) {
            assert!(ids.contains(id), "{name} refers to {id}");
        }
    }
    let count = |wanted: &str| all.iter().filter(|(name, _)| name == wanted).count();
    assert_eq!(count("table"), count("caption"));
    assert_eq!(count("h1"), 1);
    let plots: usize = reports().iter().map(|report| report.plots.len()).sum();
    assert_eq!((count("svg"), count("desc")), (plots, plots));
}

#[test]
fn plots_are_files_of_their_own_too() {
    for plot in reports().iter().flat_map(|report| &report.plots) {
        let svg = plot.svg_file();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(
            svg.contains("prefers-color-scheme") && !svg.contains("NaN"),
            "{}",
            plot.name
        );
    }
}

#[test]
fn papers_are_linked_to_sections_of_the_explorer() {
    let explorer = include_str!("../../explorer-page/page/index.html");
    let plain = page::page(reports(), &setting(), None);
    let linked = page::page(reports(), &setting(), Some("explorer/index.html"));
    for (section, label) in PAPERS.iter().flat_map(|paper| paper.explorer) {
        assert!(explorer.contains(&format!("<section id=\"{section}\"")));
        let link = format!("<a href=\"explorer/index.html#{section}\">{label}</a>");
        assert!(linked.contains(&link) && plain.contains(label), "{link}");
    }
    assert!(PAPERS.iter().all(|paper| !paper.explorer.is_empty()));
    assert!(plain.contains("sunzi papers --explore DIR"));
    assert!(!linked.contains("sunzi papers --explore DIR"));
}
