//! What is said on the socket for shared memory. Numbers are big-endian.
//!
//! ```text
//! request  0  "HLSM"   4  version, 1   8  bytes wanted (u64)                             16 bytes
//! reply    0  "HLSM"   4  status       8  id (16 bytes)     24  bytes of the memory (u64) 32 bytes
//! ```
//!
//! A reply with the status 0 has the memory's descriptor as ancillary data (`SCM_RIGHTS`). Any
//! other status is a [`Refusal`], and the id is zero.

use std::fmt;

use crate::words::words;

const MAGIC: [u8; 4] = *b"HLSM";

const VERSION: u32 = 1;

pub(super) const REQUEST_BYTES: usize = 16;

pub(super) const REPLY_BYTES: usize = 32;

/// Most bytes of a region.
pub(super) const REGION_BYTES_MAX: u64 = 64 << 20;

words! {
    /// Why a client gets no memory. The status of the reply is the place here, from 1 on.
    pub(crate) enum Refusal {
        /// The request does not begin as it should.
        Malformed = "malformed",
        /// Another version.
        Version = "version",
        /// No bytes are wanted, or more than [`REGION_BYTES_MAX`].
        Size = "size",
        /// The process has no room.
        Busy = "busy",
        /// The client has its share of bytes or of regions.
        Quota = "quota",
        /// The system has no memory or no descriptor.
        System = "system",
        /// No whole request arrived in time. Nothing is replied.
        Incomplete = "incomplete",
    }
}

/// The identity of a region: what a call names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RegionId([u8; 16]);

/// No log line has an id: it grants access.
impl fmt::Debug for RegionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RegionId")
    }
}

impl RegionId {
    pub(crate) fn of(id: [u8; 16]) -> Self {
        Self(id)
    }

    /// The id as the reply has it.
    pub(crate) fn bytes(self) -> [u8; 16] {
        self.0
    }

    /// An id as 32 hexadecimal digits.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text: &[u8; 32] = text.try_into().ok()?;
        let digit = |byte: u8| char::from(byte).to_digit(16)?.try_into().ok();
        let mut id = [0; 16];
        for (byte, pair) in id.iter_mut().zip(text.chunks_exact(2)) {
            let [high, low]: [u8; 2] = [digit(pair[0])?, digit(pair[1])?];
            *byte = high << 4 | low;
        }
        Some(Self(id))
    }
}

/// The bytes that a request wants.
///
/// # Errors
/// It is no request of this version, or no region has that many bytes.
pub(crate) fn parse(request: &[u8; REQUEST_BYTES]) -> Result<u64, Refusal> {
    let [m0, m1, m2, m3, v0, v1, v2, v3, wanted @ ..] = *request;
    if [m0, m1, m2, m3] != MAGIC {
        return Err(Refusal::Malformed);
    }
    if u32::from_be_bytes([v0, v1, v2, v3]) != VERSION {
        return Err(Refusal::Version);
    }
    let wanted = u64::from_be_bytes(wanted);
    if wanted == 0 || wanted > REGION_BYTES_MAX {
        return Err(Refusal::Size);
    }
    Ok(wanted)
}

/// The reply that grants a region.
pub(super) fn granted(id: RegionId, bytes: u64) -> [u8; REPLY_BYTES] {
    reply(0, id, bytes)
}

/// The reply that refuses one. For [`Refusal::Size`] it names the most bytes.
pub(super) fn refused(refusal: Refusal) -> [u8; REPLY_BYTES] {
    let bytes = match refusal {
        Refusal::Size => REGION_BYTES_MAX,
        _ => 0,
    };
    reply(refusal as u32 + 1, RegionId([0; 16]), bytes)
}

fn reply(status: u32, id: RegionId, bytes: u64) -> [u8; REPLY_BYTES] {
    let mut reply = [0; REPLY_BYTES];
    reply[..4].copy_from_slice(&MAGIC);
    reply[4..8].copy_from_slice(&status.to_be_bytes());
    reply[8..24].copy_from_slice(&id.bytes());
    reply[24..].copy_from_slice(&bytes.to_be_bytes());
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(magic: &[u8; 4], version: u32, wanted: u64) -> [u8; REQUEST_BYTES] {
        let (version, wanted) = (version.to_be_bytes(), wanted.to_be_bytes());
        let bytes = [&magic[..], &version, &wanted].concat();
        bytes.try_into().unwrap()
    }

    #[test]
    fn only_whole_requests_of_this_version_are_taken() {
        let parse = |magic, version, wanted| super::parse(&request(magic, version, wanted));
        assert_eq!(parse(b"HLSM", 1, 1), Ok(1));
        assert_eq!(parse(b"HLSM", 1, REGION_BYTES_MAX), Ok(REGION_BYTES_MAX));
        assert_eq!(parse(b"PRI ", 1, 1), Err(Refusal::Malformed));
        assert_eq!(parse(b"HLSM", 2, 1), Err(Refusal::Version));
        for wanted in [0, REGION_BYTES_MAX + 1, u64::MAX] {
            assert_eq!(parse(b"HLSM", 1, wanted), Err(Refusal::Size));
        }
    }

    #[test]
    fn an_id_is_32_digits() {
        let id = RegionId::parse(b"000102030405060708090a0b0c0dfeFF").unwrap();
        assert_eq!(
            id.0,
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 254, 255]
        );
        for bad in [
            "",
            "00",
            "000102030405060708090a0b0c0dfeFg",
            "+00102030405060708090a0b0c0dfeFF",
        ] {
            assert_eq!(RegionId::parse(bad.as_bytes()), None, "{bad:?}");
        }
    }

    #[test]
    fn replies_are_as_documented() {
        let granted = granted(RegionId([7; 16]), 8192);
        assert_eq!(granted[..8], *b"HLSM\0\0\0\0");
        assert_eq!(granted[8..24], [7; 16]);
        assert_eq!(granted[24..], 8192_u64.to_be_bytes());
        let size = refused(Refusal::Size);
        assert_eq!(size[..8], *b"HLSM\0\0\0\x03");
        assert_eq!(size[24..], REGION_BYTES_MAX.to_be_bytes());
    }
}
