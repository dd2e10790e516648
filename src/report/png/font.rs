//! The fonts of a picture: two faces of DejaVu Sans that are part of barrow, and none of the machine.

use resvg::usvg::Options;

/// Made as `font/made-by.txt` says; their licence is `font/LICENSE`, and stands in the fonts themselves.
const FACES: [&[u8]; 2] = [include_bytes!("font/DejaVuSans.ttf"), include_bytes!("font/DejaVuSans-Bold.ttf")];

/// The name of both faces.
const FAMILY: &str = "DejaVu Sans";

/// How a drawing is read: whatever family it asks for, it is set in these faces. A character that they do not have becomes a box.
pub fn options() -> Options<'static> {
    let mut options = Options { font_family: FAMILY.to_owned(), ..Options::default() };
    let fonts = options.fontdb_mut();
    for face in FACES {
        fonts.load_font_data(face.to_vec());
    }
    // A family that is missing would make text vanish without a word.
    fonts.set_sans_serif_family(FAMILY);
    fonts.set_serif_family(FAMILY);
    fonts.set_monospace_family(FAMILY);
    options
}
