//! Times measured in this program: the batch size from which each kind of operation pays.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use std::{fs, process};

use sunzi_engine::InstructionLimit;

use crate::kinds::KINDS;

/// The smallest batch of a kind that does not pay in any batch that forms in servers.
pub(crate) const NEVER: usize = usize::MAX;
/// Nothing is known yet.
const UNKNOWN: usize = 0;
/// The smallest batch that has a kind measured.
const FIRST: usize = 3;
/// Number of OpenSSL's operations that are timed before a kind is measured.
const SAMPLES: u32 = 8;
/// The longest time that a kind is measured for, once its keys, tables and programs are there.
const LONGEST: Duration = Duration::from_millis(50);
/// A batch pays if it takes at most this part of the time that OpenSSL takes.
const PAYS: f64 = 0.9;
/// The shortest operation for which an asynchronous job is paused, in nanoseconds: it changes threads, and the program waits
/// for a file descriptor, which takes longer than OpenSSL's P-256.
const LEAST_PAUSED_NS: u64 = 100_000;
/// A lone operation pays if it takes at most this part. It is measured many times in a row, and when it comes alone finds
/// nothing in the caches: with nine tenths a server with one client made a tenth fewer handshakes with RSA-2048.
const LONE_PAYS: f64 = 0.5;
/// The number of bytes that are read of the file.
const MOST_BYTES: usize = 1 << 14;

/// Whether the module computes every operation, for tests.
#[cfg(feature = "faults")]
static FORCED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Whether the module computes every operation, also a lone one, from a key's first on.
#[cfg(feature = "faults")]
pub(crate) fn is_forced() -> bool {
    FORCED.load(Ordering::Relaxed)
}

/// What is known of each kind. It stays with a process and its children.
pub(crate) struct Measures {
    kinds: [Measure; KINDS.len()],
    /// File that it is kept in.
    file: Option<PathBuf>,
    /// First line of the file: processor and versions.
    head: String,
}

#[derive(Default)]
struct Measure {
    /// The smallest batch that pays.
    least: AtomicUsize,
    /// The shortest time of an operation by OpenSSL, in nanoseconds.
    openssl_ns: AtomicU64,
    samples: AtomicU32,
    /// Time that was spent on measuring, and on making keys, tables and programs before, in microseconds.
    spent_us: AtomicU64,
}

impl Measures {
    /// What the file in this folder has; nothing if it cannot be read, or is of another processor or version.
    pub(crate) fn load(folder: Option<&Path>, openssl: &str) -> Self {
        let processor = processor_name();
        let version = env!("CARGO_PKG_VERSION");
        let plain = processor.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let measures = Self {
            kinds: Default::default(),
            file: folder.map(|folder| folder.join(format!("openssl-2-{plain}.txt"))),
            head: format!("# {processor}, OpenSSL {openssl}, Sunzi {version}"),
        };
        let text = measures.file.as_ref().map(fs::read_to_string);
        let text = text.and_then(Result::ok).unwrap_or_default();
        if let Some((head, lines)) = text.split_once('\n')
            && head == measures.head
            && text.len() <= MOST_BYTES
        {
            lines.lines().for_each(|line| measures.read(line));
        }
        measures
    }

    /// Reads a line: name, smallest batch ("never"), nanoseconds of OpenSSL.
    fn read(&self, line: &str) {
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap_or_default();
        let (name, least, ns) = (word(), word(), word());
        let least = match least {
            "never" => Some(NEVER),
            number => number.parse().ok().filter(|&number| number > UNKNOWN),
        };
        let kind = KINDS.iter().position(|kind| kind.name == name);
        if let (Some(kind), Some(least), Ok(ns)) = (kind, least, ns.parse()) {
            self.kinds[kind].least.store(least, Ordering::Relaxed);
            self.kinds[kind].openssl_ns.store(ns, Ordering::Relaxed);
        }
    }

    /// Keeps what is known in the file, whole or not at all.
    fn store(&self) {
        let Some(file) = &self.file else { return };
        let mut text = format!("{}\n", self.head);
        for (kind, least, ns) in self.known() {
            let least = match least {
                NEVER => "never".into(),
                number => number.to_string(),
            };
            let _ = writeln!(text, "{kind} {least} {ns}");
        }
        let new = file.with_extension(process::id().to_string());
        let folder = file.parent().map(fs::create_dir_all);
        if matches!(folder, Some(Ok(())))
            && (fs::write(&new, text).is_err() || fs::rename(&new, file).is_err())
        {
            let _ = fs::remove_file(&new);
        }
    }

