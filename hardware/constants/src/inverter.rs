//! Tables and vectors of the plus-minus inverter on a Cox-Rower: binary-ternary (BTMI) and binary (BMI).
//!
//! The golden model is `sunzi_field::inversion`, which gives results and numbers of steps. The states
//! of a traced operation are computed here step by step, and end in the library's result.

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero};
use serde_json::{Value, json};
use sunzi_field::inversion::{BinaryInversion, BinaryTernaryInversion, Inverse, InversionError};
use sunzi_rns::{Modulus, Plain, Residues};

use crate::cox_rower::{Model, bases};
use crate::files::File;
use crate::json::{hex, lines};
use crate::random::Random;
use crate::systemverilog::{Bits, Header};

/// Primes of the paper, and two that are 1 modulo 4, for which the printed update function is wrong.
const PRIMES: [(&str, &str); 6] = [
    ("p192", "fffffffffffffffffffffffffffffffeffffffffffffffff"),
    (
        "p224",
        "ffffffffffffffffffffffffffffffff000000000000000000000001",
    ),
    (
        "ed25519",
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
    ),
    (
        "p256",
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    ),
    (
        "p384",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffff0000000000000000ffffffff",
    ),
    (
        "p521",
        "1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
         fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ),
];

/// An odd composite number, modulo which not all numbers have inverses.
const COMPOSITE: (&str, &str) = ("composite", "9ffffffffffffffb");

/// Width of a channel, in bits.
const WIDTH: u32 = 28;

/// `C0 = 12 P`, the offset of the affine form.
const OFFSET: u64 = 12;

/// The largest number of random operands for a core.
const MOST_RANDOM: usize = 200;

/// Tables and adversarial vectors of every core.
pub(crate) fn files() -> Vec<File> {
    let inverters = inverters().into_iter();
    inverters
        .flat_map(|m| [m.tables(), m.adversarial()])
        .collect()
}

/// Vectors with `count` random operands, and one traced inversion, for every core.
pub(crate) fn random_vectors(count: usize, random: &mut Random) -> Vec<File> {
    let inverters = inverters().into_iter();
    inverters
        .flat_map(|m| m.random(count.min(MOST_RANDOM), random))
        .collect()
}

fn inverters() -> Vec<Inverter> {
    let primes = PRIMES.into_iter().chain([COMPOSITE]);
    primes
        .flat_map(|prime| [true, false].map(|ternary| Inverter::new(prime, ternary)))
        .collect()
}

/// The library's inversion.
enum Library {
    BinaryTernary(Box<BinaryTernaryInversion>),
    Binary(Box<BinaryInversion>),
}

impl Library {
    fn invert(&self, x: &Residues) -> Result<Inverse, InversionError> {
        match self {
            Self::BinaryTernary(inversion) => inversion.invert_vartime(&Plain, x),
            Self::Binary(inversion) => inversion.invert_vartime(&Plain, x),
        }
    }

    fn kept_bits(&self) -> u32 {
        match self {
            Self::BinaryTernary(inversion) => inversion.kept_bits(),
            Self::Binary(inversion) => inversion.kept_bits(),
        }
    }
}

/// A number in affine form: `|(X + C0) (M/m_i)^-1|_{m_i}`.
type Hat = Vec<u128>;

/// The sign of the second term of a dividend.
#[derive(Clone, Copy)]
enum Dividend {
    Single,
    Sum,
    Difference,
}

/// One of the cores.
pub(crate) struct Inverter {
    name: String,
    pub(crate) model: Model,
    library: Library,
    ternary: bool,
    /// `P` and `C0` times `(M/m_i)^-1`.
    p1: Hat,
    c1: Hat,
}

impl Inverter {
    fn new((name, prime): (&str, &str), ternary: bool) -> Self {
        let p = BoxedUint::from_str_radix_vartime(prime, 16).expect("hexadecimal digits");
        // A wrong digit would make a number that is most likely composite.
        assert_eq!(name != COMPOSITE.0, is_probable_prime(&p), "{name}");
        let name = format!("{name}_{}", if ternary { "btmi" } else { "bmi" });
        Self::with_prime(name, &p, WIDTH, 1, ternary)
    }

