//! The page as data: what the templates draw. Nothing in it is escaped; the charts are drawn already.

use super::cells::{Number, Target, Word};
use askama::Template;
use std::borrow::Cow;

/// A whole page.
#[derive(Template)]
#[template(path = "page.html", config = "src/report/html/askama.toml")]
pub struct Page {
    pub title: String,
    pub version: &'static str,
    pub style: String,
    pub script: &'static str,
    /// Heads the page where it has not exactly one part, which would have the heading.
    pub heading: String,
    pub lede: String,
    pub parts: Vec<Part>,
}

/// What is made of one section of the report.
pub struct Part {
    /// Begins the ids of the part; empty where it is the only one.
    pub id: String,
    /// Behind the names of its landmarks: ` of part 2`; empty where it is the only one.
    pub of_part: String,
    /// The level of its heading, 1 or 2.
    pub level: usize,
    pub head: Head,
    pub targets: Vec<Target>,
    pub summary: Option<Summary>,
    /// What has no number, with the reason.
    pub missing: Vec<String>,
    pub charts: Vec<ChartInPage>,
    /// Every figure; and the ratios, where targets are compared.
    pub tables: Vec<Figures>,
    /// The filesystems as made.
    pub made: Option<Summary>,
    pub runs: Option<Runs>,
    pub environment: Environment,
    pub legend: Legend,
    pub cite: Cite,
}

/// More targets than these have no switches: nobody would find one among them.
const MOST_SWITCHES: usize = 24;

impl Part {
    /// The sections that it has, by id and name.
    pub fn links(&self) -> Vec<(&'static str, &'static str)> {
        let before =
            [self.summary.is_some().then_some(("summary", "Summary")), (!self.missing.is_empty()).then_some(("missing", "No rate"))];
        let charts = self.charts.iter().map(|chart| Some((chart.id, chart.link)));
        let tables = self.tables.iter().map(|table| Some((table.id, table.link)));
        let behind = [
            self.made.is_some().then_some(("made", "As made")),
            self.runs.is_some().then_some(("values", "Values")),
            Some(("environment", "Environment")),
            Some(("legend", "Legend")),
            Some(("cite", "Cite")),
        ];
        before.into_iter().chain(charts).chain(tables).chain(behind).flatten().collect()
    }

    /// Whether targets can be hidden.
    pub fn has_switches(&self) -> bool {
        (2..=MOST_SWITCHES).contains(&self.targets.len())
    }
}

/// What heads a part.
pub struct Head {
    /// Program, profile and day.
    pub eye: Vec<String>,
    pub title: String,
    /// What was found, in a sentence; empty where no rule gives one.
    pub finding: String,
    /// What limited the phases, and whether the machine was quiet.
    pub limits: Vec<String>,
    /// How much was run on what.
    pub facts: Vec<String>,
}

/// A table of medians: a row a phase or quantity, a column a target.
pub struct Summary {
    pub id: &'static str,
    pub heading: &'static str,
    /// What heads the names of the rows.
    pub rows: &'static str,
    pub note: String,
    /// The classes of its form: `grid`, `grid four` or `list`.
    pub form: &'static str,
    pub slot: &'static str,
    /// Phases that stand together.
    pub groups: Vec<Vec<SummaryRow>>,
}

/// A phase or a quantity in the summary.
pub struct SummaryRow {
    pub title: &'static str,
    pub unit: &'static str,
    /// A cell a target.
    pub cells: Vec<SummaryCell>,
}

/// A target in a phase.
pub struct SummaryCell {
    pub target: Target,
    /// Whether it is no figure of the device, or of a short phase.
    pub is_doubtful: bool,
    pub median: Number,
    pub range: String,
    /// What is not as it should be.
    pub chips: Vec<Word>,
}

/// A chart with its words.
pub struct ChartInPage {
    pub id: &'static str,
    /// Its name in the bar of links.
    pub link: &'static str,
    pub heading: String,
    /// What it shows, in a sentence; empty where no rule gives one.
    pub finding: String,
    /// How it is read.
    pub how: String,
    /// The drawing for wide screens, as SVG.
    pub wide: String,
    /// The drawing for phones, as SVG.
    pub narrow: String,
}

