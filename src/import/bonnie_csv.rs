//! The importer of Bonnie++'s CSV, a run a line, of every version from 1.00 to 2.00a.

mod fields;
mod layout;

use super::bonnie::{PACKED_VERSION, Texts, Version, shown};
use super::bonnie_work::{PARAMETERS, block_file, file_set, parameters};
use super::{Found, Importer, Line, Problem, Reading};
use crate::model::imported::Imported;
use crate::model::record::PhaseRecord;
use crate::rng::hash64;
use fields::{Fields, first_word, is_heading, unquoted, without_marks};
use layout::{Form, Layout, UnknownForm};
use std::collections::HashSet;

/// Reads Bonnie++'s CSV.
#[derive(Debug)]
pub struct BonnieCsv;

/// Why the fields of a line are not where they belong, most of all.
const SHIFTED: &str = "a comma in the name, perhaps; nothing of the line is read";

impl Importer for BonnieCsv {
    fn name(&self) -> &'static str {
        "CSV"
    }

    fn sniff(&self, lines: &[Line]) -> bool {
        lines.iter().any(|line| line.text.matches(',').nth(2).is_some())
    }

    fn import(&self, lines: &[Line]) -> Found {
        let mut found = Found::default();
        let mut told = HashSet::new();
        let mut rest = lines;
        while let Some((line, behind)) = rest.split_first() {
            rest = behind;
            if is_heading(&line.text) {
                found.lines.insert(line.number);
                continue;
            }
            let Some(fields) = Fields::of(&line.text) else { continue };
            let (read, parts) = joined(line, &fields, behind).unwrap_or_else(|| (read(line, &fields), 0));
            found.lines.extend(std::iter::once(line).chain(behind.iter().take(parts)).map(|line| line.number));
            rest = behind.get(parts..).unwrap_or_default();
            found.problems.extend(read.problems.into_iter().map(|what| Problem { line: line.number, what }));
            found.readings.extend(read.reading.filter(|reading| is_news(&mut told, reading, &fields)));
        }
        found
    }
}

/// Whether a run is told for the first time. Its line often stands twice in a text: as Bonnie++ printed it, and as what somebody gives to
/// `bon_csv2html`. That they are one run is certain where the seed is equal too, which comes from the clock, and in such a command.
fn is_news(told: &mut HashSet<u64>, reading: &Reading, fields: &Fields<'_>) -> bool {
    let texts = (&reading.label, reading.imported.canonical(), &reading.imported.values);
    let is_new = told.insert(hash64(format!("{texts:?}").as_bytes()));
    is_new || fields.versions.is_none() && !fields.is_command
}

/// What a line says: a run, where one can be read, and what cannot be.
#[derive(Default)]
struct Read {
    reading: Option<Reading>,
    problems: Vec<String>,
}

fn read(line: &Line, fields: &Fields<'_>) -> Read {
    let mut problems = Vec::new();
    let reading = reading(line, fields, &mut problems);
    Read { reading, problems }
}

/// The most parts of a line that was broken: the longest has some 350 characters.
const MOST_PARTS: usize = 8;

/// A line that a mail program or a terminal broke, together with the lines behind it that hold its other parts, and how many they are:
/// only where they make a line that has every field, and a figure in each place of one.
fn joined(line: &Line, fields: &Fields<'_>, behind: &[Line]) -> Option<(Read, usize)> {
    let expected = fields_of_form(fields)?;
    if fields.texts.len() >= expected {
        return None;
    }
    let mut whole = line.clone();
    for (part, parts) in behind.iter().zip(1..=MOST_PARTS) {
        let is_next = part.number == line.number + parts as u64;
        if !is_next || !is_part(&part.text) {
            return None;
        }
        whole.text.truncate(whole.text.trim_end_matches(|letter: char| letter.is_whitespace() || letter == '\\').len());
        whole.text.push_str(part.text.trim().trim_end_matches('\\'));
        whole.is_ended = part.is_ended;
        let fields = Fields::of(&whole.text)?;
        if fields.texts.len() >= expected {
            return Some((read(&whole, &fields), parts)).filter(|(read, _)| read.problems.is_empty());
        }
    }
    None
}

