//! A client's frames, good and bad: a whole connection of the server against h2 alone.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hashlane_server_fuzz::connection::run(input));
