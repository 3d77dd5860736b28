//! The command line.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use hashlane_client::{Algorithm, AlgorithmDigest, CONNECTIONS_MAX};
use hashlane_engine::encoding::Encoding;

use crate::values;

/// Files in progress at a time on a server: one for each lane.
pub(crate) const JOBS_DEFAULT: usize = 32;
/// The most files open at a time, where the system's limit is not lower.
pub(crate) const JOBS_MAX: usize = 4096;

/// Digests and verifies files, many at a time, on a hashlane server or with the
/// engine embedded.
#[derive(Debug, Parser)]
#[command(
    name = "hashlane",
    version = version(),
    max_term_width = 100,
    args_override_self = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The version with the commit of the build. A build without the repository names the commit in
/// HASHLANE_COMMIT.
fn version() -> &'static str {
    const COMMIT: &str = match option_env!("HASHLANE_COMMIT") {
        Some(commit) => commit,
        None => git_version::git_version!(
            args = [
                "--always",
                "--abbrev=12",
                "--exclude=*",
                "--dirty=-modified"
            ],
            fallback = "unknown"
        ),
    };
    static VERSION: LazyLock<String> =
        LazyLock::new(|| format!("{} ({COMMIT})", env!("CARGO_PKG_VERSION")));
    &VERSION
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print digests in the format of sha256sum, md5sum and the like.
    ///
    /// Exits with 0, with 1 if a file could not be read, or with 2 if the
    /// server could not be reached.
    Sum(Sum),
    /// Compare files with the digests of checksum files, or with digests given here.
    ///
    /// Exits with 0 if all match, with 1 if a file does not match or could not be read, or with 2
    /// if the server could not be reached.
    #[command(visible_alias = "verify")]
    Check(Check),
    /// Show algorithms and their kernels, here or on a server, and a server's limits.
    Info(Info),
    /// Print S3's checksum or ETag of an object from the digests of its parts.
    ///
    /// Exits with 0, with 1 if it differs from --expect, or with 2 if S3 has no such value or the
    /// server could not be reached.
    Compose(Compose),
    /// Ask a server whether it digests, and measure a round trip.
    ///
    /// Exits with 0 if it does, with 1 if it answers but refuses, or with 2 if it could not be
    /// reached.
    Ping(Ping),
    /// Measure what a gigabyte costs on this machine: here, in lanes, and on servers
    ///
    /// Prints CPU seconds per GB of both sides for each way to hash. Exits with 0, or with 2 if a
    /// server could not be reached.
    Bench(Bench),
    /// Print a shell's completions of this command line.
    Completions(Completions),
    /// Write the man pages, one for each command.
    Man(Man),
}

/// A server, and how to trust it.
#[derive(Debug, Args)]
pub(crate) struct Server {
    /// Work on this server, https://host:port, http://host:port, host:port or unix:/path,
    /// instead of here; several with commas or repeated
    #[arg(id = "url", long = "server", value_name = "URL", value_delimiter = ',')]
    pub(crate) urls: Vec<String>,
    /// PEM file of the roots that the server's certificate must lead to [default: the system's]
    #[arg(long, value_name = "FILE", requires = "url")]
    pub(crate) ca: Option<PathBuf>,
    /// PEM file of this client's certificate
    #[arg(long, value_name = "FILE", requires = "url", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// PEM file of its private key
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// File with the bearer token to send with calls [default: the variable HASHLANE_TOKEN]
    #[arg(long, value_name = "FILE", requires = "url")]
    pub(crate) token_file: Option<PathBuf>,
    /// Send the token to another machine without TLS too
    #[arg(long, requires = "url")]
    pub(crate) token_in_clear: bool,
}

