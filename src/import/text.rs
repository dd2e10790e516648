//! From the bytes of a file to lines as their program wrote them: without the marks of mail, of web pages and of other encodings.

use super::Line;
use std::borrow::Cow;

/// The shortest and longest line that a mail program breaks with `=`; with the marks of a quotation before it.
const BROKEN: std::ops::RangeInclusive<usize> = 60..=80;

/// The lines of a file that are not blank, each with the number that it has there. Marks of quotations before a line are taken off, the
/// entities of HTML and quoted-printable are decoded (that only where the text shows that it is), and what is no UTF-8 is replaced. Tabs
/// and all other blanks stay.
#[must_use]
pub fn lines(content: &[u8]) -> Vec<Line> {
    let content = utf8(content);
    let is_quoted_printable = shows_quoted_printable(&content);
    let mut parts = content.split(|byte| *byte == b'\n').map(without_end).zip(1..).peekable();
    let mut lines = Vec::new();
    while let Some((part, number)) = parts.next() {
        let whole = if is_quoted_printable { Cow::Owned(joined(part, parts.by_ref().map(|(part, _)| part))) } else { Cow::Borrowed(part) };
        let text = String::from_utf8_lossy(&whole);
        let text = with_blanks(decoded_entities(&text));
        let text = without_quotation_marks(&text);
        if !text.trim().is_empty() {
            lines.push(Line { number, text: text.to_owned(), is_ended: parts.peek().is_some() });
        }
    }
    lines
}

/// Without the mark of UTF-8 at its beginning; UTF-16, which has a mark of its own and which shells of Windows write, as UTF-8.
fn utf8(content: &[u8]) -> Cow<'_, [u8]> {
    let decoded = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).filter_map(|pair| Some(unit(pair.try_into().ok()?))).collect();
        Cow::Owned(String::from_utf16_lossy(&units).into_bytes())
    };
    match content {
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
        [0xff, 0xfe, rest @ ..] => decoded(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => decoded(rest, u16::from_be_bytes),
        _ => Cow::Borrowed(content),
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let blanks = line.iter().rev().take_while(|byte| **byte == b'\r').count();
    line.get(..line.len() - blanks).unwrap_or_default()
}

/// Whether a text is quoted-printable: it says so, or its lines end as only that form ends them. A `=3D` somewhere is not enough.
fn shows_quoted_printable(content: &[u8]) -> bool {
    const HEADER: &[u8] = b"content-transfer-encoding: quoted-printable";
    content.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).any(|line| match line {
        [.., before, b'='] if BROKEN.contains(&line.len()) => !before.is_ascii_whitespace() && *before != b'=',
        [.., b'=', b'2', b'0'] => true,
        _ => line.get(..HEADER.len()).is_some_and(|start| start.eq_ignore_ascii_case(HEADER)),
    })
}

/// A line of quoted-printable, decoded, with the lines behind it as long as the one before ends in `=`.
fn joined<'t>(first: &'t [u8], mut next: impl Iterator<Item = &'t [u8]>) -> Vec<u8> {
    let is_quoted = quotation_marks(first) > 0;
    let mut whole = Vec::with_capacity(first.len());
    let mut part = first;
    while let Some(broken) = part.trim_ascii_end().strip_suffix(b"=") {
        decode_into(&mut whole, broken);
        let Some(rest) = next.next() else { return whole };
        // A quotation of text that was quoted-printable already has its marks before each part.
        part = if is_quoted { rest.get(quotation_marks(rest)..).unwrap_or_default() } else { rest };
    }
    decode_into(&mut whole, part);
    whole
}

/// `=3D` as `=`; what is no such escape stays.
fn decode_into(whole: &mut Vec<u8>, line: &[u8]) {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut rest = line;
    while let Some((first, behind)) = rest.split_first() {
        let escape = match rest {
            [b'=', high, low, behind @ ..] => digit(*high).zip(digit(*low)).map(|(high, low)| (high << 4 | low, behind)),
            _ => None,
        };
        let (byte, behind) = escape.unwrap_or((*first, behind));
        // An escaped end of a line is none of the file's lines.
        whole.push(if matches!(byte, b'\n' | b'\r') { b' ' } else { byte });
        rest = behind;
    }
}

/// The bytes at the beginning of a line that are marks of quotations (`> `, `>> `, `| `), each with one blank behind it.
fn quotation_marks(line: &[u8]) -> usize {
    let mut length = 0;
    while let Some(rest) = line.get(length..) {
        let inside = rest.trim_ascii_start();
        let behind = match inside {
            [b'>' | b'|', b' ', behind @ ..] | [b'>' | b'|', behind @ ..] => behind,
            _ => break,
        };
        length = line.len() - behind.len();
    }
    length
}

fn without_quotation_marks(text: &str) -> &str {
    text.get(quotation_marks(text.as_bytes())..).unwrap_or_default()
}

/// The characters that web pages write as words.
const ENTITIES: [(&str, char); 6] = [("&gt;", '>'), ("&lt;", '<'), ("&amp;", '&'), ("&nbsp;", ' '), ("&quot;", '"'), ("&#39;", '\'')];

