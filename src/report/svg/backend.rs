//! The backend that plotters draws on: it writes SVG. Its unit is a tenth of a pixel, so that plotters' whole numbers are fine enough.

use super::palette::{self, PAPER, Paint};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;
use std::fmt::Write;

/// Units in a pixel.
pub const TENTHS: f64 = 10.0;

/// The face that all texts ask for; no file is loaded.
const FACES: &str =
    "-apple-system,&quot;Segoe UI&quot;,Roboto,&quot;Noto Sans&quot;,&quot;Liberation Sans&quot;,Arial,&quot;DejaVu Sans&quot;,sans-serif";

/// Where a drawing stands, which decides how it gets its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surroundings {
    /// In a file of its own: each element has its colour, and a style sheet the dark ones.
    File,
    /// In a page, whose style sheet gives every class its colour.
    Page,
}

/// What is drawn so far.
#[derive(Debug)]
pub struct SvgBackend {
    width: u32,
    surroundings: Surroundings,
    body: String,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// What stands in the head of a file, beside its size.
#[derive(Debug)]
pub struct Head {
    /// Begins each id, so that files can stand in one page.
    pub id: String,
    pub title: String,
    pub description: String,
    /// Colours whose hatching is used.
    pub hatched: Vec<Paint>,
}

impl SvgBackend {
    /// An empty sheet; `width` is in pixels, its height comes with [`Self::document`].
    pub fn new(width: u32, surroundings: Surroundings) -> Self {
        Self { width, surroundings, body: String::new() }
    }

    /// The attributes of what is filled with a colour.
    pub fn fill(&self, paint: Paint) -> String {
        let name = paint.name;
        match self.surroundings {
            Surroundings::File => format!("class=\"f-{name}\" fill=\"{}\"", palette::hex(paint.light)),
            Surroundings::Page => format!("class=\"f-{name}\""),
        }
    }

    /// The attributes of what is drawn in a colour.
    pub fn stroke(&self, paint: Paint) -> String {
        let name = paint.name;
        match self.surroundings {
            Surroundings::File => format!("class=\"s-{name}\" stroke=\"{}\"", palette::hex(paint.light)),
            Surroundings::Page => format!("class=\"s-{name}\""),
        }
    }

    /// The attributes of what is filled, and edged in paper, so that it stands off what it lies on.
    fn fill_edged(&self, paint: Paint) -> String {
        let (name, light, paper) = (paint.name, palette::hex(paint.light), palette::hex(PAPER.light));
        match self.surroundings {
            Surroundings::File => format!("class=\"f-{name} s-paper\" fill=\"{light}\" stroke=\"{paper}\""),
            Surroundings::Page => format!("class=\"f-{name} s-paper\""),
        }
    }

    /// Begins a group that has a sentence of its own.
    pub fn open_row(&mut self, class: &str, title: &str) {
        let _ = write!(self.body, "\n<g class=\"{class}\"><title>{}</title>", escaped(title));
    }

    /// Ends it.
    pub fn close_row(&mut self) {
        self.body.push_str("</g>");
    }

    /// Writes an element that plotters does not know.
    pub fn write(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = self.body.write_fmt(element);
    }

    /// The whole drawing: in a file with its face, its style sheet and its paper, in a page without. `height` is in pixels.
    pub fn document(&self, head: &Head, height: f64) -> String {
        let Head { id, title, description, .. } = head;
        let (width, height, patterns) = (self.width, height.ceil(), self.patterns(head));
        let (title, description) = (escaped(title), escaped(description));
        let named = format!("role=\"img\" aria-labelledby=\"{id}-t {id}-d\"");
        let words = format!("<title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>");
        match self.surroundings {
            Surroundings::File => format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
                 {named} font-family=\"{FACES}\" font-size=\"12\" style=\"max-width:100%;height:auto\">\
                 {words}<style>{}</style>{patterns}<rect width=\"100%\" height=\"100%\" {}/>{}</svg>\n",
                palette::style(),
                self.fill(PAPER),
                self.body
            ),
            Surroundings::Page => {
                format!("<svg viewBox=\"0 0 {width} {height}\" {named}>{words}{patterns}{}</svg>", self.body)
            }
        }
    }

