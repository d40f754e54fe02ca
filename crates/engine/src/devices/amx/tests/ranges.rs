//! Tests of the kernels on tiles at their bounds: the largest operands, in the largest residues.

use std::sync::Arc;

use num_bigint::BigInt;

use super::{SIZES, balanced, inverse, modulo, plan, prepare, residue, set_residue, tiles};
use crate::devices::{
    amx::{
        convert,
        extension::ResiduePair,
        group,
        modulus::TileModulus,
        plan::{TAIL_MOST, TilePlan},
        prime::Prime,
        product::{self, TileModuliRef, TileNumbers, TileScratch},
        tile::Tiles,
    },
    row::Row,
    tests::{big, value},
};

/// A plan with moduli for all numbers of a group.
struct Subject<const S: usize> {
    plan: Arc<TilePlan>,
    moduli: Vec<TileModulus>,
    values: Vec<BigInt>,
    to_quotient: Vec<ResiduePair<S>>,
    scaled_p: Vec<ResiduePair<S>>,
}

impl<const S: usize> Subject<S> {
    /// The largest moduli of the plan, the smallest that need this plan, and others.
    fn new(plan: Arc<TilePlan>) -> Self {
        let power = |bits| BigInt::from(1) << bits;
        let bits = plan.bits;
        let largest = (0..).map(|k| power(bits) - 1 - 2 * k).take(16);
        let least = (1..).map(|k| power(bits - 511) + 2 * k + 1).take(8);
        let others = (0..).map(|seed| BigInt::from(big(&value(bits, seed))));
        let (mut moduli, mut values) = (Vec::new(), Vec::new());
        for p in largest.chain(least).chain(others) {
            if let Some(modulus) = prepare(&plan, &p) {
                moduli.push(modulus);
                values.push(p);
            }
            if moduli.len() == 16 * S {
                break;
            }
        }
        let constants = |field: fn(&TileModulus) -> &[u16]| {
            let mut pairs = vec![[Row([0; 32]); S]; plan.channels() / 2];
            for (number, modulus) in moduli.iter().enumerate() {
                for (channel, &value) in field(modulus).iter().enumerate() {
                    set_residue(&mut pairs, channel, number, value);
                }
            }
            pairs
        };
        Self {
            to_quotient: constants(|m| &m.to_quotient),
            scaled_p: constants(|m| &m.scaled_p),
            plan,
            moduli,
            values,
        }
    }

