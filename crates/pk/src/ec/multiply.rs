//! Scalar multiplication as parts of programs.
//!
//! Scalars come as odd signed digits ([`odd_digits`]): no digit is 0, so that nothing depends on which digits
//! are, and half as many multiples of a point suffice.

use super::formulas::{Coefficients, Entry, Homogeneous};
use super::model::PointTable;
use crypto_bigint::BoxedUint;
use sunzi_engine::Engine;
use sunzi_engine::program::{
    Builder, Recoding, Scalar, Stream, Table, Value, odd_digits, other_odd_digits,
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

/// The method of doublings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doublings {
    /// In Jacobian coordinates, which fail at infinity: the result is then `(0, 0, 0)`.
    Fast,
    /// By formulas without exceptions.
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

/// The entry of a table of the base point's multiples that a digit names.
fn select_base(
    builder: &mut Builder,
    curve: &Coefficients,
    table: &PointTable,
    digits: Digits,
    position: u32,
) -> Entry {
    let x = builder.select_own(table.x, digits.magnitudes, position);
    let y = builder.select_own(table.y, digits.magnitudes, position);
    Entry {
        sign: Some((digits.signs, position)),
        ..curve.entry(builder, [x, y], None)
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

/// `P, 3 P, 5 P, ..., 31 P` as entries, in tables of each of their numbers.
#[derive(Clone)]
struct OddMultiples {
    /// x, y and z.
    coordinates: [Table; 3],
    /// The products of [`Entry`], as many as the curve has.
    products: Vec<Table>,
}

impl OddMultiples {
    fn new(
        builder: &mut Builder,
        curve: &Coefficients,
        [x, y]: [Value; 2],
        tables: &mut Tables,
    ) -> Self {
        let tables = &mut tables.multiples;
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
            if tables.is_empty() {
                *tables = numbers
                    .iter()
                    .map(|_| builder.table(WINDOW_ENTRIES))
                    .collect();
            }
            for (&table, &number) in tables.iter().zip(&numbers) {
                builder.store(table, k, number);
            }
        }
        Self {
            coordinates: [tables[0], tables[1], tables[2]],
            products: tables[3..].to_vec(),
        }
    }

    /// The points `(beta x, y)` for these points, of a curve with a = 0, whose entries have no
    /// products.
    fn mapped(&self, builder: &mut Builder, beta: Value, tables: &mut Tables) -> Self {
        let [x, y, z] = self.coordinates;
        let mapped = tables.mapped;
        let mapped = mapped.unwrap_or_else(|| builder.table(WINDOW_ENTRIES));
        tables.mapped = Some(mapped);
        for k in 0..WINDOW_ENTRIES {
            let x = builder.load(x, k);
            let x = builder.fitting_product(x, beta);
            builder.store(mapped, k, x);
        }
        Self {
            coordinates: [mapped, y, z],
            products: self.products.clone(),
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
}

/// `u G + v Q`, for public scalars u of [`joint_scalar`] and v of [`variable_scalar`], or halves of v of
/// [`Endomorphism::split_vartime`](super::endomorphism::Endomorphism::split_vartime).
///
/// By windows of 5 bits for Q, and of 10 bits for G, which share the doublings (Straus, 1964). With
/// [`Doublings::Fast`] the result is `(0, 0, 0)` where any sum on the way was at infinity before
/// doublings.
pub(super) fn joint(
    builder: &mut Builder,
    curve: &Coefficients,
    base: BasePart<'_>,
    point: &PointPart,
    doublings: Doublings,
) -> Homogeneous {
    /// Number of windows of Q's digits for each of G's.
    const EACH: u32 = BASE_WIDTH / WIDTH;
    let parts = parts(builder, curve, point, &mut Tables::default());
    let base_digits = Digits::new(builder, base.scalar, BASE_WIDTH);
    let windows = (point.scalars.iter())
        .map(|&scalar| builder.scalar_bits(scalar).0 / WIDTH)
        .max()
        .unwrap_or(0);
    let mut sum: Option<Homogeneous> = None;
    for window in (0..windows).rev() {
        let doubled = sum.map(|sum| match doublings {
            Doublings::Fast => curve.double_times(builder, sum, WIDTH),
            Doublings::Complete => (0..WIDTH).fold(sum, |sum, _| curve.double(builder, sum)),
        });
        sum = doubled;
        for (multiples, digits) in &parts {
            let entry = multiples.select(builder, *digits, window);
            sum = Some(curve.add_to(builder, sum, &entry));
        }
        if let (Some(before), true) = (sum, window.is_multiple_of(EACH)) {
            let mut next = before;
            for (k, table) in (0..).zip(base.tables) {
                let position = (k * windows + window) / EACH;
                let entry = select_base(builder, curve, table, base_digits, position);
                next = curve.add(builder, next, &entry);
            }
            sum = Some(next);
        }
    }
    let one = curve.one;
    sum.unwrap_or(Homogeneous {
        x: point.q[0],
        y: point.q[1],
        z: one,
    })
}

/// `k G` for each of the scalars of [`FixedBase::scalar`], where table i has odd multiples of `2^(w i) G`. No
/// doublings, and formulas without exceptions.
///
/// All scalars take a digit from a table before the next table is read, which is thus in the nearest cache.
pub(super) fn fixed_base(
    builder: &mut Builder,
    curve: &Coefficients,
    tables: &[PointTable],
    (fixed, scalars): (FixedBase, &[Scalar]),
) -> Vec<Homogeneous> {
    let digits = scalars
        .iter()
        .map(|&scalar| Digits::new(builder, scalar, fixed.width));
    let digits: Vec<_> = digits.collect();
    let mut sums: Vec<Option<Homogeneous>> = vec![None; scalars.len()];
    for (position, table) in (0..).zip(tables) {
        for (sum, digits) in sums.iter_mut().zip(&digits) {
            let entry = select_base(builder, curve, table, *digits, position);
            *sum = Some(curve.add_to(builder, *sum, &entry));
        }
    }
    let one = curve.one;
    let nothing = Homogeneous {
        x: one,
        y: one,
        z: one,
    };
    sums.into_iter().map(|sum| sum.unwrap_or(nothing)).collect()
}

/// The sum of a multiple of each point, by tables of the same kind as those of [`fixed_base`]. Scalars may be 0, and sums
/// at infinity: additions have no exceptions.
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
            let entry = select_base(builder, curve, table, digits, position);
            sum = Some(curve.add_to(builder, sum, &entry));
        }
    }
    let one = curve.one;
    sum.unwrap_or(Homogeneous {
        x: one,
        y: one,
        z: one,
    })
}

/// The multiples of a point, and of its image by the endomorphism if the scalar is split, each with the digits
/// of its scalar.
fn parts(
    builder: &mut Builder,
    curve: &Coefficients,
    point: &PointPart,
    tables: &mut Tables,
) -> Vec<(OddMultiples, Digits)> {
    let multiples = OddMultiples::new(builder, curve, point.q, tables);
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
/// The doublings are those that fail at infinity, and no sum on the way is there. A whole scalar is
/// `k = sum of d_i 2^(w i)`, or the negative of such a sum for n - k, with odd digits
/// `|d_i| < 2^w`. Before the doublings of window j the sum is `m Q` with
/// `m = (k - sum over i < j of d_i 2^(w i)) / 2^(w j)`. It is odd, as its last digit is, and within
/// 1 of `k / 2^(w j)`, from 0 to n/2: so 0 < m < n. For halves see
/// [`secret_bits`](super::endomorphism::Endomorphism::secret_bits). Only the last additions may meet an equal or
/// opposite point, and additions have no exceptions.
pub(super) fn variable_base(
    builder: &mut Builder,
    curve: &Coefficients,
    point: &PointPart,
    tables: &mut Tables,
) -> Homogeneous {
    let parts = parts(builder, curve, point, tables);
    let bits = point
        .scalars
        .iter()
        .map(|&k| builder.scalar_bits(k).0)
        .max();
    let mut sum: Option<Homogeneous> = None;
    for window in (0..bits.unwrap_or(0) / WIDTH).rev() {
        sum = sum.map(|sum| curve.double_times(builder, sum, WIDTH));
        for (multiples, digits) in &parts {
            let entry = multiples.select(builder, *digits, window);
            sum = Some(curve.add_to(builder, sum, &entry));
        }
    }
    let [x, y] = point.q;
    sum.unwrap_or(Homogeneous { x, y, z: curve.one })
}
