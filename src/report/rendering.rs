//! What a renderer makes: a text, or the bytes of a picture.

/// A rendered report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rendering {
    /// Lines, each ended.
    Text(String),
    /// A file that no terminal can show.
    Picture(Vec<u8>),
}

impl Rendering {
    /// The bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Picture(bytes) => bytes,
        }
    }

    /// The text, where it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Picture(_) => None,
        }
    }
}

impl From<String> for Rendering {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
