//! Charts as PNG: the drawing of the format svg as pixels, for forums and programs that take no SVG; the same on every machine.

mod font;
mod raster;

use super::{Renderer, Rendering, Report, svg};
use crate::units::with_thousands;

/// The format `png`: what [`svg`] draws, at twice its size, on light paper.
pub struct Png;

/// Why there is no picture of a drawing.
#[derive(Debug, PartialEq, Eq)]
enum NoPicture {
    /// It is so many pixels high, at its natural size.
    TooHigh(u64),
    /// It has more marks than the engine takes, or none that it understands.
    TooMuch,
}

impl NoPicture {
    fn in_words(&self) -> String {
        let (cause, advice) = match self {
            Self::TooHigh(height) => {
                let [height, most] = [*height as f64, f64::from(raster::MOST_HEIGHT)].map(|pixels| with_thousands(pixels, 0));
                (format!("The charts are {height} pixels high, and a PNG is drawn up to {most}."), "or make reports of fewer workloads")
            }
            Self::TooMuch => ("There are more marks to draw than a PNG is drawn of.".to_owned(), "or make reports of fewer runs"),
        };
        format!("{cause} Take the format svg, which has no such limit, {advice}.")
    }
}

impl Renderer for Png {
    fn name(&self) -> &'static str {
        "png"
    }

    fn extension(&self) -> &'static str {
        "png"
    }

    fn purpose(&self) -> &'static str {
        "the chart of svg as a picture, for forums and office programs"
    }

    fn draws(&self) -> bool {
        true
    }

    fn render(&self, report: &Report<'_>) -> Rendering {
        let picture = raster::picture(&svg::drawing(report)).or_else(|problem| {
            // A whole picture that says so is better than half of one.
            raster::picture(&svg::notice(report, "Not drawn", &problem.in_words()))
        });
        Rendering::Picture(picture.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
