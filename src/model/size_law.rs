//! How sizes are spread over the files of a collection: a fixed multiset for each count of files, the same for every seed.

/// Whole shares are so many parts, of which the points of a law are told.
const WHOLE: u128 = 1_000_000;

/// A spread of sizes, by points between which it is straight.
#[derive(Debug)]
pub struct SizeLaw {
    /// Millionths of the files, and the size in bytes of which so many are at most; from the first (none) to the last (all).
    points: &'static [(u64, u64)],
}

/// A source tree: most files have a few KiB, few are large, as where logarithms of sizes are normally spread. The median is 4.4 kB, the
/// mean 12.6 kB.
pub const SOURCE_TREE: SizeLaw = SizeLaw {
    points: &[
        (0, 16),
        (50_000, 180),
        (100_000, 420),
        (200_000, 1000),
        (300_000, 1800),
        (400_000, 2900),
        (500_000, 4400),
        (600_000, 6700),
        (700_000, 10_000),
        (800_000, 15_700),
        (900_000, 28_500),
        (950_000, 46_000),
        (980_000, 79_000),
        (990_000, 110_000),
        (999_000, 240_000),
        (1_000_000, 1_000_000),
    ],
};

/// A library of documents, pictures, music and films: from 8 KiB to 32 MiB, as many files in each doubling. The largest doubling so has
/// half of the bytes.
pub const LIBRARY: SizeLaw = SizeLaw {
    points: &[
        (0, 8 << 10),
        (83_333, 16 << 10),
        (166_667, 32 << 10),
        (250_000, 64 << 10),
        (333_333, 128 << 10),
        (416_667, 256 << 10),
        (500_000, 512 << 10),
        (583_333, 1 << 20),
        (666_667, 2 << 20),
        (750_000, 4 << 20),
        (833_333, 8 << 20),
        (916_667, 16 << 20),
        (1_000_000, 32 << 20),
    ],
};

impl SizeLaw {
    /// A law by its points: millionths of the files, and what so many are at most; from none of them to all.
    #[must_use]
    pub const fn of(points: &'static [(u64, u64)]) -> Self {
        Self { points }
    }

    /// Bytes of the file at a place, from 0, of `count` files in the order of their sizes. `place` must be below `count`.
    #[must_use]
    pub fn size(&self, place: u64, count: u64) -> u64 {
        let count = u128::from(count.max(1));
        // The middle of the share that the file stands for.
        let share = (2 * u128::from(place) + 1) * WHOLE / (2 * count);
        let above = self.points.partition_point(|(point, _)| u128::from(*point) <= share).clamp(1, self.points.len() - 1);
        let ((from, low), (to, high)) = (self.points[above - 1], self.points[above]);
        let (width, into) = (u128::from(to - from), share - u128::from(from));
        low + (u128::from(high - low) * into / width) as u64
    }

    /// Bytes of all of `count` files.
    #[must_use]
    pub fn sum(&self, count: u64) -> u64 {
        (0..count).map(|place| self.size(place, count)).sum()
    }

    /// Bytes of the largest file of any collection.
    #[must_use]
    pub const fn most(&self) -> u64 {
        self.points[self.points.len() - 1].1
    }

    /// As few of the largest of `count` files as have half of all bytes: their number, and their bytes.
    #[must_use]
    pub fn larger_half(&self, count: u64) -> (u64, u64) {
        let half = self.sum(count).div_ceil(2);
        let (mut files, mut bytes) = (0, 0);
        while bytes < half && files < count {
            files += 1;
            bytes += self.size(count - files, count);
        }
        (files, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_collections_of_the_profile_are_as_large_as_it_says() {
        assert_eq!((SOURCE_TREE.sum(24_000), SOURCE_TREE.most()), (302_217_624, 1_000_000));
        assert_eq!((LIBRARY.sum(220), LIBRARY.larger_half(220)), (922_474_019, (19, 472_428_822)));
    }

    #[test]
    fn one_file_has_the_middle_size() {
        assert_eq!((SOURCE_TREE.size(0, 1), LIBRARY.size(0, 1)), (4400, 512 << 10));
        assert_eq!((SOURCE_TREE.sum(0), LIBRARY.larger_half(0)), (0, (0, 0)));
    }

    proptest! {
        #[test]
        fn sizes_grow_with_the_place(count in 1_u64..3000) {
            for law in [&SOURCE_TREE, &LIBRARY] {
                let sizes: Vec<u64> = (0..count).map(|place| law.size(place, count)).collect();
                prop_assert!(sizes.is_sorted());
                prop_assert!(sizes[0] >= law.points[0].1 && sizes[sizes.len() - 1] <= law.most());
                let (files, bytes) = law.larger_half(count);
                prop_assert!(files > 0 && 2 * bytes >= law.sum(count));
            }
        }
    }
}
