//! `settings!` generates, from one declaration per setting, the structs that hold the values, their
//! defaults, and a `Setting` for all code that reads, shows or lists settings by name.

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
