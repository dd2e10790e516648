//! The widths of texts, as an upper bound, and what is done with a text that is too wide: wrapped, then cut.
//!
//! The table is of DejaVu Sans, the widest face of the list that the charts ask for: what fits with it fits with all.

use unicode_width::UnicodeWidthChar;

/// Advance widths of U+0020 to U+007E in thousandths of the size: DejaVu Sans 2.37.
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, 637, 637, 637, 637, 637, 637, 637, 637, 637, 637, 337,
    337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632, 576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635, 611, 732,
    685, 989, 686, 611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612, 635,
    635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];

/// The same of DejaVu Sans Bold.
const BOLD: [u16; 95] = [
    349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366, 696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400,
    400, 838, 838, 838, 581, 1000, 774, 763, 734, 831, 684, 684, 821, 837, 373, 373, 775, 638, 996, 837, 851, 733, 851, 771, 721, 683, 813,
    774, 1104, 771, 725, 726, 458, 366, 458, 838, 500, 500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666, 343, 1042, 712, 688,
    716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
];

/// A face of text: size in px, and whether it is bold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    pub size: f64,
    pub is_bold: bool,
}

/// The width of a text in px, at the most.
pub fn width(text: &str, face: Face) -> f64 {
    let thousandths: u32 = text.chars().map(|letter| u32::from(advance(letter, face.is_bold))).sum();
    f64::from(thousandths) * face.size / 1000.0
}

fn advance(letter: char, is_bold: bool) -> u16 {
    let table = if is_bold { &BOLD } else { &REGULAR };
    let place = usize::try_from(u32::from(letter).wrapping_sub(0x20)).unwrap_or(usize::MAX);
    if let Some(width) = table.get(place) {
        return *width;
    }
    match letter {
        '–' | '°' => 500,
        '·' | '’' => 380,
        'µ' => 736,
        '×' | '±' | '≥' | '≤' | '→' => 838,
        '…' => 1000,
        // The widest letter of each block, in bold.
        '\u{a0}'..='\u{ff}' => 1085,
        '\u{100}'..='\u{24f}' => 1556,
        '\u{370}'..='\u{3ff}' => 1093,
        '\u{400}'..='\u{52f}' => 1406,
        '\u{590}'..='\u{5ff}' => 800,
        '\u{600}'..='\u{6ff}' => 1400,
        // A mark on the letter before it; the square that stands for an unknown letter is 600.
        other if other.width() == Some(0) => 600,
        // Two columns on a terminal: a square, with some room for the widest fonts.
        other if other.width() == Some(2) => 1650,
        _ => 1900,
    }
}

/// The text, or as much of its beginning as fits with `…` behind it.
pub fn cut(text: &str, room: f64, face: Face) -> String {
    if width(text, face) <= room {
        return text.to_owned();
    }
    format!("{}…", beginning(text, room - width("…", face), face).trim_end())
}

/// The text, or its beginning and its end with `…` between them.
pub fn cut_in_the_middle(text: &str, room: f64, face: Face) -> String {
    if width(text, face) <= room {
        return text.to_owned();
    }
    let half = (room - width("…", face)) / 2.0;
    let mut end: Vec<char> = Vec::new();
    for letter in text.chars().rev() {
        end.insert(0, letter);
        if width(&end.iter().collect::<String>(), face) > half {
            end.remove(0);
            break;
        }
    }
    let end: String = end.into_iter().collect();
    format!("{}…{}", beginning(text, half, face).trim_end(), end.trim_start())
}

/// The longest beginning of a text that fits.
fn beginning(text: &str, room: f64, face: Face) -> &str {
    let mut taken = 0.0;
    for (start, letter) in text.char_indices() {
        taken += f64::from(advance(letter, face.is_bold)) * face.size / 1000.0;
        if taken > room {
            return text.get(..start).unwrap_or_default();
        }
    }
    text
}

/// Breaks a text into at most `most` lines: at blanks (but not behind a number, which stays with its word), else anywhere; what is left
/// over is cut from the last.
pub fn wrap(text: &str, room: f64, face: Face, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if lines.len() + 1 == most || width(rest, face) <= room {
            lines.push(cut(rest, room, face));
            break;
        }
        let fitting = beginning(rest, room, face);
        // A blank just behind what fits is a place to break, too.
        let reach = fitting.len() + usize::from(rest.get(fitting.len()..).is_some_and(|behind| behind.starts_with(' ')));
        let end = match rest.get(..reach).and_then(last_break) {
            Some(blank) => blank,
            None => fitting.len().max(rest.chars().next().map_or(1, char::len_utf8)),
        };
        let (line, behind) = rest.split_at(end);
        lines.push(line.trim_end().to_owned());
        rest = behind.trim_start();
    }
    lines
}

/// The last blank at which a text may be broken.
fn last_break(text: &str) -> Option<usize> {
    let blanks = || text.match_indices(' ').map(|(blank, _)| blank).filter(|blank| *blank > 0);
    let is_behind_number = |blank: &usize| {
        let word = text.get(..*blank).unwrap_or_default().rsplit(' ').next().unwrap_or_default();
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, ',' | '.' | '('))
    };
    blanks().rfind(|blank| !is_behind_number(blank)).or_else(|| blanks().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLAIN: Face = Face { size: 10.0, is_bold: false };
    const HEAVY: Face = Face { size: 10.0, is_bold: true };

    #[test]
    fn texts_have_the_width_of_dejavu() {
        // What fontTools says of DejaVuSans.ttf 2.37, in units of 2048: M 1767, i 569, blank 651, digits 1303.
        let exact = |units: u32| f64::from(units) / 204.8;
        for (text, units) in [("M", 1767), ("i", 569), (" ", 651), ("0123456789", 13030)] {
            let width = width(text, PLAIN);
            assert!(width >= exact(units) && width < exact(units) + 0.1, "{text}: {width}");
        }
        assert!(width("M", HEAVY) > width("M", PLAIN));
        assert_eq!(width("", PLAIN), 0.0);
    }

    #[test]
    fn too_wide_texts_are_wrapped_then_cut() {
        assert_eq!(cut("ext4", 100.0, PLAIN), "ext4");
        assert_eq!(cut("a long label", 40.0, PLAIN), "a lon…");
        assert_eq!(cut_in_the_middle("a long label of a target", 60.0, PLAIN), "a lon…rget");
        assert_eq!(wrap("btrfs with zstd:3 on a disk", 60.0, PLAIN, 2), ["btrfs with", "zstd:3 on…"]);
        assert_eq!(wrap("one two", 100.0, PLAIN, 2), ["one two"]);
        assert_eq!(wrap("all of 3 targets", 60.0, PLAIN, 2), ["all of", "3 targets"]);
        assert_eq!(wrap("漢字漢字漢字", 35.0, PLAIN, 2), ["漢字", "漢…"]);
        assert!(wrap("", 10.0, PLAIN, 2).is_empty());
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide(text in "[ -~漢é😀ש]{0,80}", room in 40.0_f64..200.0, most in 1_usize..5) {
            let lines = wrap(&text, room, PLAIN, most);
            prop_assert!(lines.len() <= most);
            prop_assert!(lines.iter().all(|line| width(line, PLAIN) <= room), "{lines:?}");
            prop_assert!(width(&cut_in_the_middle(&text, room, PLAIN), PLAIN) <= room);
        }
    }
}
