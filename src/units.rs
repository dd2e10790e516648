//! Sizes, rates and durations: what a person types becomes a number, a number becomes what a person reads.

/// A size that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// The text does not begin with a number or ends with an unknown suffix.
    #[error("`{0}` is not a size: write a number and k, m, g or t (powers of 1024), as in 8k, 1.5g or 4096")]
    NotASize(String),
    /// The number of bytes does not fit in 64 bits.
    #[error("`{0}` is too large a size")]
    TooLarge(String),
    /// The text has a fraction that is no whole number of bytes.
    #[error("`{0}` is not a whole number of bytes")]
    NotWhole(String),
}

const SUFFIXES: [(char, u32); 4] = [('k', 10), ('m', 20), ('g', 30), ('t', 40)];

/// Reads a size in bytes: `4096`, `8k`, `16g`, `1.5GiB`, `1t`. Suffixes are powers of 1024, upper or lower case,
/// with or without `b` or `ib`; a bare number is bytes.
///
/// # Errors
/// When the text is no number with a known suffix, has a fraction of a byte, or does not fit in 64 bits.
pub fn parse_size(text: &str) -> Result<u64, SizeError> {
    let not_a_size = || SizeError::NotASize(text.to_owned());
    let lower = text.trim().to_ascii_lowercase();
    let digits_end = lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len());
    let (number, suffix) = lower.split_at(digits_end);
    let shift = match suffix.trim().strip_suffix("ib").or(suffix.trim().strip_suffix('b')).unwrap_or(suffix.trim()) {
        "" => 0,
        letter => SUFFIXES.iter().find(|(c, _)| letter == c.to_string()).ok_or_else(not_a_size)?.1,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || (number.contains('.') && (fraction.is_empty() || fraction.len() > 9)) {
        return Err(not_a_size());
    }
    let too_large = || SizeError::TooLarge(text.to_owned());
    let whole: u64 = whole.parse().map_err(|_| if whole.chars().all(|c| c.is_ascii_digit()) { too_large() } else { not_a_size() })?;
    let whole_bytes = whole.checked_mul(1 << shift).ok_or_else(too_large)?;
    if fraction.is_empty() {
        return Ok(whole_bytes);
    }
    let scale = 10_u128.pow(u32::try_from(fraction.len()).map_err(|_| not_a_size())?);
    let numerator = fraction.parse::<u128>().map_err(|_| not_a_size())? << shift;
    if numerator % scale != 0 {
        return Err(SizeError::NotWhole(text.to_owned()));
    }
    let rest = u64::try_from(numerator / scale).map_err(|_| too_large())?;
    whole_bytes.checked_add(rest).ok_or_else(too_large)
}

/// A time that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time: write a whole number and ms, s, m or h, as in 30s")]
pub struct TimeError(String);

/// Reads a time in milliseconds: `500ms`, `30s`, `2m`, `1h`; a bare number is refused, since nobody would know its unit.
///
/// # Errors
/// When the text is no whole number with a known suffix, or does not fit.
pub fn parse_milliseconds(text: &str) -> Result<u64, TimeError> {
    let wrong = || TimeError(text.to_owned());
    let trimmed = text.trim();
    let digits_end = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
    let (number, suffix) = trimmed.split_at(digits_end);
    let unit = match suffix {
        "ms" => 1,
        "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(wrong)
}

/// Writes a size exactly, the way [`parse_size`] reads it, with the largest suffix that leaves a whole number: `4g`, `1536m`, `0`.
#[must_use]
pub fn exact_size(bytes: u64) -> String {
    if bytes == 0 {
        return "0".to_owned();
    }
    SUFFIXES
        .iter()
        .rev()
        .find(|(_, shift)| bytes.is_multiple_of(1 << shift))
        .map_or_else(|| bytes.to_string(), |(letter, shift)| format!("{}{letter}", bytes >> shift))
}

/// Writes a size for people, in three significant digits: `16 GiB`, `1.46 GiB`, `4 KiB`, `512 B`.
#[must_use]
pub fn rounded_size(bytes: u64) -> String {
    let names = [("KiB", 10_u32), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("PiB", 50)];
    match names.iter().rev().find(|(_, shift)| bytes >> shift != 0) {
        None => format!("{bytes} B"),
        Some((name, shift)) => {
            let value = bytes as f64 / (1_u64 << shift) as f64;
            let decimals = if value.fract() == 0.0 { 0 } else { decimals_for(value, 3) };
            let text = format!("{value:.decimals$}");
            let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            format!("{text} {name}")
        }
    }
}

/// The number of decimals that show `value` with `digits` significant digits (0 for values that need none).
#[must_use]
pub fn decimals_for(value: f64, digits: usize) -> usize {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    let magnitude = value.abs().log10().floor() as i64 + 1;
    usize::try_from(digits as i64 - magnitude).unwrap_or(0)
}

/// Rounds to `digits` significant digits.
#[must_use]
pub fn round_significant(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let magnitude = value.abs().log10().floor() as i32 + 1;
    let scale = 10_f64.powi((digits - magnitude).abs());
    let rounded = if digits >= magnitude { (value * scale).round() / scale } else { (value / scale).round() * scale };
    // The least and the greatest numbers have no power of ten beside them to be rounded with.
    if rounded.is_finite() { rounded } else { value }
}

/// Writes a number with a comma between thousands and a fixed number of decimals: `1,310`, `499.4`.
#[must_use]
pub fn with_thousands(value: f64, decimals: usize) -> String {
    let plain = format!("{value:.decimals$}");
    let (sign, unsigned) = plain.strip_prefix('-').map_or(("", plain.as_str()), |rest| ("-", rest));
    let (whole, fraction) = unsigned.split_once('.').map_or((unsigned, None), |(w, f)| (w, Some(f)));
    let mut grouped = String::with_capacity(plain.len() + whole.len() / 3);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) && whole.chars().all(|c| c.is_ascii_digit()) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match fraction {
        Some(fraction) => format!("{sign}{grouped}.{fraction}"),
        None => format!("{sign}{grouped}"),
    }
}

