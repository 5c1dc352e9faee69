//! Pictures as SVG, coloured by the classes of the page's style.

use std::fmt::Write as _;

use crate::report::model::{DamageMap, Histogram, Level, Series};

use super::super::picture::words;
use super::super::plain;

/// The length of the sides of a map's cell.
const CELL: usize = 10;
/// The size of a plot, and the room beside it for its axes.
const PLOT: [f64; 2] = [420.0, 150.0];
const LEFT: f64 = 46.0;
const BELOW: f64 = 26.0;

/// Draws a heat map. Neighbouring cells of one level are one rectangle, whose title names its place.
pub(super) fn map(map: &DamageMap) -> String {
    let columns = map.cells.iter().map(String::len).max().unwrap_or(0);
    let (width, height) = (columns * CELL, map.cells.len() * CELL);
    let mut text = format!(
        "<svg class=\"map\" role=\"img\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{}px\">",
        width.max(120) * 2
    );
    for line in 0..map.cells.len() {
        let mut column = 0;
        for group in map.levels(line).chunk_by(|a, b| a == b) {
            let kind = group[0];
            let number = Level::ALL.iter().position(|one| *one == kind).unwrap_or(0);
            let (x, y) = (column * CELL, line * CELL);
            let title = format!("{}: {}", place(map, line, column, group.len()), words(kind));
            let _ = write!(
                text,
                "<rect class=\"l{number}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{CELL}\"><title>{title}</title></rect>",
                group.len() * CELL
            );
            column += group.len();
        }
    }
    text + "</svg>"
}

/// Returns the elements of some cells of a line: `row 3, column 8 to 15`.
fn place(map: &DamageMap, line: usize, column: usize, count: usize) -> String {
    let across = escape(&map.across.name);
    let range = |from: usize, to: usize, length: usize| {
        let last = to.min(length).max(from + 1) - 1;
        match from == last {
            true => from.to_string(),
            false => format!("{from} to {last}"),
        }
    };
    let [down, wide] = map.cell;
    if map.down.is_empty() {
        let from = (line * 64 + column) * wide;
        return format!(
            "{across} {}",
            range(from, from + count * wide, map.across.length)
        );
    }
    let mut rest = line * down;
    let mut names = Vec::new();
    for axis in map.down.iter().rev() {
        names.push(format!("{} {}", escape(&axis.name), rest % axis.length));
        rest /= axis.length;
    }
    names.reverse();
    let more = if down > 1 {
        format!(" and the {} lines behind", down - 1)
    } else {
        String::new()
    };
    let from = column * wide;
    let columns = range(from, from + count * wide, map.across.length);
    format!("{}{more}, {across} {columns}", names.join(", "))
}

/// A plot with a frame, in which x and y run from 0 to 1.
struct Plot(String);

impl Plot {
    fn new(title: &str) -> Plot {
        let [width, height] = PLOT;
        Plot(format!(
            "<svg class=\"plot\" role=\"img\" aria-label=\"{title}\" viewBox=\"0 0 {width} {height}\">"
        ))
    }

    fn x(x: f64) -> f64 {
        LEFT + x * (PLOT[0] - LEFT - 8.0)
    }

    fn y(y: f64) -> f64 {
        (PLOT[1] - BELOW) - y * (PLOT[1] - BELOW - 14.0)
    }

