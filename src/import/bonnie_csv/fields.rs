//! Where Bonnie++'s CSV begins in a line, its fields, and what pages and people put around them.

use crate::import::bonnie::Version;
use crate::import::bonnie_work::{is_file_size, is_number};

/// The fields of a line that may be Bonnie++'s.
#[derive(Debug)]
pub struct Fields<'l> {
    /// The version of the form and that of Bonnie++; `None` for the line of 1.0x, which has neither.
    pub versions: Option<(Version, Version)>,
    /// The texts between the commas, without blanks around them.
    pub texts: Vec<&'l str>,
    /// Whether the line is a command that gives it to one of Bonnie++'s own readers, and not what Bonnie++ printed.
    pub is_command: bool,
}

impl<'l> Fields<'l> {
    /// The fields of a line that looks like one of Bonnie++'s; `None` for any other.
    #[must_use]
    pub fn of(line: &'l str) -> Option<Self> {
        let is_command = line.contains("bon_csv2");
        let versioned = starts(line).find_map(|start| {
            let texts = split(line.get(start..)?, 2);
            let versions = versions(&texts)?;
            is_versioned(&versions.0, &texts).then_some(Self { versions: Some(versions), texts, is_command })
        });
        versioned.or_else(|| {
            let texts = split(without_command(line), 0);
            is_packed(&texts).then_some(Self { versions: None, texts, is_command })
        })
    }
}

/// Whether a line is a heading of Bonnie++'s CSV.
#[must_use]
pub fn is_heading(line: &str) -> bool {
    let names = line.trim_start_matches(is_mark);
    ["name,file_size,", "format_version,bonnie_version,"].iter().any(|start| names.starts_with(start))
}

/// The places where a version may begin: figures that nothing but a mark, a blank or a comma stands before.
fn starts(line: &str) -> impl Iterator<Item = usize> {
    let is_start = |(place, letter): &(usize, char)| {
        let before = line.get(..*place).and_then(|before| before.chars().next_back());
        letter.is_ascii_digit() && before.is_none_or(|before| before.is_whitespace() || "\"'`>|,:;+*]=".contains(before))
    };
    // Each place is looked at only where two versions follow, so that a long line is not split again and again.
    line.char_indices().filter(is_start).map(|(place, _)| place).filter(|place| {
        let mut parts = line.get(*place..).unwrap_or_default().splitn(3, ',');
        let mut is_version =
            || parts.next().is_some_and(|text| text.len() < 24 && Version::of_writer(text.trim_matches(is_mark)).is_some());
        is_version() && is_version()
    })
}

/// The texts between the commas; a comma of a name in quotation marks is none of these.
fn split(line: &str, place_of_name: usize) -> Vec<&str> {
    let (mut texts, mut rest) = (Vec::new(), Some(line));
    while let Some(text) = rest {
        let end_of_name = if texts.len() == place_of_name { end_of_quoted(text) } else { None };
        let end = end_of_name.or_else(|| text.find(','));
        texts.push(end.and_then(|end| text.get(..end)).unwrap_or(text).trim());
        rest = end.and_then(|end| text.get(end + 1..));
    }
    texts
}

/// Where a field ends that begins with a quotation mark: at the comma behind its other one. Two marks side by side are one in the field.
fn end_of_quoted(text: &str) -> Option<usize> {
    let inner = text.trim_start().strip_prefix('"')?;
    let mut marks = inner.match_indices('"').map(|(place, _)| place).peekable();
    while let Some(place) = marks.next() {
        if marks.next_if_eq(&(place + 1)).is_none() {
            let is_end = inner.get(place + 1..).is_some_and(|behind| behind.starts_with(','));
            return is_end.then_some(text.len() - inner.len() + place + 1);
        }
    }
    None
}

fn versions(texts: &[&str]) -> Option<(Version, Version)> {
    let [format, bonnie, ..] = texts else { return None };
    Some((Version::parse(format.trim_matches(is_mark))?, Version::of_writer(bonnie.trim_matches(is_mark))?))
}

/// Whether what stands behind two versions is Bonnie++'s: many texts hold two such numbers side by side.
fn is_versioned(format: &Version, texts: &[&str]) -> bool {
    let at = |place: usize| texts.get(place).map_or("", |text| without_marks(text));
    let has_size = texts.iter().skip(3).take(7).any(|text| is_file_size(without_marks(text)));
    let is_concurrent = is_number(at(3)) && !at(4).is_empty() && texts.len() > 5;
    format.number() >= 190 && (has_size || is_concurrent && !at(4).contains('.') || is_files_only(texts))
}

/// Whether nothing but figures of files stands behind the name: the block file was left out, and concurrency and seed are not known.
fn is_files_only(texts: &[&str]) -> bool {
    const PLACES: std::ops::Range<usize> = 3..17;
    let behind = || texts.iter().skip(PLACES.end).map(|text| without_marks(text)).filter(|text| !text.is_empty());
    let is_latency = |text: &str| text.strip_suffix('s').is_some_and(|digits| is_figure(digits.trim_end_matches(['u', 'm'])));
    let is_word = |text: &str| matches!(text, "link" | "symlink");
    texts.iter().skip(PLACES.start).take(PLACES.len()).all(|text| text.is_empty())
        && behind().filter(|text| is_figure(text)).nth(1).is_some()
        && behind().all(|text| is_figure(text) || is_latency(text) || is_word(text))
}

