//! Faults that redundant channels find: affected numbers are computed again, and the place of the fault is
//! reported. Redundant channels do not cover the digits of scalars, and integers on their way in and out.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

use crypto_bigint::BoxedUint;
use sunzi_engine::{
    Backend, Engine, EngineError, FaultyWord, FoundFault, Job, Modulus, Outcome, ProgramKey,
    Programs,
    program::Recoding,
    testing::{Fault, FaultKind, Faulty},
};

/// All layouts that have redundant channels, with their lanes, whether this processor can run them or not.
const LAYOUTS: [(&str, usize); 4] = [
    ("portable:lanes4", 4),
    ("portable:lanes8", 8),
    ("portable:lanes32", 32),
    ("avx512:lanes16", 16),
];

/// The kinds of values that redundant channels cover.
const KINDS: [FaultKind; 4] = [
    FaultKind::Word,
    FaultKind::Weight,
    FaultKind::Entry,
    FaultKind::Constant,
];

/// Number of entries of the program's table.
const ENTRIES: u64 = 4;

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) ^ mixed >> 31
    }

    fn integer(&mut self, bits: u32) -> BoxedUint {
        BoxedUint::from_words((0..bits / 64).map(|_| self.next()))
    }
}

/// A modulus, and a job for each lane: powers with a table, sums of products, linear combinations,
/// and an output that comes in again.
struct Work {
    modulus: Arc<Modulus>,
    programs: Arc<Programs>,
    inputs: Vec<[BoxedUint; 2]>,
    exponents: Vec<BoxedUint>,
}

impl Work {
    fn new(engine: &Engine, bits: u32, count: usize) -> Self {
        let mut random = Random(u64::from(bits));
        let mut odd = random.integer(bits);
        for bit in [0, bits - 1] {
            odd.as_mut_words()[bit as usize / 64] |= 1 << (bit % 64);
        }
        let key = ProgramKey {
            bits,
            kind: "redundancy-test",
            parameters: vec![],
        };
        let programs = engine.programs(key, |b| {
            let (x, y) = (b.input(bits), b.input(bits));
            let exponent = b.scalar("exponent", 4, true);
            let digits = b.digits(exponent, Recoding::Windows { width: 2 });
            let square = b.square(x);
            let cube = b.multiply(square, x);
            let table = b.table_of(&[y, x, square, cube]);
            let first = b.select(table, digits, 1);
            let second = b.select(table, digits, 0);
            let power = b.fitting_product(first, second);
            let sum = b.fitting_sum(&[(false, power, y), (true, x, x)]);
            let three = b.scale(y, 3);
            let difference = b.subtract(sum, three);
            let product = b.fitting_product(difference, power);
            let many = b.square_times(product, 4);
            let place = b.output(many);
            let (again, square) = (b.output_again(place), b.montgomery_square());
            let again = b.multiply(again, square);
            b.equal(again, many);
        });
        Self {
            modulus: engine.modulus(&odd).unwrap(),
            programs: programs.unwrap(),
            inputs: (0..count)
                .map(|_| [random.integer(bits), random.integer(bits)])
                .collect(),
            exponents: (0..count)
                .map(|_| BoxedUint::from(random.next() as u8 % 16))
                .collect(),
        }
    }

    fn jobs(&self) -> Vec<Job<'_>> {
        let jobs = self.inputs.iter().zip(&self.exponents);
        let jobs = jobs.map(|([x, y], exponent)| Job {
            programs: &self.programs,
            modulus: &self.modulus,
            constants: None,
            inputs: vec![x, y],
            scalars: vec![exponent],
        });
        jobs.collect()
    }

    fn run(&self, engine: &Engine) -> Vec<Result<Outcome, EngineError>> {
        engine.execute_each(&self.jobs()).unwrap()
    }
}

/// An engine with an injected fault, and work that it computes correctly without one.
struct Subject {
    faulty: Faulty,
    work: Work,
    right: Vec<Outcome>,
    /// Numbers of channels of base A, of base B, and of redundant channels.
    channels: [usize; 3],
    lanes: usize,
    /// Number of bits of a channel.
    w: u32,
    /// The operations of the group, with the kinds of values that each has.
    targets: Vec<&'static [FaultKind]>,
}

/// The outcome of a fault.
#[derive(Debug)]
enum Fate {
    Harmless,
    Found(Vec<FoundFault>),
    /// An assertion of a checked build stopped it: the flipped bit took a value beyond its bound.
    Asserted,
}

