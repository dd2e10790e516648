//! A pretended ground, which hands out one pretended target.

use super::ground::{Cold, Counters, Ground, GroundError, Site};
use super::pretend::PretendTarget;
use super::{Access, Target};
use crate::model::record::Preparation;
use crate::model::settings::Io;
use crate::model::stack::{Bottom, Layer, Stack, StackDevice};
use std::sync::Arc;
use std::time::Duration;

/// A pretended ground: hands out its one target, and logs when it is made cold.
pub struct PretendGround {
    target: Arc<PretendTarget>,
    taken: bool,
    site: Site,
    stack: Stack,
}

impl PretendGround {
    /// The ground of a target, which the test keeps a hold of.
    #[must_use]
    pub fn of(target: Arc<PretendTarget>) -> Self {
        let device = StackDevice {
            name: "pretended0".to_owned(),
            layer: Layer::Disk,
            is_leaf: true,
            is_counted: true,
            write_cache: Some("write back".to_owned()),
            rotational: Some(false),
            direct_io: None,
        };
        Self { target, taken: false, site: Site::default(), stack: Stack { bottom: Bottom::Devices, devices: vec![device] } }
    }

    /// The same, on a filesystem of which this is known.
    #[must_use]
    pub fn on(mut self, site: Site) -> Self {
        self.site = site;
        self
    }
}

impl Ground for PretendGround {
    fn take(&mut self, _nonce: u64, _batch: u64) -> Result<(), GroundError> {
        self.taken = true;
        Ok(())
    }

    fn target(&self) -> Result<&dyn Target, GroundError> {
        if self.taken { Ok(self.target.as_ref()) } else { Err(GroundError::Changed("not taken".to_owned())) }
    }

    fn make_cold(&mut self, cold: &Cold<'_>) -> Result<Preparation, GroundError> {
        let call = self.target.flush();
        call.map_err(|source| GroundError::Call { doing: "flush".to_owned(), source })?;
        for name in cold.files {
            let file = self.target.open(self.target.root(), name, Access::Read, Io::Buffered);
            let evicted = file.and_then(|file| self.target.evict(&file));
            evicted.map_err(|source| GroundError::Call { doing: format!("evict {}", name.to_string_lossy()), source })?;
        }
        Ok(Preparation {
            flushed: true,
            evicted: !cold.files.is_empty(),
            hindrance: Some("pretended".to_owned()),
            ..Preparation::default()
        })
    }

    fn site(&self) -> &Site {
        &self.site
    }

    fn stack(&self) -> &Stack {
        &self.stack
    }

    fn counters(&self) -> Counters {
        Counters { devices: Some(vec![self.target.traffic()]), ..Counters::default() }
    }

    fn wait(&self, time: Duration) {
        self.target.pass(time);
    }

    fn give_back(&mut self) -> Vec<String> {
        self.taken = false;
        self.target.clear();
        Vec::new()
    }

    fn place_of(&self, nonce: u64) -> String {
        format!("pretended/{nonce:016x}")
    }

    fn directory(&self) -> String {
        "pretended".to_owned()
    }

    fn scratch(&self) -> Option<String> {
        self.taken.then(|| "pretended".to_owned())
    }
}
