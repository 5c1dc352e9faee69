//! Damage as characters: a heat map, and errors along an axis.

use crate::report::model::{Damage, DamageMap, Level, Series};
use crate::tensor::Axis;

use super::look::{Lines, Look, MAP};
use super::plain;

/// Returns the code of a level for a terminal of 256 colours: dim text, or black or white text on a colour.
fn color(level: Level) -> &'static str {
    match level {
        Level::Within => "2",
        Level::Two => "30;48;5;228",
        Level::Ten => "30;48;5;220",
        Level::Hundred => "30;48;5;208",
        Level::More => "97;48;5;160",
        Level::Far => "97;48;5;88",
        Level::NoNumber => "97;48;5;90",
    }
}

/// Returns the words for a level.
pub(super) fn words(level: Level) -> &'static str {
    match level {
        Level::Within => "within tolerance",
        Level::Two => "up to 2 x the tolerance",
        Level::Ten => "up to 10 x",
        Level::Hundred => "up to 100 x",
        Level::More => "up to 10000 x",
        Level::Far => "more",
        Level::NoNumber => "no number",
    }
}

/// Returns the lines of an output's pictures. A map has at most `most` lines; if that is 0 there are no pictures.
pub(super) fn lines(damage: &Damage, most: usize, look: Look) -> Lines {
    let mut lines = Lines::new();
    if most == 0 {
        return lines;
    }
    if let Some(map) = &damage.map {
        let map = &coarser(map, most);
        lines.push((MAP, axes(map)));
        if let Some(level) = alike(map) {
            let mark = look.paint(&level.mark().to_string(), color(level));
            lines.push((MAP, format!("every mark is {mark}: {}", words(level))));
            lines.extend(along_all(damage, look));
            return lines;
        }
        let drawn = (0..map.cells.len()).map(|line| (MAP, row(&map.levels(line), look)));
        lines.extend(drawn);
        lines.extend(legend(map, look).into_iter().map(|line| (MAP, line)));
    }
    lines.extend(along_all(damage, look));
    lines
}

/// Returns a map with at most `most` lines. A cell has the worst mark of the cells that it replaces.
fn coarser(map: &DamageMap, most: usize) -> DamageMap {
    let mut map = map.clone();
    while map.cells.len() > most {
        let lines: Vec<Vec<Level>> = (0..map.cells.len()).map(|line| map.levels(line)).collect();
        let width = lines.iter().map(Vec::len).max().unwrap_or(1).max(1);
        let merged: Vec<Vec<Level>> = if map.down.is_empty() {
            // A tensor of one axis runs on from line to line, so neighbours along the axis are merged.
            let all = lines.concat();
            let pairs: Vec<Level> = all
                .chunks(2)
                .filter_map(|pair| pair.iter().max().copied())
                .collect();
            map.cell[1] *= 2;
            pairs.chunks(width).map(<[Level]>::to_vec).collect()
        } else {
            map.cell[0] *= 2;
            let worst = |pair: &[Vec<Level>]| {
                let column = |at| pair.iter().filter_map(|line| line.get(at)).max().copied();
                (0..width).filter_map(column).collect()
            };
            lines.chunks(2).map(worst).collect()
        };
        let text = |line: &Vec<Level>| line.iter().map(|level| level.mark()).collect();
        map.cells = merged.iter().map(text).collect();
    }
    map
}

/// Returns the common level of all cells of a map of several lines, if there is one.
fn alike(map: &DamageMap) -> Option<Level> {
    let mut all = (0..map.cells.len()).flat_map(|line| map.levels(line));
    let first = all.next()?;
    (map.cells.len() > 1 && all.all(|level| level == first)).then_some(first)
}

fn along_all(damage: &Damage, look: Look) -> Lines {
    let series = damage.series.iter();
    series
        .map(|series| ("along", along(series, look)))
        .collect()
}

/// Paints a line of cells. Neighbouring cells of one level are painted together.
fn row(levels: &[Level], look: Look) -> String {
    let groups = levels.chunk_by(|a, b| a == b);
    let painted = groups.map(|group| {
        let text: String = group.iter().map(|level| level.mark()).collect();
        look.paint(&text, color(group[0]))
    });
    painted.collect()
}

