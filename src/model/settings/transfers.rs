//! The files of the transfer phases: how many there are, in which units they are shared, and whether every transfer fits them.

use super::{Settings, SettingsError};
use crate::model::phase::{Files, Phase, Transfer};
use crate::units::exact_size;
use std::collections::BTreeSet;

impl Settings {
    /// The transfers of the phase list, in its order.
    pub fn all_transfers(&self) -> impl Iterator<Item = Transfer> + '_ {
        self.phases.iter().filter_map(|phase| match phase {
            Phase::Transfer(transfer) => Some(*transfer),
            _ => None,
        })
    }

    /// Files that the transfer phases share: one for each worker of the phase that has the most.
    #[must_use]
    pub fn transfer_files(&self) -> u64 {
        self.all_transfers().map(|transfer| u64::from(transfer.workers)).max().unwrap_or(0)
    }

    /// Bytes that files and workers have whole numbers of: the least common multiple of all transfers. At least 1.
    #[must_use]
    pub fn transfer_unit(&self) -> u64 {
        self.all_transfers().fold(1, |unit, transfer| least_common_multiple(unit, u64::from(transfer.bytes)))
    }

    /// Pieces of files that the workers of some transfers have together, each of which its worker has open.
    #[must_use]
    pub fn transfer_parts(&self, transfer: Transfer) -> u64 {
        let units = self.file_size / self.transfer_unit();
        let starts = |shares: u64| (0..shares).map(move |place| place * (units / shares) + place.min(units % shares));
        starts(self.transfer_files()).chain(starts(u64::from(transfer.workers))).collect::<BTreeSet<u64>>().len() as u64
    }

    /// Every transfer fits the files, and every worker has a unit at least.
    pub(super) fn check_transfers(&self) -> Result<(), SettingsError> {
        let unfit = |key, problem| Err(SettingsError::Unfit { key, problem });
        if self.file_size == 0 || !self.uses(Files::Transfer) {
            return Ok(());
        }
        let (multiple, why) = self.least_transfer();
        if let Some(transfer) = self.all_transfers().find(|transfer| !u64::from(transfer.bytes).is_multiple_of(multiple)) {
            let name = Phase::Transfer(transfer).name();
            return unfit("phases", format!("the transfers of {name} are no multiple of {multiple} bytes{why}"));
        }
        let (unit, file_size) = (self.transfer_unit(), exact_size(self.file_size));
        if !self.file_size.is_multiple_of(unit) {
            return unfit("file_size", format!("{file_size} is not a multiple of {}, which all transfers divide", exact_size(unit)));
        }
        let files = self.transfer_files();
        if self.file_size / unit < files {
            let unit = exact_size(unit);
            return unfit("file_size", format!("{files} workers cannot share {file_size} of transfers in pieces of {unit}"));
        }
        Ok(())
    }
}

/// The least number that both divide; so large that no file is a multiple of it where it does not fit 64 bits.
fn least_common_multiple(one: u64, other: u64) -> u64 {
    let (mut divisor, mut rest) = (one, other);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (one / divisor).saturating_mul(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::Key;
    use proptest::prelude::*;

    fn settings(phases: &str, file_size: u64) -> Settings {
        let mut settings = Settings { file_size, ..Settings::default() };
        Key::named("phases").unwrap().set(&mut settings, phases, 0).unwrap();
        settings
    }

    #[test]
    fn files_are_as_many_as_the_most_workers() {
        let some = settings("seq_write_1m_1w,random_read_4k_4w,seq_read_6k_3w", 12 << 20);
        assert_eq!((some.transfer_files(), some.transfer_unit()), (4, 3 << 20));
        assert_eq!(some.all_transfers().map(|transfer| some.transfer_parts(transfer)).collect::<Vec<_>>(), [4, 4, 4]);
        assert_eq!(some.check(), Ok(()));
        assert_eq!(Settings::default().transfer_files(), 0);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (phases, file_size, words) in [
            ("seq_write_1m_1w", 1 << 19, "file_size: 512k is not a multiple of 1m"),
            ("seq_write_1m_4w", 3 << 20, "file_size: 4 workers cannot share 3m"),
            ("seq_write_1m_1w,seq_read_6k_1w", 4 << 20, "file_size: 4m is not a multiple of 3m"),
        ] {
            let error = settings(phases, file_size).check().unwrap_err().to_string();
            assert!(error.starts_with(words), "{phases}: {error}");
        }
        let mixed = Settings { dedupe: 10, ..settings("seq_read_512_1w", 4 << 20) };
        assert!(mixed.check().unwrap_err().to_string().contains("seq_read_512_1w"));
        let left_out = Settings { files: 1, ..settings("seq_create,seq_write_1m_4w", 0) };
        assert_eq!(left_out.check(), Ok(()));
    }

    proptest! {
        #[test]
        fn both_divide_their_multiple(one in 1_u64..1 << 21, other in 1_u64..1 << 21) {
            let multiple = least_common_multiple(512 * one, 512 * other);
            prop_assert!(multiple.is_multiple_of(512 * one) && multiple.is_multiple_of(512 * other));
            prop_assert!(multiple <= 512 * one * other);
        }
    }
}
