//! Keys in OpenSSH's formats: the private key file (`PROTOCOL.key` of OpenSSH), also encrypted, and the public key
//! on one line (RFC 4253, section 6.6; RFC 5656, section 3.1; RFC 8709, section 4). A key that is read becomes
//! DER, whose reader checks it.
//!
//! The crate `ssh-key` is not used for this: it refuses private keys of P-256 whose first byte is 0, one in 256
//! of those that `ssh-keygen` makes, and there is only a pre-release of it for this generation of crates.
//! Ciphers and key derivation come from the crates that it is made of.

use super::error::{KeyFileError, malformed};
use super::format::{Contents, Encryption, Format};
use super::kdf::KdfLimits;
use super::write::{encode, private_key_info, private_pem, spki_der};
use crate::ec::EdwardsCurve;
use crate::integer::{division, nonzero};
use crate::rsa::MAX_BITS;
use crate::wipe::wipe_stack;
use base64ct::{Base64, Encoding};
use crypto_bigint::BoxedUint;
use der::Encode;
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef, UintRef};
use pkcs1::{RsaPrivateKeyRef, RsaPublicKeyRef};
use pkcs8::PrivateKeyInfoRef;
use rand_core::CryptoRng;
use sec1::{EcParameters, EcPrivateKey};
use spki::AlgorithmIdentifierRef;
use ssh_cipher::Cipher;
use zeroize::Zeroizing;

/// The label of private keys in PEM.
pub(crate) const LABEL: &str = "OPENSSH PRIVATE KEY";
/// The first bytes of a private key file.
const MAGIC: &[u8] = b"openssh-key-v1\0";
/// Rounds of bcrypt in the encrypted keys that are written, as many as OpenSSH has from 9.4 on.
const ROUNDS: u32 = 24;

const RSA: &str = "ssh-rsa";
const ED25519: &str = "ssh-ed25519";
const ECDSA: &str = "ecdsa-sha2-";
/// The ending of the names of certificates.
const CERTIFICATE: &str = "-cert-v01@openssh.com";

/// `id-ecPublicKey` (RFC 5480, section 2.1.1).
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// The ciphers of encrypted keys.
const CIPHERS: [Cipher; 9] = [
    Cipher::Aes256Ctr,
    Cipher::Aes192Ctr,
    Cipher::Aes128Ctr,
    Cipher::Aes256Cbc,
    Cipher::Aes192Cbc,
    Cipher::Aes128Cbc,
    Cipher::Aes256Gcm,
    Cipher::Aes128Gcm,
    Cipher::ChaCha20Poly1305,
];

/// A curve that OpenSSH has keys of.
struct Curve {
    name: &'static str,
    oid: ObjectIdentifier,
    /// Length of the private number, in bytes.
    bytes: usize,
}

const CURVES: [Curve; 3] = [
    Curve {
        name: "nistp256",
        oid: ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"),
        bytes: 32,
    },
    Curve {
        name: "nistp384",
        oid: ObjectIdentifier::new_unwrap("1.3.132.0.34"),
        bytes: 48,
    },
    Curve {
        name: "nistp521",
        oid: ObjectIdentifier::new_unwrap("1.3.132.0.35"),
        bytes: 66,
    },
];

/// The bytes that are yet to be read. Results of reading are parts of them, so that there is no copy of a secret.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], KeyFileError> {
        let cut = KeyFileError::Truncated("a part of OpenSSH's format is longer than the rest");
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(cut)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u32, KeyFileError> {
        let bytes = self.bytes(4)?;
        Ok(bytes.iter().fold(0, |x, &byte| x << 8 | u32::from(byte)))
    }

    fn string(&mut self) -> Result<&'a [u8], KeyFileError> {
        let length = self.number()?;
        self.bytes(length as usize)
    }

    fn text(&mut self, name: &str) -> Result<&'a str, KeyFileError> {
        let text = core::str::from_utf8(self.string()?);
        text.map_err(|_| malformed(format_args!("its {name} is no text")))
    }

    /// A positive `mpint`, without leading zeros.
    fn integer(&mut self, name: &str) -> Result<&'a [u8], KeyFileError> {
        let bytes = self.string()?;
        if bytes.first().is_some_and(|first| first & 0x80 != 0) {
            return Err(malformed(format_args!("its {name} is negative")));
        }
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        Ok(&bytes[zeros..])
    }

    fn finish(&self) -> Result<(), KeyFileError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let bytes = self.0.len();
        Err(malformed(format_args!("{bytes} bytes follow the key")))
    }
}

