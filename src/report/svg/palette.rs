//! The colours, light and dark: Okabe-Ito hues whose lightness was moved until each mark has 3:1 on its paper (`LOOK.md` 3).

use crate::report::chart::model::Tone;
use std::fmt::Write;

/// A colour by name, on white and on dark paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint {
    /// The name of its classes: `f-NAME` fills, `s-NAME` strokes.
    pub name: &'static str,
    pub light: (u8, u8, u8),
    pub dark: (u8, u8, u8),
}

const fn paint(name: &'static str, light: u32, dark: u32) -> Paint {
    Paint { name, light: channels(light), dark: channels(dark) }
}

const fn channels(rgb: u32) -> (u8, u8, u8) {
    let [_, red, green, blue] = rgb.to_be_bytes();
    (red, green, blue)
}

pub const PAPER: Paint = paint("paper", 0x00FF_FFFF, 0x0014_171A);
/// Medians, titles, the median tick.
pub const INK: Paint = paint("ink", 0x0016_191D, 0x00EC_EEF1);
/// Ranges, labels of rows.
pub const I2: Paint = paint("i2", 0x0045_4C55, 0x00BF_C5CC);
/// Units, axes, notes.
pub const I3: Paint = paint("i3", 0x0062_6A74, 0x0099_A1AB);
/// The line at zero: decoration.
pub const RULE: Paint = paint("rule", 0x00C9_CED4, 0x0046_4D55);
/// The other lines of an axis: decoration.
pub const GRID: Paint = paint("grid", 0x00E4_E7EB, 0x002B_3036);
/// What is not resolved, or the same.
pub const GREY: Paint = paint("grey", 0x007A_828C, 0x008A_929C);
/// The ground of code in a page.
pub const TINT: Paint = paint("tint", 0x00F3_F5F7, 0x001E_2226);
/// The targets, in the order of the run file.
pub const TARGETS: [Paint; 6] = [
    paint("t1", 0x002F_8BD8, 0x004A_9FF5),
    paint("t2", 0x00CA_8300, 0x00EB_A015),
    paint("t3", 0x0000_6347, 0x006F_DDBB),
    paint("t4", 0x009A_5C88, 0x00B9_749E),
    paint("t5", 0x00AC_1D09, 0x00E8_541E),
    paint("t6", 0x005E_2F96, 0x00CB_B8FF),
];
const GROUND: [Paint; 7] = [PAPER, INK, I2, I3, RULE, GRID, GREY];

/// Every colour that is used.
pub fn all() -> impl Iterator<Item = Paint> {
    GROUND.into_iter().chain(TARGETS)
}

/// The colour of a row's marks.
pub fn of(tone: Tone) -> Paint {
    match tone {
        Tone::Target(place) => TARGETS.get(place).copied().unwrap_or(I2),
        Tone::Plain(_) => I2,
    }
}

/// The colour with these channels on white paper.
pub fn named_by(light: (u8, u8, u8)) -> Paint {
    all().find(|paint| paint.light == light).unwrap_or(INK)
}

/// `#2F8BD8`.
pub fn hex((red, green, blue): (u8, u8, u8)) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// The variables of a page's style sheet, one a colour: `--t1:#2F8BD8;`.
pub fn variables(is_dark: bool) -> String {
    let value = |paint: Paint| hex(if is_dark { paint.dark } else { paint.light });
    all().chain([TINT]).map(|paint| format!("--{}:{};", paint.name, value(paint))).collect()
}

/// The rules of a page's style sheet that give each class of a drawing its colour.
pub fn classes() -> String {
    all().map(|Paint { name, .. }| format!(".f-{name}{{fill:var(--{name})}}.s-{name}{{stroke:var(--{name})}}\n")).collect()
}

/// The rules that turn each colour into its dark one where the reader's surroundings are dark.
pub fn style() -> String {
    let mut rules = "text{font-variant-numeric:tabular-nums lining-nums}@media(prefers-color-scheme:dark){".to_owned();
    for Paint { name, dark, .. } in all() {
        let dark = hex(dark);
        let _ = write!(rules, ".f-{name}{{fill:{dark}}}.s-{name}{{stroke:{dark}}}");
    }
    rules.push('}');
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG 2.2: relative luminance of sRGB.
    fn luminance((red, green, blue): (u8, u8, u8)) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    fn contrast(one: (u8, u8, u8), other: (u8, u8, u8)) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_and_marks_can_be_seen_on_both_papers() {
        assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
        let text = [INK, I2, I3].map(|paint| (paint, 4.5));
        let marks = TARGETS.map(|paint| (paint, 3.0));
        for (paint, least) in text.into_iter().chain(marks).chain([(GREY, 3.0)]) {
            assert!(contrast(paint.light, PAPER.light) >= least, "{} on white", paint.name);
            assert!(contrast(paint.dark, PAPER.dark) >= least, "{} on dark", paint.name);
        }
        for (paint, least) in text {
            assert!(contrast(paint.light, TINT.light) >= least, "{} on the light tint", paint.name);
            assert!(contrast(paint.dark, TINT.dark) >= least, "{} on the dark tint", paint.name);
        }
    }

    /// OKLab (Ottosson 2020), times 100.
    fn oklab((red, green, blue): (u8, u8, u8)) -> [f64; 3] {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let (r, g, b) = (linear(red), linear(green), linear(blue));
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        [
            0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
            1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
            0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
        ]
        .map(|part| part * 100.0)
    }

    #[test]
    fn the_six_targets_can_be_told_apart() {
        for (place, one) in TARGETS.iter().enumerate() {
            for other in &TARGETS[..place] {
                for (one, other) in [(one.light, other.light), (one.dark, other.dark)] {
                    let (one, other) = (oklab(one), oklab(other));
                    let distance = one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt();
                    assert!(distance >= 9.0, "{distance}");
                }
            }
        }
    }

    #[test]
    fn a_colour_is_known_by_its_channels() {
        for paint in all() {
            assert_eq!(named_by(paint.light), paint);
        }
        assert_eq!(hex(TARGETS[0].light), "#2F8BD8");
    }

    #[test]
    fn a_page_has_a_variable_for_every_class() {
        let variables = variables(true);
        for Paint { name, dark, .. } in all() {
            assert!(variables.contains(&format!("--{name}:{};", hex(dark))) && classes().contains(&format!("var(--{name})")));
        }
    }
}
