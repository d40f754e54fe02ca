//! The methods of the paper's tables, each of which is run with its products counted.

use super::CubeRsaError;
use super::arithmetic::{Counting, IntegerMontgomery, ModularArithmetic};
use super::hypercube::{
    Executor, Exponent, Form, Hypercube, HypercubeError, Network, Program, chain, methods,
};
use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Resize};
use std::fmt;
use std::thread;

/// The work to compute a power, counted in products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The number of products of all processors together.
    pub total: usize,
    /// The number of products on the critical path, which is the time counted in products. For a
    /// stream of powers, the time between two powers.
    pub in_a_row: usize,
    /// The number of processors.
    pub processors: usize,
}

/// A method of exponentiation. The exponent must be public: the time of every method depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Square and multiply, from the highest bit down.
    Binary,
    /// Fixed windows of this number of bits.
    FixedWindow(u32),
    /// Sliding windows of at most this number of bits.
    SlidingWindow(u32),
    /// Montgomery's ladder.
    Ladder,
    /// A loop of `e` products shared by this number of processors, as Bielecki and Burak
    /// parallelize it, for exponents of at most [`MAX_REPEATED_BITS`] bits.
    Repeated(usize),
    /// The bits of the exponent in blocks of `h` bits, shared by this number of processors:
    /// `m^e = prod m^(e_i 2^(i h))`.
    Split(usize),
    /// CRSA for one power, with this form and number of cubes.
    Crsa(Form, usize),
    /// Optimized CRSA for a stream of powers, with this number of cubes.
    Pipelined(usize),
    /// The binary method in a chain of this number of equal stages, for a stream of powers.
    Chain(usize),
}

/// The size in bits of the largest exponent for [`Method::Repeated`].
pub const MAX_REPEATED_BITS: u32 = 20;

/// The largest number of processors that can share an exponent.
pub const MAX_PROCESSORS: usize = 64;

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => write!(f, "Binary"),
            Self::FixedWindow(bits) => write!(f, "Fixed window, {bits} bits"),
            Self::SlidingWindow(bits) => write!(f, "Sliding window, {bits} bits"),
            Self::Ladder => write!(f, "Montgomery ladder"),
            Self::Repeated(processors) => write!(f, "Loop of e, {processors} processors"),
            Self::Split(processors) => write!(f, "Blocks of e, {processors} processors"),
            Self::Crsa(Form::Plain, cubes) => write!(f, "CRSA plain, Nc = {cubes}"),
            Self::Crsa(Form::Optimized, cubes) => write!(f, "CRSA optimized, Nc = {cubes}"),
            Self::Pipelined(cubes) => write!(f, "CRSA pipelined, Nc = {cubes}"),
            Self::Chain(stages) => write!(f, "Binary in a chain of {stages}"),
        }
    }
}

impl Method {
    /// `base^e`, and the work it took.
    ///
    /// # Errors
    /// [`HypercubeError::BaseTooLarge`] unless the base is below the modulus, and an error for
    /// each parameter out of its range.
    pub fn power<A: ModularArithmetic>(
        self,
        arithmetic: &A,
        base: &BoxedUint,
        e: &BoxedUint,
    ) -> Result<(BoxedUint, Work), CubeRsaError> {
        let (powers, work) = self.powers(arithmetic, std::slice::from_ref(base), e)?;
        let power = powers.into_iter().next().unwrap_or_else(BoxedUint::one);
        Ok((power, work))
    }

