//! Where a value comes from: defaults, the file, the environment, the flags,
//! each over the one before.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use figment::providers::{Format as _, Toml};
use figment::value::{Dict, Map, Value as FigmentValue};
use figment::{Figment, Metadata, Profile, Provider};

use super::ConfigError;
use super::table::SETTINGS;
use super::value::Value;

/// Settings that come as text: the environment and the flags.
struct Texts {
    origin: &'static str,
    values: Vec<(&'static str, String)>,
}

impl Provider for Texts {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.origin)
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let mut dict = Dict::new();
        for (name, text) in &self.values {
            let value = FigmentValue::from(text.as_str());
            match name.split_once('.') {
                None => {
                    dict.insert((*name).to_owned(), value);
                }
                Some((table, key)) => {
                    let entry = dict
                        .entry(table.to_owned())
                        .or_insert_with(|| Dict::new().into());
                    if let FigmentValue::Dict(_, table) = entry {
                        table.insert(key.to_owned(), value);
                    }
                }
            }
        }
        Ok(Profile::Global.collect(dict))
    }
}

/// Checked values by the name of their setting.
#[derive(Debug)]
pub(super) struct Values(BTreeMap<&'static str, Value>);

impl Values {
    /// Lays the layers over each other and checks every value.
    pub(super) fn read(
        file: Option<&Path>,
        environment: impl Iterator<Item = (OsString, OsString)>,
        flags: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let mut figment = Figment::new();
        if let Some(path) = file {
            let text = std::fs::read_to_string(path).map_err(|error| ConfigError::File {
                path: path.to_owned(),
                reason: error.to_string(),
            })?;
            let dict = parse_toml(path, &text)?;
            refuse_unknown(&dict, "")?;
            figment = figment.merge(Toml::string(&text));
        }
        figment = figment
            .merge(Texts {
                origin: "environment",
                values: from_environment(environment)?,
            })
            .merge(Texts {
                origin: "command line",
                values: from_flags(flags)?,
            });

        let mut values = BTreeMap::new();
        for setting in SETTINGS {
            let text = match figment.find_value(setting.name) {
                Ok(value) => plain(&value),
                Err(_) => Some(setting.default.to_owned()),
            };
            let parsed = text.as_deref().and_then(|text| setting.kind.parse(text));
            let Some(value) = parsed else {
                let origin = figment.find_metadata(setting.name).map_or_else(
                    || "configuration".to_owned(),
                    |metadata| match metadata.name.as_ref() {
                        "environment" => format!("environment {}", variable(setting.name)),
                        "command line" => "command line".to_owned(),
                        _ => "configuration file".to_owned(),
                    },
                );
                return Err(ConfigError::Value {
                    setting: setting.name,
                    value: text.unwrap_or_else(|| "a table or list".to_owned()),
                    origin,
                    allowed: setting.kind.allowed_here(),
                });
            };
            values.insert(setting.name, value);
        }
        Ok(Self(values))
    }

    /// The value of `name`; [`SETTINGS`] has it, or the tests fail.
    pub(super) fn get(&self, name: &str) -> &Value {
        self.0
            .get(name)
            .unwrap_or_else(|| unreachable!("no setting is named {name}"))
    }
}

/// The environment variable of a setting: `http2.streams_max` is
/// `HASHLANE_HTTP2__STREAMS_MAX`.
pub(super) fn variable(name: &str) -> String {
    format!("HASHLANE_{}", name.replace('.', "__").to_uppercase())
}

fn parse_toml(path: &Path, text: &str) -> Result<Dict, ConfigError> {
    Toml::from_str::<Dict>(text).map_err(|error| ConfigError::File {
        path: path.to_owned(),
        // The parser draws the line it stumbled over; one line is enough here.
        reason: error.message().replace('\n', " "),
    })
}

fn refuse_unknown(dict: &Dict, prefix: &str) -> Result<(), ConfigError> {
    for (key, value) in dict {
        let name = format!("{prefix}{key}");
        match value {
            FigmentValue::Dict(_, table) if prefix.is_empty() && is_table(&name) => {
                refuse_unknown(table, &format!("{name}."))?;
            }
            _ if SETTINGS.iter().any(|setting| setting.name == name) => {}
            _ => return Err(ConfigError::Unknown { name }),
        }
    }
    Ok(())
}

fn is_table(name: &str) -> bool {
    SETTINGS.iter().any(|setting| {
        setting
            .name
            .split_once('.')
            .is_some_and(|(table, _)| table == name)
    })
}

/// The variables that are settings. Others are left alone: Kubernetes puts
/// variables such as `HASHLANE_SERVICE_HOST` beside ours when a Service has
/// the name hashlane.
fn from_environment(
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Vec<(&'static str, String)>, ConfigError> {
    let mut found = Vec::new();
    for (variable_name, text) in environment {
        let Some(setting) = SETTINGS
            .iter()
            .find(|setting| variable_name == *variable(setting.name))
        else {
            continue;
        };
        let text = text.into_string().map_err(|text| ConfigError::Value {
            setting: setting.name,
            value: text.to_string_lossy().into_owned(),
            origin: format!("environment {}", variable(setting.name)),
            allowed: setting.kind.allowed_here(),
        })?;
        found.push((setting.name, text));
    }
    Ok(found)
}

fn from_flags(flags: &[(String, String)]) -> Result<Vec<(&'static str, String)>, ConfigError> {
    flags
        .iter()
        .map(|(name, text)| {
            SETTINGS
                .iter()
                .find(|setting| setting.name == name)
                .map(|setting| (setting.name, text.clone()))
                .ok_or_else(|| ConfigError::Unknown { name: name.clone() })
        })
        .collect()
}

/// A scalar as text.
fn plain(value: &FigmentValue) -> Option<String> {
    match value {
        FigmentValue::String(_, text) => Some(text.clone()),
        FigmentValue::Char(_, c) => Some(c.to_string()),
        FigmentValue::Bool(_, flag) => Some(flag.to_string()),
        FigmentValue::Num(_, number) => number
            .to_u128()
            .map(|n| n.to_string())
            .or_else(|| number.to_i128().map(|n| n.to_string()))
            .or_else(|| number.to_f64().map(|n| n.to_string())),
        FigmentValue::Empty(..) => Some(String::new()),
        FigmentValue::Dict(..) | FigmentValue::Array(..) => None,
    }
}
