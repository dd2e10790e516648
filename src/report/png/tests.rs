//! Tests of pictures: read back by a decoder, the same each time, with all their text in them, and never without words.

use super::*;
use crate::model::identity::Identity;
use crate::model::record::RunRecord;
use crate::model::sample;
use crate::report::chart::{CHARTS, ChartChoice};
use resvg::usvg::{Node, Rect, Tree};
use std::io::Cursor;

/// The pixels of a file, three bytes each.
struct Pixels {
    width: usize,
    height: usize,
    channels: Vec<u8>,
}

impl Pixels {
    /// How many pixels within a box of the drawing are dark.
    fn ink(&self, area: Rect, scale: f32) -> usize {
        let range = |from: f32, to: f32, most: usize| (from * scale).max(0.0) as usize..((to * scale).ceil() as usize).min(most);
        let rows = range(area.top(), area.bottom(), self.height);
        let columns = range(area.left(), area.right(), self.width);
        let is_dark = |(row, column): (usize, usize)| self.channels[(row * self.width + column) * 3..][..3].iter().all(|one| *one < 160);
        rows.flat_map(|row| columns.clone().map(move |column| (row, column))).filter(|place| is_dark(*place)).count()
    }
}

fn picture_of(report: &Report<'_>) -> Vec<u8> {
    match Png.render(report) {
        Rendering::Picture(bytes) => bytes,
        Rendering::Text(text) => panic!("{text}"),
    }
}

fn pixels_of(file: &[u8]) -> Pixels {
    let mut reader = png::Decoder::new(Cursor::new(file)).read_info().unwrap();
    let mut channels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut channels).unwrap();
    assert_eq!((frame.color_type, frame.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    reader.finish().unwrap();
    Pixels { width: frame.width as usize, height: frame.height as usize, channels }
}

/// Every text of a drawing with its box.
fn texts_of(drawing: &str) -> Vec<(String, Rect)> {
    let tree = Tree::from_str(drawing, &font::options()).unwrap();
    let mut found = Vec::new();
    let mut groups = vec![tree.root()];
    while let Some(group) = groups.pop() {
        for node in group.children() {
            match node {
                Node::Group(inner) => groups.push(inner),
                Node::Text(text) => {
                    found.push((text.chunks().iter().map(|chunk| chunk.text()).collect(), text.abs_bounding_box()));
                }
                Node::Path(_) | Node::Image(_) => {}
            }
        }
    }
    found
}

/// The records with more workloads than the first.
fn of_workloads(count: u64, record: &RunRecord) -> Vec<RunRecord> {
    (1..=count).map(|workload| RunRecord { workload_id: Identity(workload), ..record.clone() }).collect()
}

#[test]
fn the_picture_is_the_drawing_at_twice_its_size_and_the_same_each_time() {
    let records = [sample::run("ext4", 1), sample::run("xfs", 1)];
    for (kind, narrow) in CHARTS.iter().flat_map(|kind| [(*kind, false), (*kind, true)]) {
        let report = Report { chart: ChartChoice { kind: Some(kind), narrow }, ..Report::of(&records) };
        let file = picture_of(&report);
        let pixels = pixels_of(&file);
        assert_eq!(pixels.width, if narrow { 720 } else { 1800 });
        assert_eq!(file, picture_of(&report), "the same bytes twice");
        let paper = pixels.channels.chunks(3).filter(|pixel| *pixel == [255; 3]).count();
        assert!(paper * 2 > pixels.width * pixels.height, "light paper behind everything");
    }
}

#[test]
fn nothing_tells_when_or_where_it_was_made() {
    let file = picture_of(&Report::of(&[sample::run("ext4", 1)]));
    let mut names = Vec::new();
    let mut rest = &file[8..];
    while let Some((head, behind)) = rest.split_at_checked(8) {
        let length = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
        names.push(String::from_utf8(head[4..].to_vec()).unwrap());
        rest = &behind[length + 4..];
    }
    names.dedup();
    assert_eq!(names, ["IHDR", "pHYs", "IDAT", "IEND"]);
}

#[test]
fn every_text_is_set_and_leaves_ink() {
    let labels = ["ext4", "Größe Ωmega", "диск", "כונן", "漢字", "😴", "e\u{301}"];
    let records = labels.map(|label| sample::run(label, 1));
    let report = Report::of(&records);
    let drawing = svg::drawing(&report);
    let texts = texts_of(&drawing);
    assert_eq!(texts.len(), drawing.matches("<text").count(), "no text is dropped");
    let pixels = pixels_of(&picture_of(&report));
    for (text, area) in &texts {
        let ink = pixels.ink(*area, 2.0);
        assert!(ink >= 4 * text.chars().filter(|letter| !letter.is_whitespace()).count(), "`{text}` {area:?}: {ink} dark pixels");
    }
    for label in labels {
        assert!(texts.iter().any(|(text, _)| text == label), "{label}");
    }
}

#[test]
fn bold_is_bold_and_unknown_letters_are_boxes() {
    let text = |letters: &str, weight: &str| {
        let drawing = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"40\" font-family=\"monospace\" font-size=\"20\">\
             <text x=\"5\" y=\"30\"{weight}>{letters}</text></svg>\n"
        );
        let (found, area) = texts_of(&drawing).remove(0);
        assert_eq!(found, letters);
        (area, pixels_of(&raster::picture(&drawing).unwrap()).ink(area, 2.0))
    };
    let (regular, bold) = (text("barrow", ""), text("barrow", " font-weight=\"600\""));
    assert!(bold.1 as f64 > regular.1 as f64 * 1.3 && bold.0.width() > regular.0.width(), "{regular:?} {bold:?}");
    let (one, two) = (text("漢", ""), text("漢字", ""));
    assert!(one.1 > 50 && two.1 == 2 * one.1, "a box a letter: {one:?} {two:?}");
    assert_eq!(text("漢", "").1, text("\u{e000}", "").1, "the same box for every letter that is not known");
}

