//! Sums of many multiples of points, `k_1 P_1 + ... + k_N P_N`, by buckets (Pippenger, 1976; Bernstein,
//! Doumen, Lange and Oosterwijk, "Faster batch forgery identification", 2012, section 4). Public.
//!
//! Buckets of long sums are added up by pairs of affine points ([`pairs`]), where the engine has a device with numbers in limbs;
//! all others by programs ([`programs`]).

mod pairs;
mod programs;

use super::endomorphism::Endomorphism;
use super::point::Point;
use super::prepared::PreparedCurve;
use crypto_bigint::{BoxedUint, U256};
use std::borrow::Cow;
use sunzi_engine::{Engine, EngineError, Outcome};

#[cfg(test)]
pub(super) use self::programs::AT_A_TIME;

/// A multiple of a point.
pub(super) struct Term<'a> {
    /// The scalar: as long as the [`Sum`] says, or below the order n of the base point if the curve has an endomorphism and
    /// the point has this order.
    pub(super) scalar: Cow<'a, BoxedUint>,
    pub(super) point: Place<'a>,
}

/// The affine coordinates of a point.
pub(super) enum Place<'a> {
    /// Integers below p.
    Integers([&'a BoxedUint; 2]),
    Point(Cow<'a, Point>),
}

impl Place<'_> {
    /// The coordinates as integers below p.
    fn coordinates(&self) -> [Cow<'_, BoxedUint>; 2] {
        match self {
            Self::Integers(coordinates) => coordinates.map(Cow::Borrowed),
            Self::Point(point) => [&point.x, &point.y].map(|x| Cow::Owned(x.retrieve())),
        }
    }
}

/// The numbers of which a point, and its image under the endomorphism of its curve, are multiplied.
enum Parts<'a> {
    /// The scalar as it is.
    Whole(&'a BoxedUint),
    /// Its halves, of the point and of the image, and whether each is negative.
    Halves([(bool, U256); 2]),
}

impl Parts<'_> {
    /// The words of each number, and whether it is negative.
    fn iter(&self) -> impl Iterator<Item = (bool, &[u64])> {
        let (whole, halves) = match self {
            Self::Whole(scalar) => (Some((false, scalar.as_words())), &[][..]),
            Self::Halves(halves) => (None, &halves[..]),
        };
        let halves = halves.iter();
        let halves = halves.map(|(is_negative, half)| (*is_negative, &half.as_words()[..]));
        whole.into_iter().chain(halves)
    }
}

/// A sum of multiples of points of a curve.
pub(super) struct Sum<'a> {
    pub(super) curve: &'a PreparedCurve,
    /// The length of scalars: longer ones are split into halves of at most [`term_bits`], which this is not below.
    pub(super) bits: u32,
    pub(super) terms: Vec<Term<'a>>,
}

impl Sum<'_> {
    /// Whether it has so many points that sums of pairs take less time than programs do (docs/curves.md has figures).
    fn is_long(&self) -> bool {
        const LEAST: usize = 256;
        let split = self.terms.iter().filter(|term| self.splits(term)).count();
        self.terms.len() + split >= LEAST
    }

    /// Whether a term's scalar is split.
    fn splits(&self, term: &Term<'_>) -> bool {
        term.scalar.bits_vartime() > self.bits
    }

    /// The numbers that a term's scalar is split into.
    fn parts<'a>(&self, term: &'a Term<'_>) -> Parts<'a> {
        match self.curve.endomorphism() {
            Some(endomorphism) if self.splits(term) => {
                Parts::Halves(endomorphism.signed_halves_vartime(&term.scalar))
            }
            _ => Parts::Whole(&term.scalar),
        }
    }
}

/// The length of scalars below the order n, or of their halves where the curve has an endomorphism.
pub(super) fn term_bits(curve: &PreparedCurve) -> u32 {
    let endomorphism = curve.endomorphism();
    endomorphism.map_or_else(|| curve.order_bits(), Endomorphism::bits)
}

/// The sums; `None` for one at infinity. Scalars may be 0, points equal or opposite.
#[inline(never)]
pub(super) fn sums(engine: &Engine, sums: &[Sum<'_>]) -> Result<Vec<Option<Point>>, EngineError> {
    let (long, short): (Vec<_>, Vec<_>) = sums.iter().partition(|sum| sum.is_long());
    let Some(of_long) = pairs::sums(engine, &long)? else {
        return programs::sums(engine, &sums.iter().collect::<Vec<_>>());
    };
    let mut of_long = of_long.into_iter();
    let mut of_short = programs::sums(engine, &short)?.into_iter();
    let result = |sum: &Sum<'_>| {
        let next = if sum.is_long() {
            of_long.next()
        } else {
            of_short.next()
        };
        next.flatten()
    };
    Ok(sums.iter().map(result).collect())
}

/// `width < 64` bits from bit `position` on.
fn window(words: &[u64], position: usize, width: u32) -> u64 {
    let (word, shift) = (position / 64, position % 64);
    let above = words
        .get(word + 1)
        .map_or(0, |above| above << 1 << (63 - shift));
    (words[word] >> shift | above) & ((1 << width) - 1)
}

/// The sum of all parts.
#[inline(never)]
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
