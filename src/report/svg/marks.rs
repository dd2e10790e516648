//! How each mark is drawn, in the row of height 19 around a middle line.

use super::canvas::{Area, Canvas};
use super::palette::{INK, Paint};
use super::track::Track;
use crate::report::chart::model::{Fill, Mark};
use std::collections::HashSet;

/// Half the height of a bar.
const BAR: f64 = 5.5;

/// Where the dots of following runs stand, in pixels above the middle: spread, and equal for equal runs.
const LANES: [f64; 9] = [4.0, -2.0, 2.0, -4.0, 0.0, 3.0, -3.0, 1.0, -1.0];

/// From so many dots in a row on, those that would lie on each other are drawn once.
const MANY_DOTS: usize = 200;

/// Pixels within which two of many dots at one height lie on each other: under two thirds of a dot.
const CLOSE: f64 = 3.0;

/// Draws the marks of a row.
pub fn draw(canvas: &mut Canvas, track: &Track, y: f64, paint: Paint, marks: &[Mark]) {
    let mut seen = HashSet::new();
    let is_crowded = marks.len() > MANY_DOTS;
    for mark in marks {
        if let (true, Mark::Dot { at, run, is_hollow }) = (is_crowded, mark)
            && !seen.insert(((track.at(*at) / CLOSE).round() as i64, run % LANES.len(), *is_hollow))
        {
            continue;
        }
        draw_one(canvas, track, y, paint, mark);
    }
}

fn draw_one(canvas: &mut Canvas, track: &Track, y: f64, paint: Paint, mark: &Mark) {
    let between = |from: f64, to: f64, reach: f64| Area { left: track.at(from), right: track.at(to), top: y - reach, bottom: y + reach };
    match *mark {
        Mark::Bar { to, end, fill } => {
            let (solid, whole) = (Area { left: track.left, ..between(to, to, BAR) }, Area { left: track.left, ..between(end, end, BAR) });
            match fill {
                Fill::Solid => canvas.fill(solid, paint, 1.0),
                Fill::Hollow => canvas.outline(whole, paint, 1.4),
                Fill::Hatched => {
                    canvas.hatch(solid, paint, 0.55);
                    canvas.outline(whole, paint, 1.4);
                }
            }
        }
        Mark::PaleEnd { from, to } => canvas.fill(between(from, to, BAR), paint, 0.45),
        Mark::Shade { from, to } => {
            // As wide as the dots that lie on its ends.
            let area = between(from, to, 6.5);
            canvas.shade(Area { left: area.left - 3.0, right: area.right + 3.0, ..area }, paint, 0.2);
        }
        Mark::Halo { from, to } => {
            let (from, to) = (track.at(from), track.at(to));
            canvas.line((from, y), (to.max(from + 0.1), y), paint, 7.0, 0.28);
        }
        Mark::Link { from, to } => canvas.line((track.at(from), y), (track.at(to), y), paint, 1.4, 0.55),
        Mark::Dot { at, run, is_hollow } => {
            let lane = y - LANES.get(run % LANES.len()).copied().unwrap_or(0.0);
            if is_hollow { canvas.ring(track.at(at), lane, 2.1, paint, 1.2) } else { canvas.disc(track.at(at), lane, 2.4, paint, 0.85) }
        }
        Mark::Tick { at } => {
            let x = track.at(at);
            canvas.line((x, y - 8.0), (x, y + 8.0), INK, 2.0, 1.0);
        }
        Mark::Disc { at, is_hollow } => disc(canvas, track.at(at), y, paint, is_hollow),
        Mark::Diamond { at, is_hollow } => canvas.diamond(track.at(at), y, 5.0, paint, is_hollow),
        Mark::Post { at } => post(canvas, track.at(at), y, paint),
        Mark::Interval { from, to } => {
            let (from, to) = (track.at(from), track.at(to));
            canvas.line((from, y), (to.max(from + 0.1), y), paint, 3.0, 1.0);
        }
    }
}

fn post(canvas: &Canvas, x: f64, y: f64, paint: Paint) {
    canvas.line((x, y - 5.5), (x, y + 5.5), paint, 2.6, 1.0);
}

fn disc(canvas: &Canvas, x: f64, y: f64, paint: Paint, is_hollow: bool) {
    if is_hollow { canvas.ring(x, y, 3.4, paint, 1.5) } else { canvas.disc(x, y, 3.8, paint, 1.0) }
}

/// Draws a mark outside a row, in the key; its values are of no account.
pub fn draw_key(canvas: &Canvas, x: f64, y: f64, paint: Paint, mark: &Mark) {
    match mark {
        Mark::Disc { is_hollow, .. } => disc(canvas, x, y, paint, *is_hollow),
        Mark::Diamond { is_hollow, .. } => canvas.diamond(x, y, 5.0, paint, *is_hollow),
        Mark::Post { .. } => post(canvas, x, y, paint),
        _ => {}
    }
}
