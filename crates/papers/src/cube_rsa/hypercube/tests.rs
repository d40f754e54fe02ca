//! Tests of the hypercube against the numbers of the paper, against integer arithmetic
//! (`num-bigint`), and of its three ways to run against each other.

use super::*;
use crate::cube_rsa::arithmetic::{
    ExponentArithmetic, IntegerMontgomery, ModularArithmetic, MulMod,
};
use crypto_bigint::{BoxedUint, Choice, Resize};
use num_bigint::BigUint;
use sunzi_field::montgomery::{Montgomery, bases};

const FORMS: [Form; 2] = [Form::Plain, Form::Optimized];

/// Reproducible pseudo-random numbers.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of exactly `bits` bits.
    fn number(&mut self, bits: u32) -> BigUint {
        let words = bits.div_ceil(32);
        let number = BigUint::new((0..words).map(|_| self.word() as u32).collect());
        (number % (BigUint::from(1u8) << (bits - 1))) + (BigUint::from(1u8) << (bits - 1))
    }

    fn odd(&mut self, bits: u32) -> BigUint {
        self.number(bits) | BigUint::from(1u8)
    }
}

fn boxed(number: &BigUint) -> BoxedUint {
    let bits = (number.bits() as u32).next_multiple_of(64).max(64);
    BoxedUint::from_be_slice_vartime(&number.to_bytes_be()).resize(bits)
}

fn big(number: &BoxedUint) -> BigUint {
    BigUint::from_bytes_be(&number.to_be_bytes())
}

fn cubes_of(form: Form, count: usize) -> Network {
    Hypercube::new(count, form)
        .unwrap()
        .network_of_cubes()
        .unwrap()
}

fn depth(network: &Network, firing: Firing) -> u64 {
    let timing = Timing {
        firing,
        ..Timing::MULMODS
    };
    simulate(network, timing, 1).makespan()
}

/// The number and the work of each node, in the order of the paper's numbers.
fn work_by_number(network: &Network) -> Vec<(usize, usize)> {
    let elements = network.elements().iter();
    let mut work = elements
        .map(|element| match element.place {
            Place::Node(node) => (node.number(), element.steps.len()),
            place => panic!("{place} is no node"),
        })
        .collect::<Vec<_>>();
    work.sort_unstable();
    work
}

#[test]
fn the_optimized_form_meets_every_general_number_of_the_paper() {
    for count in 1..=MAX_CUBES {
        let hypercube = Hypercube::new(count, Form::Optimized).unwrap();
        let d = 24 * (1 << count) - 12 * count as u64 - 26;
        assert_eq!(hypercube.exponents().unwrap(), [d, 1]);
        let network = hypercube.network_of_cubes().unwrap();
        assert_eq!(network.elements().len(), 6 * count);
        assert_eq!(network.work(), 10 * count - 5);
        assert_eq!(depth(&network, Firing::Strict), 5 * count as u64 - 1);
    }
}

#[test]
fn eager_elements_shorten_the_critical_path() {
    let depths = (1..=4).map(|count| depth(&cubes_of(Form::Optimized, count), Firing::Eager));
    assert_eq!(depths.collect::<Vec<_>>(), [4, 7, 9, 11]);
}

#[test]
fn the_plain_form_computes_the_same_with_eight_elements_a_cube() {
    for count in 1..=MAX_CUBES {
        let plain = Hypercube::new(count, Form::Plain).unwrap();
        let optimized = Hypercube::new(count, Form::Optimized).unwrap();
        assert_eq!(plain.exponents().unwrap(), optimized.exponents().unwrap());
        let network = plain.network_of_cubes().unwrap();
        assert_eq!(network.elements().len(), 8 * count);
        assert_eq!(depth(&network, Firing::Strict), 5 * count as u64 - 1);
    }
}

#[test]
fn two_cubes_have_the_printed_work_of_each_element() {
    let printed = [0, 1, 0, 1, 1, 1, 1, 3, 1, 1, 1, 2, 1, 2, 2, 2];
    let plain = work_by_number(&cubes_of(Form::Plain, 2));
    assert!(plain.into_iter().eq(printed.into_iter().enumerate()));

    let eliminated = [1, 3, 9, 11];
    let kept = printed.into_iter().enumerate();
    let kept = kept.filter(|(number, _)| !eliminated.contains(number));
    assert!(
        work_by_number(&cubes_of(Form::Optimized, 2))
            .into_iter()
            .eq(kept)
    );
}

