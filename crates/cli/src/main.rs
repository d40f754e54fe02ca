//! The `sunzi` command.
//!
//! [`verbs`] has one file or folder for each verb, [`options`] the options that verbs share,
//! [`io`] everything that reads or writes, and [`mod@bench`] the measurements of `sunzi bench`.

// The doc comments of arguments are the help texts, not Markdown: backticks would be printed.
#![allow(clippy::doc_markdown, rustdoc::invalid_html_tags)]

mod bench;
mod failure;
mod io;
mod options;
mod verbs;

use clap::Parser;
use mimalloc::MiMalloc;
use std::process::ExitCode;
use verbs::{Arguments, Run};
use zeroizing_alloc::ZeroAlloc;

/// The allocator of the whole command. Numbers are aligned to cache lines, and the system's
/// allocator is slow at that: it would take up to a fifth of the time of a verification. What is freed
/// is wiped: secrets also pass through temporaries of libraries, which leave them.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> ExitCode {
    let Arguments { common, verb } = Arguments::parse();
    failure::conclude(&verb.run(&common))
}