/// Where and how widely to hash.
#[derive(Debug, Args)]
pub(crate) struct Place {
    #[command(flatten)]
    pub(crate) server: Server,
    /// Files at a time [default: 32 on a server, 16 a thread here]
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// Connections to the server
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = connections, requires = "url")]
    pub(crate) connections: usize,
    /// Map files of 1 MiB and more instead of reading them; do not write to them meanwhile: a file
    /// that is cut short ends the tool with SIGBUS, and digests may be of mixed contents
    #[arg(long, conflicts_with = "url")]
    pub(crate) mmap: bool,
    /// Show no progress; it is shown only if standard error is a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Sum {
    /// Files to digest; - is standard input
    #[arg(value_name = "FILE", default_value = "-", value_parser = path())]
    pub(crate) files: Vec<PathBuf>,
    /// Digest the files in folders and the folders below, in the order of their names; symbolic
    /// links in folders and files that are not regular are skipped
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// Follow symbolic links in folders
    #[arg(long, short = 'L', requires = "recursive")]
    pub(crate) follow: bool,
    /// Digests to print, named as in `hashlane info`, each file read once for all of them; may be
    /// given repeatedly, or as a list with commas [default: sha256]
    #[arg(long = "algorithm", short, value_name = "NAME", value_delimiter = ',',
          value_parser = algorithm(), ignore_case = true, hide_possible_values = true)]
    pub(crate) algorithms: Vec<Algorithm>,
    /// Encoding of the digests; oci, sri and rfc9530 are for some algorithms only
    #[arg(long, value_name = "ENCODING", default_value_t = Encoding::Hex, value_parser = encoding())]
    pub(crate) encoding: Encoding,
    /// Write lines in BSD style, as with several algorithms: SHA256 (FILE) = DIGEST
    #[arg(long)]
    pub(crate) tag: bool,
    /// End lines with NUL, and do not escape names
    #[arg(long, short)]
    pub(crate) zero: bool,
    /// Print a line of JSON for each file, with its length in bytes
    #[arg(long, conflicts_with_all = ["tag", "zero"])]
    pub(crate) json: bool,
    /// Print also S3's COMPOSITE value, or ETag, of each file uploaded in parts of this many
    /// bytes: 8MiB, 5242880 (units: B, KiB, MiB, GiB)
    #[arg(long, value_name = "SIZE", value_parser = size, conflicts_with = "url")]
    pub(crate) part_size: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Checksum files, as `sha256sum`, `openssl dgst` and the like write them, and `hashlane sum`
    /// without --json and --zero; - is standard input. With --expect or --sha256: the one file to
    /// compare
    #[arg(value_name = "FILE", default_value = "-", value_parser = path())]
    pub(crate) files: Vec<PathBuf>,
    /// Read checksum files, as by default; accepted because sha256sum has it
    #[arg(long, short, hide = true, conflicts_with_all = ["sha256", "expect"])]
    pub(crate) check: bool,
    /// The algorithm of digests that name none, on the command line and in checksum files
    #[arg(long, short, value_name = "NAME", default_value_t = Algorithm::Sha256,
          value_parser = algorithm(), ignore_case = true, hide_possible_values = true)]
    pub(crate) algorithm: Algorithm,
    /// An expected digest of FILE: ALGORITHM:HEX, ALGORITHM:BASE64, hex or base64 alone, or a value
    /// of OCI, Subresource Integrity or RFC 9530; may be given repeatedly, and all must match
    #[arg(long, value_name = "DIGEST")]
    pub(crate) expect: Vec<String>,
    /// The expected SHA-256 digest of FILE, 64 hexadecimal digits
    #[arg(long, value_name = "HEX", value_parser = sha256)]
    pub(crate) sha256: Option<AlgorithmDigest>,
    /// Do not print OK for each file that matches
    #[arg(long, short, overrides_with_all = ["status", "warn"])]
    pub(crate) quiet: bool,
    /// Print no verdicts, only set the exit code; as in sha256sum, the last of --quiet, --status
    /// and --warn counts
    #[arg(long, overrides_with_all = ["quiet", "warn"])]
    pub(crate) status: bool,
    /// Do not fail for files that do not exist
    #[arg(long, conflicts_with_all = ["sha256", "expect"])]
    pub(crate) ignore_missing: bool,
    /// Exit with 1 for improperly formatted lines
    #[arg(long, conflicts_with_all = ["sha256", "expect"])]
    pub(crate) strict: bool,
    /// Warn of each improperly formatted line
    #[arg(long, short, conflicts_with_all = ["sha256", "expect"],
          overrides_with_all = ["quiet", "status"])]
    pub(crate) warn: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) server: Server,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Compose {
    #[command(flatten)]
    pub(crate) server: Server,
    /// The algorithm of the parts' digests and of the value
    #[arg(long, short, value_name = "NAME", default_value_t = Algorithm::Sha256,
          value_parser = algorithm(), ignore_case = true, hide_possible_values = true)]
    pub(crate) algorithm: Algorithm,
    /// Print the CRC of the whole object, from the parts' CRCs and lengths, instead of the
    /// composite
    #[arg(long)]
    pub(crate) full_object: bool,
    /// Compare with this value, hex or base64, with or without the number of parts (-N), and exit
    /// with 1 if it differs
    #[arg(long, alias = "expected", value_name = "VALUE")]
    pub(crate) expect: Option<String>,
    /// Encoding of the value [default: hex for md5, as in an ETag, otherwise base64, as in S3's
    /// checksums]
    #[arg(long, value_enum, value_name = "ENCODING")]
    pub(crate) encoding: Option<ObjectEncoding>,
    /// The parts' digests in part order, hex or base64; with --full-object DIGEST:BYTES
    #[arg(value_name = "PART", required = true)]
    pub(crate) parts: Vec<String>,
}

