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
use failure::{Failure, Status};
use mimalloc::MiMalloc;
use std::ffi::OsStr;
use std::process::ExitCode;
use verbs::{Arguments, Run};
use zeroizing_alloc::ZeroAlloc;

/// The allocator of the whole command. Numbers are aligned to cache lines, and the system's
/// allocator is slow at that: it would take up to a fifth of the time of a verification. What is freed
/// is wiped: secrets also pass through temporaries of libraries, which leave them.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> ExitCode {
    match Arguments::try_parse() {
        Ok(Arguments { common, verb }) => failure::conclude(&verb.run(&common)),
        Err(error) if error.use_stderr() => {
            if std::env::args_os().any(|argument| has_control_characters(&argument)) {
                // The message may quote an argument, such as the name of a file that a pattern of
                // the shell matched.
                failure::report(&error.to_string().trim_end());
                return ExitCode::from(2);
            }
            error.exit()
        }
        // The help or the version.
        Err(text) => {
            let printed = io::output::ensure_open().and_then(|()| text.print());
            failure::conclude(&printed.map(|()| Status::Done).map_err(Failure::from))
        }
    }
}

fn has_control_characters(argument: &OsStr) -> bool {
    argument.to_string_lossy().chars().any(char::is_control)
}