#[test]
fn the_eliminated_elements_repeat_others() {
    let network = cubes_of(Form::Plain, 2);
    // The exponents of a node's message: those of the network cut off after it.
    let sends = |number: usize| {
        let is_it = |element: &ProcessingElement| match element.place {
            Place::Node(node) => node.number() == number,
            _ => false,
        };
        let element = network.elements().iter().position(is_it).unwrap();
        let mut links = network.links().to_vec();
        let last = network.incoming(element).len() + network.elements()[element].steps.len() - 1;
        links.retain(|link| link.to.is_some());
        links.push(Link {
            from: Some(element),
            to: None,
            values: vec![Operand::Value(last)],
        });
        let cut = Network::new(2, network.elements().to_vec(), links).unwrap();
        cut.evaluate(&ExponentArithmetic, &[], &[[1, 0], [0, 1]])
            .unwrap()
    };
    for (one, other) in [(1, 4), (3, 6), (9, 12), (11, 14)] {
        assert_eq!(sends(one), sends(other));
    }
}

/// The reason why the plain form here is not the symmetric reading of the printed counts, in which
/// every node multiplies the values of its earlier neighbours: that reading gives another power.
#[test]
fn the_symmetric_reading_has_the_printed_work_and_another_power() {
    let mut held = [[0u64; 2]; 16];
    (held[0], held[2]) = ([1, 0], [0, 1]);
    let factors: [&[usize]; 14] = [
        &[0, 0],
        &[1, 2],
        &[0, 0],
        &[1, 4],
        &[2, 4],
        &[0, 0],
        &[1, 8],
        &[2, 8],
        &[3, 9, 10],
        &[4, 8],
        &[5, 9, 12],
        &[6, 10, 12],
        &[11, 13, 14],
        &[3, 5, 6, 15],
    ];
    let printed = [1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2, 2, 2, 3];
    let nodes = [1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 7];
    for ((node, factors), work) in nodes.into_iter().zip(factors).zip(printed) {
        assert_eq!(factors.len() - 1, work);
        for &factor in factors {
            held[node] = ExponentArithmetic.mul_mod(&held[node], &held[factor]);
        }
    }
    assert_eq!(held[7], [36, 6]);
}

#[test]
fn messages_travel_between_neighbours_only() {
    for form in FORMS {
        for count in 1..=MAX_CUBES {
            let network = cubes_of(form, count);
            for link in network.links() {
                let (Some(from), Some(to)) = (link.from, link.to) else {
                    continue;
                };
                let place = |end: usize| match network.elements()[end].place {
                    Place::Node(node) => node.label(),
                    place => panic!("{place} is no node"),
                };
                assert_eq!((place(from) ^ place(to)).count_ones(), 1);
            }
        }
    }
}

#[test]
fn every_small_exponent_is_computed_exactly() {
    for count in 1..=5 {
        let hypercube = Hypercube::new(count, Form::Optimized).unwrap();
        for e in 0..1600u64 {
            let exponent = BoxedUint::from(e);
            for exponent in [Exponent::Public(&exponent), Exponent::Secret(&exponent)] {
                let plan = hypercube.plan(exponent).unwrap();
                let network = plan.network();
                let powers = network
                    .evaluate(&ExponentArithmetic, plan.digits(), &[[1, 0]])
                    .unwrap();
                assert_eq!(powers, [[e, 0]]);
            }
        }
    }
}

