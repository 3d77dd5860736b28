//! Reads files about clients: bearer tokens, and quotas of single clients.
//!
//! A file of quotas is TOML. Each key is named like the setting that it overrides:
//!
//! ```toml
//! [client."token:backup"]
//! streams_max = 100
//! bytes_per_second = "50MiB"
//! ```

use std::collections::HashMap;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::files::{self, wrong_line};
use super::settings::{SETTINGS, Settings};
use super::sources;
use crate::client::{ClientId, Known, Quota, Quotas, Tokens, changes};

/// The setting that names the file of tokens.
const TOKENS: &str = "clients.tokens_file";

/// The setting that names the file of quotas.
const QUOTAS: &str = "clients.quotas_file";

/// Maximum file size: 10,000 tokens with comments fit, and some thousand quotas.
const FILE_BYTES_MAX: u64 = 8 << 20;

/// A key of a quota: its setting, whose values it allows, and how to copy a value. Its name is the
/// last part of the setting's.
type Key = (&'static str, fn(&Settings, &mut Quota));

const KEYS: [Key; 5] = [
    ("connections_max", |from, to| {
        to.connections_max = Some(from.connections_max)
    }),
    ("streams_max", |from, to| {
        to.streams_max = Some(from.streams_max)
    }),
    ("parts_max", |from, to| to.parts_max = Some(from.parts_max)),
    ("receive_windows_bytes_max", |from, to| {
        to.receive_windows_bytes_max = Some(from.receive_windows_bytes_max);
    }),
    ("clients.bytes_per_second", |from, to| {
        to.bytes_per_second = Some(from.clients.bytes_per_second);
    }),
];

impl Known {
    /// The tokens and proxies of `settings`, including the file of tokens.
    pub(crate) fn read(settings: &Settings) -> anyhow::Result<Self> {
        let settings = &settings.clients;
        let tokens = settings.tokens_file.as_deref().map(|path| {
            let text = files::read(TOKENS, path, FILE_BYTES_MAX)?;
            Tokens::parse(&text).map_err(|(line, reason)| wrong_line(TOKENS, path, line, &reason))
        });
        Ok(Self {
            tokens: tokens.transpose()?,
            proxies: settings.trusted_proxies.clone(),
            is_required: settings.identity_required,
        })
    }
}

impl Quotas {
    /// The quotas of `settings`, including the file of quotas.
    pub(crate) fn read(settings: &Settings) -> anyhow::Result<Self> {
        let settings = &settings.clients;
        let file = settings.quotas_file.as_deref();
        Ok(Self {
            by_client: file.map(read).transpose()?.unwrap_or_default(),
            bytes_per_second: settings.bytes_per_second,
        })
    }

    /// Clients whose quotas differ from `old`.
    pub(crate) fn changes(&self, old: &Self) -> Vec<String> {
        changes(&old.by_client, &self.by_client)
    }
}

fn read(path: &Path) -> anyhow::Result<HashMap<ClientId, Quota>> {
    let source = files::read(QUOTAS, path, FILE_BYTES_MAX)?;
    let wrong = |at: usize, reason: &str| {
        let line = source[..at].matches('\n').count() + 1;
        wrong_line(QUOTAS, path, line, reason)
    };
    let root = DeTable::parse(&source).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        wrong(at, error.message())
    })?;
    let mut quotas = HashMap::new();
    for (key, value) in root.get_ref() {
        let at = key.span().start;
        let clients = table(value).filter(|_| key.get_ref() == "client");
        let clients = clients.ok_or_else(|| wrong(at, "expected [client.\"NAME\"]"))?;
        for (name, value) in clients {
            let at = name.span().start;
            let client = name.get_ref().parse::<ClientId>();
            let client = client.map_err(|()| {
                let kinds = "certificate:NAME, token:NAME, uid:NUMBER, forwarded:NAME";
                wrong(at, &format!("a client is {kinds} or an address"))
            })?;
            let given = table(value).ok_or_else(|| wrong(at, "expected a table"))?;
            let quota = quota(given, &source).map_err(|(at, reason)| wrong(at, &reason))?;
            if is_told_by_calls(&client)
                && (quota.connections_max.is_some() || quota.receive_windows_bytes_max.is_some())
            {
                let reason = "connections_max and receive_windows_bytes_max bind connections, so \
                              their client is certificate:NAME, uid:NUMBER or an address";
                return Err(wrong(at, reason));
            }
            if quotas.insert(client, quota).is_some() {
                return Err(wrong(at, "this client has a quota already"));
            }
        }
    }
    Ok(quotas)
}

/// Whether calls, not connections, identify this client.
fn is_told_by_calls(client: &ClientId) -> bool {
    matches!(client, ClientId::Token(_) | ClientId::Forwarded(_))
}

fn table<'a, 'b>(value: &'a Spanned<DeValue<'b>>) -> Option<&'a DeTable<'b>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// The part of a setting's name without its table.
fn last_name(setting: &str) -> &str {
    setting.rsplit('.').next().unwrap_or(setting)
}

