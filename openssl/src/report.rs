//! The file of statistics that each process writes, as Prometheus text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use std::{fs, process};

use once_cell::race::OnceBox;
use sunzi_gather::PerProcess;

use crate::jobs;
use crate::kinds::KINDS;
use crate::measures::NEVER;
use crate::module::Module;

/// The time between two writings of the file, in milliseconds.
const BETWEEN_MS: u64 = 500;

/// The file of a process. It is written at the first operation, then while there are operations, and at the end.
struct Report {
    folder: PathBuf,
    start: Instant,
    /// Milliseconds since the start from which on the file is to be written again.
    next_ms: AtomicU64,
    /// Held while the file is written.
    writing: PerProcess<Mutex<()>>,
}

/// None if there is no folder for it.
static REPORT: OnceBox<Report> = OnceBox::new();
/// The reason why nothing is hooked.
static OFF: OnceBox<String> = OnceBox::new();

/// Has statistics written into this folder.
pub(crate) fn begin(folder: Option<&Path>) {
    if let Some(folder) = folder {
        let _ = REPORT.set(Box::new(Report {
            folder: folder.to_path_buf(),
            start: Instant::now(),
            next_ms: AtomicU64::new(0),
            writing: PerProcess::new(Mutex::new(())),
        }));
    }
}

/// Notes why nothing is hooked.
pub(crate) fn off(reason: String) {
    let _ = OFF.set(Box::new(reason));
}

/// Writes the file if that is some time ago.
pub(crate) fn write_now_and_then(module: &Module) {
    let Some(report) = REPORT.get() else { return };
    let now = report.start.elapsed().as_millis() as u64;
    let next = report.next_ms.load(Ordering::Relaxed);
    if now < next {
        return;
    }
    let later = now + BETWEEN_MS;
    let changed =
        report
            .next_ms
            .compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed);
    if changed.is_ok() {
        write(Some(module));
    }
}

/// Writes the file, unless another thread does.
pub(crate) fn write(module: Option<&Module>) {
    let Some(report) = REPORT.get() else { return };
    let (_, writing) = report.writing.get(|| Mutex::new(()));
    let Ok(_writing) = writing.try_lock() else {
        return;
    };
    let file = report
        .folder
        .join(format!("openssl-{}.prom", process::id()));
    let new = file.with_extension("new");
    if fs::write(&new, text(module)).is_err() || fs::rename(&new, &file).is_err() {
        let _ = fs::remove_file(&new);
    }
}

/// Text that may stand between quotes.
fn escaped(text: &str) -> String {
    let plain = |c: char| {
        if c.is_control() || "\\\"".contains(c) {
            '?'
        } else {
            c
        }
    };
    text.chars().map(plain).collect()
}

fn text(module: Option<&Module>) -> String {
    let process = process::id();
    let program = fs::read_to_string("/proc/self/comm").unwrap_or_default();
    let program = escaped(program.trim());
    let state = escaped(module.map_or_else(
        || OFF.get().map_or("off", String::as_str),
        |module| &module.state,
    ));
    let version = env!("CARGO_PKG_VERSION");
    let mut text = String::new();
    let mut line = |name: &str, labels: &str, number: u64| {
        let comma = if labels.is_empty() { "" } else { "," };
        let _ = writeln!(
            text,
            "{name}{{process=\"{process}\"{comma}{labels}}} {number}"
        );
    };
    let labels = format!("program=\"{program}\",version=\"{version}\",state=\"{state}\"");
    line("sunzi_openssl_info", &labels, 1);
    if let Some(module) = module {
        line("sunzi_openssl_jobs_paused", "", jobs::paused() as u64);
        line(
            "sunzi_openssl_measuring_microseconds",
            "",
            module.measures.spent_us(),
        );
        for (kind, least, ns) in module.measures.known() {
            let kind = format!("kind=\"{kind}\"");
            let least = if least == NEVER { 0 } else { least as u64 };
            line("sunzi_openssl_least_batch", &kind, least);
            line("sunzi_openssl_alone_nanoseconds", &kind, ns);
        }
        let names = KINDS.each_ref().map(|kind| kind.name);
        let _ = module.gatherer.statistics().prometheus(&names, &mut text);
    }
    text
}
