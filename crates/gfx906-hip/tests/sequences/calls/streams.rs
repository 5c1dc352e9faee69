//! Streams, callbacks, captures and graphs in a random program.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use gfx906_hip::api::*;
use gfx906_hip::boundary::In;

use super::*;

const NON_BLOCKING: u32 = 1;
const RELAXED: u32 = 2;

unsafe extern "C" fn count(counter: u64) {
    let counter = std::ptr::with_exposed_provenance::<AtomicU64>(counter as usize);
    // SAFETY: the counters are leaked.
    unsafe { &*counter }.fetch_add(1, SeqCst);
}

unsafe extern "C" fn status(_stream: u64, status: u32, counter: u64) {
    assert_eq!(status, SUCCESS);
    // SAFETY: the counter is the one that the call was submitted with.
    unsafe { count(counter) }
}

fn counter() -> (&'static AtomicU64, u64) {
    let counter: &'static AtomicU64 = Box::leak(Box::default());
    (counter, (&raw const *counter).expose_provenance() as u64)
}

/// Submits copies, fills and host functions to streams that wait for each other, and checks that all of them were done.
pub fn in_flight(held: &LiveObjects, random: &mut Random) {
    let (Some(block), Some(pinned)) = (random.pick(&held.blocks), random.pick(&held.pinned)) else {
        return;
    };
    let bytes = block.size.min(pinned.size);
    let (counter, address) = counter();
    let (stream, other) = (held.stream(random), held.stream(random));
    let mut event = 0;
    assert_eq!(call!(hipEventCreate(out(&mut event))), SUCCESS);
    let mut calls = 0;
    for round in 0..random.below(6) {
        let value = random.next() as i32;
        let set = call!(hipMemsetAsync(block.address, value, bytes, stream));
        assert_eq!(set, SUCCESS);
        let called = match round % 2 {
            0 => call!(hipLaunchHostFunc(stream, Some(count), address)),
            _ => call!(hipStreamAddCallback(stream, Some(status), address, 0)),
        };
        assert_eq!(called, SUCCESS);
        calls += 1;
        assert_eq!(call!(hipEventRecord(event, stream)), SUCCESS);
        let asked = call!(hipEventQuery(event));
        assert!([SUCCESS, NOT_READY].contains(&asked));
        assert_eq!(call!(hipStreamWaitEvent(other, event, 0)), SUCCESS);
        let copy = call!(hipMemcpyAsync(
            pinned.address,
            block.address,
            bytes,
            2,
            other
        ));
        assert_eq!(copy, SUCCESS);
        let host = vec![random.next() as u8; bytes.min(5000)];
        let from = host.as_ptr().expose_provenance() as u64;
        let copy = call!(hipMemcpyAsync(block.address, from, host.len(), 1, stream));
        assert_eq!(copy, SUCCESS);
        drop(host);
    }
    match random.below(3) {
        0 => assert_eq!(call!(hipDeviceSynchronize()), SUCCESS),
        1 => assert_eq!(call!(hipEventSynchronize(event)), SUCCESS),
        _ => assert_eq!(call!(hipStreamSynchronize(stream)), SUCCESS),
    }
    assert_eq!(counter.load(SeqCst), calls);
    // Work under way keeps the event's ticket.
    assert_eq!(call!(hipEventDestroy(event)), SUCCESS);
}

/// Destroys a stream, a module and a graph while they are at work.
pub fn given_up(held: &LiveObjects, random: &mut Random) {
    let (Some(input), Some(output)) = (random.pick(&held.blocks), random.pick(&held.blocks)) else {
        return;
    };
    let (mut stream, mut module, mut function) = (0, 0, 0);
    let flags = random.below(2) as u32;
    assert_eq!(
        call!(hipStreamCreateWithFlags(out(&mut stream), flags)),
        SUCCESS
    );
    let image = CODE.as_ptr() as u64;
    assert_eq!(call!(hipModuleLoadData(out(&mut module), image)), SUCCESS);
    let name = text(c"kernel_sigmoid");
    assert_eq!(
        call!(hipModuleGetFunction(out(&mut function), module, name)),
        SUCCESS
    );
    let n = (input.size.min(output.size) / 4).min(3000) as u32;
    let parameters = [input.address, output.address, n.into()];
    let pointers = [0, 1, 2].map(|at| &raw const parameters[at] as u64);
    for _ in 0..random.below(4) {
        let (arguments, none) = (array(&pointers), In::null());
        let launched = call!(hipModuleLaunchKernel(
            function,
            n.div_ceil(64).max(1),
            1,
            1,
            64,
            1,
            1,
            0,
            stream,
            arguments,
            none
        ));
        assert_eq!(launched, SUCCESS);
    }
    assert_eq!(call!(hipModuleUnload(module)), SUCCESS);
    assert_eq!(call!(hipStreamDestroy(stream)), SUCCESS);
    assert_eq!(call!(hipStreamQuery(stream)), STREAM_IS_GONE);
}

