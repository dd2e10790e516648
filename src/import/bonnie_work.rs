//! What Bonnie++ says of its work: the names of its parameters, and what it packs into one field of its older forms.

/// The names of what Bonnie++ says of its work, in the order in which imported runs have them. All are of the heading of its CSV but
/// `io_seeks` and `seek_proc_count`: the heading of 1.98 leaves those two fields without a name.
pub const PARAMETERS: [&str; 10] = [
    "concurrency",
    "file_size",
    "io_chunk_size",
    "io_seeks",
    "seek_proc_count",
    "num_files",
    "max_size",
    "min_size",
    "num_dirs",
    "file_chunk_size",
];

/// The parameters that say something, in their order, from texts by name in any order.
#[must_use]
pub fn parameters(texts: &[(&str, &str)]) -> Vec<(String, String)> {
    let text_of = |name: &str| texts.iter().find(|(other, text)| *other == name && !text.is_empty());
    PARAMETERS.iter().filter_map(|name| text_of(name)).map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// `2G:64k` as size and chunk; the chunk is empty where it was the usual one.
#[must_use]
pub fn block_file(packed: &str) -> [(&'static str, &str); 2] {
    let (size, chunk) = packed.split_once(':').unwrap_or((packed, ""));
    [("file_size", size), ("io_chunk_size", chunk)]
}

/// `20:250000:0/1000` as the count of files (in units of 1024), largest and smallest size, and directories; what is not there is empty.
/// `16:link` and `16:symlink` have the word where the largest size stands.
#[must_use]
pub fn file_set(packed: &str) -> [(&'static str, &str); 4] {
    let (sizes, directories) = packed.split_once('/').unwrap_or((packed, ""));
    let mut parts = sizes.splitn(3, ':');
    let mut next = || parts.next().unwrap_or_default();
    [("num_files", next()), ("max_size", next()), ("min_size", next()), ("num_dirs", directories)]
}

/// Whether a text is a size as Bonnie++ writes it for its file: `80G`, `8096M`; 1.0x with the chunk behind it, `2G:64k`.
#[must_use]
pub fn is_file_size(text: &str) -> bool {
    let [(_, size), (_, chunk)] = block_file(text);
    size.strip_suffix(['M', 'G', 'T']).is_some_and(is_number) && is_chunk_size(chunk)
}

/// Whether a text is a size as Bonnie++ writes it for a chunk: nothing for the usual one, `64k`, `512`.
#[must_use]
pub fn is_chunk_size(text: &str) -> bool {
    text.is_empty() || is_number(text.strip_suffix(['k', 'm']).unwrap_or(text))
}

/// Whether a text is a whole number.
#[must_use]
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_fields_are_unpacked() {
        assert_eq!(block_file("2G:64k").map(|(_, text)| text), ["2G", "64k"]);
        assert_eq!(block_file("80G").map(|(_, text)| text), ["80G", ""]);
        for (packed, expected) in [
            ("16", ["16", "", "", ""]),
            ("20:250000:0/1000", ["20", "250000", "0", "1000"]),
            ("16/10", ["16", "", "", "10"]),
            ("16:link", ["16", "link", "", ""]),
            ("", ["", "", "", ""]),
        ] {
            assert_eq!(file_set(packed).map(|(_, text)| text), expected, "{packed}");
        }
    }

    #[test]
    fn sizes_are_told_from_other_texts() {
        for size in ["80G", "8096M", "2G:64k", "300M:512", "4T"] {
            assert!(is_file_size(size), "{size}");
        }
        for other in ["", "G", "80", "80g", "a80G", "80GG", "1329851830", "80Gx", "8.5G", "2G:64kk", "+++++"] {
            assert!(!is_file_size(other), "{other}");
        }
        assert!(["", "64k", "1m", "512"].iter().all(|chunk| is_chunk_size(chunk)) && !is_chunk_size("k") && !is_chunk_size("64G"));
    }

    #[test]
    fn parameters_are_in_one_order_and_say_something() {
        let texts = [("num_files", "16"), ("file_size", "2G"), ("max_size", ""), ("seed", "7")];
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(parameters(&texts), [pair("file_size", "2G"), pair("num_files", "16")]);
    }
}
