//! A minimal collector of spans: OTLP over HTTP/1.1.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

use super::PATIENCE;

/// Its reaction to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Take,
    Refuse,
    /// Reads, but never answers.
    Hang,
}

/// A collector on a separate port.
pub(crate) struct Collector {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
}

impl Collector {
    pub(crate) fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<_>>>::default();
        let taken = Arc::clone(&requests);
        // The threads end with the test's process.
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let taken = Arc::clone(&taken);
                std::thread::spawn(move || serve(&socket.unwrap(), does, &taken));
            }
        });
        Self { address, requests }
    }

    /// The endpoint for a server's settings.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<ExportTraceServiceRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// All spans received.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let requests = self.requests().into_iter();
        let resources = requests.flat_map(|request| request.resource_spans);
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    /// Waits for a span that satisfies `condition`, and returns all spans.
    pub(crate) async fn until(&self, condition: impl Fn(&Span) -> bool) -> Vec<Span> {
        let start = Instant::now();
        loop {
            let spans = self.spans();
            if spans.iter().any(&condition) {
                return spans;
            }
            assert!(start.elapsed() < PATIENCE, "{spans:#?}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// Answers requests until the connection ends.
fn serve(socket: &TcpStream, does: Does, taken: &Mutex<Vec<ExportTraceServiceRequest>>) {
    let mut lines = BufReader::new(socket);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if lines.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
        let head = head.to_lowercase();
        assert!(head.contains("content-type: application/x-protobuf"));
        let (_, length) = head.split_once("content-length: ").unwrap();
        let (length, _) = length.split_once("\r\n").unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        lines.read_exact(&mut body).unwrap();
        let request = ExportTraceServiceRequest::decode(&*body).unwrap();
        taken.lock().unwrap().push(request);
        let answer: &[u8] = match does {
            Does::Take => b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            Does::Refuse => b"HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n",
            Does::Hang => b"",
        };
        if { socket }.write_all(answer).is_err() {
            return;
        }
    }
}

/// The value of an attribute, as text.
pub(crate) fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    Some(text(found.value.as_ref()?))
}

fn text(value: &AnyValue) -> String {
    match value.value.as_ref().unwrap() {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(n) => n.to_string(),
        Value::ArrayValue(array) => {
            let texts: Vec<_> = array.values.iter().map(text).collect();
            texts.join(",")
        }
        other => panic!("{other:?}"),
    }
}
