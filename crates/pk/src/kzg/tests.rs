//! Tests of openings and blobs with Ethereum's cases, and with a setup of another program.

use super::*;
use crate::ec::pairing::{PreparedPairing, decode_g2_batch};
use crate::system_rng;
use serde::Deserialize;
use std::collections::HashMap;
use sunzi_engine::{Backend, Engine};

#[derive(Deserialize)]
struct Cases {
    openings: Vec<OpeningCase>,
    /// Runs of equal numbers: how many, and the number.
    blobs: HashMap<String, Vec<(usize, String)>>,
    #[serde(rename = "blob_cases")]
    with_blobs: Vec<BlobCase>,
}

#[derive(Deserialize)]
struct OpeningCase {
    name: String,
    commitment: String,
    z: String,
    y: String,
    proof: String,
    /// None where an input is refused.
    valid: Option<bool>,
}

#[derive(Deserialize)]
struct BlobCase {
    name: String,
    blob: String,
    commitment: String,
    proof: String,
    valid: Option<bool>,
}

fn cases() -> Cases {
    let text = include_str!("../../../../vectors/pairings/kzg_ethereum.json");
    serde_json::from_str(text).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |k: usize| u8::from_str_radix(&hex[2 * k..][..2], 16).unwrap();
    (0..hex.len() / 2).map(byte).collect()
}

fn pairing() -> PreparedPairing {
    PreparedPairing::bls12_381(&Engine::new(Backend::best()).unwrap()).unwrap()
}

fn check(name: &str, verdict: &Result<(), KzgError>, valid: Option<bool>) {
    match valid {
        Some(true) => assert_eq!(*verdict, Ok(()), "{name}"),
        Some(false) => assert_eq!(*verdict, Err(KzgError::Mismatch), "{name}"),
        None => assert!(
            verdict
                .as_ref()
                .is_err_and(|error| *error != KzgError::Mismatch),
            "{name}: {verdict:?}"
        ),
    }
}

/// Each opening by itself in one batch; the valid ones together, and with one that is not.
#[test]
fn openings_of_ethereum() {
    let kzg = PreparedKzg::ethereum(&pairing()).unwrap();
    let cases = cases().openings;
    let parts = cases.iter().map(|case| {
        let OpeningCase {
            commitment,
            z,
            y,
            proof,
            ..
        } = case;
        [commitment, z, y, proof].map(|hex| bytes(hex))
    });
    let parts: Vec<_> = parts.collect();
    let openings = parts.iter().map(|[commitment, z, y, proof]| Opening {
        commitment,
        z,
        y,
        proof,
    });
    let openings: Vec<_> = openings.collect();
    for (case, verdict) in cases.iter().zip(kzg.verify_batch(&openings)) {
        check(&case.name, &verdict, case.valid);
    }
    let rng = &mut system_rng();
    let with = |valid| {
        let pairs = cases.iter().zip(&openings);
        let chosen = pairs.filter_map(|(case, o)| (case.valid == valid).then_some(*o));
        chosen.collect::<Vec<_>>()
    };
    let valid = with(Some(true));
    assert_eq!(kzg.verify_together(rng, &[]), Ok(true));
    assert_eq!(kzg.verify_together(rng, &valid), Ok(true));
    for bad in [with(Some(false)), with(None)].concat().iter().step_by(7) {
        let mut all = valid.clone();
        all.push(*bad);
        assert_eq!(kzg.verify_together(rng, &all), Ok(false));
    }
}

/// Blobs, one batch of them; one that is a byte too short.
#[test]
fn blobs_of_ethereum() {
    let kzg = PreparedKzg::ethereum(&pairing()).unwrap();
    let cases = cases();
    let blob = |runs: &Vec<(usize, String)>| {
        let runs = runs.iter().map(|(count, hex)| bytes(hex).repeat(*count));
        runs.collect::<Vec<_>>().concat()
    };
    let blobs: HashMap<_, _> = cases.blobs.iter().map(|(k, v)| (k, blob(v))).collect();
    let cases = cases.with_blobs;
    let elements = cases.iter();
    let elements = elements.map(|case| (bytes(&case.commitment), bytes(&case.proof)));
    let elements: Vec<_> = elements.collect();
    let pairs = cases.iter().zip(&elements);
    let requests = pairs.map(|(case, (commitment, proof))| BlobRequest {
        blob: &blobs[&case.blob],
        commitment,
        proof,
    });
    let requests: Vec<_> = requests.collect();
    for (case, verdict) in cases.iter().zip(kzg.verify_blob_batch(&requests)) {
        check(&case.name, &verdict, case.valid);
    }
    let rng = &mut system_rng();
    let pairs = cases.iter().zip(&requests);
    let valid = pairs.filter_map(|(case, r)| (case.valid == Some(true)).then_some(*r));
    let mut valid: Vec<_> = valid.collect();
    assert_eq!(kzg.verify_blobs_together(rng, &valid), Ok(true));
    let first = valid[0].proof;
    let other = valid.iter().find(|request| request.proof != first);
    let mut wrong = valid[0];
    wrong.proof = other.unwrap().proof;
    assert_eq!(
        kzg.verify_blobs_together(rng, &[valid[0], wrong]),
        Ok(false)
    );
    let short = &valid[0].blob[1..];
    valid[0].blob = short;
    let found = BLOB_BYTES - 1;
    let verdicts = kzg.verify_blob_batch(&valid[..2]);
    assert_eq!(verdicts, [Err(KzgError::Length { found }), Ok(())]);
}

/// An opening with another setup.
#[test]
fn another_setup() {
    #[derive(Deserialize)]
    struct Golden {
        tau_g2: String,
        commitment: String,
        z: String,
        y: String,
        proof: String,
        wrong_y: String,
    }
    let text = include_str!("../../../../vectors/pairings/kzg.json");
    let golden: Golden = serde_json::from_str(text).unwrap();
    let pairing = pairing();
    let tau = decode_g2_batch(&pairing, &[&bytes(&golden.tau_g2)]).unwrap();
    let kzg = PreparedKzg::new(&pairing, tau[0].as_ref().unwrap());
    let scalar = |hex: &str| bytes(&format!("{hex:0>64}"));
    let (commitment, proof) = (bytes(&golden.commitment), bytes(&golden.proof));
    let [z, y, wrong_y] = [&golden.z, &golden.y, &golden.wrong_y].map(|hex| scalar(hex));
    let opening = Opening {
        commitment: &commitment,
        z: &z,
        y: &y,
        proof: &proof,
    };
    let wrong = Opening {
        y: &wrong_y,
        ..opening
    };
    let uncompressed = Opening {
        proof: &[0; 96],
        ..opening
    };
    let long = Opening {
        z: &[0; 33],
        ..opening
    };
    let verdicts = kzg.verify_batch(&[wrong, opening, uncompressed, long]);
    let expected = [
        Err(KzgError::Mismatch),
        Ok(()),
        Err(KzgError::ElementLength(96)),
        Err(KzgError::Scalar("z")),
    ];
    assert_eq!(verdicts, expected);
}
