//! The figures, tables and plots.

use super::literal::{
    Rounding, TinyCharacteristic, descending_coprimes, factor_of_mersenne, scaled, sizes,
};
use super::operations::{Operands, base};
use super::printed::{
    CLOCK_GHZ, CONVERSIONS, Operation, Row, TABLE_1, THREADS, products_of_signature, rns_product,
};
use crate::PaperError;
use crate::figures::{Clock, Source, number};
use crate::integers::{self, PEER, Task, big, boxed};
use crate::paper::{Effort, Measured, Setting};
use crate::plot::{Axis, Plot, Series};
use crate::random::Random;
use crate::table::{Cell, Origin, Table};
use crate::timing::{Operation as TimedOperation, Patience, Times, alternate};
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use std::hint::black_box;
use std::time::Duration;
use sunzi_field::montgomery::{Montgomery, bases};
use sunzi_rns::division::euclid::EuclideanDivision;
use sunzi_rns::extend::frnn::Frnn;
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::order::Characteristic;
use sunzi_rns::{Base, BaseExtension, Counting, Fixed, Modulus, Plain, Residues};

/// The sizes of a quick run.
const QUICK: [usize; 4] = [15, 75, 150, 285];

/// The number of steps of a run: one for each size, and two.
pub(super) const STEPS: u64 = TABLE_1.len() as u64 + 2;

/// The size of `q` in the estimate for a signature, in bits, and the number of moduli.
const SIGNATURE: (u32, usize) = (511, 75);

/// The code that is timed.
const BACKEND: &str = "sunzi-rns reference code or packed residues, one thread";

/// The times at one size.
struct Sized {
    row: &'static Row,
    /// In residues, in packed residues where there is such code, and on integers, for each operation.
    operations: Vec<(Times, Option<Times>, Times)>,
    /// To residues, and from residues.
    conversions: [Times; 2],
}

impl Sized {
    /// The shortest times in residues and on integers.
    fn best(&self, operation: Operation) -> [&Times; 2] {
        let (residues, packed, integers) = &self.operations[operation as usize];
        [packed.as_ref().unwrap_or(residues), integers]
    }

    /// The time on integers divided by that in residues.
    fn ratio(&self, operation: Operation) -> f64 {
        let [residues, integers] = self.best(operation);
        integers.median_ns / residues.median_ns
    }
}

pub(super) fn measure(setting: &Setting, step: &mut dyn FnMut()) -> Result<Measured, PaperError> {
    let mut measured = Measured::default();
    moduli(&mut measured)?;
    correctness(&mut measured)?;
    complexity(&mut measured)?;
    step();
    let patience = patience(setting);
    let mut sizes = Vec::new();
    for row in &TABLE_1 {
        if setting.effort == Effort::Full || QUICK.contains(&row.n) {
            sizes.push(time(row, patience)?);
        }
        step();
    }
    let clock = Clock {
        machine: setting.machine.clone(),
        backend: BACKEND,
    };
    tables(setting, &sizes, &mut measured);
    ratios(&sizes, &clock, &mut measured);
    plots(&sizes, &mut measured);
    signature(&sizes, patience, &clock, &mut measured)?;
    step();
    Ok(measured)
}

fn patience(setting: &Setting) -> Patience {
    Patience {
        repetitions: setting.effort.of(31, 11, 1),
        budget: Duration::from_millis(setting.effort.of(1500, 400, 1)),
    }
}

/// Times all operations at one size. The two sides take turns.
fn time(row: &'static Row, patience: Patience) -> Result<Sized, PaperError> {
    let operands = Operands::new(row.n)?;
    let time = |&operation: &Operation| {
        let mut contestants = vec![
            operands.in_residues(operation),
            operands.in_integers(operation),
        ];
        contestants.extend(operands.in_packed_residues(operation));
        let times = alternate(&mut contestants, patience);
        (times[0], times.get(2).copied(), times[1])
    };
    let operations = Operation::ALL.iter().map(time).collect();
    let conversions = alternate(&mut operands.conversions(), patience);
    Ok(Sized {
        row,
        operations,
        conversions: [conversions[0], conversions[1]],
    })
}

