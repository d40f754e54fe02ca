//! The program of a [sum of multiples](super::short_sums) in G2. Public.

use super::doublings::Doublings;
use super::g2_multiply::PointTable;
use super::parameters::parameters;
use super::prepared::PreparedPairing;
use super::short_factor::{ENTRIES, ShortFactor, Summand, WIDTH, WINDOWS};
use super::swu_g2::{G2Image, Isogeny};
use super::tower::{Fp2, constant};
use super::twist::{TripleB, Twisted};
use std::sync::Arc;
use sunzi_engine::program::{Builder, Recoding, Stream, Value};
use sunzi_engine::{EngineError, ProgramKey, Programs};

/// The sum (X : Y : Z) of `count` multiples, at least one: six numbers, and the norm of Z.
///
/// Of a single point of order n a sum before doublings is `m_1 + m_2 l` times the point, for odd numbers m below 2^36,
/// and so not at infinity. Of several, or of points of other orders, one may be.
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
            Summand::Point => "pairing-g2-short-sum",
            Summand::Image => "pairing-g2-short-sum-images",
        },
        parameters: vec![count as u64, doublings as u64],
    };
    pairing.engine().programs(key, |builder| {
        let cube_root = parameters().psi[0].norm().retrieve();
        let cube_root = constant(builder, &cube_root);
        let isogeny = match summand {
            Summand::Image => Some(Isogeny::new(builder)),
            Summand::Point => None,
        };
        let next = |builder: &mut Builder| {
            if let Some(isogeny) = &isogeny {
                return isogeny.images(builder, bits, G2Image::POINTS);
            }
            let point = [(); 2].map(|()| Fp2::input(builder, bits));
            Twisted::affine(builder, TripleB::Bls12_381, point)
        };
        let mut halves = Vec::new();
        for term in 0..count {
            let point = next(builder);
            let tables = tables(builder, point, cube_root);
            halves.extend(tables.into_iter().zip(1..).map(|(table, half)| {
                let name = format!("k{half} of {term}");
                let scalar = builder.scalar(&name, ShortFactor::BITS, false);
                let width = WIDTH;
                let magnitudes = builder.digits(scalar, Recoding::OddMagnitudes { width });
                let signs = builder.digits(scalar, Recoding::OddSigns { width });
                (table, [magnitudes, signs])
            }));
        }
        sum(builder, &halves, doublings).output(builder);
    })
}

/// `P, 3 P, ..., 15 P`, and their multiples by l.
fn tables(builder: &mut Builder, point: Twisted, cube_root: Value) -> [PointTable; 2] {
    let double = point.double(builder).point;
    let mut multiples = vec![point];
    while multiples.len() < ENTRIES {
        let last = multiples[multiples.len() - 1];
        multiples.push(last.add(builder, double));
    }
    let mapped = multiples.iter().map(|point| Twisted {
        x: point.x.times(builder, cube_root),
        ..*point
    });
    let mapped: Vec<_> = mapped.collect();
    [multiples, mapped].map(|points| PointTable::new(builder, &points))
}

/// The sum of the multiples that the digits of at least one table's factor name.
fn sum(
    builder: &mut Builder,
    halves: &[(PointTable, [Stream; 2])],
    doublings: Doublings,
) -> Twisted {
    let add = |builder: &mut Builder, sum: Option<Twisted>, window| {
        halves.iter().fold(sum, |sum, (table, digits)| {
            let entry = table.select(builder, *digits, window);
            Some(match sum {
                None => entry,
                Some(sum) => sum.add(builder, entry),
            })
        })
    };
    let first = add(builder, None, WINDOWS - 1);
    let sum = (0..WINDOWS - 1).rev().fold(first, |sum, window| {
        let sum = sum.map(|sum| sum.double_by(builder, doublings, WIDTH));
        add(builder, sum, window)
    });
    sum.unwrap_or_else(|| {
        let one = Fp2::one(builder);
        Twisted::affine(builder, TripleB::Bls12_381, [one, one])
    })
}
