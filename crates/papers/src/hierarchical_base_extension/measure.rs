//! The figures, tables and plots.

use super::literal::{SmallBase, largest_delta};
use super::printed::{self, cost_ratio, moduli};
use crate::PaperError;
use crate::figures::Source;
use crate::hardware::{HardwareReport, HardwareRow};
use crate::integers::{big, boxed};
use crate::paper::{Measured, Setting};
use crate::plot::{Axis, Plot, Series};
use crate::random::Random;
use crate::table::{Cell, Origin, Table};
use num_bigint::BigUint;
use sunzi_rns::extend::hierarchical::Hierarchical;
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{Base, BaseExtension, Counting, Counts, Fixed, Plain, Residues};

/// The number of steps of a run.
pub(super) const STEPS: u64 = 4;

/// The largest number of columns that is counted.
const MOST_COLUMNS: usize = 6;

pub(super) fn measure(setting: &Setting, step: &mut dyn FnMut()) -> Result<Measured, PaperError> {
    let mut measured = Measured::default();
    counts(&mut measured)?;
    step();
    curves(&mut measured);
    printed_table(&mut measured);
    step();
    exactness(setting, &mut measured)?;
    step();
    let figures = &mut measured.figures;
    let over = "all X, Y < 3P for P = 223, with the largest excess";
    figures.count(
        "largest delta, A >= 9P",
        largest_delta(223, 2145).0 as f64,
        over,
    );
    figures.count(
        "largest delta, A < 9P",
        largest_delta(223, 1001).0 as f64,
        over,
    );
    cores(&setting.hardware, &mut measured);
    measured.tables.extend(setting.hardware.table("cox_rower"));
    measured.tables.extend(setting.hardware.clocks("cox_rower"));
    step();
    Ok(measured)
}

/// Our cores at the paper's eight points: KBE, HBE, and HBE with half the rowers.
fn cores(report: &HardwareReport, measured: &mut Measured) {
    let mut table = Table::new(
        "points",
        "Our cores at the paper's eight points",
        &[
            ("bits of P", Origin::Label),
            ("w", Origin::Label),
            ("cycles KBE", Origin::Printed),
            ("cycles HBE", Origin::Printed),
            ("cycles KBE", Origin::Counted),
            ("cycles HBE", Origin::Counted),
            ("DSPs KBE", Origin::Printed),
            ("DSPs HBE", Origin::Printed),
            ("DSPs KBE", Origin::Counted),
            ("DSPs HBE", Origin::Counted),
            ("DSPs HBE, half the rowers", Origin::Counted),
        ],
    );
    // For each point, the values of KBE, HBE, and HBE with half the rowers.
    let (mut cycles, mut dsps) = (Vec::new(), Vec::new());
    let mut tool = None;
    for point in &printed::TABLE {
        let rows = ["kbe_s1", "hbe2_s1", "hbe2_s2"].map(|form| {
            let name = format!("{}_w{}_{form}", point.bits, point.width);
            report.configuration("cox_rower", &name)
        });
        let value = |of: fn(&HardwareRow) -> Option<f64>| rows.map(|row| row.and_then(of));
        let (of_cycles, of_dsps) = (value(|row| row.cycles), value(|row| row.dsp));
        let mut cells: Vec<Cell> =
            vec![(point.bits as usize).into(), (point.width as usize).into()];
        cells.extend(point.cycles.map(|cycles| Cell::from(f64::from(cycles))));
        cells.extend(of_cycles[..2].iter().map(|cycles| Cell::from(*cycles)));
        cells.extend(point.dsp.map(|dsp| Cell::from(f64::from(dsp))));
        cells.extend(of_dsps.map(Cell::from));
        table.row(cells);
        if let [Some(kawamura), Some(hierarchical), _] = of_cycles {
            cycles.push([kawamura, hierarchical]);
        }
        if let [Some(kawamura), Some(hierarchical), Some(half)] = of_dsps {
            dsps.push([kawamura, hierarchical, half]);
        }
        tool = tool.or(rows[0].map(|row| row.tool.clone()));
    }
    let Some(tool) = tool else {
        return;
    };
    table.note(format!(
        "Printed: XC7Z020, Vivado HLS, whose schedule is not published. Counted: our cores, which are another design; {tool}."
    ));
    measured.tables.push(table);
    let mut add = |name: &str, value: usize| {
        let source = Source::Hardware { tool: tool.clone() };
        measured.figures.add(name, value as f64, "", source);
    };
    let points = printed::TABLE.len();
    if cycles.len() == points {
        let fewer = cycles.iter().filter(|[kbe, hbe]| hbe < kbe).count();
        let more = cycles.iter().filter(|[kbe, hbe]| hbe > kbe).count();
        add("points where our HBE core takes fewer cycles, of 8", fewer);
        add("points where it takes as many, of 8", points - fewer - more);
    }
    if dsps.len() == points {
        let fewer = dsps.iter().filter(|[kbe, hbe, _]| hbe < kbe).count();
        let half = dsps.iter().filter(|[kbe, _, half]| half < kbe).count();
        add("points where our HBE core takes fewer DSPs, of 8", fewer);
        add("points where it does with half the rowers, of 8", half);
    }
}

