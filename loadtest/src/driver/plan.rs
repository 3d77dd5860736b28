//! The load to drive.

use std::sync::Arc;

use crate::args::LoadArgs;
use crate::payload::Payload;
use crate::tls::Tls;

/// The client that carries the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// hyper: any RPC, any server.
    Calls,
    /// Frames prepared at start-up: only Digest, over TCP.
    Prepared(Peer),
}

/// The peer of the prepared client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A server of the service.
    Service,
    /// A receiver without HTTP/2. Only the socket limits the client, and a part counts as answered
    /// when its last byte is in the outbox.
    Receiver {
        /// The largest payload of a frame.
        frame_bytes_max: usize,
    },
}

/// The load to drive.
#[derive(Debug)]
pub struct Plan {
    /// The server's gRPC address.
    pub server: String,
    /// Trusted roots for a TLS address.
    pub tls: Option<Tls>,
    /// The load; its sizes are already in `payload`.
    pub load: LoadArgs,
    /// The parts.
    pub payload: Arc<Payload>,
    /// The client.
    pub client: Client,
    /// Number of parts to send over all streams; no limit if `None`.
    pub count: Option<u64>,
    /// Whether to compare answers with the known digests. Not possible with a server that does not
    /// hash.
    pub check: bool,
}

/// Number of connections with at least one stream.
pub(super) fn connections(load: &LoadArgs) -> usize {
    load.connections.min(load.streams)
}
