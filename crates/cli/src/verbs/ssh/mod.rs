//! `sunzi ssh`: certificates of OpenSSH, a line each. (Signatures for SSH are made by `sunzi sign`.)
//!
//! To add a subject, write its file here and add it to the two lists below.

mod certify;
mod check;

use super::{Run, subcommands};
use crate::failure::Outcome;
use crate::options::CommonOptions;
use clap::{Subcommand, ValueEnum};
use sunzi_jobs::ssh::CertificateKind;

/// OpenSSH's certificates, issued from a list under a policy, and checked
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

subcommands! {
    /// An action with its arguments.
    enum Action {
        Certify => certify,
        Check => check,
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        self.action.run(common)
    }
}

/// Whom a certificate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Somebody who logs in
    User,
    /// A machine that is logged in to
    Host,
}

impl From<Kind> for CertificateKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::User => Self::User,
            Kind::Host => Self::Host,
        }
    }
}
