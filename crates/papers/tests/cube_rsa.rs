//! Tests of the methods of the paper's tables against integer arithmetic (`num-bigint`), and of the tables
//! and figures against numbers known from elsewhere.

use crypto_bigint::{BoxedUint, Resize};
use num_bigint::BigUint;
use sunzi_papers::cube_rsa::CubeRsaError;
use sunzi_papers::cube_rsa::arithmetic::Division;
use sunzi_papers::cube_rsa::arithmetic::IntegerMontgomery;
use sunzi_papers::cube_rsa::competitors::{Crt, Method};
use sunzi_papers::cube_rsa::distributed::{in_a_row, sent};
use sunzi_papers::cube_rsa::drawing::Drawing;
use sunzi_papers::cube_rsa::hypercube::{
    Exponent, Form, Hypercube, HypercubeError, Place, Timing, simulate,
};
use sunzi_papers::cube_rsa::{figures, tables};

fn boxed(number: &BigUint) -> BoxedUint {
    let bits = (number.bits() as u32).next_multiple_of(64).max(64);
    BoxedUint::from_be_slice_vartime(&number.to_bytes_be()).resize(bits)
}

fn big(number: &BoxedUint) -> BigUint {
    BigUint::from_bytes_be(&number.to_be_bytes())
}

/// A reproducible number of exactly `bits` bits, with irregular digits.
fn number(bits: u32, seed: u32) -> BigUint {
    let one = BigUint::from(1u8);
    let cube = BigUint::from(seed).pow(1000) % (&one << (bits - 1));
    (&one << (bits - 1)) + cube
}

const METHODS: [Method; 13] = [
    Method::Binary,
    Method::FixedWindow(1),
    Method::FixedWindow(5),
    Method::SlidingWindow(1),
    Method::SlidingWindow(6),
    Method::Ladder,
    Method::Split(1),
    Method::Split(4),
    Method::Crsa(Form::Plain, 1),
    Method::Crsa(Form::Optimized, 2),
    Method::Pipelined(3),
    Method::Chain(1),
    Method::Chain(3),
];

#[test]
fn every_method_agrees_with_num_bigint_on_both_arithmetics() {
    for bits in [65, 512, 1024] {
        let n = number(bits, 3) | BigUint::from(1u8);
        let montgomery = IntegerMontgomery::new(&boxed(&n)).unwrap();
        let division = Division::new(&boxed(&n)).unwrap();
        let bases = [
            BigUint::from(0u8),
            BigUint::from(1u8),
            &n - 1u8,
            number(bits - 1, 5),
        ];
        let boxed_bases = bases.each_ref().map(boxed);
        for e in [
            BigUint::from(65_537u32),
            number(bits, 7),
            number(bits, 11) | BigUint::from(1u8),
        ] {
            let expected = bases.each_ref().map(|m| m.modpow(&e, &n));
            for method in METHODS {
                let (powers, work) = method
                    .powers(&montgomery, &boxed_bases, &boxed(&e))
                    .unwrap();
                assert!(
                    powers.iter().map(big).eq(expected.iter().cloned()),
                    "{method}"
                );
                assert!(work.in_a_row <= work.total, "{method}");
                let (powers, same) = method.powers(&division, &boxed_bases, &boxed(&e)).unwrap();
                assert!(
                    powers.iter().map(big).eq(expected.iter().cloned()),
                    "{method}"
                );
                assert_eq!(work, same, "{method}");
            }
        }
    }
}

