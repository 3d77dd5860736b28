//! Detects changes of certificate files.
//!
//! Kubernetes and certbot replace files without a signal. So the files are checked periodically: a
//! file has changed if its name leads to another file, or if its length or time changed.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::config::Settings;

/// The version of each file: its inode, its length, and the time of its last change.
type Versions = Vec<Option<(u64, u64, SystemTime)>>;

/// The certificate files named by the settings, and their versions at the last check.
#[derive(Debug)]
pub struct CertificateWatch {
    in_force: Versions,
    /// The versions that failed last.
    failed: Option<Versions>,
}

impl CertificateWatch {
    /// Time between checks.
    pub const PERIOD: Duration = Duration::from_secs(5);

    /// Records the current versions of the files that `settings` name.
    pub fn new(settings: &Settings) -> Self {
        Self {
            in_force: versions(settings),
            failed: None,
        }
    }

    /// Calls `reload` if a file has changed since the last success, and returns its result. Retries
    /// a failure at each check, but returns it only once.
    pub fn check<E>(
        &mut self,
        settings: &Settings,
        reload: impl FnOnce() -> Result<bool, E>,
    ) -> Option<Result<bool, E>> {
        let now = versions(settings);
        if now == self.in_force {
            return None;
        }
        match reload() {
            Ok(has_any) => {
                self.in_force = now;
                self.failed = None;
                Some(Ok(has_any))
            }
            Err(error) => {
                let is_new = self.failed.as_ref() != Some(&now);
                self.failed = Some(now);
                is_new.then_some(Err(error))
            }
        }
    }
}

fn versions(settings: &Settings) -> Versions {
    let (tls, admin) = (&settings.tls, &settings.admin);
    let files = [
        &tls.certificate,
        &tls.key,
        &tls.client_ca,
        &tls.client_crl,
        &admin.certificate,
        &admin.key,
        &admin.client_ca,
    ];
    files.map(|file| version(file.as_ref())).into()
}

fn version(file: Option<&PathBuf>) -> Option<(u64, u64, SystemTime)> {
    use std::os::unix::fs::MetadataExt as _;
    // For a link, the metadata of its target.
    let metadata = std::fs::metadata(file?).ok()?;
    Some((metadata.ino(), metadata.len(), metadata.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_tried_until_it_succeeds_and_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "one").unwrap();
        let mut settings = Settings::default();
        settings.tls.key = Some(path.clone());
        let mut watch = CertificateWatch::new(&settings);
        let mut check = |result: Result<bool, ()>| watch.check(&settings, || result);
        assert_eq!(check(Ok(true)), None, "nothing has changed");
        std::fs::write(&path, "three").unwrap();
        assert_eq!(check(Err(())), Some(Err(())));
        assert_eq!(check(Err(())), None, "it is told once");
        assert_eq!(check(Ok(true)), Some(Ok(true)), "it is tried again");
        assert_eq!(check(Ok(true)), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(check(Err(())), Some(Err(())));
    }
}
