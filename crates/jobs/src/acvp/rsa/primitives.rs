//! The bare private operation (RFC 8017, section 5: RSASP1 and RSADP).

use super::super::answer::{Answer, GroupAnswer, Value, grouped, passed};
use super::super::context::{Context, padded};
use super::super::error::AcvpError;
use super::super::set::{Members, VectorSet};
use super::{check_modulus, exponent, number, number_of};
use crypto_bigint::BoxedUint;
use sunzi_pk::rsa::raw::{PrivateRequest, private_batch};
use sunzi_pk::rsa::{PrivateKey, SigningKey};

/// The private key of a case: n, e, p and q, and d where it is given. The values for the Chinese remainder theorem that
/// a case may have are computed anew.
fn private_key(
    context: &Context<'_>,
    group: &Members<'_>,
    case: &Members<'_>,
) -> Result<SigningKey, AcvpError> {
    let [n, p, q] = [
        number_of(case, "n")?,
        number_of(case, "p")?,
        number_of(case, "q")?,
    ];
    let e = exponent(case)?;
    let key = if case.has("d") {
        PrivateKey::from_components(&n, e, &number_of(case, "d")?, &p, &q)
    } else {
        PrivateKey::from_primes(e, &p, &q)
    };
    let key = key.map_err(|error| case.refused("p", &error))?;
    if key.public_key().n().cmp_vartime(&n).is_ne() {
        return Err(case.refused("n", "it is not p times q"));
    }
    check_modulus(group, key.public_key(), case)?;
    SigningKey::new(context.engine(), &key).map_err(|error| case.refused("n", &error))
}

/// A case with the length of its modulus in bytes, and the key and the number of the operation, if it is to be done.
type Operation<'m> = (&'m Members<'m>, usize, Option<(SigningKey, BoxedUint)>);

/// The powers of all numbers to private exponents, a batch of all groups. A number that `fits` refuses, given it and the
/// modulus in as many bytes, has none, and the test is not passed.
fn powers(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
    [asked, answered]: [&'static str; 2],
    fits: impl Fn(&[u8], &[u8]) -> bool,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    let mut operations: Vec<Operation<'_>> = Vec::with_capacity(set.len());
    for (group, case) in set.cases() {
        let case = &case.members;
        let key = private_key(context, &group.members, case)?;
        let n = key.public_key().n().to_be_bytes_trimmed_vartime();
        let given = padded(&case.hex(asked)?, n.len()).filter(|given| fits(given, &n));
        let operation = given.and_then(|given| Some((key, number(&given)?)));
        operations.push((case, n.len(), operation));
    }
    let requests = operations.iter().filter_map(|(.., operation)| {
        let (key, number) = operation.as_ref()?;
        Some(PrivateRequest { key, number })
    });
    let requests: Vec<_> = requests.collect();
    let mut powers = private_batch(context.engine(), &mut *context.rng, &requests).into_iter();
    let answers = operations
        .iter()
        .map(|(case, size, operation)| -> Result<Answer, AcvpError> {
            if operation.is_none() {
                return Ok(passed(false));
            }
            let power = powers.next().ok_or_else(|| case.failed("it is missing"))?;
            let power = power.map_err(|error| case.failed(&error))?;
            let bytes = padded(&power.to_be_bytes(), *size);
            let bytes = bytes.ok_or_else(|| case.failed("it is longer than the modulus"))?;
            let mut answer = passed(true);
            answer.push((answered, Value::Bytes(bytes)));
            Ok(answer)
        });
    let answers: Vec<_> = answers.collect::<Result<_, _>>()?;
    Ok(grouped(set, [], answers))
}

/// Answers `signaturePrimitive`: the message must be below the modulus.
pub(in super::super) fn signature_primitive(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    powers(context, set, ["message", "signature"], |m, n| m < n)
}

/// Answers `decryptionPrimitive`: the ciphertext must be above 1 and below n - 1 (SP 800-56B, revision 2, section
/// 7.1.2.1).
pub(in super::super) fn decryption_primitive(
    context: &mut Context<'_>,
    set: &VectorSet<'_>,
) -> Result<Vec<GroupAnswer>, AcvpError> {
    powers(context, set, ["ct", "pt"], |c, n| {
        let Some((last, others)) = c.split_last() else {
            return false;
        };
        let is_above_one = others.iter().any(|byte| *byte != 0) || *last > 1;
        // n is odd: n - 1 differs in the last bit.
        let mut less = n.to_vec();
        less.last_mut().into_iter().for_each(|last| *last &= 0xfe);
        is_above_one && c < &less[..]
    })
}
