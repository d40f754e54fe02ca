//! The figures, tables and plots.

use super::literal::{Literal, equation_8, reduce_mersenne};
use super::printed::{
    ARCHITECTURES, CurveRow, IMPROVEMENTS, SQ_RNS, TABLE_2, TABLE_4, improvement, latency,
};
use crate::PaperError;
use crate::figures::{Clock, Figures};
use crate::integers::{big, boxed};
use crate::paper::{Measured, Setting};
use crate::plot::{Axis, Plot, Series};
use crate::random::Random;
use crate::table::{Cell, Origin, Table};
use crate::timing::{Operation, Patience, alternate};
use num_bigint::BigUint;
use std::hint::black_box;
use std::time::Duration;
use sunzi_field::montgomery::{Montgomery, bases};
use sunzi_field::sum_of_residues::curves::{
    self, Curve, EDWARDS25519, SECP256K1, SECP256R1, SECP521R1,
};
use sunzi_field::sum_of_residues::{ExactReduction, PublishedReduction};
use sunzi_rns::{Counting, Counts, Plain};

/// The number of steps of a run.
pub(super) const STEPS: u64 = 6;

/// The two curves of the paper with their T.
const CURVES: [(Curve, u32); 2] = [(SECP256K1, 72), (EDWARDS25519, 71)];

/// The precisions of the map of errors.
const PRECISIONS: std::ops::RangeInclusive<u32> = 66..=96;

/// The Brainpool primes of 256, 320, 384 and 512 bits (RFC 5639).
const BRAINPOOL: [&str; 4] = [
    "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377",
    "d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e27",
    "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d1a71874700133107ec53",
    "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca703308717d4d9b009bc66842aecda12ae6a380e6\
     2881ff2f2d82c68528aa6056583a48f3",
];

/// The code that is timed.
const BACKEND: &str = "sunzi-field reference code, one thread";

pub(super) fn measure(setting: &Setting, step: &mut dyn FnMut()) -> Result<Measured, PaperError> {
    let mut measured = Measured::default();
    errors(setting, &mut measured)?;
    step();
    special_numbers(&mut measured)?;
    chains(setting, &mut measured.figures)?;
    step();
    ranges(setting, &mut measured.figures);
    step();
    table_2(&mut measured);
    sizes(&mut measured);
    step();
    hardware_tables(&mut measured);
    let report = &setting.hardware;
    for (name, core) in [
        ("SOR_1M_N", "sor_1m_n"),
        ("SOR_1M_P", "sor_1m_p"),
        ("SOR_2M", "sor_2m"),
    ] {
        report.add_cycles(&mut measured.figures, name, core, "secp256k1");
    }
    measured.tables.extend(report.table("sor_"));
    measured.tables.extend(report.clocks("sor_"));
    step();
    against_montgomery(setting, &mut measured)?;
    step();
    Ok(measured)
}

