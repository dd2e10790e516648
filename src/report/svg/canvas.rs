//! Drawing in pixels: each call becomes an element of plotters, drawn on the SVG backend.

use super::backend::{Head, Surroundings, SvgBackend, TENTHS};
use super::curves::{Curve, Ribbon};
use super::elements::{Anchor, Hatching, Line, Shade, Span, Type, place};
use super::palette::{PAPER, Paint};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle};
use plotters::style::{Color, RGBColor, ShapeStyle};
use plotters_backend::BackendCoord;
use std::cell::RefCell;
use std::rc::Rc;

/// A sheet that is drawn on.
pub struct Canvas {
    backend: Rc<RefCell<SvgBackend>>,
    area: DrawingArea<SvgBackend, Shift>,
    id: String,
    hatched: Vec<Paint>,
}

/// The corners of a rectangle in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    fn corners(self) -> [BackendCoord; 2] {
        [place(self.left, self.top), place(self.right, self.bottom)]
    }

    /// The area without an edge of this width.
    fn within(self, edge: f64) -> Self {
        let (left, right) = (self.left + edge, (self.right - edge).max(self.left + edge));
        Self { left, right, top: self.top + edge, bottom: self.bottom - edge }
    }
}

fn tenths(px: f64) -> u32 {
    (px * TENTHS).round().max(0.0) as u32
}

fn filled(paint: Paint, opacity: f64) -> ShapeStyle {
    let (red, green, blue) = paint.light;
    ShapeStyle { color: RGBColor(red, green, blue).mix(opacity), filled: true, stroke_width: 0 }
}

fn stroked(paint: Paint, width: f64, opacity: f64) -> ShapeStyle {
    ShapeStyle { filled: false, stroke_width: tenths(width), ..filled(paint, opacity) }
}

impl Canvas {
    /// An empty sheet of a width in pixels. `id` begins the ids in the file.
    pub fn new(width: u32, surroundings: Surroundings, id: String) -> Self {
        let backend = Rc::new(RefCell::new(SvgBackend::new(width, surroundings)));
        let area = DrawingArea::from(&backend);
        Self { backend, area, id, hatched: Vec::new() }
    }

    fn put<'e, E>(&self, element: &'e E)
    where
        &'e E: PointCollection<'e, BackendCoord>,
        E: Drawable<SvgBackend>,
    {
        // The backend writes to memory and is borrowed by nobody else: there is nothing that could fail.
        let drawn = self.area.draw(element);
        debug_assert!(drawn.is_ok(), "drawing in memory does not fail");
    }

    /// Begins the group of a row.
    pub fn open_row(&self, class: &str, title: &str) {
        self.backend.borrow_mut().open_row(class, title);
    }

    /// Ends it.
    pub fn close_row(&self) {
        self.backend.borrow_mut().close_row();
    }

    /// The next element begins on a line of its own in the file.
    pub fn new_line(&self) {
        self.backend.borrow_mut().write(format_args!("\n"));
    }

    /// A line of text whose anchor lies at `x` on the base line `y`.
    pub fn text(&self, x: f64, y: f64, anchor: Anchor, kind: Type, text: &str) {
        self.spans(x, y, anchor, vec![Span { text, kind }]);
    }

    /// Texts of several faces behind each other, the first of which begins at `x`.
    pub fn spans(&self, x: f64, y: f64, anchor: Anchor, spans: Vec<Span<'_>>) {
        self.put(&Line { at: place(x, y), anchor, spans });
    }

    /// A filled rectangle.
    pub fn fill(&self, area: Area, paint: Paint, opacity: f64) {
        self.put(&Rectangle::new(area.corners(), filled(paint, opacity)));
    }

    /// A filled rectangle with round corners.
    pub fn shade(&self, area: Area, paint: Paint, opacity: f64) {
        self.put(&Shade { corners: area.corners(), paint, opacity });
    }

    /// A rectangle on paper with an outline that lies within it.
    pub fn outline(&self, area: Area, paint: Paint, width: f64) {
        self.put(&Rectangle::new(area.within(width / 2.0).corners(), stroked(paint, width, 1.0)));
    }

    /// A hatched rectangle.
    pub fn hatch(&mut self, area: Area, paint: Paint, opacity: f64) {
        if !self.hatched.contains(&paint) {
            self.hatched.push(paint);
        }
        self.put(&Hatching { corners: area.corners(), id: &self.id, paint, opacity });
    }

    /// A straight line.
    pub fn line(&self, from: (f64, f64), to: (f64, f64), paint: Paint, width: f64, opacity: f64) {
        self.put(&PathElement::new([place(from.0, from.1), place(to.0, to.1)], stroked(paint, width, opacity)));
    }

    /// A filled circle.
    pub fn disc(&self, x: f64, y: f64, radius: f64, paint: Paint, opacity: f64) {
        self.put(&Circle::new(place(x, y), tenths(radius), filled(paint, opacity)));
    }

    /// A hollow circle, with paper in it where it lies on something.
    pub fn ring(&self, x: f64, y: f64, radius: f64, paint: Paint, width: f64) {
        self.put(&Circle::new(place(x, y), tenths(radius), filled(PAPER, 1.0)));
        self.put(&Circle::new(place(x, y), tenths(radius), stroked(paint, width, 1.0)));
    }

    /// A square on its corner, as wide as high; hollow with paper in it.
    pub fn diamond(&self, x: f64, y: f64, reach: f64, paint: Paint, is_hollow: bool) {
        let corners = [place(x - reach, y), place(x, y - reach), place(x + reach, y), place(x, y + reach)];
        self.put(&Polygon::new(corners, filled(if is_hollow { PAPER } else { paint }, 1.0)));
        if is_hollow {
            let [first, ..] = corners;
            let closed: Vec<BackendCoord> = corners.into_iter().chain([first]).collect();
            self.put(&PathElement::new(closed, stroked(paint, 1.5, 1.0)));
        }
    }

    /// A line through points, with round corners.
    pub fn curve(&self, points: impl IntoIterator<Item = (f64, f64)>, paint: Paint, width: f64, opacity: f64) {
        let points: Vec<BackendCoord> = points.into_iter().map(|(x, y)| place(x, y)).collect();
        self.put(&Curve { points, paint, width, opacity });
    }

    /// A filled shape with these corners.
    pub fn ribbon(&self, corners: impl IntoIterator<Item = (f64, f64)>, paint: Paint, opacity: f64) {
        let corners: Vec<BackendCoord> = corners.into_iter().map(|(x, y)| place(x, y)).collect();
        self.put(&Ribbon { corners, paint, opacity });
    }

    /// A small triangle as wide as high, which points up or down.
    pub fn triangle(&self, x: f64, y: f64, reach: f64, is_up: bool, paint: Paint) {
        let (tip, base) = if is_up { (y - reach, y + reach) } else { (y + reach, y - reach) };
        self.ribbon([(x - reach, base), (x + reach, base), (x, tip)], paint, 1.0);
    }

    /// The whole file; `height` is in pixels.
    pub fn document(self, title: String, description: String, height: f64) -> String {
        let head = Head { id: self.id, title, description, hatched: self.hatched };
        self.backend.borrow().document(&head, height)
    }
}
