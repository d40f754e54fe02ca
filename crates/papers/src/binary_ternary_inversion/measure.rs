//! The figures, tables and plots.

use super::counterexamples::{operand, p_521, primes, residues_of_p_521, wrong_inverses};
use super::literal::{TABLE_I, Update, pairwise_coprime, wrong_multiples};
use super::printed::{BMI, BTMI};
use crate::PaperError;
use crate::figures::{Figures, Source};
use crate::hardware::{HardwareReport, HardwareRow};
use crate::integers::{big, boxed};
use crate::paper::{Effort, Measured, Setting};
use crate::plot::{Axis, Plot, Series};
use crate::random::Random;
use crate::table::{Cell, Origin, Table};
use num_bigint::BigUint;
use sunzi_field::inversion::{self, BinaryInversion, BinaryTernaryInversion, Inverse};
use sunzi_field::montgomery::{Montgomery, bases};
use sunzi_rns::{Base, Counting, Plain, Residues};

/// The number of steps of a run: one for each prime, and three.
pub(super) const STEPS: u64 = 7;

/// The number of random operands of the paper, over four primes.
const OPERANDS: u32 = 700_000;

/// The four primes of the paper.
fn nist_primes() -> [(&'static str, BigUint); 4] {
    let two_to = |exponent: u32| BigUint::from(1u8) << exponent;
    let p_256 = two_to(256) - two_to(224) + two_to(192) + two_to(96) - 1u8;
    let p_384 = two_to(384) - two_to(128) - two_to(96) + two_to(32) - 1u8;
    [
        ("P-192", two_to(192) - two_to(64) - 1u8),
        ("P-256", p_256),
        ("P-384", p_384),
        ("P-521", p_521()),
    ]
}

pub(super) fn measure(setting: &Setting, step: &mut dyn FnMut()) -> Result<Measured, PaperError> {
    let mut measured = Measured::default();
    statistics(setting, &mut measured, step)?;
    costs(setting, &mut measured)?;
    step();
    printed(&mut measured);
    cox(setting, &mut measured)?;
    step();
    fermat(&mut measured)?;
    let figures = &mut measured.figures;
    figures.from_printed("words of Table III, BTMI / BMI", 38.0 / 17.0);
    cores(&setting.hardware, figures);
    measured.tables.extend(setting.hardware.table("inverter"));
    measured.tables.extend(setting.hardware.clocks("inverter"));
    step();
    Ok(measured)
}

/// The savings of our BTMI cores in cycles, and their additional LUTs, at the paper's four sizes.
fn cores(report: &HardwareReport, figures: &mut Figures) {
    let pairs = ["p192", "p256", "p384", "p521"].map(|prime| {
        ["btmi", "bmi"].map(|form| report.configuration("inverter", &format!("{prime}_{form}")))
    });
    let tool = pairs[0][0].map(|row| row.tool.clone());
    let mut add = |what: &str, of: fn(&HardwareRow) -> Option<f64>, percent: fn(f64) -> f64| {
        let ratios = pairs.map(|[btmi, bmi]| Some(of(btmi?)? / of(bmi?)?));
        let ratios: Option<Vec<f64>> = ratios.into_iter().collect();
        let (Some(ratios), Some(tool)) = (ratios, &tool) else {
            return;
        };
        let values = || ratios.iter().map(|ratio| percent(*ratio));
        for (which, value) in [
            ("least", values().fold(f64::MAX, f64::min)),
            ("most", values().fold(f64::MIN, f64::max)),
        ] {
            let tool = format!("P-192, P-256, P-384 and P-521, {tool}");
            figures.add(
                format!("{which} {what}, %"),
                value,
                "",
                Source::Hardware { tool },
            );
        }
    };
    add(
        "cycles saved by our BTMI core",
        |row| row.cycles,
        |ratio| 100.0 * (1.0 - ratio),
    );
    add(
        "LUTs that our BTMI core takes more",
        |row| row.lut,
        |ratio| 100.0 * (ratio - 1.0),
    );
}

/// Sums over the operands of one prime and one algorithm.
#[derive(Clone, Copy, Debug, Default)]
struct Loops {
    operands: f64,
    outer: f64,
    inner: f64,
    most_outer: u32,
    wrong: u32,
    /// The largest result, in thousandths of P.
    largest: u64,
}

impl Loops {
    fn add(&mut self, inverse: &Inverse, a: &BigUint, p: &BigUint) {
        let s = big(&inverse.value.to_uint());
        self.operands += 1.0;
        self.outer += f64::from(inverse.outer_loops);
        self.inner += f64::from(inverse.inner_loops);
        self.most_outer = self.most_outer.max(inverse.outer_loops);
        self.wrong += u32::from(&s * a % p != BigUint::from(1u8));
        let thousandths = (s * 1000u32 / p)
            .to_u64_digits()
            .first()
            .copied()
            .unwrap_or(0);
        self.largest = self.largest.max(thousandths);
    }

    fn outer_by_bits(&self, bits: u64) -> f64 {
        self.outer / self.operands / bits as f64
    }
}

/// The numbers of loops over random operands.
fn statistics(
    setting: &Setting,
    measured: &mut Measured,
    step: &mut dyn FnMut(),
) -> Result<(), PaperError> {
    let operands = setting.effort.of(OPERANDS / 4, 1_000, 20);
    let mut table = Table::new(
        "loops",
        format!("Loops for {operands} random operands modulo each prime"),
        &[
            ("prime", Origin::Label),
            ("algorithm", Origin::Label),
            ("outer / l", Origin::Printed),
            ("outer / l", Origin::Counted),
            ("most outer / l", Origin::Counted),
            ("inner / outer", Origin::Printed),
            ("inner / outer", Origin::Counted),
            ("wrong", Origin::Counted),
            ("largest S / P", Origin::Counted),
        ],
    );
    let (mut outer, mut inner) = ([0.0; 2], [0.0; 2]);
    let (mut wrong, mut largest) = (0, 0);
    for (name, p) in nist_primes() {
        let base = inversion::base(&boxed(&p), 62)?;
        let btmi = BinaryTernaryInversion::new(&base, &boxed(&p))?;
        let bmi = BinaryInversion::new(&base, &boxed(&p))?;
        let mut random = Random(p.bits());
        let mut loops = [Loops::default(); 2];
        for _ in 0..operands {
            let a = random.below(&(&p - 1u8)) + 1u8;
            let residues = Residues::reduced(&base, &boxed(&a));
            loops[0].add(&btmi.invert_vartime(&Plain, &residues)?, &a, &p);
            loops[1].add(&bmi.invert_vartime(&Plain, &residues)?, &a, &p);
        }
        let rows = [("BTMI", 0.46, 0.75), ("BMI", 0.71, 2.0 / 3.0)];
        for (index, (algorithm, printed_outer, printed_inner)) in rows.into_iter().enumerate() {
            let found = &loops[index];
            let ratio = found.inner / found.outer;
            outer[index] += found.outer_by_bits(p.bits()) / 4.0;
            inner[index] += ratio / 4.0;
            wrong += found.wrong;
            largest = largest.max(found.largest);
            table.row(vec![
                name.into(),
                algorithm.into(),
                Cell::decimals(printed_outer, 2),
                Cell::decimals(found.outer_by_bits(p.bits()), 4),
                Cell::decimals(f64::from(found.most_outer) / p.bits() as f64, 3),
                Cell::decimals(printed_inner, 2),
                Cell::decimals(ratio, 4),
                (found.wrong as usize).into(),
                Cell::decimals(found.largest as f64 / 1e3, 3),
            ]);
        }
        step();
    }
    table.note(if setting.effort == Effort::Full {
        "700,000 operands for each algorithm, as in the paper."
    } else {
        "A quick run: the paper has 700,000 operands."
    });
    measured.tables.push(table);
    let figures = &mut measured.figures;
    let over = format!(
        "{} random operands modulo P-192, P-256, P-384, P-521",
        4 * operands
    );
    for (index, name) in ["BTMI", "BMI"].into_iter().enumerate() {
        figures.count(
            format!("outer loops / l, {name}"),
            outer[index],
            over.clone(),
        );
        figures.count(
            format!("inner loops / outer loop, {name}"),
            inner[index],
            over.clone(),
        );
    }
    figures.count("wrong inverses, corrected", f64::from(wrong), over.clone());
    figures.count("largest S / P", largest as f64 / 1e3, over);
    Ok(())
}

/// The mean costs of BTMI and BMI in one base.
struct Costs {
    n: usize,
    bits: u64,
    /// EMM, EMA, and EMA with the additions of `-+C1` that are folded into constants.
    algorithms: [[f64; 3]; 2],
}

impl Costs {
    fn new(p: &BigUint, base: &Base, operands: u32) -> Result<Self, PaperError> {
        let btmi = BinaryTernaryInversion::new(base, &boxed(p))?;
        let bmi = BinaryInversion::new(base, &boxed(p))?;
        let mut random = Random(9);
        let channel = Counting::default();
        let mut algorithms = [[0.0; 3]; 2];
        for _ in 0..operands {
            let a = random.below(&(p - 1u8)) + 1u8;
            let residues = Residues::reduced(base, &boxed(&a));
            for (index, sums) in algorithms.iter_mut().enumerate() {
                let inverse = if index == 0 {
                    btmi.invert_vartime(&channel, &residues)?
                } else {
                    bmi.invert_vartime(&channel, &residues)?
                };
                let counts = channel.take();
                let folded = 2.0 * base.len() as f64 * f64::from(inverse.outer_loops);
                let ema = counts.ema as f64;
                let costs = [(counts.emm + counts.cmm) as f64, ema, ema + folded];
                for (sum, cost) in sums.iter_mut().zip(costs) {
                    *sum += cost / f64::from(operands);
                }
            }
        }
        Ok(Self {
            n: base.len(),
            bits: p.bits(),
            algorithms,
        })
    }
}

/// The costs against n and l: Figure 2.
fn costs(setting: &Setting, measured: &mut Measured) -> Result<(), PaperError> {
    let operands = setting.effort.of(300, 25, 3);
    let p_256 = &nist_primes()[1].1;
    let by_n = [62, 47, 36, 31, 26, 22, 20, 18]
        .map(|width| Costs::new(p_256, &inversion::base(&boxed(p_256), width)?, operands));
    let by_n = by_n
        .into_iter()
        .collect::<Result<Vec<Costs>, PaperError>>()?;
    let by_l =
        nist_primes().map(|(_, p)| Costs::new(&p, &inversion::base(&boxed(&p), 31)?, operands));
    let by_l = by_l
        .into_iter()
        .collect::<Result<Vec<Costs>, PaperError>>()?;

    let mut table = Table::new(
        "costs",
        "Mean costs, divided by n l",
        &[
            ("l", Origin::Label),
            ("n", Origin::Counted),
            ("BTMI EMM", Origin::Counted),
            ("BTMI EMA", Origin::Counted),
            ("BMI EMM", Origin::Counted),
            ("BMI EMA", Origin::Counted),
            ("EMM saved, %", Origin::Computed),
            ("EMA saved, %", Origin::Computed),
        ],
    );
    for costs in by_n.iter().chain(&by_l) {
        let [btmi, bmi] = costs.algorithms;
        let unit = costs.n as f64 * costs.bits as f64;
        table.row(vec![
            costs.bits.into(),
            costs.n.into(),
            Cell::decimals(btmi[0] / unit, 3),
            Cell::decimals(btmi[1] / unit, 3),
            Cell::decimals(bmi[0] / unit, 3),
            Cell::decimals(bmi[1] / unit, 3),
            Cell::decimals(100.0 * (1.0 - btmi[0] / bmi[0]), 1),
            Cell::decimals(100.0 * (1.0 - btmi[1] / bmi[1]), 1),
        ]);
    }
    table.note(format!(
        "Printed: BTMI 1.61 and 2.53, BMI 2.37 and 3.79. Means over {operands} random operands, with the \
         conversions to and from the affine form."
    ));
    measured.tables.push(table);

    let mean = |index: usize, cost: usize| {
        let of_one =
            |costs: &Costs| costs.algorithms[index][cost] / (costs.n as f64 * costs.bits as f64);
        by_l.iter().map(of_one).sum::<f64>() / by_l.len() as f64
    };
    let over = format!("{operands} random operands modulo each of four primes, w = 31");
    let figures = &mut measured.figures;
    for (index, name) in ["BTMI", "BMI"].into_iter().enumerate() {
        figures.count(format!("EMM / (n l), {name}"), mean(index, 0), over.clone());
        figures.count(format!("EMA / (n l), {name}"), mean(index, 1), over.clone());
        figures.count(
            format!("EMA / (n l), {name}, -+C1 not folded"),
            mean(index, 2),
            over.clone(),
        );
    }
    for (name, cost) in [("EMM saved, %", 0), ("EMA saved, %", 1)] {
        figures.count(
            name,
            100.0 * (1.0 - mean(0, cost) / mean(1, cost)),
            over.clone(),
        );
    }
    measured.plots.push(figure_2(
        "costs-by-n",
        "Figure 2: operations against the number of moduli, l = 256",
        "moduli n",
        &by_n,
        |costs| costs.n as f64,
        |costs| costs.n as f64 * costs.bits as f64,
        1.0,
    ));
    measured.plots.push(figure_2(
        "costs-by-l",
        "Figure 2: operations in one channel against the size of the field",
        "bits l",
        &by_l,
        |costs| costs.bits as f64,
        |costs| costs.bits as f64,
        by_l[0].n as f64,
    ));
    Ok(())
}

/// A part of Figure 2. `unit` is the factor of the printed factors.
fn figure_2(
    name: &'static str,
    title: &str,
    label: &str,
    costs: &[Costs],
    x: fn(&Costs) -> f64,
    unit: fn(&Costs) -> f64,
    channels: f64,
) -> Plot {
    let printed = [
        ("BTMI EMM, 1.61 n l", BTMI.products),
        ("BTMI EMA, 2.53 n l", BTMI.sums),
        ("BMI EMM, 2.37 n l", BMI.products),
        ("BMI EMA, 3.79 n l", BMI.sums),
    ];
    let counted = [
        ("BTMI EMM, counted", 0, 0),
        ("BTMI EMA, counted", 0, 1),
        ("BMI EMM, counted", 1, 0),
        ("BMI EMA, counted", 1, 1),
    ];
    let mut series: Vec<Series> = Vec::new();
    for (name, algorithm, cost) in counted {
        let point = |costs: &Costs| {
            let all = costs.algorithms[algorithm][cost];
            let n = if channels > 1.0 { costs.n as f64 } else { 1.0 };
            (x(costs), all / n)
        };
        series.push(Series {
            name: name.to_owned(),
            printed: false,
            points: costs.iter().map(point).collect(),
        });
    }
    for (name, factor) in printed {
        series.push(Series {
            name: name.to_owned(),
            printed: true,
            points: costs
                .iter()
                .map(|costs| (x(costs), factor * unit(costs)))
                .collect(),
        });
    }
    Plot {
        name,
        title: title.to_owned(),
        description: String::from(
            "All costs grow in proportion; the counted ones lie one or two percent above the printed \
             lines, and BTMI a third below BMI.",
        ),
        x: Axis::linear(label),
        y: Axis::linear("operations"),
        series,
    }
}

/// The printed updates, Table I, and the moduli.
fn printed(measured: &mut Measured) {
    let mut table = Table::new(
        "update3-4",
        "Wrong inverses of A = 1 to 1022 with update3_4 as printed",
        &[
            ("P", Origin::Label),
            ("P mod 4", Origin::Label),
            ("wrong as printed", Origin::Counted),
            ("wrong corrected", Origin::Counted),
        ],
    );
    let figures = &mut measured.figures;
    for (name, p) in primes() {
        let wrong = [Update::Printed, Update::Corrected].map(|update| wrong_inverses(&p, update).0);
        let class = if &p % 4u8 == BigUint::from(1u8) {
            1usize
        } else {
            3
        };
        if name != "P-224" {
            let figure = format!("wrong inverses of 1022, update3_4 as printed, P = {class} mod 4");
            figures.count(figure, wrong[0] as f64, format!("P = {name}"));
        }
        table.row(vec![
            name.into(),
            class.into(),
            wrong[0].into(),
            wrong[1].into(),
        ]);
    }
    measured.tables.push(table);

    let mut table = Table::new(
        "table-i",
        "Table I: how many of X = 0 to 11 have X + f_D P a multiple of D",
        &[
            ("D", Origin::Label),
            ("f_D for |X|_6 = 0 to 5", Origin::Printed),
            ("P = 1 mod 12, at |X|_6", Origin::Counted),
            ("P = 7 mod 12, at |X|_6", Origin::Counted),
            ("P = 1 mod 12, at |X|_4", Origin::Counted),
        ],
    );
    let (mut others, mut by_six, mut by_four) = (0, 0, 0);
    for row in TABLE_I {
        let (divisor, f) = row;
        let wrong = [(13, 6), (7, 6), (13, 4)].map(|(p, period)| wrong_multiples(row, p, period));
        if divisor == 4 {
            by_six += wrong[0] + wrong[1];
            by_four += wrong[2];
        } else {
            others += wrong[0] + wrong[1];
        }
        let mut cells = vec![Cell::from(divisor as usize), Cell::from(format!("{f:?}"))];
        cells.extend(wrong.map(|wrong| Cell::from(12 - wrong)));
        if divisor != 4 {
            cells[4] = Cell::from("-");
        }
        table.row(cells);
    }
    measured.tables.push(table);
    let over = "X and P modulo 12";
    figures.count("wrong f_2, f_3 and f_6 by X mod 6", others as f64, over);
    figures.count("wrong f_4 by X mod 6", by_six as f64, over);
    figures.count("wrong f_4 by X mod 4, P = 1 mod 12", by_four as f64, over);

    measured.tables.push(moduli());
}

/// The number of moduli for the base that section IV.C assumes "to simplify the equations", and without that
/// assumption.
fn moduli() -> Table {
    let mut table = Table::new(
        "moduli",
        "Pairwise coprime numbers m = 2^w - r with r < 2^floor(w/2): at least so many",
        &[
            ("w", Origin::Label),
            ("m = 1 mod 12", Origin::Counted),
            ("odd, no multiple of 3", Origin::Counted),
        ],
    );
    for width in [17, 18] {
        table.row(vec![
            (width as usize).into(),
            pairwise_coprime(width, |m| m % 12 == 1).len().into(),
            pairwise_coprime(width, |m| m % 2 != 0 && m % 3 != 0)
                .len()
                .into(),
        ]);
    }
    table.note(
        "A base for P-256 takes 16 moduli of 17 bits. The paper does not claim that they exist: m = 1 mod 12 is \
         there to simplify equations (1) and (2), and w = 17 is a column of Table II, on units that reduce modulo \
         3. With the weights |M/m_i|_4 and |M/m_i|_3 any odd moduli that are no multiples of 3 will do.",
    );
    table
}

/// The Cox with 6 bits, with and without offset, and with 5 bits.
fn cox(setting: &Setting, measured: &mut Measured) -> Result<(), PaperError> {
    let samples: u32 = setting.effort.of(20_000, 2_000, 100);
    let p = p_521();
    let residues = residues_of_p_521();
    let mut random = Random(6);
    let wrong = |x: &BigUint, t: u32, half: bool| {
        let truth = [4u32, 3].map(|k| (x % k).iter_u32_digits().next().unwrap_or(0));
        u32::from(residues.of(x, t, half) != truth)
    };
    let operand = operand();
    let mut six = wrong(&operand, 6, true);
    let (mut no_offset, mut five) = (0, 0);
    for index in 0..samples {
        let x = match index % 4 {
            0 => BigUint::from(index),
            1 => &p - index,
            _ => random.below(&p),
        };
        six += wrong(&x, 6, true);
        no_offset += wrong(&x, 6, false);
        five += wrong(&x, 5, true);
    }
    let over = format!("{samples} numbers modulo P-521 in 22 moduli of 24 bits");
    let figures = &mut measured.figures;
    figures.count(
        "wrong residues, t = 6, Cox from 1/2",
        f64::from(six),
        over.clone(),
    );
    figures.count(
        "wrong residues, t = 6, Cox from 0",
        f64::from(no_offset),
        over,
    );
    let of_operand = f64::from(wrong(&operand, 5, true));
    figures.count(
        "wrong residues of the operand for t = 5",
        of_operand,
        "one operand",
    );

    let mut table = Table::new(
        "cox-bits",
        "Bits t of the Cox that are proved to be enough",
        &[
            ("prime", Origin::Label),
            ("w", Origin::Label),
            ("n", Origin::Counted),
            ("t, BTMI", Origin::Computed),
        ],
    );
    for (name, p) in nist_primes() {
        for width in [20, 24, 31, 62] {
            let base = inversion::base(&boxed(&p), width)?;
            let t = BinaryTernaryInversion::new(&base, &boxed(&p))?.kept_bits();
            if name == "P-192" && width == 31 {
                let figure = "t proved to be enough, P-192, w = 31";
                measured
                    .figures
                    .count(figure, f64::from(t), "the condition of exactness");
            }
            table.row(vec![
                name.into(),
                (width as usize).into(),
                base.len().into(),
                (t as usize).into(),
            ]);
        }
    }
    table.note(format!(
        "n 2^-t + sum eps <= 1/2 + (C0 - 2P/3)/M, with the Cox from 1/2. With t = 5, {five} of {samples} numbers \
         modulo P-521 in 22 moduli of 24 bits are wrong: random numbers do not show that it is not enough."
    ));
    measured.tables.push(table);
    Ok(())
}

/// Inversion by Fermat's little theorem beside BTMI, in two bases.
fn fermat(measured: &mut Measured) -> Result<(), PaperError> {
    let p = &nist_primes()[1].1;
    let mut table = Table::new(
        "fermat",
        "Modular multiplications of one inversion modulo P-256",
        &[
            ("w", Origin::Label),
            ("n, FLT", Origin::Counted),
            ("EMM, FLT with windows", Origin::Counted),
            ("n, BTMI", Origin::Counted),
            ("EMM, BTMI", Origin::Counted),
            ("FLT / BTMI", Origin::Computed),
        ],
    );
    let mut found = Vec::new();
    for width in [44, 22] {
        let (a, b) = bases(&boxed(p), width, 1)?;
        let field = Montgomery::kawamura(&boxed(p), &a, &b)?;
        let channel = Counting::default();
        field.invert(&channel, &field.element(&Plain, &3u64.into()))?;
        let counts = channel.take();
        let flt = (counts.emm + counts.cmm) as f64;
        let costs = Costs::new(p, &inversion::base(&boxed(p), width)?, 10)?;
        let btmi = costs.algorithms[0][0];
        found.push([flt / (a.len() as f64), btmi / costs.n as f64]);
        table.row(vec![
            (width as usize).into(),
            a.len().into(),
            flt.into(),
            costs.n.into(),
            btmi.into(),
            (flt / btmi).into(),
        ]);
    }
    table.note("FLT is constant time, the plus-minus inversions are not.");
    measured.tables.push(table);
    // The bases of FLT and BTMI have about, not exactly, twice as many moduli.
    if let [few, many] = found.as_slice() {
        let over = "one inversion by FLT, the mean of 10 by BTMI, modulo P-256";
        let figures = &mut measured.figures;
        figures.count("EMM of FLT, n doubled", 2.0 * many[0] / few[0], over);
        figures.count("EMM of BTMI, n doubled", 2.0 * many[1] / few[1], over);
    }
    Ok(())
}
