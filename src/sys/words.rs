//! What a program says: read by a thread of its own while it runs, the last of it kept, all of it counted.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 14;
/// How long the last words are waited for when the program has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How often it is looked whether they have come.
const LOOK: Duration = Duration::from_millis(1);

/// What a program says.
pub(super) struct Words {
    heard: Arc<Mutex<Heard>>,
    reader: Option<JoinHandle<()>>,
}

/// What was heard so far.
#[derive(Default)]
struct Heard {
    last: Vec<u8>,
    all_bytes: u64,
}

impl Words {
    /// Listens to what comes through a pipe, and keeps at most so many bytes of the end.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn of<R: Read + Send + 'static>(pipe: Option<R>, most: usize) -> io::Result<Self> {
        let heard: Arc<Mutex<Heard>> = Arc::default();
        let shared = Arc::clone(&heard);
        let read = |mut pipe: R| std::thread::Builder::new().spawn(move || listen(&mut pipe, &shared, most));
        Ok(Self { heard, reader: pipe.map(read).transpose()? })
    }

    /// The last of it, and how many bytes all of it has. What a program left running may keep the pipe open, so nobody waits for its end
    /// for long.
    pub(super) fn last(&self) -> (Vec<u8>, u64) {
        let begun = Instant::now();
        while self.reader.as_ref().is_some_and(|reader| !reader.is_finished()) && begun.elapsed() < LAST_WORDS {
            std::thread::sleep(LOOK);
        }
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        (heard.last.clone(), heard.all_bytes)
    }

    /// The last of it as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.last().0).into_owned()
    }
}

fn listen(pipe: &mut impl Read, heard: &Mutex<Heard>, most: usize) {
    let mut piece = vec![0; PIECE];
    while let Ok(length @ 1..) = pipe.read(&mut piece) {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.all_bytes += length as u64;
        heard.last.extend_from_slice(&piece[..length]);
        let surplus = heard.last.len().saturating_sub(most);
        heard.last.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_all_is_counted() {
        let said = [vec![b'a'; 100_000], b"the end".to_vec()].concat();
        let words = Words::of(Some(io::Cursor::new(said)), 9).unwrap();
        assert_eq!(words.last(), (b"aathe end".to_vec(), 100_007));
        assert_eq!(words.text(), "aathe end");
        assert_eq!(Words::of(None::<io::Empty>, 9).unwrap().last(), (Vec::new(), 0));
    }
}
