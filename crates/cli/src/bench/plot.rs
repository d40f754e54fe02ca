//! The plot of throughput against batch size: a panel for each job with logarithmic axes, backends
//! as solid lines and peers as dashed ones.

use super::job::Job;
use super::measurement::{Measurement, rate};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

const FONT: &str = "sans-serif";
/// The size of a panel, in pixels like all lengths here.
const PANEL: (u32, u32) = (430, 330);
const MARGIN: i32 = 16;
/// The position of the legend's first line, and the height of its lines.
const LEGEND: (i32, i32) = (58, 22);
/// The approximate width of a letter of the legend, whose font depends on the viewer.
const LETTER: i32 = 8;
/// The length of the line samples in the legend.
const SAMPLE: i32 = 34;
const GREY: RGBColor = RGBColor(90, 90, 90);

/// Colors that most people can tell apart (M. Okabe and K. Ito, "Color Universal Design").
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The lengths of the dashes and gaps of peers' lines. They differ, so that lines that coincide can
/// be told apart.
const DASHES: [(i32, i32); 4] = [(10, 4), (3, 4), (16, 4), (6, 6)];

/// The color of a line, and the lengths of its dashes and gaps.
type LineStyle = (RGBColor, (i32, i32));

/// The points of one backend or peer.
struct Series<'a> {
    name: &'a str,
    is_peer: bool,
    /// The points: batch size and operations per second.
    points: Vec<(f64, f64)>,
}

/// The series of these measurements: the backends, then the peers.
fn series<'a>(measurements: &[&'a Measurement]) -> Vec<Series<'a>> {
    let mut all: Vec<Series<'a>> = Vec::new();
    for is_peer in [false, true] {
        for measurement in measurements {
            let measured = if is_peer {
                &measurement.peers
            } else {
                &measurement.backends
            };
            for (name, times) in measured {
                let point = (measurement.batch as f64, rate(times.median_us));
                match all.iter_mut().find(|series| series.name == name) {
                    Some(series) => series.points.push(point),
                    None => all.push(Series {
                        name,
                        is_peer,
                        points: vec![point],
                    }),
                }
            }
        }
    }
    all
}

/// The positions of the legend's entries, and the number of its lines.
fn legend(names: &[Series<'_>], width: i32) -> (Vec<(i32, i32)>, i32) {
    let (mut x, mut line) = (MARGIN, 0);
    let mut places = Vec::new();
    for series in names {
        let length = SAMPLE + 24 + LETTER * i32::try_from(series.name.len()).unwrap_or(0);
        if x > MARGIN && x + length > width - MARGIN {
            (x, line) = (MARGIN, line + 1);
        }
        places.push((x, LEGEND.0 + line * LEGEND.1));
        x += length;
    }
    (places, line + 1)
}

/// The plot of all measurements as an SVG document with a title.
pub(super) fn svg(title: &str, measurements: &[Measurement]) -> Result<String, Box<dyn Error>> {
    let mut jobs: Vec<Job> = Vec::new();
    for measurement in measurements {
        if !jobs.contains(&measurement.job) {
            jobs.push(measurement.job);
        }
    }
    let columns = match jobs.len() {
        ..=1 => 1,
        2..=4 => 2,
        _ => 3,
    };
    let rows = jobs.len().div_ceil(columns);
    let width = (columns as u32 * PANEL.0).max(720);
    let names = series(&measurements.iter().collect::<Vec<_>>());
    let (places, lines) = legend(&names, width.cast_signed());
    let top = (LEGEND.0 + lines * LEGEND.1) as u32;
    let panel = (
        width / columns as u32,
        if columns == 1 { 440 } else { PANEL.1 },
    );
    let mut svg = String::new();
    {
        let height = top + rows as u32 * panel.1 + MARGIN as u32;
        let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
        area.fill(&WHITE)?;
        let left = Pos::new(HPos::Left, VPos::Center);
        let heading = (FONT, 20, FontStyle::Bold).into_text_style(&area).pos(left);
        let below = (FONT, 14).into_text_style(&area).color(&GREY).pos(left);
        area.draw_text("Throughput against batch size", &heading, (MARGIN, 18))?;
        area.draw_text(title, &below, (MARGIN, 40))?;
        let style = |name: &str| {
            let index = names.iter().position(|series| series.name == name);
            let index = index.unwrap_or(0);
            (COLORS[index % COLORS.len()], DASHES[index % DASHES.len()])
        };
        for (series, (x, y)) in names.iter().zip(places) {
            let (color, (dash, gap)) = style(series.name);
            let (line, end) = (color.stroke_width(2), x + SAMPLE);
            if series.is_peer {
                for start in (x..end).step_by((dash + gap).unsigned_abs() as usize) {
                    let ends = [(start, y), ((start + dash).min(end), y)];
                    area.draw(&PathElement::new(ends, line))?;
                }
            } else {
                area.draw(&PathElement::new([(x, y), (end, y)], line))?;
                area.draw(&Circle::new((x + SAMPLE / 2, y), 4, color.filled()))?;
            }
            let text = (FONT, 14).into_text_style(&area).pos(left);
            area.draw_text(series.name, &text, (x + SAMPLE + 6, y))?;
        }
        for (index, &job) in jobs.iter().enumerate() {
            let (column, row) = ((index % columns) as u32, (index / columns) as u32);
            let corner = (column * panel.0, top + row * panel.1);
            let place = area.clone().shrink(corner, panel);
            let of_job = measurements.iter().filter(|measured| measured.job == job);
            draw_panel(&place, job, &series(&of_job.collect::<Vec<_>>()), &style)?;
        }
        area.present()?;
    }
    Ok(svg)
}

/// Draws the panel of a job.
fn draw_panel<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    job: Job,
    all: &[Series<'_>],
    style: &dyn Fn(&str) -> LineStyle,
) -> Result<(), Box<dyn Error>>
where
    DB::ErrorType: 'static,
{
    let points = || all.iter().flat_map(|series| &series.points);
    let mut batches: Vec<f64> = points().map(|point| point.0).collect();
    batches.sort_by(f64::total_cmp);
    batches.dedup();
    let (Some(&fewest), Some(&most)) = (batches.first(), batches.last()) else {
        return Ok(());
    };
    let slowest = points().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let fastest = points().map(|point| point.1).fold(0.0, f64::max);
    let (bottom, top) = (slowest / 1.6, fastest * 1.6);
    let ticks = ticks(bottom, top);
    let mut chart = ChartBuilder::on(area)
        .caption(job.to_string(), (FONT, 16))
        .margin(8)
        .margin_right(20)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(
            (fewest / 1.3..most * 1.3)
                .log_scale()
                .base(2.0)
                .with_key_points(batches),
            (bottom..top).log_scale().with_key_points(ticks),
        )?;
    let unit = match job {
        Job::Product(_) => "products/s",
        Job::Private(_)
        | Job::Verify(_)
        | Job::Curve(..)
        | Job::Pairing(_)
        | Job::Bls(_)
        | Job::Modexp(_) => "operations/s",
    };
    chart
        .configure_mesh()
        .x_desc("batch size (operations)")
        .y_desc(unit)
        .label_style((FONT, 13))
        .axis_desc_style((FONT, 13))
        .bold_line_style(BLACK.mix(0.12))
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| short(*y))
        .draw()?;
    for series in all {
        let (color, (dash, gap)) = style(series.name);
        let points = series.points.iter().copied();
        if series.is_peer {
            let line = DashedLineSeries::new(points, dash, gap, color.stroke_width(2));
            chart.draw_series(line)?;
        } else {
            chart.draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?;
            chart.draw_series(points.map(|point| Circle::new(point, 4, color.filled())))?;
        }
    }
    Ok(())
}

