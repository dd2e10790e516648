//! What can go wrong while a lab is being built, before anything is measured.

use super::needed_space::Shortage;
use crate::target::ground::plain_error;
use std::io;
use std::path::PathBuf;

/// Why there is no lab. Each says all of it: what the system said stands in its words, and is not told a second time as its source.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The directory for images cannot be used.
    #[error("{}: the directory for images cannot be used: {}", directory.display(), plain_error(error))]
    Directory {
        /// As the user named it.
        directory: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The images do not fit.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    NoSpace(Vec<Shortage>),
    /// Nothing can be made in the directory for images.
    #[error("{}: no directory for the lab can be made there: {}", directory.display(), plain_error(error))]
    Home {
        /// As the user named it.
        directory: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// An image could not be written.
    #[error("{}: the image cannot be written: {}", path.display(), plain_error(error))]
    Image {
        /// The image.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// An image has holes though every byte of it was written.
    #[error("{}: {reason}", path.display())]
    Hole {
        /// The image.
        path: PathBuf,
        /// What was found, and what to do.
        reason: String,
    },
    /// There is no loop device for an image.
    #[error("{}: no loop device can be had for the image: {}; loop devices need root, and a kernel or container that has them", path.display(), plain_error(error))]
    Loop {
        /// The image.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A device of the user's cannot be used.
    #[error("{}: the device cannot be used: {}", path.display(), plain_error(error))]
    Device {
        /// As the user named it.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The user wishes to stop.
    #[error("stopped while the images were written")]
    Stopped,
    /// It went wrong, and not everything that was made before could be removed.
    #[error("{error}; left behind: {}", left.join(", "))]
    Left {
        /// Why.
        error: Box<Self>,
        /// What was left, and why.
        left: Vec<String>,
    },
}
