//! Random sequences of valid and invalid calls. No call crashes or hangs, valid calls succeed, invalid calls are refused, and concurrent
//! threads do not disturb each other. `GFX906_SEQUENCES=N` tries N sequences per thread instead of a sample, from seed `GFX906_SEED` on.

#[macro_use]
mod calls;

use std::sync::{Mutex, PoisonError, RwLock};

use calls::launch::launch;
use calls::*;
use gfx906_hip::api::*;
use gfx906_hip::boundary::In;

/// Number of the step that captures streams.
const CAPTURE: u64 = 29;
/// Lock of the captures.
static CAPTURES: RwLock<()> = RwLock::new(());

/// Makes a call, or a few calls that belong together.
fn step(held: &mut LiveObjects, random: &mut Random, alone: bool) {
    let stream = held.stream(random);
    let choice = random.below(34);
    // While a stream is being captured, HIP refuses the synchronous copies of every thread.
    let (_alone, _beside) = match choice {
        CAPTURE => (CAPTURES.write().ok(), None),
        _ => (None, CAPTURES.read().ok()),
    };
    match choice {
        0 | 1 => {
            let (mut address, size) = (7, random.size());
            match call!(hipMalloc(out(&mut address), size)) {
                SUCCESS if size == 0 => assert_eq!(address, 0),
                SUCCESS => {
                    assert!(address >= 1 << 47 && size <= 16 << 30);
                    held.blocks.push(Block { address, size });
                }
                error => assert!(error == OUT_OF_MEMORY && address == 0 && size > 1 << 20),
            }
        }
        2 => {
            if let Some(block) = remove(&mut held.blocks, random) {
                assert_eq!(call!(hipFree(block.address)), SUCCESS);
                assert_eq!(call!(hipFree(block.address)), INVALID_VALUE);
                held.stale.push(block.address);
            }
        }
        3 => assert_eq!(call!(hipFree(held.bad(random))), INVALID_VALUE),
        4 => {
            let (mut address, size) = (0, random.below(10_000) as usize);
            assert_eq!(
                call!(hipHostMalloc(out(&mut address), size, 0)),
                SUCCESS,
                "{size} bytes"
            );
            if address != 0 {
                held.pinned.push(Block { address, size });
            }
        }
        5 => {
            if let Some(block) = remove(&mut held.pinned, random) {
                assert_eq!(call!(hipHostFree(block.address)), SUCCESS);
                // Another thread may own the same memory by now.
                if alone {
                    assert_eq!(call!(hipHostFree(block.address)), INVALID_VALUE);
                }
            }
        }
        6 | 7 => {
            let Some(block) = random.pick(&held.blocks) else {
                return;
            };
            let (offset, bytes) = (random.below(6000), random.size());
            let inside = (offset as usize)
                .checked_add(bytes)
                .is_some_and(|end| end <= block.size);
            // Large copies are no different, only slower.
            if inside && bytes > 1 << 20 {
                return;
            }
            let expected = if inside || bytes == 0 {
                SUCCESS
            } else {
                INVALID_VALUE
            };
            let value = random.next() as i32;
            let set = call!(hipMemsetAsync(block.address + offset, value, bytes, stream));
            assert_eq!(set, expected, "{bytes} bytes at {offset} of {}", block.size);
            if let (true, Some(pinned)) = (inside, random.pick(&held.pinned)) {
                let bytes = bytes.min(pinned.size);
                let at = block.address + offset;
                assert_eq!(call!(hipMemcpy(pinned.address, at, bytes, 2)), SUCCESS);
                assert_eq!(call!(hipMemcpy(at, pinned.address, bytes, 4)), SUCCESS);
            }
        }
        8 => {
            let bytes = random.below(100) as usize + 1;
            assert_eq!(call!(hipMemset(held.bad(random), 0, bytes)), INVALID_VALUE);
            assert_eq!(
                call!(hipMemcpy(held.bad(random) | 1 << 47, 0, bytes, 1)),
                INVALID_VALUE
            );
        }
        9 => {
            let direction = 5 + random.next() as u32 % 1000;
            assert_eq!(call!(hipMemcpy(0, 0, 8, direction)), 21);
        }
        10 => {
            let (mut handle, flags) = (0, random.below(3) as u32);
            match call!(hipStreamCreateWithFlags(out(&mut handle), flags)) {
                SUCCESS => held.streams.push(handle),
                error => assert!(error == INVALID_VALUE && flags == 2),
            }
        }
        11 => {
            if let Some(stream) = remove(&mut held.streams, random) {
                assert_eq!(call!(hipStreamDestroy(stream)), SUCCESS);
                assert_eq!(call!(hipStreamQuery(stream)), STREAM_IS_GONE);
                held.stale.push(stream);
            }
        }
        12 => {
            let bad = held.bad(random);
            assert_eq!(call!(hipStreamSynchronize(bad)), STREAM_IS_GONE);
            assert_eq!(call!(hipStreamDestroy(bad)), STREAM_IS_GONE);
        }
        13 => {
            let mut handle = 0;
            assert_eq!(call!(hipEventCreate(out(&mut handle))), SUCCESS);
            held.events.push(handle);
        }
        14 => {
            if let Some(event) = remove(&mut held.events, random) {
                assert_eq!(call!(hipEventDestroy(event)), SUCCESS);
                assert_eq!(call!(hipEventQuery(event)), INVALID_HANDLE);
                held.stale.push(event);
            }
        }
        15 => {
            let (Some(start), Some(stop)) = (random.pick(&held.events), random.pick(&held.events))
            else {
                return;
            };
            let mut ms = 0.0;
            let before = call!(hipEventElapsedTime(out(&mut ms), start, stop));
            assert!([SUCCESS, INVALID_HANDLE, NOT_READY].contains(&before));
            assert_eq!(call!(hipEventRecord(start, stream)), SUCCESS);
            assert_eq!(call!(hipStreamWaitEvent(stream, start, 0)), SUCCESS);
            assert_eq!(call!(hipEventRecord(stop, stream)), SUCCESS);
            assert_eq!(call!(hipEventSynchronize(stop)), SUCCESS);
            assert_eq!(
                call!(hipEventElapsedTime(out(&mut ms), start, stop)),
                SUCCESS
            );
            assert!(ms >= 0.0);
        }
        16 => {
            let bad = held.bad(random);
            assert_eq!(call!(hipEventRecord(bad, 0)), INVALID_HANDLE);
            assert_eq!(call!(hipEventSynchronize(bad)), INVALID_HANDLE);
            let missing = call!(hipEventElapsedTime(nowhere(), bad, bad));
            assert_eq!(missing, INVALID_VALUE);
        }
        17 if held.modules.len() < 3 => {
            let mut module = 0;
            let image = CODE.as_ptr() as u64;
            assert_eq!(call!(hipModuleLoadData(out(&mut module), image)), SUCCESS);
            let (mut function, name) = (0, text(c"kernel_sigmoid"));
            let found = call!(hipModuleGetFunction(out(&mut function), module, name));
            assert_eq!(found, SUCCESS);
            let none = text(c"none");
            let found = call!(hipModuleGetFunction(out(&mut function), module, none));
            assert_eq!(found, 500);
            held.modules.push(module);
            held.functions.push((module, function));
        }
        18 => {
            if let Some(module) = remove(&mut held.modules, random) {
                assert_eq!(call!(hipModuleUnload(module)), SUCCESS);
                assert_eq!(call!(hipModuleUnload(module)), NOT_FOUND);
                held.stale.push(module);
                held.functions.retain(|&(of, function)| {
                    if of == module {
                        held.stale.push(function);
                    }
                    of != module
                });
            }
        }
        19 | 20 => launch(held, random, stream, alone),
        21 => {
            let bad = held.bad(random);
            let none = In::null();
            let launched = call!(hipModuleLaunchKernel(
                bad, 1, 1, 1, 1, 1, 1, 0, 0, none, none
            ));
            assert_eq!(launched, INVALID_HANDLE);
            let host = [bad];
            let dim = Dim3::default();
            let launched = call!(hipLaunchKernel(bad, dim, dim, array(&host), 0, stream));
            assert_eq!(launched, 98);
        }
        22 => {
            assert_eq!(call!(hipIpcGetMemHandle()), NOT_SUPPORTED);
            assert_eq!(call!(hipPeekAtLastError()), NOT_SUPPORTED);
            assert_eq!(call!(hipGetLastError()), NOT_SUPPORTED);
            assert_eq!(call!(hipGetLastError()), SUCCESS);
        }
        23 => {
            let (mut free, mut total) = (0, 0);
            assert_eq!(
                call!(hipMemGetInfo(out(&mut free), out(&mut total))),
                SUCCESS
            );
            assert!(free <= total);
            let waited = call!(hipStreamQuery(stream));
            assert!([SUCCESS, NOT_READY].contains(&waited));
            assert_eq!(call!(hipDeviceSynchronize()), SUCCESS);
        }
        24 => {
            let attribute = random.below(100) as u32 + random.below(2) as u32 * 9990;
            let mut values = [0; 2];
            let place = out(&mut values[0]);
            // This attribute has eight bytes, unlike the others.
            if attribute != 84 {
                let asked = call!(hipDeviceGetAttribute(place, attribute, 0));
                assert!([SUCCESS, INVALID_VALUE].contains(&asked));
            }
            let device = random.below(4) as i32 - 1;
            let expected = if device == 0 { SUCCESS } else { 101 };
            assert_eq!(call!(hipSetDevice(device)), expected);
        }
        27 => streams::in_flight(held, random),
        28 => streams::given_up(held, random),
        CAPTURE => streams::captured(held, random, alone),
        30 => memory::any(held, random),
        31 => streams::ordered(held, random),
        33 => batches::any(held, random),
        32 => {
            // Nothing is compiled, since that takes seconds.
            let (bad, mut bytes) = (held.bad(random), 7);
            assert_eq!(call!(hiprtcCompileProgram(bad, 0, In::null())), 4);
            assert_eq!(call!(hiprtcGetCodeSize(bad, out(&mut bytes))), 4);
            assert_eq!(call!(hiprtcGetProgramLogSize(bad, out(&mut bytes))), 4);
            // A missing output is told first.
            assert_eq!(call!(hiprtcGetProgramLog(bad, 0)), 3);
            let mut gone = bad;
            assert_eq!(call!(hiprtcDestroyProgram(out(&mut gone))), 4);
            assert_eq!((gone, bytes), (bad, 7));
        }
        25 => {
            // Code with a few changed bytes, most of them in its headers, that may be truncated.
            let mut image = CODE.to_vec();
            for _ in 0..=random.below(3) {
                let end = random.pick(&[64, 500, image.len()]).unwrap_or(64);
                image[random.below(end as u64) as usize] = random.next() as u8;
            }
            image.truncate(random.pick(&[64, 4000, image.len()]).unwrap_or(64));
            let (mut module, image) = (0, IsolatedPages::of(&image));
            match call!(hipModuleLoadData(out(&mut module), image.address())) {
                SUCCESS => assert_eq!(call!(hipModuleUnload(module)), SUCCESS),
                error => assert!([200, 209].contains(&error), "{error}"),
            }
        }
        _ => {
            let (mut address, mut pitch) = (0, 0);
            let (width, height) = (random.size(), random.size());
            let got = call!(hipMallocPitch(
                out(&mut address),
                out(&mut pitch),
                width,
                height
            ));
            // No pitch holds a row of nearly all addresses.
            let refused = if width > usize::MAX - 256 && height > 0 {
                INVALID_VALUE
            } else {
                OUT_OF_MEMORY
            };
            assert!(got == SUCCESS || got == refused);
            if address != 0 {
                assert!(pitch >= width);
                held.blocks.push(Block {
                    address,
                    size: pitch * height,
                });
            }
        }
    }
}

