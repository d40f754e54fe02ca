//! Table 1 and Table 2 of the paper, with the numbers that are counted and timed here.

use super::CubeRsaError;
use super::arithmetic::{Division, IntegerMontgomery};
use super::competitors::{Crt, Method, Work};
use super::hypercube::{Form, HypercubeError};
use crate::random::Random;
use crate::table::{Cell, Origin, Table};
use crate::timing::{Times, summary};
use crypto_bigint::{BoxedUint, Limb, NonZero};
use std::num::NonZeroU32;
use std::time::Instant;

/// Entries `(bits, c, d)`: the offsets from two pseudo-random odd numbers of `bits` bits to the
/// next primes.
const PRIMES: [(u32, u32, u32); 4] = [
    (256, 420, 86),
    (512, 594, 142),
    (1024, 2392, 1512),
    (2048, 3220, 636),
];

/// A modulus of 512, 1024, 2048 or 4096 bits: the product of two primes of half the size, the same
/// in every run. `None` for other sizes.
pub fn modulus(bits: u32) -> Option<Crt> {
    let (half, first, second) = PRIMES.into_iter().find(|primes| 2 * primes.0 == bits)?;
    let mut random = Random(u64::from(half));
    let second_bit = BoxedUint::one_with_precision(half).shl(half - 2);
    let mut prime = |offset: u32| {
        let start = random.odd(half) | &second_bit;
        start.wrapping_add(BoxedUint::from(offset))
    };
    Crt::new(&prime(first), &prime(second))
}

/// The size of the exponents of Table 1, in bits.
const COUNTED_BITS: u32 = 1024;

/// A row of Table 1: numbers of multiplications for an exponent of 1024 bits, with two cubes.
#[derive(Clone, Debug)]
pub struct CountRow {
    /// The name of the method that is run here.
    pub method: String,
    /// The formula printed in the paper.
    pub printed_formula: Option<&'static str>,
    /// The worst-case number printed in the paper.
    pub printed_worst: Option<&'static str>,
    /// The number of processors that share the work.
    pub processors: usize,
    /// The number of products on the critical path for `e = 2^1023`.
    pub one_bit: usize,
    /// The mean number of products on the critical path, over random odd exponents.
    pub mean: f64,
    /// The mean number of products of all processors, over the same exponents.
    pub mean_total: f64,
    /// The number of products on the critical path for `e = 2^1024 - 1`.
    pub all_ones: usize,
}

/// Table 1: numbers of multiplications.
#[derive(Clone, Debug)]
pub struct Counts {
    /// The number of random exponents for the means.
    pub exponents: usize,
    /// The rows, one for each method.
    pub rows: Vec<CountRow>,
    /// The number of products on the critical path of optimized CRSA for its worst exponent.
    pub crsa_worst: usize,
    /// The number of these products that compute `B`, which the paper does not count.
    pub crsa_worst_for_b: usize,
    /// The number of products on the critical path of a loop of `e` products shared by 4
    /// processors, for `e = 2^16 - 1`. For 1024 bits the same loop has `2^1022 = 4.4942e307`.
    pub loop_of_16_bits: usize,
}

/// A power and the work it took, or an error.
type PowerAndWork = Result<(BoxedUint, Work), CubeRsaError>;

