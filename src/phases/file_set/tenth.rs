//! The parts of a file set of which only a tenth is worked on.

use super::{FileSet, Order, Part, Tenth};
use crate::phases::PhaseError;
use crate::phases::block_file::share;
use crate::rng::Permutation;
use crate::target::Target;

impl FileSet {
    /// The parts of all workers with the files of a tenth alone; how many a worker has is not the same for all.
    ///
    /// # Errors
    /// When a directory cannot be opened.
    pub fn parts_of(&self, tenth: Tenth, target: &dyn Target, order: Order) -> Result<Vec<Part>, PhaseError> {
        let part = |worker| {
            let entries = self.numbers_of(tenth, worker, order).into_iter().map(|number| self.entry(number)).collect();
            Ok(Part { worker, directories: self.open_directories(target, worker)?, entries })
        };
        (0..self.workers).map(part).collect()
    }

    /// The numbers of a worker's files of a tenth, in the order in which they are to be met.
    fn numbers_of(&self, tenth: Tenth, worker: u64, order: Order) -> Vec<u32> {
        let numbers = share(self.files, worker, self.workers).map(|number| number as u32);
        let in_order: Vec<u32> = numbers.filter(|number| self.sizes.is_in(tenth, *number)).collect();
        match order {
            Order::Index => in_order,
            Order::Shuffled(purpose) => {
                let places = Permutation::of((in_order.len() as u64).max(1), self.seed, purpose);
                (0..in_order.len()).map(|index| in_order[places.at(index as u64) as usize]).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::Settings;
    use crate::target::scratch::FileSetKind;
    use std::collections::BTreeSet;

    #[test]
    fn workers_share_a_tenth_in_any_order() {
        for workers in [1, 3] {
            let set = FileSet::of(&Settings { files: 1000, workers, max_size: 9, ..Settings::default() }, FileSetKind::Sequential);
            let numbers = |order| -> Vec<u32> { (0..workers).flat_map(|worker| set.numbers_of(Tenth::Rewritten, worker, order)).collect() };
            let (in_order, shuffled) = (numbers(Order::Index), numbers(Order::Shuffled("a")));
            assert!(in_order.is_sorted() && !shuffled.is_sorted());
            assert_eq!((in_order.len(), shuffled.len()), (100, 100));
            assert_eq!(in_order.into_iter().collect::<BTreeSet<_>>(), shuffled.into_iter().collect::<BTreeSet<_>>());
        }
    }
}
