//! From what was asked for to the variants that are made, and what of the system is missing for them.

use super::matrix::{Combination, combinations, count};
use super::plan::{self, Entry, Fault, Images, LabPlan, Place, Placed, PlanError, USUAL_IMAGE_BYTES};
use super::recipe::{Driver, Recipe, Tool, named, names};
use super::system::System;
use super::variant::{Features, Ground, Variant, Words};
use crate::model::nearest::UnknownName;
use crate::model::printable::{MOST_LABEL, printable};
use crate::model::record::MOST_TAGS;
use crate::units::exact_size;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// More variants than anybody waits for; each is made, measured and kept in memory.
const MOST_VARIANTS: usize = 256;
/// The most bytes of a name: it stands in every line of every report.
const MOST_NAME: usize = 4096;

/// Something of the system that a variant lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The variant.
    pub label: String,
    /// What is missing, and the package that would bring it.
    pub words: String,
    /// Whether the variant is left out for that; else it lacks its check or its features alone.
    pub is_left_out: bool,
}

/// A plan with everything filled in.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Every variant, also those that are left out.
    pub variants: Vec<Variant>,
    /// What the system lacks.
    pub missing: Vec<Missing>,
    /// The name or file of the profile, if one was named.
    pub profile: Option<Placed<String>>,
    /// Keys of the profile that are changed, `runs` among them.
    pub changes: Vec<(String, String)>,
    /// What was noted for all.
    pub tags: BTreeMap<String, String>,
    /// Whether each filesystem is filled at the end of its run.
    pub fill: bool,
}

impl Resolved {
    /// The variants that the system can make.
    #[must_use]
    pub fn possible(&self) -> Vec<Variant> {
        let is_left_out = |label: &str| self.missing.iter().any(|missing| missing.is_left_out && missing.label == label);
        self.variants.iter().filter(|variant| !is_left_out(&variant.label)).cloned().collect()
    }
}

/// Fills in what was not said, multiplies what has several values, and looks for what the system lacks.
///
/// # Errors
/// The first thing of the plan that cannot be followed on any system.
pub fn resolve(plan: &LabPlan, system: &System) -> Result<Resolved, PlanError> {
    let wanted = plan.entries.iter().map(count).fold(0, usize::saturating_add);
    if wanted > MOST_VARIANTS {
        let fault = Fault::Unfit(format!("the plan asks for {wanted} variants; {MOST_VARIANTS} are the most"));
        return Err(PlanError { place: plan.entries.last().map_or(Place::Options, |entry| entry.place.clone()), fault });
    }
    let mut resolver = Resolver { plan, system, images: Vec::new(), missing: Vec::new(), seen: BTreeMap::new() };
    let combinations = plan.entries.iter().flat_map(combinations);
    let variants = combinations.map(|combination| resolver.variant(&combination)).collect::<Result<Vec<_>, _>>()?;
    Ok(Resolved {
        variants,
        missing: resolver.missing,
        profile: plan.profile.clone(),
        changes: plan.changes.clone(),
        tags: plan.tags.clone(),
        fill: plan.is_filled,
    })
}

/// A directory with images: as it was named first, where it truly is, and the size of each of its images.
struct Directory {
    named: PathBuf,
    place: PathBuf,
    images: Vec<u64>,
}

struct Resolver<'p> {
    plan: &'p LabPlan,
    system: &'p System,
    images: Vec<Directory>,
    missing: Vec<Missing>,
    /// The names so far, printable, with their places.
    seen: BTreeMap<String, Place>,
}

