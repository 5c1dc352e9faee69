use super::*;

fn launch<'k>(kernarg: &'k [u8], grid: u32, block: u32) -> Launch<'k> {
    Launch {
        kernel: "k",
        grid: [grid, 1, 1],
        block: [block, 2, 1],
        dynamic_lds: 0,
        kernarg,
        cooperative: false,
    }
}

#[test]
fn bounds_are_those_of_all_launches() {
    let bytes = |words: [u32; 3]| words.map(u32::to_le_bytes).concat();
    let mut bounds = Bounds::of(&launch(&bytes([7, 0, 9]), 3, 64));
    bounds.take(&launch(&bytes([5, 2, 9]), 1, 256));
    assert_eq!(bounds.words, [(5, 7), (0, 2), (9, 9)]);
    assert_eq!(bounds.block, [(64, 256), (2, 2), (1, 1)]);
    // Launches may be twice as large, but on an axis where there is one group.
    assert_eq!([0, 1, 2].map(|axis| bounds.groups(axis)), [6, 1, 1]);
}

#[test]
fn sizes_may_be_anything_from_one_to_twice_the_largest_and_what_is_no_size_anything() {
    let taken_of = |least, most| taken((least, most), true);
    assert_eq!(taken_of(5, 7), Some((1, 14, u32::MAX)));
    assert_eq!(taken_of(0, 7), Some((0, 14, u32::MAX)));
    assert_eq!(taken_of(0, 0), None);
    // 1.0 is no size, nor is -1.
    assert_eq!(taken_of(1.0f32.to_bits(), 1.0f32.to_bits()), None);
    assert_eq!(taken_of(0, u32::MAX), None);
}

#[test]
fn an_address_that_was_never_none_is_none_of_the_lowest() {
    assert_eq!(taken_address((2, 0x7f10)), Some((1, 0xffff, 0xffff)));
    assert_eq!(taken_address((0, 0x7f10)), None);
    assert_eq!(taken_address((2, 0x1_0000)), None);
}

#[test]
fn what_is_the_same_in_many_launches_is_that() {
    let bytes = |words: [u32; 3]| words.map(u32::to_le_bytes).concat();
    let mut bounds = Bounds::of(&launch(&bytes([64, 1, 0]), 1, 64));
    let taken = |bounds: &Bounds| {
        let enough = bounds.handed.len() >= ENOUGH;
        [0, 1].map(|at| taken(bounds.words[at], enough))
    };
    // The same launch again and again says nothing more.
    for _ in 0..ENOUGH {
        bounds.take(&launch(&bytes([64, 1, 0]), 1, 64));
    }
    assert_eq!(taken(&bounds)[0], Some((1, 128, u32::MAX)));
    for other in 2..=ENOUGH as u32 {
        bounds.take(&launch(&bytes([64, other, 0]), 1, 64));
    }
    assert_eq!(
        taken(&bounds),
        [Some((64, 64, 64)), Some((1, 20, u32::MAX))]
    );
}

#[test]
fn a_kernels_segment_has_bounds_where_numbers_stand_and_says_of_addresses_that_there_is_one() {
    let program = Program::built_in().expect("built in");
    let kernel = program.object.kernel("kernel_exp").expect("a kernel");
    // in, out, n
    let words = [[1, 2], [3, 4], [100, 0]].concat();
    let kernarg: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let bounds = Bounds::of(&launch(&kernarg[..20], 3, 64));
    let segment = bounds.segment(kernel);
    const SOME: Option<Taken> = Some((1, 0xffff, 0xffff));
    assert_eq!(
        segment[..5],
        [None, SOME, None, SOME, Some((1, 200, u32::MAX))]
    );
    // Behind them the numbers of groups, then the sizes of x and y in one word.
    let hidden = kernel
        .args
        .iter()
        .find(|arg| arg.kind == ArgKind::Hidden(HiddenArg::BlockCountX));
    let at = hidden.expect("a hidden argument").offset as usize / 4;
    assert_eq!(
        segment[at..at + 3],
        [Some((1, 6, 7)), Some((1, 1, 1)), Some((1, 1, 1))]
    );
    assert_eq!(segment[at + 3], Some((0x2_0040, 0x2_0040, 0x3_007f)));
}
