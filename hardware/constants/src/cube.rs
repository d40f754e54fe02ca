//! Tables and vectors of the cube of RSA: the optimized form of two cubes, at 256 bits.
//!
//! The golden model is `sunzi_papers::cube_rsa::hypercube`: its network gives the wiring, the steps of
//! each element, the value on every link, and the number of `MulMod`s of each element.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Odd, Resize};
use serde_json::{Value, json};
use sunzi_papers::cube_rsa::arithmetic::{IntegerMontgomery, ModularArithmetic, MulMod};
use sunzi_papers::cube_rsa::hypercube::{Exponent, Form, Hypercube, Network, Operand, Place};

use crate::files::File;
use crate::json::lines;
use crate::random::Random;
use crate::systemverilog::{Bits, Header};

/// Width of moduli, bases and exponents, in bits.
const WIDTH: u32 = 256;

/// The largest number of inputs, and of steps, of an element.
const MOST: usize = 3;

/// Indices in the table of sources: the coordinator's A and B, and no source.
const SOURCE_A: usize = 12;
const NO_SOURCE: usize = 15;

/// Width of the fields of the tables, in bits.
const FIELD: u32 = 4;

fn hypercube() -> Hypercube {
    Hypercube::new(2, Form::Optimized).expect("two cubes")
}

/// The wiring, and vectors of the multiplier and of the cubes.
pub(crate) fn files() -> Vec<File> {
    let path = String::from("cube/two/cube_rsa.svh");
    let text = tables();
    let mut random = Random::new();
    vec![
        File { path, text },
        File {
            path: "cube/two/adversarial.json".into(),
            text: lines(edges(&mut random)),
        },
        File {
            path: "cube/two/multiplier.json".into(),
            text: lines(products(&mut random)),
        },
    ]
}

/// Powers of random bases to random exponents modulo random odd numbers.
pub(crate) fn random_vectors(count: usize, random: &mut Random) -> Vec<File> {
    // A power takes ten thousand cycles and more: a hundredth of the operations of other cores.
    let cases = (0..count.div_ceil(100)).map(|_| {
        let modulus = odd(random);
        let (base, exponent) = (random.below(&modulus), random.below(&bound()));
        case(&modulus, &base, &exponent)
    });
    vec![File {
        path: "cube/two/random.json".into(),
        text: lines(cases),
    }]
}

fn tables() -> String {
    let network = hypercube().network_of_cubes().expect("the paper's graph");
    let [d, _] = hypercube().exponents().expect("the paper's graph");
    let mut header = Header::new("The optimized form of two cubes.");
    let plan = hypercube().plan(Exponent::Secret(&bound_below()));
    let digits = plan.expect("an exponent").digits().len() as u32;
    let r_bits = d.ilog2() + 1;
    header.integer("D: the exponent is D q + r.", "SPLIT", d as u32);
    header.integer(
        "Width of moduli, bases and exponents, in bits.",
        "WIDTH",
        WIDTH,
    );
    header.integer("Digits of q.", "Q_BITS", digits - r_bits);
    header.integer("Digits of r.", "R_BITS", r_bits);
    let count = network.elements().len();
    header.integer("Number of elements.", "ELEMENTS", count as u32);
    header.integer(
        "The element that sends the result.",
        "RESULT",
        output(&network) as u32,
    );
    let field = |values: Vec<usize>| {
        Bits::fields(values.into_iter().map(|v| BoxedUint::from(v as u64)), FIELD)
    };
    let elements = network.elements();
    header.vector(
        "Of each element, 4 bits: its number in the paper.",
        "NUMBERS",
        &field(elements.iter().map(|e| number(e.place)).collect()),
    );
    header.vector(
        "Of each element, 4 bits: the number of its inputs.",
        "INPUTS",
        &field((0..count).map(|e| network.incoming(e).len()).collect()),
    );
    header.vector(
        "Of each element, 4 bits: the number of its products.",
        "STEPS",
        &field(elements.iter().map(|e| e.steps.len()).collect()),
    );
    header.vector(
        "Of each element, 3 times 4 bits: the elements that its inputs come from; 12 and 13 are the\n\
         // coordinator's A and B, 15 stands for no input.",
        "SOURCES",
        &field((0..count).flat_map(|e| sources(&network, e)).collect()),
    );
    header.vector(
        "Of each element, 4 bits: the input that is the left factor of its first product. That of the\n\
         // others is the product before.",
        "LEFTS",
        &field((0..count).map(|e| left(&network, e)).collect()),
    );
    header.vector(
        "Of each element, 3 times 4 bits: the inputs that are right factors.",
        "RIGHTS",
        &field((0..count).flat_map(|e| rights(&network, e)).collect()),
    );
    header.text()
}