/// The fraction of random products that are returned too large by p, for each T.
fn errors(setting: &Setting, measured: &mut Measured) -> Result<(), PaperError> {
    let samples = setting.effort.of(40_000, 4_000, 200);
    let mut table = Table::new(
        "plus-p",
        format!("Products returned as (X Y mod p) + p, percent of {samples} random products"),
        &[
            ("T", Origin::Label),
            ("secp256k1, published", Origin::Counted),
            ("secp256k1, with alpha", Origin::Counted),
            ("edwards25519, published", Origin::Counted),
            ("edwards25519, with alpha", Origin::Counted),
            ("both, exact form", Origin::Counted),
        ],
    );
    let (mut percent, mut truncated) = (Vec::new(), Vec::new());
    let mut exact_wrong = 0u32;
    for (curve, paper_t) in CURVES {
        let map = ErrorMap::new(&curve, samples)?;
        exact_wrong += map.exact_wrong;
        let at = (paper_t - PRECISIONS.start()) as usize;
        let name = format!("products returned +p, {}, T = {paper_t}, %", curve.name);
        let over = format!("{samples} random products");
        measured
            .figures
            .count(name, map.published[at], over.clone());
        let name = format!(
            "products for which (23) and (24) differ, {}, T = {paper_t}, %",
            curve.name
        );
        measured.figures.count(name, map.truncated[at], over);
        percent.push(map.published);
        percent.push(map.with_alpha);
        truncated.push(map.truncated);
    }
    precision(samples, &truncated, measured);
    let exact_name = "products returned +p, exact form";
    measured.figures.count(
        exact_name,
        f64::from(exact_wrong),
        format!("{} products", 2 * samples),
    );
    for (index, t) in PRECISIONS.enumerate().step_by(2) {
        let mut cells: Vec<Cell> = vec![(t as usize).into()];
        cells.extend(percent.iter().map(|map| Cell::decimals(map[index], 2)));
        cells.push((exact_wrong as usize).into());
        table.row(cells);
    }
    table.note(
        "The paper has T = 72 for secp256k1 and 71 for edwards25519. \"With alpha\": equation (24) with the \
         term alpha floor(<-M>_p / 2^(W-T)), which equation (20) drops.",
    );
    measured.tables.push(table);
    let names = [
        "secp256k1, published",
        "secp256k1, with alpha",
        "edwards25519, published",
        "edwards25519, with alpha",
    ];
    let points = |map: &Vec<f64>| PRECISIONS.map(f64::from).zip(map.iter().copied()).collect();
    let mut series: Vec<Series> = names
        .into_iter()
        .zip(&percent)
        .map(|(name, map)| Series {
            name: name.to_owned(),
            printed: false,
            points: points(map),
        })
        .collect();
    series.push(Series {
        name: String::from("both, exact form"),
        printed: false,
        points: points(&vec![f64::from(exact_wrong); PRECISIONS.count()]),
    });
    measured.plots.push(Plot {
        name: "plus-p",
        title: String::from("Random products returned too large by p, against the precision T"),
        description: String::from(
            "At T = 72 and 71 about 6 and 13 percent are too large by p. Larger T leaves a rest that only \
             the term of alpha removes; the exact form has none.",
        ),
        x: Axis::linear("T, bits"),
        y: Axis::linear("returned +p, %"),
        series,
    });
    Ok(())
}

/// The frequency with which equations (23) and (24) differ, for each curve and T.
fn precision(samples: u32, truncated: &[Vec<f64>], measured: &mut Measured) {
    let mut table = Table::new(
        "precision",
        format!("Products for which (23) and (24) differ, percent of {samples} random products"),
        &[
            ("T", Origin::Label),
            ("secp256k1", Origin::Counted),
            ("edwards25519", Origin::Counted),
        ],
    );
    for (index, t) in PRECISIONS.enumerate().filter(|(_, t)| *t <= 84) {
        let mut cells: Vec<Cell> = vec![(t as usize).into()];
        cells.extend(truncated.iter().map(|map| Cell::decimals(map[index], 3)));
        table.row(cells);
    }
    table.note("The paper has T = 72 for secp256k1 and 71 for edwards25519.");
    measured.tables.push(table);
    let at_80 = (80 - PRECISIONS.start()) as usize;
    let rates = truncated.iter().map(|map| map[at_80]);
    measured.figures.count(
        "products for which (23) and (24) differ, both, T = 80, %",
        rates.sum::<f64>() / truncated.len() as f64,
        format!("{} random products", 2 * samples),
    );
}

/// The errors of one curve, in percent for each T.
struct ErrorMap {
    /// The frequency with which (23) and (24) differ.
    truncated: Vec<f64>,
    published: Vec<f64>,
    with_alpha: Vec<f64>,
    /// The number of products for which the exact form is wrong.
    exact_wrong: u32,
}

