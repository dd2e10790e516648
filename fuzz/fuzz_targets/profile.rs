//! A profile: any text is read or refused; settings that fit make a plan, and every key reads what it shows.
#![no_main]

use barrow::model::plan::{Circumstances, Plan};
use barrow::model::profile::Profile;
use barrow::model::settings::{KEYS, Settings};
use libfuzzer_sys::fuzz_target;

const RAM_BYTES: u64 = 23 << 30;

fuzz_target!(|text: &str| {
    let Ok(profile) = Profile::of_text("x", text, RAM_BYTES) else { return };
    let mut copy = Settings::default();
    for key in KEYS {
        key.set(&mut copy, &key.show(&profile.settings), RAM_BYTES).expect("what a key shows it reads");
    }
    assert_eq!(copy, profile.settings);
    let _ = (profile.settings.most_bytes(), profile.settings.file_set_bytes());
    if let Ok(plan) = Plan::of(&profile, 1, Circumstances::USUAL) {
        let _ = (plan.canonical(), plan.parameters());
    }
});
