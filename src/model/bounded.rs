//! Lists and maps of a run file that hold no more than barrow ever writes: a damaged line must not take far more memory than a good one.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// Reads a list of at most `MOST` items; named by `deserialize_with`.
pub(in crate::model) fn at_most<'de, const MOST: usize, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(Bounded::<T, MOST>(PhantomData))
}

struct Bounded<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Bounded<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST} items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            if list.len() == MOST {
                return Err(A::Error::invalid_length(MOST + 1, &self));
            }
            list.push(item);
        }
        list.shrink_to_fit();
        Ok(list)
    }
}

/// Reads a text of at most `MOST` bytes; named by `deserialize_with`.
pub(in crate::model) fn text_at_most<'de, const MOST: usize, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.len() > MOST { Err(D::Error::custom(format!("a text of over {MOST} bytes"))) } else { Ok(text) }
}

/// Reads a map of at most `MOST` texts; named by `deserialize_with`. Where a key stands twice the last one holds.
pub(super) fn texts_at_most<'de, const MOST: usize, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    deserializer.deserialize_map(Texts::<MOST>)
}

struct Texts<const MOST: usize>;

impl<'de, const MOST: usize> Visitor<'de> for Texts<MOST> {
    type Value = BTreeMap<String, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a map of at most {MOST} texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(pair) = pairs.next_entry()? {
            if list.len() == MOST {
                return Err(A::Error::invalid_length(MOST + 1, &self));
            }
            list.push(pair);
        }
        // All at once: a map that grows pair by pair keeps its nodes half empty.
        Ok(list.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Three {
        #[serde(deserialize_with = "at_most::<3, _, _>")]
        list: Vec<u8>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Two {
        #[serde(deserialize_with = "texts_at_most::<2, _>")]
        map: BTreeMap<String, String>,
    }

    #[test]
    fn a_longer_list_is_refused() {
        assert_eq!(serde_json::from_str::<Three>("{\"list\":[1,2,3]}").unwrap(), Three { list: vec![1, 2, 3] });
        let error = serde_json::from_str::<Three>("{\"list\":[1,2,3,4,5]}").unwrap_err().to_string();
        assert!(error.starts_with("invalid length 4, expected a list of at most 3 items"), "{error}");
        assert!(serde_json::from_str::<Three>("{\"list\":7}").is_err());
    }

    #[test]
    fn a_larger_map_is_refused() {
        let read = serde_json::from_str::<Two>("{\"map\":{\"b\":\"1\",\"a\":\"2\"}}").unwrap();
        assert_eq!(read.map, [("a".to_owned(), "2".to_owned()), ("b".to_owned(), "1".to_owned())].into());
        let error = serde_json::from_str::<Two>("{\"map\":{\"b\":\"1\",\"a\":\"2\",\"c\":\"3\"}}").unwrap_err().to_string();
        assert!(error.starts_with("invalid length 3, expected a map of at most 2 texts"), "{error}");
    }
}
