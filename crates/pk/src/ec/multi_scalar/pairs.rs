//! Sums of multiples by sums of pairs of affine points: buckets as trees of sums that share inversions.
//!
//! For each digit of the scalars the points are lists, one for each magnitude that the digit can have. All lists are added
//! up at once, pair by pair in rounds. With `B_m` the sum of list m, the sum of `m B_m` is folded: with `C_j = B_2j + B_(2j+1)`
//! it is `2` times the sum of `j C_j`, plus the sum of all `B_m` with an odd m. So there remains a point for each bit of the
//! scalars, which doublings join. A bucket takes two sums of pairs, of five products and a square each.

use super::super::formulas::Homogeneous;
use super::super::point::Point;
use super::super::prepared::PreparedCurve;
use super::{Sum, Term, total, window};
use crypto_bigint::BoxedUint;
use rayon::prelude::*;
use std::sync::Arc;
use sunzi_engine::{
    AffinePoint, AffinePoints, Engine, EngineError, Job, ProgramKey, Programs, available_threads,
};

/// The largest number of terms in a part, which has its own buckets: the coordinates of a point take 128 bytes with 381 bits.
const LARGEST_PART: usize = 1 << 16;
/// The least number of terms in a part: of fewer, buckets take most of the time.
const LEAST_PART: usize = 1 << 10;
/// Number of points in lists that are made together.
const TOGETHER: usize = 1 << 17;
/// Number of points in lists that are added up together: their sums stay in the second cache.
const AT_ONCE: usize = 1 << 15;
/// The largest number of buckets that are added up bit by bit, without folding: that takes more sums, but fewer rounds, each
/// of which has an inversion.
const MOST_UNFOLDED: usize = (1 << 5) + 1;
/// Number of terms whose points come in together.
const ENTERING: usize = 64;
/// The widths of digits in bits. Buckets of wider ones would leave the caches.
const WIDTHS: core::ops::RangeInclusive<u32> = 2..=14;
// A digit fits its type.
const _: () = assert!(*WIDTHS.end() < i16::BITS);

/// A part of a sum.
struct Part<'a> {
    sum: &'a Sum<'a>,
    terms: &'a [Term<'a>],
    /// Number of points: of some terms also the images.
    count: usize,
    /// Number of bits of a digit.
    width: u32,
}

impl<'a> Part<'a> {
    fn new(sum: &'a Sum<'a>, terms: &'a [Term<'a>]) -> Self {
        let split = terms.iter().filter(|term| sum.splits(term)).count();
        let count = terms.len() + split;
        Self {
            sum,
            terms,
            count,
            width: width(count, sum.bits),
        }
    }

    /// Number of digits, of which the highest may be a carry.
    fn digits(&self) -> u32 {
        digits(self.sum.bits, self.width)
    }

    /// Number of bits, and of points that are left.
    fn points(&self) -> u32 {
        self.digits() * self.width
    }
}

/// Number of signed digits, from `-2^(w-1)` to `2^(w-1)`, of a number of `bits` bits: the highest digit takes the carry.
fn digits(bits: u32, width: u32) -> u32 {
    (bits + 1).div_ceil(width)
}

/// The width of digits with the fewest sums of pairs.
fn width(points: usize, bits: u32) -> u32 {
    let cost = |width: &u32| {
        let buckets = 1usize << (*width - 1);
        digits(bits, *width) as usize * (points + 3 * buckets)
    };
    WIDTHS.min_by_key(cost).unwrap_or(*WIDTHS.start())
}

/// The sums, `None` for one at infinity; `None` if the engine has no device for a curve.
pub(super) fn sums(
    engine: &Engine,
    sums: &[&Sum<'_>],
) -> Result<Option<Vec<Option<Point>>>, EngineError> {
    let mut parts_of = Vec::with_capacity(sums.len());
    let mut parts = Vec::new();
    let threads = available_threads();
    for &sum in sums {
        let most = sum.terms.len().div_ceil(threads);
        let most = most.clamp(LEAST_PART, LARGEST_PART);
        let first = parts.len();
        parts.extend(sum.terms.chunks(most).map(|terms| Part::new(sum, terms)));
        parts_of.push(first..parts.len());
    }
    let batches = batches(&parts, threads);
    let of_batch = |batch: &&[Part<'_>]| bit_sums(engine, batch);
    let bit_sums: Vec<Option<Vec<_>>> = if batches.len() == 1 || threads == 1 {
        batches.iter().map(of_batch).collect::<Result<_, _>>()?
    } else {
        batches.par_iter().map(of_batch).collect::<Result<_, _>>()?
    };
    let Some(bit_sums) = bit_sums.into_iter().collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let bit_sums: Vec<_> = bit_sums.into_iter().flatten().collect();
    let joined = join(engine, &parts, &bit_sums)?;
    let totals = sums.iter().zip(parts_of).map(|(sum, parts)| {
        let parts: Vec<_> = joined[parts].iter().collect();
        total(sum.curve, &parts)
    });
    Ok(Some(totals.collect()))
}

/// The parts in batches of one curve that are added up together, for so many threads.
fn batches<'a, 'b>(parts: &'a [Part<'b>], threads: usize) -> Vec<&'a [Part<'b>]> {
    let mut batches = Vec::new();
    for alike in parts.chunk_by(|x, y| x.sum.curve.curve() == y.sum.curve.curve()) {
        let all: usize = alike.iter().map(|part| part.terms.len()).sum();
        let most = all.div_ceil(threads).min(LARGEST_PART);
        let mut rest = alike;
        while !rest.is_empty() {
            let mut terms = 0;
            let fits = |part: &&Part<'_>| {
                terms += part.terms.len();
                terms <= most
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (batch, others) = rest.split_at(count);
            batches.push(batch);
            rest = others;
        }
    }
    batches
}

