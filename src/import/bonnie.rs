//! What Bonnie++'s forms share: its versions, the names of its figures, and what a figure as it stood says.

use crate::model::flag::Flag;
use crate::model::phase::{Phase, Unit};
use crate::model::record::{PhaseRecord, PhaseResult, Reported, Status};

/// What 1.00 to 1.04 share; which of them wrote a line of their CSV is not in it.
pub const PACKED_VERSION: &str = "1.0x";

/// A version as Bonnie++ names itself: `1.03e`, `1.97`, `2.00a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    text: String,
    /// `197` for 1.97; 0 where it is none of Bonnie++'s.
    number: u32,
}

impl Version {
    /// Reads a version: a digit, a point, two digits, and what release of it (`1.97`, `1.03e`, `1.97.3`). `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (major, rest) = text.split_once('.')?;
        let (minor, release) = rest.split_at_checked(2)?;
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let is_release =
            release.len() <= 3 && release.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit() || byte.is_ascii_lowercase());
        let is_version = major.len() == 1 && major != "0" && is_digits(major) && is_digits(minor) && is_release;
        let number = format!("{major}{minor}").parse().ok()?;
        is_version.then(|| Self { text: text.to_owned(), number })
    }

    /// Reads what wrote a line of CSV: a version of Bonnie++, or barrow, which names itself there (`barrow-0.1.0`) and says `1.0x` of
    /// what it imported from a line without a version.
    #[must_use]
    pub fn of_writer(text: &str) -> Option<Self> {
        let own =
            text.strip_prefix("barrow-").filter(|own| !own.is_empty() && own.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()));
        let packed = (text == PACKED_VERSION).then(|| Self { text: text.to_owned(), number: 100 });
        own.map(|own| Self { text: format!("barrow {own}"), number: 0 }).or(packed).or_else(|| Self::parse(text))
    }

    /// The program with its version: `bonnie++ 1.97`, `barrow 0.1.0`.
    #[must_use]
    pub fn program(&self) -> String {
        if self.number == 0 { self.text.clone() } else { format!("bonnie++ {}", self.text) }
    }

    /// As it stood.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands behind major and minor number: `f` of 1.90f; may be empty.
    #[must_use]
    pub fn release(&self) -> &str {
        self.text.get(4..).unwrap_or_default()
    }

    /// Major and minor number together: `197`.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Whether each of the seeking threads was charged with the CPU of the whole process: since the threads of 1.9x.
    #[must_use]
    pub const fn overcounts_seek_cpu(&self) -> bool {
        self.number >= 190
    }

    /// Whether the rates of files in its table, not in its CSV, are no rates: 1.98 to 2.00a print a floating-point number as a whole one.
    #[must_use]
    pub const fn prints_wrong_file_rates(&self) -> bool {
        self.number >= 198
    }
}

/// A phase as Bonnie++ names its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The phase of the catalogue.
    pub phase: Phase,
    /// The name in the heading of Bonnie++'s CSV; CPU and latency have it with `_cpu` and `_latency` behind.
    pub name: &'static str,
}

const fn column(phase: Phase, name: &'static str) -> Column {
    Column { phase, name }
}

/// The phases of the first block of Bonnie++'s report, in its order.
pub const BLOCK_COLUMNS: [Column; 6] = [
    column(Phase::CharWrite, "putc"),
    column(Phase::BlockWrite, "put_block"),
    column(Phase::Rewrite, "rewrite"),
    column(Phase::CharRead, "getc"),
    column(Phase::BlockRead, "get_block"),
    column(Phase::RandomSeek, "seeks"),
];

/// The phases of the second block.
pub const FILE_COLUMNS: [Column; 6] = [
    column(Phase::SeqCreate, "seq_create"),
    column(Phase::SeqStat, "seq_stat"),
    column(Phase::SeqDelete, "seq_del"),
    column(Phase::RandomCreate, "ran_create"),
    column(Phase::RandomStat, "ran_stat"),
    column(Phase::RandomDelete, "ran_del"),
];

/// What stood in the places of a phase; empty where nothing did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Texts<'t> {
    /// The rate: `88826`, `123.4`, `1.4g`, `+++++`.
    pub rate: &'t str,
    /// The share of CPU: `12`, `+++`.
    pub cpu: &'t str,
    /// The longest operation: `9829us`, `12s`.
    pub latency: &'t str,
}

