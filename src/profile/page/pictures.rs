//! Pictures of a page of profiles.

use std::collections::HashSet;

use super::super::card::TERMS;
use super::super::constants::{CUS, MEMORY, SIMDS};
use super::super::launch::LaunchProfile;
use super::super::model::Interval;
use super::super::report::{bytes, estimated, time};
use super::super::trial::CaseProfile;
use crate::report::Chart;
use crate::text::{demangled, escaped};

/// Lanes of a SIMD, which are its operations in a cycle.
const LANES: f64 = 16.0;
/// Bytes of a cache line.
const LINE: f64 = 64.0;

/// Returns the shortest and the longest time of all cases.
pub(super) fn scale(profiles: &[CaseProfile]) -> [f64; 2] {
    if profiles.is_empty() {
        return [1e-6, 1e-3];
    }
    let ends = profiles.iter().flat_map(|profiled| profiled.between);
    let sized = ends.filter(|seconds| *seconds > 0.0);
    sized.fold([f64::INFINITY, 0.0], |[low, high], seconds| {
        [low.min(seconds), high.max(seconds)]
    })
}

/// Makes a chart with one axis, of times.
fn row(scale: [f64; 2], height: f64, label: &str) -> Chart {
    let none = std::iter::empty();
    Chart::new(
        label,
        [360.0, height],
        [22.0, 26.0, 0.0, 0.0],
        scale.into_iter(),
        none,
    )
}

/// Draws the axis of all bars.
pub(super) fn axis(scale: [f64; 2]) -> String {
    let mut chart = Chart::new(
        "time",
        [360.0, 18.0],
        [22.0, 26.0, 14.0, 16.0],
        scale.into_iter(),
        std::iter::empty(),
    );
    chart.decades_across(short);
    chart.done()
}

/// Formats a power of ten of seconds, such as `10 us`.
fn short(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let unit = units
        .into_iter()
        .find(|(least, _)| seconds >= *least * 0.999);
    let (least, unit) = unit.unwrap_or((1e-9, "ns"));
    format!("{} {unit}", figure(seconds / least).replace(".0", ""))
}

/// Draws the time of a case in its spread.
pub(super) fn bar(scale: [f64; 2], between: Interval, seconds: f64) -> String {
    let title = estimated(seconds, between);
    let mut chart = row(scale, 14.0, &title);
    let [from, to] = between.map(|end| chart.x(end));
    chart.area([from, 3.0], [to, 11.0], "bar", &title);
    let at = chart.x(seconds);
    chart.line([at, 1.0], [at, 13.0], "ceiling");
    chart.done()
}

/// Draws a launch's time as a stacked bar: the kernel's terms, each with its share of their squares, and the overhead.
pub(super) fn terms(launch: &LaunchProfile) -> String {
    let model = &launch.model;
    let [left, right, top, bottom] = [10.0, 410.0, 8.0, 34.0];
    let mut chart = Chart::new(
        "what the time consists of",
        [420.0, 132.0],
        [left, 10.0, 6.0, 20.0],
        [1.0, 10.0].into_iter(),
        std::iter::empty(),
    );
    let all = model.terms.all();
    let kernel_squares = model.kernel * model.kernel;
    let mut from = left;
    for (at, (name, seconds)) in TERMS.into_iter().zip(all).enumerate() {
        // Terms overlap, so that the kernel's time is less than their sum.
        let share = match name {
            "overhead" => seconds,
            _ if kernel_squares > 0.0 => model.kernel * seconds * seconds / kernel_squares,
            _ => 0.0,
        };
        let width = (right - left) * share / model.seconds.max(f64::MIN_POSITIVE);
        let class = format!("part-{at}");
        let title = format!("{name}: {}", time(seconds));
        chart.area([from, top], [from + width, bottom], &class, &title);
        from += width;
        let y = 48.0 + 16.0 * at as f64;
        chart.area([left, y], [left + 10.0, y + 10.0], &class, name);
        chart.words([left + 16.0, y + 9.0], "start", "tick", &title);
    }
    chart.done()
}

/// A launch in a roofline.
struct Spot {
    name: String,
    /// Operations for each requested byte, and for each different byte.
    intensity: [f64; 2],
    /// Operations a second, in the longest time of the spread and in the shortest.
    speed: [f64; 2],
    /// Requested bytes, and different bytes.
    bytes: [f64; 2],
}

