//! Verification of signatures in SSH's format SSHSIG.

use super::{Args, BATCH_PER_THREAD, FileClaims, verify_files, verify_messages};
use crate::failure::{Failure, Outcome};
use crate::io::files::read_short;
use crate::io::messages::Content;
use crate::io::tally::Tally;
use crate::io::targets::{Target, Targets};
use crate::io::{key_files, pipeline};
use crate::options::{CommonOptions, DefaultThreads};
use crate::signatures::ssh::{DEFAULT_NAMESPACE, claim_of_file, claim_of_message, verdicts};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use sunzi_jobs::ssh::Verifier;
use sunzi_pk::keys::Algorithms;

/// The options for signatures in SSH's format.
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The purpose of signatures with --scheme sshsig [default: file]
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Verify signatures in SSH's format by the keys in an allowed signers file, as `ssh-keygen -Y verify -f`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "keys"])]
    allowed_signers: Option<PathBuf>,
    /// Accept signatures by this signer in the allowed signers file, and no others
    #[arg(long, value_name = "NAME")]
    identity: Option<String>,
}

/// The longest allowed signers file, in bytes.
const MAX_ALLOWED_SIGNERS: usize = 64 << 20;

impl Args {
    /// Whether signatures are in SSH's format.
    ///
    /// # Errors
    /// Options that contradict each other.
    pub(super) fn verifies_for_ssh(&self) -> Result<bool, Failure> {
        let scheme = match &self.ssh.allowed_signers {
            Some(_) => self.scheme.or_sshsig(),
            None => self.scheme,
        };
        // The hash is named in each signature, and any that SSHSIG has is accepted.
        let is_ssh = scheme.sshsig()?.is_some();
        let refused = if is_ssh && self.keys.is_some() {
            "--scheme sshsig takes --key or --allowed-signers, not --keys"
        } else if is_ssh && self.ed25519_rule.is_some() {
            "--ed25519-rule is not for --scheme sshsig, whose rule is OpenSSH's"
        } else if !is_ssh && self.ssh.allowed_signers.is_some() {
            "--allowed-signers is for --scheme sshsig"
        } else if self.ssh.allowed_signers.is_none() && self.ssh.identity.is_some() {
            "--identity is for --allowed-signers"
        } else if !is_ssh && self.ssh.namespace.is_some() {
            "--namespace is for --scheme sshsig"
        } else {
            return Ok(is_ssh);
        };
        Err(Failure::new(refused))
    }

    /// Verifies signatures in SSH's format.
    pub(super) fn run_for_ssh(
        &self,
        stream: bool,
        targets: &Targets<'_>,
        algorithms: &Algorithms,
        common: &CommonOptions,
    ) -> Outcome {
        let verifier = self.ssh_verifier(algorithms)?;
        let threads = common.start_threads(DefaultThreads::All)?;
        let (engine, json) = (algorithms.engine(), common.json);
        let namespace = self.namespace();
        let how = match verifier.len() {
            1 => format!("SSHSIG, namespace {namespace}, 1 key"),
            keys => format!("SSHSIG, namespace {namespace}, {keys} keys"),
        };
        let tally = Tally::new("verified", stream, how, engine, threads, json);
        let tally = Arc::new(tally);
        tally.summarize_on_interrupt();
        let batch = threads * BATCH_PER_THREAD;
        let verdicts = |claims| verdicts(algorithms, claims);
        if stream {
            let claim = |content: Content| {
                let no_signature = || String::from("no field signature");
                let signature = content.signature.ok_or_else(no_signature)?;
                claim_of_message(&verifier, &content.message, &signature)
            };
            verify_messages(self.format, batch, claim, verdicts, &tally)?;
        } else {
            let files = FileClaims {
                kept_bytes: &|_| 1024,
                claim: &|target: &Target| claim_of_file(&verifier, &target.file, &target.companion),
                verdicts: &verdicts,
            };
            verify_files(targets, batch, &files, &tally)?;
        }
        pipeline::conclude("verify", stream, &tally)
    }

    fn namespace(&self) -> &str {
        self.ssh.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE)
    }

    fn ssh_verifier(&self, algorithms: &Algorithms) -> Result<Verifier, Failure> {
        let namespace = self.namespace();
        let path = self.ssh.allowed_signers.as_ref().or(self.key.as_ref());
        let path = path.ok_or_else(|| Failure::new("give --key or --allowed-signers"))?;
        let refused =
            |error: &dyn core::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
        if self.ssh.allowed_signers.is_none() {
            let key = key_files::read_any(path, &self.unlock, algorithms)?.into_public();
            let verifier = Verifier::of_key(algorithms, &key, namespace);
            return verifier.map_err(|error| refused(&error));
        }
        let file = read_short(path, MAX_ALLOWED_SIGNERS).map_err(|error| refused(&error))?;
        let file = file.map_err(|given| {
            refused(&format_args!(
                "{given} bytes: at most {MAX_ALLOWED_SIGNERS} are read"
            ))
        })?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_err(|_| Failure::new("the clock shows a time before 1970"))?;
        let identity = self.ssh.identity.as_deref();
        let verifier =
            Verifier::of_allowed_signers(algorithms, &file, namespace, identity, now.as_secs());
        let verifier = verifier.map_err(|error| refused(&error))?;
        if verifier.is_empty() {
            return Err(refused(&"it allows no key"));
        }
        Ok(verifier)
    }
}
