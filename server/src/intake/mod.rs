//! What is read from a worker's sockets, how much at a time, and when.
//!
//! ```text
//! socket ──> Reader ──> h2        reader.rs   a frame's bytes at a time
//!              │  └─ Frames       frames.rs   where frames begin and end
//!              ├─ Gate            gate.rs     one connection: turns, small frames
//!              └─ Level           level.rs    one worker: enough waits to be hashed
//! ```
//!
//! h2 reads a socket until it is empty, and keeps the frames until their
//! streams are polled. So everything that bounds reading stands here, in front
//! of it.

pub(crate) mod frames;
pub(crate) mod gate;
pub(crate) mod level;
pub(crate) mod reader;

pub(crate) use self::frames::SMALL_BYTES;
pub(crate) use self::gate::{Closed, Gate};
pub(crate) use self::level::Level;
pub(crate) use self::reader::{Reader, Scratch};
