//! Scalar multiplication as parts of programs.
//!
//! Multiples of the base point, whose order is odd, are taken by odd signed digits ([`odd_digits`]).
//! The order of other points may be even, so that h and h plus the order are not the same: for them
//! digits from -16 to 15 are taken, 0 among them, which formulas without exceptions allow.

use super::super::multiply::FixedBase;
use super::super::point::Point;
use super::curve::{CoefficientA, Parameters};
use super::formulas::{Entry, Extended, Factor, Factors, Projective};
use crypto_bigint::{BoxedUint, Resize, Word};
use sunzi_engine::program::{
    Builder, OwnTable, Recoding, Scalar, Stream, Table, Value, odd_digits,
};

/// Number of bits of a digit for multiples of a point that the program itself makes.
pub(super) const WIDTH: u32 = 5;
/// Number of bits of such a digit of scalars of half the length, which have too few for tables as long.
pub(super) const HALF_WIDTH: u32 = 4;
/// Number of bits of a digit for multiples of a key that has tables.
const KEY_WIDTH: u32 = 7;
/// Number of multiples of a key for each digit of [`tabled`], 0 among them.
const KEY_ENTRIES: usize = (1 << (KEY_WIDTH - 1)) + 1;
/// The windows of [`joint`] for multiples of the base point. Half of the digits take them from a table of G, and half
/// from one of a multiple, [`Parameters::joint_table`], so that they need half the doublings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ec) enum BaseWindows {
    /// Windows of 12 bits: the fewest additions.
    Wide,
    /// Windows of 9 bits. The seal of the tables, which a batch compares whole, has an eighth of the numbers: 61 KB
    /// on edwards25519.
    Narrow,
}

impl BaseWindows {
    /// The largest batch for narrow windows. By the best of turns a batch of 8 by as many keys is verified 1.08 times as fast by
    /// them, one of 16 still 1.02 times (edwards25519, Zen 3, AVX2): more additions then take as long as the larger seal.
    pub(super) const LARGEST_NARROW: usize = 16;

    /// The windows for a batch of so many multiplications.
    pub(in crate::ec) fn for_batch(count: usize) -> Self {
        if count <= Self::LARGEST_NARROW {
            Self::Narrow
        } else {
            Self::Wide
        }
    }

    /// Number of bits of a digit.
    pub(super) const fn width(self) -> u32 {
        match self {
            Self::Wide => 12,
            Self::Narrow => 9,
        }
    }

    /// Number of odd multiples in each table.
    pub(super) const fn entries(self) -> usize {
        1 << (self.width() - 1)
    }

    /// Number of digits that each table serves, for an order of `order_bits` bits; the last one may serve fewer.
    pub(super) fn digits_each(self, order_bits: u32) -> u32 {
        (self.bits(order_bits) / self.width()).div_ceil(2)
    }

    /// Number of tables: two, unless there is a single digit.
    pub(super) fn tables(self, order_bits: u32) -> u32 {
        let digits = self.bits(order_bits) / self.width();
        digits.div_ceil(self.digits_each(order_bits))
    }

    /// Number of bits of the scalar, for an order of `order_bits` bits.
    pub(super) fn bits(self, order_bits: u32) -> u32 {
        (order_bits + 1).next_multiple_of(self.width())
    }

    /// The scalar below the order as [`joint`] takes it. Public.
    pub(super) fn scalar(self, scalar: &BoxedUint, curve: &Parameters) -> BoxedUint {
        let order = curve.order.as_ref();
        (*odd_digits(scalar, order, self.bits(curve.order_bits()))).clone()
    }
}

/// Number of bits of the scalar of another point in [`joint`], for numbers of `bits` bits and digits of `width`.
pub(super) fn point_bits(bits: u32, width: u32) -> u32 {
    (bits + 2).next_multiple_of(width)
}

/// Number of bits of the scalar of a key in [`tabled`], for numbers of `bits` bits.
pub(super) fn key_bits(bits: u32) -> u32 {
    point_bits(bits, KEY_WIDTH)
}

