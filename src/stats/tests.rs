//! What the statistics promise, held against synthetic runs whose truth is known. Every seed is fixed.

use super::*;

/// A seeded stream of numbers (splitmix64), so that a simulation is the same each time.
struct Stream(u64);

impl Stream {
    /// In 0..1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Of mean 0 and standard deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    fn lognormal(&mut self, noise: f64) -> f64 {
        (noise * self.normal()).exp()
    }

    fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    /// Two thirds of the runs at full speed, one third at half.
    fn bimodal(&mut self) -> f64 {
        let middle = if self.uniform() < 2.0 / 3.0 { 1.0 } else { 0.5 };
        middle * self.lognormal(0.03)
    }
}

/// `n` values of a kind.
fn sample(n: usize, mut draw: impl FnMut() -> f64) -> Vec<f64> {
    (0..n).map(|_| draw()).collect()
}

/// The share of trials that come out true.
fn share_of(trials: u32, mut trial: impl FnMut() -> bool) -> f64 {
    let hits: u32 = (0..trials).map(|_| u32::from(trial())).sum();
    f64::from(hits) / f64::from(trials)
}

type Draw = fn(&mut Stream) -> f64;

const KINDS: [(&str, Draw); 4] = [
    ("lognormal, 5 %", |stream| stream.lognormal(0.05)),
    ("lognormal, 50 %", |stream| stream.lognormal(0.5)),
    ("exponential", Stream::exponential),
    ("bimodal", Stream::bimodal),
];

#[test]
fn the_interval_holds_the_median_as_often_as_it_says() {
    let mut stream = Stream(1);
    for n in 6..=20 {
        let held = share_of(10_000, || {
            // Skewed, as run times are; its median is ln 2.
            let spread = Spread::of(&sample(n, || stream.exponential())).unwrap();
            (spread.low..=spread.high).contains(&std::f64::consts::LN_2)
        });
        assert!(held >= 0.94, "n = {n}: {held}");
    }
}

#[test]
fn the_interval_holds_the_ratio_as_often_as_it_says() {
    let mut stream = Stream(2);
    for (name, draw) in KINDS {
        for n in 4..=10 {
            let held = share_of(2_500, || {
                let baseline = sample(n, || draw(&mut stream));
                let other = sample(n, || 1.3 * draw(&mut stream));
                let ratio = Ratio::of(&baseline, &other).unwrap();
                assert_eq!(ratio.interval, Interval::Ci95);
                (ratio.low..=ratio.high).contains(&1.3)
            });
            assert!((0.94..0.985).contains(&held), "{name}, n = {n}: {held}");
        }
    }
}

#[test]
fn a_series_beside_itself_is_seldom_called_different() {
    const PHASES: u32 = 10;
    let mut stream = Stream(3);
    for (n, noise) in [(5, 0.20), (6, 0.05), (6, 0.20), (8, 0.20), (10, 0.20)] {
        let mut phases = 0;
        let comparisons = share_of(1_500, || {
            let called = (0..PHASES).filter(|_| {
                let baseline = sample(n, || stream.lognormal(noise));
                let other = sample(n, || stream.lognormal(noise));
                matches!(Ratio::of(&baseline, &other).unwrap().verdict(), Verdict::Faster | Verdict::Slower)
            });
            let called = called.count();
            phases += called;
            called > 0
        });
        let each = phases as f64 / f64::from(1_500 * PHASES);
        assert!(comparisons <= 0.10 && each <= 0.0105, "n = {n}, noise {noise}: {comparisons} of comparisons, {each} of phases");
    }
}

#[test]
fn a_true_difference_is_found_and_has_the_right_sign() {
    let mut stream = Stream(4);
    for (factor, verdict) in [(1.2, Verdict::Faster), (1.0 / 1.2, Verdict::Slower), (1.0, Verdict::Same)] {
        let found = share_of(2_000, || {
            let baseline = sample(6, || stream.lognormal(0.03));
            let other = sample(6, || factor * stream.lognormal(0.03));
            Ratio::of(&baseline, &other).unwrap().verdict() == verdict
        });
        assert!(found >= if factor == 1.0 { 0.5 } else { 0.99 }, "{verdict:?}: {found}");
    }
}

#[test]
fn series_measured_one_after_the_other_would_be_called_different() {
    // Why targets are interleaved: 20 % drift over 16 runs, all of one series first, the same system twice.
    let mut stream = Stream(5);
    let mut drifting = |run: usize| (1.0 + 0.2 * run as f64 / 15.0) * stream.lognormal(0.03);
    let is_called = |baseline: &[f64], other: &[f64]| Ratio::of(baseline, other).unwrap().verdict() == Verdict::Faster;
    let one_after_the_other = share_of(500, || {
        let runs: Vec<f64> = (0..16).map(&mut drifting).collect();
        is_called(&runs[..8], &runs[8..])
    });
    let interleaved = share_of(500, || {
        let (baseline, other): (Vec<f64>, Vec<f64>) = (0..8).map(|round| (drifting(2 * round), drifting(2 * round + 1))).unzip();
        is_called(&baseline, &other)
    });
    assert!(one_after_the_other > 0.7 && interleaved < 0.01, "{one_after_the_other}, {interleaved}");
}

/// How often independent runs of one distribution are flagged: outlier, slow first run, drift.
fn false_alarms(stream: &mut Stream, n: usize, draw: impl Fn(&mut Stream) -> f64) -> [f64; 3] {
    const TRIALS: u32 = 10_000;
    let mut hits = [0; 3];
    for _ in 0..TRIALS {
        let odd = Oddness::of(&sample(n, || draw(stream)));
        for (hits, is_hit) in hits.iter_mut().zip([!odd.outliers.is_empty(), odd.slow_first.is_some(), odd.drift.is_some()]) {
            *hits += u32::from(is_hit);
        }
    }
    hits.map(|hits| f64::from(hits) / f64::from(TRIALS))
}

#[test]
fn clean_series_are_flagged_as_seldom_as_stated() {
    let mut stream = Stream(6);
    // Noise, runs, and the most that may be flagged as outlier, slow first run and drift.
    let stated: [(f64, usize, [f64; 3]); 9] = [
        (0.03, 3, [0.0; 3]),(0.10, 3, [0.0; 3]),(0.20, 3, [0.0; 3]),
        (0.03, 6, [0.0; 3]),(0.10, 6, [0.0; 3]),(0.20, 6, [0.0; 3]),
        (0.03, 10, [0.0; 3]),(0.10, 10, [0.0; 3]),(0.20, 10, [0.0; 3]),
    ];
    let mut s=String::new();
    for (noise, n, _most) in stated {
        let found = false_alarms(&mut stream, n, |stream| stream.lognormal(noise));
        s+=&format!("{noise} n = {n}: {found:?}\n");
    }
    for n in [3,6,10] { s+=&format!("exp {n} {:?}\n", false_alarms(&mut stream, n, Stream::exponential));}
    panic!("{s}");
}

#[test]
fn steady_noise() {
    let mut stream = Stream(7);
    let mut s=String::new();
    for slices in [32, 33, 40, 48, 64] { for noise in [0.03, 0.05, 0.1, 0.2, 0.5] {
        let mut solo=0;
        let both = share_of(5000, || { let e: Vec<u64> = (0..slices).map(|_| (1e6*stream.lognormal(noise)) as u64).collect();
            let st = Steadiness::of(&e).unwrap();
            if st.range>0.2 || st.change.abs()>0.1 {solo+=1;}
            !st.is_steady });
        s+=&format!("{slices} {noise}: solo {} both {both}\n", solo as f64/5000.0);
    }}
    panic!("{s}");
}
