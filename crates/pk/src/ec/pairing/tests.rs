//! Towers, Miller loops, pairings and G2 on every device, compared with golden vectors.

use super::doublings::{self, Doublings, Work};
use super::element::{G2Element, GtElement, PreparedG2};
use super::final_exponentiation::easy_part;
use super::kind::Bls12_381;
use super::miller::{Pair, Second, miller};
use super::parameters::parameters;
use super::prepared::PreparedPairing;
use super::product::{PairingRequest, pairing_batch, pairing_product_is_one_batch};
use super::quadratic::Quadratic;
use super::tower::{Fp2, Fp12, Line, Sparse};
use super::twist::{TripleB, Twisted};
use super::{
    DomainSeparationTag, G2MultiplyRequest, ShortFactor, clear_g1_batch, clear_g2_batch,
    decode_g2_batch, hash_to_g1_batch, hash_to_g2_batch, map_to_g1_curve_batch,
    map_to_g2_curve_batch, multiply_g2_batch, sum_g1_batch_vartime,
    sum_g1_images_short_batch_vartime, sum_g1_short_batch_vartime, sum_g2_batch_vartime,
    sum_g2_images_short_batch_vartime, sum_g2_short_batch_vartime, swu_g1, swu_g2,
};
use crate::ec::field::{Element, Field};
use crate::ec::formulas::Homogeneous;
use crate::ec::group::{
    ElementFormat, GroupElement, GroupError, MultiplyRequest, decode_batch, multiply_batch,
};
use crate::ec::point::PointError;
use core::ops::Range;
use crypto_bigint::BoxedUint;
use serde::Deserialize;
use sunzi_engine::program::Builder;
use sunzi_engine::{Backend, Engine, Job, Outcome, ProgramKey};

/// The engines of all backends that this processor has.
fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|error| println!("SKIPPED: {error}"))
            .ok()
    })
}

pub(super) fn pairings() -> impl Iterator<Item = PreparedPairing> {
    engines().map(|engine| PreparedPairing::bls12_381(&engine).unwrap())
}

/// The pairing on residues, to which batches go on no device by themselves, and whose plans do not fold.
fn on_residues() -> impl Iterator<Item = PreparedPairing> {
    let layouts = ["portable:lanes4", "float:spread1"];
    let engines = layouts.map(|name| Engine::new(name.parse().unwrap()).unwrap());
    engines
        .map(|engine| PreparedPairing::bls12_381(&engine).unwrap())
        .into_iter()
}

pub(super) fn best() -> PreparedPairing {
    PreparedPairing::bls12_381(&Engine::new(Backend::best()).unwrap()).unwrap()
}

pub(super) fn integer(hex: &str) -> BoxedUint {
    BoxedUint::from_str_radix_vartime(hex, 16).unwrap()
}

/// An integer as programs put it out.
fn canonical(hex: &str) -> BoxedUint {
    let field = &parameters().field;
    field.element(&integer(hex)).unwrap().retrieve()
}

pub(super) fn bytes(hex: &str) -> Vec<u8> {
    let byte = |k: usize| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).unwrap();
    (0..hex.len() / 2).map(byte).collect()
}

/// An element of Fp12 in a file: parts of the coefficients of `w^0` to `w^5`.
type Twelve = [[String; 2]; 6];

fn twelve(x: &Twelve) -> Vec<BoxedUint> {
    x.iter().flatten().map(|x| canonical(x)).collect()
}

#[derive(Deserialize)]
struct Towers {
    cases: Vec<TowerCase>,
}

#[derive(Deserialize)]
struct TowerCase {
    a: Twelve,
    b: Twelve,
    product: Twelve,
    square: Twelve,
    line: LineCase,
    sparse: Twelve,
    inverse: Twelve,
    frobenius: Vec<Twelve>,
    easy: Twelve,
    cyclotomic_square: Twelve,
}

#[derive(Deserialize)]
struct LineCase {
    #[serde(rename = "0")]
    c0: [String; 2],
    #[serde(rename = "2")]
    c2: [String; 2],
    #[serde(rename = "3")]
    c3: [String; 2],
}

/// Runs a program whose inputs and outputs are numbers modulo p.
pub(super) fn run(
    pairing: &PreparedPairing,
    kind: &'static str,
    inputs: &[Vec<BoxedUint>],
    build: impl Fn(&mut Builder, u32),
) -> Vec<Vec<BoxedUint>> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind,
        parameters: Vec::new(),
    };
    let programs = pairing
        .engine()
        .programs(key, |builder| build(builder, bits));
    let programs = programs.unwrap();
    let jobs = inputs.iter().map(|inputs| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: inputs.iter().collect(),
        scalars: Vec::new(),
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>()).unwrap();
    let integers = outcomes.iter().map(|outcome| {
        let integers = outcome.integers.iter().map(|x| (**x).clone());
        integers.collect()
    });
    integers.collect()
}

