//! Blind signatures.

use sunzi_pk::keys::Algorithms;
use sunzi_pk::rsa;
use sunzi_pk::rsa::blind::{
    BlindError, BlindRequest, BlindSignRequest, FinalizeRequest, Variant, blind_batch,
    blind_sign_batch, finalize_batch, prepare,
};
use sunzi_pk::system_rng;

use crate::batch::{Answer, answers, array, messages, of_item, sum_up};
use crate::buffers::{Bytes, Output, write};
use crate::engine::{Engine, borrowed};
use crate::keys::{PrivateKey, PublicKey, refused};
use crate::status::{Error, Status, guarded};

/// A variant of RFC 9474, section 5: PSS with SHA-384, with a salt of 48 bytes or (PSSZERO) none, over
/// messages with 32 random bytes before them or (deterministic) as they are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlindVariant {
    /// RSABSSA-SHA384-PSS-Randomized, recommended.
    PssRandomized = 0,
    /// RSABSSA-SHA384-PSSZERO-Randomized, recommended.
    PssZeroRandomized = 1,
    /// RSABSSA-SHA384-PSS-Deterministic, for messages that nobody can guess.
    PssDeterministic = 2,
    /// RSABSSA-SHA384-PSSZERO-Deterministic, for messages that nobody can guess.
    PssZeroDeterministic = 3,
}

pub(crate) fn variant(variant: u32) -> Result<Variant, Error> {
    Ok(match variant {
        0 => Variant::PssRandomized,
        1 => Variant::PssZeroRandomized,
        2 => Variant::PssDeterministic,
        3 => Variant::PssZeroDeterministic,
        other => {
            return Err(Error::argument(format_args!(
                "variant is {other}: no sunzi_blind_variant"
            )));
        }
    })
}

pub(crate) fn failure(error: BlindError) -> Error {
    let status = match error {
        BlindError::InvalidSignature => Status::Invalid,
        BlindError::KeyTooShort(_)
        | BlindError::NotCoprime
        | BlindError::ModulusLength(_)
        | BlindError::UnsafePrime(_)
        | BlindError::Key(_) => Status::BadKey,
        BlindError::Length { .. } | BlindError::OutOfRange(_) | BlindError::MetadataLength(_) => {
            Status::BadArgument
        }
        _ => Status::Failed,
    };
    Error::new(status, error)
}

/// # Safety
/// `key` is null or a key.
pub(crate) unsafe fn verifying<'a>(key: *const PublicKey) -> Answer<&'a rsa::VerifyingKey> {
    // SAFETY: by this function's condition.
    let key = unsafe { borrowed(key, "a key") }?;
    let key = key.verifying.as_ref().map_err(refused)?;
    key.rsa().ok_or_else(|| refused("this needs an RSA key"))
}

/// # Safety
/// `key` is null or a key.
pub(crate) unsafe fn signing<'a>(key: *const PrivateKey) -> Answer<&'a rsa::SigningKey> {
    // SAFETY: by this function's condition.
    let key = unsafe { borrowed(key, "a key") }?;
    let key = key.signing.as_ref().map_err(refused)?;
    key.rsa().ok_or_else(|| refused("this needs an RSA key"))
}

/// Prepares a message for a signature without seeing it (RFC 9474, section 4.1): with 32 random bytes before
/// it, or as it is. The prepared message is what is signed and verified. `variant` is a sunzi_blind_variant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_blind_prepare(
    variant: u32,
    message: Bytes,
    prepared: *mut Output,
) -> Status {
    guarded(|| {
        let variant = self::variant(variant)?;
        // SAFETY: the caller's bytes are readable.
        let message = unsafe { message.copied("message") }?;
        let bytes = prepare(variant, &mut system_rng(), &message).map_err(failure)?;
        // SAFETY: the caller's buffer is as `Output` says.
        unsafe { write(prepared, "prepared", &bytes) }
    })
}

