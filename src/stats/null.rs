//! What rank tests count when nothing differs: the exact null distributions of Mann and Whitney's U and of Kendall's inversions.

/// Values of both samples together up to which the splits of U are counted: their number, at most C(120, 60) = 9.7e34, fits an `i128`.
const EXACT_VALUES: usize = 120;
/// Values up to which the orders of Kendall's test are counted: their number, at most 30! = 2.7e32, fits an `i128`.
const EXACT_ORDERS: usize = 30;

/// The distribution of a count that is symmetric about half of the greatest one, when every split or order is equally likely.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Null {
    /// The greatest count.
    greatest: usize,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    /// The probability of each count or a smaller one, from 0 on.
    Counted(Vec<f64>),
    /// Normal with this standard deviation, with a correction for continuity.
    Normal(f64),
}

impl Null {
    /// Of U, the number of pairs out of samples of `n` and `m` values in which the second value is the greater one. Counted up to
    /// 120 values together (60 a side); normal beyond, where a probability is off by
    /// under 0.002, and with only 5 values on a side by under 0.006.
    pub(super) fn of_pairs(n: usize, m: usize) -> Self {
        let greatest = n * m;
        if n + m > EXACT_VALUES {
            let variance = greatest as f64 * (n + m + 1) as f64 / 12.0;
            return Self { greatest, shape: Shape::Normal(variance.sqrt()) };
        }
        // The Gaussian binomial coefficient, whose power q^u has as many splits as its factor says (Mann and Whitney 1947).
        let mut ways = one_way(greatest);
        for i in 1..=n {
            times_one_minus_power(&mut ways, m + i);
            over_one_minus_power(&mut ways, i);
        }
        Self { greatest, shape: Shape::Counted(cumulated(&ways)) }
    }

    /// Of the number of pairs out of `n` values that stand in descending order. Counted up to 30 values; normal beyond, where a
    /// probability is off by under 0.002.
    pub(super) fn of_inversions(n: usize) -> Self {
        let greatest = n * n.saturating_sub(1) / 2;
        if n > EXACT_ORDERS {
            let variance = greatest as f64 * (2 * n + 5) as f64 / 36.0;
            return Self { greatest, shape: Shape::Normal(variance.sqrt()) };
        }
        // The i-th value makes 0 to i - 1 inversions with those before it: the product of 1 + q + ... + q^(i-1) (Kendall 1938).
        let mut ways = one_way(greatest);
        for i in 2..=n {
            times_one_minus_power(&mut ways, i);
            over_one_minus_power(&mut ways, 1);
        }
        Self { greatest, shape: Shape::Counted(cumulated(&ways)) }
    }

    /// The probability of a count up to this one.
    pub(super) fn at_most(&self, count: usize) -> f64 {
        match &self.shape {
            Shape::Counted(cumulative) => cumulative.get(count).copied().unwrap_or(1.0),
            Shape::Normal(deviation) => normal_at_most((count as f64 + 0.5 - self.greatest as f64 / 2.0) / deviation),
        }
    }

    /// The two-sided p of a count that lies in `least..=most` depending on how ties are broken: the largest p of them all. Breaking
    /// ties at random would make the test exact, so this p is never too small.
    pub(super) fn two_sided(&self, least: usize, most: usize) -> f64 {
        let from_the_end = if 2 * most <= self.greatest {
            most
        } else if 2 * least >= self.greatest {
            self.greatest.saturating_sub(least)
        } else {
            return 1.0;
        };
        (2.0 * self.at_most(from_the_end)).min(1.0)
    }
}

/// The polynomial 1, with room for powers up to the greatest.
fn one_way(greatest: usize) -> Vec<i128> {
    let mut ways = vec![0; greatest + 1];
    ways[0] = 1;
    ways
}

/// Multiplies a polynomial by 1 - q^power.
fn times_one_minus_power(ways: &mut [i128], power: usize) {
    for i in (power..ways.len()).rev() {
        ways[i] -= ways[i - power];
    }
}

/// Divides a polynomial by 1 - q^power.
fn over_one_minus_power(ways: &mut [i128], power: usize) {
    for i in power..ways.len() {
        ways[i] += ways[i - power];
    }
}

/// The share of all ways up to each place; summed whole and divided once, so that each is the nearest number to the exact one.
fn cumulated(ways: &[i128]) -> Vec<f64> {
    let all = ways.iter().sum::<i128>() as f64;
    let sums = ways.iter().scan(0_i128, |sum, count| {
        *sum += count;
        Some(*sum as f64 / all)
    });
    sums.collect()
}

