//! From a drawing to the bytes of a PNG file: its size, its pixels, and nothing of when or where it was made.

use super::{NoPicture, font};
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter, PixelDimensions, Unit};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::Tree;
use std::io::Write;

/// Pixels of the picture for a pixel of the drawing: screens of today have two where a page counts one.
const USUAL_SCALE: u32 = 2;

/// The most pixels that a picture is high: browsers and drawing programs show nothing higher, for they keep places in 16 bits. Of the
/// wide form that is 118 MB at its own scale, and 236 MB at twice.
pub const MOST_HEIGHT: u32 = 32_767;

/// The places on a screen that are an inch, as CSS counts them.
const PIXELS_PER_INCH: f64 = 96.0;

const INCHES_PER_METRE: f64 = 1.0 / 0.0254;

/// The picture of an SVG file that barrow drew: at twice its size, or at its own where it would be too high.
///
/// # Errors
/// When it is too high even so, or too much.
pub fn picture(drawing: &str) -> Result<Vec<u8>, NoPicture> {
    let tree = Tree::from_str(drawing, &font::options()).map_err(|_| NoPicture::TooMuch)?;
    let size = tree.size().to_int_size();
    let scale = scale_of(size.height())?;
    let mut pixels = Pixmap::new(size.width() * scale, size.height() * scale).ok_or(NoPicture::TooMuch)?;
    // The drawing lays its own paper over it; no pixel may be clear.
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixels.as_mut());
    drop(tree);
    // Memory takes all that is written.
    file_of(&pixels, scale).map_err(|_| NoPicture::TooMuch)
}

fn scale_of(height: u32) -> Result<u32, NoPicture> {
    let fitting = (1..=USUAL_SCALE).rev().find(|scale| u64::from(height) * u64::from(*scale) <= u64::from(MOST_HEIGHT));
    fitting.ok_or(NoPicture::TooHigh(u64::from(height)))
}

/// The file of some pixels on opaque paper, which need no fourth channel.
fn file_of(pixels: &Pixmap, scale: u32) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_filter(Filter::NoFilter);
    encoder.set_pixel_dims(Some(density(scale)));
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    let width = usize::try_from(pixels.width()).unwrap_or(usize::MAX);
    for row in pixels.pixels().chunks(width) {
        let channels: Vec<u8> = row.iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
        stream.write_all(&channels)?;
    }
    stream.finish()?;
    writer.finish()?;
    Ok(file)
}

/// How dense the pixels lie, so that programs that print it make it as large as the drawing.
fn density(scale: u32) -> PixelDimensions {
    let per_metre = (f64::from(scale) * PIXELS_PER_INCH * INCHES_PER_METRE).round() as u32;
    PixelDimensions { xppu: per_metre, yppu: per_metre, unit: Unit::Meter }
}