/// Table 1, counted with every method on the same `exponents` pseudo-random odd exponents, and on
/// `2^1023` and `2^1024 - 1`.
///
/// # Errors
/// [`CubeRsaError::Disagreement`] if two methods give different powers.
pub fn count(exponents: usize) -> Result<Counts, CubeRsaError> {
    let crt = modulus(COUNTED_BITS).ok_or(CubeRsaError::NoModulus(COUNTED_BITS))?;
    let arithmetic = IntegerMontgomery::new(&crt.modulus())?;
    let mut random = Random(1);
    let base = random.below_power_of_two(COUNTED_BITS - 1);
    let one = BoxedUint::one_with_precision(COUNTED_BITS);
    let one_bit = one.shl(COUNTED_BITS - 1);
    let all_ones = BoxedUint::max(COUNTED_BITS);
    let odd = (0..exponents).map(|_| random.odd(COUNTED_BITS));
    let all = [one_bit, all_ones]
        .into_iter()
        .chain(odd)
        .collect::<Vec<_>>();
    let expected = all
        .iter()
        .map(|e| Ok(Method::Binary.power(&arithmetic, &base, e)?.0))
        .collect::<Result<Vec<_>, CubeRsaError>>()?;

    let row = |name: String,
               printed: Option<(&'static str, &'static str)>,
               power: &dyn Fn(&BoxedUint) -> PowerAndWork| {
        let mut works = Vec::with_capacity(all.len());
        for (e, expected) in all.iter().zip(&expected) {
            let (power, work) = power(e)?;
            if power != *expected {
                return Err(CubeRsaError::Disagreement {
                    method: name,
                    bits: e.bits(),
                });
            }
            works.push(work);
        }
        let mean = |part: fn(&Work) -> usize| {
            let sum = works[2..].iter().map(part).sum::<usize>();
            sum as f64 / exponents.max(1) as f64
        };
        Ok(CountRow {
            method: name,
            printed_formula: printed.map(|(formula, _)| formula),
            printed_worst: printed.map(|(_, worst)| worst),
            processors: works[0].processors,
            one_bit: works[0].in_a_row,
            mean: mean(|work| work.in_a_row),
            mean_total: mean(|work| work.total),
            all_ones: works[1].in_a_row,
        })
    };
    let method = |method: Method, printed| {
        row(method.to_string(), printed, &|e| {
            method.power(&arithmetic, &base, e)
        })
    };
    // A stream of three powers has reached its steady state at the end.
    let stream = |method: Method| {
        row(format!("{method}, each of a stream"), None, &|e| {
            let bases = [base.clone(), base.clone(), base.clone()];
            let (mut powers, work) = method.powers(&arithmetic, &bases, e)?;
            Ok((powers.pop().unwrap_or_else(BoxedUint::one), work))
        })
    };
    let worst = crsa_worst(&arithmetic, &base)?;
    let small = BoxedUint::from(u16::MAX);
    let (_, repeated) = Method::Repeated(4).power(&arithmetic, &base, &small)?;
    Ok(Counts {
        exponents,
        rows: vec![
            method(Method::Split(4), Some(("2k^2", "4.4942e+307")))?,
            row(
                String::from("CRT (products of half the size)"),
                Some(("3k^2/4 + k", "787456")),
                &|e| crt.power_montgomery(&base, e),
            )?,
            method(Method::Ladder, Some(("2k^2 + k", "2098176")))?,
            method(Method::Binary, Some(("2(k - 1)", "2046")))?,
            method(
                Method::Crsa(Form::Optimized, 2),
                Some(("2k - 2 log D + 5Nc - 3", "2044")),
            )?,
            method(Method::Crsa(Form::Plain, 2), None)?,
            stream(Method::Pipelined(2))?,
            stream(Method::Chain(5))?,
            method(Method::FixedWindow(5), None)?,
            method(Method::SlidingWindow(6), None)?,
        ],
        crsa_worst: worst.0,
        crsa_worst_for_b: worst.1,
        loop_of_16_bits: repeated.in_a_row,
    })
}

/// The largest number of products on the critical path of optimized CRSA with two cubes for an
/// exponent of 1024 bits, and the number of them that compute `B`.
///
/// With `e = D q + r`: if a bound is not all ones, one of the numbers below it with the most ones
/// agrees with the bound above some bit that is 1 in the bound, has a 0 there, and ones below. So
/// it is enough to try these `q`. `r = 31` has the most ones of all numbers below 46.
fn crsa_worst(
    arithmetic: &IntegerMontgomery,
    base: &BoxedUint,
) -> Result<(usize, usize), CubeRsaError> {
    const D: NonZeroU32 = NonZeroU32::new(46).unwrap();
    const R: u32 = 31;
    let method = Method::Crsa(Form::Optimized, 2);
    let (most, _) = BoxedUint::max(COUNTED_BITS).div_rem_limb(NonZero::<Limb>::from_u32(D));
    let one = BoxedUint::one_with_precision(COUNTED_BITS);
    let mut worst = 0;
    for bit in (0..most.bits_vartime()).filter(|&bit| most.bit_vartime(bit)) {
        // The bits of the bound above this bit, a 0, and ones.
        let above = most.shr(bit + 1).shl(bit + 1);
        let q = above | one.shl(bit).wrapping_sub(&one);
        let product = q.wrapping_mul(BoxedUint::from(D.get()));
        let e = product.wrapping_add(BoxedUint::from(R));
        worst = worst.max(method.power(arithmetic, base, &e)?.1.in_a_row);
    }
    Ok((worst, R.count_ones() as usize - 1))
}

