//! Tests of programs: refusals by the builder and the engine, counts of operations, and the text
//! form.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use sunzi_engine::program::{
    Builder, Limits, Magnitude, ProgramError, Recoding, Scalar, Value,
    fixed_base::Comb,
    formulas::{Segment, edwards::DoubleWithT, ladder::Step, weierstrass::DoubleJacobian},
    multi_power::{multi_power, pippenger, straus},
    power,
};
use sunzi_engine::testing::{CountingEngine, failing};
use sunzi_engine::{Backend, Engine, EngineError, Exponent, Job, ProgramKey, Programs, Task};

const LIMITS: Limits = Limits {
    product: Magnitude::interval(-1, 10),
    operands: 400,
    signed: true,
    folded: None,
};

fn refused(build: impl Fn(&mut Builder)) -> ProgramError {
    let mut builder = Builder::new("test", 128, LIMITS, 48);
    build(&mut builder);
    builder.finish().expect_err("it breaks a condition")
}

fn input(builder: &mut Builder) -> Value {
    builder.input(128)
}

/// Products, sums, multiples and outputs that are refused: each error names the operation and the
/// condition.
#[test]
fn what_the_limits_do_not_allow() {
    // Operands of weights 30 and 10 are allowed, those of weights 30 and 20 are not.
    let error = refused(|b| {
        let x = input(b);
        let (three, two) = (b.scale(x, 3), b.scale(x, 2));
        let first = b.multiply(three, x);
        let second = b.multiply(three, two);
        b.output(first);
        b.output(second);
    });
    let text = error.to_string();
    for part in ["multiply", "[-3, 30] P", "[-2, 20] P", "600", "400"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(matches!(
        error,
        ProgramError::Magnitudes {
            weight: 600,
            limit: 400,
            ..
        }
    ));

    let error = refused(|b| {
        let x = input(b);
        let terms = vec![(true, x, x); 5];
        let sum = b.sum_of_products(&terms);
        b.output(sum);
    });
    assert!(
        matches!(
            error,
            ProgramError::Magnitudes {
                operation: "sum of products",
                ..
            }
        ),
        "{error}"
    );

    let error = refused(|b| {
        let (x, y) = (b.input_unreduced(128), b.input_unreduced(128));
        let product = b.multiply(x, y);
        b.output(product);
    });
    assert!(matches!(error, ProgramError::TwoIntegers { .. }), "{error}");

    let error = refused(|b| {
        let mut x = input(b);
        for _ in 0..5 {
            x = b.scale(x, 1024);
        }
        b.output(x);
    });
    assert!(
        matches!(
            error,
            ProgramError::TooLarge {
                operation: "combine",
                ..
            }
        ),
        "{error}"
    );

    // A square in Fp12 has twelve numbers, and a ladder's step is none of an extension field.
    for segment in [Segment::ExtensionSquare, Segment::LadderStep(1)] {
        let error = refused(|b| {
            let x = input(b);
            let [x] = b.apply_in_extension(segment, [x], |_, [x]| [x]);
            b.output(x);
        });
        assert!(matches!(error, ProgramError::OutOfRange { .. }), "{error}");
    }

    for factor in [0, 1025] {
        let error = refused(|b| {
            let x = input(b);
            let x = b.scale(x, factor);
            b.output(x);
        });
        assert!(
            matches!(
                error,
                ProgramError::OutOfRange {
                    operation: "scale",
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn forms_that_do_not_match() {
    let error = refused(|b| {
        let (x, y) = (input(b), b.input_unreduced(128));
        let sum = b.add(x, y);
        b.output(sum);
    });
    assert!(
        matches!(
            error,
            ProgramError::Forms {
                operation: "add",
                x: 1,
                y: 0,
                ..
            }
        ),
        "{error}"
    );
    let error = refused(|b| {
        let x = b.input_unreduced(128);
        let x = b.square_times(x, 2);
        b.output(x);
    });
    assert!(
        matches!(
            error,
            ProgramError::Forms {
                operation: "square",
                ..
            }
        ),
        "{error}"
    );
    let error = refused(|b| {
        let square = b.montgomery_square();
        b.output(square);
    });
    assert!(
        matches!(
            error,
            ProgramError::Forms {
                operation: "output",
                ..
            }
        ),
        "{error}"
    );
    let error = refused(|b| {
        let (x, y) = (input(b), b.one());
        b.table_of(&[x, y]);
        b.output(x);
    });
    assert!(
        matches!(
            error,
            ProgramError::Forms {
                operation: "store",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of refusals")]
fn registers_tables_and_digits_that_are_not_there() {
    let mut other = Builder::new("other", 128, LIMITS, 48);
    let foreign = input(&mut other);
    let foreign_table = other.table_of(&[foreign]);
    let error = refused(|b| {
        let x = input(b);
        let product = b.multiply(x, foreign);
        b.output(product);
    });
    assert!(
        matches!(
            error,
            ProgramError::UnsetRegister {
                operation: "multiply",
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("before it is set"), "{error}");
    let error = refused(|b| {
        let x = b.load(foreign_table, 0);
        b.output(x);
    });
    assert!(
        matches!(
            error,
            ProgramError::UnsetRegister {
                operation: "load",
                ..
            }
        ),
        "{error}"
    );
    let error = refused(|b| {
        let x = b.output_again(0);
        b.output(x);
    });
    assert!(
        matches!(
            error,
            ProgramError::UnsetRegister {
                operation: "enter",
                ..
            }
        ),
        "{error}"
    );

    let error = refused(|b| {
        let x = input(b);
        b.table_of(&[]);
        b.output(x);
    });
    assert!(
        matches!(
            error,
            ProgramError::Empty {
                operation: "table",
                ..
            }
        ),
        "{error}"
    );
    let error = refused(|b| {
        let sum = b.sum_of_products(&[]);
        b.output(sum);
    });
    assert!(matches!(error, ProgramError::Empty { .. }), "{error}");

    let select = |width, position, entries: usize, secret, stored: usize| {
        refused(move |b| {
            let x = input(b);
            let scalar = b.scalar("digits", 10, secret);
            let stream = b.digits(scalar, Recoding::Windows { width });
            let table = b.table(entries);
            for entry in 0..stored {
                b.store(table, entry, x);
            }
            let x = b.select(table, stream, position);
            b.store_at(table, stream, 0, x);
            b.output(x);
        })
    };
    let error = select(2, 5, 4, true, 4);
    assert!(
        matches!(
            error,
            ProgramError::ShortStream {
                position: 5,
                length: 5,
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("digits"), "{error}");
    let error = select(3, 0, 4, true, 4);
    assert!(
        matches!(
            error,
            ProgramError::WideDigits {
                entries: 8,
                limit: 4,
                ..
            }
        ),
        "{error}"
    );
    let error = select(2, 0, 4, true, 3);
    assert!(
        matches!(error, ProgramError::UnsetEntry { entry: 3, .. }),
        "{error}"
    );
    let error = select(2, 0, 4, true, 5);
    assert!(
        matches!(
            error,
            ProgramError::OutOfRange {
                operation: "store",
                ..
            }
        ),
        "{error}"
    );
    let error = select(2, 0, 4, true, 4);
    assert!(
        matches!(error, ProgramError::SecretAddress { .. }),
        "{error}"
    );
    let error = select(20, 0, 4, true, 4);
    assert!(
        matches!(
            error,
            ProgramError::OutOfRange {
                operation: "digits",
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(
        refused(|b| {
            input(b);
        }),
        ProgramError::NoResult
    );
}

fn engine() -> Engine {
    Engine::new(Backend::PORTABLE).unwrap()
}

fn identity(engine: &Engine, bits: u32) -> Arc<Programs> {
    let key = ProgramKey {
        bits,
        kind: "identity",
        parameters: vec![],
    };
    let programs = engine.programs(key, |b| {
        let x = b.input(b.bits());
        let k = b.own_constant(1);
        let product = b.multiply(x, k);
        b.output(product);
    });
    programs.unwrap()
}

/// Constants with another power of the Montgomery factor than the program takes are refused, also
/// after jobs that bring the right ones.
#[test]
fn constants_of_another_form() {
    let engine = engine();
    let modulus = BoxedUint::from(u128::MAX);
    let modulus = engine.modulus(&modulus).unwrap();
    let two = BoxedUint::from(2u64);
    let programs = identity(&engine, 128);
    let [right, squared] =
        [1, 2].map(|power| engine.constants(&modulus, &[(&two, power)]).unwrap());
    let job = |constants| Job {
        programs: &programs,
        modulus: &modulus,
        constants: Some(constants),
        inputs: vec![&two],
        scalars: vec![],
    };
    let error = engine
        .execute(&[&right, &right, &squared].map(job))
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("constant 0 with the Montgomery factor to the power 2"),
        "{text}"
    );
}

/// Jobs that do not fit their program are refused, and so are moduli, programs and constants of
/// other engines.
#[test]
fn jobs_that_do_not_fit() {
    let (engine, other) = (engine(), engine());
    let odd = |bits: u32| {
        BoxedUint::one_with_precision(bits).shl(bits - 1) | BoxedUint::one_with_precision(bits)
    };
    let modulus = engine.modulus(&odd(128)).unwrap();
    let two = BoxedUint::from(2u64);
    let constants = engine.constants(&modulus, &[(&two, 1)]).unwrap();
    let programs = identity(&engine, 128);
    let job = Job {
        programs: &programs,
        modulus: &modulus,
        constants: Some(&constants),
        inputs: vec![&two],
        scalars: vec![],
    };
    let outcome = engine.execute(core::slice::from_ref(&job)).unwrap();
    assert_eq!(*outcome[0].integers[0], BoxedUint::from(4u64));

    let refused = |bad: Job<'_>| engine.execute(&[job.clone(), bad]).unwrap_err();
    let condition = |bad: Job<'_>| match refused(bad) {
        EngineError::BadJob {
            index: 1,
            condition,
        } => condition,
        error => panic!("{error}"),
    };
    let foreign = other.modulus(&odd(128)).unwrap();
    let error = refused(Job {
        modulus: &foreign,
        ..job.clone()
    });
    assert_eq!(error, EngineError::ForeignModulus { index: 1 });
    let foreign_programs = identity(&other, 128);
    let error = refused(Job {
        programs: &foreign_programs,
        ..job.clone()
    });
    assert_eq!(error, EngineError::ForeignModulus { index: 1 });
    let wider = engine.modulus(&odd(256)).unwrap();
    assert!(
        condition(Job {
            modulus: &wider,
            ..job.clone()
        })
        .contains("256")
    );
    assert!(
        condition(Job {
            inputs: vec![],
            ..job.clone()
        })
        .contains("0 inputs")
    );
    assert!(
        condition(Job {
            scalars: vec![&two],
            ..job.clone()
        })
        .contains("1 scalars")
    );
    assert!(
        condition(Job {
            constants: None,
            ..job.clone()
        })
        .contains("0 constants, and the program takes 1")
    );
    let same_size = engine.modulus(&odd(128)).unwrap();
    let others = engine.constants(&same_size, &[(&two, 1)]).unwrap();
    let text = condition(Job {
        constants: Some(&others),
        ..job.clone()
    });
    assert!(text.contains("another modulus"), "{text}");
    let long = BoxedUint::one_with_precision(192);
    assert!(
        condition(Job {
            inputs: vec![&long],
            ..job.clone()
        })
        .contains("192")
    );

    let task = Task::power(&foreign, &two, Exponent::Public(&two));
    let error = engine.run(&[task]).unwrap_err();
    assert_eq!(error, EngineError::ForeignModulus { index: 0 });
    assert_eq!(
        engine.constants(&foreign, &[(&two, 0)]).unwrap_err(),
        EngineError::ForeignModulus { index: 0 }
    );
    assert!(matches!(
        engine.constants(&modulus, &[(&two, 3)]).unwrap_err(),
        EngineError::BadJob { index: 0, .. }
    ));
    assert_eq!(engine.execute(&[]).unwrap(), []);
}

/// If a device fails in the middle of a batch, another device computes the rest, and results stay
/// in order.
#[test]
fn a_device_fails_in_the_middle() {
    let engine = failing(Backend::PORTABLE, 2, true).unwrap();
    // A size at which all of the batch goes to one device.
    let modulus = engine.modulus(&BoxedUint::max(1024)).unwrap();
    let bases: Vec<BoxedUint> = (0..200u64).map(BoxedUint::from).collect();
    let exponent = BoxedUint::from(3u64);
    let tasks: Vec<_> = bases
        .iter()
        .map(|base| Task::power(&modulus, base, Exponent::Public(&exponent)))
        .collect();
    let results = engine.run(&tasks).unwrap();
    for (base, result) in (0..200u64).zip(&results) {
        assert_eq!(result.to_le_bytes()[..8], base.pow(3).to_le_bytes());
    }
    let failures = engine.take_failures();
    assert_eq!(failures.len(), 1);
    // All whole groups of the widest layout but two; the rest of the batch may go to another device.
    assert!(failures[0].numbers >= (200 / 32 - 2) * 32, "{failures:?}");

    let alone = failing(Backend::PORTABLE, 0, false).unwrap();
    let modulus = alone.modulus(&BoxedUint::from(u64::MAX)).unwrap();
    let task = Task::power(&modulus, &bases[2], Exponent::Public(&exponent));
    let error = alone.run(&[task]).unwrap_err();
    assert!(matches!(error, EngineError::DeviceFailed { .. }), "{error}");
    assert!(error.to_string().contains("lost"), "{error}");
}

/// Adds operations to a program.
type Build<'a> = &'a dyn Fn(&mut Builder);

/// The program's counts are the operations that a device executes.
#[test]
fn counts_are_what_a_device_executes() {
    let builds: [(&'static str, Build<'_>); 5] = [
        ("secret", &|b| {
            let x = b.input(2 * b.bits());
            let e = b.scalar("e", 300, true);
            let power = power::fixed_window(b, x, e);
            b.output(power);
        }),
        ("public", &|b| {
            let x = b.input(b.bits());
            let e = b.scalar("e", 300, false);
            let power = power::fixed_window(b, x, e);
            b.output(power);
            b.equal(power, x);
        }),
        ("straus", &|b| product(b, straus)),
        ("pippenger", &|b| product(b, pippenger)),
        ("comb table", &|b| Comb::new(100, 32).prepare(b)),
    ];
    for layout in [
        "portable:lanes4",
        "avx512:spread1",
        "avx512:lanes16",
        "octet",
        "radix52",
        "float",
        "fused52",
        "radix64",
    ] {
        let backend: Backend = layout.parse().unwrap();
        let counting = match CountingEngine::new(backend) {
            Ok(counting) => counting,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        let engine = &counting.engine;
        let modulus = engine
            .modulus(&BoxedUint::from((1u128 << 127) - 1))
            .unwrap();
        for (kind, build) in builds {
            let key = ProgramKey {
                bits: modulus.class(),
                kind,
                parameters: vec![],
            };
            let programs = engine.programs(key, build).unwrap();
            let program = programs.program();
            let x = BoxedUint::from(3u64);
            let e = BoxedUint::from(5u64);
            let job = Job {
                programs: &programs,
                modulus: &modulus,
                constants: None,
                inputs: vec![&x; program.inputs()],
                scalars: vec![&e; program.scalars()],
            };
            let before = counting.counts();
            engine.execute(&[job]).unwrap();
            let counts = counting.counts().since(&before);
            assert_eq!(counts, *program.counts(), "{layout}: {kind}");
        }
    }
}

fn product(
    builder: &mut Builder,
    method: fn(&mut Builder, &[(Value, sunzi_engine::program::Scalar)]) -> Value,
) {
    let terms: Vec<_> = (0..3)
        .map(|_| {
            (
                builder.input(builder.bits()),
                builder.scalar("e", 70, false),
            )
        })
        .collect();
    let product = method(builder, &terms);
    builder.output(product);
}

/// The combinations of a doubling on a curve, `w (s - x) - 8 e^2` and `w^2` for a `w = 3 u` that is too large to be
/// squared, take three linear combinations in a plan that folds: w is folded once and used folded, and in the negative
/// product the factor that is a multiple of e is negated.
#[test]
fn negated_and_folded_factors_take_no_operation_more() {
    let limits = Limits {
        product: Magnitude::interval(0, 2),
        operands: 16,
        signed: false,
        folded: Some(Magnitude::interval(0, 2)),
    };
    let mut builder = Builder::new("test", 256, limits, 48);
    let [u, s, e] = [(); 3].map(|()| {
        let x = builder.input(256);
        builder.multiply(x, x)
    });
    let w = builder.scale(u, 3);
    let square = builder.fitting_product(w, w);
    let difference = builder.subtract(s, square);
    let e8 = builder.scale(e, 8);
    let y = builder.fitting_sum(&[(false, w, difference), (true, e, e8)]);
    builder.output(y);
    let program = builder.finish().unwrap();
    assert_eq!(program.counts().linear, 3, "{program}");
    let text = program.to_string();
    assert!(text.contains("- 8 ."), "{text}");
}

/// A method for a product of powers.
type MultiPower<'a> = &'a dyn Fn(&mut Builder, &[(Value, Scalar)]) -> Value;

/// The builder chooses the bucket method if it takes fewer products.
#[test]
fn many_public_exponents_go_into_buckets() {
    let products = |count: usize, method: MultiPower<'_>| {
        let mut builder = Builder::new("test", 128, LIMITS, 48);
        let terms: Vec<_> = (0..count)
            .map(|_| (input(&mut builder), builder.scalar("e", 256, false)))
            .collect();
        let product = method(&mut builder, &terms);
        builder.output(product);
        builder.finish().unwrap().counts().products
    };
    for count in [1, 2, 10, 50, 200, 1000] {
        let chosen = products(count, &multi_power);
        let (straus, pippenger) = (products(count, &straus), products(count, &pippenger));
        assert_eq!(
            chosen,
            straus.min(pippenger),
            "{count}: {straus} and {pippenger}"
        );
    }
}

/// The text form names every operation with its magnitude, and the counts.
#[test]
fn programs_can_be_read() {
    let engine = engine();
    let programs = identity(&engine, 128);
    let text = programs.program().to_string();
    for part in [
        "program identity",
        "128 bits",
        "own     k0",
        "enter x0[0]",
        "montgomery square",
        "P",
        "y0 := output",
        "counts  3 products",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
}

/// Numbers at the ends of their types give an error, not an overflow or endless memory.
#[test]
fn arguments_without_sense_are_refused() {
    for size in [0, 63, 65, 20_000, u32::MAX] {
        let mut builder = Builder::new("test", size, LIMITS, 48);
        let x = builder.input(64);
        builder.output(x);
        let error = builder.finish().expect_err("no modulus has this size");
        assert!(matches!(
            error,
            ProgramError::OutOfRange {
                operation: "size",
                ..
            }
        ));
    }
    let builds: [&dyn Fn(&mut Builder); 14] = [
        &|b| _ = b.input(u32::MAX),
        &|b| _ = b.input_unreduced(u32::MAX),
        &|b| _ = b.scalar("long", u32::MAX, true),
        &|b| _ = b.own_constant(i32::MAX),
        &|b| _ = b.own_constant(i32::MIN),
        &|b| {
            let mut x = b.own_constant(2);
            for _ in 0..40 {
                x = b.square(x);
            }
        },
        &|b| {
            let scalar = b.scalar("scalar", 100, false);
            _ = b.digits(
                scalar,
                Recoding::Comb {
                    teeth: 2,
                    spacing: u32::MAX,
                },
            );
        },
        &|b| {
            let scalar = b.scalar("scalar", 100, false);
            b.digits(scalar, Recoding::Windows { width: u32::MAX });
        },
        &|b| _ = comb(b, 100, 0, 1),
        &|b| _ = comb(b, 100, 1, 0),
        &|b| _ = comb(b, 100, 70, 1),
        &|b| _ = comb(b, 100, 4, u32::MAX),
        &|b| _ = comb(b, u32::MAX, 4, 1),
        &|b| {
            let shape = Comb {
                bits: 100,
                teeth: 0,
                tables: 0,
            };
            shape.prepare(b);
        },
    ];
    for (number, build) in builds.iter().enumerate() {
        let error = refused(build);
        assert!(
            matches!(error, ProgramError::OutOfRange { .. }),
            "{number}: {error}"
        );
    }
}

/// A power by a comb of this shape.
fn comb(builder: &mut Builder, bits: u32, teeth: u32, tables: u32) -> Value {
    let scalar = builder.scalar("scalar", 100, true);
    let shape = Comb {
        bits,
        teeth,
        tables,
    };
    shape.power(builder, scalar)
}

/// The sum of a value and a value of another builder at the same index.
#[test]
fn a_sum_with_a_value_of_another_program_is_refused() {
    let mut other = Builder::new("other", 128, LIMITS, 48);
    let foreign = other.one();
    let error = refused(|b| {
        let one = b.one();
        assert_ne!(one, foreign);
        let sum = b.add(one, foreign);
        b.output(sum);
    });
    assert!(matches!(error, ProgramError::UnsetRegister { .. }));
}

/// Plans are made for size classes only, for any size that callers name.
#[test]
fn programs_of_other_sizes_than_classes_are_refused() {
    let engine = Engine::new(Backend::PORTABLE).unwrap();
    for (bits, is_a_size) in [(0, false), (100, true), (2000, true), (u32::MAX, false)] {
        let key = ProgramKey {
            bits,
            kind: "test",
            parameters: Vec::new(),
        };
        let error = engine
            .programs(key, |b| _ = b.input(64))
            .expect_err("it is no size class");
        assert_eq!(matches!(error, EngineError::NoPlan { .. }), is_a_size);
    }
}

/// A formula that is applied five times is one span; of doublings on an Edwards curve the last one alone computes T.
#[test]
fn formulas_that_are_repeated() {
    let limits = Limits {
        operands: 1 << 40,
        ..LIMITS
    };
    let programs = |times| {
        let mut builder = Builder::new("test", 128, limits, 48);
        let point = [(); 3].map(|()| input(&mut builder));
        let [x, y, z, t] = builder.apply_repeatedly(DoubleWithT::<true>, point, None, times);
        let point = builder.apply_repeatedly(DoubleJacobian::<true>, [x, y, z], None, times);
        for output in point.into_iter().chain([t]) {
            builder.output(output);
        }
        builder.finish().unwrap()
    };
    let [once, five_times] = [programs(1), programs(5)];
    for program in [&once, &five_times] {
        assert_eq!(program.spans().len(), 2);
    }
    assert_eq!(
        once.counts().products + 4 * (7 + 7),
        five_times.counts().products
    );
    let text = five_times.to_string();
    assert!(
        text.contains("are 5 x Jacobian doubling, a = -3, from"),
        "{text}"
    );
    let text = once.to_string();
    assert!(
        text.contains("are Jacobian doubling, a = -3, from"),
        "{text}"
    );
}

/// A formula is applied at least once, and as often as the number of times has room and there are digits.
#[test]
fn repetitions_without_sense_are_refused() {
    for times in [0, 256] {
        let error = refused(|b| {
            let point = [(); 3].map(|()| input(b));
            let [x, ..] = b.apply_repeatedly(DoubleJacobian::<true>, point, None, times);
            b.output(x);
        });
        assert!(matches!(error, ProgramError::OutOfRange { .. }), "{error}");
    }

    // Steps whose digits would be no bits of a scalar, or below its first bit, or too many for a word.
    for (recoding, position, times) in [
        (Recoding::Windows { width: 2 }, 20, 2),
        (Recoding::BITS, 5, 7),
        (Recoding::BITS, 80, 64),
    ] {
        let error = refused(|b| {
            let points = [(); 5].map(|()| input(b));
            let scalar = b.scalar("k", 100, true);
            let digit = (b.digits(scalar, recoding), position);
            let [x, ..] = b.apply_repeatedly(Step::<1>, points, Some(digit), times);
            b.output(x);
        });
        assert!(matches!(error, ProgramError::OutOfRange { .. }), "{error}");
    }
}