impl Resolver<'_> {
    fn variant(&mut self, combination: &Combination<'_>) -> Result<Variant, PlanError> {
        let Combination { entry, label, filesystem, mount, mkfs, tags } = combination;
        self.note_name(label, &entry.place)?;
        self.check_tags(tags, &entry.place)?;
        let ground = self.ground(entry);
        let known = named(&filesystem.value);
        let mkfs_words: Words = match (mkfs, known) {
            (Some(template), _) => template.value.words.clone(),
            (None, Some((recipe, _))) => words_of(recipe.mkfs.words),
            (None, None) => return Err(unknown(filesystem)),
        };
        check_devices(&ground, &mkfs_words, mkfs.map_or(&filesystem.place, |template| &template.place), &filesystem.value)?;
        if let (Some((recipe, _)), None) = (known, mkfs) {
            check_size(recipe, &ground, filesystem)?;
        }
        let kind = self.kind(label, &filesystem.value, known.map(|(_, drivers)| drivers), &mkfs_words);
        // How it is checked and asked, and what it needs, is known of those in the catalogue alone.
        let recipe = known.map(|(recipe, _)| recipe);
        let is_left_out = self.is_left_out(label);
        let check = recipe.and_then(|recipe| recipe.check).filter(|_| entry.is_checked);
        let check = check.filter(|tool| is_left_out || self.is_there(label, *tool, "not checked"));
        let features = recipe.and_then(|recipe| recipe.features);
        let features = features.filter(|(tool, _)| is_left_out || self.is_there(label, *tool, "its features are not noted"));
        Ok(Variant {
            label: label.clone(),
            kind,
            ground,
            version: version(recipe, &mkfs_words),
            mkfs: mkfs_words,
            mount_options: (*mount).to_owned(),
            fixed_mount_options: recipe.map(|recipe| recipe.mount_options.to_owned()).unwrap_or_default(),
            check: check.map(|tool| words_of(tool.words)).unwrap_or_default(),
            features: features.map(|(tool, read)| Features { words: words_of(tool.words), read }),
            tags: tags.clone(),
        })
    }

    /// Two names that look alike would be one in every report.
    fn note_name(&mut self, label: &str, place: &Place) -> Result<(), PlanError> {
        if label.len() > MOST_NAME {
            let fault = Fault::Unfit(format!("the name of a variant has {} bytes; {MOST_NAME} are the most", label.len()));
            return Err(PlanError { place: place.clone(), fault });
        }
        let shown = printable(label);
        if let Some(first) = self.seen.get(&shown) {
            let first = Some(first.clone()).filter(|first| first != place);
            return Err(PlanError { place: place.clone(), fault: Fault::LabelTwice { label: shown, first } });
        }
        self.seen.insert(shown, place.clone());
        Ok(())
    }

    /// A run file keeps so many tags, and no more of them.
    fn check_tags(&self, tags: &BTreeMap<String, String>, place: &Place) -> Result<(), PlanError> {
        let all: BTreeMap<&String, &String> = self.plan.tags.iter().chain(tags).collect();
        let bytes: usize = all.iter().map(|(key, value)| key.len() + value.len()).sum();
        if all.len() <= MOST_TAGS && bytes <= MOST_LABEL {
            return Ok(());
        }
        let words =
            format!("{} tags of {bytes} bytes are more than the {MOST_TAGS} of {} KiB that a run can have", all.len(), MOST_LABEL >> 10);
        Err(PlanError { place: place.clone(), fault: Fault::Unfit(words) })
    }

    fn ground(&mut self, entry: &Entry) -> Ground {
        match &entry.ground {
            plan::Ground::Devices(devices) => Ground::Devices(devices.clone()),
            plan::Ground::Image { directory, bytes } => {
                let directory = directory.as_ref().or(self.plan.directory.as_ref()).cloned().unwrap_or_else(|| PathBuf::from("."));
                self.image(&directory, bytes.or(self.plan.image_bytes).unwrap_or(USUAL_IMAGE_BYTES))
            }
        }
    }

    /// An image in a directory: its number is its own there, and shared by those of one size where images are shared.
    fn image(&mut self, directory: &Path, bytes: u64) -> Ground {
        // Advice only: a directory that is not there fails by name when images are made.
        let place = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        let index = self.images.iter().position(|other| other.place == place).unwrap_or_else(|| {
            self.images.push(Directory { named: directory.to_owned(), place, images: Vec::new() });
            self.images.len() - 1
        });
        let directory = &mut self.images[index];
        let shared = match self.plan.images {
            Images::Shared => directory.images.iter().position(|other| *other == bytes),
            Images::Own => None,
        };
        let number = shared.unwrap_or_else(|| {
            directory.images.push(bytes);
            directory.images.len() - 1
        });
        Ground::Image { directory: directory.named.clone(), bytes, number }
    }

    /// The type for mount(8); what is missing for it is noted.
    fn kind(&mut self, label: &str, filesystem: &str, drivers: Option<&[Driver]>, mkfs: &Words) -> String {
        let program = mkfs.first().and_then(|program| self.system.lacks_program(program, None));
        let (kind, lacking) = match drivers {
            Some(drivers) => match self.system.driver(drivers) {
                Ok(driver) => (driver.kind().to_owned(), None),
                // Named by the first, as which it would be mounted at best.
                Err(words) => (drivers.first().map(|driver| driver.kind()).unwrap_or_default().to_owned(), Some(words)),
            },
            None => (filesystem.to_owned(), self.system.lacks_filesystem(filesystem)),
        };
        let words: Vec<String> = program.into_iter().chain(lacking).collect();
        if !words.is_empty() {
            self.missing.push(Missing { label: label.to_owned(), words: words.join("; "), is_left_out: true });
        }
        kind
    }

    fn is_left_out(&self, label: &str) -> bool {
        self.missing.last().is_some_and(|missing| missing.is_left_out && missing.label == label)
    }

    /// Whether a tool is there that a variant can do without; if not, that is noted with what follows from it.
    fn is_there(&mut self, label: &str, tool: Tool, otherwise: &str) -> bool {
        let lacking = self.system.lacks_program(tool.program(), Some(tool.package));
        let words = lacking.map(|words| format!("{otherwise}: {words}"));
        let is_there = words.is_none();
        self.missing.extend(words.map(|words| Missing { label: label.to_owned(), words, is_left_out: false }));
        is_there
    }
}

