//! Each phase in detail: what is told of a phase beside its rate, where that is more than the table of rates has.

use super::{Draft, DraftBlock, Form, Value, Written};
use crate::model::detail::{DETAILS, end_in_words, has_details};
use crate::model::phase::{Group, Phase};
use crate::model::series::Series;
use crate::model::summary::PhaseSummary;
use crate::report::Section;
use crate::report::gathered::distinct;

/// The table; `None` where no phase has more to tell.
pub fn draft(section: &Section<'_>) -> Option<Draft> {
    let records = || section.series.iter().flat_map(|series| &series.runs).flat_map(|run| &run.phases);
    records().any(has_details).then(|| {
        let numbers =
            DETAILS.iter().map(|detail| Written { title: detail.title, meaning: detail.meaning, form: Form::Number(detail.kind) });
        let end = Written { title: "Exit", meaning: "the exit status of the program, or the signal that ended it", form: Form::Words };
        Draft {
            id: "details",
            link: "Details",
            heading: "Each phase in detail",
            subject: "Phase",
            columns: numbers.chain([end]).collect(),
            blocks: section.phases.iter().filter_map(|phase| block(section, *phase)).collect(),
        }
    })
}

fn block(section: &Section<'_>, phase: Phase) -> Option<DraftBlock> {
    let row = |(place, summary): (usize, &PhaseSummary)| {
        let series = section.series.get(place)?;
        let numbers = DETAILS.iter().map(|detail| Value::of(detail.over(series, phase, summary.rate)));
        Some((place, numbers.chain([end(series, phase)]).collect()))
    };
    let rows: Vec<(usize, Vec<Value>)> = section.rows(phase).into_iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| DraftBlock { heading: phase.row().title.to_owned(), rows })
}

/// More ways than these do not fit in a cell; the other formats have every run.
const MOST_ENDS: usize = 3;

/// How the program of a phase ended in the runs, each way once.
fn end(series: &Series<'_>, phase: Phase) -> Value {
    if phase.row().group != Group::Command {
        return Value::Unknown;
    }
    let ends = distinct(series.runs.iter().filter_map(|run| Some(end_in_words(run.phase(phase)?.after.program.as_ref()?))));
    match ends.get(..MOST_ENDS) {
        _ if ends.is_empty() => Value::Unknown,
        Some(first) if ends.len() > MOST_ENDS => Value::Words(format!("{}, …", first.join(", "))),
        Some(_) | None => Value::Words(ends.join(", ")),
    }
}
