//! Tests of the lane kernels at their bounds, against their definitions in integers: the largest
//! operands, in the largest residues within the plan's bounds.
use crypto_bigint::{BoxedUint, Odd};
use num_bigint::BigUint;

#[cfg(target_arch = "x86_64")]
use crate::instructions::Ifma;
use crate::{
    choices::Split,
    lookup::{LaneTable, masks},
    residues::{
        lanes::{Kernels, LaneModuli, LaneNumbers, LaneScratch, Operand},
        plan::{Channel, LaneFormat, Plan, PlanCache, PlanFormat, PreparedModulus},
        portable::{InstructionSet, Portable},
        tests::{big, value},
    },
    row::{Row, all_at_most},
};

/// Kernels for L lanes, with a modulus for each lane.
struct Subject<K, const L: usize> {
    kernels: K,
    name: String,
    prepared: Vec<PreparedModulus>,
    values: Vec<BigUint>,
}

/// Number of products in each chain of the smaller sizes.
const CHAIN: usize = 1000;

/// Checks all kernels at several sizes.
fn check<K: Kernels, const L: usize>(kernels: K, name: &str, plans: &PlanCache<Plan>) {
    for bits in [64, 512, 1024, 1536, 2048, 3072, 4096] {
        let subject = Subject::<K, L>::new(kernels, name, plans, bits);
        let chain = if bits <= 512 { CHAIN } else { 5 };
        subject.products_of_the_largest_operands(chain);
        subject.second_extension_of_any_residues();
        subject.sums();
        subject.integers_in();
        subject.integers_out();
        subject.linear();
        subject.look_ups();
    }
}

/// The stored residues of X, each the largest representative within its bound.
fn largest_residues(plan: &Plan, x: &BigUint) -> Vec<u64> {
    let largest = |residue: BigUint, m: u64, bound: u64| {
        let residue = u64::try_from(residue).expect("it is below m");
        bound - (bound - residue) % m
    };
    let in_a = plan.channels_a().iter();
    let in_a = in_a.map(|channel| largest(x % channel.m, channel.m, plan.bounds.x_a));
    let in_b = plan.channels_beyond_a().iter().zip(&plan.storage_factor);
    let in_b = in_b.map(|(channel, g)| largest(x * g % channel.m, channel.m, plan.bounds.x_b));
    in_a.chain(in_b).collect()
}

/// `sum_k digits[k] 2^(w k)`, lane by lane.
fn integers<const L: usize>(digits: &[Row<u64, L>], w: u32) -> [BigUint; L] {
    core::array::from_fn(|l| {
        let digits = digits.iter().rev();
        digits.fold(BigUint::ZERO, |sum, row| (sum << w) + row[l])
    })
}

impl<K: Kernels, const L: usize> Subject<K, L> {
    /// The largest and the smallest modulus of the size, and others, all of one plan.
    fn new(kernels: K, name: &str, plans: &PlanCache<Plan>, bits: u32) -> Self {
        let one = BigUint::from(1u32);
        let ends = [(&one << bits) - 1u32, (&one << (bits - 1)) + 1u32];
        let others = (0..).map(|seed| big(&value(bits, seed)));
        let plan = plans.plan(bits).unwrap();
        let (mut all, mut values) = (Vec::new(), Vec::new());
        for modulus in ends.into_iter().chain(others) {
            let words = modulus.iter_u64_digits();
            let odd = Odd::new(BoxedUint::from_words(words)).unwrap();
            // A modulus that shares a prime with base A has no plan.
            if let Some(prepared) = PreparedModulus::prepare(&[&odd], &plan).swap_remove(0) {
                all.push(prepared);
                values.push(modulus);
            }
            if all.len() == L {
                break;
            }
        }
        Self {
            kernels,
            name: format!("{name}, {L} wide, {bits} bits"),
            prepared: all,
            values,
        }
    }

    /// The plan of all moduli.
    fn plan(&self) -> &Plan {
        &self.prepared[0].plan
    }

    /// The constants of all moduli.
    fn lane_moduli(&self) -> LaneModuli<L> {
        let prepared: Vec<_> = self.prepared.iter().collect();
        LaneModuli::new(&prepared)
    }

    /// Numbers of these values, in the largest stored residues.
    fn numbers(&self, values: &[BigUint; L]) -> LaneNumbers<L> {
        let lanes: Vec<Vec<u64>> = values
            .iter()
            .map(|x| largest_residues(self.plan(), x))
            .collect();
        let row = |channel| Row(core::array::from_fn(|l: usize| lanes[l][channel]));
        LaneNumbers {
            channels: (0..self.plan().channels.len()).map(row).collect(),
        }
    }

