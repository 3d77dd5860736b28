//! Reads the files that settings name before the server starts.

use anyhow::ensure;

use crate::client::{Known, Quotas};
use crate::config::Settings;
use crate::tls::{Port, Tls};

/// Reads the files that `settings` name, as the start does.
///
/// # Errors
/// A line for each port's certificates, the tokens and the quotas that cannot be used.
pub fn check_files(settings: &Settings) -> anyhow::Result<()> {
    let read = [
        Tls::new(Port::Grpc, settings).err(),
        Tls::new(Port::Admin, settings).err(),
        Known::read(settings).err(),
        Quotas::read(settings).err(),
    ];
    let wrong: Vec<_> = read.iter().flatten().map(ToString::to_string).collect();
    ensure!(wrong.is_empty(), wrong.join("\n"));
    Ok(())
}
