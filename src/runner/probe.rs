//! A probe of the flush: a run without block files learns from it whether a flush of its filesystem reaches the devices at all.

use super::labels::{Footing, is_flushed};
use crate::model::evidence::Evidence;
use crate::model::settings::Io;
use crate::model::stack::Bottom;
use crate::rng::Stream;
use crate::target::ground::Ground;
use crate::target::scratch::block_file_name;
use crate::target::{Access, FlushMethod, write_all};
use std::io;

/// Bytes that are written: far more than a journal writes by itself in the time of a flush.
const BYTES: usize = 1 << 20;

/// Whether new data is on the devices when a flush has ended. Off every clock, and nothing is left.
pub fn flush_is_heard(ground: &dyn Ground, footing: &Footing<'_>) -> bool {
    if footing.stack.bottom != Bottom::Devices {
        return false;
    }
    let before = ground.counters();
    if write_and_flush(ground).is_err() {
        return false;
    }
    let devices = ground.counters().since(&before).devices.unwrap_or_default();
    let evidence = Evidence { devices, ..Evidence::default() };
    let is_written = footing.leaves(&evidence).is_some_and(|leaves| leaves.written_bytes >= BYTES as u64 / 2);
    is_written && is_flushed(footing.stack, &evidence) == Some(true)
}

fn write_and_flush(ground: &dyn Ground) -> io::Result<()> {
    let target = ground.target().map_err(io::Error::other)?;
    let name = block_file_name(0);
    let file = target.open(target.root(), &name, Access::CreateNew, Io::Buffered)?;
    let mut data = vec![0; BYTES];
    Stream::of(1, "flush probe").fill(&mut data);
    let written = write_all(target, &file, &data, 0).and_then(|()| match target.flush_method() {
        FlushMethod::WholeFilesystem => target.flush(),
        FlushMethod::EachFile => target.sync(&file),
    });
    let closed = target.close(file);
    let removed = target.unlink(target.root(), &name);
    written.and(closed).and(removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machine::FilesystemClass;
    use crate::target::pretend::PretendTarget;
    use crate::target::pretend_ground::PretendGround;
    use crate::target::pretend_storage::Storage;
    use std::sync::Arc;

    fn heard(storage: Storage) -> bool {
        let target = Arc::new(PretendTarget::costing(|_| 1));
        target.set_storage(storage);
        let mut ground = PretendGround::of(Arc::clone(&target));
        ground.take(1, 1).unwrap();
        let stack = ground.stack().clone();
        let footing = Footing { class: FilesystemClass::Block, stack: &stack, has_moved: false, flush_is_heard: false };
        let heard = flush_is_heard(&ground, &footing);
        assert!(target.entries().is_empty());
        heard
    }

    #[test]
    fn a_flush_that_does_nothing_is_found() {
        assert!(heard(Storage::default()));
        assert!(!heard(Storage { hears_flush: false, ..Storage::default() }));
        assert!(!heard(Storage { device_writes: 0.01, ..Storage::default() }));
    }
}
