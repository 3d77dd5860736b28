//! What an operator runs and sees.
//!
//! | file | |
//! |---|---|
//! | program.rs | flags, exit codes, signals |
//! | systemd.rs | sockets and notifications of systemd |
//! | admin.rs | the admin port's page and state |
//! | admin_tls.rs | TLS on the admin port |
//! | metrics.rs | the admin port's probes and metrics |
//! | counters.rs | refusals, results and ends are counted in the right metrics |
//! | log_lines.rs | the log lines, and data that is never logged |
//! | traces.rs | spans of calls, and faulty collectors |

mod admin;
mod admin_tls;
mod counters;
mod log_lines;
mod metrics;
mod program;
mod systemd;
mod traces;
