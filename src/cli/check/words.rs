//! The words of `barrow check`, in 80 columns.

use super::compare::{Compared, PAIRS};
use crate::model::costs::Costs;
use crate::units::{short_duration, with_thousands};

const GIB: f64 = (1_u64 << 30) as f64;
/// MiB of a GiB.
const MIBS: f64 = 1024.0;
/// A clock with steps of this and more cannot tell one operation from another.
const COARSE_STEP_NS: u64 = 1_000_000;
/// Operations whose share is told: a fast and a slow one of a solid state disk.
const OPERATIONS_NS: [f64; 2] = [100_000.0, 10_000.0];
const WIDTH: usize = 80;

/// What the parts of barrow cost.
pub fn costs(costs: &Costs) -> String {
    let clock = if costs.clock_step_ns == 0 {
        "stands still".to_owned()
    } else {
        format!("a reading takes {}; its least step is {}", duration(costs.clock_ns), duration(costs.clock_step_ns))
    };
    let ceiling = match costs.memory_bytes_per_second {
        Some(rate) => format!("{}, at which a file of 64 MiB in memory is read", gib_per_second(rate as f64)),
        None => "not known".to_owned(),
    };
    [
        ("clock", clock),
        ("making data", of_mib(costs.make_ns_per_mib)),
        ("checking data", of_mib(costs.check_ns_per_mib)),
        ("memory ceiling", ceiling),
    ]
    .iter()
    .map(|(name, text)| format!("{name:<16}{text}\n"))
    .collect()
}

fn of_mib(ns_per_mib: u64) -> String {
    match ns_per_mib {
        0 => "too fast for the clock".to_owned(),
        ns => format!("{} ({} for a MiB)", gib_per_second(GIB / MIBS * 1e9 / ns as f64), duration(ns)),
    }
}

fn duration(ns: u64) -> String {
    short_duration(ns as f64)
}

/// In three digits.
fn gib_per_second(bytes_per_second: f64) -> String {
    let rate = bytes_per_second / GIB;
    format!("{} GiB/s", with_thousands(rate, crate::units::decimals_for(rate, 3)))
}

/// What stands above the comparisons.
pub fn heading(place: &str) -> String {
    let said = format!(
        "barrow's loops beside raw loops of the same system calls in {place}: processor time of one operation, median of {PAIRS} pairs \
         in turns; the median of the ratios of the pairs, with its 95 % interval."
    );
    let columns = format!("{:<18}{:>12}{:>14}{:>14}{:>20}", "", "raw, ns", "barrow, ns", "barrow/raw", "95 % interval");
    format!("\n{}\n{columns}\n", wrapped(&said))
}

/// A comparison.
pub fn line(compared: &Compared) -> String {
    let interval = format!("{:.3} – {:.3}", compared.ratio.low, compared.ratio.high);
    let (raw, barrow) = (with_thousands(compared.raw_ns, 0), with_thousands(compared.barrow_ns, 0));
    format!("{:<18}{raw:>12}{barrow:>14}{:>14.3}{interval:>20}\n", compared.name, compared.ratio.median)
}

/// What it all means: barrow's share of an operation, and whether the clock is fit.
pub fn verdict(costs: &Costs, compared: &[Compared]) -> String {
    let share = share(costs, compared).map(|share| format!("{}\n", wrapped(&share))).unwrap_or_default();
    format!("\n{share}{}\n", wrapped(&clock(costs)))
}

/// barrow's own time of one small operation in nanoseconds: what its dearest loop takes above the raw one, and a reading of the clock,
/// which fast operations share by 16 and slow ones do not.
fn own_ns(costs: &Costs, compared: &[Compared]) -> Option<f64> {
    let above = compared.iter().filter(|one| !one.is_bulk).map(|one| one.raw_ns * (one.ratio.median - 1.0));
    above.reduce(f64::max).map(|above| above.max(0.0) + costs.clock_ns as f64)
}