fn words_of(text: &str) -> Words {
    text.split_whitespace().map(str::to_owned).collect()
}

fn unknown(filesystem: &Placed<String>) -> PlanError {
    let unknown = UnknownName::of("filesystem", &filesystem.value, names());
    let words = format!("{unknown}; for another one, a plan says in mkfs how it is made");
    PlanError { place: filesystem.place.clone(), fault: Fault::Unfit(words) }
}

/// A command with one device in it cannot use several.
fn check_devices(ground: &Ground, mkfs: &Words, place: &Place, filesystem: &str) -> Result<(), PlanError> {
    match ground {
        Ground::Devices(devices) if devices.len() > 1 && !mkfs.iter().any(|word| word == "{devices}") => {
            let count = devices.len();
            let words =
                format!("{filesystem} is made on one device, but devices names {count}; only a command with {{devices}} takes them");
            Err(PlanError { place: place.clone(), fault: Fault::Unfit(words) })
        }
        Ground::Devices(_) | Ground::Image { .. } => Ok(()),
    }
}

/// Whether an image is large enough for a filesystem that is made as usual.
fn check_size(recipe: &Recipe, ground: &Ground, filesystem: &Placed<String>) -> Result<(), PlanError> {
    match ground {
        Ground::Image { bytes, .. } if *bytes < recipe.least_bytes => {
            let (name, least) = (recipe.name, exact_size(recipe.least_bytes));
            let words = format!("{name} needs {least} at least, but its image has {}; make it larger", exact_size(*bytes));
            Err(PlanError { place: filesystem.place.clone(), fault: Fault::Unfit(words) })
        }
        Ground::Image { .. } | Ground::Devices(_) => Ok(()),
    }
}

/// What tells the version of the program that makes it: of the usual one alone it is known.
fn version(recipe: Option<&Recipe>, mkfs: &Words) -> Words {
    let program = mkfs.first().and_then(|program| Path::new(program).file_name());
    let usual = recipe.filter(|recipe| program.is_some_and(|program| program == recipe.mkfs.program()));
    usual.map(|recipe| words_of(recipe.version)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
