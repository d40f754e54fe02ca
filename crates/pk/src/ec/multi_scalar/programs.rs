//! Sums of multiples by programs: each member of a group adds up some digits of a part of the points.
//!
//! Scalars are taken apart into signed digits of w bits. For each digit the points go to buckets, one for each magnitude
//! that the digit can have; the buckets' sums, each times its magnitude, are the sum for this digit by two running sums.
//! Each member of a group does that for some digits of a part of the points, which it converts once. A second program
//! joins the digits' sums of a part by doublings, and the sums of the parts are added outside.

use super::super::endomorphism::Endomorphism;
use super::super::formulas::{Coefficients, Entry, Homogeneous};
use super::super::model::Kind;
use super::super::point::Point;
use super::super::prepared::PreparedCurve;
use super::{Sum, total, window};
use crypto_bigint::{BoxedUint, Word};
use std::borrow::Cow;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Recoding, Stream, Table};
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs, available_threads};

/// The division of a sum into parts and digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// Number of points in a part.
    points: usize,
    /// Number of bits of a digit.
    width: u32,
    /// Number of digits of a member.
    together: u32,
}

/// Approximate number of members of a group: fewer take as long.
const GROUP: usize = 8;
/// The numbers of points in a part that are worthwhile: programs are kept for each. More points leave the caches before
/// their next digits.
const POINTS: [usize; 10] = [16, 24, 32, 48, 64, 96, 128, 192, 256, 512];
/// The numbers of bits of a digit. Wider ones would need buckets beyond what caches hold for a group.
const WIDTHS: core::ops::RangeInclusive<u32> = 3..=9;
/// The largest number of additions to buckets in a program, which is kept in memory.
const LARGEST_PROGRAM: usize = 2048;

impl Plan {
    /// The plan of the fewest reductions, one after the other, for `count` points and scalars of `bits` bits on so many
    /// threads. With d digits of a member:
    ///
    /// ```text
    /// rounds(parts digits / d) (points E + d (points A + 2^w B))  +  rounds(parts) (bits + digits) B
    /// rounds(members) = ceil(ceil(members / 8) / threads)
    /// ```
    ///
    /// for the cost E of a point that comes in, A of one that is added, and B of an addition of sums.
    fn new(kind: Kind, count: usize, bits: u32, threads: usize) -> Self {
        let (entering, mixed, adding) = match kind {
            Kind::Zero(_) => (4, 8, 9),
            Kind::MinusThree => (4, 9, 11),
            Kind::Other => (9, 9, 14),
        };
        let plans = POINTS.iter().flat_map(|&points| {
            let plan = move |width| {
                let digits = Self::digits_of(width, bits);
                (1..=digits).map(move |together| Self {
                    points,
                    width,
                    together,
                })
            };
            WIDTHS.flat_map(plan)
        });
        let fits = |plan: &Self| plan.points * plan.together as usize <= LARGEST_PROGRAM;
        let rounds = |members: usize| members.div_ceil(GROUP).div_ceil(threads);
        let cost = |plan: &Self| {
            let parts = count.div_ceil(plan.points);
            let digits = plan.digits(bits);
            let buckets = plan.points * mixed + (adding << plan.width);
            let member = plan.points * entering + plan.together as usize * buckets;
            let joining = (bits + digits) as usize * adding;
            rounds(parts * digits.div_ceil(plan.together) as usize) * member
                + rounds(parts) * joining
        };
        let least = Self {
            points: POINTS[0],
            width: *WIDTHS.start(),
            together: 1,
        };
        plans.filter(fits).min_by_key(cost).unwrap_or(least)
    }

    /// Number of digits of a scalar of `bits` bits. A digit d is the window `d + 2^(w-1)` of the scalar plus `2^(w-1)`
    /// for every digit, which is below two thirds of `2^(w digits)` in all: two bits are enough for the sum.
    fn digits(self, bits: u32) -> u32 {
        Self::digits_of(self.width, bits)
    }

    fn digits_of(width: u32, bits: u32) -> u32 {
        (bits + 2).div_ceil(width)
    }

    /// Number of members for a part.
    fn members(self, bits: u32) -> u32 {
        self.digits(bits).div_ceil(self.together)
    }

    /// The window that stands for the digit 0.
    fn zero(self) -> u64 {
        1 << (self.width - 1)
    }

