//! A client of HTTP/1.1, good and bad: a whole connection of the server against hyper alone.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hashlane_server_fuzz::http1::run(input));