    /// The powers of a stream of bases, and the average work for one of them. For a pipeline, the
    /// critical path is replaced by the time between two powers.
    ///
    /// # Errors
    /// As [`Method::power`].
    pub fn powers<A: ModularArithmetic>(
        self,
        arithmetic: &A,
        bases: &[BoxedUint],
        e: &BoxedUint,
    ) -> Result<(Vec<BoxedUint>, Work), CubeRsaError> {
        let counting = Counting::new(arithmetic);
        let inputs = bases
            .iter()
            .map(|base| counting.enter(base).map(|residue| vec![residue]))
            .collect::<Result<Vec<_>, _>>()?;
        let mut in_a_row = 0;
        let mut processors = 1;
        let mut results = Vec::with_capacity(inputs.len());
        let network = match self {
            Self::Binary | Self::FixedWindow(_) | Self::SlidingWindow(_) | Self::Ladder => {
                let program = self.program(e)?;
                in_a_row = program.steps().len();
                for input in &inputs {
                    results.extend(program.run(&counting, &[], input)?);
                }
                None
            }
            Self::Repeated(count) | Self::Split(count) => {
                check_processors(count)?;
                let parts = if let Self::Split(_) = self {
                    blocks(e, count)
                } else {
                    repetitions(e, count)?
                };
                let longest = parts.iter().map(|part| part.steps().len()).max();
                in_a_row = longest.unwrap_or(0) + parts.len().saturating_sub(1);
                processors = count;
                for input in &inputs {
                    results.push(product_of(&counting, &parts, input)?);
                }
                None
            }
            Self::Crsa(form, cubes) => Some(crsa(form, cubes, e)?),
            Self::Pipelined(cubes) => Some(crsa(Form::Optimized, cubes, e)?),
            Self::Chain(stages) => Some(chain(&methods::binary_vartime(e), stages)?),
        };
        if let Some(network) = network {
            processors = network.elements().len();
            let stream = match self {
                Self::Crsa(..) => 1,
                _ => inputs.len().max(1),
            };
            for inputs in inputs.chunks(stream) {
                let outcome = Executor::new(&network, &counting, &[])?.run(inputs)?;
                in_a_row = match outcome.timeline.period() {
                    Some((time, powers)) => time as usize / powers,
                    None => outcome.timeline.makespan() as usize,
                };
                results.extend(outcome.results.into_iter().flatten());
            }
        }
        let powers = results.iter().map(|residue| counting.leave(residue));
        let work = Work {
            total: counting.count() / bases.len().max(1),
            in_a_row,
            processors,
        };
        Ok((powers.collect(), work))
    }

    /// The program of a method for one processor; that of the binary method for other methods.
    fn program(self, e: &BoxedUint) -> Result<Program, HypercubeError> {
        match self {
            Self::FixedWindow(bits) => methods::fixed_window_vartime(e, bits),
            Self::SlidingWindow(bits) => methods::sliding_window_vartime(e, bits),
            Self::Ladder => Ok(methods::ladder_vartime(e)),
            _ => Ok(methods::binary_vartime(e)),
        }
    }
}

fn crsa(form: Form, cubes: usize, e: &BoxedUint) -> Result<Network, HypercubeError> {
    let plan = Hypercube::new(cubes, form)?.plan(Exponent::Public(e))?;
    Ok(plan.network().clone())
}

fn check_processors(processors: usize) -> Result<(), CubeRsaError> {
    if (1..=MAX_PROCESSORS).contains(&processors) {
        return Ok(());
    }
    Err(CubeRsaError::Processors {
        processors,
        most: MAX_PROCESSORS,
    })
}

/// The programs of the processors that share the bits of `e`. Blocks that are 0 have none.
fn blocks(e: &BoxedUint, processors: usize) -> Vec<Program> {
    let bits = e.bits_vartime();
    let size = bits.div_ceil(processors as u32).max(1);
    let block = |index: u32| {
        let low = index * size;
        let mut block = BoxedUint::zero_with_precision(e.bits_precision());
        for bit in low..(low + size).min(bits) {
            if e.bit_vartime(bit) {
                block |= BoxedUint::one_with_precision(e.bits_precision()).shl(bit);
            }
        }
        block
    };
    let blocks = (0..processors as u32).map(block);
    let blocks = blocks.filter(|block| block.bits_vartime() > 0);
    blocks
        .map(|block| methods::binary_vartime(&block))
        .collect()
}

/// The programs of the processors that share a loop of `e` products by `m`.
fn repetitions(e: &BoxedUint, processors: usize) -> Result<Vec<Program>, CubeRsaError> {
    let bits = e.bits_vartime();
    if bits > MAX_REPEATED_BITS {
        return Err(CubeRsaError::Repeated {
            bits,
            most: MAX_REPEATED_BITS,
        });
    }
    let e = (0..bits)
        .rev()
        .fold(0, |value, bit| 2 * value + usize::from(e.bit_vartime(bit)));
    let share = |index: usize| (index + 1) * e / processors - index * e / processors;
    let shares = (0..processors).map(share).filter(|&share| share > 0);
    Ok(shares.map(methods::repeated).collect())
}

