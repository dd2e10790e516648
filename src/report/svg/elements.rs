//! The elements that plotters does not have: lines of text in several faces, hatched bars, rounded shades.

use super::backend::{SvgBackend, TENTHS, escaped, px, short};
use super::letters::Face;
use super::palette::Paint;
use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingErrorKind};
use std::convert::Infallible;

/// Which point of a text lies at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A face in a colour.
#[derive(Debug, Clone, Copy)]
pub struct Type {
    pub face: Face,
    pub paint: Paint,
}

/// Text of one face.
#[derive(Debug)]
pub struct Span<'t> {
    pub text: &'t str,
    pub kind: Type,
}

/// Pixels between the spans of a line.
pub const SPAN_GAP: f64 = 7.0;

/// The size that the file sets for all texts.
const USUAL_SIZE: f64 = 12.0;

/// A line of text; `at` is a point on its base line.
#[derive(Debug)]
pub struct Line<'t> {
    pub at: BackendCoord,
    pub anchor: Anchor,
    pub spans: Vec<Span<'t>>,
}

/// A rectangle filled with slanted lines.
#[derive(Debug)]
pub struct Hatching<'t> {
    pub corners: [BackendCoord; 2],
    /// The id of the file, with which those of its patterns begin.
    pub id: &'t str,
    pub paint: Paint,
    pub opacity: f64,
}

/// A rectangle with round corners.
#[derive(Debug)]
pub struct Shade {
    pub corners: [BackendCoord; 2],
    pub paint: Paint,
    pub opacity: f64,
}

macro_rules! lies_at {
    ($element:ty, $points:ident) => {
        impl<'a> PointCollection<'a, BackendCoord> for &'a $element {
            type Point = &'a BackendCoord;
            type IntoIter = std::slice::Iter<'a, BackendCoord>;

            fn point_iter(self) -> Self::IntoIter {
                self.$points.iter()
            }
        }
    };
}

lies_at!(Hatching<'_>, corners);
lies_at!(Shade, corners);

impl<'a> PointCollection<'a, BackendCoord> for &'a Line<'_> {
    type Point = &'a BackendCoord;
    type IntoIter = std::iter::Once<&'a BackendCoord>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Drawable<SvgBackend> for Line<'_> {
    fn draw<I: Iterator<Item = BackendCoord>>(&self, mut points: I, backend: &mut SvgBackend, _: (u32, u32)) -> Drawn {
        let Some((x, y)) = points.next() else { return Ok(()) };
        let anchor = match self.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y) = (px(x), px(y));
        if let [only] = self.spans.as_slice() {
            let ink = only.kind.attributes(backend);
            backend.write(format_args!("<text x=\"{x}\" y=\"{y}\"{ink}{anchor}>{}</text>", escaped(only.text)));
            return Ok(());
        }
        backend.write(format_args!("<text x=\"{x}\" y=\"{y}\"{anchor}>"));
        for (place, span) in self.spans.iter().enumerate() {
            let gap = if place == 0 { String::new() } else { format!(" dx=\"{SPAN_GAP}\"") };
            let ink = span.kind.attributes(backend);
            backend.write(format_args!("<tspan{gap}{ink}>{}</tspan>", escaped(span.text)));
        }
        backend.write(format_args!("</text>"));
        Ok(())
    }
}

impl Type {
    fn attributes(&self, backend: &SvgBackend) -> String {
        let size = if self.face.size == USUAL_SIZE { String::new() } else { format!(" font-size=\"{}\"", self.face.size) };
        let weight = if self.face.is_bold { " font-weight=\"600\"" } else { "" };
        format!(" {}{size}{weight}", backend.fill(self.paint))
    }
}

impl Drawable<SvgBackend> for Hatching<'_> {
    fn draw<I: Iterator<Item = BackendCoord>>(&self, points: I, backend: &mut SvgBackend, _: (u32, u32)) -> Drawn {
        let rectangle = rectangle(points);
        backend.write(format_args!(
            "<rect{rectangle} fill=\"url(#{}-h{})\" opacity=\"{}\"/>",
            self.id,
            self.paint.name,
            short(self.opacity)
        ));
        Ok(())
    }
}

impl Drawable<SvgBackend> for Shade {
    fn draw<I: Iterator<Item = BackendCoord>>(&self, points: I, backend: &mut SvgBackend, _: (u32, u32)) -> Drawn {
        let (rectangle, ink) = (rectangle(points), backend.fill(self.paint));
        backend.write(format_args!("<rect{rectangle} rx=\"3\" {ink} opacity=\"{}\"/>", short(self.opacity)));
        Ok(())
    }
}

/// The attributes of a rectangle between two corners.
fn rectangle(points: impl Iterator<Item = BackendCoord>) -> String {
    let corners: Vec<BackendCoord> = points.collect();
    let [one, other] = corners.as_slice() else { return String::new() };
    let (x, y) = (px(one.0.min(other.0)), px(one.1.min(other.1)));
    format!(" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\"", px((one.0 - other.0).abs()), px((one.1 - other.1).abs()))
}

/// A place in pixels as plotters has it.
pub fn place(x: f64, y: f64) -> BackendCoord {
    ((x * TENTHS).round() as i32, (y * TENTHS).round() as i32)
}
