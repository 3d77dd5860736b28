//! Runs the load generator's soak for some seconds: clients that work, cancel, corrupt and vanish.
//! Every digest is right, and the server holds nothing of them afterwards.

use std::time::Duration;

use hashlane_loadtest::args::SoakArgs;
use hashlane_loadtest::soak::soak;

#[test]
fn nothing_is_left_of_clients_that_come_and_go() {
    let args = SoakArgs {
        server_bin: Some(env!("CARGO_BIN_EXE_hashlane-server").into()),
        server_set: Vec::new(),
        seconds: Duration::from_secs(5),
        clients: 16,
        seed: 1,
        // The allocator still grows its arenas in such a short run, so only large leaks show.
        growth_max: 64 << 20,
    };
    assert!(soak(&args).unwrap(), "the report says what is wrong");
}