impl ErrorMap {
    fn new(curve: &Curve, samples: u32) -> Result<Self, PaperError> {
        let field = Literal::new(curve, 8);
        let exact = ExactReduction::new(&curve.prime())?;
        let mut random = Random(8);
        let count = PRECISIONS.count();
        let [mut truncated, mut published, mut with_alpha] = [(); 3].map(|()| vec![0u32; count]);
        let mut exact_wrong = 0;
        for _ in 0..samples {
            let z = random.below(&field.p) * random.below(&field.p);
            let sums = field.sums(&z);
            let quotient = field.exact_quotient(&sums);
            let untruncated = field.kappa_untruncated(&sums);
            for (index, t) in PRECISIONS.enumerate() {
                let kappa = field.kappa(&sums, t);
                truncated[index] += u32::from(kappa != untruncated);
                published[index] += u32::from(kappa != quotient);
                with_alpha[index] += u32::from(field.kappa_with_alpha(&sums, t) != quotient);
            }
            let found = exact.reduce(&Plain, &exact.residues(&boxed(&z))?);
            exact_wrong += u32::from(big(&found.to_uint()) != z % &field.p);
        }
        let percent = |wrong: &u32| 100.0 * f64::from(*wrong) / f64::from(samples);
        Ok(Self {
            truncated: truncated.iter().map(percent).collect(),
            published: published.iter().map(percent).collect(),
            with_alpha: with_alpha.iter().map(percent).collect(),
            exact_wrong,
        })
    }
}

