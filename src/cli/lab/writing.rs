//! What is seen while images are written: a line for each, and on a terminal how far it is.

use super::super::output::say;
use crate::lab::Preparing;
use crate::units::rounded_size;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Tells of images on stderr.
pub struct Writing {
    quiet: bool,
    /// The image of which was told.
    image: usize,
    /// Nothing is drawn where stderr is no terminal.
    line: ProgressBar,
}

impl Writing {
    /// Tells everything, or with `quiet` nothing.
    pub fn of(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let line = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            line.set_style(style);
        }
        Self { quiet, image: 0, line }
    }

    /// Tells how far it is.
    pub fn goes_on(&mut self, preparing: Preparing) {
        let Preparing { image, images, done, bytes } = preparing;
        let which = if images > 1 { format!("image {image} of {images}") } else { "the image".to_owned() };
        if self.image != image && !self.quiet {
            self.line
                .suspend(|| say(&format!("barrow: writing {which} in full, {}: a hole would make writes look fast", rounded_size(bytes))));
        }
        self.image = image;
        let percent = if bytes > 0 { done as f64 * 100.0 / bytes as f64 } else { 100.0 };
        self.line.set_message(format!("writing {which}: {percent:.0} % of {}", rounded_size(bytes)));
        self.line.tick();
    }

    /// Takes the line away.
    pub fn ends(&self) {
        self.line.finish_and_clear();
    }
}