impl Subject {
    /// `None` if this processor does not run the layout.
    fn new((layout, lanes): (&str, usize), bits: u32, redundancy: usize) -> Option<Self> {
        let backend: Backend = layout.parse().unwrap();
        let faulty = match Faulty::with_redundancy(backend, redundancy) {
            Ok(faulty) => faulty,
            Err(error) => {
                println!("SKIPPED: {error}");
                return None;
            }
        };
        let engine = &faulty.engine;
        let work = Work::new(engine, bits, lanes);
        let explained = engine.explain(bits, lanes, 1).unwrap();
        let mut right = Vec::new();
        let targets = faulty.targets(|| {
            right = work.run(engine).into_iter().map(Result::unwrap).collect();
        });
        assert_eq!(engine.faults_found(), 0);
        let plain = Engine::new(Backend::PORTABLE).unwrap();
        let plain_work = Work::new(&plain, bits, lanes).run(&plain);
        assert_eq!(
            right,
            plain_work
                .into_iter()
                .map(Result::unwrap)
                .collect::<Vec<_>>()
        );
        Some(Self {
            channels: [explained.parts[0], explained.parts[1], redundancy],
            w: explained.word_bits,
            faulty,
            work,
            right,
            lanes,
            targets,
        })
    }

    /// Injects a fault. All results must be right.
    fn strike(&self, fault: Fault) -> Fate {
        let engine = &self.faulty.engine;
        self.faulty.set_fault(fault);
        let before = engine.faults_found();
        let outcomes = match panic::catch_unwind(AssertUnwindSafe(|| self.work.run(engine))) {
            Ok(outcomes) => outcomes,
            Err(_) if cfg!(debug_assertions) => {
                engine.take_faults();
                return Fate::Asserted;
            }
            Err(panic) => panic::resume_unwind(panic),
        };
        assert!(self.faulty.has_struck(), "{fault:?}");
        for (outcome, right) in outcomes.iter().zip(&self.right) {
            assert_eq!(outcome.as_ref(), Ok(right), "{fault:?}");
        }
        let found = engine.take_faults();
        assert_eq!(engine.faults_found() - before, found.len() as u64);
        assert!(
            found.iter().all(|found| found.is_repaired),
            "{fault:?}: {found:?}"
        );
        match found[..] {
            [] => Fate::Harmless,
            _ => Fate::Found(found),
        }
    }

    /// The number and the channel in which a fault flips a bit, unless it affects all numbers.
    fn struck(&self, fault: Fault) -> Option<(usize, &'static str, usize)> {
        let rows = self.channels.iter().sum::<usize>() as u64;
        let (row, rows) = match fault.kind {
            FaultKind::Word | FaultKind::Constant => (fault.place % rows, rows),
            FaultKind::Entry => (fault.place % (rows * ENTRIES) / ENTRIES, rows * ENTRIES),
            _ => return None,
        };
        let number = fault.place / rows % self.lanes as u64;
        let [a, b, _] = self.channels;
        let channel = match row as usize {
            row if row < a => ("base A", row),
            row if row < a + b => ("base B", row - a),
            row => ("the redundant channels", row - a - b),
        };
        Some((number as usize, channel.0, channel.1))
    }

    /// Checks the report of a fault, and returns whether it names the channel.
    fn check(&self, fault: Fault, found: &[FoundFault]) -> bool {
        let Some((number, base, index)) = self.struck(fault) else {
            // A weight belongs to all numbers, and to one channel.
            let mut named = found.iter().filter_map(|found| found.word);
            let first = named.next();
            assert!(
                named.all(|channel| Some(channel) == first),
                "{fault:?}: {found:?}"
            );
            return first.is_some();
        };
        let [found] = found else {
            panic!("{fault:?}: {found:?}");
        };
        assert_eq!(found.job, number, "{fault:?}: {found:?}");
        assert!(found.operation < self.work.programs.program().operations().len());
        if let Some(FaultyWord { part, index: i, .. }) = found.word {
            assert_eq!((part, i), (base, index), "{fault:?}: {found:?}");
        }
        found.word.is_some()
    }

    /// The operations that have values of a kind.
    fn operations(&self, kind: FaultKind) -> Vec<u64> {
        let operations = (0u64..).zip(&self.targets);
        let own = operations.filter(|(_, kinds)| kinds.contains(&kind));
        own.map(|(operation, _)| operation).collect()
    }
}

/// Silences the messages of assertions that faults trip.
fn quietly<T>(test: impl FnOnce() -> T) -> T {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(AssertUnwindSafe(test));
    panic::set_hook(hook);
    outcome.unwrap_or_else(|panic| panic::resume_unwind(panic))
}

/// Runs a test on one thread: the order of operations is always the same.
fn on_one_thread<T: Send>(test: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.unwrap().install(test)
}

/// Random faults of each kind, in every layout: the results are right, and the fault is reported.
#[test]
fn faults_are_repaired_and_located() {
    quietly(|| {
        for layout in LAYOUTS {
            for (bits, redundancy) in [(64, 2), (128, 1), (512, 2), (576, 4), (1024, 2)] {
                on_one_thread(|| strike_at_random(layout, bits, redundancy, 40));
            }
        }
    });
}

