//! What every chart is made of: panels with an axis, groups of rows, and in each row marks, figures and words. No pixels in here.

use super::axis::Axis;

/// A chart of one section.
#[derive(Debug, Clone)]
pub struct Chart {
    /// The name of its kind; begins the ids in the file.
    pub kind: &'static str,
    pub title: String,
    /// How it is read; then how much was run.
    pub reading: String,
    /// What the marks are, where the rows cannot say it.
    pub keys: Vec<Key>,
    pub arrangement: Arrangement,
    pub panels: Vec<Panel>,
    /// What stands at the foot: program, profile, machine, day, workload.
    pub footnote: String,
}

/// How the panels stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// Below each other, with figures beside the drawing.
    Stacked,
    /// Beside each other on equal axes, with the labels of the rows once at the left.
    Beside,
}

/// A mark and what it stands for; without a mark, a remark.
#[derive(Debug, Clone)]
pub struct Key {
    pub mark: Option<Mark>,
    pub text: String,
}

/// Rows that share an axis.
#[derive(Debug, Clone)]
pub struct Panel {
    pub heading: String,
    /// The unit and, where it is no axis from zero, what axis it is; empty where the axis says the unit.
    pub unit: String,
    pub axis: Axis,
    /// The heading of the figures: `median`, or what else they are.
    pub figure: &'static str,
    /// The heading of the ranges; `None` where no row has one.
    pub range: Option<String>,
    pub groups: Vec<Group>,
}

/// Rows that stand close together: the targets of a phase.
#[derive(Debug, Clone)]
pub struct Group {
    pub heading: Option<String>,
    pub rows: Vec<Row>,
}

/// One row: a target in a phase.
#[derive(Debug, Clone)]
pub struct Row {
    pub label: String,
    pub tone: Tone,
    pub marks: Vec<Mark>,
    pub figures: Figures,
    /// What is doubtful about it, or why there is nothing: `cached, short`.
    pub words: String,
    /// The whole row as a sentence, with every value that is drawn.
    pub title: String,
}

/// The figures beside the drawing, all empty where the chart has none.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    pub median: String,
    pub low: String,
    pub high: String,
}

/// Whose colour the marks of a row have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// The target at this place, from 0.
    Target(usize),
    /// No target's: there are too many.
    Plain,
}

/// A drawn thing; places are values on the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mark {
    /// From the start of the axis to the low end of the range; `end` is the high end, up to which a hollow bar has an outline.
    Bar { to: f64, end: f64, fill: Fill },
    /// The range, at the end of a bar.
    PaleEnd { from: f64, to: f64 },
    /// The range, behind dots.
    Shade { from: f64, to: f64 },
    /// The range of one of several marks in a row.
    Halo { from: f64, to: f64 },
    /// What joins two marks that belong together.
    Link { from: f64, to: f64 },
    /// One run; `run` counts from 0 and decides how high it stands, so that equal values do not hide each other.
    Dot { at: f64, run: usize, is_hollow: bool },
    /// The median.
    Tick { at: f64 },
    /// A value of the first kind.
    Disc { at: f64, is_hollow: bool },
    /// A value of the second kind.
    Diamond { at: f64, is_hollow: bool },
}

/// How a bar is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    Solid,
    /// Not a figure of the device.
    Hollow,
    /// Too short to be exact.
    Hatched,
}

/// Six colours can be told apart; of more targets none has its own.
const MOST_TONES: usize = 6;

impl Tone {
    /// The tone of the series at a place among so many.
    pub fn of(place: usize, count: usize) -> Self {
        if count > MOST_TONES { Self::Plain } else { Self::Target(place) }
    }
}
