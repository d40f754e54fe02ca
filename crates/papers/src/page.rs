//! The report as one self-contained HTML page: no network, no script.

use crate::claim::{Kind, RULES, Verdict};
use crate::figures::{Measurement, Source, number, two_digits};
use crate::paper::{Effort, Finding, Paper, PaperReport, Setting};
use crate::plot::{self, Plot};
use crate::table::{Cell, Origin, Table};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style of the page.
const STYLE: &str = include_str!("page.css");

/// The page of these reports. `explorer` is the address of the explorer page, to which each paper is then linked.
pub fn page(reports: &[PaperReport], setting: &Setting, explorer: Option<&str>) -> String {
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Sunzi: the papers, claim by claim" }
                style { (PreEscaped(STYLE)) (PreEscaped(plot::STYLE)) }
            }
            body {
                header {
                    h1 { "The papers, claim by claim" }
                    p {
                        "What the papers behind Sunzi claim, beside figures that are counted and timed "
                        "by running their algorithms. Every verdict is computed from the figures, by rules that "
                        "are " a href="#rules" { "the same for every claim" } "."
                    }
                    (conditions(setting))
                }
                main {
                    (overview(reports))
                    (summary(reports))
                    (rules())
                    @for report in reports { (paper(report, explorer)) }
                }
                footer { p { "Written by " code { (command(setting)) } "." } }
            }
        }
    };
    html.into_string()
}

fn command(setting: &Setting) -> &'static str {
    match setting.effort {
        Effort::Full => "sunzi papers --html FILE",
        Effort::Quick | Effort::Least => "sunzi papers --quick --html FILE",
    }
}

fn conditions(setting: &Setting) -> Markup {
    let effort = match setting.effort {
        Effort::Full => "full: every size, and as many samples as the papers had",
        Effort::Quick => "quick: fewer sizes, samples and repetitions, as each table says",
        Effort::Least => "the least that yields every figure: a test of the report",
    };
    html! {
        dl.conditions {
            div { dt { "Machine" } dd { (setting.machine) } }
            div { dt { "Run" } dd { (effort) } }
            div {
                dt { "Figures" }
                dd {
                    em.printed { "printed" } " in the paper; " em.counted { "counted" }
                    " here, the same on every machine; " em.timed { "timed" }
                    " here, the median ± half the distance between the quartiles; "
                    em.recorded { "recorded" } " before, with machine and day; "
                    em.computed { "computed" } " from formulas or other columns."
                }
            }
        }
    }
}

/// The class of a kind of verdict, for its color.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Holds => "holds",
        Kind::HoldsWithCondition => "condition",
        Kind::Misprint => "misprint",
        Kind::NotReproducedHere => "open",
        Kind::DoesNotHold => "fails",
        Kind::CannotBeCheckedHere => "unchecked",
    }
}

/// A kind of verdict with a sign, for readers who do not see colors.
fn badge(kind: Kind) -> Markup {
    let sign = match kind {
        Kind::Holds => "\u{2713}",
        Kind::HoldsWithCondition => "\u{2248}",
        Kind::Misprint => "\u{270e}",
        Kind::NotReproducedHere => "\u{25cb}",
        Kind::DoesNotHold => "\u{2717}",
        Kind::CannotBeCheckedHere => "?",
    };
    html! {
        span class={ "badge " (class(kind)) } { span aria-hidden="true" { (sign) " " } (kind) }
    }
}