/// Writes a duration given in nanoseconds with two significant digits and its unit: `42 µs`, `9.8 ms`, `1.2 s`, `740 ns`.
#[must_use]
pub fn short_duration(nanoseconds: f64) -> String {
    let units = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let rounded = round_significant(nanoseconds, 2);
    let (name, size) = units.iter().rev().find(|(_, size)| rounded >= *size).unwrap_or(&units[0]);
    let value = rounded / size;
    let decimals = if *name == "ns" || value >= 10.0 { 0 } else { 1 };
    format!("{} {name}", with_thousands(value, decimals))
}

/// Writes seconds for a progress line: `0.42 s`, `12.3 s`, `3 min 05 s`.
#[must_use]
pub fn clock_seconds(seconds: f64) -> String {
    if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_read_in_powers_of_1024() {
        let cases = [("0", 0), ("4096", 4096), ("8k", 8192), ("16G", 16 << 30), ("1.5g", 3 << 29), ("2 MiB", 2 << 20), ("1tb", 1 << 40)];
        for (text, bytes) in cases {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_named() {
        for text in ["", "g", "1x", "-1", "1.g", "1..5g", "0x10", "1 2", "k8", "1kk", "²"] {
            assert!(matches!(parse_size(text), Err(SizeError::NotASize(_))), "{text}");
        }
        assert!(matches!(parse_size("99999999999t"), Err(SizeError::TooLarge(_))));
        assert!(matches!(parse_size("1.1"), Err(SizeError::NotWhole(_))));
    }

    #[test]
    fn times_are_read() {
        for (text, milliseconds) in [("30s", 30_000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000), ("0s", 0)] {
            assert_eq!(parse_milliseconds(text), Ok(milliseconds), "{text}");
        }
        for text in ["", "s", "7", "-1s", "1.5s", "3x", "99999999999999999999s"] {
            assert!(parse_milliseconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_read_as_in_print() {
        assert_eq!(with_thousands(1_234_567.0, 0), "1,234,567");
        assert_eq!(with_thousands(999.44, 1), "999.4");
        assert_eq!(with_thousands(-1310.0, 0), "-1,310");
        assert_eq!(short_duration(9_800_000.0), "9.8 ms");
        assert_eq!(short_duration(42_400.0), "42 µs");
        assert_eq!(short_duration(996_000.0), "1.0 ms");
        assert_eq!(short_duration(740.0), "740 ns");
        assert_eq!(short_duration(0.0), "0 ns");
        assert_eq!(rounded_size(16 << 30), "16 GiB");
        assert_eq!(rounded_size(1500 << 20), "1.46 GiB");
        assert_eq!(rounded_size(100), "100 B");
        assert_eq!(clock_seconds(185.0), "3 min 05 s");
    }

    proptest! {
        #[test]
        fn an_exact_size_reads_back(bytes: u64) {
            prop_assert_eq!(parse_size(&exact_size(bytes)), Ok(bytes));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = parse_size(&text);
        }
    }
}
