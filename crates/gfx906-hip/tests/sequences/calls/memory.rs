//! Pools, mapped memory and arrays in a random program: creation, use, misuse and destruction.

use gfx906_hip::api::*;
use gfx906_hip::boundary::In;

use super::*;

/// The device as a location, and its access to read and write.
const HERE: [u32; 2] = [1, 0];
const ACCESS: [u32; 3] = [1, 0, 3];
const PAGE: usize = 4096;

/// Arguments of any type.
pub fn of<T: Copy, U: Copy>(values: &[T]) -> In<U> {
    // SAFETY: the values have as many bytes as the function reads; every use is within the caller's statement.
    unsafe { In::at(values.as_ptr().cast()) }
}

pub fn any(held: &LiveObjects, random: &mut Random) {
    match random.below(4) {
        0 => pool(held, random),
        1 => mapped(held, random),
        2 => textures::any(held, random),
        _ => array(held, random),
    }
}

fn pool(held: &LiveObjects, random: &mut Random) {
    let (mut pool, mut address) = (0, 0);
    // hipMemPoolProps: pinned, without handles for other processes, on the device.
    let mut properties = [0; 22];
    properties[..4].copy_from_slice(&[1, 0, HERE[0], HERE[1]]);
    assert_eq!(
        call!(hipMemPoolCreate(out(&mut pool), of(&properties))),
        SUCCESS
    );
    let (stream, bytes) = (held.stream(random), 1 + random.below(5000) as usize);
    assert_eq!(
        call!(hipMallocFromPoolAsync(
            out(&mut address),
            bytes,
            pool,
            stream
        )),
        SUCCESS
    );
    assert_eq!(call!(hipMemsetAsync(address, 1, bytes, stream)), SUCCESS);
    let mut used = [0; 2];
    assert_eq!(
        call!(hipMemPoolGetAttribute(pool, 7, out(&mut used[0]))),
        SUCCESS
    );
    assert_eq!(used, [bytes as u32, 0]);
    let bad = held.bad(random);
    assert_eq!(call!(hipMemPoolTrimTo(bad, 0)), INVALID_VALUE);
    assert_eq!(call!(hipMemPoolDestroy(bad)), INVALID_VALUE);
    // The pool's memory may outlive the pool.
    let first = random.below(2) == 0;
    if first {
        assert_eq!(call!(hipMemPoolDestroy(pool)), SUCCESS);
    }
    assert_eq!(call!(hipFreeAsync(address, stream)), SUCCESS);
    let gone = if first { INVALID_VALUE } else { SUCCESS };
    assert_eq!(call!(hipMemPoolDestroy(pool)), gone);
    let none = call!(hipMallocFromPoolAsync(
        out(&mut address),
        bytes,
        pool,
        stream
    ));
    assert_eq!((none, address), (INVALID_VALUE, 0));
}

fn mapped(held: &LiveObjects, random: &mut Random) {
    // hipMemAllocationProp of HIP 5: location and type.
    let properties = [0, HERE[0], HERE[1], 0, 1, 0, 0, 0];
    let (mut base, parts) = (0, 1 + random.below(3) as usize);
    let all = parts * PAGE;
    let reserved = call!(hipMemAddressReserve(out(&mut base), all, 0, 0, 0));
    assert_eq!(reserved, SUCCESS);
    for n in 0..parts {
        let (mut handle, at) = (0, base + (n * PAGE) as u64);
        assert_eq!(
            call!(hipMemCreate(out(&mut handle), PAGE, of(&properties), 0)),
            SUCCESS
        );
        assert_eq!(call!(hipMemMap(at, PAGE, 0, handle, 0)), SUCCESS);
        assert_eq!(call!(hipMemMap(at, PAGE, 0, handle, 0)), INVALID_VALUE);
        assert_eq!(call!(hipMemRelease(handle)), SUCCESS);
    }
    let bad = held.bad(random);
    assert_eq!(call!(hipMemUnmap(bad, PAGE)), INVALID_VALUE);
    assert_eq!(call!(hipMemRelease(bad)), INVALID_VALUE);
    assert_eq!(
        call!(hipMemset(base, 0, all)),
        INVALID_VALUE,
        "no access yet"
    );
    assert_eq!(call!(hipMemSetAccess(base, all, of(&ACCESS), 1)), SUCCESS);
    let (from, mut back) = (random.below(all as u64) as usize, vec![0u8; all]);
    let bytes = 1 + random.below((all - from) as u64) as usize;
    assert_eq!(call!(hipMemset(base + from as u64, 7, bytes)), SUCCESS);
    let beyond = call!(hipMemset(base + from as u64, 7, all - from + 1));
    assert_eq!(beyond, INVALID_VALUE);
    let copied = call!(hipMemcpy(back.as_mut_ptr() as u64, base, all, 4));
    assert_eq!(copied, SUCCESS);
    let expected = |n: usize| {
        if (from..from + bytes).contains(&n) {
            7
        } else {
            0
        }
    };
    assert!(
        back.iter()
            .enumerate()
            .all(|(n, byte)| *byte == expected(n))
    );
    assert_eq!(call!(hipFree(base)), INVALID_VALUE);
    assert_eq!(call!(hipMemAddressFree(base, all)), INVALID_VALUE);
    assert_eq!(call!(hipMemUnmap(base, all)), SUCCESS);
    assert_eq!(call!(hipMemAddressFree(base, all)), SUCCESS);
}

fn array(held: &LiveObjects, random: &mut Random) {
    let (width, height) = (1 + random.below(60) as usize, 1 + random.below(9) as usize);
    let channel = Channel {
        bits: [8, 0, 0, 0],
        format: 1,
    };
    let mut array = 0;
    let made = call!(hipMallocArray(
        out(&mut array),
        of(&[channel]),
        width,
        height,
        0
    ));
    assert_eq!(made, SUCCESS);
    let bytes: Vec<u8> = (0..width * height).map(|_| random.next() as u8).collect();
    let mut back = vec![0u8; bytes.len()];
    let (from, to) = (bytes.as_ptr() as u64, back.as_mut_ptr() as u64);
    let (x, y) = (
        random.below(width as u64) as usize,
        random.below(height as u64) as usize,
    );
    assert_eq!(
        call!(hipMemcpy2DToArray(
            array, 0, 0, from, width, width, height, 1
        )),
        SUCCESS
    );
    let part = call!(hipMemcpy2DFromArray(
        to,
        width,
        array,
        x,
        y,
        width - x,
        height - y,
        2
    ));
    assert_eq!(part, SUCCESS);
    for row in 0..height - y {
        let kept = &bytes[(row + y) * width + x..(row + y + 1) * width];
        assert_eq!(kept, &back[row * width..row * width + width - x]);
    }
    let beyond = call!(hipMemcpy2DFromArray(
        to,
        width,
        array,
        x + 1,
        y,
        width - x,
        height - y,
        2
    ));
    assert_eq!(beyond, INVALID_VALUE);
    assert_eq!(call!(hipFreeArray(held.bad(random) | 1)), STREAM_IS_GONE);
    assert_eq!(call!(hipFreeArray(array)), SUCCESS);
    assert_eq!(call!(hipFreeArray(array)), STREAM_IS_GONE);
}
