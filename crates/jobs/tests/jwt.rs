//! Tokens: the examples of the RFCs, all algorithms there and back, and tokens made to deceive.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as URL;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_jobs::jwt::{Keys, Refusal, Rules, Signer, Verified, sign_batch, verify_batch};
use sunzi_pk::keys::{Algorithms, NonceKind, PrivateKey};
use sunzi_pk::system_rng;

const NOW: u64 = 1_800_000_000;

static ALGORITHMS: LazyLock<Algorithms> =
    LazyLock::new(|| Algorithms::new(&Engine::new(Backend::best()).unwrap()));

/// Examples of RFC 7515 (appendix A; RFC 7519 has the first of them), RFC 7520 (section 4) and RFC 8037 (appendix A).
#[derive(Deserialize)]
struct Example {
    name: String,
    alg: String,
    key: Value,
    token: String,
}

fn examples() -> Vec<Example> {
    serde_json::from_str(include_str!("fixtures/rfc_examples.json")).unwrap()
}

fn verify(keys: &Keys, rules: &Rules, tokens: &[String]) -> Vec<Result<Verified, Refusal>> {
    let tokens: Vec<&[u8]> = tokens.iter().map(String::as_bytes).collect();
    verify_batch(&ALGORITHMS, keys, rules, &tokens)
}

fn sign(signer: &Signer, claims: &[&[u8]]) -> Vec<String> {
    let nonces = NonceKind::Deterministic;
    let tokens = sign_batch(&ALGORITHMS, &mut system_rng(), nonces, signer, claims);
    tokens.into_iter().map(Result::unwrap).collect()
}

#[test]
fn the_examples_of_the_rfcs() {
    for Example {
        name,
        alg,
        key,
        token,
    } in examples()
    {
        let file = key.to_string();
        let keys = Keys::from_json(&ALGORITHMS, file.as_bytes()).unwrap();
        let keys = keys.for_every_token().unwrap();
        let mut rules = Rules::at(NOW);
        rules.any_payload = true;
        rules.algorithms = Some(vec![alg.clone()]);
        let payload = URL.decode(token.split('.').nth(1).unwrap()).unwrap();
        let mut changed = token.clone().into_bytes();
        let last = token.rfind('.').unwrap() + 5;
        changed[last] = if changed[last] == b'A' { b'B' } else { b'A' };
        let tokens = [token.clone(), String::from_utf8(changed).unwrap()];
        let verdicts = verify(&keys, &rules, &tokens);
        assert_eq!(verdicts[0].as_ref().unwrap().payload, payload, "{name}");
        assert_eq!(verdicts[1], Err(Refusal::Signature), "{name}");

        rules.algorithms = Some(vec!["ES384".into()]);
        let verdicts = verify(&keys, &rules, &tokens[..1]);
        assert_eq!(
            verdicts[0],
            Err(Refusal::NotPermitted(alg.clone())),
            "{name}"
        );

        // Deterministic schemes make the same signatures.
        if !matches!(alg.as_str(), "HS256" | "RS256" | "EdDSA") {
            continue;
        }
        let signer = Signer::from_json(&ALGORITHMS, file.as_bytes(), None, Some(&alg), None);
        let made = sign(&signer.unwrap().with_any_payload(), &[&payload]);
        let header = token.split('.').next().unwrap();
        if made[0].starts_with(&format!("{header}.")) {
            assert_eq!(made[0], token, "{name}");
        }
    }
}

/// The first example of RFC 7519 has line breaks in its claims, expired in 2011; its second one is unsecured.
#[test]
fn claims_of_rfc_7519() {
    let example = &examples()[0];
    let keys = Keys::from_json(&ALGORITHMS, example.key.to_string().as_bytes()).unwrap();
    let keys = keys.for_every_token().unwrap();
    let mut rules = Rules::at(1_300_819_379);
    rules.algorithms = Some(vec!["HS256".into()]);
    rules.issuers = vec!["joe".into()];
    let unsecured = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9p\
                     c19yb290Ijp0cnVlfQ.";
    let tokens = [example.token.clone(), unsecured.into()];
    let verdicts = verify(&keys, &rules, &tokens);
    assert!(verdicts[0].is_ok());
    assert_eq!(verdicts[1], Err(Refusal::Unsecured));
    rules.now += 1;
    assert_eq!(verify(&keys, &rules, &tokens)[0], Err(Refusal::Expired(0)));
    rules.leeway = 1;
    assert!(verify(&keys, &rules, &tokens)[0].is_ok());
}

