//! A program with its proved magnitudes, and one that is refused.
//!
//! `cargo run --example magnitudes`

use std::error::Error;
use sunzi_program::{Builder, Limits, Magnitude};

fn main() -> Result<(), Box<dyn Error>> {
    // Products lie between -P and 4 P, and the product of an operand pair's weights is at most 256.
    let limits = Limits {
        product: Magnitude::interval(-1, 4),
        operands: 256,
        signed: true,
        folded: None,
    };
    let mut builder = Builder::new("sum of two products", 256, limits, 16);
    let (x, y) = (builder.input(256), builder.input(256));
    let sum = builder.sum_of_products(&[(false, x, y), (true, y, y)]);
    builder.output(sum);
    println!("{}", builder.finish()?);

    let mut builder = Builder::new("too large", 256, limits, 16);
    let x = builder.input(256);
    let large = builder.scale(x, 300);
    let square = builder.multiply(large, large);
    builder.output(square);
    if let Err(refused) = builder.finish() {
        println!("refused: {refused}");
    }
    Ok(())
}
