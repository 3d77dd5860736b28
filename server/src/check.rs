//! Reads the files that settings name before the server starts.

use std::time::SystemTime;

use anyhow::ensure;

use crate::client::{Known, Quotas};
use crate::config::{Settings, wrong_file};
use crate::tls::{Port, Tls};

/// Reads the files that `settings` name, as the start does.
///
/// # Errors
/// A line for each port's certificates, the tokens and the quotas that cannot be used. An expired
/// certificate is an error here; at the start it is one line in the log.
pub fn check_files(settings: &Settings) -> anyhow::Result<()> {
    let read = [
        check_tls(Port::Grpc, settings).err(),
        check_tls(Port::Admin, settings).err(),
        Known::read(settings).err(),
        Quotas::read(settings).err(),
    ];
    let wrong: Vec<_> = read.iter().flatten().map(ToString::to_string).collect();
    ensure!(wrong.is_empty(), wrong.join("\n"));
    Ok(())
}

fn check_tls(port: Port, settings: &Settings) -> anyhow::Result<()> {
    let now = SystemTime::now();
    if Tls::new(port, settings)?.is_none_or(|tls| tls.expires() >= now) {
        return Ok(());
    }
    let (setting, path) = match port {
        Port::Grpc => ("tls.certificate", &settings.tls.certificate),
        Port::Admin => ("admin.certificate", &settings.admin.certificate),
    };
    let path = path.clone().unwrap_or_default();
    Err(wrong_file(setting, path.display(), "it has expired"))
}