/// The probability that a standard normal value is at most this (Abramowitz and Stegun, 26.2.17: off by less than 7.5e-8).
fn normal_at_most(value: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * value.abs());
    let factors = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let polynomial = factors.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    let tail = polynomial * (-value * value / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if value < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counted(null: &Null) -> &[f64] {
        match &null.shape {
            Shape::Counted(cumulative) => cumulative,
            Shape::Normal(_) => panic!("not counted"),
        }
    }

    /// How many of all the splits of 1..=n+m into n and m values have each U.
    fn splits(n: usize, m: usize) -> Vec<u32> {
        let mut found = vec![0; n * m + 1];
        for chosen in 0_u32..1 << (n + m) {
            if chosen.count_ones() as usize == n {
                let is_first = |i: usize| chosen >> i & 1 == 1;
                let pairs = (0..n + m).flat_map(|i| (0..i).map(move |j| (j, i)));
                found[pairs.filter(|&(j, i)| is_first(j) && !is_first(i)).count()] += 1;
            }
        }
        found
    }

    /// Counts the inversions of every order of the values that are left.
    fn orders(left: &mut Vec<usize>, inversions: usize, found: &mut [u32]) {
        if left.is_empty() {
            found[inversions] += 1;
        }
        for i in 0..left.len() {
            let value = left.remove(i);
            // Taking the i-th least of what is left puts i smaller ones behind it.
            orders(left, inversions + i, found);
            left.insert(i, value);
        }
    }

    fn assert_counts(null: &Null, found: &[u32]) {
        let all = f64::from(found.iter().sum::<u32>());
        let mut sum = 0;
        assert_eq!(counted(null).len(), found.len());
        for (cumulative, count) in counted(null).iter().zip(found) {
            sum += count;
            assert_eq!(*cumulative, f64::from(sum) / all);
        }
    }

    #[test]
    fn pairs_are_counted_as_by_trying_every_split() {
        for (n, m) in [(1, 1), (1, 4), (3, 2), (4, 4), (5, 5), (6, 4), (6, 6)] {
            assert_counts(&Null::of_pairs(n, m), &splits(n, m));
        }
    }

    #[test]
    fn inversions_are_counted_as_by_trying_every_order() {
        for n in 1..=7 {
            let mut found = vec![0; n * (n - 1) / 2 + 1];
            orders(&mut (0..n).collect(), 0, &mut found);
            assert_counts(&Null::of_inversions(n), &found);
        }
    }

    #[test]
    fn the_critical_values_are_those_of_the_tables() {
        // The greatest U with two-sided p <= 0.05 and <= 0.01 (Mann and Whitney's tables, as in every textbook).
        let pairs = [(4, 4, 0, None), (5, 5, 2, Some(0)), (6, 6, 5, Some(2)), (8, 8, 13, Some(7)), (5, 8, 6, Some(2))];
        let large = [(10, 10, 23, Some(16)), (20, 20, 127, Some(105))];
        for (n, m, at_5, at_1) in pairs.into_iter().chain(large) {
            let null = Null::of_pairs(n, m);
            let critical = |level: f64| (0..=n * m).take_while(|&u| null.two_sided(u, u) <= level).last();
            assert_eq!((critical(0.05), critical(0.01)), (Some(at_5), at_1), "{n} and {m}");
        }
        // Perfect order at n = 5: 2/120; one exchange at n = 5: 2 * 5/120, at n = 6: 2 * 6/720.
        assert_eq!(Null::of_inversions(5).two_sided(0, 0), 2.0 / 120.0);
        assert_eq!(Null::of_inversions(5).two_sided(9, 9), 10.0 / 120.0);
        assert_eq!(Null::of_inversions(6).two_sided(1, 1), 12.0 / 720.0);
        // Kendall's table: n = 10, S = 21 (12 inversions) has one-sided p 0.036; S = 23 (11 inversions) 0.023.
        assert!((Null::of_inversions(10).at_most(12) - 0.036).abs() < 5e-4);
        assert!((Null::of_inversions(10).at_most(11) - 0.023).abs() < 5e-4);
    }

    #[test]
    fn the_normal_takes_over_where_it_is_near_enough() {
        for (counted, value) in [(0.5, 0.0), (0.025, -1.959_963_985), (0.995, 2.575_829_304), (1e-6, -4.753_424_309)] {
            assert!((normal_at_most(value) - counted).abs() < 1e-7, "{value}");
        }
        for (n, m) in [(60, 60), (20, 100), (5, 115)] {
            let counted = Null::of_pairs(n, m);
            let variance = (n * m * (n + m + 1)) as f64 / 12.0;
            let normal = Null { greatest: n * m, shape: Shape::Normal(variance.sqrt()) };
            let worst = (0..=n * m).map(|u| (counted.at_most(u) - normal.at_most(u)).abs()).fold(0.0, f64::max);
            assert!(worst < if n < 20 { 0.006 } else { 0.002 }, "{n} and {m}: {worst}");
        }
        assert!(matches!(Null::of_pairs(60, 61).shape, Shape::Normal(_)));
        assert!(matches!(Null::of_inversions(31).shape, Shape::Normal(_)));
        let last = Null::of_inversions(30);
        let normal = Null { greatest: 435, shape: Shape::Normal((435.0_f64 * 65.0 / 36.0).sqrt()) };
        let worst = (0..=435).map(|count| (last.at_most(count) - normal.at_most(count)).abs()).fold(0.0, f64::max);
        assert!(worst < 0.002, "{worst}");
    }

    #[test]
    fn ties_count_for_the_largest_p() {
        let null = Null::of_pairs(6, 6);
        assert_eq!(null.two_sided(0, 3), null.two_sided(3, 3));
        assert_eq!(null.two_sided(33, 36), null.two_sided(33, 33));
        assert_eq!(null.two_sided(0, 36), 1.0);
    }

    proptest! {
        #[test]
        fn a_distribution_grows_to_1_and_is_symmetric(n in 0_usize..61, m in 0_usize..61) {
            for null in [Null::of_pairs(n, m), Null::of_inversions(n.min(30))] {
                let cumulative = counted(&null);
                prop_assert!(cumulative.windows(2).all(|pair| pair[0] <= pair[1]));
                prop_assert_eq!(cumulative[null.greatest], 1.0);
                for count in 0..null.greatest {
                    prop_assert!((cumulative[count] + cumulative[null.greatest - 1 - count] - 1.0).abs() < 1e-12);
                }
            }
        }
    }
}
