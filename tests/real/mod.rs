//! barrow on real filesystems: what is true of it there is shown on devices whose speed, size and faults are known.
#![allow(clippy::print_stdout, clippy::print_stderr)] // What was measured, and why a test was skipped, is shown with --nocapture.

mod appending;
mod bad_input;
mod bonnie;
mod calls;
mod cleaning;
mod closing;
mod data;
pub mod device;
pub mod driver;
mod failures;
mod flags;
mod full;
mod full_run_file;
pub mod fuse;
mod fuse_faults;
mod fuse_truth;
mod hangs;
mod hostile;
mod job;
mod kills;
mod labels;
mod leftovers;
mod limits;
mod links;
mod memory;
pub mod need;
mod outcome;
mod peers;
mod sandbox;
mod signals;
mod soak;
mod stack;
mod stepped;
mod traced;
mod truth;
mod user;
