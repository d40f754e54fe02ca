//! ECDSA (FIPS 186-5, section 6): keys and signatures.

use super::answer::{Answer, GroupAnswer, Value, grouped, passed};
use super::check::{Claim, Difference, NO_SIGNATURE, refuted};
use super::context::{Context, padded, verdicts};
use super::error::AcvpError;
use super::names::{curve, hash};
use super::set::{Members, VectorSet};
use sunzi_pk::Digest;
use sunzi_pk::ec::ecdsa::{
    Encoding, NonceKind, SRange, SignRequest, SigningKey, VerifyError, VerifyRequest, VerifyingKey,
    sign_batch, verify_batch,
};
use sunzi_pk::ec::{Curve, PreparedCurve, PrivateKey, PublicKey};

/// The public key with these coordinates, if it is one.
pub(super) fn public_key(curve: &Curve, x: &[u8], y: &[u8]) -> Option<PublicKey> {
    let bytes = curve.bits().div_ceil(8) as usize;
    let point = [&[4], &*padded(x, bytes)?, &*padded(y, bytes)?].concat();
    PublicKey::from_sec1_bytes(curve, &point).ok()
}

/// The two members that are the coordinates of a public key.
pub(super) fn coordinates(key: &PublicKey, names: [&'static str; 2]) -> Answer {
    let point = key.to_sec1_bytes(false);
    let (x, y) = point[1..].split_at(point.len() / 2);
    vec![
        (names[0], Value::Bytes(x.to_vec())),
        (names[1], Value::Bytes(y.to_vec())),
    ]
}

/// The private key that these bytes are.
pub(super) fn private_key(
    curve: &PreparedCurve,
    members: &Members<'_>,
    member: &'static str,
    bytes: &[u8],
) -> Result<PrivateKey, AcvpError> {
    let padded = padded(bytes, curve.curve().order_bytes());
    let key = PrivateKey::from_bytes(curve, padded.as_deref().unwrap_or(bytes));
    key.map_err(|error| members.refused(member, &error))
}

/// Answers `keyGen`. Keys are drawn by rejection (FIPS 186-5, section A.2.2), one at a time, and tested.
pub(super) fn key_gen(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut answers = Vec::with_capacity(set.len());
    for group in &set.groups {
        let members = &group.members;
        let curve = curve(context, members, "curve")?;
        members.one_of("secretGenerationMode", &[("testing candidates", ())])?;
        for case in &group.cases {
            let key = PrivateKey::generate(&curve, context.rng);
            let key = key.map_err(|error| case.members.failed(&error))?;
            let mut answer = vec![("d", Value::Bytes(key.to_bytes().to_vec()))];
            answer.extend(coordinates(key.public_key(), ["qx", "qy"]));
            answers.push(answer);
        }
    }
    Ok(grouped(set, [], answers))
}

/// Whether keys of others belong together: (qx, qy) is d G.
pub(super) fn check_keys(
    context: &mut Context<'_>,
    claims: &[Claim<'_, '_>],
) -> Result<Vec<Difference>, AcvpError> {
    let mut differences = Vec::new();
    for claim in claims {
        let curve = curve(context, &claim.group.members, "curve")?;
        let answer = claim.answer;
        let [x, y] = [answer.hex("qx")?, answer.hex("qy")?];
        let private = private_key(&curve, answer, "d", &answer.hex("d")?)?;
        if public_key(curve.curve(), &x, &y).as_ref() != Some(private.public_key()) {
            differences.push(Difference::new(claim.place(), "qx, qy", "is not d times G"));
        }
    }
    Ok(differences)
}

/// Answers `keyVer`: whether coordinates are those of a point of the curve, which has no other subgroup (SP 800-56A,
/// revision 3, section 5.6.2.3.3).
pub(super) fn key_ver(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut answers = Vec::with_capacity(set.len());
    for group in &set.groups {
        let curve = curve(context, &group.members, "curve")?;
        for case in &group.cases {
            let [x, y] = [case.members.hex("qx")?, case.members.hex("qy")?];
            answers.push(passed(public_key(curve.curve(), &x, &y).is_some()));
        }
    }
    Ok(grouped(set, [], answers))
}

/// The digest of a case's message; with `componentTest` the message is the digest.
fn digest(group: &Members<'_>, case: &Members<'_>) -> Result<Digest, AcvpError> {
    group.without("conformance")?;
    let (hash, message) = (hash(group)?, case.hex("message")?);
    if group.flag("componentTest")? {
        return Digest::new(hash, &message).map_err(|error| case.refused("message", &error));
    }
    Ok(hash.digest(&message))
}

/// Answers `sigGen` with hedged nonces.
pub(super) fn sig_gen(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    signatures(context, set, NonceKind::Hedged)
}

/// Answers `sigGen` of deterministic ECDSA (FIPS 186-5, section A.3.3).
pub(super) fn deterministic_sig_gen(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    signatures(context, set, NonceKind::Deterministic)
}

/// Signatures of all messages, a batch of all groups. Each group has the key that the file gives, or a new one.
fn signatures(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
    nonces: NonceKind,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut keys = Vec::with_capacity(set.groups.len());
    let mut digests = Vec::with_capacity(set.len());
    for (place, group) in set.groups.iter().enumerate() {
        let members = &group.members;
        let curve = curve(context, members, "curve")?;
        let key = match context.given_key(members, "d")? {
            Some(d) => private_key(&curve, members, "d", &d)?,
            None => {
                PrivateKey::generate(&curve, context.rng).map_err(|error| members.failed(&error))?
            }
        };
        keys.push(SigningKey::new(&curve, &key).map_err(|error| members.failed(&error))?);
        for case in &group.cases {
            digests.push((place, digest(members, &case.members)?));
        }
    }
    let requests = digests.iter().map(|&(place, digest)| SignRequest {
        key: &keys[place],
        digest,
    });
    let requests: Vec<_> = requests.collect();
    let signatures = sign_batch(context.engine(), &mut *context.rng, nonces, &requests);
    let answers = set.cases().zip(signatures).map(|((_, case), signature)| {
        let signature = signature.map_err(|error| case.members.failed(&error))?;
        let bytes = signature.to_bytes(Encoding::Raw);
        let (r, s) = bytes.split_at(bytes.len() / 2);
        Ok(vec![
            ("r", Value::Bytes(r.to_vec())),
            ("s", Value::Bytes(s.to_vec())),
        ])
    });
    let answers: Vec<_> = answers.collect::<Result<_, _>>()?;
    let members = keys
        .iter()
        .map(|key| coordinates(key.public_key(), ["qx", "qy"]));
    Ok(grouped(set, members, answers))
}

/// A signature to be verified.
struct Asked {
    key: VerifyingKey,
    digest: Digest,
    signature: Vec<u8>,
}

/// The signature in these members, by the key in those; none if the key is none, or r or s is too long.
fn asked(
    curve: &PreparedCurve,
    digest: Digest,
    key: &Members<'_>,
    signature: &Members<'_>,
) -> Result<Option<Asked>, AcvpError> {
    let [x, y] = [key.hex("qx")?, key.hex("qy")?];
    let [r, s] = [signature.hex("r")?, signature.hex("s")?];
    let bytes = curve.curve().order_bytes();
    let numbers = padded(&r, bytes).zip(padded(&s, bytes));
    let Some((public, (r, s))) = public_key(curve.curve(), &x, &y).zip(numbers) else {
        return Ok(None);
    };
    let key = VerifyingKey::new(curve, &public).map_err(|error| key.failed(&error))?;
    Ok(Some(Asked {
        key,
        digest,
        signature: [r, s].concat(),
    }))
}

/// Whether each signature is valid.
fn verified(
    context: &Context<'_>,
    asked: &[(&Members<'_>, Option<Asked>)],
) -> Result<Vec<bool>, AcvpError> {
    let verify = |asked: &[&Asked]| {
        let requests = asked.iter().map(|asked| VerifyRequest {
            key: &asked.key,
            digest: asked.digest,
            encoding: Encoding::Raw,
            s: SRange::Any,
            signature: &asked.signature,
        });
        verify_batch(context.engine(), &requests.collect::<Vec<_>>())
    };
    verdicts(asked, verify, |error| {
        matches!(error, VerifyError::Engine(_))
    })
}

/// Answers `sigVer`, a batch of all groups.
pub(super) fn sig_ver(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut all = Vec::with_capacity(set.len());
    for group in &set.groups {
        let curve = curve(context, &group.members, "curve")?;
        for case in &group.cases {
            let members = &case.members;
            let digest = digest(&group.members, members)?;
            all.push((members, asked(&curve, digest, members, members)?));
        }
    }
    let verdicts = verified(context, &all)?;
    Ok(grouped(set, [], verdicts.into_iter().map(passed)))
}

/// Whether signatures of others are valid, by the keys that they came with.
pub(super) fn check_signatures(
    context: &mut Context<'_>,
    claims: &[Claim<'_, '_>],
) -> Result<Vec<Difference>, AcvpError> {
    let mut all = Vec::with_capacity(claims.len());
    for claim in claims {
        let group = &claim.group.members;
        let curve = curve(context, group, "curve")?;
        let digest = digest(group, &claim.case.members)?;
        all.push((
            claim.answer,
            asked(&curve, digest, claim.shared, claim.answer)?,
        ));
    }
    let verdicts = verified(context, &all)?;
    Ok(refuted(claims, verdicts, "r, s", NO_SIGNATURE))
}
