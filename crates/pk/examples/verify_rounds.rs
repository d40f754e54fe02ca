//! A chain of drand's rounds, verified from a file of lines as its servers answer them:
//! `{"round":1000,"signature":"b446..."}`, with a `previous_signature` where rounds are chained. A line
//! `{"public_key":"83cf..."}` may come first; without one the key is that of the network quicknet.
//!
//! Keys of 96 bytes have signatures in G1, as quicknet has them; keys of 48 bytes have signatures in G2.
//!
//! ```sh
//! cargo run --release --example verify_rounds -- rounds.jsonl
//! cargo run --release --example verify_rounds -- --make rounds.jsonl 10000   # a chain by a key of its own
//! ```

use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::time::Instant;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::bls::{
    PreparedBls, PublicKey, Scheme, SecretKey, SignRequest, Suite, Variant, VerifyRequest,
};
use sunzi_pk::ec::pairing::PreparedPairing;
use sunzi_pk::{Hash, Hasher, system_rng};

/// The public key of quicknet.
const QUICKNET: &str = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c\
    8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb\
    5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a";
/// Length of keys in G1 in bytes.
const IN_G1: usize = 48;
/// Number of rounds that are verified together.
const TOGETHER: usize = 1024;

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Line {
    Key {
        public_key: String,
    },
    Round {
        round: u64,
        signature: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        previous_signature: Option<String>,
    },
}

/// A round as it is verified.
struct Round {
    number: u64,
    message: Vec<u8>,
    signature: Vec<u8>,
}

fn bytes(hex: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let byte = |k| {
        hex.get(k..k + 2)
            .map(|digits| u8::from_str_radix(digits, 16))
    };
    let bytes = (0..hex.len())
        .step_by(2)
        .map(|k| byte(k).ok_or("half a byte"));
    bytes.map(|byte| Ok(byte??)).collect()
}

fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    let digits = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    digits.collect()
}

/// The signed message: the hash of the previous signature, if rounds are chained, and the number.
fn message(number: u64, previous: &[u8]) -> Vec<u8> {
    let mut hasher = Hasher::new(Hash::Sha256);
    hasher.update(previous);
    hasher.update(&number.to_be_bytes());
    hasher.finish().as_bytes().to_vec()
}

/// The suite of a key: both networks use the basic scheme.
fn suite(pairing: &PreparedPairing, key: &[u8]) -> PreparedBls {
    let variant = match key.len() {
        IN_G1 => Variant::MinPk,
        _ => Variant::MinSig,
    };
    PreparedBls::new(pairing, Suite::new(variant, Scheme::Basic))
}

/// Writes a chain of rounds by a new key, of signatures in G1 that are not chained.
fn make(pairing: &PreparedPairing, path: &str, count: u64) -> Result<(), Box<dyn Error>> {
    let bls = PreparedBls::new(pairing, Suite::new(Variant::MinSig, Scheme::Basic));
    let secret = SecretKey::generate(&mut system_rng())?;
    let public = bls.public_key_batch(&[&secret]).remove(0)?;
    let mut file = BufWriter::new(File::create(path)?);
    let public_key = hex(public.to_bytes());
    writeln!(
        file,
        "{}",
        serde_json::to_string(&Line::Key { public_key })?
    )?;
    let numbers: Vec<u64> = (1..=count).collect();
    for numbers in numbers.chunks(TOGETHER) {
        let messages: Vec<_> = numbers.iter().map(|&number| message(number, &[])).collect();
        let requests = messages.iter().map(|message| SignRequest {
            key: &secret,
            message,
        });
        let signatures = bls.sign_batch(&requests.collect::<Vec<_>>());
        for (&round, signature) in numbers.iter().zip(signatures) {
            let line = Line::Round {
                round,
                signature: hex(&signature?.to_bytes()),
                previous_signature: None,
            };
            writeln!(file, "{}", serde_json::to_string(&line)?)?;
        }
    }
    Ok(file.flush()?)
}

/// The numbers of the rounds that are not valid.
fn refused(
    bls: &PreparedBls,
    key: &PublicKey,
    rounds: &[Round],
) -> Result<Vec<u64>, Box<dyn Error>> {
    let requests = rounds.iter().map(|round| VerifyRequest {
        key,
        message: &round.message,
        signature: &round.signature,
    });
    let requests: Vec<_> = requests.collect();
    let rng = &mut system_rng();
    if bls.verify_sets(rng, &requests)? {
        return Ok(Vec::new());
    }
    let bad = bls.find_bad(rng, &requests)?;
    Ok(bad.into_iter().map(|place| rounds[place].number).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let pairing = PreparedPairing::bls12_381(&Engine::new(Backend::best())?)?;
    let path = match &arguments[..] {
        [option, path, count] if option == "--make" => {
            return make(&pairing, path, count.parse()?);
        }
        [path] => path,
        _ => return Err("give a file of rounds, or --make, a file and a number of rounds".into()),
    };
    let (mut key, mut rounds) = (bytes(QUICKNET)?, Vec::new());
    for line in BufReader::new(File::open(path)?).lines() {
        match serde_json::from_str(&line?)? {
            Line::Key { public_key } => key = bytes(&public_key)?,
            Line::Round {
                round,
                signature,
                previous_signature,
            } => rounds.push(Round {
                number: round,
                message: message(round, &bytes(&previous_signature.unwrap_or_default())?),
                signature: bytes(&signature)?,
            }),
        }
    }
    let bls = suite(&pairing, &key);
    let key = bls.key_validate_batch(&[&key])?.remove(0)?;
    key.prepare();
    let (start, mut bad) = (Instant::now(), Vec::new());
    for rounds in rounds.chunks(TOGETHER) {
        bad.extend(refused(&bls, &key, rounds)?);
    }
    let rate = rounds.len() as f64 / start.elapsed().as_secs_f64();
    println!("{} rounds, {rate:.0} a second", rounds.len());
    if bad.is_empty() {
        println!("all are valid");
        return Ok(());
    }
    Err(format!("rounds that are not valid: {bad:?}").into())
}
