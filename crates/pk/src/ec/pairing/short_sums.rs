//! Sums of multiples by short factors, in both groups: of elements, or of hashes whose cofactor is cleared of the sum.
//! Public.
//!
//! A program adds up to eight multiples, which share the doublings (Straus, 1964): by windows of four bits, from tables of
//! odd multiples, of a point P and of `l P` for the number `l = -x^2`. `l P = (c x, y)` with a cube root c of 1, for
//! points of order n. On the whole curve that is an endomorphism, too, with which psi and all multiplications commute: so
//! the cofactor may be cleared of a sum instead of each summand.

use super::doublings::{Doublings, Work, outcomes};
use super::element::{G2Element, affine};
use super::prepared::PreparedPairing;
use super::quadratic::Quadratic;
use super::short_factor::{ShortFactor, Summand};
use super::sums::{sum_g2_points, sum_points};
use super::swu_g1::{self, G1Image};
use super::swu_g2::{self, G2Image};
use super::{g1_short, g2_short};
use crate::ec::field::Element;
use crate::ec::group::GroupElement;
use crate::ec::point::Point;
use crypto_bigint::BoxedUint;
use std::borrow::Cow;
use std::sync::Arc;
use sunzi_engine::{EngineError, Outcome, Programs};

/// The most multiples that a program adds.
const TERMS: usize = 8;
/// The number of programs that vectors run at once.
const LANES: usize = 8;

/// A multiple to add: the numbers of the summand, and the factor.
struct Term<'a> {
    numbers: Vec<Cow<'a, BoxedUint>>,
    factor: &'a ShortFactor,
}

/// The number of terms of a program, for a number of terms in all: as many as fill the lanes, and as even.
fn terms_at_once(count: usize) -> usize {
    let programs = count.div_ceil(TERMS).next_multiple_of(LANES);
    count.div_ceil(programs.max(1)).max(1)
}

/// Sums of parts of the lists, and how many parts each list has.
fn parts(
    pairing: &PreparedPairing,
    lists: &[Vec<Term<'_>>],
    program: impl Fn(usize, Doublings) -> Result<Arc<Programs>, EngineError>,
) -> Result<(Vec<Outcome>, Vec<usize>), EngineError> {
    let length = terms_at_once(lists.iter().map(Vec::len).sum());
    let work = lists
        .iter()
        .flat_map(|list| list.chunks(length))
        .map(|part| Work {
            count: part.len(),
            inputs: part
                .iter()
                .flat_map(|term| term.numbers.iter().map(|x| &**x))
                .collect(),
            scalars: part.iter().flat_map(|term| term.factor.windows()).collect(),
        });
    let counts = lists
        .iter()
        .map(|list| list.len().div_ceil(length))
        .collect();
    Ok((
        outcomes(pairing, &work.collect::<Vec<_>>(), program)?,
        counts,
    ))
}

/// The points of parts, by lists; those at infinity are left out.
fn by_lists<T>(points: Vec<Option<T>>, counts: &[usize]) -> Vec<Vec<T>> {
    let mut points = points.into_iter();
    let lists = counts
        .iter()
        .map(|&count| points.by_ref().take(count).flatten().collect());
    lists.collect()
}

/// The sum of each list of multiples in G1, in the same order.
pub(crate) fn sum_g1_short_batch_vartime(
    pairing: &PreparedPairing,
    lists: &[Vec<(&GroupElement, &ShortFactor)>],
) -> Result<Vec<GroupElement>, EngineError> {
    let term = |&(element, factor): &(&GroupElement, _)| {
        let Point { x, y } = element.point()?;
        let numbers = [x, y].map(|x| Cow::Owned(Element::retrieve(x)));
        Some(Term {
            numbers: numbers.into(),
            factor,
        })
    };
    let lists = lists
        .iter()
        .map(|list| list.iter().filter_map(term).collect());
    let sums = g1_sums(pairing, &lists.collect::<Vec<_>>(), Summand::Point)?.into_iter();
    let curve = pairing.g1().curve();
    Ok(sums.map(|sum| GroupElement::of(curve, sum)).collect())
}

/// The sum of each list of multiples of hashes in G1 whose cofactor has not been cleared, in the same order.
pub(crate) fn sum_g1_images_short_batch_vartime(
    pairing: &PreparedPairing,
    lists: &[Vec<(&G1Image, &ShortFactor)>],
) -> Result<Vec<GroupElement>, EngineError> {
    let lists = lists.iter().map(|list| {
        let terms = list.iter().map(|&(image, factor)| Term {
            numbers: image.numbers().map(Cow::Borrowed).collect(),
            factor,
        });
        terms.collect()
    });
    let sums = g1_sums(pairing, &lists.collect::<Vec<_>>(), Summand::Image)?;
    swu_g1::clear_points(pairing, &sums)
}

fn g1_sums(
    pairing: &PreparedPairing,
    lists: &[Vec<Term<'_>>],
    summand: Summand,
) -> Result<Vec<Option<Point>>, EngineError> {
    let program = |count, doublings| g1_short::program(pairing, summand, count, doublings);
    let (outcomes, counts) = parts(pairing, lists, program)?;
    let curve = pairing.g1().curve();
    let integers = outcomes.iter().map(|outcome| &outcome.integers[..]);
    let points = curve.affine_all(&integers.collect::<Vec<_>>());
    Ok(sum_points(curve, by_lists(points, &counts)))
}

/// The sum of each list of multiples in G2, in the same order.
pub(crate) fn sum_g2_short_batch_vartime(
    pairing: &PreparedPairing,
    lists: &[Vec<(&G2Element, &ShortFactor)>],
) -> Result<Vec<G2Element>, EngineError> {
    let term = |&(element, factor): &(&G2Element, _)| {
        let numbers = element.point()?.iter().flat_map(Quadratic::integers);
        Some(Term {
            numbers: numbers.map(Cow::Owned).collect(),
            factor,
        })
    };
    let lists = lists
        .iter()
        .map(|list| list.iter().filter_map(term).collect());
    let sums = g2_sums(pairing, &lists.collect::<Vec<_>>(), Summand::Point)?.into_iter();
    Ok(sums.map(G2Element::of).collect())
}

/// The sum of each list of multiples of hashes in G2 whose cofactor has not been cleared, in the same order.
pub(crate) fn sum_g2_images_short_batch_vartime(
    pairing: &PreparedPairing,
    lists: &[Vec<(&G2Image, &ShortFactor)>],
) -> Result<Vec<G2Element>, EngineError> {
    let lists = lists.iter().map(|list| {
        let terms = list.iter().map(|&(image, factor)| Term {
            numbers: image.numbers().map(Cow::Borrowed).collect(),
            factor,
        });
        terms.collect()
    });
    let sums = g2_sums(pairing, &lists.collect::<Vec<_>>(), Summand::Image)?;
    swu_g2::clear_points(pairing, &sums)
}

fn g2_sums(
    pairing: &PreparedPairing,
    lists: &[Vec<Term<'_>>],
    summand: Summand,
) -> Result<Vec<Option<[Quadratic; 2]>>, EngineError> {
    let program = |count, doublings| g2_short::program(pairing, summand, count, doublings);
    let (outcomes, counts) = parts(pairing, lists, program)?;
    sum_g2_points(pairing, by_lists(affine(&outcomes), &counts))
}
