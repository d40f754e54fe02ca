//! A program of one's own: a check whether points lie on `y^2 = x^3 + 7`, a hundred at a time.
//!
//! `cargo run --release --example own_program`

use crypto_bigint::BoxedUint;
use std::error::Error;
use sunzi_engine::{Backend, Engine, Job, ProgramKey};

fn main() -> Result<(), Box<dyn Error>> {
    let engine = Engine::new(Backend::best())?;
    let modulus = engine.modulus(&BoxedUint::from((1u128 << 127) - 1))?;
    let key = ProgramKey {
        bits: modulus.class(),
        kind: "on-curve",
        parameters: vec![],
    };
    let programs = engine.programs(key, |builder| {
        let bits = builder.bits();
        let (x, y) = (builder.input(bits), builder.input(bits));
        let square = builder.square(x);
        let cube = builder.multiply(square, x);
        let one = builder.montgomery_one();
        let seven = builder.scale(one, 7);
        let right = builder.add(cube, seven);
        let left = builder.square(y);
        builder.equal(left, right);
    })?;
    println!("{}", programs.program());
    for prediction in programs.predictions() {
        println!(
            "{}: {} in {:.1} us",
            prediction.device, prediction.layout, prediction.us
        );
    }
    let points: Vec<[BoxedUint; 2]> = (0..100u64)
        .map(|k| [BoxedUint::from(k), BoxedUint::from(k * k + 1)])
        .collect();
    let mut jobs = Vec::new();
    for [x, y] in &points {
        jobs.push(Job {
            programs: &programs,
            modulus: &modulus,
            constants: None,
            inputs: vec![x, y],
            scalars: vec![],
        });
    }
    let outcomes = engine.execute(&jobs)?;
    let on_curve = outcomes.iter().filter(|outcome| outcome.flags[0]).count();
    println!("{on_curve} of {} points are on the curve", points.len());
    Ok(())
}
