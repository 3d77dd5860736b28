//! The crate as its callers use it: with the h2 crate as the client, and with frames by hand.
//!
//! | file | |
//! |---|---|
//! | interop.rs | calls of an h2 client |
//! | fields.rs | header fields, by h2 and of RFC 7541 |
//! | frames.rs | frames of any kind, in any pieces |
//! | echo.rs | the server of interop.rs and fields.rs, and its client |
//! | told.rs | what becomes of the bytes of frames.rs and fields.rs |

mod echo;
mod fields;
mod frames;
mod interop;
mod told;
