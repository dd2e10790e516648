//! barrow's own mix: an office whose people look around, read and edit documents of several sizes, and share a table of orders. It is
//! written as a loadfile, so that it goes the way of every other one, and is the same for ever.

use std::fmt::Write;

/// Sessions of one pass.
const SESSIONS: u64 = 160;
/// Where a client works.
const HOME: &str = "\\clients\\client1";
/// Bytes of a transfer of whole documents, as SMB clients of the first version ask for.
const PIECE: u64 = 61_440;
const SAVED_PIECE: u64 = 65_536;
/// Bytes of a record of the table, and how many there are.
const RECORD: u64 = 4096;
const RECORDS: u64 = 512;

/// A folder: its name, the ending of its documents, how many there are, and the bytes of the smallest and the largest.
const FOLDERS: [(&str, &str, u64, u64, u64); 4] = [
    ("mail", "eml", 24, 2_000, 16_000),
    ("letters", "doc", 16, 12_000, 80_000),
    ("tables", "xls", 12, 20_000, 300_000),
    ("drawings", "cdr", 8, 250_000, 1_100_000),
];

/// The text of the mix.
pub fn text() -> String {
    let mut script = Script { text: String::new(), handle: 1000, state: 1, documents: Vec::new() };
    script.set_up();
    for _ in 0..SESSIONS {
        // Of a hundred sessions: how many only look, read, edit, and work on the table.
        match script.below(100) {
            0..40 => script.browse(),
            40..74 => script.read_session(),
            74..94 => script.edit(),
            _ => script.work_on_table(),
        }
    }
    script.line(format_args!("Deltree \"{HOME}\""));
    script.text
}

struct Document {
    folder: &'static str,
    path: String,
    size: u64,
}

struct Script {
    text: String,
    handle: u64,
    state: u64,
    documents: Vec<Document>,
}

impl Script {
    /// A number below another one, from the multiplicative generator of Lehmer with the constants of Park and Miller (1988): the mix
    /// must never change, and needs no better numbers.
    fn below(&mut self, most: u64) -> u64 {
        self.state = self.state * 48_271 % 2_147_483_647;
        self.state * most / 2_147_483_647
    }

    fn with_status(&mut self, words: std::fmt::Arguments<'_>, status: &str) {
        // Writing to a text never fails.
        let _ = writeln!(self.text, "{words} NT_STATUS_{status}");
    }

    fn line(&mut self, words: std::fmt::Arguments<'_>) {
        self.with_status(words, "OK");
    }

    fn open(&mut self, path: &str, options: &str, disposition: u8) -> u64 {
        self.handle += 1;
        let handle = self.handle;
        self.line(format_args!("NTCreateX \"{path}\" {options} 0x{disposition} {handle}"));
        handle
    }

    fn open_existing(&mut self, path: &str) -> u64 {
        self.open(path, "0x40", 1)
    }

    fn make(&mut self, path: &str) -> u64 {
        self.open(path, "0x40", 2)
    }

    fn close(&mut self, handle: u64) {
        self.line(format_args!("Close {handle}"));
    }

    fn make_folder(&mut self, path: &str) {
        let handle = self.open(path, "0x1", 2);
        self.close(handle);
    }

    fn write(&mut self, handle: u64, offset: u64, bytes: u64) {
        self.line(format_args!("WriteX {handle} {offset} {bytes} {bytes}"));
    }

    fn write_all(&mut self, handle: u64, size: u64) {
        for offset in (0..size).step_by(SAVED_PIECE as usize) {
            self.write(handle, offset, SAVED_PIECE.min(size - offset));
        }
    }

    fn read(&mut self, handle: u64, offset: u64, bytes: u64, size: u64) {
        let given = bytes.min(size.saturating_sub(offset));
        self.line(format_args!("ReadX {handle} {offset} {bytes} {given}"));
    }

    fn read_all(&mut self, handle: u64, size: u64, piece: u64) {
        for offset in (0..size).step_by(piece as usize) {
            self.read(handle, offset, piece, size);
        }
    }

    fn is_there(&mut self, path: &str) {
        self.line(format_args!("QUERY_PATH_INFORMATION \"{path}\" 1004"));
    }

    fn is_missing(&mut self, path: &str) {
        self.with_status(format_args!("QUERY_PATH_INFORMATION \"{path}\" 1004"), "OBJECT_NAME_NOT_FOUND");
    }

    fn list(&mut self, folder: &str) {
        self.line(format_args!("FIND_FIRST \"{HOME}\\{folder}\\*\" 260 1366 20"));
    }

