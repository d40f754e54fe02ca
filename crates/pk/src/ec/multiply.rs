//! Scalar multiplication as parts of programs.
//!
//! Scalars come as odd signed digits ([`odd_digits`]): no digit is 0, so that nothing depends on which digits
//! are, and half as many multiples of a point suffice.

use super::formulas::{
    CoefficientA, Coefficients, Entry, Homogeneous, Jacobian, JacobianEntry, powers,
};
use super::model::PointTable;
use crypto_bigint::BoxedUint;
use sunzi_engine::Engine;
use sunzi_engine::program::formulas::weierstrass;
use sunzi_engine::program::{
    Builder, Recoding, Scalar, Stream, Table, Value, inverse, odd_digits, other_odd_digits,
};
use zeroize::Zeroizing;

/// Number of bits of a digit for multiples of a point that the program itself makes.
pub(super) const WIDTH: u32 = 5;
/// Number of odd multiples of such a point.
const WINDOW_ENTRIES: usize = 1 << (WIDTH - 1);
/// Number of bits of a digit for multiples of the base point in [`joint`]: a multiple of [`WIDTH`].
const BASE_WIDTH: u32 = 2 * WIDTH;
/// Number of odd multiples of the base point for [`joint`].
pub(super) const BASE_ENTRIES: usize = 1 << (BASE_WIDTH - 1);
/// The recoding of scalars for [`fixed_base`]: odd digits of some bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FixedBase {
    width: u32,
}

impl FixedBase {
    /// The recoding for an engine. Every look-up reads a whole table, which costs limbs less than residues: registers
    /// hold sixteen entries' limbs, of which lanes pick one at once.
    pub(super) fn of(engine: &Engine) -> Self {
        Self {
            width: if engine.has_batches_in_limbs() { 7 } else { 6 },
        }
    }

    /// The largest batch for shorter digits in [`for_batch`](Self::for_batch).
    const FEW: usize = 4;

    /// The recoding for a batch of so many numbers, where look-ups of lone numbers take longer than additions: a few have
    /// shorter digits. Their tables have half the numbers.
    pub(super) fn for_batch(self, count: usize) -> Self {
        if count <= Self::FEW {
            Self { width: 6 }
        } else {
            self
        }
    }

    /// Number of bits of a digit.
    pub(super) fn width(self) -> u32 {
        self.width
    }

    /// Number of odd multiples of the base point for each digit.
    pub(super) fn entries(self) -> usize {
        1 << (self.width - 1)
    }

    /// Number of bits of the scalar, for an order of `order_bits` bits.
    pub(super) fn bits(self, order_bits: u32) -> u32 {
        (order_bits + 1).next_multiple_of(self.width)
    }

    /// Number of digits, for an order of `order_bits` bits.
    pub(super) fn windows(self, order_bits: u32) -> u32 {
        self.bits(order_bits) / self.width
    }

    /// The scalar below the order as [`fixed_base`] takes it.
    pub(super) fn scalar(self, scalar: &BoxedUint, order: &BoxedUint) -> Zeroizing<BoxedUint> {
        odd_digits(scalar, order, self.bits(order.bits_vartime()))
    }

    /// The same scalar by other digits, for the check of a multiplication.
    pub(super) fn other_scalar(
        self,
        scalar: &BoxedUint,
        order: &BoxedUint,
    ) -> Zeroizing<BoxedUint> {
        other_odd_digits(scalar, order, self.bits(order.bits_vartime()))
    }
}

/// Number of bits of the base point's scalar in [`joint`], for an order of `order_bits` bits. The other point's has
/// [`variable_bits`], or, if it is split, each half has [`half_bits`].
pub(super) fn joint_bits(order_bits: u32) -> u32 {
    (order_bits + 1).next_multiple_of(BASE_WIDTH)
}

