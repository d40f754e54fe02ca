//! `sunzi openssl-status`: the sums of the statistics of processes that have the module for OpenSSL.

use super::Run;
use crate::failure::{EXIT_CODES, Failure, Outcome, Status};
use crate::io::one_line::OneLine;
use crate::io::output::Output;
use crate::options::CommonOptions;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Sum the statistics of processes that have the module for OpenSSL
///
/// Each process with the module writes a file into the folder of the setting "statistics" (openssl/README.md):
/// openssl-PROCESS.prom, as Prometheus text. This adds up the files: for each kind of operation the operations, how many
/// of them were computed together and in batches of which mean size, and why the others were left to OpenSSL:
///
/// lone: nobody else was waiting; few: the batch was too small to pay; unpaid: this kind does not pay on this processor;
/// refused: a key that is not taken, or that is used for the first time; full: too many were waiting; faults: the engine
/// gave no answer, which should be rare.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Folder of the statistics
    #[arg(value_name = "DIR", env = "SUNZI_OPENSSL_STATISTICS")]
    folder: PathBuf,
    /// Then remove the files of processes that have ended
    #[arg(long)]
    remove_ended: bool,
}

/// The number of bytes that are read of a file; it has a few thousand.
const MOST_BYTES: u64 = 1 << 20;

/// The sums of one kind of operation.
#[derive(Debug, Default, Serialize)]
struct KindSums {
    kind: String,
    operations: u64,
    together: u64,
    lone: u64,
    few: u64,
    unpaid: u64,
    refused: u64,
    full: u64,
    faults: u64,
    panics: u64,
    mean_batch: f64,
    /// Number of batches by smallest size.
    batches: BTreeMap<u64, u64>,
}

/// The sums of all processes.
#[derive(Debug, Default, Serialize)]
struct Sums {
    processes: usize,
    running: usize,
    /// Number of processes by state: "on", or the reason why the module is off.
    states: BTreeMap<String, usize>,
    jobs_paused: u64,
    kinds: Vec<KindSums>,
}

/// A line of Prometheus text: name, labels, number.
fn line(text: &str) -> Option<(&str, BTreeMap<&str, &str>, u64)> {
    let (name, rest) = text.split_once('{')?;
    let (labels, number) = rest.rsplit_once("} ")?;
    let label = |text: &'_ str| -> Option<(usize, usize)> {
        let start = text.find("=\"")? + 2;
        Some((start, start + text[start..].find('"')?))
    };
    let mut found = BTreeMap::new();
    let mut rest = labels;
    while let Some((start, end)) = label(rest) {
        found.insert(rest[..start - 2].trim_start_matches(','), &rest[start..end]);
        rest = &rest[end + 1..];
    }
    Some((name, found, number.parse().ok()?))
}

/// The sums of this kind.
fn sums_of<'a>(kinds: &'a mut BTreeMap<String, KindSums>, name: &str) -> &'a mut KindSums {
    let new = || KindSums {
        kind: name.to_owned(),
        ..KindSums::default()
    };
    kinds.entry(name.to_owned()).or_insert_with(new)
}

impl Sums {
    fn add(&mut self, text: &str) {
        let mut kinds: BTreeMap<String, KindSums> = BTreeMap::new();
        for kind in self.kinds.drain(..) {
            kinds.insert(kind.kind.clone(), kind);
        }
        for (name, labels, number) in text.lines().filter_map(line) {
            let label = |name| labels.get(name).copied().unwrap_or_default();
            match name {
                "sunzi_openssl_info" => {
                    *self.states.entry(label("state").to_owned()).or_default() += 1;
                }
                "sunzi_openssl_jobs_paused" => self.jobs_paused += number,
                "sunzi_gather_batches_total" => {
                    if let Ok(size) = label("size").parse() {
                        let batches = &mut sums_of(&mut kinds, label("kind")).batches;
                        *batches.entry(size).or_default() += number;
                    }
                }
                "sunzi_gather_total" => {
                    let sums = sums_of(&mut kinds, label("kind"));
                    let counter = match label("count") {
                        "together" => &mut sums.together,
                        "lone" => &mut sums.lone,
                        "few" => &mut sums.few,
                        "unpaid" => &mut sums.unpaid,
                        "refused" => &mut sums.refused,
                        "full" => &mut sums.full,
                        "faults" => &mut sums.faults,
                        "panics" => &mut sums.panics,
                        _ => continue,
                    };
                    *counter += number;
                }
                _ => {}
            }
        }
        self.kinds = kinds.into_values().collect();
        for kind in &mut self.kinds {
            let alone = kind.lone + kind.few + kind.unpaid + kind.refused + kind.full + kind.faults;
            kind.operations = kind.together + alone;
            let batches: u64 = kind.batches.values().sum();
            kind.mean_batch = kind.operations as f64 / batches.max(1) as f64;
        }
    }
}

