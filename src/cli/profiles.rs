//! Which profile is meant, and the list of all.

use super::exit::usage;
use super::small_file;
use crate::model::profile::{MOST_BYTES, Profile, ProfileError};
use crate::model::settings::KEYS;
use crate::units::{rounded_size, with_thousands};
use comfy_table::{Table, presets};
use std::path::Path;

/// What stands where a profile makes nothing.
const NOTHING: &str = "–";

/// The profile of a name, or of a TOML file.
///
/// # Errors
/// When there is neither; as a usage error when the name or a key is wrong.
pub fn find(name: &str, ram_bytes: u64) -> anyhow::Result<Profile> {
    match Profile::named(name, ram_bytes) {
        Err(ProfileError::Unknown { .. }) if is_file_name(name) => read_file(Path::new(name), ram_bytes),
        other => other.map_err(usage),
    }
}

fn is_file_name(name: &str) -> bool {
    name.contains('/') || Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

fn read_file(path: &Path, ram_bytes: u64) -> anyhow::Result<Profile> {
    let text = small_file::read("profile", path, MOST_BYTES)?;
    let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    Profile::of_text(&stem, &text, ram_bytes).map_err(usage)
}

/// The list of the built-in profiles, at most 80 columns wide.
#[must_use]
pub fn list(ram_bytes: u64) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["profile", "takes", "files", "runs", "for"]);
    for profile in Profile::built_in(ram_bytes) {
        let settings = &profile.settings;
        let some = |count: u64, text: String| if count > 0 { text } else { NOTHING.to_owned() };
        let (bytes, inodes) = (settings.most_bytes(), settings.most_inodes());
        table.add_row([
            profile.name.clone(),
            some(bytes, rounded_size(bytes)),
            some(inodes, with_thousands(inodes as f64, 0)),
            settings.runs.to_string(),
            profile.purpose.clone(),
        ]);
    }
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    table.set_width(80);
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    let keys: Vec<String> = KEYS.iter().map(|key| format!("   {:<21} {}", key.name, key.meaning)).collect();
    format!(
        "{}\n\nA run needs what it takes at a time free, half more on btrfs, and 5 % to spare.\n\
         `--set KEY=VALUE` changes one key; `-p FILE` takes a TOML file of such keys and\n\
         of phases, programs of yours among them: [[phase]] command = [\"make\", \"-j4\"]\n\n{}\n",
        lines.join("\n"),
        keys.join("\n")
    )
}
