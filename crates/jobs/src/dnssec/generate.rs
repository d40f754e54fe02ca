//! New keys of zones, in BIND's format.

use super::algorithm::Algorithm;
use super::error::KeyError;
use super::keys::{NUMBER, RSA_NUMBERS};
use super::name::Apex;
use super::public::{ENTRY_POINT, PROTOCOL, PublicPart, ZONE_KEY};
use super::rrsig::write_time;
use crate::rsa_numbers::RsaNumbers;
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use core::fmt::Write as _;
use domain::base::Name;
use domain::base::iana::SecurityAlgorithm;
use domain::rdata::Dnskey;
use rand_core::CryptoRng;
use sunzi_pk::keys::{Algorithms, PrivateKey, PublicKey};
use zeroize::Zeroizing;

/// The purpose of a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It signs the zone, and not its keys: a zone-signing key.
    Zone,
    /// It signs the keys of the zone, and where there is no other key all of the zone: a key-signing key, or a combined
    /// one.
    Keys,
}

/// A new key of a zone, with the content of its private file in BIND's format. Keys of RSA have so many bits.
///
/// # Errors
/// [`KeyError::NotDnskey`] if the zone's name is none, [`KeyError::Key`].
pub fn generate<R: CryptoRng + ?Sized>(
    algorithms: &Algorithms,
    zone: &str,
    algorithm: Algorithm,
    bits: u32,
    purpose: Purpose,
    now: u32,
    rng: &mut R,
) -> Result<(PublicPart, Zeroizing<String>), KeyError> {
    let owner = Name::vec_from_str(zone).map_err(|error| KeyError::NotDnskey(error.to_string()))?;
    let key = PrivateKey::generate(algorithms, &algorithm.key_name(bits), rng)?;
    let flags = match purpose {
        Purpose::Zone => ZONE_KEY,
        Purpose::Keys => ZONE_KEY | ENTRY_POINT,
    };
    let bytes = public_bytes(&key.public_key());
    let number = SecurityAlgorithm::from_int(algorithm.number());
    let dnskey = Dnskey::new(flags, PROTOCOL, number, bytes).map_err(|_| KeyError::Public)?;
    let public = PublicPart::new(Apex::new(&owner), &dnskey)?;
    Ok((public, write_bind(&key, algorithm, now)?))
}

/// The public key of a DNSKEY record.
fn public_bytes(key: &PublicKey) -> Vec<u8> {
    match key {
        PublicKey::Rsa(key) => {
            let e = key.e().to_be_bytes();
            let zeros = e.iter().take_while(|byte| **byte == 0).count();
            let e = &e[zeros..];
            let mut bytes = vec![e.len() as u8];
            bytes.extend_from_slice(e);
            bytes.extend(key.n().to_be_bytes_trimmed_vartime());
            bytes
        }
        PublicKey::Ec(key) => key.to_sec1_bytes(false)[1..].to_vec(),
        PublicKey::Edwards(key) => key.as_bytes().to_vec(),
        // Keys of zones are none of these.
        _ => Vec::new(),
    }
}

/// A private key in BIND's format.
fn write_bind(
    key: &PrivateKey,
    algorithm: Algorithm,
    now: u32,
) -> Result<Zeroizing<String>, KeyError> {
    // Longer than any, since growing would leave a copy behind.
    let mut text = Zeroizing::new(String::with_capacity(1 << 14));
    let (number, name) = (algorithm.number(), algorithm.name());
    text.push_str("Private-key-format: v1.3\n");
    // Writing to a text does not fail.
    let _ = writeln!(text, "Algorithm: {number} ({name})");
    let mut push = |name: &str, bytes: &[u8]| {
        let value = Zeroizing::new(Base64::encode_string(bytes));
        for part in [name, ": ", &value, "\n"] {
            text.push_str(part);
        }
    };
    match key {
        PrivateKey::Rsa(key) => {
            let wrong = || KeyError::Format("its numbers cannot be written");
            let jwk = key.to_jwk();
            let jwk: RsaNumbers<'_> = serde_json::from_str(&jwk).map_err(|_| wrong())?;
            let numbers = [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi];
            for ((name, _), number) in RSA_NUMBERS.iter().zip(numbers) {
                let bytes = Base64UrlUnpadded::decode_vec(number).map(Zeroizing::new);
                push(name, &bytes.map_err(|_| wrong())?);
            }
        }
        PrivateKey::Ec(key) => push(NUMBER, &key.to_bytes()),
        PrivateKey::Edwards(key) => push(NUMBER, key.as_bytes()),
        // No algorithm here has others.
        _ => return Err(KeyError::Format("it is a key for agreement")),
    }
    let now = write_time(now);
    for name in ["Created", "Publish", "Activate"] {
        let _ = writeln!(text, "{name}: {now}");
    }
    Ok(text)
}
