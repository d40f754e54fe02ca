//! Multiples of elements of G2 by secret scalars. For short public factors see [`short_sums`](super::short_sums).
//!
//! Secret factors are taken apart in base `-x`, into four digits below 2^64: as psi is the multiplication by x,
//! `k Q = a_0 Q - a_1 psi(Q) + a_2 psi^2(Q) - a_3 psi^3(Q)` (Galbraith, Lin and Scott, 2009). The digits are recoded into
//! 65 columns, each with a sign and a bit for each of the last three digits (Faz-Hernandez, Longa and Sanchez, 2014): a
//! column selects one of eight sums of the four points, and no column is 0.

use super::element::G2Element;
use super::g2_subgroup;
use super::parameters::{SEED, parameters};
use super::points::is_on_curve;
use super::prepared::PreparedPairing;
use super::quadratic::Quadratic;
use super::tower::Fp2;
use super::twist::{TripleB, Twisted};
use crate::ec::group::GroupError;
use crate::integer::{division, low_u64, nonzero, resized};
use core::hint::black_box;
use crypto_bigint::{BoxedUint, CtLt, CtSelect, Integer, Resize};
use std::sync::Arc;
use sunzi_engine::program::{Builder, Recoding, Stream, Table, power};
use sunzi_engine::{EngineError, Job, Outcome, ProgramKey, Programs};
use zeroize::Zeroizing;

/// Number of columns of a secret factor.
const COLUMNS: u32 = 65;
/// Number of digits of a secret factor that a column has bits of, besides the sign.
const BITS: u32 = 3;

/// A multiple `k Q` of an element of G2 to compute, for a secret k.
#[derive(Clone, Copy)]
pub struct G2MultiplyRequest<'a> {
    /// k, from 1 to the order less 1.
    pub scalar: &'a BoxedUint,
    /// Q, other than the neutral element.
    pub element: &'a G2Element,
}

impl core::fmt::Debug for G2MultiplyRequest<'_> {
    /// Shows everything but the scalar.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("G2MultiplyRequest")
            .field("element", &self.element)
            .finish_non_exhaustive()
    }
}

impl<'a> G2MultiplyRequest<'a> {
    /// The columns and the point.
    fn read(&self, order: &BoxedUint) -> Result<(SecretColumns, &'a [Quadratic; 2]), GroupError> {
        let in_range = self.scalar.ct_lt(order) & !self.scalar.is_zero();
        if !in_range.to_bool() {
            return Err(GroupError::OutOfRange);
        }
        let point = self.element.point().ok_or(GroupError::Identity)?;
        // It is below the order, so that nothing is cut off.
        let scalar = Zeroizing::new(self.scalar.resize_unchecked(order.bits_precision()));
        Ok((SecretColumns::new(&scalar, order), point))
    }
}

/// A secret factor as the program takes it; wiped on drop.
struct SecretColumns {
    /// A bit for each column: whether it is negative.
    signs: Zeroizing<BoxedUint>,
    /// Three bits for each column.
    columns: Zeroizing<BoxedUint>,
}

impl SecretColumns {
    /// The columns of a number from 1 to the order less 1, which has the order's precision. Constant time.
    ///
    /// The digit `a_0` must be odd: an even number k is replaced by n - k, and all signs change. With
    /// `s_j = 2 b_(j+1) - 1` for the bits b of `a_0`, and `s_64 = 1`, `a_0` is the sum of the `s_j 2^j`. The other digits
    /// have `a = c s_j + 2 a'` for the lowest bit c of a.
    #[inline(never)]
    fn new(number: &BoxedUint, order: &BoxedUint) -> Self {
        // All ones for an even number.
        let even = black_box((low_u64(number) & 1).wrapping_sub(1));
        let other = Zeroizing::new(order.wrapping_sub(number));
        let mut rest = Zeroizing::new(BoxedUint::ct_select(&other, number, number.is_odd()));
        let seed = nonzero(&resized(&BoxedUint::from(SEED), number.bits_precision()));
        let mut digits = Zeroizing::new([0u64; 4]);
        for digit in digits.iter_mut() {
            let (quotient, remainder) = division(&rest, &seed);
            *digit = low_u64(&remainder);
            rest = quotient;
        }
        let negative = Zeroizing::new(!(digits[0] >> 1));
        let mut columns = Zeroizing::new([0u64; 4]);
        for (k, digit) in digits[1..].iter().enumerate() {
            let mut rest = Zeroizing::new(*digit);
            for j in 0..COLUMNS as usize {
                let bit = *rest & 1;
                let place = BITS as usize * j + k;
                columns[place / 64] |= bit << (place % 64);
                // The last column is positive.
                let is_negative = if j < 64 { *negative >> j & 1 } else { 0 };
                *rest = (*rest >> 1) + (bit & is_negative);
            }
        }
        let signs = Zeroizing::new([*negative ^ even, even & 1]);
        Self {
            signs: integer(&*signs),
            columns: integer(&*columns),
        }
    }
}

/// The integer of these words, the lowest first.
fn integer(words: &[u64]) -> Zeroizing<BoxedUint> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes = Zeroizing::new(bytes.collect::<Vec<_>>());
    let integer = BoxedUint::from_le_slice(&bytes, 64 * words.len() as u32);
    Zeroizing::new(integer.expect("the precision is that of the words"))
}

