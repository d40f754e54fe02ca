//! Plans: the bases of a size class, the matrices of both extensions, and the bounds of the kernel's integers.

use core::iter;

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use super::{
    geometry::Geometry,
    moduli::{centred, cofactor, gcd, inverse, mul, product, residue},
};
use crate::{
    EngineError,
    program::{Limits, Magnitude},
    residues::coprime::is_coprime,
};

/// The sizes of moduli that are served, in bits: below them limbs are faster, above them a warp's numbers do not fit its
/// registers.
pub(super) const SIZES: core::ops::RangeInclusive<u32> = 1024..=4096;

/// Moduli are below `2^15`.
const MODULUS_BITS: u32 = 15;
/// A residue is reduced as `v 2^-16`.
const R: i64 = 1 << 16;
/// The weights of the quotient's sum are `2^21 / b_i`.
const QUOTIENT_BITS: u32 = 21;
/// The largest residue that is packed: with half a digit it has sixteen bits.
const LARGEST: f64 = 32_639.0;

/// The plan of a size class.
pub(crate) struct Plan {
    pub(crate) geometry: Geometry,
    /// The Montgomery factor: the product A of base A.
    pub(crate) factor: BoxedUint,
    /// The moduli of base A, which are primes.
    pub(crate) base_a: Vec<u32>,
    pub(crate) limits: Limits,
    /// The words that the kernels read; `residues.cu` has their order.
    pub(crate) words: Vec<u32>,
}

impl Plan {
    /// The plan of a size class.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] for a size that is not served.
    pub(crate) fn new(bits: u32) -> Result<Self, EngineError> {
        let no_plan = |condition: String| EngineError::NoPlan { bits, condition };
        if !SIZES.contains(&bits) {
            return Err(no_plan(format!(
                "matrix units serve {} to {} bits",
                SIZES.start(),
                SIZES.end()
            )));
        }
        let least = (bits / MODULUS_BITS) as usize;
        let mut last = String::new();
        // The next sizes have a few more bits each; ten of them are more than enough.
        for channels in (least.next_multiple_of(8)..).step_by(8).take(10) {
            match Bases::new(channels).plan(bits) {
                Ok(plan) => return Ok(plan),
                Err(condition) => last = condition,
            }
        }
        Err(no_plan(last))
    }

    /// Whether a modulus is coprime to base A. The time depends on its size only.
    pub(crate) fn serves(&self, p: &[Word]) -> bool {
        let residue = |&a: &u32| {
            let a = i64::from(a);
            let inverse = (inverse(a % R, R) << 48 >> 48) as i32;
            // v 2^-16 mod a, at most |v| 2^-16 + a / 2, as the kernel reduces: without division.
            let reduce = |v: i32| {
                let quotient = i32::from(v.wrapping_mul(inverse) as i16);
                (v - quotient * a as i32) >> 16
            };
            let byte = centred(R << 8, a) as i32;
            let bytes = p.iter().rev().flat_map(|word| word.to_be_bytes());
            let x = bytes.fold(0, |x, next| reduce(x * byte) + i32::from(next));
            // This leaves less than a: a multiple of a is zero.
            Zeroizing::new(reduce(x))
        };
        let residues: Zeroizing<Vec<i32>> =
            Zeroizing::new(self.base_a.iter().map(|a| *residue(a)).collect());
        is_coprime(&residues)
    }
}

/// Both bases, with their products.
struct Bases {
    a: Vec<i64>,
    b: Vec<i64>,
    product_a: BoxedUint,
    product_b: BoxedUint,
}

/// Bounds of the kernel's integers, as they follow from a plan's matrices.
struct Bounds {
    /// A residue in base B that is kept.
    kept: f64,
    /// The sum of the first extension, in multiples of A.
    overshoot: f64,
}