/// A set of keys with one for each algorithm, and its signers.
fn all_algorithms() -> (Value, Vec<Signer>) {
    let mut rng = system_rng();
    let mut set = Vec::new();
    let rsa = PrivateKey::generate(&ALGORITHMS, "RSA-2048", &mut rng).unwrap();
    for alg in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] {
        set.push((alg, rsa.to_jwk().unwrap()));
    }
    for (alg, name) in [
        ("ES256", "P-256"),
        ("ES384", "P-384"),
        ("ES512", "P-521"),
        ("ES256K", "secp256k1"),
        ("EdDSA", "Ed25519"),
        ("EdDSA", "Ed448"),
        ("Ed25519", "Ed25519"),
    ] {
        let key = PrivateKey::generate(&ALGORITHMS, name, &mut rng).unwrap();
        set.push((alg, key.to_jwk().unwrap()));
    }
    for (alg, bytes) in [("HS256", 32), ("HS384", 48), ("HS512", 64)] {
        let oct = json!({"kty": "oct", "k": URL.encode(vec![7; bytes])});
        set.push((alg, oct.to_string().into()));
    }
    let keys = set.iter().enumerate().map(|(place, (alg, jwk))| {
        let mut jwk: Value = serde_json::from_str(jwk).unwrap();
        jwk["kid"] = format!("key {place}").into();
        jwk["alg"] = (*alg).into();
        jwk
    });
    let keys = json!({"keys": keys.collect::<Vec<_>>()});
    let file = keys.to_string();
    let signers = (0..set.len()).map(|place| {
        let kid = format!("key {place}");
        Signer::from_json(&ALGORITHMS, file.as_bytes(), Some(&kid), None, Some("JWT")).unwrap()
    });
    let signers = signers.collect();
    (keys, signers)
}

#[test]
fn every_algorithm_there_and_back_in_one_batch() {
    let (set, signers) = all_algorithms();
    let keys = Keys::from_json(&ALGORITHMS, set.to_string().as_bytes()).unwrap();
    let claims: Vec<_> = (0..20).map(|k| format!("{{\"sub\":\"{k}\"}}")).collect();
    let claims: Vec<&[u8]> = claims.iter().map(String::as_bytes).collect();
    let all: Vec<_> = signers.iter().map(|signer| sign(signer, &claims)).collect();
    // In turn, with the signature of a neighbour's in every seventh.
    let mut tokens = Vec::new();
    let mut expected = Vec::new();
    for k in 0..claims.len() {
        for tokens_of_key in &all {
            let right = tokens.len() % 7 != 3;
            let token = &tokens_of_key[k];
            let other = &tokens_of_key[(k + 1) % claims.len()];
            let (text, _) = token.rsplit_once('.').unwrap();
            let (_, signature) = if right { token } else { other }.rsplit_once('.').unwrap();
            tokens.push(format!("{text}.{signature}"));
            expected.push(right.then_some(claims[k]));
        }
    }
    let verdicts = verify(&keys, &Rules::at(NOW), &tokens);
    for (verdict, expected) in verdicts.iter().zip(expected) {
        match expected {
            Some(claims) => assert_eq!(verdict.as_ref().unwrap().payload, claims),
            None => assert_eq!(*verdict, Err(Refusal::Signature)),
        }
    }
}

