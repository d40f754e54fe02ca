//! `EdDSA` (FIPS 186-5, section 7): keys and signatures.

use super::answer::{GroupAnswer, Value, grouped, passed};
use super::check::{Claim, Difference, NO_SIGNATURE, refuted};
use super::context::{Context, verdicts};
use super::error::AcvpError;
use super::names::edwards;
use super::set::{Members, VectorSet};
use sunzi_pk::ec::eddsa::{
    KeyError, MAX_CONTEXT_BYTES, NonceKind, PrivateKey, PublicKey, Rule, SignRequest, SigningKey,
    Variant, VerifyError, VerifyRequest, VerifyingKey, sign_batch, verify_batch_by,
};
use sunzi_pk::ec::{EdwardsCurve, PreparedEdwardsCurve};

/// Answers `keyGen`: keys one at a time, each tested.
pub(super) fn key_gen(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut answers = Vec::with_capacity(set.len());
    for group in &set.groups {
        let curve = edwards(context, &group.members)?;
        for case in &group.cases {
            let key = PrivateKey::generate(&curve, context.rng);
            let key = key.map_err(|error| case.members.failed(&error))?;
            answers.push(vec![
                ("d", Value::Bytes(key.as_bytes().to_vec())),
                ("q", Value::Bytes(key.public_key().as_bytes().to_vec())),
            ]);
        }
    }
    Ok(grouped(set, [], answers))
}

/// Whether keys of others belong together.
pub(super) fn check_keys(
    context: &mut Context<'_>,
    claims: &[Claim<'_, '_>],
) -> Result<Vec<Difference>, AcvpError> {
    let mut differences = Vec::new();
    for claim in claims {
        let curve = edwards(context, &claim.group.members)?;
        let answer = claim.answer;
        let private = PrivateKey::from_bytes(&curve, &answer.hex("d")?);
        let private = private.map_err(|error| answer.refused("d", &error))?;
        if private.public_key().as_bytes() != answer.hex("q")? {
            differences.push(Difference::new(
                claim.place(),
                "q",
                "is not the public key of d",
            ));
        }
    }
    Ok(differences)
}

/// Whether an encoding has y below p, and no sign where x is 0, as sections 7.2 and 7.3 demand. Those of Ed448 that
/// have not are refused in decoding.
fn is_canonical(key: &PublicKey) -> bool {
    /// p - 1, whose x is 0, as the 1 is.
    const LAST: [u8; 32] = {
        let mut last = [0xff; 32];
        last[0] = 0xec;
        last[31] = 0x7f;
        last
    };
    const ONE: [u8; 32] = {
        let mut one = [0; 32];
        one[0] = 1;
        one
    };
    let Ok(mut y) = <[u8; 32]>::try_from(key.as_bytes()) else {
        return true;
    };
    let is_negative = y[31] & 0x80 != 0;
    y[31] &= 0x7f;
    let is_below = y.iter().rev().le(LAST.iter().rev());
    is_below && !(is_negative && (y == ONE || y == LAST))
}

/// The keys of these encodings, prepared together; none for encodings that are no points.
fn prepared(
    context: &Context<'_>,
    keys: &[(&Members<'_>, PreparedEdwardsCurve, Vec<u8>)],
) -> Result<Vec<Option<VerifyingKey>>, AcvpError> {
    let keys = keys.iter().map(|(members, curve, bytes)| {
        let key = PublicKey::from_bytes(curve.curve(), bytes).ok();
        (members, curve, key.filter(is_canonical))
    });
    let keys: Vec<_> = keys.collect();
    let possible = keys
        .iter()
        .filter_map(|(_, curve, key)| Some((*curve, key.as_ref()?)));
    let possible: Vec<_> = possible.collect();
    let mut answers = VerifyingKey::prepare_batch(context.engine(), &possible).into_iter();
    let answer = |(members, _, key): &(&&Members<'_>, _, Option<PublicKey>)| {
        if key.is_none() {
            return Ok(None);
        }
        match answers.next() {
            Some(Ok(key)) => Ok(Some(key)),
            Some(Err(KeyError::NoPoint(_))) => Ok(None),
            Some(Err(error)) => Err(members.failed(&error)),
            None => Err(members.failed("it is missing")),
        }
    };
    keys.iter().map(answer).collect()
}

/// Answers `keyVer`: whether encodings are those of points, a batch of all groups.
pub(super) fn key_ver(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut keys = Vec::with_capacity(set.len());
    for (group, case) in set.cases() {
        let curve = edwards(context, &group.members)?;
        keys.push((&case.members, curve, case.members.hex("q")?));
    }
    let keys = prepared(context, &keys)?;
    Ok(grouped(
        set,
        [],
        keys.iter().map(|key| passed(key.is_some())),
    ))
}

/// The context of a case, which may be there where the signature has one.
fn signature_context(group: &Members<'_>, case: &Members<'_>) -> Result<Vec<u8>, AcvpError> {
    let mut bytes = Vec::new();
    for members in [group, case] {
        if members.has("context") {
            bytes = members.hex("context")?;
        }
    }
    if bytes.len() > MAX_CONTEXT_BYTES {
        let reason = format!(
            "it has {} bytes, of at most {MAX_CONTEXT_BYTES}",
            bytes.len()
        );
        return Err(case.refused("context", &reason));
    }
    if case.has("contextLength") && case.number("contextLength")? != bytes.len() as u64 {
        return Err(case.refused("contextLength", "it is not the length of the context"));
    }
    Ok(bytes)
}

/// The variant of signatures with this context.
fn variant<'c>(
    curve: EdwardsCurve,
    group: &Members<'_>,
    case: &Members<'_>,
    context: &'c [u8],
) -> Result<Variant<'c>, AcvpError> {
    Ok(match (group.flag("preHash")?, curve) {
        (true, _) => Variant::Prehashed(context),
        (false, EdwardsCurve::Edwards25519) if context.is_empty() => Variant::Pure,
        (false, EdwardsCurve::Edwards25519) => {
            return Err(case.refused("context", "FIPS 186-5 has Ed25519 without a context"));
        }
        (false, _) => Variant::Context(context),
    })
}

