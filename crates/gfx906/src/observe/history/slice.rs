//! The backward slice of an element: the instructions through which its value came, and what they started from.

use std::collections::{HashMap, HashSet};

use super::elements::LaneElements;
use super::flow::{BOTH, Halves, changes, halves};
use super::{Detail, Dispatch, History, Instruction, Step};
use crate::isa::uses::SCC;
use crate::isa::{Access as Direction, Code, Form, Inst, Properties, Role, Type, register_name};
use crate::machine::LANES;
use crate::machine::access::{Space, Word};
use crate::machine::shapes::addresses::each;
use crate::machine::sources::lane_read;
use crate::observe::sanitize::Site;

/// Scalar registers whose values are followed: SGPRs, VCC and the trap handler's. M0 and EXEC are not.
const SCALARS: u16 = 124;

/// The instructions that an element's value came through, and its sources.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    /// The instructions, from the element backwards. All runs of an instruction are one node.
    pub nodes: Vec<SliceNode>,
    /// Values that flow from one instruction to another.
    pub edges: Vec<SliceEdge>,
    /// The values that no instruction of the run made.
    pub leaves: Vec<SliceLeaf>,
}

/// An instruction of a slice.
#[derive(Clone, Debug)]
pub struct SliceNode {
    /// The kernel.
    pub kernel: String,
    /// The instruction.
    pub site: Site,
    /// Number of its runs that are part of the slice.
    pub runs: u64,
    /// Number of values that it made for the element, one for each lane of a run.
    pub values: u64,
    /// The work-group, the wave and the lane of the last one.
    pub place: ([u32; 3], u32, usize),
    /// The number of the run that made it.
    pub(super) step: usize,
    /// Its value as text, after [`History::give_values`]; none for a store.
    pub value: Option<String>,
}

/// A flow of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceEdge {
    /// The instruction that made them.
    pub from: usize,
    /// The instruction that used them; none for the element itself.
    pub to: Option<usize>,
}

/// A value that no instruction of the run made, and the instruction that used it; none for the element itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceLeaf {
    /// The value's place.
    pub leaf: Leaf,
    /// The instruction that used it; none for the element itself.
    pub to: Option<usize>,
}

/// The place of a value that a slice starts from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leaf {
    /// Bytes of device memory.
    Memory {
        /// Guest address.
        address: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// Bytes of a kernel's arguments.
    Argument {
        /// The kernel.
        kernel: String,
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// A register that no instruction had written.
    Register {
        /// Its name.
        name: String,
        /// True if the launch sets it: an id of a work-group or a work-item, or an address.
        set: bool,
    },
    /// LDS that no instruction had written.
    Lds,
    /// Scratch that no instruction had written.
    Scratch,
}

/// Number of an instruction; [`ELEMENT`] stands for the element.
type Consumer = u32;
const ELEMENT: Consumer = u32::MAX;

/// A register of a wave: its wave and twice its number, plus 1 for the high half of a VGPR.
type Register = (u32, u16);

/// A byte. LDS belongs to a group, known by the number of its first wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Byte {
    Memory(u64),
    Lds(u32, u64),
    Scratch(u32, u8, u64),
}

/// The runs of an instruction that are part of a slice.
struct NodeRuns {
    order: usize,
    runs: u64,
    values: u64,
    /// The last run, and its first lane that is part of the slice.
    last: (usize, usize),
    /// The run that has been counted, and its lanes.
    counted: (usize, u64),
}

/// The values that are wanted at a point of the run, on the way from its end to its begin.
struct Walk<'a> {
    history: &'a History,
    registers: HashMap<Register, Vec<(Consumer, u64)>>,
    bytes: HashMap<Byte, Vec<Consumer>>,
    seen: HashMap<u32, NodeRuns>,
    edges: HashSet<(u32, Consumer)>,
    leaves: Vec<(Leaf, Consumer)>,
}

