//! Table 1 of the paper as printed.

/// The six operations of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Addition.
    Addition,
    /// Subtraction.
    Subtraction,
    /// Multiplication.
    Multiplication,
    /// Division by a modulus of the base.
    DivisionByConstant,
    /// Division with a remainder.
    EuclideanDivision,
    /// Detection of the sign.
    SignDetection,
}

impl Operation {
    /// All operations, in the order of the table.
    pub const ALL: [Self; 6] = [
        Self::Addition,
        Self::Subtraction,
        Self::Multiplication,
        Self::DivisionByConstant,
        Self::EuclideanDivision,
        Self::SignDetection,
    ];

    /// The name, as in names of figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Addition => "addition",
            Self::Subtraction => "subtraction",
            Self::Multiplication => "multiplication",
            Self::DivisionByConstant => "division by constant",
            Self::EuclideanDivision => "Euclidean division",
            Self::SignDetection => "sign detection",
        }
    }

    /// The name of the operation's table of the report.
    pub fn table_name(self) -> &'static str {
        match self {
            Self::Addition => "times-addition",
            Self::Subtraction => "times-subtraction",
            Self::Multiplication => "times-multiplication",
            Self::DivisionByConstant => "times-division-by-constant",
            Self::EuclideanDivision => "times-euclidean-division",
            Self::SignDetection => "times-sign-detection",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The number of moduli.
    pub n: usize,
    /// L, the size of the range in bits.
    pub bits: u32,
    /// For each operation: the times of the binary and of the RNS implementation, in microseconds for
    /// 10^6 operations, and their ratio.
    pub times: [(f64, f64, f64); 6],
}

