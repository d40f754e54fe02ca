//! Plots, drawn as SVG that is legible on light and on dark ground.
//!
//! A series is told by its color, its mark and its line, so that color is never needed. Text has the
//! color of the surrounding page; a file of its own brings its colors along.

use serde::Serialize;
use std::fmt::Write;

/// An axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// The label, with the unit.
    pub label: String,
    /// Whether the scale is logarithmic. Then all values must be positive.
    pub logarithmic: bool,
}

impl Axis {
    /// An axis with a linear scale.
    pub fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            logarithmic: false,
        }
    }

    /// An axis with a logarithmic scale.
    pub fn logarithmic(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            logarithmic: true,
        }
    }
}

/// A series of points, joined by lines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// Whether the paper printed or claims it; drawn with a dashed line.
    pub printed: bool,
    /// The points, by ascending x.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// The name, which is unique in the paper.
    pub name: &'static str,
    /// The title.
    pub title: String,
    /// A description in a sentence, for readers who do not see the plot.
    pub description: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 520.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
/// The height of the area between the axes.
const HEIGHT: f64 = 270.0;
/// The height of a line of the legend.
const LINE: f64 = 22.0;

/// The style of plots, for a page or for a file of its own.
pub const STYLE: &str = "\
.plot{--s0:#0b63b8;--s1:#b8480b;--s2:#1f7a3d;--s3:#8a2aa5;--s4:#8a6d00;--s5:#c2185b;--s6:#00707a;--s7:#5b5b5b}
@media (prefers-color-scheme:dark){.plot{--s0:#6cb6ff;--s1:#ff9e64;--s2:#6fd08c;--s3:#d69bff;--s4:#e5c558;--s5:#ff8ab8;--s6:#5fd3dc;--s7:#b8b8b8}}
@media print{.plot{--s0:#0b63b8;--s1:#b8480b;--s2:#1f7a3d;--s3:#8a2aa5;--s4:#8a6d00;--s5:#c2185b;--s6:#00707a;--s7:#5b5b5b}}
.plot text{fill:currentColor;font:13px system-ui,sans-serif}.plot .grid{stroke:currentColor;stroke-opacity:.18}
.plot .axis{stroke:currentColor;stroke-opacity:.7}.plot .line{fill:none;stroke-width:2}
.plot .printed{stroke-dasharray:6 5}
@media screen and (max-width:520px){.plot text{font-size:18px}}
";

/// A scale from values to pixels.
struct Scale {
    logarithmic: bool,
    low: f64,
    high: f64,
    /// The pixels of `low` and `high`.
    pixels: (f64, f64),
    ticks: Vec<f64>,
}

impl Scale {
    fn new(logarithmic: bool, values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let (mut low, mut high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low > high {
            (low, high) = (1.0, 2.0);
        }
        let ticks = if logarithmic {
            logarithmic_ticks(&mut low, &mut high)
        } else {
            linear_ticks(&mut low, &mut high)
        };
        Self {
            logarithmic,
            low,
            high,
            pixels,
            ticks,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.pixels.0 + part * (self.pixels.1 - self.pixels.0)
    }
}

/// Ticks at round steps, from which the axis starts and at which it ends.
fn linear_ticks(low: &mut f64, high: &mut f64) -> Vec<f64> {
    if *low > 0.0 && *low < 0.5 * *high {
        *low = 0.0;
    }
    if high <= low {
        *high = *low + 1.0;
    }
    let rough = (*high - *low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    let (first, last) = ((*low / step).floor(), (*high / step).ceil());
    (*low, *high) = (first * step, last * step);
    (0..=(last - first) as u32)
        .map(|index| (first + f64::from(index)) * step)
        .collect()
}

/// Ticks at 1, 2, 5 times powers of ten, or at powers of ten if there are many.
fn logarithmic_ticks(low: &mut f64, high: &mut f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let factors: &[f64] = if last - first > 3 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let all = (first..=last).flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
    let all: Vec<f64> = all.collect();
    let below = all.iter().copied().rfind(|tick| *tick <= *low * 1.000_001);
    let above = all.iter().copied().find(|tick| *tick >= *high / 1.000_001);
    *low = below.unwrap_or(*low);
    *high = above.unwrap_or(*high).max(*low * 2.0);
    all.into_iter()
        .filter(|tick| (*low..=*high).contains(tick))
        .collect()
}

/// The text of a tick: without decimals that are not needed.
fn tick(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The text with the characters escaped that have a meaning in SVG.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

impl Plot {
    /// The plot as an SVG element, to stand in a page that has [`STYLE`]. `id` is the start of the
    /// names of its title and description, which must be unique in the page.
    pub fn svg(&self, id: &str) -> String {
        self.draw(id, "")
    }

    /// The plot as an SVG document of its own.
    pub fn svg_file(&self) -> String {
        let ground = "\
            svg{color:#1b1b1b;background:#fff}\
            @media (prefers-color-scheme:dark){svg{color:#e8e8e8;background:#16181c}}";
        self.draw(self.name, &format!("<style>{STYLE}{ground}</style>\n"))
    }

    fn draw(&self, id: &str, style: &str) -> String {
        let bottom = TOP + HEIGHT;
        let height = bottom + 52.0 + LINE * self.series.len() as f64;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::new(
            self.x.logarithmic,
            points().map(|p| p.0),
            (LEFT, WIDTH - RIGHT),
        );
        let y = Scale::new(self.y.logarithmic, points().map(|p| p.1), (bottom, TOP));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" \
             viewBox=\"0 0 {WIDTH} {height}\" aria-labelledby=\"{id}-title {id}-desc\">\n\
             <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n{style}",
            escaped(&self.title),
            escaped(&self.description),
        );
        axes(&mut svg, &x, &y, [&self.x.label, &self.y.label]);
        for (index, series) in self.series.iter().enumerate() {
            let points = series.points.iter();
            let points: Vec<_> = points.map(|p| (x.at(p.0), y.at(p.1))).collect();
            draw_series(&mut svg, index, series.printed, &points);
            let line = bottom + 58.0 + LINE * index as f64;
            let sample = [(LEFT, line - 4.0), (LEFT + 34.0, line - 4.0)];
            draw_series(&mut svg, index, series.printed, &sample);
            let name = escaped(&series.name);
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{line}\">{name}</text>",
                LEFT + 46.0
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Draws the grid, the axes, their ticks and labels.
fn axes(svg: &mut String, x: &Scale, y: &Scale, labels: [&str; 2]) {
    let (bottom, right) = (TOP + HEIGHT, WIDTH - RIGHT);
    for &value in &y.ticks {
        let at = y.at(value);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 7.0,
            at + 4.0,
            tick(value)
        );
    }
    for &value in &x.ticks {
        let at = x.at(value);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom}\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 17.0,
            tick(value)
        );
    }
    let _ = writeln!(
        svg,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\"/>\
         <text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
         <text x=\"{:.1}\" y=\"14\" text-anchor=\"middle\" transform=\"rotate(-90)\">{}</text>",
        f64::midpoint(LEFT, right),
        bottom + 36.0,
        escaped(labels[0]),
        -(TOP + HEIGHT / 2.0),
        escaped(labels[1])
    );
}

/// Draws the line and the marks of a series at these pixels.
fn draw_series(svg: &mut String, index: usize, printed: bool, points: &[(f64, f64)]) {
    let color = format!("var(--s{})", index % 8);
    let path: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{x:.1} {y:.1}"))
        .collect();
    let _ = writeln!(
        svg,
        "<path class=\"line{}\" stroke=\"{color}\" d=\"M{}\"/>",
        if printed { " printed" } else { "" },
        path.join("L")
    );
    // Marks that would run into each other are left out.
    let every = points.len().div_ceil(24).max(1);
    for &(x, y) in points.iter().step_by(every) {
        let shape = match index % 5 {
            0 => format!("M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", x - 4.0),
            1 => format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5),
            2 => format!("M{x:.1} {:.1}l4.5 8h-9z", y - 5.0),
            3 => format!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0),
            _ => format!("M{x:.1} {:.1}l4.5 -8h-9z", y + 5.0),
        };
        let _ = writeln!(svg, "<path fill=\"{color}\" d=\"{shape}\"/>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        let (mut low, mut high) = (0.4, 2.6);
        assert_eq!(linear_ticks(&mut low, &mut high), [0.0, 1.0, 2.0, 3.0]);
        let (mut low, mut high) = (3.0, 700.0);
        let ticks = logarithmic_ticks(&mut low, &mut high);
        assert_eq!((low, high), (2.0, 1000.0));
        assert_eq!(
            ticks,
            [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]
        );
        assert_eq!(["0.25", "1000", "1e-6"], [0.25, 1000.0, 1e-6].map(tick));
    }
}