    /// The number with every stored residue at its bound, which need not be a number in range.
    fn at_the_bounds(&self) -> LaneNumbers<L> {
        let Plan { a, bounds, .. } = self.plan();
        LaneNumbers {
            channels: [
                vec![Row([bounds.x_a; L]); a.len()],
                vec![Row([bounds.x_b; L]); self.plan().channels_beyond_a().len()],
            ]
            .concat(),
        }
    }

    /// The integers of all lanes, read modulo the number of digits of a product.
    fn leave(&self, x: &LaneNumbers<L>, scratch: &mut LaneScratch<L>) -> [BigUint; L] {
        let mut digits = vec![Row([0; L]); self.plan().to_digits.rows()];
        self.kernels.leave(self.plan(), x, scratch, &mut digits);
        assert!(all_at_most(&digits, (1 << self.plan().w) - 1));
        integers(&digits, self.plan().w)
    }

    /// Operands up to `2 c P` give a product below `c P` that is congruent to `x y A^-1`, in
    /// residues within the bounds. The largest number up to `2 c P` that is congruent to the
    /// product is an operand of the next one.
    fn products_of_the_largest_operands(&self, chain: usize) {
        let (plan, moduli) = (self.plan(), self.lane_moduli());
        let mut scratch = LaneScratch::new(plan);
        let a = big(plan.a.product());
        let limit: [BigUint; L] = core::array::from_fn(|l| 2 * plan.bounds.c * &self.values[l]);
        let y = core::array::from_fn(|l| &limit[l] - l);
        let numbers_y = self.numbers(&y);
        let mut x = limit.clone();
        for step in 0..chain {
            let mut numbers = self.numbers(&x);
            let squared = step % 4 != 3;
            let operand = if squared {
                Operand::Itself
            } else {
                Operand::Other(&numbers_y)
            };
            self.kernels
                .montgomery(plan, &moduli, &mut numbers, operand, &mut scratch);
            let product = self.leave(&numbers, &mut scratch);
            self.assert_holds(&numbers, &product);
            for l in 0..L {
                let (p, name) = (&self.values[l], &self.name);
                let other = if squared { &x[l] } else { &y[l] };
                assert!(product[l] < plan.bounds.c * p, "{name}, lane {l}");
                let expected = &x[l] * other % p;
                assert_eq!(&product[l] * &a % p, expected, "{name}, lane {l}");
            }
            x = core::array::from_fn(|l| &limit[l] - (&limit[l] - &product[l]) % &self.values[l]);
        }
    }

    /// Asserts that the stored residues are those of these integers, and within the bounds.
    fn assert_holds(&self, numbers: &LaneNumbers<L>, values: &[BigUint; L]) {
        let plan = self.plan();
        let (in_a, in_b) = numbers.channels.split_at(plan.a.len());
        assert!(all_at_most(in_a, plan.bounds.x_a), "{}", self.name);
        assert!(all_at_most(in_b, plan.bounds.x_b), "{}", self.name);
        for l in 0..L {
            for (row, channel) in in_a.iter().zip(plan.channels_a()) {
                let residue = (&values[l] % channel.m).try_into();
                assert_eq!(Ok(row[l] % channel.m), residue, "{}", self.name);
            }
            let channels_b = plan.channels_beyond_a().iter().zip(&plan.storage_factor);
            for (row, (channel, g)) in in_b.iter().zip(channels_b) {
                let residue = (&values[l] * g % channel.m).try_into();
                assert_eq!(Ok(row[l] % channel.m), residue, "{}", self.name);
            }
        }
    }

    /// The second extension of a product whose operands have every residue at its bound. They are not
    /// integers in range, but `rh_j`, the Cox quotient `h = floor(1/2 + sum rh_j / 2^w)`, and
    /// `sum rh_j B/b_j - h B` in base A must still follow from the product in base B.
    fn second_extension_of_any_residues(&self) {
        let plan = self.plan();
        let mut scratch = LaneScratch::new(plan);
        let mut x = self.at_the_bounds();
        let y = self.at_the_bounds();
        let operand = Operand::Other(&y);
        self.kernels
            .montgomery(plan, &self.lane_moduli(), &mut x, operand, &mut scratch);

        let (x_a, x_b) = x.channels.split_at(plan.a.len());
        let (rh, h) = scratch.rh.split_at(plan.b.len());
        assert!(all_at_most(rh, plan.bounds.rh) && all_at_most(h, plan.bounds.h));
        assert!(all_at_most(x_a, plan.bounds.x_a) && all_at_most(x_b, plan.bounds.x_b));
        for l in 0..L {
            let sum: u128 = rh.iter().map(|row| u128::from(row[l])).sum();
            let rounded = (sum + (1 << (plan.w - 1))) >> plan.w;
            assert_eq!(u128::from(h[0][l]), rounded, "{}", self.name);
            for (j, m) in plan.b.moduli().iter().enumerate() {
                // rh_j g_j B/b_j is the stored residue x_j.
                let restored = m.mul(
                    m.mul(
                        m.reduce(rh[j][l].into()),
                        m.reduce_uint(&plan.b.cofactor(j)),
                    ),
                    plan.storage_factor[j].into(),
                );
                assert_eq!(restored, m.reduce(x_b[j][l].into()), "{}", self.name);
            }
            for (row, m) in x_a.iter().zip(plan.a.moduli()) {
                let terms = rh.iter().zip(plan.b.cofactors_mod(m));
                let sum = terms.fold(0, |sum, (rh, cofactor)| {
                    m.add(sum, m.mul(m.reduce(rh[l].into()), cofactor))
                });
                let correction = m.mul(m.reduce(rounded), plan.b.product_mod(m));
                let expected = m.sub(sum, correction);
                assert_eq!(m.reduce(row[l].into()), expected, "{}", self.name);
            }
        }
    }

