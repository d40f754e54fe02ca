//! Keys and signatures as SSH writes them (RFC 4253, section 6.6; RFC 5656, section 3.1; RFC 8332; RFC 8709).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ssh_encoding::{Decode, Encode, Mpint, Reader};
use sunzi_pk::Hash;
use sunzi_pk::ec::ecdsa::{Encoding, SRange};
use sunzi_pk::ec::eddsa::Variant;
use sunzi_pk::keys::{PublicKey, Scheme};
use sunzi_pk::rsa;

/// The ending of the names of certificates' algorithms.
pub(super) const CERTIFICATE: &str = "-cert-v01@openssh.com";

/// An algorithm of signatures.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignatureAlgorithm {
    /// The name that a signature has.
    name: &'static str,
    scheme: Scheme<'static>,
}

const fn pkcs1(name: &'static str, hash: Hash) -> SignatureAlgorithm {
    let scheme = Scheme::Rsa(rsa::Scheme::Pkcs1v15, hash);
    SignatureAlgorithm { name, scheme }
}

const fn ecdsa(name: &'static str, hash: Hash) -> SignatureAlgorithm {
    let (encoding, s) = (Encoding::Raw, SRange::Any);
    let scheme = Scheme::Ecdsa { hash, encoding, s };
    SignatureAlgorithm { name, scheme }
}

/// Those of RSA, the one to sign with first. SHA-1 (`ssh-rsa`) is not among them, as in OpenSSH.
const RSA: [SignatureAlgorithm; 2] = [
    pkcs1("rsa-sha2-512", Hash::Sha512),
    pkcs1("rsa-sha2-256", Hash::Sha256),
];
const P256: [SignatureAlgorithm; 1] = [ecdsa("ecdsa-sha2-nistp256", Hash::Sha256)];
const P384: [SignatureAlgorithm; 1] = [ecdsa("ecdsa-sha2-nistp384", Hash::Sha384)];
const P521: [SignatureAlgorithm; 1] = [ecdsa("ecdsa-sha2-nistp521", Hash::Sha512)];
const ED25519: [SignatureAlgorithm; 1] = [SignatureAlgorithm {
    name: "ssh-ed25519",
    scheme: Scheme::Eddsa(Variant::Pure),
}];

/// Length of the shortest RSA modulus that OpenSSH takes, in bits.
const MIN_RSA_BITS: u32 = 1024;

/// The signature algorithms of a key, the one to sign with first.
pub(super) fn algorithms_of(key: &PublicKey) -> &'static [SignatureAlgorithm] {
    match key {
        PublicKey::Rsa(_) => &RSA,
        PublicKey::Ec(key) => match key.curve().name() {
            Some("P-256") => &P256,
            Some("P-384") => &P384,
            Some("P-521") => &P521,
            _ => &[],
        },
        PublicKey::Edwards(_) if key.algorithm() == "Ed25519" => &ED25519,
        _ => &[],
    }
}

/// A key as it stands in signatures and certificates.
///
/// # Errors
/// Why SSH has no such keys.
pub(super) fn blob_of(key: &PublicKey) -> Result<Vec<u8>, String> {
    let line = key.to_openssh().map_err(|error| error.to_string())?;
    if matches!(key, PublicKey::Rsa(key) if key.restriction().is_some()) {
        return Err("it is for PSS alone, and SSH signs by PKCS#1 v1.5".into());
    }
    check_size(key)?;
    let (_, blob) = split_line(&line).ok_or("its line is no key")?;
    Ok(blob)
}

fn check_size(key: &PublicKey) -> Result<(), String> {
    if matches!(key, PublicKey::Rsa(_)) && key.bits() < MIN_RSA_BITS {
        let bits = key.bits();
        return Err(format!(
            "it has {bits} bits, and OpenSSH asks for {MIN_RSA_BITS}"
        ));
    }
    Ok(())
}

