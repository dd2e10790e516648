//! What lies on a block device by its own word: the signatures of filesystems, RAIDs and partition tables, found and wiped by
//! wipefs(8) of util-linux. blkid(8) would give one of them only, and the same status for nothing found as for nothing read.

use super::command::{CommandError, program};
use serde::Deserialize;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A disk that has to start first takes some seconds.
const LONGEST: Duration = Duration::from_secs(120);

/// A mark by which programs know what is on a device.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Signature {
    /// What it is: `ext4`, `gpt`, `LVM2_member`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name that a user gave to it, as it stands on the device.
    pub label: Option<String>,
}

/// Why it is not known what is on a device, or why it is still there.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// There is no wipefs.
    #[error("the program wipefs is needed and cannot be started: {0}; install util-linux")]
    NoProgram(io::Error),
    /// wipefs did not do its work.
    #[error("wipefs: {0}")]
    Program(CommandError),
    /// wipefs said something else than it is asked for.
    #[error("the answer of wipefs cannot be read ({0}); util-linux 2.33 or newer is needed")]
    Answer(#[from] serde_json::Error),
    /// The path cannot be handed to a program.
    #[error("its path is no text in UTF-8")]
    Path,
}

impl From<CommandError> for SignatureError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::NotStarted(error) => Self::NoProgram(error),
            other @ (CommandError::Failed { .. } | CommandError::TooLong(_) | CommandError::Stopped) => Self::Program(other),
        }
    }
}

#[derive(Deserialize)]
struct Answer {
    signatures: Vec<Signature>,
}

/// The signatures on a device, each once. Nothing is written.
///
/// # Errors
/// When wipefs cannot be started, fails, or gives an answer that cannot be read.
pub fn signatures_on(device: &Path) -> Result<Vec<Signature>, SignatureError> {
    let words = words(&["wipefs", "--json", "--output", "TYPE,LABEL"], device)?;
    Ok(parse(&program(&words, LONGEST, &AtomicBool::new(false))?.output)?)
}

/// Wipes every signature on a device, those at its end too. wipefs opens it exclusively, and refuses one that is in use.
///
/// # Errors
/// When wipefs cannot be started, fails, or is to stop.
pub fn wipe(device: &Path, stop: &AtomicBool) -> Result<(), SignatureError> {
    program(&words(&["wipefs", "--all", "--quiet"], device)?, LONGEST, stop)?;
    Ok(())
}

fn words(command: &[&str], device: &Path) -> Result<Vec<String>, SignatureError> {
    let device = device.to_str().ok_or(SignatureError::Path)?;
    Ok(command.iter().copied().chain(["--", device]).map(str::to_owned).collect())
}

/// Reads wipefs' answer. Some signatures stand on a device several times. No answer is not an empty list: it may have been lost.
fn parse(answer: &str) -> Result<Vec<Signature>, serde_json::Error> {
    let mut found: Vec<Signature> = Vec::new();
    for signature in serde_json::from_str::<Answer>(answer)?.signatures {
        if !found.contains(&signature) {
            found.push(signature);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_signature_is_named_once() {
        let answer = r#"{"signatures": [{"type": "gpt", "label": null}, {"type": "gpt", "label": null}, {"type": "PMBR"},
            {"type": "ext4", "label": "we \"b"}]}"#;
        let of = |kind: &str, label: Option<&str>| Signature { kind: kind.to_owned(), label: label.map(str::to_owned) };
        assert_eq!(parse(answer).unwrap(), [of("gpt", None), of("PMBR", None), of("ext4", Some("we \"b"))]);
        assert_eq!(parse("{\n   \"signatures\": [\n\n   ]\n}\n").unwrap(), []);
    }

    #[test]
    fn an_answer_of_another_form_is_an_error() {
        for answer in ["", "\n", "{}", "[]", "DEVICE OFFSET TYPE", r#"{"signatures": [{"label": "x"}]}"#] {
            assert!(parse(answer).is_err(), "{answer}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_refused(answer in ".{0,80}") {
            let _ = parse(&answer);
        }
    }
}