    /// Sums of residues at their bounds are below `4 m`.
    fn sums(&self) {
        let (before, mut x) = (self.at_the_bounds(), self.at_the_bounds());
        self.kernels.add(self.plan(), &mut x, &before);
        let channels = self.plan().channels.iter();
        for ((channel, sum), before) in channels.zip(&x.channels).zip(&before.channels) {
            assert!(all_at_most(&[*sum], 4 * channel.m - 1), "{}", self.name);
            let expected = 2 * u128::from(before[0]) % u128::from(channel.m);
            let right = |&sum: &u64| u128::from(sum % channel.m) == expected;
            assert!(sum.iter().all(right), "{}", self.name);
        }
    }

    /// The conversion of digits of all ones gives residues below `2 m` of the right integer.
    fn integers_in(&self) {
        let plan = self.plan();
        let digits = vec![Row([(1 << plan.w) - 1; L]); plan.digits_in()];
        let mut numbers = LaneNumbers::zero(plan);
        self.kernels.enter(plan, &digits, &mut numbers);
        for (channel, row) in plan.channels.iter().zip(&numbers.channels) {
            assert!(all_at_most(&[*row], 2 * channel.m - 1), "{}", self.name);
        }
        self.assert_holds(&numbers, &integers(&digits, plan.w));
    }

    /// The conversion of residues at their bounds gives `sum rh_j B/b_j - h B` of their `rh_j` and
    /// h, modulo the number of digits of a product.
    fn integers_out(&self) {
        let plan = self.plan();
        let modulus = BigUint::from(1u32) << (plan.w * plan.to_digits.rows() as u32);
        let mut scratch = LaneScratch::new(plan);
        let integers = self.leave(&self.at_the_bounds(), &mut scratch);
        let (rh, h) = scratch.rh.split_at(plan.b.len());
        assert!(all_at_most(rh, plan.bounds.rh) && all_at_most(h, plan.bounds.h));
        for (l, integer) in integers.iter().enumerate() {
            let terms = rh.iter().enumerate();
            let sum: BigUint = terms.map(|(j, rh)| big(&plan.b.cofactor(j)) * rh[l]).sum();
            let subtracted = big(plan.b.product()) * h[0][l] % &modulus;
            let expected = (&sum + (&modulus - subtracted)) % &modulus;
            assert_eq!(*integer, expected, "{}", self.name);
        }
    }

    /// Differences of residues between which a borrow could be lost: just above multiples of the
    /// modulus, and at the bounds.
    fn differences(&self) {
        let plan = self.plan();
        let edge = |k: usize, m: u64, bound: u64| {
            let edges = [
                0,
                1,
                2,
                m - 1,
                m,
                m + 1,
                2 * m + 1,
                3 * m + 1,
                3 * m + 2,
                bound,
            ];
            edges[k % edges.len()].min(bound)
        };
        let bounds = |channel: usize| {
            let in_a = channel < plan.a.len();
            if in_a {
                plan.bounds.x_a
            } else {
                plan.bounds.x_b
            }
        };
        let numbers = |shift: usize, step: usize| LaneNumbers::<L> {
            channels: (plan.channels.iter().enumerate())
                .map(|(c, channel)| {
                    let lane = |l: usize| edge(shift + step * l, channel.m, bounds(c));
                    Row::<u64, L>(core::array::from_fn(lane))
                })
                .collect(),
        };
        for shift in 0..10 {
            let (before, y) = (numbers(shift, 1), numbers(3 * shift + 1, 0));
            let mut x = numbers(shift, 1);
            self.kernels.subtract(plan, &mut x, &y);
            let rows = x.channels.iter().zip(&before.channels).zip(&y.channels);
            for (channel, ((x, before), y)) in plan.channels.iter().zip(rows) {
                assert!(all_at_most(&[*x], 4 * channel.m), "{}", self.name);
                for l in 0..L {
                    let m = u128::from(channel.m);
                    let sum = u128::from(x[l]) + u128::from(y[l]);
                    assert_eq!(sum % m, u128::from(before[l]) % m, "{}", self.name);
                }
            }
        }
    }

