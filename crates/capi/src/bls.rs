//! BLS signatures on BLS12-381.

use sunzi_pk::bls::{
    PreparedBls, PublicKey, Scheme, SecretKey, SecretKeyError, SignError, SignRequest, Signature,
    Suite, Variant, VerifyError, VerifyRequest,
};
use sunzi_pk::ec::pairing::{DomainSeparationTag, PreparedPairing};
use sunzi_pk::system_rng;
use zeroize::Zeroizing;

use crate::batch::{self, Answer, Copies, of_item, rows, rows_mut, sum_up};
use crate::buffers::Bytes;
use crate::engine::{Engine, Place, borrowed, freed};
use crate::status::{Error, Status, guarded};

/// Bytes of a secret key.
const SECRET_BYTES: usize = 32;

/// The groups of keys and signatures.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlsVariant {
    /// Keys of 48 bytes in G1, signatures of 96 bytes in G2: Ethereum's.
    MinPk = 0,
    /// Signatures of 48 bytes in G1, keys of 96 bytes in G2: drand's quicknet.
    MinSig = 1,
}

/// The scheme of the draft: its defence against keys that are chosen to cancel others in an aggregate.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlsScheme {
    /// The messages of an aggregate differ.
    Basic = 0,
    /// The signer's key is put before the message.
    MessageAugmentation = 1,
    /// Each key comes with a proof that its owner knows the secret key.
    ProofOfPossession = 2,
}

/// A suite of BLS signatures on BLS12-381 (draft-irtf-cfrg-bls-signature-05), prepared on an engine.
pub struct Bls {
    suite: PreparedBls,
}

/// Where a group's elements have their compressed encodings.
fn widths(variant: Variant) -> [usize; 2] {
    match variant {
        Variant::MinPk => [48, 96],
        Variant::MinSig => [96, 48],
    }
}

impl Bls {
    fn key_width(&self) -> usize {
        widths(self.suite.suite().variant())[0]
    }

    fn signature_width(&self) -> usize {
        widths(self.suite.suite().variant())[1]
    }

    /// The public keys of encodings, or what is wrong with each.
    fn keys(&self, encodings: &Copies) -> Result<Vec<Answer<PublicKey>>, Error> {
        let valid: Vec<&[u8]> = encodings.iter().flatten().map(Vec::as_slice).collect();
        let keys = self.suite.key_validate_batch(&valid);
        let mut keys = keys
            .map_err(|error| Error::new(Status::Failed, error))?
            .into_iter();
        let key = |encoding: &Answer<Vec<u8>>| {
            of_item(encoding)?;
            let key = keys.next().ok_or_else(Error::internal)?;
            key.map_err(|error| Error::new(Status::BadKey, error))
        };
        Ok(encodings.iter().map(key).collect())
    }

    /// The signature of an encoding.
    fn signature(&self, encoding: &[u8]) -> Result<Signature, Error> {
        let signatures = self.suite.decode_signature_batch(&[encoding]);
        let mut signatures = signatures
            .map_err(|error| Error::new(Status::Failed, error))?
            .into_iter();
        let signature = signatures.next().ok_or_else(Error::internal)?;
        signature.map_err(|error| Error::new(Status::Invalid, error))
    }
}

fn verdict(error: VerifyError) -> Error {
    let status = match error {
        VerifyError::Random | VerifyError::Engine(_) => Status::Failed,
        VerifyError::NoProofs => Status::BadArgument,
        _ => Status::Invalid,
    };
    Error::new(status, error)
}

fn signing(error: SignError) -> Error {
    Error::new(Status::Failed, error)
}

fn secret(error: SecretKeyError) -> Error {
    let status = match error {
        SecretKeyError::Random => Status::Failed,
        SecretKeyError::Material(_) => Status::BadArgument,
        _ => Status::BadKey,
    };
    Error::new(status, error)
}

/// The secret keys of a caller's rows, or what is wrong with each.
///
/// # Safety
/// `data` points to `count` rows of readable bytes.
unsafe fn secrets(data: *const u8, count: usize) -> Result<Vec<Answer<SecretKey>>, Error> {
    // SAFETY: by this function's condition.
    let bytes = Zeroizing::new(unsafe { rows(data, count, SECRET_BYTES, "secret_keys") }?);
    let key = |row: &[u8]| SecretKey::from_bytes(row).map_err(secret);
    Ok(bytes.chunks_exact(SECRET_BYTES).map(key).collect())
}

