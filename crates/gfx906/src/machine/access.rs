//! Memory accesses of an instruction, determined from the registers before it runs.

use super::shapes::addresses::{Addresses, each};
use super::shapes::{flat, image, lds, mubuf, smem, to_lds, typed};
use super::{LANES, MemoryPath, Op, PRIVATE_BASE, SHARED_BASE, Wave};
use crate::isa::{Encoding, Flags, Inst, Properties, Role};

/// Kind of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Space {
    /// Device memory, at guest addresses.
    #[default]
    Global,
    /// The group's LDS, at byte offsets.
    Lds,
    /// The lane's own scratch, at byte offsets.
    Scratch,
}

/// Elements of the lanes, all of the same size and in the same kind of memory.
#[derive(Clone, Debug)]
pub struct Part {
    /// Address space.
    pub space: Space,
    /// Lanes of the access; only lane 0 for an access of the wave as a whole.
    pub lanes: u64,
    /// Start of each lane's element.
    pub at: Addresses,
    /// Size of an element in bytes.
    pub bytes: u64,
    /// True if the elements are read.
    pub reads: bool,
    /// True if the elements are written.
    pub writes: bool,
    /// True for an access of the wave as a whole through the scalar cache.
    pub scalar: bool,
    /// First register of the element, numbered as in [`crate::isa::uses`], or `None` if the access is not a plain copy.
    pub register: Option<u16>,
    /// True if the element is the upper half of its register.
    pub high: bool,
}

impl Part {
    /// Iterates over the lanes and the addresses of their elements.
    pub fn places(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        each(self.lanes).map(|lane| (lane, self.at[lane]))
    }

    /// Iterates over the elements in pieces of at most a dword.
    pub fn words(&self) -> impl Iterator<Item = Word> + '_ {
        let bytes = self.bytes;
        let of = move |(lane, at): (usize, u64)| {
            (0..bytes.div_ceil(4)).map(move |number| Word {
                lane,
                number: number as u16,
                at: at.wrapping_add(4 * number),
                bytes: (bytes - 4 * number).min(4),
            })
        };
        self.places().flat_map(of)
    }
}

/// A piece of a lane's element, of at most a dword.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The lane.
    pub lane: usize,
    /// Number of the piece, and of its register behind the part's first one.
    pub number: u16,
    /// Its start.
    pub at: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Memory accesses of an instruction, which have at most a few parts.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The parts.
    pub parts: Vec<Part>,
    /// True if the access reads and writes indivisibly.
    pub atomic: bool,
    /// GLC bit: the load bypasses the cache of its compute unit, as atomic loads do.
    pub coherent: bool,
}

impl Access {
    /// Removes all parts.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.atomic = false;
        self.coherent = false;
    }
}

/// Converts scratch offsets from another start to offsets from `scratch`, the start of lane 0. The dwords of the lanes are adjacent.
fn beyond(start: u64, offsets: Addresses, scratch: u64) -> Addresses {
    let more = start.wrapping_sub(scratch) / LANES as u64;
    offsets.map(|offset| offset.wrapping_add(more))
}

/// Determines the accesses of an instruction, for a wave whose scratch begins at a guest address.
pub fn accesses(wave: &Wave, op: &Op, scratch: u64, out: &mut Access) {
    out.clear();
    let (reads, writes) = (op.traffic.read != 0, op.traffic.written != 0);
    let flags = op.modifiers.flags;
    out.atomic = reads && writes;
    out.coherent = flags.has(Flags::GLC);
    let register = register(op);
    let bytes = u64::from(op.traffic.read.max(op.traffic.written));
    let part = |space, lanes, at, bytes| Part {
        space,
        lanes,
        at,
        bytes,
        reads,
        writes,
        scalar: false,
        register: register.filter(|_| !(reads && writes)),
        high: op.has(Properties::D16_HIGH),
    };
    let lanes = wave.lanes_on();
    let parts = &mut out.parts;
    match op.traffic.way {
        MemoryPath::None => {}
        MemoryPath::Scalar => {
            for (first, count, address) in smem::reached(wave, op, (bytes / 4) as u16) {
                parts.push(Part {
                    scalar: true,
                    register: register.map(|number| number + first as u16),
                    ..part(Space::Global, 1, [address; LANES], 4 * count as u64)
                });
            }
        }
        _ if lanes == 0 => {}
        MemoryPath::Global => parts.push(part(Space::Global, lanes, flat::global(wave, op), bytes)),
        MemoryPath::Scratch => {
            let at = beyond(flat::scratch_start(wave), flat::private(wave, op), scratch);
            parts.push(part(Space::Scratch, lanes, at, bytes));
        }
        MemoryPath::Flat => {
            let at = flat::flat(wave, op);
            let shared = flat::within(&at, lanes, SHARED_BASE);
            let private = flat::within(&at, lanes, PRIVATE_BASE);
            let low = at.map(|at| at & 0xffff_ffff);
            let apart = [
                (Space::Global, lanes & !shared & !private, at),
                (Space::Lds, shared, low),
                (
                    Space::Scratch,
                    private,
                    beyond(flat::scratch_start(wave), low, scratch),
                ),
            ];
            let some = apart.into_iter().filter(|(_, lanes, _)| *lanes != 0);
            parts.extend(some.map(|(space, lanes, at)| part(space, lanes, at, bytes)));
        }
        MemoryPath::Buffer => buffer(wave, op, lanes, bytes, scratch, parts, part),
        MemoryPath::Image => {
            let (bytes, taps) = image::reached(wave, op);
            let found = taps.into_iter().map(|tap| (lanes & tap.inside, tap.at));
            let some = found.filter(|(lanes, _)| *lanes != 0);
            parts.extend(some.map(|(lanes, at)| part(Space::Global, lanes, at, bytes)));
        }
        MemoryPath::LdsOnce => {
            let at = lds::m0_base(wave) + op.offset as u32;
            parts.push(part(
                Space::Lds,
                1 << lanes.trailing_zeros(),
                [at.into(); LANES],
                4,
            ));
        }
        MemoryPath::Lds if flags.has(Flags::GDS) => {}
        MemoryPath::Lds => in_lds(wave, op, lanes, parts, part),
    }
    if op.traffic.with_lds {
        let at = std::array::from_fn(|lane| to_lds::place(wave, op, lane).into());
        parts.push(Part {
            reads: writes,
            writes: reads,
            register: None,
            ..part(Space::Lds, lanes, at, 4)
        });
    }
}