/// Number of bits of the halves of scalars of [`joint`], for an endomorphism that splits into halves of
/// `half_bits` bits. The base point's scalar has twice as many.
pub(super) fn half_bits(half_bits: u32) -> u32 {
    half_bits.next_multiple_of(BASE_WIDTH)
}

/// The base point's scalar, below the order, as [`joint`] takes it.
pub(super) fn joint_scalar(scalar: &BoxedUint, order: &BoxedUint) -> Zeroizing<BoxedUint> {
    odd_digits(scalar, order, joint_bits(order.bits_vartime()))
}

/// Number of bits of the scalar of a point that is not fixed, in [`joint`] or [`variable_base`], for an order of
/// `order_bits` bits.
pub(super) fn variable_bits(order_bits: u32) -> u32 {
    (order_bits + 1).next_multiple_of(WIDTH)
}

/// The scalar, below the order, of a point that is not fixed.
pub(super) fn variable_scalar(scalar: &BoxedUint, order: &BoxedUint) -> Zeroizing<BoxedUint> {
    odd_digits(scalar, order, variable_bits(order.bits_vartime()))
}

/// The formulas of [`joint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Formulas {
    /// In Jacobian coordinates, which fail at infinity and where equal or opposite points are added: the Z of the result is
    /// then 0.
    Fast,
    /// Without exceptions.
    Complete,
}

/// Odd signed digits of a scalar.
#[derive(Clone, Copy)]
struct Digits {
    /// The index of each digit's absolute value among the odd numbers.
    magnitudes: Stream,
    signs: Stream,
}

impl Digits {
    fn new(builder: &mut Builder, scalar: Scalar, width: u32) -> Self {
        Self {
            magnitudes: builder.digits(scalar, Recoding::OddMagnitudes { width }),
            signs: builder.digits(scalar, Recoding::OddSigns { width }),
        }
    }
}

/// The entry of a table of the base point's multiples that a digit names, with Z = 1.
fn select_base(
    builder: &mut Builder,
    table: &PointTable,
    digits: Digits,
    position: u32,
) -> JacobianEntry {
    let x = builder.select_own(table.x, digits.magnitudes, position);
    let y = builder.select_own(table.y, digits.magnitudes, position);
    JacobianEntry {
        x,
        y,
        z: None,
        sign: Some((digits.signs, position)),
    }
}

/// The entry, of Z = 1, for additions without exceptions.
fn complete(builder: &mut Builder, curve: &Coefficients, entry: &JacobianEntry) -> Entry {
    Entry {
        sign: entry.sign,
        ..curve.entry(builder, [entry.x, entry.y], None)
    }
}

/// Tables for the multiples of a point, made when they are first used: each point's multiples overwrite those of the
/// previous point.
#[derive(Default)]
pub(super) struct Tables {
    multiples: Vec<Table>,
    /// The coordinates x of mapped points.
    mapped: Option<Table>,
}

/// `P, 3 P, 5 P, ..., 31 P` as summands in Jacobian coordinates, in tables of each of their numbers.
#[derive(Clone)]
struct OddMultiples {
    /// x and y, and `z`, `z^2` and `z^3`, unless these are common.
    numbers: Vec<Table>,
    /// `z`, `z^2` and `z^3` of all entries, on a curve with a = 0: there `(x, y)` are points of the curve
    /// `y^2 = x^3 + b z^6`, for which all formulas are the same, so that sums are computed on it.
    common: Option<[Value; 3]>,
    /// For affine entries, 1, or 0 if a multiple on the way was at infinity: then nothing is known.
    known: Option<Value>,
}