/// Answers to the entries without an error, in their places.
fn answered<T, U, E>(
    entries: &[Answer<T>],
    compute: impl FnOnce(Vec<&T>) -> Vec<Result<U, E>>,
    failure: impl Fn(E) -> Error,
) -> Vec<Answer<U>> {
    let mut answers = compute(entries.iter().flatten().collect()).into_iter();
    let answer = |entry: &Answer<T>| {
        entry.as_ref().map_err(Error::clone)?;
        let answer = answers.next().ok_or_else(Error::internal)?;
        answer.map_err(&failure)
    };
    entries.iter().map(answer).collect()
}

/// Writes encodings into rows, zeros for items that failed, and sums up the statuses.
///
/// # Safety
/// `data` points to `count * width` writable bytes for the count of answers, and `statuses` is null or has room for all;
/// nothing else that is used overlaps with them.
unsafe fn written(
    answers: Vec<Answer<Vec<u8>>>,
    data: *mut u8,
    width: usize,
    what: &str,
    statuses: *mut Status,
) -> Result<(), Error> {
    // SAFETY: by this function's condition.
    let rows = unsafe { rows_mut(data, answers.len(), width, what) }?;
    let write = |(row, answer): (&mut [u8], Answer<Vec<u8>>)| {
        row.fill(0);
        answer.map(|bytes| row.copy_from_slice(&bytes))
    };
    let answers: Vec<_> = rows.zip(answers).map(write).collect();
    // SAFETY: by this function's condition.
    unsafe { sum_up(&answers, statuses) }
}

/// Prepares a suite. `variant` is a sunzi_bls_variant, `scheme` a sunzi_bls_scheme. Messages are hashed with `tag`, or
/// with the draft's for these if it has no bytes. It is to be freed by sunzi_bls_free, and stays usable when the
/// engine is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_new(
    engine: *const Engine,
    variant: u32,
    scheme: u32,
    tag: Bytes,
    bls: *mut *mut Bls,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place, an engine and readable bytes.
        let (place, engine, tag) = unsafe {
            let place = Place::new(bls, "bls")?;
            (place, borrowed(engine, "engine")?, tag.copied("tag")?)
        };
        let variant = match variant {
            0 => Variant::MinPk,
            1 => Variant::MinSig,
            other => {
                let words = format_args!("variant is {other}: no sunzi_bls_variant");
                return Err(Error::argument(words));
            }
        };
        let scheme = match scheme {
            0 => Scheme::Basic,
            1 => Scheme::MessageAugmentation,
            2 => Scheme::ProofOfPossession,
            other => {
                let words = format_args!("scheme is {other}: no sunzi_bls_scheme");
                return Err(Error::argument(words));
            }
        };
        let mut suite = Suite::new(variant, scheme);
        if !tag.is_empty() {
            suite = suite.with_tag(DomainSeparationTag::new(&tag).map_err(Error::argument)?);
        }
        let pairing = PreparedPairing::bls12_381(engine.algorithms.engine());
        let pairing = pairing.map_err(|error| Error::new(Status::Failed, error))?;
        place.hand_over(Bls {
            suite: PreparedBls::new(&pairing, suite),
        });
        Ok(())
    })
}

/// Frees a suite. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_free(bls: *mut Bls) {
    // SAFETY: it is null, or comes from this library, and nobody uses it any more.
    unsafe { freed(bls) }
}

/// The bytes of a compressed public key, 48 or 96. 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_key_width(bls: *const Bls) -> usize {
    // SAFETY: the caller's pointer is null or a suite.
    unsafe { bls.as_ref() }.map_or(0, Bls::key_width)
}

/// The bytes of a compressed signature, 96 or 48. 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_signature_width(bls: *const Bls) -> usize {
    // SAFETY: the caller's pointer is null or a suite.
    unsafe { bls.as_ref() }.map_or(0, Bls::signature_width)
}

/// Makes a secret key of secret key material, of at least 32 bytes, and a public `info` (the draft's KeyGen; without
/// info the master key of EIP-2333), and writes its 32 big-endian bytes to `secret_key`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_key_of_material(
    material: Bytes,
    info: Bytes,
    secret_key: *mut u8,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's buffers are readable.
        let (material, info) = unsafe { (material.copied("material")?, info.copied("info")?) };
        let material = Zeroizing::new(material);
        let key = SecretKey::from_key_material(&material, &info).map_err(secret)?;
        // SAFETY: the caller's buffer has room for the key.
        let row = unsafe { rows_mut(secret_key, 1, SECRET_BYTES, "secret_key") }?;
        row.for_each(|row| row.copy_from_slice(&key.to_bytes()));
        Ok(())
    })
}