/// A public key, or the public half of a private one.
#[derive(PartialEq, Eq)]
enum Public<'a> {
    Rsa { n: &'a [u8], e: &'a [u8] },
    Ec { curve: usize, point: &'a [u8] },
    Ed25519(&'a [u8]),
    Other(&'a str),
}

impl<'a> Public<'a> {
    /// A key as it stands on the line of a public key, in base64.
    fn read(blob: &'a [u8]) -> Result<(&'a str, Self), KeyFileError> {
        let mut reader = Reader(blob);
        let name = reader.text("algorithm")?;
        let key = match name {
            RSA => {
                let e = reader.integer("e")?;
                let n = reader.integer("n")?;
                Self::Rsa { n, e }
            }
            ED25519 => Self::Ed25519(reader.string()?),
            _ => match curve(name)? {
                Some(curve) => Self::ec(&mut reader, curve)?,
                None => return Ok((name, Self::Other(name))),
            },
        };
        reader.finish()?;
        Ok((name, key))
    }

    fn ec(reader: &mut Reader<'a>, curve: usize) -> Result<Self, KeyFileError> {
        if reader.string()? != CURVES[curve].name.as_bytes() {
            return Err(malformed("it is of one curve and of another"));
        }
        let point = reader.string()?;
        Ok(Self::Ec { curve, point })
    }

    fn into_der(self) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
        let spki = |algorithm, key| (Format::Spki, Zeroizing::new(spki_der(algorithm, key)));
        Ok(match self {
            Self::Rsa { n, e } => {
                let der = encode(&RsaPublicKeyRef {
                    modulus: uint(n)?,
                    public_exponent: uint(e)?,
                });
                (Format::Pkcs1Public, der.to_bytes())
            }
            Self::Ec { curve, point } => spki(
                AlgorithmIdentifierRef {
                    oid: EC,
                    parameters: Some(AnyRef::from(&CURVES[curve].oid)),
                },
                point,
            ),
            Self::Ed25519(key) => spki(ED25519_ALGORITHM, key),
            Self::Other(name) => (Format::Other(usual_name(name)), Zeroizing::default()),
        })
    }
}

const ED25519_ALGORITHM: AlgorithmIdentifierRef<'static> = AlgorithmIdentifierRef {
    oid: ObjectIdentifier::new_unwrap("1.3.101.112"),
    parameters: None,
};

/// The index of an algorithm's curve in [`CURVES`]; `None` for other algorithms.
fn curve(algorithm: &str) -> Result<Option<usize>, KeyFileError> {
    if algorithm.ends_with(CERTIFICATE) {
        return Err(malformed(
            "it is a certificate of OpenSSH, not a key: give the key's own file",
        ));
    }
    let Some(name) = algorithm.strip_prefix(ECDSA) else {
        return Ok(None);
    };
    let curve = CURVES.iter().position(|curve| curve.name == name);
    Ok(Some(curve.ok_or_else(|| {
        malformed("its curve is none of nistp256, nistp384 and nistp521")
    })?))
}

/// The usual name of an algorithm of which no keys are read.
fn usual_name(algorithm: &str) -> String {
    match algorithm {
        "ssh-dss" => "DSA".into(),
        _ => algorithm.into(),
    }
}

fn uint(bytes: &[u8]) -> Result<UintRef<'_>, KeyFileError> {
    UintRef::new(bytes).map_err(malformed)
}

/// The line with the public key, if the first line that is neither empty nor a comment is one.
pub(super) fn public_line(file: &[u8]) -> Result<Option<&str>, KeyFileError> {
    let Ok(text) = core::str::from_utf8(file) else {
        return Ok(None);
    };
    let lines = text.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = lines.next().filter(|line| {
        let name = line.split_ascii_whitespace().next().unwrap_or_default();
        [RSA, ED25519, "ssh-dss", "ssh-ed448"].contains(&name)
            || [ECDSA, "sk-"].iter().any(|start| name.starts_with(start))
            || name.ends_with(CERTIFICATE)
    });
    if line.is_some() && lines.next().is_some() {
        return Err(malformed("it has several lines: give one key of OpenSSH"));
    }
    Ok(line)
}