/// The column L of Table 1.
fn moduli(measured: &mut Measured) -> Result<(), PaperError> {
    let primes: Vec<u64> = (base(285)?.moduli().iter())
        .map(|p| p.value() as u64)
        .collect();
    let of_primes = sizes(&primes);
    let of_coprimes = sizes(&descending_coprimes(285));
    let mut table = Table::new(
        "moduli",
        "Table 1, columns n and L: the size of the range",
        &[
            ("n", Origin::Label),
            ("L", Origin::Printed),
            ("consecutive primes", Origin::Counted),
            ("consecutive coprimes", Origin::Counted),
            ("N proved, primes", Origin::Computed),
            ("N = 2 L", Origin::Printed),
        ],
    );
    let (mut primes_right, mut coprimes_right) = (0.0, 0.0);
    for row in &TABLE_1 {
        let (primes, coprimes) = (of_primes[row.n - 1], of_coprimes[row.n - 1]);
        primes_right += f64::from(u8::from(primes == u64::from(row.bits)));
        coprimes_right += f64::from(u8::from(coprimes == u64::from(row.bits)));
        let proved = Characteristic::needed_bits(&base(row.n)?);
        if row.n == 15 {
            let figures = &mut measured.figures;
            figures.count("proved precision N, n = 15", f64::from(proved), "15 primes");
            figures.from_printed("twice the digits, n = 15", f64::from(2 * row.bits));
        }
        table.row(vec![
            row.n.into(),
            f64::from(row.bits).into(),
            primes.into(),
            coprimes.into(),
            f64::from(proved).into(),
            f64::from(2 * row.bits).into(),
        ]);
    }
    measured.tables.push(table);
    let figures = &mut measured.figures;
    let over = "the 19 rows of Table 1";
    figures.count(
        "rows with the printed L, consecutive primes",
        primes_right,
        over,
    );
    figures.count(
        "rows with the printed L, consecutive coprimes",
        coprimes_right,
        over,
    );
    let ratios = TABLE_1.iter().flat_map(|row| row.times);
    let right = ratios.filter(|(binary, rns, ratio)| {
        // Printed with one or two decimals, some of them cut off.
        let tolerance = if *ratio < 1.0 { 0.01 } else { 0.1 };
        (binary / rns - ratio).abs() < tolerance
    });
    figures.from_printed("printed ratios that are right", right.count() as f64);
    let factor = factor_of_mersenne(511).unwrap_or(0);
    let over = "all odd numbers below 2^16";
    figures.count(
        "least prime factor of 2^511 - 1 below 2^16",
        factor as f64,
        over,
    );
    Ok(())
}

