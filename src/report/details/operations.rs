//! Each kind of operation: how many there were and how long one took, of the phases that have several kinds.

use super::{Draft, DraftBlock, Form, Value, Written};
use crate::model::detail::DetailKind;
use crate::model::kind_detail::{KIND_DETAILS, KindDetail, kinds_of};
use crate::model::phase::Phase;
use crate::model::printable::printable_label;
use crate::report::Section;
use crate::stats::Spread;

/// The table; `None` where no phase has kinds.
pub fn draft(section: &Section<'_>) -> Option<Draft> {
    let phases: Vec<(Phase, Vec<&str>)> = section.phases.iter().map(|phase| (*phase, kinds_of(&section.series, *phase))).collect();
    let phases: Vec<(Phase, Vec<&str>)> = phases.into_iter().filter(|(_, kinds)| !kinds.is_empty()).collect();
    let is_one = phases.len() == 1;
    let block = |phase: Phase, kind: &str| DraftBlock {
        heading: if is_one { printable_label(kind) } else { format!("{}, {}", phase.row().title, printable_label(kind)) },
        rows: section.rows(phase).into_iter().map(|(place, summary)| (place, values(section, place, phase, kind, summary.rate))).collect(),
    };
    let blocks: Vec<DraftBlock> = phases.iter().flat_map(|(phase, kinds)| kinds.iter().map(|kind| block(*phase, kind))).collect();
    (!blocks.is_empty()).then(|| Draft {
        id: "kinds",
        link: "Operations",
        heading: "Each kind of operation",
        subject: "Operation",
        columns: KIND_DETAILS.iter().map(written).collect(),
        blocks,
    })
}

fn written(detail: &KindDetail) -> Written {
    let form = if detail.kind == DetailKind::Latency { Form::Milliseconds } else { Form::Number(detail.kind) };
    Written { title: detail.title, meaning: detail.meaning, form }
}

fn values(section: &Section<'_>, place: usize, phase: Phase, kind: &str, rate: Option<Spread>) -> Vec<Value> {
    let Some(series) = section.series.get(place) else { return Vec::new() };
    KIND_DETAILS.iter().map(|detail| Value::of(detail.over(series, phase, kind, rate))).collect()
}
