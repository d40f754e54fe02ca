//! Tests of the matrices: sums at both ends of the ranges that a plan proves, conversions, and Cox
//! sums.

use num_bigint::{BigInt, BigUint};

use super::{SIZES, balanced, integer_weights, modulo, plan, product, residue, set_residue, tiles};
use crate::devices::{
    amx::{
        convert,
        extension::{BLOCK_PAIRS, Extras, HALF, ResiduePair, Workspace, extend, extend_single},
        matrix::{MatrixSource, TileMatrix, overshoot},
        plan::{TAIL_MOST, TilePlan, digit_factors},
        prime::Prime,
        product::{TileNumbers, cox_sum},
        tile::{ROWS, Sums, Tiles},
        vector::{SplitSum, store},
    },
    row::Row,
};

/// A matrix with its definition.
struct Subject<'a> {
    name: String,
    matrix: &'a TileMatrix,
    primes: &'a [Prime],
    tails: usize,
    /// For each output, the weights of all digits, then of all extras.
    weights: Vec<Vec<i64>>,
    /// The least and the largest value of each digit and extra.
    ranges: Vec<[i64; 2]>,
}

/// Stores a register of sums of two channels in the lists of these outputs, for one side.
#[target_feature(enable = "avx512f,avx512bw")]
fn take<const S: usize>(
    sums: &mut [Vec<u32>],
    output: usize,
    half: usize,
    side: usize,
    value: SplitSum,
) {
    let [mut low, mut high] = [Row([0u16; 32]); 2];
    store(&mut low, value.low);
    store(&mut high, value.high);
    for lane in 0..16 {
        for channel in 0..2 {
            let [low, high] = [low[2 * lane + channel], high[2 * lane + channel]];
            sums[output + channel][(half * HALF + side) * 16 + lane] =
                u32::from(low) | u32::from(high) << 16;
        }
    }
}

/// The sums of each output for all numbers.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn sums<const E: usize, const S: usize>(
    tiles: &Tiles,
    matrix: &TileMatrix,
    tails: usize,
    digits: &[ResiduePair<S>],
    extras: &[ResiduePair<S>],
) -> Vec<Vec<u32>> {
    let mut workspace = Workspace::new();
    let mut tail_sums = Box::new([Sums::ZERO; 4]);
    let mut all = vec![vec![0; 16 * S]; matrix.ranges.len()];
    let extras = Extras::<E, S>::new(matrix, extras);
    let mut calls = Vec::new();
    extend(
        tiles,
        matrix,
        digits,
        &mut workspace,
        |block, half, finished| {
            calls.push((block, half));
            // A matrix without extras has no weights for them.
            let none = [[0; E]; ROWS];
            let weights = if E == 0 { &none } else { extras.weights(block) };
            for pair in 0..BLOCK_PAIRS {
                let sums = extras.pair_of_block(finished, weights, [block, half], pair);
                for (side, sum) in sums.into_iter().enumerate() {
                    take::<S>(&mut all, 2 * (block * BLOCK_PAIRS + pair), half, side, sum);
                }
            }
        },
    );
    calls.sort_unstable();
    let every = (0..matrix.blocks()).flat_map(|block| (0..S / HALF).map(move |half| (block, half)));
    assert!(calls.into_iter().eq(every), "every block and half once");
    for half in 0..S / HALF {
        extend_single(
            tiles,
            &matrix.tail_tiles,
            &matrix.tail_offsets,
            digits,
            half,
            &mut tail_sums,
        );
        for pair in 0..tails / 2 {
            for side in 0..HALF {
                let sum = extras.pair_of_tail(&tail_sums, tails, half, pair, side);
                let output = matrix.ranges.len() - tails + 2 * pair;
                take::<S>(&mut all, output, half, side, sum);
            }
        }
    }
    all
}

