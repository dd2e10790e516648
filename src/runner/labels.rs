//! The words that say what a number is worth: where a phase was served from, and whether its changes are on stable storage.
//!
//! A first set of rules, from the page cache before the phase and the process' own storage bytes alone.

use crate::model::evidence::Evidence;
use crate::model::label::{CacheLabel, Durability};
use crate::model::machine::FilesystemClass;
use crate::model::phase::{Phase, Reads};

/// At most this share of the data in the page cache is as good as none.
const EMPTY: f64 = 0.01;
/// At least this share is as good as all.
const FULL: f64 = 0.95;

/// The cache label of a phase that read at least `bytes` bytes; `None` for a phase that reads nothing.
pub fn cache_label(phase: Phase, class: FilesystemClass, evidence: &Evidence, bytes: u64) -> Option<CacheLabel> {
    let reads = phase.row().reads;
    if reads == Reads::Nothing {
        return None;
    }
    match class {
        FilesystemClass::Memory => Some(CacheLabel::Memory),
        // Their bytes are not charged to the process, or come out of a cache that residency does not show.
        FilesystemClass::Fuse | FilesystemClass::Zfs | FilesystemClass::Network | FilesystemClass::Other => Some(CacheLabel::Unknown),
        FilesystemClass::Block | FilesystemClass::Overlay => {
            let from_storage = evidence.own_read_bytes.map(|own| own as f64 / bytes.max(1) as f64);
            Some(match reads {
                Reads::Data => data_label(evidence.resident_before, from_storage),
                Reads::Metadata => metadata_label(from_storage),
                Reads::Nothing => CacheLabel::Unknown,
            })
        }
    }
}

fn data_label(resident: Option<f64>, from_storage: Option<f64>) -> CacheLabel {
    match (resident, from_storage) {
        (Some(resident), Some(share)) if resident >= FULL && share <= 1.0 - FULL => CacheLabel::Cached,
        (Some(resident), Some(share)) if resident <= EMPTY && share > EMPTY => CacheLabel::Cold,
        _ => CacheLabel::Unknown,
    }
}

fn metadata_label(from_storage: Option<f64>) -> CacheLabel {
    match from_storage {
        Some(0.0) => CacheLabel::Cached,
        Some(share) if share >= 1.0 => CacheLabel::Cold,
        Some(_) | None => CacheLabel::Unknown,
    }
}

/// Whether the flush inside the clock of a phase reached stable storage; `None` for a phase that changes nothing.
pub fn durability(phase: Phase, class: FilesystemClass) -> Option<Durability> {
    if !phase.row().writes {
        return None;
    }
    Some(match class {
        FilesystemClass::Memory => Durability::Acknowledged,
        FilesystemClass::Block | FilesystemClass::Zfs => Durability::Durable,
        // What is behind them decides, and is not looked at yet.
        FilesystemClass::Network | FilesystemClass::Fuse | FilesystemClass::Overlay | FilesystemClass::Other => Durability::Uncertain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(phase: Phase, class: FilesystemClass, resident: f64, own: u64) -> Option<CacheLabel> {
        let evidence = Evidence { resident_before: Some(resident), own_read_bytes: Some(own), ..Evidence::default() };
        cache_label(phase, class, &evidence, 1000)
    }

    #[test]
    fn data_is_cold_only_when_it_was_not_resident_and_was_read() {
        let block = |resident, own| label(Phase::BlockRead, FilesystemClass::Block, resident, own).unwrap();
        assert_eq!(block(0.0, 1000), CacheLabel::Cold);
        assert_eq!(block(0.0, 100), CacheLabel::Cold);
        assert_eq!(block(0.0, 0), CacheLabel::Unknown);
        assert_eq!(block(1.0, 0), CacheLabel::Cached);
        assert_eq!(block(1.0, 1000), CacheLabel::Unknown);
        assert_eq!(block(0.5, 500), CacheLabel::Unknown);
    }

    #[test]
    fn missing_proof_is_never_cold() {
        let none = Evidence::default();
        for phase in Phase::ALL {
            for class in [FilesystemClass::Block, FilesystemClass::Fuse, FilesystemClass::Zfs, FilesystemClass::Network] {
                assert!(matches!(cache_label(*phase, class, &none, 1000), None | Some(CacheLabel::Unknown)));
            }
        }
    }

    #[test]
    fn metadata_follows_what_was_read() {
        let stat = |own| label(Phase::SeqStat, FilesystemClass::Block, 0.0, own).unwrap();
        assert_eq!(stat(0), CacheLabel::Cached);
        assert_eq!(stat(1000), CacheLabel::Cold);
        assert_eq!(stat(10), CacheLabel::Unknown);
        assert_eq!(label(Phase::SeqCreate, FilesystemClass::Block, 0.0, 0), None);
        assert_eq!(label(Phase::SeqStat, FilesystemClass::Memory, 0.0, 0), Some(CacheLabel::Memory));
    }

    #[test]
    fn durability_is_for_what_changes_something() {
        assert_eq!(durability(Phase::BlockRead, FilesystemClass::Block), None);
        assert_eq!(durability(Phase::Rewrite, FilesystemClass::Block), Some(Durability::Durable));
        assert_eq!(durability(Phase::SeqDelete, FilesystemClass::Memory), Some(Durability::Acknowledged));
        assert_eq!(durability(Phase::SeqCreate, FilesystemClass::Fuse), Some(Durability::Uncertain));
    }
}