/// Two disjoint bases of `n` moduli of 28 bits.
fn two_bases(n: usize) -> Result<(Base, Base), PaperError> {
    let all = Base::pseudo_mersenne(28, 2 * n)?;
    let values: Vec<u128> = all.moduli().iter().map(sunzi_rns::Modulus::value).collect();
    Ok((Base::new(&values[..n])?, Base::new(&values[n..])?))
}

/// The operations of an extension of 1.
fn operations(extension: &impl BaseExtension) -> Counts {
    let channel = Counting::default();
    extension.extend_on(&channel, &Residues::one(extension.source()));
    channel.take()
}

/// The operations of KBE and HBE for rows of 1 to 6, counted.
fn counts(measured: &mut Measured) -> Result<(), PaperError> {
    let mut table = Table::new(
        "operations",
        "Operations of one base extension from n to n moduli, in rows of c",
        &[
            ("extension", Origin::Label),
            ("n", Origin::Label),
            ("CMM", Origin::Counted),
            ("CMR", Origin::Counted),
            ("plain products", Origin::Counted),
            ("additions (EMA)", Origin::Counted),
            ("table words", Origin::Counted),
            ("r^2 c", Origin::Computed),
        ],
    );
    let (mut grids, mut right) = (0u32, 0u32);
    for n in [10, 12, 16, 20, 24] {
        let (source, target) = two_bases(n)?;
        let mut add = |name: String, columns: usize, counts: &Counts| {
            table.row(vec![
                name.into(),
                n.into(),
                counts.cmm.into(),
                counts.cmr.into(),
                counts.products.into(),
                counts.ema.into(),
                counts.table_words.into(),
                (n * n / columns).into(),
            ]);
        };
        let kawamura = operations(&Kawamura::with_fewest_bits(&source, &target, Fixed::HALF)?);
        add(String::from("KBE"), 1, &kawamura);
        if n == 16 {
            measured
                .figures
                .count("CMM of KBE, n = 16", kawamura.cmm as f64, "one extension");
        }
        for c in (1..=MOST_COLUMNS).filter(|c| n.is_multiple_of(*c)) {
            let extension = Hierarchical::with_fewest_bits(&source, &target, c, Fixed::HALF)?;
            let counts = operations(&extension);
            add(format!("HBE, c = {c}"), c, &counts);
            grids += 1;
            right += u32::from(counts.cmm as usize == n + n * n / c);
            if n == 16 && c == 2 {
                for (kind, count) in [
                    ("CMM", counts.cmm),
                    ("CMR", counts.cmr),
                    ("plain products", counts.products),
                ] {
                    let name = format!("{kind} of HBE, n = 16, c = 2");
                    measured.figures.count(name, count as f64, "one extension");
                }
            }
        }
    }
    table.note(
        "CMM: modular product by a constant; CMR: reduction of a wider number. Besides the r^2 c outer \
         products, each extension takes n CMM for the digits.",
    );
    let over = "n = 10, 12, 16, 20, 24 with every c up to 6 that divides n";
    let figures = &mut measured.figures;
    figures.count(
        "grids whose outer products are r^2 c",
        f64::from(right),
        over,
    );
    figures.count("grids counted", f64::from(grids), over);
    measured.tables.push(table);
    Ok(())
}

