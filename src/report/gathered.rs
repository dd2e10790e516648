//! Things gathered by what they share, in the order in which that appears first, however many there are.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The values of each key.
pub fn gathered<K: Hash + Eq + Clone, V>(pairs: impl Iterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        let place = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// Each item once.
pub fn distinct<T: Hash + Eq + Clone>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(item.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_order_is_that_of_first_appearance() {
        assert_eq!(gathered([("b", 1), ("a", 2), ("b", 3)].into_iter()), [("b", vec![1, 3]), ("a", vec![2])]);
        assert_eq!(distinct(["b", "a", "b"].into_iter()), ["b", "a"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(keys in prop::collection::vec(0_u8..6, 0..40)) {
            let groups = gathered(keys.iter().copied().zip(0..));
            prop_assert_eq!(groups.iter().map(|(key, _)| *key).collect::<Vec<u8>>(), distinct(keys.iter().copied()));
            let mut found: Vec<(usize, u8)> = groups.iter().flat_map(|(key, places)| places.iter().map(|place| (*place, *key))).collect();
            found.sort_unstable();
            prop_assert_eq!(found.into_iter().map(|(_, key)| key).collect::<Vec<u8>>(), keys);
        }
    }
}
