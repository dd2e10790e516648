//! What other programs printed: any bytes are read without a panic, and each run that was read is a line of a run file that says the same.
#![no_main]

use barrow::import::read;
use barrow::store::{line_of, load_from};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    for run in read(bytes, None).records {
        let line = line_of(&run).expect("a run is a line");
        let again = load_from(Path::new("x"), &line[..]).expect("memory is read");
        assert_eq!(again.runs, [run]);
    }
});