/// Runs a sequence from a seed, and frees its objects.
fn sequence(seed: u64, alone: bool) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (seed + 1));
    let mut held = LiveObjects::default();
    for _ in 0..40 {
        step(&mut held, &mut random, alone);
    }
    for block in held.blocks.drain(..) {
        assert_eq!(call!(hipFree(block.address)), SUCCESS);
    }
    for block in held.pinned.drain(..) {
        assert_eq!(call!(hipHostFree(block.address)), SUCCESS);
    }
    for module in held.modules.drain(..) {
        assert_eq!(call!(hipModuleUnload(module)), SUCCESS);
    }
}

/// Lock of the tests, which share the process's runtime. One of them resets it.
static ALONE: Mutex<()> = Mutex::new(());

/// Returns the number in an environment variable, or a default.
fn number(variable: &str, otherwise: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.map_or(otherwise, |value| value.parse().expect("a number"))
}

#[test]
fn sequences_of_one_thread() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let first = number("GFX906_SEED", 0);
    for seed in first..first + number("GFX906_SEQUENCES", 500) {
        sequence(seed, true);
        assert_eq!(call!(hipDeviceReset()), SUCCESS);
    }
}

#[test]
fn threads_do_not_disturb_each_other() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let first = number("GFX906_SEED", 0);
    let count = number("GFX906_SEQUENCES", 50);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for seed in first..first + count {
                    sequence(1_000_000 * (thread + 1) + seed, false);
                }
            });
        }
    });
    assert_eq!(call!(hipGetLastError()), SUCCESS);
}
