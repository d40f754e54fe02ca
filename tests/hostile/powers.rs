//! Powers: moduli with extreme words, of small primes, even ones and ones of the wrong size; bases
//! around the modulus, exponents with long runs. Compared with `num-bigint`.

use crate::Tally;
use crate::mutation::Random;
use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{Backend, Engine, Exponent, MAX_BITS, MIN_BITS, Task};

const CASES: usize = 12_700;
/// Sizes in bytes, most of them short so that num-bigint is fast.
const SIZES: [usize; 13] = [0, 1, 7, 8, 9, 16, 24, 31, 32, 33, 64, 72, 128];

pub(crate) fn run(random: &mut Random, tally: &mut Tally) {
    let present = Backend::ALL
        .iter()
        .filter(|backend| backend.check().is_ok());
    let engines: Vec<Engine> = present
        .map(|&backend| Engine::new(backend).expect("it is present"))
        .collect();
    for number in 0..CASES {
        let engine = &engines[number % engines.len()];
        let size = match number {
            // A few beyond the largest.
            0 => 2049,
            1 => 2048,
            _ => *random.choose(&SIZES),
        };
        let modulus = modulus(random, size);
        let base = base(random, &modulus, size);
        let exponent_size = if size > 1000 { 1 } else { random.below(20) };
        let exponent = BigUint::from_bytes_be(&random.edge_bytes(exponent_size));
        let is_secret = random.below(2) == 0;
        let [m, b, e] = [&modulus, &base, &exponent].map(uint);
        tally.case(
            || {
                format!(
                    "{}: {base:x} ^ {exponent:x} mod {modulus:x}",
                    engine.backend()
                )
            },
            || {
                let prepared = engine.modulus(&m).map_err(|error| error.to_string())?;
                let exponent = if is_secret {
                    Exponent::Secret(&e)
                } else {
                    Exponent::Public(&e)
                };
                let task = Task::power(&prepared, &b, exponent);
                let powers = engine.run(&[task]).map_err(|error| error.to_string())?;
                Ok::<_, String>(BigUint::from_bytes_be(&powers[0].to_be_bytes()))
            },
            |power| {
                let sizes = u64::from(MIN_BITS)..=u64::from(MAX_BITS);
                let is_fit = modulus.bit(0) && sizes.contains(&modulus.bits());
                match power {
                    Ok(_) if !is_fit => Err("the modulus is not refused".into()),
                    Ok(power) if power != base.modpow(&exponent, &modulus) => {
                        Err(format!("{power:x}"))
                    }
                    Ok(_) => Ok(true),
                    Err(error) if is_fit => Err(error),
                    Err(_) => Ok(false),
                }
            },
        );
    }
}

fn uint(number: &BigUint) -> BoxedUint {
    let bytes = number.to_bytes_be();
    let precision = (8 * bytes.len() as u32).next_multiple_of(64);
    BoxedUint::from_be_slice(&bytes, precision).expect("it is the slice's length")
}

fn modulus(random: &mut Random, size: usize) -> BigUint {
    let mut bytes = random.edge_bytes(size);
    if let (Some(last), true) = (bytes.last_mut(), random.below(10) > 0) {
        *last |= 1;
    }
    let modulus = BigUint::from_bytes_be(&bytes);
    match random.below(6) {
        // A power of a small odd number, which shares primes with every base that has it.
        0 if size > 0 => {
            let small = 3 + 2 * random.below(1 << 12) as u32;
            let mut power = BigUint::from(small);
            while power.bits() + 13 < 8 * size as u64 {
                power *= small;
            }
            power
        }
        _ => modulus,
    }
}

fn base(random: &mut Random, modulus: &BigUint, size: usize) -> BigUint {
    match random.below(8) {
        0 => modulus.clone(),
        1 => modulus + 1u32,
        2 if modulus.bits() > 0 => modulus - 1u32,
        3 => BigUint::ZERO,
        4 => BigUint::from(1u32),
        5 => BigUint::from_bytes_be(&random.edge_bytes(2 * size)),
        _ => BigUint::from_bytes_be(&random.edge_bytes(size)),
    }
}