impl OddMultiples {
    /// With the scalar P - 2 the entries of a curve with another a than 0 are affine: by an inversion, which is worthwhile if
    /// many groups share it.
    fn new(
        builder: &mut Builder,
        curve: &Coefficients,
        [x, y]: [Value; 2],
        tables: &mut Tables,
        prime_less_two: Option<Scalar>,
    ) -> Self {
        let point = Jacobian { x, y, z: curve.one };
        let double = curve.double_jacobian(builder, point, 1);
        let [z, square, cube] = powers(builder, double.z);
        let tables = &mut tables.multiples;
        let has_common = matches!(curve.a, CoefficientA::Zero);
        if has_common || prime_less_two.is_some() {
            // On the curve on which 2 P has z = 1: additions are the same there.
            let x = builder.fitting_product(x, square);
            let y = builder.fitting_product(y, cube);
            let on_other = Jacobian { x, y, ..point };
            let multiples = successive(builder, on_other, [double.x, double.y]);
            let last = multiples[WINDOW_ENTRIES - 1].0.z;
            let last = builder.fitting_product(last, double.z);
            return match prime_less_two {
                Some(prime_less_two) if !has_common => {
                    let inverse = inverse::fermat(builder, last, prime_less_two);
                    store_rescaled(builder, tables, multiples, Some(inverse));
                    Self {
                        numbers: tables.clone(),
                        common: None,
                        known: Some(builder.fitting_product(last, inverse)),
                    }
                }
                _ => {
                    store_rescaled(builder, tables, multiples, None);
                    Self {
                        numbers: tables.clone(),
                        common: Some(powers(builder, last)),
                        known: None,
                    }
                }
            };
        }
        let step = JacobianEntry {
            x: double.x,
            y: double.y,
            z: Some([z, square, cube]),
            sign: None,
        };
        let mut point = point;
        for k in 0..WINDOW_ENTRIES {
            let powers = if k == 0 {
                [curve.one; 3]
            } else if k == 1 {
                // The sum of 2 P and P, which has z = 1.
                point = double.add_affine(builder, [point.x, point.y]).0;
                powers(builder, point.z)
            } else {
                point = Jacobian::add_to(builder, Some(point), &step, curve.one);
                powers(builder, point.z)
            };
            let numbers = [point.x, point.y].into_iter().chain(powers);
            store(builder, tables, k, &numbers.collect::<Vec<_>>());
        }
        Self {
            numbers: tables.clone(),
            common: None,
            known: None,
        }
    }

    /// The points `(beta x, y)` for these points, of a curve with a = 0.
    fn mapped(&self, builder: &mut Builder, beta: Value, tables: &mut Tables) -> Self {
        let mapped = tables.mapped;
        let mapped = mapped.unwrap_or_else(|| builder.table(WINDOW_ENTRIES));
        tables.mapped = Some(mapped);
        for k in 0..WINDOW_ENTRIES {
            let x = builder.load(self.numbers[0], k);
            let x = builder.fitting_product(x, beta);
            builder.store(mapped, k, x);
        }
        let mut numbers = self.numbers.clone();
        numbers[0] = mapped;
        Self { numbers, ..*self }
    }

    /// The entry that a digit names.
    fn select(&self, builder: &mut Builder, digits: Digits, position: u32) -> JacobianEntry {
        let read = |table: &Table| builder.select(*table, digits.magnitudes, position);
        let numbers: Vec<_> = self.numbers.iter().map(read).collect();
        JacobianEntry {
            x: numbers[0],
            y: numbers[1],
            z: numbers[2..].first_chunk().copied(),
            sign: Some((digits.signs, position)),
        }
    }

    /// An entry for additions without exceptions.
    fn complete(
        &self,
        builder: &mut Builder,
        curve: &Coefficients,
        entry: &JacobianEntry,
    ) -> Entry {
        let Some([z, _, cube]) = entry.z.or(self.common) else {
            return complete(builder, curve, entry);
        };
        let x = builder.fitting_product(entry.x, z);
        Entry {
            sign: entry.sign,
            ..curve.entry(builder, [x, entry.y], Some(cube))
        }
    }
}

