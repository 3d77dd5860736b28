//! Clients that attack, break the protocol, stall or vanish.
//!
//! | file | |
//! |---|---|
//! | http2_attacks.rs | known attacks on HTTP/2, with their CVEs |
//! | flood.rs | clients that send faster than the server hashes; costly frames |
//! | stalled_clients.rs | clients that stall or trickle |
//! | unread_answers.rs | clients that do not read their answers |
//! | broken_clients.rs | clients that vanish, fall silent, or do not send gRPC |
//! | loadtest_soak.rs | clients that work, cancel, corrupt and vanish at random |

mod broken_clients;
mod flood;
mod http2_attacks;
mod loadtest_soak;
mod stalled_clients;
mod unread_answers;
