//! The names that ACVP has for hash functions and curves.

use super::context::Context;
use super::error::AcvpError;
use super::set::Members;
use sunzi_pk::Hash;
use sunzi_pk::ec::{Curve, EdwardsCurve, PreparedCurve, PreparedEdwardsCurve};

const HASHES: [(&str, Hash); 10] = [
    ("SHA2-224", Hash::Sha224),
    ("SHA2-256", Hash::Sha256),
    ("SHA2-384", Hash::Sha384),
    ("SHA2-512", Hash::Sha512),
    ("SHA2-512/224", Hash::Sha512_224),
    ("SHA2-512/256", Hash::Sha512_256),
    ("SHA3-224", Hash::Sha3_224),
    ("SHA3-256", Hash::Sha3_256),
    ("SHA3-384", Hash::Sha3_384),
    ("SHA3-512", Hash::Sha3_512),
];

/// The curves over prime fields. Those over binary fields are not there.
const CURVES: [(&str, &str); 5] = [
    ("P-192", "P-192"),
    ("P-224", "P-224"),
    ("P-256", "P-256"),
    ("P-384", "P-384"),
    ("P-521", "P-521"),
];

const EDWARDS: [(&str, EdwardsCurve); 2] = [
    ("ED-25519", EdwardsCurve::Edwards25519),
    ("ED-448", EdwardsCurve::Edwards448),
];

/// The hash function that a group names.
pub(super) fn hash(group: &Members<'_>) -> Result<Hash, AcvpError> {
    group.one_of("hashAlg", &HASHES)
}

/// The curve that this member of a group names.
pub(super) fn curve(
    context: &Context<'_>,
    group: &Members<'_>,
    member: &'static str,
) -> Result<PreparedCurve, AcvpError> {
    let name = group.one_of(member, &CURVES)?;
    let curve: Curve = name.parse().map_err(|error| group.failed(&error))?;
    let prepared = context.algorithms.curves().get(&curve);
    prepared.map_err(|error| group.failed(&error))
}

/// The Edwards curve that a group names.
pub(super) fn edwards(
    context: &Context<'_>,
    group: &Members<'_>,
) -> Result<PreparedEdwardsCurve, AcvpError> {
    let curve = group.one_of("curve", &EDWARDS)?;
    let prepared = context.algorithms.edwards().get(curve);
    prepared.map_err(|error| group.failed(&error))
}