pub use crate::model::imported::TOO_SHORT;

/// Why a rate of files in a table is none.
pub const WRONG_RATE: &str = "Bonnie++ 1.98 to 2.00a print no true rate of files in their table, only in their CSV";

impl Column {
    /// The record of this phase; `None` where nothing stood of it. `rate_is_wrong` where the form is known to print no true rate.
    ///
    /// # Errors
    /// Names the text that is no figure.
    pub fn record(self, texts: Texts<'_>, version: &Version, rate_is_wrong: bool) -> Result<Option<PhaseRecord>, String> {
        if texts == Texts::default() {
            return Ok(None);
        }
        let rate = figure(texts.rate, |text| rate(text, self.phase.row().unit)).map_err(|text| self.no_figure("", text))?;
        let cpu = figure(texts.cpu, number).map_err(|text| self.no_figure("_cpu", text))?;
        let latency = figure(texts.latency, nanoseconds).map_err(|text| self.no_figure("_latency", text))?;
        let reason = match rate {
            Figure::Known(_) | Figure::TooShort if rate_is_wrong => Some(WRONG_RATE),
            Figure::TooShort => Some(TOO_SHORT),
            Figure::Known(_) => None,
            Figure::Missing => Some("Bonnie++ gave no rate"),
        };
        let is_overcounted = self.phase == Phase::RandomSeek && version.overcounts_seek_cpu() && cpu.known().is_some();
        let reported =
            Reported { rate: rate.known().filter(|_| !rate_is_wrong), cpu_percent: cpu.known(), latency_max_ns: latency.known() };
        Ok(Some(PhaseRecord {
            reason: reason.map(str::to_owned),
            result: Some(PhaseResult::Reported(reported)),
            flags: is_overcounted.then_some(Flag::Overcounted).into_iter().collect(),
            ..PhaseRecord::without_result(self.phase, Status::Ok, String::new())
        }))
    }

    fn no_figure(self, what: &str, text: &str) -> String {
        format!("{}{what} is `{}`, which is no figure", self.name, shown(text))
    }
}

/// A text of a file as it stands in a message: of a long one only the beginning.
#[must_use]
pub fn shown(text: &str) -> String {
    const MOST: usize = 24;
    text.char_indices().nth(MOST).map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", text.get(..end).unwrap_or_default()))
}

/// What a text says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Figure<T> {
    Known(T),
    /// `+++++`.
    TooShort,
    Missing,
}

impl<T> Figure<T> {
    fn known(self) -> Option<T> {
        match self {
            Self::Known(value) => Some(value),
            Self::TooShort | Self::Missing => None,
        }
    }
}

fn figure<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Result<Figure<T>, &str> {
    match text {
        "" => Ok(Figure::Missing),
        _ if text.len() >= 3 && text.bytes().all(|byte| byte == b'+') => Ok(Figure::TooShort),
        _ => read(text).map(Figure::Known).ok_or(text),
    }
}

/// A number without a sign, an exponent or a word in it.
fn number(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|value: &f64| is_plain && value.is_finite())
}

/// Work per second in the unit of a phase. Bytes stand in KiB, or since 1.98, in tables, with a letter: `376k`, `117m`, `1.4g`.
fn rate(text: &str, unit: Unit) -> Option<f64> {
    const KIB: f64 = 1024.0;
    if unit != Unit::Bytes {
        return number(text);
    }
    let (digits, factor) = match text.char_indices().last()? {
        (end, 'k') => (&text[..end], KIB),
        (end, 'm') => (&text[..end], KIB * KIB),
        (end, 'g') => (&text[..end], KIB * KIB * KIB),
        _ => (text, KIB),
    };
    number(digits).map(|value| value * factor)
}

