//! JSON Web Keys (RFC 7517): RSA keys (RFC 7518, section 6.3), keys of curves (section 6.2, and
//! RFC 8812 for secp256k1), and keys of Edwards and Montgomery curves (RFC 8037). A key that is read
//! becomes DER, whose reader checks it.

use super::error::{KeyFileError, MAX_FILE_BYTES, malformed};
use super::format::{Format, algorithm_name};
use super::write::{encode, private_key_info, spki_der};
use crate::ec::{EdwardsCurve, MontgomeryCurve};
use base64ct::{Base64UrlUnpadded, Encoding};
use der::Encode;
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef, UintRef};
use pkcs1::{RsaPrivateKeyRef, RsaPublicKeyRef};
use pkcs8::PrivateKeyInfoRef;
use sec1::{EcParameters, EcPrivateKey};
use serde::Deserialize;
use serde_json::value::RawValue;
use spki::AlgorithmIdentifierRef;
use std::borrow::Cow;
use zeroize::Zeroizing;

/// Length of the longest JSON Web Key that is read, in bytes: five times that of the largest RSA key,
/// since certificates may stand in it.
const MAX_BYTES: usize = 1 << 16;

/// `id-ecPublicKey` (RFC 5480, section 2.1.1).
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// A curve that has a name in JSON Web Keys.
struct Curve {
    name: &'static str,
    oid: ObjectIdentifier,
    /// Length of a coordinate, and of the private number, in bytes.
    bytes: usize,
}

const fn curve(name: &'static str, oid: &'static str, bytes: usize) -> Curve {
    let oid = ObjectIdentifier::new_unwrap(oid);
    Curve { name, oid, bytes }
}

const CURVES: [Curve; 4] = [
    curve("P-256", "1.2.840.10045.3.1.7", 32),
    curve("P-384", "1.3.132.0.34", 48),
    curve("P-521", "1.3.132.0.35", 66),
    curve("secp256k1", "1.3.132.0.10", 32),
];

/// The members that are used. Their texts are parts of the file, so that there is no other copy.
#[derive(Deserialize)]
struct Jwk<'a> {
    kty: Option<&'a str>,
    crv: Option<&'a str>,
    x: Option<&'a str>,
    y: Option<&'a str>,
    n: Option<&'a str>,
    e: Option<&'a str>,
    d: Option<&'a str>,
    p: Option<&'a str>,
    q: Option<&'a str>,
    dp: Option<&'a str>,
    dq: Option<&'a str>,
    qi: Option<&'a str>,
    oth: Option<serde::de::IgnoredAny>,
    keys: Option<serde::de::IgnoredAny>,
}

/// Whether a file is JSON.
pub(super) fn is_json(file: &[u8]) -> bool {
    file.trim_ascii_start().starts_with(b"{")
}

/// The key of a file as DER: PKCS#1, SEC 1, PKCS#8 or `SubjectPublicKeyInfo`.
pub(super) fn read(file: &[u8]) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    if file.len() > MAX_BYTES {
        return Err(malformed(format_args!(
            "it is JSON of {} bytes, and at most {MAX_BYTES} are read",
            file.len()
        )));
    }
    let jwk: Jwk<'_> = parse(file)?;
    match (jwk.kty, &jwk.keys) {
        (Some("RSA"), _) => rsa(&jwk),
        (Some("EC"), _) => ec(&jwk),
        (Some("OKP"), _) => okp(&jwk),
        (Some("oct"), _) => Ok((Format::Other("symmetric".into()), Zeroizing::default())),
        (Some(_), _) => Err(malformed("its kty is none of RSA, EC, OKP and oct")),
        (None, Some(_)) => Err(malformed(
            "it is a set of JSON Web Keys, of which one must be chosen by its kid",
        )),
        (None, None) => Err(malformed("it is JSON without a kty")),
    }
}

/// A part of a file. Errors do not quote it.
fn parse<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, KeyFileError> {
    serde_json::from_slice(json).map_err(|error| {
        malformed(format_args!(
            "it is no JSON Web Key (line {}, column {})",
            error.line(),
            error.column()
        ))
    })
}

/// A key of a set.
pub(super) struct Member {
    pub(super) id: String,
    /// The algorithm that it is intended for.
    pub(super) intended: Option<String>,
    /// The key as DER, or the reason why it is refused.
    pub(super) key: Result<(Format, Zeroizing<Vec<u8>>), KeyFileError>,
}