    fn bar(&mut self, from: f64, to: f64, y: f64, class: &str, title: &str) {
        let (x, width) = (Plot::x(from), (Plot::x(to) - Plot::x(from)).max(1.0));
        let (top, bottom) = (Plot::y(y), Plot::y(0.0));
        let _ = write!(
            self.0,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\"><title>{title}</title></rect>",
            bottom - top
        );
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
        let _ = write!(
            self.0,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }

    fn line(&mut self, from: [f64; 2], to: [f64; 2], class: &str) {
        let _ = write!(
            self.0,
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            Plot::x(from[0]),
            Plot::y(from[1]),
            Plot::x(to[0]),
            Plot::y(to[1])
        );
    }

    fn done(mut self) -> String {
        self.line([0.0, 0.0], [1.0, 0.0], "axis");
        self.0 + "</svg>"
    }
}

/// Returns the limits of a tolerance that can be drawn among errors.
fn limits(limits: Option<[f64; 2]>) -> Vec<(f64, &'static str, &'static str)> {
    let both = limits.map(|[tolerance, ceiling]| {
        [
            (tolerance, "tolerance", "limit"),
            (ceiling, "ceiling", "ceiling"),
        ]
    });
    let drawn = both.into_iter().flatten();
    let drawn = drawn.filter(|(limit, ..)| *limit > 0.0 && limit.is_finite());
    let mut limits: Vec<_> = drawn
        .map(|(limit, name, class)| (limit.log10(), name, class))
        .collect();
    // Equal limits share one line.
    limits.dedup_by_key(|(limit, ..)| *limit);
    limits
}

/// Draws the errors of all elements by size. Both axes are logarithmic.
pub(super) fn histogram(histogram: &Histogram, limits: Option<[f64; 2]>) -> String {
    let limits = self::limits(limits);
    let first = f64::from(histogram.first) / 2.0;
    let last = first + histogram.bins.len() as f64 / 2.0;
    let ends = limits.iter().map(|(limit, ..)| *limit);
    let low = ends.clone().fold(first, f64::min).floor();
    let high = ends.fold(last, f64::max).ceil().max(low + 1.0);
    let at = |power: f64| (power - low) / (high - low);
    let most = histogram.bins.iter().copied().max().unwrap_or(0);
    let tall = |count: usize| (1.0 + count as f64).log10() / (1.0 + most as f64).log10().max(1e-9);
    let mut plot = Plot::new("errors by size");
    for (bin, &count) in histogram
        .bins
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
    {
        let from = first + bin as f64 / 2.0;
        let judged = limits.iter().find(|(_, name, _)| *name == "tolerance");
        let over = judged.is_some_and(|(limit, ..)| from >= *limit);
        let class = if over { "bar over" } else { "bar" };
        let title = format!("{count} elements from 1e{from} on");
        plot.bar(at(from), at(from + 0.5), tall(count), class, &title);
    }
    decades(&mut plot, low, high);
    plot.text(
        Plot::x(0.0) - 4.0,
        Plot::y(1.0) + 4.0,
        "end",
        "tick",
        &most.to_string(),
    );
    plot.text(Plot::x(0.0) - 4.0, Plot::y(0.0), "end", "tick", "0");
    for (row, (limit, name, class)) in limits.iter().enumerate() {
        plot.line([at(*limit), 0.0], [at(*limit), 1.0], class);
        let (anchor, shift) = if at(*limit) > 0.7 {
            ("end", -3.0)
        } else {
            ("start", 3.0)
        };
        let y = Plot::y(1.0) + 2.0 + 11.0 * row as f64;
        plot.text(Plot::x(at(*limit)) + shift, y, anchor, class, name);
    }
    plot.done()
}

fn decades(plot: &mut Plot, low: f64, high: f64) {
    let every = ((high - low) / 8.0).ceil().max(1.0);
    let mut power = low;
    while power <= high {
        let x = Plot::x((power - low) / (high - low));
        // The last label has no room on its right.
        let anchor = if power + every > high {
            "end"
        } else {
            "middle"
        };
        let y = Plot::y(0.0) + 14.0;
        plot.text(x, y, anchor, "tick", &format!("1e{power}"));
        power += every;
    }
}

/// Draws errors along an axis of a tensor. The axis of the errors is logarithmic.
pub(super) fn series(series: &Series, limits: Option<[f64; 2]>) -> String {
    let sized = || {
        let sizes = series.errors.iter().map(|error| error.0);
        sizes
            .filter(|size| *size > 0.0 && size.is_finite())
            .map(f64::log10)
    };
    let limits = self::limits(limits);
    let ends = limits.iter().map(|(limit, ..)| *limit);
    let low = sized()
        .chain(ends.clone())
        .fold(f64::INFINITY, f64::min)
        .floor();
    let low = if low.is_finite() { low } else { 0.0 };
    let high = sized().chain(ends).fold(low + 1.0, f64::max).ceil();
    let at = |power: f64| (power - low + 0.3) / (high - low + 0.3);
    let count = series.errors.len() as f64;
    let mut plot = Plot::new("errors along an axis");
    for (mark, error) in series.errors.iter().enumerate() {
        let (from, to) = (mark as f64 / count, (mark + 1) as f64 / count);
        let size = error.0;
        let index = mark * series.step;
        let title = format!(
            "{} {index}: {}",
            escape(&series.axis.name),
            plain::error(size)
        );
        if !size.is_finite() {
            plot.bar(from, to, 1.0, "bar nan", &title);
        } else if size > 0.0 {
            let judged = limits.iter().find(|(_, name, _)| *name == "tolerance");
            let over = judged.is_some_and(|(limit, ..)| size.log10() > *limit);
            let class = if over { "bar over" } else { "bar" };
            plot.bar(from, to, at(size.log10()), class, &title);
        }
    }
    for (limit, name, class) in &limits {
        plot.line([0.0, at(*limit)], [1.0, at(*limit)], class);
        plot.text(Plot::x(1.0), Plot::y(at(*limit)) - 2.0, "end", class, name);
    }
    for power in [low, high] {
        let y = Plot::y(at(power)) + 3.0;
        plot.text(Plot::x(0.0) - 4.0, y, "end", "tick", &format!("1e{power}"));
    }
    let last = series.axis.length.saturating_sub(1).to_string();
    plot.text(Plot::x(0.0), Plot::y(0.0) + 14.0, "start", "tick", "0");
    plot.text(Plot::x(1.0), Plot::y(0.0) + 14.0, "end", "tick", &last);
    plot.done()
}

/// Escapes text for SVG.
pub(super) fn escape(text: &str) -> String {
    let plain = plain::line(text);
    plain
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
