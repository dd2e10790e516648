//! The statistics of repeated runs: how far they spread, how two series compare, and what is odd about one of them.
//!
//! Numbers in, plain data out: nothing here knows a phase or a unit, and nothing drops a value.

mod null;
mod oddness;
mod ratio;
mod spread;
mod steady;
#[cfg(test)]
mod tests;

pub use oddness::{Drift, Oddness, Outlier};
pub use ratio::{Ratio, Verdict};
pub use spread::{Interval, Spread};
pub use steady::Steadiness;
