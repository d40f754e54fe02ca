//! BN254 on every device: golden pairings, bilinearity, G2, and Ethereum's precompiled contracts.

use super::element::{G2Element, GtElement, PreparedG2};
use super::kind::Bn254;
use super::parameters::{self, Parameters};
use super::points::{G2Coordinates, g2_elements_batch, right_side};
use super::precompiles::{self, PrecompileError};
use super::prepared::PreparedPairing;
use super::product::{PairingRequest, pairing_batch, pairing_product_is_one_batch};
use super::quadratic::Quadratic;
use super::tests::{assert_reductions, bytes, integer};
use crate::ec::field::Field;
use crate::ec::group::GroupElement;
use crate::ec::point::{PointError, to_bytes};
use crypto_bigint::BoxedUint;
use serde::Deserialize;
use sunzi_engine::{Backend, Engine};

/// The pairing on all backends that this processor has.
fn pairings() -> impl Iterator<Item = PreparedPairing<Bn254>> {
    Backend::ALL.iter().filter_map(|&backend| {
        let engine = Engine::new(backend)
            .inspect_err(|error| println!("SKIPPED: {error}"))
            .ok()?;
        Some(PreparedPairing::bn254(&engine).unwrap())
    })
}

#[derive(Deserialize)]
struct Golden {
    #[serde(rename = "P")]
    p: [String; 2],
    #[serde(rename = "Q")]
    q: [[String; 2]; 2],
    pairing: [[String; 2]; 6],
    product: Product,
}

#[derive(Deserialize)]
struct Product {
    pairs: Vec<([String; 2], [[String; 2]; 2])>,
    is_one: bool,
}

fn g1(pairing: &PreparedPairing<Bn254>, coordinates: &[String; 2]) -> GroupElement {
    let [x, y] = coordinates.each_ref().map(|hex| integer(hex));
    GroupElement::new(pairing.g1().curve(), &x, &y).unwrap()
}

fn coordinates(coordinates: &[[String; 2]; 2]) -> G2Coordinates {
    coordinates
        .each_ref()
        .map(|parts| parts.each_ref().map(|hex| integer(hex)))
}

fn g2(
    pairing: &PreparedPairing<Bn254>,
    coordinates: &G2Coordinates,
) -> Result<G2Element<Bn254>, PointError> {
    let mut elements = g2_elements_batch(pairing, core::slice::from_ref(coordinates)).unwrap();
    elements.remove(0)
}

/// A pairing, prepared too, and a product that is 1; none is if a factor is exchanged.
#[test]
fn golden() {
    let text = include_str!("../../../../../vectors/pairings/bn254.json");
    let golden: Golden = serde_json::from_str(text).unwrap();
    let expected = golden.pairing.each_ref().map(|x| {
        let parts = x.each_ref();
        parts.map(|hex| integer(hex))
    });
    for pairing in pairings() {
        let name = pairing.engine().backend();
        let p = g1(&pairing, &golden.p);
        let q = g2(&pairing, &coordinates(&golden.q)).unwrap();
        let lines = PreparedG2::new(&q);
        let identity = G2Element::identity();
        let requests = [
            PairingRequest::new(&p, &q),
            PairingRequest::prepared(&p, &lines),
            PairingRequest::new(&p, &identity),
        ];
        let values = pairing_batch(&pairing, &requests).unwrap();
        for value in &values[..2] {
            for (x, expected) in value.coefficients().iter().zip(&expected) {
                let equal = x.iter().zip(expected).all(|(x, expected)| **x == *expected);
                assert!(equal, "{name:?}");
            }
        }
        assert_eq!(values[2], GtElement::one());
        let pairs: Vec<_> = golden
            .product
            .pairs
            .iter()
            .map(|(p, q)| {
                let q = g2(&pairing, &coordinates(q)).unwrap();
                (g1(&pairing, p), PreparedG2::new(&q), q)
            })
            .collect();
        let plain = pairs.iter().map(|(p, _, q)| PairingRequest::new(p, q));
        let plain: Vec<_> = plain.collect();
        let mixed: Vec<_> = pairs
            .iter()
            .enumerate()
            .map(|(k, (p, lines, q))| match k {
                0 => PairingRequest::prepared(p, lines),
                _ => PairingRequest::new(p, q),
            })
            .collect();
        let mut wrong = mixed.clone();
        wrong[0] = requests[0];
        let products = [&plain[..], &mixed[..], &wrong[..], &[]];
        let verdicts = pairing_product_is_one_batch(&pairing, &products).unwrap();
        let right = golden.product.is_one;
        assert_eq!(verdicts, [right, right, false, true], "{name:?}");
    }
}

