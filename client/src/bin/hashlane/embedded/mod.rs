//! Local hashing: a few threads with one engine each, and files shared out among them.
//!
//! ```text
//! tasks ──> queue ──> engines: admit (open files, up to a share)
//!                              feed  (read a chunk for each file that has none waiting)
//!                              step  (hash; take events; files run dry, files finish)
//!       ──> aside ──> each:    one thread for pipes and standard input, which may block their
//!                              reader: no file in a lane waits for them
//! results (in any order) ──> InOrder ──> sink
//! ```
//!
//! | | |
//! |---|---|
//! | `run` | starts the threads, and shares tasks out among them |
//! | `settings` | threads and open files; whether lanes pay |
//! | `job` | a source that is being hashed |
//! | `lanes` | many files in the lanes of an engine |
//! | `each` | one source after another |
//! | `contents` | the bytes of a file, read or mapped |
//! | `ahead` | files that the system reads ahead |
//! | `buffers` | chunks of files, in reused buffers |
//!
//! A file has one chunk in memory at a time, in a reused buffer, so the number of files in progress
//! bounds the memory. A source that is hashed alone has three, so that one is read while another is
//! hashed.
//!
//! Why `Engine` and not a batch: a batch needs all lengths in advance. `Engine` supports lists that
//! grow while they are read, several digests in one pass, pipes, and files of unknown length.
//!
//! Why not the library's `embedded:` or the engine's `Shared`: here the thread that hashes also
//! reads, into buffers that stay in its cache, and a chunk passes from no thread to another. CPU
//! seconds per GB on two CPUs of a Zen 3 (family 25, model 1; 25 November 2026; SHA-256 of files in
//! memory, least of five runs, dev profile, busy machine). `Shared` has 32 reading threads, two
//! workers and reused buffers:
//!
//! | files | this | `Shared` | `sum --server embedded:2` |
//! |---|---|---|---|
//! | 2,000 of 16 KiB | 1.65 | 1.98 | 2.52 |
//! | 64 of 8 MiB | 0.50 | 0.63 | 1.15 |
//! | 2 of 600 MiB | 1.22 | 0.87 | 1.56 |
//!
//! Two long files cost less there because they share a worker's lanes; here each has a thread.

mod ahead;
mod buffers;
mod contents;
mod each;
mod job;
mod lanes;
mod run;
mod settings;

pub(crate) use self::settings::Embedded;
