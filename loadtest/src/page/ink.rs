//! The colours of charts: each by its meaning, for light pages and for dark ones.
//!
//! A chart has the light colours as attributes of its shapes. The page's style turns an attribute
//! into a CSS variable, because a style always wins over an attribute: `svg [fill="#0F766E"]` gets
//! `var(--series-1)`. So one chart fits both themes, and a chart copied out of the page still has
//! colours.

use std::fmt::Write as _;

use plotters::style::RGBColor;

/// A colour by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// Labels of axes.
    Label,
    /// Lines of the grid.
    Grid,
    /// The axes.
    Axis,
    /// A limit or a failure.
    Alert,
    /// A curve, from 0; more than [`SERIES`] repeat.
    Series(usize),
    /// Heat, from 0 (a little) to [`HEATS`] - 1.
    Heat(usize),
}

/// Colours of curves.
pub(super) const SERIES: usize = SERIES_COLOURS.len();

/// Steps of heat.
pub(super) const HEATS: usize = HEAT_COLOURS.len();

// Of a light page and of a dark one. No two colours of a light page are equal.
type Colours = (u32, u32);
const LABEL: Colours = (0x5b_6577, 0xa3_adc0);
const GRID: Colours = (0xe6_e9ee, 0x28_2f3d);
const AXIS: Colours = (0xb4_bcc9, 0x4a_556b);
const ALERT: Colours = (0xb4_2318, 0xf9_7066);
const SERIES_COLOURS: [Colours; 8] = [
    (0x0f_766e, 0x2d_d4bf),
    (0xc2_4e0c, 0xfb_9248),
    (0x43_38ca, 0x95_9cfb),
    (0xa1_1d6b, 0xf4_72b6),
    (0x1d_6fb8, 0x5a_b3f0),
    (0x8a_6a00, 0xe3_b820),
    (0x4d_7c0f, 0xa3_d944),
    (0x57_6070, 0xb6_bfce),
];
const HEAT_COLOURS: [Colours; 9] = [
    (0xdd_f1ee, 0x17_3034),
    (0xbf_e4df, 0x16_4244),
    (0x9a_d4cd, 0x17_5655),
    (0x71_c1b8, 0x19_6b67),
    (0x48_aaa0, 0x1c_837c),
    (0x26_9087, 0x22_9d93),
    (0x12_766f, 0x2c_b8aa),
    (0x0b_5b57, 0x55_d6c6),
    (0x07_403f, 0xa5_f3e5),
];

impl Ink {
    /// The colour on a light page, as charts have it.
    pub(super) fn colour(self) -> RGBColor {
        let [_, red, green, blue] = self.colours().0.to_be_bytes();
        RGBColor(red, green, blue)
    }

    /// The CSS variable that has the theme's colour, as `var(--series-1)`.
    pub(super) fn variable(self) -> String {
        format!("var({})", self.name())
    }

    fn name(self) -> String {
        match self {
            Self::Label => "--label".into(),
            Self::Grid => "--grid".into(),
            Self::Axis => "--axis".into(),
            Self::Alert => "--alert".into(),
            Self::Series(index) => format!("--series-{}", index % SERIES + 1),
            Self::Heat(index) => format!("--heat-{}", index.min(HEATS - 1) + 1),
        }
    }

    fn colours(self) -> Colours {
        match self {
            Self::Label => LABEL,
            Self::Grid => GRID,
            Self::Axis => AXIS,
            Self::Alert => ALERT,
            Self::Series(index) => SERIES_COLOURS[index % SERIES],
            Self::Heat(index) => HEAT_COLOURS[index.min(HEATS - 1)],
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        let series = (0..SERIES).map(Self::Series);
        let heats = (0..HEATS).map(Self::Heat);
        [Self::Label, Self::Grid, Self::Axis, Self::Alert]
            .into_iter()
            .chain(series)
            .chain(heats)
    }
}

/// The style: variables of both themes, and the rules that put them in the place of attributes.
pub(super) fn style() -> String {
    let mut style = String::new();
    let mut theme = |open: &str, of: fn(Colours) -> u32, close: &str| {
        style.push_str(open);
        for ink in Ink::all() {
            let _ = write!(style, "{}:#{:06x};", ink.name(), of(ink.colours()));
        }
        style.push_str(close);
    };
    theme(":root{", |(light, _)| light, "}\n");
    let dark = "@media (prefers-color-scheme:dark){:root{";
    theme(dark, |(_, dark)| dark, "}}\n");
    for ink in Ink::all() {
        for property in ["fill", "stroke"] {
            // As the library of charts writes colours.
            let (light, variable) = (ink.colours().0, ink.variable());
            let rule = format!("svg [{property}=\"#{light:06X}\"]{{{property}:{variable}}}\n");
            style.push_str(&rule);
        }
    }
    style
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_colour_has_one_meaning() {
        let all: Vec<_> = Ink::all().collect();
        let light: BTreeSet<_> = all.iter().map(|ink| ink.colours().0).collect();
        let names: BTreeSet<_> = all.iter().map(|ink| ink.name()).collect();
        assert_eq!((light.len(), names.len()), (all.len(), all.len()));
    }

    /// WCAG 2.1, contrast of graphics (1.4.11) and of text (1.4.3).
    #[test]
    fn curves_and_labels_stand_out_from_cards() {
        let (light_card, dark_card) = (0xff_ffff, 0x17_1c26);
        for ink in Ink::all() {
            let least = match ink {
                Ink::Label => 4.5,
                Ink::Series(_) | Ink::Alert => 3.0,
                Ink::Grid | Ink::Axis | Ink::Heat(_) => continue,
            };
            let (light, dark) = ink.colours();
            for (colour, card) in [(light, light_card), (dark, dark_card)] {
                let contrast = contrast(colour, card);
                assert!(contrast >= least, "{ink:?}: {colour:06x} has {contrast}");
            }
        }
    }

    fn contrast(one: u32, other: u32) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn luminance(colour: u32) -> f64 {
        let [_, red, green, blue] = colour.to_be_bytes();
        let linear = |channel: u8| {
            let channel = f64::from(channel) / 255.0;
            if channel <= 0.04045 {
                channel / 12.92
            } else {
                ((channel + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