#[test]
fn towers() {
    let text = include_str!("../../../../../vectors/pairings/towers.json");
    let Towers { cases } = serde_json::from_str(text).unwrap();
    for pairing in pairings() {
        let name = pairing.engine().backend();
        let inputs = cases.iter().map(|case| {
            let line = [&case.line.c0, &case.line.c2, &case.line.c3];
            let line = line.into_iter().flatten().map(|x| canonical(x));
            let mut inputs = twelve(&case.a);
            inputs.extend(twelve(&case.b));
            inputs.extend(line);
            inputs
        });
        let inputs: Vec<_> = inputs.collect();
        let outputs = run(&pairing, "test-towers", &inputs, |builder, bits| {
            let tower = parameters().tower;
            let [a, b] = [(); 2].map(|()| Fp12::input(builder, tower, bits));
            let [constant, of_x, of_y] = [(); 3].map(|()| Fp2::input(builder, bits));
            let line = Line {
                constant,
                of_x,
                of_y: Some(of_y),
            };
            let sparse = Sparse::of_fp12(a).times_line(builder, &line);
            let results = [
                a.multiply(builder, b),
                a.square(builder),
                sparse.dense(builder),
                a.frobenius(builder, &parameters().frobenius),
                a.frobenius_squared(builder, &parameters().frobenius_squared),
            ];
            for result in results {
                result.output(builder);
            }
            let norm = a.norm(builder);
            builder.output(norm);
        });
        let mut second = Vec::new();
        for (case, output) in cases.iter().zip(&outputs) {
            let expected = [
                &case.product,
                &case.square,
                &case.sparse,
                &case.frobenius[0],
                &case.frobenius[1],
            ];
            for (k, expected) in expected.into_iter().enumerate() {
                assert_eq!(
                    output[12 * k..12 * k + 12],
                    twelve(expected),
                    "{k} {name:?}"
                );
            }
            let norm = parameters().field.element(&output[60]).unwrap();
            let mut inputs = twelve(&case.a);
            inputs.push(Field::invert(&norm).unwrap().retrieve());
            inputs.extend(twelve(&case.inverse));
            second.push(inputs);
        }
        let outputs = run(&pairing, "test-towers-2", &second, |builder, bits| {
            let tower = parameters().tower;
            let a = Fp12::input(builder, tower, bits);
            let norm = builder.input(bits);
            let inverse = Fp12::input(builder, tower, bits);
            let easy = easy_part(builder, parameters(), a, norm);
            let conjugate = a.conjugate(builder);
            let quotient = a.conjugate_over_self(builder, norm);
            let results = [
                easy,
                easy.cyclotomic_square(builder),
                quotient,
                inverse.multiply(builder, conjugate),
                inverse.multiply(builder, a),
            ];
            for result in results {
                result.output(builder);
            }
        });
        for (case, output) in cases.iter().zip(&outputs) {
            assert_eq!(output[..12], twelve(&case.easy), "{name:?}");
            assert_eq!(output[12..24], twelve(&case.cyclotomic_square), "{name:?}");
            assert_eq!(output[24..36], output[36..48], "{name:?}");
            let one: GtElement = GtElement::one();
            let one: Vec<_> = one.coefficients().into_iter().flatten().collect();
            assert_eq!(output[48..].iter().collect::<Vec<_>>(), one, "{name:?}");
        }
    }
}

#[derive(Deserialize)]
struct Pairings {
    single: Vec<Single>,
    products: Vec<ProductCase>,
}

#[derive(Deserialize)]
struct Single {
    #[serde(rename = "P")]
    p: String,
    #[serde(rename = "Q")]
    q: String,
    miller: Twelve,
    pairing: Twelve,
}

#[derive(Deserialize)]
struct ProductCase {
    pairs: Vec<[String; 2]>,
    miller: Twelve,
    is_one: bool,
}

pub(super) fn g1(pairing: &PreparedPairing, hex: &[&str]) -> Vec<GroupElement> {
    let encodings: Vec<_> = hex.iter().map(|hex| bytes(hex)).collect();
    let encodings: Vec<_> = encodings.iter().map(|bytes| &bytes[..]).collect();
    let elements = decode_batch(pairing.g1(), ElementFormat::Zcash, &encodings).unwrap();
    elements.into_iter().map(Result::unwrap).collect()
}

pub(super) fn g2(pairing: &PreparedPairing, hex: &[&str]) -> Vec<G2Element> {
    let encodings: Vec<_> = hex.iter().map(|hex| bytes(hex)).collect();
    let encodings: Vec<_> = encodings.iter().map(|bytes| &bytes[..]).collect();
    let elements = decode_g2_batch(pairing, &encodings).unwrap();
    elements.into_iter().map(Result::unwrap).collect()
}

fn pair<'a>(p: &'a GroupElement, q: &'a G2Element) -> Pair<'a, Bls12_381> {
    Pair {
        p: p.point().unwrap(),
        q: Second::Point(q.point().unwrap()),
    }
}

