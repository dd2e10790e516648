//! Text of 80 columns, for terminals, mail and forums: facts, what limited the run, the table, its legend, the parameters.

use super::legend::{Entry, flags, statement, words};
use super::lines::{blanks, left, packed, width, wrap};
use super::table::table;
use super::{Renderer, Rendering, Report, Section, direct_io, facts, limits, quietness, remarks};

mod columns;
mod compare;

/// The format `text`.
pub struct Text;

impl Renderer for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn extension(&self) -> &'static str {
        "txt"
    }

    fn purpose(&self) -> &'static str {
        "80 columns for terminals, mail and forums"
    }

    fn lays_out(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        text(report).into()
    }
}

/// The whole text.
pub fn text(report: &Report<'_>) -> String {
    report.text_of_sections(section_text, "\n\n")
}

/// The paragraphs of a section with a blank line between them.
fn section_text(section: &Section<'_>) -> String {
    let paragraphs = if section.comparison.is_some() { compare::paragraphs(section) } else { paragraphs(section) };
    let paragraphs = paragraphs.iter().filter(|lines| !lines.is_empty());
    paragraphs.map(|lines| lines.iter().map(|line| format!("{}\n", line.trim_end())).collect::<String>()).collect::<Vec<_>>().join("\n")
}

fn paragraphs(section: &Section<'_>) -> Vec<Vec<String>> {
    let table = table(section);
    vec![
        head(section),
        [limits::sentence(section), quietness::sentence(section)].iter().flatten().flat_map(|sentence| wrap(sentence, "", "")).collect(),
        columns::lines(&table),
        remarks::nothing_measured(section).into_iter().collect(),
        wrap(&statement(section, &table.columns), "", ""),
        legends(&words(section), &flags(section)),
        remarked(section),
        list("failed and skipped", &remarks::missing(section)),
        foot(section),
    ]
}

/// What must be said beside the table.
fn remarked(section: &Section<'_>) -> Vec<String> {
    let remarks = remarks::reads_from_memory(section).into_iter().chain(direct_io::sentences(section)).chain(remarks::own_share(section));
    remarks.flat_map(|remark| wrap(&remark, "", "")).collect()
}

fn head(section: &Section<'_>) -> Vec<String> {
    let mut lines = packed(&facts::title(section), "   ");
    lines.extend(facts::lines(section).iter().flat_map(|fact| wrap(fact, "", "  ")));
    lines
}

fn legends(words: &[Entry], flags: &[Entry]) -> Vec<String> {
    let indent = words.iter().chain(flags).map(|entry| width(&entry.word)).max().unwrap_or(0) + 4;
    let mut lines = Vec::new();
    for (heading, entries) in [("cache", words), ("flags", flags)] {
        if !entries.is_empty() {
            lines.push(heading.to_owned());
        }
        for entry in entries {
            lines.extend(wrap(&entry.meaning, &left(&format!("  {}", entry.word), indent), &blanks(indent)));
        }
    }
    lines
}

fn list(heading: &str, items: &[String]) -> Vec<String> {
    let lines: Vec<String> = items.iter().flat_map(|item| wrap(item, "  ", "    ")).collect();
    if lines.is_empty() { lines } else { std::iter::once(heading.to_owned()).chain(lines).collect() }
}

fn foot(section: &Section<'_>) -> Vec<String> {
    let name = "Parameters: ";
    let mut lines = wrap(&facts::parameters(section).join(" "), name, &blanks(name.len()));
    lines.extend(wrap(&remarks::workload(section), "", ""));
    lines
}
