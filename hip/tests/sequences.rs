//! A thousand random sequences of calls, good and bad: none crashes or hangs, good ones succeed, and bad ones are refused.

use std::ptr::null_mut;

use gfx906_hip::api::*;
use gfx906_hip::boundary::{In, Out, Text};

const SUCCESS: u32 = 0;
const INVALID_VALUE: u32 = 1;
const OUT_OF_MEMORY: u32 = 2;
const INVALID_HANDLE: u32 = 400;
const NOT_READY: u32 = 600;
const STREAM_IS_GONE: u32 = 709;
const LAUNCH_FAILURE: u32 = 719;
const NOT_SUPPORTED: u32 = 801;

static CODE: &[u8] = include_bytes!("../../kernels/built/deltanet.co");

/// Calls an exported function.
macro_rules! call {
    ($function:ident($($argument:expr),*)) => {
        // SAFETY: pointers in the arguments are null, to locals that are there, or device addresses and handles, which are not followed.
        unsafe { $function($($argument),*) }
    };
}

fn out<T: Copy>(place: &mut T) -> Out<T> {
    // SAFETY: good for writes; every use is within the caller's statement.
    unsafe { Out::at(place) }
}

fn nowhere<T: Copy>() -> Out<T> {
    // SAFETY: null is allowed.
    unsafe { Out::at(null_mut()) }
}

fn text(text: &'static std::ffi::CStr) -> Text {
    Text::of(text)
}

fn array(values: &[u64]) -> In<u64> {
    // SAFETY: good for reads; every use is within the caller's statement.
    unsafe { In::at(values.as_ptr()) }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        match from.len() as u64 {
            0 => None,
            n => Some(from[self.below(n) as usize]),
        }
    }

    /// A size: none, small, odd, large, absurd.
    fn size(&mut self) -> usize {
        match self.below(8) {
            0 => 0,
            1 => 1,
            2..=4 => self.below(5000) as usize,
            5 => 1 << 20,
            6 => 1 << (30 + self.below(34)),
            _ => usize::MAX - self.below(3) as usize,
        }
    }
}

#[derive(Clone, Copy)]
struct Block {
    address: u64,
    size: usize,
}

/// What the program holds, and what it gave up.
#[derive(Default)]
struct Held {
    blocks: Vec<Block>,
    pinned: Vec<Block>,
    streams: Vec<u64>,
    events: Vec<u64>,
    modules: Vec<u64>,
    /// With their modules.
    functions: Vec<(u64, u64)>,
    stale: Vec<u64>,
}

impl Held {
    /// A handle that is no longer or never was one.
    fn bad(&self, random: &mut Random) -> u64 {
        let made_up = [
            3,
            0x1234,
            0x7fff_ffff_f000,
            1 << 47,
            (1 << 48) - 8,
            0x1a01 << 48,
            u64::MAX,
        ];
        match random.pick(&self.stale) {
            Some(stale) if random.below(2) == 0 => stale,
            _ => made_up[random.below(made_up.len() as u64) as usize],
        }
    }

    fn stream(&self, random: &mut Random) -> u64 {
        random.pick(&self.streams).unwrap_or(random.below(3))
    }

    fn forget(&mut self) {
        let all = std::mem::take(self);
        self.stale = all.stale;
        self.stale.extend(all.blocks.iter().map(|b| b.address));
        for handles in [all.streams, all.events, all.modules] {
            self.stale.extend(handles);
        }
        self.stale.extend(all.functions.iter().map(|f| f.1));
    }
}

fn remove<T>(from: &mut Vec<T>, random: &mut Random) -> Option<T> {
    let at = random.below(from.len().max(1) as u64) as usize;
    (at < from.len()).then(|| from.swap_remove(at))
}

/// One call, or a few that belong together.
fn step(held: &mut Held, random: &mut Random) {
    let stream = held.stream(random);
    match random.below(26) {
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
                assert_eq!(call!(hipHostFree(block.address)), INVALID_VALUE);
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
            // Large ones are the same, only slower.
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
            assert!([SUCCESS, INVALID_HANDLE].contains(&before));
            assert_eq!(call!(hipEventRecord(start, stream)), SUCCESS);
            assert_eq!(call!(hipStreamWaitEvent(stream, start, 0)), SUCCESS);
            assert_eq!(call!(hipEventRecord(stop, stream)), SUCCESS);
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
                assert_eq!(call!(hipModuleUnload(module)), INVALID_HANDLE);
                held.stale.push(module);
                held.functions.retain(|&(of, function)| {
                    if of == module {
                        held.stale.push(function);
                    }
                    of != module
                });
            }
        }
        19 | 20 => launch(held, random, stream),
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
            assert_eq!(call!(hipGraphCreate()), NOT_SUPPORTED);
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
            // Some are eight bytes: not this one.
            if attribute != 84 {
                let asked = call!(hipDeviceGetAttribute(place, attribute, 0));
                assert!([SUCCESS, INVALID_VALUE].contains(&asked));
            }
            let device = random.below(4) as i32 - 1;
            let expected = if device == 0 { SUCCESS } else { 101 };
            assert_eq!(call!(hipSetDevice(device)), expected);
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
            assert!([SUCCESS, OUT_OF_MEMORY].contains(&got));
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

/// A launch that is right, or whose shape is wrong, or that runs over the end of its output.
fn launch(held: &mut Held, random: &mut Random, stream: u64) {
    let (Some((_, function)), Some(input), Some(output)) = (
        random.pick(&held.functions),
        random.pick(&held.blocks),
        random.pick(&held.blocks),
    ) else {
        return;
    };
    let most = input.size.min(output.size) / 4;
    let n = random.below(600) as u32;
    let parameters = [input.address, output.address, n as u64];
    let pointers = [0, 1, 2].map(|at| &raw const parameters[at] as u64);
    let (grid, block) = match random.below(8) {
        0 => (0, 64),
        1 => (1, 2000),
        _ => (n.div_ceil(64).max(1), 64),
    };
    let launched = call!(hipModuleLaunchKernel(
        function,
        grid,
        1,
        1,
        block,
        1,
        1,
        0,
        stream,
        array(&pointers),
        In::null()
    ));
    match (grid, block) {
        (0, _) => assert_eq!(launched, INVALID_VALUE),
        (_, 2000) => assert_eq!(launched, 9),
        _ if n as usize <= most => assert_eq!(launched, SUCCESS),
        _ => {
            assert_eq!(launched, LAUNCH_FAILURE);
            let mut address = 0;
            assert_eq!(call!(hipMalloc(out(&mut address), 4)), LAUNCH_FAILURE);
            assert_eq!(call!(hipGetLastError()), LAUNCH_FAILURE);
            assert_eq!(call!(hipDeviceReset()), SUCCESS);
            held.forget();
            // Memory of the host was freed too.
            assert_eq!(call!(hipGetLastError()), SUCCESS);
        }
    }
}

#[test]
fn a_thousand_sequences() {
    for seed in 0..1000 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (seed + 1));
        let mut held = Held::default();
        for _ in 0..40 {
            step(&mut held, &mut random);
        }
        for block in held.blocks.drain(..) {
            assert_eq!(call!(hipFree(block.address)), SUCCESS);
        }
        assert_eq!(call!(hipDeviceReset()), SUCCESS);
    }
}