impl Bases {
    /// The largest primes for base A, the largest numbers that are coprime to them and to each other for base B.
    fn new(channels: usize) -> Self {
        // The square of 181 is the last one below 2^15.
        let is_prime = |n: &i64| (2..=181).all(|d| n % d != 0);
        let odd = || ((1 << 14)..1 << MODULUS_BITS).rev().filter(|n| n % 2 == 1);
        let a: Vec<i64> = odd().filter(is_prime).take(channels - 1).collect();
        let mut b: Vec<i64> = Vec::new();
        for candidate in odd() {
            if b.len() == channels {
                break;
            }
            if a.iter().chain(&b).all(|&other| gcd(candidate, other) == 1) {
                b.push(candidate);
            }
        }
        let [product_a, product_b] = [&a, &b].map(|base| product(base.iter().copied()));
        Self {
            a,
            b,
            product_a,
            product_b,
        }
    }

    fn channels(&self) -> usize {
        self.b.len()
    }

    /// `A/a_j mod a_j`.
    fn cofactor_a(&self, j: usize) -> i64 {
        cofactor(&self.a, j)
    }

    /// `B/b_i mod b_i`.
    fn cofactor_b(&self, i: usize) -> i64 {
        cofactor(&self.b, i)
    }

    /// The weights of the low digits of xi in the sum of each channel of B; those of high digits are 256 times these.
    /// The last channel of A has none.
    fn to_b(&self) -> Vec<Vec<[i64; 2]>> {
        let weights = |&b: &i64| {
            let all = residue(&self.a, b);
            let weight = |j: usize| mul(&[all, inverse(self.a[j], b), R], b);
            let digits = |weight: i64| [centred(weight, b), centred(256 * weight, b)];
            let of_a = (0..self.a.len()).map(|j| digits(weight(j)));
            of_a.chain(iter::once([0, 0])).collect()
        };
        self.b.iter().map(weights).collect()
    }

    /// The weights of the digits of z in the sum of each channel of A, and in that of the quotient.
    fn to_a(&self) -> Vec<Vec<[i64; 2]>> {
        let weights = |&a: &i64| {
            let all = residue(&self.b, a);
            let weight = |i: usize| mul(&[all, inverse(self.b[i], a), R], a);
            let digits = |weight: i64| [centred(weight, a), centred(256 * weight, a)];
            (0..self.b.len()).map(|i| digits(weight(i))).collect()
        };
        let quotient =
            |&b: &i64| [1i64, 256].map(|digit| ((digit << (QUOTIENT_BITS + 1)) + b) / (2 * b));
        let of_quotient = self.b.iter().map(quotient).collect();
        let all = self.a.iter().map(weights);
        all.chain(iter::once(of_quotient)).collect()
    }

    /// The bounds of all integers, or the condition that does not hold.
    fn bounds(&self, to_b: &[Vec<[i64; 2]>], to_a: &[Vec<[i64; 2]>]) -> Result<Bounds, String> {
        let holds = |condition: bool, what: &str| {
            if condition {
                Ok(())
            } else {
                Err(String::from(what))
            }
        };
        // The digits of a residue are at most 128 and `LARGEST / 256 + 1`.
        let sum = |row: &Vec<[i64; 2]>| -> f64 {
            let of = |[low, high]: &[i64; 2]| {
                128.0 * low.unsigned_abs() as f64
                    + (LARGEST / 256.0 + 1.0) * high.unsigned_abs() as f64
            };
            row.iter().map(of).sum()
        };
        let reduced = |v: f64, m: i64| v / R as f64 + m as f64 / 2.0;
        let largest_of = |rows: &[Vec<[i64; 2]>]| rows.iter().map(sum).fold(0.0, f64::max);
        let (sum_b, sum_a) = (largest_of(to_b), largest_of(to_a));
        let top = self.b.iter().chain(&self.a).copied().max().unwrap_or(0);
        let half = top as f64 / 2.0;
        // A sum has half a digit and a multiple of its modulus added to it.
        let word = f64::from(i32::MAX) - f64::from(1 << 23) - f64::from(1 << 15) * top as f64;
        // The quotient is at most twice the number of channels.
        let corrected = 2.0 * self.channels() as f64 * half + sum_a;
        holds(corrected < word, "the sums over base B fit 32 bits")?;
        let in_a = reduced(corrected, top);
        let xy = reduced(LARGEST * LARGEST, top);
        holds(in_a <= LARGEST, "residues in base A have 16 bits")?;
        holds(sum_b < word, "the sums over base A fit 32 bits")?;
        let z = xy * half + reduced(sum_b, top) * half;
        holds(z < word, "products in base B fit 32 bits")?;
        holds(xy * half < word, "products in base A fit 32 bits")?;
        let kept = reduced(z, top);
        holds(kept <= LARGEST, "residues in base B have 16 bits")?;
        // A linear operation multiplies a sum of two residues by `2^16 mod m`.
        let one = |&m: &i64| centred(R, m).unsigned_abs() as f64;
        let one = self.a.iter().chain(&self.b).map(one).fold(0.0, f64::max);
        let linear = reduced(2.0 * LARGEST * one, top);
        holds(linear <= LARGEST, "sums of two residues have 16 bits")?;
        // xi, relative to its modulus.
        let xi = |&a: &i64| {
            let factor = a as f64 / 2.0;
            // Operands may be sums or differences.
            let xy = reduced(LARGEST * LARGEST, a);
            reduced(xy * factor, a) / a as f64
        };
        let overshoot = self.a.iter().map(xi).sum();
        // Each weight of the quotient is at most 1/2 from its number.
        let digits = 128.0 + LARGEST / 256.0 + 1.0;
        let error = self.channels() as f64 * digits / 2.0 / f64::from(1 << QUOTIENT_BITS);
        holds(error < 0.25, "the quotient is exact")?;
        Ok(Bounds { kept, overshoot })
    }

