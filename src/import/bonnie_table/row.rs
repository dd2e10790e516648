//! A row of figures of a pasted table: which figure stands in which column, by place or by count; never by guessing.

use super::form::Word;
use crate::import::bonnie_work::is_number;

/// The columns of a block.
pub const COLUMNS: usize = 6;

/// The figures of a whole row: rate and CPU of each column.
const WHOLE: usize = 2 * COLUMNS;

const ALL: [usize; COLUMNS] = [0, 1, 2, 3, 4, 5];

/// The columns that `-f` leaves: all but the first and the fourth, those of single characters.
const FAST: [usize; 4] = [1, 2, 4, 5];

/// The widths that Bonnie++ gives at least to a rate, to a share of CPU and to a latency, after a blank each.
const RATE: usize = 5;
const CPU: usize = 3;
const LATENCY: usize = 9;

/// What stands in the columns of a block; empty where nothing does.
pub type Texts = [String; COLUMNS];

/// The figures of a row, each in its column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// The rates.
    pub rates: Texts,
    /// The shares of CPU.
    pub cpus: Texts,
    /// Whether the row ends too early; its last figure was not taken then, as it may be cut too.
    pub is_cut: bool,
}

/// Which of the two blocks a row is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The figures of bytes and seeks.
    Blocks,
    /// Those of files.
    Files,
}

/// A row before its columns are told: what stands before its figures, and these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The name of the machine; may be empty.
    pub name: String,
    /// The size of the file, or the count of files, with what is packed with it.
    pub work: String,
    /// The column behind the work.
    start: usize,
    figures: Vec<Word>,
    /// Whether it is a line that a mail program broke, so that its places say nothing.
    is_joined: bool,
    /// Whether the file goes on behind it, so that its last figure is whole.
    is_ended: bool,
}

/// Whether a text looks like a rate or a share: digits, with a point and a letter for the unit where it is a rate, or pluses.
fn is_figure(text: &str) -> bool {
    let digits = text.strip_suffix(['k', 'm', 'g']).unwrap_or(text);
    let is_plain = digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1;
    is_plain || is_too_short(text)
}

fn is_too_short(text: &str) -> bool {
    text.len() >= 3 && text.bytes().all(|byte| byte == b'+')
}

/// Up to three digits, or pluses.
fn is_share(text: &str) -> bool {
    (is_number(text) && text.len() <= CPU) || is_too_short(text)
}

/// `2G`, `300M:512`, `64G:4k::65536`.
fn is_size(text: &str) -> bool {
    let (size, more) = text.split_once(':').unwrap_or((text, ""));
    let is_more = more.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'k' | b'm'));
    size.strip_suffix(['M', 'G', 'T']).is_some_and(is_number) && is_more
}

/// `16`, `20:250000:0/1000`, `16:symlink/3`.
fn is_files(text: &str) -> bool {
    let (files, more) = text.split_at(text.find([':', '/']).unwrap_or(text.len()));
    let part = |part: &str| matches!(part, "" | "link" | "symlink") || is_number(part);
    is_number(files) && more.split([':', '/']).all(part)
}

/// Figures that ran into each other, apart where only one place is possible: behind the letter of a unit, between the pluses of a rate
/// and of its share.
fn apart(word: Word) -> Vec<Word> {
    let Word { text, end } = word;
    let bare = text.trim_matches(['*', '`']);
    let end = end - (text.len() - text.trim_end_matches(['*', '`']).len());
    let seam =
        if is_too_short(bare) && bare.len() == RATE + CPU { Some(RATE) } else { bare.find(['k', 'm', 'g']).map(|letter| letter + 1) };
    match seam.and_then(|seam| bare.split_at_checked(seam)) {
        Some((rate, cpu)) if is_figure(rate) && is_figure(cpu) => {
            vec![Word { text: rate.to_owned(), end: end - cpu.len() }, Word { text: cpu.to_owned(), end }]
        }
        _ => vec![Word { text: bare.to_owned(), end }],
    }
}

/// The words of a line as a row; `None` where they are none. It may have more words than figures belong there: then no column is told.
pub fn row(half: Half, words: &[Word]) -> Option<Row> {
    let work = match half {
        Half::Blocks => words.iter().rposition(|word| is_size(&word.text))?,
        Half::Files => files_at(words)?,
    };
    let (before, figures) = words.split_at_checked(work + 1)?;
    let figures: Vec<Word> = figures.iter().cloned().flat_map(apart).collect();
    let (word, name) = before.split_last()?;
    let known = figures.iter().filter(|word| is_figure(&word.text)).count();
    let is_row = figures.first().is_some_and(|word| is_figure(&word.text)) && 2 * known > figures.len();
    let name = name.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    is_row.then(|| Row { name, work: word.text.clone(), start: word.end, figures, is_joined: false, is_ended: true })
}

