//! Sums of many multiples of points, `k_1 P_1 + ... + k_N P_N`, by buckets (Pippenger, 1976; Bernstein,
//! Doumen, Lange and Oosterwijk, "Faster batch forgery identification", 2012, section 4). Public.
//!
//! Scalars are taken apart into signed digits of w bits. For each digit the points go to buckets, one for each value
//! that the digit can have; the buckets' sums, each times its value, are the sum for this digit by two running sums.
//! Each member of a group does that for one digit of a part of the points. A second program joins the digits' sums of a
//! part by doublings, and the sums of the parts are added outside.

use super::endomorphism::Endomorphism;
use super::field::Element;
use super::formulas::{Coefficients, Homogeneous};
use super::model::Kind;
use super::point::Point;
use super::prepared::PreparedCurve;
use crypto_bigint::{BoxedUint, Word};
use std::borrow::Cow;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Recoding, Stream, Table};
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs};

/// A multiple of a point.
pub(super) struct Term<'a> {
    /// The scalar, not longer than the bits of its [`Sum`].
    pub(super) scalar: BoxedUint,
    /// The affine coordinates, below p.
    pub(super) point: [Cow<'a, BoxedUint>; 2],
}

/// A sum of multiples of points of a curve.
pub(super) struct Sum<'a> {
    pub(super) curve: &'a PreparedCurve,
    /// The length of all scalars.
    pub(super) bits: u32,
    pub(super) terms: Vec<Term<'a>>,
}

/// The length of the scalars of [`terms`].
pub(super) fn term_bits(curve: &PreparedCurve) -> u32 {
    let endomorphism = curve.endomorphism();
    endomorphism.map_or_else(|| curve.order_bits(), Endomorphism::bits)
}

/// `k P` for a k below the order n and a point of this order: by the endomorphism two terms of half
/// the length, where the curve has one.
pub(super) fn terms(curve: &PreparedCurve, k: &BoxedUint, point: &Point) -> Vec<Term<'static>> {
    let coordinates = |x: &Element, y: &Element| [x, y].map(|x| Cow::Owned(x.retrieve()));
    let Some(endomorphism) = curve.endomorphism() else {
        return vec![Term {
            scalar: k.clone(),
            point: coordinates(&point.x, &point.y),
        }];
    };
    let xs = [point.x.clone(), point.x.mul(endomorphism.beta())];
    let halves = endomorphism.signed_halves_vartime(k);
    let terms = xs.iter().zip(halves).map(|(x, (negative, scalar))| Term {
        scalar,
        point: if negative {
            coordinates(x, &point.y.neg())
        } else {
            coordinates(x, &point.y)
        },
    });
    terms.collect()
}

/// The division of a sum into parts and digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// Number of points in a part.
    points: usize,
    /// Number of bits of a digit.
    width: u32,
}

/// Approximate number of members of a group: fewer take as long.
const GROUP: usize = 32;
/// The numbers of points in a part that are worthwhile: programs are kept for each.
const POINTS: [usize; 13] = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
/// The numbers of bits of a digit. Wider ones would need buckets beyond what caches hold for a group.
const WIDTHS: core::ops::RangeInclusive<u32> = 3..=8;

impl Plan {
    /// The plan of the fewest reductions for `count` points and scalars of `bits` bits:
    ///
    /// ```text
    /// ceil(parts digits / 32) (points A + 3 2^(w-1) B)  +  ceil(parts / 32) (bits + digits) B
    /// ```
    ///
    /// for the cost A of a point that comes in and is added, and B of an addition of sums.
    fn new(kind: Kind, count: usize, bits: u32) -> Self {
        let (entering, adding) = match kind {
            Kind::Zero(_) => (10, 9),
            Kind::MinusThree => (12, 11),
            Kind::Other => (14, 14),
        };
        let plans = POINTS
            .iter()
            .flat_map(|&points| WIDTHS.map(move |width| Self { points, width }));
        let cost = |plan: &Self| {
            let parts = count.div_ceil(plan.points);
            let digits = plan.digits(bits) as usize;
            let buckets = plan.points * entering + ((3 * adding) << (plan.width - 1));
            let joining = (bits as usize + digits) * adding;
            (parts * digits).div_ceil(GROUP) * buckets + parts.div_ceil(GROUP) * joining
        };
        let least = Self {
            points: POINTS[0],
            width: *WIDTHS.start(),
        };
        plans.min_by_key(cost).unwrap_or(least)
    }

