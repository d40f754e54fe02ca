//! The engine's kernels have no integer division of secret numbers, as its time depends on the operands, and no load or
//! store under a mask, as the time of later instructions may depend on the mask. The test disassembles its own
//! executable, which contains the kernels: `make division` compiles it as in a release, with lines of the sources, by
//! which divisions of public numbers are known.

use crypto_bigint::BoxedUint;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use sunzi_engine::{Backend, Engine, Exponent, Task};

/// Modules with the functions that handle secret numbers: kernels, table look-up, and the loop over the
/// exponent.
const KERNELS: [&str; 12] = [
    "sunzi_engine::interpreter::",
    "sunzi_engine::limbs::fused52::",
    "sunzi_engine::limbs::group::",
    "sunzi_engine::limbs::radix52::",
    "sunzi_engine::limbs::segments::",
    "sunzi_engine::lookup::",
    "sunzi_engine::residues::avx512::",
    "sunzi_engine::residues::float::",
    "sunzi_engine::residues::lanes::",
    "sunzi_engine::residues::plan::channel::",
    "sunzi_engine::residues::portable::",
    "sunzi_engine::words::",
];

/// Source files whose divisions are of public lengths: the number of chunks of a slice, of rows of a matrix, of
/// channels in a register, of blocks of a number's limbs, and of products that a column holds.
const OF_LENGTHS: [&str; 10] = [
    "library/core/src/slice/iter.rs:",
    "library/core/src/slice/mod.rs:",
    "library/core/src/iter/adapters/zip.rs:",
    "src/residues/plan/matrix.rs:",
    "src/residues/avx512/lanes/select.rs:",
    "src/residues/avx512/spread/constants.rs:",
    "src/limbs/fused52/combine.rs:",
    "src/limbs/fused52/product.rs:",
    "src/limbs/plan.rs:",
    "src/limbs/radix52/combine.rs:",
];

/// Functions whose divisions are of public lengths or of the channels' moduli, which are public: the layout of channels
/// in registers, and the numbers of a table's channels and of a matrix's blocks, which the compiler computes on a line of another file.
const OF_PUBLIC_NUMBERS: [&str; 6] = [
    "sunzi_engine::residues::float::matrix::FloatMatrix::from_rows",
    "residues::float::spread::SpreadGroup<S,_> as sunzi_engine::group::Group>::select_public",
    "residues::float::spread::SpreadGroup<S,_> as sunzi_engine::group::Group>::store_at",
    "sunzi_engine::residues::avx512::spread::constants::",
    "sunzi_engine::limbs::fused52::lookup::select",
    "sunzi_engine::limbs::radix52::lookup::select",
];

/// Functions that break a number on purpose. They are in no release, but the engine has the feature `testing`
/// when the whole workspace is tested.
const OF_TESTS: [&str; 5] = [
    "::flip",
    "::split_place",
    "::with_flipped_constant",
    "::with_flipped_weight",
    "::testing::",
];

/// One function of the disassembly.
#[derive(Default)]
struct Function {
    name: String,
    instructions: usize,
    /// Instruction and source line of each division.
    divisions: Vec<(String, String)>,
    /// Loads and stores under a mask.
    masked: Vec<String>,
}

impl Function {
    /// The entry of [`KERNELS`] that the function belongs to, if any.
    fn kernels(&self) -> Option<&'static str> {
        if OF_TESTS.iter().any(|tests| self.name.contains(tests)) {
            return None;
        }
        // The module of an implementation comes before those of its trait and its type.
        let place = |kernels: &&str| self.name.find(kernels).unwrap_or(usize::MAX);
        let first = KERNELS.into_iter().min_by_key(place);
        first.filter(|kernels| self.name.contains(kernels))
    }

    fn is_of_public_numbers(&self) -> bool {
        OF_PUBLIC_NUMBERS
            .iter()
            .any(|name| self.name.contains(name))
    }
}

/// Results of the search.
#[derive(Default)]
struct Findings {
    /// Number of instructions in each of [`KERNELS`].
    instructions: BTreeMap<&'static str, usize>,
    /// Number of divisions of public numbers in kernels.
    public: usize,
    /// Number of divisions outside the kernels.
    elsewhere: usize,
    /// The other divisions, loads and stores under a mask, which must not exist.
    wrong: Vec<String>,
}