/// How many fields a line of this form has.
fn fields_of_form(fields: &Fields<'_>) -> Option<usize> {
    let cleaned: Vec<&str> = fields.texts.iter().map(|text| without_marks(text)).collect();
    Form::of(fields.versions.as_ref().map(|(format, _)| format), &cleaned).ok().map(|form| Layout::of(form).names.len())
}

/// Whether a line can be the rest of another: nothing but figures, sizes and commas.
fn is_part(text: &str) -> bool {
    text.trim().trim_end_matches('\\').bytes().all(|byte| byte.is_ascii_digit() || b"+.,:/usm".contains(&byte))
}

/// A line whose fields have their names.
struct Row<'l> {
    form: Form,
    layout: Layout,
    /// As they stood, without what is not taken.
    texts: Vec<&'l str>,
    version: Version,
    program: String,
    /// How many fields there are, where the line ends before the last.
    cut_after: Option<usize>,
}

/// The run of a line, where one can be read; what cannot goes to the problems.
fn reading(line: &Line, fields: &Fields<'_>, problems: &mut Vec<String>) -> Option<Reading> {
    let row = match row(line, fields, problems) {
        Ok(row) => row,
        Err(what) => {
            problems.push(what);
            return None;
        }
    };
    let (phases, errors) = row.phases();
    if let (Some(error), true) = (errors.first(), row.may_be_moved()) {
        problems.clear();
        problems.push(format!("{} of {} fields, and {error}; nothing of the line is read", fields.texts.len(), row.layout.names.len()));
        return None;
    }
    problems.extend(errors.into_iter().map(|what| format!("{what}; that phase is left out")));
    if phases.is_empty() {
        problems.push("no figure of the line can be used".to_owned());
        return None;
    }
    Some(Reading { label: fields::label(row.text("name")), imported: row.imported(line.number), phases })
}

/// Finds out what each field is, and leaves out what is not certain.
fn row<'l>(line: &Line, fields: &Fields<'l>, problems: &mut Vec<String>) -> Result<Row<'l>, String> {
    let cleaned: Vec<&str> = fields.texts.iter().map(|text| without_marks(text)).collect();
    let form = Form::of(fields.versions.as_ref().map(|(format, _)| format), &cleaned);
    let form = form.map_err(|UnknownForm(what)| format!("{what}; nothing of the line is read"))?;
    let layout = Layout::of(form);
    let writer = fields.versions.as_ref().map(|(_, writer)| writer.clone()).or_else(|| Version::of_writer(PACKED_VERSION));
    let Some(version) = writer else { return Err("no version".to_owned()) };
    let program = version.program();
    let expected = layout.names.len();
    let mut texts = fields.texts.clone();
    if ends_in_a_comma(&layout, &cleaned) {
        texts.pop();
    }
    if texts.len() > expected {
        return Err(format!("{} fields, where {program} has {expected}: {SHIFTED}", texts.len()));
    }
    if let Some(what) = layout::impossible_cpu(&layout, &cleaned) {
        return Err(format!("{what}: {SHIFTED}"));
    }
    let cut_after = (texts.len() < expected).then_some(texts.len());
    let lacks_latencies = lacks_one(line, &layout, &cleaned)?;
    let last = texts.pop().unwrap_or_default();
    layout::check(&layout, &texts.iter().map(|text| without_marks(text)).collect::<Vec<_>>())
        .map_err(|what| format!("{what}: {SHIFTED}"))?;
    let word = first_word(last);
    match cut_after {
        Some(count) => problems.push(format!(
            "the line is cut: {count} of {expected} fields; what stands before the last one is read, that (`{}`) may be cut itself and is not",
            shown(last)
        )),
        None if !line.is_ended && may_go_on(without_marks(word)) => problems.push(format!(
            "the file ends in this line, so that its last field (`{}`) may be cut and is not read; end the line if it is whole",
            shown(word)
        )),
        None => texts.push(word),
    }
    if lacks_latencies {
        texts.truncate(layout.place(FIRST_LATENCY).unwrap_or(texts.len()));
        problems.push("one of the latencies may be missing instead, so that none of them is read".to_owned());
    }
    Ok(Row { form, layout, texts, version, program, cut_after })
}

