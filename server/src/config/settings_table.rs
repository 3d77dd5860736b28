//! The table of docs/settings.md.

use std::fmt::Write as _;

use super::settings::{Effect, SETTINGS, Settings};

/// All settings as a Markdown table.
#[must_use]
pub fn settings_table() -> String {
    let defaults = Settings::default();
    let mut text = "| setting | default | meaning | allowed | takes effect |\n".to_owned();
    text += "|---|---|---|---|---|\n";
    for setting in SETTINGS {
        let default = match (setting.show)(&defaults) {
            empty if empty.is_empty() => empty,
            default => format!("`{default}`"),
        };
        let effect = match setting.effect {
            Effect::Start => "at start",
            Effect::Live => "at start, SIGHUP",
        };
        let (about, [allowed, _]) = (setting.about(), (setting.allowed)());
        let row = format!("| {default} | {about} | {allowed} | {effect} |");
        let _ = writeln!(text, "| `{}` {row}", setting.name);
    }
    text
}
