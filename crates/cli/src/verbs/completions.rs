//! `sunzi completions`: shell completions and the manual page, for packagers.

use super::{Arguments, Run};
use crate::failure::{Outcome, Status};
use crate::io::output::StandardOutput;
use crate::options::CommonOptions;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// Print the completions of a shell, or the manual page
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    /// The shell
    #[arg(required_unless_present = "man")]
    shell: Option<Shell>,
    /// Print the manual page in roff instead
    #[arg(long, conflicts_with = "shell")]
    man: bool,
}

impl Run for Args {
    fn run(&self, _: &CommonOptions) -> Outcome {
        let mut command = Arguments::command();
        let mut text = Vec::new();
        match self.shell {
            Some(shell) => clap_complete::generate(shell, &mut command, "sunzi", &mut text),
            None => clap_mangen::Man::new(command).render(&mut text)?,
        }
        let mut output = StandardOutput;
        output.write_all(&text)?;
        output.flush()?;
        Ok(Status::Done)
    }
}