impl Counts {
    /// Table 1 for the report.
    pub fn table(&self) -> Table {
        let mut table = Table::new(
            "multiplications",
            "Table 1: multiplications on the critical path, k = 1024, Nc = 2",
            &[
                ("method", Origin::Label),
                ("formula, worst", Origin::Printed),
                ("worst", Origin::Printed),
                ("PEs", Origin::Counted),
                ("e = 2^1023", Origin::Counted),
                ("mean", Origin::Counted),
                ("e = 2^1024 - 1", Origin::Counted),
                ("all PEs, mean", Origin::Counted),
            ],
        );
        for row in &self.rows {
            table.row(vec![
                row.method.as_str().into(),
                row.printed_formula.unwrap_or("-").into(),
                row.printed_worst.unwrap_or("-").into(),
                row.processors.into(),
                row.one_bit.into(),
                Cell::decimals(row.mean, 1),
                row.all_ones.into(),
                Cell::decimals(row.mean_total, 1),
            ]);
        }
        let worst = self.crsa_worst;
        table.note(format!(
            "Means over {} random odd exponents. The worst exponent for optimized CRSA takes {worst} in a \
             row, {} without those for B, which the paper leaves out.",
            self.exponents,
            worst - self.crsa_worst_for_b,
        ));
        table.note(format!(
            "4.4942e307 is 2^1022: a loop of e products on 4 processors. That loop takes {} in a row for \
             e = 2^16 - 1. 2k^2 + k and 3k^2/4 + k are no numbers of MulMods: those grow with k, not with \
             its square.",
            self.loop_of_16_bits
        ));
        table
    }

    /// The row of the method whose name has this start.
    pub fn row(&self, start: &str) -> Option<&CountRow> {
        self.rows.iter().find(|row| row.method.starts_with(start))
    }
}

/// The sizes of the exponents and moduli of Table 2, in bits.
pub const TIMED_BITS: [u32; 3] = [1024, 2048, 4096];

/// A row of Table 2: the time for one power, for each size of [`TIMED_BITS`].
#[derive(Clone, Debug)]
pub struct TimeRow {
    /// The name of the method that is run here.
    pub method: String,
    /// The seconds printed in the paper.
    pub printed: Option<[f64; 3]>,
    /// The times here, with products by division.
    pub division: Vec<Times>,
    /// The times here, with products in Montgomery form.
    pub montgomery: Vec<Times>,
}

/// Table 2: times.
#[derive(Clone, Debug)]
pub struct TimeTable {
    /// The number of runs of which each time is the median.
    pub runs: usize,
    /// The number of processors of this machine.
    pub processors: usize,
    /// The rows, one for each method.
    pub rows: Vec<TimeRow>,
}

/// The number of powers in the streams of the pipelined methods.
const STREAM: usize = 8;

/// Table 2, timed on this machine with one cube, as in the paper, for the first sizes of [`TIMED_BITS`]. For
/// each size, all methods have the same pseudo-random odd exponent and base; each time is the median of
/// `runs` runs.
///
/// # Errors
/// [`CubeRsaError::Disagreement`] if two methods give different powers.
pub fn time(runs: usize, sizes: &[u32]) -> Result<TimeTable, CubeRsaError> {
    let methods = [
        ("CRT", Some([0.443_906_724, 4.841_289_807, 60.314_724_37])),
        ("Montgomery ladder", None),
        (
            "Binary (the paper's Binary)",
            Some([0.309_712_094, 3.867_729_003, 51.711_948_62]),
        ),
        (
            "Binary (the paper's Montgomery)",
            Some([0.026_109_282, 0.133_479_549, 0.813_800_137]),
        ),
        (
            "CRSA optimized, Nc = 1",
            Some([0.004_906_768, 0.025_235_907, 0.156_326_272]),
        ),
        ("CRSA plain, Nc = 1", None),
        ("CRSA pipelined, Nc = 1, each of 8", None),
        ("Chain of 2 stages, each of 8", None),
        ("Fixed window, 5 bits", None),
        ("Sliding window, 6 bits", None),
    ];
    let mut rows = methods.map(|(method, printed)| TimeRow {
        method: String::from(method),
        printed,
        division: Vec::new(),
        montgomery: Vec::new(),
    });
    let run = [
        None,
        Some(Method::Ladder),
        Some(Method::Binary),
        Some(Method::Binary),
        Some(Method::Crsa(Form::Optimized, 1)),
        Some(Method::Crsa(Form::Plain, 1)),
        Some(Method::Pipelined(1)),
        Some(Method::Chain(2)),
        Some(Method::FixedWindow(5)),
        Some(Method::SlidingWindow(6)),
    ];
    for &bits in sizes {
        let case = TimedCase::new(bits, runs)?;
        for (row, method) in rows.iter_mut().zip(run) {
            let [division, montgomery] = match method {
                None => case.time_crt(&row.method)?,
                Some(method) => case.time(&row.method, method)?,
            };
            row.division.push(division);
            row.montgomery.push(montgomery);
        }
    }
    Ok(TimeTable {
        runs: runs.max(1),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        rows: rows.to_vec(),
    })
}

/// The integers and arithmetics of one size for the timing.
struct TimedCase {
    runs: usize,
    crt: Crt,
    division: Division,
    montgomery: IntegerMontgomery,
    base: BoxedUint,
    e: BoxedUint,
    power: BoxedUint,
}