#[test]
fn no_runs_make_a_picture_that_says_so() {
    assert!(pixels_of(&picture_of(&Report::of(&[]))).height > 20);
}

#[test]
fn what_is_high_is_drawn_smaller_and_what_is_too_high_says_so() {
    let record = sample::run("ext4", 1);
    let heights = [1_u64, 30, 70].map(|workloads| {
        let records = of_workloads(workloads, &record);
        let pixels = pixels_of(&picture_of(&Report::of(&records)));
        (pixels.width, pixels.height)
    });
    assert_eq!(heights[0].0, 1800);
    assert_eq!(heights[1].0, 900);
    assert!(heights[1].1 > 10_000 && heights[1].1 <= raster::MOST_HEIGHT as usize, "{heights:?}");
    assert!(heights[2].0 == 1800 && heights[2].1 < 400, "a notice: {heights:?}");
}

#[test]
fn a_notice_has_all_its_words_in_both_widths() {
    for problem in [NoPicture::TooHigh(123_456), NoPicture::TooMuch] {
        for narrow in [false, true] {
            let report = Report { chart: ChartChoice { kind: None, narrow }, ..Report::of(&[]) };
            let words = problem.in_words();
            let texts: Vec<String> = texts_of(&svg::notice(&report, "Not drawn", &words)).into_iter().map(|(text, _)| text).collect();
            assert_eq!(texts[1..].join(" "), words);
        }
    }
    assert!(NoPicture::TooHigh(123_456).in_words().starts_with("The charts are 123,456 pixels high, and a PNG is drawn up to 32,767."));
}

#[test]
fn a_hundred_targets_are_drawn_whole() {
    let records: Vec<RunRecord> = (0..100).map(|target| sample::run(&format!("target {target}"), 1)).collect();
    let report = Report::of(&records);
    let texts = texts_of(&svg::drawing(&report)).len();
    let pixels = pixels_of(&picture_of(&report));
    assert!(texts > 2000 && pixels.width == 900 && pixels.height > 15_000, "{texts} {} {}", pixels.width, pixels.height);
}