/// The public key of a line: algorithm, key in base64, and a comment.
pub(super) fn read_public(line: &str) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    let mut words = line.split_ascii_whitespace();
    let name = words.next().unwrap_or_default();
    let key = words.next();
    let key = key.ok_or(KeyFileError::Truncated("its line ends after the algorithm"))?;
    let blob = Base64::decode_vec(key).map_err(|_| malformed("the second word is not base64"))?;
    let (inner, public) = Public::read(&blob)?;
    if inner != name {
        return Err(malformed("its algorithm is another one than its line says"));
    }
    public.into_der()
}

/// A private key file, encrypted or not, from its PEM.
pub(super) fn read_private(pem: &str) -> Result<Contents, KeyFileError> {
    // Large enough for all, since growing would leave a copy behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(pem.len()));
    der::pem::Decoder::new_detect_wrap(pem.as_bytes())
        .and_then(|mut decoder| decoder.decode_to_end(&mut bytes).map(drop))
        .map_err(malformed)?;
    let file = PrivateFile::read(&bytes)?;
    if file.cipher.is_some() {
        return Ok(Contents::Encrypted(Encryption::OpenSsh, bytes));
    }
    let (format, der) = file.key(file.content)?;
    Ok(Contents::Key(format, der))
}

/// The parts of a private key file.
struct PrivateFile<'a> {
    /// The cipher; `None` if the key is not encrypted.
    cipher: Option<Cipher>,
    salt: &'a [u8],
    rounds: u32,
    public: Public<'a>,
    content: &'a [u8],
    tag: &'a [u8],
}

impl<'a> PrivateFile<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, KeyFileError> {
        let content = bytes.strip_prefix(MAGIC);
        let mut reader = Reader(content.ok_or_else(|| malformed("it is no openssh-key-v1"))?);
        let unsupported = |what: &str, name: &str| {
            malformed(format_args!("its {what} {name:?} is not supported"))
        };
        let cipher = reader.text("cipher")?;
        let derivation = reader.text("key derivation")?;
        let mut options = Reader(reader.string()?);
        let (cipher, salt, rounds) = match (cipher, derivation) {
            ("none", "none") => (None, &[][..], 0),
            ("none", _) | (_, "none") => {
                return Err(malformed("it has a cipher or a key derivation, not both"));
            }
            (cipher, "bcrypt") => {
                let known = CIPHERS.iter().find(|known| known.as_str() == cipher);
                let known = known.ok_or_else(|| unsupported("cipher", cipher))?;
                (Some(*known), options.string()?, options.number()?)
            }
            (_, other) => return Err(unsupported("key derivation", other)),
        };
        options.finish()?;
        match reader.number()? {
            1 => {}
            keys => return Err(malformed(format_args!("it holds {keys} keys, not one"))),
        }
        let (_, public) = Public::read(reader.string()?)?;
        let content = reader.string()?;
        let tag = match cipher {
            Some(cipher) if cipher.has_tag() => reader.bytes(16)?,
            _ => &[],
        };
        reader.finish()?;
        Ok(Self {
            cipher,
            salt,
            rounds,
            public,
            content,
            tag,
        })
    }

    /// The key in the decrypted content.
    fn key(&self, content: &[u8]) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
        let mut reader = Reader(content);
        if reader.number()? != reader.number()? {
            return Err(match self.cipher {
                Some(_) => KeyFileError::WrongPassphrase,
                None => malformed("its two check numbers differ"),
            });
        }
        let name = reader.text("algorithm")?;
        let (public, key) = match name {
            RSA => {
                let [n, e, d, qinv, p, q] =
                    ["n", "e", "d", "q^-1 mod p", "p", "q"].map(|name| reader.integer(name));
                let (n, e) = (n?, e?);
                (Public::Rsa { n, e }, rsa_der(n, e, d?, qinv?, p?, q?)?)
            }
            ED25519 => {
                let public = reader.string()?;
                // The seed, and the public key again.
                let (seed, again) = reader.string()?.split_at_checked(32).unwrap_or_default();
                if again != public {
                    return Err(malformed("its public keys differ"));
                }
                (Public::Ed25519(public), ed25519_der(seed, public)?)
            }
            _ => match curve(name)? {
                Some(curve) => {
                    let public = Public::ec(&mut reader, curve)?;
                    let Public::Ec { point, .. } = public else {
                        return Err(malformed("it has no point"));
                    };
                    let der = ec_der(&CURVES[curve], reader.integer("private number")?, point)?;
                    (public, der)
                }
                None => return Public::Other(name).into_der(),
            },
        };
        if public != self.public {
            return Err(malformed("its public keys differ"));
        }
        let _comment = reader.string()?;
        let padding = reader.0.iter().zip(1..);
        if reader.0.len() > 255 || padding.clone().any(|(&byte, expected)| byte != expected) {
            return Err(malformed("its padding is wrong"));
        }
        Ok(key)
    }
}