/// Captures two streams and launches the graph several times. The capture may be invalidated.
pub fn captured(held: &LiveObjects, random: &mut Random, alone: bool) {
    let Some(block) = random.pick(&held.blocks) else {
        return;
    };
    let bytes = block.size.min(1 << 16);
    let (counter, address) = counter();
    // Other threads use the null stream, which waits for blocking streams and so would disturb the capture.
    let flags = if alone {
        random.below(2) as u32
    } else {
        NON_BLOCKING
    };
    let mode = if alone {
        random.below(3) as u32
    } else {
        RELAXED
    };
    let (mut stream, mut fork, mut event, mut join) = (0, 0, 0, 0);
    for stream in [&mut stream, &mut fork] {
        let made = call!(hipStreamCreateWithFlags(out(stream), flags));
        assert_eq!(made, SUCCESS);
    }
    for event in [&mut event, &mut join] {
        assert_eq!(call!(hipEventCreate(out(event))), SUCCESS);
    }
    assert_eq!(call!(hipStreamBeginCapture(stream, mode)), SUCCESS);
    let set = |stream| call!(hipMemsetAsync(block.address, 1, bytes, stream));
    assert_eq!(set(stream), SUCCESS);
    assert_eq!(call!(hipEventRecord(event, stream)), SUCCESS);
    assert_eq!(call!(hipStreamWaitEvent(fork, event, 0)), SUCCESS);
    let called = call!(hipLaunchHostFunc(fork, Some(count), address));
    assert_eq!(called, SUCCESS);
    let joined = random.below(4) > 0;
    if joined {
        assert_eq!(call!(hipEventRecord(join, fork)), SUCCESS);
        assert_eq!(call!(hipStreamWaitEvent(stream, join, 0)), SUCCESS);
    }
    let spoiled = random.below(4) == 0;
    if spoiled {
        assert_eq!(
            call!(hipStreamSynchronize(fork)),
            STREAM_CAPTURE_UNSUPPORTED
        );
        assert_eq!(set(stream), STREAM_CAPTURE_INVALIDATED);
    }
    let mut graph = 1;
    let ended = call!(hipStreamEndCapture(stream, out(&mut graph)));
    match (spoiled, joined) {
        (true, _) => assert_eq!((ended, graph), (STREAM_CAPTURE_INVALIDATED, 0)),
        (_, false) => assert_eq!((ended, graph), (STREAM_CAPTURE_UNJOINED, 0)),
        _ => {
            assert_eq!(ended, SUCCESS);
            launched(graph, stream, counter, random);
        }
    }
    for event in [event, join] {
        assert_eq!(call!(hipEventDestroy(event)), SUCCESS);
    }
    for stream in [stream, fork] {
        assert_eq!(call!(hipStreamDestroy(stream)), SUCCESS);
    }
}

/// Launches a graph whose host function counts, clones the graph, and destroys it.
fn launched(graph: u64, stream: u64, counter: &AtomicU64, random: &mut Random) {
    let (mut exec, mut clone, mut count, mut node, mut why) = (0, 0, 0, 0, 9);
    let made = call!(hipGraphInstantiateWithFlags(out(&mut exec), graph, 0));
    assert_eq!(made, SUCCESS);
    assert_eq!(call!(hipGraphClone(out(&mut clone), graph)), SUCCESS);
    let nodes = call!(hipGraphGetNodes(clone, nowhere(), out(&mut count)));
    assert_eq!((nodes, count), (SUCCESS, 2));
    let updated = call!(hipGraphExecUpdate(
        exec,
        clone,
        out(&mut node),
        out(&mut why)
    ));
    assert_eq!((updated, node, why), (SUCCESS, 0, 0));
    let launches = random.below(4);
    for _ in 0..launches {
        assert_eq!(call!(hipGraphLaunch(exec, stream)), SUCCESS);
    }
    assert_eq!(call!(hipGraphDestroy(graph)), SUCCESS);
    assert_eq!(call!(hipGraphDestroy(graph)), ILLEGAL_STATE);
    assert_eq!(call!(hipGraphDestroy(clone)), SUCCESS);
    assert_eq!(call!(hipGraphExecDestroy(exec)), SUCCESS);
    assert_eq!(call!(hipGraphLaunch(exec, stream)), INVALID_VALUE);
    assert_eq!(call!(hipStreamSynchronize(stream)), SUCCESS);
    assert_eq!(counter.load(SeqCst), launches);
}

/// Allocates and frees memory in the order of a stream.
pub fn ordered(held: &LiveObjects, random: &mut Random) {
    let stream = held.stream(random);
    let (mut address, bytes) = (0, random.below(5000) as usize + 1);
    let made = call!(hipMallocAsync(out(&mut address), bytes, stream));
    assert_eq!(made, SUCCESS);
    for _ in 0..random.below(3) {
        let value = random.next() as i32;
        let set = call!(hipMemsetAsync(address, value, bytes, stream));
        assert_eq!(set, SUCCESS);
    }
    assert_eq!(call!(hipFreeAsync(address, stream)), SUCCESS);
    assert_eq!(call!(hipFreeAsync(address, stream)), INVALID_VALUE);
    if random.below(2) == 0 {
        assert_eq!(call!(hipStreamSynchronize(stream)), SUCCESS);
        assert_eq!(call!(hipMemset(address, 0, 1)), INVALID_VALUE);
    }
}