    /// An inverter in base A of a Cox-Rower with rows of `columns` moduli.
    pub(crate) fn with_prime(
        name: String,
        p: &BoxedUint,
        width: u32,
        columns: usize,
        ternary: bool,
    ) -> Self {
        let bases = bases(p, width, columns, 6, [27, 27]);
        let model = Model::with_bases(name.clone(), p.clone(), bases, columns, 1);
        let base = &model.a;
        let library = if ternary {
            let inversion = BinaryTernaryInversion::new(base, p).expect("a base for P");
            Library::BinaryTernary(Box::new(inversion))
        } else {
            Library::Binary(Box::new(
                BinaryInversion::new(base, p).expect("a base for P"),
            ))
        };
        let c0 = p.concatenating_mul(BoxedUint::from(OFFSET));
        let digits = |x: &BoxedUint| Residues::reduced(base, x).crt_digits(&Plain).to_vec();
        let (p1, c1) = (digits(p), digits(&c0));
        Self {
            name,
            model,
            library,
            ternary,
            p1,
            c1,
        }
    }

    /// The library's inverse of the residues of a number below `P`.
    pub(crate) fn invert(&self, x: &Residues) -> Result<Residues, InversionError> {
        self.library.invert(x).map(|inverse| inverse.value)
    }

    fn file(&self, name: &str, text: String) -> File {
        let path = format!("inverter/{}/{name}", self.name);
        File { path, text }
    }

    /// `value(i, m)` in every channel.
    fn channels(&self, value: impl Fn(usize, &Modulus) -> u128) -> Hat {
        let moduli = self.model.a.moduli().iter().enumerate();
        moduli.map(|(i, m)| value(i, m)).collect()
    }

    /// The affine form of a number.
    fn hat(&self, x: &Residues) -> Hat {
        let digits = x.crt_digits(&Plain);
        self.channels(|i, m| m.add(digits[i], self.c1[i]))
    }

    fn small_hat(&self, x: u64) -> Hat {
        self.hat(&Residues::reduced(&self.model.a, &BoxedUint::from(x)))
    }

    /// `X mod 12` of a number in affine form, from the integer `X + C0`.
    fn small(&self, hat: &Hat) -> u32 {
        let base = &self.model.a;
        let values = self.channels(|i, m| m.mul(hat[i], m.reduce_uint(&base.cofactor(i))));
        let shifted = Residues::new(base, values).expect("residues").to_uint();
        remainder(&shifted, 12)
    }

    /// `1/D` in every channel.
    fn inverse_of(&self, divisor: u32) -> Hat {
        self.channels(|_, m| m.invert_vartime(divisor.into()).expect("coprime to 6"))
    }

    /// The constant of a division by D of a dividend that is `small` modulo 12:
    /// `(f P1 + (D - 1) C1)/D`, with one `C1` less for a sum and one more for a difference.
    fn constant(&self, divisor: u32, dividend: Dividend, small: u32) -> Hat {
        let p_small = remainder(&self.model.p, 12);
        let f = (144 - small * p_small) % divisor;
        let negative = f > divisor / 2;
        let magnitude = u128::from(if negative { divisor - f } else { f });
        let c1_count = u128::from(match dividend {
            Dividend::Single => divisor - 1,
            Dividend::Sum => divisor - 2,
            Dividend::Difference => divisor,
        });
        let inverse = self.inverse_of(divisor);
        self.channels(|i, m| {
            let p_term = m.mul(m.reduce(magnitude), self.p1[i]);
            let signed = if negative { m.neg(p_term) } else { p_term };
            m.mul(
                m.add(signed, m.mul(m.reduce(c1_count), self.c1[i])),
                inverse[i],
            )
        })
    }

    /// The constants of a division by D, in the order of the residues `3 (X mod 4) + X mod 3`, of
    /// which D needs some.
    fn constants(&self, divisor: u32, dividend: Dividend) -> Vec<Hat> {
        let (fours, threes) = match divisor {
            2 => (2, 1),
            3 => (1, 3),
            4 => (4, 1),
            6 => (2, 3),
            _ => (4, 3),
        };
        let pairs = (0..fours).flat_map(|four| (0..threes).map(move |three| (four, three)));
        let small = |(four, three)| {
            (0..12)
                .find(|x| x % fours == four && x % threes == three)
                .unwrap_or(0)
        };
        pairs
            .map(|pair| self.constant(divisor, dividend, small(pair)))
            .collect()
    }

