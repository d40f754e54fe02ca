//! Keys in groups of safe primes (SP 800-56A, revision 3, section 5.6.1.1 and appendix D).

use super::answer::{GroupAnswer, Value, grouped, passed};
use super::check::{Claim, Difference, refuted};
use super::context::{Context, padded};
use super::error::AcvpError;
use super::set::{Members, VectorSet};
use crypto_bigint::BoxedUint;
use sunzi_pk::ffc::{Group, PreparedGroup, power_batch};
use zeroize::Zeroizing;

const GROUPS: [(&str, &str); 4] = [
    ("MODP-3072", "modp3072"),
    ("MODP-4096", "modp4096"),
    ("ffdhe3072", "ffdhe3072"),
    ("ffdhe4096", "ffdhe4096"),
];

/// The group that a test group names.
fn prepared(context: &Context<'_>, group: &Members<'_>) -> Result<PreparedGroup, AcvpError> {
    let name = group.one_of("safePrimeGroup", &GROUPS)?;
    let numbers = Group::named(name).ok_or_else(|| group.failed("the group has no numbers"))?;
    PreparedGroup::new(context.engine(), &numbers).map_err(|error| group.failed(&error))
}

/// Answers `keyGen`: private keys drawn by rejection (section 5.6.1.1.4), and their powers, a batch for each group.
pub(super) fn key_gen(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut answers = Vec::with_capacity(set.len());
    for group in &set.groups {
        let prepared = prepared(context, &group.members)?;
        let draw = |_| prepared.group().random_exponent(&mut *context.rng);
        let xs: Vec<_> = group
            .cases
            .iter()
            .map(draw)
            .collect::<Result<_, _>>()
            .map_err(|error| group.members.failed(&error))?;
        let engine = context.algorithms.engine();
        let ys = power_batch(engine, &prepared, prepared.generator(), &xs);
        let size = prepared.group().element_size();
        for ((x, y), case) in xs.iter().zip(ys).zip(&group.cases) {
            let y = y.map_err(|error| case.members.failed(&error))?;
            let bytes = |number: &BoxedUint| padded(&number.to_be_bytes(), size).map(Value::Bytes);
            let members = bytes(x).zip(bytes(&y));
            let (x, y) = members.ok_or_else(|| case.members.failed("it is too long"))?;
            answers.push(vec![("x", x), ("y", y)]);
        }
    }
    Ok(grouped(set, [], answers))
}

/// Whether each pair of members x and y is a pair of keys of the group: x from 1 to q - 1, and y = g^x.
fn are_pairs(
    context: &Context<'_>,
    group: &Members<'_>,
    pairs: &[&Members<'_>],
) -> Result<Vec<bool>, AcvpError> {
    let prepared = prepared(context, group)?;
    let size = prepared.group().element_size();
    let mut xs = Vec::with_capacity(pairs.len());
    let mut ys = Vec::with_capacity(pairs.len());
    for members in pairs {
        let x = padded(&members.hex("x")?, size);
        let x = x.and_then(|x| BoxedUint::from_be_slice(&x, 8 * size as u32).ok());
        // What is longer than p becomes 0, which is no private key either.
        xs.push(Zeroizing::new(x.unwrap_or_default()));
        ys.push(padded(&members.hex("y")?, size));
    }
    let powers = power_batch(context.engine(), &prepared, prepared.generator(), &xs);
    let mut verdicts = Vec::with_capacity(pairs.len());
    for (((x, y), power), members) in xs.iter().zip(ys).zip(powers).zip(pairs) {
        verdicts.push(match power {
            Ok(power) => {
                let power = padded(&power.to_be_bytes(), size);
                y.is_some() && y == power && !bool::from(x.is_zero())
            }
            Err(error) if error.is_refusal() => false,
            Err(error) => return Err(members.failed(&error)),
        });
    }
    Ok(verdicts)
}

/// Answers `keyVer`, a batch for each group.
pub(super) fn key_ver(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut answers = Vec::with_capacity(set.len());
    for group in &set.groups {
        let pairs: Vec<_> = group.cases.iter().map(|case| &case.members).collect();
        answers.extend(
            are_pairs(context, &group.members, &pairs)?
                .into_iter()
                .map(passed),
        );
    }
    Ok(grouped(set, [], answers))
}

/// Whether keys of others are pairs of keys.
pub(super) fn check_keys(
    context: &mut Context<'_>,
    claims: &[Claim<'_, '_>],
) -> Result<Vec<Difference>, AcvpError> {
    let mut differences = Vec::new();
    for claims in claims.chunk_by(|a, b| a.group.id == b.group.id) {
        let pairs: Vec<_> = claims.iter().map(|claim| claim.answer).collect();
        let verdicts = are_pairs(context, &claims[0].group.members, &pairs)?;
        let reason = "is no pair of keys of the group";
        differences.extend(refuted(claims, verdicts, "x, y", reason));
    }
    Ok(differences)
}
