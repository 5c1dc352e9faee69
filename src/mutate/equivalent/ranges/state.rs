//! What is known of the registers of a wave at an instruction.

use std::collections::{BTreeMap, BTreeSet};

use gfx906::isa::Code;
use gfx906::isa::uses::RegisterSet;

use super::lanes::Lanes;
use super::term::Term;
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

    /// What is still true of it when EXEC has changed.
    fn lasting(self) -> Value {
        match self {
            Value::Lanes(_) => Value::ANY,
            value => value,
        }
    }

    /// Either of two.
    pub fn or(self, other: Value) -> Value {
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

/// What is known of a wave's registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Scalar registers at their codes, then SCC.
    scalars: [Value; 129],
    /// Vector registers, and what is known of EXEC.
    pub lanes: Lanes,
    /// Scalars of which the first is less than the second, as numbers without sign.
    less: BTreeSet<(u16, u16)>,
    /// Scalars that were put into lanes of vector registers.
    spilled: BTreeMap<(u8, u8), Value>,
    /// The scalars that on some path here nobody has written: an honest instruction reads none of them, another may.
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
            lanes: Lanes::new(),
            less: BTreeSet::new(),
            spilled: BTreeMap::new(),
            unwritten: {
                let mut scalars = RegisterSet::default();
                scalars.add(0, 129);
                scalars.remove(Code::EXEC.0, 2);
                scalars
            },
        }
    }

    /// This state where at least one lane is on.
    #[must_use]
    pub fn with_lanes(mut self) -> State {
        self.lanes.set_some();
        self
    }

    /// What a register holds, in lanes that are on: scalars at their codes, SCC, VGPRs from 256 on.
    pub fn get(&self, number: u16) -> Value {
        match number {
            0..=128 => self.scalars[usize::from(number)],
            256..=511 => self.lanes.get((number - 256) as u8),
            _ => Value::ANY,
        }
    }

    /// Whether one of these may be a register that nobody has written.
    pub fn may_be_unwritten(&self, registers: &RegisterSet) -> bool {
        self.unwritten.meets(registers) || self.lanes.unwritten().meets(registers)
    }

    /// Writes a register, a VGPR in the lanes that are on.
    pub fn set(&mut self, number: u16, value: Value) {
        self.unwritten.remove(number, 1);
        match number {
            0..=128 => {
                self.scalars[usize::from(number)] = value;
                self.lanes.forget(number);
                self.less
                    .retain(|(one, other)| *one != number && *other != number);
            }
            256..=511 => {
                let vgpr = (number - 256) as u8;
                self.lanes.set(vgpr, value.lasting());
                self.spilled.retain(|(of, _), _| *of != vgpr);
            }
            _ => {}
        }
    }

    /// Says more of what a scalar holds.
    pub fn refine(&mut self, number: u16, range: Range) {
        if let Some(value) = self.scalars.get_mut(usize::from(number)) {
            *value = Value::Number(range);
        }
    }

    /// The first of two scalars is less than the second.
    pub fn is_less(&mut self, one: u16, other: u16) {
        self.less.insert((one, other));
    }

    /// Whether it is known to be.
    pub fn less(&self, one: &Term, other: &Term) -> bool {
        match (one, other) {
            (Term::Register(one, _), Term::Register(other, _)) => {
                self.less.contains(&(*one, *other))
            }
            _ => false,
        }
    }

    /// Puts a scalar into one lane, if it is known which.
    pub fn spill(&mut self, vgpr: u8, lane: Option<u8>, value: Value) {
        let value = value.lasting();
        self.lanes.set_one(vgpr, lane, value);
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
        spilled.copied().unwrap_or(match self.lanes.anywhere(vgpr) {
            Value::Unwritten => Value::ANY,
            value => value,
        })
    }

    /// EXEC may hold something else than it did: copies of it are none any more.
    pub fn exec_changes(&mut self) {
        for (at, held) in self.scalars.iter_mut().enumerate() {
            if matches!(held, Value::Lanes(_)) && at >> 1 != usize::from(Code::EXEC.0 >> 1) {
                *held = Value::ANY;
            }
        }
    }

    /// This state or another, which `merge` makes one value of two.
    fn with(&self, other: &State, merge: impl Fn(Value, Value) -> Value + Copy) -> State {
        let spilled = self.spilled.iter().filter_map(|(place, one)| {
            let other = other.spilled.get(place)?;
            Some((*place, merge(*one, *other)))
        });
        State {
            scalars: std::array::from_fn(|at| merge(self.scalars[at], other.scalars[at])),
            lanes: self.lanes.with(&other.lanes, merge),
            less: self.less.intersection(&other.less).copied().collect(),
            spilled: spilled.collect(),
            unwritten: self.unwritten.or(&other.unwritten),
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
