//! The pairs of `barrow check`: barrow's loop and the raw one in turns.

use crate::model::phase::Phase;
use crate::model::settings::Settings;
use crate::phases::PhaseError;
use crate::runner::yardstick::{Bench, Yardstick, YardstickError};
use crate::stats::Spread;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Pairs of one barrow and one raw measurement; their order changes from pair to pair.
pub const PAIRS: usize = 11;
/// Each measurement repeats its pass until the first raw one took so long.
const LEAST_TIME: Duration = Duration::from_millis(8);
/// Half of the least /dev/shm that containers get.
const FILE_BYTES: u64 = 32 << 20;

/// What is compared.
#[derive(Debug)]
pub struct Case {
    /// In words: `read 8 KiB`.
    pub name: &'static str,
    phase: Phase,
    chunk_size: u64,
}

/// All comparisons. The random read goes last of those that read, so that it finds its file.
pub const CASES: &[Case] = &[
    Case { name: "write 1 MiB", phase: Phase::BlockWrite, chunk_size: 1 << 20 },
    Case { name: "read 1 MiB", phase: Phase::BlockRead, chunk_size: 1 << 20 },
    Case { name: "write 8 KiB", phase: Phase::BlockWrite, chunk_size: 8 << 10 },
    Case { name: "read 8 KiB", phase: Phase::BlockRead, chunk_size: 8 << 10 },
    Case { name: "random read 4 KiB", phase: Phase::RandomSeek, chunk_size: 1 << 20 },
    Case { name: "create a file", phase: Phase::SeqCreate, chunk_size: 1 << 20 },
    Case { name: "stat a file", phase: Phase::SeqStat, chunk_size: 1 << 20 },
    Case { name: "delete a file", phase: Phase::SeqDelete, chunk_size: 1 << 20 },
];

/// What came out of all pairs of a case.
#[derive(Debug, Clone)]
pub struct Compared {
    /// In words.
    pub name: &'static str,
    /// Nanoseconds of one operation of the raw loop, the median.
    pub raw_ns: f64,
    /// The same of barrow's.
    pub barrow_ns: f64,
    /// barrow's time divided by the raw one, pair by pair.
    pub ratio: Spread,
    /// Whether an operation moves a whole chunk of data, which barrow makes or checks.
    pub is_bulk: bool,
}

/// Compares both loops of a case; `None` when the user asked to stop.
///
/// # Errors
/// As the loops.
pub fn compare(case: &Case, bench: Bench<'_>) -> Result<Option<Compared>, YardstickError> {
    let settings = Settings { file_size: FILE_BYTES, chunk_size: case.chunk_size, seeks: 4096, files: 2000, ..Settings::default() };
    let times = Yardstick::of(case.phase, settings, bench).and_then(|yardstick| {
        let times = pairs(&yardstick, bench);
        yardstick.clear();
        Ok((times?, yardstick.operations()))
    });
    match times {
        Ok((times, operations)) if times.len() == PAIRS => Ok(compared(case, &times, operations)),
        Ok(_) | Err(YardstickError::Phase(PhaseError::Stopped)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The times of one pass, barrow's and the raw one, pair by pair; fewer when the user asked to stop.
fn pairs(yardstick: &Yardstick<'_>, bench: Bench<'_>) -> Result<Vec<[f64; 2]>, YardstickError> {
    yardstick.raw(1)?;
    yardstick.barrow(1)?;
    let first = yardstick.raw(1)?;
    let passes = (LEAST_TIME.as_nanos() / first.as_nanos().max(1)) as usize + 1;
    let each = |time: Duration| time.as_nanos() as f64 / passes as f64;
    let mut times = Vec::new();
    for pair in 0..PAIRS {
        if bench.interrupted.load(Ordering::Relaxed) {
            break;
        }
        times.push(if pair % 2 == 0 {
            let barrow = yardstick.barrow(passes)?;
            [each(barrow), each(yardstick.raw(passes)?)]
        } else {
            let raw = yardstick.raw(passes)?;
            [each(yardstick.barrow(passes)?), each(raw)]
        });
    }
    Ok(times)
}

/// `None` when no pair has a ratio.
fn compared(case: &Case, times: &[[f64; 2]], operations: u64) -> Option<Compared> {
    let of_operation = |which: usize| {
        let times: Vec<f64> = times.iter().map(|pair| pair[which] / operations as f64).collect();
        Spread::of(&times).map(|spread| spread.median)
    };
    let ratios: Vec<f64> = times.iter().map(|[barrow, raw]| barrow / raw).collect();
    Some(Compared {
        name: case.name,
        raw_ns: of_operation(1)?,
        barrow_ns: of_operation(0)?,
        ratio: Spread::of(&ratios)?,
        is_bulk: case.chunk_size >= 1 << 20 && matches!(case.phase, Phase::BlockWrite | Phase::BlockRead),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_median_of_the_pairs() {
        let times: Vec<[f64; 2]> = (1..=11).map(|pair| [f64::from(pair) * 1100.0, 10_000.0]).collect();
        let compared = compared(&CASES[3], &times, 10).unwrap();
        assert_eq!((compared.raw_ns, compared.barrow_ns), (1000.0, 660.0));
        assert!((compared.ratio.median - 0.66).abs() < 1e-9, "{:?}", compared.ratio);
        assert!(!compared.is_bulk && super::compared(&CASES[0], &times, 10).unwrap().is_bulk);
        assert!(super::compared(&CASES[0], &[], 10).is_none());
    }
}