/// The coordinates of a point, `None` for infinity.
type Coordinates = Option<[BoxedUint; 2]>;

/// For each of these parts, which are of one curve, the points that count `2^0, 2^1, ...` times; `None` if the engine has no
/// device for them.
fn bit_sums(
    engine: &Engine,
    parts: &[Part<'_>],
) -> Result<Option<Vec<Vec<Coordinates>>>, EngineError> {
    let curve = parts[0].sum.curve;
    let a = curve.curve().a().retrieve();
    let Some(mut points) = engine.affine_points(curve.p(), &a)? else {
        return Ok(None);
    };
    let count: usize = parts.iter().map(|part| part.count).sum();
    let listed = parts.iter().map(|part| part.count * part.digits() as usize);
    let summed = AT_ONCE.min(listed.sum());
    points.reserve(count + summed + summed / 4);
    let multiples = parts.iter().map(|part| Multiples::new(&mut points, part));
    let multiples: Vec<_> = multiples.collect();
    let units = parts.iter().zip(&multiples).flat_map(|(part, multiples)| {
        let digits = 0..part.digits() as usize;
        digits.map(move |digit| Unit {
            width: part.width,
            multiples,
            digit,
        })
    });
    let units: Vec<_> = units.collect();
    let entered = points.len();
    let mut sums = Vec::new();
    let mut rest = &units[..];
    while !rest.is_empty() {
        let mut count = 0;
        let fits = |unit: &&Unit<'_>| {
            count += unit.multiples.points.len();
            count <= TOGETHER
        };
        let (together, others) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        sums.extend(digit_sums(&mut points, together)?);
        points.truncate(entered);
        rest = others;
    }
    let mut sums = sums.into_iter();
    let parts = parts.iter();
    let of_parts = parts.map(|part| sums.by_ref().take(part.points() as usize).collect());
    Ok(Some(of_parts.collect()))
}

/// The multiples that a part consists of.
struct Multiples {
    points: Vec<AffinePoint>,
    /// For the lowest digit those of each point's scalar, then for the next one.
    digits: Vec<i16>,
}

impl Multiples {
    /// The multiples of a part, whose points come in.
    fn new(points: &mut AffinePoints<'_>, part: &Part<'_>) -> Self {
        let sum = part.sum;
        let beta = sum.curve.endomorphism().map(|it| it.beta().retrieve());
        let mut multiples = Self {
            points: Vec::with_capacity(part.count),
            digits: vec![0; part.count * part.digits() as usize],
        };
        for terms in part.terms.chunks(ENTERING) {
            let coordinates: Vec<_> = terms.iter().map(|term| term.point.coordinates()).collect();
            let coordinates: Vec<_> = coordinates.iter().map(|[x, y]| [&**x, &**y]).collect();
            let entered = points.enter(&coordinates);
            let all = terms.iter().zip(&entered);
            let split: Vec<_> = all
                .filter_map(|(term, point)| sum.splits(term).then_some(*point))
                .collect();
            let images = beta
                .as_ref()
                .map(|beta| points.enter_with_x_times(beta, &split));
            let mut images = images.into_iter().flatten();
            for (term, point) in terms.iter().zip(entered) {
                for (part_of_scalar, (is_negative, scalar)) in sum.parts(term).iter().enumerate() {
                    let point = match part_of_scalar {
                        0 => point,
                        _ => images.next().expect("a split term has an image"),
                    };
                    let place = multiples.points.len();
                    let point = if is_negative { -point } else { point };
                    multiples.points.push(point);
                    let digits = multiples.digits.chunks_exact_mut(part.count);
                    for (digit, digits) in (0..).zip(digits) {
                        digits[place] = signed_digit(scalar, digit, part.width);
                    }
                }
            }
        }
        multiples
    }
}

