//! RSA: signatures, bare operations and keys.

mod keys;
mod primitives;
mod signatures;

pub(super) use keys::{check_keys, key_gen};
pub(super) use primitives::{decryption_primitive, signature_primitive};
pub(super) use signatures::{check_signatures, sig_gen, sig_ver};

use super::answer::Value;
use super::error::AcvpError;
use super::set::Members;
use crypto_bigint::BoxedUint;
use sunzi_pk::rsa::{MAX_EXPONENT, MAX_GENERATED_BITS, PublicKey};

/// A number of big-endian bytes.
fn number(bytes: &[u8]) -> Option<BoxedUint> {
    let bits = (8 * bytes.len() as u32).next_multiple_of(64).max(64);
    BoxedUint::from_be_slice(bytes, bits).ok()
}

/// The number that a member is: no longer than the longest modulus that keys are made with, as the time of checking a key
/// grows with the cube of its length.
fn number_of(members: &Members<'_>, member: &'static str) -> Result<BoxedUint, AcvpError> {
    let bytes = members.hex(member)?;
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = &bytes[zeros..];
    let fits = 8 * digits.len() <= MAX_GENERATED_BITS as usize;
    let number = if fits { number(digits) } else { None };
    number.ok_or_else(|| {
        let reason = format!("it has more than {MAX_GENERATED_BITS} bits");
        members.refused(member, &reason)
    })
}

/// The public exponent that the member `e` is.
fn exponent(members: &Members<'_>) -> Result<u64, AcvpError> {
    let bytes = members.hex("e")?;
    let mut digits = bytes.iter().skip_while(|byte| **byte == 0);
    let known = || format!("3 to {MAX_EXPONENT}");
    let long = || members.unsupported("e", &base16ct::upper::encode_string(&bytes), &known());
    let e = digits.try_fold(0u64, |e, byte| Some(e.checked_mul(256)? | u64::from(*byte)));
    e.filter(|e| (3..=MAX_EXPONENT).contains(e))
        .ok_or_else(long)
}

/// The public key in the members `n` and `e`.
fn public_key(members: &Members<'_>) -> Result<PublicKey, AcvpError> {
    let (n, e) = (number_of(members, "n")?, exponent(members)?);
    PublicKey::new(&n, e).map_err(|error| members.refused("n", &error))
}

/// The members that are a public key.
fn public_members(key: &PublicKey) -> Vec<(&'static str, Value)> {
    let e = key.e().to_be_bytes();
    let zeros = e.iter().take_while(|byte| **byte == 0).count();
    vec![
        (
            "n",
            Value::Bytes(key.n().to_be_bytes_trimmed_vartime().into()),
        ),
        ("e", Value::Bytes(e[zeros..].to_vec())),
    ]
}

/// Refuses a key whose modulus does not have the length that the group says.
fn check_modulus(group: &Members<'_>, key: &PublicKey, of: &Members<'_>) -> Result<(), AcvpError> {
    for name in ["modulo", "modulus"] {
        if group.has(name) && group.number(name)? != u64::from(key.bits()) {
            let reason = format!(
                "it has {} bits, and the group's {name} is another",
                key.bits()
            );
            return Err(of.refused("n", &reason));
        }
    }
    Ok(())
}

/// The length of the keys of a group, in bits.
fn modulo(group: &Members<'_>) -> Result<u32, AcvpError> {
    let bits = group.number("modulo")?;
    u32::try_from(bits).map_err(|_| group.refused("modulo", "it is too long"))
}