/// Miller values and pairings of single pairs, prepared too, and of products.
#[test]
fn golden_pairings() {
    let text = include_str!("../../../../../vectors/pairings/pairings.json");
    let Pairings { single, products } = serde_json::from_str(text).unwrap();
    for pairing in pairings() {
        let name = pairing.engine().backend();
        let ps: Vec<_> = single.iter().map(|case| &*case.p).collect();
        let qs: Vec<_> = single.iter().map(|case| &*case.q).collect();
        let (ps, qs) = (g1(&pairing, &ps), g2(&pairing, &qs));
        let pairs: Vec<_> = ps.iter().zip(&qs).map(|(p, q)| pair(p, q)).collect();
        let groups: Vec<_> = pairs.iter().map(core::slice::from_ref).collect();
        for (case, value) in single.iter().zip(miller(&pairing, &groups).unwrap()) {
            assert_eq!(value.numbers, twelve(&case.miller), "{name:?}");
        }
        let prepared: Vec<_> = qs.iter().map(PreparedG2::new).collect();
        let plain = ps.iter().zip(&qs);
        let plain = plain.map(|(p, q)| PairingRequest::new(p, q));
        let with_lines = ps.iter().zip(&prepared);
        let with_lines = with_lines.map(|(p, q)| PairingRequest::prepared(p, q));
        let requests: Vec<_> = plain.chain(with_lines).collect();
        let values = pairing_batch(&pairing, &requests).unwrap();
        for (value, case) in values.iter().zip(single.iter().chain(&single)) {
            let coefficients = value.coefficients().into_iter().flatten().cloned();
            let coefficients: Vec<_> = coefficients.collect();
            assert_eq!(coefficients, twelve(&case.pairing), "{name:?}");
        }
        for case in &products {
            let ps: Vec<_> = case.pairs.iter().map(|pair| &*pair[0]).collect();
            let qs: Vec<_> = case.pairs.iter().map(|pair| &*pair[1]).collect();
            let (ps, qs) = (g1(&pairing, &ps), g2(&pairing, &qs));
            let pairs: Vec<_> = ps.iter().zip(&qs).map(|(p, q)| pair(p, q)).collect();
            if let [_, _] = pairs[..] {
                let value = &miller(&pairing, &[&pairs[..]]).unwrap()[0];
                assert_eq!(value.numbers, twelve(&case.miller), "{name:?}");
            }
            let requests = ps.iter().zip(&qs);
            let requests: Vec<_> = requests.map(|(p, q)| PairingRequest::new(p, q)).collect();
            let verdict = pairing_product_is_one_batch(&pairing, &[&requests[..]]).unwrap();
            assert_eq!(verdict, [case.is_one], "{name:?}");
        }
    }
}

