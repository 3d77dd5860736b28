//! The load generator's process and the machine that it runs on.
//!
//! ```text
//! cpus           the CPUs' model, and affinity of threads
//! cpu_time       CPU time of processes and threads
//! files          the limit of open files; paths of programs; files written whole or not at all
//! helper_thread  a thread that runs during the load
//! runtime        the main thread's runtime, and the signals that end it
//! sockets        waits for sockets; how often TCP closed a window
//! ```

pub(crate) mod cpu_time;
pub(crate) mod cpus;
pub(crate) mod files;
pub(crate) mod helper_thread;
pub(crate) mod runtime;
pub(crate) mod sockets;