/// Algorithm 1, equations (3) and (13), and the network, as printed and corrected.
fn correctness(measured: &mut Measured) -> Result<(), PaperError> {
    let figures = &mut measured.figures;
    let over = "all X < P, 1 <= Y < P on {3, 5, 7}, N = 2 L = 14";
    for (name, rounding) in [
        (
            "wrong quotients, F(Y) shifted, coefficients rounded down",
            Rounding::Floor,
        ),
        (
            "wrong quotients, F(Y) shifted, coefficients rounded up",
            Rounding::Ceiling,
        ),
    ] {
        let f = TinyCharacteristic::new(&[3, 5, 7], 14, rounding);
        figures.count(name, f.wrong_quotients().0 as f64, over);
    }
    let tiny = Base::new(&[3, 5, 7])?;
    let division = EuclideanDivision::new(&tiny);
    let residues = |x: u64| Residues::reduced(&tiny, &BoxedUint::from(x));
    let pairs = (1..105u64).flat_map(|y| (0..105u64).map(move |x| (x, y)));
    let wrong = pairs.filter(|&(x, y)| {
        division.div_rem_vartime(&residues(x), &residues(y))
            != Ok((residues(x / y), residues(x % y)))
    });
    figures.count(
        "wrong quotients, Y doubled in residues",
        wrong.count() as f64,
        over,
    );

    let moduli: Vec<u64> = (base(15)?.moduli().iter())
        .map(|p| p.value() as u64)
        .collect();
    let product = big(base(15)?.product());
    let mut random = Random(3);
    let (mut as_printed, mut corrected) = (0, 0);
    for index in 0..300 {
        let (x, i) = (random.below(&product), index % moduli.len());
        let quotient = &x / moduli[i];
        let channels = moduli.iter().enumerate().filter(|&(j, _)| j != i);
        let expected: Vec<BigUint> = channels.map(|(_, p)| &quotient % p).collect();
        let is_wrong = |printed| {
            let found = scaled(&moduli, &x, i, printed);
            u32::from(
                !found
                    .into_iter()
                    .map(BigUint::from)
                    .eq(expected.iter().cloned()),
            )
        };
        as_printed += is_wrong(true);
        corrected += is_wrong(false);
    }
    let over = "300 random X on 15 moduli, every modulus as divisor";
    figures.count(
        "wrong quotients by equation (3) as printed",
        f64::from(as_printed),
        over,
    );
    figures.count(
        "wrong quotients by equation (3) corrected",
        f64::from(corrected),
        over,
    );

    let extended = base(15)?.with_modulus(29_789)?;
    let values: Vec<u128> = extended.moduli().iter().map(Modulus::value).collect();
    let direct = Base::new(&values)?;
    let pairs = extended
        .cofactor_inverses()
        .iter()
        .zip(direct.cofactor_inverses());
    let name = "orthogonal bases that differ from a direct computation";
    figures.count(
        name,
        pairs.filter(|(a, b)| a != b).count() as f64,
        "16 moduli",
    );
    network(measured)
}

/// The residues that the network finds, with the sum to n and to n - 1.
fn network(measured: &mut Measured) -> Result<(), PaperError> {
    let source = base(15)?;
    let product = big(source.product());
    let target = Base::new(&[29_789, 29_803])?;
    let network = Frnn::new(&source, &target);
    let characteristic = Characteristic::new(&source);
    let mut random = Random(4);
    let (mut right_sum, mut short_sum) = (0, 0);
    for _ in 0..300 {
        let x = boxed(&random.below(&product));
        let residues = Residues::reduced(&source, &x);
        let expected = Residues::reduced(&target, &x);
        right_sum += u32::from(network.extend_on(&Plain, &residues) != expected);
        let b = &target.moduli()[0];
        let weights = &network.residue_layer()[0];
        let terms = residues.values().iter().zip(weights).take(source.len() - 1);
        let sum = terms.fold(0, |sum, (&x, &w)| b.add(sum, b.mul(b.reduce(x), w)));
        let rank = b.reduce(characteristic.rank(&residues));
        let found = b.add(sum, b.mul(rank, weights[source.len()]));
        short_sum += u32::from(found != expected.values()[0]);
    }
    let figures = &mut measured.figures;
    let over = "300 random X on 15 moduli";
    figures.count("wrong residues, sum to n", f64::from(right_sum), over);
    figures.count("wrong residues, sum to n - 1", f64::from(short_sum), over);
    Ok(())
}

/// The products of words of an extension by the network and by Kawamura's.
fn complexity(measured: &mut Measured) -> Result<(), PaperError> {
    let all = Base::pseudo_mersenne(28, 32)?;
    let values: Vec<u128> = all.moduli().iter().map(Modulus::value).collect();
    let (source, target) = (Base::new(&values[..16])?, Base::new(&values[16..])?);
    let network = Frnn::new(&source, &target);
    let channel = Counting::default();
    network.extend_on(&channel, &Residues::one(&source));
    let of_network = channel.take();
    let words = u64::from(network.rank_bits().div_ceil(source.width()));
    let kawamura = Kawamura::with_fewest_bits(&source, &target, Fixed::HALF)?;
    kawamura.extend_on(&channel, &Residues::one(&source));
    let of_kawamura = channel.take();
    let products = of_network.cmm + of_network.products * words;
    let mut table = Table::new(
        "extension",
        "Operations of one base extension from 16 to 16 moduli of 28 bits",
        &[
            ("method", Origin::Label),
            ("CMM", Origin::Counted),
            ("CMR", Origin::Counted),
            ("wide products", Origin::Counted),
            ("words of each", Origin::Computed),
            ("word products", Origin::Computed),
        ],
    );
    for (name, counts, words, products) in [
        ("FRNN", of_network, words, products),
        ("Kawamura (KBE)", of_kawamura, 1, of_kawamura.cmm),
    ] {
        table.row(vec![
            name.into(),
            counts.cmm.into(),
            counts.cmr.into(),
            counts.products.into(),
            words.into(),
            products.into(),
        ]);
    }
    measured.tables.push(table);
    let over = "one extension";
    let figures = &mut measured.figures;
    figures.count("word products of FRNN, n = 16", products as f64, over);
    figures.count("word products of KBE, n = 16", of_kawamura.cmm as f64, over);
    Ok(())
}

