//! Jobs: the operations that can be measured.

use core::fmt;
use core::str::FromStr;
use sunzi_engine::{MAX_BITS, MIN_BITS};
use sunzi_pk::ec::Curve;

/// A kind of operation to measure, with the size of the key or the modulus in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Signatures.
    Private(u32),
    /// Verification of signatures.
    Verify(u32),
    /// Modular powers with secret exponents.
    Modexp(u32),
    /// Modular products.
    Product(u32),
    /// Operations on a curve, which has this name.
    Curve(CurveOperation, &'static str),
    /// Values of pairings.
    Pairing(CurveWithPairing),
    /// Operations in G2 of BLS12-381, or BLS signatures.
    Bls(BlsOperation),
}

/// A curve whose pairings are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CurveWithPairing {
    Bls12_381,
    Bn254,
}

impl CurveWithPairing {
    const ALL: [Self; 2] = [Self::Bls12_381, Self::Bn254];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bls12_381 => "BLS12-381",
            Self::Bn254 => "BN254",
        }
    }
}

/// An operation in G2 of BLS12-381, or with BLS signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlsOperation {
    /// Hashes of messages in G2.
    Hash,
    /// Multiples of elements of G2 by secret scalars.
    Multiply,
    /// Signatures in G2, each by its own key.
    Sign,
    /// Verification of signatures in G2, each by its own key, with a verdict for each.
    Verify,
    /// The same with one verdict for all, by random factors.
    VerifyTogether,
    /// Verification of signatures in G1 by one key, as drand's rounds have them, with a verdict for each.
    VerifyRounds,
    /// The same with one verdict for all, by random factors.
    RoundsTogether,
}

impl BlsOperation {
    const ALL: [Self; 7] = [
        Self::Verify,
        Self::VerifyTogether,
        Self::VerifyRounds,
        Self::RoundsTogether,
        Self::Sign,
        Self::Hash,
        Self::Multiply,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Hash => "BLS12-381-G2-hash",
            Self::Multiply => "BLS12-381-G2-multiply",
            Self::Sign => "BLS-sign",
            Self::Verify => "BLS-verify",
            Self::VerifyTogether => "BLS-sets",
            Self::VerifyRounds => "drand-verify",
            Self::RoundsTogether => "drand-sets",
        }
    }

    fn included(self) -> &'static str {
        match self {
            Self::Hash => "message of 32 bytes to encoded element (RFC 9380)",
            Self::Multiply => {
                "element and secret scalar to encoded multiple: constant-time multiplication, fault check"
            }
            Self::Sign => {
                "message of 32 bytes to checked, encoded signature in G2, each by its own key: hash, \
                 constant-time multiplication, verification of the result"
            }
            Self::Verify => {
                "message of 32 bytes and encoded signature in G2 to verdict, each by its own validated key: \
                 hash, decoding, check of the subgroup"
            }
            Self::VerifyTogether | Self::RoundsTogether => {
                "the same with one verdict for the batch, by random factors"
            }
            Self::VerifyRounds => {
                "message of 32 bytes and encoded signature in G1 to verdict, all by one validated key: \
                 hash, decoding, check of the subgroup"
            }
        }
    }
}

/// An operation on a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CurveOperation {
    /// ECDSA signatures.
    Sign,
    /// Verification of ECDSA signatures.
    Verify,
    /// Shared secrets by ECDH.
    Agree,
    /// Multiples of group elements by secret scalars.
    Multiply,
    /// A sum of multiples of group elements by public scalars, of which the terms are counted.
    Sum,
    /// Group elements from their compressed encodings.
    Decode,
}

impl CurveOperation {
    const ALL: [Self; 6] = [
        Self::Verify,
        Self::Sign,
        Self::Agree,
        Self::Multiply,
        Self::Sum,
        Self::Decode,
    ];

    /// Whether the curve has the operation.
    fn is_on(self, name: &str) -> bool {
        let pairing = Curve::PAIRING_NAMES.contains(&name);
        match self {
            Self::Sign | Self::Verify => !pairing && !MONTGOMERY.contains(&name),
            Self::Agree => !pairing && name != SCHNORR && !EDWARDS.contains(&name),
            Self::Multiply | Self::Sum | Self::Decode => pairing,
        }
    }

    /// Whether it is one with group elements, without keys.
    pub(super) fn is_in_group(self) -> bool {
        matches!(self, Self::Multiply | Self::Sum | Self::Decode)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sign => "sign",
            Self::Verify => "verify",
            Self::Agree => "agree",
            Self::Multiply => "multiply",
            Self::Sum => "sum",
            Self::Decode => "decode",
        }
    }
}

