//! Text of 80 columns, for terminals, mail and forums: facts, what limited the run, the table, its legend, the parameters.

use super::layout::Layout;
use super::legend::{Entry, flags, statement, words};
use super::lines::{COLUMNS, blanks, left, packed, width, wrap};
use super::table::targets::narrow_targets;
use super::table::{self, table};
use super::{
    Renderer, Rendering, Report, Section, bonnie, checks, direct_io, facts, limits, marks, quietness, remarks, statements, sweep, verdicts,
};

mod beside;
mod columns;
mod compare;
mod details;
mod makings;
mod ranking;
mod slots;
mod targets;
#[cfg(test)]
mod tests;

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
    report.text_of_sections(|section| section_text(section, report.layout), "\n\n")
}

/// The paragraphs of a section with a blank line between them.
fn section_text(section: &Section<'_>, layout: Layout) -> String {
    let is_compared = section.comparison.is_some() && layout == Layout::Phases;
    let paragraphs = if is_compared { compare::paragraphs(section) } else { paragraphs(section, layout) };
    let paragraphs = paragraphs.iter().filter(|lines| !lines.is_empty());
    paragraphs.map(|lines| lines.iter().map(|line| format!("{}\n", line.trim_end())).collect::<String>()).collect::<Vec<_>>().join("\n")
}

fn paragraphs(section: &Section<'_>, layout: Layout) -> Vec<Vec<String>> {
    let (figures, explained, legends) = figures(section, layout);
    let [made, made_explained] = makings::paragraphs(section);
    let before = vec![
        head(section),
        first_said(section),
        verdicts::sentences(section).iter().flat_map(|sentence| wrap(sentence, "", "")).collect(),
        figures,
        remarks::nothing_measured(section).into_iter().collect(),
        explained,
        legends,
    ];
    let behind = [made, made_explained, remarked(section), list("without a rate", &remarks::missing(section)), foot(section)];
    before.into_iter().chain(details::paragraphs(section)).chain(behind).collect()
}

/// What is said before the table.
fn first_said(section: &Section<'_>) -> Vec<String> {
    let sentences = [limits::sentence(section), quietness::sentence(section)].into_iter().flatten().chain(checks::faults(section));
    sentences.flat_map(|sentence| wrap(&sentence, "", "")).collect()
}

/// What must be said beside the table.
fn remarked(section: &Section<'_>) -> Vec<String> {
    let all = [
        remarks::reads_from_memory(section),
        direct_io::sentences(section),
        remarks::remounted(section),
        checks::unchecked(section),
        sweep::sentences(section),
    ];
    let remarks = all.into_iter().flatten().chain(remarks::own_share(section));
    remarks.flat_map(|remark| wrap(&remark, "", "")).collect()
}

/// The figures in a layout, how they are read, and the legends of words and flags where marks do not explain themselves.
fn figures(section: &Section<'_>, layout: Layout) -> (Vec<String>, Vec<String>, Vec<String>) {
    match layout {
        Layout::Phases => {
            let table = table(section);
            let statement = statement(section, &table.columns);
            (columns::lines(&table), explained(statement, Vec::new()), legends(&words(section), &flags(section)))
        }
        Layout::Targets => {
            let statement = statements::targets(section, &table::columns(section));
            (targets::lines(&narrow_targets(section)), explained(statement, marks::sentences(section)), Vec::new())
        }
        Layout::Ranking => {
            let ranking = table::ranking::ranking(section);
            let statement = format!("{} {}", statements::ranking(section, &ranking), statements::bar(section));
            (ranking::lines(&ranking), explained(statement, marks::sentences(section)), Vec::new())
        }
        Layout::Bonnie => {
            let statement = statements::bonnie(section, &table::columns(section));
            (fitted(bonnie::lines(section)), explained(statement, marks::sentences_in_words(section)), Vec::new())
        }
    }
}

/// How the figures are read, then what the marks beside them mean, each on lines of its own.
fn explained(statement: String, marks: Vec<String>) -> Vec<String> {
    wrap(&statement, "", "").into_iter().chain(marks.iter().flat_map(|mark| wrap(mark, "", "  "))).collect()
}

/// Lines of at most 80 columns: those that absurd figures make longer are broken.
fn fitted(lines: Vec<String>) -> Vec<String> {
    let broken = |line: String| if width(&line) > COLUMNS { wrap(&line, "", " ") } else { vec![line] };
    lines.into_iter().flat_map(broken).collect()
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
