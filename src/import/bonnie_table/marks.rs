//! Marks that end or begin all lines of a pasted table, and so are none of it.

/// What people and programs put around every line.
const MARKS: &[char] = &['"', '\'', '*', '#'];

/// Plain lines without the mark that all lines of a table end with, and with a blank for one that all begin with.
pub fn unmarked(mut lines: Vec<String>) -> Vec<String> {
    for part in lines.split_mut(|line| line.trim().is_empty()) {
        if part.iter().any(|line| line.to_ascii_lowercase().contains("%cp")) {
            without_ends(part);
        }
    }
    lines
}

fn without_ends(lines: &mut [String]) {
    let Some(mark) = lines.first().and_then(|line| line.chars().next_back()).filter(|mark| MARKS.contains(mark)) else { return };
    if !lines.iter().all(|line| line.ends_with(mark)) {
        return;
    }
    let is_around = lines.iter().all(|line| line.starts_with(mark) && line.len() > 1);
    for line in lines {
        line.pop();
        if is_around {
            line.replace_range(..1, " ");
        }
        line.truncate(line.trim_end_matches(' ').len());
    }
}
