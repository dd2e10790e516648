//! The page of the plan file: each key is described with its kind, nothing else is, and its examples are plans.

use super::{described, page};
use barrow::lab::plan::Images;
use barrow::lab::plan_file::{MOST_BYTES, PLAN_KEYS, VARIANT_KEYS, read};
use barrow::lab::recipe::names;
use barrow::lab::resolve::resolve;
use barrow::lab::system::System;
use std::collections::BTreeMap;

#[test]
fn the_manual_describes_each_key_of_a_plan() {
    let described = described(&page("barrow-lab.5"));
    let top = PLAN_KEYS.iter().map(|key| (key.name.to_owned(), key.kind.to_owned()));
    let below = VARIANT_KEYS.iter().map(|key| (format!("variant[].{}", key.name), key.kind.to_owned()));
    let read: BTreeMap<String, String> = top.chain(below).collect();
    assert_eq!(described, read);
}

#[test]
fn the_manual_names_what_can_be_chosen() {
    let text = page("barrow-lab.5").replace("\\-", "-");
    for name in names() {
        assert!(text.contains(name), "{name}");
    }
    for (word, _) in Images::ALL {
        assert!(text.contains(&format!("\\(lq{word}\\(rq")), "{word}");
    }
    assert!(text.contains(&format!("{} KiB", MOST_BYTES >> 10)));
}

#[test]
fn the_examples_of_the_manual_are_plans() {
    let text = page("barrow-lab.5").replace("\\-", "-");
    let examples: Vec<&str> = text.split("\n.nf\n").skip(1).filter_map(|rest| rest.split("\n.fi").next()).collect();
    let variants = |example: &&str| {
        let plan = read("example", example, 0).unwrap_or_else(|error| panic!("{error}\n{example}"));
        resolve(&plan, &System::default()).unwrap_or_else(|error| panic!("{error}")).variants.len()
    };
    assert_eq!(examples.iter().map(variants).collect::<Vec<_>>(), [4, 2]);
}