/// A digit of a part's multiples.
struct Unit<'a> {
    multiples: &'a Multiples,
    digit: usize,
    /// Number of bits of the digit.
    width: u32,
}

/// Lists of points one after the other.
#[derive(Default)]
struct Lists {
    points: Vec<AffinePoint>,
    /// The end of each list.
    ends: Vec<usize>,
}

impl Lists {
    fn end_list(&mut self) {
        self.ends.push(self.points.len());
    }

    fn lists(&self) -> impl Iterator<Item = &[AffinePoint]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.points[start..end];
            start = end;
            list
        })
    }

    /// The sum of each list. Sums on the way are dropped.
    fn sums(&self, points: &mut AffinePoints<'_>) -> Result<Vec<Option<AffinePoint>>, EngineError> {
        let mut sums = Vec::with_capacity(self.ends.len());
        let mut lists = self.lists().peekable();
        while lists.peek().is_some() {
            let mut some = Self::default();
            while let Some(list) = lists
                .next_if(|list| some.ends.is_empty() || some.points.len() + list.len() <= AT_ONCE)
            {
                some.points.extend_from_slice(list);
                some.end_list();
            }
            let before = points.len();
            let own = some.added_up(points)?;
            let mut new: Vec<_> = own.iter().flatten().copied().collect();
            new.retain(|point| points.position(*point) >= before);
            points.retain(before, &mut new);
            let mut new = new.into_iter();
            sums.extend(own.into_iter().map(|sum| match sum {
                Some(sum) if points.position(sum) >= before => new.next(),
                known => known,
            }));
        }
        Ok(sums)
    }

    /// The sum of each list.
    fn added_up(
        mut self,
        points: &mut AffinePoints<'_>,
    ) -> Result<Vec<Option<AffinePoint>>, EngineError> {
        loop {
            let mut pairs = Vec::with_capacity(self.points.len() / 2);
            for list in self.lists() {
                pairs.extend_from_slice(list.as_chunks().0);
            }
            if pairs.is_empty() {
                return Ok(self.lists().map(|list| list.first().copied()).collect());
            }
            let sums = points.add_pairs(&pairs)?;
            let mut sums = &sums[..];
            let mut next = Self {
                points: Vec::with_capacity(self.points.len() - pairs.len()),
                ends: Vec::with_capacity(self.ends.len()),
            };
            for list in self.lists() {
                let (pairs, single) = list.as_chunks::<2>();
                let (own, others) = sums.split_at(pairs.len());
                next.points.extend_from_slice(single);
                next.points.extend(own.iter().flatten());
                next.end_list();
                sums = others;
            }
            self = next;
        }
    }
}

/// For each unit, the points that count `2^0` to `2^(width - 1)` times its power of `2^width`.
fn digit_sums(
    points: &mut AffinePoints<'_>,
    units: &[Unit<'_>],
) -> Result<Vec<Coordinates>, EngineError> {
    let mut lists = Lists::default();
    for unit in units {
        unit.add_buckets(&mut lists);
    }
    let mut buckets = &lists.sums(points)?[..];
    let mut levels: Vec<Vec<Option<AffinePoint>>> = Vec::with_capacity(units.len());
    for unit in units {
        let (own, others) = buckets.split_at(unit.buckets());
        levels.push(own.to_vec());
        buckets = others;
    }
    // The points of each unit's bits, the lowest bit first.
    let mut bits = vec![Vec::new(); units.len()];
    let is_long = |level: &Vec<_>| level.len() > MOST_UNFOLDED;
    while levels.iter().any(is_long) {
        let mut folded = Lists::default();
        for (level, bits) in levels.iter().zip(&mut bits) {
            if !is_long(level) {
                continue;
            }
            bits.push(with_bit(level, 0));
            for pair in level.chunks(2) {
                folded.points.extend(pair.iter().flatten());
                folded.end_list();
            }
        }
        let mut folded = folded.sums(points)?.into_iter();
        for level in levels.iter_mut().filter(|level| is_long(level)) {
            *level = folded.by_ref().take(level.len().div_ceil(2)).collect();
        }
    }
    let mut lists = Lists::default();
    for ((unit, level), mut bits) in units.iter().zip(&levels).zip(bits) {
        for bit in 0..unit.width - bits.len() as u32 {
            bits.push(with_bit(level, bit));
        }
        for points in bits {
            lists.points.extend(points);
            lists.end_list();
        }
    }
    let sums = lists.sums(points)?;
    let finite: Vec<_> = sums.iter().flatten().copied().collect();
    let mut coordinates = points.leave(&finite)?.into_iter();
    Ok(sums
        .iter()
        .map(|sum| sum.and_then(|_| coordinates.next()))
        .collect())
}

/// The points of buckets in whose index this bit is 1.
fn with_bit(buckets: &[Option<AffinePoint>], bit: u32) -> Vec<AffinePoint> {
    let has_bit = |(index, _): &(usize, _)| index >> bit & 1 == 1;
    let buckets = buckets.iter().enumerate().filter(has_bit);
    buckets.filter_map(|(_, point)| *point).collect()
}

impl Unit<'_> {
    /// Number of lists: for magnitudes from 0 to `2^(width - 1)`.
    fn buckets(&self) -> usize {
        (1 << (self.width - 1)) + 1
    }

    /// Appends the lists of points by the magnitudes of this digit, of which the first is empty.
    fn add_buckets(&self, lists: &mut Lists) {
        let count = self.multiples.points.len();
        let digits = &self.multiples.digits[self.digit * count..][..count];
        let mut ends = vec![0; self.buckets()];
        for digit in digits {
            ends[digit.unsigned_abs() as usize] += 1;
        }
        ends[0] = 0;
        let first = lists.points.len();
        let mut end = first;
        let mut next: Vec<usize> = ends
            .iter()
            .map(|count| {
                let start = end;
                end += count;
                start
            })
            .collect();
        if let Some(&some) = self.multiples.points.first() {
            lists.points.resize(end, some);
        }
        for (&digit, &point) in digits.iter().zip(&self.multiples.points) {
            if digit != 0 {
                let place = &mut next[digit.unsigned_abs() as usize];
                lists.points[*place] = if digit < 0 { -point } else { point };
                *place += 1;
            }
        }
        // After the last point of each list comes the next list.
        lists.ends.extend(next);
    }
}