/// The place of the count of files: the first word that can be one. Any later one may be a figure, so that a name which is a number
/// leaves a figure too many, and the row is not taken.
fn files_at(words: &[Word]) -> Option<usize> {
    words.iter().position(|word| is_files(&word.text))
}

impl Row {
    /// The row, whose line the file ends or not.
    pub fn ending(self, is_ended: bool) -> Self {
        Self { is_ended, ..self }
    }

    /// The row with the rest of it, which a mail program put on the next line; `None` where that line is none.
    pub fn joined(&self, next: &[Word]) -> Option<Self> {
        let count = self.figures.len() + next.len();
        let is_rest = self.figures.len() < WHOLE && count <= WHOLE && !next.is_empty() && next.iter().all(|word| is_figure(&word.text));
        let figures = self.figures.iter().chain(next).cloned().collect();
        is_rest.then(|| Self { figures, is_joined: true, ..self.clone() })
    }

    /// Which figure stands in which column. `start` is the column where the heading has its figures begin, `None` where places say nothing;
    /// `latencies` is the count on the line below, `None` where there is none.
    ///
    /// # Errors
    /// Says that it cannot be told.
    pub fn figures(&self, half: Half, start: Option<usize>, latencies: Option<usize>) -> Result<Figures, String> {
        if half == Half::Files && self.has_wild_share() {
            return Err("a share of CPU over 999 % stands in this row of files: none of its figures was taken".to_owned());
        }
        let starts = start.filter(|_| !self.is_joined).map(|start| [start, self.start]);
        match starts.into_iter().flatten().find_map(|start| placed(&self.figures, start)) {
            // The last column always has figures, and latencies are below only a row that was printed to its end.
            Some(placed) if placed.is_cut || (!placed.columns.ends_with(&[COLUMNS - 1]) && latencies.is_none()) => {
                Ok(self.cut(&placed.columns))
            }
            Some(placed) => Ok(self.in_columns(&placed.columns)),
            None if self.is_whole(half, start) => Ok(self.ended(&ALL)),
            None if half == Half::Blocks && self.is_fast(latencies) => Ok(self.ended(&FAST)),
            None => Err(self.unknown()),
        }
    }

    /// Twelve figures without their places are all columns where each is a figure and each second a share. A row of files has nothing but
    /// numbers, so its first figure must stand in its place too, where places say something.
    fn is_whole(&self, half: Half, start: Option<usize>) -> bool {
        let shares = || self.figures.iter().skip(1).step_by(2);
        let is_told = self.figures.iter().all(|word| is_figure(&word.text)) && shares().all(|word| is_share(&word.text));
        let first = self.figures.first();
        let is_first = |at: usize| first.is_some_and(|word| word.end == at + 1 + word.text.len().max(RATE));
        let is_placed = || start.is_none_or(|start| is_first(start) || is_first(self.start));
        self.figures.len() == WHOLE && is_told && (half == Half::Blocks || self.is_joined || is_placed())
    }

    /// Whether a number too great for a share of CPU stands where one belongs, in a row that has all figures.
    fn has_wild_share(&self) -> bool {
        let is_wild = |word: &Word| is_number(&word.text) && !is_share(&word.text);
        self.figures.len() == WHOLE && self.figures.iter().skip(1).step_by(2).any(is_wild)
    }

    /// Four columns without their places are those that `-f` leaves when the row is known to be whole: it has as many latencies, or it
    /// ends with seeks, the only rate that can have a point and no letter. A broken line says too little for that.
    fn is_fast(&self, latencies: Option<usize>) -> bool {
        let ends_with_seeks = || self.figures.get(6).is_some_and(|rate| rate.text.parse::<f64>().is_ok() && rate.text.contains('.'));
        !self.is_joined && self.figures.len() == 2 * FAST.len() && (latencies == Some(FAST.len()) || ends_with_seeks())
    }

    /// The columns of a row without places, whose last figure may be cut where the file ends with it.
    fn ended(&self, columns: &[usize]) -> Figures {
        if self.is_ended { self.in_columns(columns) } else { self.cut(columns) }
    }

    fn in_columns(&self, columns: &[usize]) -> Figures {
        let mut found = Figures::default();
        for (pair, column) in self.figures.chunks(2).zip(columns) {
            let places = (found.rates.get_mut(*column), found.cpus.get_mut(*column));
            if let ([rate, more @ ..], (Some(rate_place), Some(cpu_place))) = (pair, places) {
                rate_place.clone_from(&rate.text);
                *cpu_place = more.first().map(|cpu| cpu.text.clone()).unwrap_or_default();
            }
        }
        found
    }

    /// The columns of a row that ends too early: its last figure may be cut too, and is not taken.
    fn cut(&self, columns: &[usize]) -> Figures {
        let figures = self.figures.get(..self.figures.len().saturating_sub(1)).unwrap_or_default();
        let whole = Self { figures: figures.to_vec(), ..self.clone() };
        Figures { is_cut: true, ..whole.in_columns(columns) }
    }

