//! Alignment of the columns of several tables within the available width.

use comfy_table::{ColumnConstraint, ContentArrangement, Table as Grid, Width};

/// The columns that are left out of narrow tables, the most dispensable first.
const DISPENSABLE: [&str; 9] = [
    "wave instr",
    "kernels",
    "max ULP",
    "rel RMS",
    "f64 error",
    "time",
    "ceiling",
    "headroom",
    "tolerance",
];
/// Columns whose text may be broken into lines: the name and the shape.
const BROKEN: [usize; 2] = [1, 2];
/// The least width of such a column.
const LEAST: u16 = 12;
/// The widths that such columns keep while other columns can be left out.
const ENOUGH: [u16; 2] = [30, 24];

/// Sets the widths of all columns, and returns the names of the columns that are left out.
pub(super) fn align(grids: &mut [Grid], room: Option<usize>) -> Vec<String> {
    let mut widths: Vec<u16> = Vec::new();
    for grid in grids.iter() {
        let found = grid.column_max_content_widths();
        widths.resize(widths.len().max(found.len()), 0);
        for (width, found) in widths.iter_mut().zip(found) {
            *width = found.max(*width);
        }
    }
    let names: Vec<String> = grids
        .first()
        .and_then(Grid::header)
        .map_or_else(Vec::new, |row| {
            row.cell_iter().map(|cell| cell.content()).collect()
        });
    // Columns are two spaces apart, and the line under the header is one character longer than the last column.
    let mut shown = vec![true; widths.len()];
    let whole = |widths: &[u16], shown: &[bool]| -> usize {
        let columns = widths.iter().zip(shown).filter(|(_, shown)| **shown);
        columns
            .map(|(width, _)| usize::from(*width) + 2)
            .sum::<usize>()
            .saturating_sub(1)
    };
    let room = room.unwrap_or(usize::MAX);
    let at_most = |limits: [u16; 2]| {
        let mut widths = widths.clone();
        for (at, limit) in BROKEN.into_iter().zip(limits) {
            if let Some(width) = widths.get_mut(at) {
                *width = limit.min(*width);
            }
        }
        widths
    };
    let (enough, least) = (at_most(ENOUGH), at_most([LEAST; 2]));
    for name in DISPENSABLE {
        // The columns of the judgement are dropped last.
        let judges = ["headroom", "tolerance"].contains(&name);
        let wanted = if judges { &least } else { &enough };
        if whole(wanted, &shown) <= room {
            break;
        }
        if let Some(at) = names.iter().position(|known| known == name) {
            shown[at] = false;
        }
    }
    if let [name, shape] = BROKEN
        && let (Some(&names), Some(&shapes)) = (widths.get(name), widths.get(shape))
    {
        let over = whole(&widths, &shown).saturating_sub(room);
        let left = (names + shapes).saturating_sub(u16::try_from(over).unwrap_or(u16::MAX));
        // Each column gets half of the rest, and the part that the other column does not need.
        let names = names.min(left.saturating_sub(shapes).max(left / 2).max(LEAST));
        widths[name] = names;
        widths[shape] = shapes.min(left.saturating_sub(names).max(LEAST));
    }
    for grid in grids {
        grid.set_content_arrangement(match room {
            usize::MAX => ContentArrangement::Disabled,
            _ => ContentArrangement::Dynamic,
        });
        if let Ok(room) = u16::try_from(room) {
            grid.set_width(room);
        }
        for ((column, &width), &shown) in grid.column_iter_mut().zip(&widths).zip(&shown) {
            let width = width.saturating_add(column.padding_width());
            column.set_constraint(match (shown, room) {
                (false, _) => ColumnConstraint::Hidden,
                (true, usize::MAX) => ColumnConstraint::LowerBoundary(Width::Fixed(width)),
                (true, _) => ColumnConstraint::Absolute(Width::Fixed(width)),
            });
        }
    }
    let out = names.into_iter().zip(shown).filter(|(_, shown)| !shown);
    out.map(|(name, _)| name).collect()
}
