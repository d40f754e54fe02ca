//! Paillier's cryptosystem.

use core::ffi::c_void;
use std::sync::OnceLock;

use crypto_bigint::BoxedUint;
use sunzi_pk::paillier::{
    self, DecryptionKey, EncodeError, Encoded, EncryptionKey, KeyError, Method, PaillierError,
};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::batch::{Answer, Operand, Rows, array, sum_up};
use crate::buffers::{ByteOrder, Bytes, Numbers, Output, write};
use crate::engine::{Engine, Place, borrowed, freed};
use crate::keys::refused;
use crate::powers::Secrecy;
use crate::primes::{Watch, Watcher};
use crate::status::{Error, Status, guarded};

/// Where the random factors of ciphertexts come from.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaillierMethod {
    /// r^n for a random r below n (Paillier, 1999).
    Full = 0,
    /// A short random power of a base in the public key, by tables (Damgard, Jurik and Nielsen, 2010), which
    /// takes a tenth of the time or less, and rests on one more assumption. Keys made here have such a base.
    Short = 1,
}

/// A Paillier private key: two primes.
pub struct PaillierPrivateKey {
    key: paillier::PrivateKey,
    engine: sunzi_engine::Engine,
    decryption: DecryptionKey,
}

/// A Paillier public key: a modulus n, with g = n + 1.
pub struct PaillierPublicKey {
    key: paillier::PublicKey,
    engine: sunzi_engine::Engine,
    full: EncryptionKey,
    /// With tables, which are made when they are first used.
    short: OnceLock<Result<EncryptionKey, KeyError>>,
}

impl PaillierPrivateKey {
    fn new(engine: &sunzi_engine::Engine, key: paillier::PrivateKey) -> Result<Self, Error> {
        Ok(Self {
            decryption: DecryptionKey::new(engine, &key).map_err(key_failure)?,
            engine: engine.clone(),
            key,
        })
    }
}

impl PaillierPublicKey {
    fn new(engine: &sunzi_engine::Engine, key: paillier::PublicKey) -> Result<Self, Error> {
        Ok(Self {
            full: EncryptionKey::new(engine, &key, Method::Full).map_err(key_failure)?,
            engine: engine.clone(),
            key,
            short: OnceLock::new(),
        })
    }

    /// The key prepared for this method. Called before a batch goes to the engine's threads: one of them
    /// that waits for tables could be the one that is to make them.
    fn prepared(&self, method: u32) -> Result<&EncryptionKey, Error> {
        match method {
            0 => Ok(&self.full),
            1 => {
                let make = || EncryptionKey::new(&self.engine, &self.key, Method::Short);
                let made = self.short.get_or_init(make).as_ref();
                made.map_err(|error| key_failure(error.clone()))
            }
            other => Err(Error::argument(format_args!(
                "method is {other}: no sunzi_paillier_method"
            ))),
        }
    }
}

fn key_failure(error: KeyError) -> Error {
    let status = match error {
        KeyError::Cancelled => Status::Cancelled,
        KeyError::Primes(_) => Status::Failed,
        _ => Status::BadKey,
    };
    Error::new(status, error)
}

fn failure(error: PaillierError) -> Error {
    let status = match error {
        PaillierError::PlaintextRange | PaillierError::CiphertextRange => Status::BadArgument,
        _ => Status::Failed,
    };
    Error::new(status, error)
}

/// The answers of a batch of ciphertexts, which are public.
fn public(
    results: Vec<Result<BoxedUint, PaillierError>>,
) -> impl Iterator<Item = Answer<Zeroizing<BoxedUint>>> {
    let number = |result: Result<BoxedUint, _>| result.map(Zeroizing::new).map_err(failure);
    results.into_iter().map(number)
}

/// # Safety
/// `text` is readable.
unsafe fn json(text: Bytes) -> Result<String, Error> {
    // SAFETY: by this function's condition.
    let text = unsafe { text.copied("text") }?;
    String::from_utf8(text).map_err(|_| refused("the text is not UTF-8"))
}