/// The name of the algorithm and the decoded key of a line such as `ssh-ed25519 AAAA... comment`.
fn split_line(line: &str) -> Option<(&str, Vec<u8>)> {
    let mut words = line.split_ascii_whitespace();
    let name = words.next()?;
    let blob = STANDARD.decode(words.next()?).ok()?;
    Some((name, blob))
}

/// The name of the algorithm that a key begins with.
pub(super) fn name_of(blob: &[u8]) -> Option<String> {
    String::decode(&mut &*blob).ok()
}

/// Reads a key.
///
/// # Errors
/// The defect.
pub(super) fn read_key(blob: &[u8]) -> Result<PublicKey, String> {
    let name = name_of(blob).ok_or("it does not begin with a name")?;
    if name.ends_with(CERTIFICATE) {
        return Err("it is a certificate, not a key".into());
    }
    read_line(&format!("{name} {}", STANDARD.encode(blob)))
}

/// Reads the key of a line such as `ssh-ed25519 AAAA... comment`.
///
/// # Errors
/// The defect.
pub(super) fn read_line(line: &str) -> Result<PublicKey, String> {
    if split_line(line).is_none_or(|(name, blob)| name_of(&blob).as_deref() != Some(name)) {
        return Err("it is no line with a public key of OpenSSH".into());
    }
    let key = PublicKey::from_pem_or_der(line.as_bytes()).map_err(|error| error.to_string())?;
    check_size(&key)?;
    Ok(key)
}

impl SignatureAlgorithm {
    pub(super) fn scheme(&self) -> Scheme<'static> {
        self.scheme
    }

    /// A signature with its name, of one that is raw: for ECDSA r and s in equal halves.
    pub(super) fn encode(&self, raw: &[u8]) -> ssh_encoding::Result<Vec<u8>> {
        let mut blob = Vec::with_capacity(raw.len() + 16);
        if let Scheme::Ecdsa { .. } = self.scheme {
            let (r, s) = raw.split_at(raw.len() / 2);
            Mpint::from_positive_bytes(r).encode(&mut blob)?;
            Mpint::from_positive_bytes(s).encode(&mut blob)?;
        } else {
            blob.extend_from_slice(raw);
        }
        let mut signature = Vec::with_capacity(blob.len() + 32);
        self.name.encode(&mut signature)?;
        blob.encode(&mut signature)?;
        Ok(signature)
    }

    /// The scheme and the raw form of a signature by this key.
    ///
    /// # Errors
    /// The defect.
    pub(super) fn decode(
        key: &PublicKey,
        signature: &[u8],
    ) -> Result<(Scheme<'static>, Vec<u8>), String> {
        let malformed = |_| "the signature is malformed";
        let mut reader = signature;
        let name = String::decode(&mut reader).map_err(malformed)?;
        let blob = Vec::<u8>::decode(&mut reader).map_err(malformed)?;
        reader.ensure_finished().map_err(malformed)?;
        let known = algorithms_of(key).iter().find(|known| known.name == name);
        let Some(Self { scheme, .. }) = known else {
            let algorithm = key.algorithm();
            return Err(format!("a key of {algorithm} does not sign by {name:?}"));
        };
        let size = scheme.max_signature_bytes(key).unwrap_or_default();
        if !matches!(scheme, Scheme::Ecdsa { .. }) {
            // Some have left out leading zeros of RSA's, which OpenSSH accepts.
            let bytes = match key {
                PublicKey::Rsa(_) => padded(&blob, size).ok_or("the signature is too long")?,
                _ => blob,
            };
            return Ok((*scheme, bytes));
        }
        let mut numbers = &blob[..];
        let mut half = || {
            let number = Mpint::decode(&mut numbers).map_err(malformed)?;
            let bytes = number.as_positive_bytes().unwrap_or_default();
            padded(bytes, size / 2).ok_or("r or s is too long")
        };
        let raw = [half()?, half()?].concat();
        numbers.ensure_finished().map_err(malformed)?;
        Ok((*scheme, raw))
    }
}

/// A number with leading zeros, or none if it is longer.
fn padded(number: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; size.checked_sub(number.len())?];
    bytes.extend_from_slice(number);
    Some(bytes)
}
