//! The sources of values: the file, the environment and the flags. Each yields a list of [`Given`].

use std::ffi::OsString;
use std::path::Path;

use anyhow::anyhow;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::settings::{SETTINGS, Setting, Settings};

/// The variable that names the file.
pub const CONFIG_VARIABLE: &str = "HASHLANE_CONFIG";

const PREFIX: &str = "HASHLANE_";
const SET: &str = "set";

/// A value from one of the sources.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) name: String,
    /// The text of a scalar, without quotes; for any other value the source text, as an error.
    pub(super) text: Result<String, String>,
    /// The origin: a file and its line, a variable, or a flag.
    pub(super) origin: String,
}

impl Given {
    pub(super) fn new(name: &str, text: &str, origin: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: Ok(text.to_owned()),
            origin: origin.to_owned(),
        }
    }
}

impl Setting {
    /// `http2.streams_max` is `HASHLANE_HTTP2__STREAMS_MAX`.
    pub(super) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name.replace('.', "__").to_uppercase())
    }

    /// `http2.streams_max` is `http2-streams-max`.
    pub(super) fn flag(&self) -> String {
        self.name.replace(['.', '_'], "-")
    }
}

/// The values in the file at `path`, in the order of its lines.
pub(super) fn file(path: &Path) -> anyhow::Result<Vec<Given>> {
    let error = |line: String, reason: &str| {
        let reason = reason.replace('\n', " ");
        anyhow!("configuration file {}{line}: {reason}", path.display())
    };
    let source = std::fs::read_to_string(path).map_err(|e| error(String::new(), &e.to_string()))?;
    let line = |at: usize| source[..at].matches('\n').count() + 1;
    let root = DeTable::parse(&source).map_err(|e| {
        let at = e.span().map(|span| format!(":{}", line(span.start)));
        error(at.unwrap_or_default(), e.message())
    })?;
    let mut found = Vec::new();
    walk(root.get_ref(), "", &mut |at, name, value| {
        let origin = format!("{}:{}", path.display(), line(at));
        let text = text(value, &source);
        found.push((at, Given { name, text, origin }));
    });
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().map(|(_, given)| given).collect())
}

/// Visits every key with its position, except keys of tables of settings.
fn walk(
    table: &DeTable<'_>,
    prefix: &str,
    found: &mut dyn FnMut(usize, String, &Spanned<DeValue<'_>>),
) {
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        let inside = format!("{name}.");
        match value.get_ref() {
            DeValue::Table(table) if SETTINGS.iter().any(|s| s.name.starts_with(&inside)) => {
                walk(table, &inside, found);
            }
            _ => found(key.span().start, name, value),
        }
    }
}

/// The text of a scalar; for any other value the source text, as an error.
pub(super) fn text(value: &Spanned<DeValue<'_>>, source: &str) -> Result<String, String> {
    let written: Vec<_> = source[value.span()].split_whitespace().collect();
    match value.get_ref() {
        DeValue::String(text) => Ok(text.clone().into_owned()),
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Err(written.concat()), |number| Ok(number.to_string())),
        DeValue::Float(_) => Ok(written.concat()),
        DeValue::Boolean(flag) => Ok(flag.to_string()),
        _ => Err(written.join(" ")),
    }
}

/// The values in the environment, and the unknown variables with our prefix. Others may use the
/// prefix too: Kubernetes does for a Service named hashlane.
pub(super) fn environment(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> (Vec<Given>, Vec<String>) {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for (name, value) in variables {
        let name = name.to_string_lossy().into_owned();
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.variable() == name) {
            found.push(Given {
                name: setting.name.to_owned(),
                text: value
                    .into_string()
                    .map_err(|value| value.to_string_lossy().into_owned()),
                origin: name,
            });
        } else if name.starts_with(PREFIX) && name != CONFIG_VARIABLE {
            unknown.push(name);
        }
    }
    unknown.sort();
    (found, unknown)
}

/// The values of the flags: one flag for each setting, and `--set` for any setting.
#[derive(Clone, Debug, Default)]
pub struct SettingFlags(pub(super) Vec<Given>);

impl clap::Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let defaults = Settings::default();
        let flags = SETTINGS.iter().map(|setting| {
            let (about, default) = (setting.about(), (setting.show)(&defaults));
            let [allowed, _] = (setting.allowed)();
            let flag = Arg::new(setting.name)
                .long(setting.flag())
                .overrides_with(setting.name);
            // A switch may have no value.
            let flag = match allowed.as_str() {
                "true, false" => flag
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("true"),
                _ => flag,
            };
            flag.value_name("VALUE")
                .help(format!("{about} [default: {default}]"))
                .long_help(format!("{about}\n[default: {default}; allowed: {allowed}]"))
        });
        let set = Arg::new(SET)
            .long(SET)
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .value_parser(|text: &str| match text.split_once('=') {
                Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
                None => Err("expected NAME=VALUE"),
            })
            .help("Any setting by its name in the file, as in --set http2.streams_max=100");
        command.next_help_heading("Settings").arg(set).args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for SettingFlags {
    /// In command-line order, so that the last flag wins.
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = SETTINGS.iter().filter_map(|setting| {
            let text: &String = matches.get_one(setting.name)?;
            let given = Given::new(setting.name, text, &format!("--{}", setting.flag()));
            Some((matches.index_of(setting.name)?, given))
        });
        let pairs = matches.get_many::<(String, String)>(SET);
        let pairs = pairs.into_iter().flatten();
        let pairs = pairs.map(|(name, text)| Given::new(name, text, "--set"));
        let at = matches.indices_of(SET).into_iter().flatten();
        let mut found: Vec<_> = named.chain(at.zip(pairs)).collect();
        found.sort_by_key(|(at, _)| *at);
        Ok(Self(found.into_iter().map(|(_, given)| given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
