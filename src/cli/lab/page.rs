//! What the lab would do, as a page: made of the plan alone, whatever the system has.

use crate::lab::needed_space::{wanted, with_spare};
use crate::lab::resolve::Resolved;
use crate::lab::variant::{Ground, Variant};
use crate::lab::words::{joined_options, one_line};
use crate::model::plan::Plan;
use crate::model::printable::printable;
use crate::report::lines::{blanks, join_and, left, wrap};
use crate::units::rounded_size;

/// Columns of the names of rows.
const NAMES: usize = 10;

/// The whole page, at most 80 columns wide.
pub fn page(resolved: &Resolved, plan: &Plan) -> String {
    let variants = &resolved.variants;
    let (count, runs) = (variants.len(), plan.settings.runs);
    let filesystems = if count == 1 { "1 filesystem".to_owned() } else { format!("{count} filesystems") };
    let runs = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
    let mut lines = safe_wrap(&format!("barrow lab: {filesystems} × {runs} of {}", plan.profile), "", "  ");
    if !resolved.tags.is_empty() {
        let tags: Vec<String> = resolved.tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
        lines.extend(safe_wrap(&format!("Tags of all: {}", tags.join(", ")), "", "  "));
    }
    for variant in variants {
        lines.push(String::new());
        lines.extend(variant_lines(variant, variants));
    }
    lines.push(String::new());
    lines.extend(order_lines(resolved, plan));
    lines.extend(space_lines(variants));
    lines.extend(wrap("How long it takes is not known before the first run has shown it.", "", "  "));
    lines.join("\n") + "\n"
}

/// Wraps a text in which nothing moves the cursor.
fn safe_wrap(text: &str, first: &str, next: &str) -> Vec<String> {
    wrap(&printable(text), first, next)
}

fn row(name: &str, text: &str) -> Vec<String> {
    safe_wrap(text, &left(&format!("  {name}"), NAMES), &blanks(NAMES))
}

fn variant_lines(variant: &Variant, all: &[Variant]) -> Vec<String> {
    let mut lines = safe_wrap(&variant.label, "", "  ");
    lines.extend(row("on", &ground_words(variant, all)));
    lines.extend(row("mkfs", &one_line(&variant.mkfs)));
    lines.extend(row("mount", &format!("-t {} -o {}", variant.kind, joined_options(&variant.fixed_mount_options, &variant.mount_options))));
    lines.extend(row("check", &if variant.check.is_empty() { "none".to_owned() } else { one_line(&variant.check) }));
    if !variant.tags.is_empty() {
        let tags: Vec<String> = variant.tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
        lines.extend(row("tags", &tags.join(", ")));
    }
    lines
}

fn ground_words(variant: &Variant, all: &[Variant]) -> String {
    match &variant.ground {
        Ground::Image { directory, bytes, .. } => {
            let is_other = |other: &&Variant| other.ground == variant.ground && other.label != variant.label;
            let others = all.iter().filter(is_other).count();
            let shared = match others {
                0 => String::new(),
                1 => ", shared with 1 other".to_owned(),
                others => format!(", shared with {others} others"),
            };
            format!("image of {} in {}{shared}", rounded_size(*bytes), directory.display())
        }
        Ground::Devices(devices) => {
            let names: Vec<String> = devices.iter().map(|device| device.display().to_string()).collect();
            format!("{}, whose content is lost: --destroy repeats each, --wipe where something is on it", join_and(&names))
        }
    }
}

fn order_lines(resolved: &Resolved, plan: &Plan) -> Vec<String> {
    let mut words = match (resolved.variants.len(), plan.settings.runs) {
        (1, _) => "Each run: make, mount, measure, unmount".to_owned(),
        (_, 1) => "The run of each, in shuffled order: make, mount, measure, unmount".to_owned(),
        (_, rounds) => format!("{rounds} rounds, each with one run of each in shuffled order: make, mount, measure, unmount"),
    };
    if resolved.variants.iter().any(|variant| !variant.check.is_empty()) {
        words.push_str(", check");
    }
    if resolved.fill {
        words.push_str("; each is filled once its files are gone");
    }
    wrap(&format!("{words}."), "", "  ")
}

fn space_lines(variants: &[Variant]) -> Vec<String> {
    let one = |space: &crate::lab::needed_space::Space| {
        let images = if space.images == 1 { "1 image".to_owned() } else { format!("{} images", space.images) };
        let (bytes, directory) = (rounded_size(with_spare(space.bytes)), space.directory.display());
        safe_wrap(&format!("Space: {bytes} in {directory} for {images}, written in full."), "", "  ")
    };
    wanted(variants).iter().flat_map(one).collect()
}
