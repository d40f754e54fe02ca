//! The faults: drawn, injected in children, and counted.

use crate::blocks;
use crate::schemes::{Answer, Inputs, Key, Scheme};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{Read, Write, pipe};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};
use sunzi_engine::{Backend, Engine};

/// The number of faults in a run without `SUNZI_FAULTS`.
const FAULTS: usize = 600;
/// The numbers of requests in batches: one, some, and enough that points are confirmed together.
const BATCHES: [usize; 3] = [1, 16, 200];
/// The least size in bytes of a large block.
const LARGE_BLOCK: usize = 4096;

/// The outcome of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// All results are right.
    Harmless,
    /// All results are right, but some with nonces other than the expected ones.
    OtherNonce,
    /// Results were withheld, and the others are right.
    Withheld,
    /// A panic withheld the results.
    Panicked,
    /// The process crashed, or took too much time or memory.
    Crashed,
    /// A wrong result left.
    Left,
}

const ENDS: [End; 6] = [
    End::Harmless,
    End::OtherNonce,
    End::Withheld,
    End::Panicked,
    End::Crashed,
    End::Left,
];

/// Numbers of faults by outcome.
#[derive(Clone, Copy, Default)]
struct Tally([usize; ENDS.len()]);

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [harmless, other_nonce, withheld, panicked, crashed, left] = self.0;
        let all: usize = self.0.iter().sum();
        write!(
            f,
            "{all} faults: {harmless} harmless, {other_nonce} with another nonce, {withheld} withheld, \
             {panicked} panicked, {crashed} crashed, {left} left"
        )
    }
}

/// The generator `SplitMix64` (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name}: {text:?} is no number"))
    })
}

/// The schemes that are named, or all.
fn chosen() -> Vec<Scheme> {
    let Ok(names) = std::env::var("SUNZI_FAULTS_ONLY") else {
        return Scheme::ALL.to_vec();
    };
    let known: Vec<String> = Scheme::ALL.iter().map(|scheme| scheme.name()).collect();
    let scheme = |name: &str| {
        let place = known.iter().position(|known| known == name);
        Scheme::ALL
            [place.unwrap_or_else(|| panic!("SUNZI_FAULTS_ONLY: {name:?} is none of {known:?}"))]
    };
    names.split(',').map(scheme).collect()
}

pub(crate) fn run() {
    // Children have one thread. Nobody else reads the environment yet.
    // SAFETY: this is the only thread.
    unsafe { std::env::set_var("RAYON_NUM_THREADS", "1") };
    let faults = number("SUNZI_FAULTS", FAULTS);
    let mut random = Random(number("SUNZI_FAULTS_SEED", 1) as u64);
    let most = BATCHES[BATCHES.len() - 1];
    let plain = Engine::new(Backend::PORTABLE).unwrap();
    let inputs = Inputs::new(&plain, most);
    let schemes = chosen();
    let mut backends = Vec::new();
    for &backend in Backend::ALL {
        match Engine::new(backend) {
            Ok(_) => backends.push(backend),
            Err(error) => println!("SKIPPED: faults in memory: {error}"),
        }
    }
    let mut tallies: BTreeMap<(String, String, usize), Tally> = BTreeMap::new();
    let each = faults.div_ceil(schemes.len() * backends.len());
    for &scheme in &schemes {
        let reference = Key::new(&plain, scheme);
        let expected = reference.run(&plain, &inputs, most);
        assert!(expected.iter().all(Option::is_some), "{}", scheme.name());
        for &backend in &backends {
            let subject = Subject::new(backend, scheme, &inputs, &expected);
            for _ in 0..each {
                let batch = random.below(BATCHES.len());
                let end = subject.strike(batch, &mut random, |index, bytes| {
                    reference.is_as_right(&plain, &inputs, index, bytes)
                });
                let key = (backend.to_string(), scheme.name(), BATCHES[batch]);
                tallies.entry(key).or_default().0[end as usize] += 1;
            }
            subject.forget();
            let sum = sum(&tallies, |(on, of, _)| {
                *on == backend.to_string() && *of == scheme.name()
            });
            println!("{} on {backend}: {sum}", scheme.name());
        }
    }
    println!();
    for &backend in &backends {
        println!(
            "{backend}: {}",
            sum(&tallies, |key| key.0 == backend.to_string())
        );
    }
    for &scheme in &schemes {
        println!(
            "{}: {}",
            scheme.name(),
            sum(&tallies, |key| key.1 == scheme.name())
        );
    }
    for batch in BATCHES {
        println!(
            "batches of {batch}: {}",
            sum(&tallies, |key| key.2 == batch)
        );
    }
    let all = sum(&tallies, |_| true);
    println!("all: {all}");
    assert!(all.0[End::Left as usize] == 0, "wrong results left");
    let found = all.0[End::Withheld as usize] + all.0[End::Panicked as usize];
    assert!(found > faults / 20, "faults do not strike");
}

