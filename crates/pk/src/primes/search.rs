//! The search for random primes: candidates are drawn, sieved, and tested a batch at a time.

use super::draw::{Drawer, Range};
use super::error::{MAX_BITS, MIN_BITS, PrimeError};
use super::kind::{Kind, Progress};
use super::miller_rabin::{self, Candidate};
use super::sieve::{has_small_factor, small_primes};

use crate::integer::resized;
use crypto_bigint::{BoxedUint, Limb, NonZero};
use crypto_primes::hazmat::minimum_mr_iterations;
use rand_core::CryptoRng;
use rayon::prelude::*;
use std::ops::ControlFlow;
use sunzi_engine::{Engine, available_threads};
use zeroize::Zeroizing;

/// The error is below 2 to the power of minus this.
const SECURITY: u32 = 128;
/// Rounds after which any composite has passed with a probability of at most 4^-65 = 2^-130.
pub(super) const WORST_CASE_ROUNDS: usize = 65;

/// sqrt(2) 2^63, rounded down.
const ROOT: u64 = 0xb504_f333_f9de_6484;

/// Number of candidates that are drawn at a time, for each thread.
const DRAWN: usize = 256;

/// The kind of primes that are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    /// Length in bits.
    pub(crate) bits: u32,
    /// A prime that must not divide p - 1.
    pub(crate) coprime_to: Option<u32>,
}

impl Wanted {
    /// Length of the number that is drawn: p, or q of a safe prime p = 2 q + 1.
    fn drawn_bits(&self) -> u32 {
        match self.kind {
            Kind::Any | Kind::Blum => self.bits,
            Kind::Safe => self.bits - 1,
        }
    }

    /// The number of rounds of Miller-Rabin that keep the error below 2^-128.
    fn rounds(&self) -> usize {
        let average_case = match self.kind {
            Kind::Any | Kind::Blum => minimum_mr_iterations(self.bits, SECURITY + 2),
            Kind::Safe => None,
        };
        average_case.unwrap_or(WORST_CASE_ROUNDS)
    }

    /// The number of candidates without a prime after which the random number generator must be broken: a
    /// working one gets there with a probability below 2^-47.
    fn patience(&self, drawer: &Drawer) -> u64 {
        let bits = f64::from(self.bits);
        // Among all odd numbers.
        let patience = match self.kind {
            Kind::Any | Kind::Blum => 24.0 * bits,
            Kind::Safe => 12.0 * bits * bits,
        };
        (patience * drawer.share()).ceil() as u64
    }

    /// A drawer of numbers that may be wanted.
    fn drawer(&self) -> Drawer {
        let range = Range {
            bits: self.drawn_bits(),
            above: ROOT,
            blum: self.kind == Kind::Blum,
            double: self.kind == Kind::Safe,
        };
        Drawer::new(range, small_primes())
    }

    /// Whether a number that was drawn has no small factors and remains.
    fn remains(&self, drawer: &Drawer, number: &BoxedUint) -> bool {
        !has_small_factor(number, self.kind == Kind::Safe, drawer.largest())
            && self.coprime_to.is_none_or(|e| {
                let e = NonZero::new(Limb::from(e)).expect("a prime is not 0");
                number.rem_limb(e) != Limb::ONE
            })
    }
}

/// Random primes of `bits` bits, `count` of them, independent of each other and in no order.
///
/// `watch` is called before each batch of tests, and ends the search by returning
/// [`ControlFlow::Break`]: a batch takes some hundredths of a second, and half a second for numbers of
/// 4,096 bits.
///
/// # Errors
/// [`PrimeError::Size`] for other than [`MIN_BITS`] to [`MAX_BITS`] bits, [`PrimeError::Cancelled`],
/// [`PrimeError::NoPrime`] or [`PrimeError::NoBase`] if `rng` is broken, and [`PrimeError::Engine`].
pub fn generate_batch<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: Kind,
    bits: u32,
    count: usize,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<Zeroizing<BoxedUint>>, PrimeError> {
    let wanted = Wanted {
        kind,
        bits,
        coprime_to: None,
    };
    search(engine, rng, wanted, count, watch)
}