#[test]
fn powers_agree_with_num_bigint() {
    let mut random = Random(1);
    for (bits, counts) in [
        (512, &[1, 2, 3, 4, 5][..]),
        (1024, &[1, 3, 5]),
        (2048, &[2]),
        (4096, &[2]),
    ] {
        let n = random.odd(bits);
        let arithmetic = IntegerMontgomery::new(&boxed(&n)).unwrap();
        let all = [
            BigUint::from(0u8),
            BigUint::from(1u8),
            &n - 1u8,
            random.number(bits) % &n,
        ];
        let bases = if bits > 1024 { &all[3..] } else { &all[..] };
        for &count in counts {
            let hypercube = |form| Hypercube::new(count, form).unwrap();
            let d = hypercube(Form::Optimized).exponents().unwrap()[0];
            let mut exponents = [0, 1, d - 1, d, d + 1, 65_537].map(BigUint::from).to_vec();
            let random = random.odd(bits);
            exponents.extend([&random - 1u8, random]);
            for e in exponents {
                let expected = bases.iter().map(|m| m.modpow(&e, &n)).collect::<Vec<_>>();
                let boxed_bases = bases.iter().map(boxed).collect::<Vec<_>>();
                let e = boxed(&e);
                for (form, exponent) in [
                    (Form::Plain, Exponent::Public(&e)),
                    (Form::Optimized, Exponent::Public(&e)),
                    (Form::Optimized, Exponent::Secret(&e)),
                ] {
                    let plan = hypercube(form).plan(exponent).unwrap();
                    let powers = plan.powers(&arithmetic, &boxed_bases).unwrap();
                    assert!(powers.iter().map(big).eq(expected.iter().cloned()));
                }
            }
        }
    }
}

#[test]
fn powers_in_residue_number_systems_agree_with_num_bigint() {
    let mut random = Random(2);
    for bits in [256, 521] {
        let p = random.odd(bits);
        let (a, b) = bases(&boxed(&p), 32, 1).unwrap();
        let arithmetic = Montgomery::kawamura(&boxed(&p), &a, &b).unwrap();
        let m = (0..3).map(|_| random.number(bits) % &p).collect::<Vec<_>>();
        for e in [random.odd(bits), BigUint::from(0u8), BigUint::from(10u8)] {
            let boxed_e = boxed(&e);
            for exponent in [Exponent::Public(&boxed_e), Exponent::Secret(&boxed_e)] {
                let plan = Hypercube::new(2, Form::Optimized).unwrap();
                let plan = plan.plan(exponent).unwrap();
                let boxed_m = m.iter().map(boxed).collect::<Vec<_>>();
                let powers = plan.powers(&arithmetic, &boxed_m).unwrap();
                let expected = m.iter().map(|m| m.modpow(&e, &p));
                assert!(powers.iter().map(big).eq(expected));
                let too_large = plan.powers(&arithmetic, &[boxed(&p)]);
                assert!(matches!(
                    too_large,
                    Err(HypercubeError::BaseTooLarge { .. })
                ));
            }
        }
    }
}

/// Runs streams through the executor, the simulation and the reference, and asserts that all agree.
fn all_agree(network: &Network, digits: &[u8]) {
    let inputs = (1..=5).map(|m| vec![[m, 0]]).collect::<Vec<_>>();
    for firing in [Firing::Strict, Firing::Eager] {
        for (costs, interval) in [
            (Costs::MULMODS, 0),
            (
                Costs {
                    mulmod: 100,
                    hop: 7,
                    element: 13,
                },
                250,
            ),
            (
                Costs {
                    mulmod: 1,
                    hop: 30,
                    element: 0,
                },
                3,
            ),
        ] {
            let timing = Timing {
                costs,
                firing,
                interval,
            };
            let executor = Executor::new(network, &ExponentArithmetic, digits).unwrap();
            let outcome = executor.timed(timing).run(&inputs).unwrap();
            for (input, result) in inputs.iter().zip(&outcome.results) {
                assert_eq!(
                    result,
                    &network
                        .evaluate(&ExponentArithmetic, digits, input)
                        .unwrap()
                );
            }
            assert_eq!(outcome.results.len(), inputs.len());
            assert_eq!(outcome.timeline, simulate(network, timing, inputs.len()));
        }
    }
}

#[test]
fn executor_and_simulation_agree_on_results_and_events() {
    let e = BoxedUint::from(0x1234_5678_9abc_def1u64);
    for form in FORMS {
        for count in 1..=5 {
            let hypercube = Hypercube::new(count, form).unwrap();
            for (exponent, coordinators) in [
                (Exponent::Public(&e), 1),
                (Exponent::Secret(&e), 1),
                (Exponent::Public(&e), 4),
            ] {
                let hypercube = hypercube.with_coordinators(coordinators);
                let plan = hypercube.plan(exponent).unwrap();
                all_agree(plan.network(), plan.digits());
            }
        }
    }
    for stages in 1..=6 {
        let program = methods::fixed_window_vartime(&e, 3).unwrap();
        all_agree(&chain(&program, stages).unwrap(), &[]);
    }
}

