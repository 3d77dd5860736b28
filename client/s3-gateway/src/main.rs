//! An S3 object store for development. It stores in a folder, and hashlane digests every byte on
//! its way there.
//!
//! | | |
//! |---|---|
//! | `s3.rs` | the operations |
//! | `answer.rs` | what responses say of objects |
//! | `upload.rs` | the bytes of a request: to hashlane and into a file, in one pass |
//! | `checksum.rs` | what a request expects of them, and what a response says |
//! | `multipart.rs` | uploads in parts, and the ETag and checksum of the whole |
//! | `store.rs`, `list.rs`, `download.rs` | buckets and objects in a folder |
//! | `auth.rs` | the key that clients sign with |
//! | `error.rs` | what goes wrong, in S3's words |
//! | `log.rs` | what goes wrong, for the operator |

mod answer;
mod auth;
mod checksum;
mod download;
mod error;
mod list;
mod log;
mod multipart;
mod s3;
mod store;
mod upload;

use std::error::Error;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use clap::builder::{NonEmptyStringValueParser, StyledStr};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use hashlane_client::{Builder, Client, Code};
use http::header::{CONNECTION, EXPECT};
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use s3s::config::{S3Config, StaticConfigProvider};
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpError, HttpResponse};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::Key;

/// Beyond this many connections new ones wait.
const CONNECTIONS_MAX: usize = 1_024;
/// How long a hashlane server is waited for that is not there yet.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long running requests may take once the gateway ends.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

/// An S3 object store for development, whose digests hashlane computes.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Args {
    /// Where the objects are stored; created if it is missing
    folder: PathBuf,
    /// The IP address and port to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000", value_parser = address)]
    listen: SocketAddr,
    /// The hashlane server: https://host:port, http://host:port, host:port or unix:/path
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:50051")]
    hashlane: String,
    /// PEM file of the roots that the server's certificate must lead to [default: the system's]
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// File of the bearer token that calls bring [default: the variable HASHLANE_TOKEN]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The token itself, which other users of the machine can see
    #[arg(long, env = "HASHLANE_TOKEN", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    token: Option<String>,
    /// The access key that clients sign with
    #[arg(long, env = "AWS_ACCESS_KEY_ID", value_parser = NonEmptyStringValueParser::new())]
    access_key: String,
    /// Its secret key
    #[arg(long, env = "AWS_SECRET_ACCESS_KEY", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    secret_key: String,
}

/// clap names the options alone.
const VARIABLES: &str = "the variables HASHLANE_TOKEN, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY \
                         are --token, --access-key and --secret-key";

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|mut error| {
        if let ErrorKind::MissingRequiredArgument | ErrorKind::InvalidValue = error.kind() {
            let tip = StyledStr::from(VARIABLES);
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
        }
        error.exit()
    });
    match run(args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("hashlane-s3-gateway: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let address = text.parse();
    address.map_err(|_| "expected an IP address and a port, as 127.0.0.1:9000")
}

async fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let client = connect(builder(&args)?, &args.hashlane).await?;
    let store = store::Store::open(&args.folder).map_err(|fault| at(&args.folder, fault))?;
    let mut service = S3ServiceBuilder::new(s3::Gateway::new(client, store));
    // Without a key s3s would take unsigned requests.
    service.set_auth(Key::new(args.access_key, args.secret_key));
    service.set_config(Arc::new(StaticConfigProvider::new(Arc::new(config()))));
    let listener = TcpListener::bind(args.listen).await;
    let listener =
        listener.map_err(|fault| format!("cannot listen on {}: {fault}", args.listen))?;
    eprintln!("listening on http://{}", listener.local_addr()?);
    serve(listener, service.build()).await?;
    Ok(())
}

/// A client that trusts hashlane, and shows itself, as the options say.
fn builder(args: &Args) -> Result<Builder, String> {
    let mut builder = Client::builder();
    if let Some(ca) = &args.ca {
        builder = builder.ca(std::fs::read(ca).map_err(|fault| at(ca, fault))?);
    }
    let token = match &args.token_file {
        Some(path) => Some(std::fs::read_to_string(path).map_err(|fault| at(path, fault))?),
        None => args.token.clone(),
    };
    if let Some(token) = token {
        builder = builder.token(token.trim_end());
    }
    Ok(builder)
}

