//! A server as clients and operators see it, one file per topic.
//!
//! All in one program, because linking takes longer than most tests. Tests that change process-wide
//! state, the panic hook or the log subscriber, are separate programs (selfcheck.rs, panics.rs).

#[path = "../common/mod.rs"]
mod common;

mod admin;
mod admin_tls;
mod algorithms;
mod arrivals;
mod attacks;
mod bounds;
mod compose;
mod connection_age;
mod counters;
mod drain;
mod fairness;
mod faults;
mod field_order;
mod flood;
mod http2;
mod identity;
mod log_lines;
mod memory;
mod metrics;
mod parts;
mod poll_times;
mod program;
mod put;
mod quotas;
mod shares;
mod sigterm;
mod small_budgets;
mod small_windows;
mod soak;
mod stalled;
mod systemd;
mod tls;
mod traces;
mod unary;
mod unread;
mod workers;