impl Findings {
    fn add(&mut self, function: Function) {
        let Some(kernels) = function.kernels() else {
            self.elsewhere += function.divisions.len();
            return;
        };
        *self.instructions.entry(kernels).or_default() += function.instructions;
        let masked = function.masked.iter();
        self.wrong
            .extend(masked.map(|masked| format!("{}: {masked}", function.name)));
        let public = function.is_of_public_numbers();
        for (instruction, source) in function.divisions {
            if public || OF_LENGTHS.iter().any(|lengths| source.contains(lengths)) {
                self.public += 1;
            } else {
                let name = &function.name;
                self.wrong
                    .push(format!("{name}: {instruction} of {source}"));
            }
        }
    }
}

/// The name in a line `0000000000012340 <name>:`. A name from the debug information has a line of
/// its own, which may end in the same way but has no address.
fn function_name(line: &str) -> Option<&str> {
    let (address, name) = line.strip_suffix(">:")?.split_once(" <")?;
    let is_address = address.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_address.then_some(name)
}

/// Whether an instruction is a move under a mask that reads or writes memory, such as
/// `vmovdqa64 %zmm1,(%rsi){%k1}`, or `vmaskmovpd %ymm1,%ymm0,(%rsi)` of AVX2.
fn is_masked_access(mnemonic: &str, instruction: &str) -> bool {
    let under_mask = mnemonic.starts_with("vmov") && instruction.contains("{%k");
    let of_avx2 = mnemonic.contains("maskmov");
    (under_mask || of_avx2) && instruction.contains('(')
}

/// Runs every backend that this processor supports. All backends are linked, also those that do not
/// run.
fn use_the_kernels() {
    let [base, exponent] = [3u64, 65_537].map(BoxedUint::from);
    for &backend in Backend::ALL {
        match Engine::new(backend) {
            Err(reason) => println!("{reason}: not run"),
            Ok(engine) => {
                let modulus = BoxedUint::from((1u128 << 127) - 1);
                let modulus = engine.modulus(&modulus).unwrap();
                let task = Task::power(&modulus, &base, Exponent::Secret(&exponent));
                for count in [1, 5, 9, 32] {
                    assert_eq!(engine.run(&vec![task; count]).unwrap().len(), count);
                }
            }
        }
    }
}

#[test]
fn no_kernel_divides_or_moves_under_a_mask() {
    use_the_kernels();
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: the names of division instructions are known for x86-64 only");
        return;
    }
    let objdump = Command::new("objdump")
        .args(["--disassemble", "--line-numbers", "--demangle"])
        .arg("--no-show-raw-insn")
        .arg(std::env::current_exe().unwrap())
        .stdout(Stdio::piped())
        .spawn();
    let mut objdump = match objdump {
        Ok(objdump) => objdump,
        Err(error) => {
            println!("skipped: objdump (of GNU binutils) cannot be run: {error}");
            return;
        }
    };

    let mut findings = Findings::default();
    let (mut function, mut source) = (Function::default(), String::new());
    for line in BufReader::new(objdump.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        // A function begins with `0000000000012340 <name>:`. Its lines are `  12340:\tdiv %rcx`, after
        // `/path/of/source.rs:12` wherever the source line changes.
        if let Some(name) = function_name(&line) {
            let name = name.to_owned();
            let next = Function {
                name,
                ..Function::default()
            };
            findings.add(std::mem::replace(&mut function, next));
            source.clear();
        } else if let Some((_, instruction)) = line.split_once(":\t") {
            let mnemonic = instruction.split_whitespace().next().unwrap_or_default();
            let divides = matches!(
                mnemonic.strip_prefix('i').unwrap_or(mnemonic),
                "div" | "divb" | "divw" | "divl" | "divq"
            );
            function.instructions += 1;
            if is_masked_access(mnemonic, instruction) {
                function.masked.push(instruction.trim().to_owned());
            }
            if divides {
                let division = (instruction.trim().to_owned(), source.clone());
                function.divisions.push(division);
            }
        } else if line.contains(".rs:") {
            source = line;
        }
    }
    findings.add(function);
    assert!(objdump.wait().unwrap().success());
    let Findings {
        instructions,
        public,
        elsewhere,
        wrong,
    } = findings;
    println!(
        "instructions: {instructions:?}; divisions of public numbers: {public}, outside the \
         kernels: {elsewhere}"
    );
    // The search found all kernels, and recognizes divisions.
    for kernels in KERNELS {
        let here = instructions.contains_key(kernels);
        assert!(here, "nothing of {kernels} found");
    }
    assert!(elsewhere > 0);
    assert!(wrong.is_empty(), "{} instructions: {wrong:#?}", wrong.len());
}