/// Whether fields without a version are those of 1.0x: a size near the beginning and figures behind it.
fn is_packed(texts: &[&str]) -> bool {
    const FEWEST: usize = 6;
    if texts.len() < FEWEST {
        return false;
    }
    let is_size = |place: &usize| texts.get(*place).is_some_and(|text| is_file_size(without_marks(text)));
    let files_only = || texts.iter().skip(1).take(13).all(|text| text.is_empty()) && texts.len() > 15;
    let Some(size) = (1..5).rev().find(is_size).or_else(|| files_only().then_some(13)) else { return false };
    let behind = texts.iter().skip(size + 1).filter(|text| !text.is_empty());
    let (figures, others): (Vec<&str>, Vec<&str>) = behind.partition(|text| is_figure(without_marks(text)));
    // A list of words and sizes in a sentence has blanks behind its commas, and words among its figures.
    figures.len() >= 2 && if texts.len() < 15 { others.is_empty() } else { others.len() * 2 < figures.len() }
}

fn is_figure(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'+'))
}

/// A line that somebody gives to one of Bonnie++'s own readers: `echo NAME,2G,… | bon_csv2html`.
fn without_command(line: &str) -> &str {
    match line.split_once("echo ") {
        Some((_, behind)) if line.contains("bon_csv2") => behind.split_once('|').map_or(behind, |(csv, _)| csv),
        _ => line,
    }
}

fn is_mark(letter: char) -> bool {
    letter.is_whitespace() || "*_~`\"'\\".contains(letter)
}

/// A figure without the marks of Markdown, of BBCode, of HTML and of quotations around it.
#[must_use]
pub fn without_marks(text: &str) -> &str {
    let mut rest = text.trim_matches(is_mark);
    loop {
        let inner = without_tag(rest, '[', ']');
        let inner = without_tag(inner, '<', '>').trim_matches(is_mark);
        if inner.len() == rest.len() {
            return rest;
        }
        rest = inner;
    }
}

fn without_tag(text: &str, open: char, close: char) -> &str {
    let text = text.strip_prefix(open).and_then(|rest| rest.split_once(close)).map_or(text, |(_, behind)| behind);
    text.strip_suffix(close).and_then(|rest| rest.rsplit_once(open)).map_or(text, |(before, _)| before)
}

/// The name of a machine as it stood: without the tags and signs before it that begin a piece of code, and without quotation marks.
#[must_use]
pub fn name(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((tag, behind)) = rest.strip_prefix('[').and_then(|tag| tag.split_once(']'))
        && ["code", "pre", "quote"].contains(&tag)
    {
        rest = behind;
    }
    let rest = ["<pre>", "<code>", "`"].iter().fold(rest, |rest, sign| rest.strip_prefix(sign).unwrap_or(rest));
    rest.strip_prefix('"').map_or(rest, |inner| inner.strip_suffix('"').unwrap_or(inner))
}

/// The label of a run: its name, in which quotation marks that are doubled are single ones where the whole is between such (RFC 4180).
#[must_use]
pub fn label(text: &str) -> String {
    let is_quoted = text.trim().len() > 1 && text.trim().starts_with('"') && text.trim().ends_with('"');
    if is_quoted { name(text).replace("\"\"", "\"") } else { name(text).to_owned() }
}

/// A field as it stood, without the quotation marks of a program that put it, or the whole line, between such.
#[must_use]
pub fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`', '\\'])
}

/// The first word of the last field: what stands behind it on the line is not Bonnie++'s.
#[must_use]
pub fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_off_figures() {
        for marked in
            ["88826", "**88826**", "[b]88826[/b]", "`88826`", "\"88826\"", "<b>88826</b>", "<td><b>88826</b></td>", "88826\\", "__88826__"]
        {
            assert_eq!(without_marks(marked), "88826", "{marked}");
        }
        assert_eq!((without_marks(""), without_marks("[b"), without_marks("+++")), ("", "[b", "+++"));
    }

    #[test]
    fn names_stay_as_they_stood() {
        for (text, expected) in
            [("host", "host"), ("\"a b\"", "a b"), ("[code]host", "host"), ("<pre>host", "host"), ("[1]host*", "[1]host*")]
        {
            assert_eq!(name(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_of_bonnie_are_told_from_others() {
        for line in [
            "1.97,1.97,host,1,1438369124,63G,,1842,89,347029,24",
            "log: 1.96,1.96,a b,1,1329851830,8096M,,838,98,1",
            "2016-01-02,1.97,1.97,host,1,1438369124,63G,,1842,89",
            "\"1.97\",\"1.97\",\"host\",\"1\",\"1438369124\",\"63G\",\"\",\"1842\"",
            "1.91,1.91,host,2G,,1,2,3",
            ",2G,10874,85,52615,35",
            "tb6,16G,87042,99,128721,98,85973",
            "a,b,16G,87042,99,128721,98,85973",
            "tmpfs,,,,,,,,,,,,,,20:250000:0/1000,2384,59,16163,97",
            "$ echo pc,31G,106862,68,103016,3,39518,2 | bon_csv2html >>x.html",
        ] {
            assert!(Fields::of(line).is_some(), "{line}");
        }
        for line in [
            "",
            "We had three disks, 80G, 120 and 45, and two others, that failed, sadly",
            "1.97,1.97,1.97,1.97,3.04,2.15",
            "M1.97,1.97,0,0,1,2,3,80G",
            "a,b,c,d,e,f,g,h",
            "host,2G,1,2",
            "100,200,300,400,500,600,700",
            "1.5,2.5,3.5,4.5,5.5,6.5",
        ] {
            assert!(Fields::of(line).is_none(), "{line}");
        }
    }

    #[test]
    fn headings_are_known() {
        assert!(is_heading("name,file_size,putc,putc_cpu") && is_heading("`format_version,bonnie_version,name,concurrency"));
        assert!(!is_heading("name,size,putc") && !is_heading("1.97,1.97,name,file_size,"));
    }
}