    /// Scalars of `bits` bits plus `2^(w-1)` for each digit, so that their windows stand for signed digits.
    fn recoded<'a>(self, scalars: impl Iterator<Item = &'a [u64]>, bits: u32) -> Vec<BoxedUint> {
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
            let added = scalar.iter().copied();
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

    /// Digit `digit` of these scalars one after the other, and zeros for points that are missing and beyond the scalars'
    /// digits.
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

/// The sums; `None` for one at infinity. Scalars may be 0, points equal or opposite.
pub(super) fn sums(engine: &Engine, sums: &[&Sum<'_>]) -> Result<Vec<Option<Point>>, EngineError> {
    let multiples: Vec<_> = sums.iter().map(|sum| multiples(sum)).collect();
    let plans = sums.iter().zip(&multiples).map(|(sum, multiples)| {
        let kind = sum.curve.model().kind;
        Plan::new(kind, multiples.len(), sum.bits, available_threads())
    });
    let plans: Vec<_> = plans.collect();
    let all = sums.iter().zip(&multiples).zip(&plans);
    let parts = all.flat_map(|((sum, multiples), plan)| {
        let chunks = multiples.chunks(plan.points);
        chunks.map(move |terms| Part {
            curve: sum.curve,
            bits: sum.bits,
            plan: *plan,
            terms,
        })
    });
    let parts: Vec<_> = parts.collect();
    let mut joined = Vec::with_capacity(parts.len());
    for parts in parts.chunks(AT_A_TIME) {
        let digits = digit_sums(engine, parts)?;
        joined.extend(join(engine, parts, &digits)?);
    }

    let mut joined = joined.iter();
    let all = sums.iter().zip(&multiples).zip(&plans);
    let totals = all.map(|((sum, multiples), plan)| {
        let parts = multiples.len().div_ceil(plan.points);
        let outcomes: Vec<_> = joined.by_ref().take(parts).collect();
        total(sum.curve, &outcomes)
    });
    Ok(totals.collect())
}

/// Number of parts whose jobs are in memory at a time: enough for hundreds of threads.
pub(in super::super) const AT_A_TIME: usize = 1024;

/// A multiple of a point, its image or the negative of one.
struct Multiple<'a> {
    scalar: Vec<u64>,
    point: [Cow<'a, BoxedUint>; 2],
}

/// The multiples that a sum consists of.
fn multiples<'a>(sum: &'a Sum<'_>) -> Vec<Multiple<'a>> {
    let field = sum.curve.curve().field();
    let beta = sum.curve.endomorphism().map(Endomorphism::beta);
    let element = |x: &BoxedUint| field.element(x).expect("a coordinate is below p");
    let mut multiples = Vec::with_capacity(sum.terms.len());
    for term in &sum.terms {
        for (part, (is_negative, scalar)) in sum.parts(term).iter().enumerate() {
            let [mut x, mut y] = term.point.coordinates();
            if let (1, Some(beta)) = (part, beta) {
                x = Cow::Owned(element(&x).mul(beta).retrieve());
            }
            if is_negative {
                y = Cow::Owned(element(&y).neg().retrieve());
            }
            multiples.push(Multiple {
                scalar: scalar.to_vec(),
                point: [x, y],
            });
        }
    }
    multiples
}

/// A part of a sum: at most as many terms as a program takes.
struct Part<'a> {
    curve: &'a PreparedCurve,
    bits: u32,
    plan: Plan,
    terms: &'a [Multiple<'a>],
}