#[test]
fn every_injected_fault_ends_the_run_with_its_error() {
    let e = BoxedUint::from(123_456u64);
    let inputs = (1..=3).map(|m| vec![[m, 0]]).collect::<Vec<_>>();
    for (form, count) in [(Form::Plain, 1), (Form::Optimized, 2)] {
        let plan = Hypercube::new(count, form).unwrap();
        let plan = plan.plan(Exponent::Public(&e)).unwrap();
        let network = plan.network();
        let executor = Executor::new(network, &ExponentArithmetic, &[]).unwrap();
        for power in 0..inputs.len() {
            for (element, named) in network.elements().iter().enumerate() {
                let run = executor
                    .with_fault(Fault::Panic { element, power })
                    .run(&inputs);
                let expected = RunError::Panicked {
                    element: format!("{}", named.place),
                    message: "an injected fault".into(),
                };
                assert_eq!(run.unwrap_err(), HypercubeError::Run(expected));
            }
            for (link, named) in network.links().iter().enumerate() {
                let run = executor
                    .with_fault(Fault::Lose { link, power })
                    .run(&inputs);
                let expected = RunError::Lost {
                    from: network.place(named.from),
                    to: network.place(named.to),
                    power,
                };
                assert_eq!(run.unwrap_err(), HypercubeError::Run(expected));
            }
        }
    }
}

/// Arithmetic that panics at one product.
struct PanickingArithmetic;

impl MulMod for PanickingArithmetic {
    type Residue = u64;

    fn one(&self) -> u64 {
        0
    }

    fn mul_mod(&self, a: &u64, b: &u64) -> u64 {
        assert_ne!(a + b, 46, "no 46 here");
        a + b
    }

    fn select(&self, _: &u64, b: &u64, _: Choice) -> u64 {
        *b
    }
}

#[test]
fn arithmetic_that_panics_is_an_error() {
    let network = cubes_of(Form::Optimized, 2);
    let executor = Executor::new(&network, &PanickingArithmetic, &[]).unwrap();
    let HypercubeError::Run(RunError::Panicked { element, message }) =
        executor.run(&[vec![1, 0]]).unwrap_err()
    else {
        panic!("the run does not tell of the panic");
    };
    assert_eq!(element, "PE 7");
    assert!(message.contains("no 46 here"));
}

#[test]
fn every_method_gives_every_small_exponent() {
    let power = |program: &Program| program.run(&ExponentArithmetic, &[], &[[1, 0]]).unwrap();
    for e in 0..3000u64 {
        let exponent = BoxedUint::from(e);
        assert_eq!(power(&methods::binary_vartime(&exponent)), [[e, 0]]);
        assert_eq!(power(&methods::ladder_vartime(&exponent)), [[e, 0]]);
        for window in 1..=6 {
            let fixed = methods::fixed_window_vartime(&exponent, window).unwrap();
            assert_eq!(power(&fixed), [[e, 0]]);
            let sliding = methods::sliding_window_vartime(&exponent, window).unwrap();
            assert_eq!(power(&sliding), [[e, 0]]);
        }
    }
}

#[test]
fn a_secret_exponent_leaves_no_trace_in_the_program() {
    let hypercube = Hypercube::new(2, Form::Optimized).unwrap();
    let plan = |e: u64| {
        let e = BoxedUint::from(e);
        hypercube.plan(Exponent::Secret(&e)).unwrap()
    };
    let [zero, all, some] = [0, u64::MAX, 0xdead_beef].map(plan);
    for other in [all, some] {
        assert_eq!(zero.network(), other.network());
        assert_eq!(zero.digits().len(), other.digits().len());
    }
}