impl Subject<'_> {
    /// Checks every sum at both ends of its range. All other sums of the same digits are checked,
    /// too.
    fn check<const S: usize>(&self, tiles: &Tiles) {
        let outputs = self.weights.len();
        let extras = self.ranges.len() - 64 * self.matrix.steps;
        let targets: Vec<(usize, bool)> = (0..outputs)
            .flat_map(|output| [(output, false), (output, true)])
            .collect();
        for targets in targets.chunks(16 * S) {
            let mut digits = vec![[Row([0; 32]); S]; self.matrix.steps * 16];
            let mut rows = vec![[Row([0; 32]); S]; extras / 2];
            let mut values = Vec::new();
            for (number, &(output, highest)) in targets.iter().enumerate() {
                let value = |(range, &weight): (&[i64; 2], &i64)| {
                    range[usize::from((weight > 0) == highest)]
                };
                let value: Vec<i64> = (self.ranges.iter().zip(&self.weights[output]))
                    .map(value)
                    .collect();
                let (in_digits, in_extras) = value.split_at(64 * self.matrix.steps);
                for (channel, pair) in in_digits.chunks_exact(2).enumerate() {
                    let residue = pair[0] | pair[1] << 8;
                    set_residue(&mut digits, channel, number, residue as u16);
                }
                for (extra, &value) in in_extras.iter().enumerate() {
                    set_residue(&mut rows, extra, number, value as u16);
                }
                values.push(value);
            }
            // SAFETY: `tiles` exists, so the processor has all features of the tile kernels.
            let sums = unsafe {
                match extras / 2 {
                    0 => sums::<0, S>(tiles, self.matrix, self.tails, &digits, &rows),
                    1 => sums::<1, S>(tiles, self.matrix, self.tails, &digits, &rows),
                    2 => sums::<2, S>(tiles, self.matrix, self.tails, &digits, &rows),
                    _ => sums::<3, S>(tiles, self.matrix, self.tails, &digits, &rows),
                }
            };
            for (number, value) in values.iter().enumerate() {
                for (output, weights) in self.weights.iter().enumerate() {
                    self.check_sum(output, weights, value, sums[output][number]);
                }
                let (output, highest) = targets[number];
                let range = self.matrix.ranges[output];
                let end = if highest { range.most } else { range.least };
                assert_eq!(i64::from(sums[output][number]), end, "{}", self.name);
            }
        }
    }

    /// Checks that a sum is that of the weights and values, plus the least multiple of the modulus
    /// that makes every sum non-negative.
    fn check_sum(&self, output: usize, weights: &[i64], values: &[i64], sum: u32) {
        let m = i64::from(self.primes[output].m);
        let ends =
            |(&[least, most], &weight): (&[i64; 2], &i64)| (least * weight).min(most * weight);
        let least: i64 = self.ranges.iter().zip(weights).map(ends).sum();
        let expected: i64 = values.iter().zip(weights).map(|(x, w)| x * w).sum();
        let offset = (-least + m - 1).div_euclid(m) * m;
        let name = &self.name;
        assert_eq!(i64::from(sum), expected + offset, "{name}, channel {m}");
        let limit = if output < self.weights.len() - self.tails {
            m << 16
        } else {
            1 << 28
        };
        assert!(i64::from(sum) < limit, "{name}, channel {m}");
    }
}

/// The weights of an extension, by definition: for each output j, `factor(j) X` modulo its prime
/// for each integer X by which a digit or extra is multiplied.
fn weights(
    integers: &[BigInt],
    primes: &[Prime],
    digits: usize,
    factor: impl Fn(usize) -> BigInt,
) -> Vec<Vec<i64>> {
    let row = |(j, p): (usize, &Prime)| {
        let factor = factor(j);
        let weight = |(index, x): (usize, &BigInt)| {
            let weight = x * &factor;
            let nearest = if index < digits {
                balanced(&weight, p.m)
            } else {
                let x = modulo(&weight, p.m);
                BigInt::from(x) - if x > p.m / 2 { p.m } else { 0 }
            };
            i64::try_from(nearest).unwrap()
        };
        integers.iter().enumerate().map(weight).collect()
    };
    primes.iter().enumerate().map(row).collect()
}

/// The ranges of the inputs of the first extension: digits, then tail residues.
fn ranges_in_a(plan: &TilePlan) -> Vec<[i64; 2]> {
    let tails = plan.a.primes[plan.mains()..].iter();
    let mut ranges = vec![[0, 255]; 2 * plan.mains()];
    ranges.extend(tails.map(|p| [0, i64::from(p.m) - 1]));
    ranges
}

