//! The phases of a profile file that says them one by one, in `[[phase]]` tables.

use super::Settings;
use super::command_line::CommandLine;
use super::phase_list::PhaseList;
use crate::model::phase::{CommandName, Phase};

impl Settings {
    /// Takes the phases and programs of `[[phase]]` tables: each a `name` of a phase, or a `command` with or without a name.
    ///
    /// # Errors
    /// In words, with the number of the table.
    pub(in crate::model) fn set_phases(&mut self, value: &toml::Value) -> Result<(), String> {
        let Some(tables) = value.as_array() else {
            return Err("`phase` is none of the tables [[phase]]".to_owned());
        };
        let mut phases = Vec::new();
        let mut commands = Vec::new();
        for (place, table) in tables.iter().enumerate() {
            let of_table = |problem: String| format!("[[phase]] {}: {problem}", place + 1);
            let (phase, command) = phase_of(table).map_err(of_table)?;
            phases.push(phase);
            commands.extend(command);
        }
        self.phases = PhaseList::try_from(phases).map_err(|error| error.to_string())?;
        self.commands = commands;
        Ok(())
    }
}

fn phase_of(table: &toml::Value) -> Result<(Phase, Option<CommandLine>), String> {
    let table = table.as_table().ok_or("is no table")?;
    if let Some(other) = table.keys().find(|key| !matches!(key.as_str(), "name" | "command")) {
        return Err(format!("there is no key `{other}`; the keys are name and command"));
    }
    let name = match table.get("name") {
        None => None,
        Some(name) => Some(name.as_str().ok_or("name: expected a text in quotes")?),
    };
    match (table.get("command"), name) {
        (None, None) => Err("has neither a name nor a command".to_owned()),
        (None, Some(name)) => Ok((Phase::named(name).map_err(|error| error.to_string())?, None)),
        (Some(command), name) => {
            let words = command.as_array().and_then(|words| words.iter().map(|word| word.as_str().map(str::to_owned)).collect());
            let command: Vec<String> = words.ok_or("command: expected a list of texts, as in [\"make\", \"-j4\"]")?;
            let name = name.map_or_else(|| CommandLine::name_of(&command), str::to_owned);
            let line = CommandLine { name, command };
            if line.command.is_empty() {
                return Err("there is no program to run".to_owned());
            }
            line.check()?;
            Ok((Phase::Command(CommandName::of(&line.name).map_err(|error| error.to_string())?), Some(line)))
        }
    }
}