#[test]
fn the_coordinator_does_as_many_products_as_derived() {
    let mut random = Random(3);
    let hypercube = Hypercube::new(2, Form::Optimized).unwrap();
    for _ in 0..20 {
        let e = random.odd(1024);
        let (q, r) = (&e / 46u8, &e % 46u8);
        let weight = |x: &BigUint| x.count_ones() as usize;
        let exponent = boxed(&e);
        let plan = hypercube.plan(Exponent::Public(&exponent)).unwrap();
        let work = plan.coordinator().steps().len();
        assert_eq!(
            work,
            q.bits() as usize - 1 + weight(&q) - 1 + weight(&r) - 1
        );
        assert_eq!(plan.network().bottleneck(), work);
        assert_eq!(plan.network().work(), work + 15);
        // The critical path of one power: the coordinator's work, then 9 in the cubes.
        assert_eq!(depth(plan.network(), Firing::Strict), work as u64 + 9);
    }
}

#[test]
fn a_chain_reaches_the_bound_on_the_throughput() {
    let mut random = Random(4);
    let e = boxed(&random.odd(256));
    let arithmetic = IntegerMontgomery::new(&boxed(&random.odd(128))).unwrap();
    let base = boxed(&random.number(127));
    let programs = [
        methods::binary_vartime(&e),
        methods::fixed_window_vartime(&e, 4).unwrap(),
        methods::sliding_window_vartime(&e, 4).unwrap(),
    ];
    for program in programs {
        let work = program.steps().len();
        for stages in [1, 2, 3, 4, 5, 8, 13, 32, work] {
            let network = chain(&program, stages).unwrap();
            assert_eq!(network.work(), work);
            assert_eq!(network.bottleneck(), work.div_ceil(stages));
            let least = network
                .elements()
                .iter()
                .map(|element| element.steps.len())
                .min();
            assert_eq!(least, Some(work / stages));
            let stream = simulate(&network, Timing::MULMODS, 2 * stages + 20);
            let (time, powers) = stream.period().unwrap();
            assert_eq!(time, (powers * work.div_ceil(stages)) as u64);
            assert_eq!(stream.latencies().next(), Some(work as u64));
            if stages <= 32 {
                let inputs = vec![vec![arithmetic.enter(&base).unwrap()]; 2 * stages + 20];
                let executor = Executor::new(&network, &arithmetic, &[]).unwrap();
                assert_eq!(executor.run(&inputs).unwrap().timeline, stream);
            }
        }
    }
}

#[test]
fn one_coordinator_bounds_the_throughput_and_several_lift_it() {
    let mut random = Random(5);
    let e = boxed(&random.odd(512));
    for count in 1..=5 {
        let hypercube = Hypercube::new(count, Form::Optimized).unwrap();
        for coordinators in [1, 2, 5, 16, 1000] {
            let hypercube = hypercube.with_coordinators(coordinators);
            let Ok(plan) = hypercube.plan(Exponent::Public(&e)) else {
                assert_eq!(coordinators, 1000);
                continue;
            };
            let work = plan.coordinator().steps().len();
            let slowest = work.div_ceil(coordinators);
            assert_eq!(plan.network().bottleneck(), slowest);
            let stream = simulate(plan.network(), Timing::MULMODS, 60);
            let (time, powers) = stream.period().unwrap();
            assert_eq!(time, (powers * slowest) as u64);
        }
    }
}

#[test]
fn steady_state_uses_the_slowest_element_fully() {
    let e = BoxedUint::from(0xffff_ffffu64);
    let plan = Hypercube::new(1, Form::Optimized).unwrap();
    let plan = plan.plan(Exponent::Public(&e)).unwrap();
    let stream = simulate(plan.network(), Timing::MULMODS, 1000);
    let utilization = stream.utilization();
    assert!(utilization[0] > 0.999);
    let work = plan
        .network()
        .elements()
        .iter()
        .map(|element| element.steps.len());
    for (used, work) in utilization.iter().zip(work) {
        let expected = work as f64 / plan.network().bottleneck() as f64;
        assert!((used - expected).abs() < 0.001);
    }
    let throughput = stream.throughput().unwrap();
    assert!((throughput * plan.network().bottleneck() as f64 - 1.0).abs() < 1e-9);
}

