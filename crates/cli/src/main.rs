//! The `sunzi` command.

// The doc comments of arguments are the help texts, not Markdown: backticks would be printed.
#![allow(clippy::doc_markdown, rustdoc::invalid_html_tags)]

mod args;
mod atomic;
mod backends;
mod bench;
mod completions;
mod decrypt;
mod encrypt;
mod encryption_scheme;
mod explain;
mod failure;
mod files;
mod hypercube;
mod interrupt;
mod key;
mod keys;
mod lines;
mod messages;
mod number;
mod output;
mod papers;
mod passphrase;
mod peer;
mod pipeline;
mod powmod;
mod progress;
mod scheme;
mod sign;
mod tally;
mod targets;
mod verify;

use args::{Arguments, Verb};
use clap::Parser;
use std::process::ExitCode;

/// Numbers lie in memory aligned to cache lines, and the system's allocator is slow at that: it
/// would take up to a fifth of a verification.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let Arguments { common, verb } = Arguments::parse();
    let outcome = match verb {
        Verb::Key(verb) => key::run(&verb, &common),
        Verb::Sign(args) => sign::run(&args, &common),
        Verb::Verify(args) => verify::run(&args, &common),
        Verb::Encrypt(args) => encrypt::run(&args, &common),
        Verb::Decrypt(args) => decrypt::run(&args, &common),
        Verb::Powmod(args) => powmod::run(&args, &common),
        Verb::Backends(args) => backends::run(&args, &common),
        Verb::Bench(args) => bench::run(&args, &common),
        Verb::Explain(verb) => explain::run(&verb, &common),
        Verb::Papers(verb) => papers::run(&verb, &common),
        Verb::Completions(args) => completions::run(&args),
    };
    failure::conclude(&outcome)
}