/// The number of a node.
fn number(place: Place) -> usize {
    match place {
        Place::Node(node) => node.number(),
        other => unreachable!("{other} among the nodes"),
    }
}

/// The element that sends the result.
fn output(network: &Network) -> usize {
    network.links()[network.output()]
        .from
        .expect("an element sends the result")
}

fn sources(network: &Network, element: usize) -> Vec<usize> {
    let links = network
        .incoming(element)
        .iter()
        .map(|&l| &network.links()[l]);
    let mut sources: Vec<usize> = links
        .map(|link| match (link.from, link.values[..].first()) {
            (Some(from), _) => from,
            (None, Some(Operand::Value(input))) => SOURCE_A + input,
            (None, other) => unreachable!("{other:?} as an input"),
        })
        .collect();
    sources.resize(MOST, NO_SOURCE);
    sources
}

fn value(operand: Operand) -> usize {
    match operand {
        Operand::Value(number) => number,
        other => unreachable!("{other:?} in an element"),
    }
}

fn left(network: &Network, element: usize) -> usize {
    let inputs = network.incoming(element).len();
    for (index, step) in network.elements()[element].steps.iter().enumerate().skip(1) {
        assert_eq!(
            value(step.left),
            inputs + index - 1,
            "a left factor is the product before"
        );
    }
    let steps = &network.elements()[element].steps;
    steps.first().map_or(0, |step| value(step.left))
}

fn rights(network: &Network, element: usize) -> Vec<usize> {
    let steps = network.elements()[element].steps.iter();
    let mut rights: Vec<usize> = steps.map(|step| value(step.right)).collect();
    let inputs = network.incoming(element).len();
    assert!(
        rights.iter().all(|&r| r < inputs),
        "a right factor is an input"
    );
    rights.resize(MOST, 0);
    rights
}

/// `2^256`.
fn bound() -> BoxedUint {
    BoxedUint::one_with_precision(WIDTH + 64).unbounded_shl_vartime(WIDTH)
}

/// `2^256 - 1`.
fn bound_below() -> BoxedUint {
    BoxedUint::max(WIDTH)
}

/// A random odd number of 256 bits.
fn odd(random: &mut Random) -> BoxedUint {
    let half = bound().unbounded_shr_vartime(2);
    let x = random.below(&half).resize_unchecked(WIDTH);
    // 2^255 + 2 x + 1
    let top = BoxedUint::one_with_precision(WIDTH).unbounded_shl_vartime(WIDTH - 1);
    let x = top.wrapping_add(x.unbounded_shl_vartime(1));
    x.wrapping_add(BoxedUint::one_with_precision(WIDTH))
}

/// The cases that every implementation must pass.
fn edges(random: &mut Random) -> Vec<Value> {
    // A product of two primes: (2^127 - 1)(2^128 + 51).
    let p = BoxedUint::from((1u128 << 127) - 1);
    let q = BoxedUint::one_with_precision(192)
        .unbounded_shl_vartime(128)
        .wrapping_add(BoxedUint::from(51u64));
    let modulus = p.concatenating_mul(&q).resize_unchecked(WIDTH);
    let one = BoxedUint::one_with_precision(WIDTH);
    let largest = modulus.wrapping_sub(&one);
    let [d, _] = hypercube().exponents().expect("the paper's graph");
    let message = random.below(&modulus);
    let mut cases = vec![case(&modulus, &message, &random.below(&modulus))];
    let exponents = [0, 1, d - 1, d, d + 1, 65_537].map(BoxedUint::from);
    cases.extend(exponents.iter().map(|e| case(&modulus, &message, e)));
    cases.push(case(&modulus, &largest, &bound_below()));
    cases.push(case(&modulus, &BoxedUint::zero(), &BoxedUint::from(0u64)));
    cases.push(case(
        &bound_below(),
        &bound_below().wrapping_sub(&one),
        &bound_below(),
    ));
    cases.push(case(
        &BoxedUint::from(3u64),
        &BoxedUint::from(2u64),
        &random.below(&modulus),
    ));
    cases
}