/// Makes a Paillier key with a modulus n of `bits` bits, an even number from 2,048 to 4,096. It is to be freed
/// by sunzi_paillier_private_key_free. `watcher` and `context` are as in sunzi_primes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_private_key_generate(
    engine: *const Engine,
    bits: u32,
    watcher: Watcher,
    context: *mut c_void,
    key: *mut *mut PaillierPrivateKey,
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
            paillier::PrivateKey::generate_batch(engine, rng, bits, 1, &mut tell)
        })?;
        let made = made.map_err(key_failure)?.pop();
        let made = made.ok_or_else(Error::internal)?;
        let made = PaillierPrivateKey::new(algorithms.engine(), made)?;
        place.hand_over(made);
        Ok(())
    })
}

/// Reads a Paillier private key in JSON, as the Python package phe writes it. It is to be freed by
/// sunzi_paillier_private_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_private_key_load(
    engine: *const Engine,
    text: Bytes,
    key: *mut *mut PaillierPrivateKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place, an engine and readable bytes.
        let (place, engine, text) = unsafe {
            let place = Place::new(key, "key")?;
            (place, borrowed(engine, "engine")?, json(text)?)
        };
        let read = paillier::PrivateKey::from_jwk(&text).map_err(key_failure)?;
        let read = PaillierPrivateKey::new(engine.algorithms.engine(), read)?;
        place.hand_over(read);
        Ok(())
    })
}

/// Writes a Paillier private key in JSON, as phe reads it, without encryption. If `text` has too little room,
/// its length is set to what is needed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_private_key_write(
    key: *const PaillierPrivateKey,
    text: *mut Output,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or a key.
        let key = unsafe { borrowed(key, "key") }?;
        // SAFETY: the caller's buffer is as `Output` says.
        unsafe { write(text, "text", key.key.to_jwk(None).as_bytes()) }
    })
}

/// The public half of a Paillier key. It is to be freed by sunzi_paillier_public_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_private_key_public(
    key: *const PaillierPrivateKey,
    public_key: *mut *mut PaillierPublicKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place and a key.
        let (place, key) = unsafe {
            let place = Place::new(public_key, "public_key")?;
            (place, borrowed(key, "key")?)
        };
        let public = PaillierPublicKey::new(&key.engine, key.key.public_key().clone())?;
        place.hand_over(public);
        Ok(())
    })
}

/// Wipes and frees a key. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_private_key_free(key: *mut PaillierPrivateKey) {
    // SAFETY: it is null, or comes from this library, and nobody uses it any more.
    unsafe { freed(key) }
}

/// Reads a Paillier public key in JSON, as phe writes it. It is to be freed by
/// sunzi_paillier_public_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_public_key_load(
    engine: *const Engine,
    text: Bytes,
    key: *mut *mut PaillierPublicKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place, an engine and readable bytes.
        let (place, engine, text) = unsafe {
            let place = Place::new(key, "key")?;
            (place, borrowed(engine, "engine")?, json(text)?)
        };
        let read = paillier::PublicKey::from_jwk(&text).map_err(key_failure)?;
        let read = PaillierPublicKey::new(engine.algorithms.engine(), read)?;
        place.hand_over(read);
        Ok(())
    })
}

/// Writes a Paillier public key in JSON, as phe reads it. If `text` has too little room, its length is set to
/// what is needed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_public_key_write(
    key: *const PaillierPublicKey,
    text: *mut Output,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or a key.
        let key = unsafe { borrowed(key, "key") }?;
        // SAFETY: the caller's buffer is as `Output` says.
        unsafe { write(text, "text", key.key.to_jwk(None).as_bytes()) }
    })
}

/// The bytes of a plaintext, a number below n; those of a ciphertext, a number below n^2, are twice as many.
/// 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_plaintext_width(key: *const PaillierPublicKey) -> usize {
    // SAFETY: the caller's pointer is null or a key.
    unsafe { key.as_ref() }.map_or(0, |key| key.key.plaintext_size())
}

/// Writes the modulus n of a key in `width` bytes, at least those of a plaintext.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_modulus(
    key: *const PaillierPublicKey,
    order: u32,
    n: *mut u8,
    width: usize,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or a key.
        let key = unsafe { borrowed(key, "key") }?;
        let order = ByteOrder::new(order)?;
        let (least, nowhere) = (key.key.plaintext_size(), core::ptr::null_mut());
        let rows = Rows::new(n, width, least, 1, order, nowhere)?;
        // SAFETY: the caller's buffer has so many bytes.
        unsafe { rows.write([Ok(Zeroizing::new(key.key.n().clone()))]) }
    })
}