    /// The plan for a size class, or the condition that does not hold.
    fn plan(&self, bits: u32) -> Result<Plan, String> {
        let channels = self.channels();
        let (to_b, to_a) = (self.to_b(), self.to_a());
        let bounds = self.bounds(&to_b, &to_a)?;
        debug_assert!(bounds.kept <= LARGEST);
        let lift = bounds.overshoot.ceil() as u32 + 1;
        // Operands whose product is below `operands 2^bits P` give a product of at most lift P, with `A >= operands 2^bits`.
        let spare = |product: &BoxedUint| (product.bits_vartime() - 1).checked_sub(bits);
        let spare_a = spare(&self.product_a).unwrap_or(0).min(30);
        let operands = 1u64 << spare_a;
        if operands < 4 * u64::from(lift) * u64::from(lift) {
            return Err(String::from(
                "base A is large enough for products of products",
            ));
        }
        // Whatever leaves is multiplied by F^2 first: magnitudes of up to 2^40 become 2^(40 - spare_a) P.
        if spare(&self.product_b).is_none_or(|spare_b| spare_b < 44 - spare_a) {
            return Err(String::from("base B is large enough for whatever leaves"));
        }
        let geometry = Geometry::new(channels, bits.div_ceil(64) as usize * 2, lift);
        let high = i64::from(lift);
        Ok(Plan {
            geometry,
            factor: self.product_a.clone(),
            base_a: self.a.iter().map(|&a| a as u32).collect(),
            limits: Limits {
                product: Magnitude::interval(-high, high),
                operands,
                signed: true,
                folded: None,
            },
            words: self.words(geometry, &to_b, &to_a),
        })
    }

