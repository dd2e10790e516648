//! How a batch goes and when it is given up: the options that `barrow run` and `barrow lab` have in common.

use super::exit::usage;
use super::vigil::Bounds;
use crate::model::plan::MOST_FILL_PERCENT;
use crate::units::parse_milliseconds;
use clap::Args;
use std::time::Duration;

/// A day.
const LONGEST_PAUSE_MS: u64 = 86_400_000;

/// Options of the conduct of a batch.
#[derive(Debug, Args)]
pub struct ConductArguments {
    /// Rest before each phase, as in 30s, 500ms or 2m
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = milliseconds)]
    pub pause: u64,
    /// End a phase that takes longer; it then has no number
    #[arg(long, value_name = "N", value_parser = whole_seconds)]
    pub max_phase_seconds: Option<u64>,
    /// Give up when nothing moves for so long; 0s waits for ever
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = milliseconds)]
    hang_after: u64,
    /// Keep the host's name in the record
    #[arg(long)]
    pub hostname: bool,
    /// End without the report
    #[arg(long)]
    pub no_report: bool,
    /// Say only what went wrong while it runs; the report still comes
    #[arg(short, long)]
    pub quiet: bool,
}

/// How full a filesystem is to be before the phases: `90%`.
///
/// # Errors
/// In words.
pub fn fill_percent(text: &str) -> Result<u64, String> {
    let percent = text.trim().strip_suffix('%').unwrap_or(text.trim()).parse().ok();
    let percent = percent.filter(|percent| (1..=MOST_FILL_PERCENT).contains(percent));
    percent.ok_or_else(|| format!("`{text}` is no whole number of per cent from 1% to {MOST_FILL_PERCENT}%"))
}

impl ConductArguments {
    /// Refuses times that nobody could mean.
    ///
    /// # Errors
    /// As a usage error.
    pub fn check(&self) -> anyhow::Result<()> {
        if (1..1000).contains(&self.hang_after) {
            return Err(usage("--hang-after: less than a second; 0s waits for ever"));
        }
        if self.pause > LONGEST_PAUSE_MS {
            return Err(usage("--pause: more than a day"));
        }
        Ok(())
    }

    /// When a batch is given up.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            hang_after: (self.hang_after > 0).then(|| Duration::from_millis(self.hang_after)),
            phase: self.max_phase_seconds.map(Duration::from_secs),
        }
    }
}

fn milliseconds(text: &str) -> Result<u64, String> {
    parse_milliseconds(text).map_err(|error| error.to_string())
}

fn whole_seconds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("0 seconds are no time; leave it out for no limit".to_owned()),
        Ok(seconds) => Ok(seconds),
        Err(_) => Err("write it as a number of seconds, as in 600".to_owned()),
    }
}