fn decoded_entities<'t>(text: &'t str) -> Cow<'t, str> {
    let known = |rest: &'t str| ENTITIES.iter().find_map(|(word, letter)| Some((*letter, rest.strip_prefix(word)?)));
    let Some(first) = text.match_indices('&').find(|(place, _)| known(&text[*place..]).is_some()) else {
        return Cow::Borrowed(text);
    };
    let (before, mut rest) = text.split_at(first.0);
    let mut decoded = before.to_owned();
    while let Some(letter) = rest.chars().next() {
        let (letter, behind) = known(rest).unwrap_or((letter, &rest[letter.len_utf8()..]));
        decoded.push(letter);
        rest = behind;
    }
    Cow::Owned(decoded)
}

/// Blanks where a browser put ones that do not break.
fn with_blanks(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\u{a0}') { Cow::Owned(text.replace('\u{a0}', " ")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(content: impl AsRef<[u8]>) -> Vec<(u64, String)> {
        lines(content.as_ref()).into_iter().map(|line| (line.number, line.text)).collect()
    }

    fn text(content: impl AsRef<[u8]>) -> String {
        let lines = texts(content);
        assert_eq!(lines.len(), 1, "{lines:?}");
        lines[0].1.clone()
    }

    #[test]
    fn lines_keep_their_numbers_and_blank_ones_are_left_out() {
        assert_eq!(texts("a\n\n  \r\n> \nb\r\r\n\tc  "), [(1, "a".to_owned()), (5, "b".to_owned()), (6, "\tc  ".to_owned())]);
        assert_eq!(texts(""), []);
        let is_ended = |content: &str| lines(content.as_bytes()).iter().map(|line| line.is_ended).collect::<Vec<_>>();
        assert_eq!((is_ended("a\nb"), is_ended("a\nb\n"), is_ended("a\n  ")), (vec![true, false], vec![true; 2], vec![true]));
    }

    #[test]
    fn other_encodings_are_read() {
        assert_eq!(text(b"\xef\xbb\xbfa,b"), "a,b");
        assert_eq!(text(b"a\xff,b"), "a\u{fffd},b");
        let little: Vec<u8> = "\u{feff}h\u{f6}st,1".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "\u{feff}h\u{f6}st,1".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((text(little), text(big)), ("h\u{f6}st,1".to_owned(), "h\u{f6}st,1".to_owned()));
    }

    #[test]
    fn quotation_marks_are_taken_off_with_one_blank_each() {
        for marks in ["> ", ">", "> > ", ">> ", ">>>", " > ", "| ", "> | ", "&gt; ", "&gt;&gt; "] {
            assert_eq!(text(format!("{marks}1.97,a|b>c,,2G")), "1.97,a|b>c,,2G", "{marks}");
        }
        assert_eq!(text(">    20:16"), "   20:16", "the place in the line is kept");
        assert_eq!(text("    20:16"), "    20:16");
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(text("a&nbsp;&lt;b&gt; &amp;lt; &quot;&#39; &other; &"), "a <b> &lt; \"' &other; &");
        assert_eq!(text("a\u{a0}b"), "a b");
    }

    #[test]
    fn quoted_printable_is_decoded_where_the_text_shows_it() {
        let long = "1.97,1.97,server,1,1329851830,8096M,,838,98,110033,7,48154,4,3609,7";
        assert_eq!(
            texts(format!("{long}=\r\n9,134153,x=3Dy=C3=A9=zz\nnext")),
            [(1, format!("{long}9,134153,x=y\u{e9}=zz")), (3, "next".to_owned())]
        );
        assert_eq!(text(format!("> {long}=\n> 9,13")), format!("{long}9,13"), "quoted when it was broken already");
        assert_eq!(text(format!("{long}=")), long);
        assert_eq!(texts("Version 1.97 =20\na=3D")[1].1, "a=");
        assert_eq!(texts("Content-Transfer-Encoding: Quoted-Printable\na=3D,=\nb")[1].1, "a=,b");
    }

    #[test]
    fn signs_that_look_alike_are_left_alone() {
        for same in ["a=3D,1", "a=\nb", &format!("{}=\nb", "=".repeat(70)), &format!("{} =\nb", "x".repeat(70))] {
            assert_eq!(texts(same).iter().map(|(_, text)| text.clone()).collect::<Vec<_>>().join("\n"), *same);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_lines_in_order(content in prop::collection::vec(prop::sample::select(b"a,=>| \r\n\xc3\xa9&gt;2D0".to_vec()), 0..400)) {
            let lines = lines(&content);
            let most = content.split(|byte| *byte == b'\n').count() as u64;
            prop_assert!(lines.windows(2).all(|pair| pair[0].number < pair[1].number));
            prop_assert!(lines.iter().all(|line| (1..=most).contains(&line.number) && !line.text.contains('\n')));
        }

        #[test]
        fn a_plain_line_is_itself(text in "[a-z0-9][ -%'-=?-{}]{0,40}[a-z]") {
            prop_assert_eq!(lines(text.as_bytes()), vec![Line { number: 1, text, is_ended: false }]);
        }
    }
}
