//! Hostile input: whatever a run file, a profile, a text of the kernel or a command line holds, it is read or refused, and nothing
//! of it becomes markup, script, a formula or a command.

mod bare;
mod documents;
mod kernel_text;
mod loadfiles;
mod markup;
mod memory;
mod profiles;
mod run_files;
mod shell;

/// Says how much a test has tried; `--nocapture` shows it.
#[allow(clippy::print_stdout, reason = "a figure for whoever looks")]
fn say(words: &str) {
    println!("{words}");
}
