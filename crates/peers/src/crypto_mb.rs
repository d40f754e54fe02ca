//! `crypto_mb` of Intel's Cryptography Primitives Library: eight operations at a time with AVX-512 IFMA.
//!
//! The library is loaded at run time, from the file that the environment variable `SUNZI_CRYPTO_MB` names, as
//! registries have only binaries of it (`make bench-crypto-mb` fetches one). It neither blinds nor checks its
//! signatures. Nonces of ECDSA are OpenSSL's random numbers.

mod library;
mod width;

use crate::interface::{CurveName, Group, Groups, MaybeGroup, Operands, Peer, PeerError, sha};
use crate::loaded::{Loaded, named};
use library::{Functions, Lanes, NistCurve, RsaKeys, SIZES};
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use openssl::ec::{EcGroup, EcPoint};
use openssl::ecdsa::EcdsaSig;
use openssl::hash::{MessageDigest, hash};
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::rsa::RsaRef;
use width::WIDTH;

/// The environment variable that names the library's file.
const VARIABLE: &str = "SUNZI_CRYPTO_MB";

/// The library, if [`VARIABLE`] names it.
///
/// # Errors
/// [`PeerError::CryptoMb`] if it cannot be loaded, or cannot run here.
pub(crate) fn peer() -> Result<Option<Peer>, PeerError> {
    Ok(functions()?.map(|functions| Peer {
        name: format!("crypto_mb {}", functions.version()),
        short: "crypto_mb",
        signer: None,
        verifier: None,
        power: None,
        curves: None,
        pairing_group: None,
        pairing: None,
        bls: None,
        groups: Some(Groups {
            size: WIDTH,
            signing,
            verifying,
            powers,
            signing_on_curve,
            verifying_on_curve,
            agreeing,
        }),
    }))
}

fn functions() -> Result<Option<&'static Functions>, PeerError> {
    static FUNCTIONS: Loaded<Functions> = Loaded::new();
    named(&FUNCTIONS, VARIABLE, Functions::load).map_err(PeerError::CryptoMb)
}

/// The library, which must have been loaded.
fn loaded() -> Result<&'static Functions, PeerError> {
    functions()?.ok_or_else(|| PeerError::CryptoMb(format!("{VARIABLE} is not set")))
}

/// The k-th operation of eight: the operations of a group, and again from the first on until there are eight.
fn lane<T: Copy>(operations: &[T], k: usize) -> T {
    operations[k % operations.len()]
}

/// A number in `length` words, the lowest first.
fn words(number: &BigNumRef, length: usize) -> Result<Vec<u64>, PeerError> {
    let bytes = i32::try_from(8 * length).map_err(|_| failed("a number's length"))?;
    let bytes = number.to_vec_padded(bytes)?;
    let words = bytes.rchunks_exact(8).map(|word| {
        let word: Result<[u8; 8], _> = word.try_into();
        word.map(u64::from_be_bytes)
    });
    words
        .collect::<Result<_, _>>()
        .map_err(|_| failed("a number's words"))
}

fn failed(step: &str) -> PeerError {
    PeerError::CryptoMb(format!("{step} failed"))
}

/// The common length in bits of some moduli, if the library has it.
fn size(bits: impl IntoIterator<Item = i32>) -> Option<usize> {
    let mut bits = bits.into_iter();
    let first = usize::try_from(bits.next()?).ok()?;
    let same = bits.all(|other| usize::try_from(other) == Ok(first));
    (same && SIZES.contains(&first)).then_some(first)
}

/// The digest information of SHA-256 (RFC 8017, section 9.2, note 1).
const SHA_256: [u8; 19] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
];

/// Writes a digest, encoded by PKCS#1 v1.5, to as many bytes as the modulus has.
fn encode(digest: &[u8], encoded: &mut [u8]) -> Result<(), PeerError> {
    let text = encoded.len().checked_sub(SHA_256.len() + digest.len());
    let text = text.filter(|&text| text >= 11 && digest.len() == 32);
    let text = text.ok_or_else(|| failed("encoding a digest"))?;
    encoded.fill(0xff);
    encoded[..2].copy_from_slice(&[0, 1]);
    encoded[text - 1] = 0;
    encoded[text..text + SHA_256.len()].copy_from_slice(&SHA_256);
    encoded[text + SHA_256.len()..].copy_from_slice(digest);
    Ok(())
}

