//! The location of wrong elements in words, by the axes of their tensor.

mod diagonal;
mod part;

use crate::tensor::Axis;

use crate::tensor;
use diagonal::Diagonal;
pub(super) use diagonal::Square;
use part::Part;

/// Describes the region of all marked elements of a tensor: "rows 16..31 only", "above the diagonal", "second chunk
/// on". Ranges include both ends. If the region contains unmarked elements, the description is a bounding box with the
/// share that is marked: "rows 16..31 only, head 1 only (12 % of that box)". Returns `None` if nothing is marked or no
/// simple description fits.
pub fn pattern(axes: &[Axis], marked: &[bool]) -> Option<String> {
    let at: Vec<usize> = (0..marked.len()).filter(|&flat| marked[flat]).collect();
    let &first = at.first()?;
    if at.len() == marked.len() {
        return Some("every element".into());
    }
    if at.len() == 1 {
        let index = tensor::index(axes, first);
        let names: Vec<String> = axes
            .iter()
            .zip(index)
            .map(|(axis, i)| format!("{} {i}", axis.name))
            .collect();
        return Some(format!("one element: {}", names.join(", ")));
    }
    if let [axis] = axes {
        return along_one(axis, &at).or_else(|| {
            let Along { words, kept, .. } = bounds(0, axis, &at)?;
            let mut part = Part::all(axes);
            part.keep(0, kept);
            Some(words + &part.fullness(axes, at.len()))
        });
    }
    let square = Square::of(axes);
    let side = square.and_then(|square| square.side(axes, &at));
    let mut parts: Vec<String> = side.iter().map(|side| side.words().to_string()).collect();
    let mut named = Part::all(axes);
    named.side = square.zip(side);
    let along = along_axes(axes, &at, named.side);
    for Along { axis, words, kept } in along {
        named.keep(axis, kept);
        parts.push(words);
    }
    if side.is_none()
        && let Some(sides) = square.and_then(|square| square.sides(axes, &at))
    {
        return Some(sides);
    }
    if parts.is_empty() {
        along_flat(marked.len(), &at)
    } else {
        Some(parts.join(", ") + &named.fullness(axes, at.len()))
    }
}

/// A restriction of the marked elements along an axis.
struct Along {
    axis: usize,
    words: String,
    /// The indices that the words name.
    kept: Vec<usize>,
}

/// Describes how the marked elements are restricted along each axis, beyond what their side of the diagonal implies.
fn along_axes(axes: &[Axis], at: &[usize], side: Option<(Square, Diagonal)>) -> Vec<Along> {
    let present = present(axes, at);
    let along = axes.iter().zip(&present).enumerate();
    along
        .filter_map(|(n, (axis, present))| {
            let words = match side {
                Some((square, side)) if square.implies(side, n, present) => return None,
                Some((square, Diagonal::On)) if n == square.rows => range(&axis.name, present)
                    .filter(|_| present.len() < axis.length)
                    .or_else(|| some_of(axis, present)),
                _ => some_of(axis, present),
            };
            match words {
                Some(words) => Some(Along {
                    axis: n,
                    words,
                    kept: present.clone(),
                }),
                None => bounds(n, axis, present),
            }
        })
        .collect()
}

/// Describes the first and the last index along an axis, if they leave out at least a quarter of it.
fn bounds(n: usize, axis: &Axis, present: &[usize]) -> Option<Along> {
    let (&first, &last) = (present.first()?, present.last()?);
    let length = last - first + 1;
    (length * 4 <= axis.length * 3).then(|| Along {
        axis: n,
        words: format!("{}s {first}..{last} only", axis.name),
        kept: (first..=last).collect(),
    })
}

/// Describes indices without a gap: "rows 2..15", "row 3".
fn range(name: &str, present: &[usize]) -> Option<String> {
    let (&first, &last) = (present.first()?, present.last()?);
    match last - first + 1 {
        1 => Some(format!("{name} {first}")),
        n if n == present.len() => Some(format!("{name}s {first}..{last}")),
        _ => None,
    }
}

/// Returns the indices along each axis with a marked element.
fn present(axes: &[Axis], at: &[usize]) -> Vec<Vec<usize>> {
    let strides = tensor::strides(axes);
    axes.iter()
        .zip(strides)
        .map(|(axis, stride)| {
            let mut seen = vec![false; axis.length];
            for flat in at {
                seen[flat / stride % axis.length] = true;
            }
            (0..axis.length).filter(|&i| seen[i]).collect()
        })
        .collect()
}

