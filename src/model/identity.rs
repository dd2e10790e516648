//! Names that tell batches and runs apart.

use std::fmt;

/// A number that names a batch or a run: 64 random bits, written as 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Identity(pub u64);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text that is no identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not 16 hexadecimal digits")]
pub struct IdentityError(String);

impl TryFrom<String> for Identity {
    type Error = IdentityError;

    fn try_from(text: String) -> Result<Self, IdentityError> {
        match u64::from_str_radix(&text, 16) {
            Ok(value) if text.len() == 16 && !text.starts_with('+') => Ok(Self(value)),
            _ => Err(IdentityError(text)),
        }
    }
}

impl From<Identity> for String {
    fn from(identity: Identity) -> Self {
        identity.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_reads_back() {
        let identity = Identity(0x0123_4567_89ab_cdef);
        assert_eq!(identity.to_string(), "0123456789abcdef");
        assert_eq!(Identity::try_from(identity.to_string()), Ok(identity));
        for text in ["", "123", "+123456789abcdef", "0123456789abcdeg", "0123456789abcdef0"] {
            assert!(Identity::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
