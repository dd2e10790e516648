//! A sandbox of bubblewrap's, and filters of the kernel's that refuse system calls in it.

use super::driver::alone;
use std::path::Path;
use std::process::Command;

/// A program of the kernel's that refuses some system calls with an error (linux/filter.h and linux/seccomp.h).
pub fn refusing(calls: &[libc::c_long], error: i32) -> Vec<u8> {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const ALLOW: u32 = 0x7fff_0000;
    const FAIL: u32 = 0x0005_0000;
    let step = |code: u16, if_so: u8, if_not: u8, value: u32| -> Vec<u8> {
        [&code.to_ne_bytes()[..], &[if_so, if_not], &value.to_ne_bytes()].concat()
    };
    let mut program = step(LOAD_NUMBER, 0, 0, 0);
    for call in calls {
        program.extend(step(JUMP_IF_EQUAL, 0, 1, *call as u32));
        program.extend(step(RETURN, 0, 0, FAIL | error as u32));
    }
    program.extend(step(RETURN, 0, 0, ALLOW));
    program
}

/// cachestat(2), which libc does not name.
pub const CACHESTAT: libc::c_long = 451;

/// The same command in a sandbox made with these options; `filter` may be read from descriptor 9.
pub fn sandboxed(command: &Command, options: &str, filter: Option<&Path>) -> Command {
    let filter = filter.map_or(String::new(), |path| format!(" 9<{}", path.display()));
    let mut shell = alone("/bin/sh");
    shell.args(["-c", &format!("exec bwrap --dev-bind / / {options} \"$0\" \"$@\"{filter}")]).arg(command.get_program());
    shell.args(command.get_args());
    shell
}
