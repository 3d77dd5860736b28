//! Charts as SVG, by [plotters].
//!
//! Why plotters, with its SVG backend alone: it is the most used library of charts for Rust (that
//! of criterion), its API has been stable for years, it is under MIT, it adds four small crates
//! and no font, and an axis is a trait, so that latencies lie on a scale of nines. charts-rs and
//! kuva are released more often, but three times incompatibly within this year, and are ten times
//! as large; their axes are of categories, or fixed. poloto has no heat maps. None of them writes
//! CSS variables or `currentColor`; all write colours as attributes, which ink.rs turns into
//! variables.
//!
//! A chart is drawn twice, for wide windows and for narrow ones, because a scaled text could not
//! be read; the style shows one of them.

use anyhow::{Context as _, Result, anyhow};
use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, IntoDrawingArea as _};
use plotters::element::{PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, IntoTextStyle as _, ShapeStyle, TextStyle};

use super::axis::Axis;
use crate::page::ink::{AXIS, GRID, Ink, LABEL};

/// A chart.
#[derive(Debug)]
pub(in crate::page) struct Chart {
    /// Its name on the page; unique.
    pub(in crate::page) id: String,
    /// What it shows, in a few words.
    pub(in crate::page) title: String,
    /// The same for readers who cannot see it, with its most important figures.
    pub(in crate::page) description: String,
    /// From left to right.
    pub(in crate::page) x: Axis,
    /// From bottom to top.
    pub(in crate::page) y: Axis,
    /// What is drawn, the first at the back.
    pub(in crate::page) marks: Vec<Mark>,
}

/// Something in a chart.
#[derive(Debug)]
pub(in crate::page) enum Mark {
    /// A curve, which has a gap where a value is missing.
    Line(Ink, Vec<(f64, Option<f64>)>),
    /// The area below a curve.
    Area(Ink, Vec<(f64, Option<f64>)>),
    /// The area between two curves: an x, the lower y and the upper one.
    Band(Ink, Vec<(f64, f64, f64)>),
    /// A filled rectangle from one corner to the other.
    Cell(Ink, [(f64, f64); 2]),
}

/// A chart as it is shown.
#[derive(Debug)]
pub(in crate::page) struct Drawing {
    /// The CSS class, by the window's width.
    pub(in crate::page) class: &'static str,
    /// Width and height, in units.
    pub(in crate::page) size: (u32, u32),
    /// SVG elements.
    pub(in crate::page) shapes: String,
}

/// The classes of drawings, and their sizes in pixels of the page.
const LAYOUTS: [(&str, (u32, u32)); 2] = [("wide", (580, 240)), ("narrow", (340, 220))];

/// Units of a chart in one pixel of the page, because the library draws at whole units.
const UNITS: u32 = 4;

/// Height of labels, in pixels of the page.
const TEXT: u32 = 12;

/// The library gives a text 1/1.24 of its size.
const TEXT_FACTOR: f64 = 1.24;

impl Chart {
    /// The chart's two drawings.
    ///
    /// # Errors
    /// The library could not draw.
    pub(in crate::page) fn draw(&self) -> Result<Vec<Drawing>> {
        let drawn: Result<_> = LAYOUTS
            .into_iter()
            .map(|layout| self.lay_out(layout))
            .collect();
        drawn.with_context(|| format!("cannot draw {}", self.id))
    }

    fn lay_out(&self, (class, (width, height)): (&'static str, (u32, u32))) -> Result<Drawing> {
        let size = (width * UNITS, height * UNITS);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            self.paint(&root).map_err(|error| anyhow!("{error}"))?;
        }
        // The library's opening tag has a fixed size and no name.
        let (_, shapes) = svg.split_once('>').context("the library wrote no SVG")?;
        let shapes = shapes.trim_end().trim_end_matches("</svg>").to_owned();
        Ok(Drawing {
            class,
            size,
            shapes,
        })
    }

