//! JSON Web Keys.

mod common;

use common::fixture;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::PreparedCurves;
use sunzi_pk::{KdfLimits, KeyAlgorithm, KeyFile, KeyFileError, ec, rsa, system_rng};

fn curves() -> PreparedCurves {
    PreparedCurves::new(&Engine::new(Backend::PORTABLE).unwrap())
}

/// The private key of RFC 7517, appendix A.2, on P-256.
const EC_EXAMPLE: &str = r#"{"kty":"EC",
          "crv":"P-256",
          "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
          "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
          "d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
          "use":"enc",
          "kid":"1"}"#;

#[test]
fn the_example_of_the_standard() {
    let key = ec::PrivateKey::from_pem_or_der(&curves(), EC_EXAMPLE.as_bytes(), None).unwrap();
    assert_eq!(key.curve().name(), Some("P-256"));
    let expected: String = EC_EXAMPLE.split_whitespace().collect();
    let expected = expected.replace(",\"use\":\"enc\",\"kid\":\"1\"", "");
    assert_eq!(key.to_jwk().unwrap().as_str(), expected);
}

#[test]
fn keys_come_back() {
    let curves = curves();
    for name in ["P-256", "P-384", "P-521", "secp256k1"] {
        let curve = curves.get(&name.parse().unwrap()).unwrap();
        let key = ec::PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        let json = key.to_jwk().unwrap();
        let read = ec::PrivateKey::from_pem_or_der(&curves, json.as_bytes(), None).unwrap();
        assert_eq!(read.to_bytes(), key.to_bytes(), "{name}");
        let json = key.public_key().to_jwk().unwrap();
        assert!(!json.contains("\"d\""));
        let read = ec::PublicKey::from_pem_or_der(json.as_bytes());
        assert_eq!(read.as_ref(), Ok(key.public_key()), "{name}");
    }
    let key = rsa::PrivateKey::from_pem_or_der(&fixture("rsa2048.pkcs8.pem"), None).unwrap();
    let json = key.to_jwk();
    let read = rsa::PrivateKey::from_pem_or_der(json.as_bytes(), None).unwrap();
    assert_eq!(read.to_pkcs1_der(), key.to_pkcs1_der());
    let json = key.public_key().to_jwk();
    assert!(json.starts_with("{\"kty\":\"RSA\",\"n\":\"") && json.ends_with(",\"e\":\"AQAB\"}"));
    let read = rsa::PublicKey::from_pem_or_der(json.as_bytes()).unwrap();
    assert_eq!(read.to_spki_der(), key.public_key().to_spki_der());
}

#[test]
fn they_are_recognized() {
    let open = |json: &str| KeyFile::open(json.as_bytes(), None, KdfLimits::default());
    let file = open(EC_EXAMPLE).unwrap();
    assert_eq!(
        (file.algorithm(), file.is_private()),
        (&KeyAlgorithm::Ec, true)
    );
    let okp = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    let other = KeyAlgorithm::Other("Ed25519".into());
    assert_eq!(*open(okp).unwrap().algorithm(), other);
    for (json, words) in [
        ("{", "no JSON Web Key (line 1"),
        ("{}", "without a kty"),
        ("{\"keys\":[]}", "a set"),
        ("{\"kty\":\"X\"}", "none of RSA, EC"),
        ("{\"kty\":\"EC\"}", "none of P-256"),
        ("{\"kty\":\"EC\",\"crv\":\"P-224\"}", "none of P-256"),
        ("{\"kty\":\"EC\",\"crv\":\"P-256\"}", "no x"),
        (
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA==\"}",
            "base64url",
        ),
        (
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\"}",
            "has 1 bytes",
        ),
        ("{\"kty\":\"RSA\",\"n\":\"AQAB\"}", "no e"),
        ("{\"kty\":\"RSA\",\"kty\":\"RSA\"}", "no JSON Web Key"),
        (
            "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"d\":\"AQAB\"}",
            "no p",
        ),
        (
            "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"d\":\"AQAB\",\"oth\":[]}",
            "more than two primes",
        ),
    ] {
        let error = open(json).unwrap_err().to_string();
        assert!(error.contains(words), "{json}: {error}");
    }
    let long = format!("{{\"kty\":\"RSA\",\"x5c\":\"{}\"}}", "A".repeat(1 << 16));
    let refused = open(&long).unwrap_err();
    assert!(matches!(&refused, KeyFileError::Malformed(text) if text.contains("65536")));
}

/// A changed key is refused as in any other format, and the error quotes nothing of it.
#[test]
fn changed_keys() {
    let curves = curves();
    let read = |json: &str| ec::PrivateKey::from_pem_or_der(&curves, json.as_bytes(), None);
    let other_d = EC_EXAMPLE.replace("870MB6", "870MB7");
    assert_eq!(read(&other_d).unwrap_err(), ec::KeyError::Mismatch);
    let other_x = EC_EXAMPLE.replace("MKBCTN", "MKBCTM");
    let off = ec::KeyError::Point(ec::PointError::NotOnCurve);
    assert_eq!(read(&other_x).unwrap_err(), off);
    let short_d = EC_EXAMPLE.replace("870MB6gf", "");
    let error = read(&short_d).unwrap_err();
    assert!(
        matches!(error, ec::KeyError::Length { given: 26, .. }),
        "{error}"
    );
    let broken = EC_EXAMPLE.replace("870MB6gf", "870MB6gf\"");
    let error = read(&broken).unwrap_err().to_string();
    assert!(!error.contains("uTJ4"), "{error}");

    let key = rsa::PrivateKey::from_pem_or_der(&fixture("rsa2048.pkcs8.pem"), None).unwrap();
    let json = key.to_jwk().replace("\"dp\":\"", "\"dp\":\"AQ");
    let error = rsa::PrivateKey::from_pem_or_der(json.as_bytes(), None);
    assert!(error.is_err());
}

#[test]
fn curves_without_a_name() {
    let curves = curves();
    for name in ["P-224", "brainpoolP256r1"] {
        let curve = curves.get(&name.parse().unwrap()).unwrap();
        let key = ec::PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        let refused = Some(ec::KeyError::NoJwkName(name.into()));
        assert_eq!(key.to_jwk().err(), refused);
        assert_eq!(key.public_key().to_jwk().err(), refused);
    }
}