/// The first of the latencies, which stand behind all else.
const FIRST_LATENCY: &str = "putc_latency";

/// Whether there is one comma more, as in a list of lines, which is not Bonnie++'s. Behind an empty field it may be that a field too many
/// stands before it.
fn ends_in_a_comma(layout: &Layout, cleaned: &[&str]) -> bool {
    match cleaned {
        [rest @ .., before, ""] => rest.len() + 1 == layout.names.len() && !before.is_empty() && layout::alternates(layout, rest),
        _ => false,
    }
}

/// Whether a latency may be missing in a line that is a few fields short and looks as if it had its end. Where another field may be,
/// nothing of the line is certain.
fn lacks_one(line: &Line, layout: &Layout, cleaned: &[&str]) -> Result<bool, String> {
    const FEW: usize = 3;
    let missing = layout.names.len().saturating_sub(cleaned.len());
    if missing == 0 || missing > FEW || !line.is_ended {
        return Ok(false);
    }
    let last = cleaned.last().map_or("", |text| first_word(text));
    let has_latencies = layout.place(FIRST_LATENCY).is_some();
    // Without latencies two fields side by side may be cut off; where it is an odd one, figures and their CPU may have changed places.
    if !layout::alternates(layout, cleaned) || !has_latencies && !missing.is_multiple_of(2) {
        let (count, expected) = (cleaned.len(), layout.names.len());
        return Err(format!("{count} of {expected} fields, and which are missing cannot be told; nothing of the line is read"));
    }
    Ok(has_latencies && !may_go_on(last))
}

/// Whether a last field can be the beginning of a longer one: not a latency with its unit, and not what stands for a CPU that is unknown.
fn may_go_on(text: &str) -> bool {
    !matches!(text, "" | "+++") && !text.ends_with('s')
}

impl Row<'_> {
    /// A field as it stood; empty where there is none.
    fn text(&self, name: &str) -> &str {
        self.at(self.layout.place(name))
    }

    fn at(&self, place: Option<usize>) -> &str {
        place.and_then(|place| self.texts.get(place)).copied().unwrap_or_default()
    }

    /// Whether a text that is no figure can mean that a field before it is missing: not where the count of fields tells the form.
    const fn may_be_moved(&self) -> bool {
        self.cut_after.is_some() || matches!(self.form, Form::Early { .. })
    }

    /// The phases that have a value, in the order of the catalogue, and what is wrong with others.
    fn phases(&self) -> (Vec<PhaseRecord>, Vec<String>) {
        let (mut phases, mut errors) = (Vec::new(), Vec::new());
        for (column, places) in &self.layout.columns {
            let [rate, cpu, latency] = [places.rate, places.cpu, places.latency].map(|place| without_marks(self.at(place)));
            match column.record(Texts { rate, cpu, latency }, &self.version, false) {
                Ok(record) => phases.extend(record),
                Err(error) => errors.push(error),
            }
        }
        phases.sort_by_key(|record| record.name);
        (phases, errors)
    }

    fn imported(&self, line: u64) -> Imported {
        let named = self.layout.names.iter().zip(&self.texts);
        let texts: Vec<(&str, &str)> = named.map(|(name, text)| (name.as_str(), *text)).filter(|(_, text)| !text.is_empty()).collect();
        let is_packed = |name: &str, text: &str| self.form == Form::Packed && text.contains([':', '/']) && name != "name";
        let plain = texts.iter().map(|(name, text)| (*name, without_marks(text)));
        let unpacked: Vec<(&str, &str)> = plain
            .flat_map(|(name, text)| match name {
                "file_size" if is_packed(name, text) => block_file(text).to_vec(),
                "num_files" if is_packed(name, text) => file_set(text).to_vec(),
                _ => vec![(name, text)],
            })
            .collect();
        let is_value = |name: &str, text: &str| name != "name" && (!PARAMETERS.contains(&name) || is_packed(name, text));
        let values = texts.iter().filter(|(name, text)| is_value(name, text));
        Imported {
            program: self.program.clone(),
            form: BonnieCsv.name().to_owned(),
            line,
            parameters: parameters(&unpacked),
            values: values.map(|(name, text)| ((*name).to_owned(), unquoted(text).to_owned())).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
