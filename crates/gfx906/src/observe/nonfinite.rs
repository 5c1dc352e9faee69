//! The origins of infinities and of values that are not a number.
//!
//! An instruction *makes* an infinity if all its sources are finite, and a NaN if none of its sources is one. Each such event is an
//! [`Origin`]. Its mark follows the value through registers, LDS, scratch and memory, so that an element of a result has the origin of its
//! own value. An infinity that no stored value comes from, such as one within a division, is never reported.
//!
//! Memory has no types: a whole number may have the bits of a NaN. Such a value gets a mark when it is loaded or stored, but it counts as the
//! first value that is not finite only after an instruction that computes with floating-point numbers has used it as one.

mod marks;
mod origin;
#[cfg(test)]
mod tests;

use self::marks::{Element, MemoryMarks, RegisterMarks, named};
use self::origin::{Mark, Origins};
use super::Observer;
use super::sanitize::Site;
use super::value::{Class, Value, maybe_non_finite};
use crate::code_object::Lines;
use crate::isa::{self, Properties, Role, Type, register_name};
use crate::machine::access::{Access, Part, Space, Word, accesses};
use crate::machine::shapes::addresses::each;
use crate::machine::sources::{
    FloatSource, accesses_memory, float_sources, lane_read, written_lanes,
};
use crate::machine::{DispatchStart, Group, LANES, Op, Wave};

pub use self::origin::{Cause, Origin};

/// Observer of the origins of non-finite values. Its dispatches run on one thread.
#[derive(Default)]
pub struct NonFinite {
    kernel: String,
    base: u64,
    group: Group,
    waves: Vec<RegisterMarks>,
    memory: MemoryMarks,
    origins: Origins,
    /// First mark of a floating-point number that was stored to device memory, of each kernel that such values come from.
    first: Vec<Mark>,
    /// Accesses of the running instruction.
    access: Access,
    /// Sources of the running instruction that are floating-point numbers.
    sources: Vec<FloatSource>,
}

impl NonFinite {
    /// Returns the origins of the element at a guest address: that of its value, then those of the values that it was made of.
    pub fn origins_at(&self, at: u64, bytes: u64) -> Vec<&Origin> {
        let element = Element {
            space: Space::Global,
            wave: 0,
            lane: 0,
            at,
            bytes,
        };
        self.origins.chain(self.memory.get(element))
    }

    /// Returns the origins of the non-finite value that was stored to device memory first.
    pub fn first_origins(&self) -> Vec<&Origin> {
        self.first_of_each_kernel().next().unwrap_or_default()
    }

    /// Returns, for each kernel that has made a stored non-finite value, the origins of the first one, in the order of the stores.
    pub fn first_of_each_kernel(&self) -> impl Iterator<Item = Vec<&Origin>> {
        self.first.iter().map(|&mark| self.origins.chain(mark))
    }

    /// Looks up the source lines of a kernel's origins.
    pub fn look_up(&mut self, kernel: &str, lines: &Lines) {
        self.origins.look_up(kernel, lines);
    }

    fn marks(&mut self, wave: &Wave) -> &mut RegisterMarks {
        let index = wave.index as usize;
        if self.waves.len() <= index {
            self.waves.resize_with(index + 1, RegisterMarks::default);
        }
        &mut self.waves[index]
    }

    fn add(
        &mut self,
        (wave, op, pc): Run<'_>,
        lane: Option<usize>,
        value: String,
        cause: Cause,
    ) -> Mark {
        self.origins.add(Origin {
            kernel: self.kernel.clone(),
            site: Site::new(pc.wrapping_sub(self.base), op.text()),
            group: self.group.id,
            wave: wave.index,
            lane,
            value,
            cause,
        })
    }

    /// Marks the result of an instruction whose result is a floating-point number.
    fn compute(&mut self, run: Run<'_>, result: Destination) {
        let (wave, op, _) = run;
        let sources = std::mem::take(&mut self.sources);
        for lane in each(written_lanes(wave, op)) {
            let value = result.value(wave, lane);
            let mark = match value.class() {
                Class::Finite => 0,
                class => self.origin(run, &sources, lane, class, value),
            };
            let marks = self.marks(wave);
            for register in result.registers() {
                marks.set(register, lane, mark);
            }
        }
        self.sources = sources;
    }

