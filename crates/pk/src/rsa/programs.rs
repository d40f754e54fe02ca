//! The programs of RSA: what the engine runs for a public and for a private operation.

use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, power};
use sunzi_engine::{Engine, EngineError, ProgramKey, Programs, size_class};

/// The programs for keys of one size and public exponent.
#[derive(Debug)]
pub struct KeyPrograms {
    /// x^e modulo n.
    pub public: Arc<Programs>,
    /// The private operation modulo a prime.
    pub prime: Arc<Programs>,
    /// The private operation modulo n.
    pub modulus: Arc<Programs>,
}

impl KeyPrograms {
    /// The programs for keys with a modulus of `bits` bits, primes of half its size, and this
    /// public exponent.
    ///
    /// # Errors
    /// [`EngineError::ModulusSize`], [`EngineError::NoPlan`].
    pub fn new(engine: &Engine, bits: u32, e: u64) -> Result<Self, EngineError> {
        let prime_bits = bits.div_ceil(2);
        for bits in [bits, prime_bits] {
            if !(sunzi_engine::MIN_BITS..=sunzi_engine::MAX_BITS).contains(&bits) {
                return Err(EngineError::ModulusSize(bits));
            }
        }
        let n_bits = bits.next_multiple_of(64);
        let exponent_bits = prime_bits.next_multiple_of(64);
        Ok(Self {
            public: public(engine, size_class(bits), e)?,
            prime: prime(engine, size_class(prime_bits), n_bits, exponent_bits, e)?,
            modulus: modulus(engine, size_class(bits), e)?,
        })
    }
}

/// The program for x^e modulo n: input x, at most as wide as the size class, and output x^e.
pub(super) fn public(engine: &Engine, class: u32, e: u64) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "rsa-public",
        parameters: vec![e],
    };
    let e = BoxedUint::from(e);
    engine.programs(key, |builder| {
        let x = builder.input_unreduced(class);
        let square = builder.montgomery_square();
        let in_form = builder.multiply(x, square);
        let power = power::public(builder, in_form, x, &e);
        builder.output(power);
    })
}

/// The program of a blind, modulo n: inputs m and r, output m r^e.
pub(super) fn blind(engine: &Engine, class: u32, e: u64) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "rsa-blind",
        parameters: vec![e],
    };
    let e = BoxedUint::from(e);
    engine.programs(key, |builder| {
        let m = builder.input_unreduced(class);
        let r = builder.input(class);
        let power = power::public(builder, r, r, &e);
        let blinded = builder.multiply(m, power);
        builder.output(blinded);
    })
}

/// The program of a product modulo n.
pub(super) fn product(engine: &Engine, class: u32) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "rsa-product",
        parameters: vec![],
    };
    engine.programs(key, |builder| {
        let x = builder.input_unreduced(class);
        let y = builder.input(class);
        let product = builder.multiply(x, y);
        builder.output(product);
    })
}

/// The private operation's program modulo a prime: inputs x and r of `n_bits` bits, a secret
/// exponent of `exponent_bits` bits, the other prime's inverse as a constant of the modulus;
/// output: that inverse times (x r^e)^exponent.
pub(super) fn prime(
    engine: &Engine,
    class: u32,
    n_bits: u32,
    exponent_bits: u32,
    e: u64,
) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "rsa-private-prime",
        parameters: vec![n_bits.into(), exponent_bits.into(), e],
    };
    let e = BoxedUint::from(e);
    engine.programs(key, |builder| {
        let x = builder.input(n_bits);
        let r = builder.input(n_bits);
        let blind = power::public(builder, r, r, &e);
        let blinded = builder.multiply(x, blind);
        let exponent = builder.scalar("exponent", exponent_bits, true);
        let power = power::fixed_window(builder, blinded, exponent);
        let coefficient = builder.own_constant(0);
        let half = builder.multiply(power, coefficient);
        builder.output(half);
    })
}

/// The private operation's program modulo n: inputs a, b, the blind's inverse and x; output
/// y = (a q + b p) / r, flag whether y^e = x. The constants of the modulus are q and p, each times
/// the square of the Montgomery factor.
pub(super) fn modulus(engine: &Engine, class: u32, e: u64) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "rsa-private-modulus",
        parameters: vec![e],
    };
    let e = BoxedUint::from(e);
    engine.programs(key, |builder| build_modulus(builder, &e))
}

fn build_modulus(builder: &mut Builder, e: &BoxedUint) {
    let bits = builder.bits();
    let [a, b, inverse, x] = [(); 4].map(|()| builder.input_unreduced(bits));
    let [q, p] = [(); 2].map(|()| builder.own_constant(2));
    let recombined = builder.sum_of_products(&[(false, a, q), (false, b, p)]);
    let y = builder.multiply(recombined, inverse);
    let index = builder.output(y);
    // What is checked is y as it left, conversions included.
    let y = builder.output_again(index);
    let square = builder.montgomery_square();
    let in_form = builder.multiply(y, square);
    let check = power::public(builder, in_form, y, e);
    builder.equal(check, x);
}