#[test]
fn the_counts_are_those_of_the_textbooks() {
    let n = number(512, 3) | BigUint::from(1u8);
    let arithmetic = IntegerMontgomery::new(&boxed(&n)).unwrap();
    let base = boxed(&number(500, 5));
    let e = number(512, 7);
    let total = |method: Method| {
        method
            .power(&arithmetic, &base, &boxed(&e))
            .unwrap()
            .1
            .total
    };
    let (bits, weight) = (e.bits() as usize, e.count_ones() as usize);
    assert_eq!(total(Method::Binary), bits - 1 + weight - 1);
    assert_eq!(total(Method::Ladder), 2 * bits - 1);
    // 102 windows after the first, each with 5 squarings and a product; 30 products for the table.
    assert_eq!(bits.div_ceil(5), 103);
    assert_eq!(total(Method::FixedWindow(5)), 102 * 6 + 30);
    assert_eq!(total(Method::Chain(7)), total(Method::Binary));
    assert!(total(Method::SlidingWindow(5)) < total(Method::FixedWindow(5)));

    let small = BoxedUint::from(4001u64);
    let repeated = Method::Repeated(4)
        .power(&arithmetic, &base, &small)
        .unwrap();
    assert_eq!(
        repeated.0,
        Method::Binary.power(&arithmetic, &base, &small).unwrap().0
    );
    // 4001 = 3 * 1000 + 1001: a share of n factors takes n - 1 products, and 3 combine the shares.
    assert_eq!((repeated.1.total, repeated.1.in_a_row), (4000, 1000 + 3));
}

#[test]
fn the_primes_of_the_tables_are_prime() {
    for bits in [512, 1024, 2048, 4096] {
        let crt = tables::modulus(bits).unwrap();
        let n = big(&crt.modulus());
        assert_eq!(n.bits(), u64::from(bits));
        let [p, q] = crt.primes().map(big);
        assert_eq!(&p * &q, n);
        for prime in [p, q] {
            let fermat = |base: u8| BigUint::from(base).modpow(&(&prime - 1u8), &prime);
            let powers = [2, 3, 5].map(fermat);
            assert!(powers.iter().all(|power| *power == BigUint::from(1u8)));
        }
    }
    assert!(tables::modulus(1000).is_none());
}

#[test]
fn crt_agrees_with_num_bigint() {
    let crt = tables::modulus(1024).unwrap();
    let n = big(&crt.modulus());
    for (m, e) in [(3, 7), (5, 11)] {
        let (m, e) = (number(1023, m), number(1024, e));
        let (power, work) = crt.power_montgomery(&boxed(&m), &boxed(&e)).unwrap();
        assert_eq!(big(&power), m.modpow(&e, &n));
        assert!((1200..1800).contains(&work.total));
        let by_division =
            |prime: &BoxedUint| Division::new(prime).ok_or(HypercubeError::ModulusTooSmall);
        let (same, same_work) = crt.power(&boxed(&m), &boxed(&e), by_division).unwrap();
        assert_eq!((same, same_work), (power, work));
    }
    let prime = BoxedUint::from(97u64);
    assert!(Crt::new(&prime, &prime).is_none());
    assert!(Crt::new(&prime, &BoxedUint::from(1u64)).is_none());
    assert!(Crt::new(&prime, &BoxedUint::from(100u64)).is_none());
}

#[test]
fn parameters_out_of_range_are_refused() {
    let arithmetic = IntegerMontgomery::new(&BoxedUint::from(101u64)).unwrap();
    let (base, e) = (BoxedUint::from(2u64), BoxedUint::from(1u64 << 20));
    let refused = |method: Method| method.power(&arithmetic, &base, &e).unwrap_err();
    let processors = |error| matches!(error, CubeRsaError::Processors { .. });
    assert!(processors(refused(Method::Split(0))));
    assert!(processors(refused(Method::Split(65))));
    assert!(processors(refused(Method::Repeated(0))));
    assert!(matches!(
        refused(Method::Repeated(4)),
        CubeRsaError::Repeated { bits: 21, most: 20 }
    ));
    for method in [
        Method::Crsa(Form::Plain, 0),
        Method::Pipelined(17),
        Method::Chain(0),
        Method::Chain(10_000),
        Method::FixedWindow(0),
        Method::SlidingWindow(17),
    ] {
        assert!(
            matches!(refused(method), CubeRsaError::Hypercube(_)),
            "{method}"
        );
    }
    let large = Method::Binary.power(&arithmetic, &BoxedUint::from(101u64), &e);
    assert!(matches!(
        large,
        Err(CubeRsaError::Hypercube(HypercubeError::BaseTooLarge { .. }))
    ));
    assert!(Division::new(&BoxedUint::from(0u64)).is_none());
}