/// The keys of a set that have identifiers; a file with one key is a set of it.
pub(super) fn read_set(file: &[u8]) -> Result<Vec<Member>, KeyFileError> {
    #[derive(Deserialize)]
    struct Set<'a> {
        #[serde(borrow)]
        keys: Option<Vec<&'a RawValue>>,
    }
    #[derive(Deserialize)]
    struct Identified<'a> {
        #[serde(borrow)]
        kid: Option<Cow<'a, str>>,
        #[serde(borrow)]
        alg: Option<Cow<'a, str>>,
    }
    if file.len() > MAX_FILE_BYTES {
        return Err(KeyFileError::FileTooLong(file.len()));
    }
    if !is_json(file) {
        return Err(malformed("it is no JSON, and so no set of JSON Web Keys"));
    }
    let set: Set<'_> = parse(file)?;
    let keys = match &set.keys {
        Some(keys) => keys.iter().map(|key| key.get().as_bytes()).collect(),
        None => vec![file],
    };
    let mut members = Vec::new();
    for key in keys {
        let identified: Identified<'_> = parse(key)?;
        if let Some(kid) = identified.kid {
            members.push(Member {
                id: kid.into_owned(),
                intended: identified.alg.map(Cow::into_owned),
                key: read(key),
            });
        }
    }
    Ok(members)
}

/// The bytes of a member, decoded in constant time.
fn bytes(name: &str, text: Option<&str>) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
    let text = text.ok_or_else(|| malformed(format_args!("its JSON has no {name}")))?;
    let decoded = Base64UrlUnpadded::decode_vec(text).map(Zeroizing::new);
    decoded.map_err(|_| malformed(format_args!("its {name} is not base64url without padding")))
}

fn uint<'a>(name: &str, bytes: &'a [u8]) -> Result<UintRef<'a>, KeyFileError> {
    UintRef::new(bytes).map_err(|_| malformed(format_args!("its {name} is no number")))
}

fn rsa(jwk: &Jwk<'_>) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    let (n, e) = (bytes("n", jwk.n)?, bytes("e", jwk.e)?);
    let (modulus, public_exponent) = (uint("n", &n)?, uint("e", &e)?);
    if jwk.d.is_none() {
        let der = encode(&RsaPublicKeyRef {
            modulus,
            public_exponent,
        });
        return Ok((Format::Pkcs1Public, der.to_bytes()));
    }
    if jwk.oth.is_some() {
        return Err(malformed("it has more than two primes"));
    }
    let names = ["d", "p", "q", "dp", "dq", "qi"];
    let texts = [jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi];
    let mut numbers = Vec::with_capacity(names.len());
    for (name, text) in names.into_iter().zip(texts) {
        numbers.push(bytes(name, text)?);
    }
    let number = |k: usize| uint(names[k], &numbers[k]);
    let der = encode(&RsaPrivateKeyRef {
        modulus,
        public_exponent,
        private_exponent: number(0)?,
        prime1: number(1)?,
        prime2: number(2)?,
        exponent1: number(3)?,
        exponent2: number(4)?,
        coefficient: number(5)?,
        other_prime_infos: None,
    });
    Ok((Format::Pkcs1Private, der.to_bytes()))
}

fn ec(jwk: &Jwk<'_>) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    let crv = jwk.crv.unwrap_or_default();
    let curve = CURVES.iter().find(|curve| curve.name == crv);
    let curve =
        curve.ok_or_else(|| malformed("its crv is none of P-256, P-384, P-521 and secp256k1"))?;
    let mut point = vec![4];
    for (name, text) in [("x", jwk.x), ("y", jwk.y)] {
        let coordinate = bytes(name, text)?;
        let (expected, given) = (curve.bytes, coordinate.len());
        if given != expected {
            return Err(malformed(format_args!(
                "its {name} has {given} bytes, and must have {expected}"
            )));
        }
        point.extend_from_slice(&coordinate);
    }
    if jwk.d.is_none() {
        let algorithm = AlgorithmIdentifierRef {
            oid: EC,
            parameters: Some(AnyRef::from(&curve.oid)),
        };
        return Ok((Format::Spki, Zeroizing::new(spki_der(algorithm, &point))));
    }
    let d = bytes("d", jwk.d)?;
    let der = encode(&EcPrivateKey {
        private_key: &d,
        parameters: Some(EcParameters::NamedCurve(curve.oid)),
        public_key: Some(&point),
    });
    Ok((Format::Sec1, der.to_bytes()))
}