/// The ranges of the inputs of the second extension: digits, tail residues, h, and the unused
/// place.
fn ranges_in_b(plan: &TilePlan) -> Vec<[i64; 2]> {
    let source = source_in_b(plan);
    let inverses = |j: usize, p: Prime| {
        let b = product(&plan.b.primes);
        let inverse = super::inverse(&(b / p.m), p.m);
        let stored = super::inverse(&plan.storage_factor[j].into(), p.m);
        modulo(&(inverse * stored), p.m)
    };
    let digits = digit_factors(&plan.b.primes, plan.mains(), inverses);
    let h = i64::from(overshoot(&digits, &plan.b.primes, &source));
    let mut ranges = vec![[0, 255]; 2 * plan.mains()];
    ranges.extend(vec![[0, i64::from(TAIL_MOST)]; plan.tails]);
    ranges.extend([[-h, h], [0, 0]]);
    ranges
}

/// The digits and tail residues of the second extension.
fn source_in_b(plan: &TilePlan) -> MatrixSource {
    MatrixSource {
        digits: 2 * plan.mains(),
        extras: vec![[0, TAIL_MOST.cast_signed()]; plan.tails],
    }
}

/// The integers by which the digits and extras of the second extension are multiplied: `f_d B/b_d`,
/// and `-B` for h.
fn integers_in_b(plan: &TilePlan) -> Vec<BigInt> {
    let stored = |j: usize| super::inverse(&plan.storage_factor[j].into(), plan.b.primes[j].m);
    let mut integers = integer_weights(&plan.b.primes, plan.mains(), stored);
    integers.extend([-product(&plan.b.primes), BigInt::ZERO]);
    integers
}

/// Checks the sums of all matrices of a plan.
fn check_plan<const S: usize>(tiles: &Tiles, bits: u32) {
    let plan = plan(bits);
    let (tails, digits) = (plan.tails, 2 * plan.mains());
    let integers = integer_weights(&plan.a.primes, plan.mains(), |_| 1.into());
    Subject {
        name: format!("A to B, {bits} bits"),
        matrix: &plan.a_to_b,
        primes: &plan.b.primes,
        tails,
        weights: weights(&integers, &plan.b.primes, digits, |_| (1 << 16).into()),
        ranges: ranges_in_a(&plan),
    }
    .check::<S>(tiles);
    let second = integers_in_b(&plan);
    Subject {
        name: format!("B to A, {bits} bits"),
        matrix: &plan.b_to_a,
        primes: &plan.a.primes,
        tails,
        weights: weights(&second, &plan.a.primes, digits, |_| (1 << 16).into()),
        ranges: ranges_in_b(&plan),
    }
    .check::<S>(tiles);
    let powers: Vec<BigInt> = (0..digits).map(|d| BigInt::from(1) << (8 * d)).collect();
    let in_b = |j: usize| BigInt::from(plan.storage_factor[j]) << 16;
    let enter = [
        weights(&powers, &plan.a.primes, digits, |_| (1 << 16).into()),
        weights(&powers, &plan.b.primes, digits, in_b),
    ];
    let primes = [&plan.a.primes, &plan.b.primes];
    for ((matrix, weights), primes) in plan.enter.iter().zip(enter).zip(primes) {
        Subject {
            name: format!("in, {bits} bits"),
            matrix,
            primes,
            tails,
            weights,
            ranges: vec![[0, 255]; digits],
        }
        .check::<S>(tiles);
    }
}

#[test]
fn sums_at_the_ends_of_their_ranges() {
    let Some(tiles) = tiles() else { return };
    for bits in SIZES {
        check_plan::<2>(&tiles, bits);
        check_plan::<4>(&tiles, bits);
    }
}

/// The same for the matrix with a modulus' constants merged into its weights.
#[test]
fn merged_sums_at_the_ends_of_their_ranges() {
    let Some(tiles) = tiles() else { return };
    for bits in SIZES {
        let plan = plan(bits);
        let (p, modulus) = super::any_modulus(&plan, 0);
        let negative_inverse = |i: usize| {
            let m = plan.a.primes[i].m;
            -super::inverse(&p, m) << 16
        };
        let integers = integer_weights(&plan.a.primes, plan.mains(), negative_inverse);
        let scaled_p = |j: usize| {
            let g = plan.storage_factor[j];
            &p * g * g
        };
        let subject = Subject {
            name: format!("merged, {bits} bits"),
            matrix: modulus.merged().unwrap(),
            primes: &plan.b.primes,
            tails: plan.tails,
            weights: weights(&integers, &plan.b.primes, 2 * plan.mains(), scaled_p),
            ranges: ranges_in_a(&plan),
        };
        subject.check::<2>(&tiles);
        subject.check::<4>(&tiles);
    }
}

