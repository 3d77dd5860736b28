//! The colours of charts: each by its meaning, for light pages and for dark ones.
//!
//! A chart has the light colours as attributes of its shapes. The page's style turns an attribute
//! into a CSS variable, because a style always wins over an attribute: `svg [fill="#0F766E"]` gets
//! `var(--series-1)`. So one chart fits both themes, and a chart copied out of the page still has
//! colours.

use plotters::style::RGBColor;

/// A colour by its meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    /// The CSS variable that has the theme's colour, without its dashes.
    pub(super) name: &'static str,
    /// Of a light page, as charts have it. No two are equal.
    pub(super) light: u32,
    /// Of a dark one.
    pub(super) dark: u32,
}

const fn ink(name: &'static str, light: u32, dark: u32) -> Ink {
    Ink { name, light, dark }
}

/// Labels of axes.
pub(super) const LABEL: Ink = ink("label", 0x5b_6577, 0xa3_adc0);
/// Lines of the grid.
pub(super) const GRID: Ink = ink("grid", 0xe6_e9ee, 0x28_2f3d);
/// The axes.
pub(super) const AXIS: Ink = ink("axis", 0xb4_bcc9, 0x4a_556b);
/// A limit or a failure.
pub(super) const ALERT: Ink = ink("alert", 0xb4_2318, 0xf9_7066);

/// Curves.
pub(super) const SERIES: [Ink; 8] = [
    ink("series-1", 0x0f_766e, 0x2d_d4bf),
    ink("series-2", 0xc2_4e0c, 0xfb_9248),
    ink("series-3", 0x43_38ca, 0x95_9cfb),
    ink("series-4", 0xa1_1d6b, 0xf4_72b6),
    ink("series-5", 0x1d_6fb8, 0x5a_b3f0),
    ink("series-6", 0x8a_6a00, 0xe3_b820),
    ink("series-7", 0x4d_7c0f, 0xa3_d944),
    ink("series-8", 0x57_6070, 0xb6_bfce),
];

/// Heat, from a little to the most.
pub(super) const HEAT: [Ink; 9] = [
    ink("heat-1", 0xdd_f1ee, 0x17_3034),
    ink("heat-2", 0xbf_e4df, 0x16_4244),
    ink("heat-3", 0x9a_d4cd, 0x17_5655),
    ink("heat-4", 0x71_c1b8, 0x19_6b67),
    ink("heat-5", 0x48_aaa0, 0x1c_837c),
    ink("heat-6", 0x26_9087, 0x22_9d93),
    ink("heat-7", 0x12_766f, 0x2c_b8aa),
    ink("heat-8", 0x0b_5b57, 0x55_d6c6),
    ink("heat-9", 0x07_403f, 0xa5_f3e5),
];

impl Ink {
    /// The colour in a chart.
    pub(super) fn colour(self) -> RGBColor {
        let [_, red, green, blue] = self.light.to_be_bytes();
        RGBColor(red, green, blue)
    }

    pub(super) fn all() -> impl Iterator<Item = Self> {
        let others = [LABEL, GRID, AXIS, ALERT].into_iter();
        others.chain(SERIES).chain(HEAT)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_colour_has_one_meaning() {
        let all: Vec<_> = Ink::all().collect();
        let light: BTreeSet<_> = all.iter().map(|ink| ink.light).collect();
        let names: BTreeSet<_> = all.iter().map(|ink| ink.name).collect();
        assert_eq!((light.len(), names.len()), (all.len(), all.len()));
    }

    /// WCAG 2.1, contrast of graphics (1.4.11) and of text (1.4.3).
    #[test]
    fn curves_and_labels_stand_out_from_cards() {
        let (light_card, dark_card) = (0xff_ffff, 0x17_1c26);
        let graphics = SERIES.into_iter().chain([ALERT]).map(|ink| (ink, 3.0));
        for (ink, least) in graphics.chain([(LABEL, 4.5)]) {
            let (light, dark) = (ink.light, ink.dark);
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
