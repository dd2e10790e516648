//! The text of a comparison: what changed in words, each series beside its baseline, and what differs around them.

use super::{details, explained, first_said, foot, list, makings, remarked};
use crate::model::fact::FactKind;
use crate::report::differences::{Varied, shared, varied};
use crate::report::lines::{COLUMNS, blanks, by_point, join_and, left, packed, right, width, wrap};
use crate::report::marks::{self, marks};
use crate::report::ratios::{PhaseRatios, Ratios, Row, ratios};
use crate::report::{Section, facts, remarks, verdicts};

/// Blanks between two columns.
const GAP: usize = 2;

/// The paragraphs of a section that has a baseline.
pub fn paragraphs(section: &Section<'_>) -> Vec<Vec<String>> {
    let table = ratios(section).map(|table| lines(&table)).unwrap_or_default();
    let wrapped = |sentences: Vec<String>| -> Vec<String> { sentences.iter().flat_map(|sentence| wrap(sentence, "", "")).collect() };
    let [made, made_explained] = makings::paragraphs(section);
    let before = vec![
        head(section),
        first_said(section),
        wrapped(verdicts::sentences(section).into_iter().chain(verdicts::difference(section)).collect()),
        table,
        remarks::nothing_measured(section).into_iter().collect(),
        explained(verdicts::meaning(section).join(" "), marks::sentences(section)),
    ];
    let behind =
        [made, made_explained, remarked(section), list("without a rate", &remarks::missing(section)), what_differs(section), foot(section)];
    before.into_iter().chain(details::paragraphs(section)).chain(behind).collect()
}

/// The title, and the facts that all series share.
fn head(section: &Section<'_>) -> Vec<String> {
    let mut lines = packed(&facts::title(section), "   ");
    lines.extend(facts::machine_lines(section).iter().flat_map(|fact| wrap(fact, "", "  ")));
    let below = shared(section).into_iter().filter(|fact| fact.kind == FactKind::Target);
    let below: Vec<String> = below.map(|fact| format!("{} {}", fact.title, fact.value)).collect();
    if !below.is_empty() {
        lines.extend(wrap(&below.join(", "), "every target: ", "  "));
    }
    lines
}

/// The place of the marks among the cells of a row.
const MARKS: usize = 3;

/// A row whose cells are written: median, ratio, interval, marks; then the verdict.
struct Line {
    label: String,
    cells: [String; 4],
    verdict: String,
}

/// The lines of a table of ratios; none when it has no rows.
fn lines(table: &Ratios) -> Vec<String> {
    let phases: Vec<(&str, Vec<Line>)> = table.phases.iter().map(|phase| (phase.heading.as_str(), phase_lines(phase))).collect();
    let rows = || phases.iter().flat_map(|(_, rows)| rows);
    if rows().next().is_none() {
        return Vec::new();
    }
    let titles = ["median", "ratio", table.range.as_deref().unwrap_or_default(), ""];
    let widths: Vec<usize> = titles
        .iter()
        .enumerate()
        .map(|(at, title)| rows().filter_map(|row| row.cells.get(at)).map(|cell| width(cell)).max().unwrap_or(0).max(width(title)))
        .collect();
    let figures: usize = widths.iter().filter(|columns| **columns > 0).map(|columns| columns + GAP).sum();
    let verdicts = rows().map(|row| width(&row.verdict)).filter(|columns| *columns <= MOST_VERDICT).max().unwrap_or(0);
    let room = COLUMNS.saturating_sub(1 + figures + GAP + verdicts);
    let label = rows().map(|row| width(&row.label)).filter(|columns| *columns <= room).max().unwrap_or(0);
    let line = |name: &str, cells: &[String], verdict: &str| {
        let cells = cells.iter().zip(&widths).enumerate().filter(|(_, (_, columns))| **columns > 0);
        let aligned = |at: usize, cell: &str, columns: usize| if at == MARKS { left(cell, columns) } else { right(cell, columns) };
        let cells: String = cells.map(|(at, (cell, columns))| format!("{}{}", blanks(GAP), aligned(at, cell, *columns))).collect();
        format!(" {}{cells}{}{verdict}", left(name, label), blanks(GAP))
    };
    let mut lines = vec![line("", &titles.map(str::to_owned), "verdict")];
    for (heading, rows) in &phases {
        lines.push((*heading).to_owned());
        for row in rows {
            let is_long = width(&row.label) > label;
            if is_long {
                lines.extend(wrap(&row.label, " ", "   "));
            }
            let name = if is_long { "" } else { &row.label };
            let indent = 1 + label + figures + GAP;
            if indent + width(&row.verdict) <= COLUMNS {
                lines.push(line(name, &row.cells, &row.verdict));
            } else {
                lines.push(line(name, &row.cells, ""));
                lines.extend(wrap(&row.verdict, "   ", "   "));
            }
        }
    }
    lines
}

