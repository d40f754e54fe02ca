//! Tests of `sunzi powmod` against num-bigint, and of the inputs that it refuses.

use crate::place::{error_line, json_lines, sunzi};
use num_bigint::BigUint;

/// Reproducible pseudo-random numbers (`SplitMix64`).
struct RandomNumbers(u64);

impl RandomNumbers {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of exactly `bits` bits.
    fn number(&mut self, bits: u64) -> BigUint {
        let words: Vec<u32> = (0..bits.div_ceil(32)).map(|_| self.word() as u32).collect();
        let mut number = BigUint::new(words) % (BigUint::from(1u8) << bits);
        number.set_bit(bits - 1, true);
        number
    }
}

struct Case {
    base: BigUint,
    exponent: BigUint,
    modulus: BigUint,
}

/// Runs the cases in one batch and compares each result.
fn agree(cases: &[Case], options: &[&str]) {
    let input: String = cases
        .iter()
        .enumerate()
        .map(
            |(
                i,
                Case {
                    base,
                    exponent,
                    modulus,
                },
            )| {
                // Hexadecimal and decimal notation in turn.
                if i % 2 == 0 {
                    format!(
                        "{{\"base\":\"{base:#x}\",\"exponent\":\"{exponent:#X}\",\
                     \"modulus\":\"{modulus}\"}}\n"
                    )
                    .replace("0X", "0x")
                } else {
                    format!(
                        "{{\"modulus\":\"{modulus:#x}\",\"exponent\":\"{exponent}\",\
                     \"base\":\"{base}\"}}\n"
                    )
                }
            },
        )
        .collect();
    let answers = json_lines(sunzi().arg("powmod").args(options).write_stdin(input), 0);
    assert_eq!(answers.len(), cases.len());
    for (
        Case {
            base,
            exponent,
            modulus,
        },
        answer,
    ) in cases.iter().zip(&answers)
    {
        let expected = format!("{:#x}", base.modpow(exponent, modulus));
        assert_eq!(
            answer["result"],
            expected.as_str(),
            "{base:#x}^{exponent:#x} mod {modulus:#x}"
        );
    }
}

/// Odd moduli of `bits` bits: a random one, the smallest and the largest.
fn moduli(numbers: &mut RandomNumbers, bits: u64) -> [BigUint; 3] {
    let mut random = numbers.number(bits);
    random.set_bit(0, true);
    let half = BigUint::from(1u8) << (bits - 1);
    [random, &half + 1u8, (half << 1u8) - 1u8]
}

fn bases(numbers: &mut RandomNumbers, modulus: &BigUint) -> Vec<BigUint> {
    let bits = modulus.bits();
    vec![
        BigUint::ZERO,
        BigUint::from(1u8),
        modulus - 1u8,
        modulus.clone(),
        modulus + 5u8,
        numbers.number(bits + 70),
        numbers.number(2 * bits),
        numbers.number(bits - 1),
    ]
}

#[test]
fn agrees_with_num_bigint_for_small_exponents_at_every_size() {
    let mut numbers = RandomNumbers(1);
    let mut cases = Vec::new();
    for bits in [64, 65, 127, 512, 1000, 1024, 2048, 3072, 4096, 8192, 16_384] {
        for modulus in moduli(&mut numbers, bits) {
            for base in bases(&mut numbers, &modulus) {
                for exponent in [0u32, 1, 2, 65_537] {
                    let (base, modulus) = (base.clone(), modulus.clone());
                    cases.push(Case {
                        base,
                        exponent: exponent.into(),
                        modulus,
                    });
                }
            }
        }
    }
    agree(&cases, &[]);
}

/// Moduli of fewer bits than the engine takes.
#[test]
fn agrees_with_num_bigint_for_short_moduli() {
    let mut numbers = RandomNumbers(5);
    let mut cases = Vec::new();
    for bits in [2, 3, 8, 13, 32, 33, 52, 63] {
        for modulus in moduli(&mut numbers, bits) {
            for base in bases(&mut numbers, &modulus) {
                for exponent in [BigUint::ZERO, 3u8.into(), numbers.number(100)] {
                    let (base, modulus) = (base.clone(), modulus.clone());
                    cases.push(Case {
                        base,
                        exponent,
                        modulus,
                    });
                }
            }
        }
    }
    agree(&cases, &[]);
    agree(&cases, &["--public-exponent"]);
}