fn at(path: &Path, fault: std::io::Error) -> String {
    format!("{}: {fault}", path.display())
}

/// Connects, and waits for a server that is not there yet: the two may be started together.
async fn connect(builder: Builder, url: &str) -> Result<Client, String> {
    let until = Instant::now() + START_TIMEOUT;
    let mut has_waited = false;
    loop {
        let error = match answering(&builder, url).await {
            Ok(client) => return Ok(client),
            Err(error) => error,
        };
        let told = format!("{error}{}", advice(&error));
        if !may_come(&error) || Instant::now() >= until {
            return Err(told);
        }
        if !std::mem::replace(&mut has_waited, true) {
            eprintln!("waiting for hashlane: {told}");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// A client whose server answers calls.
async fn answering(builder: &Builder, url: &str) -> Result<Client, hashlane_client::Error> {
    // Tried once: what is to be tried again is decided here.
    let once = builder.clone().tries_max(1).connect(url).await?;
    once.server_info().await?;
    builder.clone().connect(url).await
}

/// Whether the server may answer later. One that takes a connection and breaks it is another kind
/// of server.
fn may_come(error: &hashlane_client::Error) -> bool {
    match error {
        hashlane_client::Error::Connect { .. } => !is_distrust(error),
        hashlane_client::Error::Rpc { .. } => error.is_unavailable(),
        _ => false,
    }
}

fn is_distrust(error: &hashlane_client::Error) -> bool {
    error.to_string().contains("invalid peer certificate")
}

/// What to do about it.
fn advice(error: &hashlane_client::Error) -> &'static str {
    match error {
        error if is_distrust(error) => "; name the certificate's roots with --ca",
        hashlane_client::Error::Connect { .. } => {
            "; start hashlane-server, or name its URL with --hashlane"
        }
        error if error.code() == Code::Unauthenticated => " (--token-file or HASHLANE_TOKEN)",
        hashlane_client::Error::Transport(_) => NOT_HASHLANE,
        error if error.code() == Code::Unimplemented => NOT_HASHLANE,
        _ => "",
    }
}

const NOT_HASHLANE: &str = "; --hashlane must be the gRPC port of a hashlane server, with https:// \
                            if that has TLS";

/// s3s reads a form's file into memory before it refuses a form without a signature. Without room
/// for fields it refuses each form at its first bytes.
fn config() -> S3Config {
    let mut config = S3Config::default();
    config.form_max_fields_size = 0;
    config
}

/// Serves until a signal comes, and then ends what runs.
async fn serve(listener: TcpListener, service: S3Service) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let graceful = GracefulShutdown::new();
    loop {
        let permit = Arc::clone(&connections).acquire_owned();
        let accepted = async { (permit.await, listener.accept().await) };
        let (permit, accepted) = tokio::select! {
            accepted = accepted => accepted,
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
        };
        match accepted {
            Ok((socket, _)) => spawn(socket, &service, &graceful, permit.ok()),
            // Out of descriptors, say: others may end meanwhile.
            Err(fault) => {
                log::line(format_args!("cannot accept: {fault}"));
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, graceful.shutdown()).await;
    Ok(())
}

fn spawn(
    socket: TcpStream,
    service: &S3Service,
    graceful: &GracefulShutdown,
    permit: Option<OwnedSemaphorePermit>,
) {
    let mut http = http1::Builder::new();
    // With a timer, heads of requests have 30 s.
    http.timer(TokioTimer::new());
    let service = service.clone();
    let answering = service_fn(move |request| answer(service.clone(), request));
    let connection = http.serve_connection(TokioIo::new(socket), answering);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // A client that is gone needs no answer.
        let _ = connection.await;
        drop(permit);
    });
}

/// A refusal may come before the bytes that `Expect: 100-continue` holds back. It ends the
/// connection: hyper might take the client's next request for those bytes, or close without a word.
async fn answer(service: S3Service, request: Request<Incoming>) -> Result<HttpResponse, HttpError> {
    let expects = request.headers().contains_key(EXPECT);
    // Without the query: it may have a signature.
    let name = format!("{} {}", request.method(), request.uri().path());
    let answering = service.call(request.map(Body::from));
    let mut response = error::explain(log::of_request(name, answering).await?);
    if expects && !response.status().is_success() {
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}
