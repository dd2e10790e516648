//! `barrow report`: from run files to a report.

use super::exit::{Exit, usage};
use super::output::{print_report, say, write_file};
use super::pair::key_value;
use crate::model::fact::Key;
use crate::model::nearest::{did_you_mean, nearest_names};
use crate::model::selection::Selection;
use crate::model::series::Pooling;
use crate::report::baseline::{BaselineError, compare};
use crate::report::chart::{ChartChoice, chart_named};
use crate::report::layout::Layout;
use crate::report::{Arrangement, RENDERERS, Renderer, Report, renderer_named};
use crate::store;
use clap::Args;
use std::path::{Path, PathBuf};

/// Where `barrow run` puts its runs.
pub const USUAL_FILE: &str = "barrow.jsonl";

/// What `barrow report` takes.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Run files
    #[arg(value_name = "FILE", default_value = USUAL_FILE)]
    files: Vec<PathBuf>,
    #[arg(short, long, value_name = "NAME", help = formats())]
    format: Option<String>,
    /// The chart of a format that draws: bars, runs, ratio, cpu, latency, operations, trend, history or sweep; without it the one that suits the data
    #[arg(long, value_name = "NAME")]
    chart: Option<String>,
    /// How the tables are laid out: phases, targets, ranking or bonnie
    #[arg(long, value_name = "NAME")]
    layout: Option<String>,
    /// The series that the others are compared with: ratio, interval and verdict
    #[arg(long, value_name = "LABEL[@BATCH]")]
    baseline: Option<String>,
    /// Only runs with this tag, label or fact; repeated for one key: any of the values
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = key_value)]
    conditions: Vec<(String, String)>,
    /// A table for each value of a tag, label or fact
    #[arg(long, value_name = "KEY")]
    group_by: Option<String>,
    /// Take the batches of a label together: number of batches and range, no interval
    #[arg(long)]
    pool: bool,
    /// Print unlike runs side by side, without ratios between them
    #[arg(long)]
    force: bool,
    /// Draw for the width of a phone
    #[arg(long)]
    narrow: bool,
    /// Write to a file, whole or not at all, instead of to stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Makes a report of every run that can be read, and names every line that cannot.
///
/// # Errors
/// When there is no run at all, or the report cannot be written; as a usage error when there is no such format.
pub fn report(arguments: &ReportArguments) -> anyhow::Result<Exit> {
    let (renderer, chart, layout) = form(arguments)?;
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
        if arguments.files == [PathBuf::from(USUAL_FILE)] && !Path::new(USUAL_FILE).exists() {
            say("barrow: `barrow run` makes one here; of another place or name, name it: `barrow report FILE`");
        }
        return Ok(Exit::Failed);
    }
    let repeated = store::take_out_repeats(&mut runs);
    if repeated > 0 {
        say(&format!("barrow: {repeated} of the runs stand there more than once; each counts once"));
    }
    let selection = Selection::of(&arguments.conditions, &runs).map_err(usage)?;
    runs.retain(|run| selection.holds(run));
    let arrangement = Arrangement {
        pooling: if arguments.pool { Pooling::Pooled } else { Pooling::Apart },
        group_by: arguments.group_by.as_deref().map(|key| Key::named(key, &runs)).transpose().map_err(usage)?,
        is_mixed: arguments.force,
    };
    let mut report = Report { chart, layout, ..Report::arranged(&runs, &arrangement) };
    if let Some(baseline) = &arguments.baseline {
        for group in compared(&mut report, baseline, arguments.force)? {
            say(&format!("barrow: {group} has no series `{baseline}`, so it is shown without ratios"));
        }
        if report.sections.iter().all(|section| section.comparison.is_none() || section.series.len() == 1) {
            say(&format!("barrow: `{baseline}` stands alone in its table, so nothing is compared with it"));
        }
        if !renderer.compares() {
            say(&format!("barrow: {} has no ratios; json has them", renderer.name()));
        }
    }
    let rendering = renderer.render(&report);
    match &arguments.output {
        None => print_report(&rendering)?,
        Some(path) if path == Path::new("-") => print_report(&rendering)?,
        Some(path) => write_file(path, rendering.bytes())?,
    }
    Ok(exit)
}

/// What `--format` takes.
fn formats() -> String {
    let names: Vec<&str> = RENDERERS.iter().map(|renderer| renderer.name()).collect();
    let usual = "without it that of the ending of the file, svg where a chart is asked for, else text";
    format!("The format, one of {}; {usual}", names.join(", "))
}

/// Compares with the baseline; gives back the groups that have none.
fn compared(report: &mut Report<'_>, baseline: &str, is_forced: bool) -> anyhow::Result<Vec<String>> {
    compare(report, baseline, is_forced).map_err(|error| match error {
        BaselineError::None { .. } | BaselineError::Several { .. } => usage(format!("--baseline: {error}")),
        // The command line is right; the runs are what they are.
        BaselineError::Unlike { .. } => error.into(),
    })
}

/// The first format whose files end as the output does. An ending that is only nearly one of them is a slip.
fn by_ending(arguments: &ReportArguments) -> anyhow::Result<Option<&'static dyn Renderer>> {
    let (None, Some(path)) = (&arguments.format, &arguments.output) else { return Ok(None) };
    let Some(ending) = path.extension().and_then(|ending| ending.to_str()) else { return Ok(None) };
    let found = RENDERERS.iter().copied().find(|renderer| renderer.extension() == ending);
    let nearest = nearest_names(ending, RENDERERS.iter().map(|renderer| renderer.extension()));
    // The ending of run files is a name of its own: whether such a file may be replaced is asked when it is written.
    if found.is_none() && !nearest.is_empty() && ending != "jsonl" {
        let meant = did_you_mean(&nearest);
        return Err(usage(format!("{}: no format has files that end in `{ending}`{meant}; or name the format with -f", path.display())));
    }
    Ok(found)
}

/// The format and the chart that were asked for; a format that was not named is that of the ending of the file.
fn form(arguments: &ReportArguments) -> anyhow::Result<(&'static dyn Renderer, ChartChoice, Layout)> {
    let kind = arguments.chart.as_deref().map(chart_named).transpose().map_err(usage)?;
    let wants_chart = kind.is_some() || arguments.narrow;
    let usual = match by_ending(arguments)? {
        Some(renderer) => renderer.name(),
        None if wants_chart => "svg",
        None => "text",
    };
    let renderer = renderer_named(arguments.format.as_deref().unwrap_or(usual)).map_err(usage)?;
    if wants_chart && !renderer.draws() {
        let option = if kind.is_some() { "--chart" } else { "--narrow" };
        return Err(usage(anyhow::anyhow!("{option} is for formats that draw, and {} does not; use -f svg", renderer.name())));
    }
    let layout = arguments.layout.as_deref().map(Layout::named).transpose().map_err(usage)?;
    if layout.is_some() && !renderer.lays_out() {
        return Err(usage(anyhow::anyhow!("--layout is for formats with tables, and {} has one form", renderer.name())));
    }
    Ok((renderer, ChartChoice { kind, narrow: arguments.narrow }, layout.unwrap_or_default()))
}