/// The note on the conditions of measured times.
fn conditions(setting: &Setting) -> String {
    format!(
        "{}. RNS: {BACKEND}; packed: residues in words of 32 bits, in loops that the compiler vectorizes; \
         integers: {PEER}. Ratios are those of the faster RNS code. ns per operation, median \u{b1} half the distance between \
         the quartiles of up to {} repetitions; results are used, X Y < P. Printed: NTL 11.4.3 and RNS on \
         four threads of a 2.7 GHz Core i5.{}",
        setting.machine,
        patience(setting).repetitions,
        if setting.effort == Effort::Full {
            ""
        } else {
            " This is a quick run: only four of the nineteen sizes are timed."
        }
    )
}

/// Table 1, a table for each operation, and the conversions.
fn tables(setting: &Setting, sizes: &[Sized], measured: &mut Measured) {
    for (index, operation) in Operation::ALL.into_iter().enumerate() {
        let mut table = Table::new(
            operation.table_name(),
            format!("Table 1: {}", operation.name()),
            &[
                ("n", Origin::Label),
                ("L", Origin::Printed),
                ("binary, ns", Origin::Printed),
                ("RNS, ns", Origin::Printed),
                ("binary/RNS", Origin::Printed),
                ("integers, ns", Origin::Timed),
                ("RNS, ns", Origin::Timed),
                ("RNS packed, ns", Origin::Timed),
                ("integers/RNS", Origin::Computed),
            ],
        );
        for row in &TABLE_1 {
            let (binary, rns, ratio) = row.times[index];
            let mut cells: Vec<Cell> = vec![
                row.n.into(),
                f64::from(row.bits).into(),
                (binary / 1e3).into(),
                (rns / 1e3).into(),
                ratio.into(),
            ];
            match sizes.iter().find(|size| size.row.n == row.n) {
                Some(size) => {
                    let (residues, packed, integers) = &size.operations[index];
                    cells.push(Cell::time(integers, 1.0));
                    cells.push(Cell::time(residues, 1.0));
                    let packed = packed.as_ref();
                    cells.push(packed.map_or_else(|| "-".into(), |times| Cell::time(times, 1.0)));
                    cells.push(size.ratio(operation).into());
                }
                None => cells.extend([None, None, None, None].map(Cell::from)),
            }
            table.row(cells);
        }
        table.note(conditions(setting));
        measured.tables.push(table);
    }
    let mut table = Table::new(
        "conversions",
        "Conversions, which Table 1 leaves out",
        &[
            ("n", Origin::Label),
            ("L", Origin::Label),
            ("to RNS, ns", Origin::Printed),
            ("from RNS, ns", Origin::Printed),
            ("to RNS, ns", Origin::Timed),
            ("from RNS, ns", Origin::Timed),
        ],
    );
    for size in sizes {
        let printed = CONVERSIONS.map(|us| (size.row.n == SIGNATURE.1).then_some(us / 1e3));
        let mut cells: Vec<Cell> = vec![size.row.n.into(), f64::from(size.row.bits).into()];
        cells.extend(printed.map(Cell::from));
        cells.extend(size.conversions.iter().map(|times| Cell::time(times, 1.0)));
        table.row(cells);
    }
    table.note(conditions(setting));
    measured.tables.push(table);
}

