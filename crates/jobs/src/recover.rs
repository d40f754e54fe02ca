//! Public keys of secp256k1 recovered from signatures, a line of JSON each, and the addresses that Ethereum gives them.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_jobs::recover::{Claim, ethereum_address, recover_batch};
//! use sunzi_pk::keys::Algorithms;
//!
//! let algorithms = Algorithms::new(&Engine::new(Backend::best())?);
//! // The first example of go-ethereum's crypto tests.
//! let line = br#"{"hash": "0xce0677bb30baa8cf067c88db9811f4333d131bf8bcf12fe7065d211dce971008",
//!     "signature": "0x90f27b8b488db00b00606796d2987f6a5f59ae62ea05effe84fef5b8b0e549984a691139ad57a3f0b906637673aa2f63d1f55cb1a69199d4009eea23ceaddc9301"}"#;
//! let claim = Claim::from_json(line)?;
//! let keys = recover_batch(&algorithms, &[claim], false)?;
//! let address = ethereum_address(keys[0].as_ref().unwrap());
//! assert_eq!(address, "0xa19d069d48d2e9392ec2bB41eCaB0A72119d633b");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::Deserialize;
use sha3::{Digest as _, Keccak256};
use std::borrow::Cow;
use sunzi_engine::EngineError;
use sunzi_pk::batch::answered;
use sunzi_pk::ec::ecdsa::{self, Encoding, RecoverRequest, RecoveryId, Signature};
use sunzi_pk::ec::{Curve, PublicKey};
use sunzi_pk::keys::Algorithms;
use sunzi_pk::{Digest, Hash};

/// The curve.
const CURVE: &str = "secp256k1";

/// A hash and a signature of it, whose key is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    hash: [u8; 32],
    /// r and s.
    signature: [u8; 64],
    id: RecoveryId,
}

/// Why a line is no claim, or why no key is recovered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecoverError {
    /// The line is no JSON of the fields that are needed.
    #[error(
        "not JSON with hash and signature in hexadecimal, and v where the signature has 64 bytes"
    )]
    NotJson,
    /// A field is not hexadecimal, or has another length.
    #[error("{0} is not {1} bytes in hexadecimal")]
    Field(&'static str, &'static str),
    /// The last byte of the signature, or v, is none that is known.
    #[error("v is {0}: 0 to 3, 27, 28, and 35 and more are known")]
    V(u64),
    /// A signature has a v of its own, and there is another one.
    #[error("the signature has 65 bytes, and v is given as well")]
    TwoV,
    /// s is more than half the order, which Ethereum has refused since EIP-2.
    #[error("s is more than half the order")]
    HighS,
    /// There is no such key.
    #[error(transparent)]
    Recover(#[from] ecdsa::RecoverError),
}

/// The fields of a line.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    hash: Cow<'a, str>,
    #[serde(borrow)]
    signature: Cow<'a, str>,
    v: Option<u64>,
}

impl Claim {
    /// A hash, r and s, and v: 0 to 3 are the recovery id itself, 27 and 28 are 0 and 1, and from 35 on v is that of
    /// EIP-155, twice the chain's number and 35 or 36.
    ///
    /// # Errors
    /// [`RecoverError::V`].
    pub fn new(hash: [u8; 32], signature: [u8; 64], v: u64) -> Result<Self, RecoverError> {
        let id = match v {
            0..=3 => v as u8,
            27 | 28 => v as u8 - 27,
            35.. => ((v - 35) % 2) as u8,
            _ => return Err(RecoverError::V(v)),
        };
        let id = RecoveryId::from_byte(id).ok_or(RecoverError::V(v))?;
        Ok(Self {
            hash,
            signature,
            id,
        })
    }

    /// Reads a line: `hash` with 32 bytes, and `signature` with 65 (r, s and v), or with 64, and then `v` as a number.
    /// Bytes are hexadecimal, with or without `0x`.
    ///
    /// # Errors
    /// The defect.
    pub fn from_json(line: &[u8]) -> Result<Self, RecoverError> {
        let fields: Fields<'_> = serde_json::from_slice(line).map_err(|_| RecoverError::NotJson)?;
        let hash = bytes(&fields.hash).and_then(|bytes| bytes.try_into().ok());
        let hash = hash.ok_or(RecoverError::Field("hash", "32"))?;
        let wrong = || RecoverError::Field("signature", "64 or 65");
        let signature = bytes(&fields.signature).ok_or_else(wrong)?;
        let (rs, last) = signature.split_at_checked(64).ok_or_else(wrong)?;
        let v = match (last, fields.v) {
            ([v], None) => u64::from(*v),
            ([], Some(v)) => v,
            ([_], Some(_)) => return Err(RecoverError::TwoV),
            ([], None) => return Err(RecoverError::NotJson),
            _ => return Err(wrong()),
        };
        let signature = rs.try_into().map_err(|_| wrong())?;
        Self::new(hash, signature, v)
    }
}

