//! A tensor as a kernel wants it: its axes in another order, its rows further apart.

/// Where the elements of a tensor stand on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Elements from one to the next, for each axis of the contract's order.
    pub strides: Vec<usize>,
    /// Lengths of the axes, in the contract's order.
    pub lengths: Vec<usize>,
    /// The axes by number, the outermost in memory first.
    pub order: Vec<usize>,
    /// Elements in all, those between rows among them.
    pub count: usize,
}

impl Layout {
    /// Axes of these lengths, the outermost first in `order`, rows of the innermost `pitch` elements apart (its length if none).
    /// Nothing where that is no order of the axes, the pitch is shorter than a row, or there are too many elements.
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

    /// The contract's own order.
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

    /// Whether it is the contract's own.
    pub fn is_plain(&self) -> bool {
        let plain = Layout::plain(&self.lengths);
        (&self.strides, self.count) == (&plain.strides, plain.count)
    }

    /// The place on the device of each element in the contract's order.
    fn places(&self) -> impl Iterator<Item = usize> {
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

    /// The elements between rows, which are nobody's, by their place on the device.
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

    /// The bytes of a tensor as the device has them; `device` holds what stands between rows.
    pub fn spread(&self, contract: &[u8], size: usize, device: &mut [u8]) {
        for (element, place) in contract.chunks_exact(size).zip(self.places()) {
            device[place * size..][..size].copy_from_slice(element);
        }
    }

    /// The bytes of a tensor in the contract's order.
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
        // The last axis outermost: element (0, 0, 1) stands a matrix of 2 x 3 behind the first.
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