/// Digit number `digit` of a scalar: `v + c - 2^w c'`, for the window v of w bits, the carry c from below, which is the highest
/// bit below the window, and c' that of the window.
///
/// The digits add up to the scalar, as it is the sum of `(v - 2^w h + h') 2^(w d)`, with h the highest bit of v, and h' that of the window below.
fn signed_digit(words: &[u64], digit: u32, width: u32) -> i16 {
    // The window with the bit below.
    let both = match (digit * width).checked_sub(1) {
        Some(first) => window_beyond(words, first, width + 1),
        None => window_beyond(words, 0, width) << 1,
    };
    let (value, below) = (both >> 1, both & 1);
    let above = value >> (width - 1);
    (value + below) as i16 - ((above as i16) << width)
}

/// [`window`] with zeros beyond the words.
fn window_beyond(words: &[u64], position: u32, width: u32) -> u64 {
    if position as usize / 64 < words.len() {
        window(words, position as usize, width)
    } else {
        0
    }
}

/// The sum of each part, from its points.
fn join(
    engine: &Engine,
    parts: &[Part<'_>],
    points: &[Vec<Coordinates>],
) -> Result<Vec<sunzi_engine::Outcome>, EngineError> {
    let programs = parts
        .iter()
        .map(|part| join_program(part.sum.curve, part.points()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let [zero, one] = [0u32, 1].map(BoxedUint::from);
    let jobs = parts.iter().zip(points).zip(&programs);
    let jobs = jobs.map(|((part, points), programs)| {
        let curve = part.sum.curve;
        let inputs = points.iter().flat_map(|point| match point {
            Some([x, y]) => [x, y, &one],
            None => [&zero, &one, &zero],
        });
        Ok(Job {
            programs,
            modulus: curve.p(),
            constants: Some(curve.coefficients()?),
            inputs: inputs.collect(),
            scalars: Vec::new(),
        })
    });
    engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)
}

/// The sum of points times powers of two: the inputs are coordinates X, Y and Z on the given curve, those for the power 1 first,
/// with Z 0 or 1. The outputs are (X : Y : Z) on the given curve.
fn join_program(curve: &PreparedCurve, count: u32) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let bits = curve.p().class();
    let key = ProgramKey {
        bits,
        kind: "ec-join-bits",
        parameters: vec![kind.number(), count.into()],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let coefficients = &curve.coefficients;
        let points = (0..count).map(|_| {
            let [x, y] = [(); 2].map(|()| builder.input_unreduced(bits));
            let z = builder.input(1);
            Homogeneous {
                x: curve.map_x(builder, x),
                y: curve.map_y(builder, y),
                z,
            }
        });
        let points: Vec<_> = points.collect();
        let mut points = points.into_iter().rev();
        let Some(mut sum) = points.next() else {
            return;
        };
        for point in points {
            sum = coefficients.double(builder, sum);
            sum = coefficients.add_points(builder, sum, point);
        }
        let x = curve.unmap_x(builder, sum.x);
        let y = curve.unmap_y(builder, sum.y);
        for coordinate in [x, y, sum.z] {
            builder.output(coordinate);
        }
    })
}
