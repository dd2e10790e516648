//! Very many real runs, made of those of the gallery: of one long batch, or of as many batches as there can be.

use barrow::model::identity::Identity;
use barrow::model::record::RunRecord;
use std::path::Path;

/// How the runs lie in batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One batch of very many rounds.
    Rounds,
    /// Each round is a batch of its own.
    Batches,
}

/// Each shape.
pub const SHAPES: [Shape; 2] = [Shape::Rounds, Shape::Batches];

/// The runs of the gallery over and over, each as another target, round and run; `count` is rounded down to whole rounds.
pub fn many_runs(count: u32, targets: u32, shape: Shape) -> Vec<RunRecord> {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/three-filesystems.jsonl");
    let real = barrow::store::load(&gallery).expect("the gallery").runs;
    let places = (0..count / targets).flat_map(|round| (1..=targets).map(move |target| (round, target)));
    let run = |((round, target), real): ((u32, u32), &RunRecord)| RunRecord {
        batch: match shape {
            Shape::Rounds => real.batch,
            // Apart from its first digits on, as random numbers are.
            Shape::Batches => Identity(u64::from(round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        },
        nonce: Identity(u64::from(round) << 32 | u64::from(target)),
        label: format!("target {target}"),
        target,
        order: target,
        round: if shape == Shape::Rounds { round + 1 } else { 1 },
        ..real.clone()
    };
    places.zip(real.iter().cycle()).map(run).collect()
}