/// The generator is in G2. Points of the curve that are multiples of no generator are refused, as are points beside
/// the curve and numbers from p on.
#[test]
fn subgroup() {
    let parameters = parameters::bn254();
    let field = &parameters.field;
    let generator = G2Element::<Bn254>::generator().coordinates().unwrap();
    let mut points = vec![generator.clone()];
    // Points with small x.
    let mut x = 0u64;
    while points.len() < 8 {
        x += 1;
        let x = Quadratic::small(field, x, 1);
        let square = right_side(parameters, &x);
        let Some(y) = root(parameters, &square) else {
            continue;
        };
        points.push([x.integers(), y.integers()]);
    }
    let inside = points.len();
    let mut beside = generator.clone();
    beside[1] = generator[0].clone();
    points.push(beside);
    let mut large = generator;
    large[0][1] = field.p().clone();
    points.push(large);
    for pairing in pairings() {
        let elements = g2_elements_batch(&pairing, &points).unwrap();
        assert_eq!(elements[0], Ok(G2Element::generator()));
        for element in &elements[1..inside] {
            assert_eq!(*element, Err(PointError::NotInSubgroup));
        }
        assert_eq!(elements[inside], Err(PointError::NotOnCurve));
        assert_eq!(elements[inside + 1], Err(PointError::Coordinate('x')));
    }
}

/// A square root in Fp2, for p = 3 modulo 4, if there is one: by that of the norm.
fn root(parameters: &Parameters, square: &Quadratic) -> Option<Quadratic> {
    let field = &parameters.field;
    let norm = field.sqrt(&square.norm())?;
    let half = Field::invert(&field.small(2))?;
    [norm.clone(), norm.neg()].into_iter().find_map(|norm| {
        let re = field.sqrt(&square.re.add(&norm).mul(&half))?;
        let im = square.im.mul(&half).mul(&Field::invert(&re)?);
        let root = Quadratic { re, im };
        (root.square() == *square).then_some(root)
    })
}

#[derive(Deserialize)]
struct Contracts {
    add: Vec<Case>,
    multiply: Vec<Case>,
    pairing: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    input: String,
    expected: String,
}

fn slices(inputs: &[Vec<u8>]) -> Vec<&[u8]> {
    inputs.iter().map(|input| &input[..]).collect()
}

/// All cases of go-ethereum, as one batch each; a damaged neighbour changes no other answer.
#[test]
fn contracts() {
    let text = include_str!("../../../../../vectors/pairings/bn254_precompiles.json");
    let contracts: Contracts = serde_json::from_str(text).unwrap();
    let inputs = |cases: &[Case]| -> Vec<Vec<u8>> {
        let inputs = cases.iter().flat_map(|case| {
            let input = bytes(&case.input);
            let mut damaged = input.clone();
            if let Some(byte) = damaged.get_mut(31) {
                *byte ^= 1;
            }
            [input, damaged]
        });
        inputs.collect()
    };
    for pairing in pairings() {
        let name = pairing.engine().backend();
        let of_add = inputs(&contracts.add);
        let of_multiply = inputs(&contracts.multiply);
        let sums = precompiles::add_batch(&pairing, &slices(&of_add)).unwrap();
        let multiples = precompiles::multiply_batch(&pairing, &slices(&of_multiply)).unwrap();
        for (cases, answers) in [(&contracts.add, sums), (&contracts.multiply, multiples)] {
            for (case, answer) in cases.iter().zip(answers.iter().step_by(2)) {
                let expected = bytes(&case.expected);
                assert_eq!(
                    answer.as_ref().unwrap()[..],
                    expected,
                    "{} {name:?}",
                    case.name
                );
            }
        }
        let of_pairing = inputs(&contracts.pairing);
        let verdicts = precompiles::pairing_batch(&pairing, &slices(&of_pairing)).unwrap();
        for (case, answer) in contracts.pairing.iter().zip(verdicts.chunks(2)) {
            let expected = bytes(&case.expected)[31] == 1;
            assert_eq!(answer[0], Ok(expected), "{} {name:?}", case.name);
            let damaged = &answer[1];
            let is_empty = case.input.is_empty();
            let refused = matches!(damaged, Err(PrecompileError::G1(PointError::NotOnCurve)));
            assert!(refused || is_empty, "{}: {damaged:?}", case.name);
        }
    }
}

