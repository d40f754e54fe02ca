//! The `sunzi` command, as a library: `main.rs` sets the allocator and calls [`run`].
//!
//! `verbs` has one file or folder for each verb, `options` the options that verbs share,
//! `signatures` the keys of `sign` and `verify`, `processor` the name of this machine, `io` everything that reads or
//! writes, and `bench` the measurements of `sunzi bench`.

// The doc comments of arguments are the help texts, not Markdown: backticks would be printed.
#![allow(clippy::doc_markdown, rustdoc::invalid_html_tags)]

mod bench;
mod failure;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod io;
mod options;
mod processor;
mod signatures;
mod verbs;

use clap::Parser;
use failure::{Failure, Status};
use std::ffi::OsStr;
use std::process::ExitCode;
use verbs::{Arguments, Run};

/// Does what the arguments of the process ask for, and returns its exit code.
pub fn run() -> ExitCode {
    match Arguments::try_parse() {
        Ok(Arguments { common, verb }) => {
            if common.quiet {
                failure::be_quiet();
            }
            common.warn_of_old_names();
            let outcome = common.limit_instructions();
            failure::conclude(&outcome.and_then(|()| verb.run(&common)))
        }
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
