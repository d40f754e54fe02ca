//! Partially blind signatures.

use core::ffi::c_void;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sunzi_pk::keys::{self, Algorithms};
use sunzi_pk::rsa;
use sunzi_pk::rsa::blind::Blinded;
use sunzi_pk::rsa::blind::partial::{
    BlindRequest, BlindSignRequest, DerivedPublicKey, DerivedSigningKey, FinalizeRequest,
    VerifyRequest, blind_batch, blind_sign_batch, derive_key_pair, derive_public_key,
    finalize_batch, verify_batch,
};
use sunzi_pk::system_rng;

use crate::batch::{Answer, Copies, answers, array, messages, of_item, sum_up};
use crate::blind::{failure, unverified, variant, verifying, write_all, write_blinded};
use crate::buffers::{Bytes, Output};
use crate::engine::{Engine, Place, borrowed};
use crate::keys::{PrivateKey, PublicKey};
use crate::primes::{Watch, Watcher};
use crate::status::{Error, Status, guarded};

/// Makes an RSA key of two safe primes, with a modulus of `bits` bits, for partially blind signatures and
/// nothing else. It is to be freed by sunzi_private_key_free. `watcher` and `context` are as in sunzi_primes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_generate_safe(
    engine: *const Engine,
    bits: u32,
    watcher: Watcher,
    context: *mut c_void,
    key: *mut *mut PrivateKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place and an engine.
        let (place, engine) = unsafe { (Place::new(key, "key")?, borrowed(engine, "engine")?) };
        let watch = Watch::new(watcher, context);
        let algorithms = &engine.algorithms;
        let made = engine.install(|| {
            // The whole of it, which may go to another thread.
            let watch = watch;
            let mut tell = |progress| watch.tell(progress);
            let (engine, rng) = (algorithms.engine(), &mut system_rng());
            rsa::PrivateKey::generate_safe_batch(engine, rng, bits, 1, &mut tell)
        })?;
        let failure = |error| {
            let status = match error {
                rsa::KeyError::Cancelled => Status::Cancelled,
                rsa::KeyError::GeneratedSize { .. } => Status::BadArgument,
                _ => Status::Failed,
            };
            Error::new(status, error)
        };
        let made = made.map_err(failure)?.pop().ok_or_else(Error::internal)?;
        let made = keys::PrivateKey::Rsa(Box::new(made));
        place.hand_over(PrivateKey::new(algorithms, made));
        Ok(())
    })
}

/// The key of each item, derived once of each of `keys` and its metadata.
fn derived<Key, Derived: Clone>(
    keys: &[*const Key],
    infos: &[Answer<Vec<u8>>],
    derive: impl Fn(*const Key, &[u8]) -> Answer<Derived>,
) -> Vec<Answer<Derived>> {
    let mut known: HashMap<(*const Key, &[u8]), Answer<Derived>> = HashMap::new();
    let of = |(&key, info)| {
        let info = of_item(info)?;
        match known.entry((key, info)) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => new.insert(derive(key, info)).clone(),
        }
    };
    keys.iter().zip(infos).map(of).collect()
}

/// # Safety
/// The caller's pointers are null, or keys, and the metadata are readable.
unsafe fn public_keys(
    engine: &Engine,
    count: usize,
    keys: *const *const PublicKey,
    infos: *const Bytes,
) -> Result<Vec<Answer<DerivedPublicKey>>, Error> {
    // SAFETY: by this function's condition.
    let (keys, infos) = unsafe { keys_and_infos(count, keys, infos) }?;
    let derive = |key: *const PublicKey, info: &[u8]| {
        // SAFETY: by this function's condition.
        let key = unsafe { verifying(key) }?;
        derive_public_key(engine.algorithms.engine(), key, info).map_err(failure)
    };
    Ok(derived(&keys, &infos, derive))
}

/// # Safety
/// The caller's pointers are null, or keys, and the metadata are readable.
unsafe fn signing_keys(
    engine: &Engine,
    count: usize,
    keys: *const *const PrivateKey,
    infos: *const Bytes,
) -> Result<Vec<Answer<DerivedSigningKey>>, Error> {
    // SAFETY: by this function's condition.
    let (keys, infos) = unsafe { keys_and_infos(count, keys, infos) }?;
    let derive = |key: *const PrivateKey, info: &[u8]| {
        // SAFETY: by this function's condition.
        let key = unsafe { borrowed(key, "a key") }?.deriving()?;
        derive_key_pair(engine.algorithms.engine(), key, info).map_err(failure)
    };
    Ok(derived(&keys, &infos, derive))
}

/// # Safety
/// The metadata are readable.
unsafe fn keys_and_infos<Key>(
    count: usize,
    keys: *const *const Key,
    infos: *const Bytes,
) -> Result<(Vec<*const Key>, Copies), Error> {
    // SAFETY: by this function's condition.
    unsafe {
        let keys = array(keys, count, "keys")?;
        Ok((keys, messages(infos, count, "infos", "info")?))
    }
}

