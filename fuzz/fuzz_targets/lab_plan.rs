//! A plan of the lab: any text is read or refused with its line; what is read comes to variants with names of their own, or is refused.
#![no_main]

use barrow::lab::needed_space::wanted;
use barrow::lab::plan_file::read;
use barrow::lab::resolve::resolve;
use barrow::lab::system::System;
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;

const RAM_BYTES: u64 = 23 << 30;

fuzz_target!(|text: &str| {
    let plan = match read("x", text, RAM_BYTES) {
        Ok(plan) => plan,
        Err(error) => return assert!(error.to_string().starts_with("x, line "), "{error}"),
    };
    let Ok(resolved) = resolve(&plan, &System::default()) else { return };
    let labels: BTreeSet<&str> = resolved.variants.iter().map(|variant| variant.label.as_str()).collect();
    assert_eq!(labels.len(), resolved.variants.len());
    assert!(resolved.variants.iter().all(|variant| variant.mkfs.len() > 1));
    let _ = wanted(&resolved.variants);
});
