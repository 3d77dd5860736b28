//! `settings!` generates, from one declaration per setting, the structs that hold the values, their
//! defaults, and a [`Setting`] for all code that reads, shows or lists settings by name.

use super::Settings;

/// When a changed value takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// When the server starts.
    Start,
    /// On SIGHUP too.
    Live,
}

/// One setting by name.
pub(super) struct Setting {
    /// Its name in the configuration file; a dot separates table and key.
    pub(super) name: &'static str,
    /// Its doc comment.
    pub(super) doc: &'static str,
    pub(super) effect: Effect,
    /// Parses a text into the settings; returns false if it is not allowed.
    pub(super) set: fn(&mut Settings, &str) -> bool,
    /// The value as text.
    pub(super) show: fn(&Settings) -> String,
    /// What is allowed on any machine, and an addition for this machine.
    pub(super) allowed: fn() -> [String; 2],
}

/// A value that a setting does not allow.
#[derive(Debug, thiserror::Error)]
#[error("{value:?} is not allowed; allowed: {allowed}")]
pub(super) struct NotAllowed {
    pub(super) value: String,
    pub(super) allowed: String,
}

impl Setting {
    /// Its purpose, in one sentence without the full stop.
    pub(super) fn about(&self) -> &'static str {
        self.doc.trim().trim_end_matches('.')
    }

    /// Parses a given text into the settings, or returns what was given and what is allowed.
    pub(super) fn take(
        &self,
        settings: &mut Settings,
        given: Result<String, String>,
    ) -> Result<(), NotAllowed> {
        let value = match given {
            Ok(text) if (self.set)(settings, &text) => return Ok(()),
            Ok(value) | Err(value) => value,
        };
        let allowed = (self.allowed)().concat();
        Err(NotAllowed { value, allowed })
    }
}

/// Settings, then tables of settings. Each has a sentence, a name, a type, a default, a kind that
/// defines what is allowed, and when it takes effect.
macro_rules! settings {
    (
        $(
            $(#[cfg($cfg:meta)])? $(#[doc = $about:literal])+
            $name:ident: $type:ty = $default:expr, $kind:expr, $effect:ident;
        )*
        $(table $table:ident: $Table:ident {$(
            $(#[doc = $in_about:literal])+
            $in_name:ident: $in_type:ty = $in_default:expr, $in_kind:expr, $in_effect:ident;
        )*})*
    ) => {
        /// Everything that can be set, checked.
        #[derive(Clone, Debug)]
        pub struct Settings {
            $($(#[cfg($cfg)])? $(#[doc = $about])+ pub $name: $type,)*
            $(#[doc = concat!("The table `", stringify!($table), "`.")] pub $table: $Table,)*
        }

        $(
            #[doc = concat!("The settings of the table `", stringify!($table), "`.")]
            #[derive(Clone, Debug)]
            pub struct $Table {$($(#[doc = $in_about])+ pub $in_name: $in_type,)*}
        )*

        impl Default for Settings {
            fn default() -> Self {
                Self {
                    $($(#[cfg($cfg)])? $name: $default,)*
                    $($table: $Table {$($in_name: $in_default,)*},)*
                }
            }
        }

        /// All settings; those in tables come last.
        pub(super) const SETTINGS: &[Setting] = &[
            $(
                $(#[cfg($cfg)])?
                settings!(@row $name: $type, $kind, $effect, stringify!($name), concat!($($about),+)),
            )*
            $($(settings!(
                @row $table.$in_name: $in_type, $in_kind, $in_effect,
                concat!(stringify!($table), ".", stringify!($in_name)), concat!($($in_about),+)
            ),)*)*
        ];
    };
    (@row $($field:ident).+: $type:ty, $kind:expr, $effect:ident, $name:expr, $about:expr) => {
        {
            fn kind() -> Kind<$type> {
                $kind
            }
            Setting {
                name: $name,
                doc: $about,
                effect: Effect::$effect,
                set: |settings, text| {
                    let value = (kind().parse)(text.trim());
                    value.map(|value| settings.$($field).+ = value).is_some()
                },
                show: |settings| (kind().show)(&settings.$($field).+),
                allowed: || [kind().allowed, kind().here],
            }
        }
    };
}

pub(super) use settings;
