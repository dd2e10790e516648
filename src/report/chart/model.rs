//! What every chart is made of: panels with an axis, groups of rows, and in each row marks, figures and words. No pixels in here.

use super::axis::Axis;
use super::plots::Plots;

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
    /// What the figures beside the drawing are; none where the drawing has no figures beside it.
    pub columns: Vec<Column>,
    pub drawing: Drawing,
    /// What stands at the foot: program, profile, machine, day, workload.
    pub footnote: String,
}

/// What is drawn, and how it stands.
#[derive(Debug, Clone)]
pub enum Drawing {
    /// Panels below each other, with figures beside the drawing.
    Stacked(Vec<Panel>),
    /// Panels beside each other on equal axes, with the labels of the rows once at the left.
    Beside(Vec<Panel>),
    /// Small plots in rows and columns.
    Plots(Plots),
}

impl Drawing {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Stacked(panels) | Self::Beside(panels) => panels.is_empty(),
            Self::Plots(plots) => plots.rows.is_empty() || plots.columns.is_empty(),
        }
    }

    /// Its panels; plots are none.
    #[cfg(test)]
    pub fn panels(&self) -> &[Panel] {
        match self {
            Self::Stacked(panels) | Self::Beside(panels) => panels,
            Self::Plots(_) => &[],
        }
    }
}

/// A column of figures beside the drawing.
#[derive(Debug, Clone)]
pub struct Column {
    pub heading: String,
    pub holds: Holds,
    /// Whether it stands in the narrow form too.
    pub is_in_narrow: bool,
}

/// What a column of figures holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Numbers,
    Ranges,
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
    pub groups: Vec<Group>,
}

/// Rows that stand close together: the targets of a phase.
#[derive(Debug, Clone)]
pub struct Group {
    pub heading: Option<String>,
    /// What all its rows are compared with, under the heading: `499.4 MiB/s`; else empty.
    pub note: String,
    pub rows: Vec<Row>,
}

/// One row: a target in a phase.
#[derive(Debug, Clone)]
pub struct Row {
    pub label: String,
    pub tone: Tone,
    pub marks: Vec<Mark>,
    /// Whether the marks are grey, because there is nothing to tell apart.
    pub is_grey: bool,
    /// A figure a column of the chart, in that order.
    pub figures: Vec<Figure>,
    /// What is said of it in a word, instead of what is doubtful.
    pub verdict: Option<Verdict>,
    /// What is doubtful about it, or why there is nothing: `cached, short`.
    pub words: String,
    /// The whole row as a sentence, with every value that is drawn.
    pub title: String,
}

/// What is said of a row in a word: `slower`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Where the row is better or worse, which makes the word a strong one.
    pub arrow: Option<Arrow>,
    pub text: String,
}

/// Better or worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrow {
    Up,
    Down,
}

/// A figure beside the drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Figure {
    /// A value, with its unit where the heading does not say it.
    Number { value: String, unit: String, weight: Weight },
    /// The ends of a range; empty where there is none.
    Range { low: String, high: String },
}

/// How loud a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Strong,
    Quiet,
}

/// Whose colour the marks of a row have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// The target at this place, from 0.
    Target(usize),
    /// That of no target, of which there are too many; the place tells whose row it is all the same.
    Plain(usize),
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
    /// A value of the third kind.
    Post { at: f64 },
    /// The interval of a value.
    Interval { from: f64, to: f64 },
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
        if count > MOST_TONES { Self::Plain(place) } else { Self::Target(place) }
    }
}
