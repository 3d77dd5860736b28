//! What computes the digests: lanes of this process, or hashlane servers.

use std::time::{Duration, Instant};

use hashlane_client::{Builder, Client, Code, Error};

/// The URL of lanes in this process.
pub const EMBEDDED: &str = "embedded:";
/// How long to wait at the start for a hashlane server.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a server may make no progress while it has work. S3 clients wait a minute for an
/// answer, and another server may have to start from the beginning.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for unary calls, which take milliseconds.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Hashlane {
    pub client: Client,
    /// How often the digests of a body are tried: once on each server. In this process twice,
    /// because a kernel that gave a wrong answer is out of use at once.
    pub tries: usize,
    /// How long a client may send nothing.
    pub idle_timeout: Duration,
}

impl Hashlane {
    pub fn builder() -> Builder {
        let builder = Client::builder().stall_timeout(SILENCE_TIMEOUT);
        builder.call_timeout(CALL_TIMEOUT)
    }

    /// Connects and waits until a server answers, because the server may start together with the
    /// gateway. Fails at once if the server is not hashlane or refuses the gateway.
    pub async fn connect(
        builder: &Builder,
        urls: &[String],
        idle_timeout: Duration,
    ) -> Result<Self, String> {
        let until = Instant::now() + START_TIMEOUT;
        let mut has_waited = false;
        loop {
            let mut absent = Vec::new();
            for url in urls {
                let Err(error) = answers(builder, url).await else {
                    continue;
                };
                let told = format!("{error}{}", advice(&error));
                match may_come(&error) {
                    true => absent.push(told),
                    false => return Err(told),
                }
            }
            if absent.len() < urls.len() {
                for told in absent {
                    eprintln!("without one of the hashlane servers so far: {told}");
                }
                let client = builder.clone().connect_all(urls).await;
                let is_embedded = urls.iter().any(|url| url.starts_with(EMBEDDED));
                return Ok(Self {
                    client: client.map_err(|error| error.to_string())?,
                    tries: urls.len().max(if is_embedded { 2 } else { 1 }),
                    idle_timeout,
                });
            }
            let told = absent.swap_remove(0);
            if Instant::now() >= until {
                return Err(told);
            }
            if !std::mem::replace(&mut has_waited, true) {
                eprintln!("waiting for hashlane: {told}");
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Whether a server answers calls.
async fn answers(builder: &Builder, url: &str) -> Result<(), Error> {
    // One try, because the caller decides about retries.
    let once = builder.clone().tries_max(1).connect(url).await?;
    once.server_info().await.map(drop)
}

/// Whether another server may succeed. If the client stalls, no server is at fault.
pub fn is_of_server(error: &Error) -> bool {
    match error {
        Error::Stalled(_) | Error::Timeout(_) => true,
        error => error.is_retryable() && error.reason() != Some("STREAM_IDLE"),
    }
}

/// Whether the server may answer later. A server that accepts a connection and breaks it is not
/// hashlane.
fn may_come(error: &Error) -> bool {
    match error {
        Error::Connect { .. } => !is_distrust(error),
        Error::Rpc { .. } => error.is_unavailable(),
        _ => false,
    }
}

fn is_distrust(error: &Error) -> bool {
    error.to_string().contains("invalid peer certificate")
}

/// The gateway's option for the client library's advice.
fn advice(error: &Error) -> &'static str {
    match error {
        error if is_distrust(error) => " (--ca)",
        error if error.code() == Code::Unauthenticated => " (--token-file or HASHLANE_TOKEN)",
        Error::Connect { .. } | Error::Transport(_) => " (--hashlane)",
        error if error.code() == Code::Unimplemented => " (--hashlane)",
        _ => "",
    }
}
