//! Launch grids as the document has them, and which work-item owns which element under each.

use crate::verdict::Owner;

/// Work-items of a one-dimensional work-group.
const LINE: u32 = 256;
/// Side of a two-dimensional work-group.
const TILE: u32 = 16;

/// A grid, its work-groups, and what each work-item computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    owns: Owns,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owns {
    /// Work-item i computes element i.
    Element,
    /// Work-item (x, y) computes row y, column x of a matrix this wide.
    Cell { columns: usize },
    /// Work-item (x, y) computes row x, column y of a matrix this wide.
    Transposed { columns: usize },
    /// One work-item computes everything.
    Everything,
    /// Not said.
    Unsaid,
}

/// One work-item for each of `n` elements, in groups of 256.
pub fn line(n: usize) -> Grid {
    Grid {
        grid: [groups(n, LINE), 1, 1],
        block: [LINE, 1, 1],
        owns: Owns::Element,
    }
}

/// One work-item for each cell of a `rows` x `columns` matrix, columns along x, in groups of 16 x 16.
pub fn matrix(rows: usize, columns: usize) -> Grid {
    let grid = [groups(columns, TILE), groups(rows, TILE), 1];
    Grid {
        grid,
        block: [TILE, TILE, 1],
        owns: Owns::Cell { columns },
    }
}

/// The grid of [`matrix`] over the input of a transpose: each work-item writes the mirrored cell.
pub fn transposing(rows: usize, columns: usize) -> Grid {
    Grid {
        owns: Owns::Transposed { columns: rows },
        ..matrix(rows, columns)
    }
}

/// A single work-item.
pub fn sequential() -> Grid {
    Grid {
        grid: [1; 3],
        block: [1; 3],
        owns: Owns::Everything,
    }
}

impl Grid {
    /// Work-groups in three dimensions, of so many work-items in a row; which computes what is the kernel's own affair.
    pub fn of(groups: [usize; 3], items: usize) -> Grid {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Grid {
            grid: groups.map(count),
            block: [count(items), 1, 1],
            owns: Owns::Unsaid,
        }
    }

    /// Work-groups and work-items of a group; which computes what is the kernel's own affair.
    pub fn unsaid(grid: [u32; 3], block: [u32; 3]) -> Grid {
        Grid {
            grid,
            block,
            owns: Owns::Unsaid,
        }
    }

    /// The same grid with x and y exchanged: the document's Appendix C.
    pub fn swapped(self) -> Grid {
        let [x, y, z] = self.grid;
        Grid {
            grid: [y, x, z],
            ..self
        }
    }

    /// The work-item that computes the element at a flat position of what the launch writes, where the grid says.
    pub fn owner(&self, launch: usize, flat: usize) -> Option<Owner> {
        let item = match self.owns {
            Owns::Element => [flat, 0],
            Owns::Cell { columns } => [flat % columns, flat / columns],
            Owns::Transposed { columns } => [flat / columns, flat % columns],
            Owns::Everything => [0, 0],
            Owns::Unsaid => return None,
        };
        let item = item.map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let [width, height, _] = self.block;
        Some(Owner {
            launch,
            work_group: [item[0] / width, item[1] / height, 0],
            work_item: [item[0] % width, item[1] % height, 0],
        })
    }
}

/// How many groups of `size` cover `n`.
fn groups(n: usize, size: u32) -> u32 {
    u32::try_from(n.div_ceil(size as usize)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ragged_sizes_take_one_more_group() {
        assert_eq!(line(256).grid, [1, 1, 1]);
        assert_eq!(line(257).grid, [2, 1, 1]);
        assert_eq!(matrix(17, 33).grid, [3, 2, 1]);
        assert_eq!(matrix(17, 33).swapped().grid, [2, 3, 1]);
    }

    #[test]
    fn a_transpose_is_owned_by_the_mirrored_work_item() {
        // The input is 17 x 33, the output 33 x 17: output (20, 3) comes from input (3, 20).
        let owner = transposing(17, 33).owner(4, 20 * 17 + 3).expect("it says");
        assert_eq!(
            (owner.launch, owner.work_group, owner.work_item),
            (4, [1, 0, 0], [4, 3, 0])
        );
        let owner = matrix(33, 17).owner(0, 20 * 17 + 3).expect("it says");
        assert_eq!((owner.work_group, owner.work_item), ([0, 1, 0], [3, 4, 0]));
    }
}
