//! Requests for shared memory, and ids of it, read in another way.

use crate::shared_memory::RegionId;
use crate::shared_memory::handshake::{Refusal, parse};

pub fn run(input: &[u8]) {
    if let Some(request) = input.first_chunk::<16>() {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
        let expected = match (&request[..4], number(&request[4..8]), number(&request[8..])) {
            (magic, _, _) if magic != b"HLSM" => Err(Refusal::Malformed),
            (_, version, _) if version != 1 => Err(Refusal::Version),
            (_, _, bytes @ 1..=0x400_0000) => Ok(bytes),
            _ => Err(Refusal::Size),
        };
        assert_eq!(parse(request), expected);
    }
    let text = std::str::from_utf8(input).ok();
    let digits = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let id = digits.filter(|text| text.len() == 32);
    let id = id.map(|text| u128::from_str_radix(text, 16).unwrap().to_be_bytes());
    assert_eq!(RegionId::parse(input).map(RegionId::bytes), id);
}
