//! The calls of the phases that rewrite and read a tenth of the files of a set.

use super::{Calls, Step, close, content, each_file_flushed, on, open, open_directories, read, write};
use crate::model::settings::{Settings, SyncAt};
use crate::phases::Tenth;
use crate::target::FlushMethod;
use crate::target::pretend_call::Operation;
use crate::target::scratch::FileSetKind;

/// Cuts each file of a tenth to nothing and writes it anew.
pub fn rewrite(settings: &Settings, flush: FlushMethod) -> Calls {
    let files = Tenth::Rewritten.count(settings.files);
    let mut each = vec![open("\"NAME\"", Operation::Open, "O_RDWR"), on("file", Operation::SetLength)];
    each.extend(content(settings, write));
    if settings.sync == SyncAt::Every {
        each.push(on("file", Operation::Sync));
    }
    each.push(close());
    Calls {
        prepare: open_directories(settings, FileSetKind::Sequential),
        work: vec![Step::Times(files, None, each)],
        finish: match flush {
            FlushMethod::WholeFilesystem => vec![on("target", Operation::Flush)],
            FlushMethod::EachFile => vec![each_file_flushed(files)],
        },
        ..Calls::default()
    }
}

/// Reads each file of a tenth.
pub fn read_whole(settings: &Settings, tenth: Tenth) -> Calls {
    let mut each = vec![open("\"NAME\"", Operation::Open, "O_RDONLY"), on("file", Operation::StatusOpen)];
    each.extend(content(settings, read));
    each.push(close());
    Calls {
        prepare: open_directories(settings, FileSetKind::Sequential),
        work: vec![Step::Times(tenth.count(settings.files), None, each)],
        ..Calls::default()
    }
}