/// The scalar of `bits` bits as [`tabled`] takes it for a key. Public.
pub(super) fn key_scalar(scalar: &BoxedUint, bits: u32) -> BoxedUint {
    point_scalar(scalar, bits, KEY_WIDTH)
}

/// The scalar of `bits` bits as [`joint`] takes it for another point, for digits of `width` bits: with 5, the windows of
/// `h + 16 (1 + 32 + 32^2 + ...)` are digits of h, each plus 16. Public.
pub(super) fn point_scalar(scalar: &BoxedUint, bits: u32, width: u32) -> BoxedUint {
    let bits = point_bits(bits, width);
    let precision = bits.next_multiple_of(64);
    let mut halves = vec![0; (precision / Word::BITS) as usize];
    for bit in (width - 1..bits).step_by(width as usize) {
        halves[(bit / Word::BITS) as usize] |= 1 << (bit % Word::BITS);
    }
    let halves = BoxedUint::from_words(halves);
    scalar.resize_unchecked(precision).wrapping_add(&halves)
}

/// Signed digits of a scalar.
#[derive(Clone, Copy)]
struct Digits {
    /// The index of each digit's absolute value in a table.
    magnitudes: Stream,
    signs: Stream,
}

impl Digits {
    /// Digits from `-2^(width - 1)` to `2^(width - 1) - 1`, for tables of `0, P, 2 P, ..., 2^(width - 1) P`.
    fn any(builder: &mut Builder, scalar: Scalar, width: u32) -> Self {
        Self {
            magnitudes: builder.digits(scalar, Recoding::Magnitudes { width }),
            signs: builder.digits(scalar, Recoding::OddSigns { width }),
        }
    }

    /// Odd digits, for tables of odd multiples.
    fn odd(builder: &mut Builder, scalar: Scalar, width: u32) -> Self {
        Self {
            magnitudes: builder.digits(scalar, Recoding::OddMagnitudes { width }),
            signs: builder.digits(scalar, Recoding::OddSigns { width }),
        }
    }
}

/// A table of points with Z = 1, of constants that the modulus brings.
#[derive(Clone, Copy)]
pub(super) struct PointTable {
    first: OwnTable,
    second: OwnTable,
    t: OwnTable,
}

impl PointTable {
    /// Declares the constants of [`Parameters::entries`].
    pub(super) fn declare(builder: &mut Builder, entries: usize) -> Self {
        let [first, second, t] = [(); 3].map(|()| builder.own_table(entries, 1));
        Self { first, second, t }
    }

    /// The entry that a digit names.
    fn select(&self, builder: &mut Builder, digits: Digits, position: u32) -> Entry {
        let Digits { magnitudes, signs } = digits;
        let first = builder.select_own(self.first, magnitudes, position);
        let second = builder.select_own(self.second, magnitudes, position);
        let t = builder.select_own(self.t, magnitudes, position);
        Entry {
            first,
            second,
            z: Factor::One,
            t,
            sign: Some((signs, position)),
        }
    }
}

impl Parameters {
    /// The constants of a table of points, as [`Entry`] has them without Z. [`PointTable::declare`]
    /// declares them.
    pub(super) fn entries(&self, points: &[Point]) -> Vec<(BoxedUint, i32)> {
        let t = points.iter().map(|p| p.x.mul(&p.y).mul(&self.d));
        let (first, second): (Vec<_>, Vec<_>) = match self.a {
            CoefficientA::One => points.iter().map(|p| (p.x.clone(), p.y.clone())).unzip(),
            CoefficientA::MinusOne => {
                let halves = |p: &Point| (p.y.add(&p.x).div_by_2(), p.y.sub(&p.x).div_by_2());
                points.iter().map(halves).unzip()
            }
        };
        let numbers = first.into_iter().chain(second).chain(t);
        numbers.map(|number| (number.retrieve(), 1)).collect()
    }

