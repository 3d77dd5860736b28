//! Panics are counted and logged. A separate process, because the panic hook is global.

mod common;

use hashlane_server::{Inherited, Log, Server, Settings};

#[test]
fn a_panic_is_counted_and_its_message_is_told_only_if_it_is_the_programs_own() {
    let settings = Settings::with(&[
        ("listen", "127.0.0.1:0"),
        ("admin_listen", "127.0.0.1:0"),
        ("workers", "1"),
        ("pin", "false"),
    ]);
    let settings = settings.unwrap();
    let log = Log::start(&settings).unwrap();
    let server =
        Server::bind_with(settings, Inherited::default(), Some(log.clone()), "unknown").unwrap();
    let admin = server.admin_addr().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = std::thread::spawn(move || {
        runtime.block_on(server.run(async {
            let _ = stopped.await;
        }))
    });
    let panics = || {
        let metrics = common::Metrics(common::get(admin, "/metrics").unwrap().1);
        metrics.sum("hashlane_panics_total", &[])
    };
    assert_eq!(panics(), 0.0);
    assert!(std::thread::spawn(|| panic!("of a test")).join().is_err());
    let secret = 7;
    let formatted = std::thread::spawn(move || panic!("of a test with {secret}"));
    assert!(formatted.join().is_err());
    assert_eq!(panics(), 2.0);
    let state = common::get(admin, "/debug/state").unwrap().1;
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    assert_eq!(
        (&state["panics"], &state["log_lines_lost"]),
        (&2.into(), &0.into())
    );
    drop(stop);
    serving.join().unwrap().unwrap();
    log.flush();
}