/// A point and the sums of it and a step, which is affine, each with the quotient of its z and that of the sum before.
fn successive(
    builder: &mut Builder,
    point: Jacobian,
    step: [Value; 2],
) -> Vec<(Jacobian, Option<Value>)> {
    let mut multiples = vec![(point, None)];
    let mut last = point;
    for _ in 1..WINDOW_ENTRIES {
        let (sum, ratio) = last.add_affine(builder, step);
        multiples.push((sum, Some(ratio)));
        last = sum;
    }
    multiples
}

/// Stores x and y of [`successive`] points with another z: z times the factor for the last one, which is 1 if there is none. Each is
/// multiplied by what the last one's z has more than its own.
fn store_rescaled(
    builder: &mut Builder,
    tables: &mut Vec<Table>,
    points: Vec<(Jacobian, Option<Value>)>,
    factor: Option<Value>,
) {
    // The quotient of the other z and that of the entry.
    let mut quotient = factor;
    for (k, (Jacobian { x, y, .. }, ratio)) in points.into_iter().enumerate().rev() {
        let [x, y] = match (quotient, ratio) {
            (Some(q), Some(ratio)) => {
                let [x, y, next] = builder.apply(weierstrass::Rescale, [x, y, q, ratio]);
                quotient = Some(next);
                [x, y]
            }
            (Some(q), None) => {
                let [_, square, cube] = powers(builder, q);
                [(x, square), (y, cube)].map(|(x, y)| builder.fitting_product(x, y))
            }
            (None, ratio) => {
                quotient = ratio;
                [x, y]
            }
        };
        store(builder, tables, k, &[x, y]);
    }
}

/// Stores the numbers as an entry of the tables, which are made if there are none.
fn store(builder: &mut Builder, tables: &mut Vec<Table>, entry: usize, numbers: &[Value]) {
    if tables.is_empty() {
        let table = |_| builder.table(WINDOW_ENTRIES);
        *tables = numbers.iter().map(table).collect();
    }
    for (&table, &number) in tables.iter().zip(numbers) {
        builder.store(table, entry, number);
    }
}

/// `P, 3 P, 5 P, ..., 31 P` as summands of additions without exceptions, in tables of each of their numbers.
struct CompleteMultiples {
    /// x, y and z.
    coordinates: [Table; 3],
    /// The products of [`Entry`], as many as the curve has.
    products: Vec<Table>,
}

impl CompleteMultiples {
    fn new(builder: &mut Builder, curve: &Coefficients, [x, y]: [Value; 2]) -> Self {
        let mut tables = Vec::new();
        let first = Homogeneous { x, y, z: curve.one };
        let affine = curve.entry(builder, [x, y], None);
        let double = curve.add(builder, first, &affine);
        let step = curve.entry(builder, [double.x, double.y], Some(double.z));
        let mut point = first;
        for k in 0..WINDOW_ENTRIES {
            if k > 0 {
                point = curve.add(builder, point, &step);
            }
            let Homogeneous { x, y, z } = point;
            let entry = curve.entry(builder, [x, y], Some(z));
            let products = entry.products.into_iter().flatten().chain(entry.az);
            let numbers: Vec<_> = [x, y, z].into_iter().chain(products).collect();
            store(builder, &mut tables, k, &numbers);
        }
        Self {
            coordinates: [tables[0], tables[1], tables[2]],
            products: tables[3..].to_vec(),
        }
    }

    /// The entry that a digit names.
    fn select(&self, builder: &mut Builder, digits: Digits, position: u32) -> Entry {
        let mut read = |table: &Table| builder.select(*table, digits.magnitudes, position);
        let [x, y, z] = self.coordinates.each_ref().map(&mut read);
        let products: Vec<_> = self.products.iter().map(read).collect();
        Entry {
            x,
            y,
            z: Some(z),
            products: products.first_chunk().copied(),
            az: products.get(2).copied(),
            sign: Some((digits.signs, position)),
        }
    }
}

/// The base point's part of [`joint`].
#[derive(Clone, Copy)]
pub(super) struct BasePart<'a> {
    /// Odd multiples of G and, if the scalar is twice as long as that of the other point, of
    /// `2^bits G`, where bits is the length of half of it.
    pub(super) tables: &'a [PointTable],
    /// u.
    pub(super) scalar: Scalar,
}