/// Inputs that are short or long, points and numbers that are refused, and why.
#[test]
fn malformed() {
    let engine = Engine::new(Backend::best()).unwrap();
    let pairing = PreparedPairing::bn254(&engine).unwrap();
    let prime = bytes("30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
    let number = |x: u8| [vec![0; 31], vec![x]].concat();
    let generator = [number(1), number(2)].concat();
    let twice = bytes(
        "030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3\
         15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4",
    );
    let nothing = vec![0; 64];
    // Addition.
    let inputs = [
        vec![],
        generator.clone(),
        [&generator[..], &generator].concat(),
        [&generator[..], &generator, &[1; 7]].concat(),
        [&generator[..], &generator[..63]].concat(),
        [number(1), number(1)].concat(),
        [&prime[..], &number(0)].concat(),
        [&number(0)[..], &prime].concat(),
    ];
    let inputs = inputs.each_ref().map(|input| &input[..]);
    let answers = precompiles::add_batch(&pairing, &inputs).unwrap();
    let refused = |error| Err(PrecompileError::G1(error));
    let point = |bytes: &Vec<u8>| Ok(bytes[..].try_into().unwrap());
    let expected = [
        point(&nothing),
        point(&generator),
        point(&twice),
        point(&twice),
        refused(PointError::NotOnCurve),
        refused(PointError::NotOnCurve),
        refused(PointError::Coordinate('x')),
        refused(PointError::Coordinate('y')),
    ];
    assert_eq!(answers, expected);
    // Multiples by the order, numbers above it, and of the point at infinity.
    let order = bytes("30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001");
    let mut more = order.clone();
    more[31] = 3;
    let inputs = [
        [&generator[..], &order].concat(),
        [&generator[..], &more].concat(),
        [&generator[..], &number(2), &[9]].concat(),
        generator.clone(),
        [&nothing[..], &number(5)].concat(),
        [&twice[..64], &[255; 31]].concat(),
        [number(2), number(2), number(0)].concat(),
    ];
    let inputs = inputs.each_ref().map(|input| &input[..]);
    let answers = precompiles::multiply_batch(&pairing, &inputs).unwrap();
    assert_eq!(answers[..2], [point(&nothing), point(&twice)]);
    assert_eq!(answers[2..4], [point(&twice), point(&nothing)]);
    assert_eq!(answers[4], point(&nothing));
    assert!(answers[5].is_ok());
    assert_eq!(answers[6], refused(PointError::NotOnCurve));
    // Products.
    let [[x_re, x_im], [y_re, y_im]] = G2Element::<Bn254>::generator().coordinates().unwrap();
    let encode = |parts: [&BoxedUint; 4]| -> Vec<u8> {
        let parts = parts.map(|part| to_bytes(part, 32));
        parts.concat()
    };
    let q = encode([&x_im, &x_re, &y_im, &y_re]);
    let swapped = encode([&x_re, &x_im, &y_re, &y_im]);
    let infinity = vec![0; 128];
    let mut large = q.clone();
    large[..32].copy_from_slice(&prime);
    let pair = |p: &[u8], q: &[u8]| [p, q].concat();
    let inputs = [
        vec![],
        vec![0; 191],
        vec![0; 192],
        pair(&generator, &q),
        pair(&generator, &infinity),
        pair(&nothing, &q),
        pair(&generator, &swapped),
        pair(&nothing, &large),
        // The first point that is refused is named.
        [
            pair(&[number(1), number(1)].concat(), &large),
            pair(&generator, &q),
        ]
        .concat(),
        vec![1; 192],
    ];
    let inputs = inputs.each_ref().map(|input| &input[..]);
    let answers = precompiles::pairing_batch(&pairing, &inputs).unwrap();
    let expected = [
        Ok(true),
        Err(PrecompileError::Length(191)),
        Ok(true),
        Ok(false),
        Ok(true),
        Ok(true),
        Err(PrecompileError::G2(PointError::NotOnCurve)),
        Err(PrecompileError::G2(PointError::Coordinate('x'))),
        Err(PrecompileError::G1(PointError::NotOnCurve)),
        Err(PrecompileError::G1(PointError::NotOnCurve)),
    ];
    assert_eq!(answers, expected);
}

/// The numbers of reductions of each program, integers that enter and leave included.
#[test]
fn reductions() {
    // Without reductions that the bounds of other plans ask for.
    let engine = Engine::new(Backend::RADIX64).unwrap();
    let pairing = PreparedPairing::bn254(&engine).unwrap();
    let p = GroupElement::generator(pairing.g1().curve());
    let q = G2Element::generator();
    let prepared = PreparedG2::new(&q);
    let (plain, fixed) = (
        PairingRequest::new(&p, &q),
        PairingRequest::prepared(&p, &prepared),
    );
    pairing_batch(&pairing, &[plain]).unwrap();
    let products: [&[_]; 3] = [&[plain], &[plain; 2], &[fixed; 2]];
    pairing_product_is_one_batch(&pairing, &products).unwrap();
    g2(&pairing, &q.coordinates().unwrap()).unwrap();
    for (kind, parameters, most) in [
        ("pairing-miller", vec![1, 0], 3910),
        ("pairing-miller", vec![1, 0, 0], 7020),
        ("pairing-miller", vec![1, 1, 1], 3610),
        ("pairing-final-exponentiation", vec![1, 0], 3380),
        ("pairing-final-exponentiation", vec![1, 1], 3390),
        ("pairing-g2-subgroup", vec![1], 3260),
    ] {
        assert_reductions(&engine, pairing.p().class(), (kind, parameters), most);
    }
}
