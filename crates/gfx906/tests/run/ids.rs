//! Tests of work-item and work-group ids of launches in one, two and three dimensions.

use crate::device::{Arg, Device};
use gfx906::machine::Limits;

const IDS: &[u8] = include_bytes!("../data/ids.co");

/// Runs the kernel and returns the ids that each work-item read: x, y, z of the item, then of the group.
fn ids(grid: [u32; 3], block: [u32; 3]) -> Vec<[u32; 6]> {
    let device = Device::new(IDS);
    let items = grid.iter().chain(&block).product::<u32>() as usize;
    let out = device.floats("out", &vec![f32::NAN; 6 * items]);
    device
        .launch(
            "ids",
            grid,
            block,
            &[Arg::Pointer(out)],
            Limits::default(),
            0,
        )
        .expect("it runs");
    let values = device.read(out, 6 * items);
    let item = |ids: &[f32]| std::array::from_fn(|n| ids[n].to_bits());
    values.chunks_exact(6).map(item).collect()
}

/// Returns the position of the `n`th element of a box, with x fastest.
fn position(n: u32, size: [u32; 3]) -> [u32; 3] {
    [n % size[0], n / size[0] % size[1], n / size[0] / size[1]]
}

#[test]
fn items_count_x_first_within_their_group_and_groups_within_the_grid() {
    let shapes = [
        ([3, 1, 1], [100, 1, 1]),
        ([2, 3, 1], [16, 9, 1]),
        ([2, 3, 4], [5, 6, 7]),
        ([1, 1, 5], [1, 1, 65]),
        ([1, 2, 1], [1, 300, 1]),
    ];
    for (grid, block) in shapes {
        let size = block.iter().product::<u32>();
        for (n, ids) in (0u32..).zip(ids(grid, block)) {
            let (item, group) = (position(n % size, block), position(n / size, grid));
            let want = [item, group].concat();
            assert_eq!(ids[..], want, "item {n} of {grid:?} x {block:?}");
        }
    }
}
