//! What opens a connection.

use crate::{PREFACE, WINDOW_BYTES_DEFAULT, WINDOW_BYTES_MAX, setting, settings, window_update};

/// Preface and SETTINGS of a client that never holds an answer back: all its windows are as
/// large as they can be.
#[must_use]
pub fn opening() -> Vec<u8> {
    let window = window_update(0, WINDOW_BYTES_MAX - WINDOW_BYTES_DEFAULT);
    [preface(), window].concat()
}

/// The same, but the connection's own window keeps its default.
#[must_use]
pub fn preface() -> Vec<u8> {
    preface_of(WINDOW_BYTES_MAX)
}

/// Preface and SETTINGS of a client whose windows let no byte of an answer through.
#[must_use]
pub fn closed_preface() -> Vec<u8> {
    preface_of(0)
}

fn preface_of(window_bytes: u32) -> Vec<u8> {
    [
        PREFACE,
        &settings(&[(setting::INITIAL_WINDOW_SIZE, window_bytes)]),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_opens_with_the_largest_windows() {
        let opening = opening();
        let rest = opening.strip_prefix(PREFACE).unwrap();
        assert_eq!(rest.len(), 9 + 6 + 9 + 4);
        assert_eq!(rest[9..15], [0, 4, 0x7f, 0xff, 0xff, 0xff]);
        assert_eq!(rest[24..], [0x7f, 0xff, 0, 0]);
        assert_eq!(closed_preface()[PREFACE.len() + 9..], [0, 4, 0, 0, 0, 0]);
    }
}