#[derive(Debug, Args)]
#[command(mut_arg("url", |url| url.required(true).help("The server; several with commas or repeated")))]
pub(crate) struct Ping {
    #[command(flatten)]
    pub(crate) server: Server,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Servers to measure, as in --server of the other commands: an address without TLS is measured
    /// by gRPC and by PUT, a Unix socket with shared memory and without
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Admin port of the servers, which tells the CPU time that they take
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:9464")]
    pub(crate) admin: String,
    /// PEM file of the roots that the certificates of https URLs must lead to [default: the
    /// system's]
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Streams at a time
    #[arg(long, value_name = "N", default_value_t = JOBS_DEFAULT, value_parser = jobs)]
    pub(crate) streams: usize,
    /// Connections to each server
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = connections)]
    pub(crate) connections: usize,
    /// Bytes of a part: 8MiB, 16KiB
    #[arg(long, value_name = "SIZE", default_value = "8MiB", value_parser = size)]
    pub(crate) part_size: NonZeroU64,
    /// Bytes to hash for each figure
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = size)]
    pub(crate) bytes: NonZeroU64,
    /// Write a line of JSON for each way
    #[arg(long)]
    pub(crate) json: bool,
}

impl Bench {
    pub(crate) fn part_size_bytes(&self) -> usize {
        usize::try_from(self.part_size.get()).unwrap_or(usize::MAX)
    }

    /// Parts of each stream.
    pub(crate) fn rounds(&self) -> usize {
        let of_round = self.part_size.get().saturating_mul(self.streams as u64);
        let rounds = self.bytes.get().div_ceil(of_round);
        usize::try_from(rounds).unwrap_or(usize::MAX)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder to write hashlane.1, hashlane-sum.1 and the others into
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

/// The encodings that S3 has for values of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectEncoding {
    Hex,
    Base64,
}

fn sha256(text: &str) -> Result<AlgorithmDigest, String> {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digest = values::decode(text, Algorithm::Sha256).ok();
    let digest = digest.filter(|_| is_hex);
    digest.ok_or_else(|| "expected 64 hexadecimal digits".to_owned())
}

/// An algorithm by name; completions list the names.
fn algorithm() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(Algorithm::all().map(Algorithm::name))
        .map(|name| name.to_lowercase().parse().expect("one of the names"))
}

fn encoding() -> impl TypedValueParser<Value = Encoding> {
    PossibleValuesParser::new(Encoding::ALL.map(Encoding::name))
        .map(|name| name.parse().expect("one of the names"))
}

/// A path, which may be empty: it is reported like any other path that does not exist.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// A number of bytes, with a binary unit.
fn size(text: &str) -> Result<NonZeroU64, String> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit());
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let shift = match unit {
        "" | "B" => Some(0),
        "KiB" => Some(10),
        "MiB" => Some(20),
        "GiB" => Some(30),
        _ => None,
    };
    let bytes = shift.and_then(|shift| number.parse::<u64>().ok()?.checked_mul(1 << shift));
    let bytes = bytes.and_then(NonZeroU64::new);
    bytes.ok_or_else(|| "expected a number of bytes, with B, KiB, MiB, GiB or no unit".to_owned())
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

    #[test]
    fn sizes_are_in_bytes_or_units_of_powers_of_two() {
        let bytes = |text| size(text).map(NonZeroU64::get).ok();
        assert_eq!(bytes("5242880"), Some(5 << 20));
        assert_eq!(bytes("8MiB"), Some(8 << 20));
        assert_eq!(bytes("1KiB"), Some(1024));
        for bad in [
            "",
            "0",
            "MiB",
            "8MB",
            "8 MiB",
            "-1",
            "1.5MiB",
            "99999999999999GiB",
        ] {
            assert_eq!(bytes(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn algorithms_are_repeated_or_in_a_list() {
        for line in ["-a md5 -a sha1", "--algorithm md5,sha1"] {
            let line = ["hashlane", "sum"].into_iter().chain(line.split(' '));
            let Command::Sum(sum) = Arguments::try_parse_from(line).unwrap().command else {
                panic!("not sum");
            };
            assert_eq!(sum.algorithms, [Algorithm::Md5, Algorithm::Sha1]);
        }
    }

    #[test]
    fn an_unknown_algorithm_is_told_with_its_option() {
        let error = Arguments::try_parse_from(["hashlane", "sum", "-a", "md6"]).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("--algorithm") && error.contains("sha256"),
            "{error}"
        );
    }
}
