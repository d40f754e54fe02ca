//! `sunzi completions`: shell completions.

use super::{Arguments, Run};
use crate::failure::{EXIT_CODES, Outcome, Status};
use crate::io::output::StandardOutput;
use crate::options::CommonOptions;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// Print the completions of a shell, for the Tab key
///
/// `make install` puts those of bash, fish and zsh where these shells look for them. By hand, for yourself:
///
/// bash: sunzi completions bash > ~/.local/share/bash-completion/completions/sunzi
///
/// fish: sunzi completions fish > ~/.config/fish/completions/sunzi.fish
///
/// zsh: sunzi completions zsh > DIR/_sunzi, with a DIR of $fpath
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

impl Run for Args {
    fn run(&self, _: &CommonOptions) -> Outcome {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "sunzi", &mut text);
        let mut output = StandardOutput;
        output.write_all(&text)?;
        output.flush()?;
        Ok(Status::Done)
    }
}