    /// The coefficient d as [`CoefficientA::entry`] takes it, a constant in Montgomery form.
    pub(super) fn coefficient(&self) -> (BoxedUint, i32) {
        let d = match self.a {
            CoefficientA::One => self.d.clone(),
            CoefficientA::MinusOne => self.d.double(),
        };
        (d.retrieve(), 1)
    }
}

/// The multiples `0, P, 2 P, ..., 2^(width - 1) P` as entries, in tables of each of their numbers.
struct Multiples([Table; 4]);

impl Multiples {
    fn new(
        builder: &mut Builder,
        (a, d): (CoefficientA, Value),
        width: u32,
        [x, y]: [Value; 2],
    ) -> Self {
        let largest = 1 << (width - 1);
        let one = builder.montgomery_one();
        let tables = Self([(); 4].map(|()| builder.table(largest + 1)));
        let neutral = a.neutral(builder);
        tables.store(builder, 0, &neutral);
        let first = Projective { x, y, z: one };
        let mut point = first.with_affine_t(builder);
        let step = a.affine_entry(builder, d, &point);
        tables.store(builder, 1, &step);
        for k in 2..=largest {
            point = a.add_with_t(builder, &point, &step);
            let entry = a.entry(builder, d, &point);
            tables.store(builder, k, &entry);
        }
        tables
    }

    fn store(&self, builder: &mut Builder, place: usize, entry: &Entry) {
        let z = entry.z.value(builder);
        for (&table, number) in self.0.iter().zip([entry.first, entry.second, entry.t, z]) {
            builder.store(table, place, number);
        }
    }

    /// The entry that a digit names.
    fn select(&self, builder: &mut Builder, digits: Digits, position: u32) -> Entry {
        let Digits { magnitudes, signs } = digits;
        let numbers = self
            .0
            .map(|table| builder.select(table, magnitudes, position));
        let [first, second, t, z] = numbers;
        Entry {
            first,
            second,
            z: Factor::Any(z),
            t,
            sign: Some((signs, position)),
        }
    }
}

/// The factors of `u G` and the sum of `v Q` for any points Q, at least one, where the tables are those of
/// [`declare_joint_tables`], and each Q comes with its coordinates. The scalars are those of [`BaseWindows::scalar`] and, for
/// digits of `width` bits, [`point_scalar`].
///
/// By windows for G and each Q, which share the doublings (Straus, 1964): as many as the longest v has bits, or half as
/// many as u if that is more.
pub(super) fn joint(
    builder: &mut Builder,
    (a, d): (CoefficientA, Value),
    (base, tables, u): (BaseWindows, &[PointTable], Scalar),
    (width, points): (u32, &[([Value; 2], Scalar)]),
) -> Factors {
    let multiples: Vec<_> = points
        .iter()
        .map(|&(q, v)| {
            let digits = Digits::any(builder, v, width);
            let windows = builder.digits_in(digits.magnitudes);
            let multiples = Multiples::new(builder, (a, d), width, q);
            (multiples, digits, windows)
        })
        .collect();
    let base_digits = Digits::odd(builder, u, base.width());
    let base_windows = builder.digits_in(base_digits.magnitudes);
    let digits_each = base_windows.div_ceil(tables.len() as u32);
    let most_windows = multiples.iter().map(|(_, _, windows)| *windows).max();
    let bits = (base.width() * digits_each).max(width * most_windows.unwrap_or(0));
    let is_digit = |bit: u32, width, windows| bit.is_multiple_of(width) && bit / width < windows;
    let mut steps = Vec::new();
    for bit in (0..bits).rev() {
        match steps.last_mut() {
            _ if bit + 1 == bits => {}
            Some(Step::Double(times)) => *times += 1,
            _ => steps.push(Step::Double(1)),
        }
        if is_digit(bit, base.width(), digits_each) {
            let position = bit / base.width();
            let positions = (position..base_windows).step_by(digits_each as usize);
            steps.extend(
                (0..)
                    .zip(positions)
                    .map(|(table, position)| Step::Base(table, position)),
            );
        }
        for (point, (_, _, windows)) in multiples.iter().enumerate() {
            if is_digit(bit, width, *windows) {
                steps.push(Step::Point(point, bit / width));
            }
        }
    }
    let mut sum = Sum::Nothing;
    for (k, step) in steps.iter().enumerate() {
        let is_last = k + 1 == steps.len();
        let with_t = !matches!(steps.get(k + 1), Some(Step::Double(_)));
        let entry = match *step {
            Step::Double(times) => {
                sum = sum.doubled(builder, a, times, with_t);
                continue;
            }
            Step::Base(table, position) => tables[table].select(builder, base_digits, position),
            Step::Point(point, position) => {
                let (multiples, digits, _) = &multiples[point];
                multiples.select(builder, *digits, position)
            }
        };
        if is_last {
            let sum = sum.extended(builder, a);
            return a.add_factors(builder, &sum, &entry);
        }
        sum = sum.plus(builder, a, &entry, with_t);
    }
    let sum = sum.extended(builder, a);
    let neutral = a.neutral(builder);
    a.add_factors(builder, &sum, &neutral)
}

