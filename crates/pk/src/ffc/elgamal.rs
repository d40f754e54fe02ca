//! Ballots: `ElGamal` encryption of votes in the exponent, with proofs that each is a 0 or a 1 (Cramer,
//! Gennaro and Schoenmakers, "A secure and optimally efficient multi-authority election scheme", 1997).
//!
//! With the public key K = g^x a vote m is `alpha = g^r, beta = g^m K^r`; the products of all alphas and of
//! all betas encrypt the sum of the votes. The proof says that the logarithm of alpha to g is that of beta to
//! K (m = 0), or that of beta / g to K (m = 1), without telling which: the prover chooses challenge and
//! response of the false case, and the sum of both challenges is a hash over everything.

use super::batch::{CHUNK, run};
use super::error::FfcError;
use super::group::{FixedBase, PreparedGroup};
use super::powers::{check_members, words};
use super::transcript::Transcript;
use crate::integer::{equal, resized};
use core::ops::ControlFlow;
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Choice, CtLt, CtSelect, Resize};
use rand_core::TryCryptoRng;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Scalar, Value, fixed_base::Comb, power};
use sunzi_engine::{Constants, Engine, Exponent, Job, Outcome, Task};
use zeroize::Zeroizing;

/// A public key K with the tables of g and K; cheap to clone.
#[derive(Clone, Debug)]
pub struct PublicKey {
    group: PreparedGroup,
    key: FixedBase,
    /// The tables of g and of K.
    tables: Arc<Constants>,
}

impl PublicKey {
    /// Prepares a key, an element of the subgroup.
    ///
    /// # Errors
    /// [`FfcError::ElementRange`], [`FfcError::NotMember`], [`FfcError::Engine`].
    pub fn new(engine: &Engine, group: &PreparedGroup, key: &BoxedUint) -> Result<Self, FfcError> {
        let key = group.fixed_base(engine, key)?;
        check_members(engine, group, core::slice::from_ref(key.element()))?;
        let tables = [group.generator(), &key].map(|base| base.tables.entries());
        let entries = tables.into_iter().flatten();
        let entries: Vec<_> = entries.map(|entry| (&**entry, 1)).collect();
        Ok(Self {
            tables: engine.constants(&group.modulus, &entries)?,
            group: group.clone(),
            key,
        })
    }

    /// The element K.
    pub fn element(&self) -> &BoxedUint {
        self.key.element()
    }

    /// The group.
    pub fn group(&self) -> &PreparedGroup {
        &self.group
    }

    fn challenge(
        &self,
        ciphertext: &Ciphertext,
        commitments: &[BoxedUint],
        context: &[u8],
    ) -> BoxedUint {
        let group = self.group.group();
        let mut transcript = Transcript::new("sunzi ballot of 0 or 1", group, context);
        let Ciphertext { alpha, beta } = ciphertext;
        for number in [self.element(), alpha, beta].into_iter().chain(commitments) {
            transcript.number(number);
        }
        transcript.challenge(group)
    }
}

/// An encrypted number: `alpha = g^r` and `beta = g^m K^r`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    /// `g^r`.
    pub alpha: BoxedUint,
    /// `g^m K^r`.
    pub beta: BoxedUint,
}

/// A proof that a ciphertext is of 0 or 1: challenge and response of either case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitProof {
    /// The challenges for 0 and for 1.
    pub challenges: [BoxedUint; 2],
    /// The responses for 0 and for 1.
    pub responses: [BoxedUint; 2],
}

/// An encrypted vote with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// The encrypted vote.
    pub ciphertext: Ciphertext,
    /// The proof that it is 0 or 1.
    pub proof: BitProof,
}

/// The numbers from which one ballot is made.
struct Draft {
    vote: Choice,
    r: Zeroizing<BoxedUint>,
    u: Zeroizing<BoxedUint>,
    /// Challenge and response of the false case.
    c: Zeroizing<BoxedUint>,
    v: Zeroizing<BoxedUint>,
    /// Pairs of exponents of g and K: of the ciphertext and of the commitments.
    exponents: Vec<[Zeroizing<BoxedUint>; 2]>,
}

