//! A loadfile: any bytes are read and rehearsed, or refused with the line; no name of what is read leads out of the client's directory.
#![no_main]

use barrow::model::loadfile::{KINDS, Loadfile, LoadfileError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let loadfile = match Loadfile::of_text(bytes) {
        Ok(loadfile) => loadfile,
        Err(LoadfileError::TooLong | LoadfileError::Empty) => return,
        Err(error @ LoadfileError::Line { .. }) => return assert!(error.to_string().starts_with("line "), "{error}"),
    };
    for node in 1..loadfile.names() as u32 {
        let name = loadfile.name(node).last().to_bytes();
        assert!(!name.is_empty() && name != b"." && name != b".." && !name.contains(&b'/') && loadfile.name(node).parent < node);
    }
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    assert!(!loadfile.operations().is_empty() && loadfile.operations().len() <= lines);
    assert!(loadfile.operations().iter().all(|operation| operation.action.kind() < KINDS.len()));
});