/// The other point's part of [`joint`], or the part of [`variable_base`].
pub(super) struct PointPart {
    /// The affine coordinates of Q.
    pub(super) q: [Value; 2],
    /// v, or its halves `v_1` and `v_2` with `v Q = v_1 Q + v_2 (beta x, y)`.
    pub(super) scalars: Vec<Scalar>,
    /// beta, if the scalar is split.
    pub(super) beta: Option<Value>,
    /// P - 2, if the entries of the point's table shall be affine, which takes an inversion.
    pub(super) prime_less_two: Option<Scalar>,
}

/// `u G + v Q`, for public scalars u of [`joint_scalar`] and v of [`variable_scalar`], or halves of v of
/// [`Endomorphism::split_vartime`](super::endomorphism::Endomorphism::split_vartime).
///
/// By windows of 5 bits for Q, and of 10 bits for G, which share the doublings (Straus, 1964). With
/// [`Formulas::Fast`] the Z of the result is 0 where any sum on the way was at infinity, or met a summand that was equal or
/// opposite. For [`Formulas::Complete`] scalars are whole.
pub(super) fn joint(
    builder: &mut Builder,
    curve: &Coefficients,
    base: BasePart<'_>,
    point: &PointPart,
    formulas: Formulas,
) -> Homogeneous {
    match formulas {
        Formulas::Fast => joint_fast(builder, curve, base, point),
        Formulas::Complete => joint_complete(builder, curve, base, point),
    }
}

/// Number of windows of Q's digits for each of G's, in [`joint`].
const EACH: u32 = BASE_WIDTH / WIDTH;

/// Number of windows of the longest of the point's scalars.
fn windows(builder: &Builder, point: &PointPart) -> u32 {
    let scalars = point.scalars.iter();
    let bits = scalars.map(|&scalar| builder.scalar_bits(scalar).0).max();
    bits.unwrap_or(0) / WIDTH
}

fn joint_fast(
    builder: &mut Builder,
    curve: &Coefficients,
    base: BasePart<'_>,
    point: &PointPart,
) -> Homogeneous {
    let parts = parts(builder, curve, point, &mut Tables::default());
    let (common, known) = common_and_known(&parts);
    let base_digits = Digits::new(builder, base.scalar, BASE_WIDTH);
    let windows = windows(builder, point);
    let mut sum = None;
    for window in (0..windows).rev() {
        sum = sum.map(|sum| curve.double_jacobian(builder, sum, WIDTH));
        for (multiples, digits) in &parts {
            let entry = multiples.select(builder, *digits, window);
            sum = Some(Jacobian::add_to(builder, sum, &entry, curve.one));
        }
        if !window.is_multiple_of(EACH) {
            continue;
        }
        for (k, table) in (0..).zip(base.tables) {
            let position = (k * windows + window) / EACH;
            let mut entry = select_base(builder, table, base_digits, position);
            if let Some([_, square, cube]) = common {
                // On the curve of the sum.
                entry.x = builder.fitting_product(entry.x, square);
                entry.y = builder.fitting_product(entry.y, cube);
            }
            sum = Some(Jacobian::add_to(builder, sum, &entry, curve.one));
        }
    }
    let ([x, y], z) = (point.q, curve.one);
    let sum = sum.map(|sum| on_the_curve(builder, sum, (common, known)));
    sum.unwrap_or(Homogeneous { x, y, z })
}

/// [`OddMultiples::common`] and [`OddMultiples::known`], which are the same for all parts.
fn common_and_known(parts: &[(OddMultiples, Digits)]) -> (Option<[Value; 3]>, Option<Value>) {
    parts.first().map_or((None, None), |(multiples, _)| {
        (multiples.common, multiples.known)
    })
}