/// `9829us`, `226ms`, `12s` as nanoseconds; `ns` too, which readers of Bonnie++ expect though it never writes it.
fn nanoseconds(text: &str) -> Option<u64> {
    let units = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
    let (digits, factor) = units.into_iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse::<u64>().ok().filter(|_| is_plain)?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(column: Column, texts: Texts<'_>, version: &str, is_wrong: bool) -> (Reported, Option<String>, Vec<Flag>) {
        let record = column.record(texts, &Version::parse(version).unwrap(), is_wrong).unwrap().unwrap();
        let Some(PhaseResult::Reported(reported)) = record.result else { panic!("{record:?}") };
        (reported, record.reason, record.flags)
    }

    #[test]
    fn versions_are_told_from_other_texts() {
        for (text, number) in [("1.97", 197), ("1.03e", 103), ("1.93c", 193), ("2.00a", 200), ("1.97.3", 197)] {
            assert_eq!(Version::parse(text).map(|version| version.number()), Some(number), "{text}");
        }
        assert_eq!(Version::of_writer("barrow-0.1.0").map(|version| version.program()).as_deref(), Some("barrow 0.1.0"));
        assert_eq!(Version::of_writer("2.00a").map(|version| version.program()).as_deref(), Some("bonnie++ 2.00a"));
        assert_eq!(Version::of_writer("1.0x").map(|version| version.program()).as_deref(), Some("bonnie++ 1.0x"));
        assert_eq!((Version::of_writer("barrow-"), Version::of_writer("barrow-x")), (None, None));
        for text in ["", "1", "1.9", "10.03", "1.0x", "server", "1.97 ", "192.168.1.5", "1.97abcd"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn figures_are_read_in_their_units() {
        let texts = Texts { rate: "88826", cpu: "12", latency: "9829us" };
        let (found, reason, flags) = reported(BLOCK_COLUMNS[1], texts, "1.97", false);
        assert_eq!(found, Reported { rate: Some(88_826.0 * 1024.0), cpu_percent: Some(12.0), latency_max_ns: Some(9_829_000) });
        assert_eq!((reason, flags), (None, vec![]));
        let table = |rate| reported(BLOCK_COLUMNS[1], Texts { rate, ..texts }, "2.00a", false).0.rate;
        assert_eq!(table("376k"), Some(376.0 * 1024.0));
        assert_eq!(table("1.4g"), Some(1.4 * 1024.0 * 1024.0 * 1024.0));
        let (seeks, _, flags) = reported(BLOCK_COLUMNS[5], Texts { rate: "123.4", cpu: "474", latency: "12s" }, "1.97", false);
        assert_eq!((seeks.rate, seeks.latency_max_ns, flags), (Some(123.4), Some(12_000_000_000), vec![Flag::Overcounted]));
        assert!(reported(BLOCK_COLUMNS[5], Texts { rate: "123.4", cpu: "4", latency: "" }, "1.03e", false).2.is_empty());
    }

    #[test]
    fn what_is_not_known_says_why() {
        let short = Texts { rate: "+++++", cpu: "+++", latency: "28us" };
        let (found, reason, _) = reported(FILE_COLUMNS[1], short, "1.97", false);
        assert_eq!(found, Reported { rate: None, cpu_percent: None, latency_max_ns: Some(28_000) });
        assert_eq!(reason.as_deref(), Some(TOO_SHORT));
        let wrong = Texts { rate: "20480", cpu: "32", latency: "411ms" };
        let (found, reason, _) = reported(FILE_COLUMNS[0], wrong, "2.00a", true);
        assert_eq!((found.rate, found.cpu_percent, reason.as_deref()), (None, Some(32.0), Some(WRONG_RATE)));
        let version = Version::parse("1.97").unwrap();
        assert_eq!(FILE_COLUMNS[0].record(Texts::default(), &version, false), Ok(None));
    }

    #[test]
    fn what_is_no_figure_is_named() {
        let version = Version::parse("1.97").unwrap();
        for rate in ["abc", "-5", "1e9", "inf", "nan", "12x", "k", "1.2.3", "٣"] {
            let error = BLOCK_COLUMNS[1].record(Texts { rate, ..Texts::default() }, &version, false).unwrap_err();
            assert_eq!(error, format!("put_block is `{rate}`, which is no figure"));
        }
        for latency in ["12", "us", "-1us", "99999999999999999999s", "18446744073709551615s"] {
            assert!(BLOCK_COLUMNS[1].record(Texts { latency, ..Texts::default() }, &version, false).is_err(), "{latency}");
        }
    }
}
