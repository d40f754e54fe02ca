//! `sunzi man`: manual pages.

use super::{Arguments, Run};
use crate::failure::{EXIT_CODES, Failure, Outcome, Status};
use crate::io::output::StandardOutput;
use crate::options::CommonOptions;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::io::Write;
use std::path::PathBuf;

/// Print the manual page of the command or of a verb, or write all pages
///
/// Pages are in roff: `sunzi man sign | man -l -` shows the one of `sunzi sign`. `make install` puts all of them
/// where `man sunzi-sign` finds them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// The verb, such as `sign` or `key new` [default: the command as a whole]
    #[arg(value_name = "VERB")]
    verb: Vec<String>,
    /// Write the pages of the command and of all verbs to this folder, which exists
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    out: Option<PathBuf>,
}

impl Args {
    /// The command whose page is asked for.
    fn command(&self) -> Result<Command, Failure> {
        let mut command = Arguments::command();
        command.build();
        for name in &self.verb {
            let inner = command.find_subcommand(name).cloned();
            command = inner.ok_or_else(|| {
                Failure::new(format!(
                    "there is no verb {name:?}: `{} --help` lists what there is",
                    command.get_bin_name().unwrap_or("sunzi")
                ))
            })?;
        }
        Ok(command)
    }
}

impl Run for Args {
    fn run(&self, _: &CommonOptions) -> Outcome {
        if let Some(folder) = &self.out {
            let written = clap_mangen::generate_to(Arguments::command(), folder);
            written.map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
            return Ok(Status::Done);
        }
        let mut text = Vec::new();
        Man::new(self.command()?).render(&mut text)?;
        let mut output = StandardOutput;
        output.write_all(&text)?;
        output.flush()?;
        Ok(Status::Done)
    }
}