#[test]
fn table_1_has_the_known_numbers() {
    let counts = tables::count(40).unwrap();
    let row = |start: &str| counts.row(start).unwrap();
    let binary = row("Binary");
    assert_eq!((binary.one_bit, binary.all_ones), (1023, 2046));
    assert!((binary.mean - 1535.0).abs() < 12.0);
    assert_eq!(row("Montgomery ladder").all_ones, 2 * 1024 - 1);
    let crsa = row("CRSA optimized");
    // 12 elements and the coordinator. The cubes do 15 products, 9 of them on the critical path.
    assert_eq!(crsa.processors, 13);
    assert!((crsa.mean_total - crsa.mean - 6.0).abs() < 1e-9);
    // On average over many exponents CRSA takes 2 more, since B costs more than the cubes save.
    assert!((crsa.mean - binary.mean).abs() < 12.0);
    // q < 1.391 * 2^1018 has at most 1018 ones in 1018 bits: 2 * 1017 products, plus 4 for r = 31
    // and 9 in the cubes. The paper's 2044 leaves out those for r, and is rounded up.
    assert_eq!((counts.crsa_worst, counts.crsa_worst_for_b), (2047, 4));
    let plain = row("CRSA plain");
    assert_eq!(plain.processors, 17);
    assert!((plain.mean - crsa.mean).abs() < 1e-9);
    let pipelined = row("CRSA pipelined");
    assert!((crsa.mean - pipelined.mean - 9.0).abs() < 1e-9);
    let chain = row("Binary in a chain of 5");
    assert!((chain.mean - binary.mean / 5.0).abs() < 1.0);
    // (2^16 - 1) / 4 = 16383.75: 16384 factors take one product less, and 3 combine the shares.
    assert_eq!(counts.loop_of_16_bits, 16_384 - 1 + 3);
    let text = counts.table().to_string();
    assert!(text.contains("787456") && text.contains("2098176") && text.contains("2044"));
}

#[test]
fn table_2_times_every_method() {
    let times = tables::time(1, &tables::TIMED_BITS).unwrap();
    for row in &times.rows {
        assert_eq!((row.division.len(), row.montgomery.len()), (3, 3));
        for times in row.division.iter().chain(&row.montgomery) {
            assert!(times.median_ns > 0.0, "{}", row.method);
        }
    }
    assert!(times.table("").to_string().contains("60314.72"));
}

#[test]
fn figure_4_is_within_the_proved_bounds() {
    let figure = figures::simulated().unwrap();
    assert_eq!(figure.throughput.len(), 5);
    for point in &figure.throughput {
        let stages = point.cubes as f64 + 3.0;
        assert!((point.claimed - stages).abs() < 1e-9);
        assert!((1.0..1.02).contains(&point.one_coordinator));
        // Rounding to whole MulMods costs less than 1 %.
        assert!(point.several_coordinators > 0.99 * stages);
        assert!(point.chain > 0.99 * stages && point.chain <= stages + 1e-9);
    }
    assert_eq!(figure.efficiency.len(), 4);
    for point in &figure.efficiency {
        assert!((point.optimized * 13.0 - point.plain * 17.0).abs() < 1e-6);
        assert!((7.0..8.5).contains(&point.optimized));
        assert!(point.chain > 97.0 && point.chain <= 100.0 + 1e-9);
    }
    let text = figure.tables()[0].to_string();
    assert!(text.contains("chain of Nc + 3, no cubes"));
}

