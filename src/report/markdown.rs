//! Markdown as GitHub reads it: facts, what limited the run, a table with a row per phase and target, legend and parameters as a list.

mod escape;
mod grid;

#[cfg(test)]
mod tests;

use super::legend::{flags, statement, words};
use super::table::{Columns, Row, Table, table};
use super::{Renderer, Report, Section, direct_io, facts, limits, quietness, remarks};
use escape::{code, escaped, escaped_line};
use grid::{Grid, Side};

/// The format `markdown`.
pub struct Markdown;

impl Renderer for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn extension(&self) -> &'static str {
        "md"
    }

    fn purpose(&self) -> &'static str {
        "tables for GitHub, GitLab and other readers of Markdown"
    }

    fn render(&self, report: &Report<'_>) -> String {
        report.text_of_sections(section_text, "\n")
    }
}

/// The paragraphs of a section with a blank line between them.
fn section_text(section: &Section<'_>) -> String {
    let table = table(section);
    let paragraphs: Vec<Vec<String>> = vec![
        vec![format!("### {}", escaped(&facts::title(section).join(", ")))],
        [limits::sentence(section), quietness::sentence(section)].iter().flatten().map(|sentence| escaped_line(sentence)).collect(),
        fact_lines(&facts::lines(section)),
        grid(&table).lines(),
        remarks::nothing_measured(section).iter().map(|remark| escaped_line(remark)).collect(),
        notes(section, &table.columns),
    ];
    let paragraphs = paragraphs.iter().filter(|lines| !lines.is_empty());
    paragraphs.map(|lines| lines.iter().map(|line| format!("{line}\n")).collect::<String>()).collect::<Vec<_>>().join("\n")
}

/// One fact is a paragraph, several are a list.
fn fact_lines(facts: &[String]) -> Vec<String> {
    match facts {
        [only] => vec![escaped_line(only)],
        several => several.iter().map(|fact| format!("- {}", escaped_line(fact))).collect(),
    }
}

/// What a reader must know, a list item each: range and columns, words and flags, what is missing, the parameters.
fn notes(section: &Section<'_>, columns: &Columns) -> Vec<String> {
    let words = words(section).into_iter().map(|entry| format!("{}: {}.", entry.word, entry.meaning));
    let flags = flags(section).into_iter().map(|entry| format!("{}.", entry.meaning));
    let missing = remarks::missing(section);
    let missing = if missing.is_empty() { String::new() } else { format!("Failed and skipped: {}.", missing.join("; ")) };
    let sentences = [
        statement(section, columns),
        words.chain(flags).collect::<Vec<_>>().join(" "),
        remarks::reads_from_memory(section).join(" "),
        direct_io::sentences(section).join(" "),
        remarks::own_share(section).unwrap_or_default(),
        missing,
    ];
    let mut items: Vec<String> = sentences.iter().filter(|text| !text.is_empty()).map(|text| format!("- {}", escaped_line(text))).collect();
    items.push(format!("- {}", code(&facts::parameters(section).join(" "))));
    items.push(format!("- {}", escaped_line(&remarks::workload(section))));
    items
}

/// The table model as a grid of cells.
fn grid(table: &Table) -> Grid {
    let mut grid = Grid::of(heads(&table.columns));
    for phase in table.blocks.iter().flat_map(|block| &block.phases) {
        for (place, row) in phase.rows.iter().enumerate() {
            let heading = if place == 0 { phase.heading.as_str() } else { "" };
            grid.add(cells(heading, row, &table.columns));
        }
    }
    grid
}

fn heads(columns: &Columns) -> Vec<(String, Side)> {
    let all = [
        Some(("Phase".to_owned(), Side::Left)),
        Some(("Target".to_owned(), Side::Left)),
        Some(("Median".to_owned(), Side::Right)),
        columns.range.as_deref().map(|range| (escaped(&capital(range)), Side::Right)),
        columns.acknowledged.then(|| ("Ack.".to_owned(), Side::Right)),
        cpu_head(columns).map(|head| (head.to_owned(), Side::Right)),
        columns.p99.then(|| ("p99".to_owned(), Side::Right)),
        columns.words.then(|| ("Cache, flags".to_owned(), Side::Left)),
    ];
    all.into_iter().flatten().collect()
}

fn capital(text: &str) -> String {
    super::layout::capitalised(text)
}

fn cpu_head(columns: &Columns) -> Option<&'static str> {
    match (columns.cpu_own, columns.cpu_system) {
        (true, true) => Some("CPU % own / sys"),
        (true, false) => Some("CPU % own"),
        (false, true) => Some("CPU % sys"),
        (false, false) => None,
    }
}

fn cells(heading: &str, row: &Row, columns: &Columns) -> Vec<String> {
    let cpu = || match (columns.cpu_own, columns.cpu_system) {
        (true, true) => [row.cpu_own.as_str(), row.cpu_system.as_str()].map(or_dash).join(" / "),
        (true, false) => row.cpu_own.clone(),
        (false, _) => row.cpu_system.clone(),
    };
    let has_cpu = !(row.cpu_own.is_empty() && row.cpu_system.is_empty());
    let range = if row.rate.low.is_empty() { String::new() } else { format!("{} – {}", row.rate.low, row.rate.high) };
    let is_figure = row.rate.median.starts_with(|first: char| first.is_ascii_digit());
    let all = [
        Some(escaped(heading)),
        Some(escaped(&row.label)),
        Some(if is_figure { format!("**{}**", row.rate.median) } else { row.rate.median.clone() }),
        columns.range.is_some().then_some(range),
        columns.acknowledged.then(|| row.acknowledged.clone()),
        cpu_head(columns).map(|_| if has_cpu { cpu() } else { String::new() }),
        columns.p99.then(|| row.p99.clone()),
        columns.words.then(|| escaped(&words_and_flags(row))),
    ];
    all.into_iter().flatten().collect()
}

/// One of two figures in a cell may be unknown.
fn or_dash(figure: &str) -> &str {
    if figure.is_empty() { super::figures::NO_FIGURE } else { figure }
}

/// The words of the cache column, then the flags in words: `cached, short`.
fn words_and_flags(row: &Row) -> String {
    let words = row.words.join("/");
    let parts = std::iter::once(words.as_str()).filter(|words| !words.is_empty()).chain(row.flags.iter().map(|flag| flag.word()));
    parts.collect::<Vec<_>>().join(", ")
}