/// Multiples of elements of G2 by secret scalars, one answer for each request, in the same order.
///
/// Constant time in the scalars, except for whether they are in range. Before a multiple leaves, it is found to
/// be a point of the curve and of the order n.
pub fn multiply_g2_batch(
    pairing: &PreparedPairing,
    requests: &[G2MultiplyRequest<'_>],
) -> Vec<Result<G2Element, GroupError>> {
    let order = pairing.g1().curve().order().as_ref();
    let read: Vec<_> = requests.iter().map(|request| request.read(order)).collect();
    let work: Vec<_> = read.iter().flatten().collect();
    let (multiples, failed) = match multiples(pairing, &work) {
        Ok(multiples) => (multiples, GroupError::Fault),
        Err(error) => (Vec::new(), error.into()),
    };
    let mut multiples = multiples.into_iter();
    let answer = |read: Result<_, GroupError>| {
        let (_, _): (SecretColumns, &[Quadratic; 2]) = read?;
        let point = multiples.next().flatten().ok_or(failed.clone())?;
        Ok(G2Element::of(Some(point)))
    };
    read.into_iter().map(answer).collect()
}

/// The multiples; none where the check fails.
fn multiples(
    pairing: &PreparedPairing,
    work: &[&(SecretColumns, &[Quadratic; 2])],
) -> Result<Vec<Option<[Quadratic; 2]>>, EngineError> {
    let field = &parameters().field;
    let programs = secret_program(pairing)?;
    let inputs = work.iter().map(|(_, [x, y])| [x.integers(), y.integers()]);
    let inputs: Vec<_> = inputs.collect();
    let jobs = work.iter().zip(&inputs).map(|((scalar, _), inputs)| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: inputs.iter().flatten().collect(),
        scalars: vec![&scalar.signs, &scalar.columns],
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    let point = |outcome: &Outcome| {
        let pair = |k: usize| {
            let integers = [&outcome.integers[k], &outcome.integers[k + 1]];
            Quadratic::of(field, integers.map(|x| &**x))
        };
        let point = [pair(0)?, pair(2)?];
        is_on_curve(parameters(), &point).then_some(point)
    };
    let mut points: Vec<_> = outcomes.iter().map(point).collect();
    let inside = g2_subgroup::in_g2(pairing, &points.iter().flatten().collect::<Vec<_>>())?;
    let mut inside = inside.into_iter();
    for point in &mut points {
        *point = point.take().filter(|_| inside.next() == Some(true));
    }
    Ok(points)
}

/// `k Q` for the coordinates of Q and the columns of a secret k: the coordinates of the multiple. Constant time.
///
/// Complete formulas: no sum on the way is an exception.
fn secret_program(pairing: &PreparedPairing) -> Result<Arc<Programs>, EngineError> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: "pairing-g2-multiple",
        parameters: Vec::new(),
    };
    pairing.engine().programs(key, |builder| {
        let q = [(); 2].map(|()| Fp2::input(builder, bits));
        let signs = builder.scalar("signs", COLUMNS, true);
        let columns = builder.scalar("columns", BITS * COLUMNS, true);
        let signs = builder.digits(signs, Recoding::BITS);
        let columns = builder.digits(columns, Recoding::Windows { width: BITS });
        // Q, -psi(Q), psi^2(Q), -psi^3(Q).
        let mut powers = vec![q];
        for _ in 0..BITS {
            let [x, y] = g2_subgroup::psi(builder, &parameters().psi, powers[powers.len() - 1]);
            powers.push([x, y.negate(builder)]);
        }
        let mut sums = vec![Twisted::affine(builder, TripleB::Bls12_381, q)];
        for &power in &powers[1..] {
            for k in 0..sums.len() {
                let sum = sums[k].add_affine(builder, power);
                sums.push(sum);
            }
        }
        let table = PointTable::new(builder, &sums);
        let mut multiple = table.select(builder, [columns, signs], COLUMNS - 1);
        for column in (0..COLUMNS - 1).rev() {
            multiple = multiple.double(builder).point;
            let entry = table.select(builder, [columns, signs], column);
            multiple = multiple.add(builder, entry);
        }
        let Twisted { x, y, z, .. } = multiple;
        let norm = z.norm(builder);
        let exponent = parameters().field.p().wrapping_sub(BoxedUint::from(2u32));
        let inverse = power::public(builder, norm, norm, &exponent);
        let inverse = z.inverse(builder, inverse);
        for coordinate in [x, y] {
            coordinate.multiply(builder, inverse).output(builder);
        }
    })
}

/// A table of points, from which digits select.
pub(super) struct PointTable([Table; 6]);

impl PointTable {
    pub(super) fn new(builder: &mut Builder, points: &[Twisted]) -> Self {
        let numbers = |point: &Twisted| {
            let Twisted { x, y, z, .. } = *point;
            [x.re, x.im, y.re, y.im, z.re, z.im]
        };
        Self(core::array::from_fn(|k| {
            let entries: Vec<_> = points.iter().map(|point| numbers(point)[k]).collect();
            builder.table_of(&entries)
        }))
    }

    /// The entry that a digit of the first stream names, or its negative where a bit of the second one is set.
    pub(super) fn select(
        &self,
        builder: &mut Builder,
        [digits, signs]: [Stream; 2],
        position: u32,
    ) -> Twisted {
        let [x0, x1, y0, y1, z0, z1] = self.0.map(|table| builder.select(table, digits, position));
        let [y0, y1] = [y0, y1].map(|y| builder.negate_if(y, signs, position));
        let pair = |re, im| Fp2 { re, im };
        Twisted {
            b3: TripleB::Bls12_381,
            x: pair(x0, x1),
            y: pair(y0, y1),
            z: pair(z0, z1),
        }
    }
}