fn share(costs: &Costs, compared: &[Compared]) -> Option<String> {
    let own_ns = own_ns(costs, compared)?;
    let shares =
        OPERATIONS_NS.map(|operation| format!("{} % of one of {}", percent(own_ns * 100.0 / operation), short_duration(operation)));
    let [slow, fast] = shares;
    Some(format!("Beside the data, barrow itself takes {} of an operation at the most: {slow}, {fast}.", short_duration(own_ns)))
}

/// In two digits, but no finer than a hundredth.
fn percent(percent: f64) -> String {
    let decimals = crate::units::decimals_for(percent, 2).min(2);
    format!("{percent:.decimals$}")
}

fn clock(costs: &Costs) -> String {
    match costs.clock_step_ns {
        0 => "Warning: the clock of this machine stands still, so no rate and no latency from it is true.".to_owned(),
        step if step >= COARSE_STEP_NS => format!(
            "Warning: the clock of this machine moves in steps of {}. Shorter operations seem to take no time or a whole step, so their \
             latencies are not true; rates are, of phases that take a second or more.",
            duration(step)
        ),
        step => format!("The clock of this machine is fit: it moves in steps of {} or less.", duration(step)),
    }
}

/// Words in lines of 80 columns at the most.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Spread;

    const COSTS: Costs = Costs {
        clock_ns: 50,
        clock_step_ns: 38,
        make_ns_per_mib: 8000,
        check_ns_per_mib: 1250,
        memory_bytes_per_second: Some(6_442_450_944),
    };

    fn compared(name: &'static str, raw_ns: f64, ratio: f64, is_bulk: bool) -> Compared {
        Compared { name, raw_ns, barrow_ns: raw_ns * ratio, ratio: Spread::of(&[ratio; 11]).unwrap(), is_bulk }
    }

    #[test]
    fn the_costs_are_a_line_each() {
        let expected = "clock           a reading takes 50 ns; its least step is 38 ns\n\
            making data     122 GiB/s (8.0 µs for a MiB)\n\
            checking data   781 GiB/s (1.3 µs for a MiB)\n\
            memory ceiling  6.00 GiB/s, at which a file of 64 MiB in memory is read\n";
        assert_eq!(costs(&COSTS), expected);
        let unknown = costs(&Costs::default());
        assert!(unknown.contains("stands still") && unknown.contains("not known") && unknown.contains("too fast for the clock"));
    }

    #[test]
    fn the_share_is_of_the_dearest_small_operation() {
        let all = [
            compared("write 1 MiB", 200_000.0, 1.5, true),
            compared("read 8 KiB", 100.0, 1.5, false),
            compared("stat a file", 800.0, 0.99, false),
        ];
        let expected = "\nBeside the data, barrow itself takes 100 ns of an operation at the most: 0.10 %\nof one of 100 µs, 1.0 % of one of 10 µs.\n\
            The clock of this machine is fit: it moves in steps of 38 ns or less.\n";
        assert_eq!(verdict(&COSTS, &all), expected);
        assert_eq!(own_ns(&COSTS, &all[2..]), Some(50.0), "a raw loop that is slower costs nothing");
        assert_eq!(own_ns(&COSTS, &[]), None);
    }

    #[test]
    fn a_clock_that_is_not_fit_is_a_warning() {
        let coarse = Costs { clock_step_ns: 10_000_000, ..COSTS };
        assert!(clock(&coarse).starts_with("Warning: the clock of this machine moves in steps of 10 ms."), "{}", clock(&coarse));
        assert!(clock(&Costs { clock_step_ns: 1_000_000, ..COSTS }).starts_with("Warning"));
        assert!(!clock(&Costs { clock_step_ns: 999_999, ..COSTS }).starts_with("Warning"));
        assert!(clock(&Costs::default()).contains("stands still"));
    }

    #[test]
    fn no_line_is_wider_than_80_columns() {
        let coarse = Costs { clock_step_ns: 10_000_000, ..COSTS };
        let long = compared("random read 4 KiB", 123_456_789.0, 1.0, false);
        let all = [costs(&COSTS), heading("/run/user/1000"), line(&long), verdict(&coarse, &[long])].concat();
        for line in all.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }
}
