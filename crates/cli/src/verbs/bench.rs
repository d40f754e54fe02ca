//! `sunzi bench`: measurements of this machine, beside OpenSSL, AWS-LC, GMP, libsecp256k1, blst and arkworks.

use super::Run;
use crate::bench::{Bench, Job, KeyChoice};
use crate::failure::{Failure, Outcome};
use crate::options::{BasesOptions, CommonOptions, DefaultThreads};
use std::path::PathBuf;
use sunzi_engine::Backend;

/// Measure RSA, operations on curves, modular powers and products with every backend that can run
/// here, and with OpenSSL, AWS-LC, GMP, libsecp256k1, blst and arkworks
///
/// Backends and peers (the other libraries) take turns, in bursts of some milliseconds or of one
/// batch, so that other activity of the machine affects all of them. A private operation of RSA is
/// measured from the digest to the checked signature (padding, blinding, the two exponentiations
/// modulo the primes, recombination, verification of the result), a verification from the signature
/// to the verdict, and a modular power from numbers to a number, in constant time, with an exponent
/// as long as the modulus; hashing is not measured. On curves it is: signatures are measured from a
/// message of 64 bytes to the checked signature (ECDSA's in DER), verifications from message and
/// signature to the verdict, and key agreement from an uncompressed point, or an encoded u, to the
/// secret. With elements of a pairing-friendly curve's group, multiples by secret scalars, the terms of one
/// sum of multiples, and compressed encodings are measured. BLS signatures are verified each with a verdict of its own,
/// or by random factors with one for the batch (BLS-sets): by a key for each, or all by one key (drand). Files, and
/// preparing keys and moduli, are not measured. The peers
/// do the same, one operation after another on each thread, with their keys and numbers read
/// beforehand (OpenSSL and GMP prepare the modulus for each power anew, a small part of the time).
/// GMP has no RSA, but both a constant-time and a variable-time power. Modular products are measured
/// in chains of 1024 squarings, with the backends only.
///
/// The peers are measured if they were compiled in: cargo build --release --features peers (this
/// needs a C compiler, Perl, make and m4). Such a build also measures ed25519-simd and Intel's
/// crypto_mb if the environment variables SUNZI_ED25519_SIMD and SUNZI_CRYPTO_MB name their files. The
/// first decodes the public key of each signature anew; crypto_mb does eight operations at a
/// time, without blinding and without checking signatures, with points decoded beforehand.
///
/// At the end of a job, "pays from" tells from which of the measured batch sizes on a backend does
/// more operations per second than OpenSSL, by medians, or than the first peer where OpenSSL does not
/// have the operation.
///
/// With --json, there is a line for each backend and peer; ops_per_s and ratio are by medians. At the
/// end of a job there is a line {"job":...,"backend":...,"peer":...,"pays_from":...} for each backend.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these jobs: rsaBITS-private, rsaBITS-verify (2048 to 8192 bits), modexpBITS,
    /// productBITS (64 to 16384 bits), CURVE-verify, CURVE-sign, CURVE-agree (such as
    /// secp256k1-verify, X25519-agree or, for Schnorr signatures, BIP340-sign), CURVE-multiply, CURVE-sum, CURVE-decode
    /// (of BLS12-381-G1 and BN254-G1), BLS12-381-pairing, BN254-pairing, BLS12-381-G2-hash, BLS12-381-G2-multiply, BLS-sign,
    /// BLS-verify, BLS-sets, drand-verify, drand-sets [default: keys of 2048, 3072, 4096 and 8192 bits, moduli of these sizes and
    /// of 1024 and 1536 bits, the curves P-256, P-384, P-521, secp256k1, brainpoolP256r1, Ed25519, X25519 and
    /// BLS12-381-G1, BIP340, and the jobs with pairings]
    #[arg(long, value_name = "JOB", value_delimiter = ',')]
    only: Vec<Job>,
    /// All jobs of these sizes, 2048 to 8192
    #[arg(long, value_delimiter = ',', conflicts_with = "only",
          value_parser = clap::value_parser!(u32).range(2048..=8192))]
    bits: Vec<u32>,
    /// Batch sizes, in operations
    #[arg(long, value_name = "SIZE", value_delimiter = ',', default_values_t = [1, 8, 64, 1024],
          value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    batch: Vec<u32>,
    /// Whether all operations of a batch have the same key (or modulus), or each one its own; these
    /// keys have to be made first
    #[arg(long, value_enum, default_value_t = KeyChoice::One)]
    keys: KeyChoice,
    /// Time to measure each backend and peer at each job and batch size (up to several times longer
    /// if a batch takes long)
    #[arg(long, default_value_t = 0.5, value_parser = parse_seconds)]
    seconds: f64,
    #[command(flatten)]
    bases: BasesOptions,
    /// Draw the operations per second of each job against the batch size into FILE, as SVG (an
    /// existing file is replaced)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Parses the value of --seconds.
fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| String::from("not a number"))?;
    if (0.001..=3600.0).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(String::from("0.001 to 3600 seconds are possible"))
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        let backends = match common.forced_backend()? {
            Some(backend) => vec![backend],
            None => Backend::ALL
                .iter()
                .copied()
                .filter(|backend| backend.check().is_ok())
                .collect(),
        };
        let mut batches = self.batch.clone();
        batches.sort_unstable();
        batches.dedup();
        if self.plot.is_some() && batches.len() < 2 {
            return Err(Failure::new(
                "--plot draws against the batch size: give two or more, --batch 1,64 for example",
            ));
        }
        let jobs = match (self.only.as_slice(), self.bits.as_slice()) {
            ([], []) => Job::usual(),
            ([], sizes) => sizes.iter().copied().flat_map(Job::of_size).collect(),
            (jobs, _) => jobs.to_vec(),
        };
        let bench = Bench {
            batches: batches.iter().map(|&batch| batch as usize).collect(),
            keys: self.keys,
            seconds: self.seconds,
            bases: self.bases,
            backends: &backends,
            threads: common.start_threads(DefaultThreads::One)?,
        };
        bench.run(&jobs, self.plot.as_deref(), common.json)
    }
}
