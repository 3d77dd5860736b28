//! Drives every bound to its limit: the server then takes no more memory than `--memory` says. Each
//! test has a separate server with one small bound, and compares resident memory before and at the
//! bound. `--nocapture` prints the figures.
//!
//! | file | |
//! |---|---|
//! | bounded_server.rs | the server of a test, and the memory that it takes |
//! | connections.rs | connections, their headers and their TLS |
//! | calls.rs | calls, whole messages, traces |
//! | data.rs | parts, chunks, windows, held data |
//! | answers.rs | unread answers |
//! | burst.rs | memory after a burst |

mod answers;
mod bounded_server;
mod burst;
mod calls;
mod connections;
mod data;
