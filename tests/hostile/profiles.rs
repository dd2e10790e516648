//! Profiles, sizes, times and keys as people write them: read or refused, and what is shown is read back.

use barrow::model::plan::{Circumstances, Plan};
use barrow::model::profile::Profile;
use barrow::model::settings::{KEYS, Settings};
use barrow::units::{
    clock_seconds, decimals_for, exact_size, parse_milliseconds, parse_size, round_significant, rounded_size, short_duration,
    with_thousands,
};
use proptest::prelude::*;

const RAM_BYTES: u64 = 23 << 30;

/// A value as it could stand in a profile.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| format!("\"{number}\"")),
        "\"[0-9.]{0,6}[kmgtKx]?(ib|xram|XRAM)?\"",
        Just("\"18446744073709551615xram\"".to_owned()),
        Just("\"18446744073709551615t\"".to_owned()),
        Just("\"direct\"".to_owned()),
        Just("\"readdir\"".to_owned()),
        Just("1e308".to_owned()),
        Just("true".to_owned()),
        Just("[[[]]]".to_owned()),
        Just("1979-05-27T07:32:00Z".to_owned()),
        ".{0,12}",
    ]
}

fn line() -> impl Strategy<Value = String> {
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).chain(["purpose", "purpos", "[seed]", "\"\"", "\u{202e}"]).collect();
    prop_oneof![12 => (prop::sample::select(names), value()).prop_map(|(name, value)| format!("{name} = {value}\n")), 1 => ".{0,30}\n"]
}

/// A table of a phase as it could stand in a profile.
fn phase_table() -> impl Strategy<Value = String> {
    let name = prop_oneof![Just("seq_create".to_owned()), Just("command:a".to_owned()), "[a-z_:.]{0,9}", ".{0,30}"];
    let words = prop::collection::vec(prop_oneof!["[a-z/.-]{0,9}", ".{0,9}", Just("\0".to_owned())], 0..4);
    let name = name.prop_map(|name| format!("name = {}\n", serde_json::json!(name)));
    let command = words.prop_map(|words| format!("command = {}\n", serde_json::json!(words)));
    let odd = prop_oneof![
        Just("command = \"make\"\n".to_owned()),
        Just("command = [1]\n".to_owned()),
        value().prop_map(|value| format!("name = {value}\n"))
    ];
    let parts = (prop::option::of(name), prop::option::of(command), prop::option::weighted(0.1, odd));
    parts.prop_map(|(name, command, odd)| {
        format!("[[phase]]\n{}{}{}", name.unwrap_or_default(), command.unwrap_or_default(), odd.unwrap_or_default())
    })
}

fn check_profile(profile: &Profile) {
    let settings = &profile.settings;
    let mut copy = Settings::default();
    for key in KEYS {
        key.set(&mut copy, &key.show(settings), RAM_BYTES).expect("what a key shows it reads");
    }
    assert_eq!(&copy, settings);
    let _ = (settings.most_bytes(), settings.file_set_bytes());
    if let Ok(plan) = Plan::of(profile, 1, Circumstances::USUAL) {
        assert!(!plan.canonical().is_empty() && !plan.parameters().is_empty());
        assert!(settings.phases.iter().any(|phase| plan.skips(*phase).is_none()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_profile_is_read_or_refused(lines in prop::collection::vec(line(), 0..4), ram_bytes in prop_oneof![Just(0), Just(u64::MAX), Just(RAM_BYTES)]) {
        match Profile::of_text("x", &lines.concat(), ram_bytes) {
            Ok(profile) => check_profile(&profile),
            Err(error) => prop_assert!(error.to_string().starts_with("profile x: "), "{error}"),
        }
    }

    #[test]
    fn any_phases_and_programs_are_read_or_refused(tables in prop::collection::vec(phase_table(), 0..5)) {
        match Profile::of_text("x", &format!("files = 5\n{}", tables.concat()), 0) {
            Ok(profile) => check_profile(&profile),
            Err(error) => prop_assert!(error.to_string().starts_with("profile x: "), "{error}"),
        }
    }

    #[test]
    fn any_change_is_made_or_refused(key in "[a-z_]{0,14}|.{0,9}", known in prop::sample::select(KEYS.iter().map(|key| key.name).collect::<Vec<_>>()), is_known: bool, value in value()) {
        let key = if is_known { known.to_owned() } else { key };
        let profile = Profile::named("std", RAM_BYTES).expect("std");
        let value = value.trim_matches('"').to_owned();
        if let Ok(changed) = profile.changed(&[(key, value)], RAM_BYTES) {
            check_profile(&changed);
        }
    }

    #[test]
    fn any_time_is_read_or_refused(text in ".{0,20}|[0-9]{1,25}(ms|s|m|min|h)") {
        let _ = parse_milliseconds(&text);
    }

    #[test]
    fn any_time_in_whole_units_reads_back(number in 0_u64..1 << 40) {
        prop_assert_eq!(parse_milliseconds(&format!("{number}ms")), Ok(number));
        prop_assert_eq!(parse_milliseconds(&format!("{number}s")), Ok(number * 1000));
    }

    #[test]
    fn any_number_is_written(bits: u64, bytes: u64) {
        let number = f64::from_bits(bits);
        let _ = (short_duration(number), clock_seconds(number));
        prop_assert!(with_thousands(number, decimals_for(number, 3)).len() < 1000);
        prop_assert!(rounded_size(bytes).chars().count() <= 10, "{}", rounded_size(bytes));
        prop_assert_eq!(parse_size(&exact_size(bytes)), Ok(bytes));
        let rounded = round_significant(number, 3);
        prop_assert_eq!(rounded.is_finite(), number.is_finite());
        prop_assert!(!number.is_normal() || (rounded / number - 1.0).abs() < 0.006, "{number:e} {rounded:e}");
    }
}

#[test]
fn numbers_at_their_ends_are_rounded_to_numbers() {
    for number in [f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 1e308, -1e308] {
        for digits in 1..6 {
            assert!(round_significant(number, digits).is_finite(), "{number:e} in {digits}");
        }
    }
}

#[test]
fn a_profile_of_deep_lists_or_one_key_twice_is_refused() {
    let deep = format!("seeks = {}{}", "[".repeat(10_000), "]".repeat(10_000));
    let tables = format!("{}seeks = 1", "[a.".repeat(1000));
    let dotted = format!("{}a = 1", "a.".repeat(10_000));
    for text in [deep.as_str(), &tables, &dotted, "seeks = 1\nseeks = 2", "seeks = 1\0", "\u{feff}seeks = []"] {
        assert!(Profile::of_text("x", text, RAM_BYTES).is_err());
    }
}
