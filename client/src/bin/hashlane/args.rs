//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use hashlane_client::{CONNECTIONS_MAX, Digest, hex};

/// Files in progress at a time on a server, and on each thread of the embedded
/// engine: as many as there are lanes.
pub(crate) const JOBS_DEFAULT: usize = 32;
/// The most files open at a time: a common limit of open files is 1024.
pub(crate) const JOBS_MAX: usize = 4096;

/// Digests and verifies files with SHA-256, many at a time, on a hashlane
/// server or with the engine embedded.
#[derive(Debug, Parser)]
#[command(name = "hashlane", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print digests in sha256sum's format.
    ///
    /// Exits with 0, with 1 if a file could not be read, or with 2 if the
    /// server could not be reached.
    Sum(Sum),
    /// Compare files with the digests they should have.
    ///
    /// Exits with 0 if all match, with 1 if one does not or cannot be read, or
    /// with 2 if the server could not be reached.
    Verify(Verify),
    /// Show a server's version, kernels and limits.
    Info(Info),
    /// Print the composite of a multipart upload from its part digests.
    Compose(Compose),
}

/// Where and how widely to hash.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Hash on this server, http://host:port, host:port or unix:/path, instead of here
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Files at a time [default: 32 on a server, 32 a thread here]
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// Connections to the server
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = connections, requires = "server")]
    pub(crate) connections: usize,
    /// Show progress, if standard error is a terminal
    #[arg(long)]
    pub(crate) progress: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sum {
    /// Files to digest; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<PathBuf>,
    /// Write lines in BSD style: SHA256 (FILE) = DIGEST
    #[arg(long)]
    pub(crate) tag: bool,
    /// End lines with NUL, and do not escape names
    #[arg(long, short)]
    pub(crate) zero: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Checksum files, as `hashlane sum` and `sha256sum` write them; - is
    /// standard input. With --sha256: the one file to verify
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) files: Vec<PathBuf>,
    /// Read checksum files (the default without --sha256)
    #[arg(long, short, conflicts_with = "sha256")]
    pub(crate) check: bool,
    /// The digest that FILE should have, 64 hexadecimal digits
    #[arg(long, value_name = "HEX", value_parser = digest)]
    pub(crate) sha256: Option<Digest>,
    /// Do not print OK for each file that matches
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print no verdicts: the exit code tells
    #[arg(long)]
    pub(crate) status: bool,
    /// Do not fail for files that do not exist
    #[arg(long, conflicts_with = "sha256")]
    pub(crate) ignore_missing: bool,
    /// Exit with 1 for improperly formatted lines
    #[arg(long, conflicts_with = "sha256")]
    pub(crate) strict: bool,
    /// Warn of each improperly formatted line
    #[arg(long, short, conflicts_with = "sha256")]
    pub(crate) warn: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    /// The server: http://host:port, host:port or unix:/path
    #[arg(long, value_name = "URL")]
    pub(crate) server: String,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Compose {
    /// The server: http://host:port, host:port or unix:/path
    #[arg(long, value_name = "URL")]
    pub(crate) server: String,
    /// Compare with this composite, and exit with 1 if it differs
    #[arg(long, value_name = "COMPOSITE", value_parser = composite)]
    pub(crate) expected: Option<String>,
    /// SHA-256 digests of the parts, in part order
    #[arg(value_name = "PART_HEX", required = true, value_parser = digest)]
    pub(crate) parts: Vec<Digest>,
}

fn digest(text: &str) -> Result<Digest, String> {
    hex::decode_digest(text.as_bytes()).ok_or_else(|| "expected 64 hexadecimal digits".to_owned())
}

/// The base64 of a digest and the number of parts, which the server compares.
fn composite(text: &str) -> Result<String, String> {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    let is_digest = |text: &str| {
        let digits = text.strip_suffix('=').unwrap_or("");
        digits.len() == 43 && digits.bytes().all(is_base64)
    };
    let is_count = |text: &str| {
        let count = text.parse::<u32>();
        count.is_ok_and(|count| count > 0 && count.to_string() == text)
    };
    match text.rsplit_once('-') {
        Some((digest, parts)) if is_digest(digest) && is_count(parts) => Ok(text.to_owned()),
        _ => Err("expected the base64 of a SHA-256 digest, - and the number of parts".to_owned()),
    }
}

fn jobs(text: &str) -> Result<usize, String> {
    bounded(text, JOBS_MAX)
}

fn connections(text: &str) -> Result<usize, String> {
    bounded(text, CONNECTIONS_MAX)
}

fn bounded(text: &str, max: usize) -> Result<usize, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (1..=max).contains(number));
    number.ok_or_else(|| format!("allowed are 1 to {max}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn numbers_out_of_bounds_are_refused() {
        for bad in ["0", "4097", "-1", "x", ""] {
            let line = ["hashlane", "sum", "--jobs", bad];
            assert!(Arguments::try_parse_from(line).is_err(), "{bad}");
        }
    }
}
