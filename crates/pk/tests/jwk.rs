//! JSON Web Keys.

mod common;

use common::fixture;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::{EdwardsCurve, PreparedCurves, eddsa};
use sunzi_pk::keys::{Algorithms, PrivateKey, PublicKey};
use sunzi_pk::{
    KdfLimits, KeyAlgorithm, KeyFile, KeyFileError, KeySet, MAX_FILE_BYTES, ec, rsa, system_rng,
};

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

/// The private key of RFC 8037, appendix A.1, of Ed25519.
const OKP_EXAMPLE: &str = r#"{"kty":"OKP","crv":"Ed25519",
          "d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
          "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;

#[test]
fn the_example_of_the_standard() {
    let key = ec::PrivateKey::from_pem_or_der(&curves(), EC_EXAMPLE.as_bytes(), None).unwrap();
    assert_eq!(key.curve().name(), Some("P-256"));
    let expected: String = EC_EXAMPLE.split_whitespace().collect();
    let expected = expected.replace(",\"use\":\"enc\",\"kid\":\"1\"", "");
    assert_eq!(key.to_jwk().unwrap().as_str(), expected);
}

/// The keys and the thumbprint's input of RFC 8037, appendix A.1 to A.3.
#[test]
fn the_example_of_octet_keys() {
    let algorithms = Algorithms::new(curves().engine());
    let edwards = algorithms.edwards();
    let key = eddsa::PrivateKey::from_pem_or_der(edwards, OKP_EXAMPLE.as_bytes(), None).unwrap();
    assert_eq!(key.as_bytes()[..4], [0x9d, 0x61, 0xb1, 0x9d]);
    let public =
        r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    assert_eq!(key.public_key().to_jwk(), public);
    assert_eq!(
        eddsa::PublicKey::from_pem_or_der(public.as_bytes()).as_ref(),
        Ok(key.public_key())
    );
    let json = key.to_jwk();
    let read = eddsa::PrivateKey::from_pem_or_der(edwards, json.as_bytes(), None).unwrap();
    assert_eq!(read.as_bytes(), key.as_bytes());
    // A public key that is not the private one's, a key that is too short, and one of another algorithm.
    let read = |json: &str| eddsa::PrivateKey::from_pem_or_der(edwards, json.as_bytes(), None);
    let other = OKP_EXAMPLE.replace("11qYAY", "12qYAY");
    assert_eq!(read(&other).unwrap_err(), eddsa::KeyError::Mismatch);
    let short = OKP_EXAMPLE.replace("nWGxne_9", "");
    assert!(matches!(
        read(&short),
        Err(eddsa::KeyError::Length { given: 26, .. })
    ));
    let agreement = OKP_EXAMPLE.replace("Ed25519", "X25519");
    let refused = eddsa::KeyError::OtherAlgorithm("X25519".into());
    assert_eq!(read(&agreement).unwrap_err(), refused);
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
    let algorithms = Algorithms::new(curves.engine());
    for name in ["Ed25519", "Ed448", "X25519", "X448"] {
        let key = PrivateKey::generate(&algorithms, name, &mut system_rng()).unwrap();
        let json = key.to_jwk().unwrap();
        let limits = KdfLimits::default();
        let read = PrivateKey::from_pem_or_der(&algorithms, json.as_bytes(), None, limits).unwrap();
        assert_eq!(read.to_pkcs8_der(), key.to_pkcs8_der(), "{name}");
        let json = key.public_key().to_jwk().unwrap();
        assert!(!json.contains("\"d\"") && json.contains(&format!("\"crv\":\"{name}\"")));
        let read = PublicKey::from_pem_or_der(json.as_bytes());
        assert_eq!(read.as_ref(), Ok(&key.public_key()), "{name}");
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
    let file = open(OKP_EXAMPLE).unwrap();
    let edwards = KeyAlgorithm::Edwards(EdwardsCurve::Edwards25519);
    assert_eq!((file.algorithm(), file.is_private()), (&edwards, true));
    let symmetric = KeyAlgorithm::Other("symmetric".into());
    assert_eq!(*open("{\"kty\":\"oct\"}").unwrap().algorithm(), symmetric);
    for (json, words) in [
        ("{", "no JSON Web Key (line 1"),
        ("{}", "without a kty"),
        ("{\"keys\":[]}", "a set"),
        ("{\"kty\":\"X\"}", "none of RSA, EC"),
        ("{\"kty\":\"EC\"}", "none of P-256"),
        ("{\"kty\":\"EC\",\"crv\":\"P-224\"}", "none of P-256"),
        ("{\"kty\":\"OKP\",\"crv\":\"P-256\"}", "none of Ed25519"),
        ("{\"kty\":\"OKP\",\"crv\":\"X448\"}", "no x"),
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

/// Each key of a set is found by its identifier, private and public ones of all algorithms; one that is refused
/// keeps none from being used.
#[test]
fn sets_of_keys() {
    let algorithms = Algorithms::new(&Engine::new(Backend::PORTABLE).unwrap());
    let names = [
        "RSA-2048",
        "P-256",
        "P-384",
        "P-521",
        "secp256k1",
        "Ed25519",
        "Ed448",
        "X25519",
        "X448",
    ];
    let with_id = |jwk: &str, id: &str| jwk.replacen('{', &format!("{{\"kid\":\"{id}\","), 1);
    let (mut members, mut made) = (Vec::new(), Vec::new());
    for name in names {
        let key = PrivateKey::generate(&algorithms, name, &mut system_rng()).unwrap();
        members.push(with_id(&key.to_jwk().unwrap(), &format!("{name} private")));
        members.push(with_id(&key.public_key().to_jwk().unwrap(), name));
        made.push(key);
    }
    members.push("{\"kty\":\"oct\",\"k\":\"AA\",\"kid\":\"symmetric\"}".into());
    members.push("{\"kty\":\"new\",\"kid\":\"unknown\"}".into());
    members.push("{\"kty\":\"new\"}".into());
    members.push("{\"kty\":\"EC\",\"kid\":\"na\\u00efve\"}".into());
    let json = format!("{{\"more\":[1],\"keys\":[{}]}}", members.join(","));
    let set = KeySet::from_json(json.as_bytes()).unwrap();
    assert_eq!(set.ids().count(), 2 * names.len() + 3);
    for (name, key) in names.iter().zip(&made) {
        let public = set.get(name).unwrap().unwrap();
        let read = PublicKey::from_pem_or_der(public.der()).unwrap();
        assert_eq!(read, key.public_key(), "{name}");
        let private = set.get(&format!("{name} private")).unwrap().unwrap();
        let limits = KdfLimits::default();
        let read = PrivateKey::from_pem_or_der(&algorithms, private.der(), None, limits);
        assert_eq!(read.unwrap().to_pkcs8_der(), key.to_pkcs8_der(), "{name}");
    }
    let symmetric = set.get("symmetric").unwrap().unwrap();
    assert_eq!(
        *symmetric.algorithm(),
        KeyAlgorithm::Other("symmetric".into())
    );
    for (id, words) in [("unknown", "kty is none of"), ("naïve", "crv is none of")] {
        let error = set.get(id).unwrap().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    assert!(set.get("P-25").is_none());
    assert_eq!(set.intended_algorithm("P-256"), None);
    let set = KeySet::from_json(b"{\"kid\":\"a\",\"alg\":\"ES256\"}").unwrap();
    assert_eq!(set.intended_algorithm("a"), Some("ES256"));

    // A file with one key is a set of it.
    let set = KeySet::from_json(members[1].as_bytes()).unwrap();
    assert_eq!(set.ids().collect::<Vec<_>>(), ["RSA-2048"]);
}

#[test]
fn sets_that_are_refused() {
    let read = |json: &str| KeySet::from_json(json.as_bytes()).unwrap_err();
    let twice = "{\"keys\":[{\"kid\":\"a\",\"kty\":\"EC\"},{\"kid\":\"a\",\"kty\":\"RSA\"}]}";
    assert_eq!(read(twice), KeyFileError::AmbiguousId("a".into()));
    for json in [
        "",
        "[]",
        "{\"keys\":{}}",
        "{\"keys\":[1]}",
        "{\"keys\":[{\"kid\":1}]}",
        "{\"keys\":[],\"keys\":[]}",
        "{\"keys\":[{\"kid\":\"a\"}",
        PUBLIC_PEM,
    ] {
        assert!(matches!(read(json), KeyFileError::Malformed(_)), "{json}");
    }
    // Nested as deeply as a file is long, and longer than any.
    let nested = format!("{{\"keys\":[{}", "[".repeat(1 << 19));
    assert!(matches!(read(&nested), KeyFileError::Malformed(_)));
    let long = " ".repeat(MAX_FILE_BYTES) + "{}";
    assert_eq!(read(&long), KeyFileError::FileTooLong(MAX_FILE_BYTES + 2));
}

const PUBLIC_PEM: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
";
