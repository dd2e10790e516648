//! Made-up records for tests: a plausible run, and small changes to it.

use super::aftermath::{Aftermath, Kind, ProgramEnd};
use super::costs::Costs;
use super::evidence::Evidence;
use super::histogram::Histogram;
use super::identity::Identity;
use super::imported::Imported;
use super::label::{CacheLabel, Durability};
use super::machine::{Device, Filesystem, FilesystemClass, Machine};
use super::making::{Layout, Making, Storage};
use super::phase::{Group, Phase, Reads, Unit};
use super::plan::{Circumstances, Plan};
use super::profile::Profile;
use super::record::{Counted, PhaseRecord, PhaseResult, Preparation, Reported, RunRecord, SCHEMA, Status};
use super::stack::Stack;
use super::usage::Usage;
use std::collections::BTreeMap;

/// A run of `std/1` on a filesystem named as its label.
pub(crate) fn run(label: &str, round: u32) -> RunRecord {
    let profile = Profile::named("std", 16 << 30).unwrap();
    RunRecord {
        schema: SCHEMA,
        version: "0.1.0".to_owned(),
        batch: Identity(0x51ce_77aa_0102_0304),
        nonce: Identity(u64::from(round)),
        label: label.to_owned(),
        tags: BTreeMap::new(),
        round,
        target: 1,
        order: 1,
        profile: profile.name.clone(),
        workload_id: Identity(0x7f3a_91c2_e05d_4b18),
        plan: Some(Plan::of(&profile, 1, Circumstances::USUAL).unwrap()),
        imported: None,
        making: None,
        machine: Machine {
            kernel: Some("Linux 6.18.4".to_owned()),
            architecture: Some("x86_64".to_owned()),
            cpu_model: None,
            cpus: Some(4),
            ram_bytes: Some(16 << 30),
            root: false,
            ..Machine::default()
        },
        filesystem: Filesystem {
            kind: label.split(' ').next().unwrap_or_default().to_owned(),
            class: FilesystemClass::Block,
            mount_options: "rw,relatime".to_owned(),
            size_bytes: 200 << 30,
            free_bytes: 180 << 30,
            used_bytes: Some(20 << 30),
            free_files: Some(12_000_000),
        },
        device: Device {
            name: Some("sda1".to_owned()),
            model: Some("Samsung SSD 870".to_owned()),
            size_bytes: Some(931 << 30),
            rotational: Some(false),
            ..Device::default()
        },
        stack: Stack::default(),
        costs: Costs::default(),
        direct_io: None,
        phases: Phase::STANDARD.iter().map(|phase| counted(*phase)).collect(),
        started: "2026-11-30T10:00:00Z".to_owned(),
        finished: "2026-11-30T10:01:00Z".to_owned(),
        complete: true,
    }
}

/// A run of some phases in their order, each with all that can be known of it: bytes, space, extents, kinds of operations, its program.
pub(crate) fn of_phases(label: &str, round: u32, phases: &[Phase]) -> RunRecord {
    let mut run = RunRecord { profile: "custom".to_owned(), workload_id: Identity(0x0c05_7031), ..run(label, round) };
    if let Some(plan) = &mut run.plan {
        plan.settings.phases = phases.to_vec().try_into().unwrap();
    }
    run.phases = phases.iter().map(|phase| detailed(*phase)).collect();
    run
}

/// The phases of a kind of profile: `small files`, `sync`, `blocks`, `file server`, `tree`, `commands`.
pub(crate) fn phases_of(kind: &str) -> Vec<Phase> {
    let names = match kind {
        "small files" => "seq_create file_rewrite file_read file_random_read seq_delete".to_owned(),
        "sync" => "dsync_write fsync_write seq_write_1m_1w seq_read_1m_1w".to_owned(),
        "blocks" => {
            let orders = |size: &str, workers: u8| {
                ["seq_write", "seq_read", "random_write", "random_read"].map(|order| format!("{order}_{size}_{workers}w")).join(" ")
            };
            [orders("1m", 1), orders("4k", 1), orders("1m", 4), orders("4k", 4)].join(" ")
        }
        "file server" => "file_server".to_owned(),
        "tree" => "tree_unpack tree_copy tree_search tree_prune large_copy library_write library_read tree_delete".to_owned(),
        "commands" => "command:configure command:build command:test".to_owned(),
        other => panic!("there is no profile of {other}"),
    };
    names.split(' ').map(|name| Phase::named(name).unwrap()).collect()
}

