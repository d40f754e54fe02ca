//! An election: makes ballots, verifies each, adds the votes under encryption, decrypts the sum with a
//! proof, and verifies that, too.
//!
//! `cargo run --release --example verify_ballots -- 10000`

use crypto_bigint::BoxedUint;
use std::error::Error;
use std::io::Write;
use std::time::Instant;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ffc::elgamal::{self, Ballot, PublicKey};
use sunzi_pk::ffc::equality::{self, Claim, Statement};
use sunzi_pk::ffc::{Group, PreparedGroup, power_batch};
use sunzi_pk::system_rng;

/// Ballots without an argument.
const DEFAULT_BALLOTS: usize = 10_000;
/// Ballots between two lines of progress.
const TOGETHER: usize = 512;
/// The context that all proofs belong to.
const ELECTION: &[u8] = b"the example's election";

/// Shows how far a step is, on one line of standard error.
fn progress(what: &str, done: usize, all: usize, start: Instant) {
    let rate = done as f64 / start.elapsed().as_secs_f64();
    eprint!("\r{what}: {done} of {all}, {rate:.0} a second ");
    if done == all {
        eprintln!();
    }
    let _ = std::io::stderr().flush();
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = match std::env::args().nth(1) {
        Some(number) => number.parse()?,
        None => DEFAULT_BALLOTS,
    };
    let engine = Engine::new(Backend::best())?;
    let rng = &mut system_rng();
    let group = PreparedGroup::new(&engine, &Group::election_guard())?;
    let secret = group.group().random_exponent(rng)?;
    let element = power_batch(
        &engine,
        &group,
        group.generator(),
        core::slice::from_ref(&secret),
    )
    .remove(0)?;
    let key = PublicKey::new(&engine, &group, &element)?;

    let votes: Vec<u32> = (0..count).map(|i| u32::from(i % 3 == 0)).collect();
    let start = Instant::now();
    let mut ballots: Vec<Ballot> = Vec::with_capacity(count);
    for chunk in votes.chunks(TOGETHER) {
        for ballot in elgamal::encrypt_batch(&engine, rng, &key, chunk, ELECTION) {
            ballots.push(ballot?);
        }
        progress("made", ballots.len(), count, start);
    }

    // One ballot is damaged: verification must find it, and only it.
    if let Some(ballot) = ballots.last_mut() {
        let q = group.group().q();
        let one = BoxedUint::one_with_precision(q.bits_precision());
        let response = &mut ballot.proof.responses[0];
        *response = response.add_mod(&one, q.to_nz().as_ref().unwrap());
    }
    let start = Instant::now();
    let (mut counted, mut refused) = (Vec::new(), Vec::new());
    for (chunk, first) in ballots.chunks(TOGETHER).zip((0..).step_by(TOGETHER)) {
        let verdicts = elgamal::verify_batch(&engine, &key, chunk, ELECTION);
        for ((ballot, verdict), index) in chunk.iter().zip(verdicts).zip(first..) {
            match verdict {
                Ok(()) => counted.push(&ballot.ciphertext),
                Err(error) => refused.push((index, error)),
            }
        }
        progress("verified", counted.len() + refused.len(), count, start);
    }
    let seconds = start.elapsed().as_secs_f64();

    let sum = elgamal::sum(&engine, &group, &counted)?;
    let tally = elgamal::decrypt_sum_vartime(&engine, &group, &secret, &sum, count as u32)?;
    let context = [ELECTION, &tally.sum.to_be_bytes()].concat();
    let statement = Statement {
        g: group.group().g(),
        a: key.element(),
        h: &sum.alpha,
        b: &tally.share,
        context: &context,
    };
    let claim = Claim {
        statement,
        logarithm: &secret,
    };
    let proof = equality::prove_batch(&engine, rng, &group, &[claim]).remove(0)?;
    equality::verify_batch(&engine, &group, &[(statement, &proof)]).remove(0)?;

    println!("backend   {}", engine.backend());
    println!("ballots   {count}");
    println!("verified  {} in {seconds:.1} s", counted.len());
    for (index, error) in &refused {
        println!("refused   number {index}: {error}");
    }
    println!("votes     {}", tally.sum);
    let right: u32 = votes.iter().take(count.saturating_sub(1)).sum();
    if tally.sum != right || refused.len() != count.min(1) {
        return Err("the election was counted wrongly".into());
    }
    Ok(())
}