    /// The words of the inversion in the memories of factors and addends, for each rower.
    fn memories(&self) -> [Vec<Vec<u128>>; 2] {
        let base = &self.model.a;
        let mut factors = vec![
            base.cofactor_inverses().to_vec(),
            self.channels(|i, m| m.reduce_uint(&base.cofactor(i))),
        ];
        let divisors: &[u32] = if self.ternary {
            &[2, 4, 3, 6, 12]
        } else {
            &[2, 4]
        };
        factors.extend(divisors.iter().map(|&d| self.inverse_of(d)));
        let p = Residues::reduced(base, &self.model.p);
        let c0 = self.channels(|i, m| m.mul(m.reduce(OFFSET.into()), p.values()[i]));
        let mut addends = vec![
            self.c1.clone(),
            self.small_hat(1),
            self.hat(&p),
            self.channels(|i, m| m.sub(p.values()[i], c0[i])),
            self.channels(|i, m| m.add(p.values()[i], c0[i])),
        ];
        for &divisor in divisors {
            addends.extend(self.constants(divisor, Dividend::Single));
        }
        for &divisor in if self.ternary { &[6, 12][..] } else { &[4] } {
            addends.extend(self.constants(divisor, Dividend::Sum));
            addends.extend(self.constants(divisor, Dividend::Difference));
        }
        [factors, addends].map(|words| {
            let rowers = 0..base.len();
            rowers
                .map(|i| words.iter().map(|word| word[i]).collect())
                .collect()
        })
    }

    /// The first factor that is neither the reduction's nor the inversion's.
    pub(crate) fn free_factor(&self) -> usize {
        self.model.memory_words()[0] + self.memories()[0][0].len()
    }

    /// The header, of the Cox-Rower, of the inversion, and of a client with more factors for each
    /// rower.
    pub(crate) fn header(&self, about: &str, more: &[Vec<u128>]) -> Header {
        let [mut factors, addends] = self.memories();
        for (words, more) in factors.iter_mut().zip(more) {
            words.extend(more);
        }
        let plain = self.model.memory_words();
        let mut header = self.model.header(about, [&factors, &addends]);
        let base = &self.model.a;
        let bits = self.model.p.bits_vartime();
        let weight = |k: u32| -> Vec<u128> {
            let negative = |i| u128::from(remainder(&base.cofactor(i), k) == k - 1);
            (0..base.len()).map(negative).collect()
        };
        let integers = [
            ("Whether it is BTMI.", "TERNARY", u32::from(self.ternary)),
            (
                "t of the inversion.",
                "INVERSION_KEPT",
                self.library.kept_bits(),
            ),
            ("Bound on u + v, in half bits.", "INVERSION_BOUND", 4 * bits),
            (
                "First factor of the inversion.",
                "INVERSION_FACTORS",
                plain[0] as u32,
            ),
            (
                "First addend of the inversion.",
                "INVERSION_ADDENDS",
                plain[1] as u32,
            ),
            ("P modulo 4.", "P_4", remainder(&self.model.p, 4)),
            ("P modulo 3.", "P_3", remainder(&self.model.p, 3)),
            ("A modulo 4.", "RANGE_4", remainder(base.product(), 4)),
            ("A modulo 3.", "RANGE_3", remainder(base.product(), 3)),
        ];
        for (about, name, value) in integers {
            header.integer(about, name, value);
        }
        let minus_one = Residues::one(base).neg(&Plain);
        let width = self.model.width;
        let vectors = [
            (
                "Whether A/a = -1 modulo 4.",
                "NEGATIVE_4",
                Bits::residues(&weight(4), 1),
            ),
            (
                "Whether A/a = -1 modulo 3.",
                "NEGATIVE_3",
                Bits::residues(&weight(3), 1),
            ),
            (
                "1 in affine form.",
                "ONE",
                Bits::residues(&self.small_hat(1), width),
            ),
            (
                "-1 in affine form.",
                "MINUS_ONE",
                Bits::residues(&self.hat(&minus_one), width),
            ),
        ];
        for (about, name, bits) in &vectors {
            header.vector(about, name, bits);
        }
        header
    }

