//! Miller-Rabin tests in batches, each number a modulus of its own, in constant time.
//!
//! With `n - 1 = 2^s d` for odd d, n passes for the base b if `b^d = 1` or `b^(2^k d) = -1` modulo n
//! for some k < s (FIPS 186-5, appendix B.3.1). d is a secret exponent, and the squarings go on to an
//! end that does not depend on s, so that neither the time nor the addresses do.

use crypto_bigint::{BoxedUint, CtLt};
use rand_core::CryptoRng;
use std::sync::Arc;
use sunzi_engine::program::power;
use sunzi_engine::{Engine, EngineError, Job, Modulus, ProgramKey, Programs};
use zeroize::Zeroizing;

/// A number that is tested, prepared; wiped on drop.
pub(super) struct Candidate {
    pub(super) value: Zeroizing<BoxedUint>,
    modulus: Arc<Modulus>,
    /// The odd part of n - 1.
    d: Zeroizing<BoxedUint>,
    /// The number of factors 2 of n - 1.
    s: u32,
    program: Arc<Programs>,
}

impl Candidate {
    /// Prepares odd numbers of at least 64 bits. `blum` promises that all of them are 3 modulo 4.
    pub(super) fn prepare(
        engine: &Engine,
        values: Vec<Zeroizing<BoxedUint>>,
        blum: bool,
    ) -> Vec<Result<Self, EngineError>> {
        let copies: Vec<BoxedUint> = values.iter().map(|value| (**value).clone()).collect();
        let moduli = engine.moduli(&Zeroizing::new(copies));
        let candidates = values.into_iter().zip(moduli);
        candidates
            .map(|(value, modulus)| Self::new(engine, value, modulus?, blum))
            .collect()
    }

    fn new(
        engine: &Engine,
        value: Zeroizing<BoxedUint>,
        modulus: Arc<Modulus>,
        blum: bool,
    ) -> Result<Self, EngineError> {
        let even = Zeroizing::new(value.wrapping_sub(BoxedUint::one()));
        let s = even.trailing_zeros();
        let d = Zeroizing::new(even.shr(s));
        let squarings = if blum { 0 } else { squarings(s) };
        Ok(Self {
            program: program(engine, modulus.class(), modulus.bits(), squarings)?,
            value,
            modulus,
            d,
            s,
        })
    }

    /// A random base for the next test, from 2 to n - 2, by rejection; `None` if the generator is broken. The number of
    /// draws depends on the topmost bits of n, about which it reveals next to nothing.
    pub(super) fn random_base<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Option<Zeroizing<BoxedUint>> {
        let (bits, precision) = (self.modulus.bits(), self.value.bits_precision());
        let two = BoxedUint::from(2u32);
        let last = Zeroizing::new(self.value.wrapping_sub(BoxedUint::one()));
        // Each draw succeeds with a probability of about 1/2, or more.
        let mut draws = (0..128).map(|_| random_bits(rng, bits, precision));
        draws.find(|base| (!base.ct_lt(&two) & base.ct_lt(&*last)).to_bool())
    }
}

/// A uniform number of at most `bits` bits.
pub(super) fn random_bits<R: CryptoRng + ?Sized>(
    rng: &mut R,
    bits: u32,
    precision: u32,
) -> Zeroizing<BoxedUint> {
    let mut bytes = Zeroizing::new(vec![0; bits.div_ceil(8) as usize]);
    rng.fill_bytes(&mut bytes);
    bytes[0] &= 0xff >> (8 * bytes.len() as u32 - bits);
    let number = BoxedUint::from_be_slice(&bytes, precision);
    Zeroizing::new(number.expect("the precision holds all bits"))
}

/// The number of squarings after which the tests of a number end: 15, except if s is above 16, which reveals no more
/// than that.
fn squarings(s: u32) -> u32 {
    s.max(16).next_power_of_two() - 1
}

/// The program of a test: input the base; flags whether `b^d = 1`, and whether `b^(2^k d) = -1` for
/// each k.
fn program(
    engine: &Engine,
    class: u32,
    bits: u32,
    squarings: u32,
) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: class,
        kind: "miller-rabin",
        parameters: vec![bits.into(), squarings.into()],
    };
    engine.programs(key, |builder| {
        let base = builder.input_unreduced(class);
        let square = builder.montgomery_square();
        let base = builder.multiply(base, square);
        let exponent = builder.scalar("d", bits, true);
        let mut power = power::fixed_window(builder, base, exponent);
        let one = builder.montgomery_one();
        builder.equal(power, one);
        for k in 0..=squarings {
            if k > 0 {
                power = builder.square(power);
            }
            let above = builder.add(power, one);
            builder.is_zero(above);
        }
    })
}

/// Whether each number passes the test with its base.
pub(super) fn pass(
    engine: &Engine,
    tests: &[(&Candidate, Zeroizing<BoxedUint>)],
) -> Result<Vec<bool>, EngineError> {
    let jobs: Vec<Job<'_>> = tests
        .iter()
        .map(|(candidate, base)| Job {
            programs: &candidate.program,
            modulus: &candidate.modulus,
            constants: None,
            inputs: vec![base],
            scalars: vec![&candidate.d],
        })
        .collect();
    let outcomes = engine.execute(&jobs)?;
    let verdict = |(test, outcome): (&(&Candidate, _), sunzi_engine::Outcome)| {
        let (one, minus_one) = (outcome.flags[0], &outcome.flags[1..]);
        // Without a branch on s.
        let right = minus_one.iter().zip(0..).map(|(&flag, k)| {
            let counts = u32::from(k < test.0.s);
            u32::from(flag) & counts
        });
        u32::from(one) + right.sum::<u32>() > 0
    };
    Ok(tests.iter().zip(outcomes).map(verdict).collect())
}