/// Frees a key. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_public_key_free(key: *mut PaillierPublicKey) {
    // SAFETY: it is null, or comes from this library, and nobody uses it any more.
    unsafe { freed(key) }
}

/// Encrypts `count` plaintexts, numbers below n; a negative number -k is n - k. `method` is a
/// sunzi_paillier_method. Ciphertext k is written to `results + k * result_width`, in at least twice the
/// bytes of a plaintext. Results and statuses are as in sunzi_powers, here and in the functions that follow;
/// the key was made with this engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_encrypt(
    engine: *const Engine,
    key: *const PaillierPublicKey,
    method: u32,
    count: usize,
    plaintexts: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a key.
        let (engine, key) = unsafe { (borrowed(engine, "engine")?, borrowed(key, "key")?) };
        let order = ByteOrder::new(order)?;
        let least = key.key.ciphertext_size();
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        // SAFETY: the caller's buffer has a number for each item.
        let plaintexts = unsafe { Operand::read(plaintexts, count, order, "plaintexts") }?;
        let (key, plaintexts) = (key.prepared(method)?, plaintexts.plain(count));
        let made = engine.install(|| {
            let engine = engine.algorithms.engine();
            paillier::encrypt_batch(engine, &mut system_rng(), key, &plaintexts)
        })?;
        // SAFETY: the caller's buffers have room for all items.
        unsafe { rows.write(public(made)) }
    })
}

/// Decrypts `count` ciphertexts. Each plaintext is checked before it leaves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_decrypt(
    engine: *const Engine,
    key: *const PaillierPrivateKey,
    count: usize,
    ciphertexts: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a key.
        let (engine, key) = unsafe { (borrowed(engine, "engine")?, borrowed(key, "key")?) };
        let order = ByteOrder::new(order)?;
        let least = key.key.public_key().plaintext_size();
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        // SAFETY: the caller's buffer has a number for each item.
        let ciphertexts = unsafe { Operand::read(ciphertexts, count, order, "ciphertexts") }?;
        let ciphertexts = ciphertexts.plain(count);
        let plaintexts = engine.install(|| {
            let engine = engine.algorithms.engine();
            paillier::decrypt_batch(engine, &key.decryption, &ciphertexts)
        })?;
        // SAFETY: the caller's buffers have room for all items.
        unsafe { rows.write(plaintexts.into_iter().map(|m| m.map_err(failure))) }
    })
}

/// Arguments of a function on pairs of numbers.
struct Pairs {
    engine: *const Engine,
    key: *const PaillierPublicKey,
    count: usize,
    left: Numbers,
    right: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
}

impl Pairs {
    /// # Safety
    /// All is as the header says.
    unsafe fn compute(
        self,
        names: [&str; 2],
        compute: impl FnOnce(
            &sunzi_engine::Engine,
            &EncryptionKey,
            &[(&BoxedUint, &BoxedUint)],
        ) -> Vec<Result<BoxedUint, PaillierError>>
        + Send,
    ) -> Result<(), Error> {
        // SAFETY: by this function's condition.
        let (engine, key) =
            unsafe { (borrowed(self.engine, "engine")?, borrowed(self.key, "key")?) };
        let (order, count) = (ByteOrder::new(self.order)?, self.count);
        let (least, width) = (key.key.ciphertext_size(), self.result_width);
        let rows = Rows::new(self.results, width, least, count, order, self.statuses)?;
        let [left, right] = names;
        // SAFETY: by this function's condition.
        let (left, right) = unsafe {
            (
                Operand::read(self.left, count, order, left)?,
                Operand::read(self.right, count, order, right)?,
            )
        };
        let pairs: Vec<_> = (0..count).map(|k| (left.of(k), right.of(k))).collect();
        let full = &key.full;
        let made = engine.install(|| compute(engine.algorithms.engine(), full, &pairs))?;
        // SAFETY: by this function's condition.
        unsafe { rows.write(public(made)) }
    }
}

