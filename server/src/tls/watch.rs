//! Notices that files of certificates have changed.
//!
//! Kubernetes and certbot replace files and send no signal. The files are looked at now and then:
//! a name that leads to another file, or a file with another length, time or owner, has changed.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::Settings;

/// What tells one version of a file from another: which file, bytes, and when its bytes and its
/// owner or mode changed, in seconds and nanoseconds.
type Version = (u64, u64, [i64; 4]);

/// Those of all files.
type Versions = Vec<Option<Version>>;

/// The files of certificates that settings name, as they were when they were last looked at.
#[derive(Debug)]
pub struct CertificateWatch {
    in_force: Versions,
    /// Those that could not be used last.
    failed: Option<Versions>,
}

impl CertificateWatch {
    /// Time between checks.
    pub const PERIOD: Duration = Duration::from_secs(5);

    /// The files that `settings` name, as they are now.
    pub fn new(settings: &Settings) -> Self {
        Self {
            in_force: versions(settings),
            failed: None,
        }
    }

    /// Calls `reload` if a file has changed since the last success. `Some` is what came of it; the
    /// same failure is told once, and tried again.
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

fn version(file: Option<&PathBuf>) -> Option<Version> {
    use std::os::unix::fs::MetadataExt as _;
    // Of a link, the file that it leads to.
    let metadata = std::fs::metadata(file?).ok()?;
    let changed = [
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ];
    Some((metadata.ino(), metadata.len(), changed))
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