fn sum(
    tallies: &BTreeMap<(String, String, usize), Tally>,
    which: impl Fn(&(String, String, usize)) -> bool,
) -> Tally {
    let mut sum = Tally::default();
    for (_, tally) in tallies.iter().filter(|(key, _)| which(key)) {
        for (sum, count) in sum.0.iter_mut().zip(tally.0) {
            *sum += count;
        }
    }
    sum
}

/// A key on an engine, with the memory that both keep.
struct Subject<'a> {
    engine: Engine,
    key: Key,
    inputs: &'a Inputs,
    expected: &'a [Answer],
    name: String,
    /// The address and size of each block.
    blocks: Vec<(usize, usize)>,
    /// The time of the first batch of each size, without a fault.
    takes: [Duration; BATCHES.len()],
}

impl<'a> Subject<'a> {
    fn new(backend: Backend, scheme: Scheme, inputs: &'a Inputs, expected: &'a [Answer]) -> Self {
        let (engine, key) = blocks::noting(|| {
            let engine = Engine::new(backend).unwrap();
            let key = Key::new(&engine, scheme);
            (engine, key)
        });
        let takes = BATCHES.map(|count| {
            // Data that is made on first use is made now.
            let start = Instant::now();
            let answers = blocks::noting(|| key.run(&engine, inputs, count));
            let takes = start.elapsed();
            assert_eq!(answers, expected[..count], "{} on {backend}", scheme.name());
            takes
        });
        Self {
            engine,
            key,
            inputs,
            expected,
            name: format!("{} on {backend}", scheme.name()),
            blocks: blocks::live(),
            takes,
        }
    }

    /// Frees everything, and forgets its blocks.
    fn forget(self) {
        drop(self);
        blocks::forget();
    }

    /// A byte of the blocks: half of them are drawn from all bytes of large blocks, which are tables, matrices and
    /// programs; the others from a block that is drawn first, so that small blocks are not left out.
    fn place(&self, random: &mut Random) -> usize {
        let large = self.blocks.iter().filter(|(_, size)| *size >= LARGE_BLOCK);
        let bytes: usize = large.clone().map(|(_, size)| size).sum();
        if bytes > 0 && random.below(2) == 0 {
            let mut place = random.below(bytes);
            for &(address, size) in large {
                if place < size {
                    return address + place;
                }
                place -= size;
            }
        }
        let (address, size) = self.blocks[random.below(self.blocks.len())];
        address + random.below(size)
    }

