//! The drawn column of a panel: its axis in pixels, by plotters' coordinates; its lines and their labels.

use super::backend::TENTHS;
use super::canvas::{Area, Canvas};
use super::elements::Anchor;
use super::form::{AXIS, Form};
use super::letters::width;
use super::palette::{GRID, RULE};
use crate::report::chart::axis::{Axis, Scale, Ticks};
use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;

/// An axis between two places.
pub struct Track {
    pub left: f64,
    pub right: f64,
    ticks: Ticks,
    reference: Option<f64>,
    band: Option<(f64, f64)>,
    scale: Scale,
    map: Map,
}

enum Map {
    Linear(RangedCoordf64),
    Log(LogCoord<f64>),
}

/// Pixels between the labels of an axis, at the least.
const LEAST_GAP: f64 = 8.0;

/// Pixels from the end of the lines to the base line of the labels.
pub const LABEL_DROP: f64 = 14.0;

impl Track {
    /// The axis from `left` to `right`.
    pub fn new(axis: &Axis, form: &Form, left: f64, right: f64) -> Self {
        let ticks = axis.ticks(form.most_steps);
        let map = match axis.scale {
            Scale::Log | Scale::Durations | Scale::Ratios => Map::Log((ticks.low..ticks.high).log_scale().into()),
            Scale::FromZero | Scale::CloseUp => Map::Linear((ticks.low..ticks.high).into()),
        };
        Self { left, right, ticks, reference: axis.reference, band: axis.band, scale: axis.scale, map }
    }

    /// Where a value lies, in pixels.
    pub fn at(&self, value: f64) -> f64 {
        let limits = ((self.left * TENTHS).round() as i32, (self.right * TENTHS).round() as i32);
        let tenths = match &self.map {
            Map::Linear(map) => map.map(&value, limits),
            Map::Log(map) => map.map(&value, limits),
        };
        f64::from(tenths.clamp(limits.0, limits.1)) / TENTHS
    }

    /// Draws the lines from `top` to `bottom` and the labels below; `edge` is where the sheet ends at the right.
    pub fn draw(&self, canvas: &Canvas, top: f64, bottom: f64, edge: f64) {
        let labels = self.labels(edge);
        if let Some((from, to)) = self.band {
            canvas.fill(Area { left: self.at(from), top, right: self.at(to), bottom }, GRID, 0.8);
        }
        for (value, ..) in &labels {
            let is_strong = (*value == 0.0 && self.scale == Scale::FromZero) || self.reference == Some(*value);
            let x = self.at(*value);
            canvas.line((x, top), (x, bottom), if is_strong { RULE } else { GRID }, 1.0, 1.0);
        }
        for (_, middle, label) in &labels {
            canvas.text(*middle, bottom + LABEL_DROP, Anchor::Middle, AXIS, label);
        }
    }

    /// The place of the first of every so many ticks: around 1, ratios are read from 1 on.
    fn first(&self, stride: usize) -> usize {
        let reference = self.ticks.at.iter().position(|(value, _)| Some(*value) == self.reference);
        reference.filter(|_| self.scale == Scale::Ratios).map_or(0, |place| place % stride)
    }

    /// Every label, or where they would touch every second, every third …; with its value and its middle.
    fn labels(&self, edge: f64) -> Vec<(f64, f64, &str)> {
        let all = self.ticks.at.len().max(1);
        let every = |stride: usize| -> Vec<(f64, f64, &str)> {
            let ticks = self.ticks.at.iter().skip(self.first(stride)).step_by(stride);
            let half = |label: &str| width(label, AXIS.face) / 2.0;
            ticks.map(|(value, label)| (*value, self.at(*value).min(edge - half(label)).max(half(label)), label.as_str())).collect()
        };
        let is_clear = |labels: &[(f64, f64, &str)]| {
            labels.windows(2).all(|pair| match pair {
                [(_, one, before), (_, other, behind)] => {
                    one + width(before, AXIS.face) / 2.0 + LEAST_GAP <= other - width(behind, AXIS.face) / 2.0
                }
                _ => true,
            })
        };
        (1..=all).map(every).find(|labels| is_clear(labels)).unwrap_or_default()
    }
}