    /// Differences, multiples, and sums of products, of residues at their bounds.
    fn linear(&self) {
        let plan = self.plan();
        let before = self.at_the_bounds();
        let check = |x: &LaneNumbers<L>,
                     most: u64,
                     what: &str,
                     expected: &dyn Fn(u128, &Channel) -> u128| {
            for ((channel, row), before) in
                plan.channels.iter().zip(&x.channels).zip(&before.channels)
            {
                let m = u128::from(channel.m);
                let bounded = all_at_most(&[*row], most * channel.m);
                assert!(bounded, "{}: {what}", self.name);
                let right = |&x: &u64| u128::from(x) % m == expected(before[0].into(), channel) % m;
                assert!(row.iter().all(right), "{}: {what}", self.name);
            }
        };
        let mut x = self.at_the_bounds();
        self.kernels.subtract(plan, &mut x, &before);
        check(&x, 4, "x - x", &|_, _| 0);
        let mut x = LaneNumbers::zero(plan);
        self.kernels.subtract(plan, &mut x, &before);
        check(&x, 4, "0 - x", &|x, c| {
            u128::from(c.m) - x % u128::from(c.m)
        });
        self.differences();
        for factor in [1u32, 2, 3, 1024, 65_535] {
            for negative in [false, true] {
                let mut x = self.at_the_bounds();
                self.kernels.scale(plan, &mut x, factor, negative);
                check(&x, 2, "multiple", &|x, c| {
                    let multiple = x * u128::from(factor) % u128::from(c.m);
                    if negative {
                        u128::from(c.m) - multiple
                    } else {
                        multiple
                    }
                });
            }
        }
        for (positive, negative) in [(1, 0), (0, 1), (3, 0), (2, 5), (100, 0)] {
            let terms: Vec<_> = (0..positive + negative)
                .map(|k| (k >= positive, &before, &before))
                .collect();
            let mut x = LaneNumbers::zero(plan);
            self.kernels.dot(plan, &terms, &mut x);
            check(&x, 4, "sum of products", &|x, c| {
                // sum +- x x R^-1
                let m = sunzi_rns::Modulus::new(c.m.into()).unwrap();
                let inverse = m.invert_vartime(m.reduce(c.radix.into())).unwrap();
                let x = m.reduce(x);
                let term = m.mul(m.mul(x, x), inverse);
                let times = |count: u32| m.mul(term, m.reduce(count.into()));
                m.sub(times(positive), times(negative))
            });
        }
    }

    /// Look-ups with an index for each lane. Entries are close to the bounds of residues.
    fn look_ups(&self) {
        let plan = self.plan();
        for entries in [2, 3, 8, 32] {
            let mut table = LaneTable::new(entries, plan.channels.len());
            let numbers = |entry: usize| {
                let mut numbers = self.at_the_bounds();
                for (channel, row) in numbers.channels.iter_mut().enumerate() {
                    for (l, lane) in row.iter_mut().enumerate() {
                        *lane -= (64 * entry + channel + l) as u64;
                    }
                }
                numbers
            };
            for entry in 0..entries {
                table.store(entry, &numbers(entry).channels, K::entry);
            }
            let indices: [u64; L] = core::array::from_fn(|l| ((5 * l + 1) % entries) as u64);
            let masks = masks(entries, &indices, |masks| Row(masks.map(K::entry)));
            let mut out = LaneNumbers::zero(plan);
            self.kernels.select(&table, &masks, &mut out);
            for l in 0..L {
                let expected = numbers(indices[l] as usize);
                for (out, expected) in out.channels.iter().zip(&expected.channels) {
                    assert_eq!(out[l], expected[l], "{}, {entries} entries", self.name);
                }
            }
        }
    }
}

/// Plans without redundant channels.
fn plans(lanes: LaneFormat) -> PlanCache<Plan> {
    let redundancy = 0;
    PlanCache::new(PlanFormat { lanes, redundancy }, Split::Fixed)
}

#[test]
fn portable_kernels_at_their_bounds() {
    let plans = plans(LaneFormat::WORD);
    for set in InstructionSet::available() {
        let (kernels, name) = (Portable { set }, set.to_string());
        check::<_, 4>(kernels, &name, &plans);
        check::<_, 8>(kernels, &name, &plans);
        check::<_, 32>(kernels, &name, &plans);
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn avx512_kernels_at_their_bounds() {
    let kernels = match Ifma::detect() {
        Ok(kernels) => kernels,
        Err(missing) => return println!("SKIPPED: {missing}"),
    };
    check::<_, 16>(kernels, "avx512", &plans(LaneFormat::IFMA));
}
