//! The operations that peers are compared in, and their constructors.

use std::io;

/// Why a peer's operation failed.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// OpenSSL reported an error.
    #[error("OpenSSL: {0}")]
    OpenSsl(#[from] ::openssl::error::ErrorStack),
    /// AWS-LC reported an error in the named step.
    #[error("AWS-LC: {0} failed")]
    AwsLc(&'static str),
    /// libsecp256k1 reported an error in the named step.
    #[error("libsecp256k1: {0} failed")]
    Secp256k1(&'static str),
    /// blst reported an error in the named step.
    #[error("blst: {0} failed")]
    Blst(&'static str),
    /// arkworks reported an error in the named step.
    #[error("arkworks: {0} failed")]
    Arkworks(&'static str),
    /// `crypto_mb` could not be loaded, or reported an error.
    #[error("crypto_mb: {0}")]
    CryptoMb(String),
    /// ed25519-simd could not be loaded, or was given something of a wrong length.
    #[error("ed25519-simd: {0}")]
    Ed25519Simd(String),
    /// The library does not have the curve.
    #[error("the library does not have the curve")]
    NoCurve,
    /// GMP cannot compute with these numbers.
    #[error("GMP: {0}")]
    Gmp(&'static str),
    /// A file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// An RSA key that signs SHA-256 digests, with PKCS#1 v1.5.
pub trait Sign: Send {
    /// Writes the signature of a digest to `signature`, which must be as long as the modulus.
    ///
    /// # Errors
    /// [`PeerError`], for instance if the digest does not have 32 bytes.
    fn sign(&mut self, digest: &[u8], signature: &mut [u8]) -> Result<(), PeerError>;
}

/// An RSA key that verifies signatures of SHA-256 digests, with PKCS#1 v1.5.
pub trait Verify: Send {
    /// Whether `signature` is a signature of the digest.
    ///
    /// # Errors
    /// [`PeerError`] if the library reports an error, as OpenSSL does for some malformed
    /// signatures.
    fn verify(&mut self, digest: &[u8], signature: &[u8]) -> Result<bool, PeerError>;
}

/// A modular power.
pub trait Power: Send {
    /// Computes the power, and keeps it.
    ///
    /// # Errors
    /// [`PeerError`] if the library fails, for instance because memory is exhausted.
    fn compute(&mut self) -> Result<(), PeerError>;

    /// The power that [`compute`](Self::compute) found, in `length` big-endian bytes.
    ///
    /// # Errors
    /// [`PeerError`] if it has more bytes.
    fn result(&self, length: usize) -> Result<Vec<u8>, PeerError>;
}

/// A private key of a curve that signs messages by ECDSA, EdDSA or Schnorr's scheme.
pub trait SignMessage: Send {
    /// The signature of a message, of ECDSA in DER.
    ///
    /// # Errors
    /// [`PeerError`] if the library fails.
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError>;
}

/// A public key of a curve that verifies ECDSA, EdDSA or Schnorr signatures.
pub trait VerifyMessage: Send {
    /// Whether `signature`, of ECDSA in DER, is a signature of the message.
    ///
    /// # Errors
    /// [`PeerError`] if the library reports an error, as OpenSSL does for some malformed
    /// signatures.
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<bool, PeerError>;
}

/// A private key of a curve for ECDH, X25519 or X448.
pub trait Agree: Send {
    /// The x coordinate, or u, of the common point with the owner of a public key, which is a point in
    /// uncompressed encoding (SEC 1) and is checked, or an encoded u.
    ///
    /// # Errors
    /// [`PeerError`], for instance if the point is not on the curve.
    fn agree(&mut self, peer: &[u8]) -> Result<Vec<u8>, PeerError>;
}

/// The hash of messages that are signed on a curve whose prime has `bits` bits.
pub(crate) fn sha(bits: u32) -> ::openssl::hash::MessageDigest {
    match bits {
        0..=256 => ::openssl::hash::MessageDigest::sha256(),
        257..=384 => ::openssl::hash::MessageDigest::sha384(),
        _ => ::openssl::hash::MessageDigest::sha512(),
    }
}

/// A curve, by its name and the bits of its prime: `P-256`, 256; or `Ed25519`, `Ed448`, `X25519`, `X448`, or
/// `BIP340` for Schnorr signatures on secp256k1.
/// For ECDSA, messages are hashed with SHA-256 up to 256 bits, SHA-384 up to 384 bits, and SHA-512
/// above.
#[derive(Clone, Copy, Debug)]
pub struct CurveName<'a> {
    /// The name.
    pub name: &'a str,
    /// Length of the prime in bits.
    pub bits: u32,
}

/// Operations of a library on a curve; none if it does not have the curve.
pub type OnCurve<T> = Result<Option<Box<T>>, PeerError>;

/// Constructors of operations on curves.
#[derive(Clone, Copy, Debug)]
pub struct Curves {
    /// Of a signer, from a PKCS#8 key in DER.
    pub signer: fn(curve: CurveName<'_>, pkcs8: &[u8]) -> OnCurve<dyn SignMessage>,
    /// Of a verifier, from a `SubjectPublicKeyInfo` in DER.
    pub verifier: fn(curve: CurveName<'_>, spki: &[u8]) -> OnCurve<dyn VerifyMessage>,
    /// Of a key for ECDH, from the private number, as long as the order.
    pub agreement: fn(curve: CurveName<'_>, d: &[u8]) -> OnCurve<dyn Agree>,
}

/// A computation with elements of a pairing-friendly curve's groups, prepared with its operands.
pub trait Compute: Send {
    /// The resulting element, in uncompressed encoding, or the numbers of a pairing's value.
    ///
    /// # Errors
    /// [`PeerError`] if the library fails, or refuses an operand.
    fn compute(&mut self) -> Result<Vec<u8>, PeerError>;
}

/// Constructors of computations with elements of a pairing-friendly curve's group, which is named as
/// `BLS12-381-G1`. Elements are encoded as Zcash does, scalars big-endian, as long as the order and below it.
#[derive(Clone, Copy, Debug)]
pub struct PairingGroup {
    /// Of a multiple by a secret scalar, from the scalar and an uncompressed element.
    pub multiply: fn(curve: &str, operands: Operands<'_, 2>) -> OnCurve<dyn Compute>,
    /// Of the sum of the multiples of at least one element by public scalars, from pairs of scalars and
    /// uncompressed elements.
    pub sum: fn(curve: &str, terms: &[Operands<'_, 2>]) -> OnCurve<dyn Compute>,
    /// Of an element, from its compressed encoding, which is checked: the point must be in the subgroup.
    pub decode: fn(curve: &str, encoding: &[u8]) -> OnCurve<dyn Compute>,
}

/// Constructor of a pairing on a curve, which is named as `BLS12-381`, from elements of G1 and G2 other than the neutral
/// ones. They are given by their coordinates, big-endian, each as long as the prime, imaginary parts before real ones: on
/// BLS12-381 as Zcash encodes them uncompressed, on BN254 as Ethereum does (EIP-196, EIP-197). The result are twelve
/// such numbers, real and imaginary parts of the coefficients of `w^0` to `w^5`.
pub type MakePairing = fn(curve: &str, operands: Operands<'_, 2>) -> OnCurve<dyn Compute>;

/// A constructor from a key and a domain separation tag.
pub type WithKeyAndTag<T> = fn(key: &[u8], tag: &[u8]) -> Result<Box<T>, PeerError>;

/// A constructor from a domain separation tag, and three byte strings for each operation.
pub type TogetherWithTag<T> = fn(tag: &[u8], sets: &[Operands<'_, 3>]) -> Result<Box<T>, PeerError>;

/// Constructors of hashes in G2 of BLS12-381 and of BLS signatures. Elements are encoded as Zcash does; a key of 48 bytes is in
/// G1, one of 96 bytes in G2, and signatures are in the other group. Messages are hashed with SHA-256 and the domain
/// separation tag that is given.
#[derive(Clone, Copy, Debug)]
pub struct Bls {
    /// Of a message's hash in G2, from message and tag.
    pub hash: fn(operands: Operands<'_, 2>) -> Result<Box<dyn Compute>, PeerError>,
    /// Of a signer with compressed signatures in G2, from a secret key in 32 big-endian bytes and the tag.
    pub signer: WithKeyAndTag<dyn SignMessage>,
    /// Of a verifier of compressed signatures, which are checked, from a compressed public key and the tag.
    pub verifier: WithKeyAndTag<dyn VerifyMessage>,
    /// Of signatures that are verified together by random factors, from the tag, compressed public keys of one group,
    /// messages and compressed signatures.
    pub sets: TogetherWithTag<dyn Group>,
}

/// Operations that a library does together, prepared beforehand.
pub trait Group: Send {
    /// Does all of them, from digests, messages, signatures or points to results.
    ///
    /// # Errors
    /// [`PeerError`] if the library fails.
    fn run(&mut self) -> Result<(), PeerError>;

    /// The result of the operation of this index in the last run: a signature (of ECDSA in DER), a big-endian power,
    /// a secret; of a verification one byte, 1 if the signature is right.
    fn result(&self, index: usize) -> Vec<u8>;
}

/// Operands of an operation, in the order of the constructor's description.
pub type Operands<'a, const N: usize> = [&'a [u8]; N];

/// A group of operations, or none if the library has no such size or curve.
pub type MaybeGroup = Result<Option<Box<dyn Group>>, PeerError>;

/// Constructors of groups, from the operations of a group: at least one, and at most `size`. What they
/// take is what the constructors of single operations and these take, in the same encodings.
#[derive(Clone, Copy, Debug)]
pub struct Groups {
    /// The number of operations that are done together; fewer take as long.
    pub size: usize,
    /// RSA signatures, from private keys and digests.
    pub signing: fn(operations: &[Operands<'_, 2>]) -> MaybeGroup,
    /// Their verification, from public keys, digests and signatures.
    pub verifying: fn(operations: &[Operands<'_, 3>]) -> MaybeGroup,
    /// Powers, from bases, exponents and moduli.
    pub powers: fn(operations: &[Operands<'_, 3>]) -> MaybeGroup,
    /// Signatures on a curve, from private keys and messages.
    pub signing_on_curve: fn(curve: CurveName<'_>, operations: &[Operands<'_, 2>]) -> MaybeGroup,
    /// Their verification, from public keys, messages and signatures.
    pub verifying_on_curve: fn(curve: CurveName<'_>, operations: &[Operands<'_, 3>]) -> MaybeGroup,
    /// Common secrets, from private numbers and public keys.
    pub agreeing: fn(curve: CurveName<'_>, operations: &[Operands<'_, 2>]) -> MaybeGroup,
}

/// Constructor of a signer, from a PKCS#8 key in DER.
pub type MakeSigner = fn(pkcs8: &[u8]) -> Result<Box<dyn Sign>, PeerError>;

/// Constructor of a verifier, from a `SubjectPublicKeyInfo` in DER.
pub type MakeVerifier = fn(spki: &[u8]) -> Result<Box<dyn Verify>, PeerError>;

/// Constructor of a power, from a base below the modulus, an exponent above 0, and an odd modulus,
/// all big-endian.
pub type MakePower =
    fn(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Box<dyn Power>, PeerError>;

/// A library and the operations that it offers.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Name and version, as reported by the library at run time: `openssl 4.0.3`.
    pub name: String,
    /// One-word name for narrow columns.
    pub short: &'static str,
    /// Constructor of signers, if the library has RSA.
    pub signer: Option<MakeSigner>,
    /// Constructor of verifiers, if the library has RSA.
    pub verifier: Option<MakeVerifier>,
    /// Constructor of modular powers, if the library has them. They take constant time, unless the
    /// name says otherwise.
    pub power: Option<MakePower>,
    /// Constructors of operations on curves, if the library has any.
    pub curves: Option<Curves>,
    /// Constructors of computations with elements of pairing-friendly curves' groups, if the library has any.
    pub pairing_group: Option<PairingGroup>,
    /// Constructor of pairings, if the library has them.
    pub pairing: Option<MakePairing>,
    /// Constructors of hashes in G2 and of BLS signatures, if the library has them.
    pub bls: Option<Bls>,
    /// Constructors of groups, if the library does several operations together instead.
    pub groups: Option<Groups>,
}