/// Blinds `count` prepared messages, message k for the signer with `keys[k]`, RSA keys (RFC 9474, section
/// 4.2). `blinded[k]` is for the signer, and `inverses[k]` stays secret until sunzi_blind_finalize: each is as
/// long as the modulus. `statuses` is as in sunzi_sign.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_blind(
    engine: *const Engine,
    count: usize,
    keys: *const *const PublicKey,
    variant: u32,
    prepared: *const Bytes,
    blinded: *mut Output,
    inverses: *mut Output,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        let variant = self::variant(variant)?;
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, keys, prepared) = unsafe {
            let engine = borrowed(engine, "engine")?;
            let keys = array(keys, count, "keys")?;
            let prepared = messages(prepared, count, "prepared", "a message")?;
            (engine, keys, prepared)
        };
        let request = |(&key, message): (&*const PublicKey, _)| {
            // SAFETY: the caller's pointers are null or keys.
            let (key, message) = (unsafe { verifying(key) }?, of_item(message)?);
            Ok(BlindRequest {
                key,
                variant,
                message,
            })
        };
        let requests: Vec<_> = keys.iter().zip(&prepared).map(request).collect();
        let blind = |algorithms: &Algorithms, requests: &[_]| {
            blind_batch(algorithms.engine(), &mut system_rng(), requests)
        };
        let made = answers(engine, requests, blind, failure)?;
        // SAFETY: the caller's arrays have outputs and a status for each item.
        unsafe { write_blinded(made, blinded, inverses, statuses) }
    })
}

/// # Safety
/// The caller's arrays have outputs and a status for each item.
pub(crate) unsafe fn write_blinded(
    made: Vec<Answer<rsa::blind::Blinded>>,
    blinded: *mut Output,
    inverses: *mut Output,
    statuses: *mut Status,
) -> Result<(), Error> {
    if (blinded.is_null() || inverses.is_null()) && !made.is_empty() {
        return Err(Error::argument("blinded or inverses is null"));
    }
    let written = |(k, made): (usize, Answer<rsa::blind::Blinded>)| {
        let made = made?;
        // SAFETY: by this function's condition.
        unsafe {
            write(blinded.add(k), "a blinded message", &made.message)?;
            write(inverses.add(k), "an inverse", &made.inverse)
        }
    };
    let answers: Vec<_> = made.into_iter().enumerate().map(written).collect();
    // SAFETY: by this function's condition.
    unsafe { sum_up(&answers, statuses) }
}

/// Signs `count` blinded messages, as long as the modulus each, message k with `keys[k]`, RSA keys (RFC 9474,
/// section 4.3). Each signature is checked before it leaves. Such a key signs what it is given: use it for
/// nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_blind_sign(
    engine: *const Engine,
    count: usize,
    keys: *const *const PrivateKey,
    blinded: *const Bytes,
    blind_signatures: *mut Output,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, keys, blinded) = unsafe {
            let engine = borrowed(engine, "engine")?;
            let keys = array(keys, count, "keys")?;
            let blinded = messages(blinded, count, "blinded", "a blinded message")?;
            (engine, keys, blinded)
        };
        let request = |(&key, blinded): (&*const PrivateKey, _)| {
            // SAFETY: the caller's pointers are null or keys.
            let (key, blinded) = (unsafe { signing(key) }?, of_item(blinded)?);
            Ok(BlindSignRequest { key, blinded })
        };
        let requests: Vec<_> = keys.iter().zip(&blinded).map(request).collect();
        let sign = |algorithms: &Algorithms, requests: &[_]| {
            blind_sign_batch(algorithms.engine(), &mut system_rng(), requests)
        };
        let made = answers(engine, requests, sign, failure)?;
        // SAFETY: the caller's arrays have an `Output` and a status for each item.
        unsafe { write_all(made, blind_signatures, statuses) }
    })
}

