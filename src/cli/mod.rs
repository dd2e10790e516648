//! The command line: a file a subcommand, progress, exit codes. The only room that prints.

mod batch;
mod bonnie;
mod check;
mod clean;
mod completions;
mod conduct;
mod device;
mod estimate;
mod exit;
mod explain;
mod import;
mod info;
mod interrupt;
mod keep;
mod lab;
mod loadfile;
mod measure;
mod output;
mod pair;
mod places;
mod profiles;
mod progress;
mod pulse;
mod refusals;
mod report;
mod run;
mod small_file;
mod user;
mod vigil;
mod work;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use exit::Exit;
use std::process::ExitCode;

/// Measures a filesystem in fixed phases and makes the report people paste.
#[derive(Debug, Parser)]
#[command(
    name = "barrow",
    version,
    max_term_width = 80,
    after_help = "Begin with `barrow run -p quick`: it measures the current directory in about a\nminute and ends with the report. `barrow COMMAND --help` says more."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure directories; ends with the report
    Run(Box<run::RunArguments>),
    /// Make filesystems, mount them, measure them and take them away again
    Lab(Box<lab::LabArguments>),
    /// Read a device itself at its start, middle and end; nothing is written to it
    Device(device::DeviceArguments),
    /// Make a report from run files
    Report(report::ReportArguments),
    /// Read what Bonnie++ printed into a run file
    Import(import::ImportArguments),
    /// Show what lies below a directory, and what barrow can prove there
    Info(info::InfoArguments),
    /// Show the system calls behind a number, and what is on the clock
    Explain(explain::ExplainArguments),
    /// Tell what barrow itself costs on this machine
    Check(check::CheckArguments),
    /// Take Bonnie++'s own options, for scripts that call it
    Bonnie(Box<bonnie::BonnieArguments>),
    /// Remove what a killed run or lab left in a directory, and nothing else
    Clean(clean::CleanArguments),
    /// Print what a shell needs to complete barrow's words
    Completions(completions::CompletionsArguments),
}

/// Said when barrow is called alone.
const WHAT_NEXT: &str = "\
barrow measures a filesystem in fixed phases and makes the report people paste.

  barrow run -p quick               measure the current directory, in a minute
  barrow run -p quick a=/mnt/a b=/mnt/b
                                    compare two directories, interleaved
  barrow report                     show what barrow.jsonl holds
  barrow --help                     everything else
";

/// The whole command line as data: for completions and manual pages.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Does what the command line asks for, and tells how the process is to end.
#[must_use]
pub fn main() -> ExitCode {
    crate::sys::signals::survive_file_size_limit();
    crate::sys::limits::share_one_heap_if_limited();
    crate::sys::process::keep_own_rights();
    if std::env::args_os().len() < 2 {
        output::say(WHAT_NEXT.trim_end());
        return Exit::Usage.code();
    }
    let cli = match Cli::try_parse_from(bonnie::words(&command(), std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    // A closed pipe is no error, and there is nobody to tell another one.
                    let _ = error.print();
                    Exit::Fine.code()
                }
                _ => {
                    // Without clap's colours, which could not be told from what an argument holds.
                    output::say(error.render().to_string().trim_end());
                    Exit::Usage.code()
                }
            };
        }
    };
    let done = match cli.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Lab(arguments) => lab::lab(&arguments),
        Command::Device(arguments) => device::device(&arguments),
        Command::Report(arguments) => report::report(&arguments),
        Command::Import(arguments) => import::import(&arguments),
        Command::Info(arguments) => info::info(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Bonnie(arguments) => bonnie::bonnie(&arguments),
        Command::Clean(arguments) => clean::clean(&arguments),
        Command::Completions(arguments) => completions::completions(&arguments),
    };
    exit::end(done)
}

#[cfg(test)]
mod tests;
