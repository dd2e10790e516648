//! The two forms of a chart, and the types that its texts are set in.

use super::elements::Type;
use super::letters::Face;
use super::palette::{I2, I3, INK, Paint};

/// The measures in which the wide and the narrow form differ, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    pub name: &'static str,
    /// Of the chart, without its margins.
    pub width: f64,
    pub margin: f64,
    /// The height of a row with one line.
    pub row: f64,
    /// The widest label of a row.
    pub most_label: f64,
    /// Steps of a linear axis.
    pub most_steps: usize,
    /// Whether phases stand at the left of their rows, ranges and words at the right; else phases stand above, words below.
    pub is_wide: bool,
}

/// For pages and posts.
pub const WIDE: Form = Form { name: "wide", width: 860.0, margin: 20.0, row: 19.0, most_label: 150.0, most_steps: 4, is_wide: true };

/// For phones.
pub const NARROW: Form = Form { name: "narrow", width: 344.0, margin: 8.0, row: 21.0, most_label: 96.0, most_steps: 3, is_wide: false };

impl Form {
    /// The form in a page, which has margins of its own.
    pub const fn without_margin(self) -> Self {
        Self { margin: 0.0, ..self }
    }
}

const fn kind(size: f64, is_bold: bool, paint: Paint) -> Type {
    Type { face: Face { size, is_bold }, paint }
}

pub const TITLE: Type = kind(19.0, true, INK);
pub const SUBTITLE: Type = kind(12.5, false, I2);
pub const HEADING: Type = kind(13.0, true, INK);
pub const UNIT: Type = kind(12.0, false, I3);
pub const PHASE: Type = kind(12.0, true, INK);
pub const LABEL: Type = kind(12.0, false, I2);
pub const MEDIAN: Type = PHASE;
pub const RANGE: Type = LABEL;
/// Axes, headings of columns, words, the foot.
pub const AXIS: Type = kind(11.0, false, I3);

/// The line pitch of texts under 12 px.
pub const SMALL_PITCH: f64 = 13.0;

/// The line pitch of labels.
pub const LABEL_PITCH: f64 = 14.0;
