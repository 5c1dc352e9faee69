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

/// Outputs counted by their errors, each a share of its tolerance.
pub(super) struct Shares([usize; Shares::BINS]);

impl Shares {
    /// The bins: one for errors of 0, then those of errors within the tolerance, then those of larger errors, and one for NaN and infinity.
    const BINS: usize = 1 + Shares::WITHIN + Shares::BEYOND + 1;
    /// Eleven bins for each of the decades from 0.01 % to 100 %.
    const WITHIN: usize = 44;
    /// Three bins for each of the decades from 1 to 10,000 times the tolerance.
    const BEYOND: usize = 12;

    /// Counts some shares.
    pub(super) fn new(shares: impl Iterator<Item = f64>) -> Shares {
        let mut bins = [0; Shares::BINS];
        for share in shares {
            bins[Shares::bin(share)] += 1;
        }
        Shares(bins)
    }

    fn bin(share: f64) -> usize {
        let beyond = 1 + Shares::WITHIN;
        if !share.is_finite() {
            Shares::BINS - 1
        } else if share <= 0.0 {
            0
        } else if share <= 1.0 {
            let bin = (4.0 + share.log10()) * 11.0;
            1 + (bin.max(0.0) as usize).min(Shares::WITHIN - 1)
        } else {
            beyond + ((share.log10() * 3.0) as usize).min(Shares::BEYOND - 1)
        }
    }

    /// Returns the words for the shares of a bin.
    fn words(bin: usize) -> String {
        let beyond = 1 + Shares::WITHIN;
        let per_cent = |at: usize| {
            let share = 100.0 * 10f64.powf(at as f64 / 11.0 - 4.0);
            let digits = match share {
                _ if share < 0.995 => 2,
                _ if share < 9.95 => 1,
                _ => 0,
            };
            format!("{share:.digits$} %")
        };
        match bin {
            0 => "without error".into(),
            _ if bin == Shares::BINS - 1 => "wrong where nothing is allowed, or no number".into(),
            1 => format!("up to {} of the tolerance", per_cent(1)),
            _ if bin < beyond => format!(
                "{} to {} of the tolerance",
                per_cent(bin - 1),
                per_cent(bin)
            ),
            _ => {
                let times = 10f64.powf((bin - beyond) as f64 / 3.0);
                format!("more than {times:.0} times the tolerance")
            }
        }
    }

    /// Returns the count of the fullest bin.
    pub(super) fn tallest(&self) -> usize {
        self.0.iter().copied().max().unwrap_or(0)
    }

    /// Draws the counts on a log scale, with a line at the tolerance. A bin of `tallest` outputs is as tall as the picture, which stretches to
    /// its column.
    pub(super) fn draw(&self, tallest: usize) -> String {
        let beyond = 1 + Shares::WITHIN;
        let mut text = format!(
            "<svg class=\"spread\" role=\"img\" aria-label=\"errors against tolerances\" viewBox=\"0 0 {} 20\" preserveAspectRatio=\"none\">",
            Shares::BINS
        );
        let full = (1.0 + tallest as f64).ln().max(f64::MIN_POSITIVE);
        for (bin, &count) in self.0.iter().enumerate().filter(|(_, count)| **count > 0) {
            let height = (20.0 * (1.0 + count as f64).ln() / full).max(3.0);
            let class = match bin {
                _ if bin == Shares::BINS - 1 => "bar nan",
                _ if bin >= beyond => "bar over",
                _ => "bar within",
            };
            let outputs = if count == 1 { "output" } else { "outputs" };
            let _ = write!(
                text,
                "<rect class=\"{class}\" x=\"{bin}\" y=\"{:.1}\" width=\"1\" height=\"{height:.1}\"><title>{count} {outputs}: {}</title></rect>",
                20.0 - height,
                Shares::words(bin)
            );
        }
        let _ = write!(
            text,
            "<line class=\"limit\" x1=\"{beyond}\" y1=\"0\" x2=\"{beyond}\" y2=\"20\"/>"
        );
        text + "</svg>"
    }
}

/// Draws a bar that fills a share of its column.
pub(super) fn bar(share: f64) -> String {
    format!(
        "<svg class=\"spread\" aria-hidden=\"true\" viewBox=\"0 0 100 20\" preserveAspectRatio=\"none\"><rect class=\"bar\" x=\"0\" y=\"4\" width=\"{:.1}\" height=\"12\"/></svg>",
        (100.0 * share).clamp(0.5, 100.0)
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_stand_on_the_right_side_of_the_tolerance() {
        let beyond = 1 + Shares::WITHIN;
        assert_eq!(Shares::bin(0.0), 0);
        assert_eq!([1e-9, 1e-4, 1.0].map(Shares::bin), [1, 1, beyond - 1]);
        assert_eq!([1.0001, 1e9].map(Shares::bin), [beyond, Shares::BINS - 2]);
        let lost = [f64::NAN, f64::INFINITY].map(Shares::bin);
        assert_eq!(lost, [Shares::BINS - 1; 2]);
        assert_eq!(Shares::words(beyond - 1), "81 % to 100 % of the tolerance");
        assert_eq!(Shares::words(24), "1.2 % to 1.5 % of the tolerance");
        assert_eq!(Shares::words(beyond), "more than 1 times the tolerance");
    }

    #[test]
    fn a_picture_has_a_bar_for_each_bin_with_outputs() {
        let shares = Shares::new([0.0, 0.0, 0.5, 7.0, f64::NAN].into_iter());
        assert_eq!(shares.tallest(), 2);
        let text = shares.draw(2);
        assert_eq!(text.matches("<rect").count(), 4);
        assert!(text.contains("<title>2 outputs: without error</title>"));
        assert!(text.contains("<title>1 output: more than 5 times the tolerance</title>"));
    }
}
