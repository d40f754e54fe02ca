//! The file of statistics that each process writes, as Prometheus text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use std::{fs, process};

use sunzi_gather::PerProcess;

use crate::jobs;
use crate::kinds::KINDS;
use crate::measures::NEVER;
use crate::module::Module;

/// The time between two writings of the file, in milliseconds.
const BETWEEN_MS: u64 = 500;

/// Writes the file: at the first operation, then while there are operations, and at the end of the process.
pub(crate) struct Report {
    folder: Option<PathBuf>,
    start: Instant,
    /// Milliseconds since the start from which on the file is to be written again.
    next_ms: AtomicU64,
    /// Held while the file is written.
    writing: PerProcess<Mutex<()>>,
}

impl Report {
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(Path::to_path_buf),
            start: Instant::now(),
            next_ms: AtomicU64::new(0),
            writing: PerProcess::new(Mutex::new(())),
        }
    }

    /// Writes the file if that is some time ago.
    pub(crate) fn write_now_and_then(&self, module: &Module) {
        if self.folder.is_none() {
            return;
        }
        let now = self.start.elapsed().as_millis() as u64;
        let next = self.next_ms.load(Ordering::Relaxed);
        if now >= next {
            let later = now + BETWEEN_MS;
            let (set, ignored) = (Ordering::Relaxed, Ordering::Relaxed);
            if self
                .next_ms
                .compare_exchange(next, later, set, ignored)
                .is_ok()
            {
                self.write(Some(module), None);
            }
        }
    }

    /// Writes the file, unless another thread does. Without a module `off` is the reason.
    pub(crate) fn write(&self, module: Option<&Module>, off: Option<&str>) {
        let Some(folder) = &self.folder else { return };
        let (_, writing) = self.writing.get(|| Mutex::new(()));
        let Ok(_writing) = writing.try_lock() else {
            return;
        };
        let text = text(module, off);
        let file = folder.join(format!("openssl-{}.prom", process::id()));
        let new = file.with_extension("new");
        if fs::write(&new, text).is_err() || fs::rename(&new, &file).is_err() {
            let _ = fs::remove_file(&new);
        }
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

fn text(module: Option<&Module>, off: Option<&str>) -> String {
    let process = process::id();
    let program = fs::read_to_string("/proc/self/comm").unwrap_or_default();
    let program = escaped(program.trim());
    let state = escaped(module.map_or(off.unwrap_or("off"), |module| &module.state));
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