/// Ballots of these votes, each 0 or 1, in constant time. `context` names the election; a ballot is verified
/// with the same.
///
/// # Errors
/// For each item [`FfcError::Vote`], [`FfcError::Random`], [`FfcError::Engine`].
pub fn encrypt_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    key: &PublicKey,
    votes: &[u32],
    context: &[u8],
) -> Vec<Result<Ballot, FfcError>> {
    let comb = key.group.comb;
    let programs = key.group.programs(engine, "ffc-ballot", &[], |builder| {
        let [x, y] = ["x", "y"].map(|name| builder.scalar(name, comb.bits, true));
        let first = comb.power(builder, x);
        let second = comb.power(builder, y);
        let product = builder.multiply(first, second);
        builder.output(product);
    });
    let mut ballots = Vec::with_capacity(votes.len());
    for chunk in votes.chunks(CHUNK) {
        let drafts: Vec<_> = chunk.iter().map(|&vote| draft(rng, key, vote)).collect();
        let pairs: Vec<Result<&[Zeroizing<BoxedUint>; 2], FfcError>> = drafts
            .iter()
            .flatten()
            .flat_map(|draft| draft.exponents.iter().map(Ok))
            .collect();
        let products = run(engine, &programs, &pairs, |programs, [x, y]| Job {
            programs,
            modulus: &key.group.modulus,
            constants: Some(&key.tables),
            inputs: Vec::new(),
            scalars: vec![x, y],
        });
        let mut products = products.chunks_exact(PRODUCTS);
        ballots.extend(drafts.iter().map(|draft| {
            let draft = draft.as_ref().map_err(FfcError::clone)?;
            let products = products.next().ok_or(FfcError::Random)?;
            finish(key, draft, products, context)
        }));
    }
    ballots
}

/// Products of powers of g and K in a ballot: alpha, beta, and four commitments.
const PRODUCTS: usize = 6;

/// Random numbers for a ballot, and the exponents that follow.
///
/// With m' = 1 - m the commitments of the true case are `g^u, K^u`. Those of the false case are
/// `g^v alpha^c = g^(v + c r)` and `K^v (beta g^(-m'))^c = K^(v + c r) g^(c (m - m'))`.
fn draft<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    key: &PublicKey,
    vote: u32,
) -> Result<Draft, FfcError> {
    if vote > 1 {
        return Err(FfcError::Vote(vote));
    }
    let group = key.group.group();
    let (q, precision) = (group.order(), group.q().bits_precision());
    let mut random = || group.random_exponent(rng);
    let [r, u, c, v] = [random()?, random()?, random()?, random()?];
    let zero = || Zeroizing::new(BoxedUint::zero_with_precision(precision));
    let m = resized(&BoxedUint::from(vote), precision);
    let product = Zeroizing::new(c.mul_mod(&r, q));
    let w = Zeroizing::new(v.add_mod(&product, q));
    let vote = Choice::from_u8_lsb(vote as u8);
    let negative = Zeroizing::new(c.neg_mod(q));
    let shift = Zeroizing::new(BoxedUint::ct_select(&negative, &c, vote));
    // The commitments for 0 and for 1: if the vote is 1, the first are those of the false case.
    let select = |x: &BoxedUint, y: &BoxedUint| Zeroizing::new(BoxedUint::ct_select(x, y, vote));
    let exponents = vec![
        [r.clone(), zero()],
        [m, r.clone()],
        [select(&u, &w), zero()],
        [select(&zero(), &shift), select(&u, &w)],
        [select(&w, &u), zero()],
        [select(&shift, &zero()), select(&w, &u)],
    ];
    Ok(Draft {
        vote,
        r,
        u,
        c,
        v,
        exponents,
    })
}

fn finish(
    key: &PublicKey,
    draft: &Draft,
    products: &[Result<Outcome, FfcError>],
    context: &[u8],
) -> Result<Ballot, FfcError> {
    let number = |outcome: &Result<Outcome, FfcError>| {
        let outcome = outcome.as_ref().map_err(FfcError::clone)?;
        Ok((*outcome.integers[0]).clone())
    };
    let mut numbers: Vec<BoxedUint> = products
        .iter()
        .map(number)
        .collect::<Result<_, FfcError>>()?;
    let commitments = numbers.split_off(2);
    let [alpha, beta] = numbers.try_into().map_err(|_| FfcError::Random)?;
    let ciphertext = Ciphertext { alpha, beta };
    let q = key.group.group().order();
    let sum = key.challenge(&ciphertext, &commitments, context);
    // c + c' = sum, v' = u - c' r.
    let challenge = Zeroizing::new(sum.sub_mod(&draft.c, q));
    let product = Zeroizing::new(challenge.mul_mod(&draft.r, q));
    let response = Zeroizing::new(draft.u.sub_mod(&product, q));
    let select = |x: &BoxedUint, y: &BoxedUint| BoxedUint::ct_select(x, y, draft.vote);
    let proof = BitProof {
        challenges: [select(&challenge, &draft.c), select(&draft.c, &challenge)],
        responses: [select(&response, &draft.v), select(&draft.v, &response)],
    };
    Ok(Ballot { ciphertext, proof })
}

