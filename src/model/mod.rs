//! Plain data that every other room passes on: what a phase is, what is to be done, what was counted.

pub mod aftermath;
mod bounded;
pub mod content;
pub mod costs;
pub mod cpu;
pub mod device_places;
pub mod evidence;
pub mod fact;
pub mod flag;
pub mod histogram;
pub mod identity;
pub mod imported;
pub mod label;
pub mod likeness;
pub mod loadfile;
pub mod machine;
pub mod making;
pub mod nearest;
pub mod phase;
pub mod plan;
pub mod preparation;
pub mod printable;
pub mod profile;
pub mod quantity;
pub mod record;
#[cfg(test)]
pub(crate) mod sample;
pub mod selection;
pub mod series;
pub mod settings;
pub mod size_law;
pub mod slices;
pub mod stack;
pub mod status;
pub mod summary;
pub mod usage;