/// Describes how the marked indices are restricted along one axis of several.
fn some_of(axis: &Axis, present: &[usize]) -> Option<String> {
    let (name, length) = (&axis.name, axis.length);
    let (&first, &last) = (present.first()?, present.last()?);
    if present.len() == length {
        return None;
    }
    if let [only] = present {
        return Some(format!("{name} {only} only"));
    }
    if last - first + 1 == present.len() {
        return Some(match (first, last + 1 == length) {
            (1, true) => format!("second {name} on"),
            (_, true) => format!("{name} {first} on"),
            _ => format!("{name}s {first}..{last} only"),
        });
    }
    if let Some(words) = periodic(name, present, length) {
        return Some(words);
    }
    let is_absent = |i: &usize| present.binary_search(i).is_err();
    let absent: Vec<usize> = (0..length).filter(is_absent).collect();
    match (absent.as_slice(), present) {
        ([missing], _) => Some(format!("every {name} but {missing}")),
        (_, few) if few.len() <= 4 => {
            let list: Vec<String> = few.iter().map(usize::to_string).collect();
            Some(format!("{name}s {} only", list.join(", ")))
        }
        _ => None,
    }
}

/// Describes periodic indices: "every 32nd column from 0", "rows 8..15 of every 16".
fn periodic(name: &str, present: &[usize], length: usize) -> Option<String> {
    let (&first, &second) = (present.first()?, present.get(1)?);
    let step = second - first;
    if step > 1
        && first < step
        && present.len() > 2
        && present.iter().copied().eq((first..length).step_by(step))
    {
        return Some(format!("every {} {name} from {first}", ordinal(step)));
    }
    let mut periods = (1..=8)
        .map(|power| 1usize << power)
        .filter(|&period| period * 2 <= length);
    periods.find_map(|period| {
        let last = present.iter().map(|i| i % period).max()?;
        let low = present.iter().map(|i| i % period).min()?;
        let band = (0..length).filter(|i| (low..=last).contains(&(i % period)));
        let whole = last - low + 1 < period && last > low && band.eq(present.iter().copied());
        whole.then(|| format!("{name}s {low}..{last} of every {period}"))
    })
}

/// Describes marks along the only axis of a tensor, where blocks, waves and lanes of a launch show.
fn along_one(axis: &Axis, at: &[usize]) -> Option<String> {
    let (&first, &last) = (at.first()?, at.last()?);
    if last + 1 == axis.length && last - first + 1 == at.len() && first > 1 {
        return Some(tail(axis.length, first));
    }
    let words = some_of(axis, at);
    match (words, period(at, axis.length)) {
        (Some(words), Some((64, lane))) => Some(format!("{words} (lane {lane})")),
        (words, _) => words,
    }
}

/// Describes marks in memory order, for tensors of several axes that show no pattern along them.
fn along_flat(length: usize, at: &[usize]) -> Option<String> {
    let (&first, &last) = (at.first()?, at.last()?);
    if last - first + 1 == at.len() {
        return Some(if last + 1 == length {
            tail(length, first)
        } else {
            format!("elements {first}..{last} in memory order only")
        });
    }
    let (step, from) = period(at, length)?;
    Some(format!(
        "every {} element in memory order from {from}",
        ordinal(step)
    ))
}

/// Returns the step and the start of marks that repeat to the end.
fn period(at: &[usize], length: usize) -> Option<(usize, usize)> {
    let (&first, &second) = (at.first()?, at.get(1)?);
    let step = second - first;
    (step > 1
        && first < step
        && at.len() > 2
        && at.iter().copied().eq((first..length).step_by(step)))
    .then_some((step, first))
}

/// Describes the range from `first` to the end, with the block size whose last, partial block the range is.
fn tail(length: usize, first: usize) -> String {
    let blocks = [1024, 512, 256, 128, 64, 32, 16];
    let partial = blocks
        .into_iter()
        .find(|block| !length.is_multiple_of(*block) && length / block * block == first);
    match partial {
        Some(block) => format!("the tail from {first} on (the last, partial block of {block})"),
        None => format!("the tail from {first} on"),
    }
}

fn ordinal(n: usize) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests;
