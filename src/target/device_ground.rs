//! A block device as ground: nothing is made on it and nothing taken away; only what the system keeps of it in memory is forgotten.

use super::Target;
use super::below::Below;
use super::device::DeviceTarget;
use super::ground::{Cold, Counters, Ground, GroundError, Site};
use super::plain::drop_caches;
use crate::model::record::Preparation;
use crate::model::stack::Stack;
use crate::sys::caches::Dropper;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Tries to evict a device: what is still being read ahead stays, so it rests between them.
const EVICTIONS: u32 = 100;
/// How long.
const REST: Duration = Duration::from_millis(10);

/// A device that the user named.
#[derive(Debug)]
pub struct DeviceGround {
    node: PathBuf,
    number: String,
    site: Site,
    places: Vec<Range<u64>>,
    dropper: Arc<Dropper>,
    target: Option<DeviceTarget>,
    below: Below,
}

impl DeviceGround {
    /// The ground of the device with a number, `major:minor`, at its node. `places` are those that its phases read.
    #[must_use]
    pub fn of(node: PathBuf, number: String, site: Site, places: Vec<Range<u64>>, dropper: Arc<Dropper>) -> Self {
        let below = Below::of_device(&number);
        Self { node, number, site, places, dropper, target: None, below }
    }

    fn device(&self) -> Result<&DeviceTarget, GroundError> {
        self.target.as_ref().ok_or_else(|| GroundError::Changed("the device is not open".to_owned()))
    }
}

impl Ground for DeviceGround {
    fn take(&mut self, _nonce: u64, _batch: u64) -> Result<(), GroundError> {
        let opened = DeviceTarget::of(&self.node, &self.number, self.places.clone());
        self.target = Some(opened.map_err(|source| GroundError::Call { doing: "open the device".to_owned(), source })?);
        self.below = Below::of_device(&self.number);
        Ok(())
    }

    fn target(&self) -> Result<&dyn Target, GroundError> {
        self.device().map(|device| device as &dyn Target)
    }

    /// What others wrote to it and is not on it yet is left alone: a device is only read. It stays in memory, and the label tells.
    fn make_cold(&mut self, cold: &Cold<'_>) -> Result<Preparation, GroundError> {
        let device = self.device()?;
        let mut preparation = Preparation::default();
        for _ in 0..EVICTIONS {
            preparation.evicted |= device.evict(device.held()).is_ok();
            if device.residency(device.held()).is_ok_and(|residency| residency.resident_pages == 0) {
                break;
            }
            std::thread::sleep(REST);
        }
        drop_caches(cold.circumstances.drop_caches, &self.dropper, &mut preparation);
        Ok(preparation)
    }

    fn site(&self) -> &Site {
        &self.site
    }

    fn stack(&self) -> &Stack {
        self.below.stack()
    }

    fn counters(&self) -> Counters {
        self.below.counters()
    }

    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn give_back(&mut self) -> Vec<String> {
        self.target = None;
        Vec::new()
    }

    fn place_of(&self, _nonce: u64) -> String {
        String::new()
    }

    fn directory(&self) -> String {
        self.node.display().to_string()
    }

    fn scratch(&self) -> Option<String> {
        None
    }
}
