//! Filling a filesystem before the phases, where the user asked for it: files of incompressible data in the place of the run, which go
//! with it.

use crate::model::settings::Io;
use crate::rng::Stream;
use crate::target::ground::{Ground, GroundError};
use crate::target::scratch::WorkFile;
use crate::target::{Access, Target, write_all};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of one write.
const PIECE: u64 = 1 << 20;
/// Bytes of one file at the most: every filesystem takes as many.
const MOST_FILE: u64 = 1 << 30;

/// Who hears how many bytes are written, of how many.
pub type Hears<'a> = &'a mut dyn FnMut(u64, u64);

/// Fills the filesystem of a place that was taken until so many per cent of it are used; less, when the run is to stop.
///
/// # Errors
/// When it is not known how full it is, or it cannot be filled.
pub fn fill(ground: &dyn Ground, percent: u64, nonce: u64, interrupted: &AtomicBool, hears: Hears<'_>) -> Result<(), GroundError> {
    let target = ground.target()?;
    let Some(left) = ground.site().filesystem.free_when_filled(percent) else {
        return Err(GroundError::Changed(format!("it is not known how full the filesystem is, so it cannot be filled to {percent} %")));
    };
    let filled = target.free_bytes().and_then(|free| write(target, free.saturating_sub(left), nonce, interrupted, hears));
    filled.map_err(|source| GroundError::Call { doing: format!("fill the filesystem to {percent} %"), source })
}

fn write(target: &dyn Target, bytes: u64, nonce: u64, interrupted: &AtomicBool, hears: Hears<'_>) -> io::Result<()> {
    let mut data = Stream::of(nonce, "filling");
    let mut piece = vec![0; PIECE as usize];
    for (number, start) in (0..).zip((0..bytes).step_by(MOST_FILE as usize)) {
        let file = target.open(target.root(), &WorkFile::Fill.name(number), Access::CreateNew, Io::Buffered)?;
        let size = (bytes - start).min(MOST_FILE);
        for offset in (0..size).step_by(PIECE as usize) {
            // The phases are skipped for the same reason.
            if interrupted.load(Ordering::Relaxed) {
                return Ok(());
            }
            hears(start + offset, bytes);
            data.fill(&mut piece);
            write_all(target, &file, &piece[..(size - offset).min(PIECE) as usize], offset)?;
        }
        target.sync(&file)?;
        target.close(file)?;
    }
    target.flush()
}