    /// Makes folders, documents and the table.
    fn set_up(&mut self) {
        self.line(format_args!("Deltree \"{HOME}\""));
        self.line(format_args!("Mkdir \"\\clients\""));
        self.make_folder(HOME);
        for (folder, ending, count, least, most) in FOLDERS {
            self.make_folder(&format!("{HOME}\\{folder}"));
            for number in 0..count {
                let size = least + self.below(most - least);
                let path = format!("{HOME}\\{folder}\\{number:03}.{ending}");
                self.is_missing(&path);
                let handle = self.make(&path);
                self.write_all(handle, size);
                self.close(handle);
                self.documents.push(Document { folder, path, size });
            }
        }
        self.make_folder(&format!("{HOME}\\shared"));
        let handle = self.make(&table());
        self.write_all(handle, RECORD * RECORDS);
        self.close(handle);
    }

    fn some_document(&mut self) -> usize {
        let count = self.documents.len() as u64;
        self.below(count) as usize
    }

    /// Looks into a folder, and asks for some of what is there and for what is not.
    fn browse(&mut self) {
        let place = self.some_document();
        let folder = self.documents[place].folder;
        self.line(format_args!("QUERY_FS_INFORMATION 1"));
        self.is_there(&format!("{HOME}\\{folder}"));
        self.list(folder);
        for _ in 0..6 {
            let place = self.some_document();
            let path = self.documents[place].path.clone();
            self.is_there(&path);
        }
        let missing = format!("{HOME}\\{folder}\\desktop.ini");
        self.is_missing(&missing);
        self.with_status(format_args!("NTCreateX \"{missing}\" 0x40 0x1 999"), "OBJECT_NAME_NOT_FOUND");
        self.with_status(format_args!("FIND_FIRST \"{HOME}\\{folder}\\folder.*\" 260 1366 0"), "NO_SUCH_FILE");
        let properties = self.open(&format!("{HOME}\\{folder}"), "0x0", 1);
        self.line(format_args!("QUERY_FILE_INFORMATION {properties} 1004"));
        self.close(properties);
        self.line(format_args!("QUERY_FS_INFORMATION 3"));
    }

    /// Reads a document from start to end, the first of it twice.
    fn read_session(&mut self) {
        let place = self.some_document();
        let (path, size) = (self.documents[place].path.clone(), self.documents[place].size);
        self.is_there(&path);
        let handle = self.open_existing(&path);
        self.line(format_args!("QUERY_FILE_INFORMATION {handle} 258"));
        self.read(handle, 0, 512, size);
        self.read_all(handle, size, if size < 100_000 { RECORD } else { PIECE });
        self.read(handle, size, 512, size);
        self.close(handle);
        self.is_there(&path);
    }

    /// Edits a document as office programs do: into a new file, which then takes the place of the old one.
    fn edit(&mut self) {
        let place = self.some_document();
        let (path, size, folder) = (self.documents[place].path.clone(), self.documents[place].size, self.documents[place].folder);
        let [owner, draft, backup] = ["own", "tmp", "bak"].map(|ending| format!("{path}.{ending}"));
        self.is_there(&path);
        self.is_missing(&owner);
        let mark = self.make(&owner);
        self.write(mark, 0, 162);
        let old = self.open_existing(&path);
        self.read(old, 0, 512, size);
        self.read_all(old, size, PIECE);
        self.list(folder);
        self.line(format_args!("QUERY_FS_INFORMATION 3"));
        let new_size = (size + self.below(8192)).saturating_sub(4096).max(1000);
        let new = self.make(&draft);
        self.write_all(new, new_size);
        // What changes last is the head of the document.
        self.write(new, 0, 512);
        self.line(format_args!("Flush {new}"));
        self.write(new, 512, 76);
        self.line(format_args!("Flush {new}"));
        self.line(format_args!("QUERY_FILE_INFORMATION {new} 258"));
        self.line(format_args!("SET_FILE_INFORMATION {new} 1004"));
        self.close(new);
        self.close(old);
        self.is_missing(&backup);
        self.line(format_args!("Rename \"{path}\" \"{backup}\""));
        self.line(format_args!("Rename \"{draft}\" \"{path}\""));
        self.line(format_args!("Unlink \"{backup}\" 0x6"));
        self.close(mark);
        self.line(format_args!("Unlink \"{owner}\" 0x6"));
        self.is_there(&path);
        self.documents[place].size = new_size;
    }

    /// Reads and changes records of the table that everybody shares, each under a lock.
    fn work_on_table(&mut self) {
        let handle = self.open_existing(&table());
        self.line(format_args!("QUERY_FILE_INFORMATION {handle} 258"));
        for turn in 0..24 {
            let offset = self.below(RECORDS) * RECORD;
            self.read(handle, 0, 512, RECORDS * RECORD);
            if turn % 4 == 0 {
                self.line(format_args!("LockX {handle} {offset} {RECORD}"));
                self.read(handle, offset, RECORD, RECORDS * RECORD);
                self.write(handle, offset, RECORD);
                self.line(format_args!("UnlockX {handle} {offset} {RECORD}"));
            } else {
                self.read(handle, offset, RECORD, RECORDS * RECORD);
            }
        }
        self.line(format_args!("Flush {handle}"));
        self.close(handle);
    }
}

fn table() -> String {
    format!("{HOME}\\shared\\orders.db")
}