impl History {
    /// Returns the slice of the element at a guest address, as the run left it.
    pub fn slice(&self, at: u64, bytes: u64) -> Slice {
        let mut walk = Walk {
            history: self,
            registers: HashMap::new(),
            bytes: (at..at + bytes)
                .map(|at| (Byte::Memory(at), vec![ELEMENT]))
                .collect(),
            seen: HashMap::new(),
            edges: HashSet::new(),
            leaves: Vec::new(),
        };
        let mut dispatches = self.dispatches.iter().rev().peekable();
        for (number, step) in self.steps.iter().enumerate().rev() {
            while let Some(dispatch) = dispatches.next_if(|dispatch| number < dispatch.first) {
                walk.leave(dispatch);
            }
            match step.detail {
                Detail::Access(first, count) => {
                    let parts = &self.accesses[first as usize..][..usize::from(count)];
                    walk.access(number, step, parts);
                }
                _ => walk.compute(number, step),
            }
        }
        dispatches.for_each(|dispatch| walk.leave(dispatch));
        walk.finish()
    }
}

/// Returns true if an instruction computes lane by lane.
fn is_vector(inst: &Inst) -> bool {
    inst.encoding.is_vector() || inst.has(Properties::LDS_LANE_EXCHANGE)
}

/// Returns true if a source only chooses the lane that is read or written.
fn is_choice(inst: &Inst, role: Role) -> bool {
    let lane = inst.has(Properties::READS_LANE) || inst.has(Properties::WRITES_LANE);
    let exchange = inst.has(Properties::LDS_LANE_EXCHANGE) && inst.by_role(Role::Data) != Code::OFF;
    role == Role::Src1 && lane || role == Role::Addr && exchange
}

/// Returns the lanes of a source that lanes of the result depend on.
fn source_lanes(history: &History, step: &Step, inst: &Inst, role: Role, lanes: u64) -> u64 {
    let through = |from: &dyn Fn(usize) -> Option<usize>| {
        each(lanes)
            .filter_map(from)
            .fold(0, |all, lane| all | 1 << lane)
    };
    match step.detail {
        Detail::Exchange(number) => {
            let from = &history.exchanges[number as usize];
            through(&|lane| from[lane].map(usize::from))
        }
        Detail::Lane(lane) if role == Role::Src0 && !inst.has(Properties::WRITES_LANE) => 1 << lane,
        _ if inst.form == Form::Dpp && role == Role::Src0 => {
            through(&|lane| lane_read(inst, 0, lane))
        }
        _ => lanes,
    }
}

/// Returns the lanes of 32 whose mask bits a register of a pair has: the first or the second.
fn mask_half(second: bool) -> u64 {
    if second { !0 << 32 } else { !0 >> 32 }
}