/// A phase with all that can be known of it.
fn detailed(phase: Phase) -> PhaseRecord {
    let mut record = counted(phase);
    let Some(PhaseResult::Counted(counted)) = &mut record.result else { return record };
    match phase.row().group {
        Group::Block | Group::Seek | Group::Character | Group::Transfer | Group::Large | Group::Device => {}
        Group::Sequential | Group::Random | Group::Small | Group::Sync => counted.bytes = Some(30 << 20),
        Group::Tree => counted.bytes = (phase.row().reads != Reads::Metadata).then_some(200 << 20),
        Group::Server => {
            counted.bytes = Some(90 << 20);
            counted.kinds = kinds();
        }
        Group::Command => {
            counted.work = 1;
            counted.elapsed_ns = 83_000_000_000;
            record.after.program =
                Some(ProgramEnd { exit: Some(0), output_bytes: 120, output: "done\n".to_owned(), ..ProgramEnd::default() });
        }
    }
    if matches!(phase.row().group, Group::Tree | Group::Large) {
        record.after.free_bytes = Some(37 << 30);
        if phase.row().writes && phase.row().reads != Reads::Metadata {
            (record.after.files, record.after.extents) = (Some(200), Some(214));
        }
    }
    record
}

/// Operations of a file server, from the fastest kind to the slowest.
fn kinds() -> Vec<Kind> {
    let kinds =
        [("close", 12_000, 2_100, 0), ("read", 9_000, 19_000, 3_900), ("write", 4_000, 61_000, 15_000), ("flush", 500, 3_300_000, 0)];
    let kind = |(name, count, nanoseconds, bytes): (&str, u64, u64, u64)| {
        let mut kind = Kind::named(name);
        for number in 0..count {
            // One in fifty takes ten times as long.
            kind.count(if number % 50 == 0 { nanoseconds * 10 } else { nanoseconds }, bytes);
        }
        kind
    };
    kinds.map(kind).to_vec()
}

/// A run on a filesystem that was made for it: its caches were dropped, and it was mounted anew, before each phase that reads.
pub(crate) fn made(label: &str, round: u32) -> RunRecord {
    let mut run = RunRecord { making: Some(making()), ..run(label, round) };
    run.machine.root = true;
    for record in run.phases.iter_mut().filter(|record| record.name.row().reads != Reads::Nothing) {
        record.preparation = Preparation { flushed: true, drops: 2, remounted: true, ..Preparation::default() };
    }
    run
}

/// How an ext4 was made, with everything that can be known of it.
pub(crate) fn making() -> Making {
    let layout = |extents| Layout { extents, bytes: 1 << 30, block_bytes: 4096 };
    Making {
        storage: Storage::Image,
        storage_bytes: 2 << 30,
        mkfs: "mkfs.ext4 -q -F {device}".to_owned(),
        mkfs_version: Some("mke2fs 1.47.0 (5-Feb-2023)".to_owned()),
        mount_options: "defaults".to_owned(),
        features: ["has_journal", "extent", "64bit", "block size 4096"].map(str::to_owned).to_vec(),
        mkfs_ns: Some(125_000_000),
        mount_ns: Some(12_300_000),
        unmount_ns: Some(31_000_000),
        check_ns: Some(207_000_000),
        check_words: None,
        used_new_bytes: Some(24 << 10),
        free_new_bytes: Some(1900 << 20),
        free_written_bytes: Some(876 << 20),
        file_set_bytes: Some(34 << 20),
        fill_bytes: Some(1890 << 20),
        free_filled_bytes: Some(0),
        written: Some(layout(9)),
        rewritten: Some(layout(12)),
    }
}