/// The encrypted sums of two encrypted numbers each, modulo n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_add(
    engine: *const Engine,
    key: *const PaillierPublicKey,
    count: usize,
    ciphertexts: Numbers,
    addends: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    let pairs = Pairs {
        engine,
        key,
        count,
        left: ciphertexts,
        right: addends,
        order,
        results,
        result_width,
        statuses,
    };
    // SAFETY: the caller's arguments are as the header says.
    guarded(|| unsafe { pairs.compute(["ciphertexts", "addends"], paillier::add_batch) })
}

/// The encrypted sums of an encrypted number and a plain one below n each, modulo n. Plain numbers are
/// secrets in the time that this takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_add_plain(
    engine: *const Engine,
    key: *const PaillierPublicKey,
    count: usize,
    ciphertexts: Numbers,
    plaintexts: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    let pairs = Pairs {
        engine,
        key,
        count,
        left: ciphertexts,
        right: plaintexts,
        order,
        results,
        result_width,
        statuses,
    };
    // SAFETY: the caller's arguments are as the header says.
    guarded(|| unsafe { pairs.compute(["ciphertexts", "plaintexts"], paillier::add_plain_batch) })
}

/// The encrypted products of an encrypted number and a plain factor below n each, modulo n. `secrecy` is that
/// of the factors, a sunzi_secrecy: if they are secret, the time depends on their width only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_multiply(
    engine: *const Engine,
    key: *const PaillierPublicKey,
    count: usize,
    ciphertexts: Numbers,
    factors: Numbers,
    order: u32,
    secrecy: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    let pairs = Pairs {
        engine,
        key,
        count,
        left: ciphertexts,
        right: factors,
        order,
        results,
        result_width,
        statuses,
    };
    guarded(|| {
        let compute = match Secrecy::new(secrecy)? {
            Secrecy::Secret => paillier::multiply_batch,
            Secrecy::Public => paillier::multiply_batch_vartime,
        };
        // SAFETY: the caller's arguments are as the header says.
        unsafe { pairs.compute(["ciphertexts", "factors"], compute) }
    })
}

/// The same plaintexts in new ciphertexts, of which nobody without the private key can tell where they came
/// from. `method` is as in sunzi_paillier_encrypt.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_randomize(
    engine: *const Engine,
    key: *const PaillierPublicKey,
    method: u32,
    count: usize,
    ciphertexts: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a key.
        let (engine, key) = unsafe { (borrowed(engine, "engine")?, borrowed(key, "key")?) };
        let order = ByteOrder::new(order)?;
        let least = key.key.ciphertext_size();
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        // SAFETY: the caller's buffer has a number for each item.
        let ciphertexts = unsafe { Operand::read(ciphertexts, count, order, "ciphertexts") }?;
        let (key, ciphertexts) = (key.prepared(method)?, ciphertexts.plain(count));
        let made = engine.install(|| {
            let engine = engine.algorithms.engine();
            paillier::randomize_batch(engine, &mut system_rng(), key, &ciphertexts)
        })?;
        // SAFETY: the caller's buffers have room for all items.
        unsafe { rows.write(public(made)) }
    })
}

/// The encrypted sum of `count` encrypted numbers, modulo n, written to `result`. Of none, the ciphertext 1 of
/// 0, which hides nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_sum(
    engine: *const Engine,
    key: *const PaillierPublicKey,
    count: usize,
    ciphertexts: Numbers,
    order: u32,
    result: *mut u8,
    result_width: usize,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and a key.
        let (engine, key) = unsafe { (borrowed(engine, "engine")?, borrowed(key, "key")?) };
        let order = ByteOrder::new(order)?;
        let (least, nowhere) = (key.key.ciphertext_size(), core::ptr::null_mut());
        let rows = Rows::new(result, result_width, least, 1, order, nowhere)?;
        // SAFETY: the caller's buffer has a number for each item.
        let ciphertexts = unsafe { Operand::read(ciphertexts, count, order, "ciphertexts") }?;
        let (full, ciphertexts) = (&key.full, ciphertexts.plain(count));
        let sum =
            engine.install(|| paillier::sum(engine.algorithms.engine(), full, &ciphertexts))?;
        let sum = sum.map_err(failure)?;
        // SAFETY: the caller's buffer has so many bytes.
        unsafe { rows.write([Ok(Zeroizing::new(sum))]) }
    })
}