/// The key of an encrypted file.
pub(super) fn decrypt(
    bytes: &[u8],
    passphrase: Option<&[u8]>,
    limits: KdfLimits,
) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    let file = PrivateFile::read(bytes)?;
    let Some(cipher) = file.cipher else {
        return file.key(file.content);
    };
    limits.check_bcrypt(file.rounds)?;
    let passphrase = passphrase.ok_or(KeyFileError::PassphraseNeeded)?;
    if file.salt.is_empty() {
        return Err(malformed("the salt of its key derivation is empty"));
    }
    let (key, iv) = derive(cipher, passphrase, file.salt, file.rounds)?;
    let mut content = Zeroizing::new(file.content.to_vec());
    let tag = file.tag.try_into().ok();
    let decrypted = cipher.decrypt(&key, &iv, &mut content, tag);
    wipe_stack();
    match decrypted {
        Err(ssh_cipher::Error::Length) => Err(malformed("its length is no multiple of a block's")),
        Err(_) => Err(KeyFileError::WrongPassphrase),
        Ok(()) => file.key(&content),
    }
}

/// Key and first block of a cipher.
fn derive(
    cipher: Cipher,
    passphrase: &[u8],
    salt: &[u8],
    rounds: u32,
) -> Result<(Zeroizing<Vec<u8>>, Vec<u8>), KeyFileError> {
    let (key, iv) = cipher.key_and_iv_size().unwrap_or_default();
    let mut derived = Zeroizing::new(vec![0; key + iv]);
    // Only an empty passphrase is refused here, which encrypts nothing.
    bcrypt_pbkdf::bcrypt_pbkdf(passphrase, salt, rounds, &mut derived)
        .map_err(|_| KeyFileError::WrongPassphrase)?;
    wipe_stack();
    let iv = derived[key..].to_vec();
    // OpenSSH numbers its packets, and a key file is packet 0.
    let iv = match cipher {
        Cipher::ChaCha20Poly1305 => vec![0; iv.len()],
        _ => iv,
    };
    Ok((Zeroizing::new(derived[..key].to_vec()), iv))
}

/// An RSA key as PKCS#1, which also has d mod (p - 1) and d mod (q - 1).
fn rsa_der(
    n: &[u8],
    e: &[u8],
    d: &[u8],
    qinv: &[u8],
    p: &[u8],
    q: &[u8],
) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    let longest = MAX_BITS as usize / 8;
    if [n, e, d, qinv, p, q].iter().any(|x| x.len() > longest) {
        return Err(malformed(format_args!(
            "it has a number of more than {MAX_BITS} bits"
        )));
    }
    let number = |bytes: &[u8]| {
        let precision = 8 * bytes.len().max(1) as u32;
        let number = BoxedUint::from_be_slice(bytes, precision);
        number.map(Zeroizing::new).map_err(malformed)
    };
    let d_number = number(d)?;
    let exponent = |name: &str, prime: &[u8]| {
        // Other primes are refused by the reader of the DER.
        if prime.last().is_none_or(|last| last & 1 == 0) || prime == [1] {
            return Err(malformed(format_args!("its {name} is no odd prime")));
        }
        let prime = number(prime)?;
        let less_one = Zeroizing::new(prime.wrapping_sub(BoxedUint::one()));
        let (_, exponent) = division(&d_number, &nonzero(&less_one));
        Ok(Zeroizing::new(exponent.to_be_bytes()))
    };
    let (dp, dq) = (exponent("p", p)?, exponent("q", q)?);
    let der = encode(&RsaPrivateKeyRef {
        modulus: uint(n)?,
        public_exponent: uint(e)?,
        private_exponent: uint(d)?,
        prime1: uint(p)?,
        prime2: uint(q)?,
        exponent1: uint(&dp)?,
        exponent2: uint(&dq)?,
        coefficient: uint(qinv)?,
        other_prime_infos: None,
    });
    Ok((Format::Pkcs1Private, der.to_bytes()))
}

