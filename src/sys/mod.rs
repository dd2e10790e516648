//! The only room that talks to the kernel: system calls, /proc and /sys, and the only one with `unsafe`.

pub mod append;
pub mod around;
pub mod caches;
pub mod calls;
pub mod ceiling;
pub mod command;
pub mod direct;
pub mod dropping;
pub mod files;
pub mod limits;
pub mod living;
pub mod machine;
pub mod meter;
pub mod mounts;
pub mod name;
pub mod privileges;
pub mod process;
pub mod program;
pub mod random;
pub mod raw;
pub mod residency;
pub mod signals;
pub mod stack;
pub mod threads;
pub mod traffic;
