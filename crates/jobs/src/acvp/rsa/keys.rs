//! Keys of random primes that are probably prime (FIPS 186-5, section A.1.3).

use super::super::answer::{Answer, GroupAnswer, Value, grouped};
use super::super::check::{Claim, Difference};
use super::super::context::{Context, padded};
use super::super::error::AcvpError;
use super::super::set::{Members, VectorSet};
use super::{exponent, modulo, number_of};
use crate::rsa_numbers::RsaNumbers;
use base64ct::{Base64UrlUnpadded, Encoding};
use sunzi_pk::keys;
use sunzi_pk::primes::{is_prime_batch, unwatched};
use sunzi_pk::rsa::PrivateKey;

/// The form of a key in an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Standard,
    Crt,
}

/// The form of the keys that a group asks for.
fn form(group: &Members<'_>) -> Result<Form, AcvpError> {
    group.one_of(
        "keyFormat",
        &[("standard", Form::Standard), ("crt", Form::Crt)],
    )
}

/// The members of a key.
fn members(key: PrivateKey, form: Form) -> Option<Answer> {
    let half = key.bits().div_ceil(16) as usize;
    let size = key.public_key().size();
    let jwk = keys::PrivateKey::Rsa(Box::new(key)).to_jwk().ok()?;
    let jwk: RsaNumbers<'_> = serde_json::from_str(&jwk).ok()?;
    let bytes = |text: &str, length: usize| {
        let bytes = Base64UrlUnpadded::decode_vec(text).ok()?;
        Some(Value::Bytes(padded(&bytes, length)?))
    };
    let mut members = vec![
        ("n", bytes(jwk.n, size)?),
        (
            "e",
            Value::Bytes(Base64UrlUnpadded::decode_vec(jwk.e).ok()?),
        ),
        ("p", bytes(jwk.p, half)?),
        ("q", bytes(jwk.q, half)?),
    ];
    match form {
        Form::Standard => members.push(("d", bytes(jwk.d, size)?)),
        Form::Crt => members.extend([
            ("dmp1", bytes(jwk.dp, half)?),
            ("dmq1", bytes(jwk.dq, half)?),
            ("iqmp", bytes(jwk.qi, half)?),
        ]),
    }
    Some(members)
}

/// The longest modulus whose security strength, of 128 bits, the bound on errors of new primes attains (SP 800-57 part 1,
/// table 2).
const MOST_BITS_BY_STRENGTH: u32 = 3072;

/// Answers `keyGen`, the keys of a group by the batch, with e = 65,537.
pub(in super::super) fn key_gen(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut answers = Vec::with_capacity(set.len());
    for group in &set.groups {
        let (members_of_group, count) = (&group.members, group.cases.len());
        let (form, bits) = (form(members_of_group)?, modulo(members_of_group)?);
        check_method(members_of_group, bits)?;
        let engine = context.algorithms.engine();
        let keys = PrivateKey::generate_batch(engine, context.rng, bits, count, &mut unwatched);
        let keys = keys.map_err(|error| members_of_group.refused("modulo", &error))?;
        for (key, case) in keys.into_iter().zip(&group.cases) {
            let members = members(key, form);
            answers.push(members.ok_or_else(|| case.members.failed("the key has no numbers"))?);
        }
    }
    Ok(grouped(set, [], answers))
}

/// Refuses groups that ask for another method.
fn check_method(group: &Members<'_>, bits: u32) -> Result<(), AcvpError> {
    group.one_of("testType", &[("GDT", ())])?;
    group.one_of("randPQ", &[("probable", ())])?;
    if group.flag("infoGeneratedByServer")? {
        return Err(group.unsupported("infoGeneratedByServer", &true, &false));
    }
    group.one_of("pubExp", &[("fixed", ())])?;
    if exponent_text(group)? != [1, 0, 1] {
        let value = group.text("fixedPubExp")?;
        return Err(group.unsupported("fixedPubExp", value, "010001"));
    }
    let by_strength = group.one_of("primeTest", &[("2pow100", false), ("2powSecStr", true)])?;
    if by_strength && bits > MOST_BITS_BY_STRENGTH {
        return Err(group.unsupported("primeTest", "2powSecStr", "with this modulo 2pow100"));
    }
    for name in ["pMod8", "qMod8"] {
        if group.has(name) && group.number(name)? != 0 {
            return Err(group.unsupported(name, &group.number(name)?, &0));
        }
    }
    Ok(())
}

/// The public exponent that a group prescribes, without leading zeros.
fn exponent_text(group: &Members<'_>) -> Result<Vec<u8>, AcvpError> {
    let bytes = group.hex("fixedPubExp")?;
    Ok(bytes.into_iter().skip_while(|byte| *byte == 0).collect())
}

/// Whether keys of others are keys: p and q are primes, and the other numbers are theirs.
pub(in super::super) fn check_keys(
    context: &mut Context<'_>,
    claims: &[Claim<'_, '_>],
) -> Result<Vec<Difference>, AcvpError> {
    let mut differences = Vec::new();
    let mut primes = Vec::with_capacity(2 * claims.len());
    for claim in claims {
        let answer = claim.answer;
        let form = form(&claim.group.members)?;
        let [p, q] = [number_of(answer, "p")?, number_of(answer, "q")?];
        let key = PrivateKey::from_primes(exponent(answer)?, &p, &q);
        let key = key.map_err(|error| answer.refused("p", &error))?;
        if key.bits() != modulo(&claim.group.members)? {
            differences.push(Difference::new(claim.place(), "n", "has another length"));
        }
        let own = members(key, form).ok_or_else(|| answer.failed("the key has no numbers"))?;
        for (name, value) in own {
            let Value::Bytes(bytes) = value else { continue };
            if padded(&answer.hex(name)?, bytes.len()) != padded(&bytes, bytes.len()) {
                let reason = "is not that of p, q and e";
                differences.push(Difference::new(claim.place(), name, reason));
            }
        }
        primes.extend([p, q]);
    }
    let verdicts = is_prime_batch(context.algorithms.engine(), context.rng, &primes);
    let of_primes = claims.iter().flat_map(|claim| [(claim, "p"), (claim, "q")]);
    for ((claim, name), verdict) in of_primes.zip(verdicts) {
        if !verdict.map_err(|error| claim.answer.failed(&error))? {
            differences.push(Difference::new(claim.place(), name, "is not prime"));
        }
    }
    Ok(differences)
}
