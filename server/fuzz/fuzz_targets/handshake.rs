//! Any bytes: requests for shared memory, and what calls name it by.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hashlane_server_fuzz::handshake::run(input));