/// What is longer stands on a line of its own.
const MOST_VERDICT: usize = 20;

/// The rows of a phase: medians under each other by the decimal point, intervals by the dash.
fn phase_lines(phase: &PhaseRatios) -> Vec<Line> {
    let medians = by_point(&phase.rows.iter().map(|row| row.median.as_str()).collect::<Vec<_>>());
    let ratios = by_point(&phase.rows.iter().map(|row| row.ratio.median.as_str()).collect::<Vec<_>>());
    let widest = |of: fn(&Row) -> usize| phase.rows.iter().map(of).max().unwrap_or(0);
    let (low, high) = (widest(|row| width(&row.ratio.low)), widest(|row| width(&row.ratio.high)));
    let range = |row: &Row| match row.ratio.low.as_str() {
        "" => String::new(),
        text => format!("{} – {}", right(text, low), left(&row.ratio.high, high)),
    };
    let rows = phase.rows.iter().zip(medians.into_iter().zip(ratios));
    rows.map(|(row, (median, ratio))| Line {
        label: row.label.clone(),
        cells: [median, ratio, range(row), marks(&row.flags, row.is_from_memory)],
        verdict: if row.words.is_empty() || row.median.starts_with(|first: char| first.is_ascii_digit()) {
            row.verdict.clone()
        } else {
            row.words.join("/")
        },
    })
    .collect()
}

/// The facts in which the series differ, each with its values and whose they are.
fn what_differs(section: &Section<'_>) -> Vec<String> {
    let facts = varied(section);
    if facts.is_empty() {
        return Vec::new();
    }
    let titles = facts.iter().map(|fact| width(&fact.title)).max().unwrap_or(0);
    let names = |places: &[usize]| {
        join_and(&places.iter().filter_map(|place| section.series.get(*place)).map(|one| one.name.clone()).collect::<Vec<_>>())
    };
    let named: Vec<(&Varied, Vec<(String, &String)>)> =
        facts.iter().map(|fact| (fact, fact.values.iter().map(|(places, value)| (names(places), value)).collect())).collect();
    let widest = named
        .iter()
        .flat_map(|(_, values)| values)
        .map(|(name, _)| width(name))
        .filter(|columns| *columns <= MOST_NAMES)
        .max()
        .unwrap_or(0);
    let mut lines = vec!["What differs".to_owned()];
    for (fact, values) in &named {
        for (at, (name, value)) in values.iter().enumerate() {
            let title = left(if at == 0 { &fact.title } else { "" }, titles);
            let indent = 1 + titles + GAP + widest + GAP;
            if width(name) <= widest {
                lines.extend(wrap(value, &format!(" {title}{}{}{}", blanks(GAP), left(name, widest), blanks(GAP)), &blanks(indent)));
            } else {
                lines.extend(wrap(name, &format!(" {title}{}", blanks(GAP)), &blanks(1 + titles + GAP)));
                lines.extend(wrap(value, &blanks(indent), &blanks(indent)));
            }
        }
    }
    lines
}

/// Longer lists of names stand on lines of their own.
const MOST_NAMES: usize = 24;
