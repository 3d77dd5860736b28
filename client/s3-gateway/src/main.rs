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
//! | `error.rs` | what goes wrong, in S3's words |

mod answer;
mod checksum;
mod download;
mod error;
mod list;
mod multipart;
mod s3;
mod store;
mod upload;

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use hashlane_client::{Builder, Client};
use http::header::{CONNECTION, EXPECT};
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use s3s::auth::SimpleAuth;
use s3s::config::{S3Config, StaticConfigProvider};
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpError, HttpResponse};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Beyond this many connections new ones wait.
const CONNECTIONS_MAX: usize = 1_024;
/// How long a hashlane server is waited for that is not there yet.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long running requests may take once the gateway ends.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

/// An S3 object store for development, whose digests hashlane computes.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Where the objects are stored; created if it is missing.
    folder: PathBuf,
    /// The address to listen on.
    #[arg(long, default_value = "127.0.0.1:9000")]
    listen: SocketAddr,
    /// The hashlane server: https://host:port, http://host:port or unix:/path.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:50051")]
    hashlane: String,
    /// The bearer token for hashlane.
    #[arg(long, env = "HASHLANE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The access key that clients use.
    #[arg(long, env = "AWS_ACCESS_KEY_ID")]
    access_key: String,
    /// Its secret key.
    #[arg(long, env = "AWS_SECRET_ACCESS_KEY", hide_env_values = true)]
    secret_key: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("hashlane-s3-gateway: {fault}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let mut client = Client::builder();
    if let Some(token) = args.token {
        client = client.token(token);
    }
    let client = connect(client, &args.hashlane).await?;
    let store = store::Store::open(&args.folder)?;
    let mut service = S3ServiceBuilder::new(s3::Gateway::new(client, store));
    // Without a key s3s would take unsigned requests.
    service.set_auth(SimpleAuth::from_single(args.access_key, args.secret_key));
    service.set_config(Arc::new(StaticConfigProvider::new(Arc::new(config()))));
    let listener = TcpListener::bind(args.listen).await?;
    eprintln!("listening on http://{}", listener.local_addr()?);
    serve(listener, service.build()).await?;
    Ok(())
}

/// Connects, and waits for a server that is not there yet: the two may be started together.
async fn connect(builder: Builder, url: &str) -> Result<Client, hashlane_client::Error> {
    let until = Instant::now() + START_TIMEOUT;
    let mut has_waited = false;
    loop {
        match builder.clone().connect(url).await {
            Err(error) if error.is_unavailable() && Instant::now() < until => {
                if !std::mem::replace(&mut has_waited, true) {
                    eprintln!("waiting for hashlane: {error}");
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            connected => return connected,
        }
    }
}

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
                eprintln!("cannot accept: {fault}");
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
/// connection: hyper would read the client's next request as those bytes.
async fn answer(service: S3Service, request: Request<Incoming>) -> Result<HttpResponse, HttpError> {
    let expects = request.headers().contains_key(EXPECT);
    let mut response = service.call(request.map(Body::from)).await?;
    if expects && !response.status().is_success() {
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}