    /// The hatchings that are used.
    fn patterns(&self, Head { id, hatched, .. }: &Head) -> String {
        let mut patterns = String::new();
        for paint in hatched {
            let (name, stroke) = (paint.name, self.stroke(*paint));
            let _ = write!(
                patterns,
                "<pattern id=\"{id}-h{name}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><path d=\"M0 0V5\" {stroke} stroke-width=\"3.2\" fill=\"none\"/></pattern>"
            );
        }
        if patterns.is_empty() { patterns } else { format!("<defs>{patterns}</defs>") }
    }

    /// The attributes of an outline in the width of a style.
    fn outline(&self, paint: Paint, style: &impl BackendStyle) -> String {
        let width = px(i32::try_from(style.stroke_width()).unwrap_or(i32::MAX));
        format!("{} stroke-width=\"{width}\" fill=\"none\"", self.stroke(paint))
    }

    fn path(&mut self, points: &str, style: &impl BackendStyle) {
        let width = i32::try_from(style.stroke_width()).unwrap_or(i32::MAX);
        let (paint, opacity) = ink(style.color());
        // A thick line is a range behind a mark: its ends are round.
        let ends = if width >= THICK { " stroke-linecap=\"round\"" } else { "" };
        let (stroke, width) = (self.stroke(paint), px(width));
        self.write(format_args!("<path d=\"M{points}\" {stroke} stroke-width=\"{width}\" fill=\"none\"{ends}{opacity}/>"));
    }
}

/// From this width on a line has round ends, in tenths of a pixel.
const THICK: i32 = 50;

/// The colour behind plotters' channels, and the attribute of its opacity.
fn ink(color: BackendColor) -> (Paint, String) {
    let opacity = if color.alpha < 1.0 { format!(" opacity=\"{}\"", short(color.alpha)) } else { String::new() };
    (palette::named_by(color.rgb), opacity)
}

/// A share in two decimals: `.45`.
pub fn short(share: f64) -> String {
    format!("{share:.2}").trim_start_matches('0').trim_end_matches('0').to_owned()
}

/// Tenths of a pixel as pixels: `12.3`, `12`.
pub fn px(tenths: i32) -> String {
    let (sign, whole, rest) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    if rest == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") }
}

/// A text as XML has it. What XML cannot hold at all becomes `?`.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            control if control.is_control() => escaped.push('?'),
            plain => escaped.push(plain),
        }
    }
    escaped
}

impl DrawingBackend for SvgBackend {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        // As high as it may become; plotters moves what lies beyond to the edge.
        (self.width * 10, u32::MAX / 4)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        self.draw_rect((x, y), (x + 1, y + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let points: Vec<String> = path.into_iter().map(|(x, y)| format!("{} {}", px(x), px(y))).collect();
        self.path(&points.join("L"), style);
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(&mut self, one: BackendCoord, other: BackendCoord, style: &S, fill: bool) -> Drawn {
        // plotters may give the corners in any order.
        let (x, y) = (px(one.0.min(other.0)), px(one.1.min(other.1)));
        let (width, height) = (px((one.0 - other.0).abs()), px((one.1 - other.1).abs()));
        let (paint, opacity) = ink(style.color());
        let ink = if fill { self.fill(paint) } else { self.outline(paint, style) };
        self.write(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {ink}{opacity}/>"));
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, (x, y): BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        let (x, y, radius) = (px(x), px(y), px(i32::try_from(radius).unwrap_or(i32::MAX)));
        let (paint, opacity) = ink(style.color());
        let ink = if fill { self.fill(paint) } else { self.outline(paint, style) };
        self.write(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {ink}{opacity}/>"));
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, corners: I, style: &S) -> Drawn {
        let points: Vec<String> = corners.into_iter().map(|(x, y)| format!("{} {}", px(x), px(y))).collect();
        let (paint, opacity) = ink(style.color());
        let (points, ink) = (points.join("L"), self.fill_edged(paint));
        self.write(format_args!("<path d=\"M{points}z\" {ink} stroke-linejoin=\"round\"{opacity}/>"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!((px(123), px(-5), px(0), px(100)), ("12.3".into(), "-0.5".into(), "0".into(), "10".into()));
        assert_eq!((short(0.45), short(0.2)), (".45".into(), ".2".into()));
    }

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(escaped("<&>\"'\u{1b}\u{ffff}"), "&lt;&amp;&gt;&quot;&#39;??");
    }
}
