//! JSON Web Tokens and key sets: no token is accepted but the ones that were signed.

use crate::ALGORITHMS;
use std::sync::LazyLock;
use sunzi_jobs::jwt::{Keys, Rules, Signer, sign_batch, verify_batch};
use sunzi_pk::keys::{NonceKind, PrivateKey};
use sunzi_pk::system_rng;

/// A set of a key on Ed25519 and a symmetric one, and a token by each.
static SIGNED: LazyLock<(Keys, [String; 2])> = LazyLock::new(|| {
    let private = PrivateKey::generate(&ALGORITHMS, "Ed25519", &mut system_rng());
    let private = private.expect("there is randomness");
    let symmetric = r#"{"kty":"oct","kid":"s","alg":"HS256","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}"#;
    let public = private.public_key().to_jwk().expect("it has a form");
    let public = public.replacen('{', r#"{"kid":"e","#, 1);
    let set = format!(r#"{{"keys":[{public},{symmetric}]}}"#);
    let keys = Keys::from_json(&ALGORITHMS, set.as_bytes()).expect("it is a set");
    let signers = [
        Signer::new(&ALGORITHMS, &private, Some("EdDSA"), Some("e"), None),
        Signer::from_json(&ALGORITHMS, symmetric.as_bytes(), None, None, None),
    ];
    let tokens = signers.map(|signer| {
        let (signer, nonces) = (signer.expect("it signs"), NonceKind::Deterministic);
        let claims = [&br#"{"sub":"a","exp":2000}"#[..]];
        let mut tokens = sign_batch(&ALGORITHMS, &mut system_rng(), nonces, &signer, &claims);
        tokens.remove(0).expect("these are claims")
    });
    (keys, tokens)
});

pub(crate) fn run(input: &[u8]) {
    let (keys, tokens) = &*SIGNED;
    let [choice, rest @ ..] = input else {
        return;
    };
    let token = match choice & 3 {
        // Pairs of a place and bits.
        kind @ (0 | 1) => {
            let mut token = tokens[usize::from(kind)].clone().into_bytes();
            for pair in rest.chunks_exact(2) {
                let place = usize::from(pair[0]) % token.len();
                token[place] ^= pair[1];
            }
            token
        }
        2 => rest.to_vec(),
        _ => {
            let _ = Signer::from_json(&ALGORITHMS, rest, None, None, None);
            if let Ok(others) = Keys::from_json(&ALGORITHMS, rest) {
                verify_batch(
                    &ALGORITHMS,
                    &others,
                    &Rules::at(1500),
                    &[tokens[0].as_bytes()],
                );
            }
            return;
        }
    };
    let was_signed = tokens.iter().any(|right| right.as_bytes() == token);
    // A right one beside each.
    let batch = [tokens[0].as_bytes(), &token, tokens[1].as_bytes()];
    let verdicts = verify_batch(&ALGORITHMS, keys, &Rules::at(1500), &batch);
    let valid: Vec<bool> = verdicts.iter().map(Result::is_ok).collect();
    assert_eq!(valid, [true, was_signed, true]);
}
