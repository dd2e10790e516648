//! Small plots in rows and columns, as data: the plots of a row share a scale from zero, those of a column what stands below them.

use super::axis::Axis;
use super::model::Tone;

/// Plots of some quantities over an order.
#[derive(Debug, Clone)]
pub struct Plots {
    /// What the plots stand for from top to bottom: the phases.
    pub rows: Vec<PlotRow>,
    /// What they stand for from left to right: the targets.
    pub columns: Vec<PlotColumn>,
    /// What the first line below the plots is: `Linux`; empty where it says it itself.
    pub below: String,
    /// Whether the plots are so high that values can be read from them: where they are all that there is to see.
    pub is_tall: bool,
}

/// What the plots of a row share.
#[derive(Debug, Clone)]
pub struct PlotRow {
    pub heading: String,
    pub unit: String,
    /// From zero.
    pub axis: Axis,
}

/// The plots of a target.
#[derive(Debug, Clone)]
pub struct PlotColumn {
    /// The target; empty where the title of the chart names it.
    pub heading: String,
    pub tone: Tone,
    /// What stands below, from left to right.
    pub places: Vec<Place>,
    /// A plot a row, in the order of the rows.
    pub plots: Vec<Plot>,
}

/// A label below the plots of a column.
#[derive(Debug, Clone)]
pub struct Place {
    /// From 0 at the left to 1 at the right.
    pub along: f64,
    pub lines: Vec<String>,
}

/// One plot.
#[derive(Debug, Clone)]
pub struct Plot {
    pub shape: Shape,
    /// Points that are joined; between two pieces something is missing.
    pub pieces: Vec<Vec<Point>>,
    /// Beside the last point: its value; else empty.
    pub end: String,
    /// What is to be said of it, or why there is nothing.
    pub words: String,
    /// The whole plot as a sentence.
    pub title: String,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// As a line with its range around it.
    Line,
    /// As dots, each with its range, quietly joined.
    Dots,
}

/// A value and its range at a place of the order.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// From 0 at the left to 1 at the right.
    pub along: f64,
    pub at: f64,
    pub low: f64,
    pub high: f64,
    pub is_hollow: bool,
    /// The point as a sentence; empty where it has none of its own.
    pub title: String,
}
