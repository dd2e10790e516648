//! What the cells of the page's tables are made of: targets, numbers, words.

use crate::model::label::CacheLabel;
use crate::report::Section;
use crate::report::chart::model::Tone;
use crate::report::figures::at_point;
use std::rc::Rc;

/// A target as it stands in the tables and among the switches.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its place, from 1: the number in its classes.
    pub number: usize,
    /// Shared by all cells: a label may be long.
    pub name: Rc<str>,
    pub has_colour: bool,
}

impl Target {
    /// The targets of a section, in the order of its series.
    pub fn all(section: &Section<'_>) -> Vec<Self> {
        let count = section.series.len();
        let target = |(place, name): (usize, &str)| Self {
            number: place + 1,
            name: name.into(),
            has_colour: matches!(Tone::of(place, count), Tone::Target(_)),
        };
        section.series.iter().map(|series| series.name.as_str()).enumerate().map(target).collect()
    }

    /// The element that shows its colour; empty where it has none.
    pub fn mark(&self) -> String {
        if self.has_colour { format!("<i class=\"sw b-t{}\"></i>", self.number) } else { String::new() }
    }
}

/// A number that stands with its decimal point under those of the other rows.
#[derive(Debug, Clone, Default)]
pub struct Number {
    pub whole: String,
    /// The point and what is behind it, in a slot of its own; `None` where numbers do not stand by their points.
    pub fraction: Option<String>,
}

impl Number {
    /// A figure that stands by its point.
    pub fn of(figure: &str) -> Self {
        let (whole, fraction) = at_point(figure);
        Self { whole: whole.to_owned(), fraction: Some(fraction.to_owned()) }
    }

    /// A figure that does not.
    pub fn whole(figure: &str) -> Self {
        Self { whole: figure.to_owned(), fraction: None }
    }
}

/// The class of a table that keeps room for the longest fraction of some figures.
pub fn slot<'f>(figures: impl Iterator<Item = &'f str>) -> &'static str {
    let longest = figures.map(|figure| at_point(figure).1.len()).max().unwrap_or(0);
    match longest {
        0 => "",
        1 | 2 => "fr1",
        3 => "fr2",
        4 => "fr3",
        _ => "fr4",
    }
}

/// A word of doubt or of evidence, with the class of its look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub class: &'static str,
}

impl Word {
    /// A word that is as it should be, or at least says that a device answered.
    pub fn plain(text: String) -> Self {
        Self { text, class: "cache" }
    }

    /// The mark of something that is not as it should be: dashed where memory answered.
    pub fn marked(text: String) -> Self {
        let class = if is_of_memory(text.trim_start_matches("read ")) { "chip mem" } else { "chip" };
        Self { text, class }
    }

    /// A word of the cache column: marked only where memory answered.
    pub fn of_cache(text: String) -> Self {
        if is_of_memory(&text) { Self::marked(text) } else { Self::plain(text) }
    }
}

/// Whether a word says that the figure is none of the device; a share may stand behind it, and other words of other runs.
fn is_of_memory(text: &str) -> bool {
    let is_label = |part: &str| CacheLabel::ALL.iter().any(|label| !label.is_device_figure() && part.starts_with(label.word()));
    text.split('/').any(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_memory_answered_is_dashed() {
        let class = |text: &str| Word::marked(text.to_owned()).class;
        assert_eq!(
            (class("cached"), class("mixed 8–12%"), class("cold/cached"), class("read memory")),
            ("chip mem", "chip mem", "chip mem", "chip mem")
        );
        assert_eq!((class("short"), class("durable?"), class("2 runs failed")), ("chip", "chip", "chip"));
        assert_eq!(Word::of_cache("cold here".to_owned()).class, "cache");
    }

    #[test]
    fn there_is_room_for_the_longest_fraction() {
        assert_eq!(slot(["1", "20,000"].into_iter()), "");
        assert_eq!(slot(["1", "499.4", "3.25"].into_iter()), "fr2");
        assert_eq!(slot(["1.5e10"].into_iter()), "");
    }
}