    /// Number of digits of a scalar of `bits` bits. A digit d is the window `d + 2^(w-1)` of the scalar plus `2^(w-1)`
    /// for every digit, which is below two thirds of `2^(w digits)` in all: two bits are enough for the sum.
    fn digits(self, bits: u32) -> u32 {
        (bits + 2).div_ceil(self.width)
    }

    /// The window that stands for the digit 0.
    fn zero(self) -> u64 {
        1 << (self.width - 1)
    }

    /// Scalars of `bits` bits plus `2^(w-1)` for each digit, so that their windows stand for signed digits.
    fn recoded<'a>(
        self,
        scalars: impl Iterator<Item = &'a BoxedUint>,
        bits: u32,
    ) -> Vec<BoxedUint> {
        let digits = self.digits(bits);
        let precision = (digits * self.width).next_multiple_of(64);
        let mut words = vec![0u64; precision as usize / 64];
        for digit in 0..digits {
            let bit = (digit * self.width + self.width - 1) as usize;
            words[bit / 64] |= 1 << (bit % 64);
        }
        let offset = BoxedUint::from_words(words);
        let recoded = scalars.map(|scalar| {
            let mut sum = offset.clone();
            let mut carry = false;
            let added = scalar.as_words().iter().copied();
            let added = added.chain(core::iter::repeat(0));
            for (word, added) in sum.as_mut_words().iter_mut().zip(added) {
                let (with_carry, over) = word.overflowing_add(Word::from(carry));
                let (total, over_again) = with_carry.overflowing_add(added);
                *word = total;
                carry = over | over_again;
            }
            sum
        });
        recoded.collect()
    }

    /// Digit `digit` of these scalars one after the other, and zeros for points that are missing.
    fn stream(self, scalars: &[BoxedUint], digit: u32) -> BoxedUint {
        let width = self.width as usize;
        let mut words = vec![0u64; (self.points * width).div_ceil(64)];
        let missing = core::iter::repeat(self.zero());
        let windows = scalars
            .iter()
            .map(|scalar| window(scalar.as_words(), digit as usize * width, self.width));
        for (k, window) in windows.chain(missing).take(self.points).enumerate() {
            let (word, shift) = (k * width / 64, k * width % 64);
            words[word] |= window << shift;
            if shift + width > 64 {
                words[word + 1] |= window >> (64 - shift);
            }
        }
        BoxedUint::from_words(words)
    }
}

/// `width < 64` bits from bit `position` on.
fn window(words: &[u64], position: usize, width: u32) -> u64 {
    let (word, shift) = (position / 64, position % 64);
    let above = words
        .get(word + 1)
        .map_or(0, |above| above << 1 << (63 - shift));
    (words[word] >> shift | above) & ((1 << width) - 1)
}

/// The sums; `None` for one at infinity. Scalars may be 0, points equal or opposite.
#[inline(never)]
pub(super) fn sums(engine: &Engine, sums: &[Sum<'_>]) -> Result<Vec<Option<Point>>, EngineError> {
    let plans = sums.iter().map(|sum| {
        let kind = sum.curve.model().kind;
        Plan::new(kind, sum.terms.len(), sum.bits)
    });
    let plans: Vec<_> = plans.collect();
    let parts = sums.iter().zip(&plans).flat_map(|(sum, plan)| {
        let chunks = sum.terms.chunks(plan.points);
        chunks.map(move |terms| Part {
            curve: sum.curve,
            bits: sum.bits,
            plan: *plan,
            terms,
        })
    });
    let parts: Vec<_> = parts.collect();
    let digits = digit_sums(engine, &parts)?;
    let joined = join(engine, &parts, &digits)?;

    let mut joined = joined.iter();
    let totals = sums.iter().zip(&plans).map(|(sum, plan)| {
        let parts = sum.terms.len().div_ceil(plan.points);
        let outcomes: Vec<_> = joined.by_ref().take(parts).collect();
        total(sum.curve, &outcomes)
    });
    Ok(totals.collect())
}

/// A part of a sum: at most as many terms as a program takes.
struct Part<'a> {
    curve: &'a PreparedCurve,
    bits: u32,
    plan: Plan,
    terms: &'a [Term<'a>],
}