fn spot(launch: &LaunchProfile) -> Option<Spot> {
    let work = LANES * launch.valu_cycles as f64;
    let unique = (launch.unique_bytes.read + launch.unique_bytes.written) as f64;
    let asked = (LINE * launch.lines as f64).max(unique);
    let model = &launch.model;
    let [least, most] = [model.kernel / model.spread, model.kernel * model.spread];
    let fits = work > 0.0 && unique > 0.0 && least > 0.0;
    fits.then(|| Spot {
        name: escaped(&demangled(&launch.kernel)),
        intensity: [work / asked, work / unique],
        speed: [work / most, work / least],
        bytes: [asked, unique],
    })
}

/// Draws operations a second against operations a byte; none if no launch has vector instructions and memory accesses.
pub(super) fn roofline(clock: f64, launches: &[&LaunchProfile]) -> Option<String> {
    let mut known = HashSet::new();
    let spots = launches.iter().filter_map(|launch| spot(launch));
    // Equal spots are drawn once.
    let spots: Vec<Spot> = spots
        .filter(|spot| {
            let [a, b, c] = [spot.intensity, spot.speed, spot.bytes];
            known.insert([a, b, c].map(|pair| pair.map(f64::to_bits)))
        })
        .collect();
    if spots.is_empty() {
        return None;
    }
    let alone = launches.len() == 1;
    let peak = (CUS * SIMDS) as f64 * LANES * clock * 1e6;
    let ridge = peak / MEMORY;
    let across = spots
        .iter()
        .flat_map(|spot| spot.intensity)
        .chain([ridge / 3.0, ridge * 3.0]);
    let up = spots.iter().flat_map(|spot| spot.speed).chain([peak * 2.0]);
    let size = match alone {
        true => [420.0, 240.0],
        false => [760.0, 380.0],
    };
    let mut chart = Chart::new(
        "roofline of asked bytes",
        size,
        [58.0, 18.0, 10.0, 32.0],
        across,
        up,
    );
    chart.decades_across(count);
    chart.decades_up(count);
    let [left, right] = chart.ends();
    let at = |chart: &Chart, intensity: f64, speed: f64| [chart.x(intensity), chart.y(speed)];
    // The memory's roof begins at the bottom of the chart, or at its left end.
    let lowest = chart.floor();
    let from = left.max(lowest / MEMORY);
    let corners = [
        at(&chart, from, from * MEMORY),
        at(&chart, ridge, peak),
        at(&chart, right, peak),
    ];
    chart.line(corners[0], corners[1], "roof");
    chart.line(corners[1], corners[2], "roof");
    let [x, y] = corners[2];
    let title = format!("{:.1} T/s of all SIMDs", peak / 1e12);
    chart.words([x, y - 4.0], "end", "tick", &title);
    let title = format!("{:.0} GB/s", MEMORY / 1e9);
    let middle = [0, 1].map(|axis| (corners[0][axis] + corners[1][axis]) / 2.0);
    chart.words([middle[0] - 6.0, middle[1]], "end", "tick", &title);
    let below = [f64::midpoint(58.0, size[0] - 18.0), size[1] - 4.0];
    chart.words(below, "middle", "tick", "vector operations a byte");
    for spot in &spots {
        let from = at(&chart, spot.intensity[0], spot.speed[0]);
        let to = at(&chart, spot.intensity[1], spot.speed[1]);
        let title = format!(
            "{}: {} to {} operations a byte ({} asked for, {} different), {} to {} operations a second",
            spot.name,
            figure(spot.intensity[0]),
            figure(spot.intensity[1]),
            bytes(spot.bytes[0] as u64),
            bytes(spot.bytes[1] as u64),
            count(spot.speed[0]),
            count(spot.speed[1]),
        );
        chart.area(from, to, "spot", &title);
    }
    Some(chart.done())
}

fn figure(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.1}"),
        value => format!("{value:.3}"),
    }
}

/// Formats a count with a prefix, such as `10 G` or `0.1`.
fn count(value: f64) -> String {
    let units = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    let unit = units.into_iter().find(|(least, _)| value >= *least * 0.999);
    let (scaled, unit) = unit.map_or((value, ""), |(least, unit)| (value / least, unit));
    let digits = if scaled >= 1.0 - 1e-9 { 0 } else { 3 };
    let text = format!("{scaled:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_are_named_in_their_unit() {
        let named = [0.01, 0.1, 1.0, 100.0, 1e6, 1e10, 1e13].map(count);
        assert_eq!(named, ["0.01", "0.1", "1", "100", "1 M", "10 G", "10 T"]);
        let named = [1e-8, 1e-7, 1e-6, 1e-5, 1e-3, 10.0].map(short);
        assert_eq!(named, ["10 ns", "100 ns", "1 us", "10 us", "1 ms", "10 s"]);
    }
}
