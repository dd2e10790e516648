//! The curve over a device: the rate at each place that was read from its start to its end, over the runs of a series.

use super::Section;
use super::figures::rate_figure;
use crate::model::device_places::places;
use crate::model::phase::Phase;
use crate::model::record::RunRecord;
use crate::model::series::Series;
use crate::stats::Spread;
use crate::units::rounded_size;

/// What the sweeps of a series show.
pub struct Sweep {
    /// Bytes of the device.
    pub device_bytes: u64,
    /// Its places from start to end.
    pub places: Vec<SweptPlace>,
}

/// One place.
pub struct SweptPlace {
    /// Its middle in bytes from the start of the device.
    pub at: u64,
    /// MiB/s over the runs.
    pub rate: Spread,
}

impl Sweep {
    /// Of a series; `None` where no run of it has a sweep with a slice for each place.
    pub fn of(series: &Series<'_>) -> Option<Self> {
        let settings = series.first.settings()?;
        let device_bytes = series.first.device.size_bytes?;
        let read = places(Phase::DeviceSweep, settings, device_bytes);
        let (_, size) = Phase::DeviceSweep.row().unit.rate();
        let work = settings.sweep_size as f64 / size;
        let runs: Vec<Vec<f64>> = series.runs.iter().filter_map(|run| rates(run, read.len(), work)).collect();
        let swept = read.iter().enumerate().map(|(number, place)| {
            let rates: Vec<f64> = runs.iter().filter_map(|run| run.get(number).copied()).collect();
            Some(SweptPlace { at: place.start.midpoint(place.end), rate: Spread::of(&rates)? })
        });
        let places = swept.collect::<Option<Vec<SweptPlace>>>()?;
        (!places.is_empty()).then_some(Self { device_bytes, places })
    }

    /// The places with the highest and the lowest median.
    fn ends(&self) -> Option<(&SweptPlace, &SweptPlace)> {
        let by_rate = |one: &&SweptPlace, other: &&SweptPlace| one.rate.median.total_cmp(&other.rate.median);
        // Of equal ones the first.
        Some((self.places.iter().rev().max_by(by_rate)?, self.places.iter().min_by(by_rate)?))
    }

    /// `highest 182 at 7.28 GiB, lowest 94.1 at 924 GiB`, in MiB/s.
    pub fn in_words(&self) -> String {
        let said = |place: &SweptPlace| format!("{} at {}", rate_figure(place.rate.median, 1.0), rounded_size(place.at));
        self.ends().map(|(highest, lowest)| format!("highest {}, lowest {}", said(highest), said(lowest))).unwrap_or_default()
    }
}

/// The rates of a run's places; `None` where it has no slice for each, or one took no time.
fn rates(run: &RunRecord, count: usize, work: f64) -> Option<Vec<f64>> {
    let slices = run.phase(Phase::DeviceSweep)?.counted()?.slices.as_ref()?;
    if slices.elapsed_ns.len() != count {
        return None;
    }
    slices.elapsed_ns.iter().map(|elapsed| (*elapsed > 0).then(|| work * 1e9 / *elapsed as f64)).collect()
}

/// A sentence for each target that was swept.
pub fn sentences(section: &Section<'_>) -> Vec<String> {
    let of_series = |series: &Series<'_>| {
        let sweep = Sweep::of(series)?;
        let name = if section.series.len() == 1 { String::new() } else { format!("{}: ", series.name) };
        let (count, size) = (sweep.places.len(), rounded_size(sweep.device_bytes));
        Some(format!("{name}Device sweep over {count} places of {size}, MiB/s: {}.", sweep.in_words()))
    };
    section.series.iter().filter_map(of_series).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::machine::{Device, Filesystem, FilesystemClass};
    use crate::model::plan::{Circumstances, Plan};
    use crate::model::profile::Profile;
    use crate::model::sample;
    use crate::model::slices::Slices;
    use crate::report::Report;

    const MIB: u64 = 1 << 20;

    /// A run of `barrow device --sweep` on a device of 1 TiB which becomes slower from place to place, in milliseconds.
    pub(in crate::report) fn swept(label: &str, round: u32, milliseconds: impl Fn(u64) -> u64) -> RunRecord {
        let profile = Profile::named("device", 0).unwrap().changed(&[("sweep_places".to_owned(), "64".to_owned())], 0).unwrap();
        let plan = Plan::of(&profile, 1, Circumstances::USUAL).unwrap();
        let mut run = sample::run(label, round);
        run.phases.retain(|record| record.name == Phase::BlockRead);
        run.phases[0].name = Phase::DeviceSweep;
        let counted = sample::counted_mut(&mut run, Phase::DeviceSweep);
        let elapsed_ns: Vec<u64> = (0..64).map(|place| milliseconds(place) * 1_000_000).collect();
        (counted.work, counted.operations, counted.elapsed_ns) = (1024 * MIB, 1024, elapsed_ns.iter().sum());
        counted.slices = Some(Slices { operations_each: 16, elapsed_ns });
        (run.profile, run.plan) = (plan.profile.clone(), Some(plan));
        run.filesystem = Filesystem { class: FilesystemClass::Block, ..Filesystem::default() };
        run.device = Device { name: Some("sda".to_owned()), size_bytes: Some(1 << 40), rotational: Some(true), ..Device::default() };
        run
    }

    #[test]
    fn the_highest_and_the_lowest_place_are_named() {
        let records: Vec<RunRecord> = (1..=3).map(|round| swept("sda", round, |place| 80 + place + u64::from(round))).collect();
        let report = Report::of(&records);
        let said = sentences(&report.sections[0]);
        assert_eq!(said, ["Device sweep over 64 places of 1 TiB, MiB/s: highest 195 at 8 MiB, lowest 110 at 1024 GiB."]);
        let sweep = Sweep::of(&report.sections[0].series[0]).unwrap();
        assert_eq!((sweep.places.len(), sweep.places[0].rate.n), (64, 3));
        assert!((sweep.places[0].rate.max - 16e3 / 81.0).abs() < 1e-6 && (sweep.places[0].rate.min - 16e3 / 83.0).abs() < 1e-6);
    }

    #[test]
    fn without_a_slice_for_each_place_there_is_no_curve() {
        let mut run = swept("sda", 1, |_| 80);
        sample::counted_mut(&mut run, Phase::DeviceSweep).slices.as_mut().unwrap().elapsed_ns.pop();
        assert!(sentences(&Report::of(std::slice::from_ref(&run)).sections[0]).is_empty());
        assert!(sentences(&Report::of(&[swept("sda", 1, |place| place)]).sections[0]).is_empty(), "a place took no time");
        assert!(sentences(&Report::of(&[sample::run("ext4", 1)]).sections[0]).is_empty());
    }
}
