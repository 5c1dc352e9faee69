use super::*;
use crate::code_object::CodeObject;

/// Returns a kernel with two pointers, values of 4, 8, 8 and 1 bytes at 16, 20, 32 and 40, and hidden arguments from 48.
fn axpy() -> Kernel {
    let bytes = include_bytes!("../../../tests/data/v5.co");
    let object = CodeObject::parse(bytes).expect("it is good");
    object.kernel("axpy").expect("it is there").clone()
}

#[test]
fn arguments_stand_where_the_metadata_says() {
    let kernel = axpy();
    let mut kernarg = Kernarg::new(&kernel, 6).expect("it takes six");
    let places: Vec<usize> = [8, 8, 4, 8, 8, 1]
        .into_iter()
        .enumerate()
        .map(|(index, size)| {
            kernarg
                .put(index, &vec![index as u8 + 1; size])
                .expect("its size")
        })
        .collect();
    assert_eq!(places, [0, 8, 16, 20, 32, 40]);
    let bytes = kernarg.into_bytes();
    let mut wanted = [[1; 8], [2; 8]].concat();
    wanted.extend([3; 4]);
    wanted.extend([4; 8]);
    wanted.extend([0; 4]);
    wanted.extend([5; 8]);
    wanted.push(6);
    assert_eq!(bytes, wanted);
    // Hidden arguments follow. The first three are the numbers of work-groups in x, y and z.
    let hidden = |hidden: &HiddenArg| match hidden {
        HiddenArg::BlockCountX => 0x0102_0304,
        HiddenArg::GroupSizeX => 0xffff_ffff_0000_0040,
        _ => 0,
    };
    let segment = kernel.kernarg_segment(&bytes, hidden).expect("enough");
    assert_eq!(segment[..41], bytes);
    assert_eq!(segment[48..52], [4, 3, 2, 1]);
    assert_eq!(segment[60..64], [0x40, 0, 0, 0], "two bytes, and no more");
    assert!(segment.len() >= 304 + 64);
}

#[test]
fn what_is_no_argument_of_the_kernel_is_told_in_a_line() {
    let kernel = axpy();
    let message = |error: KernargError| error.to_string();
    let count = Kernarg::new(&kernel, 5).expect_err("six");
    assert_eq!(message(count), "kernel `axpy` takes 6 arguments, 5 given");
    let mut kernarg = Kernarg::new(&kernel, 6).expect("it takes six");
    for (index, given, takes) in [(0, 4, 8), (2, 8, 4), (5, 0, 1), (6, 4, 0), (6, 0, 0)] {
        let size = kernarg
            .put(index, &vec![0; given])
            .expect_err("another size");
        let line = format!("argument {index} of kernel `axpy` has {takes} bytes, {given} given");
        assert_eq!(message(size), line);
    }
    let short = kernel.explicit_kernarg(&[0; 40]).expect_err("41");
    assert_eq!(
        message(short.clone()),
        "kernel `axpy` takes 41 bytes of arguments, 40 given"
    );
    assert_eq!(kernel.kernarg_segment(&[0; 40], |_| 0), Err(short));
    assert_eq!(kernel.explicit_kernarg(&[1; 50]), Ok(&[1; 41][..]));
    // Two explicit arguments overlap, and then a hidden argument overlaps an explicit one.
    for (index, offset) in [(1, 7), (6, 40)] {
        let mut damaged = kernel.clone();
        damaged.args[index].offset = offset;
        let error = Kernarg::new(&damaged, 6).expect_err("overlapping");
        assert!(
            message(error).starts_with("kernel `axpy`: its metadata has two arguments at byte "),
            "{index}"
        );
    }
}
