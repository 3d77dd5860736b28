//! The crate behind a server that echoes: with the h2 crate as the client, and with frames by hand.
//!
//! | file | |
//! |---|---|
//! | echo.rs | the server |
//! | client.rs | the client h2 |
//! | interop.rs | calls of h2 |
//! | frames.rs | frames by hand, valid or not, in any pieces |
//! | fields.rs | header fields, by h2 and of RFC 7541 |

mod client;
mod echo;
mod fields;
mod frames;
mod interop;