/// Blinds `count` prepared messages for partially blind signatures (draft-irtf-cfrg-partially-blind-rsa): message k
/// with the metadata `infos[k]`, for the signer with `keys[k]`, an RSA key of safe primes. Messages are prepared by
/// sunzi_blind_prepare; all else is as in sunzi_blind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_partially_blind(
    engine: *const Engine,
    count: usize,
    keys: *const *const PublicKey,
    variant: u32,
    infos: *const Bytes,
    prepared: *const Bytes,
    blinded: *mut Output,
    inverses: *mut Output,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        let variant = self::variant(variant)?;
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, derived, prepared) = unsafe {
            let engine = borrowed(engine, "engine")?;
            let derived = public_keys(engine, count, keys, infos)?;
            (
                engine,
                derived,
                messages(prepared, count, "prepared", "a message")?,
            )
        };
        let request = |k: usize| {
            Ok(BlindRequest {
                key: derived[k].as_ref().map_err(Error::clone)?,
                variant,
                message: of_item(&prepared[k])?,
            })
        };
        let requests: Vec<_> = (0..count).map(request).collect();
        let blind = |algorithms: &Algorithms, requests: &[_]| {
            blind_batch(algorithms.engine(), &mut system_rng(), requests)
        };
        let made: Vec<Answer<Blinded>> = answers(engine, requests, blind, failure)?;
        // SAFETY: the caller's arrays have outputs and a status for each item.
        unsafe { write_blinded(made, blinded, inverses, statuses) }
    })
}

/// Signs `count` blinded messages, message k with `keys[k]`, an RSA key of safe primes, and with the metadata
/// `infos[k]`. All else is as in sunzi_blind_sign.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_partially_blind_sign(
    engine: *const Engine,
    count: usize,
    keys: *const *const PrivateKey,
    infos: *const Bytes,
    blinded: *const Bytes,
    blind_signatures: *mut Output,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, derived, blinded) = unsafe {
            let engine = borrowed(engine, "engine")?;
            let derived = signing_keys(engine, count, keys, infos)?;
            (
                engine,
                derived,
                messages(blinded, count, "blinded", "a blinded message")?,
            )
        };
        let request = |k: usize| {
            Ok(BlindSignRequest {
                key: derived[k].as_ref().map_err(Error::clone)?,
                blinded: of_item(&blinded[k])?,
            })
        };
        let requests: Vec<_> = (0..count).map(request).collect();
        let sign = |algorithms: &Algorithms, requests: &[_]| {
            blind_sign_batch(algorithms.engine(), &mut system_rng(), requests)
        };
        let made = answers(engine, requests, sign, failure)?;
        // SAFETY: the caller's arrays have an `Output` and a status for each item.
        unsafe { write_all(made, blind_signatures, statuses) }
    })
}

/// Makes signatures of `count` prepared messages with the metadata `infos` from the signer's answers, as
/// sunzi_blind_finalize does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_partially_blind_finalize(
    engine: *const Engine,
    count: usize,
    keys: *const *const PublicKey,
    variant: u32,
    infos: *const Bytes,
    prepared: *const Bytes,
    inverses: *const Bytes,
    blind_signatures: *const Bytes,
    signatures: *mut Output,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        let variant = self::variant(variant)?;
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, derived, prepared, inverses, answered) = unsafe {
            let engine = borrowed(engine, "engine")?;
            (
                engine,
                public_keys(engine, count, keys, infos)?,
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
            let key = derived[k].as_ref().map_err(Error::clone)?;
            Ok(FinalizeRequest {
                key,
                variant,
                message: of_item(&prepared[k])?,
                inverse: of_item(&inverses[k])?,
                blind_signature: of_item(&answered[k])?,
            })
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

/// Verifies `count` signatures of prepared messages with the metadata `infos`, as sunzi_verify does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_partially_blind_verify(
    engine: *const Engine,
    count: usize,
    keys: *const *const PublicKey,
    variant: u32,
    infos: *const Bytes,
    prepared: *const Bytes,
    signatures: *const Bytes,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        let variant = self::variant(variant)?;
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, derived, prepared, signatures) = unsafe {
            let engine = borrowed(engine, "engine")?;
            (
                engine,
                public_keys(engine, count, keys, infos)?,
                messages(prepared, count, "prepared", "a message")?,
                messages(signatures, count, "signatures", "a signature")?,
            )
        };
        let request = |k: usize| {
            let key = derived[k].as_ref().map_err(Error::clone)?;
            Ok(VerifyRequest {
                key,
                variant,
                message: of_item(&prepared[k])?,
                signature: of_item(&signatures[k])?,
            })
        };
        let requests: Vec<_> = (0..count).map(request).collect();
        let verdicts = answers(
            engine,
            requests,
            |algorithms: &Algorithms, requests: &[_]| verify_batch(algorithms.engine(), requests),
            unverified,
        )?;
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&verdicts, statuses) }
    })
}
