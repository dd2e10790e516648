//! The keys of the file server: whether they go together, and what its clients need.

use super::{Settings, SettingsError, SyncAt};
use crate::model::loadfile::Needs;
use crate::model::phase::Files;

/// The most clients: each is a thread.
const MOST_CLIENTS: u64 = 1024;
/// A day.
const MOST_SECONDS: u64 = 86_400;

impl Settings {
    /// Checks the keys of the file server.
    pub(super) fn check_server(&self) -> Result<(), SettingsError> {
        let unfit = |key, problem| Err(SettingsError::Unfit { key, problem });
        for (key, value, least, most) in [
            ("clients", self.clients, 1, MOST_CLIENTS),
            ("seconds", self.seconds, 0, MOST_SECONDS),
            ("warm_up", self.warm_up, 0, MOST_SECONDS),
        ] {
            if value < least || value > most {
                return unfit(key, format!("{value} is not in {least} to {most}"));
            }
        }
        if !self.uses(Files::Server) {
            return self.check_no_server();
        }
        if self.loadfile.content().is_none() {
            return unfit("loadfile", format!("the loadfile of {} is not here; name it with --loadfile FILE", self.loadfile));
        }
        if self.sync == SyncAt::Every {
            return unfit("sync", "file_server has none, open and dirs, and no every".to_owned());
        }
        if !self.has_plain_data() {
            let key = if self.compressible > 0 { "compressible" } else { "dedupe" };
            return unfit(key, "file_server writes plain data alone".to_owned());
        }
        Ok(())
    }

    /// Nothing asks for what only the file server does.
    fn check_no_server(&self) -> Result<(), SettingsError> {
        let unfit = |key, value: &str| {
            Err(SettingsError::Unfit {
                key,
                problem: format!("{value} is for file_server, and no phase of these is; `-p fileserver` has it"),
            })
        };
        match self.sync {
            SyncAt::Open => return unfit("sync", "open"),
            SyncAt::Dirs => return unfit("sync", "dirs"),
            SyncAt::End | SyncAt::Every => {}
        }
        if self.loadfile.is_built_in() { Ok(()) } else { unfit("loadfile", &self.loadfile.to_string()) }
    }

    /// What one client needs at the most; nothing where the loadfile is not known, as in a record.
    #[must_use]
    pub fn needs_of_client(&self) -> Needs {
        self.loadfile.content().map(|loadfile| *loadfile.needs()).unwrap_or_default()
    }

    /// Descriptors that all clients have open at once at the most; 0 without a file server.
    #[must_use]
    pub fn descriptors_of_clients(&self) -> u64 {
        if !self.uses(Files::Server) {
            return 0;
        }
        let needs = self.needs_of_client();
        self.clients.saturating_mul(needs.handles + needs.directories)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::loadfile::{Loadfile, LoadfileChoice};
    use crate::model::profile::Profile;
    use std::sync::Arc;

    fn changed(profile: &str, key: &str, value: &str) -> Result<(), String> {
        let profile = Profile::named(profile, 24 << 30).unwrap().changed(&[(key.to_owned(), value.to_owned())], 0);
        profile.and_then(|profile| profile.settings.check()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_only_a_file_server_does_is_refused_elsewhere() {
        for value in ["none", "end", "open", "dirs"] {
            assert_eq!(changed("fileserver", "sync", value), Ok(()), "{value}");
        }
        assert_eq!(changed("fileserver", "sync", "every").unwrap_err(), "sync: file_server has none, open and dirs, and no every");
        assert_eq!(
            changed("std", "sync", "open").unwrap_err(),
            "sync: open is for file_server, and no phase of these is; `-p fileserver` has it"
        );
        assert_eq!(
            changed("std", "sync", "dirs").unwrap_err(),
            "sync: dirs is for file_server, and no phase of these is; `-p fileserver` has it"
        );
        assert_eq!((changed("std", "sync", "every"), changed("std", "sync", "none")), (Ok(()), Ok(())));
        assert!(changed("std", "loadfile", "dbench-0000000000000001").unwrap_err().starts_with("loadfile: dbench-"));
        assert!(changed("fileserver", "loadfile", "dbench-0000000000000001").unwrap_err().ends_with("name it with --loadfile FILE"));
        assert!(changed("fileserver", "compressible", "50").unwrap_err().starts_with("compressible: "));
        assert!(changed("fileserver", "clients", "0").is_err() && changed("fileserver", "clients", "1025").is_err());
        assert!(changed("fileserver", "seconds", "86401").is_err() && changed("fileserver", "seconds", "0").is_ok());
    }

    #[test]
    fn needs_are_those_of_all_clients() {
        let text = "NTCreateX \"\\f\" 0x40 0x2 7 NT_STATUS_OK\nWriteX 7 0 100 100 NT_STATUS_OK\nClose 7 NT_STATUS_OK\nUnlink \"\\f\" 0x6 NT_STATUS_OK";
        let loadfile = LoadfileChoice::of_read(1, Arc::new(Loadfile::of_text(text.as_bytes()).unwrap()));
        let settings = Settings { loadfile, clients: 3, ..Profile::named("fileserver", 0).unwrap().settings };
        assert_eq!((settings.bytes_of(Files::Server), settings.inodes_of(Files::Server), settings.descriptors_of_clients()), (300, 6, 6));
        assert_eq!(settings.most_allocated_bytes(), 300 + 6 * 4096);
    }
}