/// Makes signatures of `count` prepared messages from the signer's answers: takes off the blinds, and verifies
/// each (RFC 9474, section 4.4). Status k is SUNZI_STATUS_INVALID if the answer is no signature of the
/// message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_blind_finalize(
    engine: *const Engine,
    count: usize,
    keys: *const *const PublicKey,
    variant: u32,
    prepared: *const Bytes,
    inverses: *const Bytes,
    blind_signatures: *const Bytes,
    signatures: *mut Output,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        let variant = self::variant(variant)?;
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, keys, prepared, inverses, answered) = unsafe {
            (
                borrowed(engine, "engine")?,
                array(keys, count, "keys")?,
                messages(prepared, count, "prepared", "a message")?,
                messages(inverses, count, "inverses", "an inverse")?,
                messages(
                    blind_signatures,
                    count,
                    "blind_signatures",
                    "a blind signature",
                )?,
            )
        };
        let request = |k: usize| {
            // SAFETY: the caller's pointers are null, or keys and readable bytes.
            unsafe {
                Ok(FinalizeRequest {
                    key: verifying(keys[k])?,
                    variant,
                    message: of_item(&prepared[k])?,
                    inverse: of_item(&inverses[k])?,
                    blind_signature: of_item(&answered[k])?,
                })
            }
        };
        let requests: Vec<_> = (0..count).map(request).collect();
        let made = answers(
            engine,
            requests,
            |algorithms: &Algorithms, requests: &[_]| finalize_batch(algorithms.engine(), requests),
            failure,
        )?;
        // SAFETY: the caller's arrays have an `Output` and a status for each item.
        unsafe { write_all(made, signatures, statuses) }
    })
}

/// # Safety
/// The caller's arrays have an `Output` and a status for each item.
pub(crate) unsafe fn write_all(
    made: Vec<Answer<Vec<u8>>>,
    outputs: *mut Output,
    statuses: *mut Status,
) -> Result<(), Error> {
    if outputs.is_null() && !made.is_empty() {
        return Err(Error::argument("there is no place for signatures: null"));
    }
    let written = |(k, made): (usize, Answer<Vec<u8>>)| {
        // SAFETY: by this function's condition.
        unsafe { write(outputs.add(k), "a signature", &made?) }
    };
    let answers: Vec<_> = made.into_iter().enumerate().map(written).collect();
    // SAFETY: by this function's condition.
    unsafe { sum_up(&answers, statuses) }
}

/// Verifies `count` signatures of prepared messages (RFC 9474, section 4.5), as sunzi_verify does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_blind_verify(
    engine: *const Engine,
    count: usize,
    keys: *const *const PublicKey,
    variant: u32,
    prepared: *const Bytes,
    signatures: *const Bytes,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        let variant = self::variant(variant)?;
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, keys, prepared, signatures) = unsafe {
            (
                borrowed(engine, "engine")?,
                array(keys, count, "keys")?,
                messages(prepared, count, "prepared", "a message")?,
                messages(signatures, count, "signatures", "a signature")?,
            )
        };
        let request = |k: usize| {
            // SAFETY: the caller's pointers are null, or keys and readable bytes.
            unsafe {
                Ok(rsa::VerifyRequest {
                    key: verifying(keys[k])?,
                    scheme: variant.scheme(),
                    digest: variant.digest(of_item(&prepared[k])?),
                    signature: of_item(&signatures[k])?,
                })
            }
        };
        let requests: Vec<_> = (0..count).map(request).collect();
        let verdicts = answers(
            engine,
            requests,
            |algorithms: &Algorithms, requests: &[_]| {
                rsa::verify_batch(algorithms.engine(), requests)
            },
            unverified,
        )?;
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&verdicts, statuses) }
    })
}

pub(crate) fn unverified(error: rsa::VerifyError) -> Error {
    let status = match error {
        rsa::VerifyError::Engine(_) => Status::Failed,
        _ => Status::Invalid,
    };
    Error::new(status, error)
}