/// Returns the first register that an instruction loads or stores.
fn register(inst: &Inst) -> Option<u16> {
    let stores = inst.has(Properties::STORE) || inst.has(Properties::LDS_WRITE);
    let roles = match (inst.encoding, stores) {
        (Encoding::Smem, _) => [Role::Sdst, Role::Data],
        (_, true) => [Role::Data, Role::Data],
        (_, false) => [Role::Vdst, Role::Data],
    };
    let found = inst.row.operands.iter().zip(&inst.operands);
    let found = roles.iter().find_map(|role| {
        let mut operands = found.clone();
        operands.find(|(operand, code)| operand.role == *role && code.0 < 512)
    });
    let formatted = inst.encoding == Encoding::Mimg || inst.has(Properties::FORMATTED);
    let plain = !inst.modifiers.flags.has(Flags::LDS) && !formatted;
    found.map(|(_, code)| code.0).filter(|_| plain)
}

/// Determines the accesses through a resource, dword by dword, because swizzling may separate neighbours.
fn buffer(
    wave: &Wave,
    op: &Op,
    lanes: u64,
    bytes: u64,
    scratch: u64,
    parts: &mut Vec<Part>,
    part: impl Fn(Space, u64, Addresses, u64) -> Part,
) {
    let typed = op.encoding == Encoding::Mtbuf || op.has(Properties::FORMATTED);
    let bytes = match typed {
        true => typed::bytes(wave, op).unwrap_or(0),
        false => bytes,
    };
    let each = bytes.min(4);
    if let Some((start, offsets, true)) = mubuf::private(wave, op, each) {
        parts.push(part(
            Space::Scratch,
            lanes,
            beyond(start, offsets, scratch),
            bytes,
        ));
        return;
    }
    for k in 0..bytes.div_ceil(4) {
        let bytes = (bytes - 4 * k).min(4);
        let (at, inside) = mubuf::addresses(wave, op, k, bytes);
        let mut part = part(Space::Global, lanes & inside, at, bytes);
        part.register = part.register.map(|number| number + k as u16);
        parts.push(part);
    }
}

/// Adds the LDS accesses: one address, two addresses, or a memory value and an operand.
fn in_lds(
    wave: &Wave,
    op: &Op,
    lanes: u64,
    parts: &mut Vec<Part>,
    part: impl Fn(Space, u64, Addresses, u64) -> Part,
) {
    let bytes = u64::from(op.traffic.read.max(op.traffic.written));
    let wide = |at: [u32; LANES]| at.map(u64::from);
    if op.has(Properties::LDS_OPERAND) {
        let addr = lds::register(op.by_role(Role::Addr));
        let both = wave.v[addr].map(|address| lds::both_places(op, address));
        let bytes = u64::from(op.traffic.written);
        parts.push(part(Space::Lds, lanes, wide(both.map(|(to, _)| to)), bytes));
        parts.push(Part {
            writes: false,
            ..part(Space::Lds, lanes, wide(both.map(|(_, from)| from)), bytes)
        });
    } else if op.row.modifiers.has(Flags::TWO_OFFSETS) {
        let half = bytes / 2;
        let unit = half as u32 * if op.has(Properties::STRIDE64) { 64 } else { 1 };
        let (first, second) = lds::offsets(op, unit);
        let at = |offset| wide(lds::addresses(wave, op, offset));
        let one = part(Space::Lds, lanes, at(first), half);
        let mut two = part(Space::Lds, lanes, at(second), half);
        if one.writes {
            two.register = Some(op.by_role(Role::Data1).0).filter(|_| two.register.is_some());
        } else {
            two.register = two.register.map(|number| number + (half / 4) as u16);
        }
        parts.push(one);
        parts.push(two);
    } else if op.has(Properties::ADDRESS_BY_LANE) {
        parts.push(part(Space::Lds, lanes, wide(lds::by_lane(wave, op)), 4));
    } else {
        let at = lds::addresses(wave, op, op.offset as u32);
        parts.push(part(Space::Lds, lanes, wide(at), bytes));
    }
}
