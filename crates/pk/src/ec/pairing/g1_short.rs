//! The program of a [sum of multiples](super::short_sums) in G1. Public.

use super::doublings::Doublings;
use super::prepared::PreparedPairing;
use super::short_factor::{ENTRIES, ShortFactor, Summand, WIDTH, WINDOWS};
use super::swu_g1::{G1Image, Isogeny, coefficients, double_by};
use super::tower::constant;
use crate::ec::formulas::{Coefficients, Entry, Homogeneous};
use std::sync::Arc;
use sunzi_engine::program::{Builder, Recoding, Stream, Table, Value};
use sunzi_engine::{EngineError, ProgramKey, Programs};

/// The multiples of a point that digits name, and the digits.
struct Half {
    /// x, y and z of odd multiples.
    tables: [Table; 3],
    magnitudes: Stream,
    signs: Stream,
}

/// The sum (X : Y : Z) of `count` multiples, at least one. As for [G2](super::g2_short::program).
pub(super) fn program(
    pairing: &PreparedPairing,
    summand: Summand,
    count: usize,
    doublings: Doublings,
) -> Result<Arc<Programs>, EngineError> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: match summand {
            Summand::Point => "pairing-g1-short-sum",
            Summand::Image => "pairing-g1-short-sum-images",
        },
        parameters: vec![count as u64, doublings as u64],
    };
    pairing.engine().programs(key, |builder| {
        let curve = coefficients(builder);
        let beta = pairing.g1().curve().subgroup_root();
        let beta = beta
            .expect("the curve is BLS12-381's, whose p is 1 modulo 3")
            .retrieve();
        let beta = constant(builder, &beta);
        let isogeny = match summand {
            Summand::Image => Some(Isogeny::new(builder)),
            Summand::Point => None,
        };
        let mut halves = Vec::new();
        for term in 0..count {
            let point = if let Some(isogeny) = &isogeny {
                isogeny.images(builder, &curve, bits, G1Image::POINTS)
            } else {
                let [x, y] = [(); 2].map(|()| builder.input(bits));
                let z = curve.one;
                Homogeneous { x, y, z }
            };
            let multiples = odd_multiples(builder, &curve, point);
            let mut table = |number: fn(&Homogeneous) -> Value| {
                let numbers: Vec<_> = multiples.iter().map(number).collect();
                builder.table_of(&numbers)
            };
            let [x, y, z] = [table(|p| p.x), table(|p| p.y), table(|p| p.z)];
            let mapped = multiples
                .iter()
                .map(|point| builder.fitting_product(point.x, beta));
            let mapped: Vec<_> = mapped.collect();
            let mapped = builder.table_of(&mapped);
            halves.extend([x, mapped].into_iter().zip(1..).map(|(x, half)| {
                let name = format!("k{half} of {term}");
                let scalar = builder.scalar(&name, ShortFactor::BITS, false);
                let width = WIDTH;
                Half {
                    tables: [x, y, z],
                    magnitudes: builder.digits(scalar, Recoding::OddMagnitudes { width }),
                    signs: builder.digits(scalar, Recoding::OddSigns { width }),
                }
            }));
        }
        let Homogeneous { x, y, z } = sum(builder, &curve, &halves, doublings);
        for coordinate in [x, y, z] {
            builder.output(coordinate);
        }
    })
}

/// `P, 3 P, ..., 15 P`.
fn odd_multiples(
    builder: &mut Builder,
    curve: &Coefficients,
    point: Homogeneous,
) -> Vec<Homogeneous> {
    let double = curve.double(builder, point);
    let mut multiples = vec![point];
    while multiples.len() < ENTRIES {
        let last = multiples[multiples.len() - 1];
        multiples.push(curve.add_points(builder, last, double));
    }
    multiples
}

/// The sum of the multiples that all digits name.
fn sum(
    builder: &mut Builder,
    curve: &Coefficients,
    halves: &[Half],
    doublings: Doublings,
) -> Homogeneous {
    let add = |builder: &mut Builder, sum: Option<Homogeneous>, window| {
        halves.iter().fold(sum, |sum, half| {
            let [x, y, z] = half
                .tables
                .map(|table| builder.select(table, half.magnitudes, window));
            let entry = Entry {
                sign: Some((half.signs, window)),
                ..curve.entry(builder, [x, y], Some(z))
            };
            Some(curve.add_to(builder, sum, &entry))
        })
    };
    let first = add(builder, None, WINDOWS - 1);
    let sum = (0..WINDOWS - 1).rev().fold(first, |sum, window| {
        let sum = sum.map(|sum| double_by(builder, curve, sum, (doublings, WIDTH)));
        add(builder, sum, window)
    });
    let (x, y, z) = (curve.one, curve.one, curve.one);
    sum.unwrap_or(Homogeneous { x, y, z })
}
