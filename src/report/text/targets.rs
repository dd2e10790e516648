//! The layout `targets`: three lines a target (median, range, CPU), the phases side by side.

use super::beside::{Cell, Column, blocks};
use super::slots::Slots;
use crate::model::phase::Group;
use crate::report::figures::NO_FIGURE;
use crate::report::marks::marks;
use crate::report::table::Row;
use crate::report::table::targets::{GroupColumns, PhaseColumn, Targets};

/// The lines of all targets, a blank line between blocks of phases; none without phases.
pub fn lines(targets: &Targets) -> Vec<String> {
    let is_file = |group: &&GroupColumns| matches!(group.group, Group::Sequential | Group::Random);
    let (files, others): (Vec<&GroupColumns>, Vec<&GroupColumns>) = targets.groups.iter().partition(is_file);
    let parts = [others, files].map(|groups| groups.into_iter().flat_map(columns).collect());
    blocks(parts.into(), &targets.labels)
}

fn columns(group: &GroupColumns) -> Vec<Column> {
    let name = match group.group {
        Group::Block => "Block, ",
        Group::Seek => "",
        Group::Sequential => "Sequential, ",
        Group::Random => "Random, ",
        Group::Character => "Character, ",
        Group::Small | Group::Sync | Group::Transfer | Group::Server | Group::Tree | Group::Large | Group::Device | Group::Command => "",
    };
    let column = |phase: &PhaseColumn| {
        let slots = Slots::of(phase.cells.iter().map(|row| &row.rate));
        Column {
            title: format!("{name}{}", group.unit),
            head: phase.head.clone(),
            cells: phase.cells.iter().map(|row| cell(row, &slots)).collect(),
        }
    };
    group.columns.iter().map(column).collect()
}

fn cell(row: &Row, slots: &Slots) -> Cell {
    Cell { marks: marks(&row.flags, row.is_from_memory), cpu: cpu(row), ..Cell::of(&row.rate, slots) }
}

/// `16/40%`; own CPU alone where nothing is known of the system's.
fn cpu(row: &Row) -> String {
    match (row.cpu_own.as_str(), row.cpu_system.as_str()) {
        ("", "" | NO_FIGURE) => String::new(),
        (own, "") => format!("{own}%"),
        ("", system) => format!("{NO_FIGURE}/{system}%"),
        (own, system) => format!("{own}/{system}%"),
    }
}
