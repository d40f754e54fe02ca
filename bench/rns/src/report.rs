//! The report: one line for each row, as text or as JSON.

use serde::Serialize;
use std::io::{self, Write, stdout};

use std::time::Duration;
use sunzi_papers::integers::PEER;
use sunzi_papers::timing::{Operation, Patience, Times, alternate};

/// A row of the report.
#[derive(Debug, Serialize)]
struct Row<'a> {
    table: &'a str,
    operation: &'a str,
    size: &'a str,
    #[serde(flatten)]
    times: Times,
    peer: Option<&'static str>,
    peer_min_ns: Option<f64>,
    peer_median_ns: Option<f64>,
    /// The peer's median divided by that of residues: above 1, residues are faster.
    ratio: Option<f64>,
    cpu: &'a str,
}

/// Measures rows and prints them.
pub(crate) struct Report {
    json: bool,
    patience: Patience,
    cpu: String,
}

impl Report {
    /// A report, after printing its heading.
    pub(crate) fn new(json: bool, repetitions: usize) -> io::Result<Self> {
        let cpu = cpu_name();
        if !json {
            let mut out = stdout();
            writeln!(out, "{cpu}, one thread; ns per operation; peer: {PEER}\n")?;
            writeln!(
                out,
                "{:<30} {:<18} {:>12} {:>12} {:>12} {:>12} {:>10}",
                "operation", "size", "min", "median", "peer min", "peer median", "peer/ours"
            )?;
        }
        Ok(Self {
            json,
            patience: Patience {
                repetitions,
                budget: Duration::from_secs(2),
            },
            cpu,
        })
    }

    /// Measures and prints one row.
    pub(crate) fn row<'a>(
        &mut self,
        table: &str,
        operation: &str,
        size: &str,
        ours: Operation<'a>,
        theirs: Option<Operation<'a>>,
    ) -> io::Result<()> {
        let mut contestants: Vec<Operation<'a>> = std::iter::once(ours).chain(theirs).collect();
        let all = alternate(&mut contestants, self.patience);
        let (times, peer) = (all[0], all.get(1));
        let ratio = peer.map(|peer| peer.median_ns / times.median_ns);
        if self.json {
            let row = Row {
                table,
                operation,
                size,
                times,
                peer: peer.map(|_| PEER),
                peer_min_ns: peer.map(|peer| peer.min_ns),
                peer_median_ns: peer.map(|peer| peer.median_ns),
                ratio,
                cpu: &self.cpu,
            };
            writeln!(stdout(), "{}", serde_json::to_string(&row)?)
        } else {
            let number = |x: Option<f64>| x.map_or_else(|| "-".into(), |x| format!("{x:.1}"));
            writeln!(
                stdout(),
                "{operation:<30} {size:<18} {:>12.1} {:>12.1} {:>12} {:>12} {:>10}",
                times.min_ns,
                times.median_ns,
                number(peer.map(|peer| peer.min_ns)),
                number(peer.map(|peer| peer.median_ns)),
                ratio.map_or_else(|| "-".into(), ratio_text),
            )
        }
    }
}

/// The ratio with four decimal places, or in exponent form if these would be zeros.
fn ratio_text(ratio: f64) -> String {
    if ratio < 0.001 {
        format!("{ratio:.1e}")
    } else {
        format!("{ratio:.4}")
    }
}

/// The name of the processor, if the system tells it.
fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let name = name.map(|rest| rest.trim_start_matches([' ', '\t', ':']));
    format!(
        "{} ({})",
        name.unwrap_or("unknown processor"),
        std::env::consts::ARCH
    )
}
