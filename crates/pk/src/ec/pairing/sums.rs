//! Sums of elements of G1, and of G2. Public. For sums of multiples see [`short_sums`](super::short_sums) and
//! [`multi_scalar_batch_vartime`](crate::ec::multi_scalar_batch_vartime).

use super::element::{G2Element, affine};
use super::prepared::PreparedPairing;
use super::quadratic::Quadratic;
use super::tower::Fp2;
use super::twist::{TripleB, Twisted};
use crate::ec::curve::Curve;
use crate::ec::group::GroupElement;
use crate::ec::point::Point;
use std::sync::Arc;
use sunzi_engine::program::Builder;
use sunzi_engine::{EngineError, Job, ProgramKey, Programs};

/// The sum of each list of elements of G1, in the same order; the neutral element for an empty list. The additions of a
/// round share an inversion.
pub(crate) fn sum_g1_batch_vartime(
    pairing: &PreparedPairing,
    lists: &[&[&GroupElement]],
) -> Vec<GroupElement> {
    let curve = pairing.g1().curve();
    let lists = lists.iter().map(|list| {
        let points = list.iter().filter_map(|element| element.point().cloned());
        points.collect()
    });
    let sums = sum_points(curve, lists.collect()).into_iter();
    sums.map(|sum| GroupElement::of(curve, sum)).collect()
}

/// The sum of each list of points of a curve; none at infinity.
pub(super) fn sum_points(curve: &Curve, mut lists: Vec<Vec<Point>>) -> Vec<Option<Point>> {
    while lists.iter().any(|list| list.len() > 1) {
        let pairs = lists.iter().flat_map(|list| list.chunks_exact(2));
        let pairs: Vec<_> = pairs.map(|pair| (&pair[0], &pair[1])).collect();
        let mut sums = curve.add_all(&pairs).into_iter();
        let next = lists.iter().map(|list| {
            let mut next: Vec<_> = sums.by_ref().take(list.len() / 2).flatten().collect();
            next.extend(list.chunks_exact(2).remainder().iter().cloned());
            next
        });
        lists = next.collect();
    }
    lists.into_iter().map(|mut list| list.pop()).collect()
}

/// The most points of G2 that a program adds.
const SUMMANDS: usize = 16;

/// The sum of each list of elements, in the same order; the neutral element for an empty list.
///
/// # Errors
/// [`EngineError`] where no device of the engine could compute it.
pub fn sum_g2_batch_vartime(
    pairing: &PreparedPairing,
    lists: &[&[&G2Element]],
) -> Result<Vec<G2Element>, EngineError> {
    let lists = lists.iter().map(|list| {
        let points = list.iter().filter_map(|element| element.point().cloned());
        points.collect()
    });
    let sums = sum_g2_points(pairing, lists.collect())?.into_iter();
    Ok(sums.map(G2Element::of).collect())
}

/// The sum of each list of points of the curve of G2; none at infinity.
pub(super) fn sum_g2_points(
    pairing: &PreparedPairing,
    mut lists: Vec<Vec<[Quadratic; 2]>>,
) -> Result<Vec<Option<[Quadratic; 2]>>, EngineError> {
    while lists.iter().any(|list| list.len() > 1) {
        let parts = lists.iter().flat_map(|list| list.chunks(SUMMANDS));
        let parts = parts.filter(|part| part.len() > 1);
        let mut sums = added(pairing, &parts.collect::<Vec<_>>())?.into_iter();
        for list in &mut lists {
            let next = list.chunks(SUMMANDS).filter_map(|part| match part {
                [point] => Some(point.clone()),
                _ => sums.next().flatten(),
            });
            *list = next.collect();
        }
    }
    Ok(lists.into_iter().map(|mut list| list.pop()).collect())
}

/// The sum of each list of at most [`SUMMANDS`] points; none at infinity.
fn added(
    pairing: &PreparedPairing,
    lists: &[&[[Quadratic; 2]]],
) -> Result<Vec<Option<[Quadratic; 2]>>, EngineError> {
    let mut work = Vec::with_capacity(lists.len());
    for list in lists {
        let inputs = list.iter().flatten().flat_map(Quadratic::integers);
        work.push((program(pairing, list.len())?, inputs.collect::<Vec<_>>()));
    }
    let jobs = work.iter().map(|(programs, inputs)| Job {
        programs,
        modulus: pairing.p(),
        constants: None,
        inputs: inputs.iter().collect(),
        scalars: Vec::new(),
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    Ok(affine(&outcomes))
}

/// The sum (X : Y : Z) of so many points, at least one: six numbers, and the norm of Z.
fn program(pairing: &PreparedPairing, count: usize) -> Result<Arc<Programs>, EngineError> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: "pairing-g2-sum",
        parameters: vec![count as u64],
    };
    pairing.engine().programs(key, |builder| {
        let next = |builder: &mut Builder| [(); 2].map(|()| Fp2::input(builder, bits));
        let first = next(builder);
        let first = Twisted::affine(builder, TripleB::Bls12_381, first);
        let sum = (1..count).fold(first, |sum, _| {
            let point = next(builder);
            sum.add_affine(builder, point)
        });
        sum.output(builder);
    })
}