    fn unknown(&self) -> String {
        format!("{} figures stand where {WHOLE} belong, and nothing says in which columns: none was taken", self.figures.len())
    }
}

/// The columns that figures stand in by their places.
struct Placed {
    /// The column of each pair.
    columns: Vec<usize>,
    is_cut: bool,
}

/// Follows the row as Bonnie++ printed it: each field ends where its width or its own length puts it, and ten blanks are a column that
/// was left out. `None` where a figure stands anywhere else; only the last may, of a row that is cut.
fn placed(figures: &[Word], start: usize) -> Option<Placed> {
    let mut rest = figures;
    let mut at = start;
    let mut columns = Vec::new();
    for column in 0..COLUMNS {
        let field = |word: &Word, at: usize, width: usize| word.end == at + 1 + word.text.len().max(width);
        rest = match rest {
            [rate, cpu, more @ ..] if field(rate, at, RATE) && field(cpu, rate.end, CPU) => {
                at = cpu.end;
                columns.push(column);
                more
            }
            [rate, more @ ..] if field(rate, at, RATE) && more.len() <= 1 => {
                columns.push(column);
                return Some(Placed { columns, is_cut: true }).filter(|_| more.is_empty() || is_before(more, rate.end + 1 + CPU));
            }
            other => {
                at += 1 + RATE + 1 + CPU;
                other
            }
        };
    }
    match rest {
        [] => Some(Placed { columns, is_cut: false }),
        [last] => is_before(std::slice::from_ref(last), at).then_some(Placed { columns, is_cut: true }),
        _ => None,
    }
}

fn is_before(words: &[Word], column: usize) -> bool {
    words.iter().all(|word| word.end < column)
}

/// Latencies that ran into each other, apart behind the letter that ends each.
fn latencies_apart(word: &Word) -> Vec<Word> {
    let parts: Vec<&str> = word.text.split_inclusive('s').collect();
    if !parts.iter().all(|part| is_latency(part)) {
        return vec![word.clone()];
    }
    let mut end = word.end - word.text.len();
    let place = |part: &str| {
        end += part.len();
        Word { text: part.to_owned(), end }
    };
    parts.into_iter().map(place).collect()
}

/// `9829us`, `226ms`, `12s`.
pub fn is_latency(text: &str) -> bool {
    let digits = text.strip_suffix('s').map(|rest| rest.strip_suffix(['u', 'm', 'n']).unwrap_or(rest));
    digits.is_some_and(is_number)
}

/// The latencies of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latencies(Vec<Word>);

impl Latencies {
    /// Those behind the word `Latency`.
    pub fn of(words: &[Word]) -> Self {
        Self(words.iter().flat_map(latencies_apart).collect())
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// With the rest of a line that a mail program broke; `None` where the next line is none.
    pub fn joined(&self, next: &[Word]) -> Option<Self> {
        let next = Self::of(next);
        let is_rest = self.count() < COLUMNS && self.count() + next.count() <= COLUMNS && next.count() > 0;
        let is_latencies = next.0.iter().all(|word| is_latency(&word.text));
        (is_rest && is_latencies).then(|| Self(self.0.iter().chain(&next.0).cloned().collect()))
    }

    /// Which latency is of which column: by count where there are all, by place, or by the columns that have a rate where there are as
    /// many. `start` as for the figures.
    ///
    /// # Errors
    /// Says that it cannot be told.
    pub fn columns(&self, start: Option<usize>, rates: &Texts) -> Result<Texts, String> {
        let with_rate: Vec<usize> = ALL.into_iter().filter(|column| rates.get(*column).is_some_and(|rate| !rate.is_empty())).collect();
        let places = start.and_then(|start| latencies_placed(&self.0, start.checked_sub(2)?));
        let columns = match places {
            _ if self.count() == COLUMNS => ALL.to_vec(),
            Some(columns) => columns,
            None if self.count() == with_rate.len() => with_rate,
            None => return Err(format!("{} latencies stand there, and nothing says of which columns: none was taken", self.count())),
        };
        let mut texts = Texts::default();
        for (word, column) in self.0.iter().zip(columns) {
            if let Some(text) = texts.get_mut(column) {
                text.clone_from(&word.text);
            }
        }
        Ok(texts)
    }
}

/// The columns of latencies by their places, as ` %9s` puts them; `None` where one stands anywhere else.
fn latencies_placed(words: &[Word], start: usize) -> Option<Vec<usize>> {
    let mut rest = words.iter().peekable();
    let mut at = start;
    let mut columns = Vec::new();
    for column in ALL {
        match rest.next_if(|word| word.end == at + 1 + word.text.len().max(LATENCY)) {
            Some(word) => {
                at = word.end;
                columns.push(column);
            }
            None => at += 1 + LATENCY,
        }
    }
    rest.peek().is_none().then_some(columns)
}
