//! Proofs that two elements have the same logarithm, each to its own base (Chaum and Pedersen, 1992), made
//! non-interactive.
//!
//! For a = g^x and b = h^x the prover draws u, commits to `t = g^u` and `s = h^u`, takes the challenge c from
//! a hash over everything, and answers `v = u - c x mod q`. The verifier recomputes `t = g^v a^c` and
//! `s = h^v b^c`, and the hash.

use super::batch::{CHUNK, run};
use super::error::FfcError;
use super::group::PreparedGroup;
use super::powers::{is_member_batch, words};
use super::transcript::Transcript;
use crate::batch::fail_all;
use crate::integer::{equal, resized};
use core::fmt;
use crypto_bigint::{BoxedUint, CtLt};
use rand_core::TryCryptoRng;
use sunzi_engine::program::{multi_power::straus, power};
use sunzi_engine::{Engine, Exponent, Job, Task};
use zeroize::Zeroizing;

/// The statement that the logarithm of a to the base g is that of b to the base h.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// The first base, an element of the subgroup: the caller makes sure of it.
    pub g: &'a BoxedUint,
    /// The first power. Whether it is in the subgroup is verified.
    pub a: &'a BoxedUint,
    /// The second base, an element of the subgroup: the caller makes sure of it.
    pub h: &'a BoxedUint,
    /// The second power. Whether it is in the subgroup is verified.
    pub b: &'a BoxedUint,
    /// The context of the proof, such as the election and the place in it: a proof of one context is invalid in
    /// another.
    pub context: &'a [u8],
}

impl Statement<'_> {
    fn challenge(&self, group: &PreparedGroup, t: &BoxedUint, s: &BoxedUint) -> BoxedUint {
        let group = group.group();
        let mut transcript = Transcript::new("sunzi equality of logarithms", group, self.context);
        for number in [self.g, self.a, self.h, self.b, t, s] {
            transcript.number(number);
        }
        transcript.challenge(group)
    }
}

/// A proof: the challenge c and the response v, both below q.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The challenge.
    pub challenge: BoxedUint,
    /// The response.
    pub response: BoxedUint,
}

/// A statement with the logarithm that makes it true.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// The statement.
    pub statement: Statement<'a>,
    /// The logarithm x, a secret below q.
    pub logarithm: &'a BoxedUint,
}

impl fmt::Debug for Claim<'_> {
    /// Shows everything but the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Claim").field(&self.statement).finish()
    }
}

/// Proofs of these claims, in constant time. A false claim gets a proof that does not verify. Both bases must be in the
/// subgroup, which is tested unless they are its generator: powers of others would reveal the secret modulo small
/// factors of p - 1.
///
/// # Errors
/// For each item [`FfcError::ElementRange`], [`FfcError::NotMember`], [`FfcError::ExponentRange`],
/// [`FfcError::Random`], [`FfcError::Engine`].
pub fn prove_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    group: &PreparedGroup,
    claims: &[Claim<'_>],
) -> Vec<Result<Proof, FfcError>> {
    let in_chunks = claims.chunks(CHUNK);
    in_chunks
        .flat_map(|chunk| prove_chunk(engine, rng, group, chunk))
        .collect()
}

fn prove_chunk<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    group: &PreparedGroup,
    claims: &[Claim<'_>],
) -> Vec<Result<Proof, FfcError>> {
    let q = group.group().q();
    let precision = q.bits_precision();
    let in_range = |claim: &Claim<'_>| {
        if !claim.logarithm.ct_lt(q).to_bool() {
            return Err(FfcError::ExponentRange);
        }
        let Statement { g, h, .. } = claim.statement;
        Ok([group.element(g)?, group.element(h)?])
    };
    let in_range: Vec<_> = claims.iter().map(in_range).collect();
    let is_generator = |base: &BoxedUint| base == group.group().g();
    let others = in_range.iter().flatten().flatten();
    let others: Vec<_> = others.filter(|base| !is_generator(base)).cloned().collect();
    let mut members = is_member_batch(engine, group, &others).into_iter();
    let mut prepare = |bases: Result<[BoxedUint; 2], FfcError>| {
        let bases = bases?;
        let members = bases.each_ref().map(|base| {
            if is_generator(base) {
                return Ok(true);
            }
            members.next().unwrap_or(Ok(false))
        });
        for member in members {
            if !member? {
                return Err(FfcError::NotMember);
            }
        }
        Ok((bases, group.group().random_exponent(rng)?))
    };
    let prepared: Vec<_> = in_range.into_iter().map(&mut prepare).collect();
    let tasks: Vec<Task<'_>> = prepared
        .iter()
        .flatten()
        .flat_map(|(bases, u)| {
            let task = |base| Task::power(&group.modulus, base, Exponent::Secret(u));
            [task(&bases[0]), task(&bases[1])]
        })
        .collect();
    let powers = match engine.run(&tasks) {
        Ok(powers) => powers,
        Err(error) => return fail_all(&prepared, &error.into()),
    };
    let mut commitments = powers.chunks_exact(2);
    claims
        .iter()
        .zip(&prepared)
        .map(|(claim, prepared)| {
            let (_, u) = prepared.as_ref().map_err(FfcError::clone)?;
            let Some([t, s]) = commitments.next() else {
                return Err(FfcError::Random);
            };
            let challenge = claim.statement.challenge(group, t, s);
            let x = resized(claim.logarithm, precision);
            let product = Zeroizing::new(challenge.mul_mod(&x, group.group().order()));
            let response = u.sub_mod(&product, group.group().order());
            Ok(Proof {
                challenge,
                response,
            })
        })
        .collect()
}