/// The algorithms of keys that are strings of bytes, by the curves' names in RFC 8037.
fn octet_key_algorithms() -> impl Iterator<Item = ObjectIdentifier> {
    let edwards = EdwardsCurve::ALL.iter().map(|curve| curve.oid());
    edwards.chain(MontgomeryCurve::ALL.iter().map(|curve| curve.oid()))
}

fn okp(jwk: &Jwk<'_>) -> Result<(Format, Zeroizing<Vec<u8>>), KeyFileError> {
    let crv = jwk.crv.unwrap_or_default();
    let oid = octet_key_algorithms().find(|&oid| algorithm_name(oid) == crv);
    let oid = oid.ok_or_else(|| malformed("its crv is none of Ed25519, Ed448, X25519 and X448"))?;
    let algorithm = AlgorithmIdentifierRef {
        oid,
        parameters: None,
    };
    let x = bytes("x", jwk.x)?;
    if jwk.d.is_none() {
        return Ok((Format::Spki, Zeroizing::new(spki_der(algorithm, &x))));
    }
    let d = bytes("d", jwk.d)?;
    // CurvePrivateKey ::= OCTET STRING. The public key goes along, and is compared with the private one.
    let d = OctetStringRef::new(&d).and_then(|d| d.to_der());
    let d = Zeroizing::new(d.map_err(malformed)?);
    let der = encode(&PrivateKeyInfoRef {
        public_key: Some(BitStringRef::from_bytes(&x).map_err(malformed)?),
        ..private_key_info(algorithm, &d)
    });
    Ok((Format::Pkcs8, der.to_bytes()))
}

/// A JSON object of these members, which are base64url except for the first `names`.
fn write(names: &[(&str, &str)], numbers: &[(&str, &[u8])]) -> Zeroizing<String> {
    let length: usize = numbers.iter().map(|(_, bytes)| 2 * bytes.len() + 16).sum();
    // Large enough for all, since growing would leave a copy behind.
    let mut json = Zeroizing::new(String::with_capacity(64 + length));
    let mut member = |name: &str, value: &str| {
        let first = json.is_empty();
        json.push(if first { '{' } else { ',' });
        for part in ["\"", name, "\":\"", value, "\""] {
            json.push_str(part);
        }
    };
    for (name, value) in names {
        member(name, value);
    }
    for (name, bytes) in numbers {
        let value = Zeroizing::new(Base64UrlUnpadded::encode_string(bytes));
        member(name, &value);
    }
    json.push('}');
    json
}

/// An RSA public key of PKCS#1.
pub(crate) fn rsa_public(key: &RsaPublicKeyRef<'_>) -> Zeroizing<String> {
    let numbers = [
        ("n", key.modulus.as_bytes()),
        ("e", key.public_exponent.as_bytes()),
    ];
    write(&[("kty", "RSA")], &numbers)
}

/// An RSA private key of PKCS#1, with two primes.
pub(crate) fn rsa_private(key: &RsaPrivateKeyRef<'_>) -> Zeroizing<String> {
    let numbers = [
        ("n", key.modulus),
        ("e", key.public_exponent),
        ("d", key.private_exponent),
        ("p", key.prime1),
        ("q", key.prime2),
        ("dp", key.exponent1),
        ("dq", key.exponent2),
        ("qi", key.coefficient),
    ];
    let numbers = numbers.map(|(name, number)| (name, number.as_bytes()));
    write(&[("kty", "RSA")], &numbers)
}

/// A key of a curve, by its point in uncompressed encoding and the private number if there is one; `None` if
/// the curve has no name in JSON Web Keys.
pub(crate) fn ec_key(
    oid: &ObjectIdentifier,
    point: &[u8],
    d: Option<&[u8]>,
) -> Option<Zeroizing<String>> {
    let curve = CURVES.iter().find(|curve| curve.oid == *oid)?;
    let (x, y) = point.get(1..)?.split_at_checked(curve.bytes)?;
    let mut numbers = vec![("x", x), ("y", y)];
    numbers.extend(d.map(|d| ("d", d)));
    Some(write(&[("kty", "EC"), ("crv", curve.name)], &numbers))
}

/// A key of an Edwards or a Montgomery curve, by the identifier of its algorithm, the bytes of the public
/// key, and those of the private one if there is one.
pub(crate) fn octet_key(oid: ObjectIdentifier, x: &[u8], d: Option<&[u8]>) -> Zeroizing<String> {
    let mut strings = vec![("x", x)];
    strings.extend(d.map(|d| ("d", d)));
    write(&[("kty", "OKP"), ("crv", &algorithm_name(oid))], &strings)
}
