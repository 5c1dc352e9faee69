//! Calls of exported functions, and the objects of a random program.

use std::ptr::null_mut;

use gfx906_hip::boundary::{In, Out, Text};

pub const SUCCESS: u32 = 0;
pub const INVALID_VALUE: u32 = 1;
pub const OUT_OF_MEMORY: u32 = 2;
pub const INVALID_HANDLE: u32 = 400;
pub const ILLEGAL_STATE: u32 = 401;
pub const NOT_FOUND: u32 = 500;
pub const NOT_READY: u32 = 600;
pub const STREAM_IS_GONE: u32 = 709;
pub const LAUNCH_FAILURE: u32 = 719;
pub const NOT_SUPPORTED: u32 = 801;
pub const STREAM_CAPTURE_UNSUPPORTED: u32 = 900;
pub const STREAM_CAPTURE_INVALIDATED: u32 = 901;
pub const STREAM_CAPTURE_UNJOINED: u32 = 904;

/// Code object of kernels from another compiler.
pub static CODE: &[u8] = include_bytes!("../../../../kernels/built/deltanet.co");

/// Calls an exported function.
macro_rules! call {
    ($function:ident($($argument:expr),*)) => {
        // SAFETY: pointers in the arguments are null, to live locals, or device addresses and handles, which are not dereferenced.
        unsafe { $function($($argument),*) }
    };
}

pub mod batches;
pub mod launch;
pub mod memory;
pub mod streams;
pub mod textures;

pub fn out<T: Copy>(place: &mut T) -> Out<T> {
    // SAFETY: good for writes; every use is within the caller's statement.
    unsafe { Out::at(place) }
}

pub fn nowhere<T: Copy>() -> Out<T> {
    // SAFETY: null is allowed.
    unsafe { Out::at(null_mut()) }
}

pub fn text(text: &'static std::ffi::CStr) -> Text {
    Text::from_static(text)
}

pub fn array(values: &[u64]) -> In<u64> {
    // SAFETY: good for reads; every use is within the caller's statement.
    unsafe { In::at(values.as_ptr()) }
}

/// Bytes in pages of their own, followed by an inaccessible page. HIP does not get an image's size, and reads an image with damaged headers
/// up to the end of memory.
pub struct IsolatedPages(memmap2::MmapMut);

impl IsolatedPages {
    pub fn of(bytes: &[u8]) -> IsolatedPages {
        const PAGE: usize = 4096;
        let room = bytes.len().next_multiple_of(PAGE);
        let mut map = memmap2::MmapMut::map_anon(room + PAGE).expect("memory");
        map[..bytes.len()].copy_from_slice(bytes);
        // SAFETY: the last page belongs to this mapping, and no code accesses it.
        let hidden = unsafe {
            let last = map.as_mut_ptr().add(room);
            libc::mprotect(last.cast(), PAGE, libc::PROT_NONE)
        };
        assert_eq!(hidden, 0);
        IsolatedPages(map)
    }

    pub fn address(&self) -> u64 {
        self.0.as_ptr().expose_provenance() as u64
    }
}

/// Generator xorshift64*.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        match from.len() as u64 {
            0 => None,
            n => Some(from[self.below(n) as usize]),
        }
    }

    /// Returns a size: none, small, odd, large, absurd.
    pub fn size(&mut self) -> usize {
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

#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub address: u64,
    pub size: usize,
}

/// Live objects of the random program, and handles of destroyed objects.
#[derive(Default)]
pub struct LiveObjects {
    pub blocks: Vec<Block>,
    pub pinned: Vec<Block>,
    pub streams: Vec<u64>,
    pub events: Vec<u64>,
    pub modules: Vec<u64>,
    /// Functions with their modules.
    pub functions: Vec<(u64, u64)>,
    pub stale: Vec<u64>,
}

impl LiveObjects {
    /// Returns a handle that is no longer valid or never was.
    pub fn bad(&self, random: &mut Random) -> u64 {
        let made_up = [
            3,
            0x1234,
            0x7fff_ffff_f000,
            // These lie far behind the first addresses of allocations and reservations, which may be valid.
            7 << 45,
            (1 << 48) - 8,
            0x1a01 << 48,
            u64::MAX,
        ];
        match random.pick(&self.stale) {
            Some(stale) if random.below(2) == 0 => stale,
            _ => made_up[random.below(made_up.len() as u64) as usize],
        }
    }

    pub fn stream(&self, random: &mut Random) -> u64 {
        random.pick(&self.streams).unwrap_or(random.below(3))
    }

    pub fn forget(&mut self) {
        let all = std::mem::take(self);
        self.stale = all.stale;
        self.stale.extend(all.blocks.iter().map(|b| b.address));
        for handles in [all.streams, all.events, all.modules] {
            self.stale.extend(handles);
        }
        self.stale.extend(all.functions.iter().map(|f| f.1));
    }
}

pub fn remove<T>(from: &mut Vec<T>, random: &mut Random) -> Option<T> {
    let at = random.below(from.len().max(1) as u64) as usize;
    (at < from.len()).then(|| from.swap_remove(at))
}