fn code_failure(error: EncodeError) -> Error {
    let status = match error {
        EncodeError::Overflow => Status::Invalid,
        _ => Status::BadArgument,
    };
    Error::new(status, error)
}

/// Encodes `count` doubles as plaintexts, as phe does: value k is plaintext k times 16 to the power of
/// `exponents[k]`, and the upper third of the plaintexts counts as negative. If `exponent` is null, each gets the
/// highest exponent that keeps all its 53 bits, which tells its magnitude to who sees it; else all get that one,
/// and are rounded to the nearest multiple, of two the even one. Ciphertexts are added if their exponents are
/// equal. Results and statuses are as in sunzi_powers; infinities and what is no number are refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_encode(
    key: *const PaillierPublicKey,
    count: usize,
    values: *const f64,
    exponent: *const i32,
    order: u32,
    results: *mut u8,
    result_width: usize,
    exponents: *mut i32,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (key, values, exponent) = unsafe {
            let key = borrowed(key, "key")?;
            (
                key,
                array(values, count, "values")?,
                exponent.as_ref().copied(),
            )
        };
        let order = ByteOrder::new(order)?;
        let least = key.key.plaintext_size();
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        if exponents.is_null() && count > 0 {
            return Err(Error::argument("exponents is null"));
        }
        let encode = |(k, &value): (usize, &f64)| {
            let encoded = match exponent {
                None => Encoded::double(&key.key, value),
                Some(exponent) => Encoded::double_at(&key.key, value, exponent),
            };
            let made = encoded.as_ref().map_or(0, |encoded| encoded.exponent);
            // SAFETY: the caller's array has room for an exponent of each item.
            unsafe { *exponents.add(k) = made };
            encoded.map(|encoded| encoded.value).map_err(code_failure)
        };
        let encoded: Vec<_> = values.iter().enumerate().map(encode).collect();
        // SAFETY: the caller's buffers have room for all items.
        unsafe { rows.write(encoded) }
    })
}

/// Encodes `count` integers as plaintexts, with the exponent 0: a negative number -k is n - k. In constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_encode_integers(
    key: *const PaillierPublicKey,
    count: usize,
    values: *const i64,
    order: u32,
    results: *mut u8,
    result_width: usize,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (key, values) = unsafe { (borrowed(key, "key")?, array(values, count, "values")?) };
        let order = ByteOrder::new(order)?;
        let (least, nowhere) = (key.key.plaintext_size(), core::ptr::null_mut());
        let rows = Rows::new(results, result_width, least, count, order, nowhere)?;
        let encode = |&value: &i64| {
            let magnitude = Zeroizing::new(BoxedUint::from(value.unsigned_abs()));
            let encoded = Encoded::integer(&key.key, value.is_negative(), &magnitude);
            encoded.map(|encoded| encoded.value).map_err(code_failure)
        };
        let encoded: Vec<_> = values.iter().map(encode).collect();
        // SAFETY: the caller's buffer has room for all items.
        unsafe { rows.write(encoded) }
    })
}

/// # Safety
/// The caller's buffer has a plaintext for each item.
unsafe fn encoded(
    plaintexts: Numbers,
    count: usize,
    order: u32,
    exponent: impl Fn(usize) -> i32,
) -> Result<Vec<Encoded>, Error> {
    let order = ByteOrder::new(order)?;
    // SAFETY: by this function's condition.
    let values = unsafe { Operand::read(plaintexts, count, order, "plaintexts") }?;
    let encoded = |k| Encoded {
        value: Zeroizing::new(values.of(k).clone()),
        exponent: exponent(k),
    };
    Ok((0..count).map(encoded).collect())
}

