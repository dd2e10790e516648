//! The elements of small plots that plotters does not have: lines with round corners, shapes without an edge.

use super::backend::{SvgBackend, px, short};
use super::palette::Paint;
use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingErrorKind};
use std::convert::Infallible;
use std::fmt::Write;

/// A line through points.
#[derive(Debug)]
pub struct Curve {
    pub points: Vec<BackendCoord>,
    pub paint: Paint,
    /// In pixels.
    pub width: f64,
    pub opacity: f64,
}

/// A filled shape between corners.
#[derive(Debug)]
pub struct Ribbon {
    pub corners: Vec<BackendCoord>,
    pub paint: Paint,
    pub opacity: f64,
}

impl<'a> PointCollection<'a, BackendCoord> for &'a Curve {
    type Point = &'a BackendCoord;
    type IntoIter = std::slice::Iter<'a, BackendCoord>;

    fn point_iter(self) -> Self::IntoIter {
        self.points.iter()
    }
}

impl<'a> PointCollection<'a, BackendCoord> for &'a Ribbon {
    type Point = &'a BackendCoord;
    type IntoIter = std::slice::Iter<'a, BackendCoord>;

    fn point_iter(self) -> Self::IntoIter {
        self.corners.iter()
    }
}

/// `M1 2L3 4`, from the first point on.
fn path(points: impl Iterator<Item = BackendCoord>) -> String {
    let mut path = String::new();
    for (place, (x, y)) in points.enumerate() {
        let _ = write!(path, "{}{} {}", if place == 0 { 'M' } else { 'L' }, px(x), px(y));
    }
    path
}

fn opacity(share: f64) -> String {
    if share < 1.0 { format!(" opacity=\"{}\"", short(share)) } else { String::new() }
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Drawable<SvgBackend> for Curve {
    fn draw<I: Iterator<Item = BackendCoord>>(&self, points: I, backend: &mut SvgBackend, _: (u32, u32)) -> Drawn {
        let ink = backend.stroke(self.paint);
        backend.write(format_args!(
            "<path d=\"{}\" {ink} stroke-width=\"{}\" fill=\"none\" stroke-linejoin=\"round\"{}/>",
            path(points),
            self.width,
            opacity(self.opacity)
        ));
        Ok(())
    }
}

impl Drawable<SvgBackend> for Ribbon {
    fn draw<I: Iterator<Item = BackendCoord>>(&self, points: I, backend: &mut SvgBackend, _: (u32, u32)) -> Drawn {
        let ink = backend.fill(self.paint);
        backend.write(format_args!("<path d=\"{}z\" {ink}{}/>", path(points), opacity(self.opacity)));
        Ok(())
    }
}
