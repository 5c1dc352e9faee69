//! Batches of copies, libraries, the code linker and masks in a random program.

use gfx906_hip::api::*;
use gfx906_hip::boundary::In;

use super::memory::of;
use super::*;

pub fn any(held: &LiveObjects, random: &mut Random) {
    match random.below(4) {
        0 => rows(held, random),
        1 => library(held, random),
        2 => addresses(held, random),
        _ => handles(held, random),
    }
}

/// Copies rows of the program into device memory, each with a number at its beginning. One copy may be invalid.
fn rows(held: &LiveObjects, random: &mut Random) {
    let (count, bytes) = (1 + random.below(4), 1 + random.below(3000));
    let stream = held.stream(random);
    let (mut base, mut failed) = (0, 77);
    let all = (count * bytes) as usize;
    assert_eq!(call!(hipMalloc(out(&mut base), all)), SUCCESS);
    let sources: Vec<u8> = (0..all).map(|_| random.next() as u8).collect();
    let first = sources.as_ptr().expose_provenance() as u64;
    let from: Vec<u64> = (0..count).map(|n| first + n * bytes).collect();
    let mut to: Vec<u64> = (0..count).map(|n| base + n * bytes).collect();
    let sizes = vec![bytes as usize; count as usize];
    let wrong = (random.below(3) == 0).then(|| random.below(count) as usize);
    if let Some(wrong) = wrong {
        to[wrong] = held.bad(random) | 7 << 45;
    }
    // hipMemcpyAttributes: an order, hints and flags, from the first copy on, or no attributes.
    let order = random.below(5) as u32;
    let attributes = [order, 0, 0, 0, 0, 0];
    let with = u64::from(order > 0);
    let copied = call!(hipMemcpyBatchAsync(
        array(&to),
        array(&from),
        of(&sizes),
        count as usize,
        if with == 1 {
            of(&attributes)
        } else {
            In::null()
        },
        of(&[0usize]),
        with as usize,
        out(&mut failed),
        stream
    ));
    let expected = match wrong {
        _ if order == 4 => INVALID_VALUE,
        Some(_) => INVALID_VALUE,
        None => SUCCESS,
    };
    assert_eq!(
        copied, expected,
        "order {order}, wrong {wrong:?} of {bytes} bytes to {to:#x?}"
    );
    // The sources have been read and may go.
    let want = sources.clone();
    drop(sources);
    if copied == SUCCESS {
        assert_eq!(call!(hipStreamSynchronize(stream)), SUCCESS);
        let mut back = vec![0u8; all];
        let place = back.as_mut_ptr().expose_provenance() as u64;
        assert_eq!(call!(hipMemcpy(place, base, all, 2)), SUCCESS);
        assert_eq!(back, want);
    } else if order != 4 {
        assert_eq!(Some(failed), wrong);
    }
    assert_eq!(call!(hipFree(base)), SUCCESS);
}

/// Unloads a library while its kernel runs.
fn library(held: &LiveObjects, random: &mut Random) {
    let stream = held.stream(random);
    let (mut library, mut kernel, mut again, mut data) = (0, 0, 1, 0);
    let image = CODE.as_ptr().expose_provenance() as u64;
    let loaded = call!(hipLibraryLoadData(
        out(&mut library),
        image,
        0,
        0,
        0,
        0,
        0,
        0
    ));
    assert_eq!(loaded, SUCCESS);
    for place in [&mut kernel, &mut again] {
        let name = text(c"kernel_sigmoid");
        let found = call!(hipLibraryGetKernel(out(place), library, name));
        assert_eq!(found, SUCCESS);
    }
    assert_eq!(kernel, again);
    let none = call!(hipLibraryGetKernel(out(&mut again), library, text(c"none")));
    assert_eq!(none, 500);
    assert_eq!(call!(hipMalloc(out(&mut data), 512)), SUCCESS);
    assert_eq!(call!(hipMemsetAsync(data, 0, 256, stream)), SUCCESS);
    let parameters = [data, data + 256, 64];
    let pointers = [0, 1, 2].map(|n| (&raw const parameters[n]).expose_provenance() as u64);
    let (grid, block) = (Dim3 { x: 1, y: 1, z: 1 }, Dim3 { x: 64, y: 1, z: 1 });
    let launch = || {
        call!(hipLaunchKernel(
            kernel,
            grid,
            block,
            array(&pointers),
            0,
            stream
        ))
    };
    assert_eq!(launch(), SUCCESS);
    assert_eq!(call!(hipLibraryUnload(library)), SUCCESS);
    assert_eq!(call!(hipLibraryUnload(library)), INVALID_HANDLE);
    assert_eq!(launch(), 98);
    assert_eq!(call!(hipStreamSynchronize(stream)), SUCCESS);
    let mut back = [0f32; 64];
    let place = back.as_mut_ptr().expose_provenance() as u64;
    assert_eq!(call!(hipMemcpy(place, data + 256, 256, 2)), SUCCESS);
    assert_eq!(back, [0.5; 64]);
    assert_eq!(call!(hipFree(data)), SUCCESS);
    let bad = held.bad(random);
    let mut count = 7;
    let counted = call!(hipLibraryGetKernelCount(out(&mut count), bad));
    assert_eq!((counted, count), (INVALID_HANDLE, 7));
}

