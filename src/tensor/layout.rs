//! Memory layout of a tensor on the device: the order of its axes, and the distance between rows.

/// The memory layout of a tensor on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Distance in elements between neighbours along each axis, in the contract's order of axes.
    pub strides: Vec<usize>,
    /// Lengths of the axes, in the contract's order.
    pub lengths: Vec<usize>,
    /// Axis numbers, the outermost in memory first.
    pub order: Vec<usize>,
    /// Elements of the buffer, padding between rows included.
    pub count: usize,
}

impl Layout {
    /// Makes a layout with the outermost axis first in `order` and rows of the innermost axis `pitch` elements apart
    /// (without a pitch, rows are dense). Returns none if `order` is no permutation of the axes, if the pitch is
    /// shorter than a row, or if there are too many elements.
    pub fn new(lengths: &[usize], order: &[usize], pitch: Option<usize>) -> Option<Layout> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if sorted != (0..lengths.len()).collect::<Vec<_>>() {
            return None;
        }
        let mut strides = vec![0; lengths.len()];
        let mut step = 1usize;
        for (place, &axis) in order.iter().rev().enumerate() {
            strides[axis] = step;
            let length = match (place, pitch) {
                (0, Some(pitch)) if pitch < lengths[axis] => return None,
                (0, Some(pitch)) => pitch,
                _ => lengths[axis],
            };
            step = step.checked_mul(length)?;
        }
        Some(Layout {
            strides,
            lengths: lengths.to_vec(),
            order: order.to_vec(),
            count: step,
        })
    }

    /// Makes the contract's own dense layout.
    pub fn plain(lengths: &[usize]) -> Layout {
        let mut strides = vec![1; lengths.len()];
        for axis in (1..lengths.len()).rev() {
            strides[axis - 1] = strides[axis] * lengths[axis];
        }
        Layout {
            strides,
            lengths: lengths.to_vec(),
            order: (0..lengths.len()).collect(),
            count: lengths.iter().product(),
        }
    }

    /// Returns true if the layout is the contract's own.
    pub fn is_plain(&self) -> bool {
        let plain = Layout::plain(&self.lengths);
        (&self.strides, self.count) == (&plain.strides, plain.count)
    }

    /// Returns the device index of each element, in the contract's order.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        let total: usize = self.lengths.iter().product();
        let mut index = vec![0usize; self.lengths.len()];
        let mut place = 0;
        (0..total).map(move |_| {
            let here = place;
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                place += self.strides[axis];
                if index[axis] < self.lengths[axis] {
                    break;
                }
                place -= self.strides[axis] * self.lengths[axis];
                index[axis] = 0;
            }
            here
        })
    }

    /// Returns the device indices of the padding elements between rows.
    pub fn between(&self) -> Vec<usize> {
        if self.count == self.lengths.iter().product::<usize>() {
            return Vec::new();
        }
        let mut used = vec![false; self.count];
        self.places().for_each(|place| used[place] = true);
        let places = used.iter().enumerate();
        places
            .filter_map(|(place, used)| (!used).then_some(place))
            .collect()
    }

    /// Writes a tensor's bytes in the device layout into `device`. The padding keeps the bytes that `device` already
    /// has.
    pub fn spread(&self, contract: &[u8], size: usize, device: &mut [u8]) {
        for (element, place) in contract.chunks_exact(size).zip(self.places()) {
            device[place * size..][..size].copy_from_slice(element);
        }
    }

    /// Returns the bytes of a tensor in the contract's order.
    pub fn gather(&self, device: &[u8], size: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lengths.iter().product::<usize>() * size);
        for place in self.places() {
            out.extend_from_slice(&device[place * size..][..size]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_comes_back_as_it_went() {
        let lengths = [2, 3, 4];
        let data: Vec<u8> = (0..24).collect();
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            for pitch in [None, Some(4), Some(7)] {
                let layout = Layout::new(&lengths, &order, pitch).expect("an order");
                let mut device = vec![99; layout.count];
                layout.spread(&data, 1, &mut device);
                assert_eq!(layout.gather(&device, 1), data, "{order:?} {pitch:?}");
                let between = device.iter().filter(|byte| **byte == 99).count();
                assert_eq!(between, layout.count - 24);
                let gaps = layout.between();
                assert_eq!(gaps.len(), between);
                assert!(gaps.iter().all(|&place| device[place] == 99));
                let plain = order == [0, 1, 2] && layout.count == 24;
                assert_eq!(layout.is_plain(), plain, "{order:?} {pitch:?}");
            }
        }
        // The last axis is outermost: element (0, 0, 1) stands one 2 x 3 matrix behind the first element.
        let turned = Layout::new(&lengths, &[2, 0, 1], None).expect("an order");
        assert_eq!(turned.strides, [3, 1, 6]);
    }

    #[test]
    fn what_is_no_order_is_none() {
        assert_eq!(Layout::new(&[2, 3], &[0, 0], None), None);
        assert_eq!(Layout::new(&[2, 3], &[0], None), None);
        assert_eq!(Layout::new(&[2, 3], &[0, 1], Some(2)), None);
        assert_eq!(Layout::new(&[2, usize::MAX], &[1, 0], None), None);
    }
}
