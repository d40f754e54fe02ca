//! Static bounds: the largest integer that any step of a network may reach, and the largest error of a rank.
//!
//! *Range.* Let `|X|, |Y| < P`. The digits d of Q and any integer h give a `Q = sum d_i A/a_i - h A`, congruent to the
//! right one modulo A. With `h = round(sum d_i / a_i)`, computed with an error of at most e, `|Q| <= (1/2 + e) A`; so
//! `|S| = |X Y + Q P| / A < P/16 + (1/2 + e) P`, which is below P for `e <= 1/4`. On the way back S itself must come
//! out, not another number congruent modulo B: `|S / B| < 1/16`, so h' is right for `e < 7/16`.
//!
//! *Floating point.* With unit u (2^-53 or 2^-24), `v - round(v fl(1/m)) m` for an integer v is wrong by a multiple of m
//! only, and at most `m/2 + |v| (2 u + u^2)` in magnitude, as long as all integers in it are exact: `|v| + m/2 + 3` is at
//! most 1/u. The excess over `m/2` is at most 3, so results are in the range of operands. All partial sums of a layer are integers, so the order of additions
//! does not matter, nor do fused operations.
//!
//! *Ranks.* For a sum of n products of any order, the error is at most `n u` per unit of the sum of magnitudes (with a
//! little room, `(n + 4) u`), and reciprocals add u. In f32 and s8 ranks allow for TF32, which GPUs take for single
//! precision unless told otherwise: factors are rounded to 11 bits, and `2^-10` is added.

use super::{Layer, Network, NetworkError, NumberType};

/// What the numbers of a network reach.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The largest magnitude of an integer in any step.
    pub largest: i128,
    /// The largest integer up to which the type is exact.
    pub limit: i128,
    /// The largest error of a rank before it is rounded.
    pub rank_error: f64,
}

/// The largest error of a rank that is allowed.
pub const RANK_ERROR: f64 = 0.25;
/// The excess of a reduced number over half its modulus, in floating point.
const EXCESS: i128 = 3;

/// The bounds of a network.
///
/// # Errors
/// If a sum exceeds what the type holds, or a rank may be wrong.
pub fn of(network: &Network) -> Result<Bounds, NetworkError> {
    let kind = network.kind;
    let mut largest = Largest {
        exact_bits: kind.exact_bits(),
        float: kind != NumberType::S8,
        value: 0,
    };
    let [a, b] = &network.bases;
    let (scale_a, scale_b) = network.scale.split_at(a.len());
    // Magnitudes of the operands, of z, and of the digits.
    let z = |largest: &mut Largest, m: &i64| {
        let x = largest.operand(*m);
        largest.reduced(x * x, *m)
    };
    let z_a: Vec<i128> = a.iter().map(|m| z(&mut largest, m)).collect();
    let z_b: Vec<i128> = b.iter().map(|m| z(&mut largest, m)).collect();
    let times = |largest: &mut Largest, x: &[i128], factors: &[i64], moduli: &[i64]| {
        let terms = x.iter().zip(factors).zip(moduli);
        terms
            .map(|((x, k), m)| largest.reduced(x * magnitude(*k), *m))
            .collect::<Vec<_>>()
    };
    let digits = times(&mut largest, &z_a, scale_a, a);
    let inverse_terms: Vec<i128> = z_b
        .iter()
        .zip(scale_b)
        .map(|(z, k)| z * magnitude(*k))
        .collect();
    let (s_b, first) = layer(
        network,
        &mut largest,
        &network.layers[0],
        &digits,
        &inverse_terms,
        [a, b],
    );
    let digits = times(&mut largest, &s_b, &network.cofactor_inverses, b);
    let (_, second) = layer(
        network,
        &mut largest,
        &network.layers[1],
        &digits,
        &vec![0; b.len()],
        [b, a],
    );
    let bounds = Bounds {
        largest: largest.value,
        limit: largest.limit(),
        rank_error: first.max(second),
    };
    if bounds.largest > bounds.limit {
        let Bounds { largest, limit, .. } = bounds;
        return Err(NetworkError::Sum {
            kind,
            largest,
            limit,
        });
    }
    if bounds.rank_error > RANK_ERROR {
        let error = bounds.rank_error;
        return Err(NetworkError::Rank { kind, error });
    }
    Ok(bounds)
}

/// The largest number so far.
struct Largest {
    exact_bits: u32,
    float: bool,
    value: i128,
}