/// The tick marks between two numbers: 1, 2 and 5 times the powers of ten, or the powers of ten
/// only if the range is large.
fn ticks(bottom: f64, top: f64) -> Vec<f64> {
    let decades = bottom.log10().floor() as i32..=top.log10().ceil() as i32;
    let steps: &[f64] = if (top / bottom).log10() > 2.5 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    decades
        .flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)))
        .filter(|tick| (bottom..=top).contains(tick))
        .collect()
}

/// The short text of a number with a unit prefix, such as `20k` for 20,000.
fn short(number: f64) -> String {
    let (scaled, unit) = match number {
        1e9.. => (number / 1e9, "G"),
        1e6.. => (number / 1e6, "M"),
        1e3.. => (number / 1e3, "k"),
        _ => (number, ""),
    };
    format!("{}{unit}", (scaled * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::super::turns::OperationTimes;
    use super::*;

    fn measurement(job: Job, batch: usize, us: f64) -> Measurement {
        let times = |median_us| OperationTimes {
            median_us,
            best_us: median_us,
            bursts: 1,
        };
        Measurement {
            job,
            batch,
            backends: vec![(String::from("portable"), times(us))],
            peers: vec![(String::from("openssl 4.0.3"), times(2.0 * us))],
        }
    }

    #[test]
    fn a_panel_for_each_job_and_one_legend() {
        let jobs = [Job::Private(2048), Job::Modexp(1024), Job::Product(64)];
        let measurements: Vec<_> = jobs
            .into_iter()
            .flat_map(|job| [1, 8, 64].map(|batch| measurement(job, batch, 1e3 / batch as f64)))
            .collect();
        let svg = svg("some processor <1 & only>, 1 thread", &measurements).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for job in jobs {
            assert_eq!(svg.matches(&format!("\n{job}\n")).count(), 1, "{job}");
        }
        assert_eq!(svg.matches("\nportable\n").count(), 1);
        assert_eq!(svg.matches("\nopenssl 4.0.3\n").count(), 1);
        assert_eq!(svg.matches("\nbatch size (operations)\n").count(), 3);
        assert!(svg.contains("some processor &lt;1 &amp; only&gt;"));
        // A dot for each point of a backend, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 3 * 3 + 1);
    }

    #[test]
    fn nothing_measured_is_an_empty_picture() {
        assert!(svg("", &[]).unwrap().starts_with("<svg"));
    }

    #[test]
    fn ticks_are_round_numbers_inside() {
        assert_eq!(ticks(150.0, 3000.0), [200.0, 500.0, 1000.0, 2000.0]);
        assert_eq!(ticks(0.5, 5000.0), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(
            ["0.5", "200", "20k", "5M"],
            [0.5, 200.0, 2e4, 5e6].map(short)[..]
        );
    }
}