    /// Returns the mark of a non-finite result: that of a source, or that of a new origin.
    fn origin(
        &mut self,
        run: Run<'_>,
        sources: &[FloatSource],
        lane: usize,
        class: Class,
        value: Value,
    ) -> Mark {
        let (wave, op, _) = run;
        let of = |source: &FloatSource| Value {
            low: source.low[lane],
            high: source.high[lane],
            ty: source.ty,
        };
        // The last step of a division replaces the quotient of the steps before where the operands are special.
        let division = op.row.mnemonic.starts_with("v_div_fixup");
        let mut from: Option<(Class, Mark)> = None;
        let mut value_used = None;
        let used = sources
            .iter()
            .filter(|source| !division || source.number != 0);
        for source in used.clone() {
            let found = of(source).class();
            let better = match from {
                None => found != Class::Finite,
                Some((Class::Infinite, mark)) => {
                    found == Class::Nan || found == Class::Infinite && mark == 0
                }
                Some((_, mark)) => found == Class::Nan && mark == 0,
            };
            if better {
                let read = lane_read(&op.inst, source.number, lane);
                let marks = self.marks(wave);
                let mut registers = (0..source.ty.registers() as u16).map(|n| source.code.0 + n);
                let mark = read.and_then(|lane| {
                    let mut marks = registers.by_ref().map(|register| marks.get(register, lane));
                    marks.find(|mark| *mark != 0)
                });
                let mark = mark.unwrap_or(0);
                from = Some((found, mark));
                value_used = Some(of(source));
            }
        }
        if let (Some((_, mark)), Some(used)) = (from, value_used) {
            self.origins.note_use(mark, || used.text());
        }
        match from {
            Some((Class::Nan, mark)) => mark,
            Some((Class::Infinite, mark)) if class == Class::Infinite => mark,
            from => {
                let operands = used.map(|source| {
                    let value = of(source).text();
                    match source.code.is_number() {
                        true => value,
                        false => {
                            let name = register_name(source.code, source.ty.registers());
                            format!("{name} = {value}")
                        }
                    }
                });
                let cause = Cause::Computed {
                    operands: operands.collect(),
                    earlier: from.map_or(0, |(_, mark)| mark),
                };
                self.add(run, Some(lane), value.text(), cause)
            }
        }
    }

    /// Marks the results of an instruction that moves bits or computes with integers: with the mark of a source of equal bits, or else of any.
    fn copy(&mut self, wave: &Wave, op: &Op) {
        if self.marks(wave).is_empty() {
            return;
        }
        let crosses = op.has(Properties::CROSSES_LANES);
        let lanes = written_lanes(wave, op);
        let sources: Vec<u16> = named(&op.inst, isa::Access::Write).collect();
        let mut found = Vec::new();
        for register in named(&op.inst, isa::Access::Read) {
            let lanes = if register < 256 { 1 } else { lanes };
            for lane in each(lanes) {
                let bits = bits(wave, register, lane);
                let marks = self.marks(wave);
                let from = lane_read(&op.inst, 0, lane).unwrap_or(lane);
                let other_lanes = match crosses || register < 256 {
                    true => 0..LANES,
                    false => from..from + 1,
                };
                let marked = sources.iter().flat_map(|&source| {
                    let marks = &*marks;
                    let lanes = other_lanes.clone();
                    lanes.map(move |lane| (source, lane, marks.get(source, lane)))
                });
                let mut marked = marked.filter(|(_, _, mark)| *mark != 0);
                let any = marked.clone().next();
                let equal =
                    marked.find(|&(source, lane, _)| self::bits(wave, source, lane) == bits);
                found.push((register, lane, equal.or(any).map_or(0, |(_, _, mark)| mark)));
            }
        }
        let marks = self.marks(wave);
        for (register, lane, mark) in found {
            marks.set(register, lane, mark);
        }
    }

    /// Marks what an instruction has loaded and stored.
    fn transfer(&mut self, run: Run<'_>) {
        let (wave, op, _) = run;
        let access = std::mem::take(&mut self.access);
        for part in &access.parts {
            match part.register {
                Some(register) if part.reads => self.load(run, part, register),
                Some(register) => self.store(run, part, register),
                None if part.writes => self.combine(wave, op, part),
                None => {}
            }
        }
        if access.parts.iter().all(|part| part.register.is_none()) {
            let lanes = wave.lanes_on();
            let marks = self.marks(wave);
            for register in named(&op.inst, isa::Access::Read) {
                each(lanes).for_each(|lane| marks.set(register, lane, 0));
            }
        }
        self.access = access;
    }

    fn load(&mut self, run: Run<'_>, part: &Part, register: u16) {
        let wave = run.0;
        for (lane, element, register) in elements(wave, part, register) {
            let bits = bits(wave, register, lane) >> if part.high { 16 } else { 0 };
            // The host may have overwritten what a kernel had stored.
            let mark = match maybe_non_finite(bits, element.bytes) {
                None => 0,
                Some(value) => match self.memory.get(element) {
                    0 if part.space == Space::Global => {
                        let cause = Cause::Loaded {
                            address: element.at,
                        };
                        self.add(run, (!part.scalar).then_some(lane), value, cause)
                    }
                    mark => mark,
                },
            };
            self.marks(wave).set(register, lane, mark);
        }
    }

    fn store(&mut self, run: Run<'_>, part: &Part, register: u16) {
        let wave = run.0;
        for (lane, element, register) in elements(wave, part, register) {
            let bits = bits(wave, register, lane) >> if part.high { 16 } else { 0 };
            let mark = match maybe_non_finite(bits, element.bytes) {
                None => 0,
                Some(value) => match self.marks(wave).get(register, lane) {
                    0 if part.space == Space::Global => {
                        // An integer may look like a number that is not finite, so this is none that is reported by itself.
                        let mark = self.add(run, Some(lane), value, Cause::Stored);
                        self.memory.set(element, mark);
                        continue;
                    }
                    mark => mark,
                },
            };
            self.put(element, mark);
        }
    }

