//! Connections: how they begin, whose they are, how they flow and how they end.
//!
//! | file | |
//! |---|---|
//! | tls.rs | TLS: which clients are admitted; certificates that are replaced |
//! | identity.rs | the client of a call: certificate, token, uid, address, proxy |
//! | unix_socket.rs | the Unix socket that the server listens on: its mode and its path |
//! | http2_rules.rs | HTTP/2 limits, announced and violated |
//! | flow_control.rs | streams in the smallest windows |
//! | connection_age.rs | connections that end by their age, or without calls |

mod connection_age;
mod flow_control;
mod http2_rules;
mod identity;
mod tls;
mod unix_socket;