/// Bilinearity: products of 0 to 7 pairs of multiples of the generators, with and without neutral elements, some of
/// them prepared, are 1 exactly if the sum of products of the factors is 0.
#[test]
fn bilinear() {
    let pairing = best();
    let curve = pairing.g1().curve();
    let generator = GroupElement::generator(curve);
    // Multiples k of the generators for k from -8 to 8.
    let mut ps = vec![GroupElement::identity(curve)];
    let mut qs = vec![G2Element::identity()];
    for _ in 0..8 {
        let last = &ps[ps.len() - 1];
        let sum = crate::ec::add_batch_vartime(curve, &[(last, &generator)]);
        ps.push(sum.unwrap().remove(0));
        let last = &qs[qs.len() - 1];
        qs.push(added(last, &G2Element::generator()));
    }
    let prepared: Vec<_> = qs.iter().map(PreparedG2::new).collect();
    let negative: Vec<_> = ps.iter().map(GroupElement::negated).collect();
    // Factors of both points of each pair; the pairs of odd places are prepared.
    let products: [&[(i32, u8)]; 9] = [
        &[],
        &[(3, 0), (0, 4)],
        &[(1, 1)],
        &[(2, 3), (-6, 1)],
        &[(2, 3), (-5, 1)],
        &[(1, 8), (-2, 2), (-4, 1)],
        &[(1, 8), (-2, 2), (-3, 1)],
        &[(1, 1), (2, 2), (3, 3), (-7, 2)],
        &[(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (-8, 2), (1, 1)],
    ];
    let requests = products.map(|product| {
        let request = |(place, &(p, q)): (usize, &(i32, u8))| {
            let g1 = if p < 0 { &negative } else { &ps };
            let g1 = &g1[p.unsigned_abs() as usize];
            match place % 2 {
                0 => PairingRequest::new(g1, &qs[usize::from(q)]),
                _ => PairingRequest::prepared(g1, &prepared[usize::from(q)]),
            }
        };
        product.iter().enumerate().map(request).collect::<Vec<_>>()
    });
    let requests = requests.each_ref().map(|requests| &requests[..]);
    let verdicts = pairing_product_is_one_batch(&pairing, &requests).unwrap();
    let sum =
        |product: &&[(i32, u8)]| -> i32 { product.iter().map(|&(p, q)| p * i32::from(q)).sum() };
    let expected: Vec<_> = products.iter().map(|product| sum(product) == 0).collect();
    assert_eq!(verdicts, expected);
}

/// The sum of different elements, by the chord.
pub(super) fn added(p: &G2Element, q: &G2Element) -> G2Element {
    let (Some([x1, y1]), Some([x2, y2])) = (p.point(), q.point()) else {
        return if p.is_identity() {
            q.clone()
        } else {
            p.clone()
        };
    };
    if *p == q.negated() {
        return G2Element::identity();
    }
    let slope = if p == q {
        let square = x1.square();
        let three = square.add(&square).add(&square);
        three.mul(&y1.add(y1).invert().unwrap())
    } else {
        y2.sub(y1).mul(&x2.sub(x1).invert().unwrap())
    };
    let x = slope.square().sub(x1).sub(x2);
    let y = slope.mul(&x1.sub(&x)).sub(y1);
    G2Element::of(Some([x, y]))
}

#[derive(Deserialize)]
struct Decodings {
    cases: Vec<Decoding>,
}

#[derive(Deserialize)]
struct Decoding {
    group: u32,
    what: String,
    bytes: String,
    verdict: String,
}

/// Encodings of G1 and G2, and the reason why each is refused.
#[test]
fn encodings() {
    let text = include_str!("../../../../../vectors/pairings/decode.json");
    let Decodings { cases } = serde_json::from_str(text).unwrap();
    for pairing in pairings() {
        for group in [1, 2] {
            let cases = cases.iter().filter(|case| case.group == group);
            let cases: Vec<_> = cases.collect();
            let encodings: Vec<_> = cases.iter().map(|case| bytes(&case.bytes)).collect();
            let encodings: Vec<_> = encodings.iter().map(|bytes| &bytes[..]).collect();
            // The encodings of what was read.
            let answers: Vec<Result<Vec<u8>, PointError>> = if group == 1 {
                let format = ElementFormat::Zcash;
                let elements = decode_batch(pairing.g1(), format, &encodings).unwrap();
                let encode = |element: GroupElement| element.to_bytes(format, true).unwrap();
                elements.into_iter().map(|e| e.map(encode)).collect()
            } else {
                let elements = decode_g2_batch(&pairing, &encodings).unwrap();
                let encode = |element: G2Element| element.to_bytes(true);
                elements.into_iter().map(|e| e.map(encode)).collect()
            };
            for ((case, answer), encoding) in cases.iter().zip(answers).zip(&encodings) {
                let is_expected = match (&*case.verdict, &answer) {
                    ("ok" | "infinity", Ok(again)) => again == encoding,
                    ("flags: infinity not canonical", Err(PointError::Flags(_)))
                    // Without the flag another length is expected.
                    | ("flags: not compressed" | "length", Err(PointError::ZcashLength { .. }))
                    | ("x not canonical", Err(PointError::Coordinate('x')))
                    | ("not on the curve", Err(PointError::NoSuchX))
                    | ("not in the subgroup", Err(PointError::NotInSubgroup)) => true,
                    _ => false,
                };
                assert!(is_expected, "{}: {answer:?}", case.what);
            }
        }
    }
}

/// Uncompressed encodings of G2: their points come back; a changed coordinate, a sign and a length are refused.
#[test]
fn uncompressed() {
    let pairing = best();
    let generator = G2Element::generator();
    let right = generator.to_bytes(false);
    let infinity = G2Element::identity().to_bytes(false);
    let changed = |place: usize, bit: u8| {
        let mut bytes = right.clone();
        bytes[place] ^= bit;
        bytes
    };
    let encodings = [
        right.clone(),
        infinity,
        changed(191, 1),
        changed(0, 0x20),
        changed(0, 0x80),
        changed(0, 0x40),
        changed(96, 0x80),
        changed(48, 0x80),
        right[..191].to_vec(),
    ];
    let encodings = encodings.each_ref().map(|bytes| &bytes[..]);
    let wrong_length = |given| PointError::ZcashLength {
        uncompressed: 192,
        compressed: 96,
        given,
    };
    let expected = [
        Ok(generator),
        Ok(G2Element::identity()),
        Err(PointError::NotOnCurve),
        Err(PointError::Flags(0x20)),
        Err(wrong_length(192)),
        Err(PointError::Flags(0x40)),
        Err(PointError::Coordinate('y')),
        Err(PointError::Coordinate('x')),
        Err(wrong_length(191)),
    ];
    assert_eq!(decode_g2_batch(&pairing, &encodings).unwrap(), expected);
}

#[derive(Deserialize)]
struct Subgroups {
    cases: Vec<PointCase>,
}

#[derive(Deserialize)]
struct PointCase {
    group: u32,
    what: String,
    point: String,
    in_subgroup: bool,
}

/// Multiples on the way to the cofactor's are at infinity for points of order 13 in G2's curve, and of order 3 in G1's: Jacobian
/// doublings lose them, and the sum comes from those without exceptions. Others are the same by both.
#[test]
fn cofactors_of_small_orders() {
    let text = include_str!("../../../../../vectors/pairings/subgroup.json");
    let Subgroups { cases } = serde_json::from_str(text).unwrap();
    let field = &parameters().field;
    let zero = BoxedUint::zero();
    let find = |group: u32, what: &str| -> Vec<BoxedUint> {
        let mut cases = cases.iter();
        let case = cases.find(|case| case.group == group && case.what == what);
        let mut x = bytes(&case.unwrap().point);
        // The flags.
        x[0] &= 0x1f;
        let number = |bytes: &[u8]| {
            let x = BoxedUint::from_be_slice(bytes, 384).unwrap();
            field.element(&x).unwrap()
        };
        if group == 1 {
            let x = number(&x);
            let y = x.square().mul(&x).add(&field.small(4));
            return [x, field.sqrt(&y).unwrap()].map(|x| x.retrieve()).to_vec();
        }
        let (im, re) = x.split_at(48);
        let x = Quadratic {
            re: number(re),
            im: number(im),
        };
        let right = x.square().mul(&x).add(&Quadratic::small(field, 4, 4));
        let y = swu_g2::square_root(field, &right).unwrap();
        [x, y].iter().flat_map(Quadratic::integers).collect()
    };
    let in_g2 = |builder: &mut Builder, bits: u32, doublings: Doublings| {
        let q = [(); 2].map(|()| Fp2::input(builder, bits));
        let point = Twisted::affine(builder, TripleB::Bls12_381, q);
        let Twisted { x, y, z, .. } = swu_g2::clear_cofactor(builder, point, doublings);
        for coordinate in [x, y, z] {
            coordinate.output(builder);
        }
    };
    let in_g1 = |builder: &mut Builder, bits: u32, doublings: Doublings| {
        let [x, y] = [(); 2].map(|()| builder.input(bits));
        let curve = swu_g1::coefficients(builder);
        let z = curve.one;
        let point = Homogeneous { x, y, z };
        let Homogeneous { x, y, z } = swu_g1::clear_cofactor(builder, &curve, point, doublings);
        for coordinate in [x, y, z] {
            builder.output(coordinate);
        }
    };
    for pairing in pairings() {
        let bits = pairing.p().class();
        for (group, small, large) in [
            (2, "order 13", "generator + order 13"),
            (1, "order 3", "generator + order 3"),
        ] {
            let points = [small, large].map(|what| find(group, what));
            let work = points.each_ref().map(|point| Work {
                count: 1,
                inputs: point.iter().collect(),
                scalars: Vec::new(),
            });
            let program = |_, doublings: Doublings| {
                let key = ProgramKey {
                    bits,
                    kind: "test-cofactor",
                    parameters: vec![group.into(), doublings as u64],
                };
                pairing.engine().programs(key, |builder| match group {
                    1 => in_g1(builder, bits, doublings),
                    _ => in_g2(builder, bits, doublings),
                })
            };
            let run = |doublings| {
                let only = |count, _| program(count, doublings);
                doublings::outcomes(&pairing, &work, only).unwrap()
            };
            let (jacobian, complete) = (run(Doublings::Jacobian), run(Doublings::Complete));
            let chosen = doublings::outcomes(&pairing, &work, program).unwrap();
            let third = chosen[0].integers.len() / 3;
            // (0, 0, 0), and the point at infinity.
            assert!(jacobian[0].integers.iter().all(|x| **x == zero));
            assert_eq!(chosen[0].integers, complete[0].integers);
            let [_, y, z] = [0, 1, 2].map(|k| &chosen[0].integers[k * third..(k + 1) * third]);
            assert!(z.iter().all(|x| **x == zero) && y.iter().any(|x| **x != zero));
            // The same point, by homogeneous coordinates that differ.
            let affine = |outcome: &Outcome| -> Vec<BoxedUint> {
                if group == 1 {
                    let points = [&outcome.integers[..]];
                    let points = pairing.g1().curve().affine_all(&points);
                    let point = points[0].as_ref().unwrap();
                    return [&point.x, &point.y].map(Element::retrieve).to_vec();
                }
                let pair = |k: usize| {
                    let parts = [&*outcome.integers[k], &*outcome.integers[k + 1]];
                    Quadratic::of(field, parts).unwrap()
                };
                let inverse = pair(4).invert().unwrap();
                let point = [pair(0), pair(2)].map(|x| x.mul(&inverse));
                point.iter().flat_map(Quadratic::integers).collect()
            };
            assert_eq!(affine(&jacobian[1]), affine(&complete[1]));
        }
    }
}

/// Points of many orders are in the subgroups or not.
#[test]
fn subgroups() {
    let text = include_str!("../../../../../vectors/pairings/subgroup.json");
    let Subgroups { cases } = serde_json::from_str(text).unwrap();
    for pairing in pairings() {
        for case in &cases {
            let encoding = bytes(&case.point);
            let error = if case.group == 1 {
                let format = ElementFormat::Zcash;
                let answers = decode_batch(pairing.g1(), format, &[&encoding]).unwrap();
                answers.into_iter().next().unwrap().err()
            } else {
                let answers = decode_g2_batch(&pairing, &[&encoding]).unwrap();
                answers.into_iter().next().unwrap().err()
            };
            let expected = (!case.in_subgroup).then_some(PointError::NotInSubgroup);
            assert_eq!(error, expected, "{}", case.what);
        }
    }
}

#[derive(Deserialize)]
struct Gls {
    k: String,
    psi_x: [String; 2],
    psi_y: [String; 2],
    psi2_x: String,
    product: String,
}

/// The constants of psi; a multiple of the generator; multiples by special and random factors, 0 and the order among
/// them, are the sums that doubling and adding gives.
#[test]
fn secret_multiples() {
    let text = include_str!("../../../../../vectors/pairings/gls.json");
    let gls: Gls = serde_json::from_str(text).unwrap();
    let psi = &parameters().psi;
    for (psi, expected) in psi.iter().zip([&gls.psi_x, &gls.psi_y]) {
        assert_eq!(psi.integers(), expected.each_ref().map(|x| canonical(x)));
    }
    assert_eq!(psi[0].norm().retrieve(), canonical(&gls.psi2_x));
    let generator = G2Element::generator();
    for pairing in pairings() {
        let order = pairing.g1().curve().order().as_ref();
        let product = &g2(&pairing, &[&gls.product])[0];
        let number = |x: u64| BoxedUint::from(x);
        let mut scalars = vec![integer(&gls.k), order.clone(), number(0)];
        scalars.extend([1, 2, 3, 0xd201_0000_0000_ffff, 0xd201_0000_0001_0000].map(number));
        scalars.extend([1u64, 2, 3].map(|x| order.wrapping_sub(number(x))));
        let requests = scalars.iter().map(|scalar| G2MultiplyRequest {
            scalar,
            element: &generator,
        });
        let answers = multiply_g2_batch(&pairing, &requests.collect::<Vec<_>>());
        assert_eq!(answers[0].as_ref(), Ok(product));
        for answer in &answers[1..3] {
            assert_eq!(*answer, Err(GroupError::OutOfRange));
        }
        for (scalar, answer) in scalars.iter().zip(&answers).skip(3) {
            let bits = (0..scalar.bits_vartime()).rev();
            let expected = bits.fold(G2Element::identity(), |sum, bit| {
                let double = added(&sum, &sum);
                if scalar.bit_vartime(bit) {
                    added(&double, &generator)
                } else {
                    double
                }
            });
            assert_eq!(answer.as_ref(), Ok(&expected), "{scalar:?}");
        }
        let identity = G2Element::identity();
        let request = G2MultiplyRequest {
            scalar: &number(5),
            element: &identity,
        };
        assert_eq!(
            multiply_g2_batch(&pairing, &[request]),
            [Err(GroupError::Identity)]
        );
    }
}

/// Sums of lists of 0 to 40 elements, with equal, opposite and neutral ones.
#[test]
fn sums() {
    let pairing = best();
    let generator = G2Element::generator();
    let mut elements = vec![
        G2Element::identity(),
        generator.clone(),
        generator.negated(),
    ];
    while elements.len() < 40 {
        let last = &elements[elements.len() - 1];
        let next = if elements.len() % 5 == 0 {
            last.clone()
        } else {
            added(last, &generator)
        };
        elements.push(next);
    }
    let references: Vec<_> = elements.iter().collect();
    let lengths = [0, 1, 2, 3, 15, 16, 17, 18, 33, 40];
    let lists = lengths.map(|length| &references[..length]);
    let sums = sum_g2_batch_vartime(&pairing, &lists).unwrap();
    for (list, sum) in lists.iter().zip(sums) {
        let expected = list
            .iter()
            .fold(G2Element::identity(), |sum, element| added(&sum, element));
        assert_eq!(sum, expected);
    }
}

/// Sums of multiples by short factors in both groups, of lists that share programs and of hashes, are those of single
/// multiples by the factors modulo the order.
#[test]
fn short_sums() {
    const LARGEST: u64 = (1 << ShortFactor::BITS) - 1;
    const ELEMENTS: usize = 12;
    let halves = |k: u64| match k {
        0 => [0, 0],
        1 => [LARGEST, 0],
        2 => [0, LARGEST],
        _ => [0x1_2345_6789, 0xf_edcb_a987].map(|half| (k * half) & LARGEST),
    };
    let factors: Vec<_> = (0..ELEMENTS as u64)
        .map(|k| ShortFactor::of_windows(halves(k)))
        .collect();
    let tag = DomainSeparationTag::new(b"tag").unwrap();
    let messages: Vec<_> = (0..ELEMENTS as u8).map(|k| [k]).collect();
    let messages: Vec<_> = messages.iter().map(|message| &message[..]).collect();
    for pairing in pairings().chain(on_residues()) {
        let curve = pairing.g1();
        let order = curve.curve().order().as_nz_ref();
        let numbers: Vec<_> = factors.iter().map(|factor| factor.number(order)).collect();
        let images_g1 = map_to_g1_curve_batch(&pairing, &tag, &messages).unwrap();
        let images_g2 = map_to_g2_curve_batch(&pairing, &tag, &messages).unwrap();
        let mut g1 = clear_g1_batch(&pairing, &images_g1.iter().collect::<Vec<_>>()).unwrap();
        let mut g2 = clear_g2_batch(&pairing, &images_g2.iter().collect::<Vec<_>>()).unwrap();
        let multiples = |g1: &[GroupElement], g2: &[G2Element]| {
            let in_g1 = numbers
                .iter()
                .zip(g1)
                .map(|(scalar, element)| MultiplyRequest {
                    curve,
                    scalar,
                    element,
                });
            let in_g2 = numbers.iter().zip(g2);
            let in_g2 = in_g2.map(|(scalar, element)| G2MultiplyRequest { scalar, element });
            let in_g1 = multiply_batch(pairing.engine(), &in_g1.collect::<Vec<_>>());
            let in_g2 = multiply_g2_batch(&pairing, &in_g2.collect::<Vec<_>>());
            // The neutral element has no multiples.
            let identity = GroupElement::identity(curve.curve());
            let in_g1 = in_g1.into_iter().map(|kp| kp.unwrap_or(identity.clone()));
            let in_g2 = in_g2
                .into_iter()
                .map(|kq| kq.unwrap_or(G2Element::identity()));
            (in_g1.collect::<Vec<_>>(), in_g2.collect::<Vec<_>>())
        };
        let lists = [0..0, 0..1, 1..12, 3..5, 2..2, 0..12];
        let expected = |(g1, g2): (Vec<GroupElement>, Vec<G2Element>)| {
            let in_g1 = lists
                .each_ref()
                .map(|list| g1[list.clone()].iter().collect::<Vec<_>>());
            let in_g2 = lists
                .each_ref()
                .map(|list| g2[list.clone()].iter().collect::<Vec<_>>());
            let in_g1 = in_g1.each_ref().map(|list| &list[..]);
            let in_g2 = in_g2.each_ref().map(|list| &list[..]);
            let in_g2 = sum_g2_batch_vartime(&pairing, &in_g2).unwrap();
            (sum_g1_batch_vartime(&pairing, &in_g1), in_g2)
        };
        let of_hashes = expected(multiples(&g1, &g2));
        let terms_g1 = lists
            .each_ref()
            .map(|list| terms(&images_g1, &factors, list));
        let terms_g2 = lists
            .each_ref()
            .map(|list| terms(&images_g2, &factors, list));
        let sums = sum_g1_images_short_batch_vartime(&pairing, &terms_g1).unwrap();
        assert_eq!(sums, of_hashes.0);
        let sums = sum_g2_images_short_batch_vartime(&pairing, &terms_g2).unwrap();
        assert_eq!(sums, of_hashes.1);
        (g1[4], g2[4]) = (GroupElement::identity(curve.curve()), G2Element::identity());
        let of_elements = expected(multiples(&g1, &g2));
        let terms_g1 = lists.each_ref().map(|list| terms(&g1, &factors, list));
        let terms_g2 = lists.each_ref().map(|list| terms(&g2, &factors, list));
        let sums = sum_g1_short_batch_vartime(&pairing, &terms_g1).unwrap();
        assert_eq!(sums, of_elements.0);
        let sums = sum_g2_short_batch_vartime(&pairing, &terms_g2).unwrap();
        assert_eq!(sums, of_elements.1);
        // Opposite points with the same factor: sums before doublings are at infinity.
        let opposite_g1 = [g1[0].clone(), g1[0].negated()];
        let opposite_g2 = [g2[0].clone(), g2[0].negated()];
        let same = [factors[5].clone(), factors[5].clone()];
        let terms_g1 = vec![terms(&opposite_g1, &same, &(0..2)); ELEMENTS];
        let terms_g2 = vec![terms(&opposite_g2, &same, &(0..2)); ELEMENTS];
        let sums = sum_g1_short_batch_vartime(&pairing, &terms_g1).unwrap();
        assert!(sums.iter().all(GroupElement::is_identity));
        let sums = sum_g2_short_batch_vartime(&pairing, &terms_g2).unwrap();
        assert!(sums.iter().all(G2Element::is_identity));
    }
}

/// Elements of a range with their factors.
fn terms<'a, T>(
    elements: &'a [T],
    factors: &'a [ShortFactor],
    range: &Range<usize>,
) -> Vec<(&'a T, &'a ShortFactor)> {
    let elements = elements[range.clone()].iter();
    elements.zip(&factors[range.clone()]).collect()
}

