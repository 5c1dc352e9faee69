//! Named axes, and positions of elements: flat indices, and indices along the axes.

use serde::{Deserialize, Serialize};

/// One named axis of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// The thing that the axis counts, such as `row`, `token` or `head`.
    pub name: String,
    /// The number of indices along the axis.
    pub length: usize,
}

impl Axis {
    /// Makes an axis of a name and a length.
    pub fn new(name: impl Into<String>, length: usize) -> Axis {
        Axis {
            name: name.into(),
            length,
        }
    }
}

/// Returns the number of elements of a tensor with these axes.
pub fn count(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.length).product()
}

/// Returns the index along each axis of the element at a flat position. The last axis runs fastest.
pub fn index(axes: &[Axis], flat: usize) -> Vec<usize> {
    let mut index = vec![0; axes.len()];
    let mut rest = flat;
    for (slot, axis) in index.iter_mut().zip(axes).rev() {
        *slot = rest % axis.length.max(1);
        rest /= axis.length.max(1);
    }
    index
}

/// Returns the number of flat positions in one step along each axis.
pub fn strides(axes: &[Axis]) -> Vec<usize> {
    let mut strides = vec![1; axes.len()];
    for at in (1..axes.len()).rev() {
        strides[at - 1] = strides[at] * axes[at].length;
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_runs_fastest() {
        let axes = [
            Axis::new("head", 2),
            Axis::new("row", 3),
            Axis::new("column", 5),
        ];
        assert_eq!(count(&axes), 30);
        assert_eq!(strides(&axes), [15, 5, 1]);
        for flat in 0..30 {
            let at = index(&axes, flat);
            assert_eq!(at[0] * 15 + at[1] * 5 + at[2], flat);
        }
    }
}
