use super::*;
use crate::code_object::CodeObject;

/// Returns `reduce`, compiled for blocks of at most 256, with `lds` bytes of static LDS and an optional required block.
fn reduce(lds: u32, required: Option<[u32; 3]>) -> Kernel {
    let bytes = include_bytes!("../../../tests/data/v5.co");
    let object = CodeObject::parse(bytes).expect("it is good");
    let kernel = object.kernel("reduce").expect("it is there");
    Kernel {
        lds_size: lds,
        required_work_group_size: required,
        ..kernel.clone()
    }
}

fn shape(grid: [u32; 3], block: [u32; 3], dynamic_lds: u64) -> LaunchShape {
    LaunchShape {
        grid,
        block,
        dynamic_lds,
    }
}

#[test]
fn what_may_run_has_an_extent() {
    let extent = shape([3, 4, 5], [64, 2, 2], 24).check(&reduce(1000, None));
    let wanted = Extent {
        groups: 60,
        work_items: 256,
        lds: 1024,
    };
    assert_eq!(extent, Ok(wanted));
    // The launch uses the last byte of LDS and the last work-item of a dispatch.
    let kernel = reduce(65_000, Some([1, 1, 1]));
    let extent = shape([u32::MAX; 3], [1, 1, 1], 536).check(&kernel);
    let extent = extent.expect("it fits");
    assert_eq!((extent.lds, extent.groups), (65_536, u64::MAX));
}

#[test]
fn what_may_not_run_is_told_in_a_line() {
    let max = u32::MAX;
    for (shape, kernel, message) in [
        (
            shape([1, 0, 1], [64, 1, 1], 0),
            reduce(0, None),
            "grid [1, 0, 1] of blocks [64, 1, 1] is empty",
        ),
        (
            shape([1, 1, 1], [64, 1, 0], 0),
            reduce(0, None),
            "grid [1, 1, 1] of blocks [64, 1, 0] is empty",
        ),
        (
            shape([1, 1, 1], [max, max, max], 0),
            reduce(0, None),
            "block [4294967295, 4294967295, 4294967295] is 18446744073709551615 work-items, a work-group has at most 1024",
        ),
        (
            shape([1, 1, 1], [257, 1, 1], 0),
            reduce(0, Some([256, 1, 1])),
            "block [257, 1, 1] is 257 work-items, it was compiled for at most 256",
        ),
        (
            shape([1, 1, 1], [1, 64, 1], 0),
            reduce(0, Some([64, 1, 1])),
            "block [1, 64, 1], but it was compiled for [64, 1, 1] only",
        ),
        (
            shape([1, 1 << 26, 1], [1, 64, 1], 0),
            reduce(0, None),
            "67108864 work-groups of 64 along y are more than the 4294967295 work-items that a dispatch counts",
        ),
        (
            shape([1, 1, 1], [1, 1, 1], 65_537),
            reduce(0, None),
            "65537 bytes of LDS (0 of its own, 65537 dynamic), a work-group has at most 65536",
        ),
        (
            shape([1, 1, 1], [1, 1, 1], u64::MAX),
            reduce(8, None),
            "18446744073709551615 bytes of LDS (8 of its own, 18446744073709551615 dynamic), a work-group has at most 65536",
        ),
        (
            shape([1, 1, 1], [1, 1, 1], 0),
            Kernel {
                private_segment_size: MAX_SCRATCH + 4,
                ..reduce(0, None)
            },
            "131076 bytes of scratch a work-item, the hardware has at most 131072",
        ),
    ] {
        let error = shape.check(&kernel).expect_err(message);
        assert_eq!(error.to_string(), format!("kernel `reduce`: {message}"));
    }
}