    /// The words of a plan.
    fn words(
        &self,
        geometry: Geometry,
        to_b: &[Vec<[i64; 2]>],
        to_a: &[Vec<[i64; 2]>],
    ) -> Vec<u32> {
        let channels = self.channels();
        let (a, b) = (&self.a, &self.b);
        // Channel C - 1 of base A has some modulus, and only zeros for constants.
        let last = a[a.len() - 1];
        let of_a = |constant: &dyn Fn(usize) -> i64| -> Vec<i64> {
            let own = (0..a.len()).map(|j| centred(constant(j), a[j]));
            own.chain(iter::once(0)).collect()
        };
        let of_b = |constant: &dyn Fn(usize) -> i64| -> Vec<i64> {
            (0..channels).map(|i| centred(constant(i), b[i])).collect()
        };
        let kept = |i: usize| inverse(self.cofactor_b(i), b[i]);
        let over_a = |i: usize| inverse(residue(a, b[i]), b[i]);
        let moduli_a: Vec<i64> = a.iter().copied().chain(iter::once(last)).collect();
        let mut words = Vec::new();
        for moduli in [&moduli_a, b] {
            for (x, y) in places(channels) {
                words.extend([x, y].map(|c| {
                    let m = moduli[c];
                    (inverse(m % R, R) << 16) as u32 | (-m) as u32 & 0xffff
                }));
            }
        }
        let constants = [
            // z = x y 2^16 (B/b_i) A^-1 2^16, of numbers that are kept times (B/b_i)^-1.
            of_b(&|i| mul(&[R, R, self.cofactor_b(i), over_a(i)], b[i])),
            of_a(&|j| mul(&[-R, residue(b, a[j])], a[j])),
            of_a(&|j| -mul(&[R, R, inverse(self.cofactor_a(j), a[j])], a[j])),
            of_b(&|i| mul(&[R, R, over_a(i), kept(i)], b[i])),
            of_a(&|j| R % a[j]),
            of_b(&|i| R % b[i]),
            of_b(&|i| mul(&[R, kept(i)], b[i])),
            of_a(&|j| mul(&[R, R], a[j])),
            of_b(&|i| mul(&[R, R, kept(i)], b[i])),
            of_a(&|j| (R << 8) % a[j]),
            of_b(&|i| (R << 8) % b[i]),
        ];
        for constants in &constants {
            let pair =
                |(x, y): (usize, usize)| constants[x] as u32 & 0xffff | (constants[y] as u32) << 16;
            words.extend(places(channels).map(pair));
        }
        let groups = geometry.groups();
        for group in 0..groups {
            add_part(&mut words, geometry, to_b, group);
        }
        for group in iter::once(groups - 1).chain(0..groups - 1) {
            add_part(&mut words, geometry, to_a, group);
        }
        self.add_leaving(&mut words, geometry.limbs);
        words
    }

    /// The constants of channels for integers that leave: `b_i`, `2^40 / b_i`, the words of each `B / b_i`, and those of B.
    fn add_leaving(&self, words: &mut Vec<u32>, limbs: usize) {
        words.extend(self.b.iter().map(|&b| b as u32));
        words.extend(
            self.b
                .iter()
                .map(|&b| (((1i64 << 41) + b) / (2 * b)) as u32),
        );
        let without = |i: usize| {
            let others = self.b.iter().enumerate().filter(|&(k, _)| k != i);
            product(others.map(|(_, &b)| b))
        };
        let word = |number: &BoxedUint, k: usize| {
            let words = number.as_words();
            words
                .get(k / 2)
                .map_or(0, |word| (word >> (k % 2 * 32)) as u32)
        };
        let cofactors: Vec<BoxedUint> = (0..self.channels()).map(without).collect();
        let length = (limbs + 4) / 4 * 4;
        for integer in cofactors.iter().chain([&self.product_b]) {
            words.extend((0..length).map(|k| word(integer, k)));
        }
    }
}

/// The channels of each pair, thread by thread.
fn places(channels: usize) -> impl Iterator<Item = (usize, usize)> {
    let place = |p: usize| (0..4).map(move |t| (8 * p + t, 8 * p + 4 + t));
    (0..channels / 8).flat_map(place)
}

/// Adds the part of a matrix for a group of pairs: for each four channels and each chunk of 16 digits 8 columns, of low
/// and high digits of a channel's weights, of 16 bytes each.
fn add_part(words: &mut Vec<u32>, geometry: Geometry, weights: &[Vec<[i64; 2]>], group: usize) {
    let pairs = geometry.pairs();
    let digits = |weight: i64| {
        let low = ((weight + 128) & 255) - 128;
        [low, (weight - low) >> 8]
    };
    for tile in 0..2 * geometry.group {
        for chunk in 0..geometry.chunks() {
            for column in 0..8 {
                let channel = 4 * (2 * geometry.group * group + tile) + column / 2;
                for word in 0..4 {
                    let byte = |byte: usize| {
                        // A pair's bytes: low and high digit of its first channel, then of its second one.
                        let from = 8 * chunk + 4 * (byte / 2) + word;
                        if chunk >= pairs || channel >= geometry.channels {
                            return 0;
                        }
                        digits(weights[channel][from][byte % 2])[column % 2] as u8
                    };
                    words.push(u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]));
                }
            }
        }
    }
}