/// The bytes of hexadecimal digits, with or without `0x`.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    base16ct::mixed::decode_vec(digits).ok()
}

/// The public key of each claim, or why there is none, in the same order. With `low_s` a signature whose s is more than
/// half the order is refused.
///
/// # Errors
/// The errors of preparing the curve.
pub fn recover_batch(
    algorithms: &Algorithms,
    claims: &[Claim],
    low_s: bool,
) -> Result<Vec<Result<PublicKey, RecoverError>>, EngineError> {
    let curve: Curve = match CURVE.parse() {
        Ok(curve) => curve,
        // The curve has this name.
        Err(_) => return Ok(Vec::new()),
    };
    let prepared = algorithms.curves().get(&curve)?;
    let requests = claims.iter().map(|claim| {
        let encoding = Encoding::Raw;
        if low_s {
            let signature = Signature::from_bytes(&curve, encoding, &claim.signature);
            let signature = signature.map_err(ecdsa::RecoverError::from)?;
            if !signature.has_low_s(&curve) {
                return Err(RecoverError::HighS);
            }
        }
        let digest = Digest::new(Hash::Sha256, &claim.hash);
        Ok(RecoverRequest {
            curve: &prepared,
            // Whatever hash it is, only its bytes count.
            digest: digest.map_err(|_| RecoverError::Field("hash", "32"))?,
            encoding,
            signature: &claim.signature,
            id: claim.id,
        })
    });
    let compute = |requests: &[RecoverRequest<'_>]| {
        let keys = ecdsa::recover_batch(algorithms.engine(), requests).into_iter();
        Ok(keys.map(|key| Ok(key?)).collect())
    };
    answered(requests, compute, || ecdsa::RecoverError::NoKey.into())
}

/// Ethereum's address of a key of secp256k1: the last 20 bytes of Keccak-256 of its coordinates, with the letters' case as
/// check digits (EIP-55).
pub fn ethereum_address(key: &PublicKey) -> String {
    let point = key.to_sec1_bytes(false);
    let digest = Keccak256::digest(&point[1..]);
    let address = base16ct::lower::encode_string(&digest[12..]);
    let check = base16ct::lower::encode_string(&Keccak256::digest(address.as_bytes()));
    let cased = address.chars().zip(check.chars()).map(|(digit, check)| {
        if check >= '8' {
            digit.to_ascii_uppercase()
        } else {
            digit
        }
    });
    format!("0x{}", cased.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let hash = "11".repeat(32);
        let signature = "22".repeat(64);
        let line = |signature: &str, v: &str| {
            Claim::from_json(
                format!(r#"{{"hash":"0x{hash}","signature":"{signature}"{v}}}"#).as_bytes(),
            )
        };
        let ids = [
            ("00", 0),
            ("01", 1),
            ("1b", 0),
            ("1c", 1),
            ("25", 0),
            ("26", 1),
        ];
        for (v, id) in ids {
            let whole = line(&format!("0x{signature}{v}"), "").unwrap();
            assert_eq!(whole.id.to_byte(), id);
            let v = u8::from_str_radix(v, 16).unwrap();
            assert_eq!(line(&signature, &format!(",\"v\":{v}")), Ok(whole));
        }
        assert_eq!(line(&signature, ",\"v\":4"), Err(RecoverError::V(4)));
        assert_eq!(
            line(&format!("{signature}00"), ",\"v\":0"),
            Err(RecoverError::TwoV)
        );
        assert_eq!(line(&signature, ""), Err(RecoverError::NotJson));
        for wrong in [
            &signature[1..],
            &signature[2..],
            "zz",
            &format!("{signature}0000"),
        ] {
            assert_eq!(
                line(wrong, ""),
                Err(RecoverError::Field("signature", "64 or 65"))
            );
        }
        assert_eq!(Claim::from_json(b"{}"), Err(RecoverError::NotJson));
        let short = br#"{"hash":"0x11","signature":""}"#;
        assert_eq!(
            Claim::from_json(short),
            Err(RecoverError::Field("hash", "32"))
        );
    }
}
