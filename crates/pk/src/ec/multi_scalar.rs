//! Sums of many multiples of points, `k_1 P_1 + ... + k_N P_N`, by buckets (Pippenger, 1976; Bernstein,
//! Doumen, Lange and Oosterwijk, "Faster batch forgery identification", 2012, section 4). Public.
//!
//! Scalars are taken apart into signed digits of w bits. For each digit the points go to buckets, one for each magnitude
//! that the digit can have; the buckets' sums, each times its magnitude, are the sum for this digit by two running sums.
//! Each member of a group does that for some digits of a part of the points, which it converts once. A second program
//! joins the digits' sums of a part by doublings, and the sums of the parts are added outside.

use super::endomorphism::Endomorphism;
use super::field::Element;
use super::formulas::{Coefficients, Entry, Homogeneous};
use super::model::Kind;
use super::point::Point;
use super::prepared::PreparedCurve;
use crypto_bigint::{BoxedUint, Word};
use std::borrow::Cow;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Recoding, Stream, Table};
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs, available_threads};

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
        Plan::new(kind, sum.terms.len(), sum.bits, available_threads())
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
    let mut joined = Vec::with_capacity(parts.len());
    for parts in parts.chunks(AT_A_TIME) {
        let digits = digit_sums(engine, parts)?;
        joined.extend(join(engine, parts, &digits)?);
    }

    let mut joined = joined.iter();
    let totals = sums.iter().zip(&plans).map(|(sum, plan)| {
        let parts = sum.terms.len().div_ceil(plan.points);
        let outcomes: Vec<_> = joined.by_ref().take(parts).collect();
        total(sum.curve, &outcomes)
    });
    Ok(totals.collect())
}

/// Number of parts whose jobs are in memory at a time: enough for hundreds of threads.
pub(super) const AT_A_TIME: usize = 1024;

/// A part of a sum: at most as many terms as a program takes.
struct Part<'a> {
    curve: &'a PreparedCurve,
    bits: u32,
    plan: Plan,
    terms: &'a [Term<'a>],
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
            let scalars = part.terms.iter().map(|term| &term.scalar);
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
        running = add(builder, curve, running, bucket);
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