    fn strike(
        &self,
        batch: usize,
        random: &mut Random,
        is_as_right: impl Fn(usize, &[u8]) -> bool,
    ) -> End {
        let (address, bit) = (self.place(random), random.below(8) as u32);
        let count = BATCHES[batch];
        let answer = in_child(self.takes[batch], || {
            // SAFETY: this process ends when it has answered, and the parent trusts no answer.
            unsafe { blocks::flip(address, bit) };
            let answers = self.key.run(&self.engine, self.inputs, count);
            // The unexpected results, with their indices.
            let pairs = answers.iter().zip(self.expected).enumerate();
            let mut wrong =
                pairs.filter(|(_, (answer, expected))| answer.is_some() && answer != expected);
            let withheld = answers.len() != count || answers.iter().any(Option::is_none);
            let mut report = vec![u8::from(withheld)];
            // All results are checked: one may be right and the next wrong.
            for (index, (answer, _)) in wrong.by_ref() {
                let bytes = answer.as_deref().unwrap_or_default();
                report.extend_from_slice(&(index as u32).to_le_bytes());
                report.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
                report.extend_from_slice(bytes);
            }
            report
        });
        let report = match answer {
            Ok(report) => report,
            Err(end) => return end,
        };
        let Some((&withheld, mut others)) = report.split_first() else {
            return End::Crashed;
        };
        let end = if withheld == 1 {
            End::Withheld
        } else {
            End::Harmless
        };
        if others.is_empty() {
            return end;
        }
        while let Some((head, rest)) = others.split_first_chunk::<8>() {
            let field = |k: usize| {
                u32::from_le_bytes([head[k], head[k + 1], head[k + 2], head[k + 3]]) as usize
            };
            let (bytes, rest) = rest.split_at(field(4));
            if !is_as_right(field(0), bytes) {
                println!(
                    "LEFT: {}, batch of {count}, request {}, bit {bit} of byte {} of a block of {} bytes",
                    self.name,
                    field(0),
                    self.within(address),
                    self.size(address),
                );
                return End::Left;
            }
            others = rest;
        }
        End::OtherNonce
    }

    fn block(&self, address: usize) -> (usize, usize) {
        let place = self.blocks.partition_point(|&(first, _)| first <= address);
        self.blocks[place - 1]
    }

    fn within(&self, address: usize) -> usize {
        address - self.block(address).0
    }

    fn size(&self, address: usize) -> usize {
        self.block(address).1
    }
}

/// The exit code of a child that panicked.
const PANICKED: i32 = 3;

/// The result of `f` in a forked child, which may take ten times the time that it takes without a fault.
fn in_child(takes: Duration, f: impl FnOnce() -> Vec<u8>) -> Result<Vec<u8>, End> {
    let (mut reader, mut writer) = pipe().unwrap();
    // SAFETY: the call takes no pointers, and this process has one thread.
    match unsafe { libc::fork() } {
        -1 => panic!("cannot fork: {}", std::io::Error::last_os_error()),
        0 => {
            drop(reader);
            limit(takes * 10 + Duration::from_secs(2));
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
            let code = match result {
                Ok(result) => i32::from(writer.write_all(&result).is_err()),
                Err(_) => PANICKED,
            };
            // SAFETY: nothing of this process is needed any more, and destructors may meet the fault.
            unsafe { libc::_exit(code) }
        }
        child => {
            drop(writer);
            let mut result = Vec::new();
            reader.read_to_end(&mut result).unwrap();
            let mut status = 0;
            // SAFETY: the pointer is to a number that lives.
            let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(waited, child, "the child is there");
            if !libc::WIFEXITED(status) {
                return Err(End::Crashed);
            }
            match libc::WEXITSTATUS(status) {
                0 => Ok(result),
                PANICKED => Err(End::Panicked),
                _ => Err(End::Crashed),
            }
        }
    }
}

/// Limits this process' time and memory, as a flipped length may ask for any amount, and silences its reports of
/// failures.
fn limit(time: Duration) {
    const MEMORY: libc::rlim_t = 4 << 30;
    let interval = libc::timeval {
        tv_sec: 0,
        tv_usec: 0,
    };
    let value = libc::timeval {
        tv_sec: time.as_secs().cast_signed(),
        tv_usec: time.subsec_micros().into(),
    };
    let timer = libc::itimerval {
        it_interval: interval,
        it_value: value,
    };
    let limits = [(libc::RLIMIT_AS, MEMORY), (libc::RLIMIT_CORE, 0)];
    std::panic::set_hook(Box::new(|_| {}));
    let silence = std::fs::OpenOptions::new().write(true).open("/dev/null");
    // SAFETY: the pointers are to values that live, or null where that is allowed.
    unsafe {
        if let Ok(silence) = &silence {
            libc::dup2(silence.as_raw_fd(), libc::STDERR_FILENO);
        }
        libc::setitimer(libc::ITIMER_PROF, &raw const timer, core::ptr::null_mut());
        for (resource, most) in limits {
            let limit = libc::rlimit {
                rlim_cur: most,
                rlim_max: most,
            };
            libc::setrlimit(resource, &raw const limit);
        }
    }
}
