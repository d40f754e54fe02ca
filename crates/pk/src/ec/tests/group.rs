//! Multiples and sums through the public functions, over small subgroups: with the recoding and splitting of scalars,
//! and with the programs that decide where fast ones do not.

use super::super::endomorphism::Endomorphism;
use super::super::group::{
    CombineRequest, GroupElement, MultiplyRequest, SumRequest, combine_batch_vartime,
    multi_scalar_batch_vartime, multiply_batch,
};
use super::super::multi_scalar::AT_A_TIME;
use super::super::multiply::WIDTH;
use super::super::point::Point;
use super::super::prepared::PreparedCurve;
use super::{CURVES, SMALL, engines, step};
use crate::ec::Curve;
use crypto_bigint::BoxedUint;
use sunzi_engine::{Backend, Engine};

/// A curve with a = 0, of whose small subgroup the endomorphism splits secret scalars into halves of two digits. In smaller
/// groups sums on the way could meet equal or opposite points.
const SPLIT: [u64; 6] = [
    9_760_463_267_531_146_141,
    0,
    10,
    6_565_832_779_822_473_578,
    1_710_907_412_980_832_049,
    19_477,
];

struct Group {
    engine: Engine,
    curve: PreparedCurve,
    /// All multiples of the base point, the neutral element first.
    elements: Vec<GroupElement>,
    /// The numbers below the order.
    scalars: Vec<BoxedUint>,
}

impl Group {
    fn new(engine: &Engine, numbers: [u64; 6]) -> Self {
        let order = numbers[5];
        let [p, a, b, x, y, n] = numbers.map(BoxedUint::from);
        let curve = Curve::unchecked([&p, &a, &b], [&x, &y], &n).unwrap();
        let mut elements = vec![GroupElement::identity(&curve)];
        let mut multiple: Option<Point> = Some(curve.generator().clone());
        while let Some(point) = multiple {
            multiple = curve.add_all(&[(&point, curve.generator())]).remove(0);
            elements.push(GroupElement::of(&curve, Some(point)));
        }
        assert_eq!(elements.len() as u64, order);
        let precision = curve.order().as_ref().bits_precision();
        let scalar = |k| BoxedUint::from_be_slice(&u64::to_be_bytes(k), precision).unwrap();
        Self {
            engine: engine.clone(),
            curve: PreparedCurve::of_small_order(engine, &curve).unwrap(),
            elements,
            scalars: (0..order).map(scalar).collect(),
        }
    }

    fn order(&self) -> usize {
        self.elements.len()
    }

    /// Multiple k of the base point.
    fn element(&self, k: usize) -> &GroupElement {
        &self.elements[k % self.order()]
    }

    fn scalar(&self, k: usize) -> &BoxedUint {
        &self.scalars[k % self.order()]
    }

    /// Checks `u G + v Q` for triples u, v and q, where Q is multiple q of the base point G.
    fn check_combinations(&self, triples: &[[usize; 3]]) {
        let request = |&[u, v, q]: &[usize; 3]| CombineRequest {
            curve: &self.curve,
            u: self.scalar(u),
            v: self.scalar(v),
            element: self.element(q),
        };
        let requests: Vec<_> = triples.iter().map(request).collect();
        let sums = combine_batch_vartime(&self.engine, &requests);
        for (&[u, v, q], sum) in triples.iter().zip(sums) {
            let right = self.element(u + v * q);
            assert_eq!(sum.as_ref(), Ok(right), "{u} G + {v} {q} G");
        }
    }

    /// Checks sums of terms (k, q): k times multiple q of the base point.
    fn check_sums(&self, sums: &[Vec<[usize; 2]>]) {
        let terms = |sum: &Vec<[usize; 2]>| -> Vec<_> {
            let terms = sum.iter().map(|&[k, q]| (self.scalar(k), self.element(q)));
            terms.collect()
        };
        let terms: Vec<_> = sums.iter().map(terms).collect();
        let requests = terms.iter().map(|terms| SumRequest {
            curve: &self.curve,
            terms,
        });
        let results = multi_scalar_batch_vartime(&self.engine, &requests.collect::<Vec<_>>());
        for (sum, result) in sums.iter().zip(results) {
            let right = sum.iter().map(|[k, q]| k * q).sum::<usize>();
            assert_eq!(result.as_ref(), Ok(self.element(right)), "{sum:?}");
        }
    }
}

/// Tests groups of these curves on every backend that this processor has.
fn for_each_group(curves: &[[u64; 6]], test: impl Fn(&Group)) {
    for engine in engines() {
        for &numbers in curves {
            test(&Group::new(&engine, numbers));
        }
    }
}

/// Secret scalars are split on one curve, and on no other.
#[test]
fn splits() {
    let engine = Engine::new(Backend::PORTABLE).unwrap();
    let split = |numbers| {
        let group = Group::new(&engine, numbers);
        let endomorphism = group.curve.endomorphism();
        endomorphism.and_then(Endomorphism::secret_bits)
    };
    assert_eq!(split(SPLIT), Some(2 * WIDTH));
    assert_eq!(
        [SMALL, CURVES].map(|curves| curves.map(split)),
        [[None; 3]; 2]
    );
}