/// A table of figures: a row a phase and target.
pub struct Figures {
    pub id: &'static str,
    /// Its name in the bar of links.
    pub link: &'static str,
    pub heading: String,
    pub note: String,
    pub slot: &'static str,
    pub heads: Vec<FigureHead>,
    /// Whether the last head is that of the words.
    pub has_words: bool,
    pub phases: Vec<FigurePhase>,
}

/// The head of a column.
pub struct FigureHead {
    pub class: &'static str,
    /// How it is sorted: `text` or `number`.
    pub kind: &'static str,
    pub name: String,
}

/// A phase with a row a target.
pub struct FigurePhase {
    pub title: Cow<'static, str>,
    pub unit: &'static str,
    pub rows: Vec<FigureRow>,
}

/// A target in a phase, with every figure.
pub struct FigureRow {
    pub target: Target,
    /// A cell for each head but the first and that of the words.
    pub cells: Vec<FigureCell>,
    pub words: Vec<Word>,
}

/// A figure.
pub struct FigureCell {
    pub class: &'static str,
    /// The number that the column is sorted by.
    pub key: Option<f64>,
    /// What stands before it where the heads are not shown.
    pub label: Cow<'static, str>,
    pub figure: Number,
    pub unit: String,
    /// The ends of the figure where they stand in its cell; else empty.
    pub range: String,
    pub is_strong: bool,
}

/// The values of every run.
pub struct Runs {
    pub note: String,
    /// The most runs that a target has.
    pub most: usize,
    /// Empty where there are too many values for a page.
    pub phases: Vec<RunPhase>,
}

/// More runs than these do not fit beside each other.
const MOST_BESIDE: usize = 10;

impl Runs {
    /// The numbers of the runs.
    pub fn columns(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.most
    }

    /// Whether the values of a row take several lines.
    pub fn is_wrapped(&self) -> bool {
        self.most > MOST_BESIDE
    }
}

/// A phase with a row a target.
pub struct RunPhase {
    pub title: &'static str,
    pub unit: &'static str,
    pub rows: Vec<RunRow>,
}

/// The values of a target in a phase.
pub struct RunRow {
    pub target: Target,
    /// Which runs are far from the others, in words; empty where none is.
    pub odd: String,
    pub values: Vec<RunValue>,
}

/// The value of one run.
pub struct RunValue {
    pub figure: String,
    pub is_odd: bool,
}

/// The facts of machine, filesystems and devices.
pub struct Environment {
    pub shared_heading: &'static str,
    pub shared: Vec<Fact>,
    /// What is not the same for all targets.
    pub different: Vec<Difference>,
}

/// A fact by its name.
pub struct Fact {
    pub name: String,
    pub value: String,
}

/// A fact that is not the same for all targets.
pub struct Difference {
    pub name: String,
    pub values: Vec<FactOf>,
}

/// What a fact is for some targets.
pub struct FactOf {
    pub names: String,
    pub text: String,
}

/// What the words and flags mean, and what must be said beside the tables.
pub struct Legend {
    pub words: Vec<LegendEntry>,
    pub flags: Vec<LegendEntry>,
    /// The rows of the filesystems as made.
    pub made: Vec<LegendEntry>,
    /// The columns of each table of details, behind its name.
    pub details: Vec<(&'static str, Vec<LegendEntry>)>,
    pub remarks: Vec<String>,
}

/// A word and its meaning.
pub struct LegendEntry {
    pub word: Word,
    pub meaning: String,
}

/// How the report is cited and the measurement repeated.
pub struct Cite {
    pub citation: String,
    /// The command line; empty where it is not known.
    pub command: String,
    pub parameters: Vec<(String, String)>,
}

impl Cite {
    /// The name of its section.
    pub fn heading(&self) -> &'static str {
        if self.command.is_empty() { "How to cite" } else { "How to cite, how to repeat" }
    }
}