    /// The kinds that are known: name, smallest batch that pays, nanoseconds of OpenSSL.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&'static str, usize, u64)> {
        let kinds = KINDS.iter().zip(&self.kinds);
        let kinds = kinds.map(|(kind, measure)| {
            let least = measure.least.load(Ordering::Relaxed);
            (kind.name, least, measure.openssl_ns.load(Ordering::Relaxed))
        });
        kinds.filter(|(_, least, _)| *least != UNKNOWN)
    }

    /// The time that was spent on measuring, in microseconds.
    pub(crate) fn spent_us(&self) -> u64 {
        let spent = |measure: &Measure| measure.spent_us.load(Ordering::Relaxed);
        self.kinds.iter().map(spent).sum()
    }

    /// The smallest batch of this kind that is computed.
    pub(crate) fn least(&self, kind: usize) -> usize {
        match self.kinds[kind].least.load(Ordering::Relaxed) {
            UNKNOWN => FIRST,
            least => least,
        }
    }

    /// Whether it may pay to pause asynchronous jobs for this kind.
    pub(crate) fn pays_in_jobs(&self, kind: usize) -> bool {
        let measure = &self.kinds[kind];
        measure.least.load(Ordering::Relaxed) != NEVER
            && measure.openssl_ns.load(Ordering::Relaxed) >= LEAST_PAUSED_NS
    }

    /// Whether a batch of this size is known to pay.
    pub(crate) fn pays(&self, kind: usize, size: usize) -> bool {
        let least = self.kinds[kind].least.load(Ordering::Relaxed);
        least != UNKNOWN && size >= least
    }

    /// Sets the smallest batch that pays.
    pub(crate) fn set(&self, kind: usize, least: usize) {
        self.kinds[kind].least.store(least, Ordering::Relaxed);
    }

    /// Has the module compute every operation.
    #[cfg(feature = "faults")]
    pub(crate) fn force(&self) {
        FORCED.store(true, Ordering::Relaxed);
        (0..KINDS.len()).for_each(|kind| self.set(kind, 1));
    }

    /// Runs OpenSSL's own operation, and notes its time while the kind is not known.
    pub(crate) fn time<T>(&self, kind: usize, operation: impl FnOnce() -> T) -> T {
        let measure = &self.kinds[kind];
        if measure.least.load(Ordering::Relaxed) != UNKNOWN {
            return operation();
        }
        let start = thread_time();
        let result = operation();
        let ns = thread_time().saturating_sub(start).as_nanos() as u64;
        // Disturbances only make it longer.
        if measure.samples.fetch_add(1, Ordering::Relaxed) == 0 {
            measure.openssl_ns.store(ns, Ordering::Relaxed);
        } else {
            measure.openssl_ns.fetch_min(ns, Ordering::Relaxed);
        }
        result
    }

    /// Measures a kind if it is not known: from which number of operations on `batch`, which computes that many, takes
    /// less time than OpenSSL. A kind whose batches fail is never gathered. Several threads may measure one at a time.
    pub(crate) fn measure(&self, kind: usize, batch: impl Fn(usize) -> bool) {
        let measure = &self.kinds[kind];
        if measure.least.load(Ordering::Relaxed) != UNKNOWN {
            return;
        }
        if measure.samples.load(Ordering::Relaxed) < SAMPLES {
            return;
        }
        let openssl = Duration::from_nanos(measure.openssl_ns.load(Ordering::Relaxed));
        let start = thread_time();
        let least = least_that_pays(openssl, &batch);
        let spent = thread_time().saturating_sub(start).as_micros() as u64;
        measure.spent_us.store(spent, Ordering::Relaxed);
        self.set(kind, least);
        self.store();
    }
}

/// Processor time of this thread: on a busy machine it is what an operation takes, unlike the time of the clock.
fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the place is one for a time. Should there be no such clock, it stays 0, and nothing pays.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The smallest batch that pays, beside an operation that takes this long; what there is no time to measure does not.
fn least_that_pays(openssl: Duration, batch: impl Fn(usize) -> bool) -> usize {
    // The first batch makes keys, tables and programs, as the first batch ever would.
    if !batch(2) {
        return NEVER;
    }
    let end = thread_time() + LONGEST;
    // The time of a batch of this size, the shortest of a few; `None` if there is no time for it.
    let time = |size: usize| {
        let mut shortest = None;
        for _ in 0..3 {
            let start = thread_time();
            let likely = shortest.unwrap_or_default();
            if start + likely >= end {
                break;
            }
            if !batch(size) {
                return None;
            }
            let time = thread_time().saturating_sub(start);
            shortest = Some(shortest.map_or(time, |shortest: Duration| shortest.min(time)));
        }
        shortest
    };
    let pays = |size: usize| {
        let part = if size == 1 { LONE_PAYS } else { PAYS };
        let limit = openssl.mul_f64(part * size as f64);
        time(size).is_some_and(|time| time <= limit && !time.is_zero())
    };
    // Larger batches hardly form.
    let mut least = 8;
    if !pays(least) {
        return NEVER;
    }
    while least > 1 && pays(least / 2) {
        least /= 2;
    }
    // Between a size that pays and its half.
    match least {
        4.. if pays(3 * least / 4) => 3 * least / 4,
        _ => least,
    }
}

/// The name of the processor, or of its architecture if the system does not tell it, and the limit of instructions, if
/// there is one.
fn processor_name() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = info.lines();
    let name = lines.find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    match InstructionLimit::get() {
        InstructionLimit::Ifma => name.into(),
        limit => format!("{name}, limited to {limit}"),
    }
}
