//! The report: complete, in all its forms, and an HTML page that needs nothing else.

use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use sunzi_papers::claim::Kind;
use sunzi_papers::figures::Source;
use sunzi_papers::lines::lines;
use sunzi_papers::paper::{Effort, PaperReport, Setting};
use sunzi_papers::{PAPERS, page};

fn setting() -> Setting {
    Setting {
        machine: String::from("<test> & machine"),
        effort: Effort::Least,
        hardware: None,
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
fn every_claim_is_decided_but_for_those_that_need_hardware() {
    for report in reports() {
        for finding in &report.findings {
            let (name, verdict) = (finding.claim.name, &finding.verdict);
            assert_eq!(
                verdict.kind() == Kind::CannotBeCheckedHere,
                finding.claim.needs().is_some(),
                "{name}: {verdict}"
            );
        }
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
    let html = page::page(reports(), &setting());
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