/// Whether each ballot is of 0 or 1: alpha and beta are in the subgroup, and the proof is right. All numbers
/// are public.
///
/// # Errors
/// For each item [`FfcError::ElementRange`], [`FfcError::ExponentRange`], [`FfcError::NotMember`],
/// [`FfcError::WrongProof`], [`FfcError::Engine`].
pub fn verify_batch(
    engine: &Engine,
    key: &PublicKey,
    ballots: &[Ballot],
    context: &[u8],
) -> Vec<Result<(), FfcError>> {
    let group = &key.group;
    let q = group.group().q().clone();
    let (comb, class) = (group.comb, group.modulus.class());
    let programs = group.programs(engine, "ffc-verify-ballot", &words(&q), |builder| {
        build_verification(builder, class, comb, &q);
    });
    let precision = q.bits_precision();
    let in_chunks = ballots.chunks(CHUNK).flat_map(|chunk| {
        let checked: Vec<_> = chunk
            .iter()
            .map(|ballot| check_ranges(group, ballot))
            .collect();
        let outcomes = run(engine, &programs, &checked, |programs, checked| Job {
            programs,
            modulus: &group.modulus,
            constants: Some(&key.tables),
            inputs: checked.elements.iter().collect(),
            scalars: checked.scalars.iter().collect(),
        });
        let verdict = |(ballot, outcome): (&Ballot, Result<Outcome, FfcError>)| {
            let outcome = outcome?;
            if outcome.flags[..] != [true, true] {
                return Err(FfcError::NotMember);
            }
            let commitments = outcome.integers.iter().map(|x| (**x).clone());
            let commitments: Vec<BoxedUint> = commitments.collect();
            let expected = key.challenge(&ballot.ciphertext, &commitments, context);
            let [c, d] = &ballot.proof.challenges;
            let [c, d] = [c, d].map(|x| Resize::resize(x, precision));
            if equal(&c.add_mod(&d, group.group().order()), &expected) {
                Ok(())
            } else {
                Err(FfcError::WrongProof)
            }
        };
        chunk.iter().zip(outcomes).map(verdict).collect::<Vec<_>>()
    });
    in_chunks.collect()
}

/// The numbers of a ballot in their ranges.
struct Checked {
    /// alpha and beta.
    elements: [BoxedUint; 2],
    /// The response and the challenge of 0, the same of 1, and the negative of the latter challenge.
    scalars: [BoxedUint; 5],
}

fn check_ranges(group: &PreparedGroup, ballot: &Ballot) -> Result<Checked, FfcError> {
    let Ciphertext { alpha, beta } = &ballot.ciphertext;
    let BitProof {
        challenges: [c0, c1],
        responses: [v0, v1],
    } = &ballot.proof;
    let [c0, c1, v0, v1] = [c0, c1, v0, v1].map(|x| group.exponent(x));
    let (c0, c1) = (c0?, c1?);
    let negative = c1.neg_mod(group.group().order());
    Ok(Checked {
        elements: [group.element(alpha)?, group.element(beta)?],
        scalars: [v0?, c0, v1?, c1, negative],
    })
}

/// The four commitments `g^v0 alpha^c0`, `K^v0 beta^c0`, `g^v1 alpha^c1`, `K^v1 beta^c1 g^(-c1)`, and whether
/// alpha and beta are in the subgroup.
fn build_verification(builder: &mut Builder, class: u32, comb: Comb, q: &BoxedUint) {
    let [alpha, beta] = [(); 2].map(|()| builder.input(class));
    let names = ["v0", "c0", "v1", "c1", "-c1"];
    let [v0, c0, v1, c1, negative] = names.map(|name| builder.scalar(name, comb.bits, false));
    let [g, key] = [(); 2].map(|()| comb.declare(builder));
    let commitments: [(Value, Scalar, &[_]); 4] = [
        (alpha, c0, &[(&g, v0)]),
        (beta, c0, &[(&key, v0)]),
        (alpha, c1, &[(&g, v1)]),
        (beta, c1, &[(&key, v1), (&g, negative)]),
    ];
    for (base, c, fixed) in commitments {
        let mut product = power::fixed_window(builder, base, c);
        for (tables, exponent) in fixed {
            let power = comb.power_by(builder, tables, *exponent);
            product = builder.multiply(product, power);
        }
        builder.output(product);
    }
    let one = builder.montgomery_one();
    for x in [alpha, beta] {
        let power = power::public(builder, x, x, q);
        builder.equal(power, one);
    }
}

