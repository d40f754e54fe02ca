//! Tests of the kernels at the bounds of their operands, and on every instruction set.

mod ranges;

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;

use crate::{
    Backend, Engine,
    choices::Split,
    device::Device,
    layout::ForcedLayout,
    residues::{
        float::{FloatDevice, Instructions},
        portable::{InstructionSet, PortableDevice},
    },
    testing::{Effort, conforms},
};

pub(super) fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

/// An odd number of exactly `bits` bits, a multiple of 64.
pub(super) fn value(bits: u32, seed: u64) -> BoxedUint {
    let words = (1..=u64::from(bits / 64))
        .map(|i| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1);
    BoxedUint::from_words(words)
}

#[test]
fn portable_kernels_on_every_instruction_set() {
    for set in InstructionSet::available() {
        println!("checking {set}");
        for layout in ["portable:lanes4", "portable:lanes8", "portable:lanes32"] {
            let backend: Backend = layout.parse().unwrap();
            let device = PortableDevice::with_instruction_set(set);
            let engine = Engine::on(backend, vec![Arc::new(device)]);
            let effort = Effort {
                sizes: vec![64, 512],
                random_programs: 6,
                exponent_bits: 40,
                seed: 7,
            };
            conforms(engine, &effort).unwrap_or_else(|error| panic!("{set}: {error}"));
        }
    }
}

/// Every layout of `float` with every instruction set of this processor.
#[test]
fn float_kernels_on_every_instruction_set() {
    for instructions in Instructions::available() {
        for layout in FloatDevice::with_instructions(instructions, Split::Fixed).layouts(512) {
            println!("checking {instructions:?}, {layout}");
            let backend = Backend::FLOAT.with_layout(ForcedLayout::only(layout));
            let device = FloatDevice::with_instructions(instructions, Split::Fixed);
            let engine = Engine::on(backend, vec![Arc::new(device)]);
            let effort = Effort {
                sizes: vec![64, 192, 512],
                random_programs: 12,
                exponent_bits: 40,
                seed: 8,
            };
            let result = conforms(engine, &effort);
            result.unwrap_or_else(|error| panic!("{instructions:?}, {layout}: {error}"));
        }
    }
}