/// Random primes of the kind wanted, `count` of them.
pub(crate) fn search<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    wanted: Wanted,
    count: usize,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<Zeroizing<BoxedUint>>, PrimeError> {
    if !(MIN_BITS..=MAX_BITS).contains(&wanted.bits) {
        return Err(PrimeError::Size(wanted.bits));
    }
    let mut progress = Progress {
        wanted: count,
        ..Progress::default()
    };
    // Enough to fill every thread's groups, and few enough that a batch takes below a second.
    let batch = available_threads() * if wanted.bits > 4096 { 16 } else { 64 };
    let (mut found, mut pool) = (Vec::new(), Vec::new());
    let drawer = wanted.drawer();
    let patience = wanted.patience(&drawer);
    let mut drawn_in_vain = 0;
    while found.len() < count {
        if watch(progress).is_break() {
            return Err(PrimeError::Cancelled);
        }
        let drawn = draw_and_sieve(rng, wanted, &drawer, &mut pool);
        progress.drawn += drawn;
        drawn_in_vain += drawn;
        if pool.len() >= batch || drawn_in_vain > patience {
            let rest = pool.split_off(batch.min(pool.len()));
            let candidates = core::mem::replace(&mut pool, rest);
            let primes = test(engine, rng, wanted, candidates, &mut progress)?;
            if !primes.is_empty() {
                drawn_in_vain = 0;
            }
            found.extend(primes);
            found.truncate(count);
            progress.found = found.len();
        }
        if drawn_in_vain > patience {
            return Err(PrimeError::NoPrime(drawn_in_vain));
        }
    }
    Ok(found)
}

/// Draws candidates, and appends those without small factors to the pool. Returns the number of draws.
fn draw_and_sieve<R: CryptoRng + ?Sized>(
    rng: &mut R,
    wanted: Wanted,
    drawer: &Drawer,
    pool: &mut Vec<Zeroizing<BoxedUint>>,
) -> u64 {
    let threads = available_threads();
    let count = DRAWN * threads;
    let drawn: Vec<_> = (0..count).filter_map(|_| drawer.draw(rng)).collect();
    let remains = |number: &Zeroizing<BoxedUint>| wanted.remains(drawer, number);
    if threads == 1 {
        pool.extend(drawn.into_iter().filter(remains));
    } else {
        pool.par_extend(drawn.into_par_iter().filter(remains));
    }
    count as u64
}

/// The primes among the candidates, or for safe primes the numbers 2 q + 1.
fn test<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    wanted: Wanted,
    candidates: Vec<Zeroizing<BoxedUint>>,
    progress: &mut Progress,
) -> Result<Vec<Zeroizing<BoxedUint>>, PrimeError> {
    let blum = wanted.kind == Kind::Blum;
    let candidates = Candidate::prepare(engine, candidates, blum);
    let candidates = candidates.into_iter().collect::<Result<Vec<_>, _>>()?;
    let passed = rounds(engine, rng, &candidates, 1, progress)?;
    let candidates = keep(candidates, &passed);
    if wanted.kind != Kind::Safe {
        let passed = rounds(engine, rng, &candidates, wanted.rounds() - 1, progress)?;
        let primes = keep(candidates, &passed);
        return Ok(primes.into_iter().map(|prime| prime.value).collect());
    }
    // For a prime q, p = 2 q + 1 is prime if 2^(p - 1) = 1 modulo p (Pocklington, 1914), which
    // passing the test for the base 2 includes: few p are left for the many rounds of q.
    let doubles = candidates.iter().map(|q| {
        let q = resized(&q.value, wanted.bits.next_multiple_of(64));
        let double = Zeroizing::new(q.shl(1));
        Zeroizing::new(double.wrapping_add(BoxedUint::one()))
    });
    let doubles = Candidate::prepare(engine, doubles.collect(), true);
    let doubles = doubles.into_iter().collect::<Result<Vec<_>, _>>()?;
    let tests: Vec<_> = doubles
        .iter()
        .map(|p| {
            let two = resized(&BoxedUint::from(2u32), p.value.bits_precision());
            (p, two)
        })
        .collect();
    progress.tested += tests.len() as u64;
    let passed = miller_rabin::pass(engine, &tests)?;
    drop(tests);
    let (candidates, doubles) = (keep(candidates, &passed), keep(doubles, &passed));
    let passed = rounds(engine, rng, &candidates, wanted.rounds() - 1, progress)?;
    let primes = keep(doubles, &passed);
    Ok(primes.into_iter().map(|prime| prime.value).collect())
}

fn keep<T>(items: Vec<T>, passed: &[bool]) -> Vec<T> {
    let pairs = items.into_iter().zip(passed);
    pairs
        .filter_map(|(item, &passed)| passed.then_some(item))
        .collect()
}

/// Whether each candidate passes this many rounds with random bases.
pub(super) fn rounds<R: CryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    candidates: &[Candidate],
    rounds: usize,
    progress: &mut Progress,
) -> Result<Vec<bool>, PrimeError> {
    if rounds == 0 {
        return Ok(vec![true; candidates.len()]);
    }
    let mut tests = Vec::with_capacity(candidates.len() * rounds);
    for candidate in candidates {
        for _ in 0..rounds {
            let base = candidate.random_base(rng).ok_or(PrimeError::NoBase)?;
            tests.push((candidate, base));
        }
    }
    progress.tested += tests.len() as u64;
    let passed = miller_rabin::pass(engine, &tests)?;
    let all = |passed: &[bool]| passed.iter().all(|&passed| passed);
    Ok(passed.chunks_exact(rounds).map(all).collect())
}