/// The encrypted sum of encrypted numbers: the products of all alphas and of all betas. For an empty list, the
/// ciphertext of 0 that hides nothing.
///
/// # Errors
/// [`FfcError::ElementRange`], [`FfcError::Engine`].
pub fn sum(
    engine: &Engine,
    group: &PreparedGroup,
    ciphertexts: &[&Ciphertext],
) -> Result<Ciphertext, FfcError> {
    let class = group.modulus.class();
    let programs = group.programs(engine, "ffc-multiply", &[], |builder| {
        let x = builder.input(class);
        let y = builder.input_unreduced(class);
        let product = builder.multiply(x, y);
        builder.output(product);
    });
    let product = |factors: &mut dyn Iterator<Item = &BoxedUint>| {
        let factors: Result<Vec<_>, FfcError> = factors.map(|x| group.element(x)).collect();
        let mut factors = factors?;
        while factors.len() > 1 {
            let odd = if factors.len() % 2 == 1 {
                factors.pop()
            } else {
                None
            };
            let pairs: Vec<_> = factors.chunks_exact(2).map(Ok).collect();
            let products = run(engine, &programs, &pairs, |programs, pair| Job {
                programs,
                modulus: &group.modulus,
                constants: None,
                inputs: pair.iter().collect(),
                scalars: Vec::new(),
            });
            let number = |outcome: Result<Outcome, FfcError>| Ok((*outcome?.integers[0]).clone());
            let products = products.into_iter().map(number);
            factors = products.collect::<Result<Vec<_>, FfcError>>()?;
            factors.extend(odd);
        }
        let precision = group.group().p().bits_precision();
        let one = BoxedUint::one_with_precision(precision);
        Ok::<_, FfcError>(factors.pop().unwrap_or(one))
    };
    Ok(Ciphertext {
        alpha: product(&mut ciphertexts.iter().map(|c| &c.alpha))?,
        beta: product(&mut ciphertexts.iter().map(|c| &c.beta))?,
    })
}

/// A decrypted sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The sum.
    pub sum: u32,
    /// `alpha^x`. A proof of [`equality`](super::equality) shows that it is right: it has the logarithm to alpha that K
    /// has to g.
    pub share: BoxedUint,
}

/// The sum of a ciphertext by the private key x, which is used in constant time: `beta / alpha^x = g^sum`. The sum is
/// found by trying all numbers up to `most`, in a time that depends on it. Both alpha and beta must be in the subgroup:
/// the power of another alpha would reveal the key modulo small factors of p - 1.
///
/// # Errors
/// [`FfcError::ElementRange`], [`FfcError::NotMember`], [`FfcError::ExponentRange`], [`FfcError::Engine`], and
/// [`FfcError::SumRange`] if the sum is not from 0 to `most`.
pub fn decrypt_sum_vartime(
    engine: &Engine,
    group: &PreparedGroup,
    key: &BoxedUint,
    ciphertext: &Ciphertext,
    most: u32,
) -> Result<Tally, FfcError> {
    let go_on = &mut |_| ControlFlow::Continue(());
    decrypt_sum_watched_vartime(engine, group, key, ciphertext, most, go_on)
}

/// Number of numbers that are tried between two calls of a watcher, in some hundredths of a second.
const WATCHED_SUMS: u32 = 1 << 12;

/// [`decrypt_sum_vartime`] with a `watch` that is called from time to time with the number of numbers tried, and ends
/// the search by returning [`ControlFlow::Break`].
///
/// # Errors
/// The errors of [`decrypt_sum_vartime`], and [`FfcError::Cancelled`].
pub fn decrypt_sum_watched_vartime(
    engine: &Engine,
    group: &PreparedGroup,
    key: &BoxedUint,
    ciphertext: &Ciphertext,
    most: u32,
    watch: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> Result<Tally, FfcError> {
    let q = group.group().q();
    if !key.ct_lt(q).to_bool() {
        return Err(FfcError::ExponentRange);
    }
    let elements = [&ciphertext.alpha, &ciphertext.beta].map(|x| group.element(x));
    let [alpha, beta] = elements;
    let elements = [alpha?, beta?];
    check_members(engine, group, &elements)?;
    let [alpha, beta] = elements;
    let key = resized(key, q.bits_precision());
    let task = Task::power(&group.modulus, &alpha, Exponent::Secret(&key));
    let share = (*engine.run(&[task])?.swap_remove(0)).clone();
    // g^0 alpha^x, g^1 alpha^x, ... until it is beta.
    let parameters = BoxedMontyParams::new_vartime(group.group().odd_p().clone());
    let g = BoxedMontyForm::new(group.group().g().clone(), &parameters);
    let mut power = BoxedMontyForm::new(share.clone(), &parameters);
    let beta = BoxedMontyForm::new(beta, &parameters);
    for sum in 0..=most {
        if sum % WATCHED_SUMS == 0 && watch(sum).is_break() {
            return Err(FfcError::Cancelled);
        }
        if power == beta {
            return Ok(Tally { sum, share });
        }
        power = power.mul(&g);
    }
    Err(FfcError::SumRange(most))
}