#[test]
fn a_link_that_carries_much_is_a_bottleneck_too() {
    let e = BoxedUint::from(u64::MAX);
    // The links carry a table of powers, and a hop costs as much as 4 MulMods.
    let network = chain(&methods::fixed_window_vartime(&e, 3).unwrap(), 30).unwrap();
    let costs = Costs {
        hop: 4,
        ..Costs::MULMODS
    };
    let timing = Timing {
        costs,
        ..Timing::MULMODS
    };
    let values = network.links().iter().map(|link| link.values.len());
    let widest = values.max().unwrap();
    assert!(4 * widest > network.bottleneck());
    let (time, powers) = simulate(&network, timing, 100).period().unwrap();
    assert_eq!(time, (powers * 4 * widest) as u64);
}

#[test]
fn bad_input_is_refused_with_the_condition() {
    let n = BoxedUint::from(0xffff_fffbu64);
    let text = |error: HypercubeError| format!("{error}");
    let even = IntegerMontgomery::new(&BoxedUint::from(100u64)).unwrap_err();
    assert_eq!(text(even), "the modulus is even: it must be odd");
    let one = IntegerMontgomery::new(&BoxedUint::from(1u64)).unwrap_err();
    assert_eq!(text(one), "the modulus is 1: it must be at least 3");
    let zero = IntegerMontgomery::new(&BoxedUint::from(0u64)).unwrap_err();
    assert_eq!(zero, HypercubeError::EvenModulus);

    let arithmetic = IntegerMontgomery::new(&n).unwrap();
    let hypercube = Hypercube::new(1, Form::Optimized).unwrap();
    let e = BoxedUint::from(77u64);
    let plan = hypercube.plan(Exponent::Public(&e)).unwrap();
    for base in [n.clone(), BoxedUint::from(u128::MAX)] {
        let refused = plan.powers(&arithmetic, &[BoxedUint::from(2u64), base.clone()]);
        let expected = HypercubeError::BaseTooLarge {
            base_bits: base.bits(),
            modulus_bits: 32,
        };
        assert_eq!(refused.unwrap_err(), expected);
    }
    // A base of a larger precision is accepted if its value is below the modulus.
    let wide = BoxedUint::from(3u64).resize(1024);
    assert_eq!(plan.powers(&arithmetic, &[wide]).unwrap().len(), 1);

    let none = Hypercube::new(0, Form::Plain).unwrap_err();
    assert!(text(none).starts_with("0 cubes: a hypercube has at least 1 cube"));
    let many = Hypercube::new(17, Form::Plain).unwrap_err();
    assert_eq!(
        text(many),
        "17 cubes are too many: at most 16 are supported"
    );

    let program = methods::binary_vartime(&e);
    for stages in [0, program.steps().len() + 1] {
        let work = program.steps().len();
        let refused = chain(&program, stages).unwrap_err();
        assert_eq!(refused, HypercubeError::Stages { stages, work });
    }
    for bits in [0, 17] {
        let expected = HypercubeError::Window { bits };
        assert_eq!(
            methods::fixed_window_vartime(&e, bits),
            Err(expected.clone())
        );
        assert_eq!(methods::sliding_window_vartime(&e, bits), Err(expected));
    }
}

#[test]
fn missing_inputs_and_digits_are_refused() {
    let e = BoxedUint::from(77u64);
    let plan = Hypercube::new(1, Form::Optimized).unwrap();
    let plan = plan.plan(Exponent::Secret(&e)).unwrap();
    let needed = plan.digits().len();
    let short = &plan.digits()[1..];
    let expected = HypercubeError::Digits {
        given: needed - 1,
        needed,
    };
    assert_eq!(
        Executor::new(plan.network(), &ExponentArithmetic, short).err(),
        Some(expected.clone())
    );
    assert_eq!(
        plan.network()
            .evaluate(&ExponentArithmetic, short, &[[1, 0]])
            .unwrap_err(),
        expected
    );
    let executor = Executor::new(plan.network(), &ExponentArithmetic, plan.digits()).unwrap();
    let expected = HypercubeError::Inputs {
        given: 2,
        needed: 1,
    };
    assert_eq!(executor.run(&[vec![[1, 0]; 2]]).unwrap_err(), expected);
    assert_eq!(
        plan.coordinator()
            .run(&ExponentArithmetic, &[], &[])
            .unwrap_err(),
        HypercubeError::Inputs {
            given: 0,
            needed: 1,
        }
    );
    assert!(executor.run(&[]).unwrap().results.is_empty());
}
