//! What is known of the registers of a wave at an instruction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gfx906::isa::Code;
use gfx906::isa::uses::RegisterSet;

use super::value::Range;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Nobody wrote it.
    Unwritten,
    /// A number.
    Number(Range),
    /// The low half of the address of the arguments, and so many bytes more.
    Arguments(u32),
    /// Its high half.
    ArgumentsHigh,
    /// What this half of EXEC holds now, 0 the low one.
    Lanes(u16),
}

impl Value {
    /// Anything.
    pub const ANY: Value = Value::Number(Range::ANY);

    /// As a number.
    pub fn range(self) -> Range {
        match self {
            Value::Number(range) => range,
            _ => Range::ANY,
        }
    }

    /// Either of two.
    fn or(self, other: Value) -> Value {
        match (self, other) {
            (one, other) if one == other => one,
            (Value::Unwritten, one) | (one, Value::Unwritten) => one,
            (Value::Number(one), Value::Number(other)) => Value::Number(one.or(other)),
            _ => Value::ANY,
        }
    }

    fn widened(self, next: Value) -> Value {
        match (self, next) {
            (Value::Number(one), Value::Number(next)) => Value::Number(one.widened(next)),
            _ => self.or(next),
        }
    }
}

/// -1 as a source: every lane.
const ALL: Code = Code(193);

/// The vector registers, of all lanes alike.
type Vectors = Arc<[Value; 256]>;

/// What is known of a wave's registers: scalars, of the vector registers what they hold in lanes that are on, and in those that are off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Scalar registers at their codes, then SCC.
    scalars: [Value; 129],
    on: Vectors,
    off: Vectors,
    /// Scalars that were put into lanes of vector registers.
    spilled: BTreeMap<(u8, u8), Value>,
    /// By the scalar pair that a mask was saved in: how deep, and what lanes held that were off then, and are off again once the mask is back.
    saved: BTreeMap<u16, (usize, Vectors)>,
    /// Whether at least one lane is on: so it is where a wave begins.
    some: bool,
    /// Whether no lane is on.
    none: bool,
    /// The scalar pairs that hold a mask with at least one lane.
    masks: BTreeSet<u16>,
    /// The registers that on some path here nobody has written: an honest instruction reads none of them, another may.
    unwritten: RegisterSet,
}

impl State {
    /// Of a wave that nothing is known of.
    pub fn new() -> State {
        let mut scalars = [Value::Unwritten; 129];
        for half in [0, 1] {
            scalars[usize::from(Code::EXEC.0 + half)] = Value::Lanes(half);
        }
        State {
            scalars,
            on: Arc::new([Value::Unwritten; 256]),
            off: Arc::new([Value::Unwritten; 256]),
            spilled: BTreeMap::new(),
            saved: BTreeMap::new(),
            some: true,
            none: false,
            masks: BTreeSet::new(),
            unwritten: {
                let mut all = RegisterSet::ALL;
                all.remove(Code::EXEC.0, 2);
                all
            },
        }
    }

    /// Whether at least one lane is on.
    pub fn has_lanes(&self) -> bool {
        self.some
    }

    /// Whether no lane is on.
    pub fn has_none(&self) -> bool {
        self.none
    }

    /// This state where at least one lane is on.
    #[must_use]
    pub fn with_lanes(self) -> State {
        State { some: true, ..self }
    }

    /// The lanes that are on have all gone off.
    pub fn all_off(&mut self) {
        self.none = true;
    }

    /// A pair has taken over the mask that EXEC was, with a lane or not.
    pub fn keep_mask(&mut self, pair: u16, some: bool) {
        if some {
            self.masks.insert(pair);
        }
    }

    /// What a register holds, in lanes that are on: scalars at their codes, SCC, VGPRs from 256 on.
    pub fn get(&self, number: u16) -> Value {
        match number {
            0..=128 => self.scalars[usize::from(number)],
            256..=511 => self.on[usize::from(number - 256)],
            _ => Value::ANY,
        }
    }

    /// What a VGPR holds in any lane.
    pub fn anywhere(&self, vgpr: u8) -> Value {
        let at = usize::from(vgpr);
        self.on[at].or(self.off[at])
    }

    /// Whether one of these may be a register that nobody has written.
    pub fn may_be_unwritten(&self, registers: &RegisterSet) -> bool {
        self.unwritten.meets(registers)
    }

