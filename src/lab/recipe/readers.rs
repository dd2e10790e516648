//! What the filesystems' own tools say of their features and sizes, read into words: never names, ids, dates or serial numbers.

/// The value behind a key at the beginning of a line, blanks before it aside: `Block size:  4096`.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let value = text.lines().find_map(|line| line.trim_start().strip_prefix(key))?.trim();
    (!value.is_empty()).then_some(value)
}

/// Sizes by what they are called in the report and by their keys; only those that begin with a number, and without what stands behind it.
fn sizes<'t>(text: &'t str, keys: &'static [(&'static str, &'static str)]) -> impl Iterator<Item = String> + 't {
    keys.iter().filter_map(|(name, key)| {
        let number = value(text, key)?.split_whitespace().next()?;
        is_number(number).then(|| format!("{name} {number}"))
    })
}

/// A number, perhaps with a point in it and a unit of one letter behind it: `4096`, `16M`, `3.1`.
fn is_number(word: &str) -> bool {
    let digits = word.strip_suffix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(word);
    digits.len() <= 20 && digits.starts_with(|digit: char| digit.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// A word of letters, digits, `_` and `-`, as features are called.
fn is_name(word: &str) -> bool {
    word.len() <= 40
        && word.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

fn feature_names(text: &str) -> impl Iterator<Item = String> {
    let is_feature = |word: &&str| is_name(word) || word.strip_suffix("bit").is_some_and(is_number);
    text.split_whitespace().filter(is_feature).map(str::to_owned)
}

/// Among the features of ext2, ext3 and ext4, what tells only that one is mounted.
const STATES: [&str; 2] = ["needs_recovery", "orphan_present"];

/// Of ext2, ext3 and ext4, out of what dumpe2fs(8) says.
pub fn ext_features(text: &str) -> Vec<String> {
    const SIZES: &[(&str, &str)] = &[
        ("block size", "Block size:"),
        ("inode size", "Inode size:"),
        ("inodes", "Inode count:"),
        ("reserved blocks", "Reserved block count:"),
        ("blocks per flex group", "Flex block group size:"),
        ("journal", "Total journal size:"),
    ];
    let features = feature_names(value(text, "Filesystem features:").unwrap_or_default());
    features.filter(|name| !STATES.contains(&name.as_str())).chain(sizes(text, SIZES)).collect()
}

/// Of XFS, out of what xfs_info(8) says: what stands behind `meta-data` as it is, the rest behind the name of its part.
pub fn xfs_features(text: &str) -> Vec<String> {
    const PARTS: [&str; 5] = ["meta-data", "data", "naming", "log", "realtime"];
    let mut part = "";
    let mut found = Vec::new();
    for (name, rest) in text.lines().filter_map(|line| line.split_once('=')) {
        if !name.trim().is_empty() {
            part = PARTS.into_iter().find(|part| *part == name.trim()).unwrap_or_default();
        }
        if part.is_empty() {
            continue;
        }
        let head = if part == "meta-data" { String::new() } else { format!("{part} ") };
        found.extend((part == "log" && rest.starts_with("internal")).then(|| "log internal".to_owned()));
        let pairs = rest.split([' ', ',', '\t']).filter_map(|word| word.split_once('='));
        found.extend(pairs.filter(|(key, value)| is_name(key) && is_number(value)).map(|(key, value)| format!("{head}{key}={value}")));
    }
    found
}

/// Of Btrfs, out of what btrfs-inspect-internal(8) says of the superblock.
pub fn btrfs_features(text: &str) -> Vec<String> {
    const SIZES: &[(&str, &str)] = &[("sector size", "sectorsize"), ("node size", "nodesize"), ("devices", "num_devices")];
    let mut found = Vec::new();
    let mut is_feature = false;
    for line in text.lines() {
        // The words of a set of flags stand in brackets, on lines of their own.
        if line.starts_with(|letter: char| !letter.is_whitespace()) {
            is_feature = ["compat_flags", "compat_ro_flags", "incompat_flags"].iter().any(|key| line.starts_with(key));
        } else if is_feature {
            found.extend(line.split_whitespace().filter(|word| is_name(word)).map(str::to_lowercase));
        }
    }
    let checksum = value(text, "csum_type").and_then(|value| value.split_once('(')?.1.strip_suffix(')'));
    found.extend(checksum.filter(|name| is_name(name)).map(|name| format!("checksum {name}")));
    found.extend(sizes(text, SIZES));
    found
}

/// Of F2FS, out of what dump.f2fs(8) says.
pub fn f2fs_features(text: &str) -> Vec<String> {
    const SIZES: &[(&str, &str)] =
        &[("segments per section", "Info: Segments per section ="), ("sections per zone", "Info: Sections per zone =")];
    let features = value(text, "Info: superblock features =").and_then(|value| value.split_once(':')).map_or("", |(_, names)| names);
    feature_names(features).chain(sizes(text, SIZES)).collect()
}

/// Of JFS, out of what jfs_tune(8) says.
pub fn jfs_features(text: &str) -> Vec<String> {
    const SIZES: &[(&str, &str)] = &[
        ("version", "JFS version:"),
        ("block size", "Aggregate block size:"),
        ("physical block size", "Physical block size:"),
        ("blocks per allocation group", "Allocation group size:"),
    ];
    feature_names(value(text, "JFS flags:").unwrap_or_default()).chain(sizes(text, SIZES)).collect()
}

/// Of NILFS2, out of what nilfs-tune(8) says.
pub fn nilfs_features(text: &str) -> Vec<String> {
    const SIZES: &[(&str, &str)] = &[
        ("revision", "Filesystem revision #:"),
        ("block size", "Block size:"),
        ("inode size", "Inode size:"),
        ("blocks per segment", "# of blocks per segment:"),
        ("reserved segments %", "Reserved segments %:"),
    ];
    feature_names(value(text, "Filesystem features:").unwrap_or_default()).chain(sizes(text, SIZES)).collect()
}

/// Of NTFS, out of what ntfsinfo(8) says.
pub fn ntfs_features(text: &str) -> Vec<String> {
    const SIZES: &[(&str, &str)] = &[
        ("version", "Volume Version:"),
        ("sector size", "Sector Size:"),
        ("cluster size", "Cluster Size:"),
        ("index block size", "Index Block Size:"),
        ("MFT record size", "MFT Record Size:"),
    ];
    sizes(text, SIZES).collect()
}

#[cfg(test)]
mod tests;
