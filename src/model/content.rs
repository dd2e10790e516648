//! How much of the data of a plan can be told from all other data: what a device must at least move for it.

use super::settings::Settings;

impl Settings {
    /// Whether all data is incompressible and unique.
    #[must_use]
    pub const fn has_plain_data(&self) -> bool {
        self.compressible == 0 && self.dedupe == 0
    }

    /// Of so many bytes of data, those that can neither be compressed away nor shared.
    #[must_use]
    pub fn unique_bytes(&self, bytes: u64) -> u64 {
        let share = |percent: u64| 1.0 - percent as f64 / 100.0;
        (bytes as f64 * share(self.compressible) * share(self.dedupe)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_made_smaller_does_not_count() {
        let settings = |compressible, dedupe| Settings { compressible, dedupe, ..Settings::default() };
        assert_eq!(settings(0, 0).unique_bytes(1 << 30), 1 << 30);
        assert_eq!(settings(50, 50).unique_bytes(1000), 250);
        assert_eq!(settings(100, 0).unique_bytes(1000), 0);
        assert!(settings(0, 0).has_plain_data() && !settings(0, 1).has_plain_data() && !settings(1, 0).has_plain_data());
    }
}
