//! The networks that the tests of the Python package read are those that this crate writes.

use std::fs;
use std::path::Path;

use sunzi_papers::network::{BigUint, Form, Network, NumberType};

/// Sizes with the difference of a prime to the power of two: secp256k1's prime, and one of 1,024 bits.
const MODULI: [(u32, u64); 2] = [(256, (1 << 32) + 977), (1024, 105)];

#[test]
fn files_of_the_python_tests_are_these() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/tests/networks");
    for (bits, below) in MODULI {
        let modulus = (BigUint::from(1u32) << bits) - below;
        for kind in NumberType::ALL {
            let network = Network::new(&modulus, kind, None).unwrap();
            let forms: &[Form] = if bits == 256 {
                &[Form::Product, Form::Power]
            } else {
                &[Form::Product]
            };
            for &form in forms {
                let name = format!("{}_{bits}_{kind}.onnx", form.name());
                let path = folder.join(&name);
                let known = fs::read(&path).unwrap_or_default();
                let power = if form == Form::Power { " --power" } else { "" };
                let modulus = format!("{modulus:#x}");
                assert!(
                    known == network.file(form),
                    "written anew by: sunzi explain network {modulus} --type {kind}{power} --onnx python/tests/networks/{name}"
                );
            }
        }
    }
}