/// A quota, or the position of an error and its message.
fn quota(given: &DeTable<'_>, source: &str) -> Result<Quota, (usize, String)> {
    let (mut quota, mut scratch) = (Quota::default(), Settings::default());
    for (name, value) in given {
        let (at, name) = (name.span().start, name.get_ref());
        let found = KEYS
            .into_iter()
            .find(|(setting, _)| last_name(setting) == name);
        let found = found.and_then(|(name, copy)| {
            Some((SETTINGS.iter().find(|setting| setting.name == name)?, copy))
        });
        let Some((setting, copy)) = found else {
            let names = KEYS.map(|(setting, _)| last_name(setting)).join(", ");
            return Err((at, format!("there is no quota {name}; there are {names}")));
        };
        let taken = setting.take(&mut scratch, sources::text(value, source));
        taken.map_err(|(value, allowed)| {
            (
                at,
                format!("{name}: {value:?} is not allowed; allowed: {allowed}"),
            )
        })?;
        copy(&scratch, &mut quota);
    }
    Ok(quota)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotas(text: &str) -> Result<Quotas, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("quotas.toml");
        std::fs::write(&path, text).unwrap();
        let shown = |error: anyhow::Error| {
            let text = error.to_string();
            text.replace(&path.display().to_string(), "F")
        };
        Ok(Quotas {
            by_client: read(&path).map_err(shown)?,
            bytes_per_second: None,
        })
    }

    #[test]
    fn a_client_has_what_the_file_gives() {
        let found = quotas(
            "[client.\"token:a\"]\nstreams_max = 7\nbytes_per_second = \"1MiB\"\n\
             [client.\"10.0.0.1\"]\nbytes_per_second = \"\"\nreceive_windows_bytes_max = 65536\n\
             [client.\"uid:7\"]\nconnections_max = 1\nparts_max = 200\n",
        );
        let found = found.unwrap();
        let of = |client: &str| found.of(&client.parse().unwrap());
        assert_eq!(of("token:a").streams_max, Some(7));
        assert_eq!(of("token:a").bytes_per_second, Some(Some(1 << 20)));
        assert_eq!(of("::ffff:10.0.0.1").bytes_per_second, Some(None));
        assert_eq!(of("10.0.0.1").receive_windows_bytes_max, Some(1 << 16));
        assert_eq!(
            (of("uid:7").connections_max, of("uid:7").parts_max),
            (Some(1), Some(200))
        );
        assert_eq!(of("token:b"), Quota::default());
    }

    #[test]
    fn a_file_of_tokens_is_refused_with_its_line_or_its_size() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().display().to_string();
        let error = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let settings = Settings::with(&[(TOKENS, &path)]).unwrap();
            let error = Known::read(&settings).unwrap_err().to_string();
            error.replace(&path, "F")
        };
        let expected = "setting clients.tokens_file: F:2: expected a name";
        assert!(error("#\na").starts_with(expected));
        assert!(error(&"#".repeat(9 << 20)).contains("F: larger"));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_line() {
        let wrong = |text: &str, line: u32, words: &str| {
            let error = quotas(text).unwrap_err();
            let place = format!("setting clients.quotas_file: F:{line}: ");
            assert!(
                error.starts_with(&place) && error.contains(words),
                "{error}"
            );
        };
        wrong("\n[client.a]\n", 2, "a client is certificate:NAME");
        wrong("streams_max = 1", 1, "expected [client");
        wrong("client = 1", 1, "expected [client");
        wrong("[client]\n\"uid:1\" = 1", 2, "expected a table");
        wrong(
            "[client.\"uid:1\"]\nstreams = 1",
            2,
            "no quota streams; there are connections_max",
        );
        wrong(
            "[client.\"uid:1\"]\nstreams_max = 0",
            2,
            "streams_max: \"0\" is not allowed; allowed: 1 to 100000000",
        );
        wrong(
            "[client.\"uid:1\"]\nbytes_per_second = 1",
            2,
            "bytes_per_second: \"1\" is not allowed; allowed: 64KiB to 1TiB",
        );
        wrong(
            "[client.\"uid:1\"]\nparts_max = [1]",
            2,
            "parts_max: \"[1]\" is not allowed; allowed: 100 to",
        );
        wrong("[client.\"::1\"]\n[client.\"::2\"]\n", 2, "already");
        for of_connections in ["connections_max = 1", "receive_windows_bytes_max = 65536"] {
            for client in ["token:a", "forwarded:a"] {
                let text = format!("[client.\"{client}\"]\n{of_connections}");
                wrong(
                    &text,
                    1,
                    "connections_max and receive_windows_bytes_max bind connections",
                );
            }
        }
        wrong("[client.\"uid:1\"]\n=", 2, "");
    }

    #[test]
    fn changes_are_told_by_client() {
        let old = quotas("[client.\"uid:1\"]\nstreams_max = 1\nparts_max = 200").unwrap();
        let new = quotas(
            "[client.\"uid:1\"]\nparts_max = 200\n[client.\"token:a\"]\nbytes_per_second = \"1MiB\"",
        );
        let new = new.unwrap();
        let expected = ["token:a added", "uid:1 changed"];
        assert_eq!(new.changes(&old), expected);
        assert!(new.changes(&new).is_empty());
    }
}