/// The commitments that [`verify_batch`] computes from a proof: `g^v a^c` and `h^v b^c`.
pub type Commitments = (BoxedUint, BoxedUint);

/// The commitments that proofs of these statements stand for, if a and b are in the subgroup: for systems
/// that hash in another way than [`verify_batch`]. All numbers are public.
///
/// # Errors
/// For each item [`FfcError::ElementRange`], [`FfcError::ExponentRange`], [`FfcError::NotMember`],
/// [`FfcError::Engine`].
pub fn commitments_batch_vartime(
    engine: &Engine,
    group: &PreparedGroup,
    proofs: &[(Statement<'_>, &Proof)],
) -> Vec<Result<Commitments, FfcError>> {
    let q = group.group().q().clone();
    let (bits, class) = (q.bits_vartime(), group.modulus.class());
    let programs = group.programs(engine, "ffc-equality", &words(&q), |builder| {
        let [g, a, h, b] = [(); 4].map(|()| builder.input(class));
        let [v, c] = ["v", "c"].map(|name| builder.scalar(name, bits, false));
        for terms in [[(g, v), (a, c)], [(h, v), (b, c)]] {
            let commitment = straus(builder, &terms);
            builder.output(commitment);
        }
        let one = builder.montgomery_one();
        for x in [a, b] {
            let power = power::public(builder, x, x, &q);
            builder.equal(power, one);
        }
    });
    let checked = |(statement, proof): &(Statement<'_>, &Proof)| {
        let Statement { g, a, h, b, .. } = statement;
        let numbers = [g, a, h, b].map(|x| group.element(x));
        let numbers = numbers.into_iter().collect::<Result<Vec<_>, _>>()?;
        let v = group.exponent(&proof.response)?;
        Ok((numbers, v, group.exponent(&proof.challenge)?))
    };
    let in_chunks = proofs.chunks(CHUNK).flat_map(|chunk| {
        let checked: Vec<_> = chunk.iter().map(checked).collect();
        let outcomes = run(engine, &programs, &checked, |programs, (numbers, v, c)| {
            Job {
                programs,
                modulus: &group.modulus,
                constants: None,
                inputs: numbers.iter().collect(),
                scalars: vec![v, c],
            }
        });
        let commitments = |outcome: Result<sunzi_engine::Outcome, FfcError>| {
            let outcome = outcome?;
            if outcome.flags[..] != [true, true] {
                return Err(FfcError::NotMember);
            }
            let [t, s] = [0, 1].map(|k| (*outcome.integers[k]).clone());
            Ok((t, s))
        };
        outcomes.into_iter().map(commitments).collect::<Vec<_>>()
    });
    in_chunks.collect()
}

/// Whether each proof proves its statement. All numbers are public.
///
/// # Errors
/// For each item [`FfcError::WrongProof`], and those of [`commitments_batch_vartime`].
pub fn verify_batch(
    engine: &Engine,
    group: &PreparedGroup,
    proofs: &[(Statement<'_>, &Proof)],
) -> Vec<Result<(), FfcError>> {
    let commitments = commitments_batch_vartime(engine, group, proofs);
    let verdict = |((statement, proof), commitments): (&(Statement<'_>, &Proof), _)| {
        let (t, s) = commitments?;
        if equal(&statement.challenge(group, &t, &s), &proof.challenge) {
            Ok(())
        } else {
            Err(FfcError::WrongProof)
        }
    };
    proofs.iter().zip(commitments).map(verdict).collect()
}
