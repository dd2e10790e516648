//! A run file: any bytes are read or named, and what was read is written and read again as it is.
#![no_main]

use barrow::store::{line_of, load_from};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let loaded = load_from(Path::new("x"), bytes).expect("memory is read");
    for run in loaded.runs {
        let line = line_of(&run).expect("a run is a line");
        let again = load_from(Path::new("x"), &line[..]).expect("memory is read");
        assert_eq!(again.runs, [run]);
    }
});
