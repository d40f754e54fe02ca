//! Signatures, certificates, lists of signers, policies and requests of SSH: no signature and no certificate is accepted
//! but the ones that were signed.

use crate::ALGORITHMS;
use std::sync::LazyLock;
use sunzi_jobs::ssh::{
    Authority, Certificate, Checker, Policy, Request, Signature, Signer, Verifier, armor,
    certify_batch, check_batch, sign_batch, verify_batch,
};
use sunzi_pk::keys::{NonceKind, PrivateKey, SigningKey};
use sunzi_pk::{Digest, Hash, system_rng};

const NOW: u64 = 1_800_000_000;

struct Signed {
    digest: Digest,
    signature: String,
    certificate: String,
    verifier: Verifier,
    checker: Checker,
    policy: Policy,
}

static SIGNED: LazyLock<Signed> = LazyLock::new(|| {
    let (nonces, rng) = (NonceKind::Deterministic, &mut system_rng());
    let private = PrivateKey::generate(&ALGORITHMS, "Ed25519", rng).expect("there is randomness");
    let public = private.public_key();
    let key = || SigningKey::new(&ALGORITHMS, &private).expect("it signs");
    let digest = Hash::Sha512.digest(b"a message");
    let signer = Signer::new(key(), "file", Hash::Sha512).expect("it has a namespace");
    let mut signatures = sign_batch(&ALGORITHMS, rng, nonces, &signer, &[digest]);
    let authority = Authority::new(key()).expect("SSH has such keys");
    let line = public.to_openssh().expect("SSH has such keys");
    let line = line.trim_end();
    let request = format!(r#"{{"key":"{line}","key_id":"a","principals":["a"],"lifetime":3600}}"#);
    let policy = br#"{"types":["user"],"principals":["a"],"max_validity":3600}"#;
    let policy = Policy::from_json(policy).expect("it is a policy");
    let kind = policy.only_kind();
    let request = Request::from_json(request.as_bytes(), kind, NOW).expect("it is a request");
    let mut certificates = certify_batch(&ALGORITHMS, rng, nonces, &authority, &[request]);
    Signed {
        digest,
        signature: armor(&signatures.remove(0).expect("it is signed")),
        certificate: certificates.remove(0).expect("it is signed"),
        verifier: Verifier::of_key(&ALGORITHMS, &public, "file").expect("it has a namespace"),
        checker: Checker::new(&ALGORITHMS, &[public], NOW).expect("SSH has such keys"),
        policy,
    }
});

/// A right text with changes, pairs of a place and bits, or the input as it is.
fn changed(right: &str, input: &[u8], as_it_is: bool) -> Vec<u8> {
    if as_it_is {
        return input.to_vec();
    }
    let mut bytes = right.as_bytes().to_vec();
    for pair in input.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([pair[0], pair[1]])) % bytes.len();
        bytes[place] ^= pair[2];
    }
    bytes
}

pub(crate) fn run(input: &[u8]) {
    let signed = &*SIGNED;
    let [choice, rest @ ..] = input else {
        return;
    };
    let as_it_is = choice & 1 == 1;
    match (choice >> 1) & 3 {
        0 => {
            let file = changed(&signed.signature, rest, as_it_is);
            let Ok(signature) = Signature::read(&file) else {
                return;
            };
            let right = Signature::read(signed.signature.as_bytes()).expect("it was written so");
            let claim = signed.verifier.claim(&signature);
            let valid = claim.is_ok_and(|claim| {
                claim.hash() == Hash::Sha512
                    && verify_batch(&ALGORITHMS, &[(claim, signed.digest)])[0].is_ok()
            });
            assert_eq!(valid, signature == right);
        }
        1 => {
            let line = changed(&signed.certificate, rest, as_it_is);
            let Ok(line) = str::from_utf8(&line) else {
                return;
            };
            let Ok(certificate) = Certificate::from_line(line) else {
                return;
            };
            let right = Certificate::from_line(&signed.certificate).expect("it was written so");
            let valid = certificate == right;
            let verdicts = check_batch(&ALGORITHMS, &signed.checker, &[right, certificate]);
            assert!(verdicts[0].is_ok());
            assert_eq!(verdicts[1].is_ok(), valid);
        }
        2 => {
            let who = as_it_is.then_some("a@example.org");
            let _ = Verifier::of_allowed_signers(&ALGORITHMS, rest, "file", who, NOW);
        }
        _ => {
            let _ = Policy::from_json(rest);
            if let Ok(request) = Request::from_json(rest, signed.policy.only_kind(), NOW)
                && signed.policy.check(&request, NOW).is_ok()
            {
                let statement = &request.statement;
                assert!(statement.principals.iter().all(|name| name == "a"));
                assert!(statement.valid_before - statement.valid_after <= 3600);
            }
        }
    }
}
