//! barrow measures a filesystem in fixed phases and makes the report that people paste and plot.
//!
//! Data passes one way: a [`model::plan::Plan`] goes in, a [`model::record::RunRecord`] comes out, and everything printed is made
//! from stored records. Each room below names what it is for; `tests/layers.rs` fails when a room imports one it may not.
//!
//! - [`units`]: sizes, rates and durations, read and written.
//! - [`stats`]: the statistics of repeated runs.
//! - [`rng`]: seeded streams and keyed permutations, stable for ever.
//! - [`model`]: plain data that the other rooms pass on; the catalogue of phases.
//! - [`report`]: what is made of stored records: text, CSV.

pub mod cli;
pub mod model;
pub mod phases;
pub mod report;
pub mod rng;
pub mod runner;
pub mod stats;
pub mod store;
pub mod sys;
pub mod target;
pub mod units;
