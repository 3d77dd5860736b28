//! An S3 object store for development. It stores objects in a folder and has hashlane digest every
//! byte on its way there.
//!
//! | | |
//! |---|---|
//! | `requests.rs`, `requests.txt` | refuses what the gateway does not support |
//! | `gateway.rs` | state shared by the operations |
//! | `s3.rs` | the operations |
//! | `route.rs` | operations that are answered without s3s |
//! | `delete.rs` | DeleteObjects |
//! | `get.rs` | GetObject and HeadObject |
//! | `put.rs` | PutObject and CreateMultipartUpload |
//! | `unconfigured.rs` | requests about properties that buckets do not have |
//! | `answer.rs` | the headers and XML of responses about objects |
//! | `hashlane.rs` | what computes the digests: lanes of this process, or hashlane servers |
//! | `body.rs` | the body of a request, which is read to its end after an error |
//! | `framing.rs` | whether an aws-chunked body is whole |
//! | `upload.rs` | the bytes of a request: to hashlane and into a file, in one pass |
//! | `checksum.rs` | checksums in requests and responses |
//! | `multipart.rs`, `complete.rs` | uploads in parts, and the ETag and checksum of the whole |
//! | `copy.rs` | copies, whose bytes go through hashlane again |
//! | `finish.rs` | changes to every answer |
//! | `xml.rs` | answers that s3s cannot write |
//! | `etags.rs` | the ETags of conditions |
//! | `store.rs`, `list.rs`, `download.rs` | buckets and objects in a folder |
//! | `auth.rs` | the key that clients sign with |
//! | `signature.rs` | refuses signatures that s3s accepts and S3 does not |
//! | `error.rs` | errors with S3's codes and messages |
//! | `log.rs` | errors, for the operator |

mod answer;
mod auth;
mod body;
mod checksum;
mod complete;
mod copy;
mod delete;
mod download;
mod error;
mod etags;
mod finish;
mod framing;
mod gateway;
mod get;
mod hashlane;
mod list;
mod log;
mod multipart;
mod put;
mod requests;
mod route;
mod s3;
mod signature;
mod store;
mod unconfigured;
mod upload;
mod xml;

use std::error::Error;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use clap::builder::{NonEmptyStringValueParser, StyledStr};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use hashlane_client::Builder;
use http::header::{CONNECTION, EXPECT};
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpError, HttpResponse};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::Key;
use crate::body::RequestBody;
use crate::finish::{RequestId, finish};
use crate::gateway::Gateway;
use crate::hashlane::Hashlane;

/// Above this number, new connections wait.
const CONNECTIONS_MAX: usize = 1_024;
/// Time for running requests once the gateway ends.
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
    /// What computes the digests: embedded: is this process, embedded:N with N threads; or a
    /// hashlane server: https://host:port, http://host:port, host:port or unix:/path; repeat it for
    /// further servers, which take over if one is lost
    #[arg(long, value_name = "URL", default_value = hashlane::EMBEDDED)]
    hashlane: Vec<String>,
    /// Seconds after which a client that sends nothing of its body gets RequestTimeout
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    idle_timeout: u64,
    /// PEM file of the roots that the server's certificate must lead to [default: the system's]
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// File with the bearer token to send with calls [default: the variable HASHLANE_TOKEN]
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

/// clap names only the options.
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
    let idle_timeout = Duration::from_secs(args.idle_timeout);
    let hashlane = Hashlane::connect(&builder(&args)?, &args.hashlane, idle_timeout).await?;
    let store = store::Store::open(&args.folder).map_err(|fault| at(&args.folder, fault))?;
    let gateway = Gateway::new(hashlane, store);
    let mut service = S3ServiceBuilder::new(gateway.clone());
    // Without a key s3s would accept unsigned requests.
    service.set_auth(Key::new(args.access_key, args.secret_key));
    service.set_access(requests::Access);
    service.set_route(route::Route(gateway));
    let listener = TcpListener::bind(args.listen).await;
    let listener =
        listener.map_err(|fault| format!("cannot listen on {}: {fault}", args.listen))?;
    eprintln!("listening on http://{}", listener.local_addr()?);
    serve(listener, service.build()).await?;
    Ok(())
}

fn at(path: &Path, fault: std::io::Error) -> String {
    format!("{}: {fault}", path.display())
}

/// A client builder from the options: roots and token.
fn builder(args: &Args) -> Result<Builder, String> {
    let mut builder = Hashlane::builder();
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

/// Serves until a signal arrives, then waits for running requests.
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
            // For example out of descriptors, which other connections may soon free.
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
    // With a timer, hyper allows 30 s for request heads.
    http.timer(TokioTimer::new());
    let service = service.clone();
    let answering = service_fn(move |request| answer(service.clone(), request));
    let connection = http.serve_connection(TokioIo::new(socket), answering);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // An error means that the client is gone.
        let _ = connection.await;
        drop(permit);
    });
}

/// A refusal may come before the bytes that `Expect: 100-continue` holds back. It then closes the
/// connection: hyper might take the client's next request for those bytes, or close without an
/// answer.
async fn answer(service: S3Service, request: Request<Incoming>) -> Result<HttpResponse, HttpError> {
    let expects = request.headers().contains_key(EXPECT);
    let id = RequestId::next();
    // Without the query, which may contain a signature.
    let name = format!("{} {} {id}", request.method(), request.uri().path());
    let uri = request.uri().clone();
    let (head, incoming) = request.into_parts();
    let body = RequestBody::new(incoming, &head.headers);
    let mut request = Request::from_parts(head, Body::http_body(body.clone()));
    let checked = requests::check_form(request.method(), &uri, request.headers());
    // Headers in the query are signed with it.
    let checked = checked.and_then(|()| signature::check(&uri, request.headers()));
    let checked =
        checked.and_then(|()| requests::add_headers_in_query(&uri, request.headers_mut()));
    requests::add_date(request.headers_mut());
    let response = match checked {
        Ok(()) => log::of_request(name, service.call(request)).await?,
        Err(refused) => {
            let response = refused.to_http_response();
            response.map_err(|fault| HttpError::new(Box::new(fault)))?
        }
    };
    if !response.status().is_success() && (!expects || body.was_read()) {
        body.discard().await;
    }
    let mut response = finish(response, &id);
    if expects && !response.status().is_success() {
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}