/// Two hundred tokens and more that a careless verifier accepts, some of them with signatures of the right key over
/// what they say: none is accepted, and the right ones among them are.
#[test]
#[expect(clippy::too_many_lines, reason = "a list of tokens")]
fn malicious_tokens() {
    let (mut set, signers) = all_algorithms();
    let mut double = set["keys"][6].clone();
    double["kid"] = "double".into();
    let mut encryption = set["keys"][6].clone();
    encryption["kid"] = "encryption".into();
    encryption["use"] = "enc".into();
    let mut operations = set["keys"][6].clone();
    operations["kid"] = "operations".into();
    operations["key_ops"] = json!(["encrypt"]);
    let list = set["keys"].as_array_mut().unwrap();
    list.extend([double.clone(), double, encryption, operations]);
    list.push(json!({"kty": "oct", "kid": "short", "alg": "HS256", "k": "c2hvcnQ"}));
    list.push(json!({"kty": "EC", "kid": "broken", "crv": "P-256", "x": "AA", "y": "AA"}));
    let set_text = set.to_string();
    let keys = Keys::from_json(&ALGORITHMS, set_text.as_bytes()).unwrap();

    // A token of the P-256 key ("key 6") with any header and payload, signed rightly.
    let private: Value = set["keys"][6].clone();
    let forge = |header: &str, payload: &str| {
        let input = format!("{}.{}", URL.encode(header), URL.encode(payload));
        signed_by(&private, &input)
    };
    let right = r#"{"alg":"ES256","kid":"key 6"}"#;
    let claims = format!(r#"{{"sub":"a","exp":{},"nbf":{}}}"#, NOW + 1, NOW);
    let good = forge(right, &claims);
    let mut tokens: Vec<String> = Vec::new();

    // Headers, each rightly signed.
    for alg in [
        "none",
        "None",
        "NONE",
        "nOnE",
        "",
        " ES256",
        "ES256 ",
        "es256",
        "ES384",
        "ES512",
        "ES256K",
        "HS256",
        "HS384",
        "HS512",
        "RS256",
        "RS512",
        "PS256",
        "EdDSA",
        "Ed25519",
        "SHA256",
        "RS1",
        "ES256\\u0000",
        "A128KW",
    ] {
        tokens.push(forge(
            &format!(r#"{{"alg":"{alg}","kid":"key 6"}}"#),
            &claims,
        ));
    }
    for header in [
        r"{}",
        r"[]",
        r"null",
        r#""ES256""#,
        r"",
        r"{",
        r#"{"kid":"key 6"}"#,
        r#"{"alg":"ES256"}"#,
        r#"{"alg":null,"kid":"key 6"}"#,
        r#"{"alg":["ES256"],"kid":"key 6"}"#,
        r#"{"alg":"ES256","kid":6}"#,
        r#"{"alg":"ES256","kid":null}"#,
        r#"{"alg":"ES256","kid":["key 6"]}"#,
        r#"{"alg":"ES256","kid":"key 66"}"#,
        r#"{"alg":"ES256","kid":"KEY 6"}"#,
        r#"{"alg":"ES256","kid":"key 6 "}"#,
        r#"{"alg":"ES256","kid":""}"#,
        r#"{"alg":"ES256","kid":"../key 6"}"#,
        r#"{"alg":"ES256","kid":"key 6' OR '1'='1"}"#,
        r#"{"alg":"ES256","kid":"double"}"#,
        r#"{"alg":"ES256","kid":"encryption"}"#,
        r#"{"alg":"ES256","kid":"operations"}"#,
        r#"{"alg":"ES256","kid":"broken"}"#,
        r#"{"alg":"ES256","kid":"key 7"}"#,
        r#"{"alg":"RS256","kid":"key 0"}"#,
        r#"{"alg":"none","alg":"ES256","kid":"key 6"}"#,
        r#"{"alg":"ES256","alg":"none","kid":"key 6"}"#,
        r#"{"alg":"ES256","\u0061lg":"ES256","kid":"key 6"}"#,
        r#"{"alg":"ES256","kid":"key 6","kid":"key 6"}"#,
        r#"{"alg":"ES256","kid":"key 5","kid":"key 6"}"#,
        r#"{"alg":"ES256","kid":"key 6","x":{"a":1,"a":2}}"#,
        r#"{"alg":"ES256","kid":"key 6","crit":["exp"],"exp":1}"#,
        r#"{"alg":"ES256","kid":"key 6","crit":["b64"],"b64":false}"#,
        r#"{"alg":"ES256","kid":"key 6","crit":[]}"#,
        r#"{"alg":"ES256","kid":"key 6","crit":"exp"}"#,
        r#"{"alg":"ES256","kid":"key 6","crit":null}"#,
        r#"{"alg":"ES256","kid":"key 6","crit":["alg"]}"#,
        r#"{"alg":"ES256","kid":"key 6","crit":["unknown"],"unknown":true}"#,
        r#"{"alg":"ES256","kid":"key 6","typ":7}"#,
        r#"{"alg":"ES256","kid":"key 6"}{}"#,
        r#"{"alg":"ES256","kid":"key 6",}"#,
        r"{'alg':'ES256','kid':'key 6'}",
        "\u{feff}{\"alg\":\"ES256\",\"kid\":\"key 6\"}",
        "{\"alg\":\"ES256\",\"kid\":\"key 6\"}\0",
        "{\"alg\":\"ES256\",\"kid\":\"key\n6\"}",
    ] {
        tokens.push(forge(header, &claims));
    }
    // Payloads, each rightly signed.
    for payload in [
        "",
        "null",
        "[]",
        "1",
        "\"claims\"",
        "{",
        "{}}",
        "{\"a\":}",
        "{\"a\":NaN}",
        "{\"a\":01}",
        "{\"exp\":1e999}",
        r#"{"sub":"a","sub":"b"}"#,
        r#"{"sub":"a","\u0073ub":"b"}"#,
        r#"{"exp":1,"exp":9999999999}"#,
        r#"{"a":[{"b":{"c":1,"c":1}}]}"#,
        r#"{"exp":"9999999999"}"#,
        r#"{"exp":null}"#,
        r#"{"exp":true}"#,
        r#"{"exp":[9999999999]}"#,
        r#"{"exp":{"t":9999999999}}"#,
        r#"{"nbf":"0"}"#,
        r#"{"iat":"0"}"#,
        r#"{"iss":7}"#,
        r#"{"aud":7}"#,
        r#"{"aud":["us",7]}"#,
        r#"{"aud":null}"#,
        r#"{"aud":"us"}"#,
        r#"{"aud":[]}"#,
        r#"{"exp":0}"#,
        r#"{"exp":-1}"#,
        r#"{"exp":1799999999.5}"#,
        r#"{"exp":-1e300}"#,
        r#"{"nbf":1e300}"#,
        r#"{"nbf":1800000000.5}"#,
        r#"{"nbf":9999999999}"#,
        r#"{"sub":"\ud800"}"#,
    ] {
        tokens.push(forge(right, payload));
    }
    for seconds in 0..12 {
        tokens.push(forge(right, &format!(r#"{{"exp":{}}}"#, NOW - seconds)));
        tokens.push(forge(right, &format!(r#"{{"nbf":{}}}"#, NOW + 1 + seconds)));
    }
    // Another spelling of the same token.
    let [header, payload, signature] = parts(&good);
    for end in [
        "=", "==", " ", "\n", "\r\n", "\t", "%3D", "\0", "A", "AA", "AAA", "AAAA",
    ] {
        tokens.push(format!("{header}{end}.{payload}.{signature}"));
        tokens.push(format!("{header}.{payload}{end}.{signature}"));
        tokens.push(format!("{header}.{payload}.{signature}{end}"));
    }
    let spellings = [
        good.replacen('.', "..", 1),
        good.replace('.', ","),
        format!("{good}."),
        format!(".{good}"),
        format!("{good}.{signature}"),
        format!("{header}.{payload}."),
        format!("{header}.{payload}"),
        format!("{header}..{signature}"),
        format!(".{payload}.{signature}"),
        format!("{payload}.{header}.{signature}"),
        String::new(),
        ".".into(),
        "..".into(),
        "...".into(),
        format!("Bearer {good}"),
        format!("\"{good}\""),
        good.to_uppercase(),
        good.to_lowercase(),
        json!({"payload": payload, "protected": header, "signature": signature}).to_string(),
    ];
    tokens.extend(spellings);
    // Signatures: those of other encodings, of other keys, and numbers out of range.
    let raw = URL.decode(signature).unwrap();
    let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551";
    let order: Vec<u8> = (0..32)
        .map(|k| u8::from_str_radix(&order[2 * k..2 * k + 2], 16).unwrap())
        .collect();
    let (zero, r, s) = (vec![0; 32], &raw[..32], &raw[32..]);
    let der = [&[0x30, 68, 2, 32][..], r, &[2, 32], s].concat();
    for signature in [
        vec![0; 64], // CVE-2022-21449
        [&zero[..], s].concat(),
        [r, &zero].concat(),
        [&order[..], &order].concat(),
        [&order[..], s].concat(),
        [r, &order].concat(),
        [s, r].concat(),
        vec![255; 64],
        der,
        raw[..63].to_vec(),
        [&raw[..], &[0]].concat(),
        [&[0], &raw[..]].concat(),
        r.to_vec(),
        vec![0; 32],
        vec![0; 256],
    ] {
        tokens.push(format!("{header}.{payload}.{}", URL.encode(signature)));
    }
    for bit in (0..512).step_by(37) {
        let mut flipped = raw.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        tokens.push(format!("{header}.{payload}.{}", URL.encode(flipped)));
    }
    // HMAC by what is public: the key's text, its numbers (algorithm confusion), and a key that is too short.
    let public = serde_json::to_vec(&private["x"]).unwrap();
    for (kid, key) in [
        ("key 6", public.clone()),
        ("key 0", set["keys"][0]["n"].to_string().into_bytes()),
        ("key 0", set_text.into_bytes()),
        ("key 6", Vec::new()),
        ("key 13", Vec::new()),
        ("short", b"short".to_vec()),
    ] {
        let header = format!(r#"{{"alg":"HS256","kid":"{kid}"}}"#);
        let input = format!("{}.{}", URL.encode(header), URL.encode(&claims));
        tokens.push(format!(
            "{input}.{}",
            URL.encode(hmac_sha256(&key, input.as_bytes()))
        ));
    }
    // Tokens of each other algorithm under the name and key of the next.
    for (place, other) in signers.iter().enumerate() {
        let token = &sign(other, &[claims.as_bytes()])[0];
        let [_, payload, signature] = parts(token);
        let next = (place + 1) % signers.len();
        let header = json!({"alg": signers[next].algorithm(), "kid": format!("key {next}")});
        let header = URL.encode(header.to_string());
        tokens.push(format!("{header}.{payload}.{signature}"));
    }

    let different: BTreeSet<&String> = tokens.iter().collect();
    assert!(different.len() >= 200, "{} tokens", different.len());
    // A right one after each, so that answers out of order are seen.
    let mixed: Vec<String> = tokens
        .iter()
        .flat_map(|wrong| [wrong.clone(), good.clone()])
        .collect();
    let verdicts = verify(&keys, &Rules::at(NOW), &mixed);
    assert_eq!(verdicts.len(), mixed.len());
    let mut reasons = HashSet::new();
    for (place, verdict) in verdicts.iter().enumerate() {
        if place % 2 == 1 {
            assert!(verdict.is_ok(), "{}: {verdict:?}", mixed[place]);
            continue;
        }
        let refusal = verdict.as_ref().expect_err(&mixed[place]);
        reasons.insert(core::mem::discriminant(refusal));
        assert!(!matches!(refusal, Refusal::Undecided(_)), "{refusal:?}");
    }
    assert!(reasons.len() >= 15, "{} reasons", reasons.len());
}

/// What the private key signs as it stands, header and payload chosen by the caller.
fn signed_by(jwk: &Value, input: &str) -> String {
    use sunzi_pk::keys::{Scheme, SignRequest, SigningKey, sign_batch};
    static KEY: LazyLock<std::sync::Mutex<Option<(String, SigningKey)>>> =
        LazyLock::new(Default::default);
    let file = jwk.to_string();
    let mut kept = KEY.lock().unwrap();
    if kept.as_ref().is_none_or(|(text, _)| *text != file) {
        let limits = sunzi_pk::KdfLimits::default();
        let key = PrivateKey::from_pem_or_der(&ALGORITHMS, file.as_bytes(), None, limits).unwrap();
        *kept = Some((file, SigningKey::new(&ALGORITHMS, &key).unwrap()));
    }
    let key = &kept.as_ref().unwrap().1;
    let request = SignRequest {
        key,
        scheme: Scheme::of_jws("ES256", key.public_key()).unwrap(),
        content: input.as_bytes().into(),
    };
    let nonces = NonceKind::Deterministic;
    let signatures = sign_batch(&ALGORITHMS, &mut system_rng(), nonces, &[request]);
    format!("{input}.{}", URL.encode(signatures[0].as_ref().unwrap()))
}

fn hmac_sha256(key: &[u8], text: &[u8]) -> Vec<u8> {
    use hmac::{Hmac, KeyInit, Mac};
    let mut mac = <Hmac<sha2::Sha256> as KeyInit>::new_from_slice(key).unwrap();
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

fn parts(token: &str) -> [&str; 3] {
    let parts: Vec<_> = token.split('.').collect();
    parts.try_into().unwrap()
}

#[test]
fn rules() {
    let mut rng = system_rng();
    let key = PrivateKey::generate(&ALGORITHMS, "Ed25519", &mut rng).unwrap();
    let keys = Keys::of(&ALGORITHMS, &key.public_key()).unwrap();
    let typ = Some("application/at+jwt");
    let signer = Signer::new(&ALGORITHMS, &key, None, None, typ).unwrap();
    let signer = signer.with_lifetime(NOW, 60);
    let claims: [&[u8]; 2] = [b" {} ", br#"{ "aud": ["us", "them"], "iss": "we" }"#];
    let tokens = sign(&signer, &claims);
    let nonces = NonceKind::Deterministic;
    for wrong in [
        &br#"{"exp":1}"#[..],
        b"[]",
        b"{\"a\":1,\"a\":1}",
        br#"{"nbf":"1"}"#,
    ] {
        assert!(sign_batch(&ALGORITHMS, &mut rng, nonces, &signer, &[wrong])[0].is_err());
    }
    let check = |change: &dyn Fn(&mut Rules)| {
        let mut rules = Rules::at(NOW);
        change(&mut rules);
        let verdicts = verify(&keys, &rules, &tokens);
        verdicts.into_iter().map(Result::err).collect::<Vec<_>>()
    };
    let missing = |name: &str| Some(Refusal::Missing(name.into()));
    assert_eq!(check(&|_| {}), [None, Some(Refusal::AudienceNotNamed)]);
    assert_eq!(check(&|rules| rules.any_audience = true), [None, None]);
    let us = |rules: &mut Rules| rules.audiences = vec!["x".into(), "us".into()];
    assert_eq!(check(&us), [missing("aud"), None]);
    let x = |rules: &mut Rules| rules.audiences = vec!["x".into()];
    assert_eq!(check(&x), [missing("aud"), Some(Refusal::Audience)]);
    let issuer = |rules: &mut Rules| {
        us(rules);
        rules.issuers = vec!["you".into()];
    };
    assert_eq!(check(&issuer), [missing("iss"), Some(Refusal::Issuer)]);
    let typ = |typ: &'static str| {
        move |rules: &mut Rules| {
            rules.any_audience = true;
            rules.typ = Some(typ.into());
        }
    };
    assert_eq!(check(&typ("AT+jwt")), [None, None]);
    let other = Some(Refusal::OtherType("JWT".into()));
    assert_eq!(check(&typ("JWT")), [other.clone(), other]);
    let late = |rules: &mut Rules| {
        rules.any_audience = true;
        rules.now += 61;
    };
    assert_eq!(
        check(&late),
        [Some(Refusal::Expired(1)), Some(Refusal::Expired(1))]
    );
    let required = |rules: &mut Rules| {
        us(rules);
        rules.required = vec!["exp".into(), "jti".into()];
    };
    assert_eq!(check(&required), [missing("jti"), missing("jti")]);
}

/// An RSA key that names no algorithm verifies nothing unless the caller names one.
#[test]
fn a_key_without_an_algorithm() {
    let key = PrivateKey::generate(&ALGORITHMS, "RSA-2048", &mut system_rng()).unwrap();
    assert!(Signer::new(&ALGORITHMS, &key, None, None, None).is_err());
    let signer = Signer::new(&ALGORITHMS, &key, Some("PS256"), None, None).unwrap();
    let tokens = sign(&signer, &[b"{}"]);
    let keys = Keys::of(&ALGORITHMS, &key.public_key()).unwrap();
    let mut rules = Rules::at(NOW);
    assert_eq!(verify(&keys, &rules, &tokens)[0], Err(Refusal::NotBound));
    rules.algorithms = Some(vec!["PS256".into()]);
    assert!(verify(&keys, &rules, &tokens)[0].is_ok());
    let agreement = PrivateKey::generate(&ALGORITHMS, "X25519", &mut system_rng()).unwrap();
    assert!(Keys::of(&ALGORITHMS, &agreement.public_key()).is_err());
}