/// The process that a file of statistics is of.
fn process(file: &Path) -> Option<u32> {
    let name = file.file_name()?.to_str()?;
    let number = name.strip_prefix("openssl-")?.strip_suffix(".prom")?;
    number.parse().ok()
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let cannot = |error| {
            let folder = self.folder.display();
            Failure::new(format!("cannot read the folder {folder}: {error}"))
        };
        let mut sums = Sums::default();
        let mut ended = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(cannot)? {
            let file = entry.map_err(cannot)?.path();
            let Some(process) = process(&file) else {
                continue;
            };
            let mut text = String::new();
            let opened = File::open(&file);
            let read = opened.and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text));
            // A file may be removed meanwhile.
            if read.is_err() {
                continue;
            }
            sums.add(&text);
            sums.processes += 1;
            if Path::new("/proc").join(process.to_string()).exists() {
                sums.running += 1;
            } else {
                ended.push(file);
            }
        }
        if self.remove_ended {
            for file in ended {
                let _ = fs::remove_file(file);
            }
        }
        let mut output = Output::new();
        if common.json {
            output.json(&sums)?;
        } else {
            write(&sums, &mut output)?;
        }
        output.flush()?;
        Ok(Status::Done)
    }
}

fn write(sums: &Sums, output: &mut Output) -> Result<(), Failure> {
    output.line(format_args!(
        "{} processes, {} of them running; jobs paused: {}",
        sums.processes, sums.running, sums.jobs_paused
    ))?;
    for (state, count) in &sums.states {
        output.line(format_args!("{count:>6} {}", OneLine(state)))?;
    }
    if sums.kinds.is_empty() {
        return Ok(());
    }
    output.line(format_args!(
        "{:<16} {:>10} {:>10} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6}",
        "",
        "operations",
        "together",
        "share",
        "batch",
        "lone",
        "few",
        "unpaid",
        "refused",
        "full",
        "faults"
    ))?;
    for kind in &sums.kinds {
        let share = 100.0 * kind.together as f64 / kind.operations.max(1) as f64;
        output.line(format_args!(
            "{:<16} {:>10} {:>10} {share:>5.0}% {:>6.1} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6}",
            OneLine(&kind.kind),
            kind.operations,
            kind.together,
            kind.mean_batch,
            kind.lone,
            kind.few,
            kind.unpaid,
            kind.refused,
            kind.full,
            kind.faults,
        ))?;
    }
    output.line("")?;
    output.line("batches by size, from 1, 2, 4, 8 and so on")?;
    for kind in &sums.kinds {
        let sizes: Vec<String> = kind.batches.values().map(u64::to_string).collect();
        output.line(format_args!(
            "{:<16} {}",
            OneLine(&kind.kind),
            sizes.join(" ")
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_two_processes() {
        let text = |process: u32, together: u64| {
            format!(
                "sunzi_openssl_info{{process=\"{process}\",program=\"a, b\",state=\"on\"}} 1\n\
                 # TYPE sunzi_gather_total counter\n\
                 sunzi_gather_total{{process=\"{process}\",kind=\"P-384\",count=\"together\"}} {together}\n\
                 sunzi_gather_total{{process=\"{process}\",kind=\"P-384\",count=\"lone\"}} 2\n\
                 sunzi_gather_total{{process=\"{process}\",kind=\"P-384\",count=\"later\"}} 9\n\
                 sunzi_gather_batches_total{{process=\"{process}\",kind=\"P-384\",size=\"8\"}} 1\n\
                 nonsense {{\nsunzi_gather_total{{kind=\"P-384\"}} x\n"
            )
        };
        let mut sums = Sums::default();
        sums.add(&text(1, 10));
        sums.add(&text(2, 20));
        assert_eq!(sums.states, BTreeMap::from([("on".to_owned(), 2)]));
        let [kind] = &sums.kinds[..] else {
            panic!("one kind, not {:?}", sums.kinds)
        };
        assert_eq!([kind.operations, kind.together, kind.lone], [34, 30, 4]);
        assert_eq!(kind.batches, BTreeMap::from([(8, 2)]));
        assert!((kind.mean_batch - 17.0).abs() < 1e-9);
    }

    #[test]
    fn names_of_files() {
        assert_eq!(process(Path::new("x/openssl-12.prom")), Some(12));
        for name in [
            "openssl-.prom",
            "openssl-12.new",
            "12.prom",
            "openssl-x.prom",
        ] {
            assert_eq!(process(Path::new(name)), None);
        }
    }
}