/// Writes what a plaintext each decodes to, `failed` for items without a value.
///
/// # Safety
/// The caller's arrays have room for a value and a status of each item.
unsafe fn write_values<T>(
    decoded: Vec<Answer<T>>,
    failed: impl Fn() -> T,
    values: *mut T,
    statuses: *mut Status,
) -> Result<(), Error> {
    if values.is_null() && !decoded.is_empty() {
        return Err(Error::argument("values is null"));
    }
    let written = |(k, decoded): (usize, Answer<T>)| {
        let (value, answer) = match decoded {
            Ok(value) => (value, Ok(())),
            Err(error) => (failed(), Err(error)),
        };
        // SAFETY: by this function's condition.
        unsafe { values.add(k).write(value) };
        answer
    };
    let answers: Vec<_> = decoded.into_iter().enumerate().map(written).collect();
    // SAFETY: likewise.
    unsafe { sum_up(&answers, statuses) }
}

/// Decodes `count` plaintexts with these exponents to the nearest doubles, of two the even ones. Status k is
/// SUNZI_STATUS_INVALID for a plaintext that is neither a positive nor a negative number, since a sum or a product
/// was too large, and SUNZI_STATUS_BAD_ARGUMENT for one that is not below n, or too large for a double; the value
/// is then not a number. The time depends on the numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_decode(
    key: *const PaillierPublicKey,
    count: usize,
    plaintexts: Numbers,
    exponents: *const i32,
    order: u32,
    values: *mut f64,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (key, encoded) = unsafe {
            let key = borrowed(key, "key")?;
            let exponents = array(exponents, count, "exponents")?;
            (key, encoded(plaintexts, count, order, |k| exponents[k])?)
        };
        let decode = |encoded: Encoded| encoded.to_double_vartime(&key.key).map_err(code_failure);
        let decoded = encoded.into_iter().map(decode).collect();
        // SAFETY: the caller's arrays have room for all items.
        unsafe { write_values(decoded, || f64::NAN, values, statuses) }
    })
}

/// Decodes `count` plaintexts with the exponent 0 to integers. Statuses are as in sunzi_paillier_decode, and
/// SUNZI_STATUS_BAD_ARGUMENT for a number below -2^63 or above 2^63 - 1; the value is then 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_decode_integers(
    key: *const PaillierPublicKey,
    count: usize,
    plaintexts: Numbers,
    order: u32,
    values: *mut i64,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (key, encoded) = unsafe {
            let key = borrowed(key, "key")?;
            (key, encoded(plaintexts, count, order, |_| 0)?)
        };
        let decode = |encoded: Encoded| {
            let (negative, magnitude) = encoded.mantissa(&key.key).map_err(code_failure)?;
            let bytes = Zeroizing::new(magnitude.to_le_bytes());
            let (low, high) = bytes.split_at(bytes.len().min(16));
            let mut wide = [0; 16];
            wide[..low.len()].copy_from_slice(low);
            let wide = u128::from_le_bytes(wide).cast_signed();
            let value = if negative { wide.wrapping_neg() } else { wide };
            let fits = wide >= 0 && high.iter().all(|&byte| byte == 0);
            let value = i64::try_from(value).ok().filter(|_| fits);
            value.ok_or_else(|| Error::argument("the number is too large for an int64_t"))
        };
        let decoded = encoded.into_iter().map(decode).collect();
        // SAFETY: the caller's arrays have room for all items.
        unsafe { write_values(decoded, || 0, values, statuses) }
    })
}

/// Encodes `count` plaintexts with these exponents anew, with the exponent `exponent`, which is at most any of
/// them: digits would be lost otherwise. Statuses are as in sunzi_paillier_decode. (A ciphertext gets a lower
/// exponent by sunzi_paillier_multiply with a power of 16.)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_paillier_lower_exponents(
    key: *const PaillierPublicKey,
    count: usize,
    plaintexts: Numbers,
    exponents: *const i32,
    order: u32,
    exponent: i32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (key, encoded) = unsafe {
            let key = borrowed(key, "key")?;
            let exponents = array(exponents, count, "exponents")?;
            (key, encoded(plaintexts, count, order, |k| exponents[k])?)
        };
        let order = ByteOrder::new(order)?;
        let least = key.key.plaintext_size();
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        let lowered = encoded.iter().map(|encoded| {
            let lowered = encoded.with_exponent(&key.key, exponent);
            lowered.map(|lowered| lowered.value).map_err(code_failure)
        });
        let lowered: Vec<_> = lowered.collect();
        // SAFETY: the caller's buffers have room for all items.
        unsafe { rows.write(lowered) }
    })
}