fn ec_der(
    curve: &Curve,
    d: &[u8],
    point: &[u8],
) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    if d.len() > curve.bytes {
        return Err(malformed("its private number is longer than its curve's"));
    }
    let mut private_key = Zeroizing::new(vec![0; curve.bytes - d.len()]);
    private_key.reserve_exact(d.len());
    private_key.extend_from_slice(d);
    let der = encode(&EcPrivateKey {
        private_key: &private_key,
        parameters: Some(EcParameters::NamedCurve(curve.oid)),
        public_key: Some(point),
    });
    Ok((Format::Sec1, der.to_bytes()))
}

fn ed25519_der(seed: &[u8], public: &[u8]) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    // CurvePrivateKey ::= OCTET STRING
    let seed = OctetStringRef::new(seed).and_then(|seed| seed.to_der());
    let seed = Zeroizing::new(seed.map_err(malformed)?);
    let der = encode(&PrivateKeyInfoRef {
        public_key: Some(BitStringRef::from_bytes(public).map_err(malformed)?),
        ..private_key_info(ED25519_ALGORITHM, &seed)
    });
    Ok((Format::Pkcs8, der.to_bytes()))
}

/// The bytes of a key that is written; they are wiped.
struct Writer(Zeroizing<Vec<u8>>);

impl Writer {
    /// A writer with memory for this many bytes, since growing would leave a copy behind.
    fn with_capacity(bytes: usize) -> Self {
        Self(Zeroizing::new(Vec::with_capacity(bytes)))
    }

    fn number(&mut self, number: usize) -> &mut Self {
        self.0.extend_from_slice(&(number as u32).to_be_bytes());
        self
    }

    fn string(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len()).0.extend_from_slice(bytes);
        self
    }

    /// A positive `mpint`.
    fn integer(&mut self, bytes: &[u8]) -> &mut Self {
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        let bytes = &bytes[zeros..];
        let sign = usize::from(bytes.first().is_some_and(|first| first & 0x80 != 0));
        self.number(bytes.len() + sign);
        self.0.extend_from_slice(&[0][..sign]);
        self.0.extend_from_slice(bytes);
        self
    }
}

/// A key to be written.
pub(crate) enum Key<'a> {
    Rsa(&'a RsaPrivateKeyRef<'a>),
    /// A key of a curve, by its identifier.
    Ec {
        oid: ObjectIdentifier,
        point: &'a [u8],
        d: &'a [u8],
    },
    Edwards {
        curve: EdwardsCurve,
        public: &'a [u8],
        seed: &'a [u8],
    },
}

/// A public RSA key on one line.
pub(crate) fn rsa_line(key: &RsaPublicKeyRef<'_>) -> String {
    let blob = rsa_blob(key.modulus.as_bytes(), key.public_exponent.as_bytes());
    line(RSA, &blob)
}

/// A public key of a curve on one line; `None` if OpenSSH has no keys of it.
pub(crate) fn ec_line(oid: &ObjectIdentifier, point: &[u8]) -> Option<String> {
    let (name, blob) = ec_blob(oid, point)?;
    Some(line(&name, &blob))
}

/// A public key of an Edwards curve on one line; `None` if OpenSSH has no keys of it.
pub(crate) fn edwards_line(curve: EdwardsCurve, key: &[u8]) -> Option<String> {
    Some(line(ED25519, &edwards_blob(curve, key)?))
}

