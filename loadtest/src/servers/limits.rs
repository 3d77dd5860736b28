//! A server's limits, and whether a load keeps them.

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use hashlane_proto::v1::{GetServerInfoRequest, GetServerInfoResponse, Limits};
use http_body_util::Full;
use tonic::Code;

use crate::args::LoadArgs;
use crate::driver::{Connection, Target};
use crate::protocol::grpc::{INFO_PATH, frame};

/// Time for the server to return its limits.
const INFO_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);

/// Room for the other fields of a message: tags, lengths and `last`.
const MESSAGE_OVERHEAD_BYTES: u64 = 64;

/// Room for an algorithm's number in the options, and its digest in `expected`.
const ALGORITHM_OVERHEAD_BYTES: u64 = 80;

/// The limits of the first server; none if it does not know the method.
///
/// # Errors
/// There is no server, or it does not answer.
pub(crate) async fn server_limits(target: &Target) -> Result<Limits> {
    let connection = Connection::<Full<Bytes>>::open(target.server(0), None, target.tls.as_ref());
    let connection = connection.await?.with(target.headers(0));
    let question = async {
        let question = Full::new(frame(&GetServerInfoRequest {}));
        let mut answers = connection
            .call::<GetServerInfoResponse>(INFO_PATH, question)
            .await?;
        answers.message().await
    };
    let answer = tokio::time::timeout(INFO_TIMEOUT, question).await;
    match answer.context("the server does not tell its limits")? {
        Ok(info) => Ok(info.and_then(|info| info.limits).unwrap_or_default()),
        Err(status) if status.code() == Code::Unimplemented => Ok(Limits::default()),
        Err(status) => Err(status).context("the server does not tell its limits"),
    }
}

/// Refuses a load that the server would refuse.
pub(crate) fn check_limits(load: &LoadArgs, limits: &Limits) -> Result<()> {
    // A limit of zero means no limit.
    let within = |asked: u64, limit: u64| limit == 0 || asked <= limit;
    let algorithms = load.algorithms.len().max(1) as u64;
    let overhead_bytes = MESSAGE_OVERHEAD_BYTES + algorithms * ALGORITHM_OVERHEAD_BYTES;
    let message_bytes = load.chunk_size as u64 + overhead_bytes;
    ensure!(
        within(message_bytes, limits.message_bytes_max),
        "--chunk-size {} makes messages longer than the server takes, {} bytes",
        load.chunk_size,
        limits.message_bytes_max
    );
    ensure!(
        within(load.part_size.max_bytes(), limits.part_bytes_max),
        "--part-size {} is longer than the server takes, {} bytes",
        load.part_size,
        limits.part_bytes_max
    );
    let per_connection = load.streams.div_ceil(load.connections) as u64;
    ensure!(
        within(per_connection, limits.streams_per_connection_max.into()),
        "{} streams on {} connections are more than the {} streams per connection that the server takes",
        load.streams,
        load.connections,
        limits.streams_per_connection_max
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser as _;

    #[test]
    fn limits_are_kept() {
        let limits = Limits {
            message_bytes_max: 4 << 20,
            part_bytes_max: 1 << 30,
            streams_per_connection_max: 100,
            ..Limits::default()
        };
        let check = |flags: &str| {
            let line = std::iter::once("x").chain(flags.split_whitespace());
            check_limits(&Cli::try_parse_from(line).unwrap().run.load, &limits)
        };
        check("--streams 400 --connections 4 --part-size 1GiB").unwrap();
        for (flags, named) in [
            ("--streams 401 --connections 4", "per connection"),
            ("--part-size 1KiB..2GiB", "--part-size"),
            ("--chunk-size 4MiB", "--chunk-size"),
        ] {
            let error = check(flags).unwrap_err().to_string();
            assert!(error.contains(named), "{flags}: {error}");
        }
    }
}