#[derive(Deserialize)]
struct Hashes {
    dst_g1: String,
    dst_g2: String,
    cases: Vec<HashCase>,
    map_g2: Vec<MapCase>,
}

#[derive(Deserialize)]
struct HashCase {
    msg: String,
    g1: String,
    g2: String,
}

#[derive(Deserialize)]
struct MapCase {
    u: [String; 2],
    g2: String,
}

/// Hashes of messages in G1 and G2, and images of special elements of the field.
#[test]
fn hashes() {
    let text = include_str!("../../../../../vectors/pairings/hash.json");
    let hashes: Hashes = serde_json::from_str(text).unwrap();
    let tag = |tag: &str| DomainSeparationTag::new(tag.as_bytes()).unwrap();
    for pairing in pairings().chain(on_residues()) {
        let messages: Vec<_> = hashes.cases.iter().map(|case| bytes(&case.msg)).collect();
        let messages: Vec<_> = messages.iter().map(|message| &message[..]).collect();
        let in_g1 = hash_to_g1_batch(&pairing, &tag(&hashes.dst_g1), &messages).unwrap();
        let in_g2 = hash_to_g2_batch(&pairing, &tag(&hashes.dst_g2), &messages).unwrap();
        for (case, (g1, g2)) in hashes.cases.iter().zip(in_g1.iter().zip(&in_g2)) {
            let g1 = g1.to_bytes(ElementFormat::Zcash, true).unwrap();
            assert_eq!(g1, bytes(&case.g1), "{:?}", case.msg);
            assert_eq!(g2.to_bytes(true), bytes(&case.g2), "{:?}", case.msg);
        }
        let lists = hashes.map_g2.iter();
        let lists: Vec<_> = lists
            .map(|case| vec![case.u.each_ref().map(|x| canonical(x))])
            .collect();
        let images = swu_g2::images(&pairing, &lists).unwrap();
        let images: Vec<_> = images.iter().collect();
        for (case, element) in hashes
            .map_g2
            .iter()
            .zip(clear_g2_batch(&pairing, &images).unwrap())
        {
            assert_eq!(element.to_bytes(true), bytes(&case.g2), "{:?}", case.u);
        }
    }
}