/// Integers of JSON beside strings, of any length.
#[test]
fn numbers_are_integers_or_strings() {
    let mut numbers = RandomNumbers(6);
    let (base, exponent) = (numbers.number(300), numbers.number(200));
    let modulus = numbers.number(256) | BigUint::from(1u8);
    let input = format!(
        "{{\"base\":{base},\"exponent\":{exponent},\"modulus\":{modulus}}}\n\
         {{\"base\": {base} ,\"exponent\":\"\\u0030x{exponent:x}\",\"modulus\":\"{modulus}\"}}\n\
         {{\"base\":3,\"exponent\":4,\"modulus\":7}}\n"
    );
    let answers = json_lines(sunzi().arg("powmod").write_stdin(input), 0);
    let expected = format!("{:#x}", base.modpow(&exponent, &modulus));
    assert_eq!(answers[0]["result"], expected.as_str());
    assert_eq!(answers[1]["result"], expected.as_str());
    assert_eq!(answers[2]["result"], "0x4");
}

#[test]
fn agrees_with_num_bigint_for_full_exponents() {
    let mut numbers = RandomNumbers(2);
    let mut cases = Vec::new();
    for bits in [64, 65, 127, 512, 1000, 1024, 2048] {
        for modulus in moduli(&mut numbers, bits) {
            for base in bases(&mut numbers, &modulus) {
                let exponent = numbers.number(bits);
                cases.push(Case {
                    base,
                    exponent,
                    modulus: modulus.clone(),
                });
            }
        }
    }
    agree(&cases, &[]);
    agree(&cases, &["--public-exponent"]);
}

#[test]
fn agrees_with_num_bigint_for_full_exponents_of_large_moduli() {
    let mut numbers = RandomNumbers(3);
    let mut cases = Vec::new();
    for bits in [3072, 4096, 8192, 16_384] {
        let [modulus, ..] = moduli(&mut numbers, bits);
        let exponent = numbers.number(bits);
        cases.push(Case {
            base: numbers.number(bits + 1),
            exponent,
            modulus,
        });
    }
    agree(&cases, &[]);
}

/// Run by `make test-long`.
#[test]
#[ignore = "takes minutes unless optimized"]
fn agrees_with_num_bigint_for_full_exponents_of_the_largest_moduli() {
    let mut numbers = RandomNumbers(4);
    let [modulus, _, largest] = moduli(&mut numbers, 16_384);
    let cases = [modulus, largest].map(|modulus| Case {
        base: &modulus - 1u8 - numbers.number(100),
        exponent: numbers.number(16_384),
        modulus,
    });
    agree(&cases, &[]);
}

fn request(base: &str, exponent: &str, modulus: &str) -> String {
    format!("{{\"base\":\"{base}\",\"exponent\":\"{exponent}\",\"modulus\":\"{modulus}\"}}\n")
}

#[test]
fn lines_that_cannot_be_computed_are_answered_in_place() {
    let good = request("2", "10", "0xffffffffffffffc5");
    let too_wide = format!("0x1{}1", "0".repeat(4095));
    let far_too_wide = format!("0x1{}1", "0".repeat(20_000));
    let widest = format!("0x8{}1", "0".repeat(4094));
    let bad = [
        (
            request("2", "3", "0x10000000000000000"),
            "the modulus is even",
        ),
        (
            request("2", "3", "0"),
            "the modulus is 0: it must be odd, and at least 3",
        ),
        (request("2", "3", "1"), "the modulus is 1: it must be odd"),
        (
            request("2", "3", "0x7ffffffffffffffe"),
            "the modulus is 9223372036854775806: it must be odd",
        ),
        (
            request("2", "3", &too_wide),
            "the modulus has 16385 bits: 64 to 16384 are supported",
        ),
        (
            request("2", "3", &far_too_wide),
            "modulus: the number is too wide",
        ),
        (
            request("2", &too_wide, "0xffffffffffffffc5"),
            "exponent: the number has too many digits",
        ),
        (
            request("2", &format!("0x{:0>4097}", 3), "0xffffffffffffffc5"),
            "exponent: the number has too many digits: at most 16384 bits are allowed, leading \
             zeros included",
        ),
        (
            request("2", &"9".repeat(4933), "0xffffffffffffffc5"),
            "exponent: the number is too wide",
        ),
        (
            request(&far_too_wide, "1", "0xffffffffffffffc5"),
            "base: the number is too wide",
        ),
        (
            request("-2", "3", "0xffffffffffffffc5"),
            "base: the number is negative",
        ),
        (
            request("2", "", "0xffffffffffffffc5"),
            "exponent: the number is empty",
        ),
        (
            request("2", "3", "0xfffffffffffffgc5"),
            "modulus: not a number",
        ),
        (
            String::from("{\"base\":\"2\",\"modulus\":\"3\"}\n"),
            "not an object of base, exponent and modulus",
        ),
        (
            String::from("{\"base\":[2],\"exponent\":3,\"modulus\":7}\n"),
            "which are integers or strings of digits",
        ),
        (
            String::from("{\"base\":2,\"exponent\":-3,\"modulus\":7}\n"),
            "exponent: the number is negative",
        ),
        (
            String::from("{\"base\":2,\"exponent\":3,\"modulus\":7.0}\n"),
            "modulus: not a number",
        ),
        (
            String::from("{\"base\":2,\"exponent\":1e3,\"modulus\":7}\n"),
            "exponent: not a number",
        ),
        (String::from("{\"base\":\n"), "not JSON"),
        (format!("{}\n", "x".repeat(100_000)), "the line is too long"),
    ];
    let mut input = good.clone();
    for (line, _) in &bad {
        input += line;
        input += &good;
    }
    input += &request("3", &format!("0x{:0>4096}", 1), &widest);
    let answers = json_lines(sunzi().arg("powmod").write_stdin(input), 1);
    assert_eq!(answers.len(), 2 * bad.len() + 2);
    for (i, (_, reason)) in bad.iter().enumerate() {
        assert_eq!(answers[2 * i]["result"], "0x400");
        let answer = &answers[2 * i + 1];
        assert_eq!(answer["line"], 2 * i + 2);
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(reason), "{error} is not {reason}");
    }
    assert_eq!(answers.last().unwrap()["result"], "0x3");
}