impl Largest {
    fn add(&mut self, value: i128) {
        self.value = self.value.max(value);
    }

    fn limit(&self) -> i128 {
        (1 << self.exact_bits) - i128::from(!self.float)
    }

    /// The magnitude of an operand's residue.
    fn operand(&self, m: i64) -> i128 {
        if self.float {
            i128::from(m / 2) + EXCESS
        } else {
            i128::from(m) - 1
        }
    }

    /// The magnitude of a number of magnitude v after its reduction.
    fn reduced(&mut self, v: i128, m: i64) -> i128 {
        if !self.float {
            self.add(v);
            return i128::from(m) - 1;
        }
        let m = i128::from(m);
        // v (2 u + u^2), rounded up.
        let excess = (2 * v + 1 + (1 << self.exact_bits) - 1) >> self.exact_bits;
        let reduced = i128::midpoint(m, 2 * excess);
        self.add(v + reduced);
        reduced
    }
}

fn magnitude(x: i64) -> i128 {
    i128::from(x.unsigned_abs())
}

/// Magnitudes of the results of a layer, reduced, and the error of its rank.
fn layer(
    network: &Network,
    largest: &mut Largest,
    layer: &Layer,
    digits: &[i128],
    more: &[i128],
    [from, to]: [&[i64]; 2],
) -> (Vec<i128>, f64) {
    let ratios = digits.iter().zip(from);
    let ratio: f64 = ratios.map(|(d, m)| *d as f64 / *m as f64).sum();
    let n = from.len() as f64 * f64::from(network.parts);
    let unit = match network.kind {
        NumberType::F64 => (n + 4.0) * 2f64.powi(-53),
        _ => (n + 4.0) * 2f64.powi(-24) + 2f64.powi(-10),
    };
    // Parts of a digit have together at most twice its magnitude.
    let error = unit * ratio * if network.parts > 1 { 2.0 } else { 1.0 };
    let rank = (ratio + error + 0.5).floor() as i128;
    let results = to.iter().enumerate().map(|(j, &m)| {
        let correction = rank * magnitude(layer.corrections[j]);
        if network.kind == NumberType::S8 {
            let sums = byte_sums(layer, digits, j, m);
            largest.add(sums[0].max(sums[1]));
            // The sum with the weights' high bytes is reduced before it is shifted.
            let whole = sums[0] + 256 * (i128::from(m) - 1) + correction + more[j];
            return largest.reduced(whole, m);
        }
        let parts = (0..network.parts).map(|part| {
            let weights = layer.weights.iter().zip(digits);
            let terms = weights.map(|(row, d)| {
                part_magnitude(network, *d, part) * magnitude(shifted(network, row[j], part, m))
            });
            terms.sum::<i128>()
        });
        let sum: i128 = parts.sum();
        largest.reduced(sum + correction + more[j], m)
    });
    (results.collect(), error)
}

/// The weight of a part of a digit.
pub(super) fn shifted(network: &Network, weight: i64, part: u32, m: i64) -> i64 {
    let shift = 1i64 << (network.part_bits() * part);
    network.kind.representative((weight * (shift % m)) % m, m)
}

/// The largest magnitude of a part of a digit of magnitude d.
fn part_magnitude(network: &Network, d: i128, part: u32) -> i128 {
    if network.parts == 1 {
        return d;
    }
    let step = network.part_bits();
    // What is left after `part` roundings to multiples of 2^step.
    let rest = (0..part).fold(d, |rest, _| (rest + (1 << (step - 1))) >> step);
    if part + 1 == network.parts {
        rest
    } else {
        1 << (step - 1)
    }
}

/// The two signed bytes of a number from 0 to 2^14: the low one from -128 to 127.
pub(super) fn bytes(x: i64) -> [i64; 2] {
    let high = (x + 128) >> 8;
    [x - 256 * high, high]
}

/// Largest sums with the low bytes and with the high bytes of the weights of one result.
fn byte_sums(layer: &Layer, digits: &[i128], j: usize, m: i64) -> [i128; 2] {
    let mut sums = [0, 0];
    for (row, d) in layer.weights.iter().zip(digits) {
        for (shift, input) in [(1, 128), (256, (d + 128) >> 8)] {
            let weight = bytes(row[j] * shift % m);
            for (sum, byte) in sums.iter_mut().zip(weight) {
                *sum += input * magnitude(byte);
            }
        }
    }
    sums
}
