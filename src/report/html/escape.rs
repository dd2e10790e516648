//! How texts become part of the page: as in the charts, so that the page is well-formed XML too.

use crate::report::svg::escaped;
use std::fmt::{Result, Write};

/// What the templates escape every text with.
#[derive(Debug, Clone, Copy)]
pub struct Escape;

impl askama::filters::Escaper for Escape {
    fn write_escaped_str<W: Write>(&self, mut page: W, text: &str) -> Result {
        page.write_str(&escaped(text))
    }
}