/// Table 1 (a) and (b). One ratio is printed as "206,10.4", which is read as 20,610.4.
#[rustfmt::skip]
#[allow(clippy::unreadable_literal)] // As in the paper, for comparison.
pub const TABLE_1: [Row; 19] = [
    row(15, 225, [(99548.0, 10.0, 9954.8), (105076.0, 8.0, 13134.5), (118745.0, 9.0, 13193.9), (122828.0, 8.0, 15353.5), (171928.0, 8.0, 21491.0), (1.0, 9.0, 0.11)]),
    row(30, 450, [(110852.0, 10.0, 11085.2), (126619.0, 8.0, 15827.4), (194619.0, 9.0, 21624.3), (168685.0, 9.0, 18742.8), (182879.0, 9.0, 20319.9), (1.0, 8.0, 0.13)]),
    row(45, 675, [(103665.0, 8.0, 12958.1), (111137.0, 8.0, 13892.1), (198589.0, 10.0, 19858.9), (145610.0, 9.0, 16178.9), (178155.0, 10.0, 17815.5), (1.0, 9.0, 0.11)]),
    row(60, 900, [(108377.0, 10.0, 10837.7), (116266.0, 8.0, 14533.3), (322731.0, 8.0, 40341.4), (174282.0, 8.0, 21785.3), (201592.0, 10.0, 20159.2), (1.0, 9.0, 0.11)]),
    row(75, 1124, [(113044.0, 8.0, 14130.5), (115830.0, 9.0, 12870.0), (392779.0, 10.0, 39277.9), (198819.0, 8.0, 24852.4), (183151.0, 9.0, 20350.1), (1.0, 9.0, 0.11)]),
    row(90, 1349, [(114060.0, 8.0, 14257.5), (120409.0, 8.0, 15051.1), (510666.0, 8.0, 63833.3), (220280.0, 9.0, 24475.6), (191398.0, 8.0, 23924.8), (1.0, 9.0, 0.11)]),
    row(105, 1573, [(116498.0, 9.0, 12944.2), (123482.0, 10.0, 12348.2), (604474.0, 9.0, 67163.8), (244787.0, 9.0, 27198.6), (194943.0, 8.0, 24367.9), (1.0, 9.0, 0.11)]),
    row(120, 1797, [(168430.0, 9.0, 18714.4), (180615.0, 10.0, 18061.5), (727589.0, 9.0, 80843.2), (319813.0, 8.0, 39976.6), (251513.0, 8.0, 31439.1), (1.0, 8.0, 0.13)]),
    row(135, 2021, [(167513.0, 8.0, 20939.1), (179552.0, 8.0, 22444.0), (827077.0, 8.0, 103384.6), (334435.0, 9.0, 37159.4), (252916.0, 9.0, 28101.8), (1.0, 15.0, 0.07)]),
    row(150, 2245, [(172927.0, 8.0, 21615.9), (185494.0, 9.0, 20610.4), (973639.0, 10.0, 97363.9), (362685.0, 8.0, 45335.6), (266925.0, 9.0, 29658.3), (1.0, 10.0, 0.10)]),
    row(165, 2469, [(172716.0, 9.0, 19190.7), (218787.0, 8.0, 27348.4), (1140607.0, 9.0, 126734.1), (407955.0, 9.0, 45328.3), (262714.0, 8.0, 32839.3), (1.0, 9.0, 0.11)]),
    row(180, 2693, [(180369.0, 9.0, 20041.0), (231800.0, 8.0, 28975.0), (1328500.0, 8.0, 166062.5), (439295.0, 10.0, 43929.5), (282383.0, 8.0, 35297.9), (1.0, 9.0, 0.11)]),
    row(195, 2917, [(186132.0, 9.0, 20681.3), (199568.0, 10.0, 19956.8), (1397494.0, 9.0, 155277.1), (451525.0, 9.0, 50169.4), (287426.0, 8.0, 35928.3), (1.0, 9.0, 0.11)]),
    row(210, 3140, [(186433.0, 9.0, 20714.8), (211051.0, 8.0, 26381.4), (1602832.0, 8.0, 200354.0), (461168.0, 9.0, 51240.9), (283955.0, 9.0, 31550.6), (2.0, 10.0, 0.20)]),
    row(225, 3364, [(187804.0, 9.0, 20867.1), (209095.0, 9.0, 23232.8), (1757143.0, 9.0, 195238.1), (486675.0, 10.0, 48667.5), (285086.0, 8.0, 35635.8), (1.0, 8.0, 0.13)]),
    row(240, 3587, [(201887.0, 8.0, 25235.9), (221684.0, 9.0, 24631.6), (1936657.0, 8.0, 242082.1), (504493.0, 9.0, 56054.8), (332445.0, 10.0, 33244.5), (1.0, 9.0, 0.11)]),
    row(255, 3810, [(201556.0, 8.0, 25194.5), (243480.0, 10.0, 24348.0), (2117587.0, 8.0, 264698.4), (537938.0, 10.0, 53793.8), (331538.0, 9.0, 36837.6), (1.0, 10.0, 0.10)]),
    row(270, 4033, [(233000.0, 9.0, 25888.9), (241572.0, 8.0, 30196.5), (2208706.0, 9.0, 245411.8), (1262615.0, 9.0, 140290.6), (363237.0, 9.0, 40359.7), (1.0, 10.0, 0.10)]),
    row(285, 4256, [(215689.0, 10.0, 21568.9), (282472.0, 9.0, 31385.8), (2545628.0, 8.0, 318203.5), (553609.0, 9.0, 61512.1), (355031.0, 10.0, 35503.1), (2.0, 9.0, 0.22)]),
];

const fn row(n: usize, bits: u32, times: [(f64, f64, f64); 6]) -> Row {
    Row { n, bits, times }
}

/// The clock of the paper's processor, in GHz, and its number of threads.
pub const CLOCK_GHZ: f64 = 2.7;
/// The number of threads of the paper's measurements.
pub const THREADS: f64 = 4.0;

/// The number of modular products of an elliptic scalar multiplication for `q` of `bits` bits,
/// equation (16): `16 bits - 16`.
pub fn products_of_signature(bits: f64) -> f64 {
    16.0 * bits - 16.0
}

/// The paper's formula for the RNS time of a signature without conversions, for one modular product:
/// a multiplication, an addition, `n (n - 1)/4` divisions by constants, and a sign.
pub fn rns_product(n: f64, [multiplication, addition, division, sign]: [f64; 4]) -> f64 {
    multiplication + addition + n * (n - 1.0) / 4.0 * division + sign
}

/// The conversions of Table 2 as used in the estimate for 75 moduli, in microseconds for 10^6: from
/// binary to RNS and back.
pub const CONVERSIONS: [f64; 2] = [384_687_100.0, 685_935_110.0];