/// A phase at a round rate: 500 MiB/s, 30,000 seeks/s, 50,000 files/s.
fn counted(phase: Phase) -> PhaseRecord {
    let row = phase.row();
    let work = match row.unit {
        Unit::Bytes => 500 << 20,
        Unit::Seeks => 30_000,
        Unit::Files => 50_000,
        Unit::Writes => 2_000,
        Unit::Operations => 40_000,
        Unit::Programs => 1,
    };
    let mut latency = Histogram::default();
    latency.record(42_000, 100);
    let counted = Counted {
        work,
        operations: 100,
        elapsed_ns: 1_000_000_000,
        acknowledged_ns: row.writes.then_some(800_000_000),
        usage: Usage { user_ns: 20_000_000, system_ns: 140_000_000, ..Usage::default() },
        system_busy_ns: Some(400_000_000),
        others_user_ns: None,
        tool_ns: None,
        latency,
        latency_max_ns: 50_000,
        latency_batch: 1,
        slices: None,
        bytes: None,
        kinds: Vec::new(),
    };
    PhaseRecord {
        name: phase,
        status: Status::Ok,
        reason: None,
        result: Some(PhaseResult::Counted(Box::new(counted))),
        preparation: Preparation::default(),
        after: Aftermath::default(),
        evidence: Evidence::default(),
        cache: match row.reads {
            Reads::Nothing => None,
            Reads::Data => Some(CacheLabel::Cold),
            Reads::Metadata => Some(CacheLabel::Cached),
        },
        durable: row.writes.then_some(Durability::Durable),
        io: None,
        flags: Vec::new(),
    }
}

/// A run of every phase as Bonnie++ reported it: 500 MiB/s, 30,000 seeks/s, 50,000 files/s.
pub(crate) fn imported(label: &str, round: u32) -> RunRecord {
    let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let imported = Imported {
        program: "bonnie++ 1.97".to_owned(),
        form: "CSV".to_owned(),
        line: u64::from(round),
        parameters: vec![text("concurrency", "1"), text("file_size", "80G"), text("num_files", "16")],
        values: vec![text("format_version", "1.97")],
    };
    RunRecord {
        profile: "bonnie++ 1.97, 80G".to_owned(),
        workload_id: Identity(0x0b01_11e0),
        order: 0,
        plan: None,
        imported: Some(imported),
        machine: Machine::default(),
        filesystem: Filesystem::default(),
        device: Device::default(),
        phases: Phase::BONNIE.iter().map(|phase| reported(*phase)).collect(),
        started: String::new(),
        finished: String::new(),
        ..run(label, round)
    }
}

fn reported(phase: Phase) -> PhaseRecord {
    let counted = counted(phase);
    let reported = Reported { rate: counted.rate(), cpu_percent: Some(16.0), latency_max_ns: Some(50_000) };
    PhaseRecord { result: Some(PhaseResult::Reported(reported)), cache: None, durable: None, ..counted }
}

/// The record of a phase that the run must hold.
pub(crate) fn phase_mut(run: &mut RunRecord, phase: Phase) -> &mut PhaseRecord {
    run.phases.iter_mut().find(|record| record.name == phase).unwrap()
}

/// What a phase counted, to be changed.
pub(crate) fn counted_mut(run: &mut RunRecord, phase: Phase) -> &mut Counted {
    match &mut phase_mut(run, phase).result {
        Some(PhaseResult::Counted(counted)) => counted,
        other => panic!("{} has no counts: {other:?}", phase.name()),
    }
}

/// Gives a phase work and time that make this rate, in the unit of its heading (MiB/s, seeks/s, files/s).
pub(crate) fn set_rate(run: &mut RunRecord, phase: Phase, rate: f64) {
    let (_, unit) = phase.row().unit.rate();
    let counted = counted_mut(run, phase);
    let seconds = if rate > 0.0 && rate * unit < 1e6 { 1e6 / (rate * unit) } else { 1.0 };
    counted.work = (rate * unit * seconds).round() as u64;
    counted.elapsed_ns = (seconds * 1e9).round() as u64;
    counted.acknowledged_ns = counted.acknowledged_ns.map(|_| counted.elapsed_ns / 2);
}
