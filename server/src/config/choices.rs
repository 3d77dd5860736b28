//! Settings whose value is one of a few words.

use super::kind::Words;

/// How bytes are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashing {
    /// The multi-buffer engine.
    Lanes,
    /// sha2, sha1 and md-5 in the handler, for comparison.
    Inline,
    /// Not at all: every digest is zero. To measure transport alone.
    Sink,
}

impl Words for Hashing {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("lanes", Self::Lanes),
        ("inline", Self::Inline),
        ("sink", Self::Sink),
    ];
}

impl Hashing {
    /// The word for it in the settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.word()
    }
}

/// Whether workers are pinned to cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Pin, unless a CPU quota allows fewer cores than the affinity mask.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Words for Pin {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("true", Self::Always),
        ("false", Self::Never),
    ];
}

/// Whether TLS asks clients for certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCertificates {
    /// Do not ask.
    Off,
    /// Ask, and accept clients without one.
    Optional,
    /// Ask, and refuse clients without one.
    Required,
}

impl Words for ClientCertificates {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("off", Self::Off),
        ("optional", Self::Optional),
        ("required", Self::Required),
    ];
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl Words for LogFormat {
    const WORDS: &'static [(&'static str, Self)] = &[("text", Self::Text), ("json", Self::Json)];
}
