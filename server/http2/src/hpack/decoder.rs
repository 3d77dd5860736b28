//! Header blocks in, fields out (RFC 7541 section 6).

use super::huffman;
use super::table::{Field, Name, Table};
use crate::Code;

/// The largest dynamic table that a peer's encoder may use: the default of
/// SETTINGS_HEADER_TABLE_SIZE (RFC 9113 section 6.5.2), which this side does not change.
const TABLE_SIZE_MAX: usize = 4096;

/// A block that is not HPACK leaves the table unusable, and so its connection.
const BAD_BLOCK: Code = Code::COMPRESSION_ERROR;

impl Table {
    /// The table of a connection that begins.
    pub(crate) const fn new() -> Self {
        Self::of_size(TABLE_SIZE_MAX)
    }

    /// Decodes a whole block, and gives each of its fields to `take`.
    ///
    /// # Errors
    /// The block is not HPACK, or names a field that does not exist; or the error of `take`, which
    /// ends the decoding.
    pub(crate) fn decode(
        &mut self,
        block: &[u8],
        mut take: impl FnMut(Field) -> Result<(), Code>,
    ) -> Result<(), Code> {
        let mut block = Block { bytes: block };
        let mut may_resize = true;
        while let Some(first) = block.bytes.first().copied() {
            let field = if first & 0x80 != 0 {
                let index = block.integer(7)?;
                self.get(index).ok_or(BAD_BLOCK)?
            } else if first & 0xc0 == 0x40 {
                let field = self.literal(&mut block, 6)?;
                self.insert(field.clone());
                field
            } else if first & 0xe0 == 0x20 {
                // Only before the first field (section 4.2).
                let size = block.integer(5)?;
                if !may_resize || size > TABLE_SIZE_MAX {
                    return Err(BAD_BLOCK);
                }
                self.resize(size);
                continue;
            } else {
                self.literal(&mut block, 4)?
            };
            may_resize = false;
            take(field)?;
        }
        Ok(())
    }

    /// A literal. Its name's index begins with `prefix_bits` bits.
    fn literal(&self, block: &mut Block<'_>, prefix_bits: u32) -> Result<Field, Code> {
        let index = block.integer(prefix_bits)?;
        let name = if index == 0 {
            block.text(Name::parse)?
        } else {
            self.name(index).ok_or(BAD_BLOCK)?
        };
        block.text(|value| Field::new(name, value))
    }
}

/// The undecoded rest of a block.
struct Block<'a> {
    bytes: &'a [u8],
}

impl Block<'_> {
    /// An integer that begins with the last `prefix_bits` bits of a byte (section 5.1).
    fn integer(&mut self, prefix_bits: u32) -> Result<usize, Code> {
        let (first, mut rest) = self.bytes.split_first().ok_or(BAD_BLOCK)?;
        let max = (1_u8 << prefix_bits).wrapping_sub(1);
        let mut value = usize::from(first & max);
        if value == usize::from(max) {
            // More than 28 bits are of no use.
            let mut shift = 0;
            loop {
                let (byte, more) = rest.split_first().ok_or(BAD_BLOCK)?;
                rest = more;
                if shift >= 28 {
                    return Err(BAD_BLOCK);
                }
                value += usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
        }
        self.bytes = rest;
        Ok(value)
    }

    /// What `read` makes of a text (section 5.2).
    fn text<T>(&mut self, read: impl FnOnce(&[u8]) -> T) -> Result<T, Code> {
        let is_coded = self.bytes.first().is_some_and(|first| first & 0x80 != 0);
        let length = self.integer(7)?;
        let (text, rest) = self.bytes.split_at_checked(length).ok_or(BAD_BLOCK)?;
        self.bytes = rest;
        if !is_coded {
            return Ok(read(text));
        }
        // The shortest code has 5 bits.
        let mut decoded = Vec::with_capacity(text.len() * 8 / 5);
        huffman::decode(text, &mut decoded).map_err(|()| BAD_BLOCK)?;
        Ok(read(&decoded))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn field(name: &str, value: &str) -> Field {
        Field::new(Name::parse(name.as_bytes()), value.as_bytes())
    }

    fn decode(table: &mut Table, block: &[u8]) -> Result<Vec<Field>, Code> {
        let mut fields = Vec::new();
        table.decode(block, |field| {
            fields.push(field);
            Ok(())
        })?;
        Ok(fields)
    }

    /// The requests of appendix C.4, each on the table that the last one left.
    #[test]
    fn requests_of_appendix_c() {
        let table = &mut Table::new();
        let first = b"\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff";
        let start = [
            (":method", "GET"),
            (":scheme", "http"),
            (":path", "/"),
            (":authority", "www.example.com"),
        ];
        let start: Vec<_> = start.into_iter().map(|(n, v)| field(n, v)).collect();
        assert_eq!(decode(table, first).unwrap(), start);
        let second = b"\x82\x86\x84\xbe\x58\x86\xa8\xeb\x10\x64\x9c\xbf";
        let with = [&start[..], &[field("cache-control", "no-cache")]].concat();
        assert_eq!(decode(table, second).unwrap(), with);
        let third = b"\x82\x87\x85\xbf\x40\x88\x25\xa8\x49\xe9\x5b\xa9\x7d\x7f\x89\x25\xa8\x49\xe9\x5b\xb8\xe8\xb4\xbf";
        let expected = [
            start[0].clone(),
            field(":scheme", "https"),
            field(":path", "/index.html"),
            start[3].clone(),
            field("custom-key", "custom-value"),
        ];
        assert_eq!(decode(table, third).unwrap(), expected);
    }

    #[test]
    fn literals_without_indexing_leave_the_table_alone() {
        let table = &mut Table::new();
        let block = b"\x00\x01a\x01b\x10\x01c\x01d\x04\x02/x";
        let expected = [field("a", "b"), field("c", "d"), field(":path", "/x")];
        assert_eq!(decode(table, block).unwrap(), expected);
        assert_eq!(decode(table, b"\xbe"), Err(BAD_BLOCK));
    }

    #[test]
    fn wrong_blocks_are_refused() {
        for block in [
            // Index 0, and indices of no field.
            &b"\x80"[..],
            b"\xbe",
            b"\x7e\x01a",
            // Cut short: an integer, a name, a value.
            b"\xff\x80",
            b"\x00\x05a",
            b"\x00\x01a\x02b",
            b"\x00",
            // An integer of too many bytes.
            b"\xff\x80\x80\x80\x80\x80\x01",
            // A table that is larger than allowed, and one that is resized too late.
            b"\x3f\xe2\x1f",
            b"\x82\x20",
            // Wrong Huffman code.
            b"\x00\x81\xff\x01b",
        ] {
            assert_eq!(
                decode(&mut Table::new(), block),
                Err(BAD_BLOCK),
                "{block:x?}"
            );
        }
        // The largest table, twice.
        let block = b"\x20\x3f\xe1\x1f\x82";
        assert_eq!(
            decode(&mut Table::new(), block).unwrap(),
            [field(":method", "GET")]
        );
    }

    proptest! {
        #[test]
        fn no_block_panics(blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..4)) {
            let mut table = Table::new();
            for block in blocks {
                let _ = decode(&mut table, &block);
            }
        }
    }
}