impl TimedCase {
    fn new(bits: u32, runs: usize) -> Result<Self, CubeRsaError> {
        let crt = modulus(bits).ok_or(CubeRsaError::NoModulus(bits))?;
        let montgomery = IntegerMontgomery::new(&crt.modulus())?;
        let division = Division::new(&crt.modulus()).ok_or(CubeRsaError::NoModulus(bits))?;
        let mut random = Random(u64::from(bits));
        let base = random.below_power_of_two(bits - 1);
        let e = random.odd(bits);
        let power = Method::Binary.power(&montgomery, &base, &e)?.0;
        Ok(Self {
            runs: runs.max(1),
            crt,
            division,
            montgomery,
            base,
            e,
            power,
        })
    }

    /// The times of `powers` for each power, over the runs.
    fn repeat(
        &self,
        name: &str,
        powers: impl Fn() -> Result<Vec<BoxedUint>, CubeRsaError>,
    ) -> Result<Times, CubeRsaError> {
        let mut nanoseconds = Vec::with_capacity(self.runs);
        for _ in 0..self.runs {
            let start = Instant::now();
            let powers = powers()?;
            nanoseconds.push(start.elapsed().as_secs_f64() * 1e9 / powers.len().max(1) as f64);
            if powers.iter().any(|power| *power != self.power) {
                return Err(CubeRsaError::Disagreement {
                    method: String::from(name),
                    bits: self.e.bits(),
                });
            }
        }
        Ok(summary(nanoseconds))
    }

    fn time(&self, name: &str, method: Method) -> Result<[Times; 2], CubeRsaError> {
        let stream = match method {
            Method::Pipelined(_) | Method::Chain(_) => STREAM,
            _ => 1,
        };
        let bases = vec![self.base.clone(); stream];
        let by_division = || Ok(method.powers(&self.division, &bases, &self.e)?.0);
        let in_montgomery_form = || Ok(method.powers(&self.montgomery, &bases, &self.e)?.0);
        Ok([
            self.repeat(name, by_division)?,
            self.repeat(name, in_montgomery_form)?,
        ])
    }

    fn time_crt(&self, name: &str) -> Result<[Times; 2], CubeRsaError> {
        let division =
            |prime: &BoxedUint| Division::new(prime).ok_or(HypercubeError::ModulusTooSmall);
        let (crt, base, e) = (&self.crt, &self.base, &self.e);
        Ok([
            self.repeat(name, || Ok(vec![crt.power(base, e, division)?.0]))?,
            self.repeat(name, || Ok(vec![crt.power_montgomery(base, e)?.0]))?,
        ])
    }
}

impl TimeTable {
    /// Table 2 for the report. `conditions` are the machine and the code.
    pub fn table(&self, conditions: &str) -> Table {
        let mut columns = vec![(String::from("method"), Origin::Label)];
        for (kind, origin) in [
            ("", Origin::Printed),
            (", by division", Origin::Timed),
            (", Montgomery form", Origin::Timed),
        ] {
            let of_kind = TIMED_BITS.map(|bits| (format!("{bits} bits{kind}, ms"), origin));
            columns.extend(of_kind);
        }
        let columns: Vec<_> = columns
            .iter()
            .map(|(name, origin)| (name.as_str(), *origin))
            .collect();
        let mut table = Table::new(
            "times",
            "Table 2: milliseconds for one power, Nc = 1, random odd exponents",
            &columns,
        );
        for row in &self.rows {
            let mut cells = vec![Cell::from(row.method.as_str())];
            match row.printed {
                Some(seconds) => {
                    cells.extend(seconds.map(|second| Cell::decimals(second * 1e3, 2)));
                }
                None => cells.extend([Cell::from("-"), Cell::from("-"), Cell::from("-")]),
            }
            for times in [&row.division, &row.montgomery] {
                let cell = |index: usize| {
                    let times = times.get(index);
                    times.map_or_else(|| Cell::from("-"), |times| Cell::time(times, 1e6))
                };
                cells.extend((0..TIMED_BITS.len()).map(cell));
            }
            table.row(cells);
        }
        table.note(format!(
            "{conditions}, {} processors. Median \u{b1} half the distance between the quartiles of {} runs. \
             Printed: a quad core, average of 100 runs.",
            self.processors, self.runs
        ));
        table.note(
            "CRSA, the pipelines and the chain run a thread for each element, more than there are processors: their \
             times are those of changing between threads, too, and decide no claim. The paper's 5x over Montgomery and \
             63x over binary at 1024 bits are judged by numbers of MulMods.",
        );
        table
    }
}