    /// The constants of the moduli in lanes.
    fn lanes(&self) -> TileModuliRef<'_, S> {
        TileModuliRef::Lanes {
            to_quotient: &self.to_quotient,
            scaled_p: &self.scaled_p,
        }
    }

    /// The modulus of each channel, with its largest stored residue.
    fn channels(&self) -> impl Iterator<Item = (u32, u32)> {
        let primes = self.plan.a.primes.iter().chain(&self.plan.b.primes);
        let mains = |m: u32| m > 1 << 15;
        primes.map(move |p| (p.m, if mains(p.m) { 0xffff } else { TAIL_MOST }))
    }

    /// The stored residues of X, canonical: those of X in A, and of `X g_j` in B.
    fn stored(&self, x: &BigInt) -> Vec<u32> {
        let factors = vec![1; self.plan.channels()].into_iter();
        let factors = factors.chain(self.plan.storage_factor.iter().copied());
        self.channels()
            .zip(factors)
            .map(|((m, _), factor)| modulo(&(x * factor), m))
            .collect()
    }

    /// Numbers of these values, each in its largest stored residues.
    fn numbers(&self, values: &[BigInt]) -> TileNumbers<S> {
        let mut numbers = TileNumbers::zero(&self.plan);
        for (number, x) in values.iter().enumerate() {
            let residues = self.stored(x).into_iter().zip(self.channels());
            for (channel, (residue, (m, most))) in residues.enumerate() {
                let largest = most - (most - residue) % m;
                set_residue(&mut numbers.pairs, channel, number, largest as u16);
            }
        }
        numbers
    }

    /// Asserts that the stored residues are those of these integers, and within their bounds.
    fn assert_holds(&self, numbers: &TileNumbers<S>, values: &[BigInt]) {
        for (number, x) in values.iter().enumerate() {
            let expected = self.stored(x).into_iter().zip(self.channels());
            for (channel, (expected, (m, most))) in expected.enumerate() {
                let found = u32::from(residue(&numbers.pairs, channel, number));
                assert_eq!(found % m, expected, "number {number}, channel {m}");
                assert!(found <= most, "number {number}, channel {m}: {found}");
            }
        }
    }

    /// The integers of all numbers, which must be in the range of a product.
    fn leave(
        &self,
        tiles: &Tiles,
        numbers: &TileNumbers<S>,
        scratch: &mut TileScratch<S>,
    ) -> Vec<BigInt> {
        // SAFETY: `tiles` exists, so the processor has all features of the tile kernels.
        let words = unsafe {
            product::extras(tiles, &self.plan, numbers, scratch);
            convert::leave(tiles, &self.plan, numbers, &scratch.extras)
        };
        let integer = |number: usize| {
            let words = words.iter().map(|row| row[number / 16][number % 16]);
            let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            BigInt::from_signed_bytes_le(&bytes)
        };
        (0..16 * S).map(integer).collect()
    }

    /// Operands up to `4 c P`, of either sign, give a product within `(-3 c P, 3 c P)`. The largest
    /// operand that is congruent to the product is an operand of the next one.
    fn products(
        &self,
        tiles: &Tiles,
        moduli: TileModuliRef<'_, S>,
        values: &[BigInt],
        chain: usize,
    ) {
        let a = super::product(&self.plan.a.primes);
        let mut scratch = TileScratch::new(&self.plan);
        let limit: Vec<BigInt> = values.iter().map(|p| 4 * self.plan.c * p - 1).collect();
        let sign = |number: usize, step: usize| -> i32 {
            if (number >> (step % 4)) & 1 == 0 {
                1
            } else {
                -1
            }
        };
        let mut x: Vec<BigInt> = limit.iter().map(|x| -x).collect();
        for step in 0..chain {
            let y: Vec<BigInt> = (limit.iter().enumerate())
                .map(|(number, limit)| (limit - number) * sign(number, step))
                .collect();
            let mut numbers = self.numbers(&x);
            let other = self.numbers(&y);
            let square = step % 3 == 2;
            let operand = (!square).then_some(&other);
            // SAFETY: `tiles` exists, so the processor has all features of the tile kernels.
            unsafe {
                product::montgomery(
                    tiles,
                    &self.plan,
                    moduli,
                    &mut numbers,
                    operand,
                    &mut scratch,
                );
            }
            let products = self.leave(tiles, &numbers, &mut scratch);
            self.assert_holds(&numbers, &products);
            for (number, product) in products.iter().enumerate() {
                let p = &values[number];
                let other = if square { &x } else { &y };
                assert!(product.magnitude() < (3 * self.plan.c * p).magnitude());
                let wrong = (product * &a - &x[number] * &other[number]) % p;
                assert_eq!(wrong, BigInt::ZERO, "number {number}, step {step}");
                let limit = &limit[number];
                x[number] = if sign(number, step + 1) > 0 {
                    limit - (limit - product) % p
                } else {
                    (limit + product) % p - limit
                };
                assert!(x[number].magnitude() <= limit.magnitude());
            }
        }
    }

    /// The second extension of the largest products within the plan's bounds, whether or not any
    /// operands have these products.
    fn second_extension(&self, tiles: &Tiles) {
        let bound: BigInt = (BigInt::from(3 * self.plan.c) << self.plan.bits) - 1;
        // The error of the Cox sum from the rounding of the tail residues' weights.
        let (b, mains) = (super::product(&self.plan.b.primes), self.plan.mains());
        let rounding = |x: &BigInt| -> i64 {
            let stored = &self.stored(x)[self.plan.channels() + mains..];
            let weights = self.plan.cox_tails.iter();
            let weights = weights.flat_map(|&pair| [pair as i16, (pair >> 16) as i16]);
            let errors = stored.iter().zip(&self.plan.b.primes[mains..]).zip(weights);
            let error = |((&residue, p), weight): ((&u32, &Prime), i16)| {
                let largest = i64::from(TAIL_MOST - (TAIL_MOST - residue) % p.m);
                // weight - 2^15 f_d / m, scaled by 2^16, where the weight is the nearest integer.
                let factor = self.tail_factor(p.m, &b);
                let exact = (i64::from(factor) << 31) / i64::from(p.m);
                largest * ((i64::from(weight) << 16) - exact)
            };
            errors.map(error).sum()
        };
        for sign in [1, -1] {
            // The values near the bound with the largest such errors.
            let mut values: Vec<BigInt> = (0..2000).map(|k| (&bound - k) * sign).collect();
            values.sort_by_cached_key(|x| -i64::from(sign) * rounding(x));
            values.truncate(16 * S);
            let mut numbers = self.numbers(&values);
            let channels = self.plan.channels() / 2;
            numbers.pairs[..channels].fill([Row([0; 32]); S]);
            let mut scratch = TileScratch::new(&self.plan);
            // SAFETY: `tiles` exists, so the processor has all features of the tile kernels.
            unsafe {
                if self.plan.tails == 2 {
                    product::second_half::<2, S>(tiles, &self.plan, &mut numbers, &mut scratch);
                } else {
                    product::second_half::<3, S>(tiles, &self.plan, &mut numbers, &mut scratch);
                }
            }
            assert_eq!(self.leave(tiles, &numbers, &mut scratch), values);
            self.assert_holds(&numbers, &values);
        }
    }

    /// The factor `f_d` of a tail residue of B in its own channel: `|(B/b_j)^-1 g_j^-1|`, nearest
    /// to zero.
    fn tail_factor(&self, m: u32, b: &BigInt) -> i32 {
        let index = self.plan.b.primes.iter().position(|p| p.m == m).unwrap();
        let stored = inverse(&self.plan.storage_factor[index].into(), m);
        let factor = balanced(&(inverse(&(b / m), m) * stored), m);
        factor.try_into().unwrap()
    }

    /// Products of an integer below `2^bits` and one below P, which take numbers into Montgomery
    /// form and out of it.
    fn entering(&self, tiles: &Tiles) {
        let a = super::product(&self.plan.a.primes);
        let x = vec![(BigInt::from(1) << self.plan.bits) - 1; 16 * S];
        let y: Vec<BigInt> = self.values.iter().map(|p| p - 1).collect();
        let mut scratch = TileScratch::new(&self.plan);
        let mut numbers = self.numbers(&x);
        let other = self.numbers(&y);
        // SAFETY: `tiles` exists, so the processor has all features of the tile kernels.
        unsafe {
            product::montgomery(
                tiles,
                &self.plan,
                self.lanes(),
                &mut numbers,
                Some(&other),
                &mut scratch,
            );
        }
        let products = self.leave(tiles, &numbers, &mut scratch);
        self.assert_holds(&numbers, &products);
        for (number, product) in products.iter().enumerate() {
            let p = &self.values[number];
            // A sum of two such products is an operand.
            let bound: BigInt = p * self.plan.c + p / 8;
            assert!(product.magnitude() <= bound.magnitude());
            assert_eq!((product * &a - &x[number] * &y[number]) % p, BigInt::ZERO);
        }
    }

    /// Sums of stored residues at the edges of their ranges.
    fn sums(&self) {
        let edges: Vec<Vec<u32>> = self
            .channels()
            .map(|(m, most)| {
                let mut edges = vec![0, 1, m - 1, m, m + 1, most - m, most / 2, most - 1, most];
                edges.extend([most - m + 1, m / 2 + 1, most - m - 1]);
                edges.retain(|&x| x <= most);
                edges
            })
            .collect();
        let count = edges[0].len();
        let numbers = |index: &dyn Fn(usize, usize) -> usize| {
            let mut numbers = TileNumbers::<S>::zero(&self.plan);
            for number in 0..16 * S {
                for (channel, edges) in edges.iter().enumerate() {
                    let value = edges[index(number, channel) % edges.len()];
                    set_residue(&mut numbers.pairs, channel, number, value as u16);
                }
            }
            numbers
        };
        for first in 0..count {
            let x = numbers(&|_, channel| first + channel);
            let y = numbers(&|number, _| number);
            let mut sum = x.clone();
            // SAFETY: the caller has tiles, so the processor has all features of the tile kernels.
            unsafe { product::add(&self.plan, &mut sum, &y) };
            for number in 0..16 * S {
                for (channel, (m, most)) in self.channels().enumerate() {
                    let of = |numbers: &TileNumbers<S>| {
                        u32::from(residue(&numbers.pairs, channel, number))
                    };
                    assert_eq!((of(&x) + of(&y)) % m, of(&sum) % m);
                    assert!(of(&sum) <= most, "{} in the channel {m}", of(&sum));
                }
            }
        }
    }

    /// Differences, multiples, and sums of products, of the largest residues and of small ones.
    fn linear(&self) {
        let edge = |k: u32| {
            let mut numbers = TileNumbers::<S>::zero(&self.plan);
            for number in 0..16 * S {
                for (channel, (_, most)) in self.channels().enumerate() {
                    let value = if k == 0 {
                        most
                    } else {
                        (k - 1) * number as u32 % most
                    };
                    set_residue(&mut numbers.pairs, channel, number, value as u16);
                }
            }
            numbers
        };
        let check = |numbers: &TileNumbers<S>,
                     what: &str,
                     expected: &dyn Fn(usize, usize, u32) -> BigInt| {
            for number in 0..16 * S {
                for (channel, (m, most)) in self.channels().enumerate() {
                    let found = u32::from(residue(&numbers.pairs, channel, number));
                    assert!(found <= most, "{what}: {found} in the channel {m}");
                    let expected = modulo(&expected(channel, number, m), m);
                    assert_eq!(found % m, expected, "{what} in the channel {m}");
                }
            }
        };
        for (x, y) in [(0, 0), (0, 2), (2, 0), (3, 5)].map(|(x, y)| (edge(x), edge(y))) {
            let of = |numbers: &TileNumbers<S>, channel, number| {
                BigInt::from(residue(&numbers.pairs, channel, number))
            };
            let mut difference = x.clone();
            // SAFETY: the caller has tiles, so the processor has all features of the tile kernels.
            unsafe { product::subtract(&self.plan, &mut difference, &y) };
            check(&difference, "difference", &|c, n, _| {
                of(&x, c, n) - of(&y, c, n)
            });
            for (factor, negative) in [(1, true), (3, false), (1024, true)] {
                let mut multiple = x.clone();
                // SAFETY: the caller has tiles, so the processor has all features of the tile
                // kernels.
                unsafe { product::scale(&self.plan, &mut multiple, factor, negative) };
                let sign = if negative { -1 } else { 1 };
                check(&multiple, "multiple", &|c, n, _| {
                    of(&x, c, n) * factor * sign
                });
            }
            let mut sum = TileNumbers::zero(&self.plan);
            let terms = [
                (false, &x, &y),
                (true, &y, &y),
                (false, &x, &x),
                (true, &x, &y),
            ];
            // SAFETY: the caller has tiles, so the processor has all features of the tile kernels.
            unsafe { product::dot(&self.plan, &terms, &mut sum) };
            check(&sum, "sum of products", &|c, n, m| {
                let (x, y) = (of(&x, c, n), of(&y, c, n));
                (&x * &x - &y * &y) * inverse(&BigInt::from(1 << 16), m)
            });
            let radix = product::radix::<S>(&self.plan);
            check(&radix, "radix", &|_, _, _| BigInt::from(1 << 16));
        }
    }

    /// Look-ups with an index for each number. Entries differ in every residue.
    fn look_ups(&self) {
        for entries in [2, 3, 8, 32] {
            let of = |entry: usize, channel: usize, number: usize| {
                (0xffff - 64 * entry - 5 * channel - number) as u16
            };
            let channels = 2 * self.plan.channels();
            let mut rows = vec![[Row([0; 32]); S]; entries * channels / 2];
            for number in 0..16 * S {
                for (channel, entry) in
                    (0..channels).flat_map(|c| (0..entries).map(move |e| (c, e)))
                {
                    let pair = channel / 2 * entries + entry;
                    let value = of(entry, channel, number);
                    set_residue(&mut rows, 2 * pair + channel % 2, number, value);
                }
            }
            let index = |number: usize| (5 * number + 1) % entries;
            let masks: Vec<[convert::WordRow; S]> = (0..entries)
                .map(|entry| {
                    core::array::from_fn(|side| {
                        Row(core::array::from_fn(|lane| {
                            u32::from(index(16 * side + lane) == entry) * u32::MAX
                        }))
                    })
                })
                .collect();
            let indices: Vec<u64> = (0..16 * S).map(|number| index(number) as u64).collect();
            let made = group::masks::<S>(entries, &indices);
            let lanes = |masks: &[[convert::WordRow; S]]| -> Vec<[u32; 16]> {
                masks.iter().flatten().map(|row| row.0).collect()
            };
            assert_eq!(lanes(&made), lanes(&masks));
            let mut out = TileNumbers::zero(&self.plan);
            // SAFETY: the caller has tiles, so the processor has all features of the tile kernels.
            unsafe { convert::select(&rows, &masks, &mut out) };
            for number in 0..16 * S {
                for channel in 0..channels {
                    let expected = of(index(number), channel, number);
                    assert_eq!(residue(&out.pairs, channel, number), expected);
                }
            }
        }
    }
}

fn check<const S: usize>(bits: u32) {
    let Some(tiles) = tiles() else { return };
    let subject = Subject::<S>::new(plan(bits));
    let chain = if bits <= 512 { 100 } else { 6 };
    subject.products(&tiles, subject.lanes(), &subject.values, chain);
    // The largest modulus, and the smallest.
    for number in [0, 16] {
        let merged = TileModuliRef::Merged(subject.moduli[number].merged().unwrap());
        let values = vec![subject.values[number].clone(); 16 * S];
        subject.products(&tiles, merged, &values, chain);
    }
    subject.entering(&tiles);
    subject.second_extension(&tiles);
    subject.sums();
    subject.linear();
    subject.look_ups();
}

#[test]
fn groups_of_32_at_their_bounds() {
    for bits in SIZES {
        check::<2>(bits);
    }
}

#[test]
fn groups_of_64_at_their_bounds() {
    for bits in SIZES {
        check::<4>(bits);
    }
}