    fn paint(&self, root: &Area<'_>) -> Result<(), Failure> {
        let text = (TEXT * UNITS) as i32;
        let longest = self.y.labels().map(|label| label.chars().count()).max();
        // A digit is a little more than half as wide as high.
        let left = i32::try_from(longest.unwrap_or(0)).unwrap_or(0) * text * 3 / 5 + text;
        let mut context = ChartBuilder::on(root)
            .margin_top(text * 2)
            .margin_right(text * 3 / 2)
            .x_label_area_size(text * 3)
            .y_label_area_size(left)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        context
            .configure_mesh()
            .x_labels(self.x.ticks())
            .y_labels(self.y.ticks())
            .max_light_lines(0)
            .disable_x_mesh()
            .bold_line_style(stroke(GRID, 1))
            .axis_style(stroke(AXIS, 1))
            .set_all_tick_mark_size(text / 3)
            .label_style(label_style())
            .x_label_formatter(&|x| self.x.label(*x))
            .y_label_formatter(&|y| self.y.label(*y))
            .draw()?;
        for mark in &self.marks {
            self.mark(&mut context, mark)?;
        }
        // Units, above the vertical axis and below the horizontal one.
        let (width, height) = root.dim_in_pixel();
        let above = label_style().pos(Pos::new(HPos::Left, VPos::Top));
        root.draw(&Text::new(self.y.unit, (0, text / 4), above))?;
        let below = label_style().pos(Pos::new(HPos::Center, VPos::Bottom));
        let middle = (left + width as i32 - text * 3 / 2) / 2;
        root.draw(&Text::new(self.x.unit, (middle, height as i32), below))?;
        root.present()
    }

    fn mark<'a>(&self, context: &mut Context<'_>, mark: &'a Mark) -> Result<(), Failure> {
        let area = context.plotting_area();
        let at = |x, y| (self.x.clamp(x), self.y.clamp(y));
        // The points of each piece without a gap.
        let pieces = |points: &'a [(f64, Option<f64>)]| {
            points
                .split(|(_, y)| y.is_none())
                .filter(|piece| !piece.is_empty())
                .map(move |piece| {
                    let known = piece.iter().filter_map(|(x, y)| Some(at(*x, (*y)?)));
                    known.collect::<Vec<_>>()
                })
        };
        match mark {
            Mark::Line(ink, points) => {
                for piece in pieces(points) {
                    area.draw(&PathElement::new(piece, stroke(*ink, 2)))?;
                }
            }
            Mark::Area(ink, points) => {
                let bottom = self.y.clamp(f64::MIN);
                for piece in pieces(points) {
                    let ends = (piece[0].0, piece[piece.len() - 1].0);
                    let feet = [(ends.1, bottom), (ends.0, bottom)];
                    let outline: Vec<_> = piece.into_iter().chain(feet).collect();
                    area.draw(&Polygon::new(outline, ink.colour().mix(0.14).filled()))?;
                }
            }
            Mark::Band(ink, points) => {
                let upper = points.iter().map(|(x, _, upper)| at(*x, *upper));
                let lower = points.iter().rev().map(|(x, lower, _)| at(*x, *lower));
                let outline: Vec<_> = upper.chain(lower).collect();
                area.draw(&Polygon::new(outline, ink.colour().mix(0.8).filled()))?;
            }
            Mark::Cell(ink, [(x0, y0), (x1, y1)]) => {
                let corners = [at(*x0, *y0), at(*x1, *y1)];
                area.draw(&Rectangle::new(corners, ink.colour().filled()))?;
            }
        }
        Ok(())
    }
}

type Backend<'a> = SVGBackend<'a>;
type Area<'a> = DrawingArea<Backend<'a>, Shift>;
type Context<'a> = ChartContext<'a, Backend<'a>, Cartesian2d<Axis, Axis>>;
type Failure = plotters::drawing::DrawingAreaErrorKind<std::io::Error>;

/// A line so many pixels of the page wide.
fn stroke(ink: Ink, pixels: u32) -> ShapeStyle {
    ink.colour().stroke_width(pixels * UNITS)
}

fn label_style() -> TextStyle<'static> {
    let size = f64::from(TEXT * UNITS) * TEXT_FACTOR;
    TextStyle {
        color: LABEL.colour().to_backend_color(),
        ..("sans-serif", size).into_text_style(&(1, 1))
    }
}
