//! Counts of a peer's frames, for the caller's limits.

/// Kinds of frames that a server may want to bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// DATA with bytes, or that ends its stream.
    Data,
    /// DATA without either.
    EmptyData,
    /// HEADERS.
    Headers,
    /// PRIORITY.
    Priority,
    /// RST_STREAM.
    Reset,
    /// SETTINGS.
    Settings,
    /// PING.
    Ping,
    /// WINDOW_UPDATE.
    WindowUpdate,
    /// CONTINUATION.
    Continuation,
    /// GOAWAY, PUSH_PROMISE, and kinds that HTTP/2 does not know.
    Other,
}

impl FrameKind {
    /// All kinds, in the order of their numbers here.
    pub const ALL: [Self; 10] = [
        Self::Data,
        Self::EmptyData,
        Self::Headers,
        Self::Priority,
        Self::Reset,
        Self::Settings,
        Self::Ping,
        Self::WindowUpdate,
        Self::Continuation,
        Self::Other,
    ];

    /// A short name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::EmptyData => "empty_data",
            Self::Headers => "headers",
            Self::Priority => "priority",
            Self::Reset => "rst_stream",
            Self::Settings => "settings",
            Self::Ping => "ping",
            Self::WindowUpdate => "window_update",
            Self::Continuation => "continuation",
            Self::Other => "other",
        }
    }
}

/// Frames that began since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// By [`FrameKind`].
    pub frames: [u32; FrameKind::ALL.len()],
    /// Frames of [`FrameKind::Data`] with fewer than [`SMALL_BYTES`] bytes.
    pub small_data: u32,
    /// Payload bytes of all [`FrameKind::Data`].
    pub data_bytes: usize,
    /// Payload bytes of all SETTINGS.
    pub settings_bytes: usize,
    /// Payload bytes of header blocks.
    pub headers_bytes: usize,
}

/// A smaller DATA frame costs more than it is worth.
pub const SMALL_BYTES: usize = 256;
