//! How connections end.

use crate::words::words;

words! {
    /// Why a connection ended.
    pub(crate) enum ConnectionEnd {
        /// The client closed it, or obeyed the GOAWAY of a drain.
        Closed = "closed",
        /// An HTTP/2 error or a socket error.
        Error = "error",
        /// The TLS handshake failed.
        Handshake = "tls_handshake",
        /// The client that the certificate names has its maximum of connections.
        ClientLimit = "client_limit",
        /// No byte arrived, as from a probe that only connects.
        Unused = "unused",
        /// The client sent neither the HTTP/2 preface nor HTTP/1.1, or closed within the preface.
        Preface = "preface",
        /// The preface did not arrive in time.
        PrefaceTimeout = "preface_timeout",
        /// Its frames were useless.
        Flood = "flood",
        /// The connection held the most unread answers when the bound was exceeded.
        Unread = "unread",
        /// The client did not read answers in time.
        NotTaken = "not_taken",
        /// The client answered no PING.
        NoPong = "no_pong",
        /// It exceeded its age, and did not end in the grace time.
        Age = "age",
        /// It had no call for too long, and did not end in the grace time.
        Idle = "idle",
        /// It was still open when its worker failed or when the drain ended.
        Cut = "cut",
    }
}
