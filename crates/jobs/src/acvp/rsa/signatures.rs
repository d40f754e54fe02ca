//! Signatures by PKCS#1 v1.5 and PSS (FIPS 186-5, section 5.4).

use super::super::answer::{GroupAnswer, Value, grouped, passed};
use super::super::check::{Claim, Difference, NO_SIGNATURE, refuted};
use super::super::context::{Context, verdicts};
use super::super::error::AcvpError;
use super::super::names::hash;
use super::super::set::{Members, VectorSet};
use super::{check_modulus, modulo, public_key, public_members};
use std::collections::BTreeMap;
use sunzi_pk::primes::unwatched;
use sunzi_pk::rsa::{
    PrivateKey, SaltLen, Scheme, SignRequest, SigningKey, VerifyError, VerifyRequest, VerifyingKey,
    sign_batch, verify_batch,
};
use sunzi_pk::{Digest, Hash};

/// The scheme and the hash function of a group.
fn scheme(group: &Members<'_>) -> Result<(Scheme, Hash), AcvpError> {
    group.without("conformance")?;
    let hash = hash(group)?;
    let is_pss = group.one_of("sigType", &[("pkcs1v1.5", false), ("pss", true)])?;
    if !is_pss {
        return Ok((Scheme::Pkcs1v15, hash));
    }
    group.only("maskFunction", "mgf1")?;
    let bytes = group.number("saltLen")?;
    // Section 5.4, item (g): a salt is no longer than the digest.
    if bytes > hash.digest_len() as u64 {
        let reason = format!(
            "a salt has at most the {} bytes of the digest",
            hash.digest_len()
        );
        return Err(group.refused("saltLen", &reason));
    }
    Ok((Scheme::pss(SaltLen::Bytes(bytes as usize)), hash))
}

/// Answers `sigGen`, a batch of all groups, with a new key for each length.
pub(in super::super) fn sig_gen(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut keys: BTreeMap<u32, SigningKey> = BTreeMap::new();
    let mut schemes = Vec::with_capacity(set.groups.len());
    let mut messages = Vec::with_capacity(set.len());
    for group in &set.groups {
        let (scheme, hash) = scheme(&group.members)?;
        schemes.push((scheme, hash, modulo(&group.members)?));
        for case in &group.cases {
            messages.push(hash.digest(&case.members.hex("message")?));
        }
    }
    let engine = context.algorithms.engine();
    for (group, (.., bits)) in set.groups.iter().zip(&schemes) {
        if !keys.contains_key(bits) {
            let refused = |error| group.members.refused("modulo", &error);
            let made = PrivateKey::generate_batch(engine, context.rng, *bits, 1, &mut unwatched);
            let key = made.map_err(refused)?.pop();
            let key = key.ok_or_else(|| group.members.failed("no key was made"))?;
            keys.insert(*bits, SigningKey::new(engine, &key).map_err(refused)?);
        }
    }
    let of_cases = set.groups.iter().zip(&schemes);
    let of_cases = of_cases.flat_map(|(group, scheme)| group.cases.iter().map(move |_| scheme));
    let requests = of_cases
        .zip(&messages)
        .map(|((scheme, _, bits), digest)| SignRequest {
            key: &keys[bits],
            scheme: *scheme,
            digest: *digest,
        });
    let requests: Vec<_> = requests.collect();
    let signatures = sign_batch(engine, &mut *context.rng, &requests);
    let answers = set.cases().zip(signatures).map(|((_, case), signature)| {
        let signature = signature.map_err(|error| case.members.failed(&error))?;
        Ok(vec![("signature", Value::Bytes(signature))])
    });
    let answers: Vec<_> = answers.collect::<Result<_, _>>()?;
    let members = schemes
        .iter()
        .map(|(.., bits)| public_members(keys[bits].public_key()));
    Ok(grouped(set, members, answers))
}

/// A signature to be verified.
struct Asked {
    key: VerifyingKey,
    scheme: Scheme,
    digest: Digest,
    signature: Vec<u8>,
}

/// Whether each signature is valid.
fn verified(
    context: &Context<'_>,
    asked: &[(&Members<'_>, Option<Asked>)],
) -> Result<Vec<bool>, AcvpError> {
    let verify = |asked: &[&Asked]| {
        let requests = asked.iter().map(|asked| VerifyRequest {
            key: &asked.key,
            scheme: asked.scheme,
            digest: asked.digest,
            signature: &asked.signature,
        });
        verify_batch(context.engine(), &requests.collect::<Vec<_>>())
    };
    verdicts(asked, verify, |error| {
        matches!(error, VerifyError::Engine(_))
    })
}

/// The key of a group's signatures, which these members have.
fn verifying_key(
    context: &Context<'_>,
    group: &Members<'_>,
    members: &Members<'_>,
) -> Result<VerifyingKey, AcvpError> {
    let key = public_key(members)?;
    check_modulus(group, &key, members)?;
    VerifyingKey::new(context.engine(), &key).map_err(|error| members.refused("n", &error))
}

/// Answers `sigVer`, a batch of all groups.
pub(in super::super) fn sig_ver(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut all = Vec::with_capacity(set.len());
    for group in &set.groups {
        let (scheme, hash) = scheme(&group.members)?;
        let key = verifying_key(context, &group.members, &group.members)?;
        for case in &group.cases {
            let asked = Asked {
                key: key.clone(),
                scheme,
                digest: hash.digest(&case.members.hex("message")?),
                signature: case.members.hex("signature")?,
            };
            all.push((&case.members, Some(asked)));
        }
    }
    let verdicts = verified(context, &all)?;
    Ok(grouped(set, [], verdicts.into_iter().map(passed)))
}

/// Whether signatures of others are valid, by the keys that they came with.
pub(in super::super) fn check_signatures(
    context: &mut Context<'_>,
    claims: &[Claim<'_, '_>],
) -> Result<Vec<Difference>, AcvpError> {
    let mut keys: BTreeMap<u64, VerifyingKey> = BTreeMap::new();
    let mut all = Vec::with_capacity(claims.len());
    for claim in claims {
        let group = &claim.group.members;
        let (scheme, hash) = scheme(group)?;
        let key = match keys.get(&claim.group.id) {
            Some(key) => key.clone(),
            None => verifying_key(context, group, claim.shared)?,
        };
        keys.insert(claim.group.id, key.clone());
        let asked = Asked {
            key,
            scheme,
            digest: hash.digest(&claim.case.members.hex("message")?),
            signature: claim.answer.hex("signature")?,
        };
        all.push((claim.answer, Some(asked)));
    }
    let verdicts = verified(context, &all)?;
    Ok(refuted(claims, verdicts, "signature", NO_SIGNATURE))
}