/// The curves of the theoretical cost.
fn curves(measured: &mut Measured) {
    let ratios = [0.2, 0.3, 0.5, 1.0];
    let curve = |name: String, n: &mut dyn Iterator<Item = u32>, c: f64, ratio: f64| Series {
        name,
        printed: false,
        points: n
            .map(|n| (f64::from(n), cost_ratio(f64::from(n), c, ratio)))
            .collect(),
    };
    let two = ratios.map(|ratio| {
        curve(
            format!("c = 2, CMR/CMM = {ratio}"),
            &mut (4..=32).step_by(2),
            2.0,
            ratio,
        )
    });
    measured.plots.push(Plot {
        name: "cost",
        title: String::from("Cost of HBE (c = 2) relative to KBE, over the number of moduli"),
        description: String::from(
            "For cheap reductions the ratio falls from above 1 to about 0.65; if a reduction costs as \
             much as a product, it stays above 1.",
        ),
        x: Axis::linear("moduli n"),
        y: Axis::linear("cost HBE / cost KBE"),
        series: two.to_vec(),
    });
    let columns = (1..=MOST_COLUMNS as u32).map(|c| {
        let first = c.max(2).next_multiple_of(c);
        let mut n = (first..=36).step_by(c as usize).filter(|n| *n >= 4);
        curve(format!("c = {c}"), &mut n, f64::from(c), 0.3)
    });
    measured.plots.push(Plot {
        name: "cost-of-columns",
        title: String::from("Cost of HBE relative to KBE for rows of 1 to 6, CMR/CMM = 0.3"),
        description: String::from(
            "On many moduli longer rows save more, with diminishing returns; on few moduli the \
             gathering costs more than it saves.",
        ),
        x: Axis::linear("moduli n"),
        y: Axis::linear("cost HBE / cost KBE"),
        series: columns.collect(),
    });
    let figures = &mut measured.figures;
    for (name, ratio) in [
        ("HBE/KBE, n = 16, CMR/CMM = 0.3", 0.3),
        ("HBE/KBE, n = 16, CMR/CMM = 1", 1.0),
    ] {
        figures.from_printed(name, cost_ratio(16.0, 2.0, ratio));
    }
}

/// The FPGA table as printed, and its consequences.
fn printed_table(measured: &mut Measured) {
    let mut table = Table::new(
        "fpga",
        "FPGA results of KBE and HBE (c = 2) on a XC7Z020, as printed",
        &[
            ("bits of P", Origin::Label),
            ("w", Origin::Label),
            ("slices KBE", Origin::Printed),
            ("slices HBE", Origin::Printed),
            ("DSPs KBE", Origin::Printed),
            ("DSPs HBE", Origin::Printed),
            ("DSPs saved, %", Origin::Computed),
            ("time KBE, ns", Origin::Printed),
            ("time HBE, ns", Origin::Printed),
            ("time saved, %", Origin::Computed),
            ("period grows, %", Origin::Computed),
        ],
    );
    let rows = printed::TABLE;
    for row in &rows {
        let [slices, dsp] =
            [row.slices, row.dsp].map(|pair| pair.map(|x| Cell::from(f64::from(x))));
        let mut cells = vec![
            Cell::from(row.bits as usize),
            Cell::from(row.width as usize),
        ];
        cells.extend(slices);
        cells.extend(dsp);
        cells.push(Cell::decimals(row.dsp_saving(), 1));
        cells.extend(row.time.map(|time| Cell::decimals(time, 1)));
        cells.push(Cell::decimals(row.time_gain(), 1));
        cells.push(Cell::decimals(row.period_growth(), 1));
        table.row(cells);
    }
    measured.tables.push(table);

    let largest = |value: fn(&printed::Implementation) -> f64| {
        rows.iter().map(value).fold(f64::MIN, f64::max)
    };
    let smallest = rows
        .iter()
        .map(printed::Implementation::time_gain)
        .fold(f64::MAX, f64::min);
    let is_product = |row: &&printed::Implementation, i: usize| {
        (row.period[i] * f64::from(row.cycles[i]) - row.time[i]).abs() < 0.06
    };
    let right = (0..2).map(|i| rows.iter().filter(|row| is_product(row, i)).count());
    let count = |keep: fn(&printed::Implementation) -> bool| {
        rows.iter()
            .filter(|row| row.time_gain() > 0.0 && keep(row))
            .count() as f64
    };
    let sum_of_periods = |i: usize| rows.iter().map(|row| row.period[i]).sum::<f64>();
    let growths = || rows.iter().map(printed::Implementation::period_growth);
    let figures = &mut measured.figures;
    for (name, value) in [
        (
            "cells in which time = period x cycles",
            right.sum::<usize>() as f64,
        ),
        (
            "largest gain in time, %",
            largest(printed::Implementation::time_gain),
        ),
        ("smallest gain in time, %", smallest),
        (
            "largest saving of DSPs, %",
            largest(printed::Implementation::dsp_saving),
        ),
        (
            "rows whose period changes by at most 10 %",
            growths().filter(|growth| growth.abs() <= 10.0).count() as f64,
        ),
        (
            "largest growth of the period, %",
            largest(printed::Implementation::period_growth),
        ),
        (
            "growth of the mean period, %",
            100.0 * (sum_of_periods(1) / sum_of_periods(0) - 1.0),
        ),
        (
            "rows with less time and fewer DSPs",
            count(|row| row.dsp[1] < row.dsp[0]),
        ),
        (
            "rows with less time and fewer slices",
            count(|row| row.slices[1] < row.slices[0]),
        ),
    ] {
        figures.from_printed(name, value);
    }
}

