//! RSA without padding.

use sunzi_pk::keys::Algorithms;
use sunzi_pk::rsa::raw::{PrivateRequest, PublicRequest, RawError, private_batch, public_batch};
use sunzi_pk::system_rng;

use crate::batch::{Answer, Operand, Rows, answers, array};
use crate::blind::{signing, verifying};
use crate::buffers::{ByteOrder, Numbers};
use crate::engine::{Engine, borrowed};
use crate::keys::{PrivateKey, PublicKey};
use crate::status::{Error, Status, guarded};

fn failure(error: RawError) -> Error {
    let status = match error {
        RawError::OutOfRange => Status::BadArgument,
        _ => Status::Failed,
    };
    Error::new(status, error)
}

/// The bytes of the longest modulus.
fn least_width<'a>(moduli: impl Iterator<Item = &'a sunzi_pk::rsa::PublicKey>) -> usize {
    moduli
        .map(sunzi_pk::rsa::PublicKey::size)
        .max()
        .unwrap_or(0)
}

/// Computes `count` private powers of RSA without padding, x^d modulo n: number k by `keys[k]`, RSA keys. Numbers
/// are below their moduli. Results are rows of `result_width` bytes, which the longest modulus must fit; the row
/// of an item that failed is zero. `order` is that of numbers and results. In constant time, blinded, and each
/// power is checked before it leaves. Statuses are as in sunzi_powers.
///
/// This is for protocols with a padding of their own: by itself it is no signature and no decryption.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_rsa_private(
    engine: *const Engine,
    count: usize,
    keys: *const *const PrivateKey,
    numbers: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, keys) = unsafe { (borrowed(engine, "engine")?, array(keys, count, "keys")?) };
        let order = ByteOrder::new(order)?;
        // SAFETY: the caller's pointers are null or keys.
        let keys = keys.iter().map(|&key| unsafe { signing(key) });
        let keys: Vec<Answer<_>> = keys.collect();
        let least = least_width(keys.iter().flatten().map(|key| key.public_key()));
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        // SAFETY: the caller's buffer has a number for each item.
        let numbers = unsafe { Operand::read(numbers, count, order, "numbers") }?;
        let request = |(k, key): (usize, Answer<_>)| {
            let number = numbers.of(k);
            key.map(|key| PrivateRequest { key, number })
        };
        let requests: Vec<_> = keys.into_iter().enumerate().map(request).collect();
        let compute = |algorithms: &Algorithms, requests: &[_]| {
            private_batch(algorithms.engine(), &mut system_rng(), requests)
        };
        let made = answers(engine, requests, compute, failure)?;
        // SAFETY: the caller's buffers have room for all items. The arguments were copied.
        unsafe { rows.write(made) }
    })
}

/// Computes `count` public powers of RSA without padding, x^e modulo n: number k by `keys[k]`. Otherwise as
/// sunzi_rsa_private, in a time that does not depend on the numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_rsa_public(
    engine: *const Engine,
    count: usize,
    keys: *const *const PublicKey,
    numbers: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, keys) = unsafe { (borrowed(engine, "engine")?, array(keys, count, "keys")?) };
        let order = ByteOrder::new(order)?;
        // SAFETY: the caller's pointers are null or keys.
        let keys = keys.iter().map(|&key| unsafe { verifying(key) });
        let keys: Vec<Answer<_>> = keys.collect();
        let least = least_width(keys.iter().flatten().map(|key| key.public_key()));
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        // SAFETY: the caller's buffer has a number for each item.
        let numbers = unsafe { Operand::read(numbers, count, order, "numbers") }?;
        let request = |(k, key): (usize, Answer<_>)| {
            let number = numbers.of(k);
            key.map(|key| PublicRequest { key, number })
        };
        let requests: Vec<_> = keys.into_iter().enumerate().map(request).collect();
        let made = answers(
            engine,
            requests,
            |algorithms: &Algorithms, requests: &[_]| public_batch(algorithms.engine(), requests),
            failure,
        )?;
        // SAFETY: the caller's buffers have room for all items. The arguments were copied.
        unsafe { rows.write(made) }
    })
}