struct Signing {
    bits: usize,
    digests: [Vec<u8>; WIDTH],
    encoded: Lanes<u8>,
    keys: RsaKeys,
    signatures: Lanes<u8>,
    scratch: Vec<u64>,
}

fn signing(operations: &[Operands<'_, 2>]) -> MaybeGroup {
    let keys = operations
        .iter()
        .map(|[pkcs8, _]| PKey::private_key_from_pkcs8(pkcs8)?.rsa());
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    let Some(bits) = size(keys.iter().map(|key| key.n().num_bits())) else {
        return Ok(None);
    };
    let number = |number: fn(&RsaRef<Private>) -> Option<&BigNumRef>| {
        Lanes::new(bits / 128, |k| {
            let number = number(&keys[k % keys.len()]);
            words(number.ok_or_else(|| failed("reading a prime"))?, bits / 128)
        })
    };
    Ok(Some(Box::new(Signing {
        bits,
        digests: core::array::from_fn(|k| lane(operations, k)[1].to_vec()),
        encoded: Lanes::zeros(bits / 8),
        keys: [
            number(RsaRef::p)?,
            number(RsaRef::q)?,
            number(RsaRef::dmp1)?,
            number(RsaRef::dmq1)?,
            number(RsaRef::iqmp)?,
        ],
        signatures: Lanes::zeros(bits / 8),
        scratch: loaded()?.rsa_scratch(bits, true)?,
    })))
}

impl Group for Signing {
    fn run(&mut self) -> Result<(), PeerError> {
        for (k, digest) in self.digests.iter().enumerate() {
            encode(digest, self.encoded.row_mut(k))?;
        }
        loaded()?.rsa_private(
            self.bits,
            &self.encoded,
            &mut self.signatures,
            &self.keys,
            &mut self.scratch,
        )
    }

    fn result(&self, k: usize) -> Vec<u8> {
        self.signatures.row(k).to_vec()
    }
}

struct Verifying {
    bits: usize,
    digests: [Vec<u8>; WIDTH],
    signatures: Lanes<u8>,
    moduli: Lanes<u64>,
    opened: Lanes<u8>,
    encoded: Vec<u8>,
    verdicts: [bool; WIDTH],
    scratch: Vec<u64>,
}

fn verifying(operations: &[Operands<'_, 3>]) -> MaybeGroup {
    let keys = operations
        .iter()
        .map(|[spki, ..]| PKey::public_key_from_der(spki)?.rsa());
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    let Some(bits) = size(keys.iter().map(|key| key.n().num_bits())) else {
        return Ok(None);
    };
    if keys.iter().any(|key| key.e().to_vec() != [1, 0, 1]) {
        return Ok(None);
    }
    Ok(Some(Box::new(Verifying {
        bits,
        digests: core::array::from_fn(|k| lane(operations, k)[1].to_vec()),
        signatures: Lanes::new(bits / 8, |k| Ok(lane(operations, k)[2].to_vec()))?,
        moduli: Lanes::new(bits / 64, |k| words(keys[k % keys.len()].n(), bits / 64))?,
        opened: Lanes::zeros(bits / 8),
        encoded: vec![0; bits / 8],
        verdicts: [false; WIDTH],
        scratch: loaded()?.rsa_scratch(bits, false)?,
    })))
}

impl Group for Verifying {
    fn run(&mut self) -> Result<(), PeerError> {
        loaded()?.rsa_public(
            self.bits,
            &self.signatures,
            &mut self.opened,
            &self.moduli,
            &mut self.scratch,
        )?;
        for (k, digest) in self.digests.iter().enumerate() {
            encode(digest, &mut self.encoded)?;
            self.verdicts[k] = self.encoded == self.opened.row(k);
        }
        Ok(())
    }

    fn result(&self, k: usize) -> Vec<u8> {
        vec![u8::from(self.verdicts[k])]
    }
}

struct Powers {
    bits: usize,
    numbers: [Lanes<u64>; 3],
    results: Lanes<u64>,
    scratch: Vec<u64>,
}

fn powers(operations: &[Operands<'_, 3>]) -> MaybeGroup {
    let numbers = operations.iter().map(|numbers| {
        let [base, exponent, modulus] = numbers.map(BigNum::from_slice);
        Ok([base?, exponent?, modulus?])
    });
    let numbers = numbers.collect::<Result<Vec<_>, PeerError>>()?;
    let Some(bits) = size(numbers.iter().map(|[.., modulus]| modulus.num_bits())) else {
        return Ok(None);
    };
    let lanes = |which: usize| {
        Lanes::new(bits / 64, |k| {
            words(&numbers[k % numbers.len()][which], bits / 64)
        })
    };
    Ok(Some(Box::new(Powers {
        bits,
        numbers: [lanes(0)?, lanes(1)?, lanes(2)?],
        results: Lanes::zeros(bits / 64),
        scratch: loaded()?.power_scratch(bits)?,
    })))
}

impl Group for Powers {
    fn run(&mut self) -> Result<(), PeerError> {
        loaded()?.power(
            self.bits,
            &mut self.results,
            &self.numbers,
            &mut self.scratch,
        )
    }

    fn result(&self, k: usize) -> Vec<u8> {
        let words = self.results.row(k).iter().rev();
        words.flat_map(|word| word.to_be_bytes()).collect()
    }
}

/// A NIST curve in the library and in OpenSSL, with the hash of messages.
struct Nist {
    curve: NistCurve,
    group: EcGroup,
    digest: MessageDigest,
}

fn nist(curve: CurveName<'_>) -> Result<Option<Nist>, PeerError> {
    let nid = match curve.name {
        "P-256" => Nid::X9_62_PRIME256V1,
        "P-384" => Nid::SECP384R1,
        "P-521" => Nid::SECP521R1,
        _ => return Ok(None),
    };
    let bits = usize::try_from(curve.bits).map_err(|_| PeerError::NoCurve)?;
    Ok(Some(Nist {
        curve: loaded()?.nist(bits).ok_or(PeerError::NoCurve)?,
        group: EcGroup::from_curve_name(nid)?,
        digest: sha(curve.bits),
    }))
}

impl Nist {
    /// The coordinates of points.
    fn coordinates(
        &self,
        mut point: impl FnMut(usize) -> Result<EcPoint, PeerError>,
    ) -> Result<[Lanes<u64>; 2], PeerError> {
        let words_each = self.curve.words();
        let mut coordinates = [Lanes::zeros(words_each), Lanes::zeros(words_each)];
        let (mut x, mut y) = (BigNum::new()?, BigNum::new()?);
        let mut context = BigNumContext::new()?;
        for k in 0..WIDTH {
            point(k)?.affine_coordinates(&self.group, &mut x, &mut y, &mut context)?;
            coordinates[0]
                .row_mut(k)
                .copy_from_slice(&words(&x, words_each)?);
            coordinates[1]
                .row_mut(k)
                .copy_from_slice(&words(&y, words_each)?);
        }
        Ok(coordinates)
    }

    /// Writes the hash of a message, with zeros before it up to the length of the order.
    fn hash(&self, message: &[u8], to: &mut [u8]) -> Result<(), PeerError> {
        let digest = hash(self.digest, message)?;
        let zeros = to.len() - digest.len();
        to[..zeros].fill(0);
        to[zeros..].copy_from_slice(&digest);
        Ok(())
    }
}

struct EcdsaSigning {
    nist: Nist,
    order: BigNum,
    messages: [Vec<u8>; WIDTH],
    hashes: Lanes<u8>,
    /// Nonces and keys.
    secrets: [Lanes<u64>; 2],
    signatures: [Lanes<u8>; 2],
}

fn signing_on_curve(curve: CurveName<'_>, operations: &[Operands<'_, 2>]) -> MaybeGroup {
    let messages = core::array::from_fn(|k| lane(operations, k)[1].to_vec());
    if curve.name == "Ed25519" {
        let key = |k| Ok::<_, PeerError>(PKey::private_key_from_pkcs8(lane(operations, k)[0])?);
        return Ok(Some(Box::new(Ed25519Signing {
            messages,
            keys: [
                Lanes::new(32, |k| Ok(key(k)?.raw_private_key()?))?,
                Lanes::new(32, |k| Ok(key(k)?.raw_public_key()?))?,
            ],
            signatures: [Lanes::zeros(32), Lanes::zeros(32)],
        })));
    }
    let Some(nist) = nist(curve)? else {
        return Ok(None);
    };
    let (bytes, length) = (nist.curve.bytes(), nist.curve.words());
    let key = |k| {
        let key = PKey::private_key_from_pkcs8(lane(operations, k)[0])?.ec_key()?;
        words(key.private_key(), length)
    };
    let mut order = BigNum::new()?;
    nist.group.order(&mut order, &mut *BigNumContext::new()?)?;
    Ok(Some(Box::new(EcdsaSigning {
        order,
        messages,
        hashes: Lanes::zeros(bytes),
        secrets: [Lanes::zeros(length), Lanes::new(length, key)?],
        signatures: [Lanes::zeros(bytes), Lanes::zeros(bytes)],
        nist,
    })))
}

impl Group for EcdsaSigning {
    fn run(&mut self) -> Result<(), PeerError> {
        let mut nonce = BigNum::new()?;
        for (k, message) in self.messages.iter().enumerate() {
            self.nist.hash(message, self.hashes.row_mut(k))?;
            self.order.rand_range(&mut nonce)?;
            let nonce = words(&nonce, self.nist.curve.words())?;
            self.secrets[0].row_mut(k).copy_from_slice(&nonce);
        }
        let curve = self.nist.curve;
        curve.sign(&mut self.signatures, &self.hashes, &self.secrets)
    }

    fn result(&self, k: usize) -> Vec<u8> {
        let [r, s] = self
            .signatures
            .each_ref()
            .map(|half| BigNum::from_slice(half.row(k)));
        let signature = r.and_then(|r| EcdsaSig::from_private_components(r, s?));
        let der = signature.and_then(|signature| signature.to_der());
        der.unwrap_or_default()
    }
}

struct EcdsaVerifying {
    nist: Nist,
    messages: [Vec<u8>; WIDTH],
    hashes: Lanes<u8>,
    signatures: [Vec<u8>; WIDTH],
    halves: [Lanes<u8>; 2],
    points: [Lanes<u64>; 2],
    verdicts: [bool; WIDTH],
}

fn verifying_on_curve(curve: CurveName<'_>, operations: &[Operands<'_, 3>]) -> MaybeGroup {
    let messages = core::array::from_fn(|k| lane(operations, k)[1].to_vec());
    let key = |k| PKey::public_key_from_der(lane(operations, k)[0]);
    if curve.name == "Ed25519" {
        let half = |k, from: usize| {
            let half = lane(operations, k)[2].get(from..from + 32);
            half.map(<[u8]>::to_vec)
                .ok_or_else(|| failed("reading a signature"))
        };
        return Ok(Some(Box::new(Ed25519Verifying {
            messages,
            public: Lanes::new(32, |k| Ok(key(k)?.raw_public_key()?))?,
            signatures: [
                Lanes::new(32, |k| half(k, 0))?,
                Lanes::new(32, |k| half(k, 32))?,
            ],
            verdicts: [false; WIDTH],
        })));
    }
    let Some(nist) = nist(curve)? else {
        return Ok(None);
    };
    let bytes = nist.curve.bytes();
    let points = nist.coordinates(|k| {
        let key = key(k)?.ec_key()?;
        Ok(key.public_key().to_owned(&nist.group)?)
    })?;
    Ok(Some(Box::new(EcdsaVerifying {
        messages,
        hashes: Lanes::zeros(bytes),
        signatures: core::array::from_fn(|k| lane(operations, k)[2].to_vec()),
        halves: [Lanes::zeros(bytes), Lanes::zeros(bytes)],
        points,
        verdicts: [false; WIDTH],
        nist,
    })))
}

impl Group for EcdsaVerifying {
    fn run(&mut self) -> Result<(), PeerError> {
        let bytes = self.nist.curve.bytes();
        let length = i32::try_from(bytes).map_err(|_| failed("a signature's length"))?;
        for k in 0..WIDTH {
            self.nist.hash(&self.messages[k], self.hashes.row_mut(k))?;
            let signature = EcdsaSig::from_der(&self.signatures[k])?;
            let [r, s] = [signature.r(), signature.s()].map(|half| half.to_vec_padded(length));
            self.halves[0].row_mut(k).copy_from_slice(&r?);
            self.halves[1].row_mut(k).copy_from_slice(&s?);
        }
        let curve = self.nist.curve;
        self.verdicts = curve.verify(&self.halves, &self.hashes, &self.points)?;
        Ok(())
    }

    fn result(&self, k: usize) -> Vec<u8> {
        vec![u8::from(self.verdicts[k])]
    }
}

struct Ed25519Signing {
    messages: [Vec<u8>; WIDTH],
    /// Private and public keys.
    keys: [Lanes<u8>; 2],
    signatures: [Lanes<u8>; 2],
}

impl Group for Ed25519Signing {
    fn run(&mut self) -> Result<(), PeerError> {
        loaded()?.ed25519_sign(&mut self.signatures, &self.messages, &self.keys)
    }

    fn result(&self, k: usize) -> Vec<u8> {
        self.signatures.each_ref().map(|half| half.row(k)).concat()
    }
}

struct Ed25519Verifying {
    messages: [Vec<u8>; WIDTH],
    public: Lanes<u8>,
    signatures: [Lanes<u8>; 2],
    verdicts: [bool; WIDTH],
}

impl Group for Ed25519Verifying {
    fn run(&mut self) -> Result<(), PeerError> {
        self.verdicts = loaded()?.ed25519_verify(&self.signatures, &self.messages, &self.public)?;
        Ok(())
    }

    fn result(&self, k: usize) -> Vec<u8> {
        vec![u8::from(self.verdicts[k])]
    }
}

struct Ecdh {
    curve: NistCurve,
    keys: Lanes<u64>,
    points: [Lanes<u64>; 2],
    secrets: Lanes<u8>,
}

fn agreeing(curve: CurveName<'_>, operations: &[Operands<'_, 2>]) -> MaybeGroup {
    if curve.name == "X25519" {
        return Ok(Some(Box::new(X25519 {
            numbers: [
                Lanes::new(32, |k| Ok(lane(operations, k)[0].to_vec()))?,
                Lanes::new(32, |k| Ok(lane(operations, k)[1].to_vec()))?,
            ],
            secrets: Lanes::zeros(32),
        })));
    }
    let Some(nist) = nist(curve)? else {
        return Ok(None);
    };
    let (curve, length) = (nist.curve, nist.curve.words());
    let key = |k| words(&*BigNum::from_slice(lane(operations, k)[0])?, length);
    let mut context = BigNumContext::new()?;
    let point = |k| {
        let encoded = lane(operations, k)[1];
        Ok(EcPoint::from_bytes(&nist.group, encoded, &mut context)?)
    };
    Ok(Some(Box::new(Ecdh {
        curve,
        keys: Lanes::new(length, key)?,
        points: nist.coordinates(point)?,
        secrets: Lanes::zeros(curve.bytes()),
    })))
}

impl Group for Ecdh {
    fn run(&mut self) -> Result<(), PeerError> {
        self.curve
            .agree(&mut self.secrets, &self.keys, &self.points)
    }

    fn result(&self, k: usize) -> Vec<u8> {
        self.secrets.row(k).to_vec()
    }
}

struct X25519 {
    /// Keys and encoded u.
    numbers: [Lanes<u8>; 2],
    secrets: Lanes<u8>,
}

impl Group for X25519 {
    fn run(&mut self) -> Result<(), PeerError> {
        loaded()?.x25519(&mut self.secrets, &self.numbers)
    }

    fn result(&self, k: usize) -> Vec<u8> {
        self.secrets.row(k).to_vec()
    }
}
