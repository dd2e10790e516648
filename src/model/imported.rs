//! What is known of a run that another program did: where its numbers were read, and what that program said of its work.

use super::bounded::at_most;
use serde::{Deserialize, Serialize};

/// The most texts of a line that are kept of each kind; the longest line of Bonnie++ has 50 fields.
const MOST_TEXTS: usize = 256;

/// Why another program gave no rate: Bonnie++ gives none, but `+++++`, below half a second (a second before 1.00f).
/// Run files hold these words and summaries know such a phase by them, so that they stay as they are.
pub const TOO_SHORT: &str = "too short for a rate in Bonnie++'s form (+++++)";

/// A run that another program did. Nothing in it is barrow's: each text is as it stood.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The program and its version, as it named itself: `bonnie++ 1.97`.
    pub program: String,
    /// What the numbers were read from: `CSV`, `table`.
    pub form: String,
    /// The first line of the file that belongs to the run, from 1.
    pub line: u64,
    /// What that program said of its work, by that program's names, in its order: `file_size`, `80G`. What it left out is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "at_most::<MOST_TEXTS, _, _>")]
    pub parameters: Vec<(String, String)>,
    /// Everything else that stood there, so that nothing is lost by the reading: `put_block`, `88826`.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "at_most::<MOST_TEXTS, _, _>")]
    pub values: Vec<(String, String)>,
}

impl Imported {
    /// What the program said of its work by a name of its own, as it stood; `None` where it said nothing.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        text_of(&self.parameters, name)
    }

    /// What else stood there by a name of that program; `None` where nothing did.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        text_of(&self.values, name)
    }

    /// The work as canonical text: the program and each parameter, a line each. Equal text means work that may be compared.
    #[must_use]
    pub fn canonical(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, text)| format!("{name}={text}\n"));
        format!("program={}\n{}", self.program, parameters.collect::<String>())
    }
}

fn text_of<'t>(texts: &'t [(String, String)], name: &str) -> Option<&'t str> {
    texts.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_name() {
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let imported = Imported {
            program: "bonnie++ 1.97".to_owned(),
            parameters: vec![pair("file_size", "80G"), pair("num_files", "16")],
            values: vec![pair("put_block", "88826")],
            ..Imported::default()
        };
        assert_eq!((imported.parameter("num_files"), imported.parameter("max_size")), (Some("16"), None));
        assert_eq!(imported.value("put_block"), Some("88826"));
        assert_eq!(imported.canonical(), "program=bonnie++ 1.97\nfile_size=80G\nnum_files=16\n");
        let text = serde_json::to_string(&imported).unwrap();
        assert_eq!(serde_json::from_str::<Imported>(&text).unwrap(), imported);
    }
}
