//! A batch of powers, each modulo a number of its own, and the engine's choices for it.
//!
//! `cargo run --release --example powers`

use crypto_bigint::BoxedUint;
use std::error::Error;
use sunzi_engine::{Backend, Engine, Exponent, Task};

fn main() -> Result<(), Box<dyn Error>> {
    let engine = Engine::new(Backend::best())?;
    let explanation = engine.explain(2048, 64, 1)?;
    println!("64 numbers of 2048 bits: {}", explanation.representation);
    for group in &explanation.groups {
        println!(
            "{} x {} on {}, {}",
            group.count, group.numbers, group.device, group.layout
        );
    }
    let one = BoxedUint::one_with_precision(2048);
    let top = one.shl_vartime(2047).ok_or("2047 is below 2048")?;
    let moduli = (0..64u64).map(|k| engine.modulus(&(&top + &BoxedUint::from(2 * k + 1))));
    let moduli = moduli.collect::<Result<Vec<_>, _>>()?;
    let (base, exponent) = (BoxedUint::from(3u64), BoxedUint::from(65_537u64));
    let task = |modulus| Task::power(modulus, &base, Exponent::Public(&exponent));
    let tasks: Vec<_> = moduli.iter().map(task).collect();
    for result in engine.run(&tasks)?.iter().take(3) {
        let digits = format!("{:x}", **result);
        println!("{}...", &digits[..40]);
    }
    Ok(())
}