/// The abstract: for each paper the tests and their results.
fn overview(reports: &[PaperReport]) -> Markup {
    html! {
        section aria-labelledby="abstract" {
            h2 #abstract { "Abstract" }
            @for report in reports {
                article {
                    h3 { a href={ "#" (report.paper.name) } { (report.paper.label) } }
                    p { (report.paper.tested) }
                    p { (report.paper.text) }
                    p { (report.findings.len()) " claims:" }
                    ul.held {
                        @for (kind, names) in report.held() {
                            li {
                                span class=(class(kind)) { (kind) " (" (names.len()) ")" } ": "
                                @for (index, name) in names.iter().enumerate() {
                                    @if index > 0 { ", " }
                                    a href={ "#" (claim_id(report, name)) } { (name) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn rules() -> Markup {
    html! {
        section aria-labelledby="rules" {
            h2 #rules { "How the verdicts are given" }
            dl.rules {
                @for rule in RULES { div { dt { (rule.about) } dd { (rule.text) } } }
            }
        }
    }
}

/// The id of a claim in the page.
fn claim_id(report: &PaperReport, name: &str) -> String {
    format!("{}-claim-{name}", report.paper.name)
}

fn summary(reports: &[PaperReport]) -> Markup {
    let total = |kind| {
        reports
            .iter()
            .map(|report| report.count(kind))
            .sum::<usize>()
    };
    html! {
        section aria-labelledby="verdicts" {
            h2 #verdicts { "Verdicts" }
            div.scroll tabindex="0" role="region" aria-label="Number of verdicts for each paper" {
                table.verdicts {
                    caption { "Number of claims with each verdict" }
                    thead {
                        tr {
                            th scope="col" { "paper" }
                            @for kind in Kind::ALL { th scope="col" { (badge(kind)) } }
                        }
                    }
                    tbody {
                        @for report in reports {
                            tr {
                                th scope="row" { a href={ "#" (report.paper.name) } { (report.paper.label) } }
                                @for kind in Kind::ALL { (verdict_cell(kind, report.count(kind))) }
                            }
                        }
                    }
                    @if reports.len() > 1 {
                        tfoot {
                            tr {
                                th scope="row" { "all" }
                                @for kind in Kind::ALL { (verdict_cell(kind, total(kind))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A number of verdicts. In a narrow window, where the table has no heads of columns, the kind stands beside it.
fn verdict_cell(kind: Kind, count: usize) -> Markup {
    html! { td.figure { span.narrow { (badge(kind)) } span { (count) } } }
}

fn paper(report: &PaperReport, explorer: Option<&str>) -> Markup {
    let paper = report.paper;
    let id = |part: &str| format!("{}-{part}", paper.name);
    html! {
        section.paper #(paper.name) aria-labelledby=(id("title")) {
            h2 #(id("title")) { (paper.title) }
            p.citation { (paper.authors) ". " (paper.published) "." }
            (try_it(paper, explorer))
            @for (heading, findings) in report.parts() {
                @if !findings.is_empty() {
                    h3 { (heading) }
                    @for finding in findings { (claim(&claim_id(report, finding.claim.name), finding)) }
                }
            }
            @if !report.plots.is_empty() {
                h3 { "Plots" }
                div.plots { @for plot in &report.plots { (figure(&id(&format!("plot-{}", plot.name)), plot)) } }
            }
            @if !report.tables.is_empty() {
                h3 { "Tables" }
                @for table in &report.tables { (table_box(table)) }
            }
            @if !report.counterexamples.is_empty() {
                h3 { "Counterexamples" }
                @for (counterexample, found) in &report.counterexamples {
                    article.counterexample {
                        h4 { (counterexample.name) " " small { (counterexample.place) } }
                        p { (counterexample.statement) }
                        pre { @for line in &found.lines { (line) "\n" } }
                        p {
                            @if found.confirmed { "Confirmed in this run. " } @else { strong { "Not confirmed. " } }
                            "Again: " code { (paper.command(counterexample)) }
                        }
                    }
                }
            }
        }
    }
}

/// The sections of the explorer page for a paper: links, or the command that writes the page.
fn try_it(paper: &Paper, explorer: Option<&str>) -> Markup {
    html! {
        p.explorer {
            "To try out in the explorer: "
            @for (index, (section, label)) in paper.explorer.iter().enumerate() {
                @if index > 0 { ", " }
                @match explorer {
                    Some(address) => a href={ (address) "#" (section) } { (label) },
                    None => (label),
                }
            }
            "."
            @if explorer.is_none() { " " small { code { "sunzi papers --explore DIR" } " writes it." } }
        }
    }
}

fn claim(id: &str, finding: &Finding) -> Markup {
    let claim = finding.claim;
    let explanation = finding.verdict.explanation();
    html! {
        article.claim #(id) {
            h4 { (claim.statement) }
            p.verdict {
                (badge(finding.verdict.kind()))
                @if !explanation.is_empty() {
                    " " @if matches!(finding.verdict, Verdict::HoldsWithCondition { .. }) { "if " }
                    (explanation)
                }
            }
            dl {
                div { dt { "Where" } dd { (claim.place) } }
                @if !claim.printed.is_empty() {
                    div { dt { "Printed" } dd.printed { (claim.printed) } }
                }
                @for figure in &finding.figures { (measurement(figure)) }
            }
        }
    }
}

fn measurement(figure: &Measurement) -> Markup {
    html! {
        div {
            dt { (figure.name) }
            dd {
                strong { (number(figure.value)) @if !figure.unit.is_empty() { " " (figure.unit) } }
                " "
                @match &figure.source {
                    Source::Counted { over } => small { "counted, " (over) },
                    Source::Timed { machine, backend, repetitions, spread } => small {
                        "± " (number(two_digits(*spread))) ", median of " (repetitions) "; " (backend) "; " (machine)
                    },
                    Source::Recorded { machine, date, software } => small {
                        "recorded " (date) "; " (software) "; " (machine)
                    },
                    Source::FromPrinted => small { "computed from the printed figures" },
                    Source::Hardware { tool } => small { "hardware report, " (tool) },
                }
            }
        }
    }
}

fn figure(id: &str, plot: &Plot) -> Markup {
    html! {
        figure {
            figcaption { (plot.title) }
            (PreEscaped(plot.svg(id)))
        }
    }
}

fn table_box(table: &Table) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.caption) {
            table {
                caption { (table.caption) }
                thead {
                    tr {
                        @for (index, column) in table.columns.iter().enumerate() {
                            th scope="col" class=(if table.has_figures(index) { "figure" } else { "" }) {
                                (column.heading)
                                @if column.origin != Origin::Label {
                                    " " em class=(column.origin.word()) { (column.origin.word()) }
                                }
                            }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (index, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
                                @if index == 0 {
                                    th scope="row" class=(if cell.value.is_some() { "figure" } else { "" }) {
                                        (cell.text)
                                    }
                                } @else {
                                    (table_cell(cell, column.origin))
                                }
                            }
                        }
                    }
                }
            }
        }
        @for note in &table.notes { p.note { (note) } }
    }
}

fn table_cell(cell: &Cell, origin: Origin) -> Markup {
    let figure = if cell.value.is_some() || cell.text == "-" {
        "figure "
    } else {
        ""
    };
    html! { td class={ (figure) (origin.word()) } { (cell.text) } }
}
