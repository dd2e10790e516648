//! `barrow report`: from run files to a report.

use super::exit::{Exit, usage};
use super::output::{print, say, write_file};
use crate::report::{Report, renderer_named};
use crate::store;
use clap::Args;
use std::path::PathBuf;

/// What `barrow report` takes.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Run files
    #[arg(value_name = "FILE", default_value = "barrow.jsonl")]
    files: Vec<PathBuf>,
    /// The format: text, csv or csv-summary
    #[arg(short, long, value_name = "NAME", default_value = "text")]
    format: String,
    /// Write to a file, whole or not at all, instead of to stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Makes a report of every run that can be read, and names every line that cannot.
///
/// # Errors
/// When there is no run at all, or the report cannot be written; as a usage error when there is no such format.
pub fn report(arguments: &ReportArguments) -> anyhow::Result<Exit> {
    let renderer = renderer_named(&arguments.format).map_err(usage)?;
    let mut runs = Vec::new();
    let mut exit = Exit::Fine;
    for path in &arguments.files {
        match store::load(path) {
            Ok(loaded) => {
                runs.extend(loaded.runs);
                for bad in loaded.bad {
                    say(&format!("barrow: {bad}"));
                    exit = Exit::Failed;
                }
            }
            Err(error) => {
                say(&format!("barrow: {error}"));
                exit = Exit::Failed;
            }
        }
    }
    if runs.is_empty() {
        return Ok(Exit::Failed);
    }
    let text = renderer.render(&Report::of(&runs));
    match &arguments.output {
        None => print(&text)?,
        Some(path) => write_file(path, &text)?,
    }
    Ok(exit)
}
