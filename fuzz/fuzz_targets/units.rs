//! Sizes and times as people type them, and numbers as people read them.
#![no_main]

use barrow::units::{
    clock_seconds, decimals_for, exact_size, parse_milliseconds, parse_size, round_significant, rounded_size, short_duration, with_thousands,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, u64, f64)| {
    let (text, bytes, number) = input;
    if let Ok(size) = parse_size(text) {
        assert_eq!(parse_size(&exact_size(size)), Ok(size));
    }
    let _ = parse_milliseconds(text);
    assert_eq!(parse_size(&exact_size(bytes)), Ok(bytes));
    assert!(rounded_size(bytes).len() <= 20);
    let _ = (short_duration(number), clock_seconds(number));
    assert_eq!(round_significant(number, 3).is_nan(), number.is_nan());
    assert!(with_thousands(number, decimals_for(number, 3)).len() < 1000);
});