/// The points that programs find for elements of the field are those of the definition.
#[test]
fn found_points() {
    let field = &parameters().field;
    let element = |[re, im]: &[BoxedUint; 2]| Quadratic::of(field, [re, im]).unwrap();
    let text = include_str!("../../../../../vectors/pairings/hash.json");
    let hashes: Hashes = serde_json::from_str(text).unwrap();
    let us = hashes.map_g2.iter().map(|case| case.u.each_ref());
    let us: Vec<_> = us.map(|u| u.map(|x| canonical(x))).collect();
    let pairing = best();
    let found = swu_g2::find(&pairing, &us.iter().collect::<Vec<_>>()).unwrap();
    for (u, [numerator, denominator, y]) in us.iter().zip(&found) {
        let [x, _, right_y] = swu_g2::found_alone(u);
        assert_eq!(element(numerator), element(&x).mul(&element(denominator)));
        assert_eq!(*y, right_y);
    }
}

/// Exceptional elements of the field have images in G1: 0 and the roots of -1/11.
#[test]
fn exceptional_maps() {
    let pairing = best();
    let field = &parameters().field;
    let root = field
        .sqrt(&Field::invert(&field.small(11).neg()).unwrap())
        .unwrap();
    let numbers = [field.small(0), root.clone(), root.neg(), field.small(1)];
    let lists = numbers.map(|x| vec![[x.retrieve()]]);
    let images = swu_g1::images(&pairing, &lists).unwrap();
    let elements = clear_g1_batch(&pairing, &images.iter().collect::<Vec<_>>()).unwrap();
    for element in &elements {
        let encoding = element.to_bytes(ElementFormat::Zcash, true).unwrap();
        let format = ElementFormat::Zcash;
        let again = GroupElement::from_bytes(pairing.g1().curve(), format, &encoding);
        assert_eq!(again.as_ref(), Ok(element));
    }
    // The same x, and the sign of u.
    assert_eq!(elements[1], elements[2].negated());
}