impl Walk<'_> {
    /// Wants lanes of a register.
    fn want(&mut self, (wave, register): (u32, u16), halves: Halves, by: Consumer, lanes: u64) {
        if lanes == 0 {
            return;
        }
        for half in 0..2 {
            if halves >> half & 1 == 0 || register < 256 && half == 1 {
                continue;
            }
            let list = self
                .registers
                .entry((wave, 2 * register + half))
                .or_default();
            match list.iter_mut().find(|(consumer, _)| *consumer == by) {
                Some((_, all)) => *all |= lanes,
                None => list.push((by, lanes)),
            }
        }
    }

    fn want_byte(&mut self, byte: Byte, by: Consumer) {
        let list = self.bytes.entry(byte).or_default();
        if !list.contains(&by) {
            list.push(by);
        }
    }

    /// Takes what is wanted of some lanes of a half of a register.
    fn take(&mut self, wave: u32, half: u16, lanes: u64) -> Vec<(Consumer, u64)> {
        let Some(list) = self.registers.get_mut(&(wave, half)) else {
            return Vec::new();
        };
        let taken = list.iter_mut().filter_map(|(consumer, wanted)| {
            let found = *wanted & lanes;
            *wanted &= !lanes;
            (found != 0).then_some((*consumer, found))
        });
        let taken = taken.collect();
        list.retain(|(_, wanted)| *wanted != 0);
        if list.is_empty() {
            self.registers.remove(&(wave, half));
        }
        taken
    }

    /// Notes that a step made values of some lanes for its consumers.
    fn note(&mut self, number: usize, consumers: &[(Consumer, u64)]) {
        let instruction = self.history.steps[number].instruction;
        let lanes = consumers.iter().fold(0, |all, (_, lanes)| all | lanes);
        let flows = consumers
            .iter()
            .map(|&(consumer, _)| (instruction, consumer));
        self.edges.extend(flows);
        let order = self.seen.len();
        let seen = self.seen.entry(instruction).or_insert(NodeRuns {
            order,
            runs: 0,
            values: 0,
            last: (number, lanes.trailing_zeros() as usize % LANES),
            counted: (usize::MAX, 0),
        });
        if seen.counted.0 != number {
            seen.counted = (number, 0);
            seen.runs += 1;
        }
        seen.values += u64::from((lanes & !seen.counted.1).count_ones());
        seen.counted.1 |= lanes;
    }

    /// Steps back over an instruction that accesses no memory.
    fn compute(&mut self, number: usize, step: &Step) {
        let history = self.history;
        let instruction = &history.instructions[step.instruction as usize];
        let inst = &instruction.inst;
        let mut wanted: [Vec<(Consumer, u64)>; 2] = Default::default();
        let mut scalar = false;
        let operands = inst.row.operands.iter().zip(&inst.operands);
        for (operand, code) in operands.filter(|(operand, _)| operand.access != Direction::Read) {
            let registers = code.0..code.0.saturating_add(inst.registers(operand));
            if code.as_vgpr().is_some() {
                for register in registers {
                    self.take_lanes(step, instruction, register, &mut wanted);
                }
                continue;
            }
            let mask = is_vector(inst) && operand.ty == Type::Mask;
            scalar |= !mask;
            for register in registers.filter(|&register| register < SCALARS) {
                let (here, made) = match mask {
                    true => (mask_half(register > code.0), step.lanes),
                    false => (!0, !0),
                };
                let found = self.take(step.wave, 2 * register, here);
                let found = found.into_iter().map(|(by, lanes)| (by, lanes & made));
                wanted[0].extend(found.filter(|(_, lanes)| *lanes != 0));
            }
        }
        if !is_vector(inst) && inst.register_uses().writes.has(SCC) {
            wanted[0].extend(self.take(step.wave, 2 * SCC, !0));
        }
        if wanted.iter().all(Vec::is_empty) {
            return;
        }
        let made = wanted.iter().flatten();
        let made = made.map(|&(by, lanes)| (by, if scalar { 1 } else { lanes }));
        self.note(number, &made.collect::<Vec<_>>());
        for (half, wanted) in (0..).zip(&wanted) {
            let lanes = wanted.iter().fold(0, |all, (_, lanes)| all | lanes);
            if lanes != 0 {
                self.want_sources(step, half, lanes);
            }
        }
    }

    /// Takes what is wanted of a VGPR that a step has written. Bits that it kept stay wanted.
    fn take_lanes(
        &mut self,
        step: &Step,
        instruction: &Instruction,
        register: u16,
        wanted: &mut [Vec<(Consumer, u64)>; 2],
    ) {
        for (half, wanted) in (0..).zip(wanted) {
            let (changed, kept) = changes(instruction.stay, half);
            if changed {
                let found = self.take(step.wave, 2 * register + half, step.lanes);
                for &(by, lanes) in found.iter().filter(|_| kept) {
                    self.want((step.wave, register), 1 << half, by, lanes);
                }
                wanted.extend(found);
            }
        }
    }

    /// Wants the sources of a half of an instruction's results in some lanes.
    fn want_sources(&mut self, step: &Step, half: u16, lanes: u64) {
        let history = self.history;
        let inst = &history.instructions[step.instruction as usize].inst;
        let by = step.instruction;
        let selector = match step.detail {
            Detail::Selector(selector) => Some(selector),
            _ => None,
        };
        let read = inst.row.operands.iter().zip(&inst.operands);
        let read = read.filter(|(operand, _)| {
            operand.access != Direction::Write && !is_choice(inst, operand.role)
        });
        for (operand, code) in read {
            let registers = code.0..code.0.saturating_add(inst.registers(operand));
            if code.as_vgpr().is_some() {
                let lanes = source_lanes(history, step, inst, operand.role, lanes);
                let halves = halves(inst, operand, half, selector);
                for register in registers {
                    self.want((step.wave, register), halves, by, lanes);
                }
                continue;
            }
            for register in registers.filter(|&register| register < SCALARS) {
                let lanes = match (is_vector(inst), operand.ty) {
                    (true, Type::Mask) => lanes & mask_half(register > code.0),
                    (true, _) => !0,
                    (false, _) => lanes,
                };
                self.want((step.wave, register), BOTH, by, lanes);
            }
        }
        if inst.has(Properties::DIVISION_STEP) {
            for (register, second) in [(Code::VCC.0, false), (Code::VCC.0 + 1, true)] {
                let lanes = lanes & mask_half(second);
                self.want((step.wave, register), BOTH, by, lanes);
            }
        }
        if inst.has(Properties::READS_SCC) {
            self.want((step.wave, SCC), BOTH, by, !0);
        }
    }

    /// Steps back over an instruction that accesses memory.
    fn access(&mut self, number: usize, step: &Step, parts: &[LaneElements]) {
        let plain = parts.iter().all(|part| part.register.is_some());
        if !plain {
            return self.combine(number, step, parts);
        }
        for part in parts {
            let words: Vec<Word> = part.words();
            // Of lanes that store to one place, the last one counts.
            for word in words.iter().rev() {
                let register = part.register.unwrap_or(0).saturating_add(word.number);
                match part.reads {
                    true => self.load(number, step, part, word, register),
                    false => self.store(number, step, part, word, register),
                }
            }
        }
    }

    fn load(
        &mut self,
        number: usize,
        step: &Step,
        part: &LaneElements,
        word: &Word,
        register: u16,
    ) {
        let inst = &self.history.instructions[step.instruction as usize].inst;
        let scalar = register < 256;
        let lanes = if scalar { !0 } else { 1 << word.lane };
        for half in 0..2 {
            let narrow = word.bytes < 4;
            let defined = match half {
                _ if scalar => half == 0,
                0 => !(narrow && part.high),
                _ => !narrow || part.high || !inst.has(Properties::D16),
            };
            if !defined {
                continue;
            }
            let found = self.take(step.wave, 2 * register + half, lanes);
            if found.is_empty() {
                continue;
            }
            let lane = 1 << word.lane;
            let made = found.iter().map(|&(by, _)| (by, lane));
            self.note(number, &made.collect::<Vec<_>>());
            let bytes = match half {
                _ if scalar || narrow && part.high => 0..word.bytes,
                0 => 0..word.bytes.min(2),
                _ if narrow && inst.has(Properties::SIGNED_LOAD) => 0..word.bytes,
                _ => 2.min(word.bytes)..word.bytes,
            };
            for byte in bytes {
                let byte = self.byte(step, part.space, word.lane, word.at.wrapping_add(byte));
                self.want_byte(byte, step.instruction);
            }
        }
    }

    fn store(
        &mut self,
        number: usize,
        step: &Step,
        part: &LaneElements,
        word: &Word,
        register: u16,
    ) {
        if self.bytes.is_empty() {
            return;
        }
        let mut consumers: Vec<Consumer> = Vec::new();
        let mut halves = 0;
        for at in 0..word.bytes {
            let byte = self.byte(step, part.space, word.lane, word.at.wrapping_add(at));
            if let Some(found) = self.bytes.remove(&byte) {
                halves |= if at >= 2 || part.high { 2 } else { 1 };
                let new = found.into_iter().filter(|by| !consumers.contains(by));
                let new: Vec<Consumer> = new.collect();
                consumers.extend(new);
            }
        }
        if halves != 0 {
            let lane = 1 << word.lane;
            let made = consumers.iter().map(|&by| (by, lane));
            self.note(number, &made.collect::<Vec<_>>());
            let lanes = if register < 256 { !0 } else { lane };
            self.want((step.wave, register), halves, step.instruction, lanes);
        }
    }

    /// Steps back over an atomic, a copy between memory and LDS, or a load that converts.
    fn combine(&mut self, number: usize, step: &Step, parts: &[LaneElements]) {
        let inst = &self.history.instructions[step.instruction as usize].inst;
        let all = parts.iter().fold(0, |lanes, part| lanes | part.lanes);
        let of = |role: Role| {
            let operands = inst.row.operands.iter().zip(&inst.operands);
            let found = operands.filter(move |(operand, code)| {
                operand.role == role && (code.as_vgpr().is_some() || code.0 < SCALARS)
            });
            found.flat_map(|(operand, code)| code.0..code.0 + inst.registers(operand))
        };
        let mut lanes = 0;
        let mut written = Vec::new();
        for lane in each(all) {
            let mut consumers = Vec::new();
            for part in parts
                .iter()
                .filter(|part| part.writes && part.lanes >> lane & 1 != 0)
            {
                for at in 0..part.bytes.into() {
                    let byte = self.byte(step, part.space, lane, part.at(lane).wrapping_add(at));
                    consumers.extend(self.bytes.get(&byte).into_iter().flatten());
                    written.push(byte);
                }
            }
            for register in of(Role::Vdst) {
                for half in 0..2 {
                    let found = self.take(step.wave, 2 * register + half, 1 << lane);
                    consumers.extend(found.into_iter().map(|(by, _)| by));
                }
            }
            consumers.sort_unstable();
            consumers.dedup();
            if !consumers.is_empty() {
                lanes |= 1 << lane;
                let made = consumers.into_iter().map(|by| (by, 1 << lane));
                self.note(number, &made.collect::<Vec<_>>());
            }
        }
        // All lanes may have a part in what an atomic leaves at one place.
        for byte in written {
            self.bytes.remove(&byte);
        }
        for lane in each(lanes) {
            let stored = inst.has(Properties::STORE) || !inst.has(Properties::LOAD);
            for register in of(Role::Data).chain(of(Role::Data1)).filter(|_| stored) {
                self.want((step.wave, register), BOTH, step.instruction, 1 << lane);
            }
            for part in parts
                .iter()
                .filter(|part| part.reads && part.lanes >> lane & 1 != 0)
            {
                for at in 0..part.bytes.into() {
                    let byte = self.byte(step, part.space, lane, part.at(lane).wrapping_add(at));
                    self.want_byte(byte, step.instruction);
                }
            }
        }
    }

    fn byte(&self, step: &Step, space: Space, lane: usize, at: u64) -> Byte {
        match space {
            Space::Global => Byte::Memory(at),
            Space::Lds => Byte::Lds(self.history.waves[step.wave as usize].first, at),
            Space::Scratch => Byte::Scratch(step.wave, lane as u8, at),
        }
    }

    /// Steps back over the begin of a launch, whose arguments the host had written.
    fn leave(&mut self, dispatch: &Dispatch) {
        let arguments = &dispatch.kernarg;
        let found = self.bytes.keys().filter_map(|byte| match byte {
            Byte::Memory(at) if arguments.contains(at) => Some(*at),
            _ => None,
        });
        let found: Vec<u64> = found.collect();
        for at in found {
            let leaf = Leaf::Argument {
                kernel: dispatch.kernel.clone(),
                offset: at - arguments.start,
                bytes: 1,
            };
            let consumers = self.bytes.remove(&Byte::Memory(at)).unwrap_or_default();
            self.leaves
                .extend(consumers.into_iter().map(|by| (leaf.clone(), by)));
        }
    }

    fn finish(mut self) -> Slice {
        for (byte, consumers) in std::mem::take(&mut self.bytes) {
            let leaf = match byte {
                Byte::Memory(address) => Leaf::Memory { address, bytes: 1 },
                Byte::Lds(..) => Leaf::Lds,
                Byte::Scratch(..) => Leaf::Scratch,
            };
            self.leaves
                .extend(consumers.into_iter().map(|by| (leaf.clone(), by)));
        }
        for ((wave, register), consumers) in std::mem::take(&mut self.registers) {
            let number = register / 2;
            let dispatch = self.history.waves[wave as usize].dispatch;
            let (sgprs, vgprs) = self.history.dispatches[dispatch].set;
            let leaf = Leaf::Register {
                name: register_name(Code(number), 1),
                set: number < sgprs || (256..256 + vgprs).contains(&number),
            };
            self.leaves
                .extend(consumers.into_iter().map(|(by, _)| (leaf.clone(), by)));
        }
        let mut order: Vec<u32> = self.seen.keys().copied().collect();
        order.sort_unstable_by_key(|number| self.seen[number].order);
        let position: HashMap<Consumer, usize> = order.iter().copied().zip(0..).collect();
        let at = |consumer: Consumer| position.get(&consumer).copied();
        let mut edges: Vec<SliceEdge> = self
            .edges
            .iter()
            .map(|&(from, to)| SliceEdge {
                from: position[&from],
                to: at(to),
            })
            .collect();
        edges.sort_unstable_by_key(|edge| (edge.to, edge.from));
        let leaves = self.leaves.iter().map(|(leaf, by)| (at(*by), leaf.clone()));
        Slice {
            nodes: order.iter().map(|number| self.node(*number)).collect(),
            edges,
            leaves: joined(leaves),
        }
    }

    fn node(&self, number: u32) -> SliceNode {
        let history = self.history;
        let instruction = &history.instructions[number as usize];
        let seen = &self.seen[&number];
        let step = &history.steps[seen.last.0];
        let wave = &history.waves[step.wave as usize];
        SliceNode {
            kernel: history.dispatches[instruction.dispatch].kernel.clone(),
            site: instruction.site.clone(),
            runs: seen.runs,
            values: seen.values,
            place: (wave.group, wave.index, seen.last.1),
            step: seen.last.0,
            value: None,
        }
    }
}

/// Returns leaves with adjacent bytes joined, in order.
fn joined(leaves: impl Iterator<Item = (Option<usize>, Leaf)>) -> Vec<SliceLeaf> {
    let mut all: Vec<(Option<usize>, Leaf)> = leaves.collect();
    all.sort_unstable();
    all.dedup();
    let mut found: Vec<SliceLeaf> = Vec::new();
    for (to, leaf) in all {
        let before = found.last_mut().filter(|last| last.to == to);
        let grown = before.is_some_and(|last| match (&mut last.leaf, &leaf) {
            (Leaf::Memory { address, bytes }, Leaf::Memory { address: next, .. })
                if *address + *bytes == *next =>
            {
                *bytes += 1;
                true
            }
            (
                Leaf::Argument {
                    kernel,
                    offset,
                    bytes,
                },
                Leaf::Argument {
                    kernel: other,
                    offset: next,
                    ..
                },
            ) if kernel == other && *offset + *bytes == *next => {
                *bytes += 1;
                true
            }
            _ => false,
        });
        if !grown {
            found.push(SliceLeaf { leaf, to });
        }
    }
    found
}