fn line(name: &str, blob: &[u8]) -> String {
    format!("{name} {}\n", Base64::encode_string(blob))
}

fn rsa_blob(n: &[u8], e: &[u8]) -> Vec<u8> {
    let mut blob = Writer::with_capacity(64 + n.len() + e.len());
    blob.string(RSA.as_bytes()).integer(e).integer(n);
    blob.0.to_vec()
}

fn ec_blob(oid: &ObjectIdentifier, point: &[u8]) -> Option<(String, Vec<u8>)> {
    let curve = CURVES.iter().find(|curve| curve.oid == *oid)?;
    let name = format!("{ECDSA}{}", curve.name);
    let mut blob = Writer::with_capacity(64 + point.len());
    blob.string(name.as_bytes());
    blob.string(curve.name.as_bytes()).string(point);
    Some((name, blob.0.to_vec()))
}

fn edwards_blob(curve: EdwardsCurve, key: &[u8]) -> Option<Vec<u8>> {
    if curve.oid() != ED25519_ALGORITHM.oid {
        return None;
    }
    let mut blob = Writer::with_capacity(64);
    blob.string(ED25519.as_bytes()).string(key);
    Some(blob.0.to_vec())
}

/// A private key file in PEM, encrypted if there is a passphrase: with AES-256 in counter mode, and 24 rounds of
/// bcrypt; `None` if OpenSSH has no keys of the algorithm.
///
/// # Errors
/// [`KeyFileError::EmptyPassphrase`].
pub(crate) fn write_private<R: CryptoRng + ?Sized>(
    rng: &mut R,
    passphrase: Option<&[u8]>,
    key: &Key<'_>,
) -> Result<Option<Zeroizing<String>>, KeyFileError> {
    if passphrase.is_some_and(<[u8]>::is_empty) {
        return Err(KeyFileError::EmptyPassphrase);
    }
    let mut content = Writer::with_capacity(8 * MAX_BITS as usize / 8);
    let check = rng.next_u32() as usize;
    content.number(check).number(check);
    let public = match *key {
        Key::Rsa(key) => {
            let [n, e, d] = [key.modulus, key.public_exponent, key.private_exponent];
            let numbers = [n, e, d, key.coefficient, key.prime1, key.prime2];
            content.string(RSA.as_bytes());
            for number in numbers {
                content.integer(number.as_bytes());
            }
            Some(rsa_blob(n.as_bytes(), e.as_bytes()))
        }
        Key::Ec { oid, point, d } => ec_blob(&oid, point).map(|(_, blob)| {
            // The blob also precedes the private number.
            content.0.extend_from_slice(&blob);
            content.integer(d);
            blob
        }),
        Key::Edwards {
            curve,
            public,
            seed,
        } => edwards_blob(curve, public).inspect(|blob| {
            content.0.extend_from_slice(blob);
            content.number(seed.len() + public.len());
            content.0.extend_from_slice(seed);
            content.0.extend_from_slice(public);
        }),
    };
    let Some(public) = public else {
        return Ok(None);
    };
    // An empty comment.
    content.string(b"");
    let cipher = passphrase.map_or(Cipher::None, |_| Cipher::Aes256Ctr);
    let padding = cipher.padding_len(content.0.len());
    content.0.extend((1..).take(padding));

    let mut options = Writer::with_capacity(32);
    if let Some(passphrase) = passphrase {
        let mut salt = [0; 16];
        rng.fill_bytes(&mut salt);
        options.string(&salt).number(ROUNDS as usize);
        let (key, iv) = derive(cipher, passphrase, &salt, ROUNDS)?;
        let encrypted = cipher.encrypt(&key, &iv, &mut content.0);
        wipe_stack();
        encrypted.expect("the content has whole blocks");
    }
    let derivation = passphrase.map_or("none", |_| "bcrypt");
    let mut file = Writer::with_capacity(256 + options.0.len() + public.len() + content.0.len());
    file.0.extend_from_slice(MAGIC);
    file.string(cipher.as_str().as_bytes());
    file.string(derivation.as_bytes()).string(&options.0);
    file.number(1).string(&public).string(&content.0);
    Ok(Some(private_pem(LABEL, &file.0)))
}
