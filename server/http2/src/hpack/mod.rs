//! HPACK, the compression of header fields (RFC 7541).
//!
//! ```text
//! header block ──> decoder.rs ──> fields
//!                    ├─ huffman.rs   compressed texts
//!                    └─ table.rs     fields that are named by an index
//! fields ──> encoder.rs ──> header block, without a dynamic table and without Huffman coding
//! ```
//!
//! Why the encoder compresses nothing: a server's answers have three short fields, most of them
//! with a name in the static table. A dynamic table would cost memory for each connection.

mod decoder;
mod encoder;
mod huffman;
mod table;

pub(crate) use self::encoder::encode;
pub(crate) use self::table::{Field, Name, Pseudo, Table};
