//! Runs that stand more than once in what was loaded, each of which counts once.

use crate::model::identity::Identity;
use crate::model::record::RunRecord;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Takes out runs that are there already: a run may have been kept in two places, and files be put together twice. The one that is whole
/// stays. Tells how many were taken out.
#[must_use]
pub fn take_out_repeats(runs: &mut Vec<RunRecord>) -> usize {
    let before = runs.len();
    let mut places: BTreeMap<(Identity, Identity, String), usize> = BTreeMap::new();
    let mut kept: Vec<RunRecord> = Vec::with_capacity(before);
    for run in std::mem::take(runs) {
        match places.entry((run.batch, run.nonce, run.label.clone())) {
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(run);
            }
            Entry::Occupied(place) if run.complete && !kept[*place.get()].complete => kept[*place.get()] = run,
            Entry::Occupied(_) => {}
        }
    }
    *runs = kept;
    before - runs.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    #[test]
    fn a_run_that_stands_there_twice_counts_once() {
        let run = |nonce: u64, complete| RunRecord { nonce: Identity(nonce), complete, ..sample::run("a", 1) };
        let mut runs = vec![run(1, false), run(2, true), run(1, true), run(2, false)];
        assert_eq!(take_out_repeats(&mut runs), 2);
        assert_eq!(runs, [run(1, true), run(2, true)]);
    }
}
