//! Latencies of operations: 16 buckets an octave, counted without allocation, kept as one compact string.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

const SUB_BITS: u32 = 4;
const SUB_BUCKETS: u64 = 1 << SUB_BITS;
/// Enough for every 64-bit number of nanoseconds.
const BUCKETS: usize = ((64 - SUB_BITS as usize) + 1) << SUB_BITS;

/// Counts of latencies in nanoseconds. Below 16 ns each value has its bucket; above, each octave has 16 buckets of equal
/// width, so that a bucket is at most 1/16 of its value wide.
#[derive(Debug, Clone, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Histogram {
    /// A new one has all buckets, so that counting never allocates; one that was read has none beyond the last that counts.
    counts: Vec<u64>,
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.filled() == other.filled()
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS] }
    }
}

fn bucket_of(value: u64) -> usize {
    if value < SUB_BUCKETS {
        return value as usize;
    }
    let exponent = 63 - value.leading_zeros();
    let sub = (value >> (exponent - SUB_BITS)) & (SUB_BUCKETS - 1);
    (((exponent - SUB_BITS + 1) as usize) << SUB_BITS) | sub as usize
}

/// The least value and the width of a bucket.
fn bounds_of(bucket: usize) -> (u64, u64) {
    if bucket < SUB_BUCKETS as usize {
        return (bucket as u64, 1);
    }
    let shift = (bucket >> SUB_BITS) - 1;
    let sub = bucket as u64 & (SUB_BUCKETS - 1);
    ((SUB_BUCKETS + sub) << shift, 1 << shift)
}

impl Histogram {
    /// The buckets up to the last that counts.
    fn filled(&self) -> &[u64] {
        let end = self.counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        &self.counts[..end]
    }

    /// Counts `operations` that took `nanoseconds` each.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64, operations: u64) {
        let bucket = bucket_of(nanoseconds);
        if self.counts.len() <= bucket {
            self.counts.resize(BUCKETS, 0);
        }
        self.counts[bucket] += operations;
    }

    /// Adds the counts of another one.
    pub fn add(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(BUCKETS, 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
    }

    /// How many operations were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The latency in nanoseconds that `share` (0 to 1) of the operations did not exceed: the middle of its bucket, at most 1/32
    /// off. `None` when nothing was counted.
    #[must_use]
    pub fn percentile(&self, share: f64) -> Option<f64> {
        let total = self.total();
        let rank = ((share * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                let (least, width) = bounds_of(bucket);
                return Some(least as f64 + (width - 1) as f64 / 2.0);
            }
        }
        None
    }
}

/// A histogram string that does not follow the form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no latency histogram: expected runs of `bucket=count,count` joined by `;`")]
pub struct HistogramError(String);

/// The form: runs of neighbouring buckets that are not empty, `first bucket=count,count,…`, joined by `;`.
impl From<Histogram> for String {
    fn from(histogram: Histogram) -> Self {
        let mut text = Self::new();
        let mut open = false;
        for (bucket, count) in histogram.counts.iter().enumerate() {
            if *count == 0 {
                open = false;
                continue;
            }
            if open {
                text.push(',');
            } else {
                if !text.is_empty() {
                    text.push(';');
                }
                let _ = write!(text, "{bucket}=");
                open = true;
            }
            let _ = write!(text, "{count}");
        }
        text
    }
}

impl TryFrom<String> for Histogram {
    type Error = HistogramError;

    fn try_from(text: String) -> Result<Self, HistogramError> {
        let mut counts = Vec::new();
        if !text.is_empty() {
            fill(&mut counts, &text).ok_or(HistogramError(text))?;
        }
        Ok(Self { counts })
    }
}

fn fill(counts: &mut Vec<u64>, text: &str) -> Option<()> {
    let mut total: u64 = 0;
    for run in text.split(';') {
        let (first, list) = run.split_once('=')?;
        let first: usize = first.parse().ok()?;
        for (offset, count) in list.split(',').enumerate() {
            let count: u64 = count.parse().ok()?;
            total = total.checked_add(count)?;
            let bucket = first.checked_add(offset).filter(|bucket| *bucket < BUCKETS)?;
            if counts.len() <= bucket {
                counts.resize(bucket + 1, 0);
            }
            counts[bucket] = count;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_bucket_holds_its_own_bounds() {
        for bucket in 0..BUCKETS {
            let (least, width) = bounds_of(bucket);
            assert_eq!(bucket_of(least), bucket);
            assert_eq!(bucket_of(least + (width - 1)), bucket);
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_count_operations() {
        let mut histogram = Histogram::default();
        histogram.record(10, 98);
        histogram.record(1000, 2);
        assert_eq!(histogram.percentile(0.5), Some(10.0));
        assert_eq!(histogram.percentile(0.98), Some(10.0));
        let p99 = histogram.percentile(0.99).unwrap();
        assert!((p99 / 1000.0 - 1.0).abs() < 1.0 / 32.0, "{p99}");
        assert_eq!(Histogram::default().percentile(0.5), None);
    }

    #[test]
    fn the_string_is_compact() {
        let mut histogram = Histogram::default();
        histogram.record(3, 5);
        histogram.record(4, 1);
        histogram.record(15, 2);
        assert_eq!(String::from(histogram), "3=5,1;15=2");
    }

    #[test]
    fn a_bad_string_is_refused() {
        for text in ["x", "1", "1=", "1=a", "99999=1", "1=-1", "1=1;;2=2", "1=18446744073709551615,1"] {
            assert!(Histogram::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_string_reads_back(values in prop::collection::vec((any::<u64>(), 1_u64..1_000_000), 0..50)) {
            let mut histogram = Histogram::default();
            values.iter().for_each(|(value, count)| histogram.record(*value, *count));
            let text = String::from(histogram.clone());
            prop_assert_eq!(Histogram::try_from(text), Ok(histogram));
        }

        #[test]
        fn any_string_is_read_or_refused(text in "[0-9=,;]{0,60}") {
            let _ = Histogram::try_from(text);
        }
    }
}