#[test]
fn errors_quote_no_exponent() {
    // Also for numbers that are not strings, and for incomplete lines.
    for line in [
        "{\"exponent\":987654321}\n",
        "{\"exponent\":\"987654321\"\n",
    ] {
        let output = sunzi()
            .arg("powmod")
            .write_stdin(line)
            .assert()
            .code(1)
            .get_output()
            .clone();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(
            text.contains("error") && !text.contains("987654321"),
            "{text}"
        );
    }
}

#[test]
fn reads_files_and_refuses_empty_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    std::fs::write(&path, request("2", "3", "0xffffffffffffffc5").trim_end()).unwrap();
    let answers = json_lines(sunzi().arg("powmod").arg(&path), 0);
    assert_eq!(answers[0]["result"], "0x8");
    let error = error_line(sunzi().arg("powmod").write_stdin("\n\n"), 2);
    assert!(error.contains("nothing to compute"), "{error}");
    let error = error_line(sunzi().args(["powmod", "missing"]), 2);
    assert!(error.contains("missing: No such file"), "{error}");
}

#[test]
fn order_is_kept_over_many_batches() {
    let input: String = (0..3000)
        .map(|i| request("2", &i.to_string(), "0x1000000000000000f"))
        .collect();
    let answers = json_lines(sunzi().args(["powmod", "-j", "2"]).write_stdin(input), 0);
    let modulus = (1u128 << 64) + 15;
    let mut expected = 1u128;
    for answer in &answers {
        assert_eq!(answer["result"], format!("{expected:#x}").as_str());
        expected = expected * 2 % modulus;
    }
    assert_eq!(answers.len(), 3000);
}

/// The process takes about 52 MB of address space for a thousand lines, and has 200: a line with its numbers and its result
/// would take 200 bytes.
#[cfg(target_os = "linux")]
#[test]
fn a_million_and_three_lines_in_bounded_memory() {
    const LINES: u128 = 1_000_003;
    let folder = tempfile::tempdir().unwrap();
    let modulus = u64::MAX - 58;
    let input: String = (0..LINES)
        .map(|base| request(&base.to_string(), "5", &modulus.to_string()))
        .collect();
    std::fs::write(folder.path().join("input"), input).unwrap();
    let script = format!(
        "ulimit -v 200000; exec '{}' powmod -j 2 --public-exponent input >output",
        assert_cmd::cargo::cargo_bin("sunzi").display()
    );
    let status = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .status()
        .unwrap();
    assert!(status.success());
    let output = std::fs::read_to_string(folder.path().join("output")).unwrap();
    let mut results = output.lines();
    for base in 0..LINES {
        // Below 2^100.
        let power = base.pow(5) % u128::from(modulus);
        let expected = format!("{{\"result\":\"{power:#x}\"}}");
        assert_eq!(results.next(), Some(expected.as_str()), "{base}");
    }
    assert_eq!(results.next(), None);
}

#[test]
fn a_folder_as_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = sunzi();
    let error = error_line(command.arg("powmod").arg(folder.path()), 2);
    let name = folder.path().display().to_string();
    assert!(error.contains(&format!("cannot read {name}")), "{error}");
}