/// Queries several attributes of an address at a time.
fn addresses(held: &LiveObjects, random: &mut Random) {
    const START: u32 = 11;
    const SIZE: u32 = 12;
    // AMD's runtime gives the size 32 bits.
    let (mut start, mut size) = (7u64, 7u32);
    let asked = [START, SIZE, 1000];
    let mut unknown = 7u8;
    let places = [
        out(&mut start).cast(),
        out(&mut size).cast(),
        out(&mut unknown),
    ];
    let ask = |address| {
        call!(hipDrvPointerGetAttributes(
            3,
            of(&asked),
            of(&places),
            address
        ))
    };
    if let Some(block) = random.pick(&held.blocks) {
        let offset = random.below(block.size as u64);
        assert_eq!(ask(block.address + offset), SUCCESS);
        assert_eq!((start, size), (block.address, block.size as u32));
    }
    assert_eq!(ask(held.bad(random)), SUCCESS);
    assert_eq!((start, size, unknown), (0, 0, 7));
    assert_eq!(ask(0), INVALID_VALUE);
}

/// Writes and waits for memory words in a batch. One operation may be invalid.
fn words(held: &LiveObjects, random: &mut Random) {
    const WAIT: u64 = 4;
    const WRITE: u64 = 5;
    let (stream, mut base) = (held.stream(random), 0);
    assert_eq!(call!(hipMalloc(out(&mut base), 16)), SUCCESS);
    let value = random.next();
    let wrong = random.below(3) == 0;
    let second = base + if wrong { 12 } else { 8 };
    // hipStreamBatchMemOpParams: kind, address, value, flags. The wait is for equality with the last written value.
    let operations = [
        [WRITE, base, value, 0, 0, 0],
        [WRITE, second, !value, 0, 0, 0],
        [WAIT, base, value, 1, 0, 0],
    ];
    let given = call!(hipStreamBatchMemOp(stream, 3, of(&operations), 0));
    let expected = if wrong { INVALID_VALUE } else { SUCCESS };
    assert_eq!(given, expected);
    assert_eq!(call!(hipStreamSynchronize(stream)), SUCCESS);
    let mut back = [7u64; 2];
    let place = back.as_mut_ptr().expose_provenance() as u64;
    assert_eq!(call!(hipMemcpy(place, base, 16, 2)), SUCCESS);
    if !wrong {
        assert_eq!(back, [value, !value]);
    }
    assert_eq!(call!(hipFree(base)), SUCCESS);
    for (count, flags) in [(0, 0), (3, 1), (256, 0)] {
        let given = call!(hipStreamBatchMemOp(stream, count, of(&operations), flags));
        assert_eq!(given, INVALID_VALUE);
    }
}

/// Tests masks of compute units and linker objects. Nothing is linked, since that takes seconds.
fn handles(held: &LiveObjects, random: &mut Random) {
    let (mut stream, mut link) = (0, 0);
    let mask = [random.next() as u32, random.next() as u32];
    let count = 1 + random.below(2) as u32;
    let made = call!(hipExtStreamCreateWithCUMask(
        out(&mut stream),
        count,
        of(&mask)
    ));
    assert_eq!(made, SUCCESS);
    let mut told = [7u32; 3];
    let asked = call!(hipExtStreamGetCUMask(stream, 3, out(&mut told[0])));
    let second = if count == 2 { mask[1] & 0x0fff_ffff } else { 0 };
    assert_eq!((asked, told), (SUCCESS, [mask[0], second, 0]));
    assert_eq!(call!(hipStreamDestroy(stream)), SUCCESS);
    let asked = call!(hipExtStreamGetCUMask(stream, 3, out(&mut told[0])));
    assert_eq!(asked, STREAM_IS_GONE);

    words(held, random);
    let created = call!(hipLinkCreate(0, In::null(), In::null(), out(&mut link)));
    assert_eq!(created, SUCCESS);
    let data = b"neither bitcode nor text\0\xff";
    let at = data.as_ptr().expose_provenance() as u64;
    for (kind, expected) in [(100, 9), (101, 9), (102, 9), (7, INVALID_VALUE)] {
        let name = text(c"");
        let added = call!(hipLinkAddData(link, kind, at, data.len(), name, 0, 0, 0));
        assert_eq!(added, expected, "kind {kind}");
    }
    assert_eq!(call!(hipLinkDestroy(link)), SUCCESS);
    for bad in [link, held.bad(random)] {
        assert_eq!(call!(hipLinkDestroy(bad)), INVALID_HANDLE);
        assert_eq!(call!(hiprtcLinkDestroy(bad)), 3);
        let linked = call!(hipLinkComplete(bad, out(&mut link), nowhere()));
        assert_eq!(linked, INVALID_HANDLE);
    }
}