/// Derives the child of a secret key with this index (EIP-2333), and writes its 32 big-endian bytes to `child`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_child(
    secret_key: *const u8,
    index: u32,
    child: *mut u8,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's buffer has a key.
        let mut keys = unsafe { secrets(secret_key, 1) }?;
        let key = keys.pop().ok_or_else(Error::internal)??;
        // SAFETY: the caller's buffer has room for the key.
        let row = unsafe { rows_mut(child, 1, SECRET_BYTES, "child") }?;
        row.for_each(|row| row.copy_from_slice(&key.child(index).to_bytes()));
        Ok(())
    })
}

/// Computes the public keys of `count` secret keys, each of 32 big-endian bytes, which are secret. Public key k is
/// written to `public_keys + k * width` for the width of a key, zeros if its status is not SUNZI_STATUS_OK. `statuses`
/// may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_public_keys(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    secret_keys: *const u8,
    public_keys: *mut u8,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its buffer has all keys.
        let (engine, bls, secrets) = unsafe {
            let (engine, bls) = (borrowed(engine, "engine")?, borrowed(bls, "bls")?);
            (engine, bls, secrets(secret_keys, count)?)
        };
        let keys = engine.install(|| {
            let compute = |keys: Vec<&SecretKey>| bls.suite.public_key_batch(&keys);
            answered(&secrets, compute, signing)
        })?;
        let keys = keys
            .into_iter()
            .map(|key| key.map(|key| key.to_bytes().to_vec()));
        // SAFETY: the caller's buffers have room for all results.
        unsafe {
            written(
                keys.collect(),
                public_keys,
                bls.key_width(),
                "public_keys",
                statuses,
            )
        }
    })
}

/// Signs `count` messages, each with the secret key in the same place, of 32 big-endian bytes, in constant time.
/// Signatures are verified before they are written, as public keys are in sunzi_bls_public_keys, in the width of a
/// signature. `statuses` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_sign(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    secret_keys: *const u8,
    messages: *const Bytes,
    signatures: *mut u8,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its buffers have all keys and messages.
        let (engine, bls, secrets, texts) = unsafe {
            let (engine, bls) = (borrowed(engine, "engine")?, borrowed(bls, "bls")?);
            let texts = batch::messages(messages, count, "messages", "the message")?;
            (engine, bls, secrets(secret_keys, count)?, texts)
        };
        let entries = secrets.into_iter().zip(texts);
        let entries: Vec<Answer<_>> = entries.map(|(key, text)| Ok((key?, text?))).collect();
        let made = engine.install(|| {
            let compute = |entries: Vec<&(SecretKey, Vec<u8>)>| {
                let requests = entries
                    .iter()
                    .map(|(key, message)| SignRequest { key, message });
                bls.suite.sign_batch(&requests.collect::<Vec<_>>())
            };
            answered(&entries, compute, signing)
        })?;
        let made = made
            .into_iter()
            .map(|signature| signature.map(|signature| signature.to_bytes()));
        let width = bls.signature_width();
        // SAFETY: the caller's buffers have room for all results.
        unsafe { written(made.collect(), signatures, width, "signatures", statuses) }
    })
}

/// Makes proofs of possession of `count` secret keys. As sunzi_bls_sign.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_prove(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    secret_keys: *const u8,
    proofs: *mut u8,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its buffer has all keys.
        let (engine, bls, secrets) = unsafe {
            let (engine, bls) = (borrowed(engine, "engine")?, borrowed(bls, "bls")?);
            (engine, bls, secrets(secret_keys, count)?)
        };
        let made = engine.install(|| {
            let compute = |keys: Vec<&SecretKey>| bls.suite.prove_batch(&keys);
            answered(&secrets, compute, signing)
        })?;
        let made = made
            .into_iter()
            .map(|proof| proof.map(|proof| proof.to_bytes()));
        // SAFETY: the caller's buffers have room for all results.
        unsafe {
            written(
                made.collect(),
                proofs,
                bls.signature_width(),
                "proofs",
                statuses,
            )
        }
    })
}

/// Tells whether each of `count` encodings is a public key, an element of its group other than the neutral one: status k
/// is SUNZI_STATUS_OK or SUNZI_STATUS_BAD_KEY. Returns SUNZI_STATUS_OK if all are keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_validate_keys(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    public_keys: *const Bytes,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its buffer has all keys.
        let (engine, bls, encodings) = unsafe {
            let (engine, bls) = (borrowed(engine, "engine")?, borrowed(bls, "bls")?);
            let keys = batch::messages(public_keys, count, "public_keys", "the public key")?;
            (engine, bls, keys)
        };
        let keys = engine.install(|| bls.keys(&encodings))??;
        let answers: Vec<_> = keys.into_iter().map(|key| key.map(drop)).collect();
        // SAFETY: the caller's buffer has room for all statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}