/// The product of the programs' results, each program run on its own thread.
fn product_of<A: ModularArithmetic>(
    arithmetic: &A,
    programs: &[Program],
    input: &[A::Residue],
) -> Result<A::Residue, CubeRsaError> {
    let parts = thread::scope(|scope| {
        let run = |program| {
            let input = input.to_vec();
            let body = move || Program::run(program, arithmetic, &[], &input);
            let thread = thread::Builder::new().spawn_scoped(scope, body);
            thread.map_err(|error| CubeRsaError::Thread(error.to_string()))
        };
        let threads = programs.iter().map(run).collect::<Result<Vec<_>, _>>()?;
        let mut parts = Vec::with_capacity(threads.len());
        for thread in threads {
            let part = thread.join();
            parts.push(part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok::<_, CubeRsaError>(parts)
    })?;
    let product = parts.into_iter().flatten();
    let product = product.reduce(|product, part| arithmetic.mul_mod(&product, &part));
    Ok(product.unwrap_or_else(|| arithmetic.one()))
}

/// Exponentiation modulo `n = p q` by the Chinese remainder theorem (Garner's form), for primes
/// `p` and `q` of equal size. It contains the primes, so it has no `Debug`.
#[derive(Clone)]
pub struct Crt {
    p: NonZero<BoxedUint>,
    q: NonZero<BoxedUint>,
    /// `q^-1 mod p`.
    q_inverse: BoxedUint,
}

impl Crt {
    /// Exponentiation modulo the product of two different odd primes, whose primality is not
    /// checked. `None` if they are even, not coprime, or below 3.
    pub fn new(p: &BoxedUint, q: &BoxedUint) -> Option<Self> {
        let odd = |x: &BoxedUint| x.bit_vartime(0) && x.bits_vartime() > 1;
        if !odd(p) || !odd(q) {
            return None;
        }
        let [p, q] = [p, q].map(|x| NonZero::new(x.clone()).into_option());
        let (p, q) = (p?, q?);
        let q_inverse = q.rem_vartime(&p).invert_mod(&p).into_option()?;
        Some(Self { p, q, q_inverse })
    }

    /// The primes `p` and `q`.
    pub fn primes(&self) -> [&BoxedUint; 2] {
        [self.p.as_ref(), self.q.as_ref()]
    }

    /// The modulus `n = p q`.
    pub fn modulus(&self) -> BoxedUint {
        self.p.concatenating_mul(self.q.as_ref())
    }

    /// `base^e mod p q` for a base that neither prime divides, and the work: two powers by the
    /// binary method and one product to recombine them, all on numbers of half the size.
    ///
    /// `arithmetic` returns the arithmetic modulo a prime.
    ///
    /// # Errors
    /// The errors of `arithmetic`.
    pub fn power<A: ModularArithmetic>(
        &self,
        base: &BoxedUint,
        e: &BoxedUint,
        arithmetic: impl Fn(&BoxedUint) -> Result<A, HypercubeError>,
    ) -> Result<(BoxedUint, Work), CubeRsaError> {
        let mut works = [0; 2];
        let mut powers = Vec::with_capacity(2);
        for (prime, work) in [&self.p, &self.q].into_iter().zip(&mut works) {
            let arithmetic = arithmetic(prime.as_ref())?;
            let order = prime.as_ref().wrapping_sub(BoxedUint::one());
            // The order is not zero, since the prime is at least 3.
            let Some(order) = NonZero::new(order).into_option() else {
                return Err(HypercubeError::ModulusTooSmall.into());
            };
            let (base, e) = (base.rem_vartime(prime), e.rem_vartime(&order));
            let (power, taken) = Method::Binary.power(&arithmetic, &base, &e)?;
            powers.push(power.resize_unchecked(prime.bits_precision()));
            *work = taken.total;
        }
        // m_q + q ((m_p - m_q) q^-1 mod p)
        let [m_p, m_q] = [&powers[0], &powers[1]];
        let m_q_mod_p = m_q.rem_vartime(&self.p);
        let difference = m_p.sub_mod(&m_q_mod_p, &self.p);
        let factor = difference.mul_mod(&self.q_inverse, &self.p);
        let product = self.q.concatenating_mul(&factor);
        let bits = product.bits_precision();
        let power = product.wrapping_add(m_q.clone().resize_unchecked(bits));
        let work = Work {
            total: works[0] + works[1] + 1,
            in_a_row: works[0].max(works[1]) + 1,
            processors: 2,
        };
        Ok((power, work))
    }

    /// [`Crt::power`] on integers in Montgomery form.
    ///
    /// # Errors
    /// None is expected for odd primes.
    pub fn power_montgomery(
        &self,
        base: &BoxedUint,
        e: &BoxedUint,
    ) -> Result<(BoxedUint, Work), CubeRsaError> {
        self.power(base, e, IntegerMontgomery::new)
    }
}
