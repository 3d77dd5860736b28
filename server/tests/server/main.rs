//! A server as clients and operators see it. Each folder answers one question, each file has one
//! topic:
//!
//! | folder | question |
//! |---|---|
//! | calls/ | what does each method answer? |
//! | connections/ | how does a connection begin, whose is it, how does it flow and end? |
//! | bounds/ | how much may the process and each client take? |
//! | workers/ | how does a worker divide its time, and what if it fails? |
//! | hostile/ | what can clients that attack, stall or vanish do to others? |
//! | shutdown/ | what becomes of open work when the server ends? |
//! | operator/ | what do operators run and see? |
//!
//! All in one program, because linking takes longer than most tests. Tests that change process-wide
//! state, the panic hook or the log subscriber, are separate programs (selfcheck.rs, panic_hook.rs).

#[path = "../common/mod.rs"]
mod common;

mod bounds;
mod calls;
mod connections;
mod hostile;
mod operator;
mod shutdown;
mod workers;