/// For each part, the coordinates of the sums of its digits, the lowest first: those of one member after the other.
fn digit_sums(engine: &Engine, parts: &[Part<'_>]) -> Result<Vec<Outcome>, EngineError> {
    let programs = parts
        .iter()
        .map(|part| bucket_program(part.curve, part.plan));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let streams: Vec<Vec<Vec<BoxedUint>>> = parts
        .iter()
        .map(|part| {
            let scalars = part.terms.iter().map(|term| &term.scalar[..]);
            let scalars = part.plan.recoded(scalars, part.bits);
            let together = part.plan.together;
            let members = 0..part.plan.members(part.bits);
            let digits = members.map(|member| member * together..(member + 1) * together);
            digits
                .map(|digits| {
                    digits
                        .map(|digit| part.plan.stream(&scalars, digit))
                        .collect()
                })
                .collect()
        })
        .collect();
    let mut jobs = Vec::new();
    for ((part, programs), members) in parts.iter().zip(&programs).zip(&streams) {
        let missing = core::iter::repeat(&part.terms[0]);
        let terms = part.terms.iter().chain(missing).take(part.plan.points);
        let coordinates = terms.flat_map(|term| &term.point);
        let inputs: Vec<&BoxedUint> = coordinates.map(|x| &**x).collect();
        for streams in members {
            jobs.push(Job {
                programs,
                modulus: part.curve.p(),
                constants: Some(part.curve.coefficients()?),
                inputs: inputs.clone(),
                scalars: streams.iter().collect(),
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
    let programs = parts
        .iter()
        .map(|part| join_program(part.curve, part.plan.width, part.plan.digits(part.bits)));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let mut sums = sums.iter();
    let jobs = parts.iter().zip(&programs).map(|(part, programs)| {
        let members = sums.by_ref().take(part.plan.members(part.bits) as usize);
        let coordinates = members.flat_map(|sums| &sums.integers).map(|x| &**x);
        Ok(Job {
            programs,
            modulus: part.curve.p(),
            constants: Some(part.curve.coefficients()?),
            // The last member may have digits beyond those of the scalars, which are 0.
            inputs: coordinates
                .take(3 * part.plan.digits(part.bits) as usize)
                .collect(),
            scalars: Vec::new(),
        })
    });
    engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)
}

/// Sums in tables, one table for each coordinate.
#[derive(Clone, Copy)]
struct Buckets([Table; 3]);

impl Buckets {
    /// Room for `count` buckets.
    fn new(builder: &mut Builder, count: usize) -> Self {
        Self([(); 3].map(|()| builder.table(count)))
    }

    /// Puts the point into each of `count` buckets.
    fn fill(self, builder: &mut Builder, count: usize, point: Homogeneous) {
        let Homogeneous { x, y, z } = point;
        for (table, number) in self.0.into_iter().zip([x, y, z]) {
            for bucket in 0..count {
                builder.store(table, bucket, number);
            }
        }
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

/// The point at infinity.
fn infinity(builder: &mut Builder, curve: &Coefficients) -> Homogeneous {
    let zero = builder.common(&BoxedUint::zero());
    let square = builder.montgomery_square();
    let zero = builder.multiply(zero, square);
    Homogeneous {
        x: zero,
        y: curve.one,
        z: zero,
    }
}

/// Sums of points times signed digits of one length: the inputs are the coordinates x and y of each point, of the given
/// curve; a scalar, for each sum, has its digits plus `2^(w-1)`, one after the other. The outputs are (X : Y : Z) on the
/// model, for each sum.
fn bucket_program(curve: &PreparedCurve, plan: Plan) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let bits = curve.p().class();
    let Plan {
        points,
        width,
        together,
    } = plan;
    let key = ProgramKey {
        bits,
        kind: "ec-buckets",
        parameters: vec![kind.number(), points as u64, width.into(), together.into()],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let coefficients = &curve.coefficients;
        let scalars = (0..together).map(|sum| {
            let scalar = builder.scalar(&format!("digits {sum}"), points as u32 * width, false);
            let magnitudes = builder.digits(scalar, Recoding::Magnitudes { width });
            [
                magnitudes,
                builder.digits(scalar, Recoding::OddSigns { width }),
            ]
        });
        let scalars: Vec<_> = scalars.collect();
        let entries = (0..points).map(|_| {
            let [x, y] = [(); 2].map(|()| builder.input_unreduced(bits));
            let point = [curve.map_x(builder, x), curve.map_y(builder, y)];
            coefficients.entry(builder, point, None)
        });
        let entries: Vec<_> = entries.collect();
        // Bucket m is that of the digits m and -m; nobody reads bucket 0.
        let count = Recoding::Magnitudes { width }.entries();
        let infinity = infinity(builder, coefficients);
        let buckets = Buckets::new(builder, count);
        for [magnitudes, signs] in scalars {
            buckets.fill(builder, count, infinity);
            for (position, entry) in (0u32..).zip(&entries) {
                let entry = Entry {
                    sign: Some((signs, position)),
                    ..*entry
                };
                let sum = buckets.select(builder, magnitudes, position);
                let sum = coefficients.add(builder, sum, &entry);
                buckets.store(builder, magnitudes, position, sum);
            }
            let Homogeneous { x, y, z } = weighted(builder, coefficients, buckets, count);
            for coordinate in [x, y, z] {
                builder.output(coordinate);
            }
        }
    })
}

/// The sum of all buckets from the second on, each times its index.
fn weighted(
    builder: &mut Builder,
    curve: &Coefficients,
    buckets: Buckets,
    count: usize,
) -> Homogeneous {
    // The sum of the buckets from one on, and the sum of these sums.
    let mut running = buckets.load(builder, count - 1);
    let mut total = running;
    for bucket in (1..count - 1).rev() {
        let bucket = buckets.load(builder, bucket);
        running = curve.add_points(builder, running, bucket);
        total = curve.add_points(builder, total, running);
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
            sum = coefficients.add_points(builder, sum, point);
        }
        let x = curve.unmap_x(builder, sum.x);
        let y = curve.unmap_y(builder, sum.y);
        for coordinate in [x, y, sum.z] {
            builder.output(coordinate);
        }
    })
}