/// A step of [`joint`].
enum Step {
    /// Doubles the sum so many times.
    Double(u32),
    /// Adds the entry of a table for G that the digit at a position names.
    Base(usize, u32),
    /// Adds the multiple of a point that the digit at a position names.
    Point(usize, u32),
}

/// A sum of points on the way: with its T if an addition follows.
#[derive(Clone, Copy)]
enum Sum {
    /// Nothing was added.
    Nothing,
    /// The sum, before a doubling.
    Projective(Projective),
    /// The sum, before an addition.
    Extended(Extended),
}

impl Sum {
    fn doubled(self, builder: &mut Builder, a: CoefficientA, times: u32, with_t: bool) -> Self {
        if let Self::Nothing = self {
            return self;
        }
        let point = self.projective(builder, a);
        if with_t {
            Self::Extended(a.double_with_t(builder, point, times))
        } else {
            Self::Projective(a.double(builder, point, times))
        }
    }

    fn plus(self, builder: &mut Builder, a: CoefficientA, entry: &Entry, with_t: bool) -> Self {
        // The first entry is the sum itself; its T is simple for Z = 1.
        if let (Self::Nothing, Factor::One) = (self, entry.z) {
            let point = a.entry_point(builder, entry);
            return if with_t {
                Self::Extended(point.with_affine_t(builder))
            } else {
                Self::Projective(point)
            };
        }
        if let (Self::Nothing, false) = (self, with_t) {
            return Self::Projective(a.entry_point(builder, entry));
        }
        let sum = self.extended(builder, a);
        if with_t {
            Self::Extended(a.add_with_t(builder, &sum, entry))
        } else {
            Self::Projective(a.add(builder, &sum, entry))
        }
    }

    /// The sum, the neutral point if nothing was added.
    fn projective(self, builder: &mut Builder, a: CoefficientA) -> Projective {
        match self {
            Self::Nothing => {
                let neutral = a.neutral(builder);
                a.entry_point(builder, &neutral)
            }
            Self::Projective(point) => point,
            Self::Extended(Extended { x, y, z, .. }) => Projective { x, y, z },
        }
    }

    /// The sum with its T: the neutral point if nothing was added.
    fn extended(self, builder: &mut Builder, a: CoefficientA) -> Extended {
        match self {
            Self::Extended(point) => point,
            // Every sum before an addition has its T.
            Self::Nothing | Self::Projective(_) => {
                let Projective { x, y, z } = Self::Nothing.projective(builder, a);
                Extended { x, y, z, t: x }
            }
        }
    }
}

