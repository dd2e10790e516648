//! barrow measures a filesystem in fixed phases and makes the report that people paste and plot.
//!
//! Data passes one way: a [`model::plan::Plan`] goes in at the front door, a [`model::record::RunRecord`] is the only thing that leaves
//! the workshop, and everything printed is made from stored records. Each room below says what it is for; `tests/layers.rs` fails when
//! a room imports one that it may not.
//!
//! - [`units`]: sizes, rates and durations, read and written. Stands on its own.
//! - [`stats`]: the statistics of repeated runs: spreads, ratios of two series, exact intervals, what is odd. Stands on its own.
//! - [`rng`]: seeded streams and keyed permutations, stable for ever. Stands on its own.
//! - [`model`]: plain data that the other rooms pass on: the catalogue of phases, profiles, plans, records, series, summaries.
//! - [`sys`]: the only room that talks to the kernel, and the only one with `unsafe`: files by handle, the meter, residency, mounts,
//!   caches, signals.
//! - [`target`]: what a phase works on, real or pretended; what that stands on (its ground); how it is cleaned up.
//! - [`phases`]: how each phase does its work. Only what `prepare` returns is on the clock.
//! - [`runner`]: rounds × targets × phases: makes cold, prepares, reads the meter around what is timed, labels, records.
//! - [`lab`]: filesystems that are made for each run, mounted, and taken away again: a ground like any other.
//! - [`store`]: run files: a line is appended and flushed when a run ends; what can be read is loaded, the rest is named.
//! - [`import`]: what other programs reported, read into runs: a file an importer.
//! - [`report`]: one table model, and a file for each format that is drawn from it.
//! - [`cli`]: the command line, progress and exit codes; the only room that prints.

pub mod cli;
pub mod import;
pub mod lab;
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
