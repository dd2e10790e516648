//! The keys of a profile that decide a phase.

use crate::model::phase::Phase;

/// The keys of the profile that decide the phase.
pub const fn keys(phase: Phase) -> &'static [&'static str] {
    match phase {
        Phase::BlockWrite | Phase::Rewrite | Phase::BlockRead => {
            &["file_size", "chunk_size", "workers", "io", "compressible", "dedupe", "sync"]
        }
        Phase::RandomSeek => &[
            "file_size",
            "seek_size",
            "seeks",
            "seek_seconds",
            "seekers",
            "seek_rewrite_percent",
            "workers",
            "io",
            "seed",
            "compressible",
            "dedupe",
            "sync",
        ],
        Phase::SeqCreate | Phase::SeqStat | Phase::SeqDelete => &[
            "files",
            "min_size",
            "max_size",
            "chunk_size",
            "dirs",
            "workers",
            "sequential_order",
            "seed",
            "compressible",
            "dedupe",
            "file_chunk_size",
            "links",
            "sync",
        ],
        Phase::RandomCreate | Phase::RandomStat | Phase::RandomDelete | Phase::FileRewrite | Phase::FileRead | Phase::FileRandomRead => &[
            "files",
            "min_size",
            "max_size",
            "chunk_size",
            "dirs",
            "workers",
            "seed",
            "compressible",
            "dedupe",
            "file_chunk_size",
            "links",
            "sync",
        ],
        Phase::DsyncWrite | Phase::FsyncWrite => &["sync_writes"],
        Phase::Transfer(_) => &["file_size", "transfers", "transfer_seconds", "io", "seed", "compressible", "dedupe", "sync"],
        Phase::TreeUnpack => &["tree_files", "seed", "compressible", "dedupe", "sync"],
        Phase::TreeCopy | Phase::TreePrune => &["tree_files", "seed", "sync"],
        Phase::TreeSearch => &["tree_files", "seed"],
        Phase::LibraryWrite => &["library_files", "chunk_size", "seed", "compressible", "dedupe", "sync"],
        Phase::LibraryRead => &["library_files", "chunk_size", "seed"],
        Phase::LargeCopy => &["library_files", "chunk_size", "seed", "sync"],
        Phase::TreeDelete => &["tree_files", "library_files", "seed", "sync"],
        Phase::DeviceSweep => &["chunk_size", "sweep_places", "sweep_size"],
        Phase::DeviceStart | Phase::DeviceMiddle | Phase::DeviceEnd | Phase::DirectStart | Phase::DirectMiddle | Phase::DirectEnd => {
            &["chunk_size", "place_size"]
        }
        Phase::FileServer => &["clients", "seconds", "warm_up", "loadfile", "sync"],
        _ => &[],
    }
}
