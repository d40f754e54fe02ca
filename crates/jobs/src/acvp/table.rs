//! The tests that are answered: algorithms, modes and revisions, and how.

use super::answer::GroupAnswer;
use super::check::{Claim, Difference};
use super::context::Context;
use super::error::AcvpError;
use super::set::VectorSet;
use super::{agreement, ecdsa, eddsa, rsa, safe_primes};

/// Answers a set.
type Answers = fn(&mut Context<'_>, &VectorSet<'_>) -> Result<Vec<GroupAnswer>, AcvpError>;

/// Verifies answers of others.
type Verifies = fn(&mut Context<'_>, &[Claim<'_, '_>]) -> Result<Vec<Difference>, AcvpError>;

/// How answers of others are checked.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// Each case has one right answer, given the keys: compared with ours.
    Compare,
    /// Answers are random: verified.
    Verify(Verifies),
    /// Compared where the file gives the private keys of all groups, otherwise verified.
    CompareWithKeys(Verifies),
}

/// Tests of a kind.
pub(super) struct Row {
    algorithm: &'static str,
    /// The mode; empty if there is none.
    mode: &'static str,
    revisions: &'static [&'static str],
    pub(super) answer: Answers,
    pub(super) check: Check,
}

/// A row of the table.
const fn row(
    algorithm: &'static str,
    mode: &'static str,
    revisions: &'static [&'static str],
    answer: Answers,
    check: Check,
) -> Row {
    Row {
        algorithm,
        mode,
        revisions,
        answer,
        check,
    }
}

const EITHER: &[&str] = &["1.0", "FIPS186-5"];

/// All tests that are answered.
const TABLE: [Row; 18] = [
    row(
        "RSA",
        "sigVer",
        &["FIPS186-2", "FIPS186-4", "FIPS186-5"],
        rsa::sig_ver,
        Check::Compare,
    ),
    row(
        "RSA",
        "sigGen",
        &["FIPS186-4", "FIPS186-5"],
        rsa::sig_gen,
        Check::Verify(rsa::check_signatures),
    ),
    row(
        "RSA",
        "keyGen",
        &["FIPS186-5"],
        rsa::key_gen,
        Check::Verify(rsa::check_keys),
    ),
    row(
        "RSA",
        "signaturePrimitive",
        &["1.0", "2.0"],
        rsa::signature_primitive,
        Check::Compare,
    ),
    row(
        "RSA",
        "decryptionPrimitive",
        &["Sp800-56Br2"],
        rsa::decryption_primitive,
        Check::Compare,
    ),
    row(
        "ECDSA",
        "keyGen",
        EITHER,
        ecdsa::key_gen,
        Check::Verify(ecdsa::check_keys),
    ),
    row("ECDSA", "keyVer", EITHER, ecdsa::key_ver, Check::Compare),
    row(
        "ECDSA",
        "sigGen",
        EITHER,
        ecdsa::sig_gen,
        Check::Verify(ecdsa::check_signatures),
    ),
    row("ECDSA", "sigVer", EITHER, ecdsa::sig_ver, Check::Compare),
    row(
        "DetECDSA",
        "sigGen",
        &["FIPS186-5"],
        ecdsa::deterministic_sig_gen,
        Check::CompareWithKeys(ecdsa::check_signatures),
    ),
    row(
        "EDDSA",
        "keyGen",
        &["1.0"],
        eddsa::key_gen,
        Check::Verify(eddsa::check_keys),
    ),
    row("EDDSA", "keyVer", &["1.0"], eddsa::key_ver, Check::Compare),
    row(
        "EDDSA",
        "sigGen",
        &["1.0"],
        eddsa::sig_gen,
        Check::CompareWithKeys(eddsa::check_signatures),
    ),
    row("EDDSA", "sigVer", &["1.0"], eddsa::sig_ver, Check::Compare),
    row(
        "KAS-ECC",
        "CDH-Component",
        &["1.0", "Sp800-56Ar3"],
        agreement::cdh_component,
        Check::Compare,
    ),
    row(
        "KAS-ECC-SSC",
        "",
        &["Sp800-56Ar3"],
        agreement::shared_secret,
        Check::Compare,
    ),
    row(
        "safePrimes",
        "keyGen",
        &["1.0"],
        safe_primes::key_gen,
        Check::Verify(safe_primes::check_keys),
    ),
    row(
        "safePrimes",
        "keyVer",
        &["1.0"],
        safe_primes::key_ver,
        Check::Compare,
    ),
];

impl Row {
    /// Algorithm, mode and revisions, in words.
    fn name(&self) -> String {
        joined(self.algorithm, self.mode, &self.revisions.join(" or "))
    }

    /// The row of a set.
    ///
    /// # Errors
    /// [`AcvpError::Unknown`] if there is none, and [`AcvpError::Member`] if its members are missing.
    pub(super) fn of(set: &VectorSet<'_>) -> Result<&'static Self, AcvpError> {
        let head = &set.head;
        let algorithm = head.text("algorithm")?;
        let mode = if head.has("mode") {
            head.text("mode")?
        } else {
            ""
        };
        let revision = head.text("revision")?;
        let found = TABLE.iter().find(|row| {
            row.algorithm == algorithm && row.mode == mode && row.revisions.contains(&revision)
        });
        found.ok_or_else(|| AcvpError::Unknown {
            asked: joined(algorithm, mode, revision),
            known: TABLE.iter().map(Self::name).collect::<Vec<_>>().join(", "),
        })
    }
}

fn joined(algorithm: &str, mode: &str, revision: &str) -> String {
    let words = [algorithm, mode, revision];
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
