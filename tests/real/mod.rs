//! barrow on real filesystems: what is true of it there is shown on devices whose speed, size and faults are known.

mod calls;
mod cleaning;
mod device;
mod driver;
mod failures;
mod job;
mod memory;
mod need;
mod signals;
mod truth;
