//! The completions of each shell: they name every command, and bash reads them.

use std::process::Command;

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

fn script(shell: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_barrow")).args(["completions", shell]).output().expect("barrow runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn each_shell_learns_every_command() {
    for shell in SHELLS {
        let script = script(shell);
        for command in barrow::cli::command().get_subcommands() {
            assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
        }
        for option in ["list-profiles", "print-plan", "dry-run"] {
            assert!(script.contains(option), "{shell}: {option}");
        }
    }
    let output = Command::new(env!("CARGO_BIN_EXE_barrow")).args(["completions", "bsh"]).output().expect("barrow runs");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn bash_reads_its_completions() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), script("bash")).expect("a file");
    let read = Command::new("bash").arg("-n").arg(file.path()).output().expect("bash runs");
    assert!(read.status.success(), "{read:?}");
}
