//! Multiples of elements of G1 by short public factors, and sums. For factors of full length see
//! [`multiply_batch`](crate::ec::multiply_batch).

use super::prepared::PreparedPairing;
use super::tower::constant;
use crate::ec::field::Element;
use crate::ec::formulas::{CoefficientA, Coefficients, Factor};
use crate::ec::group::GroupElement;
use crate::ec::multiply::{PointPart, Tables, variable_base};
use crate::ec::point::Point;
use crypto_bigint::BoxedUint;
use sunzi_engine::{EngineError, Job, ProgramKey};

/// Multiples of points by public factors, as those of [`G2`](super::g2_multiply::public_multiples): with the same l,
/// `l P = (beta x, y)` for a cube root beta of 1.
pub(super) fn public_multiples(
    pairing: &PreparedPairing,
    scalar_bits: u32,
    work: &[(&Point, &[BoxedUint; 2])],
) -> Result<Vec<Option<Point>>, EngineError> {
    let bits = pairing.p().class();
    let curve = pairing.g1().curve();
    let key = ProgramKey {
        bits,
        kind: "pairing-g1-public-multiple",
        parameters: vec![scalar_bits.into()],
    };
    let programs = pairing.engine().programs(key, |builder| {
        let q = [(); 2].map(|()| builder.input(bits));
        let one = builder.montgomery_one();
        let beta = curve.subgroup_root();
        let beta = beta.map(|beta| constant(builder, &beta.retrieve()));
        let scalars = ["k1", "k2"].map(|name| builder.scalar(name, scalar_bits, false));
        let coefficients = Coefficients {
            a: CoefficientA::Zero,
            b3: Factor::Small(super::parameters::B3),
            one,
        };
        let point = PointPart {
            q,
            scalars: scalars.to_vec(),
            beta,
            prime_less_two: None,
        };
        let multiple = variable_base(builder, &coefficients, &point, &mut Tables::default());
        for coordinate in [multiple.x, multiple.y, multiple.z] {
            builder.output(coordinate);
        }
    })?;
    let inputs = work
        .iter()
        .map(|(point, _)| [&point.x, &point.y].map(Element::retrieve));
    let inputs: Vec<_> = inputs.collect();
    let jobs = work.iter().zip(&inputs).map(|((_, halves), inputs)| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: inputs.iter().collect(),
        scalars: halves.iter().collect(),
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    let integers = outcomes.iter().map(|outcome| &outcome.integers[..]);
    Ok(curve.affine_all(&integers.collect::<Vec<_>>()))
}

/// The sum of each list of elements of G1, in the same order; the neutral element for an empty list. The additions of a
/// round share an inversion.
pub(crate) fn sum_g1_batch_vartime(
    pairing: &PreparedPairing,
    lists: &[&[&GroupElement]],
) -> Vec<GroupElement> {
    let curve = pairing.g1().curve();
    let lists = lists.iter().map(|list| {
        let points = list.iter().filter_map(|element| element.point().cloned());
        points.collect::<Vec<_>>()
    });
    let mut lists: Vec<_> = lists.collect();
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
    let elements = lists.into_iter();
    elements
        .map(|mut list| GroupElement::of(curve, list.pop()))
        .collect()
}