/// The sum on the curve itself, where entries have the common z; with Z = 0 if these are not known.
fn on_the_curve(
    builder: &mut Builder,
    sum: Jacobian,
    (common, known): (Option<[Value; 3]>, Option<Value>),
) -> Homogeneous {
    let factor = common.map(|[z, ..]| z).or(known);
    let z = factor.map_or(sum.z, |factor| builder.fitting_product(sum.z, factor));
    Jacobian { z, ..sum }.to_homogeneous(builder)
}

/// [`joint`] for whole scalars, without exceptions.
fn joint_complete(
    builder: &mut Builder,
    curve: &Coefficients,
    base: BasePart<'_>,
    point: &PointPart,
) -> Homogeneous {
    let multiples = CompleteMultiples::new(builder, curve, point.q);
    let digits = point.scalars.iter();
    let digits: Vec<_> = digits
        .map(|&scalar| Digits::new(builder, scalar, WIDTH))
        .collect();
    let base_digits = Digits::new(builder, base.scalar, BASE_WIDTH);
    let windows = windows(builder, point);
    let mut sum: Option<Homogeneous> = None;
    for window in (0..windows).rev() {
        sum = sum.map(|sum| (0..WIDTH).fold(sum, |sum, _| curve.double(builder, sum)));
        for &digits in &digits {
            let entry = multiples.select(builder, digits, window);
            sum = Some(curve.add_to(builder, sum, &entry));
        }
        if window.is_multiple_of(EACH) {
            for table in base.tables {
                let entry = select_base(builder, table, base_digits, window / EACH);
                let entry = complete(builder, curve, &entry);
                sum = Some(curve.add_to(builder, sum, &entry));
            }
        }
    }
    let ([x, y], z) = (point.q, curve.one);
    sum.unwrap_or(Homogeneous { x, y, z })
}

/// `k G` for each of the scalars of [`FixedBase::scalar`] or [`FixedBase::other_scalar`], where table i has odd multiples of
/// `2^(w i) G`. No doublings.
///
/// The sum of the digits below window j is odd and below `2^(w j)` in absolute value, and the next summand is at least that
/// and below `2^(w (j + 1))` less it: they are not equal or opposite, and neither are the points as long as `2^(w (j + 1))`
/// is at most the order. So additions may have exceptions except for the last, which have none.
///
/// All scalars take a digit from a table before the next table is read, which is thus in the nearest cache.
pub(super) fn fixed_base(
    builder: &mut Builder,
    curve: &Coefficients,
    tables: &[PointTable],
    (fixed, order_bits): (FixedBase, u32),
    scalars: &[Scalar],
) -> Vec<Homogeneous> {
    let digits = scalars
        .iter()
        .map(|&scalar| Digits::new(builder, scalar, fixed.width));
    let digits: Vec<_> = digits.collect();
    // The order is at least 2^(order_bits - 1).
    let without_exceptions = (order_bits - 1) / fixed.width;
    let mut sums: Vec<Option<Jacobian>> = vec![None; scalars.len()];
    let mut positions = (0..).zip(tables);
    for (position, table) in positions.by_ref().take(without_exceptions.max(1) as usize) {
        for (sum, digits) in sums.iter_mut().zip(&digits) {
            let entry = select_base(builder, table, *digits, position);
            *sum = Some(Jacobian::add_to(builder, *sum, &entry, curve.one));
        }
    }
    let one = curve.one;
    let nothing = Homogeneous {
        x: one,
        y: one,
        z: one,
    };
    let sums = sums.into_iter();
    let sums = sums.map(|sum| sum.map_or(nothing, |sum| sum.to_homogeneous(builder)));
    let mut sums: Vec<_> = sums.collect();
    for (position, table) in positions {
        for (sum, digits) in sums.iter_mut().zip(&digits) {
            let entry = select_base(builder, table, *digits, position);
            let entry = complete(builder, curve, &entry);
            *sum = curve.add(builder, *sum, &entry);
        }
    }
    sums
}

