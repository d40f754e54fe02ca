//! The table of FPGA results as printed, and its consequences.

/// A pair of columns of the table: KBE, and HBE with `c = 2`.
#[derive(Clone, Copy, Debug)]
pub struct Implementation {
    /// The size of P in bits.
    pub bits: u32,
    /// The channel width w in bits.
    pub width: u32,
    /// Slices of KBE and HBE.
    pub slices: [u32; 2],
    /// DSP blocks.
    pub dsp: [u32; 2],
    /// Clock periods in ns.
    pub period: [f64; 2],
    /// Cycles.
    pub cycles: [u32; 2],
    /// Times in ns.
    pub time: [f64; 2],
}

impl Implementation {
    /// The time that HBE saves over KBE, in percent.
    pub fn time_gain(&self) -> f64 {
        100.0 * (1.0 - self.time[1] / self.time[0])
    }

    /// The DSP blocks that HBE saves over KBE, in percent.
    pub fn dsp_saving(&self) -> f64 {
        100.0 * (1.0 - f64::from(self.dsp[1]) / f64::from(self.dsp[0]))
    }

    /// The growth of the period from KBE to HBE, in percent.
    pub fn period_growth(&self) -> f64 {
        100.0 * (self.period[1] / self.period[0] - 1.0)
    }
}

/// The printed table, by field size and channel width.
#[rustfmt::skip]
pub const TABLE: [Implementation; 8] = [
    row(256, 17, [445, 758],  [51, 35],  [9.8, 10.3], [98, 91],   [960.4, 937.3]),
    row(256, 20, [1073, 784], [45, 39],  [9.6, 8.9],  [88, 83],   [844.8, 738.7]),
    row(256, 24, [785, 769],  [52, 42],  [9.6, 9.5],  [89, 81],   [854.4, 769.5]),
    row(256, 28, [753, 843],  [76, 60],  [9.7, 9.6],  [77, 71],   [746.9, 681.6]),
    row(384, 17, [587, 644],  [81, 63],  [7.6, 10.1], [165, 143], [1254.0, 1444.3]),
    row(384, 20, [1215, 869], [63, 54],  [9.6, 9.0],  [140, 122], [1344.0, 1098.0]),
    row(384, 24, [1251, 1134],[76, 60],  [7.6, 7.6],  [163, 132], [1238.8, 1003.2]),
    row(384, 28, [1031, 1145],[104, 80], [9.9, 9.4],  [103, 93],  [1019.7, 874.2]),
];

const fn row(
    bits: u32,
    width: u32,
    slices: [u32; 2],
    dsp: [u32; 2],
    period: [f64; 2],
    cycles: [u32; 2],
    time: [f64; 2],
) -> Implementation {
    Implementation {
        bits,
        width,
        slices,
        dsp,
        period,
        cycles,
        time,
    }
}

/// The number of moduli for a size of P and a channel width, even for rows of 2, as in the paper's eight
/// implementations.
pub fn moduli(bits: u32, width: u32) -> usize {
    match (bits, width) {
        (256, 17) => 16,
        (256, 20) | (384, 28) => 14,
        (256, 24) => 12,
        (256, _) => 10,
        (_, 17) => 24,
        (_, 20) => 20,
        _ => 18,
    }
}

/// The cost of HBE with rows of `c` relative to KBE, both from `n` to `n` moduli, in products.
///
/// `ratio` is the cost of reducing `2w + 1` bits, relative to a modular product (CMR/CMM). Reducing
/// `c w` bits is taken as `c - 1` of these, and the gathering as `c - 1` products for each modulus;
/// for `c = 2` that is the paper's formula `n^2/2 CMM + n^2/2 CMR + 2n CMM`.
pub fn cost_ratio(n: f64, c: f64, ratio: f64) -> f64 {
    let hierarchical = n * n / c * (1.0 + (c - 1.0) * ratio) + n * c;
    hierarchical / (n * n + n)
}

/// The CMR/CMM at which HBE with `c = 2` costs as much as KBE on `n` moduli.
pub fn break_even(n: f64) -> f64 {
    1.0 - 2.0 / n
}

/// The cost of KBE from n to n moduli: `n^2 + n` CMM.
pub fn kawamura_products(n: u64) -> u64 {
    n * n + n
}

/// The cost of HBE from n to n moduli in rows of 2: `n^2/2 + 2 n` CMM, and `n^2/2` reductions of `2 w + 1` bits
/// (CMR).
pub fn hierarchical_operations(n: u64) -> [u64; 2] {
    [n * n / 2 + 2 * n, n * n / 2]
}
