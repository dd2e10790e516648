//! From a run file to every format and every chart.
#![no_main]

use barrow::report::chart::{CHARTS, ChartChoice};
use barrow::report::{RENDERERS, Report};
use barrow::store::load_from;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let runs = load_from(Path::new("x"), bytes).expect("memory is read").runs;
    let mut report = Report::of(&runs);
    for renderer in RENDERERS {
        assert!(renderer.render(&report).text().is_none_or(|text| text.ends_with('\n')));
    }
    for renderer in RENDERERS.iter().filter(|renderer| renderer.draws()) {
        for kind in CHARTS {
            report.chart = ChartChoice { kind: Some(*kind), narrow: !report.chart.narrow };
            assert!(renderer.render(&report).text().is_none_or(|text| text.ends_with('\n')));
        }
    }
});