    fn tables(&self) -> File {
        let bits = self.model.p.bits_vartime();
        let about = format!("Cox-Rower with inversion, for a P of {bits} bits.");
        let name = format!("inverter_{}", self.name);
        let residues = (2 * self.model.count()) as u32 * self.model.width;
        let ports = [
            ("input", "invert", 1),
            ("input", "x", residues),
            ("input", "y", residues),
            ("output", "s", residues),
            ("output", "failed", 1),
            ("output", "outer_steps", 16),
            ("output", "inner_steps", 16),
        ];
        let text = self
            .header(&about, &[])
            .module("inverter", &name, &["SHARE"], &ports);
        self.file(&format!("{name}.sv"), text)
    }

    /// One inversion by the library: result and steps, or a note that there is no inverse.
    fn case(&self, a: &BoxedUint) -> Value {
        let x = self.model.residues(a);
        match self.library.invert(&x[0]) {
            Ok(inverse) => json!({
                "x": hex(x[0].values()), "s": hex(inverse.value.values()),
                "outer": inverse.outer_loops, "inner": inverse.inner_loops,
            }),
            Err(InversionError::NotInvertible) => json!({"x": hex(x[0].values()), "s": null}),
            Err(error) => panic!("{error}"),
        }
    }

    fn adversarial(&self) -> File {
        let p = &self.model.p;
        let from_p = |k: u64| p.wrapping_sub(BoxedUint::from(k));
        let mut operands: Vec<BoxedUint> = [0u64, 1, 2, 3, 4, 5, 6, 9, 12, 18]
            .map(BoxedUint::from)
            .to_vec();
        operands.extend([1, 2, 3].map(from_p));
        // Powers of 2 and 3 take the most inner steps.
        operands.push(
            BoxedUint::one_with_precision(p.bits_precision())
                .unbounded_shl_vartime(150 % p.bits_vartime()),
        );
        operands.push(p.unbounded_shr_vartime(1));
        if p.bits_vartime() == 521 {
            // For this operand a Cox with t = 5 is wrong in a base of 22 moduli of 24 bits.
            operands.push(
                BoxedUint::from_str_radix_vartime(
                    "45caf7310f3673d0031ad15e65859f5e3c31829202800e317376bdb79a48f69bb6e0804fb4\
                     6a9dfa0bc3fa17125174e3d3478e08d6d161d1e61c7d93ab32e0d1e",
                    16,
                )
                .expect("hexadecimal digits"),
            );
        }
        let cases = operands.iter().map(|a| self.case(a));
        self.file("adversarial.json", lines(cases))
    }

    fn random(&self, count: usize, random: &mut Random) -> Vec<File> {
        let operands: Vec<BoxedUint> = (0..count).map(|_| random.below(&self.model.p)).collect();
        let mut files =
            vec![self.file("random.json", lines(operands.iter().map(|a| self.case(a))))];
        if self.name.starts_with(COMPOSITE.0) {
            return files;
        }
        files.push(self.file("trace_random.json", lines([self.trace(&operands[0])])));
        files
    }

