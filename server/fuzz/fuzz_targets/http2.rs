//! Any bytes, in any pieces: HTTP/2 alone, against the same bytes whole.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hashlane_server_fuzz::protocol::run(input));