/// Prepared elements, more than a pairing keeps the lines of, have the pairings of the same elements, in every call.
#[test]
fn more_prepared_elements_than_are_kept() {
    const COUNT: u32 = 20;
    let pairing = best();
    let p = GroupElement::generator(pairing.g1().curve());
    let minus_p = p.negated();
    let scalars: Vec<_> = (1..=COUNT).map(BoxedUint::from).collect();
    let element = &G2Element::generator();
    let requests = scalars
        .iter()
        .map(|scalar| G2MultiplyRequest { scalar, element });
    let elements = multiply_g2_batch(&pairing, &requests.collect::<Vec<_>>());
    let elements: Vec<_> = elements.into_iter().map(Result::unwrap).collect();
    let prepared: Vec<_> = elements.iter().map(PreparedG2::new).collect();
    let products = |shift: usize| -> Vec<[PairingRequest<'_>; 2]> {
        let pairs = prepared.iter().enumerate();
        let pairs = pairs.map(|(k, prepared)| {
            let other = &elements[(k + shift) % elements.len()];
            let first = PairingRequest::prepared(&p, prepared);
            [first, PairingRequest::new(&minus_p, other)]
        });
        pairs.collect()
    };
    for shift in [0, 1, 0] {
        let products = products(shift);
        let products: Vec<_> = products.iter().map(|product| &product[..]).collect();
        let are_one = pairing_product_is_one_batch(&pairing, &products).unwrap();
        assert_eq!(are_one, vec![shift == 0; products.len()]);
    }
}