/// Whether both extensions are exact, on the tiny base and on the paper's eight bases.
fn exactness(setting: &Setting, measured: &mut Measured) -> Result<(), PaperError> {
    let tiny = SmallBase::new(&[31, 29, 27, 25], 2, 5);
    let (mut kawamura, mut hierarchical) = (0u32, 0u32);
    for x in 0..tiny.product() / 2 {
        let found = tiny.quotients(x);
        kawamura += u32::from(found.kawamura != found.exact);
        hierarchical += u32::from(found.hierarchical() != found.exact);
    }
    let over = format!("all {} numbers", tiny.product() / 2);
    for (name, wrong) in [
        (
            "X < A/2 that HBE gets wrong on {31, 29, 27, 25}",
            hierarchical,
        ),
        ("X < A/2 that KBE gets wrong on {31, 29, 27, 25}", kawamura),
    ] {
        measured.figures.count(name, f64::from(wrong), over.clone());
    }

    let mut table = Table::new(
        "kept-bits",
        "Truncation of the Cox that is proved to be exact, on the paper's eight sizes",
        &[
            ("bits of P", Origin::Label),
            ("w", Origin::Label),
            ("moduli n", Origin::Label),
            ("t of KBE", Origin::Computed),
            ("t of HBE, c = 2", Origin::Computed),
            ("extensions", Origin::Counted),
            ("wrong, KBE", Origin::Counted),
            ("wrong, HBE", Origin::Counted),
        ],
    );
    let samples = setting.effort.of(20_000, 2_000, 20);
    let mut all_wrong = 0;
    for row in printed::TABLE {
        let n = moduli(row.bits, row.width);
        let source = Base::pseudo_mersenne(row.width, n)?;
        let target = Base::pseudo_mersenne(61, 2)?;
        let kbe = Kawamura::with_fewest_bits(&source, &target, Fixed::HALF)?;
        let hbe = Hierarchical::with_fewest_bits(&source, &target, 2, Fixed::HALF)?;
        let wrong = [
            wrong_extensions(&kbe, samples),
            wrong_extensions(&hbe, samples),
        ];
        all_wrong += wrong[0] + wrong[1];
        table.row(vec![
            (row.bits as usize).into(),
            (row.width as usize).into(),
            n.into(),
            (kbe.cox().kept_bits() as usize).into(),
            (hbe.kept_bits() as usize).into(),
            samples.into(),
            wrong[0].into(),
            wrong[1].into(),
        ]);
    }
    table.note("Half of the numbers are random below A/2, the others next to 0 and to A/2.");
    measured.tables.push(table);
    measured.figures.count(
        "X that either gets wrong on the eight pseudo-Mersenne bases",
        all_wrong as f64,
        format!("{} extensions", 16 * samples),
    );
    Ok(())
}

/// The number of wrong results of an extension over this many numbers.
fn wrong_extensions(extension: &impl BaseExtension, samples: usize) -> usize {
    let bound = big(extension.input_bound());
    let mut random = Random(extension.source().len() as u64);
    (0..samples)
        .filter(|&index| {
            let x = match index % 4 {
                0 | 1 => random.below(&bound),
                2 => BigUint::from(index),
                _ => &bound - 1u8 - index,
            };
            let x = boxed(&x);
            let found = extension.extend_on(&Plain, &Residues::reduced(extension.source(), &x));
            found != Residues::reduced(extension.target(), &x)
        })
        .count()
}
