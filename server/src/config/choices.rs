//! Settings whose value is one of a few words.

use crate::words::words;

words! {
    /// How bytes are hashed.
    pub enum Hashing {
        /// The multi-buffer engine.
        Lanes = "lanes",
        /// sha2, sha1 and md-5 in the handler, for comparison.
        Inline = "inline",
        /// Not at all: every digest is zero. To measure transport alone.
        Sink = "sink",
    }
}

words! {
    /// Whether workers are pinned to cores.
    pub enum Pin {
        /// Pin, unless a CPU quota allows fewer cores than the affinity mask.
        Auto = "auto",
        /// Always.
        Always = "true",
        /// Never.
        Never = "false",
    }
}

words! {
    /// Whether TLS asks clients for certificates.
    pub enum ClientCertificates {
        /// Do not ask.
        Off = "off",
        /// Ask, and accept clients without one.
        Optional = "optional",
        /// Ask, and refuse clients without one.
        Required = "required",
    }
}

words! {
    /// Format of log lines.
    pub enum LogFormat {
        /// For people.
        Text = "text",
        /// One JSON object per line.
        Json = "json",
    }
}