/// The numbers of reductions of each program, integers that enter and leave included.
#[test]
fn reductions() {
    // Without reductions that the bounds of other plans ask for.
    let engine = Engine::new(Backend::RADIX64).unwrap();
    let pairing = PreparedPairing::bls12_381(&engine).unwrap();
    let p = GroupElement::generator(pairing.g1().curve());
    let q = G2Element::generator();
    let prepared = PreparedG2::new(&q);
    let (plain, fixed) = (
        PairingRequest::new(&p, &q),
        PairingRequest::prepared(&p, &prepared),
    );
    let products: [&[_]; 3] = [&[plain], &[plain; 2], &[fixed; 2]];
    pairing_product_is_one_batch(&pairing, &products).unwrap();
    let encoding = q.to_bytes(true);
    decode_g2_batch(&pairing, &[&encoding]).unwrap();
    let tag = DomainSeparationTag::new(b"tag").unwrap();
    hash_to_g1_batch(&pairing, &tag, &[b""]).unwrap();
    hash_to_g2_batch(&pairing, &tag, &[b""]).unwrap();
    let (scalar, element) = (&BoxedUint::from(5u32), &q);
    multiply_g2_batch(&pairing, &[G2MultiplyRequest { scalar, element }])
        .remove(0)
        .unwrap();
    let factor = &ShortFactor::of_windows([0; 2]);
    let images_g1 = map_to_g1_curve_batch(&pairing, &tag, &[b""]).unwrap();
    let images_g2 = map_to_g2_curve_batch(&pairing, &tag, &[b""]).unwrap();
    // Programs of one and of eight multiples.
    for lists in [vec![1], vec![8; 8]] {
        let g1: Vec<_> = lists
            .iter()
            .map(|&count| vec![(&p, factor); count])
            .collect();
        let g2: Vec<_> = lists
            .iter()
            .map(|&count| vec![(&q, factor); count])
            .collect();
        sum_g1_short_batch_vartime(&pairing, &g1).unwrap();
        sum_g2_short_batch_vartime(&pairing, &g2).unwrap();
        let g1 = lists
            .iter()
            .map(|&count| vec![(&images_g1[0], factor); count]);
        let g2 = lists
            .iter()
            .map(|&count| vec![(&images_g2[0], factor); count]);
        sum_g1_images_short_batch_vartime(&pairing, &g1.collect::<Vec<_>>()).unwrap();
        sum_g2_images_short_batch_vartime(&pairing, &g2.collect::<Vec<_>>()).unwrap();
    }
    for (kind, parameters, most) in [
        ("pairing-miller", vec![0, 0], 2980),
        ("pairing-miller", vec![0, 0, 0], 5200),
        ("pairing-miller", vec![0, 1, 1], 2980),
        ("pairing-final-exponentiation", vec![0, 0], 4400),
        ("pairing-g2-root", vec![], 945),
        ("pairing-g2-subgroup", vec![0], 895),
        ("pairing-swu-g1", vec![], 520),
        ("pairing-swu-g2", vec![], 980),
        ("pairing-map-g1", vec![2, 0], 645),
        ("pairing-map-g2", vec![2, 0], 2020),
        ("pairing-g2-multiple", vec![], 2700),
        ("pairing-g1-short-sum", vec![1, 0], 500),
        ("pairing-g1-short-sum", vec![8, 0], 2400),
        ("pairing-g1-short-sum-images", vec![8, 0], 3600),
        ("pairing-clear-g1", vec![1, 0], 530),
        ("pairing-g2-short-sum", vec![1, 0], 960),
        ("pairing-g2-short-sum", vec![8, 0], 4500),
        ("pairing-g2-short-sum-images", vec![8, 0], 6000),
        ("pairing-clear-g2", vec![1, 0], 1900),
    ] {
        assert_reductions(&engine, pairing.p().class(), (kind, parameters), most);
    }
}

/// Asserts that a program for moduli of `bits` bits, which has been built, has at most so many reductions.
pub(super) fn assert_reductions(
    engine: &Engine,
    bits: u32,
    (kind, parameters): (&'static str, Vec<u64>),
    most: u64,
) {
    let key = ProgramKey {
        bits,
        kind,
        parameters,
    };
    let name = format!("{kind} {:?}", key.parameters);
    let programs = engine.programs(key, |_| panic!("{kind} has been built"));
    let counts = *programs.unwrap().program().counts();
    println!("{name}: {counts}");
    assert!(counts.products <= most, "{name}: {counts}");
}