    /// All states of one inversion: `[step, V3 mod 12, V1 mod 12, V3, V1]` after every step.
    fn trace(&self, a: &BoxedUint) -> Value {
        let x = self.model.residues(a);
        let p = Residues::reduced(&self.model.a, &self.model.p);
        let (one, minus_one) = {
            let unit = Residues::one(&self.model.a);
            (self.hat(&unit), self.hat(&unit.neg(&Plain)))
        };
        let (mut u1, mut u3) = (self.small_hat(0), self.hat(&p));
        let (mut v1, mut v3) = (one.clone(), self.hat(&x[0]));
        let (mut u, mut v) = (0, 0);
        let mut steps = Vec::new();
        let mut record = |kind: &str, v3: &Hat, v1: &Hat| {
            let smalls = [self.small(v3), self.small(v1)];
            steps.push(json!([kind, smalls[0], smalls[1], hex(v3), hex(v1)]));
        };
        let unit = |x: &Hat| *x == one || *x == minus_one;
        while !unit(&v3) && !unit(&u3) {
            while let Some((divisor, gain)) = self.divisor(self.small(&v3)) {
                v3 = self.divide(divisor, Dividend::Single, &v3, None);
                v1 = self.divide(divisor, Dividend::Single, &v1, None);
                v += gain;
                record("inner", &v3, &v1);
            }
            let [three, four] = [&v3, &u3].map(|x| self.small(x));
            let (sum, difference) = (three + four, three + 12 - four);
            let k = if self.ternary { 3 } else { 4 };
            let (dividend, small) = if sum % k == 0 {
                (Dividend::Sum, sum)
            } else {
                (Dividend::Difference, difference)
            };
            let (divisor, gain) = match (self.ternary, small % 4 == 0) {
                (false, _) => (4, 2),
                (true, true) => (12, 5),
                (true, false) => (6, 3),
            };
            let next3 = self.divide(divisor, dividend, &v3, Some(&u3));
            let next1 = self.divide(divisor, dividend, &v1, Some(&u1));
            if v > u {
                (u3, u1) = (v3, v1);
                (u, v) = (v, u);
            }
            (v3, v1) = (next3, next1);
            v += gain;
            record("outer", &v3, &v1);
        }
        let inverse = self.library.invert(&x[0]).expect("a prime");
        let counted = (inverse.outer_loops + inverse.inner_loops) as usize;
        assert_eq!(steps.len(), counted, "the library takes other steps");
        json!({"x": hex(x[0].values()), "s": hex(inverse.value.values()), "steps": steps,
               "outer": inverse.outer_loops, "inner": inverse.inner_loops,
               "product": self.model.small_product(a, a)})
    }

    /// The divisor of an inner step, and its logarithm in half bits.
    fn divisor(&self, small: u32) -> Option<(u32, u32)> {
        let triple = self.ternary && small.is_multiple_of(3);
        match (small % 4, triple) {
            (0, true) => Some((12, 7)),
            (2, true) => Some((6, 5)),
            (_, true) => Some((3, 3)),
            (0, false) => Some((4, 4)),
            (2, false) => Some((2, 2)),
            _ => None,
        }
    }

    fn divide(&self, divisor: u32, dividend: Dividend, x: &Hat, y: Option<&Hat>) -> Hat {
        let zero = vec![0; x.len()];
        let combined = self.channels(|i, m| match dividend {
            Dividend::Difference => m.sub(x[i], y.unwrap_or(&zero)[i]),
            _ => m.add(x[i], y.unwrap_or(&zero)[i]),
        });
        let small = match (dividend, y) {
            (Dividend::Sum, Some(y)) => self.small(x) + self.small(y),
            (Dividend::Difference, Some(y)) => self.small(x) + 12 - self.small(y),
            _ => self.small(x),
        };
        let (inverse, constant) = (
            self.inverse_of(divisor),
            self.constant(divisor, dividend, small % 12),
        );
        self.channels(|i, m| m.add(m.mul(combined[i], inverse[i]), constant[i]))
    }
}

/// Fermat's test for the base 2.
fn is_probable_prime(p: &BoxedUint) -> bool {
    let exponent = p.wrapping_sub(BoxedUint::one());
    let p = Option::<NonZero<BoxedUint>>::from(NonZero::new(p.clone())).expect("P > 0");
    let mut power = BoxedUint::one();
    for bit in (0..exponent.bits_vartime()).rev() {
        power = power.concatenating_mul(&power).rem_vartime(&p);
        if exponent.bit_vartime(bit) {
            power = power
                .concatenating_mul(BoxedUint::from(2u64))
                .rem_vartime(&p);
        }
    }
    power == BoxedUint::one()
}

/// `x mod k` for a small `k`.
fn remainder(x: &BoxedUint, k: u32) -> u32 {
    let words = x.as_words().iter().rev();
    let remainder = words.fold(0u128, |acc, &word| {
        ((acc << 64) | u128::from(word)) % u128::from(k)
    });
    remainder as u32
}