/// A number with its name, computed from p.
type Special = (&'static str, fn(&BigUint) -> BigUint);

/// The results for numbers next to multiples of p.
fn special_numbers(measured: &mut Measured) -> Result<(), PaperError> {
    let mut table = Table::new(
        "special-numbers",
        "Results for special Z, minus Z mod p, in units of p",
        &[
            ("Z", Origin::Label),
            ("secp256k1, published", Origin::Counted),
            ("secp256k1, exact", Origin::Counted),
            ("edwards25519, published", Origin::Counted),
            ("edwards25519, exact", Origin::Counted),
        ],
    );
    let special: [Special; 9] = [
        ("0", |_| BigUint::ZERO),
        ("1", |_| BigUint::from(1u8)),
        ("p - 1", |p| p - 1u8),
        ("p", BigUint::clone),
        ("p + 1", |p| p + 1u8),
        ("2 p", |p| p * 2u8),
        ("1000 p - 1", |p| p * 1000u32 - 1u8),
        ("p^2", |p| p * p),
        ("(p - 1)^2", |p| (p - 1u8) * (p - 1u8)),
    ];
    let mut multiples = 0;
    let mut rows: Vec<Vec<Cell>> = special
        .iter()
        .map(|(name, _)| vec![Cell::from(*name)])
        .collect();
    for (curve, _) in CURVES {
        let published = PublishedReduction::for_curve(&curve)?;
        let exact = ExactReduction::new(&curve.prime())?;
        let p = big(&curve.prime());
        let results = |z: &BigUint| -> Result<[BigUint; 2], PaperError> {
            let boxed = boxed(z);
            Ok([
                published.reduce(&Plain, &published.residues(&boxed)?),
                exact.reduce(&Plain, &exact.residues(&boxed)?),
            ]
            .map(|found| (big(&found.to_uint()) - z % &p) / &p))
        };
        for (row, (_, z)) in rows.iter_mut().zip(special) {
            let excess = results(&z(&p))?;
            row.extend(excess.map(|excess| Cell::from(u64::from(excess > BigUint::ZERO))));
        }
        for k in 1..=500u32 {
            let [excess, _] = results(&(&p * k * k))?;
            multiples += u32::from(excess > BigUint::ZERO);
        }
    }
    for row in rows {
        table.row(row);
    }
    measured.tables.push(table);
    let name = "nonzero multiples of p returned as p, %";
    measured.figures.count(
        name,
        f64::from(multiples) / 10.0,
        "k^2 p for k = 1 to 500, both curves",
    );
    Ok(())
}

/// Chains of squares and products, of which each result is a factor of the next.
fn chains(setting: &Setting, figures: &mut Figures) -> Result<(), PaperError> {
    let steps = setting.effort.of(20_000, 4_000, 100);
    let (mut largest, mut wrong) = (0.0f64, 0u32);
    for (curve, _) in CURVES {
        let published = PublishedReduction::for_curve(&curve)?;
        let p = big(&curve.prime());
        let start = Random(20).below(&p);
        let factor = published.residues(&boxed(&start))?;
        let (mut value, mut expected) = (factor.clone(), start.clone());
        for index in 0..steps {
            if index % 2 == 0 {
                value = published.mul(&Plain, &value, &value);
                expected = &expected * &expected % &p;
            } else {
                value = published.mul(&Plain, &value, &factor);
                expected = &expected * &start % &p;
            }
            let found = big(&value.to_uint());
            wrong += u32::from(&found % &p != expected);
            let thousandths: BigUint = found * 1000u32 / &p;
            largest = largest.max(
                thousandths
                    .to_u64_digits()
                    .first()
                    .map_or(0.0, |x| *x as f64 / 1e3),
            );
        }
    }
    let over = format!("{steps} steps on each curve");
    figures.count("largest result / p in a chain", largest, over.clone());
    figures.count(
        "results in a chain that are not congruent",
        f64::from(wrong),
        over,
    );
    Ok(())
}

/// The ranks in and out of range, the condition on inputs, and the reduction of channels.
fn ranges(setting: &Setting, figures: &mut Figures) {
    let samples: u32 = setting.effort.of(20_000, 2_000, 100);
    let field = Literal::new(&SECP256K1, 8);
    let (limit, top) = (field.limit(), &field.range - field.limit());
    let mut random = Random(13);
    let is_wrong = |z: &BigUint| {
        let sums = field.sums(z);
        u32::from(field.rank(&sums, 8) != sums.alpha)
    };
    let (mut below, mut above) = (0, 0);
    for index in 0..samples {
        let distance = BigUint::from(index);
        // Half of the numbers are next to the limit.
        let z = if index % 2 == 0 {
            random.below(&limit)
        } else {
            &limit - 1u8 - distance
        };
        below += is_wrong(&z);
        above += is_wrong(&(&limit + random.below(&top)));
    }
    let over = format!("{samples} numbers");
    figures.count("wrong ranks, Z < 15M/16", f64::from(below), over.clone());
    let percent = 100.0 * f64::from(above) / f64::from(samples);
    figures.count("wrong ranks, Z >= 15M/16, %", percent, over);
    for (name, field) in [
        ("q needed for N = 8", &field),
        ("q needed for N = 16", &Literal::new(&SECP521R1, 16)),
    ] {
        figures.count(name, f64::from(field.needed_rank_bits()), "the moduli");
    }

    let root = limit.sqrt();
    let (mut printed, mut corrected) = (0, 0);
    for _ in 0..500 {
        let mut check = |bound: &BigUint| {
            let z = random.below(bound) * random.below(bound);
            let found = field.reduce(&z, 8, 72);
            let difference = found - num_bigint::BigInt::from(z);
            let p = num_bigint::BigInt::from(field.p.clone());
            u32::from(difference % p != num_bigint::BigInt::ZERO)
        };
        printed += check(&limit);
        corrected += check(&root);
    }
    figures.count(
        "wrong products of X, Y < 15M/16",
        f64::from(printed),
        "500 random pairs",
    );
    figures.count(
        "wrong products with X Y < 15M/16",
        f64::from(corrected),
        "500 random pairs",
    );

    figures.count(
        "coprime pairs of Table 1",
        field.coprime_pairs().0 as f64,
        "all 28 pairs",
    );
    let double = BigUint::from(1u8) << 132;
    let mut wrong_by = |reduce: &dyn Fn(&BigUint) -> BigUint, modulus: &BigUint| {
        let is_wrong = |_: &u32| {
            let b = random.below(&double);
            reduce(&b) != b % modulus
        };
        (0..1000u32).filter(is_wrong).count() as f64
    };
    let of_mersenne_alone = wrong_by(&reduce_mersenne, &field.moduli[0]);
    let mut wrong = |t: u32, modulus: &BigUint| wrong_by(&|b| equation_8(b, t, modulus), modulus);
    let of_mersenne = wrong(0, &field.moduli[0]);
    let exponents = [2, 3, 4, 5, 6, 8, 9];
    let of_others: f64 = exponents
        .iter()
        .zip(&field.moduli[1..])
        .map(|(&t, m)| wrong(t, m))
        .sum();
    let over = "1000 random numbers below 2^132";
    figures.count("wrong residues by equation (8), t = 0", of_mersenne, over);
    figures.count(
        "wrong residues modulo 2^66 - 1 by B_H + B_L",
        of_mersenne_alone,
        over,
    );
    figures.count(
        "wrong residues by equation (8), t > 0",
        of_others,
        "1000 numbers for each t",
    );
}

/// `epsilon = 2^W - p`.
fn epsilon(p: &BigUint) -> BigUint {
    (BigUint::from(1u8) << p.bits()) - p
}

/// Whether `epsilon < 2^(W-66) / N`.
fn satisfies_22(p: &BigUint, channels: u32) -> bool {
    epsilon(p) * channels < BigUint::from(1u8) << (p.bits() - 66)
}

/// `epsilon` as printed.
fn printed_epsilon(row: &CurveRow) -> BigUint {
    let (powers, rest) = row.epsilon;
    let powers = powers
        .iter()
        .map(|&(sign, exponent)| num_bigint::BigInt::from(sign) << exponent);
    let sum = powers.sum::<num_bigint::BigInt>() + rest;
    sum.magnitude().clone()
}

/// Table 2 with the curves' primes.
fn table_2(measured: &mut Measured) {
    let mut table = Table::new(
        "condition",
        "Table 2: condition (22), epsilon < 2^(W-66) / N",
        &[
            ("curve", Origin::Label),
            ("p", Origin::Printed),
            ("N", Origin::Printed),
            ("the curve's prime?", Origin::Counted),
            ("bits of epsilon", Origin::Counted),
            ("bits of 2^(W-66)/N", Origin::Computed),
            ("holds", Origin::Computed),
        ],
    );
    let yes = |is_so: bool| Cell::from(if is_so { "yes" } else { "no" });
    let (mut satisfied, mut right) = (0u32, 0u32);
    let mut add = |name: &str, printed: &str, p: &BigUint, channels: u32, same: Option<bool>| {
        let holds = satisfies_22(p, channels);
        table.row(vec![
            name.into(),
            printed.into(),
            (channels as usize).into(),
            same.map_or_else(|| "-".into(), yes),
            epsilon(p).bits().into(),
            Cell::decimals(p.bits() as f64 - 66.0 - f64::from(channels).log2(), 1),
            yes(holds),
        ]);
        holds
    };
    for row in &TABLE_2 {
        let curve = curves::TABLE_2.iter().find(|curve| curve.name == row.curve);
        let Some(p) = curve.map(|curve| big(&curve.prime())) else {
            continue;
        };
        let same = printed_epsilon(row) == epsilon(&p);
        right += u32::from(same);
        satisfied += u32::from(add(row.name, row.prime, &p, row.channels, Some(same)));
    }
    let others = [("P-256", big(&SECP256R1.prime()), 8)].into_iter();
    let brainpool = BRAINPOOL
        .iter()
        .zip([8, 10, 12, 16])
        .map(|(hex, channels)| {
            let p = BigUint::parse_bytes(hex.as_bytes(), 16).unwrap_or_default();
            ("Brainpool", p, channels)
        });
    let mut of_others = 0u32;
    for (name, p, channels) in others.chain(brainpool) {
        let bits = format!("{} bits", p.bits());
        of_others += u32::from(add(name, &bits, &p, channels, None));
    }
    table.note("The last five rows are not in the paper. The exact form has no such condition.");
    measured.tables.push(table);
    let figures = &mut measured.figures;
    figures.count(
        "rows of Table 2 that satisfy (22)",
        f64::from(satisfied),
        "the curves' primes",
    );
    figures.count(
        "rows of Table 2 with the curve's prime",
        f64::from(right),
        "ten rows",
    );
    figures.count(
        "P-256 and Brainpool primes that satisfy (22)",
        f64::from(of_others),
        "five primes",
    );
}

/// The sizes of constants and intermediate values.
fn sizes(measured: &mut Measured) {
    let mut table = Table::new(
        "sizes",
        "Sizes in bits, and the memory of the tables",
        &[
            ("curve", Origin::Label),
            ("T", Origin::Printed),
            ("n'", Origin::Printed),
            ("n'", Origin::Computed),
            ("kappa", Origin::Printed),
            ("kappa", Origin::Computed),
            ("V", Origin::Printed),
            ("V", Origin::Computed),
            ("memory", Origin::Printed),
            ("memory", Origin::Computed),
        ],
    );
    let printed = [[55.0, 52.0, 308.0, 9944.0], [44.0, 42.0, 297.0, 9856.0]];
    for ((curve, t), printed) in CURVES.into_iter().zip(printed) {
        let [constant, kappa, v] = Literal::new(&curve, 8).sizes(t);
        let memory = 8 * ((2 * 8 + 2) * 66 + constant);
        let mut cells: Vec<Cell> = vec![curve.name.into(), (t as usize).into()];
        for (printed, computed) in printed.into_iter().zip([constant, kappa, v, memory]) {
            cells.push(printed.into());
            cells.push(computed.into());
        }
        table.row(cells);
        let figures = &mut measured.figures;
        let over = "the largest values of the sums";
        for (what, value) in [
            ("bits of kappa", kappa),
            ("bits of V", v),
            ("bits of the tables", memory),
        ] {
            figures.count(format!("{what}, {}", curve.name), value as f64, over);
        }
    }
    table.note("The formula for the memory holds with a spare row of zeros for alpha = 0.");
    measured.tables.push(table);
}

/// Table 4 and the improvements, recomputed.
fn hardware_tables(measured: &mut Measured) {
    let mut table = Table::new(
        "latencies",
        "Table 4: latency and throughput, recomputed",
        &[
            ("architecture", Origin::Label),
            ("platform", Origin::Label),
            ("clock, MHz", Origin::Printed),
            ("latency, ns", Origin::Printed),
            ("cycles / clock, ns", Origin::Computed),
            ("throughput, Mbps", Origin::Printed),
            ("throughput x latency, bits", Origin::Computed),
            ("Mbps of 8 x 66 bits", Origin::Computed),
        ],
    );
    let (mut right, mut bits) = (0u32, 0.0);
    // The largest difference of a latency, and the bits of a result in that row.
    let mut largest = (0.0f64, 0.0);
    for row in &TABLE_4 {
        let (architecture, platform, clock, printed, throughput) = *row;
        let computed = latency(row);
        right += u32::from((computed - printed).abs() < 0.5);
        let counted = throughput * printed / 1e3;
        let difference = (computed - printed).abs();
        if difference > largest.0 {
            largest = (difference, counted);
        }
        bits += counted / TABLE_4.len() as f64;
        table.row(vec![
            ARCHITECTURES[architecture].0.into(),
            platform.into(),
            clock.into(),
            Cell::decimals(printed, 1),
            Cell::decimals(computed, 1),
            throughput.into(),
            Cell::decimals(counted, 0),
            Cell::decimals(528e3 / computed, 0),
        ]);
    }
    measured.tables.push(table);
    let figures = &mut measured.figures;
    figures.from_printed("rows of Table 4 with this latency", f64::from(right));
    figures.from_printed("largest difference of a latency, ns", largest.0);
    figures.from_printed(
        "throughput x latency in the row that differs most, bits",
        largest.1,
    );
    figures.from_printed("mean bits for each result, throughput x latency", bits);
    figures.from_printed("bits of a result in RNS, 8 x 66", 8.0 * 66.0);
    let (latency, throughput) = SQ_RNS;
    figures.from_printed(
        "throughput x latency of sQ-RNS in Table 5, bits",
        throughput * latency / 1e3,
    );
    let matching = ARCHITECTURES
        .iter()
        .filter(|(_, _, formula, figure)| formula == figure);
    figures.from_printed(
        "data-flow figures with these cycles",
        matching.count() as f64,
    );
    let follows = |&&(_, printed, ours, theirs, _): &&(_, f64, f64, f64, f64)| {
        (improvement(ours, theirs) - printed).abs() < 0.5
    };
    let right = IMPROVEMENTS.iter().filter(follows).count();
    figures.from_printed("improvements that follow from Table 5", right as f64);
    let (_, _, ours, _, published) = IMPROVEMENTS[2];
    let name = "improvement of SOR_1M_P over sQ-RNS as published, %";
    figures.from_printed(name, improvement(ours, published));
    let mut table = Table::new(
        "improvements",
        "Section 4.1: improvements in latency, recomputed",
        &[
            ("comparison", Origin::Label),
            ("printed, %", Origin::Printed),
            ("from Table 5, %", Origin::Computed),
            ("without the added products, %", Origin::Computed),
        ],
    );
    for (name, printed, ours, theirs, published) in IMPROVEMENTS {
        table.row(vec![
            name.into(),
            Cell::decimals(printed, 1),
            Cell::decimals(improvement(ours, theirs), 1),
            Cell::decimals(improvement(ours, published), 1),
        ]);
    }
    measured.tables.push(table);
}

/// Products by the sum of residues and by Montgomery's method: counts and times.
fn against_montgomery(setting: &Setting, measured: &mut Measured) -> Result<(), PaperError> {
    let p = SECP256K1.prime();
    let published = PublishedReduction::for_curve(&SECP256K1)?;
    let exact = ExactReduction::new(&p)?;
    let (a, b) = bases(&p, 66, 1)?;
    let montgomery = Montgomery::kawamura(&p, &a, &b)?;
    let mut random = Random(5);
    let (x, y) = (random.of_bits(255), random.of_bits(255));
    let (rx, ry) = (exact.residues(&x)?, exact.residues(&y)?);
    let [ex, ey] = [&x, &y].map(|x| montgomery.element(&Plain, x));
    let channel = Counting::default();
    let _ = published.mul(&channel, &rx, &ry);
    let of_published = channel.take();
    let _ = exact.mul(&channel, &rx, &ry);
    let of_exact = channel.take();
    let _ = montgomery.mul(&channel, &ex, &ey);
    let of_montgomery = channel.take();

    let patience = Patience {
        repetitions: setting.effort.of(101, 31, 1),
        budget: Duration::from_secs(1),
    };
    let mut contestants: [Operation<'_>; 3] = [
        Box::new(|| {
            black_box(published.mul(&Plain, black_box(&rx), black_box(&ry)));
        }),
        Box::new(|| {
            black_box(exact.mul(&Plain, black_box(&rx), black_box(&ry)));
        }),
        Box::new(|| {
            black_box(montgomery.mul(&Plain, black_box(&ex), black_box(&ey)));
        }),
    ];
    let times = alternate(&mut contestants, patience);
    let clock = Clock {
        machine: setting.machine.clone(),
        backend: BACKEND,
    };
    let figures = &mut measured.figures;
    figures.time("product by SOR as published", &times[0], &clock);
    figures.time("product by Montgomery, KBE", &times[2], &clock);
    let products = |counts: &Counts| (counts.emm + counts.cmm) as f64;
    for (name, counts) in [
        ("channel products of SOR, w = 66", &of_published),
        ("channel products of Montgomery, w = 66", &of_montgomery),
    ] {
        figures.count(
            name,
            products(counts),
            "one product modulo the prime of secp256k1",
        );
    }
    let mut table = Table::new(
        "products",
        "One product modulo the prime of secp256k1 in channels of 66 bits",
        &[
            ("method", Origin::Label),
            ("moduli", Origin::Counted),
            ("channel products", Origin::Counted),
            ("CMR", Origin::Counted),
            ("additions", Origin::Counted),
            ("plain products", Origin::Counted),
            ("time, ns", Origin::Timed),
        ],
    );
    let sides = a.len() + b.len();
    for (name, moduli, counts, times) in [
        ("SOR, published", 8, of_published, &times[0]),
        ("SOR, exact", 8, of_exact, &times[1]),
        ("Montgomery, KBE", sides, of_montgomery, &times[2]),
    ] {
        table.row(vec![
            name.into(),
            moduli.into(),
            products(&counts).into(),
            counts.cmr.into(),
            counts.ema.into(),
            counts.products.into(),
            Cell::time(times, 1.0),
        ]);
    }
    table.note(format!(
        "{}; {BACKEND}; median \u{b1} half the distance between the quartiles of up to {} repetitions.",
        setting.machine, patience.repetitions
    ));
    measured.tables.push(table);
    Ok(())
}