    /// Writes a register, a VGPR in the lanes that are on.
    pub fn set(&mut self, number: u16, value: Value) {
        self.unwritten.remove(number, 1);
        match number {
            0..=128 => {
                self.scalars[usize::from(number)] = value;
                self.saved
                    .retain(|pair, _| *pair != number && pair + 1 != number);
                self.masks
                    .retain(|pair| *pair != number && pair + 1 != number);
            }
            256..=511 => {
                Arc::make_mut(&mut self.on)[usize::from(number - 256)] = value;
                let vgpr = (number - 256) as u8;
                self.spilled.retain(|(of, _), _| *of != vgpr);
            }
            _ => {}
        }
    }

    /// Puts a scalar into one lane, if it is known which.
    pub fn spill(&mut self, vgpr: u8, lane: Option<u8>, value: Value) {
        for vectors in [&mut self.on, &mut self.off] {
            let held = &mut Arc::make_mut(vectors)[usize::from(vgpr)];
            *held = held.or(value);
        }
        match lane {
            Some(lane) => {
                self.spilled.insert((vgpr, lane), value);
            }
            None => self.spilled.retain(|(of, _), _| *of != vgpr),
        }
    }

    /// What one lane of a VGPR holds.
    pub fn lane(&self, vgpr: u8, lane: Option<u8>) -> Value {
        let spilled = lane.and_then(|lane| self.spilled.get(&(vgpr, lane)));
        spilled.copied().unwrap_or(match self.anywhere(vgpr) {
            Value::Unwritten => Value::ANY,
            value => value,
        })
    }

    /// EXEC may hold something else than it did.
    pub fn exec_changes(&mut self) {
        self.none = false;
        for (at, held) in self.scalars.iter_mut().enumerate() {
            if matches!(held, Value::Lanes(_)) && at >> 1 != usize::from(Code::EXEC.0 >> 1) {
                *held = Value::ANY;
            }
        }
    }

    /// Lanes go off; the mask that was may be saved in a pair.
    pub fn narrow(&mut self, saved_in: Option<u16>) {
        let before = Arc::clone(&self.off);
        self.off = either(&self.on, &self.off);
        if let Some(pair) = saved_in {
            let depths = self.saved.values().map(|(depth, _)| depth + 1);
            self.saved.insert(pair, (depths.max().unwrap_or(0), before));
            self.keep_mask(pair, self.some);
        }
        self.some = false;
    }

    /// Lanes of the mask in a pair come on besides those that are.
    pub fn widen(&mut self, mask: Code) {
        self.on = either(&self.on, &self.off);
        self.some |= self.masks.contains(&mask.0);
        match self.saved.remove(&mask.0) {
            // Masks that were saved since are of lanes that have come on.
            Some((depth, before)) => {
                self.off = before;
                self.saved.retain(|_, (of, _)| *of < depth);
            }
            None => self.saved.clear(),
        }
    }

    /// Other lanes may be on than were: those of a mask, if it is known which.
    pub fn exchange(&mut self, mask: Option<Code>) {
        self.on = either(&self.on, &self.off);
        self.off = Arc::clone(&self.on);
        self.saved.clear();
        self.some = mask.is_some_and(|mask| mask == ALL || self.masks.contains(&mask.0));
    }

    /// This state or another, which `merge` makes one value of two.
    fn with(&self, other: &State, merge: impl Fn(Value, Value) -> Value + Copy) -> State {
        let vectors = |one: &Vectors, other: &Vectors| {
            if Arc::ptr_eq(one, other) || one == other {
                Arc::clone(one)
            } else {
                Arc::new(std::array::from_fn(|at| merge(one[at], other[at])))
            }
        };
        let saved = self.saved.iter().filter_map(|(pair, (depth, one))| {
            let (_, other) = other.saved.get(pair).filter(|(other, _)| other == depth)?;
            Some((*pair, (*depth, vectors(one, other))))
        });
        let spilled = self.spilled.iter().filter_map(|(place, one)| {
            let other = other.spilled.get(place)?;
            Some((*place, merge(*one, *other)))
        });
        State {
            scalars: std::array::from_fn(|at| merge(self.scalars[at], other.scalars[at])),
            on: vectors(&self.on, &other.on),
            off: vectors(&self.off, &other.off),
            spilled: spilled.collect(),
            saved: saved.collect(),
            some: self.some && other.some,
            none: self.none && other.none,
            unwritten: self.unwritten.or(&other.unwritten),
            masks: self.masks.intersection(&other.masks).copied().collect(),
        }
    }

    /// Where two paths meet.
    pub fn or(&self, other: &State) -> State {
        self.with(other, Value::or)
    }

    /// Where a path meets itself.
    pub fn widened(&self, next: &State) -> State {
        self.with(next, Value::widened)
    }
}

fn either(one: &Vectors, other: &Vectors) -> Vectors {
    if one == other {
        return Arc::clone(one);
    }
    Arc::new(std::array::from_fn(|at| one[at].or(other[at])))
}