/// The sizes of the keys that are measured by default, in bits.
const RSA_SIZES: [u32; 4] = [2048, 3072, 4096, 8192];
/// The sizes of the moduli that are measured by default, in bits.
const MODULUS_SIZES: [u32; 6] = [1024, 1536, 2048, 3072, 4096, 8192];
/// The curves that are measured by default.
const CURVES: [&str; 9] = [
    "P-256",
    "P-384",
    "P-521",
    "secp256k1",
    SCHNORR,
    "brainpoolP256r1",
    "Ed25519",
    "X25519",
    "BLS12-381-G1",
];
/// Schnorr signatures on secp256k1.
pub(super) const SCHNORR: &str = "BIP340";
/// The curves of EdDSA.
pub(super) const EDWARDS: [&str; 2] = ["Ed25519", "Ed448"];
/// The curves of key agreement alone.
pub(super) const MONTGOMERY: [&str; 2] = ["X25519", "X448"];

impl Job {
    /// The jobs that are measured by default, those with keys first.
    pub(crate) fn usual() -> Vec<Self> {
        let keys = RSA_SIZES.map(|bits| [Self::Private(bits), Self::Verify(bits)]);
        let jobs = keys.into_iter().flatten();
        let curves = CURVES.into_iter().flat_map(Self::on_curve);
        jobs.chain(curves)
            .chain(BlsOperation::ALL.map(Self::Bls))
            .chain(CurveWithPairing::ALL.map(Self::Pairing))
            .chain(MODULUS_SIZES.map(Self::Modexp))
            .chain(MODULUS_SIZES.map(Self::Product))
            .collect()
    }

    /// All jobs on a curve.
    fn on_curve(name: &'static str) -> impl Iterator<Item = Self> {
        let operations = CurveOperation::ALL.into_iter();
        let operations = operations.filter(move |operation| operation.is_on(name));
        operations.map(move |operation| Self::Curve(operation, name))
    }

    /// All jobs of a size in bits.
    pub(crate) fn of_size(bits: u32) -> [Self; 4] {
        [
            Self::Private(bits),
            Self::Verify(bits),
            Self::Modexp(bits),
            Self::Product(bits),
        ]
    }

    /// The description of what a measured operation includes, from its input to its output.
    pub(super) fn included(self) -> &'static str {
        match self {
            Self::Pairing(_) => "elements of G1 and G2 to value: Miller loop, final exponentiation",
            Self::Bls(operation) => operation.included(),
            Self::Private(_) => {
                "SHA-256 digest to checked PKCS#1 v1.5 signature: padding, blinding, constant-time \
                 powers modulo both primes, recombination, fault check"
            }
            Self::Verify(_) => "SHA-256 digest and PKCS#1 v1.5 signature to verdict, e = 65537",
            Self::Modexp(_) => {
                "numbers to power: odd modulus, secret exponent of the modulus' length, constant \
                 time"
            }
            Self::Product(_) => {
                "modular squarings in chains of 1024, with the conversions at their ends"
            }
            Self::Curve(CurveOperation::Sign, _) => {
                "message of 64 bytes to checked ECDSA signature in DER, or EdDSA or Schnorr signature: hash, \
                 nonce, constant-time multiplication, fault check"
            }
            Self::Curve(CurveOperation::Verify, _) => {
                "message of 64 bytes and ECDSA signature in DER, or EdDSA or Schnorr signature, to verdict: \
                 hash, decoding, checks"
            }
            Self::Curve(CurveOperation::Agree, _) => {
                "uncompressed point, or encoded u, to shared secret: decoding, check of the point, constant-time \
                 multiplication, fault check"
            }
            Self::Curve(CurveOperation::Multiply, _) => {
                "element and secret scalar to encoded multiple: constant-time multiplication, fault check"
            }
            Self::Curve(CurveOperation::Sum, _) => {
                "a term of one sum of multiples of elements by public scalars, as many as the batch has, to \
                 the encoded sum"
            }
            Self::Curve(CurveOperation::Decode, _) => {
                "compressed encoding to element: decompression, check of the subgroup"
            }
        }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Private(bits) => write!(f, "rsa{bits}-private"),
            Self::Verify(bits) => write!(f, "rsa{bits}-verify"),
            Self::Modexp(bits) => write!(f, "modexp{bits}"),
            Self::Product(bits) => write!(f, "product{bits}"),
            Self::Pairing(curve) => write!(f, "{}-pairing", curve.name()),
            Self::Bls(operation) => f.write_str(operation.name()),
            Self::Curve(operation, curve) => write!(f, "{curve}-{}", operation.name()),
        }
    }
}

