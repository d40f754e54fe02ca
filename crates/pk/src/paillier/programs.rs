//! The programs of Paillier's cryptosystem, modulo n^2, p^2 and n.

use std::sync::Arc;
use sunzi_engine::program::fixed_base::Comb;
use sunzi_engine::program::{Builder, Value, power};
use sunzi_engine::{Engine, EngineError, ProgramKey, Programs};

/// The other factor of a random factor modulo n^2.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// `1 + n m` for the input m: encryption.
    Plaintext,
    /// The input, a ciphertext: re-randomization.
    Ciphertext,
}

/// The source of a random factor.
#[derive(Clone, Copy)]
pub(super) enum Randomness {
    /// `r^n` for the next input r, both of these many bits; n is a public scalar.
    Full(u32),
    /// `h^a` for the secret scalar a, by tables of the base h.
    Short(Comb),
}

impl Randomness {
    fn kind(self, payload: Payload) -> &'static str {
        match (self, payload) {
            (Self::Full(_), Payload::Plaintext) => "paillier-encrypt",
            (Self::Full(_), Payload::Ciphertext) => "paillier-randomize",
            (Self::Short(_), Payload::Plaintext) => "paillier-encrypt-short",
            (Self::Short(_), Payload::Ciphertext) => "paillier-randomize-short",
        }
    }
}

/// The program of encryption and of re-randomization, modulo n^2: inputs m or c, and r if it is drawn in
/// full; output the ciphertext. The constants of the modulus are n in Montgomery form, and the tables.
pub(super) fn randomize(
    engine: &Engine,
    class: u32,
    payload: Payload,
    randomness: Randomness,
) -> Result<Arc<Programs>, EngineError> {
    let parameters = match randomness {
        Randomness::Full(bits) => vec![bits.into()],
        Randomness::Short(comb) => [comb.bits, comb.teeth, comb.tables].map(u64::from).to_vec(),
    };
    let key = ProgramKey {
        bits: class,
        kind: randomness.kind(payload),
        parameters,
    };
    engine.programs(key, |builder| {
        let factor = builder.input_unreduced(class);
        let n = builder.own_constant(1);
        let factor = match payload {
            Payload::Plaintext => one_plus_multiple(builder, n, factor),
            Payload::Ciphertext => factor,
        };
        let random = match randomness {
            Randomness::Full(bits) => {
                let r = builder.input(bits);
                let exponent = builder.scalar("n", bits, false);
                power::fixed_window(builder, r, exponent)
            }
            Randomness::Short(comb) => {
                let exponent = builder.scalar("a", comb.bits, true);
                comb.power(builder, exponent)
            }
        };
        let ciphertext = builder.multiply(random, factor);
        builder.output(ciphertext);
    })
}

/// `1 + n m` without a Montgomery factor, for n in Montgomery form.
fn one_plus_multiple(builder: &mut Builder, n: Value, m: Value) -> Value {
    let multiple = builder.multiply(m, n);
    let one = builder.one();
    builder.add(multiple, one)
}

/// The program of a sum with a plain number, modulo n^2: inputs m and c, output `(1 + n m) c`. The constant
/// of the modulus is n in Montgomery form.
pub(super) fn add_plain(engine: &Engine, class: u32) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "paillier-add-plain",
        parameters: vec![],
    };
    engine.programs(key, |builder| {
        let m = builder.input_unreduced(class);
        let n = builder.own_constant(1);
        let factor = one_plus_multiple(builder, n, m);
        let c = builder.input(class);
        let sum = builder.multiply(factor, c);
        builder.output(sum);
    })
}

/// The program of a sum: the product of two ciphertexts modulo n^2.
pub(super) fn add(engine: &Engine, class: u32) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "paillier-add",
        parameters: vec![],
    };
    engine.programs(key, |builder| {
        let x = builder.input(class);
        let y = builder.input_unreduced(class);
        let product = builder.multiply(x, y);
        builder.output(product);
    })
}

/// The program of decryption modulo p^2: inputs the ciphertext c of `c_bits` bits, and again its pieces of
/// the size class, the lowest first; a secret exponent p - 1 of `exponent_bits` bits. Output `c^(p - 1)`,
/// flag whether c is the sum of its pieces at the end. The constant of the modulus is 2 to the power of the
/// class, in Montgomery form.
pub(super) fn power_modulo_square(
    engine: &Engine,
    class: u32,
    c_bits: u32,
    exponent_bits: u32,
) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "paillier-decrypt-power",
        parameters: vec![c_bits.into(), exponent_bits.into()],
    };
    engine.programs(key, |builder| {
        let c = builder.input(c_bits);
        let exponent = builder.scalar("p - 1", exponent_bits, true);
        let x = power::fixed_window(builder, c, exponent);
        builder.output(x);
        // By Horner's rule, from none of the numbers that brought c into Montgomery form.
        let shift = builder.own_constant(1);
        let pieces: Vec<_> = (0..c_bits.div_ceil(class))
            .map(|_| builder.input_unreduced(class))
            .collect();
        let sum = pieces.into_iter().rev().reduce(|sum, piece| {
            let shifted = builder.multiply(sum, shift);
            builder.add(shifted, piece)
        });
        let entered = builder.reduced_integer(c);
        let again = sum.unwrap_or(entered);
        builder.equal(entered, again);
    })
}

/// The program of the Chinese remainder theorem modulo n: inputs a and b, output `a A + b B` for the
/// constants A and B in Montgomery form.
pub(super) fn recombine(engine: &Engine, class: u32) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "paillier-recombine",
        parameters: vec![],
    };
    engine.programs(key, |builder| {
        let [a, b] = [(); 2].map(|()| builder.input_unreduced(class));
        let [first, second] = [(); 2].map(|()| builder.own_constant(1));
        let m = builder.sum_of_products(&[(false, a, first), (false, b, second)]);
        builder.output(m);
    })
}

/// The program of the check modulo p^2: inputs m of `m_bits` bits and x, flag whether `x = 1 - n m`. The
/// constant of the modulus is n as it is.
pub(super) fn check(
    engine: &Engine,
    class: u32,
    m_bits: u32,
) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "paillier-check",
        parameters: vec![m_bits.into()],
    };
    engine.programs(key, |builder| {
        let m = builder.input(m_bits);
        let x = builder.input_unreduced(class);
        let n = builder.own_constant(0);
        let multiple = builder.multiply(m, n);
        let sum = builder.add(x, multiple);
        let one = builder.one();
        builder.equal(sum, one);
    })
}