/// Many more faults, at sizes each of which has another plan.
#[test]
#[ignore = "takes some minutes"]
fn many_faults_are_repaired_and_located() {
    quietly(|| {
        for layout in LAYOUTS {
            for bits in [64, 192, 320, 512, 768, 1024, 2048] {
                for redundancy in 1..=4 {
                    on_one_thread(|| strike_at_random(layout, bits, redundancy, 600));
                }
            }
        }
    });
}

fn strike_at_random(layout: (&str, usize), bits: u32, redundancy: usize, faults: u64) {
    let Some(subject) = Subject::new(layout, bits, redundancy) else {
        return;
    };
    let mut random = Random(u64::from(bits) + redundancy as u64);
    for kind in KINDS {
        let operations = subject.operations(kind);
        let (mut harmless, mut found, mut asserted, mut located) = (0u64, 0u64, 0u64, 0u64);
        for _ in 0..faults {
            let fault = Fault {
                operation: operations[random.next() as usize % operations.len()],
                kind,
                place: random.next(),
            };
            match subject.strike(fault) {
                Fate::Harmless => harmless += 1,
                Fate::Asserted => asserted += 1,
                Fate::Found(faults) => {
                    found += 1;
                    located += u64::from(subject.check(fault, &faults));
                }
            }
        }
        println!(
            "{}, {bits} bits, {redundancy} redundant, {kind:?}: {harmless} harmless, {found} found, \
             {located} with their channel, {asserted} asserted",
            layout.0
        );
        assert!(found > faults / 10, "{layout:?}, {bits} bits, {kind:?}");
        if kind != FaultKind::Weight && redundancy >= 2 {
            assert_eq!(located, found, "{layout:?}, {bits} bits, {kind:?}");
        }
        assert!(redundancy >= 2 || located == 0);
    }
}

/// Every bit of every residue of one number, at every operation: in small plans, all possible faults in one
/// channel.
#[test]
fn every_residue_of_a_small_plan() {
    quietly(|| {
        for layout in [LAYOUTS[0], LAYOUTS[3]] {
            for redundancy in [1, 2, 3] {
                on_one_thread(|| strike_everywhere(layout, redundancy));
            }
        }
    });
}

fn strike_everywhere(layout: (&str, usize), redundancy: usize) {
    let Some(subject) = Subject::new(layout, 64, redundancy) else {
        return;
    };
    let rows = subject.channels.iter().sum::<usize>() as u64;
    let (mut found, mut harmless, mut asserted, mut unnamed) = (0u64, 0u64, 0u64, 0u64);
    for operation in subject.operations(FaultKind::Word) {
        for row in 0..rows {
            for bit in 0..u64::from(subject.w) - 1 {
                let fault = Fault {
                    operation,
                    kind: FaultKind::Word,
                    place: row + rows * (1 + subject.lanes as u64 * bit),
                };
                match subject.strike(fault) {
                    Fate::Harmless => harmless += 1,
                    Fate::Asserted => asserted += 1,
                    Fate::Found(faults) => {
                        found += 1;
                        unnamed += u64::from(!subject.check(fault, &faults));
                    }
                }
            }
        }
    }
    println!(
        "{}, {redundancy} redundant: {found} found, {unnamed} of them without a channel, {harmless} \
         harmless, {asserted} asserted",
        layout.0
    );
    assert!(found > 4 * harmless);
    assert!(unnamed == 0 || redundancy == 1);
}

/// A number that is wrong again when it is computed again is an error of its own, and its neighbours
/// have their results.
#[test]
fn a_fault_that_strikes_again() {
    let strike = |layout| {
        let Some(subject) = Subject::new(layout, 512, 2) else {
            return;
        };
        let engine = &subject.faulty.engine;
        subject.faulty.strike_again(true);
        let operation = subject.operations(FaultKind::Word)[6];
        let rows = subject.channels.iter().sum::<usize>() as u64;
        // The second time the number is alone, in lane 0.
        let fault = Fault {
            operation,
            kind: FaultKind::Word,
            place: 3,
        };
        assert!(fault.place < rows);
        subject.faulty.set_fault(fault);
        let outcomes = subject.work.run(engine);
        assert_eq!(outcomes[0], Err(EngineError::Fault { index: 0 }));
        for (outcome, right) in outcomes.iter().zip(&subject.right).skip(1) {
            assert_eq!(outcome.as_ref(), Ok(right));
        }
        let found = engine.take_faults();
        let [found] = &found[..] else {
            panic!("{found:?}");
        };
        assert!(!found.is_repaired && found.job == 0, "{found}");
        assert!(found.to_string().contains("withheld"), "{found}");
        assert!(found.word.is_some());
        subject.faulty.set_fault(fault);
        let jobs_as_one = subject.work.jobs();
        assert_eq!(
            engine.execute(&jobs_as_one),
            Err(EngineError::Fault { index: 0 })
        );
    };
    for layout in LAYOUTS {
        on_one_thread(|| strike(layout));
    }
}