    /// Marks memory that an atomic has changed, if its operand has a mark.
    fn combine(&mut self, wave: &Wave, op: &Op, part: &Part) {
        let Some(data) = op.by_role(Role::Data).as_vgpr() else {
            return;
        };
        for (lane, element, register) in elements(wave, part, 256 + u16::from(data)) {
            let mark = self.marks(wave).get(register, lane);
            if mark != 0 {
                self.put(element, mark);
            }
        }
    }

    fn put(&mut self, element: Element, mark: Mark) {
        if element.space == Space::Global && mark != 0 {
            self.note_first(mark);
        }
        self.memory.set(element, mark);
    }

    /// Keeps the mark of a stored value if it is the first one that comes from its kernel.
    fn note_first(&mut self, mark: Mark) {
        let kernel = |mark| self.origins.get(mark).map(|origin| &origin.kernel);
        let known = |first: &Mark| *first == mark || kernel(*first) == kernel(mark);
        if !self.first.iter().any(known) && self.origins.is_float(mark) {
            self.first.push(mark);
        }
    }
}

/// A wave, the instruction that it runs, and its guest address.
type Run<'a> = (&'a Wave, &'a Op, u64);

/// Returns the contents of a register.
fn bits(wave: &Wave, register: u16, lane: usize) -> u32 {
    match register.checked_sub(256) {
        Some(vgpr) => wave.v[usize::from(vgpr) % 256][lane % LANES],
        None => wave.s.get(usize::from(register)).copied().unwrap_or(0),
    }
}

/// Returns the elements of a part, each of at most a dword, with their lanes and registers.
fn elements(wave: &Wave, part: &Part, register: u16) -> Vec<(usize, Element, u16)> {
    let of = |word: Word| {
        let element = Element {
            space: part.space,
            wave: wave.index,
            lane: word.lane,
            at: word.at,
            bytes: word.bytes,
        };
        (word.lane, element, register.saturating_add(word.number))
    };
    part.words().map(of).collect()
}

/// The result of an instruction that is a floating-point number.
#[derive(Clone, Copy, Debug)]
struct Destination {
    vgpr: u16,
    ty: Type,
    /// Position of a half in its register.
    shift: u8,
}

impl Destination {
    /// Returns the result, if the instruction computes one on the vector ALU. `v_pack_b32_f16` moves two halves, and compilers use it for
    /// integers, too.
    fn of(op: &Op) -> Option<Destination> {
        if op.row.mnemonic == "v_pack_b32_f16" {
            return None;
        }
        let operand = op.row.operands.first()?;
        let float = matches!(operand.ty, Type::F16 | Type::F16x2 | Type::F32 | Type::F64);
        let written = operand.role == Role::Vdst && operand.access != isa::Access::Read;
        let computed = op.encoding.is_vector() && !accesses_memory(op);
        let vgpr = op.inst.operands[0].as_vgpr()?;
        (float && written && computed).then_some(Destination {
            vgpr: vgpr.into(),
            ty: operand.ty,
            shift: op.plan.fill.map_or(0, |fill| fill.shift),
        })
    }

    fn registers(self) -> impl Iterator<Item = u16> {
        let first = 256 + self.vgpr;
        first..first + self.ty.registers() as u16
    }

    fn value(self, wave: &Wave, lane: usize) -> Value {
        let low = bits(wave, 256 + self.vgpr, lane);
        Value {
            low: low >> (self.shift & 31),
            high: match self.ty {
                Type::F64 => bits(wave, 257 + self.vgpr, lane),
                _ => 0,
            },
            ty: self.ty,
        }
    }
}

impl Observer for NonFinite {
    fn fork(&self) -> Option<NonFinite> {
        None
    }

    fn join(&mut self, _: NonFinite) {}

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        started.kernel.clone_into(&mut self.kernel);
        self.base = started.base;
    }

    fn group(&mut self, group: &Group) {
        self.group = *group;
        self.waves.clear();
        self.memory.begin_group();
    }

    fn before(&mut self, wave: &Wave, op: &Op, _: u64) {
        if accesses_memory(op) {
            let stride = u64::from(wave.index) * self.group.scratch_stride;
            accesses(wave, op, self.group.scratch + stride, &mut self.access);
        } else if Destination::of(op).is_some() && !wave.indexes_vgprs() {
            self.sources = float_sources(wave, &op.inst);
        }
    }

    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if accesses_memory(op) {
            return self.transfer((wave, op, pc));
        }
        match Destination::of(op) {
            Some(result) if !wave.indexes_vgprs() => self.compute((wave, op, pc), result),
            _ => self.copy(wave, op),
        }
    }
}