/// The sum of a multiple of each point, by tables of the same kind as those of [`fixed_base`], for public scalars. The Z of
/// the result is 0 where any sum on the way was at infinity, or met a summand that was equal or opposite.
pub(super) fn fixed_sum(
    builder: &mut Builder,
    curve: &Coefficients,
    fixed: FixedBase,
    points: &[(&[PointTable], Scalar)],
) -> Homogeneous {
    let mut sum = None;
    for &(tables, scalar) in points {
        let digits = Digits::new(builder, scalar, fixed.width);
        for (position, table) in (0..).zip(tables) {
            let entry = select_base(builder, table, digits, position);
            sum = Some(Jacobian::add_to(builder, sum, &entry, curve.one));
        }
    }
    let one = curve.one;
    let nothing = Jacobian {
        x: one,
        y: one,
        z: one,
    };
    sum.unwrap_or(nothing).to_homogeneous(builder)
}

/// The multiples of a point, and of its image by the endomorphism if the scalar is split, each with the digits
/// of its scalar.
fn parts(
    builder: &mut Builder,
    curve: &Coefficients,
    point: &PointPart,
    tables: &mut Tables,
) -> Vec<(OddMultiples, Digits)> {
    let multiples = OddMultiples::new(builder, curve, point.q, tables, point.prime_less_two);
    let mut parts = Vec::new();
    for (k, &scalar) in point.scalars.iter().enumerate() {
        let multiples = match point.beta {
            Some(beta) if k > 0 => multiples.mapped(builder, beta, tables),
            _ => multiples.clone(),
        };
        parts.push((multiples, Digits::new(builder, scalar, WIDTH)));
    }
    parts
}

/// `v Q` for any point Q of the order n other than that at infinity, and a secret scalar v that is not 0: one of
/// [`variable_scalar`], or halves of [`Endomorphism::split`](super::endomorphism::Endomorphism::split). By
/// windows of 5 bits.
///
/// All but the last additions and doublings are in Jacobian coordinates, which have exceptions, and meet none. A whole scalar
/// is `k = sum of d_i 2^(w i)`, or the negative of such a sum for n - k, with odd digits `|d_i| < 2^w`. Before the doublings
/// of window j the sum is `m Q` with `m = (k - sum over i < j of d_i 2^(w i)) / 2^(w j)`. It is odd, as its last digit is, and
/// within 1 of `k / 2^(w j)`, from 0 to n/2: so 0 < m < n. The addition before that was of d Q and `(m - d) Q`, which are not
/// opposite; and they are not equal, as m is not 2 d, but odd, and both are too small to differ by n. For halves see
/// [`secret_bits`](super::endomorphism::Endomorphism::secret_bits). Only the last additions may meet an equal or opposite
/// point: these have no exceptions.
pub(super) fn variable_base(
    builder: &mut Builder,
    curve: &Coefficients,
    point: &PointPart,
    tables: &mut Tables,
) -> Homogeneous {
    let parts = parts(builder, curve, point, tables);
    let common_and_known = common_and_known(&parts);
    let mut sum: Option<Jacobian> = None;
    for window in (1..windows(builder, point)).rev() {
        sum = sum.map(|sum| curve.double_jacobian(builder, sum, WIDTH));
        for (multiples, digits) in &parts {
            let entry = multiples.select(builder, *digits, window);
            sum = Some(Jacobian::add_to(builder, sum, &entry, curve.one));
        }
    }
    let sum = sum.map(|sum| curve.double_jacobian(builder, sum, WIDTH));
    let mut sum = sum.map(|sum| on_the_curve(builder, sum, common_and_known));
    for (multiples, digits) in &parts {
        let entry = multiples.select(builder, *digits, 0);
        let entry = multiples.complete(builder, curve, &entry);
        sum = Some(curve.add_to(builder, sum, &entry));
    }
    let [x, y] = point.q;
    sum.unwrap_or(Homogeneous { x, y, z: curve.one })
}
