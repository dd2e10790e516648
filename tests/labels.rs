//! Labels that are markup to somebody, and a run file with a run for each of them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Labels with the marks of every markup that barrow writes, alone, in pairs, at both ends and inside; none has a blank at its ends.
pub const LABELS: &[&str] = &[
    "a|b*c_ `d` [e] <f> ^g^ {h} +++++",
    r"a\|b\\|c\",
    "`|` ``x` ```",
    "**b** __i__ ~~s~~ *b* _i_ -d- +u+ ~s~ ^p^ @c@ %s% ?q? ??c?? =v= /i/",
    "<script>alert(1)</script> <!-- &amp; &#124; --> <br> <pre> <nowiki/>",
    "[x](y) ![z](w) [[link]] [http://x y] [1] [1/2] [fn:1] [*] [b]x[/b] [x]",
    "漢字の|ラベル",
    "תווית|בעברית",
    "🦀|é|e\u{301}",
    "$x$ :smile: \\(y\\) \\alpha \\vbar{}",
    "]]>",
    "</nowiki>",
    "a %% b </nowiki> c",
    "%%",
    "50%",
    "{{{",
    "}}}",
    "{{{ ` }}}`",
    "[/code] [code] {noformat} {code} {quote} {color:red}x{color}",
    "{{template}} {{!}} {{{1}}} [[Macro(x)]] {1}",
    "|",
    "||",
    "| |",
    "|||",
    "|}",
    "|-",
    "{|",
    "|/2. x",
    "-",
    "- x",
    "* x",
    "*",
    "# x",
    "#",
    "+ x",
    "+",
    "=",
    "== x ==",
    "=x=",
    "; a : b",
    ": x",
    "> x",
    "! x !! y",
    "x_ next__ _y",
    "''",
    "'''b'''",
    "''i''",
    "it's others' 'q' \"q\" \"q\":http://x",
    "~~~~",
    "__TOC__",
    "__x__",
    "~~NOTOC~~",
    "http://example.org/a_b https://x www.example.org ftp.x a@b.org mailto:a@b.org",
    "-1.5",
    "+3",
    "16x1024 4 x 5",
    "--",
    "---",
    "----",
    "a -- b a--b ... -> => <= <-> <-",
    "(c) (r) (tm) (C) (R) (TM) (x) (i) (/) (!)",
    "8-) :-) ;-) :) ;) :P LOL FIXME m( ^_^",
    "CamelCase MyMachine ticket:1 r12 #123 wiki:Start",
    "1. item",
    "a. item",
    "(a) item",
    "i) item",
    "h1. x",
    "bq. x",
    "TODO x",
    "NOTE: x",
    "term:: def",
    "::",
    ":::",
    ":tag:",
    "include::x[]",
    "<<x>> ((x)) <1>",
    "<r>",
    "\\\\",
    "\\\\server\\share \\",
    "|x| _`y` `z`_ [1]_ :ref:`x`",
    ".. note:: x",
    ">>> x",
    "#+begin_src",
    "#!python",
    "src_sh{ls} call_x()",
    "<2026-01-01> [2026-01-01]",
    "CPU(x) RFC 2822",
    "\"",
    "\"a|b\"",
    "a\"b|c",
    "btrfs (zstd:3)",
    "a\u{a0}b",
];

/// A run file with a run for each label: one real run, renamed, of which two phases are kept.
pub fn run_file(directory: &Path, labels: &[&str]) -> PathBuf {
    let arguments = ["run", ".", "-p", "quick", "-q", "-n1", "--no-report", "--set=file_size=1m", "--set=seek_seconds=0", "--set=seeks=9"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_barrow"));
    let output = command.args(arguments).args(["--set=files=9", "--drop-caches=never"]).current_dir(directory).output();
    let output = output.expect("barrow runs");
    assert!(output.status.success(), "{output:?}");
    let path = directory.join("barrow.jsonl");
    let line = std::fs::read_to_string(&path).expect("a run file");
    let mut run: serde_json::Value = serde_json::from_str(&line).expect("a run");
    run["phases"].as_array_mut().expect("phases").truncate(PHASES);
    // Stands in the heading and, in a fixed width, among the parameters.
    run["profile"] = "p@`~=|*_[x] %% {{{ <b> a` @b".into();
    let mut text = String::new();
    for (target, label) in (1..).zip(labels) {
        run["label"] = (*label).into();
        run["target"] = target.into();
        text += &format!("{run}\n");
    }
    std::fs::write(&path, text).expect("a run file");
    path
}

/// The phases of each run in the file.
pub const PHASES: usize = 2;

/// What `barrow report` makes of a run file in a format, with more options.
pub fn report(path: &Path, format: &str, options: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_barrow"));
    let output = command.args(["report", "-f", format]).args(options).arg(path).output().expect("barrow runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}
