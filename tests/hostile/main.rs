//! Hostile inputs: key files, signatures, ciphertexts, powers, and lines of streams, made by structure and by damage,
//! the same in every run. Usage: `hostile [KIND]`, or `make hostile`.
//!
//! Sunzi's answers are compared with those of OpenSSL (keys, signatures, ciphertexts), `num-bigint` (powers)
//! and `serde_json` (lines). It is an error if anything panics, if Sunzi accepts an input that the other
//! refuses or reads differently, or if an input takes longer than [`LIMIT`]. Waiting
//! takes none of this time: an input that is never answered stops the run.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

mod ciphertexts;
mod key_files;
mod lines;
mod mutation;
mod powers;
mod signatures;

use mutation::Random;

/// The longest time of processors for one input, which other programs do not change.
const LIMIT: Duration = Duration::from_secs(1);

/// The cases of a kind of input.
type Cases = fn(&mut Random, &mut Tally);

/// The results for a kind of input.
struct Tally {
    kind: &'static str,
    cases: usize,
    /// Number of inputs that were accepted, by both sides.
    accepted: usize,
    slowest: Duration,
    failures: Vec<String>,
}

impl Tally {
    fn new(kind: &'static str) -> Self {
        Self {
            kind,
            cases: 0,
            accepted: 0,
            slowest: Duration::ZERO,
            failures: Vec::new(),
        }
    }

    /// Runs `answer` on one input, and measures its time of processors; `judge` compares the answer with the other side's and
    /// returns whether both accepted, or their difference. `describe` shows the input.
    fn case<A>(
        &mut self,
        describe: impl Fn() -> String,
        answer: impl FnOnce() -> A,
        judge: impl FnOnce(A) -> Result<bool, String>,
    ) {
        self.cases += 1;
        let begin = ProcessTime::now();
        let answer = catch_unwind(AssertUnwindSafe(answer));
        let time = begin.elapsed();
        self.slowest = self.slowest.max(time);
        if time > LIMIT {
            self.fail(&format!("it took {time:?}"), &describe);
        }
        match answer {
            Ok(answer) => match judge(answer) {
                Ok(accepted) => self.accepted += usize::from(accepted),
                Err(difference) => self.fail(&difference, &describe),
            },
            Err(panic) => self.fail(&format!("panic: {}", text_of(&*panic)), &describe),
        }
    }

    fn fail(&mut self, what: &str, describe: &impl Fn() -> String) {
        self.failures.push(format!(
            "{} {}: {what}: {}",
            self.kind,
            self.cases,
            describe()
        ));
    }
}

/// The text of a panic.
fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a text")
}

fn main() -> ExitCode {
    let chosen = std::env::args().nth(1);
    let kinds: [(&str, Cases); 5] = [
        ("key-files", key_files::run),
        ("signatures", signatures::run),
        ("ciphertexts", ciphertexts::run),
        ("powers", powers::run),
        ("lines", lines::run),
    ];
    let mut failed = 0;
    let mut run = 0;
    for (kind, cases) in kinds {
        if chosen.as_deref().is_some_and(|chosen| chosen != kind) {
            continue;
        }
        run += 1;
        let mut tally = Tally::new(kind);
        let begin = Instant::now();
        cases(&mut Random(0x5eed), &mut tally);
        println!(
            "{kind}: {} inputs, {} accepted, {} failures, the slowest took {} ms, all {} s",
            tally.cases,
            tally.accepted,
            tally.failures.len(),
            tally.slowest.as_millis(),
            begin.elapsed().as_secs()
        );
        for failure in tally.failures.iter().take(20) {
            println!("  {failure}");
        }
        failed += tally.failures.len();
    }
    if run == 0 {
        println!("there is no such kind of input");
    }
    if run > 0 && failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
