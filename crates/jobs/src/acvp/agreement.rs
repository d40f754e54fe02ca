//! Shared secrets by ECC CDH (SP 800-56A, revision 3, section 5.7.1.2), and the schemes around it, as far as they have no
//! MQV (section 6).

use super::answer::{Answer, GroupAnswer, Value, grouped, passed};
use super::context::{Context, padded};
use super::ecdsa::{coordinates, private_key, public_key};
use super::error::AcvpError;
use super::names::curve;
use super::set::{Members, VectorSet};
use sunzi_pk::ec::ecdh::{AgreeRequest, AgreementKey, agree_batch};
use sunzi_pk::ec::{PreparedCurve, PrivateKey, PublicKey};

/// Names of the members that have keys of one kind.
struct Names {
    /// Our private key.
    private: &'static str,
    /// The coordinates of our public key.
    public: [&'static str; 2],
    /// The coordinates of the server's public key.
    server: [&'static str; 2],
}

const STATIC: Names = Names {
    private: "staticPrivateIut",
    public: ["staticPublicIutX", "staticPublicIutY"],
    server: ["staticPublicServerX", "staticPublicServerY"],
};

const EPHEMERAL: Names = Names {
    private: "ephemeralPrivateIut",
    public: ["ephemeralPublicIutX", "ephemeralPublicIutY"],
    server: ["ephemeralPublicServerX", "ephemeralPublicServerY"],
};

const COMPONENT: Names = Names {
    private: "privateIut",
    public: ["publicIutX", "publicIutY"],
    server: ["publicServerX", "publicServerY"],
};

/// The keys that a scheme multiplies, ours and the server's, in the order in which the secrets are joined.
type Plan = &'static [(&'static Names, &'static Names)];

/// Schemes with the plans of initiator and responder.
const SCHEMES: [(&str, [Plan; 2]); 5] = [
    (
        "ephemeralUnified",
        [&[(&EPHEMERAL, &EPHEMERAL)], &[(&EPHEMERAL, &EPHEMERAL)]],
    ),
    (
        "fullUnified",
        [
            &[(&EPHEMERAL, &EPHEMERAL), (&STATIC, &STATIC)],
            &[(&EPHEMERAL, &EPHEMERAL), (&STATIC, &STATIC)],
        ],
    ),
    (
        "onePassUnified",
        [
            &[(&EPHEMERAL, &STATIC), (&STATIC, &STATIC)],
            &[(&STATIC, &EPHEMERAL), (&STATIC, &STATIC)],
        ],
    ),
    (
        "onePassDh",
        [&[(&EPHEMERAL, &STATIC)], &[(&STATIC, &EPHEMERAL)]],
    ),
    (
        "staticUnified",
        [&[(&STATIC, &STATIC)], &[(&STATIC, &STATIC)]],
    ),
];

/// A case whose secrets are to be computed.
struct Exchange {
    /// Members of the answer before the secret: our public keys.
    members: Answer,
    /// A private key of ours and a public key of the server for each secret; none if a key is refused, which a test may
    /// ask for.
    pairs: Option<Vec<(AgreementKey, PublicKey)>>,
}

/// The server's public key.
fn server_key(
    curve: &PreparedCurve,
    case: &Members<'_>,
    names: [&'static str; 2],
) -> Result<Option<PublicKey>, AcvpError> {
    let [x, y] = [case.hex(names[0])?, case.hex(names[1])?];
    Ok(public_key(curve.curve(), &x, &y))
}

/// The secret of each exchange, a batch of all; none where a key was refused.
fn secrets(
    context: &Context<'_>,
    set: &VectorSet<'_>,
    exchanges: &[Exchange],
) -> Result<Vec<Option<Vec<u8>>>, AcvpError> {
    let pairs = exchanges
        .iter()
        .flat_map(|exchange| exchange.pairs.iter().flatten());
    let requests = pairs.map(|(key, peer)| AgreeRequest { key, peer });
    let requests: Vec<_> = requests.collect();
    let mut secrets = agree_batch(context.engine(), &requests).into_iter();
    let joined = exchanges
        .iter()
        .zip(set.cases())
        .map(|(exchange, (_, case))| {
            let Some(pairs) = &exchange.pairs else {
                return Ok(None);
            };
            let mut joined = Vec::new();
            for _ in pairs {
                let secret = secrets
                    .next()
                    .ok_or_else(|| case.members.failed("it is missing"))?;
                let secret = secret.map_err(|error| case.members.failed(&error))?;
                joined.extend_from_slice(secret.as_bytes());
            }
            Ok(Some(joined))
        });
    joined.collect()
}

/// The exchange of a case in which we choose our keys, unless the file gives them.
fn answered(
    context: &mut Context<'_>,
    curve: &PreparedCurve,
    case: &Members<'_>,
    plan: Plan,
) -> Result<Exchange, AcvpError> {
    let mut own: Vec<(&'static str, PrivateKey)> = Vec::new();
    let mut members = Vec::new();
    let mut pairs = Vec::new();
    for (ours, theirs) in plan {
        let known = own.iter().find(|(name, _)| *name == ours.private);
        let key = if let Some((_, key)) = known {
            key.clone()
        } else {
            let key = match context.given_key(case, ours.private)? {
                Some(bytes) => private_key(curve, case, ours.private, &bytes)?,
                None => {
                    PrivateKey::generate(curve, context.rng).map_err(|error| case.failed(&error))?
                }
            };
            members.extend(coordinates(key.public_key(), ours.public));
            own.push((ours.private, key.clone()));
            key
        };
        let key = AgreementKey::new(curve, &key).map_err(|error| case.failed(&error))?;
        let peer = server_key(curve, case, theirs.server)?;
        let peer =
            peer.ok_or_else(|| case.refused(theirs.server[0], "it is no point of the curve"))?;
        pairs.push((key, peer));
    }
    let pairs = Some(pairs);
    Ok(Exchange { members, pairs })
}

/// The exchange of a case with given keys of both sides, which may be wrong.
fn given(curve: &PreparedCurve, case: &Members<'_>, plan: Plan) -> Result<Exchange, AcvpError> {
    let mut pairs = Some(Vec::new());
    for (ours, theirs) in plan {
        let key = private_key(curve, case, ours.private, &case.hex(ours.private)?)?;
        let own = server_key(curve, case, ours.public)?;
        let peer = server_key(curve, case, theirs.server)?;
        let agreement = AgreementKey::new(curve, &key).map_err(|error| case.failed(&error))?;
        match (&mut pairs, peer) {
            (Some(pairs), Some(peer)) if own.as_ref() == Some(key.public_key()) => {
                pairs.push((agreement, peer));
            }
            _ => pairs = None,
        }
    }
    let members = Vec::new();
    Ok(Exchange { members, pairs })
}

/// The answer with our public keys and the secret.
fn with_secret(mut members: Answer, secret: Option<Vec<u8>>) -> Answer {
    members.extend(secret.map(|secret| ("z", Value::Bytes(secret))));
    members
}

/// Answers the component test of ECC CDH.
pub(super) fn cdh_component(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    const PLAN: Plan = &[(&COMPONENT, &COMPONENT)];
    let mut exchanges = Vec::with_capacity(set.len());
    for (group, case) in set.cases() {
        let curve = curve(context, &group.members, "curve")?;
        exchanges.push(answered(context, &curve, &case.members, PLAN)?);
    }
    let secrets = secrets(context, set, &exchanges)?;
    let answers = exchanges.into_iter().zip(secrets);
    let answers = answers.map(|(exchange, secret)| with_secret(exchange.members, secret));
    Ok(grouped(set, [], answers))
}

/// Answers computations of shared secrets: with keys of our choice (`AFT`), or whether a given secret is right (`VAL`).
pub(super) fn shared_secret(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut exchanges = Vec::with_capacity(set.len());
    let mut claimed = Vec::with_capacity(set.len());
    for group in &set.groups {
        let members = &group.members;
        let curve = curve(context, members, "domainParameterGenerationMode")?;
        let [initiator, responder] = members.one_of("scheme", &SCHEMES)?;
        let roles = [("initiator", initiator), ("responder", responder)];
        let plan = members.one_of("kasRole", &roles)?;
        members.only("hashFunctionZ", "none")?;
        let is_validated = members.one_of("testType", &[("AFT", false), ("VAL", true)])?;
        for case in &group.cases {
            let case = &case.members;
            if is_validated {
                exchanges.push(given(&curve, case, plan)?);
                claimed.push(Some(case.hex("z")?));
            } else {
                exchanges.push(answered(context, &curve, case, plan)?);
                claimed.push(None);
            }
        }
    }
    let secrets = secrets(context, set, &exchanges)?;
    let answers = exchanges.into_iter().zip(secrets).zip(claimed);
    let answers = answers.map(|((exchange, secret), claimed)| match claimed {
        None => with_secret(exchange.members, secret),
        Some(z) => passed(
            secret.is_some_and(|secret| padded(&z, secret.len()).is_some_and(|z| z == secret)),
        ),
    });
    Ok(grouped(set, [], answers))
}