/// The source of a figure that is proportional to the ratio of two times, with the spread of both.
fn source_of_ratio(value: f64, integers: &Times, residues: &Times, clock: &Clock) -> Source {
    let relative =
        integers.spread_ns() / integers.median_ns + residues.spread_ns() / residues.median_ns;
    let repetitions = residues.repetitions.min(integers.repetitions);
    let mut source = clock.source(repetitions, value * relative);
    if let Source::Timed { backend, .. } = &mut source {
        backend.push_str("; ");
        backend.push_str(PEER);
    }
    source
}

/// The figures from the times at the ends of the table.
fn ratios(sizes: &[Sized], clock: &Clock, measured: &mut Measured) {
    for size in sizes.iter().filter(|size| [15, 285].contains(&size.row.n)) {
        let n = size.row.n;
        for operation in Operation::ALL {
            let [residues, integers] = size.best(operation);
            let value = size.ratio(operation);
            let source = source_of_ratio(value, integers, residues, clock);
            let name = format!("{}: integers/residues, n = {n}", operation.name());
            measured.figures.add(name, value, "", source);
            if n == 285 {
                let (_, printed_us, _) = size.row.times[operation as usize];
                let cycles = printed_us * 1e3 * CLOCK_GHZ * THREADS / (1e6 * n as f64);
                let name = format!(
                    "{}: cycles for each residue in the printed RNS time, n = {n}",
                    operation.name()
                );
                measured.figures.from_printed(name, cycles);
            }
        }
        if n == 285 {
            let [multiplication, _] = size.best(Operation::Multiplication);
            let name = "multiplication in residues, n = 285";
            measured.figures.time(name, multiplication, clock);
        }
    }
}

fn plots(sizes: &[Sized], measured: &mut Measured) {
    let series = |operation: Operation| Series {
        name: operation.name().to_owned(),
        printed: false,
        points: (sizes.iter())
            .map(|size| (size.row.n as f64, size.ratio(operation)))
            .collect(),
    };
    measured.plots.push(Plot {
        name: "ratios",
        title: String::from("Time on integers divided by time in residues, timed here"),
        description: format!(
            "Above 1 residues are faster. The paper has ratios of {} to {} for all operations but the \
             sign.",
            number(9_954.8),
            number(318_203.5)
        ),
        x: Axis::linear("moduli n"),
        y: Axis::logarithmic("integers / residues"),
        series: Operation::ALL.map(series).to_vec(),
    });
    let index = Operation::Multiplication as usize;
    let printed = |name: &str, value: fn((f64, f64, f64)) -> f64| Series {
        name: name.to_owned(),
        printed: true,
        points: (TABLE_1.iter())
            .map(|row| (row.n as f64, value(row.times[index]) / 1e3))
            .collect(),
    };
    let timed = |name: &str, time: fn(&Sized) -> f64| Series {
        name: name.to_owned(),
        printed: false,
        points: (sizes.iter())
            .map(|size| (size.row.n as f64, time(size)))
            .collect(),
    };
    measured.plots.push(Plot {
        name: "multiplication",
        title: String::from("Time of one multiplication"),
        description: String::from(
            "The printed RNS times are a hundredth of a nanosecond at every n, thousands of times below \
             all others.",
        ),
        x: Axis::linear("moduli n"),
        y: Axis::logarithmic("ns"),
        series: vec![
            printed("NTL, printed", |(binary, _, _)| binary),
            printed("RNS, printed", |(_, rns, _)| rns),
            timed("integers, timed here", |size| {
                size.best(Operation::Multiplication)[1].median_ns
            }),
            timed("RNS, timed here", |size| {
                size.best(Operation::Multiplication)[0].median_ns
            }),
        ],
    });
}

