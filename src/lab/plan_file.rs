//! Plan files (TOML): read key by key, each fault with its line and column.

use super::asked::{filesystem_name, mount_options, template};
use super::plan::{Entry, Fault, Ground, IMAGE_UNIT, Images, LabPlan, Place, Placed, PlanError, Template, USUAL_MOUNT};
use super::section::{PlanKey, Section, Source};
use crate::model::settings::{Key, Settings};
use crate::units::parse_size;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The most bytes of a plan's text, far more than any needs: the reader of TOML takes many times the memory of its text.
pub const MOST_BYTES: usize = 64 << 10;

const fn key(name: &'static str, kind: &'static str) -> PlanKey {
    PlanKey { name, kind }
}

/// The keys at the top of a plan; man/barrow-lab.5 says what each means.
pub const PLAN_KEYS: &[PlanKey] = &[
    key("profile", "string"),
    key("runs", "integer"),
    key("set", "table of values"),
    key("size", "size"),
    key("dir", "string"),
    key("images", "string"),
    key("fill", "boolean"),
    key("tags", "table of strings"),
    key("variant", "list of tables"),
];

/// The keys of a variant.
pub const VARIANT_KEYS: &[PlanKey] = &[
    key("label", "string"),
    key("fs", "string or list of strings"),
    key("mount", "string or list of strings"),
    key("mkfs", "string or list of strings"),
    key("tags", "table of strings or lists of strings"),
    key("check", "boolean"),
    key("size", "size"),
    key("dir", "string"),
    key("device", "string"),
    key("devices", "list of strings"),
];

/// The plan of a text. `name` is that of the file, for messages; `ram_bytes` is what `2xram` is a multiple of.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read(name: &str, text: &str, ram_bytes: u64) -> Result<LabPlan, PlanError> {
    let source = Source { name, text };
    if text.len() > MOST_BYTES {
        return Err(source.error(0, Fault::TooLong(MOST_BYTES >> 10)));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        source.error(offset, Fault::NotToml(error.message().trim_end().replace('\n', ", ")))
    })?;
    let top = Section::of(&source, "plan", PLAN_KEYS, document.get_ref())?;
    let images = top.get("images").map(|value| images(&top, value)).transpose()?;
    let mut changes = top.get("set").map(|value| changes(&top, value, ram_bytes)).transpose()?.unwrap_or_default();
    if let Some(value) = top.get("runs") {
        changes.push(("runs".to_owned(), runs(&top, value)?));
    }
    Ok(LabPlan {
        profile: top.get("profile").map(|value| top.text("profile", value)).transpose()?,
        changes,
        tags: top.get("tags").map(|value| single_tags(&top, value)).transpose()?.unwrap_or_default(),
        image_bytes: top.get("size").map(|value| size(&top, value)).transpose()?,
        directory: top.get("dir").map(|value| path(&top, "dir", value)).transpose()?,
        images: images.unwrap_or_default(),
        is_filled: top.get("fill").map(|value| top.flag("fill", value)).transpose()?.unwrap_or(false),
        entries: entries(&top, &source)?,
    })
}

fn runs(top: &Section<'_>, value: &Spanned<DeValue<'_>>) -> Result<String, PlanError> {
    match top.whole_number("runs", value)? {
        0 => Err(top.unfit(value, "runs = 0: that measures nothing; ask for at least 1".to_owned())),
        number => Ok(number.to_string()),
    }
}

fn images(section: &Section<'_>, value: &Spanned<DeValue<'_>>) -> Result<Images, PlanError> {
    let word = section.text("images", value)?.value;
    let unfit = || section.unfit(value, format!("images = {word}: it is none of {}", Images::ALL.map(|(name, _)| name).join(", ")));
    Images::named(&word).ok_or_else(unfit)
}