/// The conversion from any residues to integers: `sum_d d f_d B/b_d - h B` modulo `2^(bits + 128)`.
fn integers_out<const S: usize>(tiles: &Tiles, bits: u32) {
    let plan = plan(bits);
    let ranges = ranges_in_b(&plan);
    let integers = integers_in_b(&plan);
    let end = ranges.len() - 2;
    for ends in 0..4 {
        let mut numbers = TileNumbers::<S>::zero(&plan);
        let mut extras = vec![[Row([0; 32]); S]; plan.tails / 2 + 1];
        let mut expected = vec![BigInt::ZERO; 16 * S];
        for (number, expected) in expected.iter_mut().enumerate() {
            // All inputs at one end, those of one sign at one end, or a mixture.
            let pick = |index: usize| match ends {
                0 => usize::from(index != end),
                1 => usize::from(index == end),
                2 => usize::from((integers[index] > BigInt::ZERO) == (number % 2 == 0)),
                _ => (index * (2 * number + 1)) / 3 % 2,
            };
            let values: Vec<i64> = (0..=end).map(|index| ranges[index][pick(index)]).collect();
            for (value, integer) in values.iter().zip(&integers) {
                *expected += integer * *value;
            }
            for channel in 0..plan.mains() {
                let residue = values[2 * channel] | values[2 * channel + 1] << 8;
                let channel = plan.channels() + channel;
                set_residue(&mut numbers.pairs, channel, number, residue as u16);
            }
            for (extra, &value) in values[2 * plan.mains()..].iter().enumerate() {
                set_residue(&mut extras, extra, number, value as u16);
            }
        }
        // SAFETY: `tiles` exists, so the processor has all features of the tile kernels.
        let words = unsafe { convert::leave(tiles, &plan, &numbers, &extras) };
        assert_eq!(words.len() * 32, (bits + 128) as usize);
        for (number, expected) in expected.iter().enumerate() {
            let word = |row: &[crate::devices::row::Row<u32, 16>; S]| row[number / 16][number % 16];
            let words = words.iter().map(word).collect();
            let all = BigInt::from(1) << (bits + 128);
            let integer: BigInt = BigUint::new(words).into();
            let modulus = ((expected % &all) + &all) % &all;
            assert_eq!(integer, modulus, "{bits} bits, ends {ends}, {number}");
        }
    }
}

#[test]
fn integers_out_of_any_residues() {
    let Some(tiles) = tiles() else { return };
    for bits in SIZES {
        integers_out::<2>(&tiles, bits);
        integers_out::<4>(&tiles, bits);
    }
}

/// The conversion from integers to residues, for words of all ones, of zeros, and others.
fn integers_in<const S: usize>(tiles: &Tiles, bits: u32) {
    let plan = plan(bits);
    let channels = plan.mains();
    let mut words = vec![[Row([0; 32]); S]; channels / 2];
    let mut values = vec![BigInt::ZERO; 16 * S];
    for (number, value) in values.iter_mut().enumerate() {
        for channel in (0..channels).rev() {
            let word = match number {
                0 => 0xffff,
                1 => 0,
                2 => 0xff00,
                3 => 0x00ff,
                _ => (channel * 0x9e37 + number * 0x85eb) as u16,
            };
            set_residue(&mut words, channel, number, word);
            *value = (&*value << 16) + word;
        }
    }
    let mut numbers = TileNumbers::<S>::zero(&plan);
    // SAFETY: `tiles` exists, so the processor has all features of the tile kernels.
    unsafe { convert::enter(tiles, &plan, &words, &mut numbers) };
    for (number, value) in values.iter().enumerate() {
        let stored = plan.storage_factor.iter().map(|&g| value * g);
        let values = vec![value.clone(); plan.channels()]
            .into_iter()
            .chain(stored);
        let primes = plan.a.primes.iter().chain(&plan.b.primes);
        for (channel, (p, value)) in primes.zip(values).enumerate() {
            let found = u32::from(residue(&numbers.pairs, channel, number));
            assert_eq!(found % p.m, modulo(&value, p.m), "{bits} bits, {channel}");
            assert!(p.m > 1 << 15 || found <= TAIL_MOST);
        }
    }
}

