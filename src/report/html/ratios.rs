//! The table of ratios: each target beside the baseline, phase by phase, with what may be said of it.

use super::cells::{Number, Target, slot};
use super::page::{FigureCell, FigureHead, FigurePhase, FigureRow, Figures};
use crate::report::comparison::Comparison;
use crate::report::lines::capitalised;
use crate::report::ratios::{PhaseRatios, Row, ratios};
use crate::report::{Section, verdicts};

/// The table; `None` where nothing is compared.
pub fn ratio_table(section: &Section<'_>, targets: &[Target]) -> Option<Figures> {
    let (table, comparison) = (ratios(section)?, section.comparison.as_ref()?);
    let baseline = section.series.get(comparison.baseline)?;
    let head = |class, kind, name: &str| FigureHead { class, kind, name: name.to_owned() };
    let range = table.range.as_deref().map(|range| head("ri", "number", &capitalised(range)));
    let heads = [Some(head("tg", "text", "Target")), Some(head("md", "number", "Median")), Some(head("ra", "number", "Ratio")), range];
    let rows = table.phases.iter().flat_map(|phase| &phase.rows);
    let has_range = table.range.is_some();
    Some(Figures {
        id: "ratios",
        link: "Verdicts",
        heading: format!("Ratios to {}", baseline.name),
        note: verdicts::meaning(section).join(" "),
        slot: slot(rows.map(|row| row.median.as_str())),
        heads: heads.into_iter().flatten().chain([head("vd", "text", "Verdict")]).collect(),
        has_words: false,
        phases: table.phases.iter().map(|phase| ratio_phase(section, comparison, phase, targets, has_range)).collect(),
    })
}

fn ratio_phase(section: &Section<'_>, comparison: &Comparison, phase: &PhaseRatios, targets: &[Target], has_range: bool) -> FigurePhase {
    let (unit, _) = phase.phase.row().unit.rate();
    let summaries = section.rows(phase.phase);
    let rows = phase.rows.iter().zip(targets).zip(summaries).map(|((row, target), (place, summary))| {
        let ratio = comparison.beside(place, phase.phase).ratio();
        let median = summary.rate.map(|rate| rate.median);
        FigureRow { target: target.clone(), cells: cells(row, median, ratio, has_range), words: Vec::new() }
    });
    FigurePhase { title: phase.phase.row().title.into(), unit, rows: rows.collect() }
}

/// The cells of a row; `median` and `ratio` are what it is sorted by.
fn cells(row: &Row, median: Option<f64>, ratio: Option<f64>, has_range: bool) -> Vec<FigureCell> {
    let cell = |class, key: Option<f64>, figure: Number, is_strong| FigureCell {
        class,
        key: key.filter(|key| key.is_finite()),
        label: "".into(),
        figure,
        unit: String::new(),
        range: String::new(),
        is_strong,
    };
    let range = if row.ratio.low.is_empty() { String::new() } else { format!("{} – {}", row.ratio.low, row.ratio.high) };
    let arrow = match ratio.filter(|_| row.is_resolved) {
        Some(ratio) if ratio > 1.0 => "▲ ",
        Some(_) => "▼ ",
        None => "",
    };
    let all = [
        Some(cell("md", median, Number::of(&row.median), false)),
        Some(cell("ra", ratio, Number::whole(&row.ratio.median), row.is_resolved)),
        has_range.then(|| cell("ri", ratio, Number::whole(&range), false)),
        Some(cell("vd", None, Number::whole(&format!("{arrow}{}", row.verdict)), row.is_resolved)),
    ];
    all.into_iter().flatten().collect()
}