/// Answers `sigGen`, a batch of all groups. Each group has the key that the file gives, or a new one.
pub(super) fn sig_gen(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut keys = Vec::with_capacity(set.groups.len());
    for group in &set.groups {
        let members = &group.members;
        let curve = edwards(context, members)?;
        let key =
            match context.given_key(members, "d")? {
                Some(d) => PrivateKey::from_bytes(&curve, &d)
                    .map_err(|error| members.refused("d", &error))?,
                None => PrivateKey::generate(&curve, context.rng)
                    .map_err(|error| members.failed(&error))?,
            };
        keys.push(SigningKey::new(&curve, &key).map_err(|error| members.failed(&error))?);
    }
    let mut messages = Vec::with_capacity(set.len());
    for (group, key) in set.groups.iter().zip(&keys) {
        for case in &group.cases {
            let bytes = signature_context(&group.members, &case.members)?;
            messages.push((group, case, key, bytes, case.members.hex("message")?));
        }
    }
    let requests = messages.iter().map(|(group, case, key, bytes, message)| {
        let curve = key.public_key().curve();
        Ok(SignRequest {
            key,
            variant: variant(curve, &group.members, &case.members, bytes)?,
            message,
        })
    });
    let requests: Vec<_> = requests.collect::<Result<_, _>>()?;
    let nonces = NonceKind::Deterministic;
    let signatures = sign_batch(context.engine(), &mut *context.rng, nonces, &requests);
    let answers = set.cases().zip(signatures).map(|((_, case), signature)| {
        let signature = signature.map_err(|error| case.members.failed(&error))?;
        Ok(vec![(
            "signature",
            Value::Bytes(signature.as_bytes().to_vec()),
        )])
    });
    let answers: Vec<_> = answers.collect::<Result<_, _>>()?;
    let members = keys.iter().map(|key| {
        let bytes = key.public_key().as_bytes().to_vec();
        vec![("q", Value::Bytes(bytes))]
    });
    Ok(grouped(set, members, answers))
}

/// A signature to be verified: group and case, the members with the key and with the signature.
type Claimed<'m> = [&'m Members<'m>; 4];

/// Whether each signature is valid, by the equation with cofactor (section 7.8.2).
fn verified(context: &mut Context<'_>, claimed: &[Claimed<'_>]) -> Result<Vec<bool>, AcvpError> {
    struct Asked<'c> {
        key: VerifyingKey,
        variant: Variant<'c>,
        message: Vec<u8>,
        signature: Vec<u8>,
    }
    let keys = claimed.iter().map(|[group, _, key, _]| {
        let curve = edwards(context, group)?;
        Ok((*key, curve, key.hex("q")?))
    });
    let keys: Vec<_> = keys.collect::<Result<_, AcvpError>>()?;
    let keys = prepared(context, &keys)?;
    let contexts = claimed
        .iter()
        .map(|[group, case, ..]| signature_context(group, case));
    let contexts: Vec<_> = contexts.collect::<Result<_, _>>()?;
    let asked = claimed.iter().zip(keys).zip(&contexts);
    let asked = asked.map(|(([group, case, _, answer], key), bytes)| {
        let message = case.hex("message")?;
        let signature = answer.hex("signature")?;
        let asked = match key {
            None => None,
            Some(key) => Some(Asked {
                variant: variant(key.public_key().curve(), group, case, bytes)?,
                key,
                message,
                signature,
            }),
        };
        Ok((*case, asked))
    });
    let asked: Vec<_> = asked.collect::<Result<_, AcvpError>>()?;
    let (engine, rng) = (context.algorithms.engine(), &mut *context.rng);
    let verify = |asked: &[&Asked<'_>]| {
        let requests = asked.iter().map(|asked| VerifyRequest {
            key: &asked.key,
            variant: asked.variant,
            message: &asked.message,
            signature: &asked.signature,
        });
        verify_batch_by(engine, rng, Rule::Cofactored, &requests.collect::<Vec<_>>())
    };
    verdicts(&asked, verify, |error| {
        matches!(error, VerifyError::Engine(_))
    })
}

/// Answers `sigVer`, a batch of all groups.
pub(super) fn sig_ver(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let cases = set.cases();
    let claimed = cases.map(|(group, case)| {
        let case = &case.members;
        [&group.members, case, case, case]
    });
    let verdicts = verified(context, &claimed.collect::<Vec<_>>())?;
    Ok(grouped(set, [], verdicts.into_iter().map(passed)))
}

/// Whether signatures of others are valid, by the keys that they came with.
pub(super) fn check_signatures(
    context: &mut Context<'_>,
    claims: &[Claim<'_, '_>],
) -> Result<Vec<Difference>, AcvpError> {
    let claimed = claims.iter().map(|claim| {
        let (group, case) = (&claim.group.members, &claim.case.members);
        [group, case, claim.shared, claim.answer]
    });
    let verdicts = verified(context, &claimed.collect::<Vec<_>>())?;
    Ok(refuted(claims, verdicts, "signature", NO_SIGNATURE))
}