/// Every `step`-th of all multiples of all points by secret scalars; where these are split by the endomorphism, of all
/// multiples of some points and some multiples of all points.
fn check_secret_multiples(step: impl Fn(&Engine) -> usize) {
    let curves = [&[SPLIT][..], &SMALL].concat();
    for_each_group(&curves, |group| {
        let order = group.order();
        let all = || 1..order;
        let some = [1, 2, 16, order / 2, order - 1];
        let pairs: Vec<_> = if group
            .curve
            .endomorphism()
            .and_then(Endomorphism::secret_bits)
            .is_some()
        {
            let of_some = all().flat_map(|k| some.map(|q| (k, q)));
            of_some
                .chain(all().flat_map(|q| some.map(|k| (k, q))))
                .collect()
        } else {
            all().flat_map(|k| all().map(move |q| (k, q))).collect()
        };
        let pairs: Vec<_> = pairs.into_iter().step_by(step(&group.engine)).collect();
        let requests = pairs.iter().map(|&(k, q)| MultiplyRequest {
            curve: &group.curve,
            scalar: group.scalar(k),
            element: group.element(q),
        });
        let multiples = multiply_batch(&group.engine, &requests.collect::<Vec<_>>());
        for (&(k, q), multiple) in pairs.iter().zip(multiples) {
            assert_eq!(multiple.as_ref(), Ok(group.element(k * q)), "{k} {q}");
        }
    });
}

#[test]
fn every_secret_multiple() {
    check_secret_multiples(step);
}

#[test]
#[ignore = "takes long: all multiples on every backend, of which a part is in every run"]
fn every_secret_multiple_on_every_backend() {
    check_secret_multiples(|_| 1);
}

/// Every `step`-th of these: all multiples of G with some of Q, split by the endomorphism, and some of G with all of Q,
/// for a Q for which nothing coincides, for G and -G, and for all Q with some multiples. On each kind of curve all of
/// both whose sum is at infinity, also for a Q at infinity.
fn check_combinations(step: impl Fn(&Engine) -> usize) {
    for engine in engines() {
        for (place, &numbers) in CURVES.iter().enumerate() {
            let group = Group::new(&engine, numbers);
            let order = group.order();
            let some = [0, 1, 2, 16, 33, 512, order - 1];
            let all = || 0..order;
            let mut triples = Vec::new();
            for q in [5, 1, order - 1, 0] {
                triples.extend(all().map(|v| [(order - q) * v % order, v, q]));
            }
            if place == 0 {
                for q in [5, 1, order - 1] {
                    triples.extend(all().flat_map(|u| some.map(|v| [u, v, q])));
                    triples.extend(all().flat_map(|v| some.map(|u| [u, v, q])));
                }
                triples.extend(all().flat_map(|q| some.map(|v| [3, v, q])));
            }
            let triples: Vec<_> = triples.into_iter().step_by(step(&engine)).collect();
            group.check_combinations(&triples);
        }
    }
}

#[test]
fn combinations() {
    check_combinations(step);
}

#[test]
#[ignore = "takes long: all combinations on every backend, of which a part is in every run"]
fn combinations_on_every_backend() {
    check_combinations(|_| 1);
}

/// Every `step`-th multiple of G with all of Q, split by the endomorphism, for a Q for which nothing coincides.
fn check_split_combinations(step: usize) {
    let group = Group::new(&Engine::new(Backend::best()).unwrap(), CURVES[0]);
    let order = group.order();
    for u in (0..order).step_by(step) {
        let triples: Vec<_> = (0..order).map(|v| [u, v, 5]).collect();
        group.check_combinations(&triples);
    }
}

#[test]
fn split_combinations() {
    check_split_combinations(5);
}

#[test]
#[ignore = "takes most of a minute: all combinations, of which a fifth is in every run"]
fn every_split_combination() {
    check_split_combinations(1);
}

/// The number of terms in a sum that is long for any curve.
const VERY_LONG: usize = 300;

/// Sums by buckets: every `step`-th multiple of all points, each with equal and opposite points and another
/// multiple; and sums of multiples of all points, for every `step`-th scalar of each of them.
fn check_sums_by_buckets(engine: &Engine, step: usize) {
    for &numbers in &SMALL {
        let group = Group::new(engine, numbers);
        let order = group.order();
        for k in (0..order).step_by(step) {
            let sums = (0..order).map(|q| vec![[k, q], [q, 1], [k, order - q], [k, 5 * q]]);
            group.check_sums(&sums.collect::<Vec<_>>());
        }
        let long = |first| (0..order).map(|q| [(first + q) % order, q]).collect();
        group.check_sums(&(0..order).step_by(step).map(long).collect::<Vec<_>>());
        // So long that pairs of affine points are added: all kinds in one list, and the same points many times.
        let longer = |first| {
            (0..VERY_LONG)
                .map(|q| [(first + 3 * q) % order, q % order])
                .collect()
        };
        let again = |q| {
            let terms = [[q, 1], [order - 1, q], [q, order - q], [1, 5 * q]];
            terms.into_iter().cycle().take(VERY_LONG + 1).collect()
        };
        let all = (0..order).step_by(step).flat_map(|q| [longer(q), again(q)]);
        group.check_sums(&all.collect::<Vec<_>>());
    }
}

#[test]
fn every_sum_by_buckets() {
    engines().for_each(|engine| check_sums_by_buckets(&engine, step(&engine)));
}

/// More parts than have their jobs in memory at a time.
#[test]
fn very_many_sums() {
    let engine = Engine::new(Backend::best()).unwrap();
    let group = Group::new(&engine, SMALL[0]);
    let sums = (0..AT_A_TIME + 3).map(|k| vec![[k, k + 1]]);
    group.check_sums(&sums.collect::<Vec<_>>());
}

#[test]
#[ignore = "takes minutes: all sums on every backend, of which a part is in every run"]
fn every_sum_by_buckets_on_every_backend() {
    engines().for_each(|engine| check_sums_by_buckets(&engine, 1));
}
