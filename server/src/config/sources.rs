//! Where values are given: the file, the environment and the flags. Each becomes a list of
//! [`Given`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ConfigError;
use super::declare::Setting;
use super::settings::SETTINGS;

/// The variable that names the file.
pub const CONFIG_VARIABLE: &str = "HASHLANE_CONFIG";

const PREFIX: &str = "HASHLANE_";
const SET: &str = "set";

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Default,
    File {
        path: PathBuf,
        line: usize,
    },
    Variable(String),
    Flag(String),
    /// A program that runs the server inside itself.
    Program,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
            Self::Program => f.write_str("program"),
        }
    }
}

/// A value that somebody gave.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) name: String,
    /// As a scalar is written, without quotes; of anything else `None`.
    pub(super) text: Option<String>,
    /// The value for an error.
    pub(super) shown: String,
    pub(super) origin: Origin,
}

impl Given {
    pub(super) fn new(name: &str, text: &str, origin: Origin) -> Self {
        let (name, text) = (name.to_owned(), text.to_owned());
        Self {
            name,
            text: Some(text.clone()),
            shown: text,
            origin,
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

/// What the file at `path` gives, in the order of its lines.
pub(super) fn file(path: &Path) -> Result<Vec<Given>, ConfigError> {
    let error = |line, reason: &str| ConfigError::File {
        path: path.to_owned(),
        line,
        reason: reason.replace('\n', " "),
    };
    let source = std::fs::read_to_string(path).map_err(|e| error(None, &e.to_string()))?;
    let line = |at: usize| source[..at].matches('\n').count() + 1;
    let root = DeTable::parse(&source)
        .map_err(|e| error(e.span().map(|span| line(span.start)), e.message()))?;

    let mut found = Vec::new();
    walk(root.get_ref(), "", &mut |at, name, value| {
        let shown = source[value.span()].split_whitespace();
        let given = Given {
            name,
            text: text(value, &source),
            shown: shown.collect::<Vec<_>>().join(" "),
            origin: Origin::File {
                path: path.to_owned(),
                line: line(at),
            },
        };
        found.push((at, given));
    });
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().map(|(_, given)| given).collect())
}

/// Hands on every key with the place where it stands, but for keys of tables of settings.
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

/// A scalar as text.
fn text(value: &Spanned<DeValue<'_>>, source: &str) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) => match u64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Some(number.to_string()),
            Err(_) => Some(source[value.span()].to_owned()),
        },
        DeValue::Array(_) | DeValue::Table(_) => None,
        _ => Some(source[value.span()].to_owned()),
    }
}

/// What the variables give, and the names of those that begin like ours and are none of them:
/// others may use the prefix too, as Kubernetes does for a Service with the name hashlane.
pub(super) fn environment(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> (Vec<Given>, Vec<String>) {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for (name, value) in variables {
        let name = name.to_string_lossy().into_owned();
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.variable() == name) {
            found.push(Given {
                name: setting.name.to_owned(),
                text: value.to_str().map(str::to_owned),
                shown: value.to_string_lossy().into_owned(),
                origin: Origin::Variable(name),
            });
        } else if name.starts_with(PREFIX) && name != CONFIG_VARIABLE {
            unknown.push(name);
        }
    }
    unknown.sort();
    (found, unknown)
}

/// What the flags give: one for each setting, and `--set` for any.
#[derive(Clone, Debug, Default)]
pub struct SettingFlags(pub(super) Vec<Given>);

impl clap::Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let defaults = super::Settings::default();
        let flags = SETTINGS.iter().map(|setting| {
            let (about, default) = (setting.about(), (setting.show)(&defaults));
            let allowed = (setting.allowed)(false);
            Arg::new(setting.name)
                .long(setting.flag())
                .value_name("VALUE")
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
    /// In their order on the command line: the last one counts.
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found = Vec::new();
        for setting in SETTINGS {
            let texts = matches
                .get_many::<String>(setting.name)
                .into_iter()
                .flatten();
            for (at, text) in matches
                .indices_of(setting.name)
                .into_iter()
                .flatten()
                .zip(texts)
            {
                let origin = Origin::Flag(format!("--{}", setting.flag()));
                found.push((at, Given::new(setting.name, text, origin)));
            }
        }
        let pairs = matches
            .get_many::<(String, String)>(SET)
            .into_iter()
            .flatten();
        for (at, (name, text)) in matches.indices_of(SET).into_iter().flatten().zip(pairs) {
            found.push((at, Given::new(name, text, Origin::Flag(format!("--{SET}")))));
        }
        found.sort_by_key(|(at, _)| *at);
        Ok(Self(found.into_iter().map(|(_, given)| given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