fn entries(top: &Section<'_>, source: &Source<'_>) -> Result<Vec<Entry>, PlanError> {
    let Some(list) = top.get("variant") else {
        return Err(source.error(0, Fault::Unfit("the plan has no [[variant]], so there is nothing to measure".to_owned())));
    };
    let Some(items) = list.get_ref().as_array() else {
        return Err(top.wrong_kind("variant", list, "tables, each below a line [[variant]]"));
    };
    if items.is_empty() {
        return Err(top.unfit(list, "variant: the list is empty, so there is nothing to measure".to_owned()));
    }
    let one = |item: &Spanned<DeValue<'_>>| match item.get_ref().as_table() {
        Some(table) => entry(&Section::of(source, "variant", VARIANT_KEYS, table)?, source.place(item.span().start)),
        None => Err(top.wrong_kind("variant", item, "tables, each below a line [[variant]]")),
    };
    items.iter().map(one).collect()
}

fn entry(section: &Section<'_>, place: Place) -> Result<Entry, PlanError> {
    let Some(filesystems) = section.get("fs") else {
        return Err(PlanError { place, fault: Fault::Unfit("the variant has no fs: name a filesystem, as in fs = \"ext4\"".to_owned()) });
    };
    let filesystems = checked(section, "fs", filesystems, filesystem_name)?;
    let mounts = section.get("mount").map(|value| checked(section, "mount", value, mount_options)).transpose()?;
    let mkfs: Vec<Placed<Template>> =
        section.get("mkfs").map(|value| checked(section, "mkfs", value, template)).transpose()?.unwrap_or_default();
    if let Some(command) = mkfs.first().filter(|_| filesystems.len() > 1) {
        let why = "mkfs: the command makes one filesystem, but fs names several; write a [[variant]] for each";
        return Err(PlanError { place: command.place.clone(), fault: Fault::Unfit(why.to_owned()) });
    }
    Ok(Entry {
        place,
        label: section.get("label").map(|value| section.text("label", value)).transpose()?.map(|label| label.value),
        filesystems,
        mounts: mounts.map_or_else(|| vec![USUAL_MOUNT.to_owned()], |all| all.into_iter().map(|one| one.value).collect()),
        mkfs,
        tags: section.get("tags").map(|value| tags(section, value)).transpose()?.unwrap_or_default(),
        ground: ground(section)?,
        is_checked: section.get("check").map(|value| section.flag("check", value)).transpose()?.unwrap_or(true),
    })
}

/// The texts of a key, each taken by `check`.
fn checked<T>(
    section: &Section<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    check: fn(&str) -> Result<T, String>,
) -> Result<Vec<Placed<T>>, PlanError> {
    let one = |text: Placed<String>| match check(&text.value) {
        Ok(value) => Ok(Placed { value, place: text.place }),
        Err(problem) => Err(PlanError { place: text.place, fault: Fault::Unfit(format!("{key} = {:?}: {problem}", text.value)) }),
    };
    section.texts(key, value)?.into_iter().map(one).collect()
}

fn ground(section: &Section<'_>) -> Result<Ground, PlanError> {
    let devices = match (section.get("device"), section.get("devices")) {
        (Some(_), Some(value)) => return Err(section.unfit(value, "device and devices: name the devices by one of them".to_owned())),
        (Some(value), None) => Some(vec![section.text("device", value)?]),
        (None, Some(value)) => Some(section.list("devices", value)?),
        (None, None) => None,
    };
    let Some(devices) = devices else {
        return Ok(Ground::Image {
            directory: section.get("dir").map(|value| path(section, "dir", value)).transpose()?,
            bytes: section.get("size").map(|value| size(section, value)).transpose()?,
        });
    };
    for key in ["dir", "size"] {
        if let Some(value) = section.get(key) {
            return Err(section.unfit(value, format!("{key} belongs to an image, but the variant stands on a device; leave one out")));
        }
    }
    for (index, device) in devices.iter().enumerate() {
        let fault = if device.value.contains('\0') {
            "a path has no such character".to_owned()
        } else if devices[..index].iter().any(|other| other.value == device.value) {
            "the device is named twice".to_owned()
        } else {
            continue;
        };
        return Err(PlanError { place: device.place.clone(), fault: Fault::Unfit(format!("{}: {fault}", device.value)) });
    }
    Ok(Ground::Devices(devices.into_iter().map(|device| PathBuf::from(device.value)).collect()))
}

