//! Reads files about clients: bearer tokens, and quotas of single clients.
//!
//! A file of quotas is TOML. Each key is named like the setting that it overrides:
//!
//! ```toml
//! [client."token:backup"]
//! streams_max = 100
//! bytes_per_second = "50MiB"
//! ```

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::files::FileError;
use super::settings::{SETTINGS, Setting, Settings};
use super::sources;
use crate::client::{ClientId, Known, Quota, Quotas, Tokens};

/// The setting that names the file of tokens.
const TOKENS: &str = "clients.tokens_file";

/// The setting that names the file of quotas.
const QUOTAS: &str = "clients.quotas_file";

/// Maximum file size: 10,000 tokens with comments fit, and some thousand quotas.
const FILE_BYTES_MAX: u64 = 8 << 20;

/// A key of a quota. It is named like the last part of its setting, and allows the same values.
struct Key {
    setting: &'static str,
    /// Copies the value from the settings to the quota.
    from_settings: fn(&Settings, &mut Quota),
    /// Copies the value from the quota to the settings.
    into_settings: fn(&Quota, &mut Settings) -> Option<()>,
}

macro_rules! key {
    ($name:ident $(in $table:ident)?) => {
        Key {
            setting: concat!($(stringify!($table), ".",)? stringify!($name)),
            from_settings: |settings, quota| quota.$name = Some(settings.$($table.)?$name),
            into_settings: |quota, settings| {
                settings.$($table.)?$name = quota.$name?;
                Some(())
            },
        }
    };
}

const KEYS: [Key; 5] = [
    key!(connections_max),
    key!(streams_max),
    key!(parts_max),
    key!(receive_windows_bytes_max),
    key!(bytes_per_second in clients),
];

impl Key {
    /// Each key with its name in the file and its setting.
    fn all() -> impl Iterator<Item = (&'static str, &'static Setting, &'static Self)> {
        KEYS.iter().filter_map(|key| {
            let setting = SETTINGS
                .iter()
                .find(|setting| setting.name == key.setting)?;
            let name = key.setting.rsplit('.').next()?;
            Some((name, setting, key))
        })
    }
}

impl Known {
    /// The tokens and proxies of `settings`, including the file of tokens.
    pub(crate) fn read(settings: &Settings) -> Result<Self, FileError> {
        let settings = &settings.clients;
        let tokens = settings.tokens_file.as_deref().map(|path| {
            let text = FileError::read(TOKENS, path, FILE_BYTES_MAX)?;
            Tokens::parse(&text)
                .map_err(|(line, reason)| FileError::at(TOKENS, path, line, &reason))
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
    pub(crate) fn read(settings: &Settings) -> Result<Self, FileError> {
        let settings = &settings.clients;
        let file = settings.quotas_file.as_deref();
        Ok(Self {
            by_client: file.map(read).transpose()?.unwrap_or_default(),
            bytes_per_second: settings.bytes_per_second,
        })
    }

    /// Clients whose quotas differ from `old`, with the new values.
    pub(crate) fn changes(&self, old: &Self) -> Vec<String> {
        let clients: BTreeSet<_> = self.by_client.keys().chain(old.by_client.keys()).collect();
        let (mut changed, mut scratch) = (Vec::new(), Settings::default());
        for client in clients {
            let [old, new] = [old, self].map(|quotas| quotas.of(client));
            for (name, setting, key) in Key::all() {
                let mut shown = |quota: &Quota| {
                    (key.into_settings)(quota, &mut scratch)?;
                    Some((setting.show)(&scratch))
                };
                let [old, new] = [&old, &new].map(&mut shown);
                if new != old {
                    let new = new.unwrap_or_else(|| "default".to_owned());
                    changed.push(format!("{client} {name}={new}"));
                }
            }
        }
        changed
    }
}

fn read(path: &Path) -> Result<HashMap<ClientId, Quota>, FileError> {
    let source = FileError::read(QUOTAS, path, FILE_BYTES_MAX)?;
    let wrong = |at: usize, reason: &str| {
        let line = source[..at].matches('\n').count() + 1;
        FileError::at(QUOTAS, path, line, reason)
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

/// A quota, or the position of an error and its message.
fn quota(given: &DeTable<'_>, source: &str) -> Result<Quota, (usize, String)> {
    let (mut quota, mut scratch) = (Quota::default(), Settings::default());
    for (name, value) in given {
        let (at, name) = (name.span().start, name.get_ref());
        let Some((name, setting, key)) = Key::all().find(|(known, ..)| known == name) else {
            let names: Vec<_> = Key::all().map(|(name, ..)| name).collect();
            let names = names.join(", ");
            return Err((at, format!("there is no quota {name}; there are {names}")));
        };
        let taken = setting.take(&mut scratch, sources::text(value, source));
        taken.map_err(|wrong| (at, format!("{name}: {wrong}")))?;
        (key.from_settings)(&scratch, &mut quota);
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
        let shown = |error: FileError| {
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
             [client.\"uid:7\"]\nconnections_max = 1\nparts_max = 2\n",
        );
        let found = found.unwrap();
        let of = |client: &str| found.of(&client.parse().unwrap());
        assert_eq!(of("token:a").streams_max, Some(7));
        assert_eq!(of("token:a").bytes_per_second, Some(Some(1 << 20)));
        assert_eq!(of("::ffff:10.0.0.1").bytes_per_second, Some(None));
        assert_eq!(of("10.0.0.1").receive_windows_bytes_max, Some(1 << 16));
        assert_eq!(
            (of("uid:7").connections_max, of("uid:7").parts_max),
            (Some(1), Some(2))
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
            "parts_max: \"[1]\" is not allowed; allowed: 1 to",
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
        let old = quotas("[client.\"uid:1\"]\nstreams_max = 1\nparts_max = 2").unwrap();
        let new = quotas(
            "[client.\"uid:1\"]\nparts_max = 2\n[client.\"token:a\"]\nbytes_per_second = \"1MiB\"",
        );
        let new = new.unwrap();
        let expected = ["token:a bytes_per_second=1MiB", "uid:1 streams_max=default"];
        assert_eq!(new.changes(&old), expected);
        assert!(new.changes(&new).is_empty());
    }
}