/// The key, the message and the signature of an item.
type Entry<'a> = (PublicKey, &'a [u8], &'a [u8]);

/// The parts of a batch of verifications.
struct Work<'a> {
    engine: &'a Engine,
    bls: &'a Bls,
    keys: Copies,
    texts: Copies,
    signatures: Copies,
}

impl Work<'_> {
    /// Copies the arrays of a caller.
    ///
    /// # Safety
    /// Pointers are null or objects, and arrays have `count` elements with readable bytes.
    unsafe fn read(
        (engine, bls): (*const Engine, *const Bls),
        count: usize,
        keys: *const Bytes,
        texts: *const Bytes,
        signatures: *const Bytes,
    ) -> Result<Self, Error> {
        // SAFETY: by this function's condition.
        unsafe {
            Ok(Self {
                engine: borrowed(engine, "engine")?,
                bls: borrowed(bls, "bls")?,
                keys: batch::messages(keys, count, "public_keys", "the public key")?,
                texts: batch::messages(texts, count, "messages", "the message")?,
                signatures: batch::messages(signatures, count, "signatures", "the signature")?,
            })
        }
    }

    /// The key, the message and the signature of each item.
    fn entries(&self) -> Result<Vec<Answer<Entry<'_>>>, Error> {
        let keys = self.bls.keys(&self.keys)?.into_iter();
        let entries = keys.zip(&self.texts).zip(&self.signatures);
        let entries =
            entries.map(|((key, text), signature)| Ok((key?, of_item(text)?, of_item(signature)?)));
        Ok(entries.collect())
    }
}

fn requests<'a>(entries: &[&'a Entry<'a>]) -> Vec<VerifyRequest<'a>> {
    let request = |(key, message, signature): &&'a Entry<'a>| VerifyRequest {
        key,
        message,
        signature,
    };
    entries.iter().map(request).collect()
}

/// Verifies `count` signatures, each of the message and by the key in the same place: status k is SUNZI_STATUS_OK,
/// SUNZI_STATUS_INVALID, or SUNZI_STATUS_BAD_KEY for what is no public key. Returns SUNZI_STATUS_OK if all are valid,
/// SUNZI_STATUS_INVALID if one is not, and SUNZI_STATUS_SOME_FAILED if there is no verdict on one. `statuses` may be
/// null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_verify(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    public_keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its arrays have all items.
        let work = unsafe { Work::read((engine, bls), count, public_keys, messages, signatures) }?;
        let answers = work.engine.install(|| {
            let entries = work.entries()?;
            let verify = |entries: Vec<&_>| work.bls.suite.verify_batch(&requests(&entries));
            Ok(answered(&entries, verify, verdict))
        })?;
        // SAFETY: the caller's buffer has room for all statuses.
        unsafe { sum_up(&answers?, statuses) }
    })
}

/// Verifies `count` signatures all together, by random factors, in half the time of sunzi_bls_verify: one verdict, in
/// which an invalid signature is overlooked with a probability of at most 2^-70.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_verify_all(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    public_keys: *const Bytes,
    messages: *const Bytes,
    signatures: *const Bytes,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its arrays have all items.
        let work = unsafe { Work::read((engine, bls), count, public_keys, messages, signatures) }?;
        work.engine.install(|| {
            let entries: Result<Vec<_>, Error> = work.entries()?.into_iter().collect();
            let entries = entries?;
            let requests = requests(&entries.iter().collect::<Vec<_>>());
            let valid = work.bls.suite.verify_sets(&mut system_rng(), &requests);
            if valid.map_err(verdict)? {
                return Ok(());
            }
            Err(Error::new(Status::Invalid, "a signature is not valid"))
        })?
    })
}

/// Verifies `count` proofs of possession, each of the key in the same place. Statuses are as in sunzi_bls_verify.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_verify_proofs(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    public_keys: *const Bytes,
    proofs: *const Bytes,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its arrays have all items; proofs stand for messages,
        // which these signatures have not.
        let work = unsafe { Work::read((engine, bls), count, public_keys, proofs, proofs) }?;
        let answers = work.engine.install(|| {
            let entries = work.entries()?;
            let verify = |entries: Vec<&Entry<'_>>| {
                let proofs = entries.iter().map(|(key, _, proof)| (key, *proof));
                let proofs: Vec<_> = proofs.collect();
                work.bls.suite.verify_proof_batch(&proofs)
            };
            Ok(answered(&entries, verify, verdict))
        })?;
        // SAFETY: the caller's buffer has room for all statuses.
        unsafe { sum_up(&answers?, statuses) }
    })
}

