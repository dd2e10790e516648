//! What barrow can prove about a filesystem, and what it cannot: it follows from the class, the devices below, and the rights.

use super::Facts;
use super::chain::{is_below_a_host, is_counted_to_the_bottom};
use crate::model::machine::FilesystemClass;
use crate::model::stack::{Bottom, Layer};
use crate::report::lines::join_and;

/// Two short lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// What can be proven.
    pub can: Vec<String>,
    /// What cannot.
    pub cannot: Vec<String>,
}

impl Proof {
    fn can(&mut self, what: impl Into<String>) {
        self.can.push(what.into());
    }

    fn cannot(&mut self, what: impl Into<String>) {
        self.cannot.push(what.into());
    }
}

/// Both lists.
pub fn proof(facts: &Facts) -> Proof {
    let mut proof = Proof::default();
    reads(facts, &mut proof);
    devices(facts, &mut proof);
    loops(facts, &mut proof);
    names(facts, &mut proof);
    writes(facts, &mut proof);
    if is_below_a_host(facts) {
        proof.cannot("what the host of this virtual machine caches: its disks look like devices");
    }
    proof
}

/// Where the bytes of block files come from.
fn reads(facts: &Facts, proof: &mut Proof) {
    let method = if facts.has_cachestat { "cachestat" } else { "mincore" };
    let cold = |method: &str| format!("that a block file is not in the page cache before it is read ({method})");
    match facts.filesystem.class {
        FilesystemClass::Block => proof.can(cold(method)),
        // cachestat sees the pages of the file above, which are those of the file below.
        FilesystemClass::Overlay => proof.can(cold("mincore")),
        FilesystemClass::Memory => proof.cannot("anything of a device: every number is one of memory"),
        FilesystemClass::Network => {
            proof.can(cold(method));
            if facts.has_server_counts {
                proof.can("how much the server sent and took (mountstats)");
            }
            proof.cannot("whether the server's cache answered");
        }
        FilesystemClass::Fuse => proof.cannot("where bytes came from: the process may keep them, and the page cache does not tell"),
        FilesystemClass::Zfs => {
            if facts.has_arc {
                proof.can("how often the cache of ZFS answered, on the whole machine (arcstats)");
            }
            proof.cannot("that a read is cold: the cache of ZFS cannot be emptied from here");
        }
        FilesystemClass::Other => proof.cannot("where bytes came from: neither a block device nor a server was found"),
    }
}

/// What the devices below moved.
fn devices(facts: &Facts, proof: &mut Proof) {
    let stack = &facts.found.stack;
    let names = |is_counted: bool| -> Vec<String> {
        let leaves = stack.leaves().filter(|leaf| leaf.layer != Layer::Memory && leaf.is_counted == is_counted);
        leaves.map(|leaf| leaf.name.clone()).collect()
    };
    match stack.bottom {
        Bottom::Devices => {
            let (counted, uncounted) = (names(true), names(false));
            if !counted.is_empty() {
                proof.can(format!("how much {} moved, of everybody's transfers (iostats)", join_and(&counted)));
            }
            if !uncounted.is_empty() {
                proof.cannot(format!("how much {} moved: queue/iostats is off", join_and(&uncounted)));
            }
        }
        Bottom::Memory if facts.filesystem.class != FilesystemClass::Memory => {
            proof.cannot("anything of a device: what it stands on is memory");
        }
        Bottom::Unknown if facts.filesystem.class != FilesystemClass::Other => {
            proof.cannot("how much the devices below moved: not all of them were found");
        }
        Bottom::Memory | Bottom::Server | Bottom::Process | Bottom::Unknown => {}
    }
}

/// What a page cache below a loop device answers.
fn loops(facts: &Facts, proof: &mut Proof) {
    let stack = &facts.found.stack;
    let is_through_cache = |layer: Layer, direct: Option<bool>| layer == Layer::Loop && direct != Some(true);
    let buffered = stack.devices.iter().filter(|device| is_through_cache(device.layer, device.direct_io));
    let buffered: Vec<String> = buffered.map(|device| device.name.clone()).collect();
    if buffered.is_empty() || stack.bottom == Bottom::Memory {
        return;
    }
    let names = join_and(&buffered);
    if is_counted_to_the_bottom(&facts.found) {
        proof.can(format!("whether the page cache below {names} answered: the devices at the bottom then moved nothing"));
    } else {
        proof.cannot(format!("whether the page cache below {names} answered"));
    }
}

/// Whether stat and delete begin without names and inodes in memory.
fn names(facts: &Facts, proof: &mut Proof) {
    let has_storage = match facts.filesystem.class {
        FilesystemClass::Block | FilesystemClass::Overlay => facts.found.stack.bottom != Bottom::Memory,
        FilesystemClass::Memory | FilesystemClass::Network | FilesystemClass::Fuse | FilesystemClass::Zfs | FilesystemClass::Other => false,
    };
    match (has_storage, facts.machine.root) {
        (true, true) => proof.can("that stat and delete read from storage: root can drop the caches of names and inodes"),
        (true, false) => proof.cannot("that stat and delete read from storage: only root can drop the caches of names and inodes"),
        (false, _) => {}
    }
}

/// What a flush is worth.
fn writes(facts: &Facts, proof: &mut Proof) {
    let in_memory = facts.found.stack.bottom == Bottom::Memory;
    match facts.filesystem.class {
        FilesystemClass::Memory => {}
        FilesystemClass::Block if in_memory => {}
        FilesystemClass::Block | FilesystemClass::Zfs => {
            proof.can("that writes were flushed before the clock stopped (fsync, syncfs)");
            proof.cannot("that a device keeps what it said it had flushed");
        }
        FilesystemClass::Network | FilesystemClass::Fuse | FilesystemClass::Overlay | FilesystemClass::Other => {
            proof.cannot("that what was flushed is on stable storage: it is not known what a flush does below");
        }
    }
}
