//! The programs that a profile runs as phases.

use crate::model::bounded::at_most;
use crate::model::phase::CommandName;
use serde::{Deserialize, Serialize};

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandLine {
    /// The name of its phase without `command:`.
    pub name: String,
    /// The program and its arguments; never empty.
    #[serde(deserialize_with = "at_most::<MOST_ARGUMENTS, _, _>")]
    pub command: Vec<String>,
}

/// The most arguments of a program in a profile.
pub const MOST_ARGUMENTS: usize = 256;

impl CommandLine {
    /// The name of a program that was given none: that of its file.
    #[must_use]
    pub fn name_of(command: &[String]) -> String {
        let program = command.first().map_or("", String::as_str);
        program.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// What is wrong with it.
    ///
    /// # Errors
    /// In words.
    pub fn check(&self) -> Result<(), String> {
        CommandName::of(&self.name).map_err(|error| error.to_string())?;
        match self.command.first() {
            None => Err(format!("{}: there is no program to run", self.name)),
            Some(program) if program.is_empty() => Err(format!("{}: the program's name is empty", self.name)),
            Some(_) if self.command.iter().any(|word| word.contains('\0')) => Err(format!("{}: a word holds a zero byte", self.name)),
            Some(_) => Ok(()),
        }
    }
}

/// Reads what [`show`] shows: JSON.
///
/// # Errors
/// In words.
pub fn read(text: &str, _ram_bytes: u64) -> Result<Vec<CommandLine>, String> {
    let commands: Vec<CommandLine> = serde_json::from_str(text)
        .map_err(|error| format!("no list of commands as in [{{\"name\":\"build\",\"command\":[\"make\",\"-j4\"]}}]: {error}"))?;
    commands.iter().try_for_each(CommandLine::check)?;
    Ok(commands)
}

/// The programs as JSON.
#[must_use]
pub fn show(commands: Vec<CommandLine>) -> String {
    serde_json::to_string(&commands).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_they_are_shown() {
        let make = CommandLine { name: "build".to_owned(), command: vec!["make".to_owned(), "-j4".to_owned()] };
        let text = show(vec![make.clone()]);
        assert_eq!(text, r#"[{"name":"build","command":["make","-j4"]}]"#);
        assert_eq!(read(&text, 0), Ok(vec![make]));
        assert_eq!(read("[]", 0), Ok(vec![]));
        for other in
            ["", "make", r#"[{"name":"a b","command":["x"]}]"#, r#"[{"name":"a","command":[]}]"#, r#"[{"name":"a","command":["\u0000"]}]"#]
        {
            assert!(read(other, 0).is_err(), "{other}");
        }
        assert_eq!(CommandLine::name_of(&["/usr/bin/make".to_owned()]), "make");
    }
}
