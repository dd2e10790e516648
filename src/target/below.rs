//! What lies below a real directory: its devices, and what they moved so far.

use super::ground::Counters;
use crate::model::stack::Stack;
use crate::sys::mounts::{self, Mount};
use crate::sys::stack::{self, Roots};
use crate::sys::traffic::{self, TrafficReader};
use std::fs::File;
use std::path::PathBuf;

/// The devices below a directory, found once and read often.
#[derive(Debug, Default)]
pub struct Below {
    stack: Stack,
    traffic: Option<TrafficReader>,
    mount_point: PathBuf,
}

impl Below {
    /// The devices below a directory; nothing where its mount is not known.
    #[must_use]
    pub fn of(directory: &File) -> Self {
        mounts::mount_of(directory).map(|mount| Self::of_mount(&mount)).unwrap_or_default()
    }

    fn of_mount(mount: &Mount) -> Self {
        let found = stack::find(&Roots::of_this_machine(), mount);
        let traffic = Some(TrafficReader::open(&found));
        Self { stack: found.stack, traffic, mount_point: mount.mount_point.clone() }
    }

    /// A block device itself and what lies below it, by its number, `major:minor`.
    #[must_use]
    pub fn of_device(number: &str) -> Self {
        let found = stack::find_below(&Roots::of_this_machine(), number);
        let traffic = Some(TrafficReader::open(&found));
        Self { stack: found.stack, traffic, mount_point: PathBuf::new() }
    }

    /// The devices.
    #[must_use]
    pub const fn stack(&self) -> &Stack {
        &self.stack
    }

    /// What they moved so far; unknown when one of them is gone.
    #[must_use]
    pub fn counters(&self) -> Counters {
        Counters {
            devices: self.traffic.as_ref().and_then(TrafficReader::read),
            arc: traffic::arc_traffic(),
            server: traffic::server_traffic(&self.mount_point),
        }
    }
}
