//! The environment: the facts that all targets share, and those that differ.

use super::page::{Difference, Environment, Fact, FactOf};
use crate::report::Section;
use crate::report::differences::{shared, varied};
use crate::report::lines::{capitalised, join_and};

/// The facts of a section.
pub fn environment(section: &Section<'_>) -> Environment {
    let names = |places: &[usize]| {
        let names: Vec<String> = places.iter().filter_map(|place| section.series.get(*place)).map(|series| series.name.clone()).collect();
        join_and(&names)
    };
    let of = |(places, text): (Vec<usize>, String)| FactOf { names: names(&places), text };
    let difference = |fact: crate::report::differences::Varied| Difference {
        name: capitalised(&fact.title),
        values: fact.values.into_iter().map(of).collect(),
    };
    Environment {
        shared_heading: if section.series.len() == 1 { "Facts" } else { "The same for all" },
        shared: shared(section).into_iter().map(|fact| Fact { name: capitalised(&fact.title), value: fact.value }).collect(),
        different: varied(section).into_iter().map(difference).collect(),
    }
}
