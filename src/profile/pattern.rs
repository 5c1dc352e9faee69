//! The access pattern of one execution of a memory instruction: runs of neighbours that begin a pitch apart.

use gfx906::observe::costs::Example;
use gfx906::observe::costs::banks;

/// The largest padding of a row that is tried, in elements.
const MOST_PADDING: u64 = 8;

/// A pattern of lanes in runs of neighbours, each run a multiple of the pitch after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Lanes of the longest run.
    pub run: usize,
    /// Bytes from a run to the next.
    pub pitch: u64,
}

/// Returns the addresses of the active lanes' elements, in the order of the lanes.
fn places(example: &Example) -> Vec<u64> {
    let lanes = example.at.iter().enumerate();
    let on = lanes.filter(|(lane, _)| example.lanes >> lane & 1 != 0);
    on.map(|(_, &at)| at).collect()
}

/// Returns the start and the lane count of each run. Neighbours have equal or adjacent addresses.
fn runs(places: &[u64], bytes: u64) -> Vec<(u64, usize)> {
    let mut runs: Vec<(u64, usize)> = Vec::new();
    let mut last = None;
    for &at in places {
        let follows = last.is_some_and(|last| at == last || at == last + bytes);
        match runs.last_mut().filter(|_| follows) {
            Some((_, count)) => *count += 1,
            None => runs.push((at, 1)),
        }
        last = Some(at);
    }
    runs
}

/// Finds the pattern of at least two runs that are multiples of a pitch apart.
pub fn pattern(example: &Example) -> Option<Pattern> {
    let runs = runs(&places(example), example.bytes);
    let starts = runs.windows(2).map(|pair| pair[0].0.abs_diff(pair[1].0));
    let mut steps: Vec<u64> = starts.filter(|&step| step != 0).collect();
    steps.sort_unstable();
    let pitch = steps
        .chunk_by(|a, b| a == b)
        .max_by_key(|same| same.len())?[0];
    let first = runs.iter().map(|run| run.0).min()?;
    let whole = runs.iter().all(|run| (run.0 - first) % pitch == 0);
    let longest = runs.iter().map(|run| run.1).max()?;
    whole.then_some(Pattern {
        run: longest,
        pitch,
    })
}

/// Finds the smallest padding of a row, in bytes, that removes the most bank conflicts; none if no padding removes any.
pub fn padding(example: &Example, pattern: Pattern) -> Option<u64> {
    let element = example.bytes.max(4);
    let first = places(example).into_iter().min()?;
    let cycles = |more: u64| {
        let moved = example.at.map(|at| {
            let row = at.saturating_sub(first) / pattern.pitch;
            at + row * more
        });
        banks::cycles(example.lanes, &moved, example.bytes, false).taken
    };
    let now = cycles(0);
    let (_, best) = (1..=MOST_PADDING)
        .map(|n| (cycles(n * element), n * element))
        .min()
        .filter(|(least, _)| *least < now)?;
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(at: impl Fn(u64) -> u64, bytes: u64) -> Example {
        Example {
            excess: 1,
            group: 0,
            lanes: !0,
            at: std::array::from_fn(|lane| at(lane as u64)),
            bytes,
        }
    }

    #[test]
    fn strides_and_rows_are_found() {
        let found = |at: &dyn Fn(u64) -> u64, bytes| pattern(&example(at, bytes));
        let of = |run, pitch| Some(Pattern { run, pitch });
        assert_eq!(found(&|lane| 512 * lane, 4), of(1, 512));
        assert_eq!(
            found(&|lane| 64 + 128 * (lane / 8) + 4 * (lane % 8), 4),
            of(8, 128)
        );
        assert_eq!(found(&|lane| 128 * (lane % 32), 4), of(1, 128));
        assert_eq!(found(&|lane| 128 * (lane / 16), 4), of(16, 128));
        assert_eq!(found(&|lane| 4 * lane, 4), None);
        assert_eq!(found(&|lane| 100 * lane + 40 * (lane / 3), 4), None);
    }

    #[test]
    fn an_element_more_a_row_is_the_padding() {
        let pad = |at: &dyn Fn(u64) -> u64, bytes| {
            let example = example(at, bytes);
            padding(&example, pattern(&example)?)
        };
        assert_eq!(pad(&|lane| 128 * lane, 4), Some(4));
        assert_eq!(pad(&|lane| 16 * 32 * lane, 16), Some(16));
        // Four columns of 16 rows: four dwords more a row.
        assert_eq!(pad(&|lane| 128 * (lane / 4) + 4 * (lane % 4), 4), Some(16));
        assert_eq!(pad(&|lane| 132 * lane, 4), None);
    }
}
