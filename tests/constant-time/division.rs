//! No integer division of a number in the engine's kernels: its time depends on the operands. This
//! executable, which has the kernels in it, is disassembled as it was built: `make test` does so
//! for the development profile, `make constant-time` for release.

use crypto_bigint::BoxedUint;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use sunzi_engine::{Backend, Engine, Exponent, Task};

/// Where the functions are that touch a number: kernels, table look-up, the walk over the exponent.
const KERNELS: [&str; 3] = [
    "sunzi_engine::backend::portable::",
    "sunzi_engine::backend::avx512::",
    "sunzi_engine::backend::lanes::",
];

/// Sources whose divisions are of lengths, which are public: how many pieces a slice is walked in,
/// how many rows a matrix has, and how many channels lie in a register.
const OF_LENGTHS: [&str; 3] = [
    "library/core/src/slice/iter.rs:",
    "src/backend/plan/matrix.rs:",
    "src/backend/avx512/spread/layout.rs:",
];

/// Runs every backend that this processor has: all of them are linked, whatever runs.
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
                    assert_eq!(engine.run(&vec![task; count]).len(), count);
                }
            }
        }
    }
}

#[test]
fn no_kernel_divides() {
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

    let (mut function, mut source) = (String::new(), String::new());
    let mut instructions = BTreeMap::<&str, usize>::new();
    let (mut of_lengths, mut elsewhere) = (0, 0);
    let mut wrong = Vec::new();
    for line in BufReader::new(objdump.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        // A function begins with `0000000000012340 <name>:`. Its lines are `  12340:\tdiv %rcx`,
        // after `/path/of/source.rs:12` wherever that changes.
        if let Some(name) = line.strip_suffix(">:") {
            name.split_once('<')
                .map_or("", |(_, name)| name)
                .clone_into(&mut function);
            source.clear();
        } else if let Some((_, instruction)) = line.split_once(":\t") {
            let mnemonic = instruction.split_whitespace().next().unwrap_or_default();
            let divides = matches!(
                mnemonic.strip_prefix('i').unwrap_or(mnemonic),
                "div" | "divb" | "divw" | "divl" | "divq"
            );
            let Some(kernels) = KERNELS.iter().find(|kernels| function.contains(*kernels)) else {
                elsewhere += usize::from(divides);
                continue;
            };
            *instructions.entry(kernels).or_default() += 1;
            if divides && OF_LENGTHS.iter().any(|lengths| source.contains(lengths)) {
                of_lengths += 1;
            } else if divides {
                wrong.push(format!("{function}: {} of {source}", instruction.trim()));
            }
        } else if line.contains(".rs:") {
            source = line;
        }
    }
    assert!(objdump.wait().unwrap().success());
    println!(
        "instructions: {instructions:?}; divisions of lengths: {of_lengths}, outside the kernels: \
         {elsewhere}"
    );
    // Neither an empty search nor one that does not know a division when it sees one.
    for kernels in KERNELS {
        let here = instructions.contains_key(kernels);
        assert!(here, "nothing of {kernels} found");
    }
    assert!(elsewhere > 0);
    assert!(wrong.is_empty(), "{} divisions: {wrong:#?}", wrong.len());
}
