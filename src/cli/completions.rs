//! `barrow completions`: what a shell must know to complete barrow's words.

use super::exit::Exit;
use super::output::print;
use anyhow::Context;
use clap::Args;
use clap_complete::Shell;

/// What `barrow completions` takes.
#[derive(Debug, Args)]
#[command(after_help = "bash:  barrow completions bash > ~/.local/share/bash-completion/completions/barrow\n\
    zsh:   barrow completions zsh > DIR/_barrow    (DIR is in your $fpath)\n\
    fish:  barrow completions fish > ~/.config/fish/completions/barrow.fish")]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completions of a shell.
///
/// # Errors
/// When stdout takes them not.
pub fn completions(arguments: &CompletionsArguments) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::command(), "barrow", &mut script);
    print(&String::from_utf8(script).context("the completions are no text")?)?;
    Ok(Exit::Fine)
}