/// For each part and digit, the lowest first, the coordinates of the digit's sum.
fn digit_sums(engine: &Engine, parts: &[Part<'_>]) -> Result<Vec<Outcome>, EngineError> {
    let programs = parts
        .iter()
        .map(|part| bucket_program(part.curve, part.plan));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let streams: Vec<Vec<BoxedUint>> = parts
        .iter()
        .map(|part| {
            let scalars = part.terms.iter().map(|term| &term.scalar);
            let scalars = part.plan.recoded(scalars, part.bits);
            let digits = 0..part.plan.digits(part.bits);
            digits
                .map(|digit| part.plan.stream(&scalars, digit))
                .collect()
        })
        .collect();
    let mut jobs = Vec::new();
    for ((part, programs), streams) in parts.iter().zip(&programs).zip(&streams) {
        let missing = core::iter::repeat(&part.terms[0]);
        let terms = part.terms.iter().chain(missing).take(part.plan.points);
        let coordinates = terms.flat_map(|term| &term.point);
        let inputs: Vec<&BoxedUint> = coordinates.map(|x| &**x).collect();
        for stream in streams {
            jobs.push(Job {
                programs,
                modulus: part.curve.p(),
                constants: Some(part.curve.coefficients()?),
                inputs: inputs.clone(),
                scalars: vec![stream],
            });
        }
    }
    engine.execute(&jobs)
}

/// The sum of each part, from the sums of its digits.
fn join(
    engine: &Engine,
    parts: &[Part<'_>],
    sums: &[Outcome],
) -> Result<Vec<Outcome>, EngineError> {
    let digits = |part: &Part<'_>| part.plan.digits(part.bits);
    let programs = parts
        .iter()
        .map(|part| join_program(part.curve, part.plan.width, digits(part)));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let mut sums = sums.iter();
    let jobs = parts.iter().zip(&programs).map(|(part, programs)| {
        let sums = sums.by_ref().take(digits(part) as usize);
        Ok(Job {
            programs,
            modulus: part.curve.p(),
            constants: Some(part.curve.coefficients()?),
            inputs: sums.flat_map(|sum| &sum.integers).map(|x| &**x).collect(),
            scalars: Vec::new(),
        })
    });
    engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)
}

/// The sum of all parts.
fn total(curve: &PreparedCurve, parts: &[&Outcome]) -> Option<Point> {
    let curve = curve.curve();
    let points: Vec<_> = parts.iter().map(|outcome| &outcome.integers[..]).collect();
    let mut points: Vec<_> = curve.affine_all(&points).into_iter().flatten().collect();
    while points.len() > 1 {
        let pairs: Vec<_> = points
            .chunks_exact(2)
            .map(|pair| (&pair[0], &pair[1]))
            .collect();
        let mut sums: Vec<_> = curve.add_all(&pairs).into_iter().flatten().collect();
        if !points.len().is_multiple_of(2) {
            sums.extend(points.pop());
        }
        points = sums;
    }
    points.pop()
}

/// Sums in tables, one table for each coordinate.
#[derive(Clone, Copy)]
struct Buckets([Table; 3]);

impl Buckets {
    /// Empty buckets, `count` of them.
    fn new(builder: &mut Builder, curve: &Coefficients, count: usize) -> Self {
        let zero = builder.common(&BoxedUint::zero());
        let square = builder.montgomery_square();
        let zero = builder.multiply(zero, square);
        let infinity = [zero, curve.one, zero];
        Self(infinity.map(|number| builder.table_of(&vec![number; count])))
    }

    fn select(self, builder: &mut Builder, stream: Stream, position: u32) -> Homogeneous {
        let [x, y, z] = self.0.map(|table| builder.select(table, stream, position));
        Homogeneous { x, y, z }
    }

    fn store(self, builder: &mut Builder, stream: Stream, position: u32, point: Homogeneous) {
        let Homogeneous { x, y, z } = point;
        for (table, number) in self.0.into_iter().zip([x, y, z]) {
            builder.store_at(table, stream, position, number);
        }
    }

    fn load(self, builder: &mut Builder, bucket: usize) -> Homogeneous {
        let [x, y, z] = self.0.map(|table| builder.load(table, bucket));
        Homogeneous { x, y, z }
    }
}

/// `P + Q`. 9 R (a = 0), 11 R (a = -3) or 14 R.
fn add(
    builder: &mut Builder,
    curve: &Coefficients,
    point: Homogeneous,
    other: Homogeneous,
) -> Homogeneous {
    let entry = curve.entry(builder, [other.x, other.y], Some(other.z));
    curve.add(builder, point, &entry)
}

/// The sum of points times signed digits of one length: the inputs are the coordinates x and y of each
/// point, of the given curve, the scalar their digits plus `2^(w-1)`, one after the other. The outputs are
/// (X : Y : Z) on the model.
fn bucket_program(curve: &PreparedCurve, plan: Plan) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let bits = curve.p().class();
    let Plan { points, width } = plan;
    let key = ProgramKey {
        bits,
        kind: "ec-buckets",
        parameters: vec![kind.number(), points as u64, width.into()],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let digits = builder.scalar("digits", points as u32 * width, false);
        let digits = builder.digits(digits, Recoding::Windows { width });
        let coefficients = &curve.coefficients;
        let buckets = Buckets::new(builder, coefficients, 1 << width);
        for position in 0..points as u32 {
            let [x, y] = [(); 2].map(|()| builder.input_unreduced(bits));
            let point = [curve.map_x(builder, x), curve.map_y(builder, y)];
            let entry = coefficients.entry(builder, point, None);
            let sum = buckets.select(builder, digits, position);
            let sum = coefficients.add(builder, sum, &entry);
            buckets.store(builder, digits, position, sum);
        }
        let Homogeneous { x, y, z } = weighted(builder, coefficients, buckets, 1 << (width - 1));
        for coordinate in [x, y, z] {
            builder.output(coordinate);
        }
    })
}

