//! The programs of RSA, for the public and the private operation.

use super::sizes::MAX_EXPONENT;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, power};
use sunzi_engine::{Engine, EngineError, ProgramKey, Programs, size_class};

/// Length in bits of the largest public exponent.
const MAX_EXPONENT_BITS: u32 = MAX_EXPONENT.ilog2() + 1;

/// The source of the public exponent in a program.
#[derive(Clone, Copy)]
pub(super) enum PublicExponent {
    /// The program's own exponent.
    Fixed(u64),
    /// An exponent of at most this many bits, which each job brings as its first scalar.
    Own(u32),
}

impl PublicExponent {
    /// The source of this exponent. Only the five Fermat primes, which are in common use, have programs of their own:
    /// keys of strangers cannot have one made for each exponent.
    pub(super) fn of(e: u64) -> Self {
        match e {
            3 | 5 | 17 | 257 | 65_537 => Self::Fixed(e),
            _ => Self::Own(MAX_EXPONENT_BITS),
        }
    }

    /// Parameters that distinguish programs with one exponent from those with another.
    fn parameters(self) -> Vec<u64> {
        match self {
            Self::Fixed(e) => vec![e],
            Self::Own(bits) => vec![0, bits.into()],
        }
    }

    /// x^e for x in Montgomery form, which the result carries as often as `last`: x, or x without it.
    fn raise(self, builder: &mut Builder, x: Value, last: Value) -> Value {
        match self {
            Self::Fixed(e) => power::public(builder, x, last, &BoxedUint::from(e)),
            Self::Own(bits) => {
                let e = builder.scalar("e", bits, false);
                let power = power::fixed_window(builder, x, e);
                if builder.form(last) == builder.form(power) {
                    power
                } else {
                    builder.reduced_integer(power)
                }
            }
        }
    }

    /// x^(e - 1) for x in Montgomery form. Jobs whose exponents are their own bring e - 1 as a scalar, too.
    fn raise_less_one(self, builder: &mut Builder, x: Value) -> Value {
        match self {
            Self::Fixed(e) => power::public(builder, x, x, &BoxedUint::from(e - 1)),
            Self::Own(bits) => {
                let less_one = builder.scalar("e - 1", bits, false);
                power::fixed_window(builder, x, less_one)
            }
        }
    }
}

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
        let e = PublicExponent::of(e);
        Ok(Self {
            public: public(engine, size_class(bits), e)?,
            prime: prime(engine, size_class(prime_bits), n_bits, exponent_bits, e)?,
            modulus: modulus(engine, size_class(bits), e)?,
        })
    }
}

/// The program for x^e modulo n: input x, at most as wide as the size class, and output x^e.
pub(super) fn public(
    engine: &Engine,
    class: u32,
    e: PublicExponent,
) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "rsa-public",
        parameters: e.parameters(),
    };
    engine.programs(key, |builder| {
        let x = builder.input_unreduced(class);
        let square = builder.montgomery_square();
        let in_form = builder.multiply(x, square);
        let power = e.raise(builder, in_form, x);
        builder.output(power);
    })
}

/// The program of a blind, modulo n: inputs m and r, output m r^e.
pub(super) fn blind(
    engine: &Engine,
    class: u32,
    e: PublicExponent,
) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "rsa-blind",
        parameters: e.parameters(),
    };
    engine.programs(key, |builder| {
        let m = builder.input_unreduced(class);
        let r = builder.input(class);
        let power = e.raise(builder, r, r);
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
/// outputs: that inverse times (x r^e)^exponent, and times r^(e - 1). Jobs whose exponents are their own
/// bring e - 1.
pub(super) fn prime(
    engine: &Engine,
    class: u32,
    n_bits: u32,
    exponent_bits: u32,
    e: PublicExponent,
) -> Result<Arc<Programs>, EngineError> {
    let lengths = [n_bits, exponent_bits].map(u64::from);
    let key = ProgramKey {
        bits: class,
        kind: "rsa-private-prime",
        parameters: [&lengths[..], &e.parameters()].concat(),
    };
    engine.programs(key, |builder| {
        let x = builder.input(n_bits);
        let r = builder.input(n_bits);
        let less_one = e.raise_less_one(builder, r);
        let blind = builder.multiply(less_one, r);
        let blinded = builder.multiply(x, blind);
        let exponent = builder.scalar("exponent", exponent_bits, true);
        let power = power::fixed_window(builder, blinded, exponent);
        let coefficient = builder.own_constant(0);
        for factor in [power, less_one] {
            let half = builder.multiply(factor, coefficient);
            builder.output(half);
        }
    })
}

/// The private operation's program modulo n: inputs a, u, b, v and x; output
/// `y = (a q + b p) (u q + v p) x`, flag whether y^e = x. The constants of the modulus are q and p, each times
/// the square of the Montgomery factor. Jobs whose exponents are their own bring e.
pub(super) fn modulus(
    engine: &Engine,
    class: u32,
    e: PublicExponent,
) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "rsa-private-modulus",
        parameters: e.parameters(),
    };
    engine.programs(key, |builder| build_modulus(builder, e))
}

fn build_modulus(builder: &mut Builder, e: PublicExponent) {
    let bits = builder.bits();
    let [a, u, b, v, x] = [(); 5].map(|()| builder.input_unreduced(bits));
    let [q, p] = [(); 2].map(|()| builder.own_constant(2));
    let [power, unblinding] =
        [[a, b], [u, v]].map(|[a, b]| builder.sum_of_products(&[(false, a, q), (false, b, p)]));
    let unblinded = builder.multiply(unblinding, x);
    let y = builder.multiply(power, unblinded);
    let index = builder.output(y);
    // Checks y as it left, conversions included.
    let y = builder.output_again(index);
    let square = builder.montgomery_square();
    let in_form = builder.multiply(y, square);
    let check = e.raise(builder, in_form, y);
    builder.equal(check, x);
}
