//! Whether an aws-chunked body is whole. s3s takes a body without its last chunk, and trailers
//! without their end, as whole.
//!
//! ```text
//! SIZE[;chunk-signature=…] CRLF  bytes CRLF  …  0[;…] CRLF  (trailer CRLF)*  CRLF
//! ```

const END: [u8; 4] = *b"\r\n\r\n";

/// Follows the framing; s3s checks it.
#[derive(Debug)]
pub struct Framing {
    place: Place,
    size: u64,
}

#[derive(Debug)]
enum Place {
    /// Digits of the chunk's size.
    Size,
    /// The rest of that line.
    Line,
    /// The chunk's bytes and its CRLF: so many are missing.
    Bytes(u64),
    /// Behind the line of the last chunk: the last four bytes.
    Trailers([u8; 4]),
}

impl Framing {
    pub fn new() -> Self {
        Self {
            place: Place::Size,
            size: 0,
        }
    }

    pub fn push(&mut self, mut data: &[u8]) {
        while let Some((&byte, rest)) = data.split_first() {
            if let Place::Bytes(missing) = &mut self.place {
                let skipped = usize::try_from(*missing).unwrap_or(usize::MAX);
                let skipped = skipped.min(data.len());
                *missing -= skipped as u64;
                data = &data[skipped..];
                if *missing == 0 {
                    *self = Self::new();
                }
                continue;
            }
            data = rest;
            self.push_byte(byte);
        }
    }

    fn push_byte(&mut self, byte: u8) {
        match &mut self.place {
            Place::Size => match char::from(byte).to_digit(16) {
                Some(digit) => self.size = self.size.saturating_mul(16) + u64::from(digit),
                None => self.place = Place::Line,
            },
            Place::Line if byte == b'\n' => {
                self.place = match self.size {
                    0 => Place::Trailers([0, 0, b'\r', b'\n']),
                    size => Place::Bytes(size.saturating_add(2)),
                }
            }
            Place::Trailers(last) => {
                last.rotate_left(1);
                last[3] = byte;
            }
            Place::Line | Place::Bytes(_) => {}
        }
    }

    pub fn is_whole(&self) -> bool {
        matches!(self.place, Place::Trailers(END))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: [&[u8]; 4] = [
        b"0\r\n\r\n",
        b"3\r\nabc\r\n0;chunk-signature=0\r\n\r\n",
        // The bytes of a chunk look like the end.
        b"A;chunk-signature=0\r\nab0\r\n\r\n0\r\n\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n",
        b"1\r\na\r\n0\r\na:b\n\r\nx-amz-trailer-signature:c\r\n\r\n",
    ];

    #[test]
    fn only_whole_bodies() {
        for body in WHOLE {
            for split in 0..body.len() {
                let mut framing = Framing::new();
                framing.push(&body[..split]);
                let is_inner_end = body[..split].ends_with(b"a:b\n\r\n");
                assert!(!framing.is_whole() || is_inner_end, "{body:?} {split}");
                framing.push(&body[split..]);
                assert!(framing.is_whole(), "{body:?} {split}");
            }
        }
        let mut without_end = Framing::new();
        without_end.push(b"4\r\n\r\n\r\n\r\n");
        assert!(!without_end.is_whole());
    }
}
