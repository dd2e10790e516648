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
    counts: Counts,
}

/// A new histogram has all buckets, so that counting never allocates; one that was read has only those that count.
#[derive(Debug, Clone, Eq, PartialEq)]
enum Counts {
    /// A count a bucket.
    All(Vec<u64>),
    /// Buckets with their counts, in ascending order.
    Filled(Vec<(u16, u64)>),
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.filled().eq(other.filled())
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: Counts::All(vec![0; BUCKETS]) }
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
    /// The buckets that count, with their counts.
    fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (all, filled): (&[u64], &[(u16, u64)]) = match &self.counts {
            Counts::All(all) => (all, &[]),
            Counts::Filled(filled) => (&[], filled),
        };
        let filled = filled.iter().map(|(bucket, count)| (usize::from(*bucket), *count));
        all.iter().copied().enumerate().filter(|(_, count)| *count > 0).chain(filled)
    }

    /// A count for every bucket, to be changed.
    #[inline]
    fn all(&mut self) -> &mut [u64] {
        if let Counts::Filled(filled) = &self.counts {
            let mut all = vec![0; BUCKETS];
            filled.iter().for_each(|(bucket, count)| all[usize::from(*bucket)] = *count);
            self.counts = Counts::All(all);
        }
        match &mut self.counts {
            Counts::All(all) => all,
            Counts::Filled(_) => &mut [],
        }
    }

    /// Counts `operations` that took `nanoseconds` each.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64, operations: u64) {
        self.all()[bucket_of(nanoseconds)] += operations;
    }

    /// Adds the counts of another one.
    pub fn add(&mut self, other: &Self) {
        let all = self.all();
        for (bucket, count) in other.filled() {
            all[bucket] += count;
        }
    }

    /// The same with no more memory than what was counted needs: a batch keeps those of all its runs.
    #[must_use]
    pub fn trimmed(self) -> Self {
        // Every bucket has a number that fits: there are fewer than a thousand.
        Self { counts: Counts::Filled(self.filled().map(|(bucket, count)| (bucket as u16, count)).collect()) }
    }

    /// How many operations were counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.filled().map(|(_, count)| count).sum()
    }

    /// The latency in nanoseconds that `share` (0 to 1) of the operations did not exceed: the middle of its bucket, at most 1/32
    /// off. `None` when nothing was counted.
    #[must_use]
    pub fn percentile(&self, share: f64) -> Option<f64> {
        let total = self.total();
        let rank = ((share * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        for (bucket, count) in self.filled() {
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
        let mut next = None;
        for (bucket, count) in histogram.filled() {
            let _ = if next == Some(bucket) {
                write!(text, ",{count}")
            } else {
                write!(text, "{}{bucket}={count}", if text.is_empty() { "" } else { ";" })
            };
            next = Some(bucket + 1);
        }
        text
    }
}

impl TryFrom<String> for Histogram {
    type Error = HistogramError;

    fn try_from(text: String) -> Result<Self, HistogramError> {
        let filled = read(&text).ok_or(HistogramError(text))?;
        Ok(Self { counts: Counts::Filled(filled) })
    }
}

/// The buckets of a histogram string that count, in ascending order; `None` when it does not follow the form.
fn read(text: &str) -> Option<Vec<(u16, u64)>> {
    let mut filled: Vec<(u16, u64)> = Vec::new();
    let mut next = 0;
    let mut total: u64 = 0;
    for run in text.split(';').filter(|_| !text.is_empty()) {
        let (first, list) = run.split_once('=')?;
        let first: usize = first.parse().ok().filter(|first| *first >= next)?;
        for (offset, count) in list.split(',').enumerate() {
            let bucket = first.checked_add(offset).filter(|bucket| *bucket < BUCKETS)?;
            let count: u64 = count.parse().ok()?;
            total = total.checked_add(count)?;
            if count > 0 {
                filled.push((u16::try_from(bucket).ok()?, count));
            }
            next = bucket + 1;
        }
    }
    filled.shrink_to_fit();
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_trimmed_one_is_the_same_and_small() {
        for latencies in [&[][..], &[7], &[3, 900, 1_000_000]] {
            let mut histogram = Histogram::default();
            latencies.iter().for_each(|latency| histogram.record(*latency, 2));
            let mut trimmed = histogram.clone().trimmed();
            assert_eq!(trimmed, histogram);
            assert!(matches!(&trimmed.counts, Counts::Filled(filled) if filled.len() == latencies.len()));
            assert_eq!(trimmed.percentile(0.5), histogram.percentile(0.5));
            trimmed.record(5, 1);
            assert_eq!(trimmed.total(), histogram.total() + 1);
        }
    }

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
        for text in ["x", "1", "1=", "1=a", "99999=1", "1=-1", "1=1;;2=2", "5=1;4=1", "1=18446744073709551615,1"] {
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
