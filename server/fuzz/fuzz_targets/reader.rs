//! Any bytes, in any pieces: the server's reader against the same bytes whole.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hashlane_server_fuzz::reader::run(input));