impl FromStr for Job {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if let Some(job) = on_curve(name) {
            return Ok(job);
        }
        let others = CurveWithPairing::ALL.into_iter().map(Self::Pairing);
        let mut others = others.chain(BlsOperation::ALL.into_iter().map(Self::Bls));
        if let Some(job) = others.find(|job| job.to_string() == name) {
            return Ok(job);
        }
        let number = |text: &str| text.parse::<u32>().ok();
        let rsa = name
            .strip_prefix("rsa")
            .and_then(|rest| rest.split_once('-'));
        let job = match (
            rsa,
            name.strip_prefix("modexp"),
            name.strip_prefix("product"),
        ) {
            (Some((bits, "private")), ..) => number(bits).map(Self::Private),
            (Some((bits, "verify")), ..) => number(bits).map(Self::Verify),
            (_, Some(bits), _) => number(bits).map(Self::Modexp),
            (.., Some(bits)) => number(bits).map(Self::Product),
            _ => None,
        };
        match job {
            Some(Self::Private(bits) | Self::Verify(bits)) if !(2048..=8192).contains(&bits) => {
                Err(format!(
                    "RSA keys of 2048 to 8192 bits can be measured, not of {bits}"
                ))
            }
            Some(Self::Modexp(bits) | Self::Product(bits))
                if !(MIN_BITS..=MAX_BITS).contains(&bits) =>
            {
                Err(format!(
                    "moduli of {MIN_BITS} to {MAX_BITS} bits can be measured, not of {bits}"
                ))
            }
            Some(job) => Ok(job),
            None => Err(
                "a job is rsaBITS-private, rsaBITS-verify, modexpBITS, productBITS, or with the name \
                 of a curve CURVE-verify, CURVE-sign or CURVE-agree, or of a pairing-friendly one \
                 CURVE-multiply, CURVE-sum or CURVE-decode, or BLS12-381-pairing, BN254-pairing, \
                 BLS12-381-G2-hash, BLS12-381-G2-multiply, BLS-sign, BLS-verify, BLS-sets, drand-verify or drand-sets"
                    .into(),
            ),
        }
    }
}

/// The job of this name if it is one on a curve.
fn on_curve(name: &str) -> Option<Job> {
    let (curve, operation) = name.rsplit_once('-')?;
    let mut operations = CurveOperation::ALL.into_iter();
    let operation = operations.find(|known| known.name() == operation)?;
    let mut others = EDWARDS.into_iter().chain(MONTGOMERY).chain([SCHNORR]);
    let name = match others.find(|name| name.eq_ignore_ascii_case(curve)) {
        Some(name) => name,
        None => curve.parse::<Curve>().ok()?.name()?,
    };
    operation.is_on(name).then_some(Job::Curve(operation, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let all = RSA_SIZES.into_iter().flat_map(Job::of_size);
        for job in all.chain(Job::usual()) {
            assert_eq!(job.to_string().parse(), Ok(job));
        }
        let curves = Curve::ALL_NAMES.iter().chain(Curve::PAIRING_NAMES).copied();
        let others = EDWARDS.into_iter().chain(MONTGOMERY).chain([SCHNORR]);
        for name in curves.chain(others) {
            assert!(Job::on_curve(name).count() > 0, "{name}");
            for job in Job::on_curve(name) {
                assert_eq!(job.to_string().parse(), Ok(job));
            }
        }
        let other_name = "prime256v1-sign".parse::<Job>().unwrap();
        assert_eq!(other_name.to_string(), "P-256-sign");
    }

    #[test]
    fn names_that_are_not_jobs_are_refused() {
        for name in [
            "",
            "rsa",
            "rsa2048",
            "rsa-private",
            "rsa2047-private",
            "rsa8193-verify",
            "modexp",
            "modexp63",
            "product16385",
            "ecdsa256",
            "P-256",
            "P-255-sign",
            "P-256-private",
            "X25519-sign",
            "Ed25519-agree",
            "BIP340-agree",
            "BLS12-381-G1-sign",
            "BLS12-377-pairing",
            "P-256-multiply",
            "rsa2048-private ",
        ] {
            assert!(name.parse::<Job>().is_err(), "{name}");
        }
    }
}