#[test]
fn the_drawing_has_every_element_with_its_work() {
    let drawing = Drawing::new(Form::Optimized, 2, 2048).unwrap();
    let text = drawing.to_string();
    for line in ["12 PEs, 15 MulMods, 9 in a row (7 if", "PE 15", "A^46 B"] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let pe_7 = text.lines().find(|line| line.starts_with("PE 7 ")).unwrap();
    assert!(pe_7.contains(" 3   PE 5, PE 6, PE 15 "), "{pe_7}");
    let svg = drawing.svg();
    assert_eq!(svg.matches("<circle").count(), 13);
    // Arrows: 2 from the coordinator, 1 for its input, 1 for the result, and 17 between nodes.
    assert_eq!(svg.matches("marker-end").count(), 21);
    for (form, nodes) in [(Form::Plain, 8), (Form::Optimized, 6)] {
        for cubes in [1, 5, 16] {
            let svg = Drawing::new(form, cubes, 512).unwrap().svg();
            assert_eq!(svg.matches("<circle").count(), nodes * cubes + 1);
        }
    }
    assert!(Drawing::new(Form::Plain, 0, 512).is_err());
    assert!(matches!(
        Drawing::new(Form::Plain, 1, 0),
        Err(CubeRsaError::NoBits)
    ));
}

/// `vectors/hypercube.json`: the networks with the messages of the simulation, for other languages to compare with.
/// `SUNZI_WRITE_VECTORS=1` writes it anew.
#[test]
fn the_vectors_are_those_of_the_simulation() {
    const POWERS: usize = 3;
    let exponents = [
        "0x0",
        "0x1",
        "0x2e",
        "0x10001",
        "0xfedcba9876543210fedcba9876543211",
    ];
    let mut networks = Vec::new();
    for (name, form) in [("optimized", Form::Optimized), ("plain", Form::Plain)] {
        for cubes in 1..=5 {
            let hypercube = Hypercube::new(cubes, form).unwrap();
            let dimension = hypercube.cubes().dimension() as usize;
            let plan = |text: &str| {
                let e = BigUint::parse_bytes(&text.as_bytes()[2..], 16).unwrap();
                hypercube.plan(Exponent::Public(&boxed(&e))).unwrap()
            };
            let one = plan("0x1");
            let network = one.network();
            let coordinator = exponents.map(|e| {
                let products = plan(e).coordinator().steps().len();
                serde_json::json!({ "e": e, "products": products })
            });
            let elements = network.elements().iter().filter_map(|element| {
                let Place::Node(node) = element.place else {
                    return None;
                };
                Some(serde_json::json!({
                    "name": element.place.to_string(),
                    "label": format!("{:0dimension$b}", node.label()),
                    "products": element.steps.len(),
                }))
            });
            networks.push(serde_json::json!({
                "form": name,
                "cubes": cubes,
                "d": hypercube.exponents().unwrap()[0],
                "dimension": dimension,
                "elements": elements.collect::<Vec<_>>(),
                "coordinator": coordinator,
                "in_a_row": in_a_row(network),
                "products_in_a_row": simulate(network, Timing::MULMODS, 1).makespan(),
                "powers": POWERS,
                "messages": sent(network, POWERS),
            }));
        }
    }
    let text = serde_json::to_string_pretty(&serde_json::json!({
        "about": "Networks of the hypercube (docs/hypercube.md): elements with their labels and products for a power, the \
            coordinator's products for exponents, the messages over each link in a simulated stream of `powers` powers, \
            the messages and, for e = 1, the products that follow each other on the path of a power.",
        "networks": networks,
    }));
    let text = text.unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/hypercube.json");
    if std::env::var_os("SUNZI_WRITE_VECTORS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).is_ok_and(|written| written == text),
        "vectors/hypercube.json differs: SUNZI_WRITE_VECTORS=1 writes it anew"
    );
}