/// `k G` for each of the scalars of [`FixedBase::scalar`], where table i has odd multiples of `2^(w i) G`. No
/// doublings.
///
/// All scalars take a digit from a table before the next table is read, which is thus in the nearest cache.
pub(super) fn fixed_base(
    builder: &mut Builder,
    a: CoefficientA,
    tables: &[PointTable],
    (fixed, scalars): (FixedBase, &[Scalar]),
) -> Vec<Projective> {
    let digits = scalars
        .iter()
        .map(|&scalar| Digits::odd(builder, scalar, fixed.width()));
    let digits: Vec<_> = digits.collect();
    let mut sums = vec![Sum::Nothing; scalars.len()];
    for (position, table) in (0..).zip(tables) {
        for (sum, digits) in sums.iter_mut().zip(&digits) {
            let entry = table.select(builder, *digits, position);
            let is_last = position as usize + 1 == tables.len();
            *sum = sum.plus(builder, a, &entry, !is_last);
        }
    }
    let sums = sums.into_iter();
    sums.map(|sum| sum.projective(builder, a)).collect()
}

/// The factors of `u G + v Q` without doublings, where table i of G has odd multiples of `2^(w i) G` as for [`fixed_base`],
/// and table j of Q those of [`Parameters::key_tables`]. The scalars are those of [`FixedBase::scalar`] and [`key_scalar`].
pub(super) fn tabled(
    builder: &mut Builder,
    a: CoefficientA,
    (fixed, base, u): (FixedBase, &[PointTable], Scalar),
    (key, v): (&[PointTable], Scalar),
) -> Factors {
    let base_digits = Digits::odd(builder, u, fixed.width());
    let key_digits = Digits::any(builder, v, KEY_WIDTH);
    let base = (0..).zip(base).map(|(k, table)| (table, base_digits, k));
    let key = (0..).zip(key).map(|(k, table)| (table, key_digits, k));
    let steps: Vec<_> = base.chain(key).collect();
    let mut sum = Sum::Nothing;
    for (k, (table, digits, position)) in steps.iter().enumerate() {
        let entry = table.select(builder, *digits, *position);
        if k + 1 == steps.len() {
            let sum = sum.extended(builder, a);
            return a.add_factors(builder, &sum, &entry);
        }
        sum = sum.plus(builder, a, &entry, true);
    }
    let sum = sum.extended(builder, a);
    let neutral = a.neutral(builder);
    a.add_factors(builder, &sum, &neutral)
}

impl Parameters {
    /// The tables of a point for [`tabled`]: `0, Q, 2 Q, ...` times `2^(7 j)` for digit j.
    pub(super) fn key_tables(&self, point: &Point) -> Vec<(BoxedUint, i32)> {
        let mut base = point.clone();
        let mut constants = Vec::new();
        for _ in 0..key_windows(self.order_bits()) {
            constants.extend(self.entries(&self.multiples(&base, KEY_ENTRIES)));
            base = self.double_times(&base, KEY_WIDTH);
        }
        constants
    }
}

/// Number of digits of the scalar of a key, for an order of `order_bits` bits.
fn key_windows(order_bits: u32) -> u32 {
    key_bits(order_bits) / KEY_WIDTH
}

/// Declares the tables of the base point for [`fixed_base`] and [`tabled`].
pub(super) fn declare_base_tables(
    builder: &mut Builder,
    fixed: FixedBase,
    order_bits: u32,
) -> Vec<PointTable> {
    let windows = 0..fixed.windows(order_bits);
    windows
        .map(|_| PointTable::declare(builder, fixed.entries()))
        .collect()
}

/// Declares the tables of [`Parameters::joint_table`], after its coefficient.
pub(super) fn declare_joint_tables(
    builder: &mut Builder,
    windows: BaseWindows,
    order_bits: u32,
) -> Vec<PointTable> {
    let tables = 0..windows.tables(order_bits);
    tables
        .map(|_| PointTable::declare(builder, windows.entries()))
        .collect()
}

/// Declares the tables of [`Parameters::key_tables`].
pub(super) fn declare_key_tables(builder: &mut Builder, order_bits: u32) -> Vec<PointTable> {
    let windows = 0..key_windows(order_bits);
    windows
        .map(|_| PointTable::declare(builder, KEY_ENTRIES))
        .collect()
}