/// Returns the axes of a map: `down: chunk 2, row 4; across: column 8; a mark is 1 x 2 elements`.
pub(super) fn axes(map: &DamageMap) -> String {
    let name = |axis: &Axis| format!("{} {}", plain::line(&axis.name), axis.length);
    let down: Vec<String> = map.down.iter().map(name).collect();
    let [lines, columns] = map.cell;
    let cell = match (down.is_empty(), map.cell) {
        (_, [1, 1]) => "a mark is an element".to_owned(),
        (true, _) => format!("a mark is {columns} elements"),
        (false, _) => format!("a mark is {lines} x {columns} elements"),
    };
    let across = name(&map.across);
    match down.is_empty() {
        true => format!("{across}, line by line; {cell}"),
        false => format!("down: {}; across: {across}; {cell}", down.join(", ")),
    }
}

fn legend(map: &DamageMap, look: Look) -> Vec<String> {
    let present = |level: &Level| map.cells.iter().any(|cells| cells.contains(level.mark()));
    let mut lines = vec![String::new()];
    let mut width = 0;
    for level in Level::ALL.into_iter().filter(present) {
        let length = words(level).len() + 2;
        if width > 0 && width + length > 60 {
            lines.push(String::new());
            width = 0;
        }
        let Some(line) = lines.last_mut() else {
            break;
        };
        if width > 0 {
            *line += ", ";
        }
        let mark = look.paint(&level.mark().to_string(), color(level));
        *line += &format!("{mark} {}", words(level));
        width += length + 2;
    }
    lines
}

/// Returns the errors along an axis: `0158N^  error by token (12, a mark is 2; log scale from 1.00e-8 to 1.00e0)`.
fn along(series: &Series, look: Look) -> String {
    let sizes = || series.errors.iter().map(|error| error.0);
    let sized = || sizes().filter(|size| *size > 0.0 && size.is_finite());
    let (least, most) = (
        sized().fold(f64::INFINITY, f64::min),
        sized().fold(0.0, f64::max),
    );
    let span = (most / least).ln();
    let marks: String = sizes()
        .map(|size| {
            let level = match size {
                0.0 => 0,
                size if !size.is_finite() => return if size.is_nan() { 'N' } else { '^' },
                _ if span > 0.0 => 1 + ((size / least).ln() / span * 7.0).round() as usize,
                _ => 8,
            };
            match look.blocks {
                true => ['_', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][level],
                false => ['0', '1', '2', '3', '4', '5', '6', '7', '8'][level],
            }
        })
        .collect();
    let step = match series.step {
        1 => String::new(),
        step => format!(", a mark is {step}"),
    };
    let scale = match most > 0.0 {
        true => format!(
            "; log scale from {} to {}",
            plain::error(least),
            plain::error(most)
        ),
        false => String::new(),
    };
    let (name, length) = (plain::line(&series.axis.name), series.axis.length);
    format!("{marks}  error by {name} ({length}{step}{scale})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::number::Real;

    #[test]
    fn a_coarser_map_keeps_the_worst_marks() {
        let map = DamageMap {
            down: vec![Axis::new("row", 5)],
            across: Axis::new("column", 4),
            cell: [1, 1],
            cells: ["....", ".-.N", "#...", "....", "x..."]
                .map(String::from)
                .to_vec(),
        };
        let coarse = coarser(&map, 2);
        assert_eq!(
            (coarse.cell, coarse.cells),
            ([4, 1], vec!["#-.N".into(), "x...".into()])
        );
        let text = DamageMap {
            down: Vec::new(),
            ..map.clone()
        };
        let coarse = coarser(&text, 3);
        assert_eq!(
            (coarse.cell, coarse.cells),
            ([1, 2], ["..-N", "#...", "x."].map(String::from).to_vec())
        );
        assert_eq!(coarser(&map, 5), map);
    }

    #[test]
    fn marks_grow_with_the_logarithm_of_the_error() {
        let errors = [0.0, 1e-8, 1e-4, 1.0, f64::NAN, f64::INFINITY].map(Real);
        let series = Series {
            axis: Axis::new("token", 12),
            step: 2,
            errors: errors.to_vec(),
        };
        assert_eq!(
            along(&series, Look::default()),
            "0158N^  error by token (12, a mark is 2; log scale from 1.00e-8 to 1.00e0)"
        );
        let blocks = Look {
            blocks: true,
            ..Look::default()
        };
        assert!(along(&series, blocks).starts_with("_▁▅█N^"));
    }
}