fn path(section: &Section<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Result<PathBuf, PlanError> {
    let text = section.text(key, value)?.value;
    if text.contains('\0') {
        return Err(section.unfit(value, format!("{key}: a path has no such character")));
    }
    Ok(PathBuf::from(text))
}

fn size(section: &Section<'_>, value: &Spanned<DeValue<'_>>) -> Result<u64, PlanError> {
    let text = section.plain("size", value, "a size in quotes, as in \"8g\", or a number of bytes")?;
    image_size(&text).map_err(|problem| section.unfit(value, format!("size = {text}: {problem}")))
}

/// The bytes of an image by a text.
///
/// # Errors
/// When it is no size, or none that an image can have.
pub fn image_size(text: &str) -> Result<u64, String> {
    match parse_size(text).map_err(|error| error.to_string())? {
        0 => Err("an image of no size holds no filesystem; write one, as in 8g".to_owned()),
        bytes if !bytes.is_multiple_of(IMAGE_UNIT) => Err(format!("an image is a multiple of {IMAGE_UNIT} bytes")),
        bytes if i64::try_from(bytes).is_err() => Err("no file is so large".to_owned()),
        bytes => Ok(bytes),
    }
}

/// The keys of the profile that are changed.
fn changes(top: &Section<'_>, value: &Spanned<DeValue<'_>>, ram_bytes: u64) -> Result<Vec<(String, String)>, PlanError> {
    let table = top.table("set", value)?;
    let one = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let key: &str = AsRef::<str>::as_ref(key.get_ref());
        let text = checked_key(top, key, value, ram_bytes)?;
        Ok((key.to_owned(), text))
    };
    in_order(table).into_iter().map(one).collect()
}

/// The value of a key of the profile as text, if the key takes it.
fn checked_key(top: &Section<'_>, key: &str, value: &Spanned<DeValue<'_>>, ram_bytes: u64) -> Result<String, PlanError> {
    let text = top.plain(key, value, "a whole number or a text in quotes")?;
    let tried = Key::named(key).and_then(|key| key.set(&mut Settings::default(), &text, ram_bytes));
    tried.map(|()| text).map_err(|error| top.error(value, Fault::Setting(error)))
}

fn single_tags(section: &Section<'_>, value: &Spanned<DeValue<'_>>) -> Result<BTreeMap<String, String>, PlanError> {
    let one = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        let key = tag_key(section, key)?;
        Ok((key.clone(), section.plain(&format!("tags.{key}"), value, "a text in quotes")?))
    };
    section.table("tags", value)?.iter().map(one).collect()
}

fn tags(section: &Section<'_>, value: &Spanned<DeValue<'_>>) -> Result<BTreeMap<String, Vec<String>>, PlanError> {
    let one = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        let key = tag_key(section, key)?;
        let name = format!("tags.{key}");
        let values = match value.get_ref().as_array() {
            Some(_) => section.list(&name, value)?.into_iter().map(|text| text.value).collect(),
            None => vec![section.plain(&name, value, "a text in quotes, or a list of them")?],
        };
        Ok((key, values))
    };
    section.table("tags", value)?.iter().map(one).collect()
}

fn tag_key(section: &Section<'_>, key: &Spanned<std::borrow::Cow<'_, str>>) -> Result<String, PlanError> {
    let name = key.get_ref().trim();
    if name.is_empty() {
        return Err(section.error_at(key.span().start, Fault::Unfit("tags: the name of a tag is empty".to_owned())));
    }
    Ok(name.to_owned())
}

/// The entries of a table in the order of the text.
fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<(&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

#[cfg(test)]
mod tests;
