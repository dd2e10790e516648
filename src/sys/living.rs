//! A sign of life that needs no file: a name that the kernel keeps as long as the process that shows it.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Shown as long as it is not dropped and the process lives.
#[derive(Debug)]
pub struct SignOfLife {
    /// Nobody ever sends anything to it.
    _socket: UnixDatagram,
}

impl SignOfLife {
    /// Shows that a run lives; `None` where that cannot be shown.
    #[must_use]
    pub fn show(nonce: u64) -> Option<Self> {
        let socket = UnixDatagram::bind_addr(&name(nonce)?).ok()?;
        Some(Self { _socket: socket })
    }
}

/// Whether a process of this machine (of this network namespace) shows that a run lives.
#[must_use]
pub fn is_living(nonce: u64) -> bool {
    let connected = name(nonce).and_then(|name| UnixDatagram::unbound().ok()?.connect_addr(&name).ok());
    connected.is_some()
}

/// An abstract name (unix(7)): no file, and gone with its process.
fn name(nonce: u64) -> Option<SocketAddr> {
    SocketAddr::from_abstract_name(format!("barrow-{nonce:016x}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_seen_as_long_as_it_is_shown() {
        let nonce = crate::sys::random::random_u64().unwrap();
        assert!(!is_living(nonce));
        let sign = SignOfLife::show(nonce).unwrap();
        assert!(is_living(nonce) && !is_living(!nonce));
        assert!(SignOfLife::show(nonce).is_none());
        drop(sign);
        assert!(!is_living(nonce));
    }
}