/// `base^exponent` modulo `modulus`, with the value on every link and the work of every element.
fn case(modulus: &BoxedUint, base: &BoxedUint, exponent: &BoxedUint) -> Value {
    let fixed = |x: &BoxedUint| x.clone().resize_unchecked(WIDTH);
    let (modulus, base, exponent) = (fixed(modulus), fixed(base), fixed(exponent));
    let arithmetic = IntegerMontgomery::new(&modulus).expect("an odd modulus");
    let plan = hypercube()
        .plan(Exponent::Secret(&exponent))
        .expect("an exponent");
    let network = plan.network();
    let input = arithmetic.enter(&base).expect("a base below the modulus");
    let messages = network
        .messages(&arithmetic, plan.digits(), &[input])
        .expect("one input and all digits");
    let sent = |element: usize| {
        let link = network.outgoing(element)[0];
        hex(&arithmetic.leave(&messages[link][0]))
    };
    let result = arithmetic.leave(&messages[network.output()][0]);
    assert_eq!(
        plan.powers(&arithmetic, core::slice::from_ref(&base))
            .as_deref(),
        Ok(&[result.clone()][..]),
        "the executor and the network agree"
    );
    let digits = |range: &[u8]| -> String {
        let digits = range.iter().rev().map(|d| char::from(b'0' + d));
        digits.collect()
    };
    let [d, _] = hypercube().exponents().expect("the paper's graph");
    let q_bits = plan.digits().len() - d.ilog2() as usize - 1;
    let mut case = modulus_constants(&modulus);
    case["base"] = hex(&base);
    case["q"] = digits(&plan.digits()[..q_bits]).into();
    case["r"] = digits(&plan.digits()[q_bits..]).into();
    case["result"] = hex(&result);
    case["sent"] = (1..network.elements().len()).map(sent).collect();
    case["mulmods"] = network.elements().iter().map(|e| e.steps.len()).collect();
    case
}

/// The constants of a Montgomery multiplier with `R = 2^256` for a modulus.
fn modulus_constants(modulus: &BoxedUint) -> Value {
    let divisor = Option::<NonZero<BoxedUint>>::from(NonZero::new(modulus.clone()));
    let divisor = divisor.expect("an odd modulus");
    let power = |bits: u32| {
        let power = BoxedUint::one_with_precision(3 * WIDTH).unbounded_shl_vartime(bits);
        power.rem_vartime(&divisor.clone().resize_unchecked(3 * WIDTH))
    };
    // Newton's iteration doubles the number of correct bits, of which 3 are there at the start.
    let n = modulus.as_words()[0] as u32;
    let inverse = (0..4).fold(n, |x, _| {
        x.wrapping_mul(2u32.wrapping_sub(n.wrapping_mul(x)))
    });
    json!({
        "modulus": hex(modulus),
        "negated_inverse": format!("{:x}", inverse.wrapping_neg()),
        "one": hex(&power(WIDTH)),
        "square": hex(&power(2 * WIDTH)),
    })
}

/// `a b / 2^256` modulo a few numbers.
fn products(random: &mut Random) -> Vec<Value> {
    let three = BoxedUint::from(3u64).resize_unchecked(WIDTH);
    let moduli = [bound_below(), odd(random), odd(random), three];
    let mut cases = Vec::new();
    for modulus in moduli {
        let arithmetic = IntegerMontgomery::new(&modulus).expect("an odd modulus");
        let params = BoxedMontyParams::new(Odd::new(modulus.clone()).expect("an odd modulus"));
        let one = BoxedUint::one_with_precision(WIDTH);
        let inverse = BoxedMontyForm::from_montgomery(one.clone(), &params).retrieve();
        let largest = modulus.wrapping_sub(&one);
        let below = random.below(&modulus).resize_unchecked(WIDTH);
        let edges = [BoxedUint::zero_with_precision(WIDTH), one, largest, below];
        for (a, b) in edges.iter().flat_map(|a| edges.iter().map(move |b| (a, b))) {
            let factors = [a, b, &inverse].map(|x| arithmetic.enter(x).expect("below the modulus"));
            let product = arithmetic.mul_mod(&factors[0], &factors[1]);
            let product = arithmetic.leave(&arithmetic.mul_mod(&product, &factors[2]));
            let mut case = modulus_constants(&modulus);
            case["a"] = hex(a);
            case["b"] = hex(b);
            case["product"] = hex(&product);
            cases.push(case);
        }
    }
    cases
}

/// A number as a hexadecimal string.
fn hex(x: &BoxedUint) -> Value {
    format!("{x:x}").into()
}
