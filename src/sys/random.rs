//! True randomness, for nothing but the identity of a batch and the nonce of a run.

use std::io;

/// 64 bits from the kernel's generator.
///
/// # Errors
/// When the kernel has none to give.
pub fn random_u64() -> io::Result<u64> {
    getrandom::u64().map_err(io::Error::from)
}
