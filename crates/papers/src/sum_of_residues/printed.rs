//! Tables 2, 4 and 5 as printed, and the cycles of the data-flow figures.

/// A row of Table 2: a curve, its number of channels, and `epsilon = 2^W - p` as printed.
#[derive(Clone, Copy, Debug)]
pub struct CurveRow {
    /// The name of the curve in [`sunzi_field::sum_of_residues::curves`].
    pub curve: &'static str,
    /// The name as printed.
    pub name: &'static str,
    /// The prime as printed.
    pub prime: &'static str,
    /// N.
    pub channels: u32,
    /// `epsilon` as signed powers of two, `(sign, exponent)`, and a rest.
    pub epsilon: (&'static [(i8, u32)], i64),
}

/// Table 2, by its rows.
pub const TABLE_2: [CurveRow; 10] = [
    row("edwards25519", "ED25519", "2^255 - 19", 8, (&[], 19)),
    row(
        "secp160k1",
        "SECP160K1",
        "2^160 - 2^32 - 21389",
        5,
        (&[(1, 32)], 21_389),
    ),
    row(
        "secp160r1",
        "SECP160R1",
        "2^160 - 2^32 - 1",
        5,
        (&[(1, 32)], 1),
    ),
    row(
        "secp192k1",
        "SECP192K1",
        "2^192 - 2^32 - 4553",
        6,
        (&[(1, 32)], 4_553),
    ),
    row(
        "secp192r1",
        "SECP192R1",
        "2^192 - 2^64 - 1",
        6,
        (&[(1, 64)], 1),
    ),
    row(
        "secp224k1",
        "SECP224K1",
        "2^224 - 2^32 - 6803",
        7,
        (&[(1, 32)], 6_803),
    ),
    row(
        "secp224r1",
        "SECP224R1",
        "2^224 - 2^96 + 1",
        7,
        (&[(1, 96)], -1),
    ),
    row(
        "secp256k1",
        "SECP256K1",
        "2^256 - 2^32 - 977",
        8,
        (&[(1, 32)], 977),
    ),
    row(
        "secp384r1",
        "SECP2384R1",
        "2^384 - 2^128 - 2^96 + 2^31 - 1",
        12,
        (&[(1, 128), (1, 96), (-1, 31)], 1),
    ),
    row("secp521r1", "SECP521R1", "2^521 - 1", 16, (&[], 1)),
];

const fn row(
    curve: &'static str,
    name: &'static str,
    prime: &'static str,
    channels: u32,
    epsilon: (&'static [(i8, u32)], i64),
) -> CurveRow {
    CurveRow {
        curve,
        name,
        prime,
        channels,
        epsilon,
    }
}

/// The three architectures: name, the formula for its cycles, its value for N = 8, and the sum of the
/// cycles of its data-flow figure (A1, A2, A3).
pub const ARCHITECTURES: [(&str, &str, u32, u32); 3] = [
    ("SOR_1M_N", "3 N + 7", 3 * 8 + 7, 31),
    ("SOR_1M_P", "2 (N + 4)", 2 * (8 + 4), 24),
    ("SOR_2M", "2 (N/2 + 5)", 2 * (8 / 2 + 5), 18),
];

/// Table 4: the index of the architecture, the platform, the clock in MHz, the latency in ns and the
/// throughput in Mbps.
pub const TABLE_4: [(usize, &str, f64, f64, f64); 15] = [
    (0, "ARTIX 7", 92.5, 335.0, 1671.0),
    (0, "VIRTEX 7", 128.8, 241.0, 2323.0),
    (0, "KINTEX 7", 117.67, 263.0, 2129.0),
    (0, "VIRTEX US+", 192.0, 157.0, 3567.0),
    (0, "KINTEX US+", 198.0, 156.5, 3578.0),
    (1, "ARTIX 7", 92.5, 259.5, 2158.0),
    (1, "VIRTEX 7", 138.8, 173.0, 3237.0),
    (1, "KINTEX 7", 117.6, 204.0, 2745.0),
    (1, "VIRTEX US+", 185.18, 130.0, 4307.0),
    (1, "KINTEX US+", 187.13, 128.3, 4364.0),
    (2, "ARTIX 7", 92.5, 194.6, 2877.0),
    (2, "VIRTEX 7", 128.5, 140.0, 3998.0),
    (2, "KINTEX 7", 121.9, 147.6, 3794.0),
    (2, "VIRTEX US+", 185.18, 97.3, 5761.0),
    (2, "KINTEX US+", 187.13, 96.3, 5821.0),
];

/// sQ-RNS in Table 5: its latency in ns without the products that the author adds, and the throughput in Mbps.
pub const SQ_RNS: (f64, f64) = (107.53, 4835.0);

/// The latency that a row of [`TABLE_4`] should have: cycles / clock, in ns.
pub fn latency(row: &(usize, &str, f64, f64, f64)) -> f64 {
    f64::from(ARCHITECTURES[row.0].2) * 1e3 / row.2
}

/// The improvements of section 4.1: the name, the printed percentage, our latency and the other's in ns, and the
/// other's without the author's additions to it.
pub const IMPROVEMENTS: [(&str, f64, f64, f64, f64); 4] = [
    ("SOR_2M over sQ-RNS", 36.0, 96.3, 150.53, 107.53),
    ("SOR_2M over MM_SPA", 41.1, 140.0, 239.2, 239.2),
    ("SOR_1M_P over sQ-RNS", 14.9, 128.3, 150.53, 107.53),
    ("SOR_1M_P over MM_SPA", 27.6, 173.0, 239.2, 239.2),
];

/// The improvement of a latency over another, in percent.
pub fn improvement(ours: f64, theirs: f64) -> f64 {
    100.0 * (1.0 - ours / theirs)
}

/// The operations of Algorithm 2 for a modular product in N channels, except for the small numbers alpha and kappa:
/// products of two residues (stage 1), products with constants (stages 2, 3 and 5.1), and sums (stages 5.3 and 6).
pub fn operations_of_product(channels: u64) -> [u64; 3] {
    [
        channels,
        channels + channels * channels + channels,
        channels * (channels - 1) + 2 * channels,
    ]
}
