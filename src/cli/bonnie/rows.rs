//! What is printed of runs: the text of 80 columns, and a line of CSV each, under the name that Bonnie++ would give them.

use crate::cli::exit::usage;
use crate::cli::output::{print, say};
use crate::model::record::{RunRecord, Status};
use crate::report::bonnie_csv;
use crate::report::layout::Layout;
use crate::report::{Report, renderer_named};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What is printed, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The text and a line at the end: both on stdout, or the text on stderr.
    TextAndRow {
        /// Whether the text goes to stderr.
        is_quiet: bool,
    },
    /// A line a run, when it ends.
    Rows {
        /// Whether a line of names goes before the first.
        has_header: bool,
    },
}

/// Whether there is anything to print.
fn has_result(run: &RunRecord) -> bool {
    run.phases.iter().any(|phase| phase.status == Status::Ok)
}

/// The line of a run under the name that is shown; none of a run that is not whole, as Bonnie++ prints none: what collects lines would
/// take it for a result.
fn row(run: &RunRecord) -> Option<String> {
    if !run.complete {
        say("barrow: the run is not whole, so that it has no line of CSV");
    }
    run.complete.then(|| bonnie_csv::line(run) + "\n")
}

/// The printed part of a batch; told of runs by the thread that does them.
#[derive(Debug)]
pub struct Rows {
    shape: Shape,
    /// The name instead of the label.
    name: Option<String>,
    /// How many runs were told.
    told: AtomicUsize,
    /// Whether a line was printed.
    has_begun: AtomicBool,
    /// Whether stdout did not take a line.
    is_cut: AtomicBool,
}

impl Rows {
    /// In this shape, under this name, or under the labels of the runs.
    pub const fn of(shape: Shape, name: Option<String>) -> Self {
        Self { shape, name, told: AtomicUsize::new(0), has_begun: AtomicBool::new(false), is_cut: AtomicBool::new(false) }
    }

    /// The run as it is shown: the host's name is printed, and stored nowhere.
    fn shown(&self, run: &RunRecord) -> RunRecord {
        RunRecord { label: self.name.clone().unwrap_or_else(|| run.label.clone()), ..run.clone() }
    }

    /// A run has ended; a script may wait for its line.
    pub fn ended(&self, run: &RunRecord) {
        let Shape::Rows { has_header } = self.shape else { return };
        self.told.fetch_add(1, Ordering::Relaxed);
        let Some(row) = row(&self.shown(run)) else { return };
        let header = if has_header && !self.has_begun.swap(true, Ordering::Relaxed) { bonnie_csv::header() + "\n" } else { String::new() };
        if let Err(error) = print(&format!("{header}{row}")) {
            say(&format!("barrow: {error}"));
            self.is_cut.store(true, Ordering::Relaxed);
        }
    }

    /// Prints what is still to be printed of these runs, which are all; whether stdout took everything.
    ///
    /// # Errors
    /// When stdout does not take it.
    pub fn finish(&self, runs: &[RunRecord]) -> anyhow::Result<bool> {
        match self.shape {
            // Those that were given up were not told.
            Shape::Rows { .. } => runs.iter().skip(self.told.load(Ordering::Relaxed)).for_each(|run| self.ended(run)),
            Shape::TextAndRow { is_quiet } => {
                let shown: Vec<RunRecord> = runs.iter().filter(|run| has_result(run)).map(|run| self.shown(run)).collect();
                if shown.is_empty() {
                    return Ok(true);
                }
                let report = Report { layout: Layout::Bonnie, ..Report::of(&shown) };
                let text = renderer_named("text").map_err(usage)?.render(&report).text().unwrap_or_default().to_owned();
                let rows: String = shown.iter().filter_map(row).collect();
                if is_quiet {
                    say(text.trim_end());
                    print(&rows)?;
                } else {
                    print(&format!("{text}{rows}"))?;
                }
            }
        }
        Ok(!self.is_cut.load(Ordering::Relaxed))
    }
}
