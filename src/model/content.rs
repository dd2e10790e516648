//! How much of the data of a plan can be told from all other data: what a device must at least move for it.

use super::settings::Settings;

impl Settings {
    /// Whether nothing can make the data smaller.
    #[must_use]
    pub const fn is_incompressible(&self) -> bool {
        true
    }

    /// Of so many bytes of data, those that can neither be compressed away nor shared.
    #[must_use]
    pub const fn unique_bytes(&self, bytes: u64) -> u64 {
        bytes
    }
}