/// Adds up `count` signatures, at least one, and writes the aggregate to `aggregate`, in the width of a signature.
/// SUNZI_STATUS_INVALID if one of them is no signature.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_aggregate(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    signatures: *const Bytes,
    aggregate: *mut u8,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its array has all signatures.
        let (engine, bls, encodings) = unsafe {
            let (engine, bls) = (borrowed(engine, "engine")?, borrowed(bls, "bls")?);
            let encodings = batch::messages(signatures, count, "signatures", "the signature")?;
            (engine, bls, encodings)
        };
        if encodings.is_empty() {
            return Err(Error::argument("an aggregate has at least one signature"));
        }
        let encodings = encodings.into_iter().collect::<Result<Vec<_>, _>>()?;
        let sum = engine.install(|| {
            let encodings: Vec<&[u8]> = encodings.iter().map(Vec::as_slice).collect();
            let signatures = bls.suite.decode_signature_batch(&encodings);
            let signatures = signatures.map_err(|error| Error::new(Status::Failed, error))?;
            let signatures = signatures.into_iter().enumerate().map(|(k, signature)| {
                let words = |error| Error::new(Status::Invalid, format_args!("item {k}: {error}"));
                signature.map_err(words)
            });
            let signatures = signatures.collect::<Result<Vec<_>, _>>()?;
            let signatures: Vec<_> = signatures.iter().collect();
            bls.suite.aggregate(&signatures).map_err(verdict)
        })??;
        // SAFETY: the caller's buffer has room for a signature.
        let row = unsafe { rows_mut(aggregate, 1, bls.signature_width(), "aggregate") }?;
        row.for_each(|row| row.copy_from_slice(&sum.to_bytes()));
        Ok(())
    })
}

/// The keys of an aggregate, of which none may be wrong.
fn all_keys(bls: &Bls, encodings: &Copies) -> Result<Vec<PublicKey>, Error> {
    bls.keys(encodings)?.into_iter().collect()
}

/// Verifies an aggregate of signatures, each of the message and by the key in the same place: SUNZI_STATUS_OK,
/// SUNZI_STATUS_INVALID, or SUNZI_STATUS_BAD_KEY if one of the keys is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_aggregate_verify(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    public_keys: *const Bytes,
    messages: *const Bytes,
    signature: Bytes,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its arrays have all items.
        let (engine, bls, keys, texts, signature) = unsafe {
            let (engine, bls) = (borrowed(engine, "engine")?, borrowed(bls, "bls")?);
            let keys = batch::messages(public_keys, count, "public_keys", "the public key")?;
            let texts = batch::messages(messages, count, "messages", "the message")?;
            (engine, bls, keys, texts, signature.copied("the signature")?)
        };
        let texts = texts.iter().map(of_item).collect::<Result<Vec<_>, _>>()?;
        engine.install(|| {
            let keys = all_keys(bls, &keys)?;
            let keys: Vec<_> = keys.iter().collect();
            let signature = bls.signature(&signature)?;
            let valid = bls.suite.aggregate_verify(&keys, &texts, &signature);
            valid.map_err(verdict)
        })?
    })
}

/// Verifies an aggregate of signatures of one message by `count` keys, in the scheme with proofs of possession only, which
/// must have been verified for all keys: SUNZI_STATUS_OK, SUNZI_STATUS_INVALID, or SUNZI_STATUS_BAD_KEY if one of the
/// keys is none. No keys and keys that add up to the neutral element are invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_bls_fast_aggregate_verify(
    engine: *const Engine,
    bls: *const Bls,
    count: usize,
    public_keys: *const Bytes,
    message: Bytes,
    signature: Bytes,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null or objects, and its array has all keys.
        let (engine, bls, keys, message, signature) = unsafe {
            let (engine, bls) = (borrowed(engine, "engine")?, borrowed(bls, "bls")?);
            let keys = batch::messages(public_keys, count, "public_keys", "the public key")?;
            let message = message.copied("the message")?;
            (
                engine,
                bls,
                keys,
                message,
                signature.copied("the signature")?,
            )
        };
        engine.install(|| {
            let keys = all_keys(bls, &keys)?;
            let keys: Vec<_> = keys.iter().collect();
            let signature = bls.signature(&signature)?;
            let valid = bls.suite.fast_aggregate_verify(&keys, &message, &signature);
            valid.map_err(verdict)
        })?
    })
}