/// The sum of all buckets times their digits, where bucket `zero + d` is that of the digit d from `-zero` to
/// `zero - 1`.
fn weighted(
    builder: &mut Builder,
    curve: &Coefficients,
    buckets: Buckets,
    zero: usize,
) -> Homogeneous {
    let negative = |builder: &mut Builder, bucket| {
        let Homogeneous { x, y, z } = buckets.load(builder, bucket);
        let y = builder.negate(y);
        Homogeneous { x, y, z }
    };
    // The sum of the buckets from a digit on, and the sum of these sums.
    let mut running = negative(builder, 0);
    let mut total = running;
    for digit in (1..zero).rev() {
        for bucket in [
            buckets.load(builder, zero + digit),
            negative(builder, zero - digit),
        ] {
            running = add(builder, curve, running, bucket);
        }
        total = add(builder, curve, total, running);
    }
    total
}

/// The sum of points times powers of `2^width`: the inputs are coordinates X, Y and Z on the model, those for
/// the lowest power first. The outputs are (X : Y : Z) on the given curve.
fn join_program(
    curve: &PreparedCurve,
    width: u32,
    digits: u32,
) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let bits = curve.p().class();
    let key = ProgramKey {
        bits,
        kind: "ec-join-digits",
        parameters: vec![kind.number(), width.into(), digits.into()],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let coefficients = &curve.coefficients;
        let points = (0..digits).map(|_| {
            let [x, y, z] = [(); 3].map(|()| builder.input(bits));
            Homogeneous { x, y, z }
        });
        let mut points: Vec<_> = points.collect();
        let one = coefficients.one;
        let mut sum = points.pop().unwrap_or(Homogeneous {
            x: one,
            y: one,
            z: one,
        });
        while let Some(point) = points.pop() {
            for _ in 0..width {
                sum = coefficients.double(builder, sum);
            }
            sum = add(builder, coefficients, sum, point);
        }
        let x = curve.unmap_x(builder, sum.x);
        let y = curve.unmap_y(builder, sum.y);
        for coordinate in [x, y, sum.z] {
            builder.output(coordinate);
        }
    })
}