/// The estimate for a signature: as printed, with times of this machine, and with reduction.
fn signature(
    sizes: &[Sized],
    patience: Patience,
    clock: &Clock,
    measured: &mut Measured,
) -> Result<(), PaperError> {
    let (bits, n) = SIGNATURE;
    let products = products_of_signature(f64::from(bits));
    let Some(size) = sizes.iter().find(|size| size.row.n == n) else {
        return Ok(());
    };
    // In nanoseconds for one signature.
    let of = |time: &dyn Fn(Operation) -> f64, conversions: f64| {
        let binary = products * (time(Operation::Multiplication) + time(Operation::Addition));
        let operations = [
            Operation::Multiplication,
            Operation::Addition,
            Operation::DivisionByConstant,
            Operation::SignDetection,
        ];
        let rns = products * rns_product(n as f64, operations.map(time)) + 2.0 * conversions;
        (binary, rns)
    };
    let printed_conversions = CONVERSIONS.iter().sum::<f64>() / 1e3;
    let binary = |o: Operation| size.row.times[o as usize].0 / 1e3;
    let rns = |o: Operation| size.row.times[o as usize].1 / 1e3;
    let printed = (of(&binary, 0.0).0, of(&rns, printed_conversions).1);
    let conversions = size
        .conversions
        .iter()
        .map(|times| times.median_ns)
        .sum::<f64>();
    let integers = |o: Operation| size.best(o)[1].median_ns;
    let residues = |o: Operation| size.best(o)[0].median_ns;
    let formulas = (of(&integers, 0.0).0, of(&residues, conversions).1);
    let [division, montgomery] = modular_products(bits, patience)?;
    let fair = (
        products * division.median_ns,
        products * montgomery.median_ns + 2.0 * conversions,
    );

    let mut table = Table::new(
        "signature",
        "The estimate for a signature, q of 511 bits, n = 75: microseconds",
        &[
            ("estimate", Origin::Label),
            ("binary", Origin::Computed),
            ("RNS", Origin::Computed),
            ("of it conversions, %", Origin::Computed),
            ("binary/RNS", Origin::Computed),
        ],
    );
    let mut row = |name: &str, (binary, rns): (f64, f64), conversions: f64| {
        table.row(vec![
            name.into(),
            (binary / 1e3).into(),
            (rns / 1e3).into(),
            Cell::decimals(200.0 * conversions / rns, 1),
            (binary / rns).into(),
        ]);
    };
    row("as printed", printed, printed_conversions);
    row(
        "the paper's formulas, times of this machine",
        formulas,
        conversions,
    );
    row(
        "modular products on both sides, times of this machine",
        fair,
        conversions,
    );
    table.note(format!(
        "8,160 modular products. The last row has products with division on the binary side ({} ns, {PEER}) \
         and Montgomery products in residues of 62 bits ({} ns, sunzi-field reference code, one thread). {}.",
        number(division.median_ns),
        number(montgomery.median_ns),
        clock.machine
    ));
    measured.tables.push(table);

    let figures = &mut measured.figures;
    figures.from_printed("T_Bin/T_RNS from the printed times", printed.0 / printed.1);
    let share = 2.0 * printed_conversions / printed.1;
    figures.from_printed("share of the conversions in the printed T_RNS", share);
    let [residues, integers] = size.best(Operation::DivisionByConstant);
    let value = formulas.0 / formulas.1;
    let source = source_of_ratio(value, integers, residues, clock);
    figures.add(
        "T_Bin/T_RNS, the paper's formulas with times of this machine",
        value,
        "",
        source,
    );
    let value = fair.0 / fair.1;
    let source = source_of_ratio(value, &division, &montgomery, clock);
    figures.add("T_Bin/T_RNS, reduction on both sides", value, "", source);
    Ok(())
}

/// The times of a modular product of integers, and of Montgomery's in residues.
fn modular_products(bits: u32, patience: Patience) -> Result<[Times; 2], PaperError> {
    let mut random = Random(u64::from(bits));
    let q = random.odd(bits);
    let (x, y) = (random.of_bits(bits - 1), random.of_bits(bits - 1));
    let (a, b) = bases(&q, 62, 1)?;
    let field = Montgomery::kawamura(&q, &a, &b)?;
    let [ex, ey] = [&x, &y].map(|x| field.element(&Plain, x));
    let product: TimedOperation<'_> = Box::new(move || {
        black_box(field.mul(&Plain, black_box(&ex), black_box(&ey)));
    });
    let mut contestants = [integers::operation(Task::MulMod, [&x, &y, &q]), product];
    let times = alternate(&mut contestants, patience);
    Ok([times[0], times[1]])
}