#[test]
fn integers_in_of_any_words() {
    let Some(tiles) = tiles() else { return };
    for bits in SIZES {
        integers_in::<2>(&tiles, bits);
        integers_in::<4>(&tiles, bits);
    }
}

/// Cox sums of any digits differ from `sum_d d f_d / b_d` by at most the rounding error. Tail
/// residues are zero or at their bound.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn cox_sums<const S: usize>(tiles: &Tiles, bits: u32) {
    let plan = plan(bits);
    let mains = plan.mains();
    let b = product(&plan.b.primes);
    let integers = integers_in_b(&plan);
    for tail in [0, TAIL_MOST] {
        let mut digits = vec![[Row([0; 32]); S]; mains / 2];
        let tails = vec![[Row([tail as u16; 32]); S]; plan.tails / 2];
        let of_tails: BigInt = integers[2 * mains..2 * mains + plan.tails].iter().sum();
        let mut expected = vec![of_tails * tail; 16 * S];
        for (number, expected) in expected.iter_mut().enumerate() {
            for channel in 0..mains {
                let any = (channel * 0x9e37_79b9 + number * 0x85eb_ca6b) >> 7;
                let residue = [0xffff, 0x00ff, 0xff00]
                    .get(number)
                    .map_or(any as u16, |&x| x);
                set_residue(&mut digits, channel, number, residue);
                *expected += &integers[2 * channel] * (residue & 0xff);
                *expected += &integers[2 * channel + 1] * (residue >> 8);
            }
        }
        // Half a unit of 2^-23 for each digit's weight, a unit of 2^-15 for the truncation, and
        // half of one for each tail residue's weight, all in units of 2^-24.
        let rounding =
            (255 * 2 * mains as u64) + (1 << 9) + ((plan.tails as u64 * u64::from(tail)) << 8);
        let matrix = &plan.b_to_a;
        let mut tail_sums = Box::new([Sums::ZERO; 4]);
        for half in 0..S / HALF {
            extend_single(
                tiles,
                &matrix.tail_tiles,
                &matrix.tail_offsets,
                &digits,
                half,
                &mut tail_sums,
            );
            for side in 0..HALF {
                let mut sums = Row([0i32; 16]);
                store(&mut sums, cox_sum(&plan, &tail_sums, &tails, half, side));
                for (lane, &sum) in sums.iter().enumerate() {
                    let number = (half * HALF + side) * 16 + lane;
                    let error: BigInt =
                        ((BigInt::from(sum) << 9) * &b - (&expected[number] << 24)) / &b;
                    let within = *error.magnitude() <= BigUint::from(rounding);
                    assert!(
                        within,
                        "{bits} bits, number {number}: {error} of {rounding}"
                    );
                }
            }
        }
    }
}

#[test]
fn cox_sums_of_any_residues() {
    let Some(tiles) = tiles() else { return };
    for bits in SIZES {
        // SAFETY: `tiles` exists, so the processor has all features of the tile kernels.
        unsafe {
            cox_sums::<2>(&tiles, bits);
            cox_sums::<4>(&tiles, bits);
        }
    }
}

/// [`overshoot`] is an upper bound, and not much larger than the largest overshoot.
#[test]
fn overshoot_is_an_upper_bound() {
    for bits in SIZES {
        let plan = plan(bits);
        let integers = integer_weights(&plan.a.primes, plan.mains(), |_| 1.into());
        let ends = |sign: i32| -> BigInt {
            (integers.iter().zip(ranges_in_a(&plan)))
                .filter(|(x, _)| *x * sign > BigInt::ZERO)
                .map(|(x, [_, most])| x * sign * most)
                .sum()
        };
        let largest = ends(1).max(ends(-1));
        let inverse = |i: usize, p: Prime| {
            let cofactor = product(&plan.a.primes) / plan.a.primes[i].m;
            modulo(&super::inverse(&cofactor, p.m), p.m)
        };
        let weights = digit_factors(&plan.a.primes, plan.mains(), inverse);
        let bound = overshoot(&weights, &plan.a.primes, &plan.quotient_source());
        let a = product(&plan.a.primes);
        assert!(largest < &a * bound && largest > a * (bound - 3));
        assert!(bound <= plan.c);
    }
}
