//! NIST's test vectors in the JSON of the Automated Cryptographic Validation Protocol (ACVP), a set at a time: signatures,
//! key pairs, shared secrets and bare RSA operations, answered in batches that mix all groups of a set.
//!
//! A set is answered whole or not at all: the first group that asks for what is not here, or is malformed, is an error
//! that names it and its member. Test vectors are public, and so are the keys in them and in the answers.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_jobs::acvp::{VectorSet, check, respond};
//! use sunzi_pk::keys::Algorithms;
//! use sunzi_pk::system_rng;
//!
//! let algorithms = Algorithms::new(&Engine::new(Backend::best())?);
//! let file = br#"{"vsId": 1, "algorithm": "ECDSA", "mode": "keyGen", "revision": "FIPS186-5", "testGroups": [
//!     {"tgId": 1, "testType": "AFT", "curve": "P-256", "secretGenerationMode": "testing candidates",
//!      "tests": [{"tcId": 1}, {"tcId": 2}]}]}"#;
//! let set = VectorSet::from_json(file)?;
//! let answers = respond(&algorithms, &mut system_rng(), &set)?.to_json();
//!
//! // Keys are random: checking them is to verify that they belong together.
//! let answers = VectorSet::from_json(answers.as_bytes())?;
//! assert!(check(&algorithms, &mut system_rng(), &set, &answers)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod answer;
mod check;
mod context;
mod ecdsa;
mod eddsa;
mod error;
mod names;
mod rsa;
mod safe_primes;
mod set;
mod table;

pub use answer::Response;
pub use check::Difference;
pub use error::{AcvpError, Defect, MAX_SET_BYTES, Place};
pub use set::VectorSet;

use context::Context;
use rand_core::CryptoRng;
use sunzi_pk::keys::Algorithms;
use table::{Check, Row};

/// The answers to a vector set. Keys that the file has for our side are used, as in `internalProjection.json` of NIST's
/// samples; others are made anew.
///
/// # Errors
/// [`AcvpError::Unknown`]; [`AcvpError::Member`] for what cannot be answered, with group and case;
/// [`AcvpError::Failed`] if the machine fails.
pub fn respond<R: CryptoRng>(
    algorithms: &Algorithms,
    rng: &mut R,
    set: &VectorSet<'_>,
) -> Result<Response, AcvpError> {
    let mut context = Context {
        algorithms,
        rng,
        compared: false,
    };
    let answers = (Row::of(set)?.answer)(&mut context, set)?;
    Response::new(set, answers)
}

/// The differences between the answers to a vector set and expected ones, such as `expectedResults.json` of NIST's samples
/// or the answers of another implementation. Answers of which each case has one are compared with ours, by the keys that
/// the file has; signatures and key pairs, which are random, are verified by the public keys that came with them.
///
/// # Errors
/// The errors of [`respond`], about both sets; [`Defect::NoKey`] where answers depend on keys that the file does not have.
pub fn check<R: CryptoRng>(
    algorithms: &Algorithms,
    rng: &mut R,
    set: &VectorSet<'_>,
    expected: &VectorSet<'_>,
) -> Result<Vec<Difference>, AcvpError> {
    let row = Row::of(set)?;
    let has_keys = set.groups.iter().all(|group| group.members.has("d"));
    let verify = match row.check {
        Check::Verify(verify) => Some(verify),
        Check::CompareWithKeys(verify) if !has_keys => Some(verify),
        Check::Compare | Check::CompareWithKeys(_) => None,
    };
    let mut context = Context {
        algorithms,
        rng,
        compared: true,
    };
    let mut differences = check::heads(set, expected);
    let claims = check::claims(set, expected, &mut differences);
    if let Some(verify) = verify {
        differences.extend(verify(&mut context, &claims)?);
    } else {
        let answers = (row.answer)(&mut context, set)?;
        check::compare(set, &answers, &claims, &mut differences);
    }
    Ok(differences)
}
